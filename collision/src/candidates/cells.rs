//! Features of one lattice of cells, laid out four at a time. A voxel terrain notes its faces,
//! edges and corners with small whole numbers, and makes candidates of all together; the result
//! equals that of single pushes to the bit.

use super::{Candidates, POINT, Tag};
use crate::contact::Feature;
use crate::frame::Frame;
use crate::kernels::block::{Block, WIDTH};
use crate::kernels::segment::UNSHARED;
use crate::object::ObjectId;
use crate::position::Cell;
use crate::tolerance::{CORNER_RANK, EDGE_RANK, LEAN, RIM};
use bytemuck::Zeroable;
use nalgebra::Vector3;

/// The place of a lattice of cells.
#[derive(Clone, Copy, Debug)]
pub struct CellLattice {
    /// The corner of cell zero, in metres from the corner of the base cell.
    pub origin: Vector3<f32>,
    /// Side of a cell, in metres.
    pub size: f32,
    /// The cell that features are counted from.
    pub lowest: Cell,
    /// The object of all its features.
    pub object: ObjectId,
}

impl CellLattice {
    /// Returns the lower corner of a cell, counted from the lowest.
    #[inline]
    fn corner(&self, cell: [u32; 3]) -> Vector3<f32> {
        Vector3::from_fn(|axis, _| {
            let index = self.lowest[axis].wrapping_add(cell[axis] as i32);
            self.origin[axis] + index as f32 * self.size
        })
    }
}

/// A face, a convex edge or a convex corner between cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellFeature {
    /// A byte for each axis, then its [kind](Self::kind).
    from: u32,
    /// A byte for each axis.
    to: u32,
}

/// Bits from one axis of a [`CellFeature`] to the next.
const BYTE: u32 = 8;

/// The shifts of the bits for flat axes and for negative signs.
const FLAT: u32 = 24;
const NEGATIVE: u32 = 27;

/// Both ends are counted in cells from the lowest of the lattice, with signs like those of
/// [`Candidates::push_face`] and the other pushes.
impl CellFeature {
    /// Makes a face across `axis`, seen from its `sign` side.
    #[inline(always)]
    #[must_use]
    pub fn face(axis: usize, sign: f32, from: [u8; 3], to: [u8; 3]) -> Self {
        let mut signs = [0.0; 3];
        signs[axis] = sign;
        Self::new(signs, from, to)
    }

    /// Makes a convex edge along `axis`; the signs are those of the next axis and the one after it.
    #[inline(always)]
    #[must_use]
    pub fn edge(axis: usize, beside: [f32; 2], from: [u8; 3], to: [u8; 3]) -> Self {
        let mut signs = [0.0; 3];
        (signs[(axis + 1) % 3], signs[(axis + 2) % 3]) = (beside[0], beside[1]);
        Self::new(signs, from, to)
    }

    /// Makes a convex corner.
    #[inline(always)]
    #[must_use]
    pub fn corner(signs: [f32; 3], at: [u8; 3]) -> Self {
        Self::new(signs, at, at)
    }

    #[inline(always)]
    fn new(signs: [f32; 3], from: [u8; 3], to: [u8; 3]) -> Self {
        Self::of_signs(signs.map(|sign| i8::from(sign > 0.0) - i8::from(sign < 0.0)))
            .between(from, to)
    }

    /// Makes a feature at the lowest corner of the lattice: a face, an edge or a corner by its
    /// number of nonzero signs, flat across the axes of those signs.
    #[inline(always)]
    #[must_use]
    pub const fn of_signs(signs: [i8; 3]) -> Self {
        let (mut kind, mut axis) = (0, 0);
        while axis < 3 {
            kind |= ((signs[axis] != 0) as u32) << (FLAT + axis as u32);
            kind |= ((signs[axis] < 0) as u32) << (NEGATIVE + axis as u32);
            axis += 1;
        }
        Self { from: kind, to: 0 }
    }

    /// Returns a feature of the same kind between two other cells.
    #[inline(always)]
    #[must_use]
    pub const fn between(self, from: [u8; 3], to: [u8; 3]) -> Self {
        const fn packed([x, y, z]: [u8; 3]) -> u32 {
            u32::from_le_bytes([x, y, z, 0])
        }
        let kind = self.from >> FLAT << FLAT;
        Self {
            from: kind | packed(from),
            to: packed(to),
        }
    }

    /// Returns a bit for each flat axis, then one for each axis with a negative sign.
    #[inline]
    fn kind(self) -> usize {
        (self.from >> FLAT) as usize
    }

    #[inline]
    fn flat(self) -> usize {
        self.kind() & POINT
    }

    #[inline]
    fn ends(self) -> [[u32; 3]; 2] {
        [self.from, self.to].map(|end| [0, 1, 2].map(|axis| end >> (axis * BYTE) & 0xff))
    }
}

/// The feature and the signs of every [`CellFeature::kind`].
const KINDS: [(Feature, [i8; 3]); 64] = {
    let mut kinds = [(Feature::Corner, [0; 3]); 64];
    let mut kind = 0;
    while kind < 64 {
        let flat = kind & POINT;
        let mut axis = 0;
        while axis < 3 {
            if flat >> axis & 1 != 0 {
                kinds[kind].1[axis] = if kind >> (3 + axis) & 1 != 0 { -1 } else { 1 };
            }
            axis += 1;
        }
        kinds[kind].0 = match flat.count_ones() {
            1 => Feature::Face,
            2 => Feature::Edge,
            _ => Feature::Corner,
        };
        kind += 1;
    }
    kinds
};

/// The number of features laid out side by side.
const FOUR: usize = 4;

/// Returns all bits for a set bit: a choice without a branch.
#[inline(always)]
fn mask(bit: u32) -> u32 {
    0_u32.wrapping_sub(bit & 1)
}

#[inline(always)]
fn kept(value: f32, mask: u32) -> f32 {
    f32::from_bits(value.to_bits() & mask)
}

impl Candidates {
    /// Notes a feature for the lattice that [`Self::place_cells`] will name. Features that face
    /// away from all places of the mover ([`Reach::half`](crate::Reach::half)) do no harm, but cost
    /// time.
    #[inline(always)]
    pub fn note_cells(&mut self, feature: CellFeature) {
        self.cells.push(feature);
    }

    /// Adds all noted features, as those of this lattice.
    pub fn place_cells(&mut self, lattice: &CellLattice) {
        let mut cells = std::mem::take(&mut self.cells);
        if self.planes.is_some() {
            cells.retain(|feature| {
                let [from, to] = feature.ends().map(|end| lattice.corner(end));
                !self.cut_off(|plane| plane.hides(&from, &to))
            });
        }
        match self.frame.up_axis {
            Some(up) if !self.faces_only => self.place_all(&cells, lattice, up),
            _ => {
                for &feature in &cells {
                    self.place_singly(feature, lattice);
                }
            }
        }
        self.cells = cells;
        self.cells.clear();
    }

    /// Adds a single feature, for a tilted frame and for a caller that needs faces only.
    fn place_singly(&mut self, feature: CellFeature, lattice: &CellLattice) {
        let [from, to] = feature.ends().map(|end| lattice.corner(end));
        let (kind, signs) = KINDS[feature.kind()];
        let signs = signs.map(f32::from);
        let axis_of = |is_flat: bool| signs.iter().position(|&sign| (sign != 0.0) == is_flat);
        match kind {
            Feature::Face => {
                let axis = axis_of(true).unwrap_or(0);
                self.push_face(axis, signs[axis], from, to, lattice.object);
            }
            Feature::Edge => {
                let axis = axis_of(false).unwrap_or(0);
                let beside = [signs[(axis + 1) % 3], signs[(axis + 2) % 3]];
                self.push_edge(axis, beside, from, to, lattice.object);
            }
            _ => self.push_corner(Vector3::from(signs), from, lattice.object),
        }
    }

    fn place_all(&mut self, cells: &[CellFeature], lattice: &CellLattice, up: usize) {
        let most = (self.tags.len() + cells.len()).div_ceil(WIDTH);
        if self.blocks.len() < most {
            self.blocks.resize(most, Block::zeroed());
        }
        for four in cells.chunks(FOUR) {
            let (number, lane) = (self.tags.len() / WIDTH, self.tags.len() % WIDTH);
            if lane + FOUR <= WIDTH {
                lay_out(
                    four,
                    lattice,
                    &self.frame,
                    up,
                    lane,
                    &mut self.blocks[number],
                );
            } else {
                let mut apart = Block::zeroed();
                lay_out(four, lattice, &self.frame, up, 0, &mut apart);
                for place in 0..four.len() {
                    let to = self.tags.len() + place;
                    self.blocks[to / WIDTH].copy_lane(to % WIDTH, &apart, place);
                }
            }
            self.tags.extend(four.iter().map(|feature| {
                let (kind, signs) = KINDS[feature.kind()];
                Tag {
                    object: lattice.object,
                    feature: kind,
                    signs,
                    shared: UNSHARED,
                }
            }));
        }
        self.uneven |= cells.iter().any(|feature| feature.flat() != 1 << up);
    }
}

/// Writes up to four features into the lanes of a block from `lane` on.
#[inline(always)]
fn lay_out(
    four: &[CellFeature],
    lattice: &CellLattice,
    frame: &Frame,
    up: usize,
    lane: usize,
    block: &mut Block,
) {
    let (mut from, mut to) = ([0_u32; FOUR], [0_u32; FOUR]);
    for (place, feature) in four.iter().enumerate() {
        (from[place], to[place]) = (feature.from, feature.to);
    }
    let (mut flats, mut plane) = ([[0_u32; FOUR]; 3], [0_u32; FOUR]);
    for axis in 0..3 {
        let (origin, lowest) = (lattice.origin[axis], lattice.lowest[axis]);
        let (scale, rise) = (frame.scale[axis], frame.up[axis]);
        let byte = axis as u32 * BYTE;
        let at = |end: u32| {
            let index = lowest.wrapping_add((end >> byte & 0xff) as i32);
            origin + index as f32 * lattice.size
        };
        let (low, high) = (from.map(at), to.map(at));
        let flat = from.map(|from| mask(from >> (FLAT + axis as u32)));
        let rim = flat.map(|flat| kept(RIM, !flat));
        put(
            &mut block.min[axis],
            lane,
            std::array::from_fn(|i| low[i] * scale - rim[i]),
        );
        put(
            &mut block.max[axis],
            lane,
            std::array::from_fn(|i| high[i] * scale + rim[i]),
        );
        put(&mut block.flat[axis], lane, flat);
        for i in 0..FOUR {
            plane[i] |= kept(low[i], flat[i]).to_bits();
        }
        if axis == up {
            put(
                &mut block.top,
                lane,
                std::array::from_fn(|i| (high[i] * rise).max(low[i] * rise)),
            );
        }
        flats[axis] = flat;
    }
    let [x, y, z] = flats;
    let round: [u32; FOUR] = std::array::from_fn(|i| (x[i] & y[i]) | (y[i] & z[i]) | (z[i] & x[i]));
    let radius: [f32; FOUR] = std::array::from_fn(|i| {
        let corner = x[i] & y[i] & z[i];
        let (edge, corner) = (
            kept(EDGE_RANK, round[i] & !corner),
            kept(CORNER_RANK, corner),
        );
        frame.radius - f32::from_bits(edge.to_bits() | corner.to_bits())
    });
    put(&mut block.radius, lane, radius);
    put(
        &mut block.approach,
        lane,
        std::array::from_fn(|i| kept(LEAN * radius[i], round[i])),
    );
    put(
        &mut block.sign,
        lane,
        std::array::from_fn(|i| {
            let negative = from[i] >> NEGATIVE;
            let sign = 1.0_f32.to_bits() | (negative | negative >> 1 | negative >> 2) << 31;
            kept(f32::from_bits(sign), !round[i])
        }),
    );
    put(&mut block.plane, lane, plane.map(f32::from_bits));
}

/// Writes four numbers into neighbouring lanes of a row.
#[inline(always)]
fn put<N: Copy>(row: &mut [N; WIDTH], lane: usize, four: [N; FOUR]) {
    row[lane..lane + FOUR].copy_from_slice(&four);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mover::Radii;
    use crate::mover::test_terrain::Dice;

    /// Returns a random feature: flat on one, two or three axes.
    fn feature(dice: &mut Dice) -> CellFeature {
        let mut part = |most: u64| (dice.bits() % most) as u8;
        let from = [part(9), part(17), part(9)];
        let long = [part(5), part(5), part(5)];
        let axis = usize::from(part(3));
        let sides = [part(2), part(2), part(2)].map(|side| f32::from(side) * 2.0 - 1.0);
        let mut to = from;
        match part(3) {
            0 => {
                for i in [(axis + 1) % 3, (axis + 2) % 3] {
                    to[i] += long[i];
                }
                CellFeature::face(axis, sides[0], from, to)
            }
            1 => {
                to[axis] += long[axis];
                CellFeature::edge(axis, [sides[0], sides[1]], from, to)
            }
            _ => CellFeature::corner(sides, from),
        }
    }

    fn lattice(dice: &mut Dice) -> CellLattice {
        let odd = CellLattice {
            origin: dice.vector() * 40.0,
            size: [0.25, 0.3, 1.7][dice.bits() as usize % 3],
            lowest: dice.vector().map(|part| (part * 100.0) as i32),
            object: ObjectId(7),
        };
        let terrain = CellLattice {
            origin: Vector3::zeros(),
            size: 1.0,
            object: ObjectId(0),
            ..odd
        };
        [odd, terrain][dice.bits() as usize % 2]
    }

    /// Returns all fields of a box that a sweep reads.
    fn seen(of: &Candidates, number: usize) -> (Vec<u32>, Feature, [i8; 3], ObjectId) {
        let (block, lane, tag) = (&of.blocks[number / WIDTH], number % WIDTH, &of.tags[number]);
        let mut bits = vec![
            block.radius[lane],
            block.approach[lane],
            block.sign[lane],
            block.top[lane],
        ];
        if tag.feature == Feature::Face {
            bits.push(block.plane[lane]);
        }
        for axis in 0..3 {
            bits.extend([block.min[axis][lane], block.max[axis][lane]]);
        }
        let mut bits: Vec<u32> = bits.into_iter().map(f32::to_bits).collect();
        bits.extend([0, 1, 2].map(|axis| block.flat[axis][lane]));
        (bits, tag.feature, tag.signs, tag.object)
    }

    #[test]
    fn cells_placed_together_are_those_placed_singly_to_the_bit() {
        let mut dice = Dice(11);
        let ups = [
            Vector3::y(),
            -Vector3::y(),
            Vector3::x(),
            Vector3::new(0.0, 0.6, 0.8),
        ];
        let (mut together, mut singly) = (Candidates::default(), Candidates::default());
        let mut boxes = 0;
        for turn in 0..4000 {
            let radii = Radii::new(0.2 + dice.share(), 0.2 + dice.share());
            let frame = Frame::new(radii, ups[turn % 4], 0.01);
            for of in [&mut together, &mut singly] {
                if turn % 16 < 4 {
                    of.begin_faces(&frame);
                } else {
                    of.begin(&frame);
                }
            }
            for _ in 0..1 + dice.bits() % 3 {
                let lattice = lattice(&mut dice);
                for _ in 0..dice.bits() % 20 {
                    let feature = feature(&mut dice);
                    together.note_cells(feature);
                    singly.place_singly(feature, &lattice);
                }
                together.place_cells(&lattice);
            }
            assert_eq!(together.len(), singly.len());
            assert_eq!(together.uneven, singly.uneven);
            assert_eq!(together.facets.len(), singly.facets.len());
            for number in 0..singly.tags.len() {
                assert_eq!(seen(&together, number), seen(&singly, number));
            }
            boxes += singly.tags.len();
        }
        assert!(boxes > 20_000, "only {boxes} boxes");
    }
}
