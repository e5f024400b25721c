//! The shelf of blueprints: keeps the copy under a name, lists what is kept with pictures, takes one
//! in hand, and deletes one.

use std::path::PathBuf;
use std::sync::Arc;

use crate::blueprints;
use crate::error::Error;
use crate::ui::{Atlas, BlueprintFact, Panel, Skins, VoxelPicture, draw_voxels};

use super::app::Play;
use super::tools::Tool;

/// Side of a picture, pixels.
const PICTURE: usize = 96;

/// The files of the shelf and their pictures, which are drawn one by one while its panel is open.
#[derive(Default)]
pub(super) struct Shelf {
    /// False until the folder was looked at.
    is_known: bool,
    files: Vec<PathBuf>,
    pictures: Vec<Vec<[u8; 4]>>,
    facts: Vec<BlueprintFact>,
}

impl Shelf {
    /// Returns the facts of all files.
    pub(super) fn facts(&self) -> &[BlueprintFact] {
        &self.facts
    }

    /// Forgets everything, so that the folder is looked at anew.
    fn forget(&mut self) {
        *self = Shelf::default();
    }

    fn look(&mut self) -> Result<(), Error> {
        self.is_known = true;
        self.files = blueprints::list(&blueprints::folder()?)?;
        self.facts = self.files.iter().map(BlueprintFact::of).collect();
        Ok(())
    }
}

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
    pub(super) fn take_blueprint(&mut self, path: &PathBuf) {
        let mut table = self.session.simulation.world.materials().clone();
        match blueprints::read(path, &mut table) {
            Ok(copy) => {
                *self.session.simulation.world.materials_mut() = table;
                self.session.simulation.take_in_hand(copy);
                self.hands.tool = Tool::Stamp;
            }
            Err(error) => self.ui.toasts.say(error.to_string()),
        }
    }

    /// Deletes a file.
    pub(super) fn delete_blueprint(&mut self, path: &PathBuf) {
        let deleted = blueprints::folder().and_then(|folder| blueprints::delete(&folder, path));
        if let Err(error) = deleted {
            self.ui.toasts.say(error.to_string());
        }
        self.shelf.forget();
    }
}
