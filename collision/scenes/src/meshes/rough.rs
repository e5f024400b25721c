//! Open ground of small triangles.

use super::WalkedMesh;
use crate::Random;
use crate::random::share_at;
use collision::obj::ObjMesh;
use collision::position::Cell;
use nalgebra::Point3;

/// Squares along each side, of two triangles each.
const SQUARES: u32 = 200;
/// Side of a square, in metres.
const SQUARE: f64 = 0.5;
/// Places to begin at, and how far they are from the rim, in metres.
const STARTS: usize = 400;
const RIM: f64 = 10.0;

/// Makes 100 x 100 m of hills and bumps in 80,000 triangles.
#[must_use]
pub fn rough_ground() -> WalkedMesh {
    let mut mesh = ObjMesh::default();
    let side = SQUARES + 1;
    for x in 0..side {
        for z in 0..side {
            let [x, z] = [x, z].map(|at| f64::from(at) * SQUARE);
            mesh.points.push(Point3::new(x, height(x, z), z));
        }
    }
    for x in 0..SQUARES {
        for z in 0..SQUARES {
            let at = |x: u32, z: u32| x * side + z;
            let [a, b, c, d] = [at(x, z), at(x, z + 1), at(x + 1, z + 1), at(x + 1, z)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    let mut random = Random::new(5);
    let far = f64::from(SQUARES) * SQUARE - RIM;
    let starts = (0..STARTS).map(|_| {
        let (x, z) = (random.between(RIM, far), random.between(RIM, far));
        Point3::new(x, height(x, z) + 1.5, z)
    });
    let starts = starts.collect();
    WalkedMesh { mesh, starts }
}

/// Hills of 3 m and bumps of 25 cm.
fn height(x: f64, z: f64) -> f64 {
    3.0 * noise(1, x / 12.0, z / 12.0) + 0.25 * noise(2, x / 0.8, z / 0.8)
}

/// Returns smooth noise between -1 and 1 over a lattice.
fn noise(seed: u64, x: f64, z: f64) -> f64 {
    let low = [x, z].map(f64::floor);
    let ease = |t: f64| t * t * (3.0 - 2.0 * t);
    let [u, v] = [ease(x - low[0]), ease(z - low[1])];
    let at = |dx: i32, dz: i32| {
        2.0 * share_at(seed, Cell::new(low[0] as i32 + dx, 0, low[1] as i32 + dz)) - 1.0
    };
    let near = at(0, 0) * (1.0 - u) + at(1, 0) * u;
    let far = at(0, 1) * (1.0 - u) + at(1, 1) * u;
    near * (1.0 - v) + far * v
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ground_is_as_large_as_it_says() {
        let WalkedMesh { mesh, starts } = rough_ground();
        assert_eq!((mesh.triangles.len(), starts.len()), (80_000, STARTS));
    }
}
