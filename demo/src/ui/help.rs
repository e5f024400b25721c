//! The panel of all keys and their actions, as they are bound now.

use egui::{Grid, RichText, ScrollArea, Window};

use crate::input::{Action, ActionGroup};
use crate::language::Language;
use crate::settings::Settings;

use super::{hints, theme};

const GROUPS: [(ActionGroup, &str); 4] = [
    (ActionGroup::Move, "Moving"),
    (ActionGroup::Carve, "Carving and building"),
    (ActionGroup::Play, "Tools, crowd and games"),
    (ActionGroup::Show, "Panels, overlays and time"),
];

/// Width of a column, points: room for the longest line.
const COLUMN: f32 = 480.0;
/// Width that bars for scrolling take.
const SLACK: f32 = 40.0;

pub(super) fn show(
    window: Window<'_>,
    context: &egui::Context,
    language: Language,
    settings: &mut Settings,
) {
    theme::show(
        window.default_width(2.0 * COLUMN).default_height(520.0),
        context,
        |ui| {
            let words = "Click the picture to look around with the mouse; Escape opens the menu.";
            ui.label(language.say(words));
            show_hints_again(ui, language, settings);
            ui.separator();
            ScrollArea::vertical().show(ui, |ui| {
                let count = if ui.available_width() < 2.0 * COLUMN - SLACK {
                    1
                } else {
                    2
                };
                ui.columns(count, |columns| {
                    for (index, (group, title)) in GROUPS.into_iter().enumerate() {
                        let ui = &mut columns[index * count / GROUPS.len()];
                        show_group(ui, language, group, title, settings);
                    }
                });
            });
        },
    );
}

fn show_hints_again(ui: &mut egui::Ui, language: Language, settings: &mut Settings) {
    let (words, obeyed) = match settings.hints_obeyed == hints::ALL_OBEYED {
        true => ("Show the first hints again", 0),
        false => ("Hide the hints", hints::ALL_OBEYED),
    };
    if ui.button(language.say(words)).clicked() {
        settings.hints_obeyed = obeyed;
    }
}

fn show_group(
    ui: &mut egui::Ui,
    language: Language,
    group: ActionGroup,
    title: &str,
    settings: &Settings,
) {
    ui.add_space(6.0);
    let words = RichText::new(language.say(title));
    ui.label(words.strong().color(theme::ACCENT));
    Grid::new(title)
        .num_columns(2)
        .striped(true)
        .show(ui, |ui| {
            for &action in Action::ALL.iter().filter(|a| a.group() == group) {
                let keys: Vec<String> = settings
                    .controls
                    .bindings
                    .triggers(action)
                    .iter()
                    .map(readable)
                    .collect();
                ui.label(RichText::new(keys.join("  ")).monospace().small());
                ui.label(language.say(action.words()));
                ui.end_row();
            }
        });
}

/// Returns a trigger as readers write it: `Ctrl+Z`, not `Ctrl+KeyZ`.
pub(crate) fn readable(trigger: &crate::input::Trigger) -> String {
    let text = trigger.to_string();
    let (modifiers, key) = text
        .rsplit_once('+')
        .map_or(("", text.as_str()), |(m, k)| (m, k));
    let key = match key {
        "BracketLeft" => "[",
        "BracketRight" => "]",
        "Period" => ".",
        "Comma" => ",",
        "Slash" => "/",
        "Backslash" => "\\",
        "Backquote" => "`",
        "Equal" => "=",
        "Minus" => "-",
        "ControlLeft" => "Ctrl",
        "ShiftLeft" => "Shift",
        _ => ["Key", "Digit", "Arrow"]
            .iter()
            .find_map(|prefix| key.strip_prefix(prefix))
            .unwrap_or(key),
    };
    if modifiers.is_empty() {
        key.to_owned()
    } else {
        format!("{modifiers}+{key}")
    }
}
