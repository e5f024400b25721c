//! Draws strokes with their mirror images, and moves the planes of symmetry.

use simulation::{Command, Stroke};
use world::Ray;

use super::aim::REACH;
use super::app::Play;

impl Play {
    /// Draws a stroke and its mirror images, as one step of undo.
    pub(super) fn draw_stroke(&mut self, stroke: Stroke) {
        for image in self.hands.symmetry.images(&stroke) {
            self.apply(Command::Edit(image));
        }
    }

    /// Puts planes up or away; the first one goes through what the eye looks at.
    pub(super) fn set_symmetry(&mut self, across: [bool; 2]) {
        if !self.hands.symmetry.is_on() {
            self.move_symmetry();
        }
        self.hands.symmetry.across = across;
    }

    /// Moves the planes to what the eye looks at, or to the player.
    pub(super) fn move_symmetry(&mut self) {
        let camera = self.camera();
        let ray = Ray {
            origin: camera.position,
            direction: camera.forward(),
        };
        let simulation = &self.session.simulation;
        let pick = simulation.world.cast_ray(&ray, REACH);
        let pick = pick.filter(|pick| pick.object.is_none());
        let cell = pick.map_or(simulation.player_position().cell, |pick| pick.voxel);
        self.hands.symmetry.about = cell.into();
    }
}
