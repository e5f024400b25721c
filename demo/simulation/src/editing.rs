//! Strokes of the brush, undo and redo, copy and paste.
//!
//! The world keeps the history, in which every player undoes its own edits; this module only
//! records which of its entries belong to one drag.

use std::sync::Arc;

use collision::{Cell, Position};
use nalgebra::Vector3;
use world::history::{Change, EntryState, ObjectStep};
use world::{
    Author, Brush, CellBox, Clipboard, EditReport, Keeping, Material, Mode, ObjectId, PasteMode,
    VoxelObject, World,
};

use super::hand::{Going, Hand, Way};
use super::noises::{Matter, Noise};
use super::sparks::Burst;
use super::{BrushMode, BrushShape, Joins, Player, PlayerId, Simulation, Stroke};

/// Largest side of a copy, voxels.
pub const MOST_COPIED: i32 = 96;
/// The most voxels that one stroke of a flood changes.
const MOST_FLOODED: usize = 1 << 16;
/// The largest brush, voxels.
const MOST_SIZE: u32 = 64;
/// Side of a voxel of a model, metres.
const MODEL_VOXEL: f32 = 0.25;
/// The most voxels undone or redone before the next picture.
const MOST_AT_ONCE: u64 = 1 << 16;

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

/// Applies a stroke to the land of a world, as the simulation does.
pub fn apply_stroke(world: &mut World, author: Author, stroke: &Stroke) -> EditReport {
    let (center, material) = (stroke.center, stroke.material);
    match stroke.mode {
        BrushMode::Flood => world.flood_fill(author, center, material, MOST_FLOODED),
        _ => {
            let mode = mode_of(stroke, world.material(center).unwrap_or_default());
            world.edit_as(author, &brush_of(stroke), mode, material)
        }
    }
}

/// Loads the land that a stroke reads or changes, so that it comes out alike wherever it is
/// applied. A flood may read more. Returns the number of chunks that were missing.
pub fn load_for_stroke(world: &mut World, stroke: &Stroke) -> usize {
    brush_of(stroke).bounds().map_or(0, |bounds| {
        let around = CellBox::new(
            bounds.min.map(|part| part.saturating_sub(1)),
            bounds.max.map(|part| part.saturating_add(1)),
        );
        // Land that cannot be read stays solid for the edit, and is reported by the save.
        world.load(&around).unwrap_or(0)
    })
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

/// A stroke in the history of a player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PastStroke<'a> {
    /// Its number in the history.
    pub number: u64,
    /// The work that it did.
    pub work: PastWork<'a>,
}

/// The work of a stroke.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PastWork<'a> {
    /// Changes of voxels.
    Voxels(&'a [Change]),
    /// A step of props, in the English words that the world keeps of it; empty words if it keeps
    /// none.
    Props(&'a str),
    /// A model was placed.
    ModelPlaced,
    /// A model was removed.
    ModelTaken,
}

impl Simulation {
    pub(super) fn edit(&mut self, player: usize, stroke: &Stroke) -> EditReport {
        self.finish_strokes_of(player);
        let center = self.world.material(stroke.center).unwrap_or_default();
        let before = self.last_stroke(player);
        let author = self.author(player);
        let report = apply_stroke(&mut self.world, author, stroke);
        self.note_edit(&report);
        self.join_edits(player, Going::Drag, stroke.joins, before, report.sequence);
        if report.voxels > 0 && stroke.mode != BrushMode::Carve {
            self.lift_buried(&report.chunks);
        }
        self.sound_edit(player, stroke, center, report.voxels);
        report
    }

    /// Returns the author of a player's edits.
    pub(super) fn author(&self, player: usize) -> Author {
        self.bodies.players[player].id.author()
    }

    fn hand(&mut self, player: usize) -> &mut Hand {
        &mut self.bodies.players[player].hand
    }

    /// Records whether an edit belongs to the one `before` it.
    fn join_edits(
        &mut self,
        player: usize,
        going: Going,
        joins: Joins,
        before: Option<u64>,
        sequence: Option<u64>,
    ) {
        let continues = self.hand(player).joins(going, joins, before, sequence);
        if let Some(sequence) = sequence.filter(|_| continues) {
            self.joined.insert(sequence, &mut self.world);
        }
    }

    /// Makes the noise of a stroke of the own player at a server, and the chips of a cut, whose
    /// centre held a material.
    pub fn sound_own_stroke(&mut self, stroke: &Stroke, center: Material, voxels: u64) {
        if let Ok(own) = self.bodies.index(self.bodies.own) {
            self.sound_edit(own, stroke, center, voxels);
        }
    }

    /// Makes the noise of a stroke and the chips of a cut, whose centre held a material. A stroke
    /// that goes on with a drag and changes nothing is not a refusal.
    fn sound_edit(&mut self, player: usize, stroke: &Stroke, center: Material, voxels: u64) {
        let at = Position::new(stroke.center, Vector3::repeat(0.5));
        let noise = match (voxels, stroke.mode) {
            (0, _) if stroke.joins == Joins::Before => return,
            (0, _) => Noise::Refusal,
            (_, BrushMode::Carve) => Noise::Dig(self.matter_of(center)),
            _ => Noise::Place(self.matter_of(stroke.material)),
        };
        if self.sound_of(player, noise, at, 1.0) && matches!(noise, Noise::Dig(_)) {
            let [r, g, b, _] = self.world.materials().info(center).colour;
            self.sparks.chip(at, [r, g, b]);
            let dust = Burst::dust(at, [r, g, b], 5);
            self.sparks.burst(&dust);
        }
    }

    /// Carves a round hole, as an edit of a player that may have left.
    pub(super) fn crater(&mut self, by: PlayerId, at: Position, radius: f32) {
        if let Ok(player) = self.bodies.index(by) {
            self.finish_strokes_of(player);
        }
        let report = self.world.edit_as(
            by.author(),
            &Brush::sphere(at, radius),
            Mode::Carve,
            Material::AIR,
        );
        self.note_edit(&report);
    }

    pub(super) fn undo(&mut self, player: usize) {
        self.begin_moving(player, Way::Back);
    }

    pub(super) fn redo(&mut self, player: usize) {
        self.begin_moving(player, Way::Forth);
    }

    fn begin_moving(&mut self, player: usize, way: Way) {
        self.finish_strokes_of(player);
        self.hand(player).moving = Some(way);
        let (author, history) = (self.author(player), self.world.history());
        let next = match way {
            Way::Back => history.next_undo(author),
            Way::Forth => history.next_redo(author),
        };
        let noise = match next {
            Some(_) => Noise::Undo,
            None => Noise::Refusal,
        };
        self.sound_of(player, noise, self.place_of(player), 0.6);
        self.go_on(player);
    }

    /// Continues with a player's stroke of many edits that is being undone or redone, as far as the
    /// time of one picture allows.
    pub(super) fn go_on(&mut self, player: usize) {
        let mut voxels = 0;
        while let Some(way) = self.hand(player).moving
            && voxels < MOST_AT_ONCE
        {
            let (report, goes_on) = match way {
                Way::Back => self.undo_edit(player),
                Way::Forth => self.redo_edit(player),
            };
            voxels += report.as_ref().map_or(0, |report| report.voxels);
            if let Some(report) = &report {
                self.lift_buried(&report.chunks);
            }
            let refused = report.is_none_or(|report| report.refused.is_some());
            if refused || !goes_on {
                self.hand(player).moving = None;
            }
        }
    }

    /// Returns whether no stroke of the own player is being undone or redone.
    pub fn is_stroke_complete(&self) -> bool {
        self.own().is_none_or(|own| own.hand.moving.is_none())
    }

    /// Undoes or redoes the rest of every current stroke.
    pub fn finish_strokes(&mut self) {
        for player in 0..self.bodies.players.len() {
            self.finish_strokes_of(player);
        }
    }

    /// Undoes or redoes the rest of a player's current stroke.
    pub(super) fn finish_strokes_of(&mut self, player: usize) {
        while self.hand(player).moving.is_some() {
            self.go_on(player);
        }
    }

    /// Undoes the last edit; returns also whether the one before belongs to the same stroke.
    fn undo_edit(&mut self, player: usize) -> (Option<EditReport>, bool) {
        let report = self.world.undo(self.author(player));
        report.iter().for_each(|report| self.note_edit(report));
        let sequence = report.as_ref().and_then(|report| report.sequence);
        if let Some(sequence) = sequence {
            self.return_props(sequence, Way::Back);
        }
        let goes_on = sequence.is_some_and(|sequence| self.joined.contains(sequence));
        (report, goes_on)
    }

    /// Redoes the next edit; returns also whether the one after belongs to the same stroke.
    fn redo_edit(&mut self, player: usize) -> (Option<EditReport>, bool) {
        let report = self.world.redo(self.author(player));
        report.iter().for_each(|report| self.note_edit(report));
        if let Some(sequence) = report.as_ref().and_then(|report| report.sequence) {
            self.return_props(sequence, Way::Forth);
        }
        let next = self.world.history().next_redo(self.author(player));
        let goes_on = next.is_some_and(|entry| self.joined.contains(entry.sequence));
        (report, goes_on)
    }

    pub(super) fn go_to_stroke(&mut self, player: usize, count: usize) {
        let steps = self.strokes_of(player).count();
        let count = count.min(steps);
        for _ in 0..steps {
            self.finish_strokes_of(player);
            match self.done_by(player).cmp(&count) {
                std::cmp::Ordering::Greater => self.undo(player),
                std::cmp::Ordering::Less => self.redo(player),
                std::cmp::Ordering::Equal => return,
            }
        }
    }

    pub(super) fn copy(&mut self, player: usize, from: Cell, to: Cell) {
        self.finish_strokes_of(player);
        let (min, max) = (from.inf(&to), from.sup(&to));
        let size = max.zip_map(&min, |a, b| a.saturating_sub(b).saturating_add(1));
        if size.iter().any(|&side| side > MOST_COPIED) {
            return;
        }
        // If the land cannot be loaded, the last copy is kept.
        if let Ok(copy) = self.world.copy(&CellBox::new(min, max)) {
            self.take_in_hand(player, Arc::new(copy));
        }
    }

    pub(super) fn change_copy(
        &mut self,
        player: usize,
        change: impl FnOnce(&Clipboard) -> Clipboard,
    ) {
        let hand = self.hand(player);
        if let Some(copied) = &mut hand.copied {
            *copied = Arc::new(change(copied));
            hand.copies += 1;
        }
    }

    /// Returns a number that differs for every copy of the own player.
    pub fn copies(&self) -> u64 {
        self.own().map_or(0, |own| own.hand.copies)
    }

    /// Returns the last copy of the own player.
    pub fn copied(&self) -> Option<&Clipboard> {
        self.own()?.hand.copied.as_deref()
    }

    /// Makes voxels a player's copy.
    pub(super) fn take_in_hand(&mut self, player: usize, copy: Arc<Clipboard>) {
        let hand = self.hand(player);
        hand.copied = Some(copy);
        hand.copies += 1;
    }

    pub(super) fn paste(&mut self, player: usize, at: Cell) {
        self.finish_strokes_of(player);
        let Player { id, hand, .. } = &self.bodies.players[player];
        if let Some(copied) = &hand.copied {
            let report = self
                .world
                .paste(id.author(), copied, at, PasteMode::SkipAir);
            self.note_edit(&report);
            self.lift_buried(&report.chunks);
            let at = Position::new(at, Vector3::zeros());
            self.sound_of(player, Noise::Place(Matter::Stone), at, 1.0);
        }
    }

    /// Places a piece of a model, as a stroke of its own or as part of the last one, without its
    /// air.
    pub(super) fn place_piece(
        &mut self,
        player: usize,
        voxels: &Clipboard,
        at: Cell,
        joins: Joins,
    ) -> EditReport {
        self.finish_strokes_of(player);
        let before = self.last_stroke(player);
        let author = self.author(player);
        let report = self.world.paste(author, voxels, at, PasteMode::SkipAir);
        self.note_edit(&report);
        self.join_edits(player, Going::Model, joins, before, report.sequence);
        report
    }

    fn last_stroke(&self, player: usize) -> Option<u64> {
        let author = self.author(player);
        let is_own = |entry: &&world::history::Entry| {
            entry.author == author && entry.state == EntryState::Done
        };
        let last = self.world.history().entries().rfind(is_own);
        last.map(|entry| entry.sequence)
    }

    pub(super) fn place_model(&mut self, player: usize, at: &Position) {
        self.finish_strokes_of(player);
        let Player { id, hand, .. } = &self.bodies.players[player];
        let Some(copied) = &hand.copied else {
            return;
        };
        // A model without solid voxels would be invisible and could not be removed.
        if solid_voxels(copied) > 0 {
            let size = copied.size().cast::<f32>() * MODEL_VOXEL;
            let origin = at.moved(Vector3::new(size.x, 0.0, size.z) * -0.5);
            // No copy is too large for a model.
            let _ = self
                .world
                .paste_object(id.author(), copied, origin, MODEL_VOXEL);
        }
    }

    pub(super) fn take_model(&mut self, player: usize, model: ObjectId) {
        self.finish_strokes_of(player);
        if self.is_model(model) {
            self.world.remove_object_as(self.author(player), model);
        }
    }

    /// Applies a stroke to a model, and removes the model when nothing of it is left.
    pub(super) fn edit_model(&mut self, player: usize, model: ObjectId, stroke: &Stroke) {
        self.finish_strokes_of(player);
        if !self.is_model(model) {
            return;
        }
        let brush = brush_of(stroke);
        let mode = match stroke.mode {
            // A model is small: both change all that the brush reaches.
            BrushMode::Replace | BrushMode::Flood => Mode::Paint,
            _ => mode_of(stroke, Material::AIR),
        };
        let author = self.author(player);
        let world = &mut self.world;
        let report = world.edit_object_as(author, model, &brush, mode, stroke.material);
        let bricks = world.object(model).map_or(&[][..], VoxelObject::bricks);
        let is_gone = bricks
            .iter()
            .all(|&brick| world.brick(brick).occupancy().iter().all(|&row| row == 0));
        if report.sequence.is_some() && is_gone {
            world.undo(author);
            world.remove_object_as(author, model);
        }
        self.note_edit(&report);
    }

    fn is_model(&self, object: ObjectId) -> bool {
        let object = self.world.object(object);
        object.is_some_and(|object| object.keeping() == Keeping::Kept)
    }

    fn strokes_of(&self, player: usize) -> impl Iterator<Item = &world::history::Entry> {
        let author = self.author(player);
        self.strokes_by(author)
    }

    fn strokes_by(&self, author: Author) -> impl Iterator<Item = &world::history::Entry> {
        let joined = &self.joined;
        let entries = self.world.history().entries();
        entries.filter(move |entry| entry.author == author && !joined.contains(entry.sequence))
    }

    fn done_by(&self, player: usize) -> usize {
        let done = |entry: &&world::history::Entry| entry.state == EntryState::Done;
        self.strokes_of(player).filter(done).count()
    }

    /// Returns the strokes of the own player's history, oldest first.
    pub fn strokes(&self) -> impl Iterator<Item = PastStroke<'_>> {
        self.strokes_by(self.bodies.own.author())
            .map(|entry| PastStroke {
                number: entry.sequence,
                work: match entry.object().map(|event| event.step) {
                    None => match entry.changes() {
                        [] => PastWork::Props(self.words_of_step(entry.sequence)),
                        changes => PastWork::Voxels(changes),
                    },
                    Some(ObjectStep::Added) => PastWork::ModelPlaced,
                    Some(ObjectStep::Removed) => PastWork::ModelTaken,
                },
            })
    }

    /// Returns how many strokes of the own player are done; the rest were undone.
    pub fn strokes_done(&self) -> usize {
        let strokes = self.strokes_by(self.bodies.own.author());
        strokes
            .filter(|entry| entry.state == EntryState::Done)
            .count()
    }
}

/// Returns the number of voxels of a copy that are not air.
pub fn solid_voxels(copy: &Clipboard) -> u64 {
    let size = copy.size();
    let mut voxels = 0;
    for z in 0..size.z {
        for y in 0..size.y {
            let row = (0..size.x).map(|x| copy.get(Vector3::new(x, y, z)));
            voxels += row.filter(|&material| material != Material::AIR).count() as u64;
        }
    }
    voxels
}

#[cfg(test)]
#[path = "editing_tests.rs"]
mod tests;
