//! Buffers and textures that are the same in every picture, and all bind groups.

use world::{MaterialTable, World};

use super::bricks::Bricks;
use super::cascades::CASCADES;
use super::details::{self, Detail};
use super::draws::QUADS_PER_DRAW;
use super::growing::{GrowingBuffer, Grown};
use super::light::LightMap;
use super::overlays::Overlays;
use super::war::WarMap;
use super::{Sized, materials};
use crate::Gpu;

/// Bytes between two cascades in their buffer.
pub(crate) const CASCADE_STRIDE: u64 = 256;

/// Bind groups of a picture, replaced when a resource in them is replaced.
pub(crate) struct Groups {
    pub(crate) frame: wgpu::BindGroup,
    /// For the passes that draw the shadow map.
    pub(crate) frame_without_shadows: wgpu::BindGroup,
    /// One for each page of quads.
    pub(crate) voxels: Vec<wgpu::BindGroup>,
    pub(crate) cascade: wgpu::BindGroup,
    pub(crate) depth: wgpu::BindGroup,
    pub(crate) base: wgpu::BindGroup,
    pub(crate) bloom: [wgpu::BindGroup; 3],
    pub(crate) finish: wgpu::BindGroup,
}

pub(crate) struct Bindings {
    pub(crate) frame: wgpu::Buffer,
    pub(crate) cascades: wgpu::Buffer,
    indices: wgpu::Buffer,
    materials: GrowingBuffer,
    /// The materials written last.
    material_table: Option<MaterialTable>,
    details: wgpu::TextureView,
    detail_sampler: wgpu::Sampler,
    shadow_sampler: wgpu::Sampler,
    smooth_sampler: wgpu::Sampler,
    no_shadow: wgpu::TextureView,
    no_war: wgpu::TextureView,
    groups: Option<Groups>,
}

impl Bindings {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let uniform = |label, size| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        };
        Self {
            frame: uniform("frame", size_of::<shaders::FrameUniform>() as u64),
            cascades: uniform("cascades", CASCADE_STRIDE * CASCADES as u64),
            indices: index_buffer(gpu),
            materials: GrowingBuffer::new(gpu, "materials", wgpu::BufferUsages::STORAGE, 4096),
            material_table: None,
            details: detail_texture(gpu),
            detail_sampler: sampler(gpu, wgpu::AddressMode::Repeat, None),
            shadow_sampler: sampler(
                gpu,
                wgpu::AddressMode::ClampToEdge,
                Some(wgpu::CompareFunction::LessEqual),
            ),
            smooth_sampler: sampler(gpu, wgpu::AddressMode::ClampToEdge, None),
            no_shadow: no_texture(
                gpu,
                crate::gpu::DEPTH_FORMAT,
                wgpu::TextureViewDimension::D2Array,
            ),
            no_war: no_texture(gpu, super::war::WAR_FORMAT, wgpu::TextureViewDimension::D2),
            groups: None,
        }
    }

    /// Invalidates the bind groups, because a resource in them was replaced.
    pub(crate) fn outdate(&mut self) {
        self.groups = None;
    }

    pub(crate) fn groups(&self) -> Option<&Groups> {
        self.groups.as_ref()
    }

    pub(crate) fn quad_indices(&self) -> &wgpu::Buffer {
        &self.indices
    }

    /// Uploads the materials if they differ: some may be added at any time, and another world may
    /// have others.
    pub(crate) fn follow_materials(&mut self, gpu: &Gpu, world: Option<&World>) {
        let Some(world) = world else { return };
        let table = world.materials();
        let known = self.material_table.as_ref();
        if known.is_none_or(|known| known.len() != table.len() || !table.extends(known)) {
            self.material_table = Some(table.clone());
            let rows = materials::rows_of(table);
            if self.materials.write(gpu, bytemuck::cast_slice(&rows)) == Grown::Yes {
                self.outdate();
            }
        }
    }

    /// Makes the bind groups if they are out of date.
    pub(crate) fn refresh(
        &mut self,
        gpu: &Gpu,
        sized: &Sized,
        bricks: &Bricks,
        light: &LightMap,
        overlays: &Overlays,
        war: Option<&WarMap>,
    ) {
        if self.groups.is_some() {
            return;
        }
        let maker = Maker { gpu };
        let war_map = war.map_or(&self.no_war, |war| &war.shown);
        let (layouts, targets) = (&sized.layouts, &sized.targets);
        let frame = |shadow: &wgpu::TextureView| {
            maker.group(
                &layouts.frame,
                &[
                    self.frame.as_entire_binding(),
                    wgpu::BindingResource::TextureView(shadow),
                    wgpu::BindingResource::Sampler(&self.shadow_sampler),
                    light.buffer().as_entire_binding(),
                    wgpu::BindingResource::TextureView(war_map),
                    wgpu::BindingResource::Sampler(&self.smooth_sampler),
                ],
            )
        };
        let voxels = |page: usize| {
            maker.group(
                &layouts.voxels,
                &[
                    bricks.pages.buffer(page).as_entire_binding(),
                    bricks.table().as_entire_binding(),
                    self.materials.buffer().as_entire_binding(),
                    wgpu::BindingResource::TextureView(&self.details),
                    wgpu::BindingResource::Sampler(&self.detail_sampler),
                    bricks.occlusion.bits().as_entire_binding(),
                    bricks.occlusion.table().as_entire_binding(),
                ],
            )
        };
        let source = |view: &wgpu::TextureView| {
            let view = wgpu::BindingResource::TextureView(view);
            maker.group(
                &layouts.source,
                &[view, wgpu::BindingResource::Sampler(&self.smooth_sampler)],
            )
        };
        let groups = Groups {
            frame: frame(&targets.shadow),
            frame_without_shadows: frame(&self.no_shadow),
            voxels: (0..bricks.pages.len()).map(voxels).collect(),
            cascade: maker.group(
                &layouts.cascade,
                &[window(&self.cascades, size_of::<shaders::Cascade>() as u64)],
            ),
            depth: maker.group(
                &layouts.depth,
                &[wgpu::BindingResource::TextureView(&targets.behind)],
            ),
            base: maker.group(
                &layouts.base,
                &[window(&overlays.bases, size_of::<shaders::Base>() as u64)],
            ),
            bloom: [
                source(&targets.picture),
                source(&targets.bloom[0]),
                source(&targets.bloom[1]),
            ],
            finish: maker.group(
                &layouts.finish,
                &[
                    wgpu::BindingResource::TextureView(&targets.picture),
                    wgpu::BindingResource::TextureView(&targets.bloom[0]),
                    wgpu::BindingResource::Sampler(&self.smooth_sampler),
                ],
            ),
        };
        self.groups = Some(groups);
    }
}

struct Maker<'a> {
    gpu: &'a Gpu,
}

impl Maker<'_> {
    /// Makes a bind group of resources numbered from 0.
    fn group(
        &self,
        layout: &wgpu::BindGroupLayout,
        resources: &[wgpu::BindingResource<'_>],
    ) -> wgpu::BindGroup {
        let entries: Vec<_> = (0..)
            .zip(resources)
            .map(|(binding, resource)| wgpu::BindGroupEntry {
                binding,
                resource: resource.clone(),
            })
            .collect();
        self.gpu
            .device
            .create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout,
                entries: &entries,
            })
    }
}

/// Binds the first bytes of a buffer, to be moved by a dynamic offset.
fn window(buffer: &wgpu::Buffer, bytes: u64) -> wgpu::BindingResource<'_> {
    wgpu::BindingResource::Buffer(wgpu::BufferBinding {
        buffer,
        offset: 0,
        size: wgpu::BufferSize::new(bytes),
    })
}

/// Makes the indices of two triangles per quad: corners 0, 1, 2 and 0, 2, 3.
fn index_buffer(gpu: &Gpu) -> wgpu::Buffer {
    let indices: Vec<u16> = (0..QUADS_PER_DRAW as u16)
        .flat_map(|quad| [0, 1, 2, 0, 2, 3].map(|corner| quad * 4 + corner))
        .collect();
    let bytes: &[u8] = bytemuck::cast_slice(&indices);
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("quad indices"),
        size: bytes.len() as u64,
        usage: wgpu::BufferUsages::INDEX | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    gpu.write_buffer(&buffer, 0, bytes);
    buffer
}

fn sampler(
    gpu: &Gpu,
    address: wgpu::AddressMode,
    compare: Option<wgpu::CompareFunction>,
) -> wgpu::Sampler {
    let repeats = address == wgpu::AddressMode::Repeat;
    gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        address_mode_u: address,
        address_mode_v: address,
        mag_filter: if repeats {
            wgpu::FilterMode::Nearest
        } else {
            wgpu::FilterMode::Linear
        },
        min_filter: wgpu::FilterMode::Linear,
        mipmap_filter: wgpu::MipmapFilterMode::Linear,
        compare,
        ..Default::default()
    })
}

pub(super) fn no_texture(
    gpu: &Gpu,
    format: wgpu::TextureFormat,
    dimension: wgpu::TextureViewDimension,
) -> wgpu::TextureView {
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("nothing"),
        size: wgpu::Extent3d {
            width: 1,
            height: 1,
            // In GL a texture of one layer is not an array.
            depth_or_array_layers: match dimension {
                wgpu::TextureViewDimension::D2Array => 2,
                _ => 1,
            },
        },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::RENDER_ATTACHMENT,
        view_formats: &[],
    });
    texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(dimension),
        ..Default::default()
    })
}

fn detail_texture(gpu: &Gpu) -> wgpu::TextureView {
    let side = details::SIDE as u32;
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("details"),
        size: wgpu::Extent3d {
            width: side,
            height: side,
            depth_or_array_layers: Detail::ALL.len() as u32,
        },
        mip_level_count: details::LEVELS,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8Unorm,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    for (layer, detail) in (0..).zip(Detail::ALL) {
        let bytes = details::texture(detail);
        let mut start = 0;
        for level in 0..details::LEVELS {
            let side = side >> level;
            let end = start + (side * side * 4) as usize;
            gpu.write_texture(
                wgpu::TexelCopyTextureInfo {
                    texture: &texture,
                    mip_level: level,
                    origin: wgpu::Origin3d {
                        x: 0,
                        y: 0,
                        z: layer,
                    },
                    aspect: wgpu::TextureAspect::All,
                },
                &bytes[start..end],
                wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(side * 4),
                    rows_per_image: None,
                },
                wgpu::Extent3d {
                    width: side,
                    height: side,
                    depth_or_array_layers: 1,
                },
            );
            start = end;
        }
    }
    texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(wgpu::TextureViewDimension::D2Array),
        ..Default::default()
    })
}
