//! Runs regression scenes on plain voxels: `cargo run -p collision-scenes --example scenes --
//! [NAME or FILE...]`; `--list` tells what each tests. The flag `--pin` writes the state hashes
//! into the scene files instead of comparing them; only for a change of behaviour that is meant.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use collision_scenes::{Kind, Verdict, catalogue, load, run};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        for listed in catalogue() {
            println!("{:40} {}", listed.name, listed.about());
        }
        return;
    }
    let pin = arguments.iter().any(|argument| argument == "--pin");
    let mut failed = 0;
    for listed in catalogue()
        .iter()
        .filter(|listed| matches!(listed.kind, Kind::Sweeps { .. }))
    {
        if arguments.is_empty() || arguments.iter().any(|name| name == listed.name) {
            let verdict = listed.run(None);
            println!(
                "{} {:28} {}",
                if verdict.passed() { "pass" } else { "FAIL" },
                listed.name,
                verdict.why()
            );
            failed += usize::from(!verdict.passed());
        }
    }
    let named = arguments.iter().filter(|argument| *argument != "--pin");
    let (paths, names): (Vec<_>, Vec<_>) = named.partition(|name| name.ends_with(".scene"));
    let is_wanted = |path: &PathBuf| {
        let all = paths.is_empty() && names.is_empty();
        all || names
            .iter()
            .any(|name| path.ends_with(format!("{name}.scene")))
    };
    let listed = files().into_iter().filter(is_wanted);
    for path in listed.chain(paths.iter().map(PathBuf::from)) {
        failed += usize::from(!show(&path, pin));
    }
    if failed > 0 {
        eprintln!("{failed} failed");
        std::process::exit(1);
    }
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "scene"));
    files.sort();
    files
}

fn show(path: &Path, pin: bool) -> bool {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            println!("FAIL {}: {error}", path.display());
            return false;
        }
    };
    let name = &path.file_stem().unwrap_or_default().to_string_lossy();
    let started = std::time::Instant::now();
    let mut scene = match load(name, &text) {
        Ok(scene) => scene,
        Err(error) => {
            println!("FAIL {error}");
            return false;
        }
    };
    if pin {
        scene.hash = None;
    }
    let verdict = run(&scene, None);
    let result = if verdict.passed() { "pass" } else { "FAIL" };
    println!(
        "{result} {name:28} {:8} ticks {:8.1?} {}",
        verdict.ticks,
        started.elapsed(),
        verdict.why()
    );
    if pin && verdict.passed() {
        write_hash(path, &text, &verdict);
    }
    verdict.passed()
}

fn write_hash(path: &Path, text: &str, verdict: &Verdict) {
    let kept: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with("hash "))
        .collect();
    let pinned = format!(
        "{}\nhash {:016x}\n",
        kept.join("\n").trim_end(),
        verdict.hash
    );
    std::fs::write(path, pinned).unwrap();
}
