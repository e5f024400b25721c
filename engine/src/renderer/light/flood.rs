//! Spreads light through open voxels step by step, over rows of 64 bits.
//!
//! Steps to the six neighbours alternate with steps over edges and corners, so that the number of
//! steps is about the distance in metres in every direction. A step over an edge or a corner goes
//! through open voxels that share faces: nothing passes between two solid voxels that touch.

/// Rows along y and z, and bits along x, of a field.
pub(super) const SPAN: usize = 64;
/// Largest number of steps of light, about as many metres.
pub(super) const REACH: usize = 15;

/// One bit for each voxel: row `z * SPAN + y`, bit x. The outermost rows and bits stay clear, so
/// that each used row has neighbours.
pub(super) type Field = [u64; SPAN * SPAN];

/// Steps that also go over edges and corners, counted from 0: two of five approximate a ball.
const OVER_CORNERS: [bool; 5] = [false, true, false, false, true];

/// The rows that a step visits: first and last along y and z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowSpan {
    pub(super) y: [usize; 2],
    pub(super) z: [usize; 2],
}

impl RowSpan {
    /// Calls `visit` with the number of each row.
    #[inline]
    pub(super) fn each(&self, mut visit: impl FnMut(usize)) {
        for z in self.z[0]..=self.z[1] {
            for y in self.y[0]..=self.y[1] {
                visit(z * SPAN + y);
            }
        }
    }

    /// Returns the rows of this range within a distance of a place.
    pub(super) fn about(&self, y: usize, z: usize, distance: usize) -> Self {
        let near = |[first, last]: [usize; 2], middle: usize| {
            let first = first.max(middle.saturating_sub(distance));
            [first, last.min(middle + distance)]
        };
        Self {
            y: near(self.y, y),
            z: near(self.z, z),
        }
    }
}

/// The state of a flood: open voxels, and those lit so far.
pub(super) struct Flood {
    pub(super) open: Box<Field>,
    pub(super) lit: Box<Field>,
    before: Box<Field>,
    next: Box<Field>,
    half: Box<Field>,
}

impl Flood {
    pub(super) fn new() -> Self {
        let field = || Box::new([0; SPAN * SPAN]);
        Self {
            open: field(),
            lit: field(),
            before: field(),
            next: field(),
            half: field(),
        }
    }

    /// Removes all light; the open voxels stay.
    pub(super) fn darken(&mut self) {
        for field in [
            &mut self.lit,
            &mut self.before,
            &mut self.next,
            &mut self.half,
        ] {
            field.fill(0);
        }
    }

    /// Spreads the light by one step over some rows, at least those of the step before. Returns
    /// true if it reached any new voxel.
    pub(super) fn spread(&mut self, step: usize, rows: &RowSpan) -> bool {
        let (open, lit, next, half) = (&self.open, &self.lit, &mut self.next, &mut self.half);
        let high = rows.y[1] + 1 - rows.y[0];
        let starts = (rows.z[0]..=rows.z[1]).map(|z| z * SPAN + rows.y[0]);
        let mut fresh = 0;
        if OVER_CORNERS[step % OVER_CORNERS.len()] {
            for at in starts.clone() {
                let (open, lit) = (&open[at..][..high], &lit[at..][..high]);
                let next = &mut next[at..][..high];
                for i in 0..high {
                    next[i] = beside(lit[i]) & open[i];
                }
            }
            for at in starts.clone() {
                let (below, above) = (&next[at - 1..][..high], &next[at + 1..][..high]);
                let (open, here) = (&open[at..][..high], &next[at..][..high]);
                let half = &mut half[at..][..high];
                for i in 0..high {
                    half[i] = (below[i] | here[i] | above[i]) & open[i];
                }
            }
            for at in starts {
                let (near, far) = (&half[at - SPAN..][..high], &half[at + SPAN..][..high]);
                let (open, here) = (&open[at..][..high], &half[at..][..high]);
                let (next, lit) = (&mut next[at..][..high], &lit[at..][..high]);
                for i in 0..high {
                    next[i] = (near[i] | here[i] | far[i]) & open[i];
                    fresh |= next[i] & !lit[i];
                }
            }
        } else {
            for at in starts {
                let (below, above) = (&lit[at - 1..][..high], &lit[at + 1..][..high]);
                let (near, far) = (&lit[at - SPAN..][..high], &lit[at + SPAN..][..high]);
                let (open, here) = (&open[at..][..high], &lit[at..][..high]);
                let next = &mut next[at..][..high];
                for i in 0..high {
                    let about = below[i] | above[i] | near[i] | far[i];
                    next[i] = (beside(here[i]) | about) & open[i];
                    fresh |= next[i] & !here[i];
                }
            }
        }
        std::mem::swap(&mut self.before, &mut self.lit);
        std::mem::swap(&mut self.lit, &mut self.next);
        fresh != 0
    }

    /// Returns the voxels of a row that the last step reached.
    #[inline]
    pub(super) fn fresh(&self, row: usize) -> u64 {
        self.lit[row] & !self.before[row]
    }
}

/// Returns the bits and their neighbours on both sides.
#[inline]
fn beside(bits: u64) -> u64 {
    bits | bits << 1 | bits >> 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: RowSpan = RowSpan {
        y: [1, 62],
        z: [1, 62],
    };
    const MIDDLE: usize = 31;

    /// Returns the number of steps to each voxel from one in the middle, through open voxels.
    fn steps(open: impl Fn(usize, usize, usize) -> bool) -> impl Fn(usize, usize, usize) -> usize {
        let mut flood = Flood::new();
        ALL.each(|row| {
            let bits = (1..63).filter(|&x| open(x, row % SPAN, row / SPAN));
            flood.open[row] = bits.fold(0, |bits, x| bits | 1 << x);
        });
        flood.lit[MIDDLE * SPAN + MIDDLE] = 1 << MIDDLE;
        let mut reached = vec![usize::MAX; 64 * 64 * 64];
        for step in 0..REACH {
            flood.spread(step, &ALL);
            ALL.each(|row| {
                for x in (1..63).filter(|x| flood.fresh(row) >> x & 1 == 1) {
                    reached[row * 64 + x] = step + 1;
                }
            });
        }
        move |x, y, z| reached[(z * SPAN + y) * 64 + x]
    }

    #[test]
    fn steps_in_the_open_are_about_metres() {
        let reached = steps(|_, _, _| true);
        for (x, y, z) in [(10, 0, 0), (7, 7, 0), (5, 5, 6), (0, 9, 3), (2, 1, 12)] {
            let metres = f64::from((x * x + y * y + z * z) as u32).sqrt();
            let steps = reached(MIDDLE + x, MIDDLE - y, MIDDLE + z) as f64;
            assert!((steps - metres).abs() < 2.1, "{steps} steps, {metres} m");
        }
    }

    #[test]
    fn a_wall_keeps_light_out_and_a_hole_lets_it_in() {
        let closed = steps(|x, _, _| x != 34);
        assert_eq!(closed(33, MIDDLE, MIDDLE), 2);
        assert_eq!(closed(35, MIDDLE, MIDDLE), usize::MAX);
        let holed = steps(|x, y, z| x != 34 || (y, z) == (MIDDLE, MIDDLE));
        assert_eq!(holed(35, MIDDLE, MIDDLE), 4);
        assert!(holed(36, MIDDLE + 4, MIDDLE) > 6);
    }

    #[test]
    fn nothing_passes_between_two_voxels_that_touch_at_an_edge() {
        // A stair of solid voxels, each touching the next only at an edge.
        let stair = steps(|x, y, _| x + y != 2 * MIDDLE + 2);
        assert_eq!(stair(MIDDLE + 1, MIDDLE, MIDDLE), 1);
        for x in 20..45 {
            for y in (2 * MIDDLE + 3).saturating_sub(x)..60 {
                assert_eq!(stair(x, y, MIDDLE), usize::MAX, "{x} {y}");
            }
        }
    }
}
