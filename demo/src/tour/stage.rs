//! The stage of the tour: one world, one camera, and a player that follows a script.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;

use collision::Position;
use engine::{Camera, GhostKind};
use nalgebra::Vector3;
use simulation::{
    Command, PlayerId, Simulation, Stroke, Travel, Wish, dry_ground, lift_out, standing_in,
    stroke_cells,
};
use world::files::Existing;
use world::{Ray, World};

use crate::arguments::{Overlay, PictureSize};
use crate::error::Error;
use crate::first_view::Light;
use crate::language::Language;
use crate::session::Session;
use crate::settings::Settings;
use crate::strokes;
use crate::studio::{self, Shot, Studio};
use crate::ui::{
    CrowdFacts, Facts, FrameFacts, MaterialFact, MemoryFact, MinimapFacts, Panel, ToolFacts, Ui,
    WorldFacts,
};
use crate::view::{LandMap, MapView};

use super::stops::Stop;

/// Seed of the world.
const SEED: u64 = 1;
/// View distance, metres.
const VIEW: f32 = 320.0;
/// View distance of the first picture, whose time is measured, metres.
pub(super) const FIRST_VIEW: f32 = 256.0;
/// Places along a side of the field that is searched for a clearing, 8 m apart.
const CLEARINGS: i32 = 25;
/// Number of samples in the frame graph.
const GRAPH: usize = 160;
/// Updates of the map for one picture, as many as for a few pictures on screen.
const MAP_PICTURES: u32 = 40;

/// The state of the tour.
pub(super) struct Stage {
    pub(super) studio: Studio,
    pub(super) session: Session,
    pub(super) settings: Settings,
    pub(super) camera: Camera,
    pub(super) wish: Wish,
    pub(super) overlays: BTreeSet<Overlay>,
    pub(super) player_shows: bool,
    pub(super) shot_path: Vec<Position>,
    /// Open panels, with the hot-bar; `None` leaves the picture clean.
    pub(super) panels: Option<Vec<Panel>>,
    /// A camera that stays behind the player.
    pub(super) chase: Option<Chase>,
    /// Middle of a meadow with room for a crowd.
    pub(super) home: Position,
    pub(super) yaw: f32,
    /// Times of the first picture.
    pub(super) first: FirstPicture,
    built_on: BTreeMap<[i32; 2], Position>,
    map: LandMap,
    map_facts: MinimapFacts,
    /// The latest frames and ticks, milliseconds, for the frame graph.
    frames: FrameFacts,
}

/// Seconds from nothing to the first complete picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct FirstPicture {
    /// Opening the adapter and making the pipelines: the driver's part.
    pub(super) adapter: f64,
    /// Generating and merging all land in view.
    pub(super) world: f64,
    /// Uploading it, culling and recording: our part of the picture.
    pub(super) recording: f64,
    /// The whole picture, with the driver's work.
    pub(super) picture: f64,
}

/// A camera that stays behind the player.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chase {
    pub(super) behind: f32,
    pub(super) above: f32,
    pub(super) pitch: f32,
    /// Angle by which the camera goes round to the front, radians.
    pub(super) around: f32,
}

/// Measurements of a stop, milliseconds.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) frame: Vec<f32>,
    pub(super) cpu: Vec<f32>,
    pub(super) tick: Vec<f32>,
}

impl Stage {
    pub(super) fn open(size: PictureSize) -> Result<Self, Error> {
        let mut settings = Settings::default();
        settings.graphics.view_metres = FIRST_VIEW;
        let start = Instant::now();
        let studio = Studio::open(size)?;
        let opened = Instant::now();
        let session = Session::generated(SEED, FIRST_VIEW, &settings.characters);
        let generated = Instant::now();
        let yaw = session.start.yaw;
        let mut stage = Stage {
            studio,
            camera: Camera::new(session.start.position, yaw, 0.0),
            wish: Wish {
                yaw,
                ..Wish::default()
            },
            overlays: BTreeSet::new(),
            player_shows: false,
            shot_path: Vec::new(),
            panels: None,
            chase: None,
            home: session.start.position,
            yaw,
            first: FirstPicture {
                adapter: (opened - start).as_secs_f64(),
                world: (generated - opened).as_secs_f64(),
                recording: 0.0,
                picture: 0.0,
            },
            built_on: BTreeMap::new(),
            map: LandMap::default(),
            map_facts: MinimapFacts::default(),
            frames: FrameFacts::default(),
            session,
            settings,
        };
        let (from, at) = (stage.place(-34.0, -6.0, 26.0), stage.place(90.0, 0.0, -2.0));
        stage.look_from(from, at);
        let ready = Instant::now();
        stage.draw()?;
        stage.first.picture = ready.elapsed().as_secs_f64();
        let recording = stage.studio.statistics().total_milliseconds;
        stage.first.recording = f64::from(recording) / 1e3;
        stage.settings.graphics.view_metres = VIEW;
        stage.session.load_wholly(VIEW);
        stage.home = clearing(&stage.session.simulation.world, stage.home);
        Ok(stage)
    }

    /// Resets everything but the world, before a stop.
    pub(super) fn clear(&mut self) {
        self.overlays.clear();
        self.player_shows = false;
        self.shot_path.clear();
        self.panels = None;
        self.chase = None;
        self.wish = Wish {
            yaw: self.yaw,
            ..Wish::default()
        };
        self.studio.view.ghost.clear();
        self.settings.graphics.hour = 9.6;
    }

    pub(super) fn simulation(&mut self) -> &mut Simulation {
        &mut self.session.simulation
    }

    pub(super) fn apply(&mut self, command: Command) {
        self.session.simulation.apply(PlayerId::FIRST, &command);
    }

    /// Returns a place at metres ahead of, right of and above the start.
    pub(super) fn place(&self, ahead: f32, right: f32, above: f32) -> Position {
        let (sin, cos) = self.yaw.sin_cos();
        self.home.moved(Vector3::new(
            sin * ahead + cos * right,
            above,
            -cos * ahead + sin * right,
        ))
    }

    /// Returns a place at metres above the ground, and ahead of and right of the meadow's middle.
    pub(super) fn ground(&self, ahead: f32, right: f32, above: f32) -> Position {
        let place = self.place(ahead, right, 0.0);
        let column = [place.cell.x, place.cell.z];
        let top = place.cell.y.saturating_add(48);
        let feet = dry_ground(&self.session.simulation.world, column, top, 120);
        let height = feet.map_or(place.cell.y, |feet| feet.y);
        Position::new(
            collision::Cell::new(place.cell.x, height, place.cell.z),
            place.offset,
        )
        .moved(Vector3::y() * above)
    }

    /// Forgets the known ground, so that it is found anew for the next buildings.
    pub(super) fn remember_ground(&mut self) {
        self.built_on.clear();
    }

    /// Returns the ground as it was when the first thing was built there.
    pub(super) fn ground_before_building(&mut self, ahead: f32, right: f32) -> Position {
        let key = [ahead as i32, right as i32];
        if let Some(known) = self.built_on.get(&key) {
            return *known;
        }
        let ground = self.ground(ahead, right, 0.0);
        self.built_on.insert(key, ground);
        ground
    }

    /// Moves the camera to a place, or above the hill there, looking at another place.
    pub(super) fn look_from(&mut self, from: Position, at: Position) {
        let from = lift_out(&self.session.simulation.world, from);
        let way = at.since(&from);
        let level = way.xz().norm().max(f32::MIN_POSITIVE);
        self.camera = Camera::new(from, way.x.atan2(-way.z), (way.y / level).atan());
        self.camera.field_of_view = 65.0_f32.to_radians();
    }

    /// Moves the camera to the best view of the land in some light.
    pub(super) fn look_out(&mut self, light: Light) {
        let outlook = self.session.outlook_in(self.settings.graphics.hour, light);
        self.camera = Camera::new(outlook.eye, outlook.yaw, outlook.pitch);
        self.camera.field_of_view = 65.0_f32.to_radians();
    }

    /// Returns the cell seen to the right of and above the middle of the picture, as shares of its
    /// height.
    pub(super) fn seen_at(&self, right: f32, above: f32) -> Option<collision::Cell> {
        let camera = &self.camera;
        let scale = 2.0 * (camera.field_of_view / 2.0).tan();
        let ray = Ray {
            origin: camera.position,
            direction: camera.forward() + (camera.right() * right + camera.up() * above) * scale,
        };
        let world = &self.session.simulation.world;
        world.cast_ray(&ray, VIEW).map(|pick| pick.voxel)
    }

    /// Moves the player to the ground at a place, on foot.
    pub(super) fn stand(&mut self, at: Position) {
        let world = &self.session.simulation.world;
        let high = lift_out(world, at.moved(Vector3::y() * 4.0));
        self.apply(Command::Teleport(high));
        self.apply(Command::Travel(Travel::Walk));
    }

    /// Moves the player onto the slab that is farthest along x.
    pub(super) fn ride_a_platform(&mut self) {
        let world = &self.session.simulation.world;
        let slabs = world.objects().map(|(_, slab)| *slab.origin());
        if let Some(corner) = slabs.max_by_key(|origin| origin.cell.x) {
            self.apply(Command::Teleport(corner.moved(Vector3::new(2.0, 1.6, 2.0))));
        }
    }

    /// Shows the ghost of a stroke.
    pub(super) fn show_ghost(&mut self, stroke: &Stroke, kind: GhostKind) {
        stroke_cells(stroke, &mut self.studio.view.ghost);
        self.studio.view.ghost_kind = kind;
    }

    /// Runs a stop's ticks and draws its frames; the last one is the picture.
    pub(super) fn play(&mut self, stop: &Stop, frames: u32, path: &Path) -> Result<Outcome, Error> {
        let mut outcome = Outcome::default();
        let mut done = 0;
        for frame in 1..=frames {
            let until = stop.ticks * frame / frames;
            while done < until {
                (stop.each_tick)(self, done);
                let wish = self.wish;
                let start = Instant::now();
                self.session.tick(&wish);
                outcome.tick.push(milliseconds(start));
                self.frames.tick.push(milliseconds(start));
                done += 1;
            }
            self.follow();
            let start = Instant::now();
            let image = self.draw()?;
            outcome.frame.push(milliseconds(start));
            self.frames.frame.push(milliseconds(start));
            let cpu = self.studio.statistics().total_milliseconds;
            outcome.cpu.push(cpu);
            self.frames.cpu.push(cpu);
            if frame == frames {
                studio::save(&image, path, Existing::Keep)?;
            }
        }
        Ok(outcome)
    }

    fn follow(&mut self) {
        let Some(chase) = self.chase else {
            return;
        };
        let simulation = &self.session.simulation;
        let yaw = self.wish.yaw + chase.around;
        let (sin, cos) = yaw.sin_cos();
        let back = Vector3::new(-sin * chase.behind, chase.above, cos * chase.behind);
        let reach = back.norm();
        let eye = simulation.eye();
        let free = simulation::clear_distance(&simulation.world, eye, back, reach + 0.3) - 0.3;
        let position = eye.moved(back / reach * free.max(0.0));
        self.camera = Camera::new(position, yaw, chase.pitch);
        self.camera.field_of_view = 65.0_f32.to_radians();
    }

    fn draw(&mut self) -> Result<engine::Image, Error> {
        let mut ui = Ui::default();
        for panel in self.panels.iter().flatten() {
            ui.toggle(*panel);
        }
        let view = MapView {
            world: &self.session.simulation.world,
            generation: 1,
            fog: self.session.simulation.fog(),
            player: self.session.simulation.player_position(),
            yaw: self.wish.yaw,
        };
        if self.panels.is_some() {
            for _ in 0..MAP_PICTURES {
                self.map.update(&view, &mut self.map_facts);
            }
            self.map_facts.dots.clear();
            self.map
                .mark_all(&self.session.simulation, &mut self.map_facts);
        }
        let facts = self.facts();
        let graphs =
            self.overlays.contains(&Overlay::Frame) || self.overlays.contains(&Overlay::Memory);
        let shows = self.panels.is_some() || graphs;
        let shot = Shot {
            camera: self.camera,
            overlays: &self.overlays,
            player_shows: self.player_shows,
            path: &self.shot_path,
            interface: shows.then_some((&mut ui, &facts)),
        };
        self.studio
            .take(&self.session.simulation, &mut self.settings, shot)
    }

    fn facts(&self) -> Facts {
        let simulation = &self.session.simulation;
        let at = simulation.player_position().to_metres();
        let statistics = self.studio.statistics();
        let mut frame = FrameFacts {
            frame: latest(&self.frames.frame),
            cpu: latest(&self.frames.cpu),
            tick: latest(&self.frames.tick),
            ..FrameFacts::default()
        };
        frame.count(statistics);
        Facts {
            overlays: self.overlays.clone(),
            travel: simulation.travel_words(),
            position: [at.x, at.y, at.z],
            crowd: CrowdFacts {
                walkers: simulation.walkers(),
                mood: simulation.mood().words(),
                score: simulation.cannon().score,
                targets: simulation.cannon().targets().len(),
                ..CrowdFacts::default()
            },
            tool: ToolFacts {
                name: "Carve and build",
                hint: "place cube, size 3".to_owned(),
                slots: MaterialFact::all_of(simulation.world.materials())
                    .into_iter()
                    .take(9)
                    .collect(),
                ..ToolFacts::default()
            },
            world: WorldFacts {
                materials: MaterialFact::all_of(simulation.world.materials()),
                seed: self.session.seed,
                chunks: simulation.world.loaded_chunks().count(),
                strokes: strokes::in_words(simulation, Language::English).collect(),
                strokes_done: simulation.strokes_done(),
                ..WorldFacts::default()
            },
            frame,
            memory: MemoryFact::list([
                ("voxels and surfaces", memory_of(&simulation.world)),
                ("quads on the GPU", statistics.quad_bytes),
                ("quad pages", statistics.page_bytes),
            ]),
            minimap: self.map_facts.clone(),
            ..Facts::default()
        }
    }
}

fn memory_of(world: &World) -> u64 {
    let bricks = world.brick_ids().map(|id| world.brick(id).heap_bytes());
    bricks.sum::<usize>() as u64
}

/// Returns the samples that the frame graph shows.
fn latest(samples: &[f32]) -> Vec<f32> {
    samples[samples.len().saturating_sub(GRAPH)..].to_vec()
}

/// Returns the most level dry place without trees near another, on its ground.
fn clearing(world: &World, about: Position) -> Position {
    let mut best: Option<(f32, collision::Cell)> = None;
    for step in 0..CLEARINGS * CLEARINGS {
        let offset = [step % CLEARINGS, step / CLEARINGS].map(|i| (i - CLEARINGS / 2) * 8);
        let column = [about.cell.x + offset[0], about.cell.z + offset[1]];
        let far = (offset[0] as f32).hypot(offset[1] as f32);
        if let Some((rough, feet)) = roughness(world, column, about.cell.y) {
            let cost = rough + far * 0.03;
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, feet));
            }
        }
    }
    best.map_or(about, |(_, feet)| standing_in(feet, 0.9))
}

/// Returns the unevenness of the land about a column, metres, and its middle; `None` in water or
/// if nothing is loaded there.
fn roughness(world: &World, column: [i32; 2], level: i32) -> Option<(f32, collision::Cell)> {
    let feet = |x: i32, z: i32| {
        let spot = [column[0] + x, column[1] + z];
        dry_ground(world, spot, level.saturating_add(48), 160)
    };
    let middle = feet(0, 0)?;
    let mut sum = 0.0;
    for z in -5..=5 {
        for x in -5..=5 {
            let rise = (feet(x * 4, z * 4)?.y - middle.y).abs() as f32;
            sum += rise * rise;
        }
    }
    Some(((sum / 121.0).sqrt(), middle))
}

fn milliseconds(since: Instant) -> f32 {
    since.elapsed().as_secs_f32() * 1e3
}
