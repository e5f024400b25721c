//! Regression scenes: data files that describe terrain, the motion of characters, and the expected
//! results; with them the soak, which makes random moves and compares them with an oracle.
//!
//! A package of its own, so that programs that use [`collision`] link no scene file and no
//! interpreter. Scenes run on plain voxels; with the feature `world` also on a voxel world. That
//! feature holds the ground of the benchmarks, too.
//!
//! Reading order: [`script`] (the data of a scene), `parse` (the file format), `run` (the runner),
//! [`catalogue()`] (the list), [`soak()`].

mod cannon;
mod catalogue;
pub mod depth;
mod describe;
mod error;
mod expand;
mod expression;
mod ground;
mod measure;
mod meshes;
mod parse;
mod parse_expectation;
mod parse_parts;
#[cfg(feature = "world")]
mod proving_ground;
mod random;
mod run;
pub mod script;
mod sizes;
mod soak;
mod sweeps;
mod words;
#[cfg(feature = "world")]
mod world_ground;

pub use catalogue::{Kind, LONG_SCENE, Listed, catalogue, failing};
pub use error::{Fault, SceneError};
pub use ground::{Mobility, PlainVoxels, VoxelGround, VoxelLayer};
pub use measure::opposed;
pub use meshes::{WalkedMesh, interior, rough_ground};
pub use parse::{Scene, load};
#[cfg(feature = "world")]
pub use proving_ground::{HEIGHT, ProvingGround, WIDTH};
pub use random::Random;
pub use run::{Player, Trajectory, Verdict, VoxelMaker, run};
pub use soak::{SoakReport, soak, soak_crowds};
#[cfg(feature = "world")]
pub use world_ground::WorldGround;
