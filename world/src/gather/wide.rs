//! Boxes that no block holds, visited chunk by chunk. In a box with more chunks than are loaded,
//! only the loaded ones and their neighbours are visited; all between them is solid, without a
//! surface, and given in a few large pieces.

use super::tile::{ALL_HIT, Ground};
use super::{Visit, terrain_lattice};
use crate::chunk::SIDE;
use crate::space::{BrickId, chunk_of};
use crate::world::World;
use collision::Cell;
use nalgebra::Vector3;

/// Most chunks that are visited one after the other.
const FEW: i64 = 1 << 12;

/// A chunk, counted from that of the base cell.
type Place = Vector3<i32>;

/// Cells of a box, counted from the base cell.
#[derive(Clone, Copy)]
struct Range {
    low: Vector3<i32>,
    high: Vector3<i32>,
}

impl Range {
    /// Returns the part within some chunks along an axis.
    fn along(mut self, axis: usize, first: i32, last: i32, inside: Vector3<i32>) -> Self {
        let cell = |chunk: i32| chunk * SIDE as i32 - inside[axis];
        self.low[axis] = self.low[axis].max(cell(first));
        self.high[axis] = self.high[axis].min(cell(last + 1) - 1);
        self
    }
}

impl World {
    /// Shows a visitor the terrain in a box.
    #[cold]
    pub(super) fn visit_wide(
        &self,
        base: Cell,
        low: Vector3<i32>,
        high: Vector3<i32>,
        visitor: &mut impl Visit,
    ) {
        let inside = base.map(|part| part & (SIDE as i32 - 1));
        let chunk = |cell: Vector3<i32>| (cell + inside).map(|part| part >> 5);
        let (first, last) = (chunk(low), chunk(high));
        let count = (last - first).map(|steps| i64::from(steps) + 1).product();
        let range = Range { low, high };
        if count <= FEW {
            for z in first.z..=last.z {
                for y in first.y..=last.y {
                    for x in first.x..=last.x {
                        self.visit_chunk(base, Place::new(x, y, z), range, visitor);
                    }
                }
            }
            return;
        }
        let mut places = Vec::new();
        for (loaded, _) in self.loaded_chunks() {
            let place = loaded.zip_map(&chunk_of(base), |a, b| a.wrapping_sub(b) << 5 >> 5);
            for step in 0..27 {
                let step = Vector3::new(step % 3, step / 3 % 3, step / 9).add_scalar(-1);
                let place = place + step;
                if (0..3).all(|axis| (first[axis]..=last[axis]).contains(&place[axis])) {
                    places.push(place);
                }
            }
        }
        places.sort_unstable_by_key(|place| (place.z, place.y, place.x));
        places.dedup();
        self.visit_parts(base, 2, range, [first, last], &places, visitor);
    }

    /// Splits a range along an axis and those before it, into the chunks of these places, sorted by
    /// z, y and x, and the rest.
    fn visit_parts(
        &self,
        base: Cell,
        axis: usize,
        range: Range,
        ends: [Place; 2],
        places: &[Place],
        visitor: &mut impl Visit,
    ) {
        let inside = base.map(|part| part & (SIDE as i32 - 1));
        let beyond = |first: i32, last: i32, visitor: &mut _| {
            if first <= last {
                let Range { low, high } = range.along(axis, first, last, inside);
                Visit::beyond(visitor, low, high);
            }
        };
        let mut next = ends[0][axis];
        for group in places.chunk_by(|a, b| a[axis] == b[axis]) {
            let here = group[0][axis];
            beyond(next, here - 1, visitor);
            let part = range.along(axis, here, here, inside);
            match axis.checked_sub(1) {
                Some(axis) => self.visit_parts(base, axis, part, ends, group, visitor),
                None => self.visit_chunk(base, group[0], part, visitor),
            }
            next = here + 1;
        }
        beyond(next, ends[1][axis], visitor);
    }

    /// Shows a visitor one chunk.
    fn visit_chunk(&self, base: Cell, place: Place, range: Range, visitor: &mut impl Visit) {
        let chunk = chunk_of(base).zip_map(&place, i32::wrapping_add);
        let middle = self.brick_at(chunk);
        let brick = |step: Vector3<i32>| {
            let index = (step.x + 1) + 3 * (step.y + 1) + 9 * (step.z + 1);
            let brick = match middle {
                Some(middle) => self.bricks_around(middle)[index as usize],
                None if index == 13 => BrickId::NOT_LOADED,
                None => self.brick_at(chunk + step).unwrap_or(BrickId::NOT_LOADED),
            };
            self.brick(brick)
        };
        let is_hit = middle.is_none_or(|middle| self.slots.get(middle).indexed);
        let inside = base.map(|part| part & (SIDE as i32 - 1));
        let lattice = terrain_lattice(place * SIDE as i32 - inside);
        let ground = Ground {
            lattice,
            brick,
            hit: if is_hit { ALL_HIT } else { 0 },
        };
        let low = (range.low - lattice.lowest).map(|part| part.max(-1));
        let high = (range.high - lattice.lowest).map(|part| part.min(SIDE as i32));
        visitor.window(&ground, low, high, &[Vector3::zeros(); 2]);
    }
}
