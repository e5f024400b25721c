//! The sandbox in a window: keys and panels to commands, ticks by the clock, one picture after another.

mod actions;
mod aim;
mod app;
mod clock;
mod facts;
mod gamepad;
mod history;
mod jobs;
mod requests;
mod rig;
mod theatre;
mod tools;

use engine::WindowOptions;
use engine::window::{self, WindowError};

use crate::cli::PlayArguments;
use crate::error::Error;
use crate::settings::{SettingsFile, default_path};

use app::Play;

const WINDOW_SIZE: [u32; 2] = [1280, 720];

pub(crate) fn run(arguments: &PlayArguments) -> Result<(), Error> {
    let settings = SettingsFile::load(default_path());
    if let Some(notice) = &settings.notice {
        eprintln!("note: {notice}");
    }
    let play = Play::open(settings, arguments)?;
    let options = WindowOptions {
        title: "Voxel sandbox".to_owned(),
        size: WINDOW_SIZE,
    };
    window::run(options, play).map_err(explain)
}

fn explain(error: WindowError) -> Error {
    let hint = match &error {
        WindowError::NoDisplay { .. } => {
            ". Without a display, `demo tour --out DIR` renders the tour instead"
        }
        _ => "",
    };
    Error::Graphics(format!("{error}{hint}"))
}
