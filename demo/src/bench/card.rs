//! The figures `frame.gpu.1080` and `frame.gpu.1440`: the time that a graphics card takes for the
//! standard picture of generated land, and for each pass of it. A software GPU is measured only if
//! a figure is named in full.

use std::collections::BTreeSet;

use engine::{Camera, Gpu, GpuKind, GpuOptions, Renderer};

use crate::error::Error;
use crate::session::Session;
use crate::settings::Settings;
use crate::terminal::complain;
use crate::view::{View, Wanted};

use super::{Figure, Filter, graphics};

const SIZES: [(&str, [u32; 2]); 2] = [("1080", [1920, 1080]), ("1440", [2560, 1440])];
/// View distances, metres; the middle one has the plain name.
const VIEWS: [(&str, f32); 3] = [(".256", 256.0), ("", 500.0), (".1000", 1000.0)];
const SEED: u64 = 1;
/// Pictures that are measured, and those before: their times come some pictures late.
const RUNS: usize = 40;
const BEFORE: usize = 8;

/// Measures the figures of this group that the filter selects.
pub(super) fn run(filter: &Filter) -> Result<Vec<Figure>, Error> {
    let mut figures = Vec::new();
    let mut card = None;
    for (view, metres) in VIEWS {
        let mut land = None;
        for (size, pixels) in SIZES {
            let name = format!("frame.gpu.{size}{view}");
            if !filter.wants("frame", &name) {
                continue;
            }
            let gpu = match &card {
                Some(gpu) => gpu,
                None => card.insert(Gpu::offscreen(GpuOptions::Fastest).map_err(graphics)?),
            };
            if gpu.kind() == GpuKind::Software && !filter.names(&name) {
                complain!("{name} is left out: {} is no graphics card", gpu.name());
                continue;
            }
            filter.begin("frame", &[&name]);
            let land = match &land {
                Some(land) => land,
                None => land.insert(Land::new(metres)?),
            };
            figures.extend(land.measure(gpu, &name, pixels)?);
        }
    }
    Ok(figures)
}

/// Generated land and the best view of it.
struct Land {
    session: Session,
    settings: Settings,
    camera: Camera,
}

impl Land {
    fn new(metres: f32) -> Result<Self, Error> {
        let mut settings = Settings::default();
        settings.graphics.view_metres = metres;
        let (session, outlook) = Session::open_to_look(SEED, None, &settings, None)?;
        Ok(Land {
            session,
            settings,
            camera: Camera::new(outlook.eye, outlook.yaw, outlook.pitch),
        })
    }

    fn measure(&self, gpu: &Gpu, name: &str, pixels: [u32; 2]) -> Result<Vec<Figure>, Error> {
        let mut renderer = Renderer::offscreen(gpu);
        let canvas = renderer.canvas(gpu, pixels);
        let mut view = View::default();
        let wanted = Wanted {
            camera: self.camera,
            overlays: &BTreeSet::new(),
            between: 1.0,
            player_shows: false,
            shot: &[],
            gun: None,
        };
        view.gather(&self.session.simulation, &wanted);
        let simulation = &self.session.simulation;
        let frame = view.frame(simulation, self.camera, &self.settings.graphics);
        let mut times = Vec::new();
        for run in 0..BEFORE + RUNS {
            renderer.draw_on(gpu, &frame, &canvas).map_err(graphics)?;
            gpu.wait().map_err(graphics)?;
            if run >= BEFORE {
                let statistics = renderer.statistics();
                add(&mut times, name, statistics.gpu_milliseconds());
                for pass in &statistics.passes {
                    add(
                        &mut times,
                        &format!("{name}.{}", pass.name),
                        pass.milliseconds,
                    );
                }
            }
        }
        let figures = times.into_iter();
        Ok(figures
            .map(|(name, samples)| Figure::from_samples(&name, "ms", samples))
            .collect())
    }
}

/// Adds a time to those of a name.
fn add(times: &mut Vec<(String, Vec<f64>)>, name: &str, milliseconds: f32) {
    let time = f64::from(milliseconds);
    match times.iter_mut().find(|(it, _)| it == name) {
        Some((_, samples)) => samples.push(time),
        None => times.push((name.to_owned(), vec![time])),
    }
}
