//! Where the tour happens: one world, one camera, and a player that follows a script.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use collision::Position;
use engine::{Camera, GhostKind};
use nalgebra::Vector3;

use crate::cli::{Overlay, PictureSize};
use crate::error::Error;
use crate::session::Session;
use crate::settings::Settings;
use crate::simulation::{Command, Simulation, Stroke, Travel, Wish, lift_out, stroke_cells};
use crate::studio::{self, Shot, Studio};
use crate::ui::{CrowdFacts, Facts, FrameFacts, Panel, Ui, WorldFacts};

use super::stops::Stop;

/// The world of the tour.
const SEED: u64 = 1;
/// How far the tour sees, metres.
const VIEW: f32 = 320.0;

/// What is open while the tour goes on.
pub(super) struct Stage {
    pub(super) studio: Studio,
    pub(super) session: Session,
    pub(super) settings: Settings,
    pub(super) camera: Camera,
    pub(super) wish: Wish,
    pub(super) overlays: BTreeSet<Overlay>,
    pub(super) player_shows: bool,
    pub(super) shot_path: Vec<Position>,
    /// Panels that show, with the hot-bar; none leaves the picture clean.
    pub(super) panels: Option<Vec<Panel>>,
    /// Whether the camera stays behind the player.
    pub(super) chase: Option<Chase>,
    pub(super) home: Position,
    pub(super) yaw: f32,
}

/// A camera that stays behind the player.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chase {
    pub(super) behind: f32,
    pub(super) above: f32,
    pub(super) pitch: f32,
}

/// What a stop measured, milliseconds.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) frame: Vec<f32>,
    pub(super) cpu: Vec<f32>,
    pub(super) tick: Vec<f32>,
}

impl Stage {
    pub(super) fn open(size: PictureSize) -> Result<Self, Error> {
        let mut settings = Settings::default();
        settings.graphics.view_metres = VIEW;
        let studio = Studio::open(size)?;
        let session = Session::generated(SEED, VIEW, &settings.characters);
        let home = session.start.position;
        let yaw = session.start.yaw;
        Ok(Stage {
            studio,
            camera: Camera::new(home, yaw, 0.0),
            wish: Wish {
                yaw,
                ..Wish::default()
            },
            overlays: BTreeSet::new(),
            player_shows: false,
            shot_path: Vec::new(),
            panels: None,
            chase: None,
            home,
            yaw,
            session,
            settings,
        })
    }

    /// A stop begins with nothing left over from the one before but the world.
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
        self.session.simulation.apply(&command);
    }

    /// A place so many metres ahead of, right of and above the start.
    pub(super) fn place(&self, ahead: f32, right: f32, above: f32) -> Position {
        let (sin, cos) = self.yaw.sin_cos();
        self.home.moved(Vector3::new(
            sin * ahead + cos * right,
            above,
            -cos * ahead + sin * right,
        ))
    }

    /// Puts the camera somewhere that is not inside a hill, looking at a place.
    pub(super) fn look_from(&mut self, from: Position, at: Position) {
        let from = lift_out(&self.session.simulation.world, from);
        let way = at.since(&from);
        let level = way.xz().norm().max(f32::MIN_POSITIVE);
        self.camera = Camera::new(from, way.x.atan2(-way.z), (way.y / level).atan());
        self.camera.field_of_view = 65.0_f32.to_radians();
    }

    /// Puts the player on the ground at a place, on feet.
    pub(super) fn stand(&mut self, at: Position) {
        let world = &self.session.simulation.world;
        let high = lift_out(world, at.moved(Vector3::y() * 4.0));
        self.apply(Command::Teleport(high));
        self.apply(Command::Travel(Travel::Walk));
    }

    /// Shows what a stroke would change.
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
                done += 1;
            }
            self.follow();
            let start = Instant::now();
            let image = self.draw()?;
            outcome.frame.push(milliseconds(start));
            outcome
                .cpu
                .push(self.studio.statistics().total_milliseconds);
            if frame == frames {
                studio::save(&image, path)?;
            }
        }
        Ok(outcome)
    }

    fn follow(&mut self) {
        let Some(chase) = self.chase else {
            return;
        };
        let simulation = &self.session.simulation;
        let (sin, cos) = self.wish.yaw.sin_cos();
        let back = Vector3::new(-sin * chase.behind, chase.above, cos * chase.behind);
        let reach = back.norm();
        let eye = simulation.eye();
        let free =
            crate::simulation::clear_distance(&simulation.world, eye, back, reach + 0.3) - 0.3;
        let position = eye.moved(back / reach * free.max(0.0));
        self.camera = Camera::new(position, self.wish.yaw, chase.pitch);
        self.camera.field_of_view = 65.0_f32.to_radians();
    }

    fn draw(&mut self) -> Result<engine::Image, Error> {
        let mut ui = Ui::default();
        for panel in self.panels.iter().flatten() {
            ui.toggle(*panel);
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
            world: WorldFacts {
                seed: self.session.seed,
                chunks: simulation.world.loaded_chunks().count(),
                strokes: simulation.strokes().collect(),
                strokes_done: simulation.strokes_done(),
                ..WorldFacts::default()
            },
            frame: FrameFacts {
                chunks: statistics.bricks,
                quads: statistics.quads,
                draws: statistics.draws,
                ..FrameFacts::default()
            },
            ..Facts::default()
        }
    }
}

fn milliseconds(since: Instant) -> f32 {
    since.elapsed().as_secs_f32() * 1e3
}
