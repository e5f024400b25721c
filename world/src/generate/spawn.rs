//! Finds a place to start: dry, level ground near water, with high land in view.

use super::Generator;
use super::shape::{Climate, SEA_LEVEL};
use crate::land::Spawn;

/// Radius of the search, in steps of `STEP` metres.
const RINGS: i32 = 28;
const STEP: i32 = 56;

const COMPASS: [[f64; 2]; 8] = {
    const DIAGONAL: f64 = std::f64::consts::FRAC_1_SQRT_2;
    [
        [1.0, 0.0],
        [DIAGONAL, DIAGONAL],
        [0.0, 1.0],
        [-DIAGONAL, DIAGONAL],
        [-1.0, 0.0],
        [-DIAGONAL, -DIAGONAL],
        [0.0, -1.0],
        [DIAGONAL, -DIAGONAL],
    ]
};

struct Candidate {
    score: f64,
    x: i32,
    z: i32,
    towards: [f64; 2],
}

/// Returns the best place near the origin.
pub(super) fn find(generator: &Generator) -> Spawn {
    let mut best = Candidate {
        score: f64::MIN,
        x: 0,
        z: 0,
        towards: COMPASS[0],
    };
    for ring in 0..RINGS {
        for along in -ring..=ring {
            for (x, z) in [(along, -ring), (along, ring), (-ring, along), (ring, along)] {
                let candidate = judge(generator, x * STEP, z * STEP);
                if candidate.score > best.score {
                    best = candidate;
                }
            }
        }
        // Good enough: stop searching farther from the origin.
        if best.score > 2.6 {
            break;
        }
    }
    settle(generator, &best)
}

fn land(generator: &Generator, x: f64, z: f64) -> f64 {
    Climate::sample(&generator.fields, x, z).height(&generator.fields, x, z)
}

fn judge(generator: &Generator, x: i32, z: i32) -> Candidate {
    let (at_x, at_z) = (f64::from(x), f64::from(z));
    let climate = Climate::sample(&generator.fields, at_x, at_z);
    let height = climate.height(&generator.fields, at_x, at_z);
    let mut candidate = Candidate {
        score: f64::MIN,
        x,
        z,
        towards: COMPASS[0],
    };
    let above = height - f64::from(SEA_LEVEL);
    if !(4.0..45.0).contains(&above) {
        return Candidate {
            score: if above > 2.0 {
                -50.0 - above
            } else {
                -500.0 + above
            },
            ..candidate
        };
    }
    let (mut highest, mut wet) = (f64::MIN, 0.0);
    let mut unlevel: f64 = 0.0;
    for direction in COMPASS {
        let look = |distance: f64| {
            land(
                generator,
                at_x + direction[0] * distance,
                at_z + direction[1] * distance,
            )
        };
        unlevel = unlevel.max((look(6.0) - height).abs());
        let (near, far) = (look(110.0), look(280.0));
        wet += f64::from(u8::from(near < -1.0)) * 0.5 + f64::from(u8::from(far < -1.0)) * 0.25;
        // High land nearby hides the land behind it.
        let rise = far - near.max(height) * 1.2;
        if rise > highest {
            highest = rise;
            candidate.towards = direction;
        }
    }
    let mild = 1.0 - (climate.warmth - 0.05).abs();
    candidate.score = (highest / 60.0).clamp(0.0, 1.4) + f64::min(wet, 1.5) + mild - unlevel / 3.0;
    candidate
}

/// Returns the exact cell: on the ground, clear of caves, crags and trees.
fn settle(generator: &Generator, candidate: &Candidate) -> Spawn {
    let side = crate::chunk::SIDE as i32;
    let column = generator.column(candidate.x.div_euclid(side), candidate.z.div_euclid(side));
    let mut best = (i32::MAX, [0, 0, 0]);
    for z in 0..side {
        for x in 0..side {
            let ground = column.lattice.between(x, z);
            let near_tree = column.trees.iter().any(|tree| tree.is_near(x, z));
            let dry = ground.height > f64::from(ground.water) + 1.0;
            let unfit = i32::from(near_tree)
                + i32::from(ground.crag > 0.0) * 4
                + i32::from(!dry) * 8
                + i32::from(ground.mouths > -0.03) * 2;
            if unfit < best.0 {
                best = (
                    unfit,
                    [
                        column.lattice.origin[0] + x,
                        ground.top() + 1,
                        column.lattice.origin[1] + z,
                    ],
                );
            }
        }
    }
    Spawn {
        cell: best.1,
        towards: candidate.towards,
    }
}
