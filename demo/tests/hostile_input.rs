//! Settings files and command lines of any bytes: nothing panics, no file is lost, and what is
//! taken is within limits. The campaign is that of `tools/fuzz`.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;

use clap::Parser;
use demo::cli::CommandLine;
use demo::language::Language;
use demo::settings::{Settings, SettingsFile};
use fuzz_bodies::{Target, campaign};

/// Damaged inputs of each kind; the variable `FUZZ_RUNS` names another number.
const RUNS: usize = 1_000;

fn run(target: &Target) {
    let asked = std::env::var("FUZZ_RUNS").ok();
    let runs = asked.and_then(|runs| runs.parse().ok()).unwrap_or(RUNS);
    campaign::run(target, runs);
}

#[test]
fn settings_of_any_bytes_are_taken_or_set_aside() {
    run(&Target {
        name: "settings",
        check: check_settings,
        seeds: || vec![all_settings().into_bytes(), some_settings().into_bytes()],
        longest: 4096,
    });
}

fn all_settings() -> String {
    toml::to_string_pretty(&Settings::default()).unwrap()
}

fn some_settings() -> String {
    "language = \"korean\"\nlast_world = \"/a/b\"\n[graphics]\nview_metres = 1e30\n\
     shadows = \"low\"\n[controls.bindings]\n\
     undo = [\"KeyK\", \"Ctrl+F12\"]\n[characters]\ncrowd = 7\n"
        .to_owned()
}

fn check_settings(data: &[u8]) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("hostile-settings");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("settings.toml");
    fs::write(&path, data).unwrap();
    let mut file = SettingsFile::load(Some(path.clone()), Language::English);
    let kept = fs::read_dir(&folder).unwrap();
    let kept: Vec<_> = kept
        .map(|entry| fs::read(entry.unwrap().path()).unwrap())
        .collect();
    assert_eq!(kept, [data], "the file was altered");
    assert_eq!(path.exists(), file.notice.is_none(), "{:?}", file.notice);
    check_limits(&file.settings);
    file.settings.graphics.hour = 3.25;
    file.save_if_changed().unwrap();
    let again = SettingsFile::load(Some(path), Language::English);
    assert_eq!((again.notice, again.settings), (None, file.settings));
}

/// Checks that all numbers are finite and within their limits.
fn check_limits(settings: &Settings) {
    let text = toml::to_string(settings).unwrap();
    let odd = text
        .lines()
        .find(|line| line.ends_with("nan") || line.ends_with("inf"));
    assert_eq!(odd, None);
    assert_eq!(settings.clone().within_limits(), *settings);
}

#[test]
fn command_lines_of_any_bytes_are_taken_or_explained() {
    run(&Target {
        name: "arguments",
        check: check_arguments,
        seeds: || LINES.map(|line| line.as_bytes().to_vec()).to_vec(),
        longest: 1024,
    });
}

/// Sound command lines, one argument a line.
const LINES: [&str; 9] = [
    "play\n--world\na.voxels\n--seed\n7\n--view\n96\n--crowd\n20",
    "--seed\n18446744073709551615\n--scene\nstep_off",
    "shot\n--out\na.png\n--size\n64x40\n--seed\n2\n--eye\n-10.5,80,4\n--look\n-30,5\n--crowd\n9",
    "shot\n--out\nb.png\n--world\na.voxels\n--view\n1000\n--overlay\nquads,chunks\n--json\n--force",
    "tour\n--out\nfolder\n--frames\n12",
    "scenes\nstep_off\nfloor_slide\n--json\n--report\nfolder",
    "bench\n--json\n--only\nworld,crowd.walk",
    "world\ninfo\na.voxels",
    "world\nimport\na.voxels\n--from\nb.vox",
];

fn check_arguments(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let arguments = std::iter::once("demo").chain(text.split('\n'));
    match CommandLine::try_parse_from(arguments) {
        Ok(parsed) => assert!(!format!("{parsed:?}").contains("NaN"), "{parsed:?}"),
        Err(error) => {
            let code = error.exit_code();
            assert!(code == 2 || !error.use_stderr(), "{code}: {error}");
            assert!(!error.to_string().trim().is_empty());
        }
    }
}
