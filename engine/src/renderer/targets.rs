//! Textures of a picture's size, and the shadow map.

use super::cascades;
use crate::gpu::{DEPTH_FORMAT, PICTURE_FORMAT};
use crate::{Antialiasing, Gpu, GraphicsSettings, ShadowQuality};

/// The properties that the targets depend on. The size is that of the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TargetKey {
    pub(crate) size: [u32; 2],
    pub(crate) samples: u32,
    pub(crate) shadow: u32,
}

impl TargetKey {
    /// Returns the properties for a picture of this size.
    pub(crate) fn of(gpu: &Gpu, settings: &GraphicsSettings, size: [u32; 2]) -> Self {
        let scale = settings.sanitised().render_scale;
        let four = settings.antialiasing == Antialiasing::Msaa4 && gpu.capabilities.multisampling;
        let quality = settings.shadows;
        let shadow =
            cascades::resolution(quality).min(gpu.device.limits().max_texture_dimension_2d);
        Self {
            size: size.map(|side| (side as f32 * scale).round().max(1.0) as u32),
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
            bloom: [0, 1].map(|_| plain("bloom", quarter(key.size), PICTURE_FORMAT)),
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

/// Bytes of a pixel of the picture, of depth, and of the finished picture.
const PICTURE_BYTES: u64 = 8;
const DEPTH_BYTES: u64 = 4;
const SHOWN_BYTES: u64 = 4;

impl TargetKey {
    /// Returns the bytes of targets that the passes of a picture load and store: the traffic that a
    /// GPU with tiles cannot avoid. Panels are left out.
    pub(crate) fn traffic(&self, shown: [u32; 2], sample_passes: u32, shadow_maps: u32) -> u64 {
        let pixels = |size: [u32; 2]| u64::from(size[0]) * u64::from(size[1]);
        let scene = pixels(self.size);
        let samples = scene * u64::from(self.samples) * (PICTURE_BYTES + DEPTH_BYTES);
        // Each pass but the last stores colour and depth, and the next loads both.
        let between = u64::from(sample_passes.saturating_sub(1)) * 2 * samples;
        // The last pass stores only the picture, one sample a pixel.
        let last = scene * PICTURE_BYTES;
        let bloom = 3 * pixels(quarter(self.size)) * PICTURE_BYTES;
        let shadows = u64::from(shadow_maps) * pixels([self.shadow; 2]) * DEPTH_BYTES;
        between + last + bloom + shadows + pixels(shown) * SHOWN_BYTES
    }
}

/// Returns the size of the bloom of a picture.
fn quarter(size: [u32; 2]) -> [u32; 2] {
    size.map(|side| side.div_ceil(4).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_passes_over_four_samples_load_and_store_a_fifth_of_a_gigabyte_at_1080p() {
        let key = TargetKey {
            size: [1920, 1080],
            samples: 4,
            shadow: 2048,
        };
        let shown = [1920, 1080];
        let (samples, resolved, bloom) = (99_532_800, 16_588_800, 3_110_400);
        let tone = 8_294_400;
        let one = key.traffic(shown, 1, 0);
        assert_eq!(one, resolved + bloom + tone);
        assert_eq!(key.traffic(shown, 2, 0), one + 2 * samples);
        assert_eq!(key.traffic(shown, 1, 3), one + 3 * 16_777_216);
        let half = TargetKey {
            size: [960, 540],
            ..key
        };
        let scene = (one - tone) / 4;
        assert_eq!(half.traffic(shown, 1, 0), scene + tone);
    }
}
