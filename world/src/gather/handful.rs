//! A handful of voxels around a mover, at most four by axis, as the bits of one word: all their faces, edges and corners are found at once.
//!
//! Nearly everything that walkers ask for on voxels of a metre is such a handful in a single brick. What is larger is a
//! [`Tile`](super::tile::Tile).

use super::kinds::{CORNERS, EDGES, FACES};
use super::tile::{Centres, Cut, Lattice, each_place, some_of};
use crate::chunk::SIDE as BRICK;
use collision::{Candidates, CellFeature};
use nalgebra::Vector3;

/// Most cells by axis.
const SIDE: usize = 4;

/// From a bit to the next by axis, as powers of two: `x`, then `z`, then `y`.
const SHIFTS: [u32; 3] = [0, 4, 2];

/// From a bit to the next by axis.
const STEPS: [u32; 3] = [1 << SHIFTS[0], 1 << SHIFTS[1], 1 << SHIFTS[2]];

/// The bits of a line along each axis from bit 0.
const LINES: [u64; 3] = [0xf, 0x0001_0001_0001_0001, 0x1111];

/// Every place that is whole steps from bit 0.
const PLACES: [u64; 3] = [u64::MAX, LINES[1], 0x1111_1111_1111_1111];

/// By axis, the bits of the cells below each place on it.
const BELOW: [[u64; SIDE + 1]; 3] = {
    let mut below = [[0; SIDE + 1]; 3];
    let mut axis = 0;
    while axis < 3 {
        let mut bit = 0;
        while bit < u64::BITS {
            let mut place = (bit >> SHIFTS[axis]) as usize % SIDE + 1;
            while place <= SIDE {
                below[axis][place] |= 1 << bit;
                place += 1;
            }
            bit += 1;
        }
        axis += 1;
    }
    below
};

/// For the faces across each axis, the two axes along which they are grown: a line along the first is shorter than a step along the other.
const GROWN: [[usize; 2]; 3] = [[2, 1], [0, 2], [0, 1]];

/// By axis: the cells at whose far side there is a plane that can be met from its positive side, and those where it can be from its negative.
type Seen = [[u64; 2]; 3];

/// Some voxels. Bit `x + 4 z + 16 y` is set where one is solid.
pub(super) struct Handful {
    solid: u64,
    /// The voxel of bit 0.
    lowest: Vector3<i32>,
    /// Cells by axis.
    size: [usize; 3],
}

impl Handful {
    /// Whether the voxels from `inside` of a brick to `span` beyond that are a handful, and all of that brick.
    #[inline]
    pub(super) fn fits(inside: Vector3<i32>, span: Vector3<i32>) -> bool {
        let last = inside + span;
        ((span.x | span.y | span.z) as u32) < SIDE as u32
            && ((last.x | last.y | last.z) as u32) < BRICK as u32
    }

    /// The voxels of a brick from `inside` of it to `span` beyond that, where they [fit](Self::fits). The first is `lowest`.
    #[inline]
    pub(super) fn new(
        bits: &[u32; BRICK * BRICK],
        inside: Vector3<i32>,
        span: Vector3<i32>,
        lowest: Vector3<i32>,
    ) -> Self {
        let size = [0, 1, 2].map(|axis| span[axis] as usize + 1);
        let mut solid = 0;
        for z in 0..size[2] {
            let first = (inside.z as usize + z) * BRICK + inside.y as usize;
            for y in 0..SIDE {
                // Layers above the last are cut off below.
                let row = bits[(first + y) % bits.len()] >> inside.x & LINES[0] as u32;
                solid |= u64::from(row) << (y as u32 * STEPS[1] + z as u32 * STEPS[2]);
            }
        }
        solid &= BELOW[0][size[0]] & BELOW[1][size[1]];
        Self {
            solid,
            lowest,
            size,
        }
    }

    /// Puts everything a body with its centre in `centres` could hit into `out`.
    pub(super) fn gather(&self, centres: &Centres, out: &mut Candidates) {
        if self.solid == 0 {
            return;
        }
        let lattice = Lattice::TERRAIN;
        let seen = [0, 1, 2].map(|axis| {
            let cut = Cut::new(&lattice, self.lowest[axis], self.size[axis], centres, axis);
            let inner = BELOW[axis][self.size[axis] - 1];
            [BELOW[axis][cut.above], inner & !BELOW[axis][cut.below]]
        });
        self.each_feature(&seen, |kind, from, to| {
            out.note_cells(kind.between(from, to));
        });
        out.place_cells(&lattice.from(self.lowest));
    }

    /// Calls `each` with the kind of every feature that is seen, and the cells it begins and ends at.
    #[inline(always)]
    fn each_feature(&self, seen: &Seen, mut each: impl FnMut(CellFeature, [u8; 3], [u8; 3])) {
        let solid = self.solid;
        let beyond = STEPS.map(|step| solid >> step);
        let mut faces = [0; 6];
        for axis in 0..3 {
            faces[2 * axis] = solid & !beyond[axis] & seen[axis][0];
            faces[2 * axis + 1] = beyond[axis] & !solid & seen[axis][1];
        }
        let sides = some_of(&faces);
        each_place(sides, |number| {
            rectangles(faces[number], number / 2, |from, to| {
                each(FACES[number], from, to);
            });
        });
        // An edge lies between faces across two axes, a corner between those across all.
        let axes = (sides | sides >> 1) & 0b01_01_01;
        if axes & axes.wrapping_sub(1) != 0 {
            self.each_rim(axes == 0b01_01_01, seen, each);
        }
    }

    /// The same for edges, and for corners where there can be any.
    #[inline(always)]
    fn each_rim(
        &self,
        has_corners: bool,
        seen: &Seen,
        mut each: impl FnMut(CellFeature, [u8; 3], [u8; 3]),
    ) {
        // Around an edge one cell of four is solid, around a corner one of eight.
        let solid = self.solid;
        let mut edges = [0; 12];
        for axis in 0..3 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let (lone, _) = lone(solid, u, v);
            for quarter in 0..4 {
                edges[4 * axis + quarter] =
                    lone[quarter] & seen[u][quarter & 1] & seen[v][quarter >> 1];
            }
        }
        each_place(some_of(&edges), |number| {
            runs(edges[number], number / 4, |from, to| {
                each(EDGES[number], from, to);
            });
        });
        if !has_corners {
            return;
        }
        let mut corners = [0; 8];
        let (lone, open) = lone(solid, 1, 2);
        for quarter in 0..4 {
            let (edge, seen_edge) = (lone[quarter], seen[1][quarter & 1] & seen[2][quarter >> 1]);
            corners[quarter] = edge & (open >> STEPS[0]) & seen_edge & seen[0][0];
            corners[quarter | 4] = (edge >> STEPS[0]) & open & seen_edge & seen[0][1];
        }
        each_place(some_of(&corners), |number| {
            points(corners[number], |at| each(CORNERS[number], at, at));
        });
    }
}

/// Of every four cells around an edge, next to each other along `u` and `v`: where each is the only solid one, and where none is.
#[inline(always)]
fn lone(solid: u64, u: usize, v: usize) -> ([u64; 4], u64) {
    let (right, up) = (solid >> STEPS[u], solid >> STEPS[v]);
    let across = right >> STEPS[v];
    let (near, far) = (solid | right, up | across);
    let lone = [
        solid & !right & !far,
        right & !solid & !far,
        up & !across & !near,
        across & !up & !near,
    ];
    (lone, !(near | far))
}

/// The cell of a bit.
#[inline(always)]
fn cell(bit: u32) -> [u8; 3] {
    SHIFTS.map(|shift| (bit >> shift) as u8 % SIDE as u8)
}

/// How many bits there are from `bit` on in the line along an axis.
#[inline(always)]
fn run(word: u64, bit: u32, axis: usize) -> u32 {
    let line = LINES[axis] >> (bit & (STEPS[axis] * (SIDE as u32 - 1)));
    (!(word >> bit & line) & PLACES[axis]).trailing_zeros() >> SHIFTS[axis]
}

/// All bits below so many; at least one.
#[inline(always)]
fn first(bits: u32) -> u64 {
    u64::MAX >> (u64::BITS - bits)
}

/// Takes a word of faces across an axis apart into rectangles.
#[inline(always)]
fn rectangles(mut word: u64, axis: usize, mut each: impl FnMut([u8; 3], [u8; 3])) {
    let [u, v] = GROWN[axis];
    while word != 0 {
        let bit = word.trailing_zeros();
        let wide = run(word, bit, u);
        let whole = (LINES[u] & first(wide << SHIFTS[u])).wrapping_mul(LINES[v]);
        // What comes after the last line of a layer is not of it.
        let lines = LINES[v] >> (bit & (STEPS[v] * (SIDE as u32 - 1)));
        let lacking = whole & !(word >> bit);
        let deep = (lacking.trailing_zeros() >> SHIFTS[v]).min(lines.count_ones());
        word &= !((whole & first(deep << SHIFTS[v])) << bit);
        let mut from = cell(bit);
        from[axis] += 1;
        let mut to = from;
        to[u] += wide as u8;
        to[v] += deep as u8;
        each(from, to);
    }
}

/// Takes a word of edges along an axis apart into runs.
#[inline(always)]
fn runs(mut word: u64, axis: usize, mut each: impl FnMut([u8; 3], [u8; 3])) {
    while word != 0 {
        let bit = word.trailing_zeros();
        let long = run(word, bit, axis);
        word &= !((LINES[axis] & first(long << SHIFTS[axis])) << bit);
        let mut from = cell(bit).map(|part| part + 1);
        from[axis] -= 1;
        let mut to = from;
        to[axis] += long as u8;
        each(from, to);
    }
}

/// The corners of a word.
#[inline(always)]
fn points(mut word: u64, mut each: impl FnMut([u8; 3])) {
    while word != 0 {
        each(cell(word.trailing_zeros()).map(|part| part + 1));
        word &= word - 1;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::tests::Dice;
    use super::*;
    use crate::kd_tree::CellBox;
    use crate::material::Material;
    use crate::world::World;
    use collision::{Cell, Memory, Position, Reach, Terrain};
    use std::collections::BTreeMap;

    /// Features of single cells: signs and lowest corner of each, and how often it was found.
    type Units = BTreeMap<([i8; 3], [i32; 3]), u32>;

    /// The signs of a kind.
    fn signs_of(kind: CellFeature) -> [i8; 3] {
        let mut all =
            (0..27).map(|number| [number % 3, number / 3 % 3, number / 9].map(|part| part - 1));
        all.find(|&signs| CellFeature::of_signs(signs) == kind)
            .unwrap()
    }

    /// All in a box of voxels, found by asking for each place between them whether the cells around it are as they must be.
    fn by_force(is_solid: impl Fn([i32; 3]) -> bool, size: [usize; 3]) -> Units {
        let mut units = Units::new();
        let each = |most: [i32; 3], mut visit: Box<dyn FnMut([i32; 3]) + '_>| {
            for x in 0..most[0] {
                for y in 0..most[1] {
                    (0..most[2]).for_each(|z| visit([x, y, z]));
                }
            }
        };
        let inside = size.map(|cells| cells as i32);
        each(
            [3; 3],
            Box::new(|signs| {
                let signs = signs.map(|part| part as i8 - 1);
                if signs == [0; 3] {
                    return;
                }
                each(
                    inside,
                    Box::new(|cell| {
                        // The only solid one of the cells that meet there.
                        let around = |step: [i32; 3]| {
                            [0, 1, 2].map(|axis| cell[axis] + step[axis] * i32::from(signs[axis]))
                        };
                        let mut met = is_solid(cell);
                        each(
                            [2; 3],
                            Box::new(|step| {
                                let other = around(step);
                                let within = (0..3).all(|i| (0..inside[i]).contains(&other[i]));
                                met &= within && (other == cell || !is_solid(other));
                            }),
                        );
                        if met {
                            let at = [0, 1, 2].map(|axis| cell[axis] + i32::from(signs[axis] > 0));
                            units.insert((signs, at), 1);
                        }
                    }),
                );
            }),
        );
        units
    }

    /// Those that can be met from the sides that are seen.
    fn seen_of(units: Units, cuts: &[[i32; 2]; 3]) -> Units {
        let is_seen = |signs: [i8; 3], at: [i32; 3]| {
            (0..3).all(|axis| match signs[axis] {
                0 => true,
                1 => at[axis] <= cuts[axis][0],
                _ => at[axis] > cuts[axis][1],
            })
        };
        let seen = units
            .into_iter()
            .filter(|((signs, at), _)| is_seen(*signs, *at));
        seen.collect()
    }

    #[test]
    fn features_are_those_found_voxel_by_voxel() {
        let mut dice = Dice(5);
        let mut found = [0; 4];
        for turn in 0..20_000 {
            let mut bits = [0_u32; BRICK * BRICK];
            let share = [0.1, 0.3, 0.5, 0.9][turn % 4];
            let mut below = |most: u64| (dice.bits() % most) as i32;
            let span = Vector3::new(below(4), below(4), below(4));
            let most = span.map(|part| BRICK as u64 - part as u64);
            let inside = Vector3::new(below(most.x), below(most.y), below(most.z));
            for row in &mut bits {
                if turn % 4 == 3 {
                    // Whole rows make larger faces.
                    *row = [0, u32::MAX][usize::from(dice.signed() < 0.0)];
                } else {
                    for bit in 0..u32::BITS {
                        *row |= u32::from(dice.signed() * 0.5 + 0.5 < share) << bit;
                    }
                }
            }
            let handful = Handful::new(&bits, inside, span, Vector3::zeros());
            let size = handful.size;
            let cuts = size.map(|cells| {
                let mut below = || (dice.bits() % cells as u64) as i32;
                [below(), below()]
            });
            let seen = [0, 1, 2].map(|axis| {
                let [above, below] = cuts[axis].map(|cut| BELOW[axis][cut as usize]);
                [above, BELOW[axis][size[axis] - 1] & !below]
            });
            let mut units = Units::new();
            handful.each_feature(&seen, |kind, from, to| {
                let signs = signs_of(kind);
                let long = |axis: usize| {
                    let (from, to) = (i32::from(from[axis]), i32::from(to[axis]));
                    assert_eq!(signs[axis] != 0, from == to, "{from} {to}");
                    from..to.max(from + 1)
                };
                for x in long(0) {
                    for y in long(1) {
                        for z in long(2) {
                            *units.entry((signs, [x, y, z])).or_default() += 1;
                        }
                    }
                }
                found[signs.iter().filter(|&&sign| sign != 0).count()] += 1;
            });
            let is_solid = |cell: [i32; 3]| {
                let at = inside + Vector3::from(cell);
                bits[at.z as usize * BRICK + at.y as usize] >> at.x & 1 != 0
            };
            assert_eq!(
                units,
                seen_of(by_force(is_solid, size), &cuts),
                "turn {turn}"
            );
        }
        assert!(found[1..].iter().all(|&count| count > 1_000), "{found:?}");
    }

    #[test]
    fn what_comes_beside_a_handful_is_noticed_on_all_sides() {
        let bounds = CellBox::new(Cell::zeros(), Cell::repeat(31));
        let corner = Position::new(Cell::repeat(16), Vector3::zeros());
        for axis in 0..3 {
            // The cells in reach are those on both sides of the corner.
            for (cell, near) in [(13, false), (14, true), (17, true), (18, false)] {
                let mut world = World::from_voxels(bounds, |_| Material::AIR);
                let reach = Reach {
                    base: corner.cell,
                    start: Vector3::zeros(),
                    motion: Vector3::zeros(),
                    min: Vector3::repeat(-0.5),
                    max: Vector3::repeat(0.5),
                    half: Vector3::repeat(0.4),
                };
                let mut memory = Memory::default();
                world.gather(&reach, &mut memory, &mut Candidates::default());
                assert!(world.unchanged(&memory));
                let mut place = corner.cell;
                place[axis] = cell;
                let inside = Position::new(place, Vector3::repeat(0.25));
                let added = world.add_object(inside, 0.5, Vector3::repeat(1), |_| Material::STONE);
                added.unwrap();
                assert_eq!(world.unchanged(&memory), !near, "{axis} {cell}");
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_no_handful() {
        let fits =
            |inside: i32, span: i32| Handful::fits(Vector3::repeat(inside), Vector3::repeat(span));
        assert!(fits(0, 3) && fits(28, 3) && fits(31, 0));
        assert!(!fits(29, 3) && !fits(0, 4) && !fits(0, -1) && !fits(0, i32::MIN));
    }
}
