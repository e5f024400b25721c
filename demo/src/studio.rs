//! Pictures without a window: the same frame as on screen, with or without the interface, into a
//! PNG file.

use std::collections::BTreeSet;
use std::path::Path;

use collision::Position;
use egui::{RawInput, Rect, pos2, vec2};
use engine::{
    Camera, Gpu, GpuError, GpuOptions, Image, ImageError, Renderer, Statistics, Ui as UiFrame,
};
use simulation::Simulation;
use world::files::Existing;

use crate::arguments::{Overlay, PictureSize};
use crate::error::Error;
use crate::settings::Settings;
use crate::ui::{Facts, Ui, apply_theme};
#[cfg(test)]
use crate::view::Staged;
use crate::view::{View, Wanted};

/// A renderer without a window.
pub(crate) struct Studio {
    gpu: Gpu,
    renderer: Renderer,
    size: PictureSize,
    context: egui::Context,
    pub(crate) view: View,
}

/// The contents of a picture beside the world.
pub(crate) struct Shot<'a> {
    pub(crate) camera: Camera,
    pub(crate) overlays: &'a BTreeSet<Overlay>,
    pub(crate) player_shows: bool,
    pub(crate) path: &'a [Position],
    /// The interface with its facts; `None` for a clean picture.
    pub(crate) interface: Option<(&'a mut Ui, &'a Facts)>,
}

impl Studio {
    /// Opens a graphics adapter.
    pub(crate) fn open(size: PictureSize) -> Result<Self, Error> {
        Studio::open_on(size, GpuOptions::Fastest)
    }

    /// Opens an adapter of a kind.
    pub(crate) fn open_on(size: PictureSize, options: GpuOptions) -> Result<Self, Error> {
        let gpu = Gpu::offscreen(options).map_err(explain)?;
        let renderer = Renderer::offscreen(&gpu);
        let context = egui::Context::default();
        apply_theme(&context);
        Ok(Studio {
            gpu,
            renderer,
            size,
            context,
            view: View::default(),
        })
    }

    /// Returns the adapter's name.
    pub(crate) fn adapter(&self) -> &str {
        self.gpu.name()
    }

    /// Returns the cost of the last picture.
    pub(crate) fn statistics(&self) -> &Statistics {
        self.renderer.statistics()
    }

    /// Takes one picture.
    pub(crate) fn take(
        &mut self,
        simulation: &Simulation,
        settings: &mut Settings,
        shot: Shot<'_>,
    ) -> Result<Image, Error> {
        let wanted = Wanted {
            camera: shot.camera,
            overlays: shot.overlays,
            between: 1.0,
            player_shows: shot.player_shows,
            shot: shot.path,
            gun: (!shot.path.is_empty()).then(|| simulation.gun(simulation.sight())),
        };
        self.view.gather(simulation, &wanted);
        let graphics = settings.graphics.clone();
        let drawn = shot
            .interface
            .map(|(ui, facts)| draw_interface(&self.context, self.size, ui, facts, settings));
        let mut frame = self.view.frame(simulation, shot.camera, &graphics);
        frame.ui = drawn.as_ref().map(|drawn| UiFrame {
            primitives: &drawn.primitives,
            textures: &drawn.textures,
            pixels_per_point: 1.0,
        });
        let size = [self.size.width, self.size.height];
        let image = self
            .renderer
            .capture(&self.gpu, &frame, size)
            .map_err(explain);
        if let Some(mut drawn) = drawn {
            drawn.textures.clear();
        }
        image
    }
}

#[cfg(test)]
impl Studio {
    /// Takes a picture of a regression scene.
    pub(crate) fn take_scene(
        &mut self,
        staged: &Staged<'_>,
        settings: &Settings,
        camera: Camera,
    ) -> Result<Image, Error> {
        self.view.gather_scene(staged, &camera);
        let frame = self.view.scene_frame(staged, camera, &settings.graphics);
        let size = [self.size.width, self.size.height];
        self.renderer
            .capture(&self.gpu, &frame, size)
            .map_err(explain)
    }
}

/// A tessellated interface.
struct Interface {
    primitives: Vec<egui::ClippedPrimitive>,
    textures: egui::TexturesDelta,
}

/// Lays the interface out until windows know their size, and tessellates it.
fn draw_interface(
    context: &egui::Context,
    size: PictureSize,
    ui: &mut Ui,
    facts: &Facts,
    settings: &mut Settings,
) -> Interface {
    let mut textures = egui::TexturesDelta::default();
    let mut shapes = Vec::new();
    for pass in 0..6 {
        let screen =
            Rect::from_min_size(pos2(0.0, 0.0), vec2(size.width as f32, size.height as f32));
        let input = RawInput {
            screen_rect: Some(screen),
            time: Some(facts.seconds + f64::from(pass)),
            ..RawInput::default()
        };
        let output = context.run_ui(input, |root| {
            ui.show(root.ctx(), facts, settings);
        });
        textures.append(output.textures_delta);
        shapes = output.shapes;
    }
    Interface {
        primitives: context.tessellate(shapes, 1.0),
        textures,
    }
}

fn explain(error: GpuError) -> Error {
    Error::Graphics(error.to_string())
}

/// Writes a picture.
pub(crate) fn save(image: &Image, path: &Path, existing: Existing) -> Result<(), Error> {
    image.save(path, existing).map_err(|error| match error {
        ImageError::File(error) => Error::from(error),
        other => Error::Failed(other.to_string()),
    })
}
