//! The hints of the first minutes: one at a time, each until it is obeyed once.

use egui::{Align2, Id, RichText, vec2};

use crate::input::{Action, Bindings};
use crate::language::Language;

use super::hot_bar::{self, HINT, above_hot_bar};
use super::{help, theme};

/// A hint: the actions of which any obeys it, those whose keys it shows, and its words.
struct Hint {
    obeyed_by: &'static [Action],
    keys: &'static [Action],
    words: &'static str,
}

/// Height from the top that messages take, points.
const BELOW_MESSAGES: f32 = 106.0;

const MOVES: [Action; 4] = [Action::Forward, Action::Left, Action::Back, Action::Right];

/// All hints, in their order. The first is obeyed by capturing the pointer.
const HINTS: [Hint; 8] = [
    hint(
        &[],
        &[],
        "Click the picture, then look around with the mouse",
    ),
    hint(&MOVES, &MOVES, "move"),
    hint(
        &[Action::SwitchWalk],
        &[Action::SwitchWalk],
        "walk, and fly again",
    ),
    hint(&[Action::Use], &[], "The left button digs"),
    hint(&[Action::UseOther], &[], "The right button builds"),
    hint(
        &[Action::Larger, Action::Smaller],
        &[],
        "The wheel changes the size of the brush",
    ),
    hint(
        &[Action::PanelMaterials],
        &[Action::PanelMaterials],
        "choose a material",
    ),
    hint(
        &[Action::ReleasePointer],
        &[Action::ReleasePointer],
        "the menu",
    ),
];

const fn hint(obeyed_by: &'static [Action], keys: &'static [Action], words: &'static str) -> Hint {
    Hint {
        obeyed_by,
        keys,
        words,
    }
}

/// The hints that were obeyed, a bit for each.
pub(crate) const ALL_OBEYED: u32 = (1 << HINTS.len()) - 1;

/// Returns the obeyed hints after an action.
pub(crate) fn after_action(obeyed: u32, action: Action) -> u32 {
    let bits = HINTS.iter().enumerate();
    bits.filter(|(_, hint)| hint.obeyed_by.contains(&action))
        .fold(obeyed, |obeyed, (bit, _)| obeyed | 1 << bit)
}

/// Returns the obeyed hints after the pointer was captured.
pub(crate) fn after_capture(obeyed: u32) -> u32 {
    obeyed | 1
}

/// Shows the first hint that was not obeyed.
pub(super) fn show(context: &egui::Context, language: Language, obeyed: u32, bindings: &Bindings) {
    let Some(next) = (0..HINTS.len()).find(|bit| obeyed & 1 << bit == 0) else {
        return;
    };
    let hint = &HINTS[next];
    let keys = hint.keys.iter().filter_map(|&action| {
        let first = bindings.triggers(action).first();
        first.map(help::readable)
    });
    let keys: Vec<String> = keys.collect();
    // In a narrow window the label of the tool lies above the hot-bar.
    let (anchor, offset) = match above_hot_bar(context, HINT) {
        0.0 => (
            Align2::CENTER_BOTTOM,
            vec2(0.0, -24.0 - hot_bar::size(context).y),
        ),
        _ => (Align2::LEFT_TOP, vec2(12.0, BELOW_MESSAGES)),
    };
    egui::Area::new(Id::unique("first hints"))
        .anchor(anchor, offset)
        .interactable(false)
        .show(context, |ui| {
            theme::label_frame().show(ui, |ui| {
                ui.horizontal(|ui| {
                    if !keys.is_empty() {
                        let keys = RichText::new(keys.join(" ")).monospace().strong();
                        ui.label(keys.size(17.0).color(theme::ACCENT));
                    }
                    let words = RichText::new(language.say(hint.words)).size(17.0);
                    ui.add(egui::Label::new(words).wrap_mode(egui::TextWrapMode::Extend));
                    let step = language.fill("{} of {}", &[&(next + 1), &HINTS.len()]);
                    ui.label(RichText::new(step).small().color(theme::QUIET));
                });
            });
        });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_hint_goes_when_it_is_obeyed() {
        let mut obeyed = after_capture(0);
        for (bit, hint) in HINTS.iter().enumerate().skip(1) {
            assert_eq!(obeyed & 1 << bit, 0, "{}", hint.words);
            for &action in hint.obeyed_by {
                obeyed = after_action(obeyed, action);
            }
            assert_ne!(obeyed & 1 << bit, 0, "{}", hint.words);
        }
        assert_eq!(obeyed, ALL_OBEYED);
        assert_eq!(after_action(0, Action::Screenshot), 0);
    }
}
