//! Mountain and inland lakes above sea level.
//!
//! The ground is divided into large cells; a cell holds at most one lake, far enough from its
//! border that a point needs only the lake of its own cell. A lake needs a nearly level rim; its
//! level is the lowest point of the rim.

use super::fields::{Fields, lerp, mix_cell, octaves, share, smooth};
use super::shape::{Climate, SEA_LEVEL};

/// Side of a lake cell, in metres.
const LAKE_CELL: i32 = 384;
/// Radius up to which the rim is levelled, as a multiple of the lake's radius.
const RIM: f64 = 1.7;
/// Squared distance, in radii, from which on the land is unchanged.
const SHORE: f64 = RIM * RIM * 1.7;
/// Largest height difference along the rim of a lake, in metres.
const STEEPEST_RIM: f64 = 17.0;

/// A round body of water above sea level.
#[derive(Clone, Copy)]
pub(crate) struct Lake {
    x: f64,
    z: f64,
    radius: f64,
    depth: f64,
    /// Voxels below this height hold water.
    level: i32,
}

/// The land as changed by a lake.
pub(crate) struct Shore {
    pub(crate) height: f64,
    /// Water level at this point.
    pub(crate) water: i32,
}

impl Lake {
    /// Returns the cell that a point belongs to.
    pub(crate) fn cell(x: f64, z: f64) -> [i32; 2] {
        let side = f64::from(LAKE_CELL);
        [(x / side).floor() as i32, (z / side).floor() as i32]
    }

    /// Returns the lake of a cell, if it has one whose shores may reach the area between two
    /// corners.
    pub(crate) fn in_cell(
        fields: &Fields,
        seed: u64,
        cell: [i32; 2],
        near: [[f64; 2]; 2],
    ) -> Option<Self> {
        let bits = mix_cell(seed ^ 0x1a4e, cell[0], cell[1]);
        if share(bits, 0) < 0.3 {
            return None;
        }
        let radius = 16.0 + 40.0 * share(bits, 1);
        let side = f64::from(LAKE_CELL);
        let place = |corner: i32, share: f64| {
            let reach = radius * RIM * 1.3;
            f64::from(corner) * side + reach + share * (side - 2.0 * reach)
        };
        let (x, z) = (
            place(cell[0], share(bits, 2)),
            place(cell[1], share(bits, 3)),
        );
        // Sampling the rim is expensive, and most columns are far from any lake.
        let off = |at: f64, axis: usize| at - at.clamp(near[0][axis], near[1][axis]);
        let (along, across) = (off(x, 0) / radius, off(z, 1) / radius);
        if along * along + across * across > SHORE * 1.01 {
            return None;
        }
        let (mut lowest, mut highest) = (f64::MAX, f64::MIN);
        for (along, across) in RIM_POINTS {
            let (x, z) = (x + along * radius * 1.2, z + across * radius * 1.2);
            let height = Climate::sample(fields, x, z).height(fields, x, z);
            lowest = lowest.min(height);
            highest = highest.max(height);
        }
        let level = lowest.floor() as i32 - 1;
        let usable = level > SEA_LEVEL + 4 && highest - lowest < STEEPEST_RIM;
        usable.then_some(Self {
            x,
            z,
            radius,
            depth: 4.0 + radius * 0.14,
            level,
        })
    }

    /// Returns the change of the land at a point; `None` out of the lake's reach.
    pub(crate) fn shore(&self, fields: &Fields, x: f64, z: f64, height: f64) -> Option<Shore> {
        let (along, across) = ((x - self.x) / self.radius, (z - self.z) / self.radius);
        let square = along * along + across * across;
        if square > SHORE {
            return None;
        }
        let bays = 1.0 + 0.22 * octaves(&fields.hills, x, z, 37.0, 2);
        let distance = square.sqrt() * bays;
        let level = f64::from(self.level);
        if distance < 1.0 {
            let floor = level + 0.8 - (self.depth + 0.8) * (1.0 - distance * distance);
            return Some(Shore {
                height: floor,
                water: self.level,
            });
        }
        if distance >= RIM {
            return None;
        }
        let bank = lerp(
            level + 0.8,
            height.max(level + 0.8),
            smooth(1.0, RIM, distance),
        );
        // The outer bank may fall below the lake's level, but not within a few metres of the water.
        let dam = level + 0.8 - 14.0 * (distance - 1.25).max(0.0);
        Some(Shore {
            height: if height > level {
                bank
            } else {
                height.max(dam)
            },
            water: SEA_LEVEL,
        })
    }
}

/// Points at which the rim is sampled, in radii.
const RIM_POINTS: [(f64, f64); 9] = [
    (0.0, 0.0),
    (1.0, 0.0),
    (-1.0, 0.0),
    (0.0, 1.0),
    (0.0, -1.0),
    (0.7, 0.7),
    (-0.7, 0.7),
    (0.7, -0.7),
    (-0.7, -0.7),
];
