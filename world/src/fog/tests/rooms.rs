//! Units in worlds: under roofs, behind doors, in caves. The oracle asks the world for the voxel at
//! the height of the eyes.

use super::document::seen_tiles;
use super::*;

/// Returns the map of the oracle: a mountain wherever the voxel at the height of the eyes is solid,
/// and a plain elsewhere. Off the map there are no obstacles.
fn as_met_at(world: &World, bounds: CellBox, side: TileSide, eye: i32) -> HeightField {
    let whole = HeightField::of_world(world, bounds, side);
    let mut met = HeightField::flat(whole.size(), eye);
    let parts = (1.0 / side.cells()) as i32;
    for z in 0..whole.size()[1] as i32 {
        for x in 0..whole.size()[0] as i32 {
            let cell = bounds.min + Vector3::new(x / parts, 0, z / parts);
            let material = world.material(Vector3::new(cell.x, eye, cell.z));
            let is_solid = material.is_some_and(|it| world.materials().is_solid(it));
            let is_met = is_solid && (bounds.min.y..=bounds.max.y).contains(&eye);
            met.set([x, z], if is_met { eye + 1 } else { eye });
        }
    }
    met
}

/// Returns every tile that the units see now.
fn seen_now(world: &World, bounds: CellBox, side: TileSide, units: &[Unit]) -> Vec<bool> {
    let size = HeightField::of_world(world, bounds, side).size();
    let mut now = vec![false; size[0] * size[1]];
    for unit in units {
        let met = as_met_at(world, bounds, side, unit.eye);
        for [x, z] in seen_tiles(&met, unit, LineTest::Stepping) {
            now[z as usize * size[0] + x as usize] = true;
        }
    }
    now
}

fn is_seen(fog: &Fog) -> Vec<bool> {
    fog.alpha(0).iter().map(|&alpha| alpha == 0.0).collect()
}

fn fog_of(world: &World, bounds: CellBox, side: TileSide) -> Fog {
    let field = HeightField::of_world(world, bounds, side);
    Fog::new(field, 1, FogSettings::default())
}

fn unit_at(tile: [i32; 2], eye: i32) -> Unit {
    Unit {
        team: 0,
        tile,
        radius: 12,
        eye,
    }
}

#[test]
fn unit_in_a_house_sees_the_room_and_through_the_door() {
    let (mut world, bounds) = house();
    let mut fog = fog_of(&world, bounds, TileSide::CELL);
    fog.add_unit(unit_at([15, 15], 5)).unwrap();
    fog.update_in(&world);
    let seen = |fog: &Fog, tile| fog.sight(0, tile) == Sight::Now;
    for z in 0..32 {
        for x in 0..32 {
            let in_room = (11..=19).contains(&x) && (11..=19).contains(&z);
            assert_eq!(seen(&fog, [x, z]), in_room, "{x} {z}");
        }
    }
    // A door, two voxels high, in the wall to the north, in line with the unit.
    for y in [4, 5] {
        world.write(|writer| writer.set(Vector3::new(15, y, 10), Material::AIR));
    }
    assert_eq!(fog.update_in(&world).looked, 1);
    for z in 4..=10 {
        assert!(seen(&fog, [15, z]), "through the door at {z}");
    }
    assert!(!seen(&fog, [15, 21]) && !seen(&fog, [9, 9]) && !seen(&fog, [20, 15]));
    // The lintel above the door hides nothing, and a shut door all.
    world.write(|writer| writer.set(Vector3::new(15, 5, 10), Material::STONE));
    fog.update_in(&world);
    assert!(!seen(&fog, [15, 9]) && seen(&fog, [15, 11]));
}

#[test]
fn unit_before_the_door_sees_into_the_house_and_from_the_roof_only_over_it() {
    let (mut world, bounds) = house();
    for y in [4, 5] {
        world.write(|writer| writer.set(Vector3::new(15, y, 10), Material::AIR));
    }
    let mut fog = fog_of(&world, bounds, TileSide::CELL);
    let id = fog.add_unit(unit_at([15, 5], 5)).unwrap();
    fog.update_in(&world);
    let seen = |fog: &Fog, tile| fog.sight(0, tile) == Sight::Now;
    assert!(seen(&fog, [15, 12]) && !seen(&fog, [11, 12]));
    fog.move_unit(id, [15, 15], 9);
    fog.update_in(&world);
    assert!(seen(&fog, [15, 8]) && seen(&fog, [10, 15]));
}

/// Makes random voxels: caves, columns, roofs.
fn cavern(seed: u32) -> (World, CellBox) {
    let bounds = CellBox::new(Vector3::new(-20, 0, -9), Vector3::new(24, 40, 37));
    let world = World::from_voxels(bounds, |cell| {
        let parts = [cell.x, cell.y, cell.z];
        let mixed = parts.iter().fold(seed, |state, &part| {
            (state ^ part as u32)
                .wrapping_mul(0x9e37_79b1)
                .rotate_left(13)
        });
        match mixed.wrapping_mul(0x85eb_ca6b) >> 24 {
            0..40 => Material::STONE,
            _ => Material::AIR,
        }
    });
    (world, bounds)
}

#[test]
fn every_unit_sees_what_the_voxels_at_its_eyes_let_it_under_any_edits() {
    for (seed, side) in [
        (1, TileSide::CELL),
        (2, TileSide::HALF),
        (3, TileSide::parts_of_cell(3)),
    ] {
        let (mut world, bounds) = cavern(seed);
        let mut fog = fog_of(&world, bounds, side);
        let mut dice = seed;
        let mut any = |count: i32| {
            dice = dice.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (dice >> 8) as i32 % count
        };
        let [width, depth] = fog.size().map(|side| side as i32);
        let mut ids = Vec::new();
        for _ in 0..6 {
            let unit = unit_at([any(width), any(depth)], any(44) - 1);
            ids.push(fog.add_unit(unit).unwrap());
        }
        for step in 0..40 {
            for _ in 0..any(30) {
                let size = (bounds.max - bounds.min).map(|side| side + 1);
                let cell = bounds.min + Vector3::new(any(size.x), any(size.y), any(size.z));
                let material = [Material::AIR, Material::STONE][any(2) as usize];
                world.write(|writer| writer.set(cell, material));
            }
            let unit = ids[any(6) as usize];
            fog.move_unit(unit, [any(width), any(depth)], any(44) - 1);
            fog.update_in(&world);
            let units: Vec<Unit> = ids.iter().filter_map(|&id| fog.unit(id)).collect();
            let expected = seen_now(&world, bounds, side, &units);
            assert_eq!(is_seen(&fog), expected, "{side:?}, step {step}");
            assert_eq!(fog.update_in(&world), FogReport::default());
        }
    }
}

#[test]
fn more_levels_than_planes_follow_edits_too() {
    let bounds = CellBox::new(Vector3::zeros(), Vector3::new(31, 127, 31));
    let mut world = World::from_voxels(bounds, |_| Material::AIR);
    let mut fog = fog_of(&world, bounds, TileSide::CELL);
    let units: Vec<Unit> = (0..100).map(|eye| unit_at([eye % 32, 3], eye)).collect();
    for unit in &units {
        fog.add_unit(*unit).unwrap();
    }
    fog.update_in(&world);
    for y in 0..100 {
        for x in 0..32 {
            world.write(|writer| writer.set(Vector3::new(x, y, 5), Material::STONE));
        }
    }
    fog.update_in(&world);
    assert_eq!(
        is_seen(&fog),
        seen_now(&world, bounds, TileSide::CELL, &units)
    );
    assert_eq!(fog.sight(0, [9, 6]), Sight::Before);
}

#[test]
fn sight_may_be_judged_by_the_heights_and_by_the_voxels_in_turn() {
    let (world, bounds) = house();
    let mut fog = fog_of(&world, bounds, TileSide::CELL);
    fog.add_unit(unit_at([15, 15], 5)).unwrap();
    for _ in 0..2 {
        fog.update();
        assert_eq!(is_seen(&fog).iter().filter(|&&seen| seen).count(), 1);
        fog.update_in(&world);
        assert_eq!(is_seen(&fog).iter().filter(|&&seen| seen).count(), 81);
    }
}
