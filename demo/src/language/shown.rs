//! Tests that the interface shows Korean only, whatever is open, and breaks no word.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::PathBuf;

use egui::epaint::{ClippedShape, Shape};
use egui::{Galley, RawInput, Rect, pos2, vec2};
use simulation::{Mood, SightLine};
use world::MaterialTable;

use super::Language;
use crate::input::{Action, Bindings};
use crate::settings::{Settings, Shadows};
use crate::ui::{
    BlueprintFact, CrowdFacts, Facts, FrameFacts, MaterialFact, MemoryFact, OVERLAY_ROWS, Panel,
    Progress, SceneFacts, SceneState, Screen, ToolFacts, Ui, WorldFacts, apply_theme, hints,
    readable,
};

/// Size of the window: room for every panel.
const WINDOW: [f32; 2] = [1280.0, 1000.0];
/// Latin words that stand in Korean text as well: kinds of files, names of fields and units.
const ALLOWED: [&str; 16] = [
    "CPU",
    "English",
    "GPU",
    "Home",
    "KD",
    "MB",
    "MagicaVoxel",
    "OBJ",
    "model",
    "ms",
    "new",
    "obj",
    "opaque",
    "vox",
    "voxels",
    "world",
];

/// Returns the words of two letters or more that are neither Korean nor allowed.
fn foreign(text: &str) -> Vec<&str> {
    let bindings = Bindings::default();
    let keys: Vec<String> = bindings
        .iter()
        .flat_map(|(_, triggers)| triggers.iter().map(readable))
        .collect();
    let is_key = |word: &str| {
        let mut parts = keys.iter().flat_map(|key| key.split('+'));
        parts.any(|part| part.trim_end_matches(|c: char| c.is_ascii_digit()) == word)
    };
    text.split(|c: char| !c.is_ascii_alphabetic())
        .filter(|word| word.len() > 1 && !ALLOWED.contains(word) && !is_key(word))
        .collect()
}

fn check(text: &str) {
    assert!(foreign(text).is_empty(), "{text:?}");
}

/// Checks that lines end between words, and that nothing is cut off.
fn check_lines(galley: &Galley) {
    assert!(!galley.elided, "{:?} is cut", galley.text());
    let is_hangul = |c: char| ('가'..='힣').contains(&c);
    for pair in galley.rows.windows(2) {
        let (end, begin) = (pair[0].text(), pair[1].text());
        let broken = end.ends_with(is_hangul) && begin.starts_with(is_hangul);
        assert!(!broken || pair[0].ends_with_newline, "{end:?} {begin:?}");
    }
}

fn check_shape(shape: &Shape) {
    match shape {
        Shape::Vec(shapes) => shapes.iter().for_each(check_shape),
        Shape::Text(text) => {
            check(text.galley.text());
            check_lines(&text.galley);
        }
        _ => {}
    }
}

/// Lays the interface out and checks all of its text.
fn check_all(ui: &mut Ui, facts: &Facts, settings: &mut Settings) {
    let context = egui::Context::default();
    apply_theme(&context);
    let mut shapes: Vec<ClippedShape> = Vec::new();
    for pass in 0..3 {
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(
                pos2(0.0, 0.0),
                vec2(WINDOW[0], WINDOW[1]),
            )),
            time: Some(facts.seconds + f64::from(pass)),
            ..RawInput::default()
        };
        let mut output = context.run_ui(input, |root| {
            ui.show(root.ctx(), facts, settings);
        });
        output.textures_delta.clear();
        shapes = output.shapes;
    }
    assert!(!shapes.is_empty());
    shapes.iter().for_each(|shape| check_shape(&shape.shape));
}

/// Returns facts of a game in which everything happens at once.
fn facts() -> Facts {
    let language = Language::Korean;
    Facts {
        language,
        travel: "walking",
        target: Some(language.fill("{} at {} {} {}, {} m away", &[&"돌", &1, &2, &3, &4])),
        time_state: Some("frozen"),
        progress: Some(Progress {
            words: "Opening the world".to_owned(),
            share: Some(0.5),
        }),
        overlays: OVERLAY_ROWS.iter().map(|(overlay, _)| *overlay).collect(),
        tool: ToolFacts {
            name: "Cannon",
            slots: MaterialFact::all_of(&MaterialTable::standard())[..9].to_vec(),
            charge: Some(0.5),
            ..ToolFacts::default()
        },
        world: WorldFacts {
            materials: MaterialFact::all_of(&MaterialTable::standard()),
            strokes: vec!["1: 2".to_owned()],
            in_the_way: Some(PathBuf::from("model.vox")),
            ..WorldFacts::default()
        },
        crowd: CrowdFacts {
            mood: Mood::Wander.words(),
            fog: true,
            score: 3,
            targets: 4,
            picked: 2,
            trouble: Some("The land here is still being loaded"),
            ..CrowdFacts::default()
        },
        frame: FrameFacts {
            frame: vec![9.0, 10.0],
            ..FrameFacts::default()
        },
        memory: MemoryFact::list([
            ("voxels and surfaces", 1 << 20),
            ("quads on the GPU", 1 << 20),
            ("quad pages", 1 << 20),
        ]),
        blueprints: vec![BlueprintFact::of(&PathBuf::from("1.vox"))],
        ..Facts::default()
    }
}

#[test]
fn title_menu_and_every_panel_are_korean() {
    for screen in [Screen::Title, Screen::Menu] {
        let mut ui = Ui::default();
        ui.screen = screen;
        check_all(&mut ui, &facts(), &mut Settings::default());
    }
    for (panel, _) in Panel::ALL {
        for hints_obeyed in [0, hints::ALL_OBEYED] {
            let mut settings = Settings {
                hints_obeyed,
                ..Settings::default()
            };
            let mut ui = Ui::default();
            ui.toggle(panel);
            check_all(&mut ui, &facts(), &mut settings);
        }
    }
}

#[test]
fn hints_are_korean() {
    let mut obeyed = 0;
    while obeyed != hints::ALL_OBEYED {
        let mut settings = Settings {
            hints_obeyed: obeyed,
            ..Settings::default()
        };
        let facts = Facts {
            pointer_grabbed: true,
            overlays: BTreeSet::new(),
            ..facts()
        };
        check_all(&mut Ui::default(), &facts, &mut settings);
        obeyed = obeyed << 1 | 1;
    }
}

#[test]
fn scene_viewer_is_korean() {
    for (passed, ticks, playing) in [
        (None, 9, true),
        (Some(true), 9, false),
        (Some(false), 0, false),
    ] {
        let state = SceneState {
            name: "1".to_owned(),
            ticks,
            playing,
            passed,
            variants: vec!["1".to_owned(), "2".to_owned()],
            ..SceneState::default()
        };
        let facts = Facts {
            scenes: SceneFacts {
                list: vec![("1".to_owned(), passed)],
                open: Some(state),
            },
            ..facts()
        };
        let mut ui = Ui::default();
        ui.toggle(Panel::Scenes);
        check_all(&mut ui, &facts, &mut Settings::default());
    }
}

#[test]
fn words_that_show_in_other_states_are_korean() {
    let say = |words: &str| check(Language::Korean.say(words));
    Action::ALL.iter().for_each(|action| say(action.words()));
    Panel::ALL.iter().for_each(|(panel, _)| say(panel.words()));
    for shadows in [Shadows::Off, Shadows::Low, Shadows::High] {
        say(shadows.words());
    }
    SightLine::ALL.iter().for_each(|line| say(line.words()));
    let moods = [Mood::Wander, Mood::Follow, Mood::Rush];
    moods.iter().for_each(|mood| say(mood.words()));
    let materials = MaterialTable::standard();
    materials.iter().for_each(|(_, info)| say(&info.name));
    let props = simulation::shipped();
    props.iter().for_each(|model| say(model.name()));
    for travel in ["flying", "swimming", "climbing", "crouching", "falling"] {
        say(travel);
    }
    crate::play::words_of_tools().into_iter().for_each(say);
}
