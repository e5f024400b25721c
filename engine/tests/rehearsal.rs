//! The routing of input to panels and the app, without a window.

#![allow(clippy::unwrap_used)]

use std::time::Duration;

use collision::Position;
use engine::window::{App, Context, Pointer, Rehearsal};
use engine::{Camera, Frame, GpuOptions, GraphicsSettings, InputEvent};

const SIZE: [u32; 2] = [200, 100];
const PICTURE: Duration = Duration::from_millis(16);

/// A button in the corner. A click elsewhere captures the pointer, as in games, and Escape frees
/// it.
#[derive(Default)]
struct Probe {
    clicks: u32,
    pressed: Vec<String>,
    text: String,
}

impl App for Probe {
    fn input(&mut self, event: &InputEvent, context: &mut Context) {
        let InputEvent::Pressed(name) = event else {
            return;
        };
        self.pressed.push(name.clone());
        match name.as_str() {
            "MouseLeft" => context.set_pointer(Pointer::Captured),
            "Escape" => context.set_pointer(Pointer::Free),
            _ => {}
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, _: &mut Context) {
        egui::Area::new(egui::Id::unique("corner"))
            .fixed_pos([0.0, 0.0])
            .show(ui.ctx(), |ui| {
                let size = egui::vec2(80.0, 30.0);
                self.clicks += u32::from(ui.add_sized(size, egui::Button::new("Go")).clicked());
                ui.add_sized(size, egui::TextEdit::singleline(&mut self.text));
            });
    }

    fn update(&mut self, _: Duration, _: &mut Context) {}

    fn frame<'a>(&'a mut self, _: &'a Context) -> Frame<'a> {
        let camera = Camera::new(Position::default(), 0.0, 0.0);
        Frame::new(camera, GraphicsSettings::default())
    }

    fn quit(&mut self) -> Result<(), Box<dyn std::error::Error>> {
        Ok(())
    }
}

/// Places of the button, the field and nothing.
const BUTTON: [f32; 2] = [0.2, 0.15];
const FIELD: [f32; 2] = [0.2, 0.5];
const NOTHING: [f32; 2] = [0.8, 0.6];

fn begin() -> Rehearsal<Probe> {
    let mut stage = Rehearsal::open(Probe::default(), GpuOptions::Reference, SIZE).unwrap();
    draw(&mut stage);
    stage
}

fn draw(stage: &mut Rehearsal<Probe>) {
    for _ in 0..2 {
        assert_eq!(stage.picture(PICTURE).unwrap(), Vec::<String>::new());
    }
}

fn click(stage: &mut Rehearsal<Probe>, at: [f32; 2]) {
    stage.point(at);
    draw(stage);
    press(stage, "MouseLeft");
}

fn press(stage: &mut Rehearsal<Probe>, name: &str) {
    stage.input(&InputEvent::Pressed(name.to_owned()));
    draw(stage);
    stage.input(&InputEvent::Released(name.to_owned()));
    draw(stage);
}

#[test]
fn a_panel_is_clicked_after_the_pointer_was_captured_and_freed() {
    let mut stage = begin();
    click(&mut stage, NOTHING);
    assert_eq!(stage.context().pointer_mode(), Pointer::Captured);
    press(&mut stage, "Escape");
    click(&mut stage, BUTTON);
    assert_eq!(stage.app().clicks, 1);
    assert_eq!(stage.app().pressed, ["MouseLeft", "Escape"]);
}

#[test]
fn keys_reach_the_app_but_for_those_that_are_typed() {
    let mut stage = begin();
    for key in ["Tab", "KeyW"] {
        press(&mut stage, key);
    }
    click(&mut stage, FIELD);
    for key in ["KeyA", "Tab", "KeyB"] {
        press(&mut stage, key);
    }
    assert_eq!(stage.app().text, "a");
    assert_eq!(stage.app().pressed, ["Tab", "KeyW"]);
    click(&mut stage, NOTHING);
    press(&mut stage, "KeyC");
    assert_eq!(stage.app().pressed[2..], ["MouseLeft", "KeyC"]);
}

#[test]
fn no_area_and_sizes_of_one_pixel_are_drawn_or_left_out() {
    let mut stage = begin();
    for size in [[0, 0], [1, 1], [0, 50], [3, 900], SIZE] {
        stage.resize(size);
        draw(&mut stage);
    }
}
