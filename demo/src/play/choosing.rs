//! Opens the system's file chooser beside the game, and uses the chosen file.

use std::sync::mpsc::{TryRecvError, channel};
use std::time::{Duration, Instant};

use rfd::AsyncFileDialog;
use world::files::Existing;

use crate::ui::Choice;

use super::app::Play;
use super::chooser::Open;

/// A chooser that is gone sooner than this never opened.
const OPENED: Duration = Duration::from_millis(300);

impl Play {
    /// Opens the chooser, unless it is open.
    pub(super) fn choose(&mut self, choice: Choice) {
        if !self.chooser.is_offered || self.chooser.open.is_some() {
            return;
        }
        let (words, kind) = match choice {
            Choice::Open => ("Open", serve::folders::KIND),
            Choice::Import => ("Import where you look", "vox"),
            Choice::Export => ("Export the copied box, or what is round you", "vox"),
            Choice::Prop => ("Place an OBJ model as a prop", "obj"),
        };
        let dialog = AsyncFileDialog::new()
            .set_title(self.language().say(words))
            .add_filter(kind, &[kind]);
        // Some systems open it on this thread only, and wait on any.
        let picked: std::pin::Pin<Box<dyn Future<Output = _> + Send>> = match choice {
            Choice::Export => Box::pin(dialog.set_file_name("model.vox").save_file()),
            _ => Box::pin(dialog.pick_file()),
        };
        let (send, answer) = channel();
        let wait = move || {
            let file = pollster::block_on(picked);
            // After the window was closed, there is no receiver.
            let _ = send.send(file.map(|file| file.path().to_path_buf()));
        };
        match std::thread::Builder::new().spawn(wait) {
            Ok(_) => {
                let begun = Instant::now();
                self.chooser.open = Some(Open {
                    choice,
                    begun,
                    answer,
                });
            }
            Err(_) => self.tell_no_chooser(),
        }
    }

    /// Takes the file once it is chosen.
    pub(super) fn take_choice(&mut self) {
        let Some(open) = &self.chooser.open else {
            return;
        };
        let (choice, begun) = (open.choice, open.begun);
        let answer = match open.answer.try_recv() {
            Err(TryRecvError::Empty) => return,
            answer => answer.ok().flatten(),
        };
        self.chooser.open = None;
        match (answer, choice) {
            (None, _) if begun.elapsed() < OPENED => self.tell_no_chooser(),
            (None, _) => {}
            (Some(path), Choice::Open) => self.open_world(&path, None),
            (Some(path), Choice::Import) => self.import(path),
            (Some(path), Choice::Prop) => self.read_prop(path),
            (Some(path), Choice::Export) => self.export(path, Existing::Keep),
        }
    }

    fn tell_no_chooser(&mut self) {
        let words = "This system has no file chooser: type the path";
        self.ui.toasts.say(self.language().say(words));
    }
}
