//! What an app can see of its window and ask of it.

use std::path::{Path, PathBuf};

use crate::{GpuKind, Statistics};

/// Whether the pointer is free to leave, or turns the camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointer {
    /// Visible and free, for panels.
    Free,
    /// Hidden and kept; its motions arrive as [`crate::InputEvent::PointerMotion`].
    Captured,
}

/// News from the window.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// A screenshot was written.
    ScreenshotSaved(PathBuf),
    /// It was not, and why.
    ScreenshotFailed(String),
    /// The graphics device was lost and made anew.
    DeviceRecovered,
    /// A drawing error that did not stop anything; worth reporting.
    DrawingError(String),
}

/// The window as the app sees it.
pub struct Context {
    /// Panels.
    pub egui: egui::Context,
    /// Width and height of the picture in pixels; may be zero.
    pub size: [u32; 2],
    /// The free pointer in the picture, (0, 0) being the top left corner and (1, 1) the bottom right one.
    pub pointer: Option<[f32; 2]>,
    /// What the last picture cost.
    pub statistics: Statistics,
    /// Driver and adapter.
    pub gpu_name: String,
    /// What draws the pictures.
    pub gpu_kind: GpuKind,
    pub(super) wanted: Wanted,
}

/// What the app asked for.
#[derive(Default)]
pub(super) struct Wanted {
    pub(super) captured: bool,
    pub(super) fullscreen: bool,
    pub(super) quit: bool,
    pub(super) lose_device: bool,
    pub(super) title: Option<String>,
    pub(super) screenshot: Option<PathBuf>,
}

impl Context {
    pub(super) fn new() -> Self {
        Self {
            egui: egui::Context::default(),
            size: [0, 0],
            pointer: None,
            statistics: Statistics::default(),
            gpu_name: String::new(),
            gpu_kind: GpuKind::Hardware,
            wanted: Wanted::default(),
        }
    }

    /// Width over height; 1 for a window without area.
    #[must_use]
    pub fn aspect(&self) -> f32 {
        match self.size {
            [0, _] | [_, 0] => 1.0,
            [width, height] => width as f32 / height as f32,
        }
    }

    /// Frees or captures the pointer; it stays so until asked otherwise, also over a loss of focus.
    pub fn set_pointer(&mut self, pointer: Pointer) {
        self.wanted.captured = pointer == Pointer::Captured;
    }

    /// Whether the pointer turns the camera.
    #[must_use]
    pub fn pointer_mode(&self) -> Pointer {
        if self.wanted.captured {
            Pointer::Captured
        } else {
            Pointer::Free
        }
    }

    /// Switches between a window and the whole screen.
    pub fn toggle_fullscreen(&mut self) {
        self.wanted.fullscreen = !self.wanted.fullscreen;
    }

    /// Changes the title bar.
    pub fn set_title(&mut self, title: String) {
        self.wanted.title = Some(title);
    }

    /// Writes the next picture to a PNG file; a [`Notice`] follows.
    pub fn screenshot(&mut self, path: &Path) {
        self.wanted.screenshot = Some(path.to_owned());
    }

    /// Ends the program after this picture.
    pub fn quit(&mut self) {
        self.wanted.quit = true;
    }

    /// Loses the graphics device on purpose, to try the recovery.
    pub fn lose_device(&mut self) {
        self.wanted.lose_device = true;
    }
}
