//! The examples run to their end. `cargo test` builds them; with `--test` alone they are missing.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::process::Command;

fn run(name: &str, arguments: &[&str]) -> String {
    let test = std::env::current_exe().unwrap();
    let folder: PathBuf = test.ancestors().nth(2).unwrap().join("examples");
    let program = folder
        .join(name)
        .with_extension(std::env::consts::EXE_EXTENSION);
    assert!(
        program.exists(),
        "{program:?} is not built: run `cargo test -p world`"
    );
    let output = Command::new(program).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{name}: {output:?}");
    said
}

#[test]
fn server_plays_on_while_it_edits_saves_and_backs_up() {
    let said = run("server", &["7"]);
    let tells = |what: &str| said.lines().any(|line| line.contains(what));
    assert!(tells("4992 characters, 64 viewers"), "{said}");
    assert!(tells("699 edits, 1 backups"), "{said}");
}

#[test]
fn other_examples_run_to_their_end() {
    for name in ["prediction", "mesher", "walkers"] {
        assert!(!run(name, &[]).is_empty(), "{name}");
    }
}
