//! Keeps the copy on the shelf, draws its pictures, takes a blueprint in hand or deletes it.

use std::path::Path;
use std::sync::Arc;

use simulation::Command;

use crate::blueprints;
use crate::ui::{Atlas, Panel, Skins, VoxelPicture, draw_voxels};

use super::app::Play;
use super::shelf::PICTURE;
use super::tools::Tool;

impl Play {
    /// Looks at the folder, or draws the picture of one more file.
    pub(super) fn fill_shelf(&mut self) {
        if !self.ui.is_open(Panel::Shelf) {
            // Other programs may change the folder.
            self.shelf.is_known = false;
            return;
        }
        if !self.shelf.is_known {
            self.shelf.forget();
            if let Err(error) = self.shelf.look() {
                self.ui.toasts.say(error.to_string());
            }
            return;
        }
        let Some(path) = self.shelf.files.get(self.shelf.pictures.len()) else {
            return;
        };
        let mut table = self.session.simulation.world.materials().clone();
        let picture = match blueprints::read(path, &mut table) {
            Ok(copy) => {
                let skins = Skins::of(&table);
                draw_voxels(copy.size(), |at| copy.get(at), &skins, PICTURE)
            }
            // Taking it in hand tells why.
            Err(_) => vec![[0; 4]; PICTURE * PICTURE],
        };
        self.shelf.pictures.push(picture);
        if self.shelf.pictures.len() == self.shelf.files.len() {
            let pictures = self.shelf.pictures.clone();
            let atlas = Arc::new(Atlas::of(pictures, PICTURE));
            for (number, fact) in self.shelf.facts.iter_mut().enumerate() {
                fact.picture = Some(VoxelPicture::of(&atlas, number));
            }
        }
    }

    /// Keeps the copy under a name.
    pub(super) fn keep_blueprint(&mut self, name: &str) {
        let simulation = &self.session.simulation;
        let Some(copy) = simulation.copied() else {
            return self.ui.toasts.say("Nothing is copied yet");
        };
        let kept = blueprints::folder()
            .and_then(|folder| blueprints::keep(&folder, name, copy, simulation.world.materials()));
        let words = match kept {
            Ok(_) => self.language().fill("{} is on the shelf", &[&name]),
            Err(error) => error.to_string(),
        };
        self.ui.toasts.say(words);
        self.shelf.forget();
    }

    /// Takes a file in hand, as if it had been copied.
    pub(super) fn take_blueprint(&mut self, path: &Path) {
        let mut table = self.session.simulation.world.materials().clone();
        match blueprints::read(path, &mut table) {
            Ok(copy) => {
                *self.session.simulation.world.materials_mut() = table;
                self.apply(Command::TakeInHand(Arc::new(copy)));
                self.hands.tool = Tool::Stamp;
            }
            Err(error) => self.ui.toasts.say(error.to_string()),
        }
    }

    /// Deletes a file.
    pub(super) fn delete_blueprint(&mut self, path: &Path) {
        let deleted = blueprints::folder().and_then(|folder| blueprints::delete(&folder, path));
        if let Err(error) = deleted {
            self.ui.toasts.say(error.to_string());
        }
        self.shelf.forget();
    }
}
