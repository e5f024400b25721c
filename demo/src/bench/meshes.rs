//! The figures of the group `crowd` on triangles: microseconds a character and tick, on one thread.
//! Characters collide with each other on open ground, and pass through each other in the house,
//! where the triangles alone are measured.

use std::time::Instant;

use collision::{
    Character, CharacterId, Crowd, Intent, ObjectId, Position, Settings, Sides, TriangleSoup,
};
use collision_scenes::{Random, WalkedMesh, interior, rough_ground};
use nalgebra::Vector3;

use super::Figure;

const TICK: f32 = 1.0 / 60.0;
/// Ticks before measuring, and ticks that are measured.
const WARM_UP: u32 = 60;
const TICKS: u32 = 300;
/// Intended speed of every character, in metres a second, and ticks until it turns.
const SPEED: f32 = 5.0;
const TURN: u32 = 60;
const IN_THE_HOUSE: usize = 100;
const SEED: u64 = 9;

/// Measures 400 characters on 80,000 triangles of half a metre.
pub(super) fn open_ground() -> Option<Figure> {
    let ground = rough_ground();
    let count = ground.starts.len();
    figure("crowd.mesh", &ground, count, |character| character)
}

/// Measures a hundred characters in a house of 4,000 triangles.
pub(super) fn furnished() -> Option<Figure> {
    let alone = |character: Character| character.with_layers(1, 0);
    figure("crowd.interior", &interior(), IN_THE_HOUSE, alone)
}

/// Measures characters on a mesh; `None` if the mesh is refused.
fn figure(
    name: &str,
    walked: &WalkedMesh,
    count: usize,
    shape: impl Fn(Character) -> Character,
) -> Option<Figure> {
    let (object, origin) = (ObjectId(1), Position::default());
    let soup = TriangleSoup::from_obj(object, origin, &walked.mesh, Sides::Front).ok()?;
    let mut crowd = Crowd::new();
    let ids: Vec<CharacterId> = (0..count)
        .map(|number| {
            let at = walked.starts[number * walked.starts.len() / count];
            let character = Character::at(Position::from_metres(at));
            crowd.add(shape(character).with_settings(Settings::default()))
        })
        .collect();
    let mut random = Random::new(SEED);
    let mut intents = Vec::new();
    let mut samples = Vec::new();
    for tick in 0..WARM_UP + TICKS {
        if tick.is_multiple_of(TURN) {
            let turned = ids.iter().map(|&id| (id, Intent::walk(wish(&mut random))));
            intents = turned.collect();
        }
        let begun = Instant::now();
        crowd.tick(&soup, &intents, TICK);
        if tick >= WARM_UP {
            samples.push(begun.elapsed().as_secs_f64() * 1e6 / count as f64);
        }
    }
    Some(Figure::from_samples(name, "us", samples))
}

/// Returns a random level velocity of the usual speed.
fn wish(random: &mut Random) -> Vector3<f32> {
    loop {
        let mut part = || random.between(-1.0, 1.0) as f32;
        let way = Vector3::new(part(), 0.0, part());
        if (0.1..1.0).contains(&way.norm()) {
            return way * (SPEED / way.norm());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_meshes_are_walked_on() {
        for figure in [open_ground(), furnished()] {
            assert!(figure.is_some_and(|figure| figure.runs == TICKS as usize));
        }
    }
}
