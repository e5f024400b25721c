//! From nothing to the first complete picture, as `play` makes it: a new world on disk, all land in
//! view, the search for the best view, uploading and recording. The driver's own work is a figure
//! of its own: opening the device, making pipelines and targets (an empty picture does both), and
//! drawing what was submitted.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use engine::{Camera, Canvas, Frame, Gpu, GpuOptions, Renderer};

use crate::error::Error;
use crate::session::Session;
use crate::settings::Settings;
use crate::view::{View, Wanted, graphics_settings};

use super::{Figure, Filter, graphics};

/// View distance, metres, and size of the picture.
const METRES: f32 = 256.0;
const PIXELS: [u32; 2] = [1280, 720];
const SEED: u64 = 1;
const RUNS: usize = 5;

/// Milliseconds of one start.
struct Start {
    ours: f64,
    land: f64,
    drivers: f64,
}

/// Measures the figures of this group that the filter selects.
pub(super) fn run(filter: &Filter) -> Result<Vec<Figure>, Error> {
    if !filter.begin("frame", &[OURS, LAND, DRIVER]) {
        return Ok(Vec::new());
    }
    let folder = std::env::temp_dir().join(format!("first-picture-{}", std::process::id()));
    let starts: Result<Vec<Start>, Error> = (0..RUNS).map(|_| begin(&folder)).collect();
    // A folder that cannot be removed is left to the system's own cleaning.
    let _ = std::fs::remove_dir_all(&folder);
    let starts = starts?;
    let of = |part: fn(&Start) -> f64| starts.iter().map(part).collect();
    Ok(vec![
        Figure::from_samples(OURS, "ms", of(|start| start.ours)),
        Figure::from_samples(LAND, "ms", of(|start| start.land)),
        Figure::from_samples(DRIVER, "ms", of(|start| start.drivers)),
    ])
}

/// Names of the figures.
const OURS: &str = "frame.first";
const LAND: &str = "frame.first.land";
const DRIVER: &str = "frame.first.driver";

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

fn begin(folder: &Path) -> Result<Start, Error> {
    // An existing world would be read, not made.
    let _ = std::fs::remove_dir_all(folder);
    let mut settings = Settings::default();
    settings.graphics.view_metres = METRES;
    let start = Instant::now();
    let gpu = Gpu::offscreen(GpuOptions::Fastest).map_err(graphics)?;
    let mut renderer = Renderer::offscreen(&gpu);
    let canvas = renderer.canvas(&gpu, PIXELS);
    empty(&gpu, &mut renderer, &canvas, &settings)?;
    let opened = milliseconds(start);
    let start = Instant::now();
    let path = folder.join("first.voxels");
    let mut session = Session::saved(&path, Some(SEED), METRES, &settings.characters)?;
    let outlook = session.take_off(settings.graphics.hour);
    let land = milliseconds(start);
    let mut view = View::default();
    let camera = Camera::new(outlook.eye, outlook.yaw, outlook.pitch);
    let wanted = Wanted {
        camera,
        overlays: &BTreeSet::new(),
        between: 1.0,
        player_shows: false,
        shot: &[],
        gun: None,
    };
    view.gather(&session.simulation, &wanted);
    let frame = view.frame(&session.simulation, camera, &settings.graphics);
    renderer.draw_on(&gpu, &frame, &canvas).map_err(graphics)?;
    let ours = milliseconds(start);
    let start = Instant::now();
    gpu.wait().map_err(graphics)?;
    Ok(Start {
        ours,
        land,
        drivers: opened + milliseconds(start),
    })
}

/// Draws an empty picture: pipelines, targets and shadow maps are made for it.
fn empty(
    gpu: &Gpu,
    renderer: &mut Renderer,
    canvas: &Canvas,
    settings: &Settings,
) -> Result<(), Error> {
    let camera = Camera::new(collision::Position::default(), 0.0, 0.0);
    let frame = Frame::new(camera, graphics_settings(&settings.graphics));
    renderer.draw_on(gpu, &frame, canvas).map_err(graphics)?;
    gpu.wait().map_err(graphics)
}
