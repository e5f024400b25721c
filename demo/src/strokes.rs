//! The strokes of the own player's history in words, for panels and reports.

use simulation::{PastWork, Simulation};
use world::history::Change;
use world::{Material, MaterialTable};

use crate::language::Language;

/// Returns the strokes of the own player's history in words, oldest first.
pub(crate) fn in_words(
    simulation: &Simulation,
    language: Language,
) -> impl Iterator<Item = String> {
    simulation.strokes().map(move |stroke| {
        let what = match stroke.work {
            PastWork::Voxels(changes) => {
                words_of_changes(changes, simulation.world.materials(), language)
            }
            PastWork::Props(kept) => words_of_props(kept, language),
            PastWork::ModelPlaced => language.say("a model placed").to_owned(),
            PastWork::ModelTaken => language.say("a model taken away").to_owned(),
        };
        format!("{}: {what}", stroke.number)
    })
}

/// Returns the words that a world keeps of a step of props, in a language.
fn words_of_props(kept: &str, language: Language) -> String {
    let templates = ["{} placed", "{} moved", "{} taken away"];
    let filled = templates.into_iter().find_map(|template| {
        let name = kept.strip_suffix(template.strip_prefix("{}")?)?;
        Some(language.fill(template, &[&language.say(name)]))
    });
    filled.unwrap_or_else(|| kept.to_owned())
}

/// Returns the kind of a change, its material and its size, in words.
fn words_of_changes(changes: &[Change], table: &MaterialTable, language: Language) -> String {
    let count = count_of_voxels(changes, language);
    let is_air = |of: fn(&Change) -> Material| changes.iter().all(|it| of(it) == Material::AIR);
    let first = changes.first().map_or(Material::AIR, |change| change.new);
    let is_one = changes.iter().all(|change| change.new == first);
    let name = language.say(&table.info(first).name);
    let what = match (is_air(|it| it.new), is_air(|it| it.old), is_one) {
        (true, ..) => language.say("carved").to_owned(),
        (_, true, true) => language.fill("{} placed", &[&name]),
        (_, false, true) => language.fill("{} painted", &[&name]),
        _ => language.say("changed").to_owned(),
    };
    format!("{what}, {count}")
}

/// Returns the number of changed voxels, in words.
fn count_of_voxels(changes: &[Change], language: Language) -> String {
    let voxels: u32 = changes.iter().map(|change| change.mask.count_ones()).sum();
    match voxels {
        1 => language.say("1 voxel").to_owned(),
        _ => language.fill("{} voxels", &[&voxels]),
    }
}

#[cfg(test)]
mod tests {
    use collision::Cell;

    use super::*;

    #[test]
    fn strokes_are_told_by_their_voxels() {
        let change = |mask: u32| Change {
            place: world::BrickPlace {
                object: None,
                chunk: Cell::zeros(),
            },
            row: 0,
            mask,
            old: Material::AIR,
            new: Material::STONE,
        };
        assert_eq!(
            count_of_voxels(&[change(1 << 31)], Language::English),
            "1 voxel"
        );
        let changes = [change(0xff), change(0xf0f)];
        assert_eq!(count_of_voxels(&changes, Language::English), "16 voxels");
        let table = MaterialTable::standard();
        let words = |changes: &[Change]| words_of_changes(changes, &table, Language::English);
        assert_eq!(words(&changes), "stone placed, 16 voxels");
        let turned = |old, new| changes.map(|it| Change { old, new, ..it });
        let [stone, gold] = [Material::STONE, Material::GOLD];
        assert_eq!(words(&turned(stone, Material::AIR)), "carved, 16 voxels");
        assert_eq!(words(&turned(stone, gold)), "gold painted, 16 voxels");
        let mixed = [turned(stone, gold)[0], turned(gold, stone)[1]];
        assert_eq!(words(&mixed), "changed, 16 voxels");
    }

    #[test]
    fn steps_of_props_are_told_in_every_language() {
        let told = |kept: &str| Language::ALL.map(|language| words_of_props(kept, language));
        assert_eq!(told("ramp placed"), ["ramp placed", "경사로 놓음"]);
        assert_eq!(told("my flag moved"), ["my flag moved", "my flag 옮김"]);
        assert_eq!(told("no step"), ["no step"; 2]);
    }
}
