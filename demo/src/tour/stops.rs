//! The stops of the tour, in order.

use collision::{Cell, Position};
use engine::GhostKind;
use nalgebra::Vector3;
use simulation::{
    Blow, BrushMode, BrushShape, CannonShot, Command, Joins, Mood, Stroke, Switch, Travel,
};
use world::Material;

use crate::arguments::Overlay;
use crate::first_view::Light;
use crate::ui::Panel;

use super::stage::{Chase, Stage};

/// One stop.
pub(super) struct Stop {
    /// Part of the picture's file name.
    pub(super) name: &'static str,
    /// Caption of the picture.
    pub(super) words: &'static str,
    /// Length, ticks.
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
        words: "flying low in the afternoon",
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
        ticks: 90,
        set_up: lamps,
        each_tick: nothing,
    },
    Stop {
        name: "walk",
        words: "walking in third person",
        ticks: 100,
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
        ticks: 220,
        set_up: melee,
        each_tick: slam,
    },
    Stop {
        name: "platforms",
        words: "moving platforms and who rides them",
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
        name: "tiles",
        words: "tiles of the fog of war: seen now, seen before, never",
        ticks: 60,
        set_up: tiles,
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
        ticks: 90,
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
        words: "frame graph, memory and the minimap",
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
    stage.look_out(Light::OF_DAY);
}

fn flight(stage: &mut Stage) {
    stage.clear();
    stage.settings.graphics.hour = 16.6;
    stage.apply(Command::Teleport(stage.place(0.0, 0.0, 14.0)));
    stage.apply(Command::Travel(Travel::Fly));
    stage.wish.forward = 1.0;
    stage.player_shows = true;
    stage.chase = Some(Chase {
        behind: 4.4,
        above: 1.2,
        pitch: -0.2,
        around: 2.9,
    });
}

fn fly_on(stage: &mut Stage, tick: u32) {
    stage.wish.yaw = stage.yaw + (tick as f32 * 0.02).sin() * 0.3;
}

fn sphere(center: Cell, size: u32, mode: BrushMode) -> Stroke {
    Stroke {
        center,
        size,
        shape: BrushShape::Sphere,
        mode,
        material: Material::STONE,
        joins: Joins::Nothing,
    }
}

/// Place in the picture of the vista of the rock that is hollowed out.
const ROCK: [f32; 2] = [-0.03, 0.17];
/// Distance of the eye from it, and height above it, metres.
const FROM_ROCK: [f32; 2] = [30.0, 5.0];

fn carve(stage: &mut Stage) {
    stage.clear();
    stage.look_out(Light::OF_DAY);
    let Some(rock) = stage.seen_at(ROCK[0], ROCK[1]) else {
        return;
    };
    let at = Position::new(rock, Vector3::repeat(0.5));
    let way = stage.camera.position.since(&at).normalize();
    let [away, above] = FROM_ROCK;
    stage.look_from(at.moved(way * away + Vector3::y() * above), at);
    let strokes = [
        (0.0, 0.0, 8),
        (0.1, 0.05, 6),
        (-0.12, -0.05, 6),
        (0.0, -0.02, 6),
        (0.02, 0.0, 7),
    ];
    for (right, above, size) in strokes {
        if let Some(cell) = stage.seen_at(right, above) {
            stage.apply(Command::Edit(sphere(cell, size, BrushMode::Carve)));
        }
    }
    if let Some(cell) = stage.seen_at(0.42, -0.04) {
        stage.show_ghost(&sphere(cell, 5, BrushMode::Carve), GhostKind::Carve);
    }
}

fn box_of(stage: &mut Stage, at: [f32; 3], size: u32, shape: BrushShape, name: &str) {
    let materials = stage.session.simulation.world.materials();
    let material = materials.by_name(name).unwrap_or(Material::STONE);
    let foot = stage.ground_before_building(at[0], at[1]);
    stage.apply(Command::Edit(Stroke {
        center: foot.moved(Vector3::y() * at[2]).cell,
        size,
        shape,
        mode: BrushMode::Place,
        material,
        joins: Joins::Nothing,
    }));
}

/// Place of the tower, ahead of and right of the meadow's middle.
const TOWER: [f32; 2] = [20.0, -9.0];

fn tower(stage: &mut Stage) {
    let [ahead, right] = TOWER;
    for floor in 0..4 {
        let name = if floor % 2 == 0 { "brick" } else { "glass" };
        let up = 2.0 + floor as f32 * 5.0;
        box_of(stage, [ahead, right, up], 3, BrushShape::Cube, name);
    }
    box_of(stage, [ahead, right, 23.0], 4, BrushShape::Sphere, "gold");
    for (x, z) in [
        (-6.0, -5.0),
        (-6.0, 5.0),
        (6.0, -5.0),
        (6.0, 5.0),
        (-11.0, 9.0),
    ] {
        for up in 0..3 {
            let at = [ahead + x, right + z, up as f32];
            box_of(stage, at, 1, BrushShape::Voxel, "planks");
        }
        box_of(
            stage,
            [ahead + x, right + z, 3.0],
            1,
            BrushShape::Voxel,
            "lamp",
        );
    }
}

fn build(stage: &mut Stage) {
    stage.clear();
    stage.remember_ground();
    tower(stage);
    stage.panels = Some(vec![Panel::Materials]);
    let (from, at) = (
        stage.ground(-10.0, 6.0, 10.0),
        stage.ground(18.0, -12.0, 9.0),
    );
    stage.look_from(from, at);
}

fn lamps(stage: &mut Stage) {
    stage.clear();
    stage.settings.graphics.hour = 21.5;
    stage.apply(Command::SetMood(Mood::Wander));
    stage.apply(Command::SetCrowd(120));
    let [ahead, right] = TOWER;
    let foot = stage.ground_before_building(ahead, right);
    let from = stage.ground(-1.0, 4.0, 6.0);
    stage.look_from(from, foot.moved(Vector3::y() * 3.0));
}

fn walk(stage: &mut Stage) {
    stage.clear();
    stage.apply(Command::SetCrowd(24));
    stage.stand(stage.home);
    stage.wish.forward = 0.5;
    stage.player_shows = true;
    stage.chase = Some(Chase {
        behind: 4.2,
        above: 0.9,
        pitch: -0.14,
        around: 2.5,
    });
}

fn crowd(stage: &mut Stage) {
    stage.clear();
    stage.stand(stage.home);
    stage.apply(Command::SetMood(Mood::Wander));
    stage.apply(Command::SetCrowd(2000));
    let (from, at) = (stage.ground(-12.0, 6.0, 7.0), stage.ground(22.0, 0.0, 0.0));
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
        around: 0.0,
    });
}

fn cannon(stage: &mut Stage) {
    stage.clear();
    stage.apply(Command::SetMood(Mood::Wander));
    stage.apply(Command::SetCrowd(60));
    stage.stand(stage.home);
    stage
        .simulation()
        .tick(&simulation::Wish::default().alone());
    stage.apply(Command::ScatterTargets(60));
    stage.wish.pitch = 0.2;
    let wish = stage.wish;
    let mut path = std::mem::take(&mut stage.shot_path);
    let shot = CannonShot::charged(wish.sight(), 0.3);
    stage.session.simulation.preview_shot(&shot, &mut path);
    stage.shot_path = path;
    stage.player_shows = true;
    stage.chase = Some(Chase {
        behind: 6.5,
        above: 3.2,
        pitch: -0.16,
        around: 0.45,
    });
}

fn craters(stage: &mut Stage) {
    stage.clear();
    stage.player_shows = true;
    let (from, at) = (stage.ground(-9.0, 3.0, 12.0), stage.ground(18.0, 0.0, -2.0));
    stage.look_from(from, at);
}

fn fire_on(stage: &mut Stage, tick: u32) {
    if tick.is_multiple_of(9) {
        stage.wish.yaw = stage.yaw + (tick as f32 * 0.13).sin() * 0.6;
        stage.wish.pitch = 0.02 + (tick as f32 * 0.07).cos() * 0.16;
        let power = 0.1 + (tick % 40) as f32 / 160.0;
        let shot = CannonShot::charged(stage.wish.sight(), power);
        stage.apply(Command::Fire(shot));
    }
}

fn melee(stage: &mut Stage) {
    stage.clear();
    stage.apply(Command::ScatterTargets(0));
    stage.stand(stage.place(-6.0, -14.0, 0.0));
    stage.apply(Command::SetMood(Mood::Rush));
    stage.apply(Command::SetCrowd(110));
    stage.overlays.insert(Overlay::Hits);
    stage.player_shows = true;
    stage.chase = Some(Chase {
        behind: 9.0,
        above: 4.6,
        pitch: -0.42,
        around: 0.5,
    });
}

fn slam(stage: &mut Stage, tick: u32) {
    if tick == 208 {
        stage.apply(Command::Strike(Blow::Slam));
    }
}

fn platforms(stage: &mut Stage) {
    stage.clear();
    stage.stand(stage.home);
    stage.apply(Command::SetCrowd(120));
    stage.apply(Command::SetMood(Mood::Wander));
    stage.apply(Command::SetPlatforms(Switch::On));
    stage.ride_a_platform();
    stage.wish.yaw = 1.2;
    stage.player_shows = true;
    stage.chase = Some(Chase {
        behind: 7.0,
        above: 2.4,
        pitch: -0.3,
        around: -2.5,
    });
}

fn fog(stage: &mut Stage) {
    stage.clear();
    stage.apply(Command::SetPlatforms(Switch::Off));
    stage.apply(Command::ScatterTargets(0));
    stage.apply(Command::SetCrowd(105));
    stage.apply(Command::SetFog(Switch::On));
    let (from, at) = (stage.place(-40.0, 22.0, 30.0), stage.place(6.0, -2.0, 0.0));
    stage.look_from(from, at);
}

fn tiles(stage: &mut Stage) {
    stage.clear();
    stage.overlays.insert(Overlay::Fog);
    // The map remembers the tiles seen by the walkers that leave now.
    stage.apply(Command::SetCrowd(7));
    stage.stand(stage.ground(-16.0, 14.0, 0.0));
    let (from, at) = (stage.place(-46.0, 4.0, 34.0), stage.place(2.0, 2.0, 0.0));
    stage.look_from(from, at);
}

fn rectangles(stage: &mut Stage) {
    stage.clear();
    stage.apply(Command::SetFog(Switch::Off));
    stage.overlays.insert(Overlay::Quads);
    stage.overlays.insert(Overlay::Chunks);
    let (from, at) = (stage.ground(-8.0, 8.0, 8.0), stage.ground(22.0, 2.0, -1.0));
    stage.look_from(from, at);
}

fn sweep(stage: &mut Stage) {
    stage.clear();
    stage.apply(Command::SetCrowd(0));
    // A low wall with a step before it, to walk into at an angle.
    for right in -4..=4 {
        for up in 0..3 {
            let at = [-9.0, right as f32, up as f32];
            box_of(stage, at, 1, BrushShape::Voxel, "brick");
        }
    }
    box_of(stage, [-10.0, 2.0, 0.0], 1, BrushShape::Voxel, "planks");
    stage.stand(stage.ground(-11.4, -0.6, 0.0));
    stage.wish.yaw = stage.yaw + 0.6;
    stage.wish.forward = 0.6;
    stage.player_shows = true;
    stage.overlays.insert(Overlay::Sweep);
    stage.overlays.insert(Overlay::Contacts);
    stage.chase = Some(Chase {
        behind: 3.8,
        above: 1.7,
        pitch: -0.33,
        around: -1.0,
    });
}

fn index(stage: &mut Stage) {
    stage.clear();
    stage.stand(stage.home);
    stage.apply(Command::SetCrowd(800));
    stage.overlays.insert(Overlay::Tree);
    stage.overlays.insert(Overlay::Grid);
    stage.overlays.insert(Overlay::Overlaps);
    let (from, at) = (stage.place(-64.0, 30.0, 70.0), stage.place(8.0, 0.0, 0.0));
    stage.look_from(from, at);
}

fn figures(stage: &mut Stage) {
    stage.clear();
    stage.panels = Some(vec![]);
    stage.overlays.insert(Overlay::Frame);
    stage.overlays.insert(Overlay::Memory);
    let (from, at) = (stage.ground(-14.0, 4.0, 9.0), stage.ground(24.0, 0.0, 0.0));
    stage.look_from(from, at);
}

fn evening(stage: &mut Stage) {
    stage.clear();
    stage.apply(Command::SetCrowd(0));
    stage.apply(Command::ScatterTargets(0));
    stage.settings.graphics.hour = 17.7;
    stage.look_out(Light::OF_SUNSET);
}
