//! Draws generated land into `target/look/`, for inspection: `land [SEED] [VIEW]`.

use collision::{Cell, Position};
use engine::{Camera, Frame, Gpu, GpuOptions, GraphicsSettings, Renderer, Sun};
use nalgebra::Vector3;
use world::files::Existing;
use world::{StreamSettings, Viewer, World};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seed = arguments
        .next()
        .and_then(|seed| seed.parse().ok())
        .unwrap_or(7);
    let view = arguments
        .next()
        .and_then(|view| view.parse().ok())
        .unwrap_or(300.0);
    let gpu = match Gpu::offscreen(GpuOptions::Reference) {
        Ok(gpu) => gpu,
        Err(error) => return eprintln!("{error}"),
    };
    let mut world = World::generate(seed);
    let spawn = world::generate::Generator::new(seed).spawn();
    let [x, y, z] = spawn.cell;
    let eye = Position::new(Cell::new(x, y + 12, z), Vector3::new(0.5, 0.5, 0.5));
    let best = (spawn.towards[0].atan2(-spawn.towards[1])) as f32;
    let start = std::time::Instant::now();
    let viewer = Viewer {
        position: eye,
        look: Vector3::zeros(),
        reach: view,
    };
    let report = world.stream_wholly(&[viewer], &StreamSettings::default());
    println!("streamed in {:?}: {report:?}", start.elapsed());
    let mut renderer = Renderer::offscreen(&gpu);
    for (number, (yaw, time)) in [(0.0, 0.38), (1.6, 0.44), (3.1, 0.34), (4.7, 0.725)]
        .into_iter()
        .enumerate()
    {
        let camera = Camera::new(eye, best + yaw, -0.2);
        let settings = GraphicsSettings {
            view_distance: view,
            ..GraphicsSettings::default()
        };
        let mut frame = Frame::new(camera, settings);
        frame.world = Some(&world);
        frame.sun = Sun { time_of_day: time };
        frame.time = 20.0 * number as f32;
        match renderer.capture(&gpu, &frame, [1280, 720]) {
            Ok(image) => {
                let path = format!("target/look/land{number}.png");
                image
                    .save(path.as_ref(), Existing::Replace)
                    .unwrap_or_else(|error| eprintln!("{error}"));
                println!("{path} {:?}", renderer.statistics());
            }
            Err(error) => eprintln!("{error}"),
        }
    }
}
