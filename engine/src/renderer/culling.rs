//! The draws of a view of the world: the chunks in its frustum, front to back in the order of the
//! world's tree, and of each the quads that may face the viewer.
//!
//! A list covers a little more than the view, so that it stays valid while the eye moves and turns
//! a little, and a few changed chunks are replaced in it. Then a picture costs only the draws.

use nalgebra::Vector3;
use world::{BrickId, CellBox, Frustum, World};

use super::bricks::{BrickQuads, Bricks, WorldSeen, bricks_of};
use super::draws::{DrawBuffers, DrawList};
use super::viewer::Viewer;
use crate::Gpu;

/// Largest number of changed chunks that are replaced in a list.
const MOST_REPLACED: usize = 24;
/// Chunks fetched from memory together, to overlap their cache misses.
const BATCH: usize = 64;
/// Voxels along a chunk.
const SIDE: f32 = 32.0;

/// The draws of one view of the world.
pub(crate) struct ViewDraws {
    pub(crate) opaque: DrawList,
    /// Farthest first.
    pub(crate) transparent: DrawList,
    buffers: DrawBuffers,
    bricks: u32,
    made_for: Option<MadeFor>,
    found: Vec<BrickId>,
    batch: Vec<BrickQuads>,
}

struct MadeFor {
    viewer: Viewer,
    frustum: Frustum,
    seen: WorldSeen,
}

/// Tells if a list changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Renewed {
    Yes,
    No,
}

impl ViewDraws {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        Self {
            opaque: DrawList::default(),
            transparent: DrawList::in_order(),
            buffers: DrawBuffers::new(gpu),
            bricks: 0,
            made_for: None,
            found: Vec::new(),
            batch: Vec::with_capacity(BATCH),
        }
    }

    /// Returns the approximate number of chunks in view.
    pub(crate) fn bricks(&self) -> u32 {
        self.bricks
    }

    /// Returns the buffers of both lists.
    pub(crate) fn buffers(&self) -> &DrawBuffers {
        &self.buffers
    }

    pub(crate) fn clear(&mut self) {
        self.opaque.clear(0);
        self.transparent.clear(0);
        self.bricks = 0;
        self.made_for = None;
    }

    /// Lists the draws of a view. `frustum` is called only if the lists are made anew.
    pub(crate) fn update(
        &mut self,
        gpu: &Gpu,
        world: &World,
        bricks: &Bricks,
        viewer: Viewer,
        frustum: impl Fn() -> Frustum,
    ) -> Renewed {
        let Some(seen) = bricks.seen() else {
            self.clear();
            return Renewed::Yes;
        };
        let kept = self.made_for.take().filter(|made| {
            made.viewer.serves(&viewer) && self.opaque.pages() == bricks.pages.len()
        });
        let renewed = match kept {
            Some(made) => self.keep(bricks, made, seen),
            None => Renewed::Yes,
        };
        if self.made_for.is_none() {
            let frustum = frustum();
            self.list(world, bricks, &viewer, &frustum);
            self.made_for = Some(MadeFor {
                viewer,
                frustum,
                seen,
            });
        }
        if renewed == Renewed::Yes {
            self.buffers
                .upload(gpu, [&mut self.opaque, &mut self.transparent]);
        }
        renewed
    }

    /// Keeps the lists if all changes since can be replaced in them; otherwise invalidates them.
    fn keep(&mut self, bricks: &Bricks, made: MadeFor, seen: WorldSeen) -> Renewed {
        let mut renewed = Renewed::No;
        if made.seen != seen {
            let changed = bricks.changed_since(made.seen);
            let Some(changed) = changed.filter(|changed| changed.len() <= MOST_REPLACED) else {
                return Renewed::Yes;
            };
            match self.replace(bricks, &made, changed) {
                Some(replaced) => renewed = replaced,
                None => return Renewed::Yes,
            }
        }
        self.made_for = Some(MadeFor { seen, ..made });
        renewed
    }

    /// Replaces the draws of some chunks; returns `None` if this would break the order.
    fn replace(&mut self, bricks: &Bricks, made: &MadeFor, changed: &[BrickId]) -> Option<Renewed> {
        if changed.is_empty() {
            return Some(Renewed::No);
        }
        if self.transparent.any_of(changed) {
            return None;
        }
        let mut renewed = Renewed::No;
        for &id in changed {
            let gap = self.opaque.remove(id);
            self.bricks -= u32::from(gap.is_some());
            let quads = bricks.quads(id).filter(|quads| quads.page().is_some());
            if quads.is_some_and(|quads| quads.transparent > 0) {
                return None;
            }
            let seen = quads.filter(|quads| bounds(quads).may_meet(&made.frustum));
            if let Some(quads) = seen {
                let had = gap.map(|gap| self.opaque.len_of(gap.page));
                self.add(id, quads, &made.viewer);
                if let (Some(gap), Some(had)) = (gap, had) {
                    self.opaque.fill(gap, had);
                }
            }
            if gap.is_some() || seen.is_some() {
                renewed = Renewed::Yes;
            }
        }
        Some(renewed)
    }

    fn list(&mut self, world: &World, bricks: &Bricks, viewer: &Viewer, frustum: &Frustum) {
        self.opaque.clear(bricks.pages.len());
        self.transparent.clear(bricks.pages.len());
        self.bricks = 0;
        let mut found = std::mem::take(&mut self.found);
        let mut batch = std::mem::take(&mut self.batch);
        found.clear();
        world.visit_frustum(frustum, |item| {
            bricks_of(world, item, |id| found.push(id));
        });
        for ids in found.chunks(BATCH) {
            batch.clear();
            batch.extend(
                ids.iter()
                    .map(|&id| bricks.quads(id).copied().unwrap_or_default()),
            );
            for (&id, quads) in ids.iter().zip(&batch) {
                self.add(id, quads, viewer);
            }
        }
        self.transparent.reverse();
        self.found = found;
        self.batch = batch;
    }

    #[inline]
    fn add(&mut self, id: BrickId, quads: &BrickQuads, viewer: &Viewer) {
        let Some(page) = quads.page() else { return };
        let Some(faces) = viewer.faces(quads) else {
            return;
        };
        self.bricks += 1;
        each_run(&quads.ends, faces, |first, count| {
            self.opaque.push(page, quads.first + first, count, id);
        });
        if quads.transparent > 0 {
            let first = quads.first + quads.ends[5];
            self.transparent.push(page, first, quads.transparent, id);
        }
    }
}

/// Returns the cells that a chunk reaches into.
fn bounds(quads: &BrickQuads) -> CellBox {
    let (min, offset) = (Vector3::from(quads.origin), Vector3::from(quads.offset));
    let side = offset.map(|beside| (beside + SIDE * quads.voxel).ceil() as i32 - 1);
    CellBox::new(min, min.zip_map(&side, i32::saturating_add))
}

/// Calls `emit` with first quad and count of each run of adjacent visible directions.
#[inline]
fn each_run(ends: &[u32; 6], seen: u32, mut emit: impl FnMut(u32, u32)) {
    let (mut begin, mut end) = (0, 0);
    for face in 0..6 {
        if seen >> face & 1 == 1 {
            end = ends[face];
        } else {
            if end > begin {
                emit(begin, end - begin);
            }
            (begin, end) = (ends[face], ends[face]);
        }
    }
    if end > begin {
        emit(begin, end - begin);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_directions_become_one_draw() {
        let ends = [3, 3, 10, 12, 12, 20];
        let runs = |seen| {
            let mut runs = Vec::new();
            each_run(&ends, seen, |first, quads| runs.push((first, quads)));
            runs
        };
        assert_eq!(runs(0b11_1111), [(0, 20)]);
        assert_eq!(runs(0b10_1001), [(0, 3), (10, 2), (12, 8)]);
        assert_eq!(runs(0b01_0010), []);
        assert_eq!(runs(0b00_1100), [(3, 9)]);
    }
}
