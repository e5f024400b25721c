//! `cargo run --release --manifest-path tools/peers/Cargo.toml`: sets the machine up, builds the
//! available peers, and measures.
//!
//! Measuring is in `measure`. This package depends only on clap, so that it builds in seconds and
//! can report errors and missing programs before anything large is compiled.

mod setup;

use clap::Parser;
use peers::Arguments;
use setup::Peer;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    // Prints help and refuses invalid arguments.
    if let Err(message) = Arguments::parse().check_files() {
        eprintln!("{message}");
        return ExitCode::FAILURE;
    }
    let Some(peers) = build(setup::prepare()) else {
        eprintln!("peers: the build failed, see above");
        return ExitCode::FAILURE;
    };
    let arguments = std::env::args_os().skip(1);
    let run = cargo("run", &peers).arg("--").args(arguments).status();
    match run {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("peers: could not start cargo: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Builds with all peers; if that fails, with those that build individually. Returns `None` if not
/// even the rest builds.
fn build(peers: Vec<&'static Peer>) -> Option<Vec<&'static Peer>> {
    eprintln!(
        "peers: building; with PhysX, Jolt, Box3D and avian that takes a quarter of an hour the \
         first time"
    );
    if builds(&peers) {
        return Some(peers);
    }
    let mut good = Vec::new();
    for peer in peers {
        if builds(&[peer]) {
            good.push(peer);
        } else {
            eprintln!("peers: {} is left out, it does not build here", peer.name);
        }
    }
    builds(&good).then_some(good)
}

fn builds(peers: &[&Peer]) -> bool {
    cargo("build", peers)
        .status()
        .is_ok_and(|status| status.success())
}

fn cargo(command: &str, peers: &[&Peer]) -> Command {
    let features: Vec<&str> = peers.iter().map(|peer| peer.feature).collect();
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args([command, "--quiet", "--release", "--package", "measure"])
        .arg("--manifest-path")
        .arg(manifest())
        .arg("--features")
        .arg(features.join(","));
    cargo
}

fn manifest() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")
}
