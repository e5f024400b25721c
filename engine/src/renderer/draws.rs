//! Lists of draws: which runs of quads of which bricks, in order, for one view of the world.

use nalgebra::Vector3;
use world::{BrickId, Frustum, World};

use super::bricks::{Bricks, bricks_of, eye_in};
use super::growing::GrowingBuffer;
use crate::{Camera, Gpu};

/// Arguments of an indexed, indirect draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct Arguments {
    indices: u32,
    instances: u32,
    first_index: u32,
    base_vertex: i32,
    brick: u32,
}

const ARGUMENT_BYTES: u64 = size_of::<Arguments>() as u64;

/// Which quads face the viewer.
#[derive(Clone, Copy)]
pub(crate) enum Facing {
    /// Those turned to an eye that may be inside the brick.
    Eye,
    /// Those turned to a light infinitely far away.
    Light(Vector3<f32>),
}

/// A brick in view.
#[derive(Clone, Copy)]
struct InView {
    id: BrickId,
    distance: u32,
}

/// Draws of one pass, in pages.
#[derive(Default)]
pub(crate) struct DrawList {
    /// By page: arguments of that page's draws.
    pages: Vec<Vec<Arguments>>,
    /// Where each page's arguments begin in the indirect buffer.
    offsets: Vec<u64>,
}

impl DrawList {
    fn clear(&mut self, pages: usize) {
        self.pages.resize_with(pages, Vec::new);
        self.pages.iter_mut().for_each(Vec::clear);
        self.offsets.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.pages.iter().map(Vec::len).sum()
    }

    pub(crate) fn quads(&self) -> u64 {
        self.pages
            .iter()
            .flatten()
            .map(|arguments| u64::from(arguments.indices / 6))
            .sum()
    }

    /// Draws of one page: `bind` is called with the page's number before them.
    pub(crate) fn record(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        indirect: Option<&wgpu::Buffer>,
        mut bind: impl FnMut(&mut wgpu::RenderPass<'_>, usize),
    ) {
        for (page, draws) in self.pages.iter().enumerate() {
            if draws.is_empty() {
                continue;
            }
            bind(pass, page);
            match indirect {
                Some(buffer) => {
                    pass.multi_draw_indexed_indirect(
                        buffer,
                        self.offsets[page],
                        draws.len() as u32,
                    );
                }
                None => {
                    for draw in draws {
                        pass.draw_indexed(
                            0..draw.indices,
                            draw.base_vertex,
                            draw.brick..draw.brick + 1,
                        );
                    }
                }
            }
        }
    }

    #[inline]
    fn push(&mut self, page: u32, first_quad: u32, quads: u32, brick: BrickId) {
        self.pages[page as usize].push(Arguments {
            indices: quads * 6,
            instances: 1,
            first_index: 0,
            base_vertex: (first_quad * 4) as i32,
            brick: brick.0,
        });
    }
}

/// Finds what is in view and makes draw lists of it; buffers are kept from picture to picture.
pub(crate) struct Culler {
    found: Vec<InView>,
    sorted: Vec<InView>,
    counts: Vec<u32>,
}

/// Metres between two classes of the rough sort by distance.
const CLASS_METRES: f32 = 8.0;
const CLASSES: usize = 256;

impl Culler {
    pub(crate) fn new() -> Self {
        Self {
            found: Vec::new(),
            sorted: Vec::new(),
            counts: vec![0; CLASSES],
        }
    }

    /// How many bricks the last call found.
    pub(crate) fn found(&self) -> u32 {
        self.found.len() as u32
    }

    /// Finds the bricks that may be in a frustum and, if they are to be drawn in order, sorts them by distance from the eye.
    pub(crate) fn find(
        &mut self,
        world: &World,
        bricks: &Bricks,
        frustum: &Frustum,
        camera: &Camera,
    ) {
        self.found.clear();
        let eye = camera.position;
        world.visit_frustum(frustum, |found| {
            bricks_of(world, found, |id| {
                let (Some(entry), Some(row)) = (bricks.entry(id), bricks.row(id)) else {
                    return;
                };
                if entry.run().is_some() {
                    let from_middle =
                        eye_in(row, eye.cell, eye.offset) - Vector3::repeat(16.0 * row.voxel);
                    let distance = (from_middle.norm() / CLASS_METRES) as u32;
                    self.found.push(InView {
                        id,
                        distance: distance.min(CLASSES as u32 - 1),
                    });
                }
            });
        });
        self.sort();
    }

    /// Counting sort: nearest first.
    fn sort(&mut self) {
        self.counts.fill(0);
        for brick in &self.found {
            self.counts[brick.distance as usize] += 1;
        }
        let mut start = 0;
        for count in &mut self.counts {
            start += std::mem::replace(count, start);
        }
        self.sorted.clear();
        self.sorted.extend_from_slice(&self.found);
        for brick in &self.found {
            let place = &mut self.counts[brick.distance as usize];
            self.sorted[*place as usize] = *brick;
            *place += 1;
        }
    }

    /// Opaque quads, nearest brick first.
    pub(crate) fn list_opaque(
        &self,
        bricks: &Bricks,
        camera: &Camera,
        facing: Facing,
        list: &mut DrawList,
    ) {
        list.clear(bricks.pages.len());
        for brick in &self.sorted {
            let (Some(entry), Some(row)) = (bricks.entry(brick.id), bricks.row(brick.id)) else {
                continue;
            };
            let Some(run) = entry.run() else { continue };
            let seen = seen_faces(row, camera, facing);
            each_run(&entry.opaque, seen, |first, quads| {
                list.push(run.page, run.first() + first, quads, brick.id);
            });
        }
    }

    /// Transparent quads, farthest brick first; within a brick those that face away from the eye come first.
    pub(crate) fn list_transparent(&self, bricks: &Bricks, list: &mut DrawList) {
        list.clear(bricks.pages.len());
        for brick in self.sorted.iter().rev() {
            let Some(entry) = bricks.entry(brick.id) else {
                continue;
            };
            let quads = entry.transparent[6] - entry.transparent[0];
            if let (Some(run), 1..) = (entry.run(), quads) {
                list.push(
                    run.page,
                    run.first() + entry.transparent[0],
                    quads,
                    brick.id,
                );
            }
        }
    }
}

/// Bits of the faces that can be seen.
#[inline]
fn seen_faces(row: &shaders::Brick, camera: &Camera, facing: Facing) -> u32 {
    let mut seen = 0;
    match facing {
        Facing::Eye => {
            let eye = eye_in(row, camera.position.cell, camera.position.offset);
            let (low, high) = (row.voxel * 0.5, row.voxel * 31.5);
            for axis in 0..3 {
                seen |= u32::from(eye[axis] < high) << (2 * axis);
                seen |= u32::from(eye[axis] > low) << (2 * axis + 1);
            }
        }
        Facing::Light(direction) => {
            for axis in 0..3 {
                seen |= u32::from(direction[axis] < 0.0) << (2 * axis);
                seen |= u32::from(direction[axis] > 0.0) << (2 * axis + 1);
            }
        }
    }
    seen
}

/// Calls `emit` with first quad and count of each run of neighbouring directions that are seen.
#[inline]
fn each_run(starts: &[u32; 7], seen: u32, mut emit: impl FnMut(u32, u32)) {
    let mut begin = None;
    for face in 0..6 {
        if seen >> face & 1 == 1 {
            begin.get_or_insert(starts[face]);
        } else if let Some(first) = begin.take()
            && starts[face] > first
        {
            emit(first, starts[face] - first);
        }
    }
    if let Some(first) = begin
        && starts[6] > first
    {
        emit(first, starts[6] - first);
    }
}

/// One buffer with the arguments of all lists of a picture.
pub(crate) struct Indirect {
    buffer: GrowingBuffer,
    staged: Vec<Arguments>,
}

impl Indirect {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        Self {
            buffer: GrowingBuffer::new(gpu, "draws", wgpu::BufferUsages::INDIRECT, 64 << 10),
            staged: Vec::new(),
        }
    }

    /// Uploads the arguments of lists, which then know where they begin.
    pub(crate) fn upload<'a>(&mut self, gpu: &Gpu, lists: impl Iterator<Item = &'a mut DrawList>) {
        self.staged.clear();
        for list in lists {
            list.offsets.clear();
            for draws in &list.pages {
                list.offsets.push(self.staged.len() as u64 * ARGUMENT_BYTES);
                self.staged.extend_from_slice(draws);
            }
        }
        self.buffer.write(gpu, bytemuck::cast_slice(&self.staged));
    }

    pub(crate) fn buffer(&self) -> &wgpu::Buffer {
        self.buffer.buffer()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_directions_become_one_draw() {
        let starts = [0, 3, 3, 10, 12, 12, 20];
        let runs = |seen| {
            let mut runs = Vec::new();
            each_run(&starts, seen, |first, quads| runs.push((first, quads)));
            runs
        };
        assert_eq!(runs(0b11_1111), [(0, 20)]);
        assert_eq!(runs(0b10_1001), [(0, 3), (10, 2), (12, 8)]);
        assert_eq!(runs(0b01_0010), []);
        assert_eq!(runs(0b00_1100), [(3, 9)]);
    }
}
