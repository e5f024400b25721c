//! Draws frames. `Renderer::record` lists the passes of a frame in order. Loading and storing
//! several samples per pixel is expensive on many GPUs, so all multisampled drawing is done in two
//! passes: opaque and translucent.
//!
//! Only [`Renderer::capture`] waits for the GPU. Buffers are kept from picture to picture and only
//! grow.

mod allocator;
mod behind;
mod bindings;
mod bodies;
mod bricks;
mod cascades;
mod culling;
mod daylight;
mod details;
mod draws;
mod ghost;
mod growing;
mod light;
mod materials;
mod models;
mod occlusion;
mod overlays;
mod pages;
mod passes;
mod pipelines;
mod read_back;
mod reload;
mod shadows;
mod sights;
mod targets;
mod tiles;
mod timing;
mod uniforms;
mod viewer;
mod war;

use std::cell::Cell;
use std::time::Instant;

use crate::{Frame, Gpu, GpuError, Image, PassTime, Statistics, Ui};
use bindings::Bindings;
use bodies::Bodies;
use bricks::Bricks;
use cascades::{CASCADES, CascadeView};
use culling::ViewDraws;
use daylight::Daylight;
use ghost::GhostMesh;
use light::LightMap;
use models::Models;
use overlays::Overlays;
use pipelines::{Layouts, Pipelines};
pub(crate) use reload::Reload;
use shadows::Shadows;
use sights::Sights;
use targets::{TargetKey, Targets, has_shadows};
pub use tiles::{TILE, Tiles, tiles_of};
use timing::{Laps, Timing};
use viewer::{Sight, Viewer};
use war::{WarMap, WarWork};

/// Format of pictures in memory: panels blend in sRGB themselves.
const IMAGE_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// The fog of war of the frame as a texture for panels: darkness per tile, seen from above.
pub const FOG_TEXTURE: egui::TextureId = egui::TextureId::User(0);

/// The target of a picture.
pub(crate) struct Target<'a> {
    pub(crate) view: &'a wgpu::TextureView,
    pub(crate) size: [u32; 2],
}

/// The state kept between pictures: uploaded chunks, pipelines and targets.
pub struct Renderer {
    statistics: Statistics,
    times: Vec<PassTime>,
    output: wgpu::TextureFormat,
    sized: Option<Sized>,
    bindings: Bindings,
    bricks: Bricks,
    bodies: Bodies,
    models: Models,
    light: LightMap,
    overlays: Overlays,
    ghost: GhostMesh,
    war: Option<WarMap>,
    war_work: Option<WarWork>,
    seen: ViewDraws,
    shadows: Shadows,
    timing: Timing,
    /// Draws recorded for this picture.
    drawn: Cell<u32>,
    reload: Reload,
    ui: egui_wgpu::Renderer,
}

/// The parts that depend on the size of the picture or its samples.
struct Sized {
    targets: Targets,
    layouts: Layouts,
    pipelines: Pipelines,
}

impl Renderer {
    /// Makes a renderer for pictures in memory.
    #[must_use]
    pub fn offscreen(gpu: &Gpu) -> Self {
        Self::new(gpu, IMAGE_FORMAT, Reload::new())
    }

    /// Makes a renderer with the shaders that `reload` read last.
    pub(crate) fn new(gpu: &Gpu, output: wgpu::TextureFormat, reload: Reload) -> Self {
        Self {
            statistics: Statistics::default(),
            times: Vec::new(),
            output,
            sized: None,
            bindings: Bindings::new(gpu),
            bricks: Bricks::new(gpu),
            bodies: Bodies::new(gpu),
            models: Models::new(gpu),
            light: LightMap::new(gpu),
            overlays: Overlays::new(gpu),
            ghost: GhostMesh::new(),
            war: None,
            war_work: None,
            seen: ViewDraws::new(gpu),
            shadows: Shadows::new(gpu),
            timing: Timing::new(gpu),
            drawn: Cell::new(0),
            reload,
            ui: ui_renderer(gpu, output),
        }
    }

    /// Returns the shaders in use, for the renderer of another device.
    pub(crate) fn into_reload(self) -> Reload {
        self.reload
    }

    /// Returns counts and times of the last picture.
    #[must_use]
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Draws a frame into memory and waits for it.
    pub fn capture(
        &mut self,
        gpu: &Gpu,
        frame: &Frame<'_>,
        size: [u32; 2],
    ) -> Result<Image, GpuError> {
        let size = size.map(|side| side.clamp(1, gpu.device.limits().max_texture_dimension_2d));
        let texture = read_back::readable_texture(gpu, size, self.output);
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        self.draw(gpu, frame, &Target { view: &view, size })?;
        let image = read_back::read_back(gpu, &texture);
        if matches!(image, Err(GpuError::Lost { .. })) {
            // The caller replaces the device and reads its last errors.
            return image;
        }
        // Always taken, so that an error of this picture is not reported for the next one.
        match gpu.take_errors().into_iter().next() {
            Some(reason) => Err(GpuError::ReadBack { reason }),
            None => image,
        }
    }

    /// Makes a texture to draw into repeatedly without reading it: like a window, for measurements.
    #[must_use]
    pub fn canvas(&self, gpu: &Gpu, size: [u32; 2]) -> Canvas {
        let size = size.map(|side| side.clamp(1, gpu.device.limits().max_texture_dimension_2d));
        let texture = read_back::readable_texture(gpu, size, self.output);
        Canvas {
            view: texture.create_view(&wgpu::TextureViewDescriptor::default()),
            size,
        }
    }

    /// Records and submits a frame without waiting for it.
    pub fn draw_on(
        &mut self,
        gpu: &Gpu,
        frame: &Frame<'_>,
        canvas: &Canvas,
    ) -> Result<(), GpuError> {
        self.draw(
            gpu,
            frame,
            &Target {
                view: &canvas.view,
                size: canvas.size,
            },
        )
    }

    pub(crate) fn draw(
        &mut self,
        gpu: &Gpu,
        frame: &Frame<'_>,
        target: &Target<'_>,
    ) -> Result<(), GpuError> {
        if gpu.is_lost() {
            return Err(GpuError::Lost {
                reason: "before this picture".into(),
            });
        }
        let start = Instant::now();
        let written = gpu.written_bytes();
        self.drawn.set(0);
        let mut sized = self.prepare_targets(gpu, frame, target);
        if let Some(pipelines) = self.reload.poll(gpu, self.output, &sized) {
            sized.pipelines = pipelines;
            self.shadows.outdate();
        }
        self.times.clone_from(&self.statistics.passes);
        self.timing.begin(gpu, &mut self.times);
        self.upload(gpu, frame);
        let uploaded = Instant::now();
        let view = self.cull(gpu, frame, target, &sized);
        self.bindings.refresh(
            gpu,
            &sized,
            &self.bricks,
            &self.light,
            &self.overlays,
            self.war.as_ref(),
        );
        uniforms::write(
            gpu,
            &self.bindings,
            frame,
            &view,
            &self.light,
            self.war.as_ref(),
        );
        let mut encoder = gpu
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor {
                label: Some("frame"),
            });
        self.record(gpu, frame, target, &sized, &mut encoder);
        self.timing.resolve(&mut encoder);
        let commands = encoder.finish();
        let recorded = Instant::now();
        gpu.queue.submit([commands]);
        if let Some(ui) = &frame.ui {
            self.free_ui_textures(ui.textures);
        }
        self.timing.submitted();
        self.statistics.written_bytes = gpu.written_bytes() - written;
        self.count(&sized.targets.key, target.size);
        self.time(start, uploaded, recorded);
        self.sized = Some(sized);
        Ok(())
    }

    /// Records the passes of a picture.
    fn record(
        &mut self,
        gpu: &Gpu,
        frame: &Frame<'_>,
        target: &Target<'_>,
        sized: &Sized,
        encoder: &mut wgpu::CommandEncoder,
    ) {
        let mut laps = Laps::begin(std::mem::take(&mut self.statistics.recording));
        self.record_war_blur(sized, encoder);
        laps.lap("war_blur");
        if has_shadows(&frame.settings) {
            self.record_shadow(sized, encoder);
            laps.lap("shadow");
        }
        self.record_opaque(sized, encoder);
        laps.lap("opaque");
        self.record_behind(sized, encoder);
        self.record_translucent(sized, encoder);
        laps.lap("translucent");
        self.record_bloom(sized, encoder);
        laps.lap("bloom");
        self.record_tone(target, sized, encoder);
        laps.lap("tone");
        if let Some(ui) = &frame.ui {
            self.record_ui(gpu, ui, target, encoder);
            laps.lap("ui");
        }
        self.statistics.recording = laps.times;
    }

    /// Makes the targets, layouts and pipelines for this size and these settings.
    fn prepare_targets(&mut self, gpu: &Gpu, frame: &Frame<'_>, target: &Target<'_>) -> Sized {
        let key = TargetKey::of(gpu, &frame.settings, target.size);
        match self.sized.take() {
            Some(sized) if sized.targets.key == key => sized,
            Some(sized) if sized.targets.key.samples == key.samples => {
                self.bindings.outdate();
                self.shadows.outdate();
                Sized {
                    targets: Targets::new(gpu, key),
                    ..sized
                }
            }
            _ => {
                self.bindings.outdate();
                self.shadows.outdate();
                self.war = None;
                let layouts = Layouts::new(gpu, key.samples);
                let pipelines = self
                    .reload
                    .pipelines(gpu, self.output, &layouts, key.samples);
                Sized {
                    targets: Targets::new(gpu, key),
                    layouts,
                    pipelines,
                }
            }
        }
    }

    /// Uploads the changes since the last picture.
    fn upload(&mut self, gpu: &Gpu, frame: &Frame<'_>) {
        let uploaded = self.bricks.follow(gpu, frame.world, frame.world_generation);
        if uploaded.rebind {
            self.bindings.outdate();
        }
        self.bindings.follow_materials(gpu, frame.world);
        self.light.update(
            gpu,
            frame.world,
            &self.bricks,
            &uploaded,
            frame.lights,
            &frame.camera,
        );
        self.ghost
            .update(frame.ghost.as_ref(), &frame.camera.position);
        self.overlays
            .update(gpu, &frame.camera, frame.overlays, &self.ghost.overlay);
        self.statistics.uploaded_bricks = uploaded.bricks;
        self.statistics.uploaded_bytes = uploaded.bytes;
        self.statistics.relit_pieces = self.light.pieces();
    }

    /// Finds the chunks, bodies and models in view of the eye and of the sun.
    fn cull(&mut self, gpu: &Gpu, frame: &Frame<'_>, target: &Target<'_>, sized: &Sized) -> View {
        let start = Instant::now();
        self.update_war(gpu, frame, sized);
        self.statistics.fog_milliseconds = start.elapsed().as_secs_f32() * 1e3;
        let camera = &frame.camera;
        let aspect = target.size[0] as f32 / target.size[1] as f32;
        let settings = frame.settings.sanitised();
        let (daylight, sight) = surroundings(frame, settings.view_distance);
        let cascades = cascades::cascades(
            camera,
            aspect,
            daylight::shadow_lights(&frame.sun),
            settings.shadows,
            settings.view_distance,
        );
        let sights = Sights {
            camera,
            aspect,
            reach: settings.view_distance,
            cascades: has_shadows(&settings).then_some(&cascades),
        };
        let groups = [frame.characters, frame.bodies, frame.pieces, frame.gems];
        self.bodies.update(gpu, &sights, groups);
        self.models.update(gpu, &sights, frame.models);
        if let Some(world) = frame.world {
            self.statistics.shadow_maps = 0;
            if has_shadows(&settings) {
                self.shadows.update(
                    gpu,
                    world,
                    &self.bricks,
                    &cascades,
                    &self.bodies,
                    &self.models,
                );
                self.statistics.shadow_maps = self.shadows.outdated();
            }
            let hidden_beyond = match settings.fog {
                1.0.. => sight,
                _ => settings.view_distance,
            };
            let eye = Sight::new(camera, aspect, hidden_beyond);
            self.seen
                .update(gpu, world, &self.bricks, Viewer::Eye(eye), || eye.frustum());
        } else {
            self.seen.clear();
            self.shadows.clear();
        }
        View {
            aspect,
            daylight,
            sight,
            cascades,
            size: target.size,
            scene_height: sized.targets.key.size[1],
            shadow_texels: sized.targets.key.shadow,
            settings,
        }
    }

    fn update_war(&mut self, gpu: &Gpu, frame: &Frame<'_>, sized: &Sized) {
        let Some(view) = frame.fog.filter(|view| war::usable(gpu, view)) else {
            if self.war.take().is_some() {
                self.bindings.outdate();
            }
            self.war_work = None;
            return;
        };
        if self.war.as_ref().is_none_or(|war| war.size() != view.size) {
            let war = WarMap::new(gpu, &sized.layouts.war, view.size);
            let linear = wgpu::FilterMode::Linear;
            self.ui.update_egui_texture_from_wgpu_texture(
                &gpu.device,
                &war.map,
                linear,
                FOG_TEXTURE,
            );
            self.war = Some(war);
            self.bindings.outdate();
        }
        self.war_work = self
            .war
            .as_mut()
            .map(|war| war.update(gpu, &view, frame.time));
    }

    fn time(&mut self, start: Instant, uploaded: Instant, recorded: Instant) {
        let statistics = &mut self.statistics;
        let milliseconds = |from: Instant, to: Instant| to.duration_since(from).as_secs_f32() * 1e3;
        statistics.upload_milliseconds = milliseconds(start, uploaded);
        statistics.record_milliseconds = milliseconds(uploaded, recorded);
        statistics.total_milliseconds = start.elapsed().as_secs_f32() * 1e3;
        statistics.passes.clone_from(&self.times);
    }

    fn count(&mut self, key: &TargetKey, shown: [u32; 2]) {
        let statistics = &mut self.statistics;
        statistics.bricks = self.seen.bricks();
        statistics.draws = self.drawn.get();
        statistics.scene_size = key.size;
        statistics.target_bytes =
            key.traffic(shown, statistics.sample_passes, statistics.shadow_maps);
        statistics.quads = self.seen.opaque.quads() + self.seen.transparent.quads();
        statistics.page_bytes = self.bricks.pages.bytes();
        statistics.quad_bytes = self.bricks.pages.used_bytes();
        statistics.characters = self.bodies.count();
        statistics.models = self.models.count();
    }

    /// Takes over changed panel textures, also for a picture that is not drawn.
    pub(crate) fn update_ui_textures(&mut self, gpu: &Gpu, textures: &egui::TexturesDelta) {
        for (id, deltas) in &textures.set {
            for delta in deltas {
                self.ui.update_texture(&gpu.device, &gpu.queue, *id, delta);
            }
        }
    }

    /// Frees panel textures; only after the pictures that show them were submitted.
    pub(crate) fn free_ui_textures(&mut self, textures: &egui::TexturesDelta) {
        for id in &textures.free {
            self.ui.free_texture(id);
        }
    }

    fn record_ui(
        &mut self,
        gpu: &Gpu,
        ui: &Ui<'_>,
        target: &Target<'_>,
        encoder: &mut wgpu::CommandEncoder,
    ) {
        let screen = egui_wgpu::ScreenDescriptor {
            size_in_pixels: target.size,
            pixels_per_point: ui.pixels_per_point,
        };
        self.update_ui_textures(gpu, ui.textures);
        let extra =
            self.ui
                .update_buffers(&gpu.device, &gpu.queue, encoder, ui.primitives, &screen);
        gpu.queue.submit(extra);
        let mut pass = encoder
            .begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("ui"),
                color_attachments: &[Some(passes::color(target.view, wgpu::LoadOp::Load))],
                timestamp_writes: self.timing.pass("ui"),
                ..Default::default()
            })
            .forget_lifetime();
        self.ui.render(&mut pass, ui.primitives, &screen);
    }
}

/// Makes the renderer of panels and registers the texture of the fog of war, which is empty at
/// first.
fn ui_renderer(gpu: &Gpu, output: wgpu::TextureFormat) -> egui_wgpu::Renderer {
    let options = egui_wgpu::RendererOptions::default();
    let mut ui = egui_wgpu::Renderer::new(&gpu.device, output, options);
    let nothing = bindings::no_texture(gpu, war::MAP_FORMAT, wgpu::TextureViewDimension::D2);
    let linear = wgpu::FilterMode::Linear;
    let id = ui.register_native_texture(&gpu.device, &nothing, linear);
    debug_assert_eq!(id, FOG_TEXTURE, "it is the first");
    ui
}

/// A texture of one renderer; see [`Renderer::canvas`].
pub struct Canvas {
    view: wgpu::TextureView,
    size: [u32; 2],
}

/// The inputs of uniforms.
pub(crate) struct View {
    aspect: f32,
    daylight: Daylight,
    /// Distance in metres at which haze hides everything.
    sight: f32,
    cascades: [CascadeView; CASCADES],
    /// Size of the picture, and height of the scene that is scaled to it.
    size: [u32; 2],
    scene_height: u32,
    shadow_texels: u32,
    settings: crate::GraphicsSettings,
}

/// Returns light and view distance at the eye: under water both are smaller.
fn surroundings(frame: &Frame<'_>, view_distance: f32) -> (Daylight, f32) {
    let daylight = Daylight::of(&frame.sun);
    let at_eye = frame
        .world
        .and_then(|world| Some((world, world.material(frame.camera.position.cell)?)));
    match at_eye {
        Some((world, material)) if world.materials().is_liquid(material) => (
            daylight.under_water(),
            daylight::SIGHT_UNDER_WATER.min(view_distance),
        ),
        _ => (daylight, view_distance),
    }
}
