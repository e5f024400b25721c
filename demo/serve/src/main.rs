//! The server's program, which only calls its library.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

/// Serves a world to players with an invite.
#[derive(Debug, Parser)]
#[command(name = "serve", version)]
struct CommandLine {
    #[command(flatten)]
    arguments: serve::Arguments,
}

fn main() -> ExitCode {
    let arguments = CommandLine::parse().arguments;
    serve::threads::start();
    // A server goes on where its output is not read.
    let mut say = |words: &str| drop(writeln!(std::io::stdout(), "{words}"));
    match serve::run(&arguments, &mut say) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}
