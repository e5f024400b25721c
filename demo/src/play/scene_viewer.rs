//! The stage of the scene viewer: the open scene, its camera, and the verdicts.

use std::collections::BTreeMap;
use std::time::Duration;

use collision::Position;
use collision_scenes::{Verdict, catalogue};
use nalgebra::Vector3;
use simulation::Wish;

use crate::language::Language;
use crate::scenes::{Recording, Replay};
use crate::ui::{SceneFacts, SceneState};

use super::clock::Clock;

/// Camera speed, and with sprint held, metres a second.
pub(super) const SPEEDS: [f32; 2] = [9.0, 40.0];
/// Distance of the camera from the scene at the start, as a multiple of the scene's size, and its
/// lower limit, metres.
pub(super) const BACK: f32 = 0.9;
pub(super) const LEAST_BACK: f32 = 5.0;
/// Limit of the size that the first view takes in, metres from the middle.
pub(super) const MOST_SIZE: f32 = 60.0;
/// The most time that a scene advances between two pictures.
pub(super) const LONGEST_PICTURE: Duration = Duration::from_secs(1);

/// Verdicts and the open scene.
#[derive(Default)]
pub(super) struct SceneViewer {
    pub(super) open: Option<OpenScene>,
    pub(super) verdicts: BTreeMap<&'static str, Verdict>,
    /// Number of stages so far.
    pub(super) stages: u64,
    /// Yaw and pitch of the player before the first scene.
    pub(super) looked: Option<[f32; 2]>,
}

/// The scene on the stage.
pub(super) struct OpenScene {
    pub(super) recording: Recording,
    pub(super) replay: Replay,
    pub(super) tick: usize,
    pub(super) eye: Position,
    pub(super) stage: u64,
    pub(super) playing: bool,
    pub(super) owed: f32,
}

impl OpenScene {
    pub(super) fn new(recording: Recording, stage: u64) -> Self {
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
    pub(super) fn scrub(&mut self, tick: usize) {
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
    pub(super) fn survey(&mut self) -> [f32; 2] {
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

    pub(super) fn advance(&mut self, clock: &Clock, elapsed: Duration) {
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

    pub(super) fn fly(&mut self, wish: &Wish, seconds: f32) {
        let right = Vector3::new(wish.yaw.cos(), 0.0, wish.yaw.sin());
        let way = wish.sight() * wish.forward + right * wish.right + Vector3::y() * wish.up;
        let speed = SPEEDS[usize::from(wish.sprint)];
        self.eye = self.eye.moved(way * (speed * seconds));
    }
}

impl SceneViewer {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::scenes;

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
