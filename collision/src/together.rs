//! Several terrains as one: a character may stand between voxels, meshes and moving objects at once.

use nalgebra::Vector3;

use crate::candidates::Candidates;
use crate::position::{Cell, Position};
use crate::terrain::{Contents, Crossing, Memory, ObjectId, Passage, Reach, SolidBox, Terrain};

/// Terrains that fill the same space. The largest should come first: it alone can use what a character remembers. Object ids must differ
/// between the parts.
#[derive(Clone, Copy)]
pub struct Together<'a> {
    parts: &'a [&'a dyn Terrain],
}

impl<'a> Together<'a> {
    /// All parts at once.
    pub fn new(parts: &'a [&'a dyn Terrain]) -> Self {
        Self { parts }
    }

    fn split(&self) -> Option<(&'a dyn Terrain, &'a [&'a dyn Terrain])> {
        self.parts
            .split_first()
            .map(|(first, others)| (*first, others))
    }

    fn other_revisions(others: &[&dyn Terrain]) -> u64 {
        let mix = |sum: u64, part: &&dyn Terrain| {
            sum.wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .wrapping_add(part.revision())
        };
        others.iter().fold(others.len() as u64, mix)
    }
}

impl Terrain for Together<'_> {
    fn revision(&self) -> u64 {
        Self::other_revisions(self.parts)
    }

    fn unchanged(&self, memory: &Memory) -> bool {
        let Some((first, others)) = self.split() else {
            return true;
        };
        memory.others == Self::other_revisions(others) && first.unchanged(memory)
    }

    fn gather(&self, reach: &Reach, memory: &mut Memory, out: &mut Candidates) {
        let Some((first, others)) = self.split() else {
            return;
        };
        first.gather(reach, memory, out);
        memory.others = Self::other_revisions(others);
        for part in others {
            part.gather(reach, &mut Memory::default(), out);
        }
    }

    /// One part answers for itself; of several none knows what is in the way of the others.
    fn passage(&self, crossing: &Crossing, memory: &mut Memory) -> Passage {
        let [only] = self.parts else {
            return Passage::Unknown;
        };
        let passage = only.passage(crossing, memory);
        if passage != Passage::Unknown {
            memory.others = Self::other_revisions(&[]);
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
        for part in self.parts {
            part.gather_solids(base, min, max, out);
        }
    }

    fn contents(&self, at: &Position, _: &Memory) -> Contents {
        let mut all = Contents {
            loaded: true,
            ..Contents::default()
        };
        for part in self.parts {
            let one = part.contents(at, &Memory::default());
            all.loaded &= one.loaded;
            all.solid |= one.solid;
            all.liquid |= one.liquid;
            all.climbable |= one.climbable;
        }
        all
    }

    fn moves_near(&self, base: Cell, min: Vector3<f32>, max: Vector3<f32>) -> bool {
        self.parts
            .iter()
            .any(|part| part.moves_near(base, min, max))
    }

    fn carry(&self, object: ObjectId, at: &Position) -> Option<Vector3<f32>> {
        self.parts.iter().find_map(|part| part.carry(object, at))
    }
}
