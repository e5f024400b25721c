//! Views across the ends of the cell coordinates.

use collision::Cell;
use nalgebra::Vector3;

/// Largest view distance beyond the ends of the cell coordinates, in metres.
pub(super) const FARTHEST_VIEW: f64 = (1 << 20) as f64;

/// Length of the whole range of cells, in metres.
const ROUND: f64 = (1_u64 << 32) as f64;

/// Most images of a viewpoint: along each axis one end is in reach, or none.
pub(super) const IMAGES: usize = 8;

/// Returns true if an end of the coordinates is within reach along an axis.
#[inline]
fn is_near(part: i32, reach: f64) -> bool {
    f64::from(part).abs() + reach >= ROUND / 2.0
}

/// Returns the offsets to look from, the first of them zero. The ends of the cell coordinates join,
/// but the tree is not wrapped: a view beyond one end is repeated from the other side.
#[inline]
pub(super) fn images(base: Cell, reach: f64) -> impl Iterator<Item = Vector3<f64>> {
    let other = base.map(|part| {
        if is_near(part, reach) {
            -ROUND * f64::from(part.signum())
        } else {
            0.0
        }
    });
    let is_beyond = |image: usize, axis: usize| image >> axis & 1 == 1;
    (0..IMAGES)
        .filter(move |&image| (0..3).all(|axis| !is_beyond(image, axis) || other[axis] != 0.0))
        .map(move |image| {
            Vector3::from_fn(|axis, _| {
                if is_beyond(image, axis) {
                    other[axis]
                } else {
                    0.0
                }
            })
        })
}
