//! Draws the hand-made world of the tests from a few places into `target/look/`, for inspection.

#[path = "../tests/stage/mod.rs"]
mod stage;

use engine::{GraphicsSettings, Sun};
use world::files::Existing;

fn main() {
    let gpu = stage::gpu();
    println!("{}", gpu.name());
    let world = stage::island();
    let mut renderer = stage::renderer(&gpu);
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let door = stage::door();
    let views = [
        ("overview", stage::overview(), 0.40),
        (
            "hut",
            stage::look([door[0] + 9.0, door[1] + 3.0, door[2] + 14.0], door),
            0.36,
        ),
        ("dusk", stage::overview(), 0.745),
        (
            "night",
            stage::look([door[0] + 9.0, door[1] + 3.0, door[2] + 14.0], door),
            0.95,
        ),
        (
            "lake",
            stage::look([52.0, 17.0, 92.0], [34.0, 8.0, 66.0]),
            0.44,
        ),
        (
            "close",
            stage::look(
                [60.5, stage::ground_at(60, 60) + 2.0, 66.0],
                [64.0, stage::ground_at(64, 58), 56.0],
            ),
            0.42,
        ),
    ];
    for (name, camera, time) in views {
        if !wanted.is_empty() && !wanted.iter().any(|wanted| wanted == name) {
            continue;
        }
        let mut frame = stage::frame(&world, camera);
        frame.settings = GraphicsSettings {
            view_distance: 200.0,
            ..GraphicsSettings::default()
        };
        frame.sun = Sun { time_of_day: time };
        frame.time = 12.0;
        let start = std::time::Instant::now();
        match renderer.capture(&gpu, &frame, [960, 540]) {
            Ok(image) => {
                let path = format!("target/look/{name}.png");
                image
                    .save(path.as_ref(), Existing::Replace)
                    .unwrap_or_else(|error| eprintln!("{error}"));
                println!("{path} {:?} {:?}", start.elapsed(), renderer.statistics());
            }
            Err(error) => eprintln!("{name}: {error}"),
        }
    }
}
