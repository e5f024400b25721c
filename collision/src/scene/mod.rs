//! Regression scenes: data files that say what terrain there is, who moves how, and what must hold.
//!
//! Reading order: [`script`] (what a scene consists of), `parse` (the file format), `run` (how it is carried out).

mod error;
mod expand;
mod expression;
mod parse;
mod parse_expectation;
mod random;
pub mod script;
mod words;

pub use error::{Fault, SceneError};
pub use parse::{Scene, load};
pub use random::Random;
