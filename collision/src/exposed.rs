//! The surface of one solid box among others of a lattice: its exposed faces and its convex edges
//! and corners. Flat and concave ones are never candidates.

use nalgebra::Vector3;

use crate::candidates::Candidates;
use crate::terrain::ObjectId;

/// The offset from a cell to one beside it, in cells.
type Step = Vector3<i32>;

/// A solid cell of a lattice.
pub(crate) struct SolidCell<F> {
    /// Lower and upper corner.
    pub(crate) corners: [Vector3<f32>; 2],
    pub(crate) object: ObjectId,
    /// Returns whether the cell at an offset is solid.
    pub(crate) is_solid: F,
}

impl<F: Fn(Step) -> bool> SolidCell<F> {
    /// Adds the surface of the cell to a buffer.
    pub(crate) fn gather(&self, out: &mut Candidates) {
        for axis in 0..3 {
            for sign in [-1, 1] {
                if !(self.is_solid)(unit(axis, sign)) {
                    let mut ends = self.corners;
                    let plane = self.corners[usize::from(sign > 0)][axis];
                    (ends[0][axis], ends[1][axis]) = (plane, plane);
                    out.push_face(axis, sign as f32, ends[0], ends[1], self.object);
                }
            }
            self.gather_edges(axis, out);
        }
        self.gather_corners(out);
    }

    fn gather_edges(&self, axis: usize, out: &mut Candidates) {
        let (second, third) = ((axis + 1) % 3, (axis + 2) % 3);
        for signs in [[-1, -1], [-1, 1], [1, -1], [1, 1]] {
            let (one, other) = (unit(second, signs[0]), unit(third, signs[1]));
            let mut beside = [one, other, one + other].into_iter();
            if beside.any(|step| (self.is_solid)(step)) {
                continue;
            }
            let mut ends = self.corners;
            for end in &mut ends {
                end[second] = self.corners[usize::from(signs[0] > 0)][second];
                end[third] = self.corners[usize::from(signs[1] > 0)][third];
            }
            let signs = signs.map(|sign| sign as f32);
            out.push_edge(axis, signs, ends[0], ends[1], self.object);
        }
    }

    fn gather_corners(&self, out: &mut Candidates) {
        for choice in 0..8_usize {
            let high = [choice & 1, (choice >> 1) & 1, choice >> 2];
            let signs = high.map(|high| 2 * high as i32 - 1);
            let step = |part: i32| Step::from_fn(|axis, _| (part >> axis & 1) * signs[axis]);
            if (1..8).all(|part| !(self.is_solid)(step(part))) {
                let point = Vector3::from_fn(|axis, _| self.corners[high[axis]][axis]);
                let signs = Vector3::from(signs).cast();
                out.push_corner(signs, point, self.object);
            }
        }
    }
}

fn unit(axis: usize, sign: i32) -> Step {
    let mut step = Step::zeros();
    step[axis] = sign;
    step
}
