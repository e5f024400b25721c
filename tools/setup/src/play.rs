//! `cargo play`: the sandbox in a window, or without a display its tour as pictures.

use crate::machine;
use std::process::{Command, ExitCode};

const TOUR: &str = "target/tour";

/// Sets the machine up, builds the demo in release and runs it with the given arguments.
pub(crate) fn play(arguments: Vec<String>) -> Result<ExitCode, String> {
    machine::prepare_to_play()?;
    let arguments = if arguments.is_empty() && !machine::has_display() {
        println!("play: there is no display here (DISPLAY and WAYLAND_DISPLAY are not set),");
        println!("play: so the tour is rendered into {TOUR}/ instead");
        ["tour", "--out", TOUR, "--force"]
            .map(str::to_owned)
            .to_vec()
    } else {
        arguments
    };
    let status = Command::new(env!("CARGO"))
        .args(["run", "--release", "--package", "demo", "--"])
        .args(arguments)
        .status()
        .map_err(|error| format!("play: could not start cargo: {error}"))?;
    Ok(ExitCode::from(
        status.code().map_or(1, |code| code.clamp(0, 255) as u8),
    ))
}
