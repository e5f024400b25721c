//! The settings file: round trips, and files that are never lost however broken.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;

use std::time::Duration;

use demo::arguments::PlayArguments;
use demo::input::{Action, Trigger};
use demo::language::Language;
use demo::play::rehearse;
use demo::settings::{Settings, SettingsFile};
use engine::InputEvent;

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
    let mut file = SettingsFile::load(Some(path.clone()), Language::English);
    assert_eq!(file.notice, None);
    file.settings.characters.walk_speed = 7.25;
    file.settings
        .controls
        .bindings
        .rebind(Action::Undo, Trigger::parse("Ctrl+F12").unwrap());
    file.save_if_changed().unwrap();
    let again = SettingsFile::load(Some(path), Language::English);
    assert_eq!(again.settings, file.settings);
}

#[test]
fn language_follows_the_locale_until_one_is_chosen() {
    let path = fresh("language");
    let load = |locale| SettingsFile::load(Some(path.clone()), locale);
    let mut file = load(Language::Korean);
    assert_eq!(file.language(), Language::Korean);
    file.settings.graphics.hour = 3.0;
    file.save_if_changed().unwrap();
    assert_eq!(load(Language::English).language(), Language::English);
    file.settings.language = Some(Language::Korean);
    file.save_if_changed().unwrap();
    assert_eq!(load(Language::English).language(), Language::Korean);
    fs::write(&path, "language = \"klingon\"\n[graphics]\nhour = 4.0").unwrap();
    let file = load(Language::English);
    assert_eq!(file.language(), Language::English);
    assert_eq!(file.settings.graphics.hour, 4.0);
    let notice = file.notice.unwrap();
    assert!(notice.contains("for language"), "{notice}");
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
        let mut file = SettingsFile::load(Some(path.clone()), Language::English);
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
            SettingsFile::load(Some(path.clone()), Language::English)
                .settings
                .graphics
                .hour,
            3.0
        );
    }
}

#[test]
fn a_wrong_setting_costs_that_setting_only() {
    let path = fresh("one-wrong");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let text = "last_world = \"/some/world\"\n\
        [graphics]\nview_metres = \"far\"\nhour = 5.5\n\
        [characters]\ncrowd = -1\n\
        [controls.bindings]\nundo = [\"KeyK\"]\nredo = [\"!\"]\nsing = [\"KeyS\"]\n";
    fs::write(&path, text).unwrap();
    let mut file = SettingsFile::load(Some(path.clone()), Language::English);
    let notice = file.notice.take().unwrap();
    let wrong = ["graphics.view_metres", "characters.crowd", "redo"];
    assert!(wrong.iter().all(|name| notice.contains(name)), "{notice}");
    assert!(file.chosen, "the rest is the player's");
    file.save_if_changed().unwrap();
    for settings in [
        &file.settings,
        &SettingsFile::load(Some(path.clone()), Language::English).settings,
    ] {
        let standard = Settings::default();
        assert_eq!(settings.last_world.as_deref(), Some("/some/world".as_ref()));
        assert_eq!(settings.graphics.hour, 5.5);
        assert_eq!(settings.graphics.view_metres, standard.graphics.view_metres);
        assert_eq!(settings.characters.crowd, standard.characters.crowd);
        let keys = &settings.controls.bindings;
        assert_eq!(keys.label(Action::Undo), "KeyK");
        assert_eq!(keys.label(Action::Redo), "Ctrl+KeyY");
    }
    let aside = path.with_extension("toml.broken-1");
    assert_eq!(fs::read_to_string(aside).unwrap(), text, "kept as it was");
}

#[test]
fn settings_are_saved_soon_after_the_last_change() {
    let path = fresh("soon");
    let mut file = SettingsFile::load(Some(path.clone()), Language::English);
    for exposure in [1.0, 2.0] {
        file.settings.graphics.exposure = exposure;
        file.save_if_settled().unwrap();
        assert!(!path.exists(), "still being changed");
    }
    file.save_if_settled().unwrap();
    assert_eq!(
        SettingsFile::load(Some(path), Language::English)
            .settings
            .graphics
            .exposure,
        2.0
    );
}

#[test]
fn settings_that_cannot_be_saved_are_complained_about_once_a_change() {
    let path = fresh("complaints");
    let mut file = SettingsFile::load(Some(path.clone()), Language::English);
    fs::create_dir_all(&path).unwrap();
    for exposure in [1.0, 2.0] {
        file.settings.graphics.exposure = exposure;
        file.save_if_settled().unwrap();
        file.save_if_settled().unwrap_err();
        for _ in 0..9 {
            file.save_if_settled().unwrap();
        }
    }
    fs::remove_dir(&path).unwrap();
    file.save_if_changed().unwrap();
    assert_eq!(
        SettingsFile::load(Some(path), Language::English)
            .settings
            .graphics
            .exposure,
        2.0
    );
}

#[test]
fn settings_are_saved_while_the_day_passes() {
    let path = fresh("passing");
    let mut file = SettingsFile::load(Some(path.clone()), Language::English);
    let pass = |file: &mut SettingsFile| {
        file.settings.graphics.hour += 0.01;
        file.save_if_settled().unwrap();
    };
    (0..9).for_each(|_| pass(&mut file));
    assert!(!path.exists(), "nothing was chosen");
    file.settings.graphics.exposure = 1.5;
    (0..2).for_each(|_| pass(&mut file));
    let saved = SettingsFile::load(Some(path), Language::English).settings;
    assert_eq!(saved.graphics.exposure, 1.5);
    assert_eq!(saved.graphics.hour, file.settings.graphics.hour);
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
    let file = SettingsFile::load(Some(path), Language::English);
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
    let mut file = SettingsFile::load(Some(path), Language::English);
    assert!(file.notice.is_some());
    file.settings.graphics.hour = 1.0;
    file.save_if_changed().unwrap();
}

/// Plays a few pictures of a new world, with settings of their own, pressing keys before each but
/// the first.
fn play(
    path: &std::path::Path,
    [view, crowd]: [Option<u32>; 2],
    keys: &[&str],
    before_the_end: impl FnOnce(),
) -> bool {
    let world = path.with_file_name("world.voxels");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let arguments = PlayArguments {
        world: Some(world),
        view,
        crowd,
        ..PlayArguments::default()
    };
    let settings = SettingsFile::load(Some(path.to_path_buf()), Language::English);
    let mut sandbox = rehearse(settings, &arguments, [64, 40]).unwrap();
    sandbox.picture(Duration::from_millis(16)).unwrap();
    for key in keys {
        sandbox.input(&InputEvent::Pressed((*key).to_owned()));
        sandbox.input(&InputEvent::Released((*key).to_owned()));
        sandbox.picture(Duration::from_millis(16)).unwrap();
    }
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
fn a_modest_picture_is_saved_whatever_view_was_asked_for() {
    for (name, view) in [("asked", Some(200)), ("modest", None)] {
        let path = fresh(name);
        assert!(play(&path, [view, Some(0)], &[], || {}));
        let settings = SettingsFile::load(Some(path), Language::English).settings;
        assert_eq!(settings.graphics.view_metres, 128.0);
        assert!(
            !settings.graphics.multisampling,
            "the software driver draws"
        );
    }
}

/// Returns the view and the crowd that are saved after playing with flags and keys.
fn saved_after(name: &str, flags: [Option<u32>; 2], keys: &[&str]) -> (f32, u32) {
    let path = fresh(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(
        &path,
        "[graphics]\nview_metres = 96\n[characters]\ncrowd = 7\n",
    )
    .unwrap();
    assert!(play(&path, flags, keys, || {}));
    let settings = SettingsFile::load(Some(path), Language::English).settings;
    assert!(settings.last_world.is_some(), "it was saved");
    (settings.graphics.view_metres, settings.characters.crowd)
}

#[test]
fn flags_hold_for_one_run() {
    let flags = [Some(48), Some(20)];
    assert_eq!(saved_after("flags", flags, &[]), (96.0, 7));
    assert_eq!(saved_after("more", flags, &["Period"]), (96.0, 40));
    let back = saved_after("more-and-fewer", flags, &["Period", "Comma"]);
    assert_eq!(back, (96.0, 20), "what was chosen is saved, flag or not");
    assert_eq!(saved_after("none", [None; 2], &["Period"]), (96.0, 17));
}

#[test]
fn settings_that_cannot_be_saved_at_the_end_are_told() {
    let path = fresh("blocked");
    let ended_well = play(&path, [None, Some(0)], &[], || {
        let _ = fs::remove_file(&path);
        fs::create_dir_all(&path).unwrap();
    });
    assert!(!ended_well);
}
