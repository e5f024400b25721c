//! The `.wgsl` files and the Rust structs shared with them. Does not depend on a GPU library.
//!
//! `passes/` holds one file for each pass; its `// parts:` line names the files of `parts/` that
//! are put before it. A test validates every pass and compares every shared struct with its twin in
//! [`shared_structs`].

mod blocks;
mod pass;

pub use blocks::{
    Base, Body, Brick, Cascade, FrameUniform, MaterialRow, Model, ModelVertex, OverlayVertex, Run,
    SharedStruct, WarBlur, shared_structs,
};
pub use pass::{Pass, SourceError, source_folder};
