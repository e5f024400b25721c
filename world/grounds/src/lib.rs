//! The worlds that tests, benchmarks and the sandbox share: the ground of the benchmarks, and the
//! grounds of the regression scenes. Applications do not need them.

mod proving;
mod scene;

pub use proving::{HEIGHT, ProvingGround, WIDTH};
pub use scene::SceneGround;
