//! Finds the target of the pointer, and previews the effect of the tool there.

use engine::window::{Context, Pointer};
use world::Ray;

use crate::settings::Power;
use crate::simulation::CannonShot;

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
        if context.pointer_mode() == Pointer::Free && context.egui.egui_wants_pointer_input() {
            // The pointer is on a panel.
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
