//! Tests of the tables: sorted, complete, with the same values as the source, and in letters that
//! the fonts have.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use super::Language;
use super::{korean, korean_values};

/// Texts of `play` and `ui` that are not for players, or hold translated ones only.
const NOT_SHOWN: [&str; 14] = [
    "{name:20}{:9.2} MB",
    ". Without a display, `demo tour --out DIR` renders the tour instead",
    "The model: {error}",
    "player tools",
    "first hints",
    "panel bar",
    "voxel pictures",
    "note: {notice}",
    "warning: {words}",
    "{words}: {error}",
    "{}: {line}",
    "{x:.1}  {y:.1}  {z:.1}",
    "{name:6}{last:8.2} ms   {of_worst} {worst:8.2}",
    "{:9}{:7.3} ms CPU {gpu} ms GPU",
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    let mut paths = Vec::new();
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() {
            paths.extend(sources(&path));
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            paths.push(path);
        }
    }
    paths
}

fn source_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Returns the strings of a source file, without those of its tests.
fn strings(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("mod tests {").next().unwrap();
    let lines = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let code = lines.collect::<Vec<_>>().join("\n");
    let code = code.replace("\\\\", "").replace("\\\"", "");
    let strings = code.split('"').skip(1).step_by(2);
    strings.map(str::to_owned).collect()
}

/// Returns all pairs of an English key and its Korean text.
fn table() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    korean::TABLE.iter().chain(korean_values::TABLE)
}

#[test]
fn table_is_sorted_and_holds_each_key_once() {
    for (table, values) in [(korean::TABLE, false), (korean_values::TABLE, true)] {
        for pair in table.windows(2) {
            assert!(pair[0].0 < pair[1].0, "{:?} {:?}", pair[0].0, pair[1].0);
        }
        assert!(table.iter().all(|(key, _)| key.contains('{') == values));
    }
}

#[test]
fn translations_show_each_value_once() {
    let values = ["<0>", "<1>", "<2>", "<3>", "<4>"];
    for (key, korean) in table() {
        let count = key.matches("{}").count();
        assert_eq!(korean.matches('{').count(), count, "{korean}");
        let shown: Vec<&dyn std::fmt::Display> = values[..count].iter().map(|v| v as _).collect();
        for language in Language::ALL {
            let filled = language.fill(key, &shown);
            let once = |value: &&str| filled.matches(*value).count() == 1;
            assert!(values[..count].iter().all(once), "{filled}");
        }
    }
}

#[test]
fn values_stand_in_the_order_of_the_language() {
    let words = |language: Language| language.fill("Strokes: {} done of {}", &[&3, &8]);
    assert_eq!(words(Language::English), "Strokes: 3 done of 8");
    assert_eq!(words(Language::Korean), "작업: 8개 중 3개 적용");
    assert_eq!(Language::Korean.say("no such text"), "no such text");
}

#[test]
fn language_follows_the_strongest_locale() {
    use Language::{English, Korean};
    for (locale, language) in [
        (["", "", ""], English),
        (["", "", "ko_KR.UTF-8"], Korean),
        (["", "", "ko"], Korean),
        (["", "ko_KR", "de_DE"], Korean),
        (["C", "ko_KR", "ko_KR"], English),
        (["", "en_GB", "ko_KR.UTF-8"], English),
        (["", "", "kok_IN"], English),
        (["ko-KR", "", "en_US"], Korean),
    ] {
        assert_eq!(Language::of_locale(locale), language, "{locale:?}");
    }
}

#[test]
fn every_entry_is_a_text_of_the_source() {
    let mut files = sources(&source_folder());
    files.retain(|path| !path.components().any(|part| part.as_os_str() == "language"));
    files.extend(sources(&source_folder().join("../simulation/src")));
    files.push(source_folder().join("../../world/src/material.rs"));
    let read = files.iter().map(|path| fs::read_to_string(path).unwrap());
    let source = read.collect::<String>();
    for (key, _) in table() {
        assert!(source.contains(&format!("\"{key}\"")), "{key} is not used");
    }
}

#[test]
fn every_text_of_panels_and_messages_has_an_entry() {
    let mut missing = Vec::new();
    for folder in ["play", "ui"] {
        let is_shown = |path: &PathBuf| !path.to_string_lossy().ends_with("_tests.rs");
        let paths = sources(&source_folder().join(folder)).into_iter();
        for path in paths.filter(is_shown) {
            let is_text = |text: &String| text.trim().contains(' ');
            let shown = strings(&path).into_iter().filter(is_text);
            for text in shown.filter(|text| !NOT_SHOWN.contains(&text.as_str())) {
                if table().all(|(key, _)| *key != text) {
                    missing.push(text);
                }
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn fonts_have_every_letter() {
    let context = egui::Context::default();
    crate::ui::apply_theme(&context);
    let mut output = context.run_ui(egui::RawInput::default(), |_| {});
    output.textures_delta.clear();
    let name = Language::Korean.name();
    let texts = table().map(|(_, korean)| *korean).chain([name]);
    for text in texts {
        for font in [
            egui::FontId::proportional(14.0),
            egui::FontId::monospace(14.0),
        ] {
            assert!(context.fonts_mut(|it| it.has_glyphs(&font, text)), "{text}");
        }
    }
}
