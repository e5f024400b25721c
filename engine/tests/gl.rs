//! Compares pictures on a GL adapter with those of the Vulkan reference, within the tolerance of
//! golden pictures.
//!
//! `cargo verify` installs a software GL driver. Without one these tests fail with advice.

#![allow(clippy::unwrap_used)]

mod stage;

use std::path::Path;

use engine::{
    Antialiasing, CharacterInstance, Color, FogView, Frame, Gpu, GpuError, GpuOptions, Overlay,
    Renderer, Visibility,
};
use nalgebra::Vector3;
use world::files::Existing;

/// Fraction of pixels that may differ visibly, and the mean difference of all, as for golden
/// pictures.
const DIFFERING: f32 = 0.01;
const MEAN: f32 = 0.004;

fn gl() -> Gpu {
    match Gpu::offscreen(GpuOptions::Gl) {
        Ok(gpu) => gpu,
        Err(error @ GpuError::NoAdapter { .. }) => panic!(
            "this machine has no GL driver to test with; `cargo verify` installs a software one on \
             Debian and its kin: {error}"
        ),
        Err(error) => panic!("{error}"),
    }
}

/// Draws the same frame on both and compares.
fn check(name: &str, frame: &Frame<'_>) {
    let [ours, reference] = [gl(), stage::gpu()].map(|gpu| {
        let mut renderer = Renderer::offscreen(&gpu);
        renderer.capture(&gpu, frame, stage::SIZE).unwrap()
    });
    let difference = ours.compare(&reference);
    if difference.differing > DIFFERING || difference.mean > MEAN {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gl");
        for (kind, image) in [("gl", &ours), ("vulkan", &reference)] {
            let file = format!("{name}_{kind}.png");
            image.save(&folder.join(file), Existing::Replace).unwrap();
        }
        let folder = folder.display();
        panic!("{name} looks different on GL: {difference:?}; both are in {folder}");
    }
}

/// Voxels, holes, shadows, lamps, sky and a lake.
#[test]
fn a_landscape_looks_as_on_vulkan() {
    let world = stage::island();
    let mut frame = stage::frame(&world, stage::overview());
    frame.time = 5.0;
    check("landscape", &frame);
}

/// One sample per pixel, water close by with bodies in it, lines over it, fog of war.
#[test]
fn what_is_in_and_over_water_looks_as_on_vulkan() {
    let world = stage::island();
    let mut frame = stage::frame(&world, stage::look([46.0, 15.0, 90.0], [36.0, 9.0, 72.0]));
    frame.time = 5.0;
    frame.settings.antialiasing = Antialiasing::Off;
    let bodies = [32.0, 36.0, 40.0].map(|x| CharacterInstance {
        position: stage::position(x, 10.5, 76.0),
        radii: Vector3::new(0.8, 1.6, 0.8),
        heading: 1.0,
        up: Vector3::y(),
        color: Color::ORANGE,
    });
    frame.characters = &bodies;
    let mut lines = Overlay::new(Visibility::Occluded);
    let corner = stage::position(30.0, 9.0, 72.0);
    lines.clear(corner.cell);
    lines.box_edges(&corner, Vector3::new(12.0, 5.0, 8.0), Color::YELLOW);
    let overlays = [lines];
    frame.overlays = &overlays;
    let heights = vec![11.0; 128 * 128];
    let alpha: Vec<f32> = (0..128 * 128)
        .map(|tile| (tile % 128) as f32 / 160.0)
        .collect();
    frame.fog = Some(FogView {
        origin: [0, 0],
        size: [128, 128],
        tile: 1.0,
        alpha: &alpha,
        heights: &heights,
        revision: 1,
    });
    check("water", &frame);
}
