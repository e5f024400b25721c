//! Triangles of all shapes, down to wires and points: alone, and as the only one of a soup.

use nalgebra::{Point3, Rotation3, Unit};

use super::oracle::{closest_time, distance_to_triangle, wide};
use super::*;
use crate::candidates;
use crate::mover::{Body, Radii, Scratch};
use crate::position::Position;
use crate::query::sweep_ellipsoid_in;
use crate::soup::TriangleSoup;
use crate::terrain::ObjectId;

const RADIUS: f32 = 0.4;
/// Largest gap at which a ball may stop before a contact, and largest depth at which it may pass,
/// in metres.
const TOLERANCE: f64 = 1e-4;
/// Heights of triangles as shares of their longest sides. With 0 they are lines.
const SHARES: [f32; 12] = [
    1.0, 0.1, 0.04, 1e-2, 1e-3, 1e-4, 3e-5, 1.1e-5, 0.9e-5, 1e-6, 1e-7, 0.0,
];

/// Returns a triangle of a height, turned at random, near the origin.
fn triangle(dice: &mut Dice, share: f32) -> [Vector3<f32>; 3] {
    let length = dice.within(0.2, 6.0);
    let apex = [0.0, 1.0, dice.within(0.0, 1.0)][dice.next() as usize % 3];
    let axis = Unit::new_normalize(dice.vector(1.0));
    let turn = Rotation3::from_axis_angle(&axis, dice.within(0.0, 6.0));
    let middle = dice.vector(1.0);
    [(0.0, 0.0), (1.0, 0.0), (apex, share)]
        .map(|(along, up)| turn * v((along - 0.5) * length, up * length, 0.0) + middle)
}

/// Returns a place on a triangle, beside it, or straight on from one of its corners.
fn target(dice: &mut Dice, [a, b, c]: &[Vector3<f32>; 3]) -> Vector3<f32> {
    let corners = [[a, b, c], [b, c, a], [c, a, b]][dice.next() as usize % 3];
    let [from, over, beside] = corners;
    match dice.next() % 3 {
        0 => {
            let away = (from - over).try_normalize(0.0).unwrap_or(Vector3::x());
            from + away * dice.within(0.0, 1.2)
        }
        1 => from + (over - from) * dice.within(0.0, 1.0),
        _ => (from + over + beside) / 3.0 + dice.vector(0.6),
    }
}

struct Case {
    corners: [Vector3<f32>; 3],
    start: Vector3<f32>,
    motion: Vector3<f32>,
}

impl Case {
    fn new(dice: &mut Dice, share: f32) -> Self {
        let corners = triangle(dice, share);
        let target = target(dice, &corners);
        let way = Unit::new_normalize(dice.vector(1.0)).into_inner() * dice.within(0.6, 2.0);
        Self {
            corners,
            start: target - way,
            motion: way * dice.within(0.5, 2.0),
        }
    }

    /// Returns the gap between ball and triangle at a time.
    fn gap(&self, time: f64) -> f64 {
        let at = wide(&self.start) + wide(&self.motion) * time;
        distance_to_triangle(&at, &self.corners.map(|corner| wide(&corner))) - f64::from(RADIUS)
    }

    fn alone(&self) -> Option<f64> {
        let sides = Sides::Both;
        let corners = self.corners;
        let triangle = Triangle { corners, sides };
        let hit = sweep_sphere_triangle(&ball(self.start, RADIUS), &self.motion, &triangle);
        hit.map(|hit| f64::from(hit.time))
    }

    fn in_a_soup(&self, scratch: &mut Scratch) -> Option<f64> {
        let mut soup = TriangleSoup::new(ObjectId(1), Position::default());
        let corners = self.corners.map(|corner| Point3::from(wide(&corner)));
        soup.insert(corners, candidates::Sides::Both).unwrap();
        let body = Body {
            position: Position::from_metres(Point3::from(wide(&self.start))),
            radii: Radii::new(RADIUS, RADIUS),
            up: Vector3::y(),
        };
        let hit = sweep_ellipsoid_in(scratch, &soup, &body, &self.motion);
        hit.map(|hit| f64::from(hit.time))
    }
}

#[test]
fn needle_stops_where_it_is_touched_alone_and_in_a_soup() {
    let (mut dice, mut scratch) = (Dice::new(17), Scratch::default());
    for share in SHARES {
        let (mut hits, mut passes) = (0, 0);
        for round in 0..4_000 {
            let case = Case::new(&mut dice, share);
            if case.gap(0.0) < 0.01 {
                continue;
            }
            let nearest = closest_time(|time| case.gap(time));
            let deepest = -case.gap(nearest);
            let both = [case.alone(), case.in_a_soup(&mut scratch)];
            for (time, of) in both.into_iter().zip(["alone", "in a soup"]) {
                let told = || format!("{of}, share {share}, round {round}: {:?}", case.corners);
                match time {
                    None => assert!(deepest <= TOLERANCE, "{deepest} deep, {}", told()),
                    Some(time) => {
                        let gap = case.gap(time);
                        assert!(gap.abs() <= TOLERANCE, "{gap} before, {}", told());
                        assert!(time <= nearest + 1e-3, "late, {}", told());
                    }
                }
            }
            hits += u32::from(both[0].is_some());
            passes += u32::from(both[0].is_none());
        }
        assert!(hits > 300 && passes > 300, "{share}: {hits}, {passes}");
    }
}
