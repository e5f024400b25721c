//! Names of players and lines of their talk: short texts without control characters, so that they
//! can be shown anywhere.

use std::fmt;

use simulation::coding::{Coded, ReadError, Reader};

/// The name of a player.
pub type Name = Words<24>;
/// A line of talk.
pub type Line = Words<200>;

/// A text of 1 to `MOST` bytes, without control characters and without space at its ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Words<const MOST: usize>(String);

impl Name {
    /// Returns the name of a player without one.
    pub fn guest() -> Self {
        Words("guest".to_owned())
    }
}

impl<const MOST: usize> Words<MOST> {
    /// Returns a text as far as it may be sent: control characters are left out, the rest is cut.
    /// `None` if nothing is left.
    pub fn of(text: &str) -> Option<Self> {
        let plain: String = text.chars().filter(|letter| !letter.is_control()).collect();
        let plain = plain.trim();
        let cut = plain[..plain.floor_char_boundary(MOST)].trim_end();
        (!cut.is_empty()).then(|| Words(cut.to_owned()))
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the text with a number behind it; a long one is cut.
    pub(crate) fn numbered(&self, number: u32) -> Self {
        let behind = format!(" {number}");
        let room = MOST.saturating_sub(behind.len());
        let cut = &self.0[..self.0.floor_char_boundary(room)];
        Words(cut.trim_end().to_owned() + &behind)
    }
}

impl<const MOST: usize> fmt::Display for Words<MOST> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.0)
    }
}

impl<const MOST: usize> Coded for Words<MOST> {
    fn write(&self, to: &mut Vec<u8>) {
        self.0.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        let text = String::read(from)?;
        let words = Words::of(&text).filter(|words| words.0 == text);
        words.ok_or(from.invalid("plain text"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn texts_are_cut_and_cleaned_and_unclean_ones_are_refused() {
        assert_eq!(Name::of(" Ann\u{1b}[2J\n ").unwrap().as_str(), "Ann[2J");
        assert_eq!(Name::of(&"ü".repeat(20)).unwrap().as_str(), "ü".repeat(12));
        for empty in ["", "  ", "\n\u{7}"] {
            assert_eq!(Name::of(empty), None);
        }
        for unclean in [" Ann", "Ann ", "An\nn", "", "1234567890123456789012345"] {
            let mut bytes = Vec::new();
            unclean.to_owned().write(&mut bytes);
            assert!(Name::read(&mut Reader::new(&bytes)).is_err(), "{unclean}");
        }
    }

    #[test]
    fn numbers_stand_behind_names_of_any_length() {
        let long = Name::of(&"x".repeat(40)).unwrap();
        let numbered = long.numbered(12);
        assert_eq!(numbered.as_str(), "x".repeat(21) + " 12");
        assert_eq!(Name::of(numbered.as_str()), Some(numbered));
    }
}
