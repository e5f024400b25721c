//! A window, its event loop and egui, for a program that is an [`App`].
//!
//! The order of a picture: input events as they come, then [`App::ui`], [`App::update`], [`App::frame`]. While the window is hidden or has
//! no area only `update` runs. A lost surface or device is made anew; the app hears of it and needs to do nothing.

mod context;
mod rehearsal;
mod routing;
mod screen;
mod shell;
mod textures;

use std::error::Error;
use std::time::Duration;

pub use context::{Context, Notice, Pointer};
pub use rehearsal::Rehearsal;

use crate::{Frame, GpuError, InputEvent};

/// A program with a window.
pub trait App {
    /// The window is there; called once.
    fn ready(&mut self, context: &mut Context) {
        let _ = context;
    }

    /// Something was pressed or moved that no panel wanted.
    fn input(&mut self, event: &InputEvent, context: &mut Context);

    /// Draws the panels.
    fn ui(&mut self, ui: &mut egui::Ui, context: &mut Context);

    /// Time has passed: step the simulation as often as its own clock says.
    fn update(&mut self, elapsed: Duration, context: &mut Context);

    /// The picture to show. [`Frame::ui`] is filled in afterwards.
    fn frame<'a>(&'a mut self, context: &'a Context) -> Frame<'a>;

    /// Something happened that a player may want to know.
    fn notice(&mut self, notice: Notice, context: &mut Context) {
        let _ = (notice, context);
    }

    /// The window closes: save.
    fn quit(&mut self) -> Result<(), Box<dyn Error>>;
}

/// What the window looks like at first.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowOptions {
    /// In the title bar.
    pub title: String,
    /// Width and height in points.
    pub size: [u32; 2],
}

/// Why there is no window, or no longer.
#[derive(Debug, thiserror::Error)]
pub enum WindowError {
    /// No display server.
    #[error("no display could be opened: {reason}")]
    NoDisplay {
        /// From the system.
        reason: String,
    },
    /// The window itself.
    #[error("no window could be opened: {reason}")]
    NoWindow {
        /// From the system.
        reason: String,
    },
    /// Nothing to draw with.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The app could not begin or end as it should: what it said.
    #[error("{0}")]
    App(Box<dyn Error>),
}

/// Opens a display, begins the app and runs it in a window until it quits. [`App::quit`] has been called then; what it failed at
/// is told before all else. Without a display nothing is begun.
pub fn run<A: App>(
    options: WindowOptions,
    begin: impl FnOnce() -> Result<A, Box<dyn Error>>,
) -> Result<(), WindowError> {
    shell::run(options, begin)
}
