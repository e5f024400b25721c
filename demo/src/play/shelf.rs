//! The files on the shelf of blueprints, with their pictures.

use std::path::PathBuf;

use crate::blueprints;
use crate::error::Error;
use crate::ui::BlueprintFact;

/// Side of a picture, pixels.
pub(super) const PICTURE: usize = 96;

/// The files of the shelf and their pictures, which are drawn one by one while its panel is open.
#[derive(Default)]
pub(super) struct Shelf {
    /// False until the folder was looked at.
    pub(super) is_known: bool,
    pub(super) files: Vec<PathBuf>,
    pub(super) pictures: Vec<Vec<[u8; 4]>>,
    pub(super) facts: Vec<BlueprintFact>,
}

impl Shelf {
    /// Returns the facts of all files.
    pub(super) fn facts(&self) -> &[BlueprintFact] {
        &self.facts
    }

    /// Forgets everything, so that the folder is looked at anew.
    pub(super) fn forget(&mut self) {
        *self = Shelf::default();
    }

    /// Looks at the folder.
    pub(super) fn look(&mut self) -> Result<(), Error> {
        self.is_known = true;
        self.files = blueprints::list(&blueprints::folder()?)?;
        self.facts = self
            .files
            .iter()
            .map(|path| BlueprintFact::of(path))
            .collect();
        Ok(())
    }
}
