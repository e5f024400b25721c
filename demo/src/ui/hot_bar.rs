//! The hot-bar, and the room that it leaves beside itself.

use egui::{Align2, Id, vec2};

use super::{Facts, Request, materials, theme};

/// Width at which a hint is wrapped, points.
pub(super) const HINT: f32 = 240.0;
/// Least room beside the hot-bar, points.
const HOT_BAR_MARGIN: f32 = 24.0;

/// Shows the slots at the bottom of the screen, and nothing without slots.
pub(super) fn show(context: &egui::Context, facts: &Facts, requests: &mut Vec<Request>) {
    if facts.tool.slots.is_empty() {
        return;
    }
    egui::Area::new(Id::unique("hot-bar"))
        .anchor(Align2::CENTER_BOTTOM, vec2(0.0, -12.0))
        .show(context, |ui| {
            theme::label_frame().show(ui, |ui| {
                let room = context.content_rect().width() - 2.0 * HOT_BAR_MARGIN;
                materials::show_slots(ui, facts, room, requests);
            });
        });
}

/// Returns the size of the hot-bar, once it was shown.
pub(super) fn size(context: &egui::Context) -> egui::Vec2 {
    let area = egui::AreaState::load(context, Id::unique("hot-bar"));
    area.and_then(|area| area.size).unwrap_or_default()
}

/// Returns the height by which something at a lower corner gives way to the hot-bar: none in a
/// window that is wide enough for both.
pub(super) fn above_hot_bar(context: &egui::Context, width: f32) -> f32 {
    let bar = size(context);
    let aside = (context.content_rect().width() - bar.x) * 0.5;
    match aside < width + 48.0 {
        true => bar.y + 8.0,
        false => 0.0,
    }
}
