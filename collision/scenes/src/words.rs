//! The words of one statement, taken from the front and checked one by one.

use nalgebra::{Point3, Vector3};

use super::error::Fault;
use super::expand::Statement;
use collision::position::Cell;

/// Farthest a point of a scene may lie from the scene's origin, in metres.
const FARTHEST: f64 = 1e6;
/// Farthest a voxel may lie from the origin of its layer.
const FARTHEST_VOXEL: i32 = 1_000_000;

/// The remaining words of a statement.
pub(super) struct Words<'a> {
    pub(super) statement: &'a str,
    words: std::iter::Peekable<std::str::SplitWhitespace<'a>>,
}

impl<'a> Words<'a> {
    pub(super) fn of(statement: &'a Statement) -> Self {
        let mut words = statement.text.split_whitespace().peekable();
        Self {
            statement: words.next().unwrap_or(""),
            words,
        }
    }

    pub(super) fn word(&mut self, missing: &'static str) -> Result<&'a str, Fault> {
        self.words.next().ok_or_else(|| Fault::Missing {
            statement: self.statement.to_owned(),
            missing,
        })
    }

    pub(super) fn peek(&mut self) -> Option<&'a str> {
        self.words.peek().copied()
    }

    pub(super) fn take(&mut self, wanted: &str) -> bool {
        self.words.next_if(|word| *word == wanted).is_some()
    }

    pub(super) fn rest(&mut self) -> String {
        self.words.by_ref().collect::<Vec<_>>().join(" ")
    }

    pub(super) fn finish(&mut self) -> Result<(), Fault> {
        match self.words.next() {
            Some(word) => Err(Fault::LeftOver(word.to_owned())),
            None => Ok(()),
        }
    }

    pub(super) fn number(&mut self, wanted: &'static str) -> Result<f64, Fault> {
        let word = self.word(wanted)?;
        let value = word.parse().ok().filter(|value: &f64| value.is_finite());
        value.ok_or_else(|| Fault::Number {
            word: word.to_owned(),
            wanted,
        })
    }

    pub(super) fn number_in(
        &mut self,
        least: f64,
        most: f64,
        wanted: &'static str,
    ) -> Result<f64, Fault> {
        let word = self.peek().unwrap_or("").to_owned();
        let value = self.number(wanted)?;
        if (least..=most).contains(&value) {
            Ok(value)
        } else {
            Err(Fault::Number { word, wanted })
        }
    }

    pub(super) fn whole<T: TryFrom<i64>>(&mut self, wanted: &'static str) -> Result<T, Fault> {
        let word = self.word(wanted)?;
        let value = word
            .parse::<i64>()
            .ok()
            .and_then(|value| T::try_from(value).ok());
        value.ok_or_else(|| Fault::Number {
            word: word.to_owned(),
            wanted,
        })
    }

    pub(super) fn vector(&mut self) -> Result<Vector3<f64>, Fault> {
        let mut next = || self.number_in(-FARTHEST, FARTHEST, "a number between -10^6 and 10^6");
        Ok(Vector3::new(next()?, next()?, next()?))
    }

    pub(super) fn point(&mut self) -> Result<Point3<f64>, Fault> {
        self.vector().map(Point3::from)
    }

    pub(super) fn voxel(&mut self) -> Result<Cell, Fault> {
        let mut next = || {
            let word = self.peek().unwrap_or("").to_owned();
            let wanted = "a whole number between -10^6 and 10^6";
            let value: i32 = self.whole(wanted)?;
            if (-FARTHEST_VOXEL..=FARTHEST_VOXEL).contains(&value) {
                Ok(value)
            } else {
                Err(Fault::Number { word, wanted })
            }
        };
        Ok(Cell::new(next()?, next()?, next()?))
    }

    /// Reads two corners in any order, as the lowest and one past the highest voxel.
    pub(super) fn voxel_box(&mut self) -> Result<[Cell; 2], Fault> {
        let (a, b) = (self.voxel()?, self.voxel()?);
        Ok([a.inf(&b), a.sup(&b)])
    }

    pub(super) fn choose<T: Copy>(
        &mut self,
        table: &[(&str, T)],
        missing: &'static str,
        choices: &'static str,
    ) -> Result<T, Fault> {
        let word = self.word(missing)?;
        let found = table.iter().find(|(name, _)| *name == word);
        found.map(|(_, value)| *value).ok_or_else(|| Fault::Choice {
            word: word.to_owned(),
            choices,
        })
    }
}
