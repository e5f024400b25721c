//! Tests of tidiness: the layering of the crates, module headers, file lengths, and the place of
//! `unsafe`.

use std::fs;
use std::path::{Path, PathBuf};

const CRATES: [&str; 7] = [
    "collision",
    "collision/scenes",
    "world",
    "shaders",
    "engine",
    "demo",
    "tools/setup",
];
const LONGEST_FILE: usize = 600;
const MAY_BE_UNSAFE: &str = "collision/src/lanes.rs";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Returns every file in the crates' `src`, by its path from the root.
fn sources() -> Vec<(String, String)> {
    let root = root();
    let mut files = Vec::new();
    for name in CRATES {
        rust_files(&root.join(name).join("src"), &mut files);
    }
    files.sort();
    assert!(files.len() >= CRATES.len(), "the sources were not found");
    let named = |path: &PathBuf| {
        let name = path.strip_prefix(&root).expect("listed below the root");
        (name.to_string_lossy().replace('\\', "/"), read(path))
    };
    files.iter().map(named).collect()
}

fn complain(what: &str, faults: Vec<String>) {
    assert!(faults.is_empty(), "{what}:\n{}", faults.join("\n"));
}

#[test]
fn every_module_says_what_it_is_for() {
    let faults = sources()
        .into_iter()
        .filter(|(_, text)| !text.starts_with("//!"))
        .map(|(name, _)| name);
    complain("modules without a header", faults.collect());
}

#[test]
fn files_stay_short() {
    let faults = sources()
        .into_iter()
        .filter(|(_, text)| text.lines().count() > LONGEST_FILE)
        .map(|(name, text)| format!("{name}: {} lines", text.lines().count()));
    complain("files to split", faults.collect());
}

#[test]
fn unsafe_stands_in_one_file() {
    let faults = sources()
        .into_iter()
        .filter(|(name, text)| name != MAY_BE_UNSAFE && text.contains("unsafe {"))
        .map(|(name, _)| name);
    complain("unsafe code outside its file", faults.collect());
}

#[test]
fn nothing_is_left_undone() {
    let marks = [
        concat!("todo", "!("),
        concat!("unimplemented", "!("),
        concat!("#[ig", "nore"),
    ];
    let faults = sources()
        .into_iter()
        .filter(|(_, text)| marks.iter().any(|mark| text.contains(mark)))
        .map(|(name, _)| name);
    complain("left undone", faults.collect());
}

#[test]
fn crates_name_only_what_lies_below_them() {
    let forbidden: [(&str, &[&str]); 4] = [
        (
            "collision",
            &[
                "wgpu",
                "winit",
                "engine",
                "world",
                "collision-scenes",
                "noise",
                "redb",
                "clap",
            ],
        ),
        (
            "world",
            &[
                "wgpu",
                "winit",
                "engine",
                "collision-scenes",
                "egui",
                "clap",
            ],
        ),
        (
            "shaders",
            &["wgpu", "winit", "engine", "world", "collision"],
        ),
        ("demo", &["wgpu", "winit"]),
    ];
    let mut faults = Vec::new();
    for (name, banned) in forbidden {
        let manifest = read(&root().join(name).join("Cargo.toml"));
        let shipped = manifest
            .split("[dev-dependencies]")
            .next()
            .unwrap_or_default();
        for dependency in banned {
            let named = |line: &str| {
                line.split(['.', ' ', '='])
                    .next()
                    .is_some_and(|first| first == *dependency)
            };
            if shipped.lines().any(named) {
                faults.push(format!("{name} names {dependency}"));
            }
        }
    }
    complain("a crate names what it must not", faults);
}

/// Returns the dependencies that a crate is built with, as cargo resolves them.
fn built_with(name: &str) -> String {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = std::process::Command::new(cargo)
        .args(["tree", "--package", name, "--edges", "normal,build"])
        .args(["--prefix", "none", "--locked", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo can be run");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn libraries_are_built_without_gpu_window_or_scenes() {
    for name in ["collision", "world"] {
        let crates = built_with(name);
        assert!(
            crates.contains("nalgebra"),
            "{name} was not found:\n{crates}"
        );
        let above = ["wgpu", "winit", "egui", "naga", "gilrs", "collision-scenes"];
        for banned in above {
            let named = crates.lines().any(|line| line.starts_with(banned));
            assert!(!named, "{name} is built with {banned}");
        }
    }
}

#[test]
fn the_top_level_holds_what_it_should() {
    let allowed = [
        "Cargo.toml",
        "Cargo.lock",
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "rust-toolchain.toml",
        "collision",
        "world",
        "shaders",
        "engine",
        "demo",
        "tools",
        "target",
    ];
    let entries = fs::read_dir(root()).expect("the root can be listed");
    let faults = entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with('.') && !allowed.contains(&name.as_str()));
    complain("the top level holds more than it should", faults.collect());
}
