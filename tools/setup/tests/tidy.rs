//! Tests of tidiness: the layering of the crates, module headers, file lengths, the place of
//! `unsafe`, the contents of packages, and the links of documents.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const CRATES: [&str; 10] = [
    "collision",
    "collision/scenes",
    "world",
    "shaders",
    "engine",
    "demo",
    "demo/simulation",
    "demo/net",
    "tools/setup",
    "tools/fuzz/bodies",
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

/// Folders and files whose code runs in a tick of the simulation.
const TICKED: [&str; 4] = [
    "collision/src/",
    "world/src/",
    "demo/simulation/src/",
    "demo/net/src/",
];
/// Calls whose last bits differ from one platform to another.
const INEXACT: [&str; 26] = [
    "sin(",
    "cos(",
    "tan(",
    "sin_cos(",
    "asin(",
    "acos(",
    "atan(",
    "atan2(",
    "sinh(",
    "cosh(",
    "tanh(",
    "exp(",
    "exp2(",
    "exp_m1(",
    "ln(",
    "ln_1p(",
    "log(",
    "log2(",
    "log10(",
    "powf(",
    "powi(",
    "cbrt(",
    "hypot(",
    "mul_add(",
    "from_axis_angle(",
    "rotation_between(",
];

/// Returns the part of a source that is no test.
fn shipped<'a>(name: &str, text: &'a str) -> &'a str {
    let file = name.rsplit('/').next().unwrap_or_default();
    if name.contains("/tests/") || file.contains("test") {
        return "";
    }
    let tests = text.find("#[cfg(test)]\nmod tests");
    &text[..tests.unwrap_or(text.len())]
}

/// Returns whether a line calls a method or a function of numbers, or a constructor of rotations.
fn calls(line: &str, name: &str) -> bool {
    let of = [".", "f32::", "f64::", "Rotation3::", "UnitQuaternion::"];
    of.iter().any(|of| line.contains(&format!("{of}{name}")))
}

#[test]
fn no_tick_calls_what_differs_between_platforms() {
    let sources = sources();
    let ticked: Vec<_> = sources
        .iter()
        .filter(|(name, _)| TICKED.iter().any(|folder| name.starts_with(folder)))
        .collect();
    assert!(ticked.len() > 100, "the sources were not found");
    let mut faults = Vec::new();
    for (name, text) in ticked {
        for (number, line) in shipped(name, text).lines().enumerate() {
            // The second power is a product everywhere.
            let code = line.split("//").next().unwrap_or_default();
            let code = code.replace(".powi(2)", "");
            if INEXACT.iter().any(|call| calls(&code, call)) {
                faults.push(format!("{name}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    complain("calls whose bits differ between platforms", faults);
    let example = "let (sin, cos) = angle.sin_cos();";
    assert!(calls(example, "sin_cos(") && !calls("sin_cos(angle)", "sin_cos("));
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

/// Returns the output of a cargo command at the root.
fn cargo(arguments: &[&str]) -> String {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = std::process::Command::new(cargo)
        .args(arguments)
        .args(["--locked", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo can be run");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// Returns the dependencies that a crate is built with, as cargo resolves them.
fn built_with(name: &str) -> String {
    let edges = ["--edges", "normal,build", "--prefix", "none"];
    cargo(&[&["tree", "--package", name], &edges[..]].concat())
}

#[test]
fn headless_crates_are_built_without_gpu_window_or_scenes() {
    for name in ["collision", "world", "simulation", "net"] {
        let crates = built_with(name);
        assert!(
            crates.contains("nalgebra"),
            "{name} was not found:\n{crates}"
        );
        let above = [
            "wgpu",
            "winit",
            "egui",
            "naga",
            "gilrs",
            "kira",
            "engine",
            "collision-scenes",
        ];
        for banned in above {
            let named = crates.lines().any(|line| line.starts_with(banned));
            assert!(!named, "{name} is built with {banned}");
        }
    }
}

#[test]
fn packages_hold_readme_and_licences() {
    for name in ["collision", "world"] {
        let listed = cargo(&["package", "--list", "--allow-dirty", "--package", name]);
        for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "src/lib.rs"] {
            assert!(listed.lines().any(|line| line == file), "{name}: no {file}");
        }
        let holds_more = |line: &str| line.starts_with("tests/") || line.starts_with("target/");
        assert!(!listed.lines().any(holds_more), "{name}:\n{listed}");
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            let copy = read(&root().join(name).join(licence));
            assert_eq!(copy, read(&root().join(licence)), "{name}/{licence}");
        }
    }
}

fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            documents(&path, found);
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
}

/// Returns the targets of links to files: `[words](target)`.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split([')', '#']).next())
        .filter(|target| !target.is_empty() && !target.contains("://"))
}

#[test]
fn documents_link_to_files_that_exist() {
    let mut found = Vec::new();
    documents(&root(), &mut found);
    assert!(found.len() > CRATES.len(), "the documents were not found");
    let mut faults = Vec::new();
    for document in found {
        let text = read(&document);
        for target in targets(&text) {
            if !document.with_file_name(target).exists() {
                faults.push(format!("{}: {target}", document.display()));
            }
        }
    }
    complain("links to nothing", faults);
}

/// Returns the commands, files and names that a document quotes.
fn quoted(text: &str) -> BTreeSet<&str> {
    let lines = text.lines().filter(|line| !line.starts_with("```"));
    lines
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .collect()
}

#[test]
fn readme_is_short_and_its_translation_quotes_the_same() {
    let [english, korean] = ["README.md", "README.ko.md"].map(|name| read(&root().join(name)));
    let words = english.split_whitespace().count();
    assert!(words <= 900, "README.md has {words} words");
    assert_eq!(quoted(&english), quoted(&korean));
}

#[test]
fn the_top_level_holds_what_it_should() {
    let allowed = [
        "Cargo.toml",
        "Cargo.lock",
        "README.md",
        "README.ko.md",
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
