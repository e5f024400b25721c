//! What panels asked for.

use std::path::{Path, PathBuf};

use engine::window::Context;
use world::Material;

use crate::session::{Session, world_path};
use crate::simulation::Command;
use crate::ui::Request;

use super::app::Play;
use super::tools::BRUSH_SIZES;

impl Play {
    /// Does what a panel asked for.
    pub(super) fn fulfil(&mut self, request: Request, context: &mut Context) {
        match request {
            Request::Do(action) => self.begin(action, context),
            Request::SelectMaterial(id) => self.hands.take(Material(id)),
            Request::SelectSlot(slot) => self.hands.slot = slot.min(super::tools::SLOTS - 1),
            Request::SetCrowd(count) => self.set_crowd(count),
            Request::SetBrushSize(size) => {
                self.hands.size = size.clamp(*BRUSH_SIZES.start(), *BRUSH_SIZES.end());
            }
            Request::ToggleOverlay(overlay) => self.toggle_overlay(overlay),
            Request::GoToStroke(count) => {
                self.session.simulation.apply(&Command::GoToStroke(count))
            }
            Request::NewWorld { seed, path } => self.open_world(&path, Some(seed)),
            Request::OpenWorld(path) => self.open_world(&path, None),
            Request::SaveAs(path) => {
                let said = match self.session.save_as(&world_path(&path)) {
                    Ok(()) => format!("Saved as {}", path.display()),
                    Err(error) => error.to_string(),
                };
                self.ui.toasts.say(said);
            }
            Request::ImportVox(_)
            | Request::ExportVox(_)
            | Request::OpenScene(_)
            | Request::ScrubScene(_)
            | Request::PlayScene(_)
            | Request::CloseScene
            | Request::RunAllScenes => self.ui.toasts.say("This is not built in yet"),
        }
    }

    /// Opens a world, or makes a new one of a seed.
    fn open_world(&mut self, path: &Path, seed: Option<u64>) {
        let path = world_path(path);
        if seed.is_none() && !path.exists() {
            return self
                .ui
                .toasts
                .say(format!("{} is not there", path.display()));
        }
        let settings = &self.settings.settings;
        let view = settings.graphics.view_metres.min(160.0);
        let session = Session::saved(&path, seed, view, &settings.characters);
        self.change_world(session);
    }

    /// A file dropped on the window.
    pub(super) fn open_dropped(&mut self, path: PathBuf) {
        self.open_world(&path, None);
    }
}
