//! Placing, moving and removing props as steps of the same history as strokes.
//!
//! The world's history holds the order of steps and strokes. The lists of props before and after a
//! step are kept with the world under the step's number, so that it can be undone after reopening,
//! too.

use world::World;

use super::Simulation;
use super::hand::Way;
use super::noises::{Matter, Noise};
use super::props::{PropId, Props, Stand};

/// Prefix of the name under which the world keeps a step; its number follows.
const STEP: &str = "props step ";

/// The lists of props before and after a step.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PropStep {
    words: String,
    before: String,
    after: String,
}

impl PropStep {
    fn of(world: &World, sequence: u64) -> Option<Self> {
        let bytes = world.kept_bytes(&format!("{STEP}{sequence}"))?;
        let text = std::str::from_utf8(bytes).ok()?;
        let (words, rest) = text.split_once('\n')?;
        let (count, lists) = rest.split_once('\n')?;
        let lines = count.parse().ok()?;
        let length = lists.split_inclusive('\n').take(lines).map(str::len).sum();
        let (before, after) = lists.split_at(length);
        Some(PropStep {
            words: words.to_owned(),
            before: before.to_owned(),
            after: after.to_owned(),
        })
    }

    fn keep_in(&self, world: &mut World, sequence: u64) {
        let PropStep {
            words,
            before,
            after,
        } = self;
        let text = format!("{words}\n{}\n{before}{after}", before.lines().count());
        // The name is short, and lists are within their limits.
        let _ = world.keep_bytes(&format!("{STEP}{sequence}"), text.as_bytes());
    }
}

/// Returns whether undoing or redoing a step can bring a prop of this model back.
fn may_bring_back(world: &World, model: &str) -> bool {
    let steps = world
        .kept_names()
        .filter_map(sequence_of)
        .filter_map(|sequence| PropStep::of(world, sequence));
    let ending = format!(" {model}");
    let mut lists = steps.flat_map(|step| [step.before, step.after]);
    lists.any(|list| list.lines().any(|line| line.ends_with(&ending)))
}

fn sequence_of(name: &str) -> Option<u64> {
    name.strip_prefix(STEP)?.parse().ok()
}

/// Forgets the steps that are no longer in the history.
fn prune(world: &mut World) {
    let held = |sequence: u64| {
        let mut entries = world.history().entries();
        entries.any(|entry| entry.sequence == sequence)
    };
    let stale = |name: &&str| sequence_of(name).is_some_and(|sequence| !held(sequence));
    let names: Vec<String> = world
        .kept_names()
        .filter(stale)
        .map(str::to_owned)
        .collect();
    for name in names {
        world.forget_bytes(&name);
    }
}

impl Simulation {
    /// Returns the words that the world keeps of a step; empty if it is not a step of props.
    pub(super) fn words_of_step(&self, sequence: u64) -> &str {
        let kept = self.world.kept_bytes(&format!("{STEP}{sequence}"));
        let text = kept.and_then(|bytes| std::str::from_utf8(bytes).ok());
        let words = text.and_then(|text| text.split_once('\n'));
        words.map_or("", |(words, _)| words)
    }

    pub(super) fn place_prop(&mut self, player: usize, model: &str, stand: Stand) {
        self.change_props(player, &format!("{model} placed"), |props| {
            props.place(model, stand)
        });
    }

    pub(super) fn move_prop(&mut self, player: usize, prop: PropId, stand: Stand) {
        if let Some(name) = self.name_of(prop) {
            self.change_props(player, &format!("{name} moved"), |props| {
                props.move_to(prop, stand)
            });
        }
    }

    pub(super) fn take_prop(&mut self, player: usize, prop: PropId) {
        if let Some(name) = self.name_of(prop) {
            self.change_props(player, &format!("{name} taken away"), |props| {
                props.take(prop)
            });
        }
    }

    fn name_of(&self, prop: PropId) -> Option<String> {
        Some(self.props.get(prop)?.model.name().to_owned())
    }

    fn change_props(
        &mut self,
        player: usize,
        words: &str,
        change: impl FnOnce(&mut Props) -> bool,
    ) {
        self.finish_strokes_of(player);
        let before = self.props.list_text();
        if !change(&mut self.props) {
            return;
        }
        let at = self.place_of(player);
        self.sound_of(player, Noise::Place(Matter::Wood), at, 0.8);
        let after = self.props.list_text();
        if after == before {
            return;
        }
        if let Some(sequence) = self.world.record_step_as(self.author(player)) {
            let words = words.to_owned();
            let step = PropStep {
                words,
                before,
                after,
            };
            step.keep_in(&mut self.world, sequence);
        }
        prune(&mut self.world);
        self.props.keep_in(&mut self.world, may_bring_back);
    }

    /// Restores the props after an entry of the history was undone or redone, if it is a step of
    /// props.
    pub(super) fn return_props(&mut self, sequence: u64, way: Way) {
        if let Some(step) = PropStep::of(&self.world, sequence) {
            let list = match way {
                Way::Back => step.before,
                Way::Forth => step.after,
            };
            self.props.restore(&list);
            self.props.keep_in(&mut self.world, may_bring_back);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;

    use collision::{Cell, Position};
    use nalgebra::Vector3;
    use world::save::{MemoryStore, Store};

    use super::*;
    use crate::prop_model::PropModel;
    use crate::rules::Characters;
    use crate::{BrushMode, BrushShape, Command, Joins, PastWork, PlayerId, Stroke, standing_in};

    fn stand(x: i32, turn: u8) -> Stand {
        let position = Position::new(Cell::new(x, 70, 0), Vector3::new(0.5, 0.0, 0.5));
        Stand { position, turn }
    }

    fn simulation_in(world: World) -> Simulation {
        let tuning = Characters::default();
        let home = standing_in(Cell::new(0, 90, 0), tuning.half_height);
        Simulation::new(world, home, &tuning)
    }

    fn place(simulation: &mut Simulation, model: &str, stand: Stand) {
        let model = model.to_owned();
        simulation.apply(PlayerId::FIRST, &Command::PlaceProp { model, stand });
    }

    /// Returns the model's name and the place of every prop.
    fn props_of(simulation: &Simulation) -> Vec<(String, Stand)> {
        let list = simulation.props().list().iter();
        list.map(|it| (it.model.name().to_owned(), it.stand))
            .collect()
    }

    /// Places three props, moves one, makes a stroke, and removes one; returns the props after
    /// each.
    fn busy(simulation: &mut Simulation) -> Vec<Vec<(String, Stand)>> {
        let text = "v 0 0 0\nv 3 0 0\nv 0 4 0\nf 1 2 3\n".to_owned();
        let own = PropModel::parse("my own flag", text).unwrap();
        simulation.add_prop_model(own).unwrap();
        let mut after = vec![props_of(simulation)];
        for (name, x) in [("ramp", 3), ("my own flag", 9), ("rock", 20)] {
            place(simulation, name, stand(x, 4));
            after.push(props_of(simulation));
        }
        let prop = simulation.props().list()[1].id;
        let stand = stand(-30, 7);
        simulation.apply(PlayerId::FIRST, &Command::MoveProp { prop, stand });
        after.push(props_of(simulation));
        // Moving a prop to its own place, or one that is gone, is not a step.
        simulation.apply(PlayerId::FIRST, &Command::MoveProp { prop, stand });
        simulation.apply(
            PlayerId::FIRST,
            &Command::Edit(Stroke {
                center: Cell::new(5, 3000, 5),
                shape: BrushShape::Voxel,
                size: 1,
                mode: BrushMode::Place,
                material: world::Material::GOLD,
                joins: Joins::Nothing,
            }),
        );
        after.push(props_of(simulation));
        simulation.apply(PlayerId::FIRST, &Command::TakeProp(prop));
        simulation.apply(PlayerId::FIRST, &Command::TakeProp(prop));
        after.push(props_of(simulation));
        after
    }

    #[test]
    fn props_are_undone_and_redone_among_the_strokes() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let mut simulation = simulation_in(World::create_in(store, 5).unwrap());
        let after = busy(&mut simulation);
        assert_eq!(simulation.strokes().count(), after.len() - 1);
        let works: Vec<_> = simulation.strokes().map(|stroke| stroke.work).collect();
        assert_eq!(works[0], PastWork::Props("ramp placed"));
        assert_eq!(works[5], PastWork::Props("my own flag taken away"));
        for _ in 0..2 {
            for expected in after.iter().rev().skip(1) {
                simulation.apply(PlayerId::FIRST, &Command::Undo);
                assert_eq!(props_of(&simulation), *expected);
            }
            for expected in &after[1..] {
                simulation.apply(PlayerId::FIRST, &Command::Redo);
                assert_eq!(props_of(&simulation), *expected);
            }
        }
        simulation.apply(PlayerId::FIRST, &Command::GoToStroke(2));
        assert_eq!(props_of(&simulation), after[2]);
        // A prop that stays keeps its id; undone steps are forgotten with the next step.
        let ramp = simulation.props().list()[0].id;
        place(&mut simulation, "statue", stand(1, 1));
        assert_eq!(simulation.props().list()[0].id, ramp);
        assert_eq!(simulation.strokes().count(), 3);
        let kept = simulation.world.kept_names().filter_map(sequence_of);
        assert_eq!(kept.count(), 3);
    }

    #[test]
    fn props_are_undone_after_the_world_was_opened_again() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let mut simulation = simulation_in(World::create_in(store.clone(), 5).unwrap());
        let after = busy(&mut simulation);
        for expected in after.iter().rev().skip(1) {
            simulation.world.flush().unwrap();
            drop(simulation);
            simulation = simulation_in(World::open_store(store.clone()).unwrap());
            assert!(simulation.take_notices().is_empty());
            simulation.apply(PlayerId::FIRST, &Command::Undo);
            assert_eq!(props_of(&simulation), *expected);
        }
        simulation.apply(PlayerId::FIRST, &Command::GoToStroke(after.len() - 1));
        assert_eq!(props_of(&simulation), after[after.len() - 1]);
    }

    #[test]
    fn kept_steps_that_make_no_sense_change_nothing() {
        let mut simulation = simulation_in(World::default());
        place(&mut simulation, "rock", stand(3, 4));
        let sequence = simulation.world.kept_names().find_map(sequence_of).unwrap();
        let name = format!("{STEP}{sequence}");
        for nonsense in [&b"\xff"[..], b"", b"a\nb\nc", b"a\n9"] {
            simulation.world.keep_bytes(&name, nonsense).unwrap();
            simulation.apply(PlayerId::FIRST, &Command::Undo);
            assert_eq!(props_of(&simulation).len(), 1);
            simulation.apply(PlayerId::FIRST, &Command::Redo);
        }
    }
}
