//! What panels asked for.

use std::path::PathBuf;

use engine::window::Context;
use world::Material;

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
            Request::NewWorld { .. }
            | Request::OpenWorld(_)
            | Request::SaveAs(_)
            | Request::ImportVox(_)
            | Request::ExportVox(_)
            | Request::OpenScene(_)
            | Request::ScrubScene(_)
            | Request::PlayScene(_)
            | Request::CloseScene
            | Request::RunAllScenes => {}
        }
    }

    /// A file dropped on the window.
    pub(super) fn open_dropped(&mut self, path: PathBuf) {
        self.ui
            .toasts
            .say(format!("{} cannot be opened", path.display()));
    }
}
