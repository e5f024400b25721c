//! A window, its event loop and egui, for a program that is an [`App`].
//!
//! The order of calls for a picture: input events as they come, then [`App::ui`], [`App::update`],
//! [`App::frame`]. While the window is hidden or has no area, only `update` runs. A lost surface or
//! device is replaced; the app is notified and needs to do nothing.

mod context;
mod panics;
mod rehearsal;
mod routing;
mod screen;
mod shell;
mod signals;
mod textures;

use std::error::Error;
use std::time::Duration;

pub use context::{Context, Notice, Pointer};
pub use rehearsal::Rehearsal;

use crate::{Frame, GpuError, InputEvent};

/// A program with a window.
pub trait App {
    /// Called once when the window is open.
    fn ready(&mut self, context: &mut Context) {
        let _ = context;
    }

    /// Handles an input that no panel took.
    fn input(&mut self, event: &InputEvent, context: &mut Context);

    /// Draws the panels.
    fn ui(&mut self, ui: &mut egui::Ui, context: &mut Context);

    /// Handles the passing of time: steps the simulation as often as its own clock demands.
    fn update(&mut self, elapsed: Duration, context: &mut Context);

    /// Returns the picture to show. [`Frame::ui`] is filled in afterwards.
    fn frame<'a>(&'a mut self, context: &'a Context) -> Frame<'a>;

    /// Handles a message that a player may want to know.
    fn notice(&mut self, notice: Notice, context: &mut Context) {
        let _ = (notice, context);
    }

    /// Saves, since the window closes.
    fn quit(&mut self) -> Result<(), Box<dyn Error>>;
}

/// The initial look of the window.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowOptions {
    /// Text of the title bar.
    pub title: String,
    /// Width and height in points.
    pub size: [u32; 2],
}

/// Reasons for having no window.
#[derive(Debug, thiserror::Error)]
pub enum WindowError {
    /// There is no display server.
    #[error("no display could be opened: {reason}")]
    NoDisplay {
        /// Error of the system.
        reason: String,
    },
    /// The window could not be opened.
    #[error("no window could be opened: {reason}")]
    NoWindow {
        /// Error of the system.
        reason: String,
    },
    /// Another program destroyed the window, or the display server ended. The app has saved.
    #[error("the window is gone: {reason}")]
    Gone {
        /// Error of the window library.
        reason: String,
    },
    /// There is no usable GPU.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The app failed to start or to quit, with this error.
    #[error("{0}")]
    App(Box<dyn Error>),
}

/// Opens a display, starts the app and runs it in a window until it quits. [`App::quit`] has been
/// called by then; its error takes precedence over others. Without a display the app is not
/// started. A signal to end closes the window; a second one ends the program at once.
pub fn run<A: App>(
    options: WindowOptions,
    begin: impl FnOnce() -> Result<A, Box<dyn Error>>,
) -> Result<(), WindowError> {
    shell::run(options, begin)
}
