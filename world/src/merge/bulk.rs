//! All planes of a brick at once: what a merge from nothing begins with.

use super::bitmap::{Around, Bitmap, Kind, Padded};
use super::turn::{column, transpose};
use crate::chunk::{Bits, SIDE};
use crate::surface::Face;

/// Exposed faces of all 192 planes, and the bits they were found from with a margin of one voxel.
#[derive(Clone, Debug)]
pub(super) struct Bulk {
    faces: [[Bitmap; SIDE]; 6],
    /// By z and y (each plus one), bit x + 1.
    rows: [Padded; SIDE + 2],
    /// By z plus one and x, bit y.
    turned: [[u32; SIDE]; SIDE + 2],
}

impl Default for Bulk {
    fn default() -> Self {
        Self {
            faces: [[[0; SIDE]; SIDE]; 6],
            rows: [[0; SIDE + 2]; SIDE + 2],
            turned: [[0; SIDE]; SIDE + 2],
        }
    }
}

/// The 32 rows of a slab of equal z.
#[inline]
fn slab(bits: &Bits, z: usize) -> &[u32; SIDE] {
    bits[z * SIDE..][..SIDE].try_into().unwrap_or(&[0; SIDE])
}

impl Bulk {
    /// The exposed faces of a plane.
    #[inline]
    pub(super) fn faces(&self, face: Face, layer: usize) -> &Bitmap {
        &self.faces[face as usize][layer]
    }

    /// Finds all exposed faces: bits with a clear bit in front.
    pub(super) fn find_faces(&mut self, around: &Around<'_>, kind: Kind) {
        let own = kind.of(around.middle());
        let [left, right, below, above, back, fore] =
            Face::ALL.map(|face| kind.of(around.beside(face)));
        let Self { faces, turned, .. } = self;
        let [minus_x, plus_x, minus_y, plus_y, minus_z, plus_z] = faces;
        for z in 0..SIDE {
            let rows = slab(own, z);
            let behind = if z == 0 {
                slab(back, SIDE - 1)
            } else {
                slab(own, z - 1)
            };
            let before = if z == SIDE - 1 {
                slab(fore, 0)
            } else {
                slab(own, z + 1)
            };
            for y in 0..SIDE {
                minus_z[z][y] = rows[y] & !behind[y];
                plus_z[z][y] = rows[y] & !before[y];
            }
            let (floor, roof) = (slab(below, z)[SIDE - 1], slab(above, z)[0]);
            minus_y[0][z] = rows[0] & !floor;
            plus_y[SIDE - 1][z] = rows[SIDE - 1] & !roof;
            for y in 1..SIDE {
                minus_y[y][z] = rows[y] & !rows[y - 1];
                plus_y[y - 1][z] = rows[y - 1] & !rows[y];
            }
            let columns = &mut turned[z + 1];
            *columns = *rows;
            transpose(columns);
            minus_x[0][z] = columns[0] & !column(slab(left, z), SIDE - 1);
            plus_x[SIDE - 1][z] = columns[SIDE - 1] & !column(slab(right, z), 0);
            for x in 1..SIDE {
                minus_x[x][z] = columns[x] & !columns[x - 1];
                plus_x[x - 1][z] = columns[x - 1] & !columns[x];
            }
        }
    }

    /// Fills in the margins, which only light needs.
    pub(super) fn find_margins(&mut self, around: &Around<'_>, kind: Kind) {
        for z in 0..SIDE + 2 {
            let (dz, inner) = ((z as i32 - 1) >> 5, (z + SIDE - 1) % SIDE);
            let slabs = |dy: i32| [-1, 0, 1].map(|dx| slab(kind.of(around.at(dx, dy, dz)), inner));
            let line = |[low, middle, high]: [&[u32; SIDE]; 3], y: usize| {
                u64::from(low[y] >> 31)
                    | (u64::from(middle[y]) << 1)
                    | (u64::from(high[y] & 1) << 33)
            };
            let rows = &mut self.rows[z];
            rows[0] = line(slabs(-1), SIDE - 1);
            rows[SIDE + 1] = line(slabs(1), 0);
            let same = slabs(0);
            for y in 0..SIDE {
                rows[y + 1] = line(same, y);
            }
            if z == 0 || z == SIDE + 1 {
                self.turned[z] = *same[1];
                transpose(&mut self.turned[z]);
            }
        }
    }

    /// The layer in front of a plane, with its margin. Rows out of reach of `faces` may be left as they are.
    pub(super) fn front<'a>(
        &'a self,
        around: &Around<'_>,
        kind: Kind,
        face: Face,
        layer: usize,
        buffer: &'a mut Padded,
    ) -> &'a Padded {
        let front = layer as i32 + face.sign();
        match face.axis() {
            0 => {
                for (z, place) in buffer.iter_mut().enumerate() {
                    let rows = &self.rows[z];
                    let middle = if (0..32).contains(&front) {
                        self.turned[z][front as usize]
                    } else {
                        let brick = around.at(face.sign(), 0, (z as i32 - 1) >> 5);
                        column(
                            slab(kind.of(brick), (z + SIDE - 1) % SIDE),
                            (front & 31) as usize,
                        )
                    };
                    let at = front + 1;
                    *place = ((rows[0] >> at) & 1)
                        | (u64::from(middle) << 1)
                        | (((rows[SIDE + 1] >> at) & 1) << 33);
                }
                buffer
            }
            1 => {
                for (place, rows) in buffer.iter_mut().zip(&self.rows) {
                    *place = rows[(front + 1) as usize];
                }
                buffer
            }
            _ => &self.rows[(front + 1) as usize],
        }
    }
}
