//! The edits that belong to the one before them, kept with the world: after reopening, too, one
//! undo takes a whole drag back.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use world::World;

/// Name under which the world keeps the numbers of the edits.
const NAME: &str = "joined strokes";
/// Bytes of a run of consecutive numbers: its first and its last.
const RUN: usize = 16;

/// The numbers of the edits that belong to the one before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Joined(BTreeSet<u64>);

impl Joined {
    /// Returns the numbers that the world keeps. Numbers that its history does not hold are left
    /// out.
    pub(super) fn kept_in(world: &World) -> Self {
        let bytes = world.kept_bytes(NAME).unwrap_or_default();
        let runs: Vec<RangeInclusive<u64>> = bytes.chunks_exact(RUN).map(run_of).collect();
        let held = world.history().entries().map(|entry| entry.sequence);
        Joined(
            held.filter(|number| runs.iter().any(|run| run.contains(number)))
                .collect(),
        )
    }

    pub(super) fn contains(&self, number: u64) -> bool {
        self.0.contains(&number)
    }

    /// Adds an edit of the history, and keeps all of them in the world.
    pub(super) fn insert(&mut self, number: u64, world: &mut World) {
        let oldest = world.history().entries().map(|entry| entry.sequence).min();
        self.0 = self.0.split_off(&oldest.unwrap_or(number));
        self.0.insert(number);
        // The name is short, and a history has far fewer runs than a name can keep.
        let _ = world.keep_bytes(NAME, &self.bytes());
    }

    fn bytes(&self) -> Vec<u8> {
        let mut runs: Vec<[u64; 2]> = Vec::new();
        for &number in &self.0 {
            match runs.last_mut() {
                Some([_, last]) if *last + 1 == number => *last = number,
                _ => runs.push([number; 2]),
            }
        }
        runs.concat()
            .iter()
            .flat_map(|end| end.to_le_bytes())
            .collect()
    }
}

fn run_of(bytes: &[u8]) -> RangeInclusive<u64> {
    let mut ends = bytes.chunks_exact(RUN / 2).map(|half| {
        half.iter()
            .rev()
            .fold(0, |number, &byte| number << 8 | u64::from(byte))
    });
    ends.next().unwrap_or(1)..=ends.next().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;

    use collision::Cell;
    use world::save::{MemoryStore, Store};
    use world::{Brick, Material, Voxels};

    use super::*;
    use crate::rules::Characters;
    use crate::{BrushMode, BrushShape, Command, Joins, PlayerId, Simulation, Stroke, standing_in};

    fn simulation(world: World) -> Simulation {
        let tuning = Characters::default();
        let home = standing_in(Cell::new(0, 64, 0), tuning.half_height);
        Simulation::new(world, home, &tuning)
    }

    fn drag(simulation: &mut Simulation, from: i32, length: i32) {
        for step in 0..length {
            simulation.apply(
                PlayerId::FIRST,
                &Command::Edit(Stroke {
                    center: Cell::new(from + step, 40, 3),
                    shape: BrushShape::Voxel,
                    size: 1,
                    mode: BrushMode::Place,
                    material: Material::GOLD,
                    joins: if step == 0 {
                        Joins::Nothing
                    } else {
                        Joins::Before
                    },
                }),
            );
        }
    }

    #[test]
    fn drags_are_single_strokes_after_reopening() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let mut world = World::create_in(store.clone(), 3).unwrap();
        let air = Brick::new(Voxels::default(), world.materials());
        world.insert_bricks([(Cell::new(0, 1, 0), air)]);
        let mut first = simulation(world);
        for (from, length) in [(0, 5), (10, 1), (12, 4)] {
            drag(&mut first, from, length);
        }
        assert_eq!(first.strokes().count(), 3);
        // The program is killed: no part of it says goodbye.
        first.world.flush().unwrap();
        drop(first);
        let mut again = simulation(World::open_store(store).unwrap());
        assert_eq!(again.strokes().count(), 3);
        let gold = |simulation: &Simulation| {
            let cells = (0..32).map(|x| Cell::new(x, 40, 3));
            cells
                .filter(|&cell| simulation.world.material(cell) == Some(Material::GOLD))
                .count()
        };
        for left in [6, 5, 0] {
            again.apply(PlayerId::FIRST, &Command::Undo);
            again.finish_strokes();
            assert_eq!(gold(&again), left);
        }
        again.apply(PlayerId::FIRST, &Command::Redo);
        again.finish_strokes();
        assert_eq!(gold(&again), 5);
    }

    #[test]
    fn nonsense_in_the_world_joins_nothing() {
        let mut world = World::default();
        for bytes in [&[0xff; 15][..], &[0xff; 16], &[0; 33]] {
            world.keep_bytes(NAME, bytes).unwrap();
            assert_eq!(Joined::kept_in(&world), Joined::default());
        }
    }
}
