//! Begins and finishes long work.

use std::sync::mpsc::{TryRecvError, channel};
use std::time::{Duration, Instant};

use simulation::{Command, Joins};

use super::app::Play;
use super::jobs::{A_PICTURE, Done, Job, Share};

impl Play {
    /// Begins work on a thread of its own, unless other work is in progress.
    pub(super) fn begin_job(
        &mut self,
        words: &str,
        work: impl FnOnce(&Share) -> Done + Send + 'static,
    ) {
        if self.jobs.is_busy() {
            return self.ui.toasts.say("Something else is still going on");
        }
        let share = Share::default();
        let (send, answer) = channel();
        let shown = share.clone();
        let started = std::thread::Builder::new().spawn(move || {
            // After the window was closed, there is no receiver.
            let _ = send.send(work(&share));
        });
        if let Err(error) = started {
            let words = self.language().say(words);
            return self.ui.toasts.say(format!("{words}: {error}"));
        }
        self.jobs.running = Some(Job {
            words: words.to_owned(),
            share: shown,
            begun: Instant::now(),
            answer,
        });
    }

    /// Takes the results of finished work.
    pub(super) fn finish_jobs(&mut self) {
        self.finish_saving();
        self.tell_of_damage();
        self.place_pieces(A_PICTURE);
        let Some(job) = &self.jobs.running else {
            return;
        };
        match job.answer.try_recv() {
            Ok(done) => {
                self.jobs.running = None;
                self.take(done);
            }
            Err(TryRecvError::Empty) => {}
            Err(TryRecvError::Disconnected) => {
                self.jobs.running = None;
                self.ui.toasts.say("That did not work");
            }
        }
    }

    /// Places pieces of a model for a while, all as one stroke.
    pub(super) fn place_pieces(&mut self, time: Duration) {
        let Some(placing) = &mut self.jobs.placing else {
            return;
        };
        let begin = Instant::now();
        while let Some(piece) = placing.pieces.get(placing.next)
            && begin.elapsed() < time
        {
            let joins = if placing.voxels == 0 {
                Joins::Nothing
            } else {
                Joins::Before
            };
            let command = Command::PlacePiece {
                voxels: piece.voxels.clone(),
                at: piece.at,
                joins,
            };
            let simulation = &mut self.session.simulation;
            let report = simulation.apply(simulation.own_id(), &command);
            placing.voxels += report.voxels;
            placing.refused = placing.refused.take().or(report.refused);
            placing.next += 1;
        }
        if placing.next < placing.pieces.len() {
            return;
        }
        let language = self.settings.language();
        let words = match placing.refused.take() {
            Some(error) => language.fill("Not all was placed: {}", &[&error]),
            None => language.fill("{} voxels imported", &[&placing.voxels]),
        };
        self.jobs.placing = None;
        self.ui.toasts.say(words);
    }

    fn finish_saving(&mut self) {
        let Some(saving) = &self.jobs.saving else {
            return;
        };
        let status = self.session.simulation.world.save_status();
        let (language, path) = (self.settings.language(), saving.path.display());
        let words = match status.error {
            Some(error) => language.fill("{}: {}; it is tried again", &[&path, &error]),
            None if status.waiting == 0 => language.fill("Saved as {}", &[&path]),
            None => return,
        };
        self.jobs.saving = None;
        self.ui.toasts.say(words);
    }

    fn tell_of_damage(&mut self) {
        if self.jobs.told_of_damage {
            return;
        }
        let damaged = self.session.simulation.world.save_status().damaged.len();
        let language = self.language();
        if let Some(words) = self.jobs.words_of_damage(damaged, language) {
            self.ui.toasts.say(words);
        }
    }

    fn take(&mut self, done: Done) {
        match done {
            Done::World(session) => self.change_world(session.map(|session| *session)),
            Done::Models(Ok(models)) => self.place_models(models),
            Done::Prop(Ok(model)) => self.take_prop_model(*model),
            Done::Scene(recorded) => self.show_scene(recorded),
            Done::Verdicts(verdicts) => self.take_verdicts(verdicts),
            Done::Written(Ok(words)) => self.ui.toasts.say(words),
            Done::Models(Err(error)) | Done::Prop(Err(error)) | Done::Written(Err(error)) => {
                self.ui.toasts.say(error.to_string());
            }
        }
    }
}
