//! The command `shot`: one picture of a world, offscreen.

use std::collections::BTreeSet;

use engine::Camera;
use serde_json::json;
use simulation::{Command, PlayerId, Simulation, Wish};
use world::files;

use crate::arguments::{Overlay, PictureSize, ShotArguments};
use crate::error::Error;
use crate::first_view::Outlook;
use crate::progress::Progress;
use crate::session::Session;
use crate::settings::Settings;
use crate::studio::{self, Shot, Studio};
use crate::terminal::say;
use crate::ui::Ui;

/// Ticks for which the crowd walks before the picture is taken.
const CROWD_TICKS: u32 = 90;

pub(crate) fn run(arguments: &ShotArguments) -> Result<(), Error> {
    let existing = arguments.overwriting.existing();
    files::check(&arguments.out, existing)?;
    let progress = Progress::begin("loading the land");
    let mut settings = Settings::default();
    settings.graphics.view_metres = arguments.view as f32;
    settings.graphics.hour = arguments.hour;
    let (session, outlook) = Session::open_to_look(
        arguments.seed,
        arguments.world.as_deref(),
        &settings,
        arguments.eye.map(|eye| eye.position),
    )?;
    let PictureSize { width, height } = arguments.size;
    progress.stage("opening the graphics device");
    let mut studio = Studio::open(arguments.size)?;
    let camera = camera(arguments, &outlook);
    let mut simulation = session.simulation;
    let overlays: BTreeSet<Overlay> = arguments.overlay.iter().copied().collect();
    people(&mut simulation, arguments.crowd);
    let mut ui = Ui::default();
    let facts = crate::ui::Facts {
        overlays: overlays.clone(),
        ..crate::ui::Facts::default()
    };
    let has_graphs = overlays.contains(&Overlay::Frame) || overlays.contains(&Overlay::Memory);
    let shot = Shot {
        camera,
        overlays: &overlays,
        player_shows: false,
        path: &[],
        interface: has_graphs.then_some((&mut ui, &facts)),
    };
    progress.stage(format!("drawing {width} x {height} pixels"));
    let image = studio.take(&simulation, &mut settings, shot)?;
    progress.stage("writing the picture");
    studio::save(&image, &arguments.out, existing)?;
    drop(progress);
    let statistics = studio.statistics();
    if arguments.json {
        let object = json!({
            "path": arguments.out,
            "size": [width, height],
            "chunks": statistics.bricks,
            "rectangles": statistics.quads,
            "characters": statistics.characters,
            "adapter": studio.adapter(),
        });
        return say!("{object}");
    }
    say!(
        "{}: {} chunks, {} rectangles, {} characters, on {}",
        arguments.out.display(),
        statistics.bricks,
        statistics.quads,
        statistics.characters,
        studio.adapter()
    )
}

/// Adds walkers and lets them land on their feet.
fn people(simulation: &mut Simulation, count: u32) {
    if count == 0 {
        return;
    }
    simulation.apply(PlayerId::FIRST, &Command::SetCrowd(count));
    for _ in 0..CROWD_TICKS {
        simulation.tick(&Wish::default().alone());
    }
}

fn camera(arguments: &ShotArguments, outlook: &Outlook) -> Camera {
    let (yaw, pitch) = match arguments.look {
        Some(look) => (
            (look.yaw_degrees as f32).to_radians(),
            (look.pitch_degrees as f32).to_radians(),
        ),
        None => (outlook.yaw, outlook.pitch),
    };
    Camera::new(outlook.eye, yaw, pitch)
}
