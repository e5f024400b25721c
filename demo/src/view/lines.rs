//! Overlays drawn into the world, each with one part of the simulation.

use collision::hit_box::Footprint;
use collision::{Cell, Position};
use engine::{Color, Overlay as Lines};
use nalgebra::Vector3;
use simulation::{AXES, Simulation, Symmetry};
use world::{CellBox, Face, Found, World};

use crate::arguments::Overlay;

use super::Wanted;

/// Distance from the eye up to which chunk boxes are drawn, cells.
const CHUNK_REACH: i32 = 128;
/// Distance from the eye up to which merged rectangles are drawn, cells.
const QUAD_REACH: i32 = 40;
/// Half the side of a plane of symmetry, metres, and the lines in it on each side of its middle.
const PLANE_REACH: f32 = 16.0;
const PLANE_LINES: i32 = 4;
/// Distance of rectangles in front of their surface, metres.
const LIFT: f32 = 0.012;

/// Draws the edges of a box of cells, visible through everything.
pub(super) fn draw_outline(lines: &mut Lines, outline: Option<&CellBox>) {
    if let Some(cells) = outline {
        let size = cells
            .max
            .zip_map(&cells.min, |a, b| a.wrapping_sub(b) as f32);
        let min = Position::new(cells.min, Vector3::zeros());
        lines.box_edges(&min, size.add_scalar(1.0), Color::CYAN);
    }
}

/// Draws the planes of symmetry as upright grids about their cell.
pub(super) fn draw_symmetry(lines: &mut Lines, symmetry: &Symmetry) {
    let middle = Position::new(Cell::from(symmetry.about), Vector3::repeat(0.5));
    for (axis, _) in AXES.into_iter().zip(symmetry.across).filter(|(_, on)| *on) {
        let mut along = Vector3::zeros();
        along[2 - axis] = PLANE_REACH;
        let up = Vector3::y() * PLANE_REACH;
        for line in -PLANE_LINES..=PLANE_LINES {
            let share = line as f32 / PLANE_LINES as f32;
            for (aside, way) in [(along * share, up), (up * share, along)] {
                let ends = [aside - way, aside + way].map(|offset| middle.moved(offset));
                lines.line(&ends[0], &ends[1], Color::MAGENTA);
            }
        }
    }
}

/// The two lists of lines: hidden by terrain, and visible through it.
pub(super) struct Pens<'a> {
    pub(super) hidden: &'a mut Lines,
    pub(super) through: &'a mut Lines,
}

impl Pens<'_> {
    /// Draws one overlay; graphs have nothing to draw here.
    pub(super) fn draw(&mut self, overlay: Overlay, simulation: &Simulation, wanted: &Wanted<'_>) {
        let eye = wanted.camera.position.cell;
        match overlay {
            Overlay::Chunks => self.chunks(&simulation.world, eye),
            Overlay::Quads => self.quads(&simulation.world, eye),
            Overlay::Hits => self.blows(simulation),
            _ => super::traces::draw(self, overlay, simulation, wanted),
        }
    }

    fn chunks(&mut self, world: &World, eye: Cell) {
        for found in found_near(world, eye, CHUNK_REACH) {
            match found {
                Found::Terrain(brick) => {
                    let min = world.place_of(brick) * 32;
                    let quads = world.brick(brick).render_surface().opaque.quads().len();
                    let heat = (quads as f32 / 900.0).min(1.0);
                    let color = Color([
                        80 + (170.0 * heat) as u8,
                        210 - (100.0 * heat) as u8,
                        120,
                        255,
                    ]);
                    self.hidden.box_edges(
                        &Position::new(min, Vector3::zeros()),
                        Vector3::repeat(32.0),
                        color,
                    );
                }
                Found::Object(id) => {
                    if let Some(object) = world.object(id) {
                        let size = object
                            .extent()
                            .map(|voxels| voxels as f32 * object.voxel_size());
                        self.through
                            .box_edges(object.origin(), size, Color::MAGENTA);
                    }
                }
            }
        }
    }

    fn quads(&mut self, world: &World, eye: Cell) {
        for found in found_near(world, eye, QUAD_REACH) {
            let Found::Terrain(id) = found else {
                continue;
            };
            let base = world.place_of(id) * 32;
            for quad in world.brick(id).collision_surface().quads() {
                let face = quad.face();
                let corners = rectangle(
                    face,
                    quad.layer(),
                    [quad.u(), quad.v()],
                    [quad.width(), quad.height()],
                );
                let color = match face.axis() {
                    0 => Color::ORANGE,
                    1 => Color::GREEN,
                    _ => Color::CYAN,
                };
                let shift = base.zip_map(&self.hidden.base, |a, b| a.wrapping_sub(b) as f32);
                for i in 0..4 {
                    self.hidden
                        .local_line(corners[i] + shift, corners[(i + 1) % 4] + shift, color);
                }
            }
        }
    }

    fn blows(&mut self, simulation: &Simulation) {
        for struck in simulation.melee().struck() {
            let color = if struck.hits > 0 {
                Color::RED
            } else {
                Color::YELLOW
            };
            let (origin, shape) = (&struck.strike().origin, &struck.strike().shape);
            match shape.footprint {
                Footprint::Box { min, max } => {
                    let low = Vector3::new(min[0], shape.low, min[1]);
                    let size = Vector3::new(max[0], shape.high, max[1]) - low;
                    let corner = origin.moved(low);
                    self.through.box_edges(&corner, size, color);
                    self.hidden
                        .box_solid(&corner, size, color.alpha(0.3 * struck.freshness()));
                }
                Footprint::Circle { center, radius } => {
                    let fill = color.alpha(0.25 * struck.freshness());
                    for height in [shape.low, shape.high] {
                        let middle = origin.moved(Vector3::new(center[0], height, center[1]));
                        self.through.ring(&middle, Vector3::y(), radius, color);
                        disc(self.hidden, &middle, radius, fill);
                    }
                }
            }
        }
    }
}

/// Draws a filled level circle.
fn disc(lines: &mut Lines, center: &Position, radius: f32, color: Color) {
    const PIECES: u32 = 32;
    let center = center.relative_to(lines.base);
    let rim = |piece: u32| {
        let angle = piece as f32 / PIECES as f32 * std::f32::consts::TAU;
        center + Vector3::new(angle.cos() * radius, 0.0, angle.sin() * radius)
    };
    for piece in 0..PIECES {
        lines.local_triangle([center, rim(piece), rim(piece + 1)], color);
    }
}

fn found_near(world: &World, eye: Cell, reach: i32) -> Vec<Found> {
    let bounds = CellBox::new(
        eye.map(|c| c.saturating_sub(reach)),
        eye.map(|c| c.saturating_add(reach)),
    );
    let mut found = Vec::new();
    world.visit_box(&bounds, |item| found.push(item));
    found
}

/// Returns the corners of a merged rectangle, metres from its chunk's corner.
fn rectangle(face: Face, layer: u32, low: [u32; 2], size: [u32; 2]) -> [Vector3<f32>; 4] {
    let axis = face.axis();
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut base = Vector3::zeros();
    let sign = face.sign() as f32;
    base[axis] = layer as f32 + if sign > 0.0 { 1.0 } else { 0.0 } + sign * LIFT;
    let at = |along_u: u32, along_v: u32| {
        let mut corner = base;
        corner[u] = (low[0] + along_u) as f32;
        corner[v] = (low[1] + along_v) as f32;
        corner
    };
    [
        at(0, 0),
        at(size[0], 0),
        at(size[0], size[1]),
        at(0, size[1]),
    ]
}

/// Draws the path of a shot, with a ring where it lands.
pub(super) fn draw_shot(lines: &mut Lines, path: &[Position]) {
    for (index, pair) in path.windows(2).enumerate() {
        if index % 4 < 2 {
            lines.line(&pair[0], &pair[1], Color::YELLOW);
        }
    }
    if let Some(end) = path.last()
        && path.len() > 1
    {
        lines.ring(end, Vector3::y(), 0.8, Color::ORANGE);
        lines.ellipsoid(end, Vector3::repeat(0.3), Color::ORANGE);
    }
}

/// Rings that rise from a spring at once, and their rounds a second.
const RINGS: u32 = 3;
const RISES: f32 = 0.6;

/// Draws the springs of trigger zones: rings that rise from the pad and fade, brighter with a
/// character inside.
pub(super) fn draw_zones(lines: &mut Lines, simulation: &Simulation) {
    for zone in simulation.pickups().zones() {
        let (color, strength) = match zone.occupants {
            0 => (Color::ORANGE, 0.8),
            _ => (Color::YELLOW, 1.0),
        };
        let middle = Vector3::new(zone.size.x * 0.5, 0.0, zone.size.z * 0.5);
        let widest = middle.x.min(middle.z) * 0.7;
        for ring in 0..RINGS {
            let share = (simulation.seconds() * RISES + ring as f32 / RINGS as f32).fract();
            let lift = Vector3::y() * (0.2 + share * zone.size.y);
            let at = zone.min.moved(middle + lift);
            let fading = color.alpha(strength * (1.0 - share));
            lines.ring(&at, Vector3::y(), widest * (1.0 - 0.3 * share), fading);
        }
        lines.arrow(
            &zone.min.moved(middle + Vector3::y() * 0.3),
            Vector3::y() * (zone.size.y * 0.6),
            color.alpha(strength),
        );
    }
}
