//! What can be asked of a run. The launcher checks it before anything is installed or built, `measure` does what it says.

mod arguments;

pub use arguments::{Arguments, Group};
