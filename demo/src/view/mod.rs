//! From the simulation to a picture: characters, balls, sparks, ghosts and overlays as the engine
//! takes them.
//!
//! All buffers are kept from picture to picture.

mod colors;
mod feet;
mod gun;
mod land_map;
mod lines;
mod meshes;
#[cfg(test)]
mod pictures;
#[cfg(test)]
mod places;
mod scene;
mod settings;
mod traces;

use std::collections::BTreeSet;

use collision::{Cell, Position};
use engine::{
    Camera, CharacterInstance, Color, FogView, Frame, Ghost, GhostKind, Light, ModelInstance,
    Overlay as Lines, Sun, Visibility,
};
use nalgebra::Vector3;
use simulation::{
    BALL_RADIUS, Drawn, Gun, LooseKind, Simulation, SparkShape, Symmetry, TARGET_RADIUS, Zone,
};
use world::CellBox;

use crate::arguments::Overlay;
use crate::settings::Graphics;

use gun::GunMeshes;
pub(crate) use land_map::{LandMap, MapView};
use meshes::Meshes;
pub(crate) use scene::Staged;
pub(crate) use settings::graphics_settings;

/// The contents of a picture beside the world.
pub(crate) struct Wanted<'a> {
    pub(crate) camera: Camera,
    pub(crate) overlays: &'a BTreeSet<Overlay>,
    /// Place of the picture between two ticks, 0 to 1.
    pub(crate) between: f32,
    /// True if the player's own character is drawn.
    pub(crate) player_shows: bool,
    /// The path of a shot.
    pub(crate) shot: &'a [Position],
    /// The cannon, while it is in hand.
    pub(crate) gun: Option<Gun>,
}

/// Buffers of everything that a picture shows.
pub(crate) struct View {
    characters: Vec<CharacterInstance>,
    bodies: Vec<CharacterInstance>,
    pieces: Vec<CharacterInstance>,
    gems: Vec<CharacterInstance>,
    models: Vec<ModelInstance>,
    meshes: Meshes,
    gun: GunMeshes,
    lights: Vec<Light>,
    /// Solids, lines that terrain hides, and lines that it does not.
    lines: [Lines; 3],
    /// Changes with the world.
    pub(crate) world_generation: u64,
    /// Cells that a brush would change.
    pub(crate) ghost: Vec<Cell>,
    /// The kind of the change.
    pub(crate) ghost_kind: GhostKind,
    /// A box that is selected, or would be pasted.
    pub(crate) outline: Option<CellBox>,
    /// The planes of symmetry of the brush.
    pub(crate) symmetry: Symmetry,
    /// Middles and radii of the handles of the selected box.
    pub(crate) handles: Vec<(Position, f32)>,
}

impl Default for View {
    fn default() -> Self {
        View {
            characters: Vec::new(),
            bodies: Vec::new(),
            pieces: Vec::new(),
            gems: Vec::new(),
            models: Vec::new(),
            meshes: Meshes::default(),
            gun: GunMeshes::default(),
            lights: Vec::new(),
            lines: [
                Lines::new(Visibility::Solid),
                Lines::new(Visibility::Occluded),
                Lines::new(Visibility::Through),
            ],
            world_generation: 1,
            ghost: Vec::new(),
            ghost_kind: GhostKind::Carve,
            outline: None,
            symmetry: Symmetry::default(),
            handles: Vec::new(),
        }
    }
}

impl View {
    /// Gathers the contents of the next picture.
    pub(crate) fn gather(&mut self, simulation: &Simulation, wanted: &Wanted<'_>) {
        let base = wanted.camera.position.cell;
        for lines in &mut self.lines {
            lines.clear(base);
        }
        self.bodies.clear();
        self.pieces.clear();
        self.gems.clear();
        self.lights.clear();
        self.gather_characters(simulation, wanted);
        self.gather_bodies(simulation, wanted.between);
        self.meshes
            .gather_props(simulation.props(), &mut self.models);
        if let Some(gun) = &wanted.gun {
            self.gun.gather(gun, &mut self.models);
        }
        let [_, hidden, through] = &mut self.lines;
        lines::draw_shot(hidden, wanted.shot);
        lines::draw_zones(hidden, simulation);
        lines::draw_outline(through, self.outline.as_ref());
        lines::draw_symmetry(hidden, &self.symmetry);
        let mut pens = lines::Pens { hidden, through };
        for &overlay in wanted.overlays {
            pens.draw(overlay, simulation, wanted);
        }
    }

    fn gather_characters(&mut self, simulation: &Simulation, wanted: &Wanted<'_>) {
        self.characters.clear();
        let eye = &wanted.camera.position;
        let mut add = |drawn: &Drawn, color: Color| {
            self.characters.push(instance(drawn, color));
            feet::gather(&mut self.bodies, drawn, color, eye);
        };
        for drawn in simulation.seen_walkers(wanted.between) {
            add(&drawn, colors::skin(drawn.tint, drawn.flash));
        }
        for drawn in simulation.drawn_others(wanted.between) {
            add(&drawn, colors::skin(drawn.tint, drawn.flash));
        }
        let own = simulation.drawn_player(wanted.between);
        if let Some(drawn) = own.filter(|_| wanted.player_shows) {
            add(&drawn, colors::player(drawn.flash));
        }
    }

    fn gather_bodies(&mut self, simulation: &Simulation, between: f32) {
        for ball in simulation.cannon().balls() {
            let position = simulation::blend(&ball.before, &ball.position, between);
            self.bodies
                .push(sphere(position, BALL_RADIUS, colors::BALL));
        }
        for target in simulation.cannon().targets() {
            self.bodies
                .push(sphere(target.position, TARGET_RADIUS, colors::TARGET));
        }
        for thing in simulation.pickups().loose() {
            let position = simulation::blend(&thing.before, &thing.position, between);
            let [r, g, b] = thing.color;
            let color = Color([r, g, b, 255]);
            match thing.kind {
                LooseKind::Pickup => self.gems.push(gem(position, thing.radius, color)),
                LooseKind::Debris => self.pieces.push(piece(position, thing.radius, color)),
            }
        }
        for zone in simulation.pickups().zones() {
            self.pieces.push(spring_pad(zone));
        }
        for &(handle, radius) in &self.handles {
            self.bodies.push(sphere(handle, radius, Color::CYAN));
        }
        for spark in simulation.sparks().list() {
            let position = simulation::blend(&spark.before, &spark.position, between);
            let [r, g, b] = spark.color;
            let color = Color([r, g, b, 255]);
            match spark.shape {
                SparkShape::Ball => self.bodies.push(sphere(position, spark.radius, color)),
                SparkShape::Chip => self.pieces.push(piece(position, spark.radius, color)),
            }
        }
    }

    /// Returns the picture, without its interface.
    pub(crate) fn frame<'a>(
        &'a self,
        simulation: &'a Simulation,
        camera: Camera,
        graphics: &Graphics,
    ) -> Frame<'a> {
        let mut frame = Frame::new(camera, graphics_settings(graphics));
        frame.world = Some(&simulation.world);
        frame.world_generation = self.world_generation;
        frame.characters = &self.characters;
        frame.bodies = &self.bodies;
        frame.pieces = &self.pieces;
        frame.gems = &self.gems;
        frame.models = &self.models;
        frame.lights = &self.lights;
        frame.overlays = &self.lines;
        frame.sun = Sun {
            time_of_day: graphics.hour / 24.0,
        };
        frame.time = simulation.seconds();
        frame.fog = simulation.fog().map(|fog| FogView {
            origin: fog.origin(),
            size: fog.size().map(|side| side as u32),
            tile: fog.tile_side(),
            alpha: fog.alpha(),
            heights: fog.heights(),
            revision: fog.revision(),
        });
        if !self.ghost.is_empty() {
            frame.ghost = Some(Ghost {
                cells: &self.ghost,
                kind: self.ghost_kind,
            });
        }
        frame
    }
}

fn instance(drawn: &Drawn, color: Color) -> CharacterInstance {
    CharacterInstance {
        position: drawn.position,
        radii: drawn.radii,
        heading: drawn.heading,
        up: Vector3::y(),
        color,
    }
}

/// Semi-axes of a gem relative to its radius.
const GEM: [f32; 3] = [0.9, 1.5, 0.9];

/// Returns a pick-up.
fn gem(position: Position, radius: f32, color: Color) -> CharacterInstance {
    CharacterInstance {
        radii: Vector3::from(GEM) * radius,
        ..sphere(position, radius, color)
    }
}

/// Turn of a piece for each metre of its way, radians.
const TUMBLES: f32 = 2.6;

/// Returns a piece of a broken voxel. Its turn follows from its place, so that it tumbles in flight
/// and lies still at rest.
fn piece(position: Position, radius: f32, color: Color) -> CharacterInstance {
    let way = position.relative_to(position.cell.map(|at| at & !0xff)) * TUMBLES;
    let lean = Vector3::new((way.x + way.y).sin(), 1.2, (way.z - way.y).cos());
    CharacterInstance {
        heading: way.x + way.y + way.z,
        up: lean.normalize(),
        radii: Vector3::new(radius, radius * 0.7, radius * 0.85),
        ..sphere(position, radius, color)
    }
}

/// Half the height of a spring's pad, metres, and its share of the zone's sides.
const PAD_HALF: f32 = 0.07;
const PAD_SHARE: f32 = 0.8;

/// Returns the pad on the floor of a zone.
fn spring_pad(zone: &Zone) -> CharacterInstance {
    let middle = Vector3::new(zone.size.x * 0.5, PAD_HALF, zone.size.z * 0.5);
    let half = zone.size * (0.5 * PAD_SHARE);
    CharacterInstance {
        radii: Vector3::new(half.x, PAD_HALF, half.z),
        ..sphere(zone.min.moved(middle), PAD_HALF, colors::PAD)
    }
}

fn sphere(position: Position, radius: f32, color: Color) -> CharacterInstance {
    CharacterInstance {
        position,
        radii: Vector3::repeat(radius),
        heading: 0.0,
        up: Vector3::y(),
        color,
    }
}
