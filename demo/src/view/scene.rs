//! A regression scene as a picture: its voxels as they are, meshes and boxes as tinted solids, all
//! bodies with their paths.

use engine::{Camera, CharacterInstance, Color, Frame, Overlay as Lines, Sun};
use nalgebra::Vector3;

use crate::scenes::{Recording, Replay, Solids};
use crate::settings::Graphics;

use super::{View, colors, graphics_settings};

/// The most paths that are drawn, and the most pieces of each.
const MOST_WAYS: usize = 48;
const MOST_PIECES: usize = 400;
/// The most triangles and boxes that are drawn.
const MOST_SOLIDS: usize = 20_000;
/// Least view distance, metres: scenes are small and shown as a whole.
const LEAST_VIEW: f32 = 300.0;
/// Added to the generations of scenes, so that they differ from those of the played world.
const GENERATIONS: u64 = 1 << 62;
const MESH: Color = Color([176, 182, 196, 255]);
const OUTLINE: Color = Color([40, 44, 56, 90]);
const SENSOR: Color = Color([250, 210, 70, 200]);
const WAYS: [Color; 6] = [
    Color::ORANGE,
    Color::CYAN,
    Color::GREEN,
    Color::MAGENTA,
    Color::RED,
    Color::YELLOW,
];

/// A recorded scene at one of its ticks.
pub(crate) struct Staged<'a> {
    pub(crate) recording: &'a Recording,
    pub(crate) replay: &'a Replay,
    pub(crate) tick: usize,
    /// Changes with the voxel world.
    pub(crate) generation: u64,
}

impl View {
    /// Gathers the contents of the next picture of a scene.
    pub(crate) fn gather_scene(&mut self, staged: &Staged<'_>, camera: &Camera) {
        let base = camera.position.cell;
        self.lines.iter_mut().for_each(|lines| lines.clear(base));
        self.bodies.clear();
        self.lights.clear();
        self.ghost.clear();
        self.characters.clear();
        let bodies = staged.recording.bodies(staged.tick);
        let shown = bodies.iter().enumerate();
        self.characters.extend(shown.map(|(index, body)| {
            let [across, along] = body.radii;
            CharacterInstance {
                position: body.position,
                radii: Vector3::new(across, along, across),
                heading: body.heading,
                up: body.up,
                color: colors::skin(index as u8, 0.0),
            }
        }));
        let [solid, hidden, _] = &mut self.lines;
        if let Some(solids) = staged.recording.solids(staged.tick) {
            draw_solids(solid, hidden, solids);
        }
        for (min, size) in &staged.recording.sensors {
            let min = min.relative_to(hidden.base);
            hidden.local_box_edges(min, min + size, SENSOR);
        }
        draw_ways(hidden, staged);
    }

    /// Returns the picture of a scene, without its interface.
    pub(crate) fn scene_frame<'a>(
        &'a self,
        staged: &Staged<'a>,
        camera: Camera,
        graphics: &Graphics,
    ) -> Frame<'a> {
        let mut settings = graphics_settings(graphics);
        settings.fog = 0.0;
        settings.view_distance = settings.view_distance.max(LEAST_VIEW);
        let mut frame = Frame::new(camera, settings);
        frame.world = Some(staged.replay.world());
        frame.world_generation = GENERATIONS + staged.generation;
        frame.characters = &self.characters;
        frame.overlays = &self.lines;
        frame.sun = Sun {
            time_of_day: graphics.hour / 24.0,
        };
        frame.time = staged.tick as f32 / staged.recording.rate.max(1.0);
        frame
    }
}

/// Draws meshes and boxes: filled, each face shaded by its normal, with its outline.
fn draw_solids(solid: &mut Lines, lines: &mut Lines, solids: &Solids) {
    for corners in solids.triangles.iter().take(MOST_SOLIDS) {
        let corners = corners.map(|corner| corner.relative_to(solid.base));
        let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
        solid.local_triangle(corners, shaded(normal));
        for edge in 0..3 {
            lines.local_line(corners[edge], corners[(edge + 1) % 3], OUTLINE);
        }
    }
    for (min, size) in solids.boxes.iter().take(MOST_SOLIDS) {
        let min = min.relative_to(solid.base);
        draw_box(solid, min, min + size);
        lines.local_box_edges(min, min + size, OUTLINE);
    }
}

fn draw_box(solid: &mut Lines, min: Vector3<f32>, max: Vector3<f32>) {
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for (side, end) in [(min, -1.0), (max, 1.0)] {
            let at = |along_u: f32, along_v: f32| {
                let mut corner = side;
                (corner[u], corner[v]) = (along_u, along_v);
                corner
            };
            let corners = [
                at(min[u], min[v]),
                at(max[u], min[v]),
                at(max[u], max[v]),
                at(min[u], max[v]),
            ];
            let mut normal = Vector3::zeros();
            normal[axis] = end;
            solid.local_quad(corners, shaded(normal));
        }
    }
}

/// Returns the colour of a face by its normal: bright upwards, each side of its own grey.
fn shaded(normal: Vector3<f32>) -> Color {
    let unit = normal.try_normalize(0.0).unwrap_or_else(Vector3::y);
    let light = 0.62 + 0.30 * unit.y.abs() + 0.10 * unit.x - 0.06 * unit.z;
    let [r, g, b, _] = MESH.0;
    let part = |c: u8| (f32::from(c) * light).min(255.0) as u8;
    Color([part(r), part(g), part(b), 255])
}

/// Draws the path of each body: bright up to now, faint beyond.
fn draw_ways(lines: &mut Lines, staged: &Staged<'_>) {
    let recording = staged.recording;
    let ticks = recording.ticks();
    let step = ticks.div_ceil(MOST_PIECES).max(1);
    let count = recording.bodies(0).len().min(MOST_WAYS);
    for (way, color) in (0..count).zip(WAYS.iter().cycle()) {
        let mut before = None;
        for tick in (0..=ticks).step_by(step) {
            let Some(body) = recording.bodies(tick).get(way) else {
                break;
            };
            let here = body.position.relative_to(lines.base);
            if let Some(from) = before {
                let faint = if tick > staged.tick { 0.3 } else { 1.0 };
                lines.local_line(from, here, color.alpha(faint));
            }
            before = Some(here);
        }
    }
}
