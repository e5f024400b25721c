//! The only way to change voxels: many writes, then one merge and one index update for each chunk.

use super::slots::{NONE, step_of};
use super::{BrickId, BrickPlace, ChunkPosition, Found, Owner, Space, chunk_of, place_in_chunk};
use crate::chunk::{Brick, ROWS, RowChange, row_of};
use crate::kd_tree::CellBox;
use crate::material::{Material, MaterialTable};
use crate::merge::{self, Change, MergeScratch, PlaneSet, Region};
use crate::object::ObjectId;
use crate::surface::{CollisionSurface, RenderSurface};
use collision::Cell;
use nalgebra::Vector3;
use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// A change of one row of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrickChange {
    /// The chunk.
    pub brick: BrickId,
    /// The change.
    pub change: RowChange,
}

/// The result of a batch of writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriteReport {
    /// All changes in the order of the writes: writing the old materials in reverse order undoes
    /// them.
    pub changes: Vec<BrickChange>,
    /// Chunks whose voxels changed, in the order of their first write.
    pub touched: Vec<BrickId>,
    /// Number of changed voxels; a voxel counts once for each change.
    pub voxels: u64,
    /// Number of voxels not written: no chunk is loaded there, or the table lacks the material.
    pub missed: u64,
}

impl WriteReport {
    fn clear(&mut self) {
        self.changes.clear();
        self.touched.clear();
        (self.voxels, self.missed) = (0, 0);
    }
}

/// Layers of a chunk in which voxels changed: for each axis a bit for each layer.
#[derive(Clone, Copy, Debug, Default)]
struct Layers([u32; 3]);

impl Layers {
    fn add(&mut self, row: usize, mask: u32) {
        self.0[0] |= mask;
        self.0[1] |= 1 << (row % 32);
        self.0[2] |= 1 << (row / 32);
    }

    fn is_empty(&self) -> bool {
        self.0[0] == 0
    }

    /// Returns the chunk's own planes in these layers.
    fn own(&self) -> PlaneSet {
        PlaneSet {
            layers: std::array::from_fn(|face| self.0[face / 2]),
        }
    }

    /// Returns these layers in coordinates of the chunk at `step` from here.
    fn region(&self, step: Vector3<i32>) -> Region {
        Region(std::array::from_fn(|axis| {
            let layers = u64::from(self.0[axis]);
            match step[axis] {
                0 => layers << 1,
                1 => layers >> 31,
                _ => (layers & 1) << 33,
            }
        }))
    }

    /// Returns the planes of the chunk at `step` from here that face these layers.
    fn in_front(&self, step: Vector3<i32>) -> PlaneSet {
        let mut planes = PlaneSet::default();
        for axis in 0..3 {
            if step[(axis + 1) % 3] != 0 || step[(axis + 2) % 3] != 0 {
                continue;
            }
            let layers = self.0[axis];
            let (negative, positive) = match step[axis] {
                0 => (layers << 1, layers >> 1),
                1 => (layers >> 31, 0),
                _ => (0, layers << 31),
            };
            planes.layers[axis * 2] |= negative;
            planes.layers[axis * 2 + 1] |= positive;
        }
        planes
    }
}

/// A chunk to merge again, and the parts to merge.
#[derive(Debug)]
struct Pending {
    brick: BrickId,
    any: Layers,
    solid: Layers,
    opaque: Layers,
    clear: Layers,
    change: Change,
    collision_surface: CollisionSurface,
    render_surface: RenderSurface,
}

impl Pending {
    fn new(brick: BrickId) -> Self {
        Self {
            brick,
            any: Layers::default(),
            solid: Layers::default(),
            opaque: Layers::default(),
            clear: Layers::default(),
            change: Change::default(),
            collision_surface: CollisionSurface::default(),
            render_surface: RenderSurface::default(),
        }
    }

    fn merge(&mut self, space: &Space, scratch: &mut MergeScratch) {
        let around = space.around(self.brick);
        let (collision, render) = (&mut self.collision_surface, &mut self.render_surface);
        merge::update(&around, &self.change, collision, render, scratch);
    }
}

/// Buffers reused between writes.
#[derive(Debug, Default)]
pub(super) struct WriteScratch {
    pending: Vec<Pending>,
    pub(super) merge: MergeScratch,
}

/// Marks a chunk that was written in this batch.
const WRITTEN: u32 = NONE - 1;
/// Largest number of changed voxels that are updated face by face.
const FEW_VOXELS: u64 = 4;

/// Index of the chunk itself in [`Space::bricks_around`].
const MIDDLE: usize = 13;
/// Indices of the chunks that share a face with it.
const BESIDE: [usize; 6] = [4, 10, 12, 14, 16, 22];

/// From this number of chunks on, merging uses all threads.
const PARALLEL_BRICKS: usize = 8;

/// Changes voxels. Reads through it see the writes so far; surfaces follow at the end of the batch.
pub struct Writer<'a> {
    space: &'a mut Space,
    report: &'a mut WriteReport,
}

impl Writer<'_> {
    /// Returns the voxels after the writes so far; their surfaces are from before the batch.
    pub fn space(&self) -> &Space {
        self.space
    }

    /// Returns the material of a terrain cell after the writes so far.
    pub fn material(&self, cell: Cell) -> Option<Material> {
        self.space.material(cell)
    }

    /// Sets a terrain cell.
    pub fn set(&mut self, cell: Cell, material: Material) {
        let place = place_in_chunk(cell);
        self.fill_chunk_row(
            chunk_of(cell),
            row_of(place.y, place.z),
            1 << place.x,
            material,
        );
    }

    /// Sets a voxel of a free object; does nothing outside its extent.
    pub fn set_in_object(&mut self, object: ObjectId, voxel: Vector3<i32>, material: Material) {
        let brick = self.space.object(object).and_then(|object| {
            let inside = (0..3).all(|axis| (0..object.extent[axis] as i32).contains(&voxel[axis]));
            object.brick_at(chunk_of(voxel)).filter(|_| inside)
        });
        let place = place_in_chunk(voxel);
        match brick {
            Some(brick) => self.fill_row(brick, row_of(place.y, place.z), 1 << place.x, material),
            None => self.report.missed += 1,
        }
    }

    /// Sets the voxels of a mask (bit `x`) in one row (`z * 32 + y`) of a terrain chunk.
    pub fn fill_chunk_row(
        &mut self,
        chunk: ChunkPosition,
        row: usize,
        mask: u32,
        material: Material,
    ) {
        self.fill_place_row(&BrickPlace::terrain(chunk), row, mask, material);
    }

    /// Sets the voxels of a mask in one row of the chunk at a place, if it is loaded.
    pub fn fill_place_row(
        &mut self,
        place: &BrickPlace,
        row: usize,
        mask: u32,
        material: Material,
    ) {
        match self.space.brick_in(place) {
            Some(brick) => self.fill_row(brick, row, mask, material),
            None => self.report.missed += u64::from(mask.count_ones()),
        }
    }

    /// Sets the voxels of a mask (bit `x`) in one row (`z * 32 + y`) of a chunk. The row is taken
    /// modulo 1024 and cut at an object's extent.
    pub fn fill_row(&mut self, brick: BrickId, row: usize, mask: u32, material: Material) {
        let row = row % ROWS;
        let known = self.space.materials.known(material);
        let columns = known.map_or(0, |_| self.space.columns(brick, row));
        self.report.missed += u64::from((mask & !columns).count_ones());
        let mask = mask & columns;
        if mask == 0 {
            return;
        }
        let Space {
            slots, materials, ..
        } = &mut *self.space;
        let slot = slots.get_mut(brick);
        let report = &mut *self.report;
        let pending = &mut slot.pending;
        slot.brick
            .fill_row(row, mask, material, materials, |change| {
                if *pending == NONE {
                    *pending = WRITTEN;
                    report.touched.push(brick);
                }
                report.voxels += u64::from(change.mask.count_ones());
                report.changes.push(BrickChange { brick, change });
            });
    }
}

impl Writer<'_> {
    /// Restores the voxels as they were before the batch.
    fn take_back(&mut self) {
        for BrickChange { brick, change } in self.report.changes.clone().into_iter().rev() {
            self.fill_row(brick, usize::from(change.row), change.mask, change.old);
        }
    }
}

impl Pending {
    fn note(&mut self, change: &RowChange, materials: &MaterialTable) {
        let row = usize::from(change.row);
        let differ =
            |trait_of: &dyn Fn(Material) -> bool| trait_of(change.old) != trait_of(change.new);
        self.any.add(row, change.mask);
        if differ(&|material| materials.is_solid(material)) {
            self.solid.add(row, change.mask);
        }
        if differ(&|material| materials.is_opaque(material)) {
            self.opaque.add(row, change.mask);
        }
        let is_clear = |material| materials.is_seen(material) && !materials.is_opaque(material);
        if is_clear(change.old) || is_clear(change.new) {
            self.clear.add(row, change.mask);
        }
    }
}

fn pending_entry<'a>(
    list: &'a mut Vec<Pending>,
    entry: &mut u32,
    brick: BrickId,
) -> &'a mut Pending {
    if *entry >= WRITTEN {
        *entry = list.len() as u32;
        list.push(Pending::new(brick));
    }
    &mut list[*entry as usize]
}

impl Space {
    /// Returns the mask of x in a row that hold voxels: none in an unused slot, in an object those
    /// within its extent.
    #[inline]
    fn columns(&self, brick: BrickId, row: usize) -> u32 {
        let slot = self.slots.get(brick);
        match slot.owner {
            Owner::Unused => 0,
            Owner::Terrain => u32::MAX,
            Owner::Object(id) => self
                .object(id)
                .map_or(0, |object| object.columns(slot.place, row)),
        }
    }

    /// Changes many voxels, then updates all surfaces and the index. If `writes` panics, all writes
    /// are undone and the panic continues.
    pub(crate) fn apply(&mut self, report: &mut WriteReport, writes: impl FnOnce(&mut Writer<'_>)) {
        report.clear();
        let mut writer = Writer {
            space: self,
            report,
        };
        let outcome = catch_unwind(AssertUnwindSafe(|| writes(&mut writer)));
        if outcome.is_err() {
            writer.take_back();
        }
        if !report.changes.is_empty() {
            self.follow(report);
        }
        if let Err(panic) = outcome {
            report.clear();
            resume_unwind(panic);
        }
    }

    /// Updates surfaces and index after writes.
    fn follow(&mut self, report: &WriteReport) {
        for change in &report.changes {
            self.slots
                .get_mut(change.brick)
                .brick
                .voxels
                .tidy_row(usize::from(change.change.row));
        }
        self.revision += 1;
        if report.voxels <= FEW_VOXELS {
            self.touch_up(report);
        } else {
            self.note_changes(report);
            self.spread_changes();
            self.merge_pending();
        }
    }

    /// Marks the parts to merge again after writes.
    fn note_changes(&mut self, report: &WriteReport) {
        let Space {
            slots,
            materials,
            scratch,
            ..
        } = self;
        for BrickChange { brick, change } in &report.changes {
            let entry = &mut slots.get_mut(*brick).pending;
            pending_entry(&mut scratch.pending, entry, *brick).note(change, materials);
        }
    }

    /// Returns the chunk with unknown materials replaced by air.
    pub(crate) fn as_known(&self, brick: Brick) -> Brick {
        let unknown = |material| self.materials.known(material).is_none();
        if brick.voxels().may_hold(unknown) {
            Brick::new(brick.voxels().clone(), &self.materials)
        } else {
            brick
        }
    }

    /// Puts in terrain chunks, replacing those there, and merges each once.
    pub(crate) fn put_bricks(
        &mut self,
        bricks: impl IntoIterator<Item = (ChunkPosition, Brick)>,
    ) -> Vec<BrickId> {
        self.revision += 1;
        let ids: Vec<BrickId> = bricks
            .into_iter()
            .map(|(chunk, brick)| self.slots.add_terrain(brick, chunk, self.revision))
            .collect();
        for &id in &ids {
            self.mark_whole(id);
            self.mark_borders(id, BESIDE);
        }
        self.merge_pending();
        ids
    }

    fn pending(&mut self, id: BrickId) -> &mut Pending {
        pending_entry(
            &mut self.scratch.pending,
            &mut self.slots.get_mut(id).pending,
            id,
        )
    }

    /// Marks all planes of a chunk.
    pub(super) fn mark_whole(&mut self, id: BrickId) {
        let pending = self.pending(id);
        pending.change = Change {
            collision: PlaneSet::ALL,
            opaque: PlaneSet::ALL,
            transparent: PlaneSet::ALL,
            region: Region::ALL,
        };
    }

    /// Marks the facing planes of some of a chunk's neighbours. Neighbours that share no face have
    /// none, and are only marked as changed.
    pub(super) fn mark_borders(&mut self, id: BrickId, whom: impl IntoIterator<Item = usize>) {
        let all = Layers([u32::MAX; 3]);
        let around = *self.bricks_around(id);
        for index in whom {
            let there = around[index];
            if index == MIDDLE || self.owner(there) == Owner::Unused {
                continue;
            }
            let step = step_of(index);
            let change = &mut self.pending(there).change;
            change.collision.add(&all.in_front(step));
            change.opaque.add(&all.in_front(step));
            change.transparent.add(&all.in_front(step));
            change.region.add(&all.region(step));
        }
    }

    /// Converts changed layers to planes to merge, in the chunk itself and in its neighbours.
    fn spread_changes(&mut self) {
        for entry in 0..self.scratch.pending.len() {
            let Pending {
                brick,
                any,
                solid,
                opaque,
                clear,
                ..
            } = self.scratch.pending[entry];
            if any.is_empty() {
                continue;
            }
            let around = *self.bricks_around(brick);
            let own = &mut self.scratch.pending[entry];
            own.change.collision.add(&solid.own());
            own.change.opaque.add(&any.own());
            own.change.transparent.add(&any.own());
            own.change.region.add(&any.region(Vector3::zeros()));
            for index in [4, 10, 12, 13, 14, 16, 22] {
                let there = around[index];
                if self.owner(there) == Owner::Unused {
                    continue;
                }
                let step = step_of(index);
                let collision = solid.in_front(step);
                let render = opaque.in_front(step);
                let mut transparent = render;
                transparent.add(&clear.in_front(step));
                if collision.is_empty() && render.is_empty() && transparent.is_empty() {
                    continue;
                }
                let change = &mut self.pending(there).change;
                change.collision.add(&collision);
                change.opaque.add(&render);
                change.transparent.add(&transparent);
                change.region.add(&any.region(step));
            }
        }
    }

    /// Merges all marked planes, then updates index and revisions.
    pub(super) fn merge_pending(&mut self) {
        let mut scratch = std::mem::take(&mut self.scratch);
        for pending in &mut scratch.pending {
            let brick = &mut self.slots.get_mut(pending.brick).brick;
            pending.collision_surface = std::mem::take(&mut brick.collision);
            pending.render_surface = std::mem::take(&mut brick.render);
        }
        if scratch.pending.len() < PARALLEL_BRICKS {
            for pending in &mut scratch.pending {
                pending.merge(self, &mut scratch.merge);
            }
        } else {
            let space = &*self;
            scratch
                .pending
                .par_iter_mut()
                .for_each_init(MergeScratch::default, |buffers, pending| {
                    pending.merge(space, buffers)
                });
        }
        for pending in scratch.pending.drain(..) {
            let slot = self.slots.get_mut(pending.brick);
            slot.pending = NONE;
            slot.brick.collision = pending.collision_surface;
            slot.brick.render = pending.render_surface;
            if slot.owner != Owner::Unused {
                self.slots.touch(pending.brick, self.revision);
                self.index_brick(pending.brick);
            }
        }
        self.scratch = scratch;
    }

    /// Keeps a terrain chunk in the index while it has a surface.
    pub(super) fn index_brick(&mut self, id: BrickId) {
        let slot = self.slots.get_mut(id);
        if slot.owner != Owner::Terrain {
            return;
        }
        let seen = !slot.brick.collision.quads.is_empty() || !slot.brick.render.is_empty();
        if seen == slot.indexed {
            return;
        }
        slot.indexed = seen;
        let low = slot.place * 32;
        self.slots.note_index_change(id, self.revision);
        if seen {
            self.index.insert(
                Found::Terrain(id).key(),
                CellBox::new(low, low.add_scalar(31)),
            );
        } else {
            self.index.remove(Found::Terrain(id).key());
        }
    }
}
