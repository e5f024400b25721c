//! The report of a sweep, and the order of two reports.

use std::cmp::Ordering;

use nalgebra::Vector3;

/// The part of a shape that was touched, with its index in that shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// A face. Boxes count `-x, +x, -y, +y, -z, +z`; single faces and round shapes are 0.
    Face(u8),
    /// An edge. Edge `i` of a triangle or quad runs from corner `i` to the next one.
    Edge(u8),
    /// A corner.
    Corner(u8),
}

/// The first contact of a moving shape with a resting one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepHit {
    /// Share of the motion up to the contact, `0..=1`; 0 for an overlap at the start.
    pub time: f32,
    /// The point of contact, on the resting shape.
    pub point: Vector3<f32>,
    /// Unit normal of the contact, from the resting shape toward the mover, in unsquashed space.
    pub normal: Vector3<f32>,
    /// The touched part of the resting shape.
    pub feature: Feature,
}

impl SweepHit {
    /// Orders hits of one motion: earlier, then more opposed to the motion, then by normal and
    /// feature.
    ///
    /// The order does not depend on the order in which shapes were tested.
    pub fn compare(&self, other: &Self, motion: &Vector3<f32>) -> Ordering {
        let key = |hit: &Self| {
            let normal = hit.normal;
            [hit.time, normal.dot(motion), normal.x, normal.y, normal.z]
        };
        let (mine, theirs) = (key(self), key(other));
        mine.iter()
            .zip(&theirs)
            .map(|(a, b)| a.total_cmp(b))
            .find(|order| order.is_ne())
            .unwrap_or_else(|| self.feature.cmp(&other.feature))
    }
}

/// Returns the earlier of two hits, in whichever order they are given.
pub fn earliest(
    a: Option<SweepHit>,
    b: Option<SweepHit>,
    motion: &Vector3<f32>,
) -> Option<SweepHit> {
    match (a, b) {
        (Some(first), Some(second)) if second.compare(&first, motion).is_lt() => Some(second),
        (None, second) => second,
        (first, _) => first,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(time: f32, normal: Vector3<f32>, feature: Feature) -> Option<SweepHit> {
        Some(SweepHit {
            time,
            point: Vector3::zeros(),
            normal,
            feature,
        })
    }

    #[test]
    fn earliest_ignores_the_order_of_its_arguments() {
        let motion = Vector3::new(1.0, -2.0, 0.0);
        let hits = [
            None,
            hit(0.25, Vector3::y(), Feature::Face(0)),
            hit(0.25, Vector3::y(), Feature::Edge(2)),
            hit(0.25, -Vector3::x(), Feature::Face(0)),
            hit(0.5, Vector3::y(), Feature::Corner(1)),
        ];
        for a in hits {
            for b in hits {
                assert_eq!(earliest(a, b, &motion), earliest(b, a, &motion));
            }
        }
    }

    #[test]
    fn at_equal_times_the_more_opposed_normal_wins() {
        let motion = Vector3::new(1.0, -2.0, 0.0);
        let floor = hit(0.25, Vector3::y(), Feature::Face(0));
        let wall = hit(0.25, -Vector3::x(), Feature::Face(0));
        assert_eq!(earliest(wall, floor, &motion), floor);
    }
}
