//! Runs the program for tests: with a home of its own and without a display.

#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use nalgebra::Vector3;
use world::{Clipboard, Material, MaterialTable, write_vox};

/// Runs the program to its end.
pub(crate) fn demo(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

/// Returns the program with its arguments, not started yet.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let home = folder("home");
    let mut command = Command::new(env!("CARGO_BIN_EXE_demo"));
    command
        .args(arguments)
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("XDG_DATA_HOME", home.join("data"))
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY");
    command
}

/// Returns a folder of the test's own, made if need be.
pub(crate) fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("commands")
        .join(name);
    fs::create_dir_all(&path).unwrap();
    path
}

/// Returns an empty folder of the test's own.
pub(crate) fn empty_folder(name: &str) -> PathBuf {
    let _ = fs::remove_dir_all(folder(name));
    folder(name)
}

/// Checks that the program fails with this exit code and message, without a panic.
pub(crate) fn refuses(arguments: &[&str], code: i32, words: &str) {
    ends(arguments, &demo(arguments), code, words);
}

/// Checks that the program ended with this exit code and message, without a panic.
pub(crate) fn ends(arguments: &[&str], output: &Output, code: i32, words: &str) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
    assert!(
        errors.to_lowercase().contains(words),
        "{arguments:?} said: {errors}"
    );
    assert!(!errors.contains("panicked"), "{arguments:?}: {errors}");
}

/// Checks that the program succeeds, and returns its output.
pub(crate) fn succeeds(arguments: &[&str]) -> String {
    let output = demo(arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Returns a small model: a ring of stone about a pole of gold.
pub(crate) fn model() -> Clipboard {
    let table = MaterialTable::standard();
    let gold = table.by_name("gold").unwrap();
    Clipboard::from_fn(Vector3::new(5, 3, 5), |at| match (at.x, at.y, at.z) {
        (2, _, 2) => gold,
        (x, 0, z) if x % 4 == 0 || z % 4 == 0 => Material::STONE,
        _ => Material::AIR,
    })
    .unwrap()
}

/// Returns a save with the small model in it, high above the ground.
pub(crate) fn save_with_model(folder: &Path, name: &str) -> PathBuf {
    let (save, from) = (folder.join(name), folder.join("ring.vox"));
    let _ = fs::remove_file(&save);
    let ring = write_vox(&model(), &MaterialTable::standard()).unwrap();
    fs::write(&from, ring).unwrap();
    let [path, from] = [&save, &from].map(|path| text(path));
    succeeds(&["world", "import", path, "--from", from, "--at", "3,200,-9"]);
    save
}

/// Returns a path as an argument.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
