//! Merged surfaces against brute force, and the chunks that an edit changes.

use fuzz_bodies::{campaign, merge};
use world::{Brick, BrickId, CellBox, Material, Voxels, World};

type Cell = nalgebra::Vector3<i32>;

/// Worlds that are built, edited and compared.
const WORLDS: usize = 232;

/// Quads tile exactly the exposed faces; edited surfaces, and those of chunks loaded in any
/// order, equal those merged from scratch.
#[test]
fn surfaces_after_any_edits_equal_brute_force() {
    campaign::run(&merge::TARGET, WORLDS);
}

#[test]
fn neighbours_whose_faces_stay_do_not_change() {
    let bounds = CellBox::new(Cell::zeros(), Cell::new(63, 31, 31));
    for materials in [1, 6] {
        let mut world = World::from_voxels(bounds, |cell| match cell.x {
            ..32 => Material(Material::STONE.0 + (cell.y + cell.z) as u16 % materials),
            _ => Material::AIR,
        });
        let wall = world.brick_at(Cell::zeros()).expect("it is loaded");
        let before = world.revision();
        world.write(|writer| {
            for y in 8..10 {
                writer.set(Cell::new(32, y, 8), Material::WATER);
            }
        });
        let changed: Vec<BrickId> = world.changes_since(before).collect();
        assert!(!changed.contains(&wall), "{materials} materials");
    }
}

#[test]
fn a_brick_that_comes_changes_those_it_shares_a_face_with() {
    let mut world = World::default();
    let first = world.insert_brick(Cell::zeros(), Brick::default());
    for (chunk, is_beside) in [([1, 1, 0], false), ([1, 1, 1], false), ([1, 0, 0], true)] {
        let before = world.revision();
        let brick = Brick::new(Voxels::uniform(Material::STONE), world.materials());
        world.insert_brick(Cell::from(chunk), brick);
        let changed = world.changes_since(before).any(|id| id == first);
        assert_eq!(changed, is_beside, "{chunk:?}");
    }
}
