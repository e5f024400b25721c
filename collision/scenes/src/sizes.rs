//! Refuses scenes that are valid but would fill the memory.

use nalgebra::Point3;

use super::error::{Fault, SceneError};
use super::ground::layer_bounds;
use super::script::{Script, Shape};
use collision::obj::ObjMesh;
use collision::tolerance::{LONGEST_PIECE, MOST_LATTICE_CELLS};

/// Most voxels in the bounds of the layers together.
const MOST_VOXELS: usize = 16_000_000;
/// Most pieces that the triangles of the grounds are cut into.
const MOST_PIECES: f64 = 1e6;

/// Checks the grounds of a script, summed by kind.
pub(super) fn check_sizes(file: &str, script: &Script) -> Result<(), SceneError> {
    let mut counts = [0_usize; 3];
    for (index, ground) in script.grounds.iter().enumerate() {
        let (kind, count, limit, what) = match &ground.shape {
            Shape::Voxels(layer) => {
                let [min, max] = layer_bounds(script, index, layer);
                let count = (max - min)
                    .iter()
                    .fold(1_usize, |count, side| count.saturating_mul(*side as usize));
                (
                    0,
                    count,
                    MOST_VOXELS,
                    "voxels between the farthest of the layers",
                )
            }
            Shape::Boxes(boxes) => (
                1,
                lattice_cells(boxes),
                MOST_LATTICE_CELLS,
                "cells between the sides of all boxes",
            ),
            Shape::Triangles(mesh) => (
                2,
                pieces(&mesh.triangles),
                MOST_PIECES as usize,
                "pieces of triangles",
            ),
        };
        counts[kind] = counts[kind].saturating_add(count);
        if counts[kind] > limit {
            return Err(Fault::TooMany { what, limit }.at(file, 0));
        }
    }
    Ok(())
}

fn lattice_cells(boxes: &[[Point3<f64>; 2]]) -> usize {
    let lines = |axis: usize| {
        let mut lines: Vec<f64> = boxes.iter().flatten().map(|corner| corner[axis]).collect();
        lines.sort_by(f64::total_cmp);
        lines.dedup();
        lines.len()
    };
    (0..3).fold(1, |count: usize, axis| count.saturating_mul(lines(axis)))
}

fn pieces(mesh: &ObjMesh) -> usize {
    let of_one = |triangle: usize| {
        let [a, b, c] = mesh.corners(triangle);
        let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
        let rows = (longest / LONGEST_PIECE).ceil().max(1.0);
        2.0 * rows * rows
    };
    let total: f64 = (0..mesh.triangles.len()).map(of_one).sum();
    total.min(1e12) as usize
}

#[cfg(test)]
mod tests {
    use crate::{Fault, load};

    #[test]
    fn many_grounds_count_together() {
        let grounds = |count: usize| {
            format!(
                "scene x\nticks 1\nrepeat i 0 {count}\nvoxels 1 g{{i}}\n\
                 fill 0 0 0 200 200 200\nend\n\
                 character a 0 300 0\nexpect a y finally at-least 0\n"
            )
        };
        assert!(load("x", &grounds(2)).is_ok());
        let fault = load("x", &grounds(400)).map_err(|error| error.fault);
        assert!(matches!(fault, Err(Fault::TooMany { .. })));
    }
}
