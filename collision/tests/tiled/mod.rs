//! A terrain of rectangles: random voxels whose faces and edges are cut in a chosen way.

use crate::Dice;
use collision::{Candidates, Cell, Contents, Memory, ObjectId, Position, Reach, SolidBox, Terrain};
use nalgebra::Vector3;

/// Metres across a world.
pub(crate) const SIDE: i32 = 12;
/// Voxels across a chunk: no piece crosses its border.
const CHUNK: i32 = 8;
const OBJECT: ObjectId = ObjectId(7);

/// A closed room with rough ground and blocks in the air.
pub(crate) struct Voxels {
    size: f32,
    count: i32,
    solid: Vec<bool>,
}

impl Voxels {
    pub(crate) fn new(seed: u64, size: f32, density: f32) -> Self {
        let count = (SIDE as f32 / size) as i32;
        let mut dice = Dice(seed);
        let rough = 1 + (1.5 / size) as i32;
        let solid = (0..count * count * count).map(|place| {
            let cell = Cell::new(
                place % count,
                place / count % count,
                place / (count * count),
            );
            let rim = cell.iter().any(|&part| part == 0 || part == count - 1);
            let share = dice.share();
            rim || share < density || (cell.y <= rough && share > density)
        });
        Self {
            size,
            count,
            solid: solid.collect(),
        }
    }

    fn is_solid(&self, cell: Cell) -> bool {
        let inside = cell.iter().all(|part| (0..self.count).contains(part));
        !inside || self.solid[((cell.z * self.count + cell.y) * self.count + cell.x) as usize]
    }
}

/// The way surfaces are cut.
#[derive(Clone, Copy)]
pub(crate) enum Cut {
    /// Every face of every voxel by itself.
    Single,
    /// As large as possible within a chunk.
    Largest,
    /// At random.
    Random(u64),
}

/// A face, an edge or a corner: outward signs on its flat axes, ends in voxels, and its offset
/// outwards in metres.
#[derive(Clone)]
struct Piece {
    signs: [i32; 3],
    min: Cell,
    max: Cell,
    proud: f32,
}

/// The solid of some voxels, cut in one way.
pub(crate) struct Tiled<'a> {
    voxels: &'a Voxels,
    /// By chunk: a piece is in the chunk of its lowest voxel, and in no other.
    pieces: Vec<Vec<Piece>>,
}

impl<'a> Tiled<'a> {
    pub(crate) fn new(voxels: &'a Voxels, cut: Cut) -> Self {
        let mut tiled = Self {
            voxels,
            pieces: vec![Vec::new(); chunks_of(voxels.count).pow(3)],
        };
        let mut dice = Dice(if let Cut::Random(seed) = cut { seed } else { 0 });
        for bits in 0..27 {
            let signs = [bits % 3, bits / 3 % 3, bits / 9].map(|sign| sign - 1);
            if signs != [0; 3] {
                tiled.add(signs, cut, &mut dice);
            }
        }
        tiled
    }

    /// Adds the edges between coplanar tiles, `proud` metres above their plane.
    pub(crate) fn with_seams(mut self, proud: f32) -> Self {
        for chunk in &mut self.pieces {
            let mut seams = Vec::new();
            for piece in chunk.iter() {
                let flat = (0..3).filter(|&axis| piece.signs[axis] != 0);
                let flat: Vec<usize> = flat.collect();
                let [up] = flat[..] else { continue };
                for across in [(up + 1) % 3, (up + 2) % 3] {
                    let mut seam = Piece {
                        proud,
                        ..piece.clone()
                    };
                    seam.signs[across] = 1;
                    seam.min[across] = piece.max[across];
                    seams.push(seam);
                }
            }
            chunk.append(&mut seams);
        }
        self
    }

    /// Adds all pieces with these signs.
    fn add(&mut self, signs: [i32; 3], cut: Cut, dice: &mut Dice) {
        let count = self.voxels.count;
        let flat = |axis: usize| signs[axis] != 0;
        let free: Vec<usize> = (0..3).filter(|&axis| !flat(axis)).collect();
        let mut done = vec![false; (count * count * count) as usize];
        let place = |cell: Cell| ((cell.z * count + cell.y) * count + cell.x) as usize;
        for index in 0..count * count * count {
            let cell = Cell::new(
                index % count,
                index / count % count,
                index / (count * count),
            );
            if done[place(cell)] || !self.begins(cell, signs) {
                continue;
            }
            let mut last = cell;
            let order: Vec<usize> = match cut {
                Cut::Single => Vec::new(),
                Cut::Largest => free.clone(),
                Cut::Random(_) if dice.below(2) == 0 => free.iter().rev().copied().collect(),
                Cut::Random(_) => free.clone(),
            };
            for axis in order {
                let most = if matches!(cut, Cut::Random(_)) {
                    dice.below(9) as i32
                } else {
                    CHUNK
                };
                for _ in 0..most {
                    let mut next = last;
                    next[axis] += 1;
                    let chunk = next[axis] % CHUNK == 0;
                    let mut row = cell;
                    row[axis] = next[axis];
                    let fits = |at: Cell| self.begins(at, signs) && !done[place(at)];
                    if next[axis] >= count || chunk || !all_between(row, next, fits) {
                        break;
                    }
                    last = next;
                }
            }
            all_between(cell, last, |at| {
                done[place(at)] = true;
                true
            });
            let far = last + Cell::repeat(1);
            let end = |axis: usize, other: i32| match signs[axis] {
                -1 => cell[axis],
                1 => far[axis],
                _ => other,
            };
            self.pieces[chunk_at(cell, count)].push(Piece {
                signs,
                min: Cell::from_fn(|axis, _| end(axis, cell[axis])),
                max: Cell::from_fn(|axis, _| end(axis, far[axis])),
                proud: 0.0,
            });
        }
    }

    /// Returns whether the solid voxel at a cell has a face, a convex edge or a convex corner with
    /// these signs.
    fn begins(&self, cell: Cell, signs: [i32; 3]) -> bool {
        let open = |bits: usize| {
            let step = Cell::from_fn(|axis, _| {
                if bits >> axis & 1 == 1 {
                    signs[axis]
                } else {
                    0
                }
            });
            step == Cell::zeros() || !self.voxels.is_solid(cell + step)
        };
        self.voxels.is_solid(cell) && (1..8).all(open)
    }

    fn push(&self, piece: &Piece, reach: &Reach, out: &mut Candidates) {
        let [min, max] = self.ends(piece, reach.base);
        if (0..3).any(|axis| max[axis] < reach.min[axis] || min[axis] > reach.max[axis]) {
            return;
        }
        let signs = piece.signs.map(|sign| sign as f32);
        let flat: Vec<usize> = (0..3).filter(|&axis| piece.signs[axis] != 0).collect();
        match flat[..] {
            [axis] => out.push_face(axis, signs[axis], min, max, OBJECT),
            [_, _] => {
                let along = (0..3).find(|axis| !flat.contains(axis)).unwrap_or(0);
                let sides = [signs[(along + 1) % 3], signs[(along + 2) % 3]];
                out.push_edge(along, sides, min, max, OBJECT);
            }
            _ => out.push_corner(Vector3::from(signs), min, OBJECT),
        }
    }

    fn ends(&self, piece: &Piece, base: Cell) -> [Vector3<f32>; 2] {
        let metres = |end: Cell| {
            let per_metre = (1.0 / self.voxels.size) as i32;
            (end - base * per_metre).cast::<f32>() * self.voxels.size
        };
        let out = Vector3::from(piece.signs).cast::<f32>() * piece.proud;
        [metres(piece.min) + out, metres(piece.max) + out]
    }
}

/// Returns whether `holds` is true for all cells between two corners, both inside.
fn all_between(low: Cell, high: Cell, mut holds: impl FnMut(Cell) -> bool) -> bool {
    for z in low.z..=high.z {
        for y in low.y..=high.y {
            for x in low.x..=high.x {
                if !holds(Cell::new(x, y, z)) {
                    return false;
                }
            }
        }
    }
    true
}

impl Terrain for Tiled<'_> {
    fn revision(&self) -> u64 {
        1
    }

    fn gather(&self, reach: &Reach, memory: &mut Memory, out: &mut Candidates) {
        memory.revision = 1;
        let (count, size) = (self.voxels.count, self.voxels.size);
        let origin = reach.base.cast::<f32>() / size;
        // A piece may lie in the last plane of its chunk.
        let cell = |at: Vector3<f32>, by: f32| {
            let voxel = (at / size + origin).map(|part| (part + by).floor() as i32);
            voxel.map(|part| part.clamp(0, count - 1) / CHUNK)
        };
        all_between(cell(reach.min, -1.0), cell(reach.max, 1.0), |chunk| {
            for piece in &self.pieces[chunk_at(chunk * CHUNK, count)] {
                self.push(piece, reach, out);
            }
            true
        });
    }

    fn gather_solids(
        &self,
        base: Cell,
        min: Vector3<f32>,
        max: Vector3<f32>,
        out: &mut Vec<SolidBox>,
    ) {
        let (size, count) = (self.voxels.size, self.voxels.count);
        let origin = base.cast::<f32>() / size;
        let low = (min / size + origin).map(|part| (part.floor() as i32).clamp(-1, count));
        let high = (max / size + origin).map(|part| (part.floor() as i32).clamp(-1, count));
        all_between(low, high, |cell| {
            if self.voxels.is_solid(cell) {
                let corner = (cell.cast::<f32>() - origin) * size;
                out.push(SolidBox {
                    min: corner,
                    max: corner.add_scalar(size),
                    grain: size,
                    object: OBJECT,
                });
            }
            true
        });
    }

    fn contents(&self, at: &Position, _: &Memory) -> Contents {
        let metres = at.to_metres().coords / f64::from(self.voxels.size);
        let solid = self.voxels.is_solid(metres.map(|part| part.floor() as i32));
        Contents {
            loaded: true,
            solid,
            ..Contents::default()
        }
    }
}

fn chunks_of(count: i32) -> usize {
    (count as usize).div_ceil(CHUNK as usize)
}

fn chunk_at(cell: Cell, count: i32) -> usize {
    let [x, y, z] = cell.map(|part| (part / CHUNK) as usize).into();
    let chunks = chunks_of(count);
    (z * chunks + y) * chunks + x
}
