//! Refuses scenes that are well written but would fill the memory.

use nalgebra::Point3;

use super::error::{Fault, SceneError};
use super::ground::layer_bounds;
use super::script::{Script, Shape};
use crate::obj::ObjMesh;
use crate::tolerance::LONGEST_PIECE;

/// Most voxels between the farthest ones a layer names.
const MOST_VOXELS: usize = 16_000_000;
/// Most cells of the lattice that the sides of the boxes of a ground make.
const MOST_LATTICE_CELLS: usize = 4_000_000;
/// Most pieces that the triangles of a ground are cut into.
const MOST_PIECES: f64 = 1e6;

/// Checks every ground of a script.
pub(super) fn check_sizes(file: &str, script: &Script) -> Result<(), SceneError> {
    for (index, ground) in script.grounds.iter().enumerate() {
        let (count, limit, what) = match &ground.shape {
            Shape::Voxels(layer) => {
                let [min, max] = layer_bounds(script, index, layer);
                let count = (max - min)
                    .iter()
                    .fold(1_usize, |count, side| count.saturating_mul(*side as usize));
                (count, MOST_VOXELS, "voxels between the farthest of a layer")
            }
            Shape::Boxes(boxes) => (
                lattice_cells(boxes),
                MOST_LATTICE_CELLS,
                "cells between the sides of all boxes",
            ),
            Shape::Triangles(mesh) => (
                pieces(&mesh.triangles),
                MOST_PIECES as usize,
                "pieces of triangles",
            ),
        };
        if count > limit {
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
