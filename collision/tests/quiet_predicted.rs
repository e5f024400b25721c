//! A prediction allocates nothing in steady state, as counted by the allocator. Alone in its file,
//! because the count covers the whole program.
#![allow(clippy::unwrap_used)]

use collision::{
    Character, CharacterId, Crowd, Intent, ObjectId, Position, Predicted, Settings, Shapes, predict,
};
use nalgebra::{Point3, Vector3};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static COUNTED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const TICK: f32 = 1.0 / 60.0;

/// Returns the allocations of 240 ticks of predictions, put right in each second one, with steps,
/// jumps, and others that come and go.
fn allocations(crowd: &mut Crowd, ids: &[CharacterId], ground: &Shapes) -> usize {
    let own = ids[0];
    let bytes = crowd.save_character(own).unwrap();
    let mut predicted = Predicted::from_bytes(&bytes, &Settings::default()).unwrap();
    let (mut others, mut intents, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
    let mut sum = 0;
    for tick in 0..480_usize {
        intents.clear();
        for (index, &id) in ids.iter().enumerate() {
            let turn = ((index * 7 + tick / 30) % 8) as f32;
            let way = Vector3::new(turn - 3.5, 0.0, (turn * 3.0) % 8.0 - 3.5);
            let jump = if tick % 60 == 0 { 4.0 } else { 0.0 };
            intents.push((id, Intent::walk(way).jumping(jump)));
        }
        crowd.others_near(own, 5.0, &mut others);
        crowd.save_character_into(own, &mut bytes);
        let region = Region::new(COUNTED);
        if tick % 2 == 0 {
            predicted.put_right(&bytes).unwrap();
        }
        predict(&mut predicted, ground, &others, &[intents[0].1], TICK).unwrap();
        predicted.save_into(&mut bytes);
        let change = region.change();
        if tick >= 240 {
            sum += change.allocations + change.reallocations + change.deallocations;
        }
        crowd.tick(ground, &intents, TICK);
    }
    sum
}

#[test]
fn prediction_allocates_nothing_in_steady_state() {
    let point = Point3::new;
    let boxes = [
        [point(0.0, -1.0, 0.0), point(40.0, 0.0, 40.0)],
        [point(10.0, 0.0, 10.0), point(14.0, 0.5, 30.0)],
        [point(20.0, 0.0, 20.0), point(21.0, 3.0, 30.0)],
    ];
    let ground = Shapes::from_boxes(ObjectId(1), Position::default(), &boxes);
    let mut crowd = Crowd::new();
    let add = |i: u32| {
        let place = point(10.0 + f64::from(i % 10), 1.5, 15.0 + f64::from(i / 10));
        crowd.add(Character::at(Position::from_metres(place)))
    };
    let ids: Vec<_> = (0..60).map(add).collect();
    assert_eq!(allocations(&mut crowd, &ids, &ground), 0);
}
