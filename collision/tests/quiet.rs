//! A tick allocates nothing in steady state, as counted by the allocator. Alone in its file,
//! because the count covers the whole program.

use collision::{
    Character, Crowd, Intent, ObjectId, PartIndex, Position, Shapes, Sides, SoupMotion, Terrain,
    TriangleSoup,
};
use nalgebra::{Point3, UnitQuaternion, Vector3};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static COUNTED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Returns a disc of triangles, 10 m across, and the motion that turns it about its middle in a
/// tick.
fn disc() -> (TriangleSoup, SoupMotion) {
    const SIDES: u32 = 40;
    let middle = Point3::new(-10.0, 1.0, 20.0);
    let mut disc = TriangleSoup::new(ObjectId(3), Position::default());
    let rim = |side: u32| {
        let angle = f64::from(side) * std::f64::consts::TAU / f64::from(SIDES);
        middle + Vector3::new(angle.cos(), 0.0, angle.sin()) * 5.0
    };
    for side in 0..SIDES {
        let added = disc.insert([middle, rim(side + 1), rim(side)], Sides::Front);
        assert!(added.is_ok());
    }
    let motion = SoupMotion {
        turn: UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.01),
        pivot: Position::from_metres(middle),
        ..SoupMotion::default()
    };
    (disc, motion)
}

/// Returns the allocations of some ticks of walking to and fro, with steps, pushes, rides up to a
/// wall and on a turning disc, events and changes of place.
fn allocations(
    crowd: &mut Crowd,
    ground: &Shapes,
    lift: &mut Shapes,
    (disc, motion): &mut (TriangleSoup, SoupMotion),
    index: &mut PartIndex,
    ids: &[collision::CharacterId],
) -> usize {
    let mut intents = Vec::with_capacity(ids.len());
    let mut sum = 0;
    for tick in 0..240_usize {
        intents.clear();
        for (index, &id) in ids.iter().enumerate() {
            let turn = ((index * 7 + tick / 30) % 8) as f32;
            let way = Vector3::new(turn - 3.5, 0.0, (turn * 3.0) % 8.0 - 3.5);
            intents.push((id, Intent::walk(way)));
        }
        let ahead = if tick % 120 < 60 { 0.05 } else { -0.05 };
        let region = Region::new(COUNTED);
        lift.advance(Vector3::new(ahead, 0.0, 0.0));
        disc.advance(motion);
        let parts: [&dyn Terrain; 3] = [ground, lift, disc];
        crowd.tick(&index.over(&parts), &intents, 1.0 / 60.0);
        let change = region.change();
        sum += change.allocations + change.reallocations + change.deallocations;
    }
    sum
}

#[test]
fn tick_allocates_nothing_in_steady_state() {
    let point = Point3::new;
    let boxes = [
        [point(0.0, -1.0, 0.0), point(40.0, 0.0, 40.0)],
        [point(10.0, 0.0, 10.0), point(14.0, 0.5, 30.0)],
        [point(20.0, 0.0, 20.0), point(21.0, 3.0, 30.0)],
        [point(31.0, 4.1, 0.0), point(32.0, 8.0, 40.0)],
    ];
    let platform = [[point(10.0, 3.5, 10.0), point(29.0, 4.0, 30.0)]];
    let terrain = Shapes::from_boxes(ObjectId(1), Position::default(), &boxes);
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let Ok(pool) = pool else {
            continue;
        };
        let mut lift = Shapes::from_boxes(ObjectId(2), Position::default(), &platform);
        let mut disc = disc();
        let mut crowd = Crowd::new();
        // Some ride on the platform, in rows up to its edge, without a wish.
        for i in 0..60 {
            let place = point(
                28.5 - 0.82 * f64::from(i % 10),
                4.91,
                12.0 + 2.0 * f64::from(i / 10),
            );
            crowd.add(Character::at(Position::from_metres(place)));
        }
        // Some ride on the turning disc.
        let riders: Vec<_> = (0..6)
            .map(|i| {
                let place = point(-13.0 + f64::from(i), 1.91, 20.5);
                crowd.add(Character::at(Position::from_metres(place)))
            })
            .collect();
        let ids: Vec<_> = (0..200)
            .map(|i| {
                let place = point(10.0 + f64::from(i % 20), 1.5, 10.0 + f64::from(i / 20));
                crowd.add(Character::at(Position::from_metres(place)))
            })
            .collect();
        // Some are watched.
        for &id in riders.iter().chain(&ids[..50]) {
            assert!(crowd.watch(id).is_ok());
        }
        // Inside the pool: from outside, each tick passes through rayon's queue, which allocates a
        // block every 63 entries.
        let counted = pool.install(|| {
            let mut index = PartIndex::default();
            let mut count =
                || allocations(&mut crowd, &terrain, &mut lift, &mut disc, &mut index, &ids);
            for _ in 0..4 {
                count();
            }
            count()
        });
        assert_eq!(counted, 0, "{threads} threads");
        for &rider in &riders {
            let place = crowd.position(rider).map(|place| place.to_metres());
            assert!(
                place.is_some_and(|place| (1.9..1.95).contains(&place.y)),
                "{place:?}"
            );
        }
    }
}
