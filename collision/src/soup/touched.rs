//! The triangle at a place on the surface of a soup.

use nalgebra::Vector3;

use super::{TriangleId, TriangleSoup};
use crate::position::Position;
use crate::recovery::closest_to_origin;
use crate::terrain::{Piece, Touched};
use crate::tolerance::BEHIND_SURFACE;

impl TriangleSoup {
    /// Returns the triangle nearest to a place on the surface; of several as near, the one with the
    /// least number.
    pub(super) fn touched_at(&self, at: &Position) -> Touched {
        let near = Vector3::repeat(BEHIND_SURFACE);
        let bounds = self.bounds_from(at.cell, at.offset - near, at.offset + near);
        let mut nearest: Option<(f32, u32)> = None;
        self.tree.query(&bounds, |item| {
            let corners = self.placed[item as usize].corners;
            let distance = closest_to_origin(&corners.map(|corner| corner.since(at))).norm();
            let found = (distance, self.pieces[item as usize].triangle);
            if nearest.is_none_or(|known| found < known) {
                nearest = Some(found);
            }
        });
        Touched {
            piece: nearest.map_or(Piece::Whole, |(_, id)| Piece::Triangle(TriangleId(id))),
            material: 0,
        }
    }
}
