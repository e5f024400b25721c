//! The window as an app sees it, and the requests that it can make.

use std::path::{Path, PathBuf};

use crate::{GpuKind, Statistics};

/// The mode of the pointer: free, or turning the camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointer {
    /// Visible and free, for panels.
    Free,
    /// Hidden and captured; its motions arrive as [`crate::InputEvent::PointerMotion`].
    Captured,
}

/// A message from the window.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// A screenshot was written.
    ScreenshotSaved(PathBuf),
    /// A screenshot failed for this reason.
    ScreenshotFailed(String),
    /// The graphics device was lost and replaced.
    DeviceRecovered,
    /// A drawing error that did not stop anything; worth reporting.
    DrawingError(String),
}

/// The window as an app sees it.
pub struct Context {
    /// The egui context of the panels.
    pub egui: egui::Context,
    /// Width and height of the picture in pixels; may be zero.
    pub size: [u32; 2],
    /// Place of the free pointer in the picture; (0, 0) is the top left and (1, 1) the bottom right
    /// corner.
    pub pointer: Option<[f32; 2]>,
    /// Counts and times of the last picture.
    pub statistics: Statistics,
    /// Names of driver and adapter.
    pub gpu_name: String,
    /// The kind of adapter.
    pub gpu_kind: GpuKind,
    pub(super) wanted: Wanted,
}

/// The requests of the app.
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

    /// Returns width over height; 1 for a window without area.
    #[must_use]
    pub fn aspect(&self) -> f32 {
        match self.size {
            [0, _] | [_, 0] => 1.0,
            [width, height] => width as f32 / height as f32,
        }
    }

    /// Returns whether the free pointer is on a panel now, or is dragging something of one. egui
    /// itself knows only where the pointer was in the last picture: a quick click would miss.
    #[must_use]
    pub fn is_over_panels(&self) -> bool {
        let points = self.egui.pixels_per_point();
        let place = self.pointer.map(|[x, y]| {
            let [width, height] = self.size.map(|side| side as f32 / points);
            egui::pos2(x * width, y * height)
        });
        let layer = place.and_then(|place| self.egui.layer_id_at(place));
        let is_over = layer.is_some_and(|layer| layer.order != egui::Order::Background);
        is_over || self.egui.egui_is_using_pointer()
    }

    /// Frees or captures the pointer. The mode stays until it is changed, even if the focus is
    /// lost.
    pub fn set_pointer(&mut self, pointer: Pointer) {
        self.wanted.captured = pointer == Pointer::Captured;
    }

    /// Returns the requested mode of the pointer.
    #[must_use]
    pub fn pointer_mode(&self) -> Pointer {
        if self.wanted.captured {
            Pointer::Captured
        } else {
            Pointer::Free
        }
    }

    /// Fills the screen, or goes back to a window.
    pub fn set_fullscreen(&mut self, fullscreen: bool) {
        self.wanted.fullscreen = fullscreen;
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

    /// Destroys the graphics device, to test recovery.
    pub fn lose_device(&mut self) {
        self.wanted.lose_device = true;
    }
}
