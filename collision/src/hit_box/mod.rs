//! Hit boxes for melee, tested in two parts: on the ground plane a hit box is a box or a circle, in
//! height an interval. Nothing is rotated.
//!
//! Two boxes compare intervals, two circles distances. A box and a circle compare by the region
//! around the box that holds the circle's center, of nine: inside always hits, beside compares one
//! axis, at a corner compares the distance from the corner. Touching is a hit.
//!
//! A size below zero or NaN hits nothing.
//!
//! `strike` finds the characters near an attack in the crowd's paged grid; `attack` lasts for
//! several ticks, may move like a missile, and hits each character once.

mod attack;
mod strike;

pub use attack::Attack;
pub use strike::{Body, Strike, StrikeHit};

/// The outline on the ground plane (x and z), in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Footprint {
    /// A rectangle along x and z.
    Box {
        /// Least x and z.
        min: [f32; 2],
        /// Greatest x and z.
        max: [f32; 2],
    },
    /// All points within a radius.
    Circle {
        /// Middle x and z.
        center: [f32; 2],
        /// Radius, not negative.
        radius: f32,
    },
}

/// A footprint over an interval of height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HitBox {
    /// The outline on the ground.
    pub footprint: Footprint,
    /// Least height, metres.
    pub low: f32,
    /// Greatest height, metres.
    pub high: f32,
}

/// The region around a box in which the center of a circle lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// In the box, its rim included.
    Inside,
    /// Beside one side: only this axis (0 for x, 1 for z) separates them.
    Side(usize),
    /// Off a corner: both axes separate them.
    Corner,
}

impl Footprint {
    /// Returns the least and greatest x and z.
    pub fn extent(&self) -> ([f32; 2], [f32; 2]) {
        match *self {
            Self::Box { min, max } => (min, max),
            Self::Circle {
                center: [x, z],
                radius,
            } => ([x - radius, z - radius], [x + radius, z + radius]),
        }
    }

    /// Returns whether its sizes are at least zero and not NaN, so that it holds a point.
    fn is_full(&self) -> bool {
        match *self {
            Self::Box { min, max } => (0..2).all(|axis| min[axis] <= max[axis]),
            Self::Circle { center, radius } => {
                radius >= 0.0 && !center[0].is_nan() && !center[1].is_nan()
            }
        }
    }

    /// Returns the footprint moved by x and z.
    pub fn translated(&self, by: [f32; 2]) -> Self {
        let add = |a: [f32; 2]| [a[0] + by[0], a[1] + by[1]];
        match *self {
            Self::Box { min, max } => Self::Box {
                min: add(min),
                max: add(max),
            },
            Self::Circle { center, radius } => Self::Circle {
                center: add(center),
                radius,
            },
        }
    }
}

impl HitBox {
    /// Makes a box of these half-lengths about a point: `half` along x, height and z.
    pub fn of_box(center: [f32; 3], half: [f32; 3]) -> Self {
        Self {
            footprint: Footprint::Box {
                min: [center[0] - half[0], center[2] - half[2]],
                max: [center[0] + half[0], center[2] + half[2]],
            },
            low: center[1] - half[1],
            high: center[1] + half[1],
        }
    }

    /// Returns the hit box moved by x, height and z.
    pub fn translated(&self, by: [f32; 3]) -> Self {
        let footprint = self.footprint.translated([by[0], by[2]]);
        Self {
            footprint,
            low: self.low + by[1],
            high: self.high + by[1],
        }
    }

    /// Makes a round hit box about a point, reaching `half_height` up and down.
    pub fn of_circle(center: [f32; 3], radius: f32, half_height: f32) -> Self {
        Self {
            footprint: Footprint::Circle {
                center: [center[0], center[2]],
                radius,
            },
            low: center[1] - half_height,
            high: center[1] + half_height,
        }
    }
}

/// Returns whether two hit boxes hit each other.
///
/// ```
/// use collision::hit_box::{HitBox, overlap_hit_boxes};
///
/// let swing = HitBox::of_box([1.0, 1.0, 0.0], [0.8, 0.5, 0.6]);
/// let body = HitBox::of_circle([2.0, 0.9, 0.5], 0.4, 0.9);
/// let bird = HitBox::of_circle([2.0, 4.0, 0.5], 0.4, 0.3);
/// assert!(overlap_hit_boxes(&swing, &body));
/// assert!(!overlap_hit_boxes(&swing, &bird));
/// ```
#[inline]
pub fn overlap_hit_boxes(a: &HitBox, b: &HitBox) -> bool {
    let full = |one: &HitBox| one.low <= one.high;
    full(a)
        && full(b)
        && a.low <= b.high
        && b.low <= a.high
        && overlap_footprints(&a.footprint, &b.footprint)
}

/// Returns whether two footprints overlap or touch.
#[inline]
pub fn overlap_footprints(a: &Footprint, b: &Footprint) -> bool {
    use Footprint::{Box, Circle};
    if !(a.is_full() && b.is_full()) {
        return false;
    }
    match (*a, *b) {
        (
            Box { min, max },
            Box {
                min: other_min,
                max: other_max,
            },
        ) => overlap_boxes(min, max, other_min, other_max),
        (
            Circle { center, radius },
            Circle {
                center: other,
                radius: other_radius,
            },
        ) => overlap_circles(center, radius, other, other_radius),
        (Box { min, max }, Circle { center, radius })
        | (Circle { center, radius }, Box { min, max }) => {
            overlap_box_circle(min, max, center, radius)
        }
    }
}

fn overlap_boxes(min: [f32; 2], max: [f32; 2], other_min: [f32; 2], other_max: [f32; 2]) -> bool {
    (0..2).all(|axis| min[axis] <= other_max[axis] && other_min[axis] <= max[axis])
}

fn overlap_circles(center: [f32; 2], radius: f32, other: [f32; 2], other_radius: f32) -> bool {
    let (x, z) = (center[0] - other[0], center[1] - other[1]);
    let reach = radius + other_radius;
    x * x + z * z <= reach * reach
}

fn overlap_box_circle(min: [f32; 2], max: [f32; 2], center: [f32; 2], radius: f32) -> bool {
    let apart = distances(min, max, center);
    match region_of(apart) {
        Region::Inside => true,
        Region::Side(axis) => apart[axis] <= radius,
        Region::Corner => apart[0] * apart[0] + apart[1] * apart[1] <= radius * radius,
    }
}

/// Returns the one of the nine regions around a box in which a point lies.
pub fn region_around_box(min: [f32; 2], max: [f32; 2], point: [f32; 2]) -> Region {
    region_of(distances(min, max, point))
}

/// Returns the distance of a point beyond a box along each axis; 0 or less within. NaN stays NaN,
/// so that it hits nothing.
fn distances(min: [f32; 2], max: [f32; 2], point: [f32; 2]) -> [f32; 2] {
    std::array::from_fn(|axis| {
        let (below, above) = (min[axis] - point[axis], point[axis] - max[axis]);
        if below > above { below } else { above }
    })
}

fn region_of(apart: [f32; 2]) -> Region {
    match apart.map(|distance| distance <= 0.0) {
        [true, true] => Region::Inside,
        [false, true] => Region::Side(0),
        [true, false] => Region::Side(1),
        [false, false] => Region::Corner,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: Footprint = Footprint::Box {
        min: [-1.0, -1.0],
        max: [1.0, 1.0],
    };

    fn circle(x: f32, z: f32, radius: f32) -> Footprint {
        Footprint::Circle {
            center: [x, z],
            radius,
        }
    }

    #[test]
    fn all_nine_regions_are_told_apart() {
        for (x, z, expected) in [
            (0.0, 0.0, Region::Inside),
            (-2.0, 0.5, Region::Side(0)),
            (2.0, -0.5, Region::Side(0)),
            (0.5, -2.0, Region::Side(1)),
            (-0.5, 2.0, Region::Side(1)),
            (-2.0, -2.0, Region::Corner),
            (2.0, -2.0, Region::Corner),
            (-2.0, 2.0, Region::Corner),
            (2.0, 2.0, Region::Corner),
        ] {
            assert_eq!(
                region_around_box([-1.0; 2], [1.0; 2], [x, z]),
                expected,
                "{x} {z}"
            );
        }
    }

    #[test]
    fn circle_beside_a_box_compares_one_axis() {
        for (x, z) in [(1.5, 0.9), (-1.5, -0.9), (0.9, 1.5), (-0.9, -1.5)] {
            assert!(overlap_footprints(&UNIT, &circle(x, z, 0.5)));
            assert!(!overlap_footprints(&circle(x, z, 0.49), &UNIT));
        }
    }

    #[test]
    fn circle_off_a_corner_compares_the_corner() {
        for (x, z) in [(1.3, 1.4), (-1.3, 1.4), (1.3, -1.4), (-1.3, -1.4)] {
            assert!(overlap_footprints(&UNIT, &circle(x, z, 0.501)));
            assert!(!overlap_footprints(&UNIT, &circle(x, z, 0.499)));
        }
    }

    #[test]
    fn circles_and_boxes_touch() {
        assert!(overlap_footprints(
            &circle(0.0, 0.0, 1.0),
            &circle(1.5, 2.0, 1.5)
        ));
        assert!(!overlap_footprints(
            &circle(0.0, 0.0, 1.0),
            &circle(1.5, 2.0, 1.49)
        ));
        let beside = Footprint::Box {
            min: [1.0, 0.0],
            max: [2.0, 1.0],
        };
        assert!(overlap_footprints(&UNIT, &beside));
        assert!(!overlap_footprints(&UNIT, &beside.translated([0.01, 0.0])));
        assert!(!overlap_footprints(&UNIT, &beside.translated([0.0, 1.01])));
    }

    #[test]
    fn height_decides_apart_from_the_ground() {
        let at = |height: f32| HitBox::of_circle([0.0, height, 0.0], 1.0, 0.5);
        assert!(overlap_hit_boxes(&at(0.0), &at(1.0)));
        assert!(!overlap_hit_boxes(&at(0.0), &at(1.01)));
        assert!(!overlap_hit_boxes(&at(0.0), &at(-1.01)));
    }

    #[test]
    fn not_a_number_hits_nothing() {
        for footprint in [UNIT, circle(0.0, 0.0, 1.0)] {
            assert!(!overlap_footprints(&footprint, &circle(f32::NAN, 0.0, 1.0)));
            assert!(!overlap_footprints(
                &footprint,
                &circle(0.0, 0.0, f32::NAN).translated([9.0, 0.0])
            ));
        }
    }

    #[test]
    fn sizes_below_zero_hit_nothing() {
        let whole = HitBox::of_box([0.0; 3], [9.0; 3]);
        for bad in [-0.1, -3.0, f32::NAN] {
            let hit_boxes = [
                HitBox::of_box([0.0; 3], [bad, 1.0, 1.0]),
                HitBox::of_box([0.0; 3], [1.0, bad, 1.0]),
                HitBox::of_box([0.0; 3], [1.0, 1.0, bad]),
                HitBox::of_circle([0.0; 3], bad, 1.0),
                HitBox::of_circle([0.0; 3], 1.0, bad),
            ];
            for hit_box in &hit_boxes {
                assert!(!overlap_hit_boxes(hit_box, &whole), "{hit_box:?}");
                assert!(!overlap_hit_boxes(&whole, hit_box), "{hit_box:?}");
                assert!(!overlap_hit_boxes(hit_box, hit_box), "{hit_box:?}");
            }
            // A large circle does not make up for one of negative size.
            assert!(!overlap_footprints(
                &circle(0.0, 0.0, 9.0),
                &circle(0.0, 0.0, bad)
            ));
        }
        let point = HitBox::of_box([0.5; 3], [0.0; 3]);
        assert!(overlap_hit_boxes(&point, &whole) && overlap_hit_boxes(&point, &point));
    }

    /// Returns whether a circle meets a rectangle, by the nine regions of its description: centre,
    /// sides, corners.
    fn hits_by_regions(min: [f64; 2], max: [f64; 2], center: [f64; 2], radius: f64) -> bool {
        let [x, z] = center;
        let corner = |cx: f64, cz: f64| ((x - cx).powi(2) + (z - cz).powi(2)).sqrt() <= radius;
        if x < min[0] {
            if z < min[1] {
                corner(min[0], min[1])
            } else if z > max[1] {
                corner(min[0], max[1])
            } else {
                min[0] - x <= radius
            }
        } else if x > max[0] {
            if z < min[1] {
                corner(max[0], min[1])
            } else if z > max[1] {
                corner(max[0], max[1])
            } else {
                x - max[0] <= radius
            }
        } else if z < min[1] {
            min[1] - z <= radius
        } else if z > max[1] {
            z - max[1] <= radius
        } else {
            true
        }
    }

    #[test]
    fn every_pair_equals_its_description() {
        let mut state = 7_u32;
        // Eighths, so that touching occurs and is exact.
        let mut eighths = |count: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 8) % count) as f32 / 8.0
        };
        let (mut hits, mut pairs) = ([0; 3], [0; 3]);
        for _ in 0..20_000 {
            let mut any = || {
                let center = [eighths(40), eighths(40)];
                match eighths(16) {
                    half if half < 1.0 => {
                        let half = [eighths(10), eighths(10)];
                        Footprint::Box {
                            min: [center[0] - half[0], center[1] - half[1]],
                            max: [center[0] + half[0], center[1] + half[1]],
                        }
                    }
                    _ => Footprint::Circle {
                        center,
                        radius: eighths(12),
                    },
                }
            };
            let (a, b) = (any(), any());
            let wide = |pair: [f32; 2]| pair.map(f64::from);
            let (kind, expected) = match (a, b) {
                (
                    Footprint::Box { min, max },
                    Footprint::Box {
                        min: low,
                        max: high,
                    },
                ) => {
                    let apart =
                        max[0] < low[0] || high[0] < min[0] || max[1] < low[1] || high[1] < min[1];
                    (0, !apart)
                }
                (
                    Footprint::Circle { center, radius },
                    Footprint::Circle {
                        center: other,
                        radius: wider,
                    },
                ) => {
                    let [x, z] = wide([center[0] - other[0], center[1] - other[1]]);
                    (1, x.hypot(z) <= f64::from(radius) + f64::from(wider))
                }
                (Footprint::Box { min, max }, Footprint::Circle { center, radius })
                | (Footprint::Circle { center, radius }, Footprint::Box { min, max }) => {
                    let (min, max, center) = (wide(min), wide(max), wide(center));
                    (2, hits_by_regions(min, max, center, f64::from(radius)))
                }
            };
            assert_eq!(overlap_footprints(&a, &b), expected, "{a:?} and {b:?}");
            assert_eq!(overlap_footprints(&b, &a), expected, "{b:?} and {a:?}");
            pairs[kind] += 1;
            hits[kind] += usize::from(expected);
        }
        for (hits, pairs) in hits.into_iter().zip(pairs) {
            assert!(hits > 500 && pairs - hits > 500, "{hits} of {pairs}");
        }
    }

    #[test]
    fn box_and_circle_agree_with_sampling() {
        // A fine ring of points around each circle, tested one by one.
        for step in 0..2_000 {
            let at = |n: u32| ((step * n) % 997) as f32 / 997.0 * 4.0 - 2.0;
            let (x, z, radius) = (at(131), at(577), (at(311) + 2.0) * 0.3);
            let reached = (0..720).any(|angle| {
                let (sine, cosine) = (angle as f32 * 0.5).to_radians().sin_cos();
                (0..=20).any(|ring| {
                    let r = radius * ring as f32 / 20.0;
                    (x + r * cosine).abs() <= 1.0 && (z + r * sine).abs() <= 1.0
                })
            });
            let said = overlap_footprints(&UNIT, &circle(x, z, radius));
            assert!(said || !reached, "missed {x} {z} {radius}");
            assert!(
                reached || !overlap_footprints(&UNIT, &circle(x, z, radius * 0.999 - 1e-3)),
                "{x} {z} {radius}"
            );
        }
    }
}
