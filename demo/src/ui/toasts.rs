//! Messages that fade by themselves.

use egui::{Align2, AreaState, Id, Label, TextWrapMode, vec2};

use crate::language::Language;

use super::theme;

/// Seconds that a message stays, and more for each letter.
const STAY: f64 = 5.0;
const A_LETTER: f64 = 0.07;
/// Width at which a message is wrapped, points.
const WIDEST: f32 = 640.0;
/// Least width of a message, however small the window is.
const LEAST: f32 = 60.0;
/// The most shown at once.
const MOST: usize = 5;
/// Distance from the top of the screen, and that below all other labels, points.
const TOP: f32 = 14.0;
const LOW: f32 = 138.0;

#[derive(Clone, Debug)]
struct Toast {
    words: String,
    /// Time at which it first appeared.
    since: Option<f64>,
}

impl Toast {
    fn stay(&self) -> f64 {
        STAY + A_LETTER * self.words.len() as f64
    }
}

/// Messages that fade by themselves.
#[derive(Debug, Default)]
pub struct Toasts {
    list: Vec<Toast>,
}

impl Toasts {
    /// Shows a message for a few seconds; repeating it starts its time anew. It is translated when
    /// it is shown, unless values are filled in already.
    pub fn say(&mut self, words: impl Into<String>) {
        let words = words.into();
        self.list.retain(|t| t.words != words);
        self.list.push(Toast { words, since: None });
        let surplus = self.list.len().saturating_sub(MOST);
        self.list.drain(..surplus);
    }

    /// Returns the messages that are shown.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|t| t.words.as_str())
    }

    pub(super) fn show(&mut self, context: &egui::Context, language: Language, seconds: f64) {
        for toast in &mut self.list {
            toast.since.get_or_insert(seconds);
        }
        self.list
            .retain(|t| t.since.is_none_or(|since| seconds - since < t.stay()));
        if self.list.is_empty() {
            return;
        }
        egui::Area::new(Id::unique("toasts"))
            .anchor(Align2::CENTER_TOP, vec2(0.0, height(context)))
            .interactable(false)
            .show(context, |ui| {
                ui.vertical_centered(|ui| {
                    let widest = (context.content_rect().width() - 48.0).clamp(LEAST, WIDEST);
                    for toast in &self.list {
                        let words = language.say(&toast.words);
                        theme::label_frame().show(ui, |ui| show_words(ui, words, widest));
                    }
                });
            });
    }
}

/// Returns the distance of the messages from the top: they give way to the label of the state,
/// which takes the upper left corner.
fn height(context: &egui::Context) -> f32 {
    let size = |name: &str| {
        let area = AreaState::load(context, Id::unique(name));
        area.and_then(|area| area.size).unwrap_or_default()
    };
    let aside = (context.content_rect().width() - size("toasts").x) * 0.5;
    match aside < size("state").x + 2.0 * TOP {
        true => LOW,
        false => TOP,
    }
}

/// Shows a message in one line if it fits, or wrapped between words.
fn show_words(ui: &mut egui::Ui, words: &str, widest: f32) {
    let font = egui::TextStyle::Body.resolve(ui.style());
    let galley = ui
        .ctx()
        .fonts_mut(|fonts| fonts.layout_no_wrap(words.to_owned(), font, egui::Color32::WHITE));
    let fits = galley.size().x <= widest;
    if !fits {
        ui.set_min_width(widest);
        ui.set_max_width(widest);
    }
    let mode = match fits {
        true => TextWrapMode::Extend,
        false => TextWrapMode::Wrap,
    };
    ui.add(Label::new(words).wrap_mode(mode));
}
