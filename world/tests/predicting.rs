//! A character predicted beside a crowd ends each tick with the same bytes, unless another one
//! pushed it.
#![allow(clippy::unwrap_used)]

use collision::{
    Cell, Character, CharacterId, Crowd, Intent, Position, Predicted, Settings, Terrain,
    VoxelTerrain, predict,
};
use nalgebra::{Point3, Vector3};
use world::{CellBox, Material, World};

const TICK: f32 = 1.0 / 60.0;
const TICKS: u32 = 600;
const CROWD: u32 = 60;
/// Side of the ground, in cells.
const SIDE: i32 = 24;
/// Radii of a standing character, in metres.
const RADII: [f32; 2] = [0.4, 0.9];
/// Gap within which another one may have pushed, in metres: several skins.
const PUSHED: f32 = 0.06;

/// Returns a random-looking number that is the same everywhere, below `count`.
fn dice(seed: [u32; 2], count: u32) -> u32 {
    let mut bits = u64::from(seed[0]) << 32 | u64::from(seed[1]);
    for _ in 0..3 {
        bits = (bits ^ bits >> 31).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    (bits >> 33) as u32 % count
}

/// Rough ground between walls: steps of up to two cells, pillars, and low roofs.
fn is_solid(cell: Cell) -> bool {
    let inside = (0..SIDE).contains(&cell.x) && (0..SIDE).contains(&cell.z);
    let roll = dice([cell.x as u32, cell.z as u32], 40);
    let height = match roll {
        0..26 => 4,
        26..36 => 5,
        36..38 => 6,
        _ => 9,
    };
    let roof = cell.x / 4 == 2 && cell.z / 4 == 2 && cell.y == 7;
    !inside && cell.y < 12 || cell.y < height || roof
}

/// Returns the wish of a character: walks, with jumps and crouching.
fn wish(number: u32, tick: u32) -> Intent {
    let roll = |salt, count| dice([number, tick / 40 * 8 + salt], count);
    let part = |salt| roll(salt, 201) as f32 * 0.05 - 5.0;
    let mut intent = Intent::walk(Vector3::new(part(0), 0.0, part(1)));
    if roll(2, 3) == 0 {
        intent = intent.jumping(6.0);
    }
    intent.crouch = roll(3, 4) == 0;
    intent
}

fn crowd() -> (Crowd, Vec<CharacterId>) {
    let mut settings = Settings::default();
    settings.mover.step_height = 1.05;
    let mut crowd = Crowd::new();
    let place = |number: u32| {
        let (x, z) = (number % 8, number / 8);
        Point3::new(1.7 + 2.8 * f64::from(x), 11.0, 1.7 + 2.8 * f64::from(z))
    };
    let ids = (0..CROWD).map(|number| {
        let character = Character::at(Position::from_metres(place(number)));
        crowd.add(character.with_settings(settings))
    });
    let ids = ids.collect();
    (crowd, ids)
}

/// Returns whether another character is near enough to have pushed one.
fn may_be_pushed(crowd: &Crowd, id: CharacterId) -> bool {
    let own = crowd.position(id).unwrap();
    crowd.bodies().any(|(other, body)| {
        let off = body.position.since(&own);
        let [across, along] = RADII.map(|radius| 2.0 * radius + PUSHED);
        let squashed = Vector3::new(off.x / across, off.y / along, off.z / across);
        other != id && squashed.norm() < 1.0
    })
}

/// Ticks of the predicted characters, by kind.
#[derive(Debug, Default)]
struct Seen {
    equal: u32,
    put_right: u32,
    beside_another: u32,
    airborne: u32,
    crouched: u32,
}

/// Predicts every tenth character of a crowd beside it.
fn predict_beside(terrain: &impl Terrain) -> Seen {
    let (mut crowd, ids) = crowd();
    let mut seen = Seen::default();
    let settings = {
        let mut settings = Settings::default();
        settings.mover.step_height = 1.05;
        settings
    };
    let start = |&id: &CharacterId| {
        let bytes = crowd.save_character(id).unwrap();
        (id, Predicted::from_bytes(&bytes, &settings).unwrap())
    };
    let mut all: Vec<_> = ids.iter().step_by(10).map(start).collect();
    let mut others = Vec::new();
    for tick in 0..TICKS {
        let intent = |id: CharacterId| {
            let number = ids.iter().position(|&other| other == id).unwrap();
            wish(number as u32, tick)
        };
        for (id, predicted) in &mut all {
            crowd.others_near(*id, 5.0, &mut others);
            predict(predicted, terrain, &others, &[intent(*id)], TICK).unwrap();
        }
        let intents: Vec<_> = ids.iter().map(|&id| (id, intent(id))).collect();
        crowd.tick(terrain, &intents, TICK);
        for (id, predicted) in &mut all {
            let bytes = crowd.save_character(*id).unwrap();
            let beside = may_be_pushed(&crowd, *id);
            if predicted.save() == bytes {
                seen.equal += 1;
                seen.beside_another += u32::from(beside);
            } else {
                assert!(beside, "tick {tick}, {id:?}: {:?}", predicted.state());
                predicted.put_right(&bytes).unwrap();
                seen.put_right += 1;
            }
            seen.airborne += u32::from(!predicted.is_grounded());
            seen.crouched += u32::from(predicted.state().crouched);
        }
    }
    // The predictions were of some use, and the way was no easy one.
    assert!(seen.put_right * 20 < seen.equal, "{seen:?}");
    assert!(seen.beside_another > 50, "{seen:?}");
    assert!(seen.airborne > 300 && seen.crouched > 300, "{seen:?}");
    seen
}

#[test]
fn predicted_on_plain_voxels_equals_the_crowd() {
    predict_beside(&VoxelTerrain::new(is_solid));
}

#[test]
fn predicted_on_a_world_equals_the_crowd() {
    let bounds = CellBox::new(Cell::new(-32, 0, -32), Cell::new(63, 31, 63));
    let world = World::from_voxels(bounds, |cell| match is_solid(cell) {
        true => Material::STONE,
        false => Material::AIR,
    });
    predict_beside(&world);
}
