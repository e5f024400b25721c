//! The player's place, look and tools, kept with the world every second and at the end.

use serde::{Deserialize, Serialize};
use simulation::{BRUSH_SIZES, BrushMode, BrushShape, Symmetry};
use world::{Material, World};

use crate::place::Place;

use super::app::Play;
use super::rig::Person;
use super::tools::{Hands, SLOTS, Tool};

/// Name under which the world keeps the tools.
const NAME: &str = "player tools";

/// The player's tools. Materials are named, since their numbers may change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Tools {
    tool: Tool,
    slots: Vec<String>,
    slot: usize,
    size: u32,
    shape: BrushShape,
    mode: BrushMode,
    person: Person,
    #[serde(default)]
    symmetry: Symmetry,
}

impl Tools {
    fn of(hands: &Hands, person: Person, world: &World) -> Self {
        let name = |&material: &Material| world.materials().info(material).name.clone();
        Tools {
            tool: hands.tool,
            slots: hands.slots.iter().map(name).collect(),
            slot: hands.slot,
            size: hands.size,
            shape: hands.shape(),
            mode: hands.mode(),
            person,
            symmetry: hands.symmetry,
        }
    }

    pub(super) fn kept_in(world: &World) -> Option<Self> {
        serde_json::from_slice(world.kept_bytes(NAME)?).ok()
    }

    fn keep_in(&self, world: &mut World) {
        if let Ok(text) = serde_json::to_vec(self) {
            // The name and the text are short.
            let _ = world.keep_bytes(NAME, &text);
        }
    }

    /// Takes the tools in hand. A stamp needs a copy, which is not kept.
    fn take(&self, hands: &mut Hands, world: &World) {
        hands.tool = match self.tool {
            Tool::Stamp => Tool::Carve,
            tool => tool,
        };
        for (slot, name) in hands.slots.iter_mut().zip(&self.slots) {
            *slot = world.materials().by_name(name).unwrap_or(*slot);
        }
        hands.slot = self.slot.min(SLOTS - 1);
        hands.size = self.size.clamp(*BRUSH_SIZES.start(), *BRUSH_SIZES.end());
        hands.choose_brush(self.shape, self.mode);
        hands.symmetry = self.symmetry;
    }
}

impl Play {
    /// Keeps the player's place, look and tools with the world.
    pub(super) fn remember(&mut self) {
        let simulation = &mut self.session.simulation;
        let place = Place::of(simulation, self.rig.yaw, self.rig.pitch);
        let tools = Tools::of(&self.hands, self.rig.person, &simulation.world);
        place.keep_in(&mut simulation.world);
        tools.keep_in(&mut simulation.world);
    }

    /// Takes the tools that the world keeps in hand.
    pub(super) fn recall_tools(&mut self) {
        let world = &self.session.simulation.world;
        if let Some(tools) = Tools::kept_in(world) {
            tools.take(&mut self.hands, world);
            self.rig.person = tools.person;
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    #![allow(clippy::unwrap_used)]

    use std::path::Path;
    use std::time::Duration;

    use engine::window::Rehearsal;
    use engine::{GpuOptions, InputEvent};
    use simulation::Travel;

    use super::*;
    use crate::arguments::PlayArguments;
    use crate::language::Language;
    use crate::settings::{Settings, SettingsFile};
    use crate::sound::Sounds;

    pub(in super::super) type Sandbox = Rehearsal<Play>;

    /// Size of pictures that are not looked at.
    pub(in super::super) const SMALL: [u32; 2] = [64, 40];

    /// Opens the sandbox in a world, with pictures of a size.
    pub(in super::super) fn open(world: &Path, size: [u32; 2]) -> Sandbox {
        let arguments = PlayArguments {
            world: Some(world.to_path_buf()),
            ..PlayArguments::default()
        };
        let mut settings = Settings::default();
        settings.characters.crowd = 0;
        settings.graphics.view_metres = 48.0;
        let play = Play::open(
            SettingsFile::in_memory(settings, Language::English),
            &arguments,
            Sounds::silent(),
        )
        .unwrap();
        Rehearsal::open(play, GpuOptions::Reference, size).unwrap()
    }

    fn hold(sandbox: &mut Sandbox, keys: &[&str], pictures: u32) {
        let event = |kind: fn(String) -> InputEvent, key: &str| kind(key.to_owned());
        keys.iter()
            .for_each(|key| sandbox.input(&event(InputEvent::Pressed, key)));
        for _ in 0..pictures {
            sandbox.picture(Duration::from_millis(50)).unwrap();
        }
        keys.iter()
            .for_each(|key| sandbox.input(&event(InputEvent::Released, key)));
        sandbox.picture(Duration::from_millis(50)).unwrap();
    }

    pub(in super::super) fn state(sandbox: &Sandbox) -> (Place, Tools) {
        let play = sandbox.app();
        let simulation = &play.session.simulation;
        let place = Place::of(simulation, play.rig.yaw, play.rig.pitch);
        let tools = Tools::of(&play.hands, play.rig.person, &simulation.world);
        (place, tools)
    }

    #[test]
    fn session_goes_on_where_it_ended_however_it_ended() {
        let name = format!("demo-memory-{}.voxels", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_file(&path);
        let mut sandbox = open(&path, SMALL);
        let first = state(&sandbox);
        hold(&mut sandbox, &["KeyW"], 20);
        let keys = ["Digit4", "KeyB", "KeyN", "KeyX", "KeyV", "WheelUp"];
        keys.iter().for_each(|key| hold(&mut sandbox, &[key], 1));
        hold(&mut sandbox, &["KeyF"], 80);
        let ended = state(&sandbox);
        assert_ne!((&ended.0, &ended.1), (&first.0, &first.1));
        assert_eq!(ended.0.travel(), Travel::Walk);
        sandbox.close().unwrap();
        let sandbox = open(&path, SMALL);
        assert_eq!(state(&sandbox), ended, "closed");
        // A program that is killed says no goodbye.
        let mut sandbox = sandbox;
        hold(&mut sandbox, &["KeyS"], 10);
        hold(&mut sandbox, &["Digit7"], 40);
        let ended = state(&sandbox);
        let play = sandbox.app();
        play.session.simulation.world.flush().unwrap();
        drop(sandbox);
        let sandbox = open(&path, SMALL);
        assert_eq!(state(&sandbox), ended, "killed");
        drop(sandbox);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn tools_come_back_and_nonsense_is_cut() {
        let mut world = World::default();
        let mut hands = Hands::new(world.materials());
        hands.slots[2] = Material::GOLD;
        (hands.slot, hands.size, hands.tool) = (4, 9, Tool::Cannon);
        hands.next_brush();
        hands.symmetry = Symmetry {
            about: [4, -5, 6],
            across: [true, false],
        };
        let tools = Tools::of(&hands, Person::Third, &world);
        tools.keep_in(&mut world);
        let mut again = Hands::new(world.materials());
        Tools::kept_in(&world).unwrap().take(&mut again, &world);
        assert_eq!(Tools::of(&again, Person::Third, &world), tools);
        let wild = Tools {
            slot: 99,
            size: 5_000,
            slots: vec!["no such thing".to_owned(); 30],
            ..tools.clone()
        };
        wild.take(&mut again, &world);
        assert_eq!((again.slot, again.size), (SLOTS - 1, *BRUSH_SIZES.end()));
        assert_eq!(again.slots[2], Material::GOLD);
        world.keep_bytes(NAME, b"{").unwrap();
        assert_eq!(Tools::kept_in(&world), None);
        // Worlds of older versions keep no planes of symmetry.
        let mut older = serde_json::to_value(&tools).unwrap();
        older.as_object_mut().unwrap().remove("symmetry");
        let older = serde_json::to_vec(&older).unwrap();
        world.keep_bytes(NAME, &older).unwrap();
        assert!(!Tools::kept_in(&world).unwrap().symmetry.is_on());
    }
}
