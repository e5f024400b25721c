//! Finds the target of the pointer, and previews the effect of the tool there.

use engine::window::{Context, Pointer};
use simulation::CannonShot;
use world::Ray;

use crate::settings::Power;
use crate::ui::Screen;

use super::aim::{Aim, REACH};
use super::app::Play;
use super::tools::Tool;

impl Play {
    /// Returns the ray through the pointer.
    pub(super) fn sight(&self) -> Ray {
        Ray {
            origin: self.camera().position,
            direction: self.aim.direction,
        }
    }

    /// Returns the shot that the cannon would fire now: at the target of the pointer, or in its
    /// direction.
    pub(super) fn shot(&self) -> CannonShot {
        let land = self.aim.pick.as_ref().map(|pick| pick.distance as f32);
        let distance = self.aim.prop.map(|hit| hit.distance).or(land);
        let eye = self.camera().position;
        let mark = eye.moved(self.aim.direction * distance.unwrap_or(REACH));
        let axle = self.session.simulation.axle();
        let way = mark.since(&axle);
        match self.settings.settings.cannon.power {
            Power::Distance => CannonShot::at_distance(way, way.norm()),
            Power::Hold => CannonShot::charged(way, self.aim.charge.unwrap_or(0.5)),
        }
    }

    /// Updates the ghost of the tool's effect.
    fn preview(&mut self) {
        self.aim.outline = None;
        if self.hands.tool == Tool::Stamp {
            return self.preview_stamp();
        }
        self.aim.stamped = None;
        if self.hands.tool == Tool::Props {
            self.aim.ghost.clear();
            return self.preview_prop();
        }
        if self.hands.tool == Tool::Select {
            return self.preview_box();
        }
        if self.preview_selection() {
            return;
        }
        let stroke = match self.hands.tool {
            Tool::Carve if self.aim.drag.is_some() => self.stroke_of_drag(),
            Tool::Carve => self.stroke_at_pointer(),
            _ => None,
        };
        self.aim.show_stroke(stroke);
        if let Some(stroke) = stroke {
            let symmetry = self.hands.symmetry;
            symmetry.extend_ghost(stroke.center, stroke.size, &mut self.aim.ghost);
        }
    }

    /// Finds the target of the pointer and previews the effect of the tool there.
    pub(super) fn point(&mut self, context: &Context) {
        if self.scene_viewer.open.is_some() {
            self.aim = Aim::default();
            return;
        }
        let camera = *self.camera();
        let middle = [0.5, 0.5];
        let at = match context.pointer_mode() {
            Pointer::Captured => middle,
            Pointer::Free => context.pointer.unwrap_or(middle),
        };
        let direction = camera.direction_through(at, context.aspect());
        self.aim.find(&self.session.simulation, &camera, direction);
        self.find_prop();
        let is_on_panel =
            context.pointer_mode() == Pointer::Free && context.egui.egui_wants_pointer_input();
        if is_on_panel || self.ui.screen != Screen::Game {
            self.aim.pick = None;
            self.aim.prop = None;
        }
        self.preview();
        self.aim.path.clear();
        self.aim.gun = None;
        if self.hands.tool == Tool::Cannon {
            let shot = self.shot();
            self.aim.gun = Some(self.session.simulation.gun(shot.direction));
            let path = &mut self.aim.path;
            self.session.simulation.preview_shot(&shot, path);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::time::Duration;

    use engine::InputEvent;

    use super::super::memory::{self, tests::Sandbox};
    use super::*;
    use crate::ui::Panel;

    /// Places in the picture: clear of all panels, and on the bar of panels beside its buttons.
    const LAND: [f32; 2] = [0.6, 0.55];
    const BAR: [f32; 2] = [0.725, 0.1];

    /// Opens the sandbox in a new world.
    fn open(name: &str) -> Sandbox {
        let name = format!("demo-{name}-{}.voxels", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_file(&path);
        let mut sandbox = memory::tests::open(&path, [640, 400]);
        picture(&mut sandbox);
        sandbox
    }

    fn picture(sandbox: &mut Sandbox) {
        sandbox.picture(Duration::from_millis(50)).unwrap();
    }

    fn press(sandbox: &mut Sandbox, keys: &[&str]) {
        for key in keys {
            sandbox.input(&InputEvent::Pressed((*key).to_owned()));
        }
        picture(sandbox);
        for key in keys {
            sandbox.input(&InputEvent::Released((*key).to_owned()));
        }
        picture(sandbox);
    }

    /// Points and clicks between two pictures.
    fn click(sandbox: &mut Sandbox, at: [f32; 2]) {
        sandbox.point(at);
        press(sandbox, &["MouseLeft"]);
    }

    fn end(sandbox: Sandbox) {
        let path = sandbox.app().session.path.clone().unwrap();
        sandbox.close().unwrap();
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_side_button_frees_the_pointer_and_the_menu_stays_under_clicks() {
        let mut sandbox = open("menu");
        click(&mut sandbox, LAND);
        assert_eq!(sandbox.context().pointer_mode(), Pointer::Captured);
        press(&mut sandbox, &["MouseBack"]);
        assert_eq!(sandbox.context().pointer_mode(), Pointer::Free);
        assert_eq!(sandbox.app().ui.screen, Screen::Menu);
        assert!(sandbox.app().aim.ghost().is_empty(), "nothing is previewed");
        click(&mut sandbox, LAND);
        assert_eq!(sandbox.app().ui.screen, Screen::Menu);
        press(&mut sandbox, &["MouseBack"]);
        assert_eq!(sandbox.app().ui.screen, Screen::Game);
        // Panels beside a captured pointer come within reach first.
        press(&mut sandbox, &["F6"]);
        click(&mut sandbox, LAND);
        assert_eq!(sandbox.context().pointer_mode(), Pointer::Captured);
        press(&mut sandbox, &["MouseBack"]);
        assert_eq!(sandbox.context().pointer_mode(), Pointer::Free);
        assert!(sandbox.app().ui.is_open(Panel::Characters));
        press(&mut sandbox, &["MouseBack"]);
        assert!(!sandbox.app().ui.any_open());
        end(sandbox);
    }

    #[test]
    fn letters_beside_a_panel_are_no_commands_and_the_open_world_is_named_so() {
        let mut sandbox = open("typing");
        press(&mut sandbox, &["F5"]);
        let travel = |sandbox: &Sandbox| sandbox.app().session.simulation.travel();
        let before = travel(&sandbox);
        press(&mut sandbox, &["KeyF"]);
        assert_eq!(travel(&sandbox), before);
        press(&mut sandbox, &["F5"]);
        press(&mut sandbox, &["KeyF"]);
        assert_ne!(travel(&sandbox), before);
        let path = sandbox.app().session.path.clone().unwrap();
        sandbox.input(&InputEvent::FileDropped(path));
        picture(&mut sandbox);
        let is_told = {
            let mut told = sandbox.app().ui.toasts.words();
            told.any(|words| words == "This world is open already")
        };
        assert!(is_told);
        end(sandbox);
    }

    #[test]
    fn the_free_pointer_works_beside_the_bench_and_not_through_panels() {
        let mut sandbox = open("bench");
        press(&mut sandbox, &["MouseBack"]);
        press(&mut sandbox, &["ControlLeft", "KeyB"]);
        assert_eq!(sandbox.app().ui.screen, Screen::Game, "it closes the menu");
        let strokes = |sandbox: &Sandbox| sandbox.app().session.simulation.strokes_done();
        click(&mut sandbox, LAND);
        assert_eq!(sandbox.context().pointer_mode(), Pointer::Free);
        let dug = strokes(&sandbox);
        assert!(dug > 0, "it dug");
        // A click on the bar that comes before the next picture.
        click(&mut sandbox, BAR);
        assert_eq!(strokes(&sandbox), dug);
        press(&mut sandbox, &["ControlLeft", "KeyB"]);
        click(&mut sandbox, BAR);
        assert_eq!(sandbox.context().pointer_mode(), Pointer::Free);
        click(&mut sandbox, LAND);
        assert_eq!(sandbox.context().pointer_mode(), Pointer::Captured);
        assert_eq!(strokes(&sandbox), dug, "a click only takes the pointer");
        end(sandbox);
    }
}
