//! Tests that nothing of the interface is cut off or lies on something else, in any window.

use std::path::PathBuf;

use egui::epaint::{ClippedShape, Shape};
use egui::{Event, Id, Modifiers, PointerButton, Pos2, RawInput, Rect, vec2};
use world::MaterialTable;

use crate::input::Action;
use crate::language::Language;
use crate::settings::Settings;
use crate::ui::{
    BlueprintFact, Facts, MaterialFact, MinimapFacts, Panel, Screen, SelectionFacts, Ui,
    apply_theme,
};

/// Sizes of windows in pixels, and the sizes of texts and panels in them.
const WINDOWS: [([f32; 2], f32); 5] = [
    ([1280.0, 720.0], 1.0),
    ([800.0, 600.0], 1.0),
    ([3840.0, 2160.0], 1.0),
    ([3840.0, 2160.0], 2.0),
    ([1280.0, 720.0], 2.0),
];
/// Space by which shadows and strokes may reach over, points.
const SLACK: f32 = 2.0;
/// Parts of the interface that are always there.
const PARTS: [&str; 7] = [
    "state",
    "hint",
    "hot-bar",
    "minimap",
    "panel bar",
    "first hints",
    "toasts",
];

fn facts(language: Language) -> Facts {
    let mut facts = Facts {
        language,
        travel: "walking",
        ..Facts::default()
    };
    facts.world.materials = MaterialFact::all_of(&MaterialTable::standard());
    facts.tool.name = "Carve and build";
    facts.tool.hint = language.fill("{} {}, size {}", &[&"carve", &"sphere", &3]);
    facts.target = Some(language.fill("{} at {} {} {}, {} m away", &[&"1", &1, &2, &3, &4]));
    facts.tool.slots = facts.world.materials[..9].to_vec();
    facts.tool.selection = Some(SelectionFacts {
        size: [6, 4, 4],
        corner: "brick".to_owned(),
    });
    facts.blueprints = vec![BlueprintFact::of(&PathBuf::from("a house.vox"))];
    facts.minimap = MinimapFacts {
        side: 2,
        pixels: vec![[90, 120, 60]; 4],
        ..MinimapFacts::default()
    };
    facts
}

/// Lays the interface out once.
fn shapes(
    context: &egui::Context,
    ui: &mut Ui,
    facts: &Facts,
    size: [f32; 2],
) -> Vec<ClippedShape> {
    shapes_after(context, ui, facts, size, Vec::new())
}

/// Lays the interface out once after some events.
fn shapes_after(
    context: &egui::Context,
    ui: &mut Ui,
    facts: &Facts,
    size: [f32; 2],
    events: Vec<Event>,
) -> Vec<ClippedShape> {
    let mut settings = Settings::default();
    let input = RawInput {
        screen_rect: Some(Rect::from_min_size(Pos2::ZERO, vec2(size[0], size[1]))),
        events,
        ..RawInput::default()
    };
    let mut output = context.run_ui(input, |root| {
        ui.show(root.ctx(), facts, &mut settings);
    });
    output.textures_delta.clear();
    output.shapes
}

/// Lays the interface out until it is at rest, and returns the screen.
fn lay_out(context: &egui::Context, ui: &mut Ui, facts: &Facts, size: [f32; 2]) -> Rect {
    for _ in 0..5 {
        shapes(context, ui, facts, size);
    }
    Rect::from_min_size(Pos2::ZERO, vec2(size[0], size[1]))
}

/// Returns the places of all texts with these words.
fn text_places(shapes: &[ClippedShape], words: &str) -> Vec<Pos2> {
    let place = |clipped: &ClippedShape| match &clipped.shape {
        Shape::Text(text) if text.galley.text() == words => Some(text.pos),
        _ => None,
    };
    shapes.iter().filter_map(place).collect()
}

fn rect_of(context: &egui::Context, name: &str) -> Option<Rect> {
    context.memory(|memory| memory.area_rect(Id::unique(name)))
}

#[test]
fn nothing_lies_on_something_else() {
    for (size, scale) in WINDOWS {
        for language in Language::ALL {
            for is_free in [false, true] {
                let context = egui::Context::default();
                apply_theme(&context);
                let mut facts = facts(language);
                facts.pointer_grabbed = !is_free;
                let points = size.map(|side| side / scale);
                let mut ui = Ui::default();
                ui.toasts.say("This world is open already");
                let screen = lay_out(&context, &mut ui, &facts, points);
                let parts = PARTS
                    .iter()
                    .filter_map(|name| Some((name, rect_of(&context, name)?)));
                let parts: Vec<_> = parts.collect();
                for (index, (name, rect)) in parts.iter().enumerate() {
                    let what = format!("{name} in {size:?} x {scale}, {language:?}: {rect:?}");
                    assert!(screen.expand(SLACK).contains_rect(*rect), "{what}");
                    for (other, its) in &parts[..index] {
                        let common = rect.shrink(SLACK).intersect(*its);
                        assert!(!common.is_positive(), "{what} lies on {other}: {its:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn panels_and_menus_fit_into_every_window() {
    for (size, scale) in WINDOWS {
        for language in Language::ALL {
            let points = size.map(|side| side / scale);
            let context = egui::Context::default();
            apply_theme(&context);
            let mut ui = Ui::default();
            ui.screen = Screen::Title;
            let screen = lay_out(&context, &mut ui, &facts(language), points);
            let title = rect_of(&context, "screen").unwrap_or(Rect::NOTHING);
            assert!(
                screen.contains_rect(title),
                "title in {size:?} x {scale}: {title:?}"
            );
            for (panel, action) in Panel::ALL {
                assert_ne!(action, Action::Quit);
                let context = egui::Context::default();
                apply_theme(&context);
                let mut ui = Ui::default();
                ui.toggle(panel);
                let screen = lay_out(&context, &mut ui, &facts(language), points);
                let rect = rect_of(&context, panel.words()).unwrap_or(Rect::NOTHING);
                let what = format!("{panel:?} in {size:?} x {scale}, {language:?}: {rect:?}");
                assert!(screen.expand(SLACK).contains_rect(rect), "{what}");
                assert!(rect.width() > 100.0 && rect.height() > 60.0, "{what}");
            }
        }
    }
}

#[test]
fn messages_and_panels_do_no_harm_in_the_smallest_windows() {
    for size in [[1.0, 1.0], [40.0, 400.0], [500.0, 3.0]] {
        let context = egui::Context::default();
        apply_theme(&context);
        let mut ui = Ui::default();
        ui.toasts.say("This world is open already");
        Panel::ALL.iter().for_each(|(panel, _)| ui.toggle(*panel));
        lay_out(&context, &mut ui, &facts(Language::English), size);
    }
}

#[test]
fn the_bar_shows_all_of_its_buttons_after_the_menu() {
    let context = egui::Context::default();
    apply_theme(&context);
    let mut ui = Ui::default();
    let facts = facts(Language::English);
    let size = [800.0, 600.0];
    for screen in [Screen::Menu, Screen::Game] {
        ui.screen = screen;
        lay_out(&context, &mut ui, &facts, size);
    }
    let shown = shapes(&context, &mut ui, &facts, size);
    for words in ["Undo", "Redo", "Menu"] {
        let is_shown = |clipped: &&ClippedShape| match &clipped.shape {
            Shape::Text(text) if text.galley.text() == words => {
                clipped.clip_rect.contains_rect(text.visual_bounding_rect())
            }
            _ => false,
        };
        assert!(shown.iter().any(|it| is_shown(&it)), "{words}");
    }
}

#[test]
fn the_field_of_import_is_not_that_of_export() {
    let context = egui::Context::default();
    apply_theme(&context);
    let mut ui = Ui::default();
    ui.toggle(Panel::World);
    let (facts, size) = (facts(Language::English), [1280.0, 720.0]);
    lay_out(&context, &mut ui, &facts, size);
    let hints = |shown: &[ClippedShape]| text_places(shown, "model.vox").len();
    let empty = shapes(&context, &mut ui, &facts, size);
    assert_eq!(hints(&empty), 2, "each has a field with a hint");
    let field = text_places(&empty, "model.vox")[0] + vec2(4.0, 4.0);
    let button = |pressed| Event::PointerButton {
        pos: field,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::default(),
    };
    let words = Event::Text("castle.vox".to_owned());
    for event in [
        Event::PointerMoved(field),
        button(true),
        button(false),
        words,
    ] {
        shapes_after(&context, &mut ui, &facts, size, vec![event]);
    }
    let typed = shapes(&context, &mut ui, &facts, size);
    assert_eq!(text_places(&typed, "castle.vox").len(), 1);
    assert_eq!(hints(&typed), 1, "the other is empty");
}

#[test]
fn the_title_is_in_the_middle_of_the_screen() {
    for language in Language::ALL {
        let context = egui::Context::default();
        apply_theme(&context);
        let mut ui = Ui::default();
        ui.screen = Screen::Title;
        let screen = lay_out(&context, &mut ui, &facts(language), [800.0, 600.0]);
        let title = rect_of(&context, "screen").unwrap_or(Rect::NOTHING);
        let words = language.say("Play");
        let shown = shapes(&context, &mut ui, &facts(language), [800.0, 600.0]);
        let middle = shown.iter().find_map(|clipped| match &clipped.shape {
            Shape::Text(text) if text.galley.text() == words => {
                Some(text.visual_bounding_rect().center().x)
            }
            _ => None,
        });
        let aside = middle.unwrap_or_default() - screen.center().x;
        assert!(aside.abs() < SLACK, "{language:?}: {aside}");
        assert!((title.center().x - screen.center().x).abs() < SLACK);
    }
}

#[test]
fn without_slots_there_is_no_empty_hot_bar() {
    let context = egui::Context::default();
    apply_theme(&context);
    let mut facts = facts(Language::English);
    lay_out(&context, &mut Ui::default(), &facts, [800.0, 600.0]);
    assert!(rect_of(&context, "hot-bar").is_some());
    facts.tool.slots.clear();
    let context = egui::Context::default();
    apply_theme(&context);
    lay_out(&context, &mut Ui::default(), &facts, [800.0, 600.0]);
    assert_eq!(rect_of(&context, "hot-bar"), None);
}

#[test]
fn fields_of_worlds_stay_in_place_when_a_save_appears() {
    let context = egui::Context::default();
    apply_theme(&context);
    let mut ui = Ui::default();
    ui.toggle(Panel::World);
    let mut facts = facts(Language::English);
    let mut place = |saves: &[&str]| {
        facts.world.saves = saves.iter().map(PathBuf::from).collect();
        lay_out(&context, &mut ui, &facts, [1280.0, 720.0]);
        let shapes = shapes(&context, &mut ui, &facts, [1280.0, 720.0]);
        let words = [
            "Import where you look",
            "Export the copied box, or what is round you",
        ];
        words.map(|words| text_places(&shapes, words))
    };
    let before = place(&[]);
    assert!(before.iter().all(|places| places.len() == 1));
    assert_eq!(place(&["a.voxels", "b.voxels", "c.voxels"]), before);
}
