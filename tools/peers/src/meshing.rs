//! Merging chunks into quads: the same surface chunks of one material, masks ready, one thread.

use crate::ground::{CHUNK, Ground};
use crate::report::Row;
use binary_greedy_meshing as bgm;
use block_mesh::ndshape::{ConstShape, ConstShape3u32};
use block_mesh::{
    GreedyQuadsBuffer, MergeVoxel, RIGHT_HANDED_Y_UP_CONFIG, Voxel, VoxelVisibility, greedy_quads,
};
use std::collections::BTreeSet;
use std::time::Instant;

const PADDED: u32 = CHUNK as u32 + 2;
type Shape = ConstShape3u32<PADDED, PADDED, PADDED>;

/// Chunks that have something to merge.
pub fn surface_chunks(ground: &Ground) -> Vec<[i32; 3]> {
    ground
        .chunks()
        .filter(|&chunk| !ground.quads(chunk).is_empty())
        .collect()
}

/// Times `mesh` on every item, a few rounds; the result is microseconds a chunk, and the quads of one round.
pub fn time_all<T>(items: &mut [T], mut mesh: impl FnMut(&mut T) -> usize) -> (Vec<f64>, usize) {
    let mut times = Vec::new();
    let mut quads = 0;
    for round in 0..6 {
        quads = 0;
        for item in items.iter_mut() {
            let begin = Instant::now();
            quads += mesh(item);
            if round > 0 {
                times.push(begin.elapsed().as_secs_f64() * 1e6);
            }
        }
    }
    (times, quads)
}

pub fn rows(ground: &Ground) -> Vec<(Row, usize)> {
    vec![binary_greedy(ground), block_mesh(ground)]
}

fn cell(chunk: [i32; 3], x: usize, y: usize, z: usize) -> [i32; 3] {
    let at = |axis: usize, local: usize| chunk[axis] * CHUNK as i32 + local as i32 - 1;
    [at(0, x), at(1, y), at(2, z)]
}

fn binary_greedy(ground: &Ground) -> (Row, usize) {
    let none = BTreeSet::new();
    let mut chunks: Vec<_> = surface_chunks(ground)
        .into_iter()
        .map(|chunk| {
            let mut voxels = vec![0u16; bgm::Mesher::<CHUNK>::CS_P3];
            for z in 0..PADDED as usize {
                for y in 0..PADDED as usize {
                    for x in 0..PADDED as usize {
                        // Their order: y slowest, then x, then z.
                        let index = (y * PADDED as usize + x) * PADDED as usize + z;
                        voxels[index] = u16::from(ground.is_solid(cell(chunk, x, y, z)));
                    }
                }
            }
            let opaque = bgm::compute_opaque_mask::<CHUNK>(&voxels, &none);
            (voxels, opaque)
        })
        .collect();
    let transparent = vec![0u64; bgm::Mesher::<CHUNK>::CS_P2];
    let mut mesher = bgm::Mesher::<CHUNK>::new();
    let (mut times, quads) = time_all(&mut chunks, |(voxels, opaque)| {
        mesher.clear();
        mesher.fast_mesh(voxels, opaque, &transparent);
        mesher.quads.iter().map(Vec::len).sum()
    });
    (
        Row::timed(
            "world.merge.render",
            "binary-greedy-meshing",
            "us",
            &mut times,
        ),
        quads,
    )
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Bit(bool);

impl Voxel for Bit {
    fn get_visibility(&self) -> VoxelVisibility {
        if self.0 {
            VoxelVisibility::Opaque
        } else {
            VoxelVisibility::Empty
        }
    }
}

impl MergeVoxel for Bit {
    type MergeValue = Self;

    fn merge_value(&self) -> Self {
        *self
    }
}

fn block_mesh(ground: &Ground) -> (Row, usize) {
    let mut chunks: Vec<Vec<Bit>> = surface_chunks(ground)
        .into_iter()
        .map(|chunk| {
            let voxel = |index: u32| {
                let [x, y, z] = Shape::delinearize(index).map(|value| value as usize);
                Bit(ground.is_solid(cell(chunk, x, y, z)))
            };
            (0..Shape::SIZE).map(voxel).collect()
        })
        .collect();
    let mut buffer = GreedyQuadsBuffer::new(Shape::SIZE as usize);
    let (mut times, quads) = time_all(&mut chunks, |voxels| {
        let last = PADDED - 1;
        greedy_quads(
            voxels,
            &Shape {},
            [0; 3],
            [last; 3],
            &RIGHT_HANDED_Y_UP_CONFIG.faces,
            &mut buffer,
        );
        buffer.quads.num_quads()
    });
    (
        Row::timed("world.merge.render", "block-mesh", "us", &mut times),
        quads,
    )
}
