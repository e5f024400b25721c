//! The scene as plain bits, and the triangles that triangle peers walk on.
//!
//! All input of peers is made here from a function of voxels, so that no peer depends on our
//! surfaces.

use crate::mesh::{Mesh, Quad};
use rayon::prelude::*;

/// Voxels as bits. The space outside is solid at the sides and below, and free above.
#[derive(Clone)]
pub struct Ground {
    pub size: [usize; 3],
    pub voxel: f32,
    bits: Vec<u64>,
}

pub const CHUNK: usize = 32;
/// Height of the walls around the ground above it, in metres.
pub const HEADROOM: i32 = 128;

impl Ground {
    /// Evaluates every voxel once, on all threads. The first two lengths must be multiples of 8.
    pub fn new(size: [usize; 3], voxel: f32, solid: impl Fn([i32; 3]) -> bool + Sync) -> Self {
        let words = size[0] * size[1] / 64;
        let mut bits = vec![0u64; words * size[2]];
        bits.par_chunks_mut(words)
            .enumerate()
            .for_each(|(z, slice)| {
                for y in 0..size[1] {
                    for x in 0..size[0] {
                        if solid([x as i32, y as i32, z as i32]) {
                            let index = y * size[0] + x;
                            slice[index / 64] |= 1 << (index % 64);
                        }
                    }
                }
            });
        Self { size, voxel, bits }
    }

    /// Makes a voxel solid or free. It must be within the ground.
    pub fn set(&mut self, cell: [i32; 3], solid: bool) {
        let index = self.index(cell.map(|value| value as usize));
        let bit = 1 << (index % 64);
        if solid {
            self.bits[index / 64] |= bit;
        } else {
            self.bits[index / 64] &= !bit;
        }
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.size[1] + y) * self.size[0] + x
    }

    pub fn is_solid(&self, cell: [i32; 3]) -> bool {
        for axis in [0, 2, 1] {
            if cell[axis] < 0 {
                return true;
            }
            if cell[axis] as usize >= self.size[axis] {
                return axis != 1;
            }
        }
        let index = self.index(cell.map(|value| value as usize));
        self.bits[index / 64] >> (index % 64) & 1 == 1
    }

    fn chunk_counts(&self) -> [i32; 3] {
        self.size.map(|length| length.div_ceil(CHUNK) as i32)
    }

    /// Returns the chunks of the ground in the order of their slots.
    pub fn chunks(&self) -> impl Iterator<Item = [i32; 3]> + '_ {
        let counts = self.chunk_counts();
        (0..counts[2]).flat_map(move |z| {
            (0..counts[1]).flat_map(move |y| (0..counts[0]).map(move |x| [x, y, z]))
        })
    }

    /// Returns the number of meshes of the ground.
    pub fn slot_count(&self) -> usize {
        self.chunk_counts()
            .map(|count| count as usize)
            .iter()
            .product()
    }

    /// Returns the mesh of a chunk, by the number of the chunk.
    pub fn mesh(&self, slot: usize) -> Mesh {
        let [width, height, _] = self.chunk_counts();
        let (slot, row) = (slot as i32, width * height);
        let chunk = [slot % width, slot / width % height, slot / row];
        let mut quads = self.quads(chunk);
        quads.extend(self.walls_above(chunk));
        Mesh::from_quads(&quads)
    }

    /// Returns the walls around and above the ground, which no character can leave.
    fn walls_above(&self, chunk: [i32; 3]) -> Vec<Quad> {
        let counts = self.chunk_counts();
        let mut quads = Vec::new();
        if chunk[1] + 1 < counts[1] {
            return quads;
        }
        let metres = |voxels: usize| voxels as f32 * self.voxel;
        let (low, high) = (
            metres(self.size[1]),
            metres(self.size[1]) + HEADROOM as f32,
        );
        for (axis, along) in [(0, 2), (2, 0)] {
            let from = chunk[along] as usize * CHUNK;
            let to = (from + CHUNK).min(self.size[along]);
            let ends = [metres(from), metres(to)];
            for (end, at) in [(0, 0), (counts[axis] - 1, self.size[axis])] {
                if chunk[axis] != end {
                    continue;
                }
                let corner = |along_at: f32, height: f32| {
                    let mut corner = [0.0, height, 0.0];
                    (corner[axis], corner[along]) = (metres(at), along_at);
                    corner
                };
                let mut quad = [
                    corner(ends[0], low),
                    corner(ends[1], low),
                    corner(ends[1], high),
                    corner(ends[0], high),
                ];
                // Counter-clockwise, seen from within.
                if (axis == 0) == (at == 0) {
                    quad.reverse();
                }
                quads.push(quad);
            }
        }
        quads
    }

    /// Returns the meshes that change with a voxel: a face belongs to the chunk of the free voxel
    /// in front of it.
    pub fn slots_of(&self, cell: [i32; 3]) -> Vec<usize> {
        let counts = self.chunk_counts();
        let mut slots = Vec::new();
        let steps = (0..3).flat_map(|axis| [-1, 1].map(|by| (axis, by)));
        for (axis, by) in steps.chain([(0, 0)]) {
            let mut near = cell;
            near[axis] += by;
            if (0..3).any(|a| near[a] < 0 || near[a] as usize >= self.size[a]) {
                continue;
            }
            let [x, y, z] = near.map(|value| value / CHUNK as i32);
            let slot = ((z * counts[1] + y) * counts[0] + x) as usize;
            if !slots.contains(&slot) {
                slots.push(slot);
            }
        }
        slots
    }

    /// Returns the exposed faces in front of free voxels of a chunk, merged into rectangles plane
    /// by plane.
    pub fn quads(&self, chunk: [i32; 3]) -> Vec<Quad> {
        let mut quads = Vec::new();
        for axis in 0..3 {
            for side in [-1, 1] {
                for layer in 0..CHUNK as i32 {
                    self.merge_plane(chunk, axis, side, layer, &mut quads);
                }
            }
        }
        quads
    }

    fn merge_plane(
        &self,
        chunk: [i32; 3],
        axis: usize,
        side: i32,
        layer: i32,
        quads: &mut Vec<Quad>,
    ) {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let cell = |i: i32, j: i32| {
            let mut cell = chunk.map(|value| value * CHUNK as i32);
            cell[axis] += layer;
            cell[u] += i;
            cell[v] += j;
            cell
        };
        let mut rows = [0u32; CHUNK];
        for (j, row) in rows.iter_mut().enumerate() {
            for i in 0..CHUNK as i32 {
                let free = cell(i, j as i32);
                let mut wall = free;
                wall[axis] += side;
                let inside = (0..3).all(|a| (free[a] as usize) < self.size[a]);
                if inside && !self.is_solid(free) && self.is_solid(wall) {
                    *row |= 1 << i;
                }
            }
        }
        for j in 0..CHUNK {
            while rows[j] != 0 {
                let first = rows[j].trailing_zeros();
                let wide = (rows[j] >> first).trailing_ones();
                let mask = (((1u64 << wide) - 1) << first) as u32;
                let high = rows[j..]
                    .iter()
                    .take_while(|&&row| row & mask == mask)
                    .count();
                rows[j..j + high].iter_mut().for_each(|row| *row &= !mask);
                let corner = |i: u32, k: usize| {
                    let mut point = cell(i as i32, k as i32).map(|value| value as f32);
                    point[axis] += if side > 0 { 1.0 } else { 0.0 };
                    point.map(|value| value * self.voxel)
                };
                let mut quad = [
                    corner(first, j),
                    corner(first + wide, j),
                    corner(first + wide, j + high),
                    corner(first, j + high),
                ];
                if side > 0 {
                    quad.reverse();
                }
                quads.push(quad);
            }
        }
    }

    /// Returns the solid voxels within `reach` of a point: for each the two ends of its box on each
    /// axis, in metres from the point.
    pub fn solids_near(
        &self,
        center: [f64; 3],
        reach: [f64; 3],
    ) -> impl Iterator<Item = [[f64; 2]; 3]> {
        let voxel = f64::from(self.voxel);
        let cell = |axis: usize, at: f64| ((center[axis] + at) / voxel).floor() as i32;
        let range = |axis: usize| cell(axis, -reach[axis])..=cell(axis, reach[axis]);
        let (xs, ys, zs) = (range(0), range(1), range(2));
        let columns = zs.flat_map(move |z| ys.clone().map(move |y| [y, z]));
        let cells = columns.flat_map(move |[y, z]| xs.clone().map(move |x| [x, y, z]));
        let solid = cells.filter(move |&cell| self.is_solid(cell));
        solid.map(move |cell| {
            std::array::from_fn(|axis| {
                let from = f64::from(cell[axis]) * voxel - center[axis];
                [from, from + voxel]
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walls_above_the_ground_face_inwards_on_all_sides() {
        let ground = Ground::new([64, 32, 96], 0.5, |_| true);
        let mut area = 0.0;
        for slot in 0..ground.slot_count() {
            let mesh = ground.mesh(slot);
            for corners in &mesh.triangles {
                let [a, b, c] = corners.map(|corner| {
                    nalgebra::Vector3::from(mesh.points[corner as usize])
                });
                let normal = (b - a).cross(&(c - a));
                let inward = nalgebra::Vector3::new(16.0, 0.0, 24.0) - a;
                if normal.y == 0.0 && a.y.max(b.y).max(c.y) > 16.0 {
                    assert!(normal.dot(&inward) > 0.0, "{a} {b} {c}");
                    area += 0.5 * normal.norm();
                }
            }
        }
        assert_eq!(area, 2.0 * (32.0 + 48.0) * HEADROOM as f32);
    }
}
