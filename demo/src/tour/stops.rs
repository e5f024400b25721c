//! The stops of the tour, in order.

use engine::GhostKind;
use nalgebra::Vector3;
use world::Material;

use crate::cli::Overlay;
use crate::simulation::{
    Blow, BrushMode, BrushShape, Command, Joins, Mood, Stroke, Switch, Travel,
};
use crate::ui::Panel;

use super::stage::{Chase, Stage};

/// One stop.
pub(super) struct Stop {
    /// Part of the picture's file name.
    pub(super) name: &'static str,
    /// What is seen.
    pub(super) words: &'static str,
    /// How long it lasts, ticks.
    pub(super) ticks: u32,
    pub(super) set_up: fn(&mut Stage),
    /// Called before every tick with its number.
    pub(super) each_tick: fn(&mut Stage, u32),
}

fn nothing(_: &mut Stage, _: u32) {}

/// Every stop.
pub(super) const STOPS: &[Stop] = &[
    Stop {
        name: "vista",
        words: "the land from above",
        ticks: 1,
        set_up: vista,
        each_tick: nothing,
    },
    Stop {
        name: "flight",
        words: "flying low at dusk",
        ticks: 120,
        set_up: flight,
        each_tick: fly_on,
    },
    Stop {
        name: "carve",
        words: "a hill hollowed out, and what the next stroke would take",
        ticks: 2,
        set_up: carve,
        each_tick: nothing,
    },
    Stop {
        name: "build",
        words: "a tower of brick and glass with its panels",
        ticks: 2,
        set_up: build,
        each_tick: nothing,
    },
    Stop {
        name: "lamps",
        words: "lamps at night",
        ticks: 2,
        set_up: lamps,
        each_tick: nothing,
    },
    Stop {
        name: "walk",
        words: "walking in third person",
        ticks: 150,
        set_up: walk,
        each_tick: nothing,
    },
    Stop {
        name: "crowd",
        words: "two thousand walkers",
        ticks: 180,
        set_up: crowd,
        each_tick: nothing,
    },
    Stop {
        name: "rush",
        words: "the crowd rushes at the player",
        ticks: 240,
        set_up: rush,
        each_tick: nothing,
    },
    Stop {
        name: "cannon",
        words: "aiming at targets",
        ticks: 2,
        set_up: cannon,
        each_tick: nothing,
    },
    Stop {
        name: "craters",
        words: "what the balls left",
        ticks: 260,
        set_up: craters,
        each_tick: fire_on,
    },
    Stop {
        name: "melee",
        words: "a ground slam with its shape",
        ticks: 70,
        set_up: melee,
        each_tick: slam,
    },
    Stop {
        name: "platforms",
        words: "moving platforms",
        ticks: 120,
        set_up: platforms,
        each_tick: nothing,
    },
    Stop {
        name: "fog",
        words: "fog of war uncovered by walkers",
        ticks: 200,
        set_up: fog,
        each_tick: nothing,
    },
    Stop {
        name: "rectangles",
        words: "merged rectangles and chunk boxes",
        ticks: 2,
        set_up: rectangles,
        each_tick: nothing,
    },
    Stop {
        name: "sweep",
        words: "the sweep frustum, its candidates and contacts",
        ticks: 80,
        set_up: sweep,
        each_tick: nothing,
    },
    Stop {
        name: "index",
        words: "the KD-tree and the paged grid under a crowd",
        ticks: 30,
        set_up: index,
        each_tick: nothing,
    },
    Stop {
        name: "figures",
        words: "frame graph, memory and help",
        ticks: 30,
        set_up: figures,
        each_tick: nothing,
    },
    Stop {
        name: "evening",
        words: "the land at sunset",
        ticks: 1,
        set_up: evening,
        each_tick: nothing,
    },
];

fn vista(stage: &mut Stage) {
    stage.clear();
    let (from, at) = (stage.place(-34.0, -6.0, 26.0), stage.place(90.0, 0.0, -2.0));
    stage.look_from(from, at);
}

fn flight(stage: &mut Stage) {
    stage.clear();
    stage.settings.graphics.hour = 17.2;
    stage.apply(Command::Teleport(stage.place(0.0, 0.0, 14.0)));
    stage.apply(Command::Travel(Travel::Fly));
    stage.wish.forward = 1.0;
    stage.player_shows = true;
    stage.chase = Some(Chase {
        behind: 6.0,
        above: 1.8,
        pitch: -0.2,
    });
}

fn fly_on(stage: &mut Stage, tick: u32) {
    stage.wish.yaw = stage.yaw + (tick as f32 * 0.02).sin() * 0.3;
}

fn sphere(stage: &Stage, ahead: f32, right: f32, above: f32, size: u32, mode: BrushMode) -> Stroke {
    Stroke {
        center: stage.place(ahead, right, above).cell,
        size,
        shape: BrushShape::Sphere,
        mode,
        material: Material::STONE,
        joins: Joins::Nothing,
    }
}

fn carve(stage: &mut Stage) {
    stage.clear();
    for step in 0..6 {
        let along = 24.0 + step as f32 * 5.0;
        let stroke = sphere(stage, along, 0.0, 0.0, 7, BrushMode::Carve);
        stage.apply(Command::Edit(stroke));
    }
    let ghost = sphere(stage, 30.0, 12.0, 0.0, 6, BrushMode::Carve);
    stage.show_ghost(&ghost, GhostKind::Carve);
    let (from, at) = (stage.place(2.0, 8.0, 14.0), stage.place(34.0, 3.0, -3.0));
    stage.look_from(from, at);
}

fn box_of(stage: &mut Stage, at: [f32; 3], size: u32, shape: BrushShape, name: &str) {
    let material = stage
        .session
        .simulation
        .world
        .materials()
        .by_name(name)
        .unwrap_or(Material::STONE);
    let center = stage.place(at[0], at[1], at[2]).cell;
    let mode = BrushMode::Place;
    stage.apply(Command::Edit(Stroke {
        center,
        size,
        shape,
        mode,
        material,
        joins: Joins::Nothing,
    }));
}

fn tower(stage: &mut Stage) {
    for floor in 0..5 {
        let up = floor as f32 * 5.0;
        box_of(
            stage,
            [18.0, -8.0, up],
            3,
            BrushShape::Cube,
            if floor % 2 == 0 { "brick" } else { "glass" },
        );
    }
    box_of(stage, [18.0, -8.0, 24.0], 4, BrushShape::Sphere, "gold");
    for (ahead, right) in [(12.0, -14.0), (12.0, -2.0), (24.0, -14.0), (24.0, -2.0)] {
        for up in 0..4 {
            box_of(
                stage,
                [ahead, right, up as f32],
                1,
                BrushShape::Voxel,
                "planks",
            );
        }
        box_of(stage, [ahead, right, 4.0], 1, BrushShape::Voxel, "lamp");
    }
}

fn build(stage: &mut Stage) {
    stage.clear();
    tower(stage);
    stage.panels = Some(vec![Panel::Materials, Panel::World]);
    let (from, at) = (stage.place(-8.0, 6.0, 10.0), stage.place(18.0, -6.0, 8.0));
    stage.look_from(from, at);
}

fn lamps(stage: &mut Stage) {
    stage.clear();
    stage.settings.graphics.hour = 21.5;
    let (from, at) = (stage.place(-4.0, 8.0, 9.0), stage.place(18.0, -8.0, 5.0));
    stage.look_from(from, at);
}

fn walk(stage: &mut Stage) {
    stage.clear();
    stage.stand(stage.home);
    stage.wish.forward = 1.0;
    stage.player_shows = true;
    stage.chase = Some(Chase {
        behind: 5.0,
        above: 1.2,
        pitch: -0.18,
    });
}

fn crowd(stage: &mut Stage) {
    stage.clear();
    stage.stand(stage.home);
    stage.apply(Command::SetMood(Mood::Wander));
    stage.apply(Command::SetCrowd(2000));
    let (from, at) = (stage.place(-16.0, 0.0, 12.0), stage.place(24.0, 0.0, 0.0));
    stage.look_from(from, at);
}

fn rush(stage: &mut Stage) {
    stage.clear();
    stage.stand(stage.home);
    stage.apply(Command::SetMood(Mood::Rush));
    stage.player_shows = true;
    stage.chase = Some(Chase {
        behind: 9.0,
        above: 6.0,
        pitch: -0.5,
    });
}

fn cannon(stage: &mut Stage) {
    stage.clear();
    stage.apply(Command::SetMood(Mood::Wander));
    stage.apply(Command::SetCrowd(120));
    stage.stand(stage.home);
    stage.simulation().tick(&crate::simulation::Wish::default());
    stage.apply(Command::ScatterTargets(40));
    stage.wish.pitch = 0.25;
    let wish = stage.wish;
    let mut path = std::mem::take(&mut stage.shot_path);
    stage.session.simulation.preview_shot(&wish, 0.5, &mut path);
    stage.shot_path = path;
    stage.player_shows = true;
    stage.chase = Some(Chase {
        behind: 6.0,
        above: 2.5,
        pitch: -0.12,
    });
}

fn craters(stage: &mut Stage) {
    stage.clear();
    stage.wish.pitch = 0.1;
    stage.player_shows = true;
    stage.chase = Some(Chase {
        behind: 8.0,
        above: 6.0,
        pitch: -0.3,
    });
}

fn fire_on(stage: &mut Stage, tick: u32) {
    if tick.is_multiple_of(8) {
        stage.wish.yaw = stage.yaw + (tick as f32 * 0.13).sin() * 0.5;
        stage.wish.pitch = 0.12 + (tick as f32 * 0.07).cos() * 0.12;
        stage.apply(Command::Fire(0.2 + (tick % 40) as f32 / 80.0));
    }
    if tick > 240 {
        stage.wish.yaw = stage.yaw;
    }
}

fn melee(stage: &mut Stage) {
    stage.clear();
    stage.stand(stage.home);
    stage.apply(Command::SetMood(Mood::Rush));
    stage.apply(Command::SetCrowd(260));
    stage.overlays.insert(Overlay::Hits);
    stage.player_shows = true;
    stage.chase = Some(Chase {
        behind: 8.0,
        above: 6.0,
        pitch: -0.55,
    });
}

fn slam(stage: &mut Stage, tick: u32) {
    if tick == 55 {
        stage.apply(Command::Strike(Blow::Slam));
    }
}

fn platforms(stage: &mut Stage) {
    stage.clear();
    stage.apply(Command::SetCrowd(60));
    stage.apply(Command::SetMood(Mood::Wander));
    stage.apply(Command::SetPlatforms(Switch::On));
    stage.overlays.insert(Overlay::Chunks);
    let (from, at) = (stage.place(-22.0, 4.0, 12.0), stage.place(4.0, 0.0, 3.0));
    stage.look_from(from, at);
}

fn fog(stage: &mut Stage) {
    stage.clear();
    stage.apply(Command::SetPlatforms(Switch::Off));
    stage.apply(Command::SetCrowd(105));
    stage.apply(Command::SetFog(Switch::On));
    let (from, at) = (stage.place(-60.0, 0.0, 60.0), stage.place(10.0, 0.0, 0.0));
    stage.look_from(from, at);
}

fn rectangles(stage: &mut Stage) {
    stage.clear();
    stage.apply(Command::SetFog(Switch::Off));
    stage.overlays.insert(Overlay::Quads);
    stage.overlays.insert(Overlay::Chunks);
    let (from, at) = (stage.place(-10.0, 0.0, 12.0), stage.place(22.0, 2.0, -2.0));
    stage.look_from(from, at);
}

fn sweep(stage: &mut Stage) {
    stage.clear();
    stage.stand(stage.home);
    stage.wish.forward = 1.0;
    stage.player_shows = true;
    stage.overlays.insert(Overlay::Sweep);
    stage.overlays.insert(Overlay::Contacts);
    stage.chase = Some(Chase {
        behind: 3.0,
        above: 1.2,
        pitch: -0.35,
    });
}

fn index(stage: &mut Stage) {
    stage.clear();
    stage.apply(Command::SetCrowd(800));
    stage.overlays.insert(Overlay::Tree);
    stage.overlays.insert(Overlay::Grid);
    stage.overlays.insert(Overlay::Overlaps);
    let (from, at) = (stage.place(-24.0, 0.0, 20.0), stage.place(20.0, 0.0, 0.0));
    stage.look_from(from, at);
}

fn figures(stage: &mut Stage) {
    stage.clear();
    stage.panels = Some(vec![Panel::Help]);
    stage.overlays.insert(Overlay::Frame);
    stage.overlays.insert(Overlay::Memory);
    let (from, at) = (stage.place(-16.0, 0.0, 12.0), stage.place(24.0, 0.0, 0.0));
    stage.look_from(from, at);
}

fn evening(stage: &mut Stage) {
    stage.clear();
    stage.settings.graphics.hour = 18.1;
    let from = stage.place(40.0, 30.0, 30.0);
    let at = stage.home.moved(Vector3::new(-80.0, 0.0, 0.0));
    stage.look_from(from, at);
}
