//! Gathers what the interface shows, once a picture.

use engine::window::{Context, Pointer};
use world::{Material, MaterialTable};

use crate::ui::{
    CrowdFacts, MaterialFact, MemoryFact, MinimapFacts, PassFact, ToolFacts, WorldFacts,
};
use crate::view::MapView;

use super::app::Play;
use super::tools::Tool;

impl Play {
    /// Fills `self.facts` anew.
    pub(super) fn gather_facts(&mut self, context: &Context) {
        let mut facts = std::mem::take(&mut self.facts);
        let simulation = &self.session.simulation;
        let at = simulation.player_position().to_metres();
        facts.seconds = self.seconds;
        facts.pointer_grabbed = context.pointer_mode() == Pointer::Captured;
        facts.travel = simulation.travel_words();
        facts.position = [at.x, at.y, at.z];
        facts.target = self.target_words();
        facts.time_state = self.clock.words();
        let waiting = simulation.world.save_status().waiting;
        facts.progress = self.jobs.progress(waiting);
        facts.overlays.clone_from(&self.overlays);
        facts.tool = self.tool_facts();
        facts.world = self.world_facts(facts.world);
        facts.crowd = self.crowd_facts();
        self.history.frame.copy_to(&mut facts.frame.frame);
        self.history.cpu.copy_to(&mut facts.frame.cpu);
        self.history.tick.copy_to(&mut facts.frame.tick);
        let statistics = &context.statistics;
        facts.frame.passes.clear();
        let passes = statistics.passes.iter();
        facts.frame.passes.extend(passes.map(|pass| PassFact {
            name: pass.name,
            gpu: pass.milliseconds,
        }));
        facts.frame.chunks = statistics.bricks;
        facts.frame.quads = statistics.quads;
        facts.frame.draws = statistics.draws;
        facts.memory = self.memory_facts(context);
        facts.scenes = self.theatre.facts(facts.scenes);
        self.map_facts(&mut facts.minimap);
        self.facts = facts;
    }

    /// The map in the corner, with everybody on it.
    fn map_facts(&mut self, facts: &mut MinimapFacts) {
        if !self.settings.settings.graphics.minimap || self.theatre.open.is_some() {
            return;
        }
        let simulation = &self.session.simulation;
        let view = MapView {
            world: &simulation.world,
            generation: self.view.world_generation,
            fog: simulation.fog(),
            player: simulation.player_position(),
            yaw: self.rig.yaw,
            seconds: self.seconds,
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
        Some(format!(
            "{name} at {x} {y} {z}, {:.1} m away",
            pick.distance
        ))
    }

    fn tool_facts(&self) -> ToolFacts {
        let hands = &self.hands;
        let materials = self.session.simulation.world.materials();
        let hint = match hands.tool {
            Tool::Carve => format!(
                "{} {}, size {}",
                hands.mode_words(),
                hands.shape_words(),
                hands.size
            ),
            Tool::Cannon => "hold and let go to fire; other button: new targets".to_owned(),
            Tool::Melee => "swing; other button: spin".to_owned(),
        };
        ToolFacts {
            name: hands.tool.words(),
            hint,
            brush: hands.shape_words(),
            mode: hands.mode_words(),
            size: hands.size,
            slots: hands
                .slots
                .iter()
                .map(|&material| fact(material, materials))
                .collect(),
            slot: hands.slot,
            charge: self.aim.charge,
        }
    }

    fn world_facts(&self, before: WorldFacts) -> WorldFacts {
        let simulation = &self.session.simulation;
        let table = simulation.world.materials();
        let mut materials = before.materials;
        if materials.len() + 1 != table.len() {
            let seen = table
                .iter()
                .filter(|(material, _)| *material != Material::AIR);
            materials = seen.map(|(material, _)| fact(material, table)).collect();
        }
        WorldFacts {
            materials,
            seed: self.session.seed,
            path: self.session.path.clone(),
            chunks: simulation.world.loaded_chunks().count(),
            strokes: simulation.strokes().collect(),
            strokes_done: simulation.strokes_done(),
            saves: before.saves,
        }
    }

    fn crowd_facts(&self) -> CrowdFacts {
        let simulation = &self.session.simulation;
        CrowdFacts {
            walkers: simulation.walkers(),
            mood: simulation.mood().words(),
            platforms: simulation.has_platforms(),
            fog: simulation.fog().is_some(),
            seen_share: simulation.fog().map_or(0.0, |fog| fog.seen_share()),
            score: simulation.cannon().score,
            targets: simulation.cannon().targets().len(),
            picked: simulation.pickups().taken,
            trouble: None,
        }
    }

    fn memory_facts(&self, context: &Context) -> Vec<MemoryFact> {
        let statistics = &context.statistics;
        vec![
            MemoryFact {
                name: "quads on the GPU",
                bytes: statistics.quad_bytes,
            },
            MemoryFact {
                name: "quad pages",
                bytes: statistics.page_bytes,
            },
        ]
    }
}

fn fact(material: Material, materials: &MaterialTable) -> MaterialFact {
    let info = materials.info(material);
    let [r, g, b, _] = info.colour;
    MaterialFact {
        id: material.0,
        name: info.name.clone(),
        color: [r, g, b],
    }
}
