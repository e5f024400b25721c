//! What can be a triangle of a soup, and the pieces that large ones are cut into.

use nalgebra::Point3;

use super::SoupError;
use super::edges::Outline;
use crate::candidates::Sides;
use crate::tolerance::{LONGEST_PIECE, LONGEST_TRIANGLE, NEEDLE};

fn check(corners: &[Point3<f64>; 3]) -> Result<(), SoupError> {
    const FARTHEST: f64 = 1e6;
    if corners
        .iter()
        .any(|corner| !corner.coords.iter().all(|value| value.is_finite()))
    {
        return Err(SoupError::NotFinite);
    }
    if corners.iter().any(|corner| corner.coords.amax() > FARTHEST) {
        return Err(SoupError::TooFar);
    }
    let longest = (0..3)
        .map(|edge| (corners[edge] - corners[(edge + 1) % 3]).norm())
        .fold(0.0, f64::max);
    if longest > LONGEST_TRIANGLE {
        Err(SoupError::TooLarge)
    } else {
        Ok(())
    }
}

/// What a triangle is cut into; nothing if any of it is a needle.
pub(super) fn pieces_of(
    corners: &[Point3<f64>; 3],
    sides: Sides,
) -> Result<Vec<Outline>, SoupError> {
    check(corners)?;
    let whole = Outline {
        corners: corners.map(|corner| corner.coords),
        sides,
    };
    let mut pieces = Vec::new();
    if !cut(whole, &mut pieces) {
        pieces.clear();
    }
    Ok(pieces)
}

/// Halves the longest side until all are short. Returns whether no piece is a needle.
fn cut(outline: Outline, out: &mut Vec<Outline>) -> bool {
    let corners = outline.corners;
    let length = |edge: usize| (corners[(edge + 1) % 3] - corners[edge]).norm();
    let edge = (1..3).fold(0, |longest, edge| {
        if length(edge) > length(longest) {
            edge
        } else {
            longest
        }
    });
    if outline.area_vector().norm() <= NEEDLE * length(edge) * length(edge) || length(edge) == 0.0 {
        return false;
    }
    if length(edge) <= LONGEST_PIECE {
        out.push(outline);
        return true;
    }
    let [a, b, c] = [0, 1, 2].map(|step| corners[(edge + step) % 3]);
    let middle = (a + b) * 0.5;
    let halves = [[a, middle, c], [middle, b, c]];
    halves
        .into_iter()
        .all(|corners| cut(Outline { corners, ..outline }, out))
}
