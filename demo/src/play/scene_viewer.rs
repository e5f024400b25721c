//! The scene viewer: plays a recorded scene on a stage of its own, with a free camera, while the
//! world waits.

use std::collections::BTreeMap;
use std::time::Duration;

use collision::Position;
use collision::scene::{Listed, Verdict, catalogue};
use engine::Camera;
use nalgebra::Vector3;

use crate::error::Error;
use crate::language::Language;
use crate::scenes::{self, Recording, Replay, has_ways};
use crate::simulation::Wish;
use crate::ui::{SceneFacts, SceneState};

use super::app::Play;
use super::clock::Clock;
use super::jobs::{Done, Share};

/// Camera speed, and with sprint held, metres a second.
const SPEEDS: [f32; 2] = [9.0, 40.0];
/// Distance of the camera from the scene at the start, as a multiple of the scene's size, and its
/// lower limit, metres.
const BACK: f32 = 0.9;
const LEAST_BACK: f32 = 5.0;
/// Limit of the size that the first view takes in, metres from the middle.
const MOST_SIZE: f32 = 60.0;
/// The most time that a scene advances between two pictures.
const LONGEST_PICTURE: Duration = Duration::from_secs(1);

/// Verdicts and the open scene.
#[derive(Default)]
pub(super) struct Theatre {
    pub(super) open: Option<OpenScene>,
    verdicts: BTreeMap<&'static str, Verdict>,
    /// Number of stages so far.
    stages: u64,
    /// Yaw and pitch of the player before the first scene.
    looked: Option<[f32; 2]>,
}

/// The scene on the stage.
pub(super) struct OpenScene {
    pub(super) recording: Recording,
    pub(super) replay: Replay,
    pub(super) tick: usize,
    pub(super) eye: Position,
    stage: u64,
    playing: bool,
    owed: f32,
}

impl OpenScene {
    fn new(recording: Recording, stage: u64) -> Self {
        let mut scene = OpenScene {
            replay: Replay::new(),
            tick: 0,
            eye: Position::default(),
            stage,
            playing: true,
            owed: 0.0,
            recording,
        };
        scene.replay.show(&scene.recording, 0);
        scene
    }

    /// Shows another tick.
    fn scrub(&mut self, tick: usize) {
        self.tick = tick.min(self.recording.ticks());
        self.replay.show(&self.recording, self.tick);
    }

    /// Returns whether the scene is playing.
    pub(super) fn is_playing(&self) -> bool {
        self.playing
    }

    /// Returns a number that no other voxel world of the viewer has.
    pub(super) fn world_generation(&self) -> u64 {
        (self.stage << 32) + self.replay.beginnings
    }

    /// Moves the camera to where the whole scene is in view; returns yaw and pitch.
    fn survey(&mut self) -> [f32; 2] {
        let origin = self.recording.origin;
        let (mut low, mut high) = (Vector3::repeat(f32::MAX), Vector3::repeat(f32::MIN));
        let step = (self.recording.ticks() / 200).max(1);
        for tick in (0..=self.recording.ticks()).step_by(step) {
            for body in self.recording.bodies(tick) {
                let at = body.position.relative_to(origin);
                let reach = Vector3::repeat(body.radii[0].max(body.radii[1]));
                (low, high) = (low.inf(&(at - reach)), high.sup(&(at + reach)));
            }
        }
        if low.x > high.x {
            (low, high) = (Vector3::zeros(), Vector3::zeros());
        }
        let middle = (low + high) * 0.5;
        let size = ((high - low).norm() * 0.5).min(MOST_SIZE);
        let back = Vector3::new(0.55, 0.6, 0.75) * (size * 2.0 * BACK + LEAST_BACK);
        self.eye = Position::from_local(origin, middle + back);
        let level = back.xz().norm();
        [(-back.x).atan2(back.z), -(back.y / level).atan()]
    }

    fn advance(&mut self, clock: &Clock, elapsed: Duration) {
        if !self.playing {
            return;
        }
        let seconds = elapsed.min(LONGEST_PICTURE).as_secs_f32() * clock.pace();
        self.owed += seconds * self.recording.rate;
        let due = self.owed.floor();
        self.owed -= due;
        let next = self.tick + due as usize;
        if next > self.recording.ticks() {
            self.playing = false;
        }
        if due > 0.0 {
            self.scrub(next);
        }
    }

    fn fly(&mut self, wish: &Wish, seconds: f32) {
        let right = Vector3::new(wish.yaw.cos(), 0.0, wish.yaw.sin());
        let way = wish.sight() * wish.forward + right * wish.right + Vector3::y() * wish.up;
        let speed = SPEEDS[usize::from(wish.sprint)];
        self.eye = self.eye.moved(way * (speed * seconds));
    }
}

impl Theatre {
    /// Fills the facts for the panel and the bar.
    pub(super) fn facts(&self, mut facts: SceneFacts, language: Language) -> SceneFacts {
        if facts.list.is_empty() {
            let list = catalogue()
                .iter()
                .map(|scene| (scene.name.to_owned(), None));
            facts.list = list.collect();
        }
        for (name, verdict) in &mut facts.list {
            *verdict = self.verdicts.get(name.as_str()).map(Verdict::passed);
        }
        facts.open = self.open.as_ref().map(|open| self.state_of(open, language));
        facts
    }

    fn state_of(&self, open: &OpenScene, language: Language) -> SceneState {
        let recording = &open.recording;
        let verdict = self.verdicts.get(recording.scene);
        let why = match verdict {
            None => language.say("its verdict is being found").to_owned(),
            Some(verdict) if verdict.passed() && verdict.ticks == 0 => {
                language.say("all agree").to_owned()
            }
            Some(verdict) if verdict.passed() => {
                let hash = format!("{:016x}", verdict.hash);
                language.fill("{} ticks, hash {}", &[&verdict.ticks, &hash])
            }
            Some(verdict) => {
                let hash = format!("{:016x}", verdict.hash);
                language.fill("{} (hash {})", &[&verdict.why(), &hash])
            }
        };
        SceneState {
            name: recording.scene.to_owned(),
            about: recording.about.clone(),
            tick: open.tick,
            ticks: recording.ticks(),
            playing: open.playing,
            passed: verdict.map(Verdict::passed),
            why,
            variants: recording.variants.clone(),
            variant: recording.variant,
        }
    }
}

/// Requests of the scene's bar and panel.
impl Play {
    /// Opens a scene by name, in its first variant.
    pub(super) fn open_scene(&mut self, name: &str) {
        match scenes::find(name) {
            Ok(scene) => self.record(scene, 0),
            Err(error) => self.ui.toasts.say(error.to_string()),
        }
    }

    /// Shows another variant of the open scene.
    pub(super) fn show_variant(&mut self, variant: usize) {
        if let Some(open) = &self.theatre.open
            && let Ok(scene) = scenes::find(open.recording.scene)
        {
            self.record(scene, variant);
        }
    }

    fn record(&mut self, scene: Listed, variant: usize) {
        let words = self.language().fill("Playing {}", &[&scene.name]);
        self.begin_job(&words, move |share| {
            let tell = |done| share.set(done);
            Done::Scene(Recording::play(scene, variant, &tell).map(Box::new))
        });
    }

    /// Puts a recorded scene on the stage and begins to judge it.
    pub(super) fn show_scene(&mut self, recorded: Result<Box<Recording>, Error>) {
        let recording = match recorded {
            Ok(recording) => *recording,
            Err(error) => return self.ui.toasts.say(error.to_string()),
        };
        let name = recording.scene;
        let same = self
            .theatre
            .open
            .take()
            .filter(|open| open.recording.scene == name);
        self.theatre.stages += 1;
        let mut open = OpenScene::new(recording, self.theatre.stages);
        let [yaw, pitch] = open.survey();
        if let Some(same) = same {
            open.eye = same.eye;
        } else {
            let look = [self.rig.yaw, self.rig.pitch];
            self.theatre.looked.get_or_insert(look);
            (self.rig.yaw, self.rig.pitch) = (yaw.rem_euclid(std::f32::consts::TAU), pitch);
        }
        self.theatre.open = Some(open);
        if !self.theatre.verdicts.contains_key(name)
            && let Ok(scene) = scenes::find(name)
        {
            let words = self.language().fill("Judging {}", &[&name]);
            self.judge(words, vec![scene]);
        }
    }

    /// Begins to judge all scenes.
    pub(super) fn judge_all(&mut self) {
        let all = catalogue().to_vec();
        let words = self.language().fill("Running {} scenes", &[&all.len()]);
        self.judge(words, all);
    }

    fn judge(&mut self, words: String, list: Vec<Listed>) {
        self.begin_job(&words, move |share| Done::Verdicts(judged(&list, share)));
    }

    /// Stores verdicts of scenes.
    pub(super) fn take_verdicts(&mut self, verdicts: Vec<Verdict>) {
        for verdict in verdicts {
            let listed = catalogue().iter().find(|scene| scene.name == verdict.name);
            if let Some(scene) = listed {
                self.theatre.verdicts.insert(scene.name, verdict);
            }
        }
    }

    /// Stops at a tick of the open scene.
    pub(super) fn scrub_scene(&mut self, tick: usize) {
        if let Some(open) = &mut self.theatre.open {
            open.playing = false;
            open.scrub(tick);
        }
    }

    /// Plays or stops the open scene; from its end it starts over.
    pub(super) fn play_scene(&mut self, playing: bool) {
        if let Some(open) = &mut self.theatre.open {
            if playing && open.tick >= open.recording.ticks() {
                open.scrub(0);
            }
            open.playing = playing && has_way(open);
        }
    }

    /// Returns to the world.
    pub(super) fn close_scene(&mut self) {
        if self.theatre.open.take().is_some() {
            self.rig.settle();
        }
        if let Some([yaw, pitch]) = self.theatre.looked.take() {
            (self.rig.yaw, self.rig.pitch) = (yaw, pitch);
        }
    }

    /// Advances the open scene by the time of one picture; returns false when none is open.
    pub(super) fn play_theatre(&mut self, wish: &Wish, elapsed: Duration) -> bool {
        let Some(open) = &mut self.theatre.open else {
            return false;
        };
        open.fly(wish, elapsed.as_secs_f32());
        open.advance(&self.clock, elapsed);
        true
    }

    /// Returns the camera of the open scene.
    pub(super) fn theatre_camera(&self) -> Option<Camera> {
        let open = self.theatre.open.as_ref()?;
        let mut camera = Camera::new(open.eye, self.rig.yaw, self.rig.pitch);
        let degrees = self.settings.settings.graphics.field_of_view_degrees;
        camera.field_of_view = degrees.to_radians();
        Some(camera)
    }
}

fn has_way(open: &OpenScene) -> bool {
    scenes::find(open.recording.scene).is_ok_and(has_ways)
}

/// Judges scenes on threads of their own, so that those of the game stay free.
fn judged(list: &[Listed], share: &Share) -> Vec<Verdict> {
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get().div_ceil(2));
    let run = || {
        let each = list.iter().enumerate().map(|(index, scene)| {
            share.set(index as f32 / list.len() as f32);
            scenes::judge(*scene)
        });
        each.collect()
    };
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(run),
        Err(_) => run(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_scene_plays_while_the_world_is_frozen() {
        let scene = scenes::find("wall_slide").unwrap();
        let recording = Recording::play(scene, 0, &|_| {}).unwrap();
        let mut open = OpenScene::new(recording, 1);
        let mut clock = Clock::default();
        clock.toggle_freeze();
        open.advance(&clock, Duration::from_millis(500));
        let ticks = 0.5 * open.recording.rate;
        assert_eq!(open.tick, ticks as usize);
        clock.toggle_slow();
        open.advance(&clock, Duration::from_millis(500));
        assert!(open.tick > ticks as usize && open.tick < 2 * ticks as usize);
    }
}
