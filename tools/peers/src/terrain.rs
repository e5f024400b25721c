//! The proving ground of our own figures, as plain bits for everybody.

use crate::ground::Ground;
use world::proving_ground::ProvingGround;

pub const SEED: u64 = 1;

/// 256 x 64 x 256 m in voxels of a metre, and open air above.
pub fn metre_ground(scene: &ProvingGround) -> Ground {
    Ground::new([256, 64, 256], 1.0, |cell| {
        let [x, y, z] = cell.map(|value| value as f32 + 0.5);
        scene.is_solid(x, y, z)
    })
}
