//! The bar at the right with a button for every panel and for undo, for as long as the pointer is
//! free.

use egui::{Align2, Id, RichText, vec2};

use crate::input::Action;
use crate::language::Language;
use crate::settings::Settings;

use super::{Panel, Request, Screen, help, hot_bar, theme};

/// Least height of the buttons, points.
const LEAST: f32 = 40.0;
/// Space above and below the buttons, points.
const MARGIN: f32 = 40.0;
/// Width of the bar, points.
const WIDTH: f32 = 148.0;

/// The buttons below those of the panels. The first two work on the world, not behind the menu.
const OTHERS: [(&str, Action); 3] = [
    ("Undo", Action::Undo),
    ("Redo", Action::Redo),
    ("Menu", Action::ReleasePointer),
];

/// Returns the place of the bar, once it was shown.
pub(super) fn place(context: &egui::Context) -> Option<egui::Rect> {
    context.memory(|memory| memory.area_rect(Id::unique("panel bar")))
}

/// Shows a button for each panel, with its key, and those for undo and the menu.
pub(super) fn show(
    context: &egui::Context,
    language: Language,
    screen: Screen,
    settings: &Settings,
    requests: &mut Vec<Request>,
) {
    let panels = Panel::ALL.map(|(panel, action)| (panel.words(), action));
    let others = match screen {
        Screen::Game => &OTHERS[..],
        _ => &OTHERS[2..],
    };
    let buttons = panels.into_iter().chain(others.iter().copied());
    egui::Area::new(Id::unique("panel bar"))
        // No panel covers it.
        .order(egui::Order::Foreground)
        .anchor(Align2::RIGHT_TOP, vec2(-12.0, 12.0))
        .show(context, |ui| {
            theme::label_frame().show(ui, |ui| {
                ui.set_width(WIDTH);
                let below = hot_bar::above_hot_bar(context, WIDTH);
                let room = (context.content_rect().height() - MARGIN - below).max(LEAST);
                ui.spacing_mut().item_spacing.y = 1.0;
                egui::ScrollArea::vertical()
                    .max_height(room)
                    // Without this, it stays as low as it was with fewer buttons.
                    .min_scrolled_height(room)
                    .show(ui, |ui| {
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
        });
}
