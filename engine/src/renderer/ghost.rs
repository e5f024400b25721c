//! The preview of an edit: the outer faces of its cells, as an overlay.

use collision::{Cell, Position};
use nalgebra::Vector3;

use crate::{Color, Ghost, GhostKind, Overlay, Visibility};

/// Cells along the box that a ghost may fill.
const SIDE: i32 = 96;
/// Distance of the faces from the cells, in metres.
const STAND_OFF: f32 = 0.012;

/// Distance from the eye up to which faces are hardly seen, and from which on they are as usual, in
/// metres: nearer ones would cover the picture.
const NEAR: f32 = 1.5;
const CLEAR: f32 = 7.0;
/// Share of the colour that near faces keep.
const LEAST: f32 = 0.12;

/// Converts ghosts into overlays, reusing its memory.
pub(crate) struct GhostMesh {
    pub(crate) overlay: Overlay,
    bits: Vec<u64>,
}

impl GhostMesh {
    pub(crate) fn new() -> Self {
        Self {
            overlay: Overlay::new(Visibility::Occluded),
            bits: Vec::new(),
        }
    }

    /// Shows a ghost, or nothing.
    pub(crate) fn update(&mut self, ghost: Option<&Ghost<'_>>, camera: &Position) {
        self.overlay.clear(camera.cell);
        let Some((first, ghost)) =
            ghost.and_then(|ghost| ghost.cells.first().map(|first| (*first, ghost)))
        else {
            return;
        };
        let corner = first.map(|c| c.wrapping_sub(SIDE / 2));
        self.mark(ghost.cells, corner);
        let (fill, edge) = colors(ghost.kind);
        let base = corner.zip_map(&camera.cell, |a, b| a.wrapping_sub(b) as f32);
        let eye = camera.offset - base;
        for cell in ghost.cells {
            let local = local_cell(*cell, corner);
            if self.has(local) {
                let share = share_at((local.cast::<f32>().add_scalar(0.5) - eye).norm());
                let [fill, edge] = [fill, edge].map(|color| faded(color, share));
                self.add_faces(local, base, fill, edge);
            }
        }
    }

    fn mark(&mut self, cells: &[Cell], corner: Cell) {
        self.bits.clear();
        self.bits.resize((SIDE * SIDE * SIDE) as usize / 64, 0);
        for cell in cells {
            if let Some(index) = index_of(local_cell(*cell, corner)) {
                self.bits[index / 64] |= 1 << (index % 64);
            }
        }
    }

    fn has(&self, local: Cell) -> bool {
        index_of(local).is_some_and(|index| self.bits[index / 64] >> (index % 64) & 1 == 1)
    }

    /// Adds faces without a neighbour, and their edges where the adjacent face is not flush.
    fn add_faces(&mut self, local: Cell, base: Vector3<f32>, fill: Color, edge: Color) {
        for axis in 0..3 {
            for side in [-1, 1] {
                let step = unit(axis) * side;
                if self.has(local + step) {
                    continue;
                }
                let middle = base
                    + local.cast::<f32>()
                    + Vector3::repeat(0.5)
                    + step.cast() * (0.5 + STAND_OFF);
                let (u, v) = (unit((axis + 1) % 3), unit((axis + 2) % 3));
                let (half_u, half_v) = (u.cast::<f32>() * 0.5, v.cast::<f32>() * 0.5);
                self.overlay.local_quad(
                    [
                        middle - half_u - half_v,
                        middle + half_u - half_v,
                        middle + half_u + half_v,
                        middle - half_u + half_v,
                    ],
                    fill,
                );
                for (across, along) in [(u, half_v), (-u, half_v), (v, half_u), (-v, half_u)] {
                    let flush = self.has(local + across) && !self.has(local + across + step);
                    if !flush {
                        let at = middle + across.cast::<f32>() * 0.5;
                        self.overlay.local_line(at - along, at + along, edge);
                    }
                }
            }
        }
    }
}

fn colors(kind: GhostKind) -> (Color, Color) {
    let color = match kind {
        GhostKind::Place => Color([90, 220, 130, 255]),
        GhostKind::Carve => Color([255, 90, 70, 255]),
        GhostKind::Paint => Color([255, 200, 80, 255]),
        GhostKind::Select => Color([110, 190, 255, 255]),
    };
    (color.alpha(0.1), color.alpha(0.9))
}

/// Returns the share of the colour of a cell at a distance from the eye.
fn share_at(distance: f32) -> f32 {
    ((distance - NEAR) / (CLEAR - NEAR)).clamp(LEAST, 1.0)
}

fn faded(color: Color, share: f32) -> Color {
    let [r, g, b, a] = color.0;
    Color([r, g, b, (f32::from(a) * share) as u8])
}

fn unit(axis: usize) -> Cell {
    let mut step = Cell::zeros();
    step[axis] = 1;
    step
}

fn local_cell(cell: Cell, corner: Cell) -> Cell {
    cell.zip_map(&corner, i32::wrapping_sub)
}

fn index_of(local: Cell) -> Option<usize> {
    let inside = local.iter().all(|c| (0..SIDE).contains(c));
    inside.then(|| ((local.z * SIDE + local.y) * SIDE + local.x) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_outer_faces_and_edges_are_shown() {
        let cells: Vec<Cell> = (0..27)
            .map(|i| Cell::new(i % 3 + 1000, i / 3 % 3 - 2, i / 9))
            .chain([Cell::new(9999, 0, 0)])
            .collect();
        let mut mesh = GhostMesh::new();
        mesh.update(
            Some(&Ghost {
                cells: &cells,
                kind: GhostKind::Place,
            }),
            &Position::default(),
        );
        assert_eq!(mesh.overlay.triangles.len(), 6 * 9 * 6);
        // Each of the twelve edges of the row of three cells is shown from both its faces.
        assert_eq!(mesh.overlay.lines.len(), 12 * 3 * 2 * 2);
    }

    #[test]
    fn ghost_about_the_eye_is_hardly_seen_and_one_farther_away_is_as_usual() {
        let alpha = |far: i32| {
            let mut mesh = GhostMesh::new();
            let ghost = Ghost {
                cells: &[Cell::new(far, 0, 0)],
                kind: GhostKind::Carve,
            };
            let eye = Position::new(Cell::zeros(), Vector3::repeat(0.5));
            mesh.update(Some(&ghost), &eye);
            mesh.overlay.lines[0].color.0[3]
        };
        assert_eq!(alpha(7), alpha(40));
        assert!(alpha(5) < alpha(7) && alpha(3) < alpha(5));
        assert!(f32::from(alpha(0)) < 0.15 * f32::from(alpha(40)));
    }
}
