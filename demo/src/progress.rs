//! Tells on the stream for errors what a command does that takes long.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::terminal::complain;

/// Time before the first line; a command that takes less prints none.
const FIRST: Duration = Duration::from_secs(2);
/// Time between two lines.
const NEXT: Duration = Duration::from_secs(10);

/// A command in progress. Nothing is printed once it is dropped.
pub(crate) struct Progress {
    /// `None` once the command has ended.
    stages: Option<Sender<String>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    pub(crate) fn begin(stage: impl Into<String>) -> Self {
        let (sender, receiver) = channel();
        let first = stage.into();
        let say = |stage: &str, begun: Instant| {
            complain!("{stage}, {} s so far", begun.elapsed().as_secs());
        };
        let tell = move || tell(first, &receiver, [FIRST, NEXT], say);
        let thread = std::thread::Builder::new().spawn(tell).ok();
        let stages = Some(sender);
        Progress { stages, thread }
    }

    /// Begins the next stage.
    pub(crate) fn stage(&self, stage: impl Into<String>) {
        if let Some(stages) = &self.stages {
            // Without a thread nothing is told.
            let _ = stages.send(stage.into());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.stages = None;
        if let Some(thread) = self.thread.take() {
            // It ends at once, and has nothing to return.
            let _ = thread.join();
        }
    }
}

/// Calls `say` with the present stage after the first wait and after each next one, until there are
/// no more stages.
fn tell(
    mut stage: String,
    stages: &Receiver<String>,
    [first, next]: [Duration; 2],
    mut say: impl FnMut(&str, Instant),
) {
    let begun = Instant::now();
    let mut due = first;
    loop {
        match stages.recv_timeout(due.saturating_sub(begun.elapsed())) {
            Ok(changed) => stage = changed,
            Err(RecvTimeoutError::Timeout) => {
                say(&stage, begun);
                due = begun.elapsed() + next;
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stage_is_told_when_a_line_is_due_and_none_after_the_end() {
        let (sender, receiver) = channel();
        let (mut sender, mut said) = (Some(sender), Vec::new());
        let say = |stage: &str, _: Instant| {
            said.push(stage.to_owned());
            match said.len() {
                1 => drop(sender.as_ref().map(|sender| sender.send("two".to_owned()))),
                2 => sender = None,
                _ => {}
            }
        };
        tell("one".to_owned(), &receiver, [Duration::ZERO; 2], say);
        assert_eq!(said, ["one", "two"]);
        let (sender, receiver) = channel();
        drop(sender);
        let say = |stage: &str, _: Instant| panic!("{stage}");
        tell("one".to_owned(), &receiver, [FIRST, NEXT], say);
    }
}
