//! The depth behind water, for adapters that cannot read the depth they test against: drawn once
//! more, with one sample per pixel, into a texture that only water reads.
//!
//! GL is such an adapter. wgpu also has no readable multisampled textures on GL (the driver refuses
//! their storage, and all draws into them are lost): samples can be resolved, but not read.

use super::pipelines::EXACT;
use super::{Renderer, Sized, passes};
use crate::Gpu;

/// The texture type from which water reads depth.
pub(super) struct DepthType {
    /// Name in WGSL.
    pub(super) name: &'static str,
    pub(super) sample_type: wgpu::TextureSampleType,
    pub(super) multisampled: bool,
}

impl DepthType {
    pub(super) fn of(gpu: &Gpu, samples: u32) -> Self {
        let multisampled = gpu.capabilities.depth_under_test && samples > 1;
        let (name, sample_type) = match (gpu.capabilities.depth_under_test, multisampled) {
            // GLSL compares with depth textures, but reads only plain numbers.
            (false, _) => ("texture_2d<f32>", EXACT),
            (true, false) => ("texture_depth_2d", wgpu::TextureSampleType::Depth),
            (true, true) => (
                "texture_depth_multisampled_2d",
                wgpu::TextureSampleType::Depth,
            ),
        };
        Self {
            name,
            sample_type,
            multisampled,
        }
    }
}

/// Pipelines of all opaque geometry and of materials with holes, without colour.
pub(crate) struct Behind {
    pub(super) terrain: wgpu::RenderPipeline,
    pub(super) holes: wgpu::RenderPipeline,
    pub(super) bodies: [wgpu::RenderPipeline; 3],
    pub(super) models: wgpu::RenderPipeline,
}

impl Renderer {
    pub(super) fn record_behind(&mut self, sized: &Sized, encoder: &mut wgpu::CommandEncoder) {
        let Some(pipelines) = &sized.pipelines.behind else {
            return;
        };
        if self.seen.transparent.len() == 0 {
            return;
        }
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("behind"),
            depth_stencil_attachment: Some(passes::depth(
                &sized.targets.behind,
                wgpu::LoadOp::Clear(0.0),
            )),
            timestamp_writes: self.timing.pass("behind"),
            ..Default::default()
        });
        let Some(groups) = self.bindings.groups() else {
            return;
        };
        pass.set_bind_group(0, &groups.frame, &[]);
        pass.set_pipeline(&pipelines.terrain);
        self.draw_voxels(&mut pass, &self.seen, &self.seen.opaque);
        pass.set_pipeline(&pipelines.holes);
        self.draw_voxels(&mut pass, &self.seen, &self.seen.transparent);
        self.draw_bodies(&mut pass, &pipelines.bodies);
        pass.set_pipeline(&pipelines.models);
        self.count_draws(self.models.draw_seen(&mut pass));
    }
}
