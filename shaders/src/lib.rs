//! The `.wgsl` files and the Rust structs they share memory with. No GPU is named here.
//!
//! `passes/` holds one file a pass; its `// parts:` line names the files of `parts/` that stand before it. A test validates every
//! pass and compares every shared struct with its twin in [`shared_structs`].

mod blocks;
mod pass;

pub use blocks::{
    Base, Body, Brick, Cascade, FrameUniform, MaterialRow, Model, ModelVertex, OverlayVertex, Run,
    SharedStruct, WarBlur, shared_structs,
};
pub use pass::{Pass, SourceError, source_folder};
