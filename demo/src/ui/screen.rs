//! The title, before the game, and the menu in the middle of it.

use egui::{Align2, Button, Color32, Id, RichText, vec2};

use crate::input::Action;
use crate::language::Language;

use super::{Panel, Request, theme};

/// Size of the buttons, points.
const BUTTON: egui::Vec2 = vec2(240.0, 32.0);
/// Width of the title in the longest language, points.
const WIDTH: f32 = 300.0;
/// Name of the program.
const NAME: &str = "Voxel sandbox";

/// A screen before the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Screen {
    /// None: the game is played.
    #[default]
    Game,
    /// The title, when the program starts.
    Title,
    /// The menu, in the middle of a game.
    Menu,
}

/// The buttons below the first one, with their actions.
const BUTTONS: [(&str, Action); 6] = [
    (Panel::World.words(), Action::PanelWorld),
    (Panel::Shared.words(), Action::PanelShared),
    (Panel::Graphics.words(), Action::PanelGraphics),
    (Panel::Controls.words(), Action::PanelControls),
    (Panel::Help.words(), Action::Help),
    ("Save and quit", Action::Quit),
];

impl Screen {
    /// Returns the screen beside a panel that an action opens: panels of the game close the menu,
    /// or their buttons would work behind it.
    pub(crate) fn beside(self, action: Action) -> Self {
        let is_of_menu = BUTTONS.iter().any(|(_, its)| *its == action);
        match self {
            Screen::Menu if !is_of_menu => Screen::Game,
            screen => screen,
        }
    }
}

/// Shows the title or the menu. Another window may lie on top of it.
pub(super) fn show(
    context: &egui::Context,
    language: Language,
    screen: Screen,
    requests: &mut Vec<Request>,
) {
    if screen == Screen::Game {
        return;
    }
    let whole = context.content_rect();
    let shade = Color32::from_black_alpha(match screen {
        Screen::Title => 70,
        _ => 110,
    });
    let behind = context.layer_painter(egui::LayerId::background());
    behind.rect_filled(whole, 0.0, shade);
    egui::Area::new(Id::unique("screen"))
        .order(egui::Order::Background)
        .anchor(Align2::CENTER_CENTER, vec2(0.0, 0.0))
        .show(context, |ui| {
            ui.set_width(WIDTH);
            ui.spacing_mut().item_spacing.y = 6.0;
            ui.vertical_centered(|ui| {
                if screen == Screen::Title {
                    let title = RichText::new(language.say(NAME))
                        .size(42.0)
                        .strong()
                        .color(theme::ACCENT);
                    let title = egui::Label::new(title).wrap_mode(egui::TextWrapMode::Extend);
                    ui.add(title);
                    ui.add_space(16.0);
                }
                let first = match screen {
                    Screen::Title => "Play",
                    _ => "Go on",
                };
                if button(ui, language.say(first)) {
                    requests.push(Request::Enter);
                }
                for (words, action) in BUTTONS {
                    if button(ui, language.say(words)) {
                        requests.push(Request::Do(action));
                    }
                }
            });
        });
}

fn button(ui: &mut egui::Ui, words: &str) -> bool {
    let words = RichText::new(words).size(17.0);
    let button = Button::new(words).min_size(BUTTON).fill(theme::glass());
    ui.add(button).clicked()
}
