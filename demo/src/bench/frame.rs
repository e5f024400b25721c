//! The figures of the group `frame`: CPU time of pictures, and counts of draws and bytes. The GPU,
//! often a software one here, finishes between them and its time is not counted; egui's own work is
//! not part of them.

use std::time::{Duration, Instant};

use collision::{Cell, Position};
use engine::{
    Camera, Canvas, FogView, Frame, Gpu, GpuError, GpuOptions, GraphicsSettings, Renderer,
    ShadowQuality, Sun,
};
use nalgebra::Point3;
use world::{Brick, Material, Voxels, World};

use super::allocations::allocations_of;
use super::{Figure, Filter, graphics};
use crate::error::Error;

/// Chunks along x, y and z of the scene: 10,816, all within 1,000 m.
const CHUNKS: [i32; 3] = [32, 13, 26];
/// Runs of each figure.
const RUNS: usize = 40;
/// Time limit of a figure, because a software GPU may need seconds a picture.
const PATIENCE: Duration = Duration::from_secs(6);
/// Size of the picture; small, since it changes nothing on the CPU.
const PIXELS: [u32; 2] = [64, 36];
/// View distances, metres: all chunks, and the nearest few of them.
const FAR: f32 = 1000.0;
const NEAR: f32 = 200.0;

/// Measures the figures of this group that the filter selects.
pub fn run(filter: &Filter) -> Result<Vec<Figure>, Error> {
    let begin = |names: &[&str]| filter.begin("frame", names);
    let parts = [
        &FLIGHT[..],
        &[CUTS],
        &ALLOCATIONS,
        &[EDIT],
        &[FOG],
        &[TARGETS],
    ];
    let mut wanted = parts.iter().flat_map(|part| part.iter());
    let mut figures = Vec::new();
    if !wanted.any(|name| filter.wants("frame", name)) {
        return Ok(figures);
    }
    let mut scene = Scene::new(Gpu::offscreen(GpuOptions::Fastest).map_err(graphics)?);
    if begin(&FLIGHT) {
        figures.extend(scene.flight());
    }
    if begin(&[CUTS]) {
        figures.push(scene.cuts());
    }
    if begin(&ALLOCATIONS) {
        figures.extend(scene.allocations());
    }
    if begin(&[EDIT]) {
        figures.push(scene.edit());
    }
    if begin(&[FOG]) {
        figures.push(scene.fog());
    }
    if begin(&[TARGETS]) {
        figures.push(scene.targets());
    }
    scene
        .failure
        .map_or(Ok(figures), |error| Err(graphics(error)))
}

/// Names of the figures of each part.
const FLIGHT: [&str; 6] = [
    "frame.cpu",
    "frame.submitted",
    "frame.chunks",
    "frame.draws",
    "frame.bytes",
    "frame.gpu",
];
const CUTS: &str = "frame.cpu.cut";
const ALLOCATIONS: [&str; 2] = ["frame.allocations", "frame.allocations.wgpu"];
const EDIT: &str = "frame.edit";
const FOG: &str = "frame.fog";
const TARGETS: &str = "frame.targets.1080";

/// CPU milliseconds of a picture.
struct Cost {
    /// For culling and recording.
    recorded: f64,
    /// From beginning to submission.
    submitted: f64,
    /// Bytes written to the GPU.
    written: f64,
}

/// Returns metres and radians at each picture of a flight at 12 m/s that turns by 30 degrees a
/// second.
fn flying(step: usize) -> [f32; 2] {
    let seconds = step as f32 / 60.0;
    [12.0 * seconds, (seconds * 2.0).sin() * 0.26]
}

struct Scene {
    gpu: Gpu,
    renderer: Renderer,
    canvas: Canvas,
    world: World,
    settings: GraphicsSettings,
    /// The reason why a picture was not drawn; then no figure counts.
    failure: Option<GpuError>,
}

impl Scene {
    fn new(gpu: Gpu) -> Self {
        let renderer = Renderer::offscreen(&gpu);
        let canvas = renderer.canvas(&gpu, PIXELS);
        Self {
            renderer,
            canvas,
            world: floors(),
            settings: GraphicsSettings {
                view_distance: FAR,
                shadows: ShadowQuality::Low,
                ..GraphicsSettings::default()
            },
            gpu,
            failure: None,
        }
    }

    fn picture(&mut self, path: [f32; 2]) -> Cost {
        self.picture_with(path, None)
    }

    /// Draws a picture from one end of the scene, at a distance in metres and a turn in radians
    /// from the start of the flight.
    fn picture_with(&mut self, [metres, turn]: [f32; 2], fog: Option<FogView<'_>>) -> Cost {
        let at = Position::from_metres(Point3::new(0.3 + f64::from(metres), 210.0, -165.0));
        let mut camera = Camera::new(at, std::f32::consts::PI + turn, 0.0);
        camera.field_of_view = 2.15;
        let mut frame = Frame::new(camera, self.settings);
        frame.world = Some(&self.world);
        frame.sun = Sun::default();
        frame.fog = fog;
        let _ = self.gpu.wait();
        let start = Instant::now();
        if let Err(error) = self.renderer.draw_on(&self.gpu, &frame, &self.canvas) {
            self.failure = Some(error);
        }
        Cost {
            recorded: f64::from(self.renderer.statistics().record_milliseconds),
            submitted: start.elapsed().as_secs_f64() * 1e3,
            written: self.renderer.statistics().written_bytes as f64,
        }
    }

    fn pictures(&mut self, path: impl Fn(usize) -> [f32; 2]) -> Vec<Cost> {
        for step in 0..2 {
            self.picture(path(step));
        }
        let begin = Instant::now();
        (2..RUNS + 2)
            .take_while(|_| begin.elapsed() < PATIENCE)
            .map(|step| self.picture(path(step)))
            .collect()
    }

    /// Measures a flight with turns: most pictures reuse the draw lists of the last one, some list
    /// everything anew.
    fn flight(&mut self) -> Vec<Figure> {
        let costs = self.pictures(flying);
        let statistics = self.renderer.statistics();
        let of = |part: fn(&Cost) -> f64| costs.iter().map(part).collect();
        let [recorded, submitted, chunks, draws, bytes, gpu] = FLIGHT;
        vec![
            Figure::from_samples(recorded, "ms", of(|cost| cost.recorded)),
            Figure::from_samples(submitted, "ms", of(|cost| cost.submitted)),
            Figure::exact(chunks, "in view", f64::from(statistics.bricks)),
            Figure::exact(draws, "draws", f64::from(statistics.draws)),
            Figure::from_samples(bytes, "bytes", of(|cost| cost.written)),
            Figure::exact(gpu, "ms", f64::from(statistics.gpu_milliseconds())),
        ]
    }

    /// Measures views that change in each picture, so that each lists everything anew.
    fn cuts(&mut self) -> Figure {
        let costs = self.pictures(|step| [(step % 2) as f32 * 20.0, 0.0]);
        let samples = costs.iter().map(|cost| cost.recorded).collect();
        Figure::from_samples(CUTS, "ms", samples)
    }

    /// Counts the allocations of a picture of ten thousand chunks beyond one of the nearest few,
    /// which has the same passes, and those of that one: wgpu's own work for its passes, as a test
    /// of the engine checks by call stacks.
    fn allocations(&mut self) -> [Figure; 2] {
        let mut least = |reach: f32| {
            self.settings.view_distance = reach;
            let counts = (0..6).map(|step| {
                let path = [step as f32 * 0.2, 0.0];
                let picture = || {
                    self.picture(path);
                };
                allocations_of(picture) as f64
            });
            counts.fold(f64::INFINITY, f64::min)
        };
        let (few, many) = (least(NEAR), least(FAR));
        [
            Figure::exact(ALLOCATIONS[0], "a picture", (many - few).max(0.0)),
            Figure::exact(ALLOCATIONS[1], "a picture", few),
        ]
    }

    /// Measures the upload of the fog of war: 256 x 256 tiles that changed since the last picture.
    fn fog(&mut self) -> Figure {
        let tiles = 256 * 256;
        let (alpha, heights) = (vec![0.65; tiles], vec![24.0; tiles]);
        let begin = Instant::now();
        let mut samples = Vec::new();
        for step in 0..RUNS + 2 {
            let view = FogView {
                origin: [-128; 2],
                size: [256; 2],
                tile: 1.0,
                alpha: &alpha,
                heights: &heights,
                revision: step as u64,
            };
            self.picture_with(flying(0), Some(view));
            if step >= 2 {
                samples.push(f64::from(self.renderer.statistics().fog_milliseconds) * 1e3);
            }
            if begin.elapsed() > PATIENCE {
                break;
            }
        }
        Figure::from_samples(FOG, "us", samples)
    }

    /// Counts the bytes of targets that the passes of the standard picture load and store at
    /// 1080p.
    fn targets(&mut self) -> Figure {
        let standard = GraphicsSettings::default();
        let settings = std::mem::replace(&mut self.settings, standard);
        let full = self.renderer.canvas(&self.gpu, [1920, 1080]);
        let small = std::mem::replace(&mut self.canvas, full);
        // Shadow maps are drawn for the first picture only.
        (0..2).for_each(|_| {
            self.picture(flying(0));
        });
        (self.settings, self.canvas) = (settings, small);
        let bytes = self.renderer.statistics().target_bytes;
        Figure::exact(TARGETS, "MB", bytes as f64 / 1e6)
    }

    /// Measures the time from an edit to the submission of the picture that shows it.
    fn edit(&mut self) -> Figure {
        self.picture(flying(0));
        let begin = Instant::now();
        let samples = (0..RUNS)
            .take_while(|_| begin.elapsed() < PATIENCE)
            .map(|step| {
                let _ = self.gpu.wait();
                let material = if step % 2 == 0 {
                    Material::BRICK
                } else {
                    Material::STONE
                };
                let start = Instant::now();
                self.world
                    .write(|writer| writer.set(Cell::new(5, 32 + height(0) - 1, 5), material));
                let edited = start.elapsed().as_secs_f64() * 1e3;
                edited + self.picture(flying(step)).submitted
            })
            .collect();
        Figure::from_samples(EDIT, "ms", samples)
    }
}

/// Returns the ground level inside a chunk.
fn height(number: i32) -> i32 {
    9 + number.rem_euclid(3) * 4
}

/// Returns floors above each other: each chunk has a surface, and from one end all are within the
/// longest view. They are plain, because the figures do not depend on the number of quads, but a
/// software GPU must draw them all.
fn floors() -> World {
    let mut world = World::default();
    let [width, floors, depth] = CHUNKS;
    let kinds = [0, 1, 2].map(|kind| {
        let ground = |y: usize| {
            if (y as i32) < height(kind) {
                Material::STONE
            } else {
                Material::AIR
            }
        };
        Brick::new(Voxels::from_fn(|_, y, _| ground(y)), world.materials())
    });
    let bricks = (0..width * floors * depth).map(|index| {
        let chunk = Cell::new(
            index % width - width / 2,
            index / width % floors,
            index / (width * floors),
        );
        let kind = (chunk.x / 4 + chunk.z / 4).rem_euclid(3);
        (chunk, kinds[kind as usize].clone())
    });
    world.insert_bricks(bricks);
    world
}
