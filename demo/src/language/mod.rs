//! The languages of the interface.
//!
//! A text is written in English where it is used, and is the key of its translations. Errors of
//! files and devices, names that players give, and regression scenes are not translated.

mod korean;
mod korean_values;
#[cfg(test)]
mod shown;
#[cfg(test)]
mod table;

use std::fmt::{Display, Write};

use serde::{Deserialize, Serialize};

/// A language of the interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Language {
    /// English, the language of the source.
    #[default]
    English,
    /// Korean.
    Korean,
}

/// The variables that name the locale of messages, the strongest first, as POSIX has them.
const VARIABLES: [&str; 3] = ["LC_ALL", "LC_MESSAGES", "LANG"];

impl Language {
    /// Every language.
    pub const ALL: [Self; 2] = [Language::English, Language::Korean];

    /// Returns its name in the language itself.
    pub fn name(self) -> &'static str {
        match self {
            Language::English => "English",
            Language::Korean => "한국어",
        }
    }

    /// Returns the language of the environment; English if there is no table for it.
    pub fn of_environment() -> Self {
        let values = VARIABLES.map(|name| std::env::var(name).unwrap_or_default());
        Language::of_locale(values.each_ref().map(String::as_str))
    }

    /// Returns the language of the first locale that is not empty, such as `ko_KR.UTF-8`.
    fn of_locale(values: [&str; 3]) -> Self {
        let locale = values.into_iter().find(|value| !value.is_empty());
        let language = locale
            .unwrap_or_default()
            .split(['_', '.', '@', '-'])
            .next();
        match language {
            Some("ko") => Language::Korean,
            _ => Language::English,
        }
    }

    /// Returns a text in this language; the English one if it has no translation.
    pub fn say(self, english: &str) -> &str {
        match self {
            Language::English => english,
            Language::Korean => {
                let table = if english.contains('{') {
                    korean_values::TABLE
                } else {
                    korean::TABLE
                };
                let found = table.binary_search_by(|(key, _)| (*key).cmp(english));
                found.map_or(english, |index| table[index].1)
            }
        }
    }

    /// Returns a text in this language with values in the places of `{}`. A translation in
    /// another order has the numbers of the values, `{1}` before `{0}`.
    pub fn fill(self, english: &str, values: &[&dyn Display]) -> String {
        let mut filled = String::new();
        let mut rest = self.say(english);
        let mut next = values.iter();
        while let Some((before, place, after)) = split_at_place(rest) {
            filled.push_str(before);
            let value = match place.parse::<usize>() {
                Ok(number) => values.get(number),
                Err(_) => next.next(),
            };
            if let Some(value) = value {
                // Writing to a string does not fail.
                let _ = write!(filled, "{value}");
            }
            rest = after;
        }
        filled + rest
    }
}

/// Splits a template at its first `{…}`: the text before, the text between, the text after.
fn split_at_place(template: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = template.split_once('{')?;
    let (place, after) = rest.split_once('}')?;
    Some((before, place, after))
}
