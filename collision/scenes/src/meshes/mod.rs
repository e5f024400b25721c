//! Meshes made by code, to walk on, for tests and figures of triangles.
//!
//! They are made by sums, products and quotients alone, which give the same numbers on every
//! platform.

mod interior;
mod rough;

pub use interior::interior;
pub use rough::rough_ground;

use collision::obj::ObjMesh;
use nalgebra::{Point3, Vector3};

/// A mesh and places to begin at.
#[derive(Clone, Debug)]
pub struct WalkedMesh {
    /// Its triangles, their fronts outside of what is solid.
    pub mesh: ObjMesh,
    /// Places for the centre of a body of the usual size, free and not far above the ground.
    pub starts: Vec<Point3<f64>>,
}

/// A level turn about an upright axis.
#[derive(Clone, Copy, Debug)]
struct Turn {
    /// The direction of the turned x axis, one long.
    along: [f64; 2],
}

impl Turn {
    const NONE: Self = Self { along: [1.0, 0.0] };

    /// Makes a turn from the tangent of half its angle.
    fn of(half: f64) -> Self {
        let scale = 1.0 / (1.0 + half * half);
        Self {
            along: [(1.0 - half * half) * scale, 2.0 * half * scale],
        }
    }

    fn apply(&self, [x, z]: [f64; 2]) -> [f64; 2] {
        let [c, s] = self.along;
        [c * x - s * z, s * x + c * z]
    }
}

/// Adds a closed box, given from a centre on the ground about which it is turned.
fn add_box(
    mesh: &mut ObjMesh,
    centre: Point3<f64>,
    turn: Turn,
    low: Vector3<f64>,
    high: Vector3<f64>,
) {
    let first = mesh.points.len() as u32;
    for corner in 0..8_usize {
        let end = |axis: usize| [low, high][corner >> axis & 1][axis];
        let [x, z] = turn.apply([end(0), end(2)]);
        mesh.points.push(centre + Vector3::new(x, end(1), z));
    }
    // Counter-clockwise seen from outside; bit 0 of a corner is x, bit 1 y, bit 2 z.
    for [a, b, c, d] in [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ] {
        for corners in [[a, b, c], [a, c, d]] {
            mesh.triangles.push(corners.map(|corner| first + corner));
        }
    }
}

/// Adds an upright prism over a regular polygon.
fn add_column(mesh: &mut ObjMesh, foot: Point3<f64>, radius: f64, height: f64, corners: u32) {
    let first = mesh.points.len() as u32;
    for corner in 0..corners {
        // Quarter by quarter: the tangent of the half angle goes from 0 to 1.
        let (quarter, share) = (4 * corner / corners, f64::from(4 * corner % corners));
        let turn = Turn::of(share / f64::from(corners));
        let mut out = turn.along.map(|part| part * radius);
        for _ in 0..quarter {
            out = [-out[1], out[0]];
        }
        for y in [0.0, height] {
            mesh.points.push(foot + Vector3::new(out[0], y, out[1]));
        }
    }
    let point = |corner: u32, top: u32| first + 2 * (corner % corners) + top;
    for corner in 0..corners {
        let [a, b] = [corner, corner + 1];
        mesh.triangles.push([point(a, 0), point(a, 1), point(b, 1)]);
        mesh.triangles.push([point(a, 0), point(b, 1), point(b, 0)]);
        if corner > 0 && corner + 1 < corners {
            mesh.triangles.push([point(0, 1), point(b, 1), point(a, 1)]);
            mesh.triangles.push([point(0, 0), point(a, 0), point(b, 0)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns six times the volume that a mesh encloses; negative if its fronts face inside.
    fn volume(mesh: &ObjMesh) -> f64 {
        let each = (0..mesh.triangles.len()).map(|triangle| {
            let [a, b, c] = mesh.corners(triangle).map(|corner| corner.coords);
            a.dot(&b.cross(&c))
        });
        each.sum()
    }

    #[test]
    fn boxes_and_columns_are_closed_and_face_outwards() {
        let mut mesh = ObjMesh::default();
        let centre = Point3::new(7.0, 2.0, -3.0);
        let (low, high) = (Vector3::new(-1.0, 0.0, -2.0), Vector3::new(1.0, 3.0, 2.0));
        add_box(&mut mesh, centre, Turn::of(0.3), low, high);
        assert!((volume(&mesh) / 6.0 - 24.0).abs() < 1e-9);
        let mut mesh = ObjMesh::default();
        add_column(&mut mesh, centre, 0.5, 2.0, 12);
        let circle = 0.25 * std::f64::consts::PI * 2.0;
        assert!((0.9..1.0).contains(&(volume(&mesh) / 6.0 / circle)));
    }
}
