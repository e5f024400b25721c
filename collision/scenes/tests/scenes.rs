//! Runs every scene of the catalogue, and proves that a wrong expectation makes a scene fail.
#![allow(clippy::unwrap_used)]

use collision_scenes::{Kind, LONG_SCENE, Listed, Scene, catalogue, failing, load, opposed, run};
use rayon::prelude::*;

fn files() -> Vec<(Listed, Scene)> {
    let loaded = catalogue()
        .iter()
        .filter_map(|listed| Some((*listed, listed.load()?.unwrap())));
    loaded.collect()
}

#[test]
fn every_scene_passes() {
    let faults = failing();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_scene_is_listed_once_and_under_its_own_name() {
    let mut names: Vec<&str> = catalogue().iter().map(|listed| listed.name).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    for (listed, scene) in files() {
        assert_eq!(listed.name, scene.name);
        assert!(
            !scene.about.is_empty(),
            "{} says nothing about itself",
            scene.name
        );
    }
}

#[test]
fn every_scene_file_is_listed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "scene") {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            assert!(
                catalogue().iter().any(|listed| listed.name == name),
                "{name} is not in the catalogue"
            );
        }
    }
}

/// Turns each expectation of each scene into one that must fail, and requires a fault for every
/// one.
#[test]
fn wrong_expectations_make_scenes_fail() {
    let short = files();
    let short = short
        .par_iter()
        .filter(|(listed, _)| listed.name != LONG_SCENE);
    short.for_each(|(listed, scene)| {
        let mut wrong = scene.clone();
        wrong.hash = None;
        wrong.variants.truncate(1);
        let script = &mut wrong.variants[0];
        script.repeats.clear();
        script.expectations = script.expectations.iter().map(opposed).collect();
        let wanted = script.expectations.len();
        let verdict = run(&wrong, None);
        assert_eq!(
            verdict.faults.len(),
            wanted,
            "{}: {}",
            listed.name,
            verdict.why()
        );
    });
}

#[test]
fn a_wrong_hash_makes_a_scene_fail() {
    let (_, mut scene) = files()
        .into_iter()
        .find(|(listed, _)| listed.name == "wall_slide")
        .unwrap();
    let right = run(&scene, None);
    assert!(right.passed(), "{}", right.why());
    scene.hash = Some(right.hash ^ 1);
    let wrong = run(&scene, None);
    assert!(wrong.why().contains("state hash"), "{}", wrong.why());
}

#[test]
fn bad_files_are_refused_by_line() {
    let line = |text: &str| load("bad.scene", text).unwrap_err().line;
    assert_eq!(line("scene x\nticks 5\nnonsense"), 3);
    assert_eq!(line("scene x\nticks 0"), 2);
    assert_eq!(
        line("scene x\nticks 5\nvoxels 1 a\nfill 0 0 0 1000000 1000000 1000000"),
        4
    );
    assert_eq!(line("scene x\nticks 5\nexpect nobody x always is 0"), 3);
    assert_eq!(
        line("scene x\nticks 5\ncharacter a 0 0 0\nexpect a x at 7 is 0"),
        4
    );
    let past_the_end = [
        "input a 2 6 crouch",
        "input a 5 6 crouch",
        "input a 4 3 crouch",
        "edit 5 teleport a 0 0 0",
        "edit 2 to 6 teleport a 0 0 0",
        "same restored 5",
    ];
    for statement in past_the_end {
        let text = format!("scene x\nticks 5\ncharacter a 0 0 0\n{statement}");
        assert_eq!(line(&text), 4, "{statement}");
        let error = load("bad.scene", &text).unwrap_err().to_string();
        let told = error.contains("past the end") || error.contains("backwards");
        assert!(told, "{error}");
    }
    assert_eq!(line("scene x\ncharacter a 0 0 0\ninput a 0 1 crouch"), 3);
    assert_eq!(line("scene x\nticks 5\ncharacter a 0 0 0\nmass 0"), 4);
    assert_eq!(line("scene x\nticks 5\nrate 0"), 3);
    assert_eq!(
        line("scene x\nticks 5\nvoxels 1 a\nfill 0 0 0 -2147483648 0 0"),
        4
    );
    assert_eq!(line("scene x\nticks 5\ncharacter a 0 nan 0"), 3);
    assert_eq!(line("scene x\nticks 5\nbox 0 0 0 1 1 1"), 3);
    let error = load("bad.scene", "scene x\nticks 5\nhash zz").unwrap_err();
    assert_eq!(
        error.to_string(),
        "bad.scene:3: `zz` is not sixteen hexadecimal digits"
    );
}

/// Loads every scene file cut off, and with words replaced: an error or a scene, never a panic.
#[test]
fn hostile_files_never_panic() {
    let words = [
        "-1",
        "nan",
        "1e308",
        "{1/0}",
        "{",
        "end",
        "all",
        "99999999999",
        "",
        "\u{1F600}",
    ];
    for listed in catalogue() {
        let Kind::File(text) = listed.kind else {
            continue;
        };
        let lines: Vec<&str> = text.lines().collect();
        for (index, line) in lines.iter().enumerate() {
            for (place, word) in words.iter().enumerate() {
                let mut parts: Vec<&str> = line.split(' ').collect();
                let at = (place + index) % parts.len();
                parts[at] = word;
                let changed = parts.join(" ");
                let mut all = lines.clone();
                all[index] = &changed;
                let _either = load("hostile.scene", &all.join("\n"));
            }
            let _either = load("hostile.scene", &lines[..index].join("\n"));
        }
    }
}
