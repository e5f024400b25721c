//! Bytes that an application keeps with the world.

use super::World;
use crate::save::{KeepError, check_kept, kept_change};

impl World {
    /// Keeps bytes with the world under a name, replacing earlier ones. They are saved in the
    /// background, like edits.
    pub fn keep_bytes(&mut self, name: &str, bytes: &[u8]) -> Result<(), KeepError> {
        check_kept(name, bytes)?;
        if self.kept_bytes(name) != Some(bytes) {
            let change = kept_change(name, Some(bytes));
            self.kept.insert(name.to_owned(), bytes.to_vec());
            self.note(|notebook| notebook.put_records([change]));
        }
        Ok(())
    }

    /// Returns the bytes kept under a name.
    pub fn kept_bytes(&self, name: &str) -> Option<&[u8]> {
        self.kept.get(name).map(Vec::as_slice)
    }

    /// Returns the names of kept bytes, in order.
    pub fn kept_names(&self) -> impl Iterator<Item = &str> {
        self.kept.keys().map(String::as_str)
    }

    /// Removes the bytes under a name. Returns false if there were none.
    pub fn forget_bytes(&mut self, name: &str) -> bool {
        let found = self.kept.remove(name).is_some();
        if found {
            let change = kept_change(name, None);
            self.note(|notebook| notebook.put_records([change]));
        }
        found
    }
}
