//! What can be wrong with a scene file, said by file and line together with what to do.

use thiserror::Error;

use crate::obj::ObjError;

/// A fault of a scene file.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{file}:{line}: {fault}")]
pub struct SceneError {
    /// The name the text was loaded under.
    pub file: String,
    /// Counted from one; 0 where the whole file is meant.
    pub line: usize,
    /// What is wrong, and what to do.
    pub fault: Fault,
}

/// The ways a scene file can be wrong.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Fault {
    /// The first word of a line is none we know.
    #[error("`{0}` is no statement: the statements are listed in collision/scenes/README.md")]
    UnknownStatement(String),
    /// A statement ended too early.
    #[error("`{statement}` lacks {missing}")]
    Missing {
        /// The first word of the line.
        statement: String,
        /// What should have come next.
        missing: &'static str,
    },
    /// Words are left over at the end of a line.
    #[error("`{0}` is left over at the end of the line: remove it")]
    LeftOver(String),
    /// A word that should be a number in range.
    #[error("`{word}` is not {wanted}")]
    Number {
        /// What stands there.
        word: String,
        /// What was wanted, with its range.
        wanted: &'static str,
    },
    /// A word that should be one of a few.
    #[error("`{word}` is none of: {choices}")]
    Choice {
        /// What stands there.
        word: String,
        /// What could stand there.
        choices: &'static str,
    },
    /// A name that nothing bears.
    #[error("nothing above is called `{0}`: declare it before it is used")]
    UnknownName(String),
    /// A name that is taken.
    #[error("`{0}` is taken: give this one another name")]
    NameTaken(String),
    /// A statement that needs another before it.
    #[error("`{statement}` belongs under {under}: write that first")]
    OutOfPlace {
        /// The first word of the line.
        statement: String,
        /// Where it may stand.
        under: &'static str,
    },
    /// A tick that the scene does not reach.
    #[error("tick {tick} is past the end: the scene has {ticks} ticks, the first is 0")]
    PastEnd {
        /// The tick.
        tick: u32,
        /// How many the scene has.
        ticks: u32,
    },
    /// A range of ticks that ends before it begins.
    #[error("the ticks from {from} to {to} run backwards: write the earlier one first")]
    Backwards {
        /// The first tick.
        from: u32,
        /// One past the last.
        to: u32,
    },
    /// A `{…}` that is no expression.
    #[error("`{{{text}}}` is no expression: {why}")]
    Expression {
        /// The text between the braces.
        text: String,
        /// What the reader of it did not like.
        why: String,
    },
    /// `repeat`, `layer` or `obj` without its `end`.
    #[error("`{0}` has no `end`")]
    NoEnd(&'static str),
    /// `end` without a block.
    #[error("`end` closes nothing: remove it")]
    StrayEnd,
    /// A line that nothing leaves in the file.
    #[error("the file has no `{0}` line: add one")]
    NoStatement(&'static str),
    /// Something grew past its limit.
    #[error("more than {limit} {what}: make the scene smaller")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How many are allowed.
        limit: usize,
    },
    /// The text of an `obj` block is faulty.
    #[error("in the `obj` block, {0}")]
    Obj(#[from] ObjError),
}

impl Fault {
    pub(super) fn at(self, file: &str, line: usize) -> SceneError {
        SceneError {
            file: file.to_owned(),
            line,
            fault: self,
        }
    }
}
