//! Draws a picture of every pass and overlay on the software driver and compares it with the one in
//! `golden/`.
//!
//! Pictures may differ a little (drivers round differently), but not visibly. To renew them after
//! an intended change, run `RENEW_PICTURES=1 cargo test -p engine --test pictures` and look at
//! each. A differing picture is saved in `target/pictures/`, beside the golden one.

#![allow(clippy::unwrap_used)]

mod land;
mod light;
#[path = "../stage/mod.rs"]
mod stage;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use collision::Cell;
use engine::{
    CharacterInstance, Color, FogView, Frame, Ghost, GhostKind, Gpu, Image, Light, Mesh,
    ModelInstance, Overlay, Renderer, ShadowQuality, Sun, Visibility,
};
use nalgebra::{UnitQuaternion, Vector3};
use world::World;
use world::files::Existing;

/// Fraction of pixels that may differ visibly, and the mean difference of all.
const DIFFERING: f32 = 0.01;
const MEAN: f32 = 0.004;

struct Studio {
    gpu: Gpu,
    renderer: Renderer,
    world: World,
}

/// One device for all tests of this file: the software driver uses all cores for one picture
/// anyway.
static STUDIO: Mutex<Option<Studio>> = Mutex::new(None);

fn with_studio(work: impl FnOnce(&mut Studio)) {
    let mut studio = STUDIO.lock().unwrap_or_else(|broken| broken.into_inner());
    let studio = studio.get_or_insert_with(|| {
        let gpu = stage::gpu();
        Studio {
            renderer: stage::renderer(&gpu),
            world: stage::island(),
            gpu,
        }
    });
    work(studio);
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
        .with_extension("png")
}

fn compare(name: &str, image: &Image) {
    let path = golden(name);
    if std::env::var_os("RENEW_PICTURES").is_some() {
        return image.save(&path, Existing::Replace).unwrap();
    }
    let expected =
        Image::load(&path).unwrap_or_else(|error| panic!("{error}; see the top of this file"));
    let difference = image.compare(&expected);
    if difference.differing > DIFFERING || difference.mean > MEAN {
        let seen = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("pictures")
            .join(name)
            .with_extension("png");
        image.save(&seen, Existing::Replace).unwrap();
        panic!(
            "{name} looks different: {difference:?}; compare {} with {}",
            seen.display(),
            path.display()
        );
    }
}

/// Draws the island with a change and compares.
fn check(name: &str, camera: engine::Camera, change: impl FnOnce(&mut Frame<'_>)) {
    with_studio(|studio| {
        let mut frame = stage::frame(&studio.world, camera);
        frame.time = 5.0;
        change(&mut frame);
        // Light spreads over several pictures.
        for _ in 0..100 {
            let (renderer, gpu) = (&mut studio.renderer, &studio.gpu);
            let image = renderer.capture(gpu, &frame, stage::SIZE).unwrap();
            if renderer.statistics().relit_pieces == 0 {
                return compare(name, &image);
            }
        }
        panic!("the light of {name} never comes to rest");
    });
}

fn at_hut() -> engine::Camera {
    let door = stage::door();
    stage::look([door[0] + 7.0, door[1] + 2.5, door[2] + 11.0], door)
}

#[test]
fn terrain() {
    check("terrain", stage::overview(), |_| {});
}

#[test]
fn terrain_with_one_sample_and_without_shadows() {
    check("terrain_plain", stage::overview(), |frame| {
        frame.settings.antialiasing = engine::Antialiasing::Off;
        frame.settings.shadows = ShadowQuality::Off;
    });
}

#[test]
fn shadow() {
    check("shadow", at_hut(), |frame| {
        frame.sun = Sun { time_of_day: 0.33 }
    });
}

#[test]
fn water() {
    check(
        "water",
        stage::look([52.0, 17.0, 92.0], [34.0, 8.0, 66.0]),
        |_| {},
    );
}

#[test]
fn sky_at_dusk() {
    check(
        "sky_dusk",
        stage::look([64.0, 40.0, 64.0], [20.0, 44.0, 44.0]),
        |frame| {
            frame.sun = Sun { time_of_day: 0.735 };
        },
    );
}

#[test]
fn sky_at_night_with_lamps() {
    check("lamps", at_hut(), |frame| {
        frame.sun = Sun { time_of_day: 0.95 }
    });
}

#[test]
fn a_light_of_the_frame() {
    let [x, y, z] = stage::door();
    let lights = [Light {
        position: stage::position(x, y, z + 4.0),
        color: [0.3, 0.5, 2.0],
        reach: 12.0,
    }];
    check("light", at_hut(), move |frame| {
        frame.sun = Sun { time_of_day: 0.0 };
        // Leaked, so that the lights live until the picture is taken.
        frame.lights = Vec::leak(lights.to_vec());
    });
}

/// Returns the light of a pixel, 0 to 765.
fn light_at(image: &Image, x: u32, y: u32) -> u32 {
    let [red, green, blue, _] = image.pixel(x, y);
    u32::from(red) + u32::from(green) + u32::from(blue)
}

#[test]
fn bloom() {
    let [x, y, z] = stage::door();
    let lamp = [x - 3.0, y + 1.5, z];
    let camera = stage::look([lamp[0] + 5.0, lamp[1] - 1.2, lamp[2] + 0.4], lamp);
    with_studio(|studio| {
        let mut frame = stage::frame(&studio.world, camera);
        frame.sun = Sun { time_of_day: 0.0 };
        let image = studio
            .renderer
            .capture(&studio.gpu, &frame, stage::SIZE)
            .unwrap();
        // The sky glows around the lamp in the middle, but not far above it.
        let (near, far) = (light_at(&image, 160, 66), light_at(&image, 160, 6));
        assert!(near > far + 24, "{near} beside the lamp, {far} far away");
        compare("bloom", &image);
    });
}

#[test]
fn tone() {
    check("tone", stage::overview(), |frame| {
        frame.settings.exposure = 2.0;
    });
}

#[test]
fn body() {
    let [x, y, z] = stage::door();
    let bodies: Vec<CharacterInstance> = (0..6)
        .map(|i| {
            let angle = i as f32 * 0.9 + 2.4;
            let color = [
                Color::ORANGE,
                Color::CYAN,
                Color::GREEN,
                Color::MAGENTA,
                Color::YELLOW,
                Color::BLUE,
            ][i];
            CharacterInstance {
                position: stage::position(
                    x - 3.0 + i as f64 * 1.2,
                    y - 0.1,
                    z + 4.0 + f64::from(i as u32 % 2),
                ),
                radii: Vector3::new(0.45, 0.9, 0.45),
                heading: angle,
                up: Vector3::y(),
                color,
            }
        })
        .collect();
    check(
        "body",
        stage::look([x + 1.0, y + 1.2, z + 9.5], [x, y, z + 4.0]),
        move |frame| {
            frame.characters = Vec::leak(bodies);
        },
    );
}

/// Draws a sloping and an upright ramp that throw shadows onto the land before the hut.
#[test]
fn model() {
    let [x, y, z] = stage::door();
    let corner = |x: f32, y: f32, z: f32| Vector3::new(x, y, z);
    let mesh = Mesh::new([
        [
            corner(-1.0, 0.0, 1.5),
            corner(1.0, 0.0, 1.5),
            corner(1.0, 1.5, -1.5),
        ],
        [
            corner(-1.0, 0.0, 1.5),
            corner(1.0, 1.5, -1.5),
            corner(-1.0, 1.5, -1.5),
        ],
        [
            corner(-0.2, 1.0, 0.0),
            corner(0.2, 1.0, 0.0),
            corner(0.0, 3.2, 0.0),
        ],
    ]);
    let mesh = Arc::new(mesh);
    let models: Vec<ModelInstance> = (0..2)
        .map(|index| ModelInstance {
            mesh: mesh.clone(),
            position: stage::position(x - 2.0 + f64::from(index) * 3.5, y - 1.0, z + 4.0),
            turn: UnitQuaternion::from_axis_angle(&Vector3::y_axis(), index as f32 * 0.8),
            scale: 1.0 - index as f32 * 0.4,
            color: [Color::ORANGE, Color::CYAN][index as usize],
        })
        .collect();
    check(
        "model",
        stage::look([x + 1.0, y + 3.0, z + 10.5], [x, y, z + 4.0]),
        move |frame| {
            frame.models = Vec::leak(models);
        },
    );
}

#[test]
fn overlay() {
    let mut occluded = Overlay::new(Visibility::Occluded);
    let mut through = Overlay::new(Visibility::Through);
    let [x, y, z] = stage::door();
    let corner = stage::position(x - 4.0, y - 1.5, z - 8.0);
    for overlay in [&mut occluded, &mut through] {
        overlay.clear(corner.cell);
    }
    through.box_edges(&corner, Vector3::new(8.0, 6.0, 8.0), Color::YELLOW);
    occluded.box_solid(
        &stage::position(x + 3.0, y - 1.0, z + 1.0),
        Vector3::new(2.0, 2.0, 2.0),
        Color::BLUE.alpha(0.4),
    );
    occluded.ellipsoid(
        &stage::position(x, y, z + 3.0),
        Vector3::new(0.6, 1.2, 0.6),
        Color::WHITE,
    );
    occluded.arrow(
        &stage::position(x, y, z + 3.0),
        Vector3::new(-3.0, 1.0, 0.0),
        Color::RED,
    );
    occluded.ring(
        &stage::position(x - 2.0, y, z + 3.0),
        Vector3::y(),
        1.0,
        Color::GREEN,
    );
    check("overlay", at_hut(), move |frame| {
        frame.overlays = Vec::leak(vec![occluded, through])
    });
}

#[test]
fn ghost() {
    let [x, y, z] = stage::door().map(|c| c as i32);
    let cells: Vec<Cell> = (-4..=4_i32)
        .flat_map(|dx| (-4..=4_i32).flat_map(move |dy| (-4..=4_i32).map(move |dz| (dx, dy, dz))))
        .filter(|(dx, dy, dz)| dx * dx + dy * dy + dz * dz <= 14)
        .map(|(dx, dy, dz)| Cell::new(x + dx, y + dy + 1, z + dz + 2))
        .collect();
    check("ghost", at_hut(), move |frame| {
        frame.ghost = Some(Ghost {
            cells: Vec::leak(cells),
            kind: GhostKind::Carve,
        });
    });
}

#[test]
fn fog_of_war() {
    let heights: Vec<f32> = (0..128 * 128)
        .map(|i| stage::ground_at(i % 128, i / 128) as f32)
        .collect();
    let alpha: Vec<f32> = (0..128 * 128)
        .map(|i| {
            let distance = f64::from(i % 128 - 36).hypot(f64::from(i / 128 - 70));
            if distance < 22.0 {
                0.0
            } else if distance < 40.0 {
                0.65
            } else {
                1.0
            }
        })
        .collect();
    check("war_blur", stage::overview(), move |frame| {
        frame.fog = Some(FogView {
            origin: [0, 0],
            size: [128, 128],
            tile: 1.0,
            alpha: Vec::leak(alpha),
            heights: Vec::leak(heights),
            revision: 1,
        });
    });
}

#[test]
fn free_objects_stand_at_any_fraction_of_a_metre() {
    with_studio(|studio| {
        let mut world = stage::island();
        let [x, y, z] = stage::door();
        let origin = stage::position(x - 1.3, y + 0.4, z + 3.7);
        let id = world
            .add_object(origin, 0.25, Vector3::new(12, 12, 12), |voxel| {
                let hollow = voxel.iter().filter(|&&c| (3..9).contains(&c)).count() >= 2;
                if hollow {
                    world::Material::AIR
                } else {
                    world::Material::GOLD
                }
            })
            .unwrap();
        world.move_object(id, Vector3::new(0.0, 0.6, 0.0));
        let mut frame = stage::frame(&world, at_hut());
        frame.world_generation = 77;
        let image = studio
            .renderer
            .capture(&studio.gpu, &frame, stage::SIZE)
            .unwrap();
        compare("object", &image);
    });
}

#[test]
fn panels() {
    with_studio(|studio| {
        let context = egui::Context::default();
        context.all_styles_mut(|style| style.animation_time = 0.0);
        let input = || egui::RawInput {
            screen_rect: Some(egui::Rect::from_min_size(
                egui::Pos2::ZERO,
                egui::vec2(320.0, 180.0),
            )),
            ..Default::default()
        };
        let panel = |ui: &mut egui::Ui| {
            egui::Window::new("Panel")
                .fixed_pos([8.0, 8.0])
                .show(ui.ctx(), |ui| {
                    ui.label("The quick brown fox");
                    let _ = ui.button("A button");
                });
        };
        // A window measures itself in its first picture and is shown in its second.
        let first = context.run_ui(input(), panel);
        let mut output = context.run_ui(input(), panel);
        let mut textures = first.textures_delta.clone();
        textures.append(output.textures_delta.clone());
        first.drop_without_applying_deltas();
        let primitives = context.tessellate(std::mem::take(&mut output.shapes), 1.0);
        let mut renderer = stage::renderer(&studio.gpu);
        let mut frame = stage::frame(&studio.world, stage::overview());
        frame.ui = Some(engine::Ui {
            primitives: &primitives,
            textures: &textures,
            pixels_per_point: 1.0,
        });
        let image = renderer.capture(&studio.gpu, &frame, stage::SIZE).unwrap();
        textures.clear();
        output.textures_delta.clear();
        compare("ui", &image);
    });
}
