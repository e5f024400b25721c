//! Ambient occlusion: the light at the vertices of a plane, and which faces may grow which way because of it.
//!
//! The light at a vertex depends on the four voxels about it in the layer in front, and is therefore the
//! same for all faces that meet there. Faces grow together only along directions in which their light does not
//! change, so interpolation over a rectangle gives every vertex on its rim the light it has: no seam shows.

use super::bitmap::{Bitmap, Padded};
use super::source::Rect;
use crate::chunk::SIDE;
use crate::surface::Face;

/// Everything lit: 3 at all four corners.
pub(super) const LIT: u32 = 0xff;

/// Which faces of a plane may grow which way.
pub(super) struct Classes {
    /// Light is the same at all corners: grow both ways.
    pub(super) flat: Bitmap,
    /// Light changes only from row to row: grow along columns.
    pub(super) along: Bitmap,
    /// Light changes only from column to column: grow over rows.
    pub(super) across: Bitmap,
    /// Stay alone.
    pub(super) single: Bitmap,
    uneven: u32,
}

impl Classes {
    /// Whether any face is not flat.
    pub(super) fn is_uneven(&self) -> bool {
        self.uneven != 0
    }
}

/// Vertex light along one line of vertices, two bits each: how many of the four voxels about it are there.
#[derive(Clone, Copy)]
struct Vertices {
    low: u64,
    high: u64,
}

/// Bit `k` is the vertex between bits `k - 1` and `k` of two neighbouring rows. Four cannot be at an exposed face.
fn count(above: u64, below: u64) -> Vertices {
    let (one, both) = (above ^ (above << 1), above & (above << 1));
    let (other, pair) = (below ^ (below << 1), below & (below << 1));
    Vertices {
        low: one ^ other,
        high: both | pair | (one & other),
    }
}

pub(super) fn classify(faces: &Bitmap, front: &Padded) -> Classes {
    let mut classes = Classes {
        flat: *faces,
        along: [0; SIDE],
        across: [0; SIDE],
        single: [0; SIDE],
        uneven: 0,
    };
    for row in 0..SIDE {
        let near = front[row] | front[row + 1] | front[row + 2];
        if faces[row] == 0 || near == 0 {
            continue;
        }
        let first = count(front[row], front[row + 1]);
        let second = count(front[row + 1], front[row + 2]);
        let changes =
            |line: Vertices| (line.low ^ (line.low >> 1)) | (line.high ^ (line.high >> 1));
        let along = !(changes(first) | changes(second)) >> 1;
        let differs = (first.low ^ second.low) | (first.high ^ second.high);
        let across = !(differs | (differs >> 1)) >> 1;
        let (along, across, bits) = (along as u32, across as u32, faces[row]);
        classes.flat[row] = bits & along & across;
        classes.uneven |= bits & !(along & across);
        classes.along[row] = bits & along & !across;
        classes.across[row] = bits & across & !along;
        classes.single[row] = bits & !along & !across;
    }
    classes
}

/// The light of the four corners of a rectangle whose light is the same all over.
#[inline]
pub(super) fn even_light(front: &Padded, rect: &Rect) -> u32 {
    let (row, column) = (rect.row as usize, rect.column);
    let pair = |bits: u64| ((bits >> column) & 1) + ((bits >> (column + 1)) & 1);
    let light = 3 - (pair(front[row]) + pair(front[row + 1])).min(3) as u32;
    light * 0b0101_0101
}

/// The light of the four corners of a rectangle. It changes along one direction at most where the rectangle is longer than
/// one face, so the corners of its first face are its own.
#[inline]
pub(super) fn light_of(face: Face, front: &Padded, rect: &Rect) -> u32 {
    let (row, column) = (rect.row as usize, rect.column);
    // Bits two apart, so that sums of up to three stay in their places.
    let spread = |bits: u64| {
        let three = (bits >> column) as u32 & 7;
        (three & 1) | ((three & 2) << 1) | ((three & 4) << 2)
    };
    let [low, middle, high] = [
        spread(front[row]),
        spread(front[row + 1]),
        spread(front[row + 2]),
    ];
    let vertices = |above: u32, below: u32| {
        let columns = above + below;
        let (left, right) = (
            (columns & 3) + ((columns >> 2) & 3),
            ((columns >> 2) & 3) + ((columns >> 4) & 3),
        );
        (3 - left.min(3), 3 - right.min(3))
    };
    let (first, second) = (vertices(low, middle), vertices(middle, high));
    let (along_u, along_v) = if face.axis() == 1 {
        (second.0, first.1)
    } else {
        (first.1, second.0)
    };
    first.0 | (along_u << 2) | (along_v << 4) | (second.1 << 6)
}
