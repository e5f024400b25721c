//! Strokes that belong together, and their mirror images.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::rules::Characters;
use crate::standing_in;
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
    assert_eq!(simulation.strokes().count(), 4);
}

#[test]
fn a_stroke_and_its_mirror_images_are_one_step_of_undo() {
    let tuning = Characters::default();
    let home = Cell::zeros();
    let world = World::from_voxels(CellBox::new(home, home), |_| Material::AIR);
    let mut simulation = Simulation::new(world, standing_in(home, tuning.half_height), &tuning);
    let symmetry = crate::Symmetry {
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
