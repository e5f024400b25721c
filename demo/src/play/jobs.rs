//! Long work: done on a thread of its own with a progress bar, while the game goes on.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use collision_scenes::Verdict;
use simulation::PropModel;
use world::{EditError, MaterialTable};

use crate::error::Error;
use crate::language::Language;
use crate::models::Piece;
use crate::scenes::Recording;
use crate::session::Session;
use crate::ui::Progress;

/// Time before the progress bar appears.
pub(super) const PATIENCE: Duration = Duration::from_millis(250);

/// Time for placing a model between two pictures.
pub(super) const A_PICTURE: Duration = Duration::from_millis(4);

/// The share of the work that is done; unknown until it is set.
#[derive(Clone, Debug)]
pub(super) struct Share(Arc<AtomicU32>);

impl Default for Share {
    fn default() -> Self {
        Share(Arc::new(AtomicU32::new(f32::NAN.to_bits())))
    }
}

impl Share {
    /// Sets the share, 0 to 1.
    pub(super) fn set(&self, share: f32) {
        self.0.store(share.to_bits(), Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> Option<f32> {
        let share = f32::from_bits(self.0.load(Ordering::Relaxed));
        (!share.is_nan()).then_some(share)
    }
}

/// The result of some work.
pub(super) enum Done {
    /// An opened world.
    World(Result<Box<Session>, Error>),
    /// A model file.
    Models(Result<Models, Error>),
    /// An OBJ file.
    Prop(Result<Box<PropModel>, Error>),
    /// A scene recorded for the viewer.
    Scene(Result<Box<Recording>, Error>),
    /// Verdicts of scenes.
    Verdicts(Vec<Verdict>),
    /// A written file, with the message to show.
    Written(Result<String, Error>),
}

/// Models of a file, cut along the chunks of their place, with the material table of their colours.
pub(super) struct Models {
    pub(super) pieces: Vec<Piece>,
    pub(super) table: MaterialTable,
}

/// The work in progress.
#[derive(Default)]
pub(super) struct Jobs {
    pub(super) running: Option<Job>,
    /// A copy of the world that is still being written.
    pub(super) saving: Option<Saving>,
    pub(super) placing: Option<Placing>,
    /// True if the player was told of damage in this world.
    pub(super) told_of_damage: bool,
}

/// A model that is placed piece by piece.
pub(super) struct Placing {
    pub(super) pieces: Vec<Piece>,
    pub(super) next: usize,
    pub(super) voxels: u64,
    pub(super) refused: Option<EditError>,
    pub(super) begun: Instant,
}

pub(super) struct Job {
    pub(super) words: String,
    pub(super) share: Share,
    pub(super) begun: Instant,
    pub(super) answer: Receiver<Done>,
}

pub(super) struct Saving {
    pub(super) path: PathBuf,
    pub(super) chunks: usize,
    pub(super) begun: Instant,
}

impl Jobs {
    /// Returns whether no other work can begin now.
    pub(super) fn is_busy(&self) -> bool {
        self.running.is_some() || self.placing.is_some()
    }

    /// Begins to place pieces of a model.
    pub(super) fn place(&mut self, pieces: Vec<Piece>) {
        self.placing = Some(Placing {
            pieces,
            next: 0,
            voxels: 0,
            refused: None,
            begun: Instant::now(),
        });
    }

    /// Begins to follow a copy of the world until it is written.
    pub(super) fn follow_saving(&mut self, path: PathBuf, chunks: usize) {
        self.saving = Some(Saving {
            path,
            chunks,
            begun: Instant::now(),
        });
    }

    /// Resets the warning about damage for another world.
    pub(super) fn change_world(&mut self) {
        self.told_of_damage = false;
    }

    /// Returns the warning about damaged parts, once a world.
    pub(super) fn words_of_damage(&mut self, damaged: usize, language: Language) -> Option<String> {
        if damaged == 0 || std::mem::replace(&mut self.told_of_damage, true) {
            return None;
        }
        let words = match damaged {
            1 => "{} part of this world was damaged and set aside; the rest is as it was",
            _ => "{} parts of this world were damaged and set aside; the rest is as it was",
        };
        Some(language.fill(words, &[&damaged]))
    }

    /// Returns the progress bar to show.
    pub(super) fn progress(&self, waiting: usize) -> Option<Progress> {
        let job = self.running.as_ref().map(|job| {
            let words = job.words.clone();
            (job.begun, words, job.share.get())
        });
        let saving = self.saving.as_ref().map(|saving| {
            let left = waiting as f32 / saving.chunks.max(1) as f32;
            (saving.begun, "Saving the copy".to_owned(), Some(1.0 - left))
        });
        let placing = self.placing.as_ref().map(|placing| {
            let share = placing.next as f32 / placing.pieces.len().max(1) as f32;
            (placing.begun, "Placing the model".to_owned(), Some(share))
        });
        let (_, words, share) = job
            .or(placing)
            .or(saving)
            .filter(|(begun, ..)| begun.elapsed() > PATIENCE)?;
        Some(Progress { words, share })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    fn begun(ago: Duration) -> Instant {
        Instant::now().checked_sub(ago).unwrap_or_else(Instant::now)
    }

    #[test]
    fn a_bar_shows_how_far_long_work_is_and_none_for_short_work() {
        let share = Share::default();
        let job = |ago| Job {
            words: "Opening".to_owned(),
            share: share.clone(),
            begun: begun(ago),
            answer: channel().1,
        };
        let mut jobs = Jobs::default();
        assert!(jobs.progress(0).is_none(), "nothing is under way");
        jobs.running = Some(job(Duration::ZERO));
        assert!(jobs.progress(0).is_none(), "it may be done at once");
        jobs.running = Some(job(PATIENCE * 2));
        let shown = |jobs: &Jobs| jobs.progress(0).map(|shown| (shown.words, shown.share));
        assert_eq!(shown(&jobs), Some(("Opening".to_owned(), None)));
        share.set(0.25);
        assert_eq!(shown(&jobs), Some(("Opening".to_owned(), Some(0.25))));
    }

    #[test]
    fn damage_is_told_once_a_world() {
        let mut jobs = Jobs::default();
        assert_eq!(jobs.words_of_damage(0, Language::English), None);
        let words = jobs.words_of_damage(3, Language::English);
        assert!(words.is_some_and(|words| words.starts_with("3 parts ")));
        assert_eq!(jobs.words_of_damage(4, Language::English), None);
        jobs.change_world();
        let words = jobs.words_of_damage(1, Language::English);
        assert!(words.is_some_and(|words| words.starts_with("1 part ")));
    }

    #[test]
    fn a_bar_shows_how_much_of_a_copy_is_written() {
        let jobs = Jobs {
            saving: Some(Saving {
                path: PathBuf::from("copy.voxels"),
                chunks: 40,
                begun: begun(PATIENCE * 2),
            }),
            ..Jobs::default()
        };
        let share = |waiting| jobs.progress(waiting).and_then(|shown| shown.share);
        assert_eq!(
            (share(40), share(10), share(0)),
            (Some(0.0), Some(0.75), Some(1.0))
        );
    }
}
