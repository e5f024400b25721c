//! Checks of arbitrary bytes. Each module is one target: its function `check` builds hostile input
//! from bytes, and panics where the libraries break a promise.
//!
//! The fuzzer in `tools/fuzz` calls them with the bytes it invents; the tests call them in a short
//! [`campaign`], which damages the target's own [`Target::seeds`] and is the same in every run.
//!
//! Every check judges: no panic, bounded work, typed errors, finite results. It compares with a
//! simpler method if there is one.
//!
//! Reading order: [`bytes`] (numbers from bytes), [`campaign`], then the targets.

pub mod bytes;
pub mod campaign;
pub mod crowds;
pub mod files;
pub mod gather;
pub mod merge;
pub mod obj;
pub mod packets;
pub mod records;
pub mod saved;
pub mod scenes;
pub mod slides;
pub mod snapshots;
pub mod sweeps;
pub mod tree;
pub mod vox;

/// A body, and bytes to begin with.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name: that of the module, and of the fuzz target.
    pub name: &'static str,
    /// Panics where the bytes break a promise.
    pub check: fn(&[u8]),
    /// Makes the bytes that a campaign damages.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// The most bytes that the fuzzer should try.
    pub longest: usize,
}

/// Lists all targets.
pub const TARGETS: [Target; 13] = [
    crowds::TARGET,
    files::TARGET,
    gather::TARGET,
    merge::TARGET,
    obj::TARGET,
    packets::TARGET,
    records::TARGET,
    scenes::TARGET,
    slides::TARGET,
    snapshots::TARGET,
    sweeps::TARGET,
    tree::TARGET,
    vox::TARGET,
];
