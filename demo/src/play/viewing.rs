//! The scene viewer: plays a recorded scene on a stage of its own, with a free camera, while the
//! world waits.

use std::time::Duration;

use collision_scenes::{Listed, Verdict, catalogue};
use engine::Camera;
use simulation::Wish;

use crate::error::Error;
use crate::scenes::{self, Recording, has_ways};

use super::app::Play;
use super::jobs::{Done, Share};
use super::scene_viewer::OpenScene;

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
        if let Some(open) = &self.scene_viewer.open
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
            .scene_viewer
            .open
            .take()
            .filter(|open| open.recording.scene == name);
        self.scene_viewer.stages += 1;
        let mut open = OpenScene::new(recording, self.scene_viewer.stages);
        let [yaw, pitch] = open.survey();
        if let Some(same) = same {
            open.eye = same.eye;
        } else {
            let look = [self.rig.yaw, self.rig.pitch];
            self.scene_viewer.looked.get_or_insert(look);
            (self.rig.yaw, self.rig.pitch) = (yaw.rem_euclid(std::f32::consts::TAU), pitch);
        }
        self.scene_viewer.open = Some(open);
        if !self.scene_viewer.verdicts.contains_key(name)
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
                self.scene_viewer.verdicts.insert(scene.name, verdict);
            }
        }
    }

    /// Stops at a tick of the open scene.
    pub(super) fn scrub_scene(&mut self, tick: usize) {
        if let Some(open) = &mut self.scene_viewer.open {
            open.playing = false;
            open.scrub(tick);
        }
    }

    /// Plays or stops the open scene; from its end it starts over.
    pub(super) fn play_scene(&mut self, playing: bool) {
        if let Some(open) = &mut self.scene_viewer.open {
            if playing && open.tick >= open.recording.ticks() {
                open.scrub(0);
            }
            open.playing = playing && has_way(open);
        }
    }

    /// Returns to the world.
    pub(super) fn close_scene(&mut self) {
        self.scene_viewer.open = None;
        if let Some([yaw, pitch]) = self.scene_viewer.looked.take() {
            (self.rig.yaw, self.rig.pitch) = (yaw, pitch);
        }
    }

    /// Advances the open scene by the time of one picture; returns false when none is open.
    pub(super) fn play_scene_viewer(&mut self, wish: &Wish, elapsed: Duration) -> bool {
        let Some(open) = &mut self.scene_viewer.open else {
            return false;
        };
        open.fly(wish, elapsed.as_secs_f32());
        open.advance(&self.clock, elapsed);
        true
    }

    /// Returns the camera of the open scene.
    pub(super) fn scene_camera(&self) -> Option<Camera> {
        let open = self.scene_viewer.open.as_ref()?;
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
