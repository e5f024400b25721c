//! The command line: starts the module that runs each sub-command.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::arguments::{
    BenchArguments, PlayArguments, ScenesArguments, ShotArguments, TourArguments, WorldAction,
};
use crate::error::Error;
use crate::terminal::{complain, say};

/// The voxel sandbox and its commands.
#[derive(Debug, Parser)]
#[command(
    name = "demo",
    version,
    about = "A voxel sandbox: fly, carve and walk",
    args_conflicts_with_subcommands = true
)]
pub struct CommandLine {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    play: PlayArguments,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Opens the sandbox in a window (this is what runs without a sub-command)
    Play(PlayArguments),
    /// Serves a world to players with an invite, without a window
    Serve(serve::Arguments),
    /// Joins a shared world with clients that walk about, and measures what goes over the network
    Bots(serve::bots::BotsArguments),
    /// Renders one picture offscreen
    Shot(ShotArguments),
    /// Renders a scripted flight through everything, as pictures and tour.json
    Tour(TourArguments),
    /// Runs the regression scenes; exit code 1 when one fails
    Scenes(ScenesArguments),
    /// Measures this machine and prints our figures
    Bench(BenchArguments),
    /// Inspects, checks, salvages, exports and imports saved worlds
    World {
        #[command(subcommand)]
        action: WorldAction,
    },
}

/// Parses the process's arguments, runs the command and reports its error.
pub fn main() -> ExitCode {
    let command_line = CommandLine::parse();
    serve::threads::start();
    match run(command_line) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if !matches!(error, Error::Unread) {
                complain!("error: {error}");
            }
            ExitCode::from(error.exit_code())
        }
    }
}

/// Runs one parsed command.
pub fn run(command_line: CommandLine) -> Result<(), Error> {
    match command_line.command {
        None => crate::play::run(&command_line.play),
        Some(Command::Play(arguments)) => crate::play::run(&arguments),
        Some(Command::Serve(arguments)) => {
            // A server goes on where its output is not read.
            serve::run(&arguments, &mut |words| drop(say!("{words}"))).map_err(Error::from)
        }
        Some(Command::Bots(arguments)) => {
            let say = &mut |words: &str| drop(say!("{words}"));
            serve::bots::run(&arguments, say).map_err(Error::from)
        }
        Some(Command::Shot(arguments)) => crate::shot::run(&arguments),
        Some(Command::Tour(arguments)) => crate::tour::run(&arguments),
        Some(Command::Scenes(arguments)) => crate::scenes::run(&arguments),
        Some(Command::Bench(arguments)) => crate::bench::run(&arguments),
        Some(Command::World { action }) => crate::saves::run(&action),
    }
}
