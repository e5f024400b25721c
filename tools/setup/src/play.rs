//! `cargo play`: the sandbox in a window, or without a display its tour as pictures.

use crate::machine;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

const TOUR: &str = "target/tour";
/// The variable that names a user's folder for sockets. Without it graphics drivers print an error
/// that looks like ours.
const RUNTIME: &str = "XDG_RUNTIME_DIR";

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
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["run", "--release", "--package", "demo", "--"])
        .args(arguments);
    if let Some(folder) = spare_runtime_folder() {
        cargo.env(RUNTIME, folder);
    }
    let status = cargo
        .status()
        .map_err(|error| format!("play: could not start cargo: {error}"))?;
    Ok(ExitCode::from(
        status.code().map_or(1, |code| code.clamp(0, 255) as u8),
    ))
}

/// Returns an empty folder for sockets where the session has none.
fn spare_runtime_folder() -> Option<PathBuf> {
    if cfg!(not(unix)) || std::env::var_os(RUNTIME).is_some() {
        return None;
    }
    let folder = std::path::absolute("target/runtime").ok()?;
    std::fs::create_dir_all(&folder).ok()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let private = std::fs::Permissions::from_mode(0o700);
        std::fs::set_permissions(&folder, private).ok()?;
    }
    Some(folder)
}
