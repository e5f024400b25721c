//! The chunks of the world on the GPU and their places there; follows the world's changes.

use collision::Position;
use nalgebra::Vector3;
use world::{BrickId, Found, MaterialTable, Owner, RenderQuad, World};

use super::growing::{GrowingBuffer, Grown};
use super::occlusion::OcclusionBits;
use super::pages::{Pages, QuadRun};
use crate::Gpu;

/// Voxels along a chunk.
const SIDE: i32 = 32;
/// Largest number of lamps listed for one chunk.
const LAMPS_PER_BRICK: usize = 24;

/// The rarely used data of a chunk.
#[derive(Clone, Default)]
struct BrickEntry {
    run: Option<QuadRun>,
    lamps: Vec<LampSite>,
}

/// The data of a chunk that culling reads: one cache line, because thousands are read for each
/// picture.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct BrickQuads {
    page: u32,
    /// Number of the first quad in the page.
    pub(crate) first: u32,
    /// Ends of the opaque quads of each direction, counted from the first.
    pub(crate) ends: [u32; 6],
    /// Number of transparent quads after them.
    pub(crate) transparent: u32,
    pub(crate) origin: [i32; 3],
    /// Side of a voxel, in metres.
    pub(crate) voxel: f32,
    pub(crate) offset: [f32; 3],
}

const _: () = assert!(size_of::<BrickQuads>() == 64);

impl Default for BrickQuads {
    fn default() -> Self {
        Self::NOTHING
    }
}

impl BrickQuads {
    const NO_PAGE: u32 = u32::MAX;
    const NOTHING: Self = Self {
        page: Self::NO_PAGE,
        first: 0,
        ends: [0; 6],
        transparent: 0,
        origin: [0; 3],
        voxel: 1.0,
        offset: [0.0; 3],
    };

    /// Returns the page of the quads; `None` if there is nothing to draw.
    #[inline]
    pub(crate) fn page(&self) -> Option<u32> {
        (self.page != Self::NO_PAGE).then_some(self.page)
    }

    /// Returns a point in metres from the chunk's lowest corner.
    #[inline]
    pub(crate) fn local(&self, point: &Position) -> Vector3<f32> {
        let axis = |i: usize| {
            point.cell[i].wrapping_sub(self.origin[i]) as f32 + (point.offset[i] - self.offset[i])
        };
        Vector3::new(axis(0), axis(1), axis(2))
    }
}

/// A lamp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LampSite {
    /// Voxels from the chunk's lowest corner.
    pub(crate) local: Vector3<f32>,
    pub(crate) color: [f32; 3],
    pub(crate) reach: f32,
}

/// The result of one call of [`Bricks::follow`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Uploaded {
    pub(crate) bricks: u32,
    pub(crate) bytes: u64,
    /// True if bind groups must be replaced.
    pub(crate) rebind: bool,
    /// True if lamps may have changed.
    pub(crate) lamps: bool,
    /// True if everything known before was dropped.
    pub(crate) forgot: bool,
}

/// All chunks on the GPU.
pub(crate) struct Bricks {
    pub(crate) pages: Pages,
    pub(crate) occlusion: OcclusionBits,
    entries: Vec<BrickEntry>,
    quads: Vec<BrickQuads>,
    rows: Vec<shaders::Brick>,
    table: GrowingBuffer,
    lit: Vec<u32>,
    world: Option<WorldSeen>,
    before: Option<WorldSeen>,
    /// Chunks that the last call of [`Bricks::follow`] changed.
    changed: Vec<BrickId>,
}

/// The state of a world that the GPU shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct WorldSeen {
    generation: u64,
    revision: u64,
    objects_revision: u64,
}

impl Bricks {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        Self {
            pages: Pages::default(),
            occlusion: OcclusionBits::new(gpu),
            entries: Vec::new(),
            quads: Vec::new(),
            rows: Vec::new(),
            table: GrowingBuffer::new(gpu, "bricks", wgpu::BufferUsages::STORAGE, 64 << 10),
            lit: Vec::new(),
            world: None,
            before: None,
            changed: Vec::new(),
        }
    }

    pub(crate) fn table(&self) -> &wgpu::Buffer {
        self.table.buffer()
    }

    /// Returns the quads of a chunk.
    #[inline]
    pub(crate) fn quads(&self, id: BrickId) -> Option<&BrickQuads> {
        self.quads.get(id.0 as usize)
    }

    /// Returns the world's revision that the GPU shows.
    fn revision(&self) -> u64 {
        self.world.map_or(0, |seen| seen.revision)
    }

    /// Returns a value that differs whenever something else is drawn, or elsewhere.
    pub(crate) fn seen(&self) -> Option<WorldSeen> {
        self.world
    }

    /// Returns the chunks that changed, came, went or moved since a state; `None` unless it is the
    /// one before the last call of [`Bricks::follow`].
    pub(crate) fn changed_since(&self, seen: WorldSeen) -> Option<&[BrickId]> {
        (self.before == Some(seen)).then_some(&self.changed)
    }

    /// Returns the chunks that changed, came, went or moved by the last call of [`Bricks::follow`].
    pub(crate) fn changed(&self) -> &[BrickId] {
        &self.changed
    }

    /// Returns the lamps of all chunks, with their chunk.
    pub(crate) fn lamps(&self) -> impl Iterator<Item = (&shaders::Brick, &LampSite)> {
        self.lit.iter().flat_map(|&id| {
            let row = &self.rows[id as usize];
            self.entries[id as usize]
                .lamps
                .iter()
                .map(move |lamp| (row, lamp))
        })
    }

    /// Uploads the changes since the last call; another generation is another world.
    pub(crate) fn follow(&mut self, gpu: &Gpu, world: Option<&World>, generation: u64) -> Uploaded {
        let Some(world) = world else {
            return self.forget();
        };
        let mut uploaded = Uploaded::default();
        if self
            .world
            .is_none_or(|seen| seen.generation != generation || seen.revision > world.revision())
        {
            uploaded = self.forget();
        }
        self.before = self.world;
        self.changed.clear();
        let since = self.revision();
        let pages = self.pages.len();
        if since != world.revision() {
            for id in world.changes_since(since) {
                self.upload(gpu, world, id, &mut uploaded);
            }
            self.follow_objects(gpu, world, &mut uploaded);
        }
        uploaded.rebind |= self.pages.len() != pages;
        self.write_rows(gpu, &mut uploaded);
        uploaded.rebind |= self.occlusion.finish(gpu);
        self.world = Some(WorldSeen {
            generation,
            revision: world.revision(),
            objects_revision: world.revision(),
        });
        uploaded
    }

    fn forget(&mut self) -> Uploaded {
        let lamps = !self.lit.is_empty();
        for entry in &mut self.entries {
            if let Some(run) = entry.run.take() {
                self.pages.free(run);
            }
        }
        self.occlusion.forget();
        self.entries.clear();
        self.quads.clear();
        self.rows.clear();
        self.lit.clear();
        self.world = None;
        Uploaded {
            lamps,
            forgot: true,
            ..Uploaded::default()
        }
    }

    fn upload(&mut self, gpu: &Gpu, world: &World, id: BrickId, uploaded: &mut Uploaded) {
        let index = id.0 as usize;
        if self.entries.len() <= index {
            self.entries.resize_with(index + 1, BrickEntry::default);
            self.quads.resize(index + 1, BrickQuads::NOTHING);
            self.rows.resize(index + 1, bytemuck::Zeroable::zeroed());
        }
        let surface = world.brick(id).render_surface();
        let (opaque, transparent) = (surface.opaque.quads(), surface.transparent.quads());
        let count = (opaque.len() + transparent.len()) as u32;
        let entry = &mut self.entries[index];
        entry.run = self.pages.replace(gpu, entry.run.take(), count);
        let quads = &mut self.quads[index];
        let [_, ends @ ..] = surface.opaque.face_starts();
        quads.ends = ends;
        quads.transparent = transparent.len() as u32;
        quads.page = entry.run.map_or(BrickQuads::NO_PAGE, |run| run.page);
        if let Some(run) = entry.run {
            quads.first = run.first();
            self.pages.write(gpu, run, 0, bytemuck::cast_slice(opaque));
            self.pages.write(
                gpu,
                run,
                opaque.len() as u32,
                bytemuck::cast_slice(transparent),
            );
        }
        uploaded.bytes += self.occlusion.follow(gpu, world, id);
        self.place(gpu, world, id);
        self.changed.push(id);
        self.find_lamps(world, id, uploaded);
        uploaded.bricks += 1;
        uploaded.bytes += u64::from(count) * super::pages::QUAD_BYTES;
    }

    /// Updates the places of objects that moved; their quads are the same.
    fn follow_objects(&mut self, gpu: &Gpu, world: &World, uploaded: &mut Uploaded) {
        let since = self.world.map_or(0, |seen| seen.objects_revision);
        for (_, object) in world.objects() {
            if object.moved_at() > since {
                for &brick in object.bricks() {
                    self.place(gpu, world, brick);
                    self.changed.push(brick);
                    let entry = self.entries.get(brick.0 as usize);
                    uploaded.lamps |= entry.is_some_and(|entry| !entry.lamps.is_empty());
                }
            }
        }
    }

    fn place(&mut self, gpu: &Gpu, world: &World, id: BrickId) {
        let Some(row) = row_of(world, id) else { return };
        let index = id.0 as usize;
        if index < self.rows.len() && self.rows[index] != row {
            self.rows[index] = row;
            let quads = &mut self.quads[index];
            (quads.origin, quads.voxel, quads.offset) = (row.origin, row.voxel, row.offset);
            let offset = index as u64 * size_of::<shaders::Brick>() as u64;
            if offset + size_of::<shaders::Brick>() as u64 <= self.table.buffer().size() {
                gpu.write_buffer(self.table.buffer(), offset, bytemuck::bytes_of(&row));
            }
        }
    }

    /// Writes the changed rows, or the whole table if it had to grow.
    fn write_rows(&mut self, gpu: &Gpu, uploaded: &mut Uploaded) {
        let bytes: &[u8] = bytemuck::cast_slice(&self.rows);
        if bytes.len() as u64 > self.table.buffer().size() {
            uploaded.rebind |= self.table.write(gpu, bytes) == Grown::Yes;
        }
    }

    fn find_lamps(&mut self, world: &World, id: BrickId, uploaded: &mut Uploaded) {
        let lamps = &mut self.entries[id.0 as usize].lamps;
        let had = !lamps.is_empty();
        lamps.clear();
        let surface = world.brick(id).render_surface();
        let materials = world.materials();
        for quad in surface
            .opaque
            .quads()
            .iter()
            .chain(surface.transparent.quads())
        {
            if materials.info(quad.material()).light > 0 {
                add_lamp(lamps, quad, materials);
            }
        }
        let has = !lamps.is_empty();
        uploaded.lamps |= had || has;
        if has && !had {
            self.lit.push(id.0);
        } else if had && !has {
            self.lit.retain(|&lit| lit != id.0);
        }
    }
}

/// Strength of the brightest lamp: at night it lights the ground within some five metres.
const LAMP_STRENGTH: f32 = 4.5;

/// Adds one lamp for each run of luminous voxels; the faces of one voxel add it once.
fn add_lamp(lamps: &mut Vec<LampSite>, quad: &RenderQuad, materials: &MaterialTable) {
    let axis = quad.face().axis();
    let mut local = Vector3::from(quad.voxel()).cast::<f32>() + Vector3::repeat(0.5);
    local[(axis + 1) % 3] += (quad.width() - 1) as f32 * 0.5;
    local[(axis + 2) % 3] += (quad.height() - 1) as f32 * 0.5;
    let known = lamps
        .iter()
        .any(|lamp| (lamp.local - local).norm_squared() < 1.0);
    if known || lamps.len() >= LAMPS_PER_BRICK {
        return;
    }
    let info = materials.info(quad.material());
    let strength = f32::from(info.light.min(15)) / 15.0;
    let linear = super::materials::linear(info.colour);
    let color = [0, 1, 2].map(|part| linear[part] * strength * LAMP_STRENGTH);
    lamps.push(LampSite {
        local,
        color,
        reach: 4.0 + 12.0 * strength,
    });
}

/// Returns the place of a chunk; `None` if it is unused.
fn row_of(world: &World, id: BrickId) -> Option<shaders::Brick> {
    let place = world.place_of(id);
    let (origin, voxel, offset, part) = match world.owner(id) {
        Owner::Unused => return None,
        Owner::Terrain => {
            let origin = place.map(|c| c.wrapping_mul(SIDE));
            (origin, 1.0, Vector3::zeros(), 0)
        }
        Owner::Object(object) => {
            let object = world.object(object)?;
            let side = SIDE as f32 * object.voxel_size();
            let corner = object.origin().moved(place.cast::<f32>() * side);
            let [x, y, z] = place.map(|c| c as u32 & 0x3ff).into();
            let part = 1 + (x | y << 10 | z << 20);
            (corner.cell, object.voxel_size(), corner.offset, part)
        }
    };
    Some(shaders::Brick {
        origin: origin.into(),
        voxel,
        offset: offset.into(),
        part,
    })
}

/// Calls `visit` for each chunk of an entry of the index.
#[inline]
pub(crate) fn bricks_of(world: &World, found: Found, mut visit: impl FnMut(BrickId)) {
    match found {
        Found::Terrain(id) => visit(id),
        Found::Object(id) => {
            if let Some(object) = world.object(id) {
                object.bricks().iter().for_each(|&brick| visit(brick));
            }
        }
    }
}
