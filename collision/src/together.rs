//! Several terrains as one: a character may stand between voxels, meshes and moving objects at
//! once.
//!
//! The parts after the first lie in a tree of boxes, eight to a node, built anew for every tick. A
//! query goes to the parts whose boxes it meets, so a platform far away costs nothing, and a
//! character's memory holds the revisions of only those parts that meet the box it has seen.

mod index;

use std::borrow::Cow;

use nalgebra::Vector3;

pub use self::index::PartIndex;
use crate::candidates::Candidates;
use crate::position::{Cell, Position};
use crate::terrain::{
    Bounds, Contents, Crossing, Memory, ObjectId, Passage, Reach, SolidBox, Terrain, Touched, mixed,
};
use crate::tolerance::FARTHEST_CARRIER;

/// Terrains that fill the same space. The largest should come first: it alone can use the words of
/// a character's memory, and takes part in every query. The others should return their
/// [bounds](Terrain::bounds). Object numbers must differ between parts that are near each other.
///
/// The boxes and revisions of the parts are read once, when it is made: make one for every tick, or
/// keep its [index](PartIndex) while only the first part changes.
#[derive(Clone)]
pub struct Together<'a> {
    parts: &'a [&'a dyn Terrain],
    index: Cow<'a, PartIndex>,
}

impl PartIndex {
    /// Combines all parts, reusing the memory of this index: in steady state it allocates nothing.
    pub fn over<'a>(&'a mut self, parts: &'a [&'a dyn Terrain]) -> Together<'a> {
        self.refresh(parts);
        Together {
            parts,
            index: Cow::Borrowed(self),
        }
    }

    /// Joins all parts, as this index last read them: those beside the first must be the same, in
    /// the same order, and unchanged since. Takes no time and no memory.
    pub fn kept<'a>(&'a self, parts: &'a [&'a dyn Terrain]) -> Together<'a> {
        Together {
            parts,
            index: Cow::Borrowed(self),
        }
    }
}

impl<'a> Together<'a> {
    /// Combines all parts. Allocates memory for its index; [`PartIndex::over`] reuses it.
    #[must_use]
    pub fn new(parts: &'a [&'a dyn Terrain]) -> Self {
        let mut index = PartIndex::default();
        index.refresh(parts);
        Self {
            parts,
            index: Cow::Owned(index),
        }
    }

    fn main(&self) -> Option<&'a dyn Terrain> {
        self.parts.first().copied()
    }

    /// Calls `each` with the parts after the first that may reach into a box.
    fn each_near(&self, cells: &Bounds, mut each: impl FnMut(&'a dyn Terrain)) {
        let _ = self.find_near(cells, |part| {
            each(part);
            None::<()>
        });
    }

    /// Returns the first result of the parts after the first that may reach into a box.
    fn find_near<R>(
        &self,
        cells: &Bounds,
        mut find: impl FnMut(&'a dyn Terrain) -> Option<R>,
    ) -> Option<R> {
        let endless = self.index.endless().find_map(|part| find(self.parts[part]));
        endless.or_else(|| self.index.find(cells, |part| find(self.parts[part])))
    }

    /// Returns the result of the part that has an object: a part that holds the place, or one
    /// without bounds, or one near by. This order separates equal numbers far from each other.
    fn of_owner<R>(&self, at: &Position, ask: impl Fn(&dyn Terrain) -> Option<R>) -> Option<R> {
        let among = |cells: &Bounds| self.index.find(cells, |part| ask(self.parts[part]));
        let here = Bounds::of(at.cell);
        let endless = || self.index.endless().find_map(|part| ask(self.parts[part]));
        among(&here)
            .or_else(|| self.main().and_then(&ask))
            .or_else(endless)
            .or_else(|| among(&here.grown(FARTHEST_CARRIER)))
    }

    /// Returns the combined revisions of the parts after the first that may reach into the seen
    /// box.
    fn revisions_about(&self, seen: Option<Bounds>) -> u64 {
        match seen {
            Some(cells) => self.index.revisions_near(&cells),
            None => self.index.revisions(),
        }
    }
}

impl Terrain for Together<'_> {
    fn revision(&self) -> u64 {
        let main = self.main().map_or(0, Terrain::revision);
        mixed(main, self.index.revisions())
    }

    fn unchanged(&self, memory: &Memory) -> bool {
        let Some(main) = self.main() else {
            return true;
        };
        main.unchanged(memory) && memory.others == self.revisions_about(main.seen(memory))
    }

    fn gather(&self, reach: &Reach, memory: &mut Memory, out: &mut Candidates) {
        let Some(main) = self.main() else {
            return;
        };
        main.gather(reach, memory, out);
        memory.others = self.revisions_about(main.seen(memory));
        let cells = Bounds::about(reach.base, reach.min, reach.max);
        self.each_near(&cells, |part| {
            part.gather(reach, &mut Memory::default(), out);
        });
    }

    fn seen(&self, memory: &Memory) -> Option<Bounds> {
        self.main()?.seen(memory)
    }

    /// Lets the first part answer if no other is near: no part knows the obstacles of another.
    fn passage(&self, crossing: &Crossing, memory: &mut Memory) -> Passage {
        let cells = Bounds::about(crossing.start.cell, crossing.min, crossing.max);
        let Some(main) = self.main().filter(|_| !self.index.is_near(&cells)) else {
            return Passage::Unknown;
        };
        let passage = main.passage(crossing, memory);
        if passage != Passage::Unknown {
            memory.others = self.revisions_about(main.seen(memory));
        }
        passage
    }

    fn gather_solids(
        &self,
        base: Cell,
        min: Vector3<f32>,
        max: Vector3<f32>,
        out: &mut Vec<SolidBox>,
    ) {
        let Some(main) = self.main() else {
            return;
        };
        main.gather_solids(base, min, max, out);
        let cells = Bounds::about(base, min, max);
        self.each_near(&cells, |part| part.gather_solids(base, min, max, out));
    }

    fn contents(&self, at: &Position, memory: &Memory) -> Contents {
        let nothing = Contents {
            loaded: true,
            ..Contents::default()
        };
        let mut all = self
            .main()
            .map_or(nothing, |main| main.contents(at, memory));
        self.each_near(&Bounds::of(at.cell), |part| {
            let one = part.contents(at, &Memory::default());
            all.loaded &= one.loaded;
            all.solid |= one.solid;
            all.liquid |= one.liquid;
            all.climbable |= one.climbable;
        });
        all
    }

    fn moves_near(&self, base: Cell, min: Vector3<f32>, max: Vector3<f32>) -> bool {
        let moves = |part: &dyn Terrain| part.moves_near(base, min, max);
        let cells = Bounds::about(base, min, max);
        let near = || self.find_near(&cells, |part| moves(part).then_some(()));
        self.main().is_some_and(moves) || near().is_some()
    }

    fn has_moving_surfaces(&self) -> bool {
        self.parts.iter().any(|part| part.has_moving_surfaces())
    }

    fn surface_velocity(&self, object: ObjectId, at: &Position) -> Vector3<f32> {
        let of = |part: &dyn Terrain| {
            let has_it = part.carry(object, at).is_some();
            has_it.then(|| part.surface_velocity(object, at))
        };
        self.of_owner(at, of).unwrap_or_default()
    }

    fn turn(&self, object: ObjectId, at: &Position) -> Vector3<f32> {
        let of = |part: &dyn Terrain| {
            let has_it = part.carry(object, at).is_some();
            has_it.then(|| part.turn(object, at))
        };
        self.of_owner(at, of).unwrap_or_default()
    }

    fn touched(&self, object: ObjectId, at: &Position, normal: &Vector3<f32>) -> Option<Touched> {
        self.of_owner(at, |part| part.touched(object, at, normal))
    }

    fn carry(&self, object: ObjectId, at: &Position) -> Option<Vector3<f32>> {
        self.of_owner(at, |part| part.carry(object, at))
    }
}

#[cfg(test)]
mod tests;
