//! Fog of war on the GPU: smoothed without leaking over cliffs, and blended from the last state to
//! the new one.

use crate::{FogView, Gpu};

/// Format of the displayed fog; more than eight bits, because it is blended repeatedly.
pub(crate) const WAR_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::R16Float;
/// Format of the map for panels.
pub(crate) const MAP_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
/// Height difference that the smoothing does not cross, in metres.
const CLIFF: f32 = 2.0;
/// Rate of blending: the fraction blended in one second is `1 - exp(-this)`.
const BLEND_RATE: f32 = 6.0;

/// Textures for one size of map.
pub(crate) struct WarMap {
    size: [u32; 2],
    alpha: wgpu::Texture,
    heights: wgpu::Texture,
    across: wgpu::TextureView,
    pub(crate) shown: wgpu::TextureView,
    across_group: wgpu::BindGroup,
    down_group: wgpu::BindGroup,
    /// The displayed fog as a map for panels.
    pub(crate) map: wgpu::TextureView,
    pub(crate) map_group: wgpu::BindGroup,
    uniforms: [wgpu::Buffer; 2],
    staged: Vec<u8>,
    revision: Option<u64>,
    origin: [i32; 2],
    last_time: f32,
}

/// The work for a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WarWork {
    /// The new state must be smoothed first.
    SmoothAndBlend,
    /// Only the blend continues.
    Blend,
}

/// Returns true if a map's arrays have the right length and it fits a texture.
pub(crate) fn usable(gpu: &Gpu, view: &FogView<'_>) -> bool {
    let tiles = view.size[0] as usize * view.size[1] as usize;
    let most = gpu.device.limits().max_texture_dimension_2d;
    let fits = view.size.iter().all(|side| (1..=most).contains(side));
    fits && view.alpha.len() == tiles && view.heights.len() == tiles && view.tile > 0.0
}

impl WarMap {
    pub(crate) fn new(gpu: &Gpu, layout: &wgpu::BindGroupLayout, size: [u32; 2]) -> Self {
        let texture = |label, format, usage| {
            gpu.device.create_texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size: wgpu::Extent3d {
                    width: size[0],
                    height: size[1],
                    depth_or_array_layers: 1,
                },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: usage | wgpu::TextureUsages::TEXTURE_BINDING,
                view_formats: &[],
            })
        };
        let view =
            |texture: &wgpu::Texture| texture.create_view(&wgpu::TextureViewDescriptor::default());
        let copied = wgpu::TextureUsages::COPY_DST;
        let drawn = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let alpha = texture("fog of war", wgpu::TextureFormat::R8Unorm, copied);
        let heights = texture("fog heights", wgpu::TextureFormat::R32Float, copied);
        let across = view(&texture("fog across", WAR_FORMAT, drawn));
        let shown = view(&texture("fog shown", WAR_FORMAT, drawn));
        let map = view(&texture("fog map", MAP_FORMAT, drawn));
        let uniforms = [0, 1].map(|_| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("war blur"),
                size: size_of::<shaders::WarBlur>() as u64,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        });
        let group = |uniform: &wgpu::Buffer, source: &wgpu::TextureView| {
            gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("war blur"),
                layout,
                entries: &[
                    wgpu::BindGroupEntry {
                        binding: 0,
                        resource: uniform.as_entire_binding(),
                    },
                    wgpu::BindGroupEntry {
                        binding: 1,
                        resource: wgpu::BindingResource::TextureView(source),
                    },
                    wgpu::BindGroupEntry {
                        binding: 2,
                        resource: wgpu::BindingResource::TextureView(&view(&heights)),
                    },
                ],
            })
        };
        Self {
            size,
            across_group: group(&uniforms[0], &view(&alpha)),
            down_group: group(&uniforms[1], &across),
            map_group: group(&uniforms[1], &shown),
            map,
            alpha,
            heights,
            across,
            shown,
            uniforms,
            staged: Vec::new(),
            revision: None,
            origin: [0; 2],
            last_time: 0.0,
        }
    }

    pub(crate) fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Takes over the fog of a frame, and returns the work for it.
    pub(crate) fn update(&mut self, gpu: &Gpu, view: &FogView<'_>, time: f32) -> WarWork {
        let elapsed = (time - self.last_time).clamp(0.0, 1.0);
        self.last_time = time;
        // The state of a map elsewhere must not be blended in.
        let first = self.revision.is_none() || self.origin != view.origin;
        self.origin = view.origin;
        let share = if first {
            1.0
        } else {
            1.0 - (-BLEND_RATE * elapsed).exp()
        };
        self.write_uniform(gpu, 0, [1, 0], 1.0);
        self.write_uniform(gpu, 1, [0, 1], share);
        if self.revision == Some(view.revision) {
            return WarWork::Blend;
        }
        self.revision = Some(view.revision);
        self.staged.clear();
        self.staged.extend(
            view.alpha
                .iter()
                .map(|alpha| (alpha.clamp(0.0, 1.0) * 255.0 + 0.5) as u8),
        );
        write(gpu, &self.alpha, &self.staged, self.size, 1);
        write(
            gpu,
            &self.heights,
            bytemuck::cast_slice(view.heights),
            self.size,
            4,
        );
        WarWork::SmoothAndBlend
    }

    fn write_uniform(&self, gpu: &Gpu, number: usize, axis: [i32; 2], share: f32) {
        let blur = shaders::WarBlur {
            axis,
            cliff: CLIFF,
            share,
        };
        gpu.write_buffer(&self.uniforms[number], 0, bytemuck::bytes_of(&blur));
    }

    /// Returns targets and bindings of the passes to record, in order.
    pub(crate) fn passes(
        &self,
        work: WarWork,
    ) -> impl Iterator<Item = (&wgpu::TextureView, &wgpu::BindGroup)> {
        let smooth =
            (work == WarWork::SmoothAndBlend).then_some((&self.across, &self.across_group));
        smooth.into_iter().chain([(&self.shown, &self.down_group)])
    }
}

fn write(gpu: &Gpu, texture: &wgpu::Texture, bytes: &[u8], size: [u32; 2], texel: u32) {
    let layout = wgpu::TexelCopyBufferLayout {
        offset: 0,
        bytes_per_row: Some(size[0] * texel),
        rows_per_image: None,
    };
    gpu.write_texture(texture.as_image_copy(), bytes, layout, texture.size());
}
