//! The index against brute force, and crowds among parts that move.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::character::{Character, Intent};
use crate::crowd::Crowd;
use crate::mover::test_terrain::Dice;
use crate::shapes::Shapes;
use crate::soup::{SoupMotion, TriangleSoup};
use nalgebra::Point3;
use std::sync::atomic::{AtomicU32, Ordering};

const TICK: f32 = 1.0 / 60.0;

/// A part that consists of a box, and counts its queries.
struct Boxed {
    bounds: Option<Bounds>,
    revision: u64,
    asked: AtomicU32,
}

impl Boxed {
    fn new(bounds: Option<Bounds>, revision: u64) -> Self {
        Self {
            bounds,
            revision,
            asked: AtomicU32::new(0),
        }
    }
}

impl Terrain for Boxed {
    fn revision(&self) -> u64 {
        self.revision
    }

    fn gather(&self, _: &Reach, _: &mut Memory, _: &mut Candidates) {}

    fn gather_solids(&self, _: Cell, _: Vector3<f32>, _: Vector3<f32>, _: &mut Vec<SolidBox>) {}

    fn contents(&self, _: &Position, _: &Memory) -> Contents {
        self.asked.fetch_add(1, Ordering::Relaxed);
        Contents::default()
    }

    fn bounds(&self) -> Option<Bounds> {
        self.bounds
    }
}

/// Returns whether two boxes share a cell, where cells wrap.
fn meets(a: &Bounds, b: &Bounds) -> bool {
    let length = |low: i32, high: i32| high.wrapping_sub(low) as u32;
    (0..3).all(|axis| {
        let begins_in = |of: &Bounds, other: &Bounds| {
            let (low, high) = (of.min[axis], of.max[axis]);
            length(low, other.min[axis]) <= length(low, high)
        };
        begins_in(a, b) || begins_in(b, a)
    })
}

fn any_box(dice: &mut Dice, middle: Cell, spread: f32, size: f32) -> Bounds {
    let corner = dice.vector().map(|part| (part * spread) as i32);
    let side = dice.vector().map(|part| (part.abs() * size) as i32);
    let min = middle.zip_map(&corner, i32::wrapping_add);
    Bounds {
        min,
        max: min.zip_map(&side, i32::wrapping_add),
    }
}

#[test]
fn index_finds_the_boxes_that_brute_force_finds() {
    let mut dice = Dice(11);
    let mut index = PartIndex::default();
    let (mut found_some, mut found_none) = (0, 0);
    for round in 0..120 {
        // Near the origin, across the ends of the cells, and all over the range.
        let (middle, spread) = [
            (Cell::zeros(), 200.0),
            (Cell::repeat(i32::MAX - 3), 200.0),
            (Cell::zeros(), 2.0e9),
        ][round % 3];
        let size = [4.0, 60.0, 1.0e9][round / 3 % 3];
        let count = 1 + (dice.bits() % 150) as usize;
        let parts: Vec<Boxed> = (0..count)
            .map(|number| {
                let bounds = any_box(&mut dice, middle, spread, size);
                let has_box = number == 0 || number % 40 != 7;
                Boxed::new(has_box.then_some(bounds), dice.bits())
            })
            .collect();
        let parts: Vec<&dyn Terrain> = parts.iter().map(|part| part as &dyn Terrain).collect();
        index.refresh(&parts);
        for _ in 0..60 {
            let cells = any_box(&mut dice, middle, spread, size);
            let is_there = |bounds: Option<Bounds>| bounds.is_none_or(|it| meets(&it, &cells));
            let others = parts.iter().enumerate().skip(1);
            let right = others.filter(|(_, part)| is_there(part.bounds()));
            let right: Vec<usize> = right.map(|(number, _)| number).collect();
            let mut found: Vec<usize> = index.endless().collect();
            let _ = index.find(&cells, |number| {
                found.push(number);
                None::<()>
            });
            found.sort_unstable();
            assert!(right.iter().all(|number| found.contains(number)));
            if spread * 2.0 + size < 2.0e9 {
                assert_eq!(found, right, "round {round}");
            }
            assert_eq!(index.is_near(&cells), !found.is_empty());
            let revisions = found.iter().fold(0_u64, |sum, &number| {
                sum.wrapping_add(mixed(parts[number].revision(), 1))
            });
            assert_eq!(index.revisions_near(&cells), revisions);
            found_some += usize::from(found.len() > 1);
            found_none += usize::from(found.is_empty());
        }
    }
    assert!(
        found_some > 500 && found_none > 200,
        "{found_some} {found_none}"
    );
}

#[test]
fn parts_far_away_are_not_asked() {
    let bounds = |x: i32| Some(Bounds::of(Cell::new(x, 0, 0)));
    let parts = [None, bounds(0), bounds(1), bounds(40), None];
    let parts = parts.map(|bounds| Boxed::new(bounds, 1));
    let all = parts.each_ref().map(|part| part as &dyn Terrain);
    let place = Position::new(Cell::new(1, 0, 0), Vector3::zeros());
    Together::new(&all).contents(&place, &Memory::default());
    let asked = parts.map(|part| part.asked.load(Ordering::Relaxed));
    assert_eq!(asked, [1, 0, 1, 0, 1]);
}

fn at(x: f64, y: f64, z: f64) -> Position {
    Position::from_metres(Point3::new(x, y, z))
}

/// Makes a box of a corner and its sides, in metres.
fn block(number: u32, corner: [f64; 3], sides: [f64; 3]) -> Shapes {
    let corner = Point3::from(corner);
    let corners = [corner, corner + Vector3::from(sides)];
    Shapes::from_boxes(ObjectId(number), Position::default(), &[corners])
}

fn floor() -> Shapes {
    block(1, [-50.0, -1.0, -50.0], [100.0, 1.0, 100.0])
}

/// Makes a square of two triangles, 3 m wide.
fn sheet(number: u32, corner: [f64; 3]) -> TriangleSoup {
    let mut sheet = TriangleSoup::new(ObjectId(number), Position::default());
    let point = |x: f64, z: f64| Point3::from(corner) + Vector3::new(x, 0.0, z);
    let (a, b, c, d) = (
        point(0.0, 0.0),
        point(0.0, 3.0),
        point(3.0, 3.0),
        point(3.0, 0.0),
    );
    for corners in [[a, b, c], [a, c, d]] {
        sheet.insert(corners, crate::Sides::Front).unwrap();
    }
    sheet
}

fn shifted(by: f64) -> SoupMotion {
    SoupMotion {
        shift: Vector3::new(by, 0.0, 0.0),
        ..SoupMotion::default()
    }
}

/// Characters asleep far from moving parts stay asleep, also when those parts stop; those near by
/// wake.
#[test]
fn only_sleepers_near_a_part_that_moves_wake() {
    let floor = floor();
    let mut lift = block(2, [10.0, 0.0, 0.0], [3.0, 0.5, 3.0]);
    let mut sheet = sheet(3, [-13.0, 2.0, 0.0]);
    let mut index = PartIndex::default();
    let mut crowd = Crowd::new();
    for x in [-30.0, 0.0, 30.0, 9.0] {
        crowd.add(Character::at(at(x, 0.91, 1.5)));
    }
    let mut woken = [0; 2];
    for tick in 0..240 {
        let by = [0.0, 0.002, 0.0, -0.002][tick / 60];
        lift.advance(Vector3::new(by, 0.0, 0.0));
        sheet.advance(&shifted(f64::from(by)));
        let parts: [&dyn Terrain; 3] = [&floor, &lift, &sheet];
        let report = crowd.tick(&index.over(&parts), &[], TICK);
        if tick >= 55 {
            assert!(report.stepped <= 1, "tick {tick}: {report:?}");
            woken[usize::from(by != 0.0)] += report.settled;
        }
    }
    // The character beside the lift, while that moves and just after it stops.
    assert_eq!(woken, [1, 120]);
}

#[test]
fn arriving_part_wakes_the_character_it_reaches() {
    let floor = floor();
    let mut ram = block(2, [20.0, 0.0, 0.0], [3.0, 2.0, 3.0]);
    let mut crowd = Crowd::new();
    let id = crowd.add(Character::at(at(0.0, 0.91, 1.5)));
    let mut slept = 0;
    for _ in 0..360 {
        ram.advance(Vector3::new(-0.06, 0.0, 0.0));
        let parts: [&dyn Terrain; 2] = [&floor, &ram];
        slept += 1 - crowd.tick(&Together::new(&parts), &[], TICK).stepped;
    }
    let x = crowd.position(id).unwrap().to_metres().x;
    // The side of the ram stops at -1.6 m.
    assert!((x + 2.01).abs() < 0.05, "{x}");
    assert!(slept > 200, "{slept}");
}

#[test]
fn rider_of_a_still_object_is_not_carried_by_a_namesake_far_away() {
    let floor = floor();
    let ship = block(7, [0.0, 0.0, 0.0], [3.0, 0.5, 3.0]);
    let mut raft = block(7, [200.0, 0.0, 0.0], [3.0, 0.5, 3.0]);
    for first in 0..2 {
        let mut crowd = Crowd::new();
        let ids = [1.5, 201.5].map(|x| crowd.add(Character::at(at(x, 1.41, 1.5))));
        let start = |of| crowd_x(&crowd, of);
        let before = ids.map(start);
        for _ in 0..60 {
            raft.advance(Vector3::new(0.01, 0.0, 0.0));
            let mut parts: [&dyn Terrain; 3] = [&floor, &ship, &raft];
            parts.swap(1, 1 + first);
            crowd.tick(&Together::new(&parts), &[], TICK);
        }
        let moved = [0, 1].map(|rider| crowd_x(&crowd, ids[rider]) - before[rider]);
        assert_eq!(moved[0], 0.0);
        assert!((moved[1] - 0.59).abs() < 0.02, "{moved:?}");
        raft.advance(Vector3::new(-0.6, 0.0, 0.0));
    }
}

fn crowd_x(crowd: &Crowd, id: crate::CharacterId) -> f64 {
    crowd.position(id).unwrap().to_metres().x
}

/// Returns the state hash after each tick of walkers among moving parts.
fn walked(
    parts_of: impl Fn(&mut [Shapes], &mut [TriangleSoup], &mut Crowd),
    ticks: u32,
) -> Vec<u64> {
    let mut lifts: Vec<Shapes> = (0..20)
        .map(|number| {
            let place = f64::from(number);
            block(10 + number, [place * 4.0 - 40.0, 0.0, 6.0], [2.0, 0.4, 2.0])
        })
        .collect();
    let mut sheets: Vec<TriangleSoup> = (0..20)
        .map(|number| sheet(40 + number, [f64::from(number) * 4.0 - 40.0, 0.3, 12.0]))
        .collect();
    let mut crowd = Crowd::new();
    for number in 0..60 {
        let (x, z) = (f64::from(number % 20), f64::from(number / 20));
        crowd.add(Character::at(at(x * 4.0 - 39.0, 1.6, z * 6.0 + 1.0)));
    }
    (0..ticks)
        .map(|tick| {
            let by = if (tick / 30).is_multiple_of(2) {
                0.02
            } else {
                -0.02
            };
            lifts
                .iter_mut()
                .for_each(|lift| lift.advance(Vector3::new(by, 0.0, 0.0)));
            sheets
                .iter_mut()
                .for_each(|sheet| sheet.advance(&shifted(f64::from(by))));
            parts_of(&mut lifts, &mut sheets, &mut crowd);
            crowd.state_hash()
        })
        .collect()
}

fn wishes(crowd: &Crowd) -> Vec<(crate::CharacterId, Intent)> {
    let ids = crowd.ids().enumerate();
    let wish = ids.map(|(index, id)| {
        let turn = (index * 5 % 8) as f32;
        (id, Intent::walk(Vector3::new(turn - 3.5, 0.0, 3.0 - turn)))
    });
    wish.collect()
}

/// A kept index, a new one, and any order of the parts give the same bits.
#[test]
fn order_of_parts_and_kept_indices_do_not_show() {
    let floor = floor();
    let tick = |order: usize, keep: bool| {
        let index = std::cell::RefCell::new(PartIndex::default());
        walked(
            |lifts, sheets, crowd| {
                let mut parts: Vec<&dyn Terrain> = vec![&floor];
                parts.extend(lifts.iter().map(|lift| lift as &dyn Terrain));
                parts.extend(sheets.iter().map(|sheet| sheet as &dyn Terrain));
                match order {
                    0 => {}
                    1 => parts[1..].reverse(),
                    _ => parts[1..].sort_by_key(|part| part.revision()),
                }
                let wishes = wishes(crowd);
                if keep {
                    let mut index = index.borrow_mut();
                    crowd.tick(&index.over(&parts), &wishes, TICK);
                } else {
                    crowd.tick(&Together::new(&parts), &wishes, TICK);
                }
            },
            120,
        )
    };
    let right = tick(0, false);
    for (order, keep) in [(0, true), (1, true), (2, false)] {
        assert_eq!(tick(order, keep), right, "order {order}, kept {keep}");
    }
}
