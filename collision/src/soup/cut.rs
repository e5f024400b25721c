//! Validation of triangles, and the pieces that large ones are cut into.

use nalgebra::Point3;

use super::SoupError;
use super::edges::Outline;
use crate::candidates::Sides;
use crate::tolerance::{LONGEST_PIECE, LONGEST_TRIANGLE};

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

/// Cuts a triangle into pieces.
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
    cut(whole, &mut pieces);
    Ok(pieces)
}

/// Halves the longest side until all are short.
fn cut(outline: Outline, out: &mut Vec<Outline>) {
    let (edge, length) = outline.longest_side();
    if length <= LONGEST_PIECE {
        out.push(outline);
        return;
    }
    let corners = outline.corners;
    let [a, b, c] = [0, 1, 2].map(|step| corners[(edge + step) % 3]);
    let middle = (a + b) * 0.5;
    for corners in [[a, middle, c], [middle, b, c]] {
        cut(Outline { corners, ..outline }, out);
    }
}
