//! The settings file: round trips, and is never lost however broken.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;

use std::time::Duration;

use demo::cli::PlayArguments;
use demo::input::{Action, Trigger};
use demo::play::rehearse;
use demo::settings::{Settings, SettingsFile};

fn fresh(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("settings")
        .join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder.join("deeper").join("settings.toml")
}

#[test]
fn what_is_saved_is_read_again() {
    let path = fresh("round-trip");
    let mut file = SettingsFile::load(Some(path.clone()));
    assert_eq!(file.notice, None);
    file.settings.characters.walk_speed = 7.25;
    file.settings
        .controls
        .bindings
        .rebind(Action::Undo, Trigger::parse("Ctrl+F12").unwrap());
    file.save_if_changed().unwrap();
    let again = SettingsFile::load(Some(path));
    assert_eq!(again.settings, file.settings);
}

#[test]
fn a_broken_file_is_set_aside_and_reported() {
    let path = fresh("broken");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    for (round, text) in [
        "graphics = [",
        "[graphics]\nview_metres = \"far\"",
        "\u{0}\u{1}",
    ]
    .into_iter()
    .enumerate()
    {
        fs::write(&path, text).unwrap();
        let mut file = SettingsFile::load(Some(path.clone()));
        assert_eq!(file.settings, Settings::default());
        assert!(
            file.notice.as_deref().is_some_and(|n| n.contains("broken")),
            "{:?}",
            file.notice
        );
        let aside = path.with_extension(format!("toml.broken-{}", round + 1));
        assert_eq!(fs::read_to_string(aside).unwrap(), text);
        file.settings.graphics.hour = 3.0;
        file.save_if_changed().unwrap();
        assert_eq!(
            SettingsFile::load(Some(path.clone()))
                .settings
                .graphics
                .hour,
            3.0
        );
    }
}

#[test]
fn unknown_and_missing_entries_do_no_harm() {
    let path = fresh("partial");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(
        &path,
        "future = 1\n[graphics]\nview_metres = 1e30\n[controls.bindings]\nundo = [\"KeyK\"]\n",
    )
    .unwrap();
    let file = SettingsFile::load(Some(path));
    assert_eq!(file.settings.graphics.view_metres, 1000.0);
    assert_eq!(file.settings.controls.bindings.label(Action::Undo), "KeyK");
    assert_eq!(
        file.settings.controls.bindings.label(Action::Redo),
        "Ctrl+KeyY"
    );
}

#[test]
fn a_folder_in_the_way_keeps_settings_for_this_run() {
    let path = fresh("folder");
    fs::create_dir_all(&path).unwrap();
    let mut file = SettingsFile::load(Some(path));
    assert!(file.notice.is_some());
    file.settings.graphics.hour = 1.0;
    file.save_if_changed().unwrap();
}

/// Plays one picture of a new world, with settings of their own.
fn play_once(path: &std::path::Path, view: Option<u32>, before_the_end: impl FnOnce()) -> bool {
    let world = path.with_file_name("world.voxels");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let arguments = PlayArguments {
        world: Some(world),
        view,
        crowd: Some(0),
        ..PlayArguments::default()
    };
    let settings = SettingsFile::load(Some(path.to_path_buf()));
    let mut sandbox = rehearse(settings, &arguments, [64, 40]).unwrap();
    sandbox.picture(Duration::from_millis(16)).unwrap();
    before_the_end();
    match sandbox.close() {
        Ok(()) => true,
        Err(error) => {
            assert!(error.to_string().contains("settings.toml"), "{error}");
            false
        }
    }
}

#[test]
fn a_view_that_was_asked_for_is_kept_where_a_modest_picture_is_chosen() {
    for (name, view, kept) in [("asked", Some(200), 200.0), ("modest", None, 128.0)] {
        let path = fresh(name);
        assert!(play_once(&path, view, || {}));
        let settings = SettingsFile::load(Some(path)).settings;
        assert_eq!(settings.graphics.view_metres, kept);
        assert!(
            !settings.graphics.multisampling,
            "the software driver draws"
        );
    }
}

#[test]
fn settings_that_cannot_be_saved_at_the_end_are_told() {
    let path = fresh("blocked");
    let blocked = path.with_file_name("settings.toml.new");
    let ended_well = play_once(&path, None, || fs::create_dir_all(&blocked).unwrap());
    assert!(!ended_well);
}
