//! The sandbox in a window: turns keys and panels into commands, runs ticks by the clock, draws
//! pictures.
//!
//! `app` holds everything that is open. A file named after a thing (`aim`, `drag`, `jobs`) holds
//! its type; its partner (`aiming`, `dragging`, `working`) is the use that the program of the
//! window makes of it.

mod actions;
mod advice;
mod aim;
mod aiming;
mod app;
mod chooser;
mod choosing;
mod clock;
mod copying;
mod drag;
mod dragging;
mod facts;
mod gamepad;
mod hearing;
mod history;
mod jobs;
mod memory;
mod placing;
mod requests;
mod rig;
mod scene_viewer;
mod selecting;
mod selection;
mod sharing;
mod shelf;
mod shelving;
mod symmetry;
mod tools;
mod viewing;
mod visit;
mod working;

#[cfg(test)]
mod kill_tests;
#[cfg(test)]
mod sharing_tests;

use engine::window::{self, App, Rehearsal, WindowError};
use engine::{GpuOptions, WindowOptions};

use crate::arguments::PlayArguments;
use crate::error::Error;
use crate::language::Language;
use crate::settings::{SettingsFile, default_path};
use crate::sound::Sounds;
use crate::terminal::complain;

use app::Play;
use chooser::Chooser;
#[cfg(test)]
pub(crate) use selection::handles_of;
#[cfg(test)]
pub(crate) use tools::all_words as words_of_tools;

const WINDOW_SIZE: [u32; 2] = [1280, 720];

pub(crate) fn run(arguments: &PlayArguments) -> Result<(), Error> {
    if let Some(name) = &arguments.scene {
        crate::scenes::find(name)?;
    }
    let settings = SettingsFile::load(default_path(), Language::of_environment());
    if let Some(notice) = &settings.notice {
        complain!("note: {notice}");
    }
    let options = WindowOptions {
        title: settings.language().say("Voxel sandbox").to_owned(),
        size: WINDOW_SIZE,
    };
    let begin = || {
        let mut play = Play::open(settings, arguments, Sounds::open())?;
        play.chooser = Chooser::of_system();
        Ok(play)
    };
    window::run(options, begin).map_err(explain)
}

/// Opens the sandbox without a window and without sound, for tests; the software driver draws.
pub fn rehearse(
    settings: SettingsFile,
    arguments: &PlayArguments,
    size: [u32; 2],
) -> Result<Rehearsal<impl App + use<>>, Error> {
    let play = Play::open(settings, arguments, Sounds::silent())?;
    Rehearsal::open(play, GpuOptions::Reference, size)
        .map_err(|error| Error::Graphics(error.to_string()))
}

fn explain(error: WindowError) -> Error {
    let error = match error {
        WindowError::App(error) => match error.downcast::<Error>() {
            Ok(error) => return *error,
            Err(error) => WindowError::App(error),
        },
        other => other,
    };
    let hint = match &error {
        WindowError::NoDisplay { .. } => {
            ". Without a display, `demo tour --out DIR` renders the tour instead"
        }
        _ => "",
    };
    Error::Graphics(format!("{error}{hint}"))
}
