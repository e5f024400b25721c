//! A program outside the workspace uses all of the public face, with path dependencies only on
//! `collision` and `world`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROGRAM: &str = include_str!("programs/outside.rs");

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the repository is there")
}

/// Writes the program into cargo's target folder, with the versions locked by the repository.
fn write_program() -> PathBuf {
    let root = root();
    let folder = root.join("target/outside");
    std::fs::create_dir_all(folder.join("src")).expect("the folder can be made");
    let shared = std::fs::read_to_string(root.join("Cargo.toml")).expect("there is a manifest");
    // With the workspace's profiles, so that only the program itself is built again.
    let profiles = shared.find("[profile.dev]").map_or("", |at| &shared[at..]);
    let is_built = |profile: &&str| {
        let absent = ["package.setup]", "package.collision-scenes]"];
        !absent.iter().any(|package| profile.contains(package))
    };
    let profiles: Vec<&str> = profiles.split("\n\n").filter(is_built).collect();
    let path = |name: &str| root.join(name).display().to_string();
    let manifest = format!(
        "[package]\nname = \"outside\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [workspace]\n\n[dependencies]\n\
         collision = {{ path = {:?} }}\nworld = {{ path = {:?} }}\nnalgebra = \"*\"\n\n{}",
        path("collision"),
        path("world"),
        profiles.join("\n\n"),
    );
    std::fs::write(folder.join("Cargo.toml"), manifest).expect("the manifest can be written");
    std::fs::write(folder.join("src/main.rs"), PROGRAM).expect("the program can be written");
    std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).expect("there is a lock");
    folder
}

fn cargo(folder: &Path, arguments: &[&str]) -> Output {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(arguments)
        .arg("--offline")
        .env("CARGO_TARGET_DIR", root().join("target"))
        .current_dir(folder)
        .output()
        .expect("cargo can be run");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo {arguments:?}: {said}");
    output
}

#[test]
fn a_program_outside_does_all_of_the_public_face() {
    let folder = write_program();
    let output = cargo(&folder, &["run", "--quiet"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("the public face holds"), "it said: {said}");
    let tree = cargo(
        &folder,
        &["tree", "--prefix", "none", "--edges", "normal,build"],
    );
    let tree = String::from_utf8_lossy(&tree.stdout);
    assert!(tree.contains("world v"), "{tree}");
    for banned in [
        "wgpu", "winit", "egui", "naga", "gilrs", "ash", "vulkan", "engine", "shaders",
    ] {
        let named = tree.lines().any(|line| line.starts_with(banned));
        assert!(!named, "the program is built with {banned}:\n{tree}");
    }
}
