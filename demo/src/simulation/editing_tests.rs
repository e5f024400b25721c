//! Strokes that belong together, their mirror images and their words.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::settings::Characters;
use crate::simulation::standing_in;
use world::World;

#[test]
fn what_is_done_while_a_model_is_placed_is_a_stroke_of_its_own() {
    let tuning = Characters::default();
    let home = Cell::zeros();
    let world = World::from_voxels(CellBox::new(home, home), |_| Material::AIR);
    let mut simulation = Simulation::new(world, standing_in(home, tuning.half_height), &tuning);
    let voxels = Clipboard::from_fn(Vector3::repeat(1), |_| Material::STONE).unwrap();
    let piece = |x: i32| Cell::new(x, 0, 0);
    let stroke = |x: i32, joins: Joins| Stroke {
        center: Cell::new(x, 5, 0),
        shape: BrushShape::Voxel,
        size: 1,
        mode: BrushMode::Place,
        material: Material::GOLD,
        joins,
    };
    simulation.place_piece(0, &voxels, piece(0), Joins::Nothing);
    simulation.place_piece(0, &voxels, piece(1), Joins::Before);
    simulation.edit(0, &stroke(0, Joins::Nothing));
    simulation.place_piece(0, &voxels, piece(2), Joins::Before);
    simulation.edit(0, &stroke(1, Joins::Before));
    assert_eq!(simulation.strokes(Language::English).count(), 4);
}

#[test]
fn a_stroke_and_its_mirror_images_are_one_step_of_undo() {
    let tuning = Characters::default();
    let home = Cell::zeros();
    let world = World::from_voxels(CellBox::new(home, home), |_| Material::AIR);
    let mut simulation = Simulation::new(world, standing_in(home, tuning.half_height), &tuning);
    let symmetry = crate::simulation::Symmetry {
        about: [10, 0, 10],
        across: [true, true],
    };
    let stroke = Stroke {
        center: Cell::new(13, 5, 14),
        shape: BrushShape::Voxel,
        size: 1,
        mode: BrushMode::Place,
        material: Material::GOLD,
        joins: Joins::Nothing,
    };
    let built = |simulation: &Simulation| {
        let at = [(13, 14), (7, 14), (13, 6), (7, 6)];
        let gold = at.map(|(x, z)| simulation.world.material(Cell::new(x, 5, z)));
        gold.map(|found| found == Some(Material::GOLD))
    };
    for image in symmetry.images(&stroke) {
        simulation.edit(0, &image);
    }
    assert_eq!(built(&simulation), [true; 4]);
    simulation.undo(0);
    assert_eq!(built(&simulation), [false; 4]);
    simulation.redo(0);
    assert_eq!(built(&simulation), [true; 4]);
}

#[test]
fn strokes_are_told_by_their_voxels() {
    let change = |mask: u32| Change {
        place: world::BrickPlace {
            object: None,
            chunk: Cell::zeros(),
        },
        row: 0,
        mask,
        old: Material::AIR,
        new: Material::STONE,
    };
    assert_eq!(
        count_of_voxels(&[change(1 << 31)], Language::English),
        "1 voxel"
    );
    let changes = [change(0xff), change(0xf0f)];
    assert_eq!(count_of_voxels(&changes, Language::English), "16 voxels");
    let table = MaterialTable::standard();
    let words = |changes: &[Change]| words_of_changes(changes, &table, Language::English);
    assert_eq!(words(&changes), "stone placed, 16 voxels");
    let turned = |old, new| changes.map(|it| Change { old, new, ..it });
    let [stone, gold] = [Material::STONE, Material::GOLD];
    assert_eq!(words(&turned(stone, Material::AIR)), "carved, 16 voxels");
    assert_eq!(words(&turned(stone, gold)), "gold painted, 16 voxels");
    let mixed = [turned(stone, gold)[0], turned(gold, stone)[1]];
    assert_eq!(words(&mixed), "changed, 16 voxels");
}
