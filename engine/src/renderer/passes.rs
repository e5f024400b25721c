//! The bindings and draws of each pass.

use super::overlays::BASE_STRIDE;
use super::{Renderer, Sized, Target, bodies};
use crate::Visibility;
use crate::renderer::bindings::CASCADE_STRIDE;
use crate::renderer::culling::ViewDraws;
use crate::renderer::draws::DrawList;
use crate::renderer::shadows::Bodied;

pub(super) fn color(
    view: &wgpu::TextureView,
    load: wgpu::LoadOp<wgpu::Color>,
) -> wgpu::RenderPassColorAttachment<'_> {
    wgpu::RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target: None,
        ops: wgpu::Operations {
            load,
            store: wgpu::StoreOp::Store,
        },
    }
}

pub(super) fn depth(
    view: &wgpu::TextureView,
    load: wgpu::LoadOp<f32>,
) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(wgpu::Operations {
            load,
            store: wgpu::StoreOp::Store,
        }),
        stencil_ops: None,
    }
}

/// Stores the result if it is needed after the pass.
fn kept(wanted: bool) -> wgpu::StoreOp {
    match wanted {
        true => wgpu::StoreOp::Store,
        false => wgpu::StoreOp::Discard,
    }
}

/// Attaches the samples of a picture. The last pass resolves them, after which they are not read
/// any more.
fn samples(
    sized: &Sized,
    load: wgpu::LoadOp<wgpu::Color>,
    last: bool,
) -> wgpu::RenderPassColorAttachment<'_> {
    let together = last && sized.targets.key.samples > 1;
    wgpu::RenderPassColorAttachment {
        resolve_target: together.then_some(&sized.targets.picture),
        ops: wgpu::Operations {
            load,
            store: kept(!together),
        },
        ..color(&sized.targets.samples, load)
    }
}

/// Attaches depth that is tested and may be read as a texture, but not written.
fn read_only(view: &wgpu::TextureView) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: None,
        stencil_ops: None,
    }
}

impl Renderer {
    /// Adds to the draws of this picture.
    pub(super) fn count_draws(&self, draws: u32) {
        self.drawn.set(self.drawn.get() + draws);
    }

    pub(super) fn record_war_blur(&mut self, sized: &Sized, encoder: &mut wgpu::CommandEncoder) {
        let (Some(war), Some(work)) = (&self.war, self.war_work) else {
            return;
        };
        let (blur, map) = (&sized.pipelines.war_blur, &sized.pipelines.war_map);
        let passes = war
            .passes(work)
            .map(|(target, group)| (target, group, blur));
        for (target, group, pipeline) in passes.chain([(&war.map, &war.map_group, map)]) {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("war_blur"),
                color_attachments: &[Some(color(target, wgpu::LoadOp::Load))],
                timestamp_writes: self.timing.pass("war_blur"),
                ..Default::default()
            });
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, group, &[]);
            pass.draw(0..3, 0..1);
            self.count_draws(1);
        }
    }

    pub(super) fn record_shadow(&mut self, sized: &Sized, encoder: &mut wgpu::CommandEncoder) {
        let layers = sized.targets.shadow_layers.iter().zip(&self.shadows.maps);
        for (number, (layer, map)) in layers.enumerate() {
            if !map.outdated() {
                continue;
            }
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("shadow"),
                depth_stencil_attachment: Some(depth(layer, wgpu::LoadOp::Clear(1.0))),
                timestamp_writes: self.timing.pass("shadow"),
                ..Default::default()
            });
            let Some(groups) = self.bindings.groups() else {
                return;
            };
            pass.set_bind_group(0, &groups.frame_without_shadows, &[]);
            pass.set_bind_group(2, &groups.cascade, &[number as u32 * CASCADE_STRIDE as u32]);
            pass.set_pipeline(&sized.pipelines.shadow);
            let draws = &map.draws;
            self.draw_voxels(&mut pass, draws, &draws.opaque);
            pass.set_pipeline(&sized.pipelines.shadow_holes);
            self.draw_voxels(&mut pass, draws, &draws.transparent);
            if map.bodied == Bodied::Yes {
                pass.set_pipeline(&sized.pipelines.shadow_body);
                let casting = self.bodies.casting(number);
                pass.set_vertex_buffer(0, self.bodies.instances(casting.start));
                pass.draw(0..bodies::SHADOW_VERTICES, 0..casting.end - casting.start);
                self.count_draws(1);
            }
            pass.set_pipeline(&sized.pipelines.shadow_model);
            self.count_draws(self.models.draw_casting(&mut pass, number));
        }
    }

    /// Records everything opaque, and the sky behind it. It is the last pass over the samples if
    /// nothing is translucent.
    pub(super) fn record_opaque(&mut self, sized: &Sized, encoder: &mut wgpu::CommandEncoder) {
        let last = self.seen.transparent.len() == 0;
        let clear = wgpu::LoadOp::Clear(wgpu::Color::BLACK);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("opaque"),
            color_attachments: &[Some(samples(sized, clear, last))],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(0.0),
                    store: kept(!last),
                }),
                ..read_only(&sized.targets.depth)
            }),
            timestamp_writes: self.timing.pass("opaque"),
            ..Default::default()
        });
        self.statistics.sample_passes = 1;
        let Some(groups) = self.bindings.groups() else {
            return;
        };
        pass.set_bind_group(0, &groups.frame, &[]);
        pass.set_pipeline(&sized.pipelines.terrain);
        self.draw_voxels(&mut pass, &self.seen, &self.seen.opaque);
        pass.set_pipeline(&sized.pipelines.holes);
        self.draw_voxels(&mut pass, &self.seen, &self.seen.transparent);
        self.draw_bodies(&mut pass, &sized.pipelines.bodies);
        pass.set_pipeline(&sized.pipelines.models);
        self.count_draws(self.models.draw_seen(&mut pass));
        self.draw_overlays(&mut pass, sized, |kind| kind == Visibility::Solid);
        pass.set_pipeline(&sized.pipelines.sky);
        pass.draw(0..3, 0..1);
        self.count_draws(1);
        if last {
            self.draw_overlays(&mut pass, sized, |kind| kind != Visibility::Solid);
        }
    }

    /// Records water and glass, which read the depth behind them, and lines over everything.
    pub(super) fn record_translucent(&mut self, sized: &Sized, encoder: &mut wgpu::CommandEncoder) {
        if self.seen.transparent.len() == 0 {
            return;
        }
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("translucent"),
            color_attachments: &[Some(samples(sized, wgpu::LoadOp::Load, true))],
            depth_stencil_attachment: Some(read_only(&sized.targets.depth)),
            timestamp_writes: self.timing.pass("translucent"),
            ..Default::default()
        });
        self.statistics.sample_passes += 1;
        let Some(groups) = self.bindings.groups() else {
            return;
        };
        pass.set_bind_group(0, &groups.frame, &[]);
        pass.set_bind_group(2, &groups.depth, &[]);
        pass.set_pipeline(&sized.pipelines.water);
        self.draw_voxels(&mut pass, &self.seen, &self.seen.transparent);
        self.draw_overlays(&mut pass, sized, |kind| kind != Visibility::Solid);
    }

    /// Draws the overlays of some kinds.
    fn draw_overlays(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        sized: &Sized,
        is_drawn: impl Fn(Visibility) -> bool,
    ) {
        let Some(groups) = self.bindings.groups() else {
            return;
        };
        for (number, part) in self.overlays.parts.iter().enumerate() {
            if !is_drawn(part.visibility) {
                continue;
            }
            let kind = match part.visibility {
                Visibility::Occluded => 0,
                Visibility::Through => 1,
                Visibility::Solid => 2,
            };
            pass.set_vertex_buffer(0, self.overlays.vertices.buffer().slice(..));
            pass.set_bind_group(1, &groups.base, &[number as u32 * BASE_STRIDE as u32]);
            for (pipelines, vertices) in [
                (&sized.pipelines.triangles, &part.triangles),
                (&sized.pipelines.lines, &part.lines),
            ] {
                if !vertices.is_empty() {
                    pass.set_pipeline(&pipelines[kind]);
                    pass.draw(vertices.clone(), 0..1);
                    self.count_draws(1);
                }
            }
        }
    }

    pub(super) fn record_bloom(&mut self, sized: &Sized, encoder: &mut wgpu::CommandEncoder) {
        let Some(groups) = self.bindings.groups() else {
            return;
        };
        let [first, second] = &sized.targets.bloom;
        let steps = [
            (&groups.bloom[0], first),
            (&groups.bloom[1], second),
            (&groups.bloom[2], first),
        ];
        for ((source, target), pipeline) in steps.into_iter().zip(&sized.pipelines.bloom) {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("bloom"),
                color_attachments: &[Some(color(target, wgpu::LoadOp::Clear(wgpu::Color::BLACK)))],
                timestamp_writes: self.timing.pass("bloom"),
                ..Default::default()
            });
            pass.set_bind_group(0, &groups.frame, &[]);
            pass.set_bind_group(1, source, &[]);
            pass.set_pipeline(pipeline);
            pass.draw(0..3, 0..1);
            self.count_draws(1);
        }
    }

    pub(super) fn record_tone(
        &mut self,
        target: &Target<'_>,
        sized: &Sized,
        encoder: &mut wgpu::CommandEncoder,
    ) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("tone"),
            color_attachments: &[Some(color(
                target.view,
                wgpu::LoadOp::Clear(wgpu::Color::BLACK),
            ))],
            timestamp_writes: self.timing.pass("tone"),
            ..Default::default()
        });
        let Some(groups) = self.bindings.groups() else {
            return;
        };
        pass.set_bind_group(0, &groups.frame, &[]);
        pass.set_bind_group(1, &groups.finish, &[]);
        pass.set_pipeline(&sized.pipelines.tone);
        pass.draw(0..3, 0..1);
        self.count_draws(1);
    }

    /// Draws all bodies, with one pipeline for each level of detail.
    pub(super) fn draw_bodies(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        pipelines: &[wgpu::RenderPipeline; 3],
    ) {
        for (level, instances) in self.bodies.ranges().into_iter().enumerate() {
            if !instances.is_empty() {
                pass.set_pipeline(&pipelines[level]);
                pass.set_vertex_buffer(0, self.bodies.instances(instances.start));
                pass.draw(
                    0..bodies::VERTICES[level],
                    0..instances.end - instances.start,
                );
                self.count_draws(1);
            }
        }
    }

    /// Draws a view's list page by page, with the pass's pipeline and other groups already set.
    pub(super) fn draw_voxels(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        view: &ViewDraws,
        list: &DrawList,
    ) {
        let Some(groups) = self.bindings.groups() else {
            return;
        };
        pass.set_index_buffer(
            self.bindings.quad_indices().slice(..),
            wgpu::IndexFormat::Uint16,
        );
        self.count_draws(list.len() as u32);
        list.record(pass, view.buffers(), |pass, page| {
            pass.set_bind_group(1, &groups.voxels[page], &[])
        });
    }
}
