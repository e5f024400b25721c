//! A Bevy game without a window: walkers cross a floor, climb a step, and fall into a pit that is
//! dug under one of them. Prints where they end, and fails if that is elsewhere than it should be.

mod plugin;

use bevy_app::{App, ScheduleRunnerPlugin, TaskPoolPlugin};
use bevy_ecs::prelude::*;
use bevy_time::{Fixed, Time, TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;
use collision::{Cell, Intent, Settings};
use nalgebra::Vector3;
use plugin::{Land, Walker, WalkersPlugin, Wish};
use std::process::ExitCode;
use std::time::Duration;
use world::{CellBox, Material, World as Voxels};

/// A floor up to y = 4, with a step of half its cells at x = 16.
fn land() -> Voxels {
    let bounds = CellBox::new(Cell::zeros(), Cell::new(31, 15, 31));
    Voxels::from_voxels(bounds, |cell| {
        let height = if cell.x < 16 { 4 } else { 5 };
        match cell.y < height {
            true => Material::STONE,
            false => Material::AIR,
        }
    })
}

fn main() -> ExitCode {
    let mut app = App::new();
    app.add_plugins((
        TaskPoolPlugin::default(),
        TimePlugin,
        ScheduleRunnerPlugin::default(),
    ));
    app.add_plugins(WalkersPlugin);
    app.insert_resource(Land(land()));
    app.insert_resource(Time::<Fixed>::from_hz(60.0));
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_micros(
        16_667,
    )));
    let mut settings = Settings::default();
    settings.mover.step_height = 1.05;
    let walker = Walker {
        settings,
        ..Walker::default()
    };
    let spawn = |app: &mut App, z: f32| {
        let at = Transform::from_xyz(8.5, 4.95, z);
        app.world_mut().spawn((walker.clone(), at)).id()
    };
    let [climber, sinker] = [8.5, 20.5].map(|z| spawn(&mut app, z));
    app.update();
    app.update();
    wish(&mut app, climber, Vector3::x() * 4.0);
    for frame in 0..180 {
        app.update();
        if frame == 60 {
            dig(&mut app, Cell::new(8, 3, 20));
        }
    }
    let heights = [climber, sinker].map(|who| place(&app, who));
    println!(
        "the climber is at {:?}, the other at {:?}",
        heights[0], heights[1]
    );
    let climbed = heights[0][0] > 17.0 && (heights[0][1] - 5.91).abs() < 0.03;
    let sank = (heights[1][1] - 3.91).abs() < 0.03;
    app.world_mut().despawn(climber);
    let left = app.world().resource::<plugin::Walkers>().crowd.len();
    match climbed && sank && left == 1 {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

fn wish(app: &mut App, who: Entity, way: Vector3<f32>) {
    if let Some(mut wish) = app.world_mut().get_mut::<Wish>(who) {
        wish.0 = Intent::walk(way);
    }
}

/// Empties the cells about one.
fn dig(app: &mut App, cell: Cell) {
    let mut land = app.world_mut().resource_mut::<Land>();
    for (x, z) in [-1, 0, 1]
        .into_iter()
        .flat_map(|x| [-1, 0, 1].map(|z| (x, z)))
    {
        land.0.set_voxel(cell + Cell::new(x, 0, z), Material::AIR);
    }
}

fn place(app: &App, who: Entity) -> [f32; 3] {
    let transform = app.world().get::<Transform>(who);
    transform.map_or([f32::NAN; 3], |transform| transform.translation.into())
}
