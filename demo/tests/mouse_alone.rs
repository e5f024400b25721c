//! The whole first hour with the mouse alone, in a real window on a virtual screen: from an empty
//! home to the game, a hole, a wall from a selected box, undo, every panel, another language, the
//! end, and back to the same place.
//!
//! The test finds buttons by laying the same interface out beside the sandbox. It stops the day
//! first: later it judges by darkness and by pixels that differ.

#![allow(clippy::unwrap_used)]

mod screen;

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use demo::input::Action;
use demo::language::Language;
use demo::settings::Settings;
use demo::ui::{Facts, MaterialFact, Panel, Request, SelectionFacts, Ui, apply_theme};
use egui::epaint::Shape;
use egui::{Event, Modifiers, PointerButton, Pos2, RawInput, Rect, pos2, vec2};
use screen::{PAUSE, Picture, Process, Sandbox, Screen, demo};

/// Size of the virtual screen, and so of the window.
const SIZE: [u32; 2] = [800, 600];
/// Time after which a click has been heard.
const SETTLE: Duration = Duration::from_millis(1500);
/// Share of dark pixels above which a panel or a button lies there.
const COVERED: f32 = 0.55;
/// Size of the middle of a button, points.
const BUTTON: egui::Vec2 = vec2(120.0, 24.0);
/// Middle of the bar of panels.
const BAR: f32 = 704.0;
/// Corners of the selected box, clear of the panels, and the pixel between them.
const CORNERS: [Pos2; 2] = [pos2(480.0, 300.0), pos2(570.0, 400.0)];
const MIDDLE: [usize; 2] = [525, 350];
/// Least share of the pixels about a place on the land that an edit there changes.
const EDIT: f32 = 0.04;
/// Half the side of the square about such a place, pixels.
const ABOUT: usize = 70;
/// The cross that closes a panel, from its corner.
const CROSS: egui::Vec2 = vec2(-17.0, 17.0);
/// Passes in which the interface comes to rest.
const PASSES: usize = 4;
/// Largest mean difference of two pictures of the same place: walkers and water move.
const SAME: f32 = 0.03;

/// The interface laid out like that of the sandbox.
struct Mirror {
    context: egui::Context,
    ui: Ui,
    facts: Facts,
    settings: Settings,
}

impl Mirror {
    fn new(screen: demo::ui::Screen, language: Language) -> Self {
        let context = egui::Context::default();
        apply_theme(&context);
        let mut ui = Ui::default();
        ui.screen = screen;
        let mut facts = Facts {
            language,
            ..Facts::default()
        };
        let materials = world::MaterialTable::standard();
        facts.tool.slots = MaterialFact::all_of(&materials)[..9].to_vec();
        let settings = Settings::default();
        Mirror {
            context,
            ui,
            facts,
            settings,
        }
    }

    /// Lays the interface out after some events, and does what it asks for.
    fn pass(&mut self, events: Vec<Event>) -> Vec<Shape> {
        self.facts.seconds += 0.1;
        let [width, height] = SIZE.map(|side| side as f32);
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, vec2(width, height))),
            time: Some(self.facts.seconds),
            events,
            ..RawInput::default()
        };
        let mut requests = Vec::new();
        let (ui, facts, settings) = (&mut self.ui, &self.facts, &mut self.settings);
        let mut output = self.context.run_ui(input, |root| {
            requests = ui.show(root.ctx(), facts, settings);
        });
        output.textures_delta.clear();
        for request in requests {
            self.fulfil(&request);
        }
        let shapes = output.shapes.into_iter();
        shapes.map(|clipped| clipped.shape).collect()
    }

    fn fulfil(&mut self, request: &Request) {
        match request {
            Request::Enter => self.ui.screen = demo::ui::Screen::Game,
            Request::Do(Action::ReleasePointer) => self.ui.screen = demo::ui::Screen::Menu,
            Request::Do(action) => {
                if let Some((panel, _)) = Panel::ALL.iter().find(|(_, its)| its == action) {
                    self.ui.toggle(*panel);
                    if self.ui.screen == demo::ui::Screen::Menu {
                        self.ui.screen = demo::ui::Screen::Game;
                    }
                }
            }
            _ => {}
        }
    }

    /// Lets the interface come to rest.
    fn rest(&mut self) -> Vec<Shape> {
        let passes = (0..PASSES).map(|_| self.pass(Vec::new()));
        passes.last().unwrap_or_default()
    }

    /// Returns the place of a panel.
    fn rect_of(&self, panel: Panel) -> Rect {
        let id = egui::Id::unique(panel.words());
        let rect = self.context.memory(|memory| memory.area_rect(id));
        rect.unwrap_or(Rect::ZERO)
    }

    /// Returns the middles of all texts with these words, from left to right.
    fn places(&mut self, words: &str) -> Vec<Pos2> {
        let shapes = self.rest();
        let mut places = Vec::new();
        shapes.iter().for_each(|it| find(it, words, &mut places));
        places.sort_by(|a, b| a.x.total_cmp(&b.x));
        assert!(!places.is_empty(), "no text {words:?} is shown");
        places
    }

    fn click(&mut self, at: Pos2) {
        let button = |pressed| Event::PointerButton {
            pos: at,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::default(),
        };
        self.pass(vec![Event::PointerMoved(at)]);
        self.pass(vec![button(true)]);
        self.pass(vec![button(false)]);
        self.facts.language = self.settings.language.unwrap_or(self.facts.language);
    }
}

fn find(shape: &Shape, words: &str, places: &mut Vec<Pos2>) {
    match shape {
        Shape::Vec(shapes) => shapes.iter().for_each(|it| find(it, words, places)),
        Shape::Text(text) if text.galley.text() == words => {
            places.push(text.visual_bounding_rect().center());
        }
        _ => {}
    }
}

/// The sandbox, and the same interface beside it.
struct Player {
    sandbox: Sandbox,
    mirror: Mirror,
}

impl Player {
    /// Opens the sandbox as a new player does: without arguments.
    fn open(home: &Path, language: Language) -> Self {
        let screen = Screen::open(SIZE);
        let process = demo(home)
            .env("DISPLAY", &screen.display)
            .stderr(fs::File::create(home.join("errors")).unwrap())
            .spawn()
            .unwrap();
        let mut sandbox = Sandbox {
            home: home.to_path_buf(),
            screen,
            process: Process(process),
        };
        let window = sandbox.wait("the window", |it| {
            let windows = it.screen.tool("search --onlyvisible --name .");
            windows.lines().next().map(str::to_owned)
        });
        let focus = format!("windowfocus --sync {window}");
        sandbox.screen.tool(&focus);
        sandbox.wait("the title", |it| (it.seen().colours() > 200).then_some(()));
        Player {
            sandbox,
            mirror: Mirror::new(demo::ui::Screen::Title, language),
        }
    }

    fn click_at(&mut self, at: Pos2) {
        let (x, y) = (at.x as i32, at.y as i32);
        self.sandbox.screen.tool(&format!("mousemove {x} {y}"));
        sleep(PAUSE);
        self.sandbox.screen.tool("click 1");
        sleep(SETTLE);
    }

    /// Waits until a part of the screen is covered by a panel or a button, or free of it.
    fn wait_for(&mut self, what: &str, rect: Rect, cover: Cover) {
        let [low, high] = [rect.min, rect.max].map(|it| {
            let [width, height] = SIZE.map(|side| side as f32);
            [
                it.x.clamp(0.0, width) as usize,
                it.y.clamp(0.0, height) as usize,
            ]
        });
        self.sandbox.wait(what, |it| {
            let darkness = it.seen().darkness(low, high);
            let is_so = match cover {
                Cover::Panel => darkness > COVERED,
                Cover::Nothing => darkness < COVERED,
            };
            is_so.then_some(())
        });
        sleep(SETTLE);
    }

    /// Waits until a line is in the settings file.
    fn wait_for_setting(&mut self, line: &str) {
        let file = self.sandbox.home.join("config/voxel-sandbox/settings.toml");
        self.sandbox.wait(line, |_| {
            let text = fs::read_to_string(&file).ok()?;
            text.contains(line).then_some(())
        });
    }

    /// Clicks the first text with these words.
    fn press(&mut self, words: &'static str) {
        let words = self.mirror.facts.language.say(words);
        let at = self.mirror.places(words)[0];
        self.click_at(at);
        self.mirror.click(at);
    }

    /// Opens or closes a panel by the bar, and waits until it shows or is gone.
    fn toggle(&mut self, panel: Panel) {
        let words = self.mirror.facts.language.say(panel.words());
        let places = self.mirror.places(words);
        // Panels reach up to the bar, where they can be made larger.
        let at = pos2(BAR, places[places.len() - 1].y);
        let (before, was_open) = (self.mirror.rect_of(panel), self.mirror.ui.is_open(panel));
        self.click_at(at);
        self.mirror.click(at);
        self.mirror.rest();
        assert_ne!(self.mirror.ui.is_open(panel), was_open, "{words}");
        match self.mirror.ui.is_open(panel) {
            true => {
                let rect = self.mirror.rect_of(panel);
                self.wait_for(words, rect, Cover::Panel);
            }
            false => self.wait_for(words, before, Cover::Nothing),
        }
    }
}

/// The cover of a part of the screen.
#[derive(Clone, Copy)]
enum Cover {
    Panel,
    Nothing,
}

/// Returns the number before `word` in the output of `demo world info`.
fn count(home: &Path, word: &str) -> u32 {
    let world = home.join("data/voxel-sandbox/first.voxels");
    let output = demo(home).args(["world", "info"]).arg(world).output();
    let info = String::from_utf8(output.unwrap().stdout).unwrap();
    let words: Vec<&str> = info.split_whitespace().collect();
    let at = words.iter().position(|it| it.starts_with(word)).unwrap();
    words[at - 1].parse().unwrap()
}

/// Stops the day in the panel of the picture, beside the title.
fn stop_the_day(player: &mut Player) {
    let panel = Panel::Graphics;
    player.press(panel.words());
    player.mirror.rest();
    let rect = player.mirror.rect_of(panel);
    player.wait_for("the panel of the picture", rect, Cover::Panel);
    player.press("the day passes");
    assert!(!player.mirror.settings.graphics.day_passes);
    player.wait_for_setting("day_passes = false");
    let cross = rect.right_top() + CROSS;
    player.click_at(cross);
    player.mirror.click(cross);
    assert!(!player.mirror.ui.is_open(panel));
}

/// Goes from the title to the game.
fn enter(player: &mut Player) {
    let at = player
        .mirror
        .places(player.mirror.facts.language.say("Play"))[0];
    let button = Rect::from_center_size(at, BUTTON);
    player.wait_for("the title", button, Cover::Panel);
    player.press("Play");
    player.wait_for("the game", button, Cover::Nothing);
    player.mirror.facts.pointer_grabbed = true;
}

/// Frees the pointer by the side button, and passes the menu by the panel of building.
fn free_pointer(player: &mut Player) {
    player.mirror.facts.pointer_grabbed = false;
    player.mirror.ui.screen = demo::ui::Screen::Menu;
    let at = player
        .mirror
        .places(player.mirror.facts.language.say("Go on"))[0];
    player.sandbox.screen.tool("click 8");
    let button = Rect::from_center_size(at, BUTTON);
    player.wait_for("the menu", button, Cover::Panel);
    player.toggle(Panel::Build);
}

#[test]
fn the_first_hour_passes_with_the_mouse_alone() {
    let home = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("mouse_alone");
    let _ = fs::remove_dir_all(&home);
    fs::create_dir_all(&home).unwrap();
    let mut player = Player::open(&home, Language::English);
    stop_the_day(&mut player);
    enter(&mut player);
    let first = player.sandbox.seen().middle();
    look_down_and_dig(&mut player, &first);
    free_pointer(&mut player);
    build_a_wall(&mut player);
    player.toggle(Panel::Build);
    for (panel, _) in Panel::ALL {
        player.toggle(panel);
        player.toggle(panel);
    }
    choose_korean(&mut player);
    let last = player.sandbox.seen().middle();
    quit(player);

    assert!(count(&home, "edited") > 0);
    assert!(count(&home, "strokes") >= 3);
    let mut player = Player::open(&home, Language::Korean);
    enter(&mut player);
    free_pointer(&mut player);
    player.toggle(Panel::Build);
    let again = player.sandbox.seen().middle();
    let (same, other) = (again.mean_difference(&last), again.mean_difference(&first));
    assert!(same < SAME && same < other, "{same} and {other}");
    quit(player);
}

fn look_down_and_dig(player: &mut Player, first: &Picture) {
    for _ in 0..12 {
        player.sandbox.screen.tool("mousemove_relative -- 0 60");
    }
    player.sandbox.wait("a look down", |it| {
        (it.seen().middle().mean_difference(first) > 2.0 * SAME).then_some(())
    });
    sleep(SETTLE);
    let whole = player.sandbox.seen().middle();
    player.sandbox.screen.tool("click 1");
    player.sandbox.wait("a hole", |it| {
        (it.seen().middle().difference(&whole) > EDIT).then_some(())
    });
}

/// Builds a wall from a box that is selected beside the panel, with a second storey, and takes the
/// second back.
fn build_a_wall(player: &mut Player) {
    player.press("Take the tool");
    for corner in CORNERS {
        player.click_at(corner);
    }
    let corner = "stone".to_owned();
    let size = [9, 1, 9];
    player.mirror.facts.tool.selection = Some(SelectionFacts { size, corner });
    let about = |it: &mut Sandbox| it.seen().about(MIDDLE, ABOUT);
    let plain = about(&mut player.sandbox);
    player.press("Walls");
    player.sandbox.wait("walls", |it| {
        (about(it).difference(&plain) > EDIT).then_some(())
    });
    // The row of moving comes before that of stacking.
    let at = player.mirror.places("up")[1];
    let low = about(&mut player.sandbox);
    player.click_at(at);
    let high = player.sandbox.wait("a storey", |it| {
        let seen = about(it);
        (seen.difference(&low) > EDIT).then_some(seen)
    });
    player.press("Undo");
    player.sandbox.wait("undo", |it| {
        (about(it).difference(&high) > EDIT).then_some(())
    });
}

fn choose_korean(player: &mut Player) {
    player.toggle(Panel::Graphics);
    let at = player.mirror.places(Language::English.name())[0];
    player.click_at(at);
    player.mirror.click(at);
    player.press(Language::Korean.name());
    player.wait_for_setting("language = \"korean\"");
    player.toggle(Panel::Graphics);
}

fn quit(mut player: Player) {
    player.press("Menu");
    let at = player
        .mirror
        .places(player.mirror.facts.language.say("Save and quit"))[0];
    player.wait_for("the menu", Rect::from_center_size(at, BUTTON), Cover::Panel);
    player.click_at(at);
    let status = player.sandbox.wait_for_end();
    assert_eq!(status.code(), Some(0), "{}", player.sandbox.errors());
    assert!(
        !player.sandbox.errors().contains("panicked"),
        "{}",
        player.sandbox.errors()
    );
}
