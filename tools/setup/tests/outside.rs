//! Programs outside the workspace, with path dependencies only on `collision` and `world`: one uses
//! all of the public face, one the pieces that need no feature. The server, which has no window.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const WHOLE: Program = Program {
    name: "outside",
    source: include_str!("programs/outside.rs"),
    options: "",
};
const BARE: Program = Program {
    name: "bare",
    source: include_str!("programs/bare.rs"),
    options: ", default-features = false",
};
/// Packages that no program without a window is built with.
const OF_PICTURES: [&str; 9] = [
    "wgpu", "winit", "egui", "naga", "gilrs", "ash", "vulkan", "engine", "shaders",
];
/// Packages of the features of `world`.
const OF_FEATURES: [&str; 6] = ["redb", "noise", "dot_vox", "rand", "getrandom", "libc"];
/// Most packages of the program without features, itself included.
const MOST_BARE: usize = 39;

/// A program with its options for `world`.
struct Program {
    name: &'static str,
    source: &'static str,
    options: &'static str,
}

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the repository is there")
}

/// Writes a program into cargo's target folder, with the versions locked by the repository.
fn write_program(program: &Program) -> PathBuf {
    let root = root();
    let folder = root.join("target").join(program.name);
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
        "[package]\nname = {:?}\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [workspace]\n\n[dependencies]\n\
         collision = {{ path = {:?} }}\nworld = {{ path = {:?}{} }}\nnalgebra = \"*\"\n\n{}",
        program.name,
        path("collision"),
        path("world"),
        program.options,
        profiles.join("\n\n"),
    );
    std::fs::write(folder.join("Cargo.toml"), manifest).expect("the manifest can be written");
    std::fs::write(folder.join("src/main.rs"), program.source).expect("the program can be written");
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

/// Returns the packages that a program is built with, one a line.
fn packages(folder: &Path) -> String {
    packages_with(folder, &[])
}

fn packages_with(folder: &Path, more: &[&str]) -> String {
    let tree = ["tree", "--prefix", "none", "--edges", "normal,build"];
    let tree = cargo(folder, &[&tree[..], more].concat());
    let tree = String::from_utf8_lossy(&tree.stdout).into_owned();
    assert!(tree.contains("world v"), "{tree}");
    tree
}

fn check_without(tree: &str, banned: &[&str]) {
    for banned in banned {
        let named = tree.lines().any(|line| line.starts_with(banned));
        assert!(!named, "the program is built with {banned}:\n{tree}");
    }
}

/// Runs a program, and checks that it comes to its last line.
fn run(folder: &Path, last: &str) {
    let output = cargo(folder, &["run", "--quiet"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains(last), "it said: {said}");
}

#[test]
fn a_program_outside_does_all_of_the_public_face() {
    let folder = write_program(&WHOLE);
    run(&folder, "the public face holds");
    check_without(&packages(&folder), &OF_PICTURES);
}

#[test]
fn a_program_without_features_merges_edits_streams_and_sees() {
    let folder = write_program(&BARE);
    run(&folder, "the pieces hold");
    let tree = packages(&folder);
    check_without(&tree, &OF_PICTURES);
    check_without(&tree, &OF_FEATURES);
    let lines = tree.lines();
    let packages: BTreeSet<&str> = lines.filter_map(|line| line.split(" (").next()).collect();
    let count = packages.len();
    assert!(count <= MOST_BARE, "{count} packages: {packages:?}");
}

#[test]
fn the_server_is_built_without_a_window() {
    check_without(
        &packages_with(&root(), &["--package", "serve"]),
        &OF_PICTURES,
    );
}
