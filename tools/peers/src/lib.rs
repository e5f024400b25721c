//! The options of a run. The launcher checks them before it installs or builds anything, `measure`
//! carries them out.

mod arguments;

pub use arguments::{Arguments, Group};
