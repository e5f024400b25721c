//! Copy and paste: selects a box, turns and mirrors the copy, and shows its ghost.

use collision::{Cell, Position};
use engine::GhostKind;
use nalgebra::Vector3;
use simulation::{Command, MOST_COPIED};
use world::{Axis, CellBox, Clipboard, Material};

use crate::input::Action;
use crate::ui::readable;

use super::app::Play;
use super::tools::Tool;

/// The most voxels that a ghost shows one by one; larger ones show their outline only.
const MOST_SHOWN: u64 = 40_000;

/// Returns the lowest corner of a copy that is to stand on a cell.
fn corner(on: Cell, size: Vector3<u32>) -> Cell {
    let half = size.map(|side| side as i32 / 2);
    on.zip_map(&Cell::new(half.x, 0, half.z), i32::wrapping_sub)
}

fn outline(corner: Cell, size: Vector3<u32>) -> CellBox {
    let last = size.map(|side| side.saturating_sub(1) as i32);
    CellBox::new(corner, corner.zip_map(&last, i32::wrapping_add))
}

/// Lists the cells that a copy would fill, unless they are too many.
fn filled(copy: &Clipboard, corner: Cell, out: &mut Vec<Cell>) {
    let size = copy.size();
    if size.iter().map(|&side| u64::from(side)).product::<u64>() > MOST_SHOWN {
        return;
    }
    for z in 0..size.z {
        for y in 0..size.y {
            for x in 0..size.x {
                if copy.get(Vector3::new(x, y, z)) != Material::AIR {
                    let at = Cell::new(x as i32, y as i32, z as i32);
                    out.push(corner.zip_map(&at, i32::wrapping_add));
                }
            }
        }
    }
}

impl Play {
    /// Sets one corner, then the other.
    pub(super) fn copy(&mut self) {
        let Some(to) = self.aim.cell() else {
            return;
        };
        let Some(from) = self.aim.corner.take() else {
            self.aim.corner = Some(to);
            self.hands.tool = Tool::Carve;
            let words = "One corner is set: copy again at the other";
            return self.ui.toasts.say(words);
        };
        let before = self.session.simulation.copies();
        self.apply(Command::Copy { from, to });
        let key = self.key(Action::Paste);
        let language = self.language();
        self.ui
            .toasts
            .say(if self.session.simulation.copies() == before {
                let words = "Not copied: at most {} voxels on a side, all of them loaded";
                language.fill(words, &[&MOST_COPIED])
            } else {
                language.fill("Copied: {} takes it in hand", &[&key])
            });
    }

    fn key(&self, action: Action) -> String {
        let triggers = self.settings.settings.controls.bindings.triggers(action);
        triggers.first().map(readable).unwrap_or_default()
    }

    /// Returns the hint for the keys while a copy is in hand.
    pub(super) fn stamp_hint(&self) -> String {
        let [turn, mirror] = [Action::TurnCopy, Action::MirrorCopy].map(|action| self.key(action));
        let words = "click: put down; {}: turn; {}: mirror; other button: done";
        self.language().fill(words, &[&turn, &mirror])
    }

    /// Takes the copy in hand, or pastes it when it is there.
    pub(super) fn take_copy(&mut self) {
        if self.hands.tool == Tool::Stamp {
            self.put_down();
        } else if self.session.simulation.copied().is_some() {
            self.aim.corner = None;
            self.hands.tool = Tool::Stamp;
        } else {
            let key = self.key(Action::Copy);
            let words = "Nothing is copied yet: {} at two corners";
            self.ui.toasts.say(self.language().fill(words, &[&key]));
        }
    }

    pub(super) fn put_down(&mut self) {
        if let Some(cells) = self.stamp() {
            self.apply(Command::Paste(cells.min));
        }
    }

    pub(super) fn place_model(&mut self) {
        if let Some(cell) = self.aim.before() {
            let at = Position::new(cell, Vector3::new(0.5, 0.0, 0.5));
            self.apply(Command::PlaceModel(at));
        }
    }

    pub(super) fn take_model(&mut self) {
        if let Some(model) = self.aim.pick.as_ref().and_then(|pick| pick.object) {
            self.apply(Command::TakeModel(model));
        }
    }

    pub(super) fn turn_copy(&mut self) {
        self.turn_copy_about(Axis::Y);
    }

    /// Mirrors left and right as the player sees them.
    pub(super) fn mirror_copy(&mut self) {
        let looks_along_z = self.rig.yaw.cos().abs() > self.rig.yaw.sin().abs();
        let across = if looks_along_z { Axis::X } else { Axis::Z };
        self.apply(Command::MirrorCopy(across));
    }

    /// Returns the box in which the copy would be pasted.
    fn stamp(&self) -> Option<CellBox> {
        let size = self.session.simulation.copied()?.size();
        Some(outline(corner(self.aim.before()?, size), size))
    }

    /// Shows the ghost of the copy.
    pub(super) fn preview_stamp(&mut self) {
        self.aim.outline = self.stamp();
        let simulation = &self.session.simulation;
        let wanted = self
            .aim
            .outline
            .map(|cells| (cells.min, simulation.copies()));
        if self.aim.stamped == wanted && wanted.is_some() {
            return;
        }
        self.aim.stamped = wanted;
        self.aim.ghost.clear();
        self.aim.ghost_kind = GhostKind::Place;
        if let (Some((corner, _)), Some(copy)) = (wanted, simulation.copied()) {
            filled(copy, corner, &mut self.aim.ghost);
        }
    }

    /// Shows the box from the first corner to the pointer; returns false when no corner is set.
    pub(super) fn preview_selection(&mut self) -> bool {
        let (Some(from), Some(to)) = (self.aim.corner, self.aim.cell()) else {
            return false;
        };
        self.aim.outline = Some(CellBox::new(from.inf(&to), from.sup(&to)));
        self.aim.ghost.clear();
        self.aim.ghost.extend([from, to]);
        self.aim.ghost_kind = GhostKind::Select;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_stands_about_the_pointer_and_its_ghost_fills_what_it_would() {
        let copy = Clipboard::from_fn(Vector3::new(3, 2, 5), |at| {
            if at.y == 0 {
                Material::STONE
            } else {
                Material::AIR
            }
        });
        let copy = copy.unwrap_or_else(|error| panic!("{error}"));
        let at = corner(Cell::new(10, 20, 30), copy.size());
        assert_eq!(at, Cell::new(9, 20, 28));
        let mut cells = Vec::new();
        filled(&copy, at, &mut cells);
        assert_eq!(cells.len(), 15);
        let box_of_it = outline(at, copy.size());
        assert!(cells.iter().all(|cell| cell.y == 20));
        assert_eq!(box_of_it.max, Cell::new(11, 21, 32));
    }
}
