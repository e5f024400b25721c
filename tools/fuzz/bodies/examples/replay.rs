//! Feeds a file of bytes, as libFuzzer leaves one where it finds a fault, to a body once more:
//! `cargo run -p fuzz-bodies --example replay -- TARGET FILE`.

use std::process::ExitCode;

use fuzz_bodies::TARGETS;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, file] = &arguments[..] else {
        eprintln!("give the name of a target and a file");
        return ExitCode::from(2);
    };
    let Some(target) = TARGETS.iter().find(|target| target.name == name) else {
        let names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        eprintln!("no target is called {name}; there are {}", names.join(", "));
        return ExitCode::from(2);
    };
    match std::fs::read(file) {
        Ok(bytes) => {
            (target.check)(&bytes);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{file}: {error}");
            ExitCode::from(2)
        }
    }
}
