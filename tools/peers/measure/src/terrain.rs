//! The proving ground of our own figures, as plain bits for all peers.

use crate::ground::Ground;
use collision_scenes::{HEIGHT, ProvingGround, WIDTH};

pub const SEED: u64 = 1;

/// Makes 256 x 64 x 256 m with open air above. The voxel size must divide a metre.
pub fn ground(scene: &ProvingGround, voxel: f32) -> Ground {
    let size = [WIDTH, HEIGHT, WIDTH].map(|metres| (metres as f32 / voxel) as usize);
    Ground::new(size, voxel, |cell| {
        let [x, y, z] = cell.map(|value| (value as f32 + 0.5) * voxel);
        scene.is_solid(x, y, z)
    })
}
