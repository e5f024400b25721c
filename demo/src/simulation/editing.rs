//! Strokes of the brush, undo and redo, copy and paste.
//!
//! The world keeps the history; this module only records which of its entries belong to one drag.

use collision::{Cell, Position};
use nalgebra::Vector3;
use world::history::{Change, EntryState, ObjectStep};
use world::{
    Author, Brush, CellBox, Clipboard, EditReport, Keeping, Material, MaterialTable, Mode,
    ObjectId, PasteMode, VoxelObject, World,
};

use crate::language::Language;
use crate::models::{Piece, solid_voxels};

use super::joined::Joined;
use super::noises::{Matter, Noise};
use super::sparks::Burst;
use super::{BrushMode, BrushShape, Joins, Simulation, Stroke};

/// Largest side of a copy, voxels.
pub const MOST_COPIED: i32 = 96;
/// The most voxels that one stroke of a flood changes.
const MOST_FLOODED: usize = 1 << 16;
/// The largest brush, voxels.
const MOST_SIZE: u32 = 64;
/// Side of a voxel of a model, metres.
const MODEL_VOXEL: f32 = 0.25;
/// The author of the player's edits.
pub(super) const PLAYER: Author = Author(0);

/// The most voxels undone or redone before the next picture.
const MOST_AT_ONCE: u64 = 1 << 16;

/// A direction through the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Back,
    Forth,
}

/// The kinds of edits that are joined into one stroke.
#[derive(Clone, Copy, Debug)]
enum Going {
    Drag,
    Model,
}

/// The copy, and the edits that belong to the one before.
#[derive(Debug, Default)]
pub(super) struct Editing {
    /// Direction in which the edits of a stroke are being undone or redone.
    moving: Option<Way>,
    joined: Joined,
    /// The last edit of each kind that can be continued, once it changed anything.
    last: [Option<u64>; 2],
    copied: Option<Clipboard>,
    /// Number of copies so far.
    copies: u64,
}

impl Editing {
    /// Returns an editing without copies that knows the drags of a world.
    pub(super) fn of(world: &World) -> Self {
        Editing {
            joined: Joined::kept_in(world),
            ..Editing::default()
        }
    }

    /// Records whether an edit belongs to the one `before` it. A drag whose first stroke changed
    /// nothing begins with the next one that does; so does a drag after another edit came between.
    fn join(
        &mut self,
        world: &mut World,
        going: Going,
        joins: Joins,
        before: Option<u64>,
        sequence: Option<u64>,
    ) {
        let last = &mut self.last[going as usize];
        match (joins, sequence) {
            (Joins::Nothing, _) => *last = sequence,
            (Joins::Before, Some(sequence)) => {
                if last.is_some() && *last == before {
                    self.joined.insert(sequence, world);
                }
                *last = Some(sequence);
            }
            (Joins::Before, None) => {}
        }
    }
}

/// Returns the brush of a stroke.
fn brush_of(stroke: &Stroke) -> Brush {
    let size = stroke.size.clamp(1, MOST_SIZE);
    let reach = size as i32 - 1;
    let middle = Position::new(stroke.center, Vector3::repeat(0.5));
    match stroke.shape {
        // A flood begins at its centre, whatever the brush.
        _ if stroke.mode == BrushMode::Flood => Brush::voxel(stroke.center),
        BrushShape::Sphere => Brush::sphere(middle, size as f32 - 0.5),
        BrushShape::Cube => Brush::cells(
            stroke.center.add_scalar(-reach),
            stroke.center.add_scalar(reach),
        ),
        BrushShape::Cylinder => {
            let base = Position::new(
                stroke.center - Vector3::y() * reach,
                Vector3::new(0.5, 0.0, 0.5),
            );
            Brush::cylinder(base, size as f32 - 0.5, (2 * reach + 1) as f32)
        }
        BrushShape::Voxel => Brush::voxel(stroke.center),
    }
}

/// Returns the mode of a stroke, whose centre holds a material.
fn mode_of(stroke: &Stroke, center: Material) -> Mode {
    match stroke.mode {
        BrushMode::Replace | BrushMode::Flood => Mode::Replace(center),
        BrushMode::Carve => Mode::Carve,
        BrushMode::Place => Mode::Add,
        BrushMode::Paint => Mode::Paint,
        BrushMode::Smooth => Mode::Smooth,
    }
}

/// Lists the cells of a stroke, whatever they hold.
pub fn stroke_cells(stroke: &Stroke, out: &mut Vec<Cell>) {
    out.clear();
    let brush = brush_of(stroke);
    let Some(bounds) = brush.bounds() else {
        return;
    };
    for z in bounds.min.z..=bounds.max.z {
        for y in bounds.min.y..=bounds.max.y {
            for x in bounds.min.x..=bounds.max.x {
                let cell = Cell::new(x, y, z);
                if brush.contains(cell) {
                    out.push(cell);
                }
            }
        }
    }
}

impl Simulation {
    pub(super) fn edit(&mut self, stroke: &Stroke) {
        self.finish_strokes();
        let center = self.world.material(stroke.center).unwrap_or_default();
        let mode = mode_of(stroke, center);
        let before = self.last_stroke();
        let (world, material) = (&mut self.world, stroke.material);
        let report = match stroke.mode {
            BrushMode::Flood => world.flood_fill(PLAYER, stroke.center, material, MOST_FLOODED),
            _ => world.edit_as(PLAYER, &brush_of(stroke), mode, material),
        };
        let (world, joins) = (&mut self.world, stroke.joins);
        self.editing
            .join(world, Going::Drag, joins, before, report.sequence);
        if report.voxels > 0 && stroke.mode != BrushMode::Carve {
            self.lift_buried(&report.chunks);
        }
        self.sound_edit(stroke, center, report.voxels);
    }

    /// Makes the noise of a stroke and the chips of a cut, whose centre held a material. A stroke
    /// that goes on with a drag and changes nothing is not a refusal.
    fn sound_edit(&mut self, stroke: &Stroke, center: Material, voxels: u64) {
        let at = Position::new(stroke.center, Vector3::repeat(0.5));
        let noise = match (voxels, stroke.mode) {
            (0, _) if stroke.joins == Joins::Before => return,
            (0, _) => Noise::Refusal,
            (_, BrushMode::Carve) => Noise::Dig(self.matter_of(center)),
            _ => Noise::Place(self.matter_of(stroke.material)),
        };
        if self.sound_own(noise, at, 1.0) && matches!(noise, Noise::Dig(_)) {
            let [r, g, b, _] = self.world.materials().info(center).colour;
            self.sparks.chip(at, [r, g, b]);
            let dust = Burst::dust(at, [r, g, b], 5);
            self.sparks.burst(&dust);
        }
    }

    /// Carves a round hole.
    pub(super) fn crater(&mut self, at: Position, radius: f32) {
        self.finish_strokes();
        self.world.edit_as(
            PLAYER,
            &Brush::sphere(at, radius),
            Mode::Carve,
            Material::AIR,
        );
    }

    pub(super) fn undo(&mut self) {
        self.finish_strokes();
        self.editing.moving = Some(Way::Back);
        self.sound_step(self.world.history().next_undo(PLAYER).is_some());
        self.go_on();
    }

    pub(super) fn redo(&mut self) {
        self.finish_strokes();
        self.editing.moving = Some(Way::Forth);
        self.sound_step(self.world.history().next_redo(PLAYER).is_some());
        self.go_on();
    }

    fn sound_step(&mut self, is_there: bool) {
        let noise = match is_there {
            true => Noise::Undo,
            false => Noise::Refusal,
        };
        self.sound_own(noise, self.player_position(), 0.6);
    }

    /// Continues with a stroke of many edits that is being undone or redone, as far as the time of
    /// one picture allows.
    pub fn go_on(&mut self) {
        let mut voxels = 0;
        while let Some(way) = self.editing.moving
            && voxels < MOST_AT_ONCE
        {
            let (report, goes_on) = match way {
                Way::Back => self.undo_edit(),
                Way::Forth => self.redo_edit(),
            };
            voxels += report.as_ref().map_or(0, |report| report.voxels);
            let refused = report.is_none_or(|report| report.refused.is_some());
            if refused || !goes_on {
                self.editing.moving = None;
            }
        }
    }

    /// Returns whether no stroke is being undone or redone.
    pub fn is_stroke_complete(&self) -> bool {
        self.editing.moving.is_none()
    }

    /// Undoes or redoes the rest of the current stroke.
    pub(crate) fn finish_strokes(&mut self) {
        while !self.is_stroke_complete() {
            self.go_on();
        }
    }

    /// Undoes the last edit; returns also whether the one before belongs to the same stroke.
    fn undo_edit(&mut self) -> (Option<EditReport>, bool) {
        let report = self.world.undo(PLAYER);
        let sequence = report.as_ref().and_then(|report| report.sequence);
        if let Some(sequence) = sequence {
            self.return_props(sequence, Way::Back);
        }
        let goes_on = sequence.is_some_and(|sequence| self.editing.joined.contains(sequence));
        (report, goes_on)
    }

    /// Redoes the next edit; returns also whether the one after belongs to the same stroke.
    fn redo_edit(&mut self) -> (Option<EditReport>, bool) {
        let report = self.world.redo(PLAYER);
        if let Some(sequence) = report.as_ref().and_then(|report| report.sequence) {
            self.return_props(sequence, Way::Forth);
        }
        let next = self.world.history().next_redo(PLAYER);
        let goes_on = next.is_some_and(|entry| self.editing.joined.contains(entry.sequence));
        (report, goes_on)
    }

    pub(super) fn go_to_stroke(&mut self, count: usize) {
        let steps = self.own_strokes().count();
        let count = count.min(steps);
        for _ in 0..steps {
            self.finish_strokes();
            match self.strokes_done().cmp(&count) {
                std::cmp::Ordering::Greater => self.undo(),
                std::cmp::Ordering::Less => self.redo(),
                std::cmp::Ordering::Equal => return,
            }
        }
    }

    pub(super) fn copy(&mut self, from: Cell, to: Cell) {
        self.finish_strokes();
        let (min, max) = (from.inf(&to), from.sup(&to));
        let size = max.zip_map(&min, |a, b| a.saturating_sub(b).saturating_add(1));
        if size.iter().any(|&side| side > MOST_COPIED) {
            return;
        }
        // If the land cannot be loaded, the last copy is kept.
        if let Ok(copy) = self.world.copy(&CellBox::new(min, max)) {
            self.take_in_hand(copy);
        }
    }

    pub(super) fn change_copy(&mut self, change: impl FnOnce(&Clipboard) -> Clipboard) {
        if let Some(copied) = &mut self.editing.copied {
            *copied = change(copied);
            self.editing.copies += 1;
        }
    }

    /// Returns a number that differs for every copy.
    pub fn copies(&self) -> u64 {
        self.editing.copies
    }

    /// Returns the last copy.
    pub fn copied(&self) -> Option<&Clipboard> {
        self.editing.copied.as_ref()
    }

    /// Makes voxels the copy.
    pub(crate) fn take_in_hand(&mut self, copy: Clipboard) {
        self.editing.copied = Some(copy);
        self.editing.copies += 1;
    }

    pub(super) fn paste(&mut self, at: Cell) {
        self.finish_strokes();
        if let Some(copied) = &self.editing.copied {
            let report = self.world.paste(PLAYER, copied, at, PasteMode::SkipAir);
            self.lift_buried(&report.chunks);
            let at = Position::new(at, Vector3::zeros());
            self.sound_own(Noise::Place(Matter::Stone), at, 1.0);
        }
    }

    /// Places a piece of a model, as a stroke of its own or as part of the last one, without its
    /// air.
    pub(crate) fn place_piece(&mut self, piece: &Piece, joins: Joins) -> EditReport {
        self.finish_strokes();
        let before = self.last_stroke();
        let report = self
            .world
            .paste(PLAYER, &piece.voxels, piece.at, PasteMode::SkipAir);
        self.editing.join(
            &mut self.world,
            Going::Model,
            joins,
            before,
            report.sequence,
        );
        report
    }

    fn last_stroke(&self) -> Option<u64> {
        let is_own = |entry: &&world::history::Entry| {
            entry.author == PLAYER && entry.state == EntryState::Done
        };
        let last = self.world.history().entries().rfind(is_own);
        last.map(|entry| entry.sequence)
    }

    pub(super) fn place_model(&mut self, at: &Position) {
        self.finish_strokes();
        let Some(copied) = &self.editing.copied else {
            return;
        };
        // A model without solid voxels would be invisible and could not be removed.
        if solid_voxels(copied) > 0 {
            let size = copied.size().cast::<f32>() * MODEL_VOXEL;
            let origin = at.moved(Vector3::new(size.x, 0.0, size.z) * -0.5);
            // No copy is too large for a model.
            let _ = self.world.paste_object(PLAYER, copied, origin, MODEL_VOXEL);
        }
    }

    pub(super) fn take_model(&mut self, model: ObjectId) {
        self.finish_strokes();
        if self.is_model(model) {
            self.world.remove_object_as(PLAYER, model);
        }
    }

    /// Applies a stroke to a model, and removes the model when nothing of it is left.
    pub(super) fn edit_model(&mut self, model: ObjectId, stroke: &Stroke) {
        self.finish_strokes();
        if !self.is_model(model) {
            return;
        }
        let brush = brush_of(stroke);
        let mode = match stroke.mode {
            // A model is small: both change all that the brush reaches.
            BrushMode::Replace | BrushMode::Flood => Mode::Paint,
            _ => mode_of(stroke, Material::AIR),
        };
        let world = &mut self.world;
        let report = world.edit_object_as(PLAYER, model, &brush, mode, stroke.material);
        let bricks = world.object(model).map_or(&[][..], VoxelObject::bricks);
        let is_gone = bricks
            .iter()
            .all(|&brick| world.brick(brick).occupancy().iter().all(|&row| row == 0));
        if report.sequence.is_some() && is_gone {
            world.undo(PLAYER);
            world.remove_object_as(PLAYER, model);
        }
    }

    fn is_model(&self, object: ObjectId) -> bool {
        let object = self.world.object(object);
        object.is_some_and(|object| object.keeping() == Keeping::Kept)
    }

    fn own_strokes(&self) -> impl Iterator<Item = &world::history::Entry> {
        let joined = &self.editing.joined;
        let entries = self.world.history().entries();
        entries.filter(move |entry| entry.author == PLAYER && !joined.contains(entry.sequence))
    }

    /// Returns the strokes of the history in words, oldest first.
    pub fn strokes(&self, language: Language) -> impl Iterator<Item = String> {
        self.own_strokes().map(move |entry| {
            let what = match entry.object().map(|event| event.step) {
                None => match entry.changes() {
                    [] => self
                        .words_of_step(entry.sequence, language)
                        .unwrap_or_default(),
                    changes => words_of_changes(changes, self.world.materials(), language),
                },
                Some(ObjectStep::Added) => language.say("a model placed").to_owned(),
                Some(ObjectStep::Removed) => language.say("a model taken away").to_owned(),
            };
            format!("{}: {what}", entry.sequence)
        })
    }

    /// Returns how many strokes are done; the rest were undone.
    pub fn strokes_done(&self) -> usize {
        self.own_strokes()
            .filter(|entry| entry.state == EntryState::Done)
            .count()
    }
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
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::settings::Characters;
    use crate::simulation::standing_in;

    #[test]
    fn what_is_done_while_a_model_is_placed_is_a_stroke_of_its_own() {
        let tuning = Characters::default();
        let home = Cell::zeros();
        let world = World::from_voxels(CellBox::new(home, home), |_| Material::AIR);
        let mut simulation = Simulation::new(world, standing_in(home, tuning.half_height), &tuning);
        let piece = |x: i32| Piece {
            voxels: Clipboard::from_fn(Vector3::repeat(1), |_| Material::STONE).unwrap(),
            at: Cell::new(x, 0, 0),
        };
        let stroke = |x: i32, joins: Joins| Stroke {
            center: Cell::new(x, 5, 0),
            shape: BrushShape::Voxel,
            size: 1,
            mode: BrushMode::Place,
            material: Material::GOLD,
            joins,
        };
        simulation.place_piece(&piece(0), Joins::Nothing);
        simulation.place_piece(&piece(1), Joins::Before);
        simulation.edit(&stroke(0, Joins::Nothing));
        simulation.place_piece(&piece(2), Joins::Before);
        simulation.edit(&stroke(1, Joins::Before));
        assert_eq!(simulation.strokes(Language::English).count(), 4);
    }

    #[test]
    fn a_stroke_and_its_mirror_images_are_one_step_of_undo() {
        let tuning = Characters::default();
        let home = Cell::zeros();
        let world = World::from_voxels(CellBox::new(home, home), |_| Material::AIR);
        let mut simulation = Simulation::new(world, standing_in(home, tuning.half_height), &tuning);
        let symmetry = crate::simulation::Symmetry {
            about: [10, 0, 10],
            across: [true, true],
        };
        let stroke = Stroke {
            center: Cell::new(13, 5, 14),
            shape: BrushShape::Voxel,
            size: 1,
            mode: BrushMode::Place,
            material: Material::GOLD,
            joins: Joins::Nothing,
        };
        let built = |simulation: &Simulation| {
            let at = [(13, 14), (7, 14), (13, 6), (7, 6)];
            let gold = at.map(|(x, z)| simulation.world.material(Cell::new(x, 5, z)));
            gold.map(|found| found == Some(Material::GOLD))
        };
        for image in symmetry.images(&stroke) {
            simulation.edit(&image);
        }
        assert_eq!(built(&simulation), [true; 4]);
        simulation.undo();
        assert_eq!(built(&simulation), [false; 4]);
        simulation.redo();
        assert_eq!(built(&simulation), [true; 4]);
    }

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
}
