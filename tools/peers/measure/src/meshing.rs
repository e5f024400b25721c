//! Merging chunks into quads: the same surface chunks of one material, with prepared masks, on one
//! thread.

use crate::contest::{Contestant, Count, hold};
use crate::ground::{CHUNK, Ground};
use crate::row::Row;
use binary_greedy_meshing as bgm;
use block_mesh::ndshape::{ConstShape, ConstShape3u32};
use block_mesh::{
    GreedyQuadsBuffer, MergeVoxel, RIGHT_HANDED_Y_UP_CONFIG, Voxel, VoxelVisibility, greedy_quads,
};
use nalgebra::Vector3;
use std::collections::BTreeSet;
use world::merge::{MergeScratch, merge_render};
use world::{RenderSurface, World};

const PADDED: u32 = CHUNK as u32 + 2;
type Shape = ConstShape3u32<PADDED, PADDED, PADDED>;

/// Returns the chunks that have quads.
pub fn surface_chunks(ground: &Ground) -> Vec<[i32; 3]> {
    ground
        .chunks()
        .filter(|&chunk| !ground.quads(chunk).is_empty())
        .collect()
}

/// Measures microseconds per surface chunk, and the number of quads of each peer.
pub fn rows(ground: &Ground, world: &World, rounds: usize) -> Vec<Row> {
    let chunks = surface_chunks(ground);
    let count = Count {
        unit: "us",
        a_second: 1e6,
        items: chunks.len(),
        rounds,
    };
    let contestants = vec![
        ours(world, &chunks),
        binary_greedy(ground, &chunks),
        block_mesh(ground, &chunks),
    ];
    hold("world.merge.render", count, contestants)
        .into_iter()
        .map(|row| Row {
            note: Some(row.note.as_ref().map_or_else(
                || "quads as ours".to_owned(),
                |note| format!("quads: {note}"),
            )),
            ..row
        })
        .collect()
}

/// Our merge by material.
fn ours<'a>(world: &'a World, chunks: &[[i32; 3]]) -> Contestant<'a> {
    let mut scratch = MergeScratch::default();
    let mut surface = RenderSurface::default();
    let around: Vec<_> = chunks
        .iter()
        .filter_map(|&chunk| world.brick_at(Vector3::from(chunk)))
        .map(|brick| world.around(brick))
        .collect();
    Contestant::new("ours", move || {
        let mut quads = 0;
        for around in &around {
            merge_render(around, &mut surface, &mut scratch);
            quads += surface.opaque.quads().len();
        }
        quads
    })
}

fn cell(chunk: [i32; 3], x: usize, y: usize, z: usize) -> [i32; 3] {
    let at = |axis: usize, local: usize| chunk[axis] * CHUNK as i32 + local as i32 - 1;
    [at(0, x), at(1, y), at(2, z)]
}

fn binary_greedy<'a>(ground: &Ground, chunks: &[[i32; 3]]) -> Contestant<'a> {
    let none = BTreeSet::new();
    let chunks: Vec<_> = chunks
        .iter()
        .map(|&chunk| {
            let mut voxels = vec![0u16; bgm::Mesher::<CHUNK>::CS_P3];
            for z in 0..PADDED as usize {
                for y in 0..PADDED as usize {
                    for x in 0..PADDED as usize {
                        // Its voxel order: y slowest, then x, then z.
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
    Contestant::new("binary-greedy-meshing", move || {
        let mut quads = 0;
        for (voxels, opaque) in &chunks {
            mesher.clear();
            mesher.fast_mesh(voxels, opaque, &transparent);
            quads += mesher.quads.iter().map(Vec::len).sum::<usize>();
        }
        quads
    })
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

fn block_mesh<'a>(ground: &Ground, chunks: &[[i32; 3]]) -> Contestant<'a> {
    let chunks: Vec<Vec<Bit>> = chunks
        .iter()
        .map(|&chunk| {
            let voxel = |index: u32| {
                let [x, y, z] = Shape::delinearize(index).map(|value| value as usize);
                Bit(ground.is_solid(cell(chunk, x, y, z)))
            };
            (0..Shape::SIZE).map(voxel).collect()
        })
        .collect();
    let mut buffer = GreedyQuadsBuffer::new(Shape::SIZE as usize);
    Contestant::new("block-mesh", move || {
        let last = PADDED - 1;
        let mut quads = 0;
        for voxels in &chunks {
            greedy_quads(
                voxels,
                &Shape {},
                [0; 3],
                [last; 3],
                &RIGHT_HANDED_Y_UP_CONFIG.faces,
                &mut buffer,
            );
            quads += buffer.quads.num_quads();
        }
        quads
    })
}
