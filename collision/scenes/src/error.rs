//! The faults of a scene file, each with file, line and remedy.

use thiserror::Error;

use collision::obj::ObjError;

/// A fault of a scene file.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{file}:{line}: {fault}")]
pub struct SceneError {
    /// The name the text was loaded under.
    pub file: String,
    /// The line, counted from one; 0 for the whole file.
    pub line: usize,
    /// The fault and its remedy.
    pub fault: Fault,
}

/// The kinds of faults of a scene file.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Fault {
    /// The first word of a line is not a statement.
    #[error("unknown statement `{0}`: the statements are listed in collision/scenes/README.md")]
    UnknownStatement(String),
    /// A statement ended too early.
    #[error("`{statement}` lacks {missing}")]
    Missing {
        /// The first word of the line.
        statement: String,
        /// The part that should have come next.
        missing: &'static str,
    },
    /// Words are left over at the end of a line.
    #[error("unexpected `{0}` at the end of the line: remove it")]
    LeftOver(String),
    /// A word that should be a number in range.
    #[error("`{word}` is not {wanted}")]
    Number {
        /// The word in the file.
        word: String,
        /// The expected number, with its range.
        wanted: &'static str,
    },
    /// A word that should be one of a few.
    #[error("expected one of {choices}, found `{word}`")]
    Choice {
        /// The word in the file.
        word: String,
        /// The possible words.
        choices: &'static str,
    },
    /// A name that no statement above declares.
    #[error("unknown name `{0}`: declare it before it is used")]
    UnknownName(String),
    /// A name that is already in use.
    #[error("the name `{0}` is already in use: choose another")]
    NameTaken(String),
    /// A statement that needs another before it.
    #[error("`{statement}` belongs under {under}: write that first")]
    OutOfPlace {
        /// The first word of the line.
        statement: String,
        /// The statement that it belongs under.
        under: &'static str,
    },
    /// A tick that the scene does not reach.
    #[error("tick {tick} is past the end: the scene has {ticks} ticks, the first is 0")]
    PastEnd {
        /// The tick.
        tick: u32,
        /// The ticks of the scene.
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
    #[error("invalid expression `{{{text}}}`: {why}")]
    Expression {
        /// The text between the braces.
        text: String,
        /// The reason.
        why: String,
    },
    /// `repeat`, `layer` or `obj` without its `end`.
    #[error("`{0}` has no `end`")]
    NoEnd(&'static str),
    /// `end` without a block.
    #[error("`end` without a block: remove it")]
    StrayEnd,
    /// The file lacks a required line.
    #[error("the file has no `{0}` line: add one")]
    NoStatement(&'static str),
    /// A count above its limit.
    #[error("more than {limit} {what}: make the scene smaller")]
    TooMany {
        /// The items that are too many.
        what: &'static str,
        /// The limit.
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
