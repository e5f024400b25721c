//! The panel in which every key can be changed.

use egui::{Grid, RichText, ScrollArea, Slider, TextEdit, Window};

use crate::input::{Action, Bindings};
use crate::language::Language;
use crate::settings::Settings;

use super::{Toasts, help, tell_taken, theme};

pub(super) fn show(
    window: Window<'_>,
    context: &egui::Context,
    language: Language,
    settings: &mut Settings,
    rebinding: &mut Option<Action>,
    filter: &mut String,
    toasts: &mut Toasts,
) {
    theme::show(window.default_width(640.0), context, |ui| {
        let controls = &mut settings.controls;
        ui.add(
            Slider::new(&mut controls.mouse_degrees_a_pixel, 0.01..=1.0)
                .logarithmic(true)
                .text(language.say("mouse, degrees a pixel")),
        );
        ui.checkbox(
            &mut controls.invert_pitch,
            language.say("pushing the mouse away looks down"),
        );
        ui.horizontal(|ui| {
            ui.add(
                TextEdit::singleline(filter)
                    .hint_text(language.say("search"))
                    .desired_width(150.0),
            );
            if ui.button(language.say("All keys as they were")).clicked() {
                controls.bindings = Bindings::default();
            }
        });
        ui.separator();
        ScrollArea::both().max_height(420.0).show(ui, |ui| {
            Grid::new("keys")
                .num_columns(3)
                .striped(true)
                .show(ui, |ui| {
                    let wanted = filter.to_lowercase();
                    for &action in Action::ALL {
                        let words = language.say(action.words());
                        if words.to_lowercase().contains(&wanted) {
                            let bindings = &mut controls.bindings;
                            show_row(ui, language, action, bindings, rebinding, toasts);
                        }
                    }
                });
        });
    });
}

fn show_row(
    ui: &mut egui::Ui,
    language: Language,
    action: Action,
    bindings: &mut Bindings,
    rebinding: &mut Option<Action>,
    toasts: &mut Toasts,
) {
    ui.label(language.say(action.words()));
    if *rebinding == Some(action) {
        let words = language.say("press a key (Escape: leave)");
        ui.label(RichText::new(words).color(theme::ACCENT));
    } else {
        let keys: Vec<String> = bindings
            .triggers(action)
            .iter()
            .map(help::readable)
            .collect();
        let words = if keys.is_empty() {
            language.say("none").to_owned()
        } else {
            keys.join("  ")
        };
        if ui
            .button(RichText::new(words).monospace())
            .on_hover_text(language.say("Click, then press the new key"))
            .clicked()
        {
            *rebinding = Some(action);
        }
    }
    if ui.small_button(language.say("reset")).clicked() {
        let others = bindings.reset(action);
        tell_taken(toasts, language, bindings, &others);
    }
    ui.end_row();
}
