//! The bar at the right with a button for every panel, for as long as the pointer is free.

use egui::{Align2, Id, RichText, vec2};

use crate::input::Action;
use crate::language::Language;
use crate::settings::Settings;

use super::{Panel, Request, help, theme};

/// Width of the bar, points.
const WIDTH: f32 = 148.0;

/// Shows a button for each panel, with its key, and one for the menu.
pub(super) fn show(
    context: &egui::Context,
    language: Language,
    settings: &Settings,
    requests: &mut Vec<Request>,
) {
    let panels = Panel::ALL.map(|(panel, action)| (panel.words(), action));
    let buttons = panels.into_iter().chain([("Menu", Action::ReleasePointer)]);
    egui::Area::new(Id::unique("panel bar"))
        .anchor(Align2::RIGHT_TOP, vec2(-12.0, 12.0))
        .show(context, |ui| {
            theme::label_frame().show(ui, |ui| {
                ui.set_width(WIDTH);
                for (words, action) in buttons {
                    let keys = settings.controls.bindings.triggers(action);
                    let key = keys.first().map(help::readable).unwrap_or_default();
                    let button = egui::Button::new(language.say(words))
                        .right_text(RichText::new(key).small().color(theme::QUIET))
                        .frame(false)
                        .min_size(vec2(WIDTH, 0.0));
                    if ui.add(button).clicked() {
                        requests.push(Request::Do(action));
                    }
                }
            });
        });
}
