//! Textures of a picture's size, and the shadow map.

use super::cascades;
use crate::gpu::{DEPTH_FORMAT, PICTURE_FORMAT};
use crate::{Antialiasing, Gpu, GraphicsSettings, ShadowQuality};

/// The properties that the targets depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TargetKey {
    pub(crate) size: [u32; 2],
    pub(crate) samples: u32,
    pub(crate) shadow: u32,
}

impl TargetKey {
    pub(crate) fn of(gpu: &Gpu, settings: &GraphicsSettings, size: [u32; 2]) -> Self {
        let four = settings.antialiasing == Antialiasing::Msaa4 && gpu.capabilities.multisampling;
        let quality = settings.shadows;
        let shadow =
            cascades::resolution(quality).min(gpu.device.limits().max_texture_dimension_2d);
        Self {
            size,
            samples: if four { 4 } else { 1 },
            shadow,
        }
    }
}

const DRAWN: wgpu::TextureUsages = wgpu::TextureUsages::RENDER_ATTACHMENT;

/// Textures that passes draw into and read.
pub(crate) struct Targets {
    pub(crate) key: TargetKey,
    /// Light of each sample.
    pub(crate) samples: wgpu::TextureView,
    /// Light of each pixel; identical to `samples` with one sample per pixel.
    pub(crate) picture: wgpu::TextureView,
    pub(crate) depth: wgpu::TextureView,
    /// Depth that water reads: `depth` itself if the adapter can read it, otherwise drawn
    /// separately with one sample per pixel.
    pub(crate) behind: wgpu::TextureView,
    pub(crate) bloom: [wgpu::TextureView; 2],
    pub(crate) shadow_layers: [wgpu::TextureView; cascades::CASCADES],
    pub(crate) shadow: wgpu::TextureView,
}

impl Targets {
    pub(crate) fn new(gpu: &Gpu, key: TargetKey) -> Self {
        let readable = DRAWN | wgpu::TextureUsages::TEXTURE_BINDING;
        let texture = |label, size: [u32; 2], layers, samples, format, usage| {
            gpu.device.create_texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size: wgpu::Extent3d {
                    width: size[0],
                    height: size[1],
                    depth_or_array_layers: layers,
                },
                mip_level_count: 1,
                sample_count: samples,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage,
                view_formats: &[],
            })
        };
        let whole =
            |texture: &wgpu::Texture| texture.create_view(&wgpu::TextureViewDescriptor::default());
        let plain = |label, size, format| whole(&texture(label, size, 1, 1, format, readable));
        let picture = plain("picture", key.size, PICTURE_FORMAT);
        let samples = match key.samples {
            1 => picture.clone(),
            // GL has no readable textures with several samples per pixel.
            count => whole(&texture(
                "samples",
                key.size,
                1,
                count,
                PICTURE_FORMAT,
                DRAWN,
            )),
        };
        let under_test = gpu.capabilities.depth_under_test;
        let usage = if under_test { readable } else { DRAWN };
        let depth = whole(&texture(
            "depth",
            key.size,
            1,
            key.samples,
            DEPTH_FORMAT,
            usage,
        ));
        let behind = if under_test {
            depth.clone()
        } else {
            plain("behind", key.size, DEPTH_FORMAT)
        };
        let quarter = key.size.map(|side| side.div_ceil(4).max(1));
        let shadow = texture(
            "shadow",
            [key.shadow; 2],
            cascades::CASCADES as u32,
            1,
            DEPTH_FORMAT,
            readable,
        );
        let layer = |layer: u32| {
            shadow.create_view(&wgpu::TextureViewDescriptor {
                dimension: Some(wgpu::TextureViewDimension::D2),
                base_array_layer: layer,
                array_layer_count: Some(1),
                ..Default::default()
            })
        };
        Self {
            key,
            samples,
            picture,
            depth,
            behind,
            bloom: [0, 1].map(|_| plain("bloom", quarter, PICTURE_FORMAT)),
            shadow_layers: [layer(0), layer(1), layer(2)],
            shadow: shadow.create_view(&wgpu::TextureViewDescriptor {
                dimension: Some(wgpu::TextureViewDimension::D2Array),
                ..Default::default()
            }),
        }
    }
}

/// Returns true if shadows are drawn.
pub(crate) fn has_shadows(settings: &GraphicsSettings) -> bool {
    settings.shadows != ShadowQuality::Off
}
