//! Gathers the facts for the interface, once a picture.

use crate::arguments::Overlay;
use crate::settings::Power;
use crate::strokes;
use crate::ui::{CrowdFacts, MaterialFact, MemoryFact, MinimapFacts, Panel, ToolFacts, WorldFacts};
use crate::view::MapView;
use std::path::PathBuf;

use engine::window::{Context, Pointer};
use simulation::Simulation;
use world::SaveStatus;

use super::app::Play;
use super::tools::Tool;

/// Pictures between two searches for saved worlds, and the most that are shown.
const LOOK_FOR_SAVES: u64 = 30;
const MOST_SAVES: usize = 40;

impl Play {
    /// Updates `self.facts`.
    pub(super) fn gather_facts(&mut self, context: &Context) {
        let mut facts = std::mem::take(&mut self.facts);
        self.facts_gathered = self.facts_gathered.wrapping_add(1);
        let simulation = &self.session.simulation;
        let at = simulation.player_position().to_metres();
        facts.language = self.language();
        facts.seconds = self.seconds;
        facts.pointer_grabbed = context.pointer_mode() == Pointer::Captured;
        facts.travel = simulation.travel_words();
        facts.blind = simulation.is_solid_at(self.camera().position.cell);
        facts.position = [at.x, at.y, at.z];
        facts.target = self.target_words();
        facts.time_state = self.clock.words();
        let saving = simulation.world.save_status();
        facts.progress = self.jobs.progress(saving.waiting);
        facts.overlays.clone_from(&self.overlays);
        facts.world = self.world_facts(facts.world);
        facts.tool = self.tool_facts(&facts.world.materials);
        facts.crowd = self.crowd_facts(&saving);
        facts.shared = self.shared_facts(context.aspect());
        facts.blueprints.clear();
        if self.ui.is_open(Panel::Shelf) {
            facts.blueprints.extend_from_slice(self.shelf.facts());
        }
        self.history.frame.copy_to(&mut facts.frame.frame);
        self.history.cpu.copy_to(&mut facts.frame.cpu);
        self.history.tick.copy_to(&mut facts.frame.tick);
        facts.frame.count(&context.statistics);
        if self.overlays.contains(&Overlay::Memory) {
            facts.memory = self.memory_facts(context);
        }
        facts.scenes = self.scene_viewer.facts(facts.scenes, facts.language);
        self.map_facts(&mut facts.minimap);
        self.facts = facts;
    }

    /// Updates the map in the corner, with the player and the walkers.
    fn map_facts(&mut self, facts: &mut MinimapFacts) {
        if !self.settings.settings.graphics.minimap || self.scene_viewer.open.is_some() {
            return;
        }
        let simulation = &self.session.simulation;
        let view = MapView {
            world: &simulation.world,
            generation: self.view.world_generation,
            fog: simulation.fog(),
            player: simulation.player_position(),
            yaw: self.rig.yaw,
        };
        self.map.update(&view, facts);
        facts.dots.clear();
        self.map.mark_all(simulation, facts);
    }

    fn target_words(&self) -> Option<String> {
        let pick = self.aim.pick.as_ref()?;
        let name = &self
            .session
            .simulation
            .world
            .materials()
            .info(pick.material)
            .name;
        let [x, y, z] = [pick.voxel.x, pick.voxel.y, pick.voxel.z];
        let language = self.language();
        let (name, distance) = (language.say(name), format!("{:.1}", pick.distance));
        let words = "{} at {} {} {}, {} m away";
        Some(language.fill(words, &[&name, &x, &y, &z, &distance]))
    }

    fn tool_facts(&self, materials: &[MaterialFact]) -> ToolFacts {
        let hands = &self.hands;
        let language = self.language();
        let hint = match hands.tool {
            Tool::Carve => {
                let [mode, shape] =
                    [hands.mode().words(), hands.shape().words()].map(|words| language.say(words));
                language.fill("{} {}, size {}", &[&mode, &shape, &hands.size])
            }
            Tool::Cannon => match self.settings.settings.cannon.power {
                Power::Hold => {
                    let words = "hold and let go to fire; other button: new targets";
                    language.say(words).to_owned()
                }
                Power::Distance => {
                    let speed = format!("{:.0}", self.shot().speed);
                    let words = "click: fire at {} m/s; other button: new targets";
                    language.fill(words, &[&speed])
                }
            },
            Tool::Melee => language.say("swing; other button: spin").to_owned(),
            Tool::Props => self.prop_hint(),
            Tool::Stamp => self.stamp_hint(),
            Tool::Select => {
                let words = "click two corners, drag a handle; other button: none";
                language.say(words).to_owned()
            }
        };
        ToolFacts {
            name: hands.tool.words(),
            hint,
            shape: hands.shape(),
            brush_mode: hands.mode(),
            has_copy: self.session.simulation.copied().is_some(),
            symmetry: hands.symmetry.across,
            selection: self.selection_facts(),
            size: hands.size,
            slots: hands
                .slots
                .iter()
                .filter_map(|slot| materials.iter().find(|it| it.id == slot.0))
                .cloned()
                .collect(),
            slot: hands.slot,
            charge: self.aim.charge,
        }
    }

    /// Returns the facts for the panel of the world; strokes are counted only while it is open,
    /// since there may be thousands.
    fn world_facts(&self, before: WorldFacts) -> WorldFacts {
        let simulation = &self.session.simulation;
        let table = simulation.world.materials();
        let mut materials = before.materials;
        if materials.len() + 1 != table.len() {
            materials = MaterialFact::all_of(table);
        }
        if !self.ui.is_open(Panel::World) {
            return WorldFacts {
                materials,
                ..before
            };
        }
        WorldFacts {
            materials,
            seed: self.session.seed,
            path: self.session.path.clone(),
            chunks: simulation.world.loaded_chunks().count(),
            strokes: strokes::in_words(simulation, self.language()).collect(),
            strokes_done: simulation.strokes_done(),
            saves: self.saves(before.saves),
            in_the_way: before.in_the_way,
        }
    }

    /// Returns the worlds in the folder for worlds and those played last, which may lie elsewhere
    /// or have another ending. Searches while their panel is open.
    fn saves(&self, before: Vec<PathBuf>) -> Vec<PathBuf> {
        let due = self.facts_gathered.is_multiple_of(LOOK_FOR_SAVES);
        if !self.ui.is_open(Panel::World) || !(due || before.is_empty()) {
            return before;
        }
        let mut saves = crate::saves::all().unwrap_or_default();
        saves.truncate(MOST_SAVES);
        for path in &self.settings.settings.played {
            if path.exists() && !saves.contains(path) {
                saves.push(path.clone());
            }
        }
        saves
    }

    fn crowd_facts(&self, saving: &SaveStatus) -> CrowdFacts {
        let simulation = &self.session.simulation;
        let own = simulation.own();
        CrowdFacts {
            walkers: simulation.walkers(),
            mood: simulation.mood().words(),
            platforms: simulation.has_platforms(),
            fog: simulation.fog().is_some(),
            seen_share: simulation.fog().map_or(0.0, |fog| fog.seen_share()),
            score: simulation.cannon().score,
            targets: simulation.cannon().targets().len(),
            hurt: own.map_or(0.0, |own| own.fighter().hurt()),
            picked: own.map_or(0, |own| own.pickups()),
            trouble: trouble(simulation, saving),
        }
    }

    fn memory_facts(&self, context: &Context) -> Vec<MemoryFact> {
        let statistics = &context.statistics;
        let world = &self.session.simulation.world;
        let bricks = world
            .brick_ids()
            .map(|id| world.brick(id).heap_bytes() as u64);
        let [quads, pages] = [statistics.quad_bytes, statistics.page_bytes];
        MemoryFact::list([
            ("voxels and surfaces", bricks.sum()),
            ("quads on the GPU", quads),
            ("quad pages", pages),
        ])
    }
}

/// Returns a warning when edits are in danger, or the player cannot move as usual.
fn trouble(simulation: &Simulation, saving: &SaveStatus) -> Option<&'static str> {
    if saving.error.is_some() {
        return Some("Edits are not being saved: free some space, or save under another name");
    }
    let at = simulation.player_position().cell;
    match simulation.world.material(at) {
        None => Some("The land here is still being loaded"),
        Some(material) if simulation.world.materials().is_solid(material) => {
            Some("Stuck in the ground: Home lifts you out")
        }
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use collision::Cell;
    use simulation::{Characters, standing_in};
    use world::save::{MemoryStore, Store, StoreChange, StoreError, Table};
    use world::{Material, World};

    use super::*;
    use crate::arguments::PlayArguments;
    use crate::language::Language;
    use crate::session::Session;
    use crate::settings::{Settings, SettingsFile};
    use crate::sound::Sounds;

    /// A store that can be made to run out of space.
    #[derive(Default)]
    struct Narrow {
        inner: MemoryStore,
        full: AtomicBool,
    }

    type Visit<'a> = &'a mut dyn FnMut(&[u8], &[u8]);

    impl Store for Narrow {
        fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
            self.inner.get(table, key)
        }

        fn visit(&self, table: Table, visit: Visit<'_>) -> Result<(), StoreError> {
            self.inner.visit(table, visit)
        }

        fn commit(&self, changes: &[StoreChange]) -> Result<(), StoreError> {
            match self.full.load(Ordering::SeqCst) {
                true => Err(StoreError::Full),
                false => self.inner.commit(changes),
            }
        }
    }

    #[test]
    fn worlds_of_any_ending_and_folder_are_listed_once_they_were_played() {
        let name = format!("demo-listed-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let [first, second] = ["castle.dat", "bridge"].map(|name| folder.join(name));
        let arguments = PlayArguments {
            world: Some(first.clone()),
            view: Some(32),
            crowd: Some(0),
            ..PlayArguments::default()
        };
        let settings = SettingsFile::in_memory(Settings::default(), Language::English);
        let mut play = Play::open(settings, &arguments, Sounds::silent()).unwrap();
        play.ui.toggle(Panel::World);
        let next = Session::saved(&second, None, 32.0, &Characters::default());
        play.change_world(next);
        let saves = play.saves(Vec::new());
        assert!(
            saves.contains(&first) && saves.contains(&second),
            "{saves:?}"
        );
        std::fs::remove_file(&first).unwrap();
        let saves = play.saves(Vec::new());
        assert!(
            !saves.contains(&first) && saves.contains(&second),
            "{saves:?}"
        );
        drop(play);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn the_player_is_told_while_edits_are_not_saved() {
        let store = Arc::new(Narrow::default());
        let world = World::create_in(store.clone(), 3).unwrap();
        let home = Cell::from(world.spawn().unwrap().cell);
        let tuning = Characters::default();
        let mut simulation = Simulation::new(world, standing_in(home, tuning.half_height), &tuning);
        let told = |simulation: &Simulation| trouble(simulation, &simulation.world.save_status());
        assert_eq!(told(&simulation), None);
        store.full.store(true, Ordering::SeqCst);
        simulation.world.set_voxel(home - Cell::y(), Material::GOLD);
        assert!(simulation.world.flush().is_err());
        assert!(told(&simulation).is_some_and(|words| words.contains("not being saved")));
        store.full.store(false, Ordering::SeqCst);
        simulation.world.flush().unwrap();
        assert_eq!(told(&simulation), None);
    }
}
