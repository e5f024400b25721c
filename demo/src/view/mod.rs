//! From the simulation to a picture: characters, balls, sparks, ghosts and overlays as the engine
//! takes them.
//!
//! All buffers are kept from picture to picture.

mod colors;
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
use world::CellBox;

use crate::arguments::Overlay;
use crate::settings::Graphics;
use crate::simulation::{BALL_RADIUS, Drawn, Gun, Simulation, Symmetry, TARGET_RADIUS};

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
        let walkers = simulation.seen_walkers(wanted.between);
        self.characters
            .extend(walkers.map(|drawn| instance(&drawn, colors::skin(drawn.tint, drawn.flash))));
        if wanted.player_shows {
            let drawn = simulation.drawn_player(wanted.between);
            self.characters
                .push(instance(&drawn, colors::player(drawn.flash)));
        }
    }

    fn gather_bodies(&mut self, simulation: &Simulation, between: f32) {
        self.bodies.clear();
        self.lights.clear();
        for ball in simulation.cannon().balls() {
            let position = crate::simulation::blend(&ball.before, &ball.position, between);
            self.bodies
                .push(sphere(position, BALL_RADIUS, colors::BALL));
        }
        for target in simulation.cannon().targets() {
            self.bodies
                .push(sphere(target.position, TARGET_RADIUS, colors::TARGET));
        }
        for thing in simulation.pickups().loose() {
            let position = crate::simulation::blend(&thing.before, &thing.position, between);
            let [r, g, b] = thing.color;
            self.bodies
                .push(sphere(position, thing.radius, Color([r, g, b, 255])));
        }
        for &(handle, radius) in &self.handles {
            self.bodies.push(sphere(handle, radius, Color::CYAN));
        }
        for spark in simulation.sparks().list() {
            let position = crate::simulation::blend(&spark.before, &spark.position, between);
            let [r, g, b] = spark.color;
            self.bodies
                .push(sphere(position, spark.radius, Color([r, g, b, 255])));
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

fn sphere(position: Position, radius: f32, color: Color) -> CharacterInstance {
    CharacterInstance {
        position,
        radii: Vector3::repeat(radius),
        heading: 0.0,
        up: Vector3::y(),
        color,
    }
}
