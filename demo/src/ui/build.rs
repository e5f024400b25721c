//! The panel of building: the brush, and work on the selected box.

use egui::{ComboBox, RichText, Slider, Window};
use simulation::{BRUSH_SIZES, BrushMode, BrushShape};

use crate::input::Action;
use crate::language::Language;

use super::{Facts, Request, materials, theme};

/// A side of the selected box, as the player sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Away from the player.
    Ahead,
    /// Towards the player.
    Back,
    /// To the left.
    Left,
    /// To the right.
    Right,
    /// Above.
    Up,
    /// Below.
    Down,
}

const PLACES: [(Place, &str); 6] = [
    (Place::Ahead, "ahead"),
    (Place::Back, "back"),
    (Place::Left, "left"),
    (Place::Right, "right"),
    (Place::Up, "up"),
    (Place::Down, "down"),
];

/// Work on the selected box; its material is the one in hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionRequest {
    /// Fills it.
    Fill,
    /// Empties it.
    Empty,
    /// Replaces the material of its lowest corner.
    Replace,
    /// Empties its inside.
    Hollow,
    /// Builds its four upright sides.
    Walls,
    /// Copies it, and takes the copy in hand.
    Copy,
    /// Copies and empties it.
    Cut,
    /// Moves it by a voxel.
    Move(Place),
    /// Repeats it beside itself.
    Stack(Place),
}

/// The way to select a box.
const HOW: &str = "With the tool for selecting, click two corners; then drag the handles.";

/// Width of the panel, points.
const WIDTH: f32 = 340.0;
/// The use of the pointer beside this panel.
const POINTER: &str = "Beside this panel the free pointer digs, builds and selects.";

const TURNS: [(&str, world::Axis); 3] = [
    ("Turn", world::Axis::Y),
    ("Tilt forward", world::Axis::X),
    ("Tilt aside", world::Axis::Z),
];

const WORKS: [(RegionRequest, &str); 7] = [
    (RegionRequest::Fill, "Fill"),
    (RegionRequest::Empty, "Empty"),
    (RegionRequest::Hollow, "Hollow"),
    (RegionRequest::Walls, "Walls"),
    (RegionRequest::Replace, "Replace"),
    (RegionRequest::Copy, "Copy"),
    (RegionRequest::Cut, "Cut"),
];

pub(super) fn show(
    window: Window<'_>,
    context: &egui::Context,
    facts: &Facts,
    requests: &mut Vec<Request>,
) {
    theme::show(window.default_width(WIDTH), context, |ui| {
        ui.label(RichText::new(facts.language.say(POINTER)).color(theme::QUIET));
        show_brush(ui, facts, requests);
        show_symmetry(ui, facts, requests);
        ui.separator();
        let room = ui.available_width();
        materials::show_slots(ui, facts, room, requests);
        ui.separator();
        show_selection(ui, facts, requests);
        ui.separator();
        show_copy(ui, facts.language, requests);
    });
}

fn show_brush(ui: &mut egui::Ui, facts: &Facts, requests: &mut Vec<Request>) {
    let (tool, language) = (&facts.tool, facts.language);
    let (mut shape, mut mode, mut size) = (tool.shape, tool.brush_mode, tool.size);
    ui.strong(language.say("Brush"));
    ui.horizontal_wrapped(|ui| {
        ComboBox::from_id_salt("shape")
            .selected_text(language.say(shape.words()))
            .show_ui(ui, |ui| {
                for each in BrushShape::ALL {
                    ui.selectable_value(&mut shape, each, language.say(each.words()));
                }
            });
        ComboBox::from_id_salt("mode")
            .selected_text(language.say(mode.words()))
            .show_ui(ui, |ui| {
                for each in BrushMode::ALL {
                    ui.selectable_value(&mut mode, each, language.say(each.words()));
                }
            });
        for action in [Action::Undo, Action::Redo] {
            if ui.button(language.say(action.words())).clicked() {
                requests.push(Request::Do(action));
            }
        }
    });
    ui.add(Slider::new(&mut size, BRUSH_SIZES).text(language.say("radius, voxels")));
    if (shape, mode) != (tool.shape, tool.brush_mode) {
        requests.push(Request::SetBrush(shape, mode));
    }
    if size != tool.size {
        requests.push(Request::SetBrushSize(size));
    }
}

fn show_symmetry(ui: &mut egui::Ui, facts: &Facts, requests: &mut Vec<Request>) {
    let language = facts.language;
    let mut across = facts.tool.symmetry;
    ui.horizontal_wrapped(|ui| {
        ui.label(language.say("Symmetry"));
        for (on, words) in across.iter_mut().zip(["across x", "across z"]) {
            ui.checkbox(on, language.say(words));
        }
        let is_on = across.contains(&true);
        let button = egui::Button::new(language.say("Where I look"));
        if ui.add_enabled(is_on, button).clicked() {
            requests.push(Request::MoveSymmetry);
        }
    });
    if across != facts.tool.symmetry {
        requests.push(Request::SetSymmetry(across));
    }
}

fn show_selection(ui: &mut egui::Ui, facts: &Facts, requests: &mut Vec<Request>) {
    let language = facts.language;
    ui.strong(language.say("Selected box"));
    let Some(selection) = &facts.tool.selection else {
        ui.label(language.say(HOW));
        if ui.button(language.say("Take the tool")).clicked() {
            requests.push(Request::Do(Action::ToolSelect));
        }
        return;
    };
    let [x, y, z] = selection.size;
    let corner = language.say(&selection.corner);
    let words = "{} x {} x {} voxels, lowest corner: {}";
    ui.label(language.fill(words, &[&x, &y, &z, &corner]));
    ui.horizontal_wrapped(|ui| {
        for (work, words) in WORKS {
            let button = ui.button(language.say(words));
            let button = match work {
                RegionRequest::Replace => {
                    button.on_hover_text(language.say("the material of the lowest corner"))
                }
                _ => button,
            };
            if button.clicked() {
                requests.push(Request::Work(work));
            }
        }
    });
    type Work = fn(Place) -> RegionRequest;
    let rows: [(&str, Work); 2] = [
        ("Move", RegionRequest::Move),
        ("Stack", RegionRequest::Stack),
    ];
    for (words, work) in rows {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            ui.colored_label(theme::ACCENT, language.say(words));
            for (place, words) in PLACES {
                if ui.small_button(language.say(words)).clicked() {
                    requests.push(Request::Work(work(place)));
                }
            }
        });
    }
}

fn show_copy(ui: &mut egui::Ui, language: Language, requests: &mut Vec<Request>) {
    ui.strong(language.say("Copy in hand"));
    ui.horizontal_wrapped(|ui| {
        for (words, axis) in TURNS {
            if ui.button(language.say(words)).clicked() {
                requests.push(Request::TurnCopy(axis));
            }
        }
        for (words, action) in [("Mirror", Action::MirrorCopy), ("Put down", Action::Paste)] {
            if ui.button(language.say(words)).clicked() {
                requests.push(Request::Do(action));
            }
        }
    });
}
