//! Regression scenes: data files that describe terrain, the motion of characters, and the expected
//! results.
//!
//! Reading order: [`script`] (the data of a scene), `parse` (the file format), `run` (the runner).

mod cannon;
mod catalogue;
mod depth;
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
mod random;
mod run;
pub mod script;
mod sizes;
mod soak;
mod sweeps;
mod words;

pub use catalogue::{Kind, Listed, catalogue};
pub use error::{Fault, SceneError};
pub use ground::{Mobility, PlainVoxels, VoxelGround, VoxelLayer};
pub use measure::opposed;
pub use meshes::{WalkedMesh, interior, rough_ground};
pub use parse::{Scene, load};
pub use random::Random;
pub use run::{Player, Trajectory, Verdict, VoxelMaker, run};
pub use soak::{SoakReport, soak, soak_crowds};
