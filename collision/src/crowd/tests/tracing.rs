//! Traces of the gathers of one character.

use super::*;
use crate::{Feature, GatherTrace};

/// A floor with a wall at x = 2.
fn room() -> Shapes {
    let boxes = [
        [
            Point3::new(-10.0, -1.0, -10.0),
            Point3::new(10.0, 0.0, 10.0),
        ],
        [Point3::new(2.0, 0.0, -10.0), Point3::new(3.0, 3.0, 10.0)],
    ];
    Shapes::from_boxes(ObjectId(1), Position::default(), &boxes)
}

/// Returns whether a face on the plane x = `at` was gathered.
fn has_wall(gather: &GatherTrace, at: f32) -> bool {
    let here = at - gather.reach.base.x as f32;
    let is_wall = |min: f32, max: f32| min == here && max == here;
    let mut faces = gather.candidates.iter();
    faces.any(|it| it.feature == Feature::Face && is_wall(it.min.x, it.max.x))
}

#[test]
fn last_gather_of_a_walk_to_a_wall_holds_the_wall_and_the_body() {
    let terrain = room();
    let mut crowd = Crowd::new();
    let [id, other] = [0.0, 6.0].map(|z| crowd.add(Character::at(at(0.0, 0.92, z))));
    crowd.trace_gathers(Some(id));
    for _ in 0..120 {
        let intents = [(id, walk(3.0, 0.0)), (other, walk(-3.0, 0.0))];
        crowd.tick(&terrain, &intents, TICK);
    }
    let gather = crowd.last_gather().unwrap();
    assert!(has_wall(gather, 2.0), "{gather:?}");
    let end = crowd.position(id).unwrap().relative_to(gather.reach.base);
    for plane in &gather.planes {
        assert!(plane.normal.dot(&end) >= plane.distance, "{plane:?}");
    }
    // The other character, which walked away, is not in it.
    let z = gather.reach.start.z + gather.reach.base.z as f32;
    assert!(z.abs() < 1.0, "{z}");
}

#[test]
fn trace_is_of_the_named_character_only_and_changes_no_bits() {
    let terrain = room();
    let mut crowds = [false, true].map(|is_traced| {
        let mut crowd = Crowd::new();
        let ids: Vec<_> = (0..100)
            .map(|i| {
                crowd.add(Character::at(at(
                    -8.0 + 0.09 * f64::from(i),
                    0.92,
                    f64::from(i % 10),
                )))
            })
            .collect();
        crowd.trace_gathers(is_traced.then_some(ids[17]));
        (crowd, ids)
    });
    for _ in 0..200 {
        for (crowd, ids) in &mut crowds {
            let intents: Vec<_> = ids.iter().map(|&id| (id, walk(3.0, 0.5))).collect();
            crowd.tick(&terrain, &intents, TICK);
        }
    }
    let [(plain, _), (traced, ids)] = &mut crowds;
    assert_eq!(plain.save(), traced.save());
    assert!(plain.last_gather().is_none());
    let gather = traced.last_gather().unwrap();
    let start = Position::from_local(gather.reach.base, gather.reach.start);
    let end = traced.position(ids[17]).unwrap();
    assert!(end.since(&start).norm() < 0.5, "{start:?} {end:?}");
    // A removed character leaves its last gather; another name forgets it.
    traced.trace_gathers(None);
    assert!(traced.last_gather().is_none());
}
