//! Three-dimensional noise in the land: crags that push cliffs in and out, tunnels and caverns.
//!
//! Fields are sampled on lattices aligned to the world and interpolated linearly. Lattice cells in
//! which nothing can change are skipped without visiting their voxels.

use super::column::Column;
use super::fields::{Fields, smooth};
use super::perlin::{Along, Perlin};
use crate::chunk::SIDE;

/// Distance between crag samples, in metres.
const CRAG_STEP: usize = 4;
const CRAG_POINTS: usize = SIDE / CRAG_STEP + 1;
/// Height above a chunk to which crags are sampled, for the depth below open air, in metres.
pub(crate) const OVERHEAD: usize = 4;
const CRAG_LAYERS: usize = (SIDE + OVERHEAD) / CRAG_STEP + 1;

/// Distance between cave samples, in metres.
const CAVE_STEP: usize = 8;
const CAVE_POINTS: usize = SIDE / CAVE_STEP + 1;
/// Caves end above this height.
pub(crate) const CAVE_FLOOR: i32 = -124;

/// Wavelength of a field, horizontal and vertical, in metres.
struct Grain {
    across: f64,
    up: f64,
}

const CRAG_GRAIN: Grain = Grain {
    across: 26.0,
    up: 19.0,
};
const TUNNEL_GRAIN: Grain = Grain {
    across: 74.0,
    up: 46.0,
};
const CAVERN_GRAIN: Grain = Grain {
    across: 96.0,
    up: 44.0,
};

/// Noise coordinates of lattice points by axis, offset so that no noise lattice coincides with
/// ours.
struct Axes<const ACROSS: usize, const UP: usize> {
    x: [Along; ACROSS],
    y: [Along; UP],
    z: [Along; ACROSS],
}

impl<const ACROSS: usize, const UP: usize> Axes<ACROSS, UP> {
    /// Makes the axes of a lattice with this spacing in metres, from the bottom of a chunk.
    fn new(grain: &Grain, step: usize, column: &Column, bottom: i32) -> Self {
        let at = |origin: i32, index: usize| f64::from(origin) + (index * step) as f64;
        let [x, z] = column.lattice.origin;
        Self {
            x: std::array::from_fn(|index| Along::of(at(x, index) / grain.across + 0.37)),
            y: std::array::from_fn(|index| Along::of(at(bottom, index) / grain.up + 0.21)),
            z: std::array::from_fn(|index| Along::of(at(z, index) / grain.across + 0.73)),
        }
    }

    /// Samples a field at a lattice point.
    fn sample(&self, noise: &Perlin, [x, y, z]: [usize; 3]) -> f32 {
        noise.solid(&self.x[x], &self.y[y], &self.z[z]) as f32
    }
}

/// Displacement of the surface by crags at the lattice points of a chunk, in metres.
pub(crate) struct Crags {
    push: [f32; CRAG_POINTS * CRAG_POINTS * CRAG_LAYERS],
    /// Largest displacement, in metres.
    reach: f32,
}

impl Crags {
    pub(crate) fn new(fields: &Fields, column: &Column, bottom: i32) -> Self {
        let mut crags = Self {
            push: [0.0; CRAG_POINTS * CRAG_POINTS * CRAG_LAYERS],
            reach: 0.0,
        };
        let axes: Axes<CRAG_POINTS, CRAG_LAYERS> =
            Axes::new(&CRAG_GRAIN, CRAG_STEP, column, bottom);
        for row in 0..CRAG_POINTS {
            for along in 0..CRAG_POINTS {
                let [x, z] = [along, row].map(|index| (index * CRAG_STEP) as i32);
                let point = column.lattice.point(x, z);
                if point.crag <= 0.0 {
                    continue;
                }
                for layer in 0..CRAG_LAYERS {
                    let y = f64::from(bottom) + (layer * CRAG_STEP) as f64;
                    // Too far from the surface for crags to matter.
                    if (y - point.height).abs() > point.crag + 2.0 * CRAG_STEP as f64 {
                        continue;
                    }
                    let value = axes.sample(&fields.crags, [along, layer, row]);
                    let push = value * point.crag as f32 * 1.4;
                    crags.push[(layer * CRAG_POINTS + row) * CRAG_POINTS + along] = push;
                    crags.reach = crags.reach.max(push.abs());
                }
            }
        }
        crags
    }

    /// Returns the heights of a slice of equal z, and the range of heights in which crags decide.
    pub(crate) fn heights(&self, ground: &[f32; SIDE * SIDE], z: usize) -> CragHeights {
        let heights: [f32; SIDE] = ground.as_chunks().0[z];
        let lowest = heights
            .iter()
            .fold(f32::MAX, |low, &height| low.min(height));
        let highest = heights
            .iter()
            .fold(f32::MIN, |high, &height| high.max(height));
        // A metre more than any displacement, so that rounding cannot matter.
        CragHeights {
            z,
            heights,
            solid_below: lowest - self.reach - 1.0,
            open_above: highest + self.reach + 1.0,
        }
    }

    /// Computes which voxels of a row are solid after crags: 0 where open; `y` counts from the
    /// chunk's bottom.
    pub(crate) fn row(&self, slice: &CragHeights, bottom: i32, y: usize, solid: &mut [i16; SIDE]) {
        let middle = (f64::from(bottom) + y as f64 + 0.5) as f32;
        if middle > slice.open_above || middle < slice.solid_below {
            return solid.fill(i16::from(middle < slice.solid_below));
        }
        let (layer, up) = (y / CRAG_STEP, (y % CRAG_STEP) as f32 + 0.5);
        let (row, across) = (slice.z / CRAG_STEP, (slice.z % CRAG_STEP) as f32 + 0.5);
        let (up, across) = (up / CRAG_STEP as f32, across / CRAG_STEP as f32);
        let mut line = [0.0; CRAG_POINTS];
        for (along, value) in line.iter_mut().enumerate() {
            let at = |layer: usize, row: usize| {
                self.push[(layer * CRAG_POINTS + row) * CRAG_POINTS + along]
            };
            let low = mix(at(layer, row), at(layer, row + 1), across);
            let high = mix(at(layer + 1, row), at(layer + 1, row + 1), across);
            *value = mix(low, high, up);
        }
        for along in 0..CRAG_POINTS - 1 {
            for step in 0..CRAG_STEP {
                let share = (step as f32 + 0.5) / CRAG_STEP as f32;
                let push = mix(line[along], line[along + 1], share);
                let x = along * CRAG_STEP + step;
                solid[x] = i16::from(slice.heights[x] + push > middle);
            }
        }
    }
}

/// Heights of a slice of equal z before crags.
pub(crate) struct CragHeights {
    z: usize,
    heights: [f32; SIDE],
    solid_below: f32,
    open_above: f32,
}

/// The cave fields at the lattice points of a chunk.
pub(crate) struct Caves {
    points: Box<[CavePoint; CAVE_POINTS * CAVE_POINTS * CAVE_POINTS]>,
    /// True if any cell may be hollow.
    hollow: bool,
}

#[derive(Clone, Copy, Default)]
struct CavePoint {
    /// A tunnel runs where both are near zero.
    tunnels: [f32; 2],
    /// Half width of tunnels, in units of these fields.
    width: f32,
    /// A cavern lies where this is above zero.
    cavern: f32,
}

impl CavePoint {
    fn between(&self, other: &Self, share: f32) -> Self {
        Self {
            tunnels: [
                mix(self.tunnels[0], other.tunnels[0], share),
                mix(self.tunnels[1], other.tunnels[1], share),
            ],
            width: mix(self.width, other.width, share),
            cavern: mix(self.cavern, other.cavern, share),
        }
    }

    /// Returns the openness of each voxel up to the next point: positive in the open, larger
    /// further in; negative in rock.
    fn openness_towards(&self, next: &Self) -> [f32; CAVE_STEP] {
        let mut openness = [0.0; CAVE_STEP];
        for (x, openness) in openness.iter_mut().enumerate() {
            let share = (x as f32 + 0.5) / CAVE_STEP as f32;
            let [a, b] = [0, 1].map(|side| mix(self.tunnels[side], next.tunnels[side], share));
            let width = mix(self.width, next.width, share);
            let tunnel = width * width.abs() - (a * a + b * b);
            let cavern = mix(self.cavern, next.cavern, share) * 0.1;
            *openness = if tunnel > cavern { tunnel } else { cavern };
        }
        openness
    }
}

/// The caves in one row of voxels.
#[derive(Clone, Copy, Default)]
pub(crate) struct CaveRow {
    pub(crate) open: u32,
    /// Rock voxels next to a cave.
    pub(crate) wall: u32,
}

impl Caves {
    /// Samples the fields of a chunk; `None` if it has no caves.
    pub(crate) fn new(fields: &Fields, column: &Column, bottom: i32) -> Option<Self> {
        if bottom >= column.top || bottom.saturating_add(SIDE as i32) <= CAVE_FLOOR {
            return None;
        }
        let mut caves = Self {
            points: Box::new([CavePoint::default(); CAVE_POINTS * CAVE_POINTS * CAVE_POINTS]),
            hollow: false,
        };
        let lattice = CaveLattice {
            tunnels: Axes::new(&TUNNEL_GRAIN, CAVE_STEP, column, bottom),
            caverns: Axes::new(&CAVERN_GRAIN, CAVE_STEP, column, bottom),
        };
        for row in 0..CAVE_POINTS {
            for along in 0..CAVE_POINTS {
                let [x, z] = [along, row].map(|index| (index * CAVE_STEP) as i32);
                let roof = Roof::over(column, x, z);
                for layer in 0..CAVE_POINTS {
                    let y = f64::from(bottom) + (layer * CAVE_STEP) as f64;
                    caves.points[(layer * CAVE_POINTS + row) * CAVE_POINTS + along] =
                        roof.sample(fields, &lattice, [along, layer, row], y);
                }
            }
        }
        caves.hollow = caves.any_hollow_cell();
        caves.hollow.then_some(caves)
    }

    fn any_hollow_cell(&self) -> bool {
        let cells = CAVE_POINTS - 1;
        (0..cells * cells * cells)
            .any(|cell| self.is_hollow(cell % cells, cell / cells % cells, cell / (cells * cells)))
    }

    /// Returns true if any voxel of a lattice cell may be open or a cave wall.
    fn is_hollow(&self, x: usize, z: usize, layer: usize) -> bool {
        let (mut low, mut high) = ([f32::MAX; 2], [f32::MIN; 2]);
        let (mut width, mut cavern) = (f32::MIN, f32::MIN);
        for corner in 0..8 {
            let point = self.point(
                x + (corner & 1),
                z + (corner >> 1 & 1),
                layer + (corner >> 2),
            );
            for side in 0..2 {
                low[side] = low[side].min(point.tunnels[side]);
                high[side] = high[side].max(point.tunnels[side]);
            }
            width = width.max(point.width);
            cavern = cavern.max(point.cavern);
        }
        let reach = width + WALL;
        let near = |side: usize| low[side] < reach && high[side] > -reach;
        cavern > 0.0 || (width > 0.0 && near(0) && near(1))
    }

    fn point(&self, x: usize, z: usize, layer: usize) -> &CavePoint {
        &self.points[(layer * CAVE_POINTS + z) * CAVE_POINTS + x]
    }

    /// Visits all rows in which voxels may be open.
    pub(crate) fn rows(&self, mut visit: impl FnMut(usize, usize, CaveRow)) {
        let cells = CAVE_POINTS - 1;
        for layer in 0..cells {
            for row in 0..cells {
                let hollow: [bool; CAVE_POINTS - 1] =
                    std::array::from_fn(|along| self.is_hollow(along, row, layer));
                if !hollow.contains(&true) {
                    continue;
                }
                for z in 0..CAVE_STEP {
                    for y in 0..CAVE_STEP {
                        let open = self.row(&hollow, [row, z], [layer, y]);
                        if open.open != 0 {
                            visit(layer * CAVE_STEP + y, row * CAVE_STEP + z, open);
                        }
                    }
                }
            }
        }
    }

    fn row(
        &self,
        hollow: &[bool; CAVE_POINTS - 1],
        [row, z]: [usize; 2],
        [layer, y]: [usize; 2],
    ) -> CaveRow {
        let share = |step: usize| (step as f32 + 0.5) / CAVE_STEP as f32;
        let line: [CavePoint; CAVE_POINTS] = std::array::from_fn(|along| {
            let low = self
                .point(along, row, layer)
                .between(self.point(along, row + 1, layer), share(z));
            let high = self
                .point(along, row, layer + 1)
                .between(self.point(along, row + 1, layer + 1), share(z));
            low.between(&high, share(y))
        });
        let mut result = CaveRow::default();
        for along in (0..CAVE_POINTS - 1).filter(|&along| hollow[along]) {
            let openness = line[along].openness_towards(&line[along + 1]);
            for (x, &openness) in openness.iter().enumerate() {
                let bit = along * CAVE_STEP + x;
                result.open |= u32::from(openness > 0.0) << bit;
                result.wall |= u32::from(openness > -WALL_DEPTH) << bit;
            }
        }
        result.wall &= !result.open;
        result
    }
}

/// Thickness of tunnel walls, in units of the fields.
const WALL: f32 = 0.03;
const WALL_DEPTH: f32 = 0.006;

/// Noise coordinates of the lattice points of a chunk's caves.
struct CaveLattice {
    tunnels: Axes<CAVE_POINTS, CAVE_POINTS>,
    caverns: Axes<CAVE_POINTS, CAVE_POINTS>,
}

/// The ground over a cave, which decides how near the surface it may come.
struct Roof {
    height: f64,
    /// Openness at the surface, from 0 (closed) to 1 (broken through).
    mouth: f64,
    /// Metres of rock that caves leave below the surface.
    cover: f64,
}

impl Roof {
    fn over(column: &Column, x: i32, z: i32) -> Self {
        let point = column.lattice.point(x, z);
        let mut lowest = f64::MAX;
        let mut dry = f64::MAX;
        for (along, across) in [
            (0, 0),
            (-8, 0),
            (8, 0),
            (0, -8),
            (0, 8),
            (-8, -8),
            (8, 8),
            (8, -8),
            (-8, 8),
        ] {
            let near = column.lattice.point(x + along, z + across);
            lowest = lowest.min(near.height);
            dry = dry.min(near.height - f64::from(near.water));
        }
        let wet = dry < 2.0;
        Self {
            height: if wet { lowest } else { point.height },
            mouth: if wet {
                0.0
            } else {
                smooth(0.0, 0.12, point.climate.mouths)
            },
            cover: if wet { 9.0 } else { 4.0 },
        }
    }

    /// Computes the cave fields at a lattice point at height `y`.
    fn sample(&self, fields: &Fields, lattice: &CaveLattice, at: [usize; 3], y: f64) -> CavePoint {
        let depth = self.height - y;
        let below = smooth(self.cover, self.cover + 8.0, depth);
        let floor = smooth(f64::from(CAVE_FLOOR) + 4.0, f64::from(CAVE_FLOOR) + 20.0, y);
        let wide = 0.085 + 0.055 * smooth(0.0, -90.0, y);
        let open = below.max(self.mouth) * floor;
        let width = wide * open - 0.04 * (1.0 - open);
        // Nothing is solid far above the ground.
        if depth < -12.0 || open <= 0.0 {
            return CavePoint {
                tunnels: [1.0; 2],
                width: -0.04,
                cavern: -1.0,
            };
        }
        let deep = smooth(14.0, 40.0, depth) * floor;
        let cavern = if deep > 0.0 {
            let field = lattice.caverns.sample(&fields.caverns, at);
            f64::from(field) - 0.40 - (1.0 - deep)
        } else {
            -1.0
        };
        CavePoint {
            tunnels: [0, 1].map(|which| lattice.tunnels.sample(&fields.tunnels[which], at)),
            width: width as f32,
            cavern: cavern as f32,
        }
    }
}

fn mix(from: f32, to: f32, share: f32) -> f32 {
    from + (to - from) * share
}
