//! `cargo play` and `cargo verify`: set the machine up, then play the sandbox or check the project.
//! `cargo notices`: the licences of other authors.
//!
//! Not shipped. It depends on no crate, so that it builds in a second on a bare machine and can
//! report missing programs before anything large is compiled. Reading order: [`machine`]
//! (requirements), [`play`], [`verify`], [`notices`].

mod machine;
mod notices;
mod play;
mod verify;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo play [ARGUMENTS OF THE DEMO]
       cargo verify
       cargo notices

play    installs what the machine lacks to draw, builds in release and opens the sandbox;
        without a display it renders the tour into target/tour/
verify  installs what the tests need, then runs format, lints, every test and the documentation
notices prints the licences of all packages that the sandbox is built from";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let outcome = match arguments.next().as_deref() {
        Some("play") => play::play(arguments.collect()),
        Some(command @ ("verify" | "notices")) => match arguments.next() {
            None if command == "verify" => verify::verify(),
            None => notices::notices(),
            Some(extra) => Err(format!(
                "{command} takes no arguments, but got `{extra}`\n{USAGE}"
            )),
        },
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(code) => code,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}
