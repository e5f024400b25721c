//! Overlays on the GPU: one vertex buffer for all of a picture.

use super::growing::GrowingBuffer;
use crate::overlay::OverlayVertex;
use crate::{Camera, Gpu, Overlay, Visibility};

/// Largest number of overlays in one picture, including the ghost's.
pub(crate) const MOST: usize = 64;
/// Bytes between two bases in their buffer: an alignment valid on every adapter.
pub(crate) const BASE_STRIDE: u64 = 256;
/// Fraction of the distance by which an overlay is drawn nearer to the eye.
const LIFT: f32 = 0.0015;

/// Vertices of one overlay.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) triangles: std::ops::Range<u32>,
    pub(crate) lines: std::ops::Range<u32>,
    pub(crate) visibility: Visibility,
}

/// All overlays of a picture.
pub(crate) struct Overlays {
    pub(crate) vertices: GrowingBuffer,
    pub(crate) bases: wgpu::Buffer,
    staged: Vec<OverlayVertex>,
    staged_bases: Vec<u8>,
    pub(crate) parts: Vec<Part>,
}

impl Overlays {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        Self {
            vertices: GrowingBuffer::new(gpu, "overlay", wgpu::BufferUsages::VERTEX, 64 << 10),
            bases: gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("overlay bases"),
                size: BASE_STRIDE * MOST as u64,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }),
            staged: Vec::new(),
            staged_bases: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// Takes over the overlays of a frame and, last, that of its ghost. Overlays beyond [`MOST`]
    /// are left out, but never the ghost.
    pub(crate) fn update(
        &mut self,
        gpu: &Gpu,
        camera: &Camera,
        overlays: &[Overlay],
        ghost: &Overlay,
    ) {
        self.staged.clear();
        self.staged_bases.clear();
        self.parts.clear();
        let is_shown = |overlay: &&Overlay| !overlay.is_empty();
        let shown = overlays.iter().filter(is_shown).take(MOST - 1);
        for overlay in shown.chain(Some(ghost).filter(is_shown)) {
            let triangles = self.stage(&overlay.triangles);
            let lines = self.stage(&overlay.lines);
            self.parts.push(Part {
                triangles,
                lines,
                visibility: overlay.visibility,
            });
            let whole = overlay
                .base
                .zip_map(&camera.position.cell, |a, b| a.wrapping_sub(b) as f32);
            let base = shaders::Base {
                offset: (whole - camera.position.offset).into(),
                lift: LIFT,
            };
            self.staged_bases
                .extend_from_slice(bytemuck::bytes_of(&base));
            self.staged_bases
                .resize(self.parts.len() * BASE_STRIDE as usize, 0);
        }
        self.vertices.write(gpu, bytemuck::cast_slice(&self.staged));
        if !self.staged_bases.is_empty() {
            gpu.write_buffer(&self.bases, 0, &self.staged_bases);
        }
    }

    fn stage(&mut self, vertices: &[OverlayVertex]) -> std::ops::Range<u32> {
        let start = self.staged.len() as u32;
        self.staged.extend_from_slice(vertices);
        start..self.staged.len() as u32
    }
}
