//! Makes a selection, and works on it.

use collision::{Cell, Position};
use engine::GhostKind;
use simulation::{Command, RegionWork};
use world::{Axis, CellBox};

use crate::input::Action;
use crate::ui::{Place, RegionRequest, SelectionFacts};

use super::app::Play;
use super::selection::{SIDES, Selection, between, dragged, middle_of, side_met};
use super::tools::Tool;

impl Play {
    /// Sets a corner, or takes a handle.
    pub(super) fn use_selection(&mut self) {
        let ray = self.sight();
        let selection = &mut self.selection;
        if let Some(cells) = &selection.cells {
            selection.dragged = side_met(cells, &ray);
            if selection.dragged.is_some() {
                return;
            }
        }
        let Some(cell) = self.aim.cell() else {
            return;
        };
        match selection.first.take() {
            None => (selection.first, selection.cells) = (Some(cell), None),
            Some(first) => selection.cells = Some(between(first, cell)),
        }
    }

    /// Drops the selection.
    pub(super) fn drop_selection(&mut self) {
        self.selection = Selection::default();
    }

    /// Moves the side in hand while the button is held.
    pub(super) fn drag_selection(&mut self) {
        let ray = self.sight();
        let is_held = self.input.holds(Action::Use) && self.hands.tool == Tool::Select;
        let selection = &mut self.selection;
        match (selection.dragged, &mut selection.cells) {
            (Some(side), Some(cells)) if is_held => *cells = dragged(cells, side, &ray),
            _ => selection.dragged = None,
        }
    }

    /// Shows the box, or the one from the first corner to the pointer.
    pub(super) fn preview_box(&mut self) {
        self.aim.ghost.clear();
        self.aim.ghost_kind = GhostKind::Select;
        let open = self.selection.first.zip(self.aim.cell());
        let cells = self.selection.cells;
        self.aim.outline = cells.or_else(|| open.map(|(first, cell)| between(first, cell)));
        self.aim.ghost.extend(match self.aim.outline {
            None => self.aim.cell(),
            Some(_) => None,
        });
    }

    /// Returns the handles of the selected box.
    pub(super) fn handles(&self) -> impl Iterator<Item = Position> + '_ {
        let cells = self.selection.cells.iter();
        let shows = self.hands.tool == Tool::Select;
        cells
            .filter(move |_| shows)
            .flat_map(|cells| SIDES.map(|side| middle_of(cells, side)))
    }

    pub(super) fn selection_facts(&self) -> Option<SelectionFacts> {
        let cells = self.selection.cells?;
        let world = &self.session.simulation.world;
        let corner = world.material(cells.min).unwrap_or_default();
        Some(SelectionFacts {
            size: cells
                .max
                .zip_map(&cells.min, |a, b| a.wrapping_sub(b) + 1)
                .into(),
            corner: world.materials().info(corner).name.clone(),
        })
    }

    /// Does what the panel asks for with the selected box.
    pub(super) fn work_on_selection(&mut self, request: RegionRequest) {
        let Some(cells) = self.selection.cells else {
            return;
        };
        let material = self.hands.material();
        let world = &self.session.simulation.world;
        let corner = world.material(cells.min).unwrap_or_default();
        let work = match request {
            RegionRequest::Fill => RegionWork::Fill(material),
            RegionRequest::Empty => RegionWork::Empty,
            RegionRequest::Replace => RegionWork::Replace(corner, material),
            RegionRequest::Hollow => RegionWork::Hollow,
            RegionRequest::Walls => RegionWork::Walls(material),
            RegionRequest::Move(place) => RegionWork::Move(self.step_towards(place)),
            RegionRequest::Stack(place) => RegionWork::Stack(self.step_towards(place)),
            RegionRequest::Copy | RegionRequest::Cut => return self.copy_box(&cells, request),
        };
        self.apply(Command::Work(cells, work));
        self.follow_work(&cells, work);
    }

    /// Takes the box in hand as a copy.
    fn copy_box(&mut self, cells: &CellBox, request: RegionRequest) {
        let before = self.session.simulation.copies();
        self.apply(Command::Copy {
            from: cells.min,
            to: cells.max,
        });
        if self.session.simulation.copies() == before {
            let words = "Not copied: not all of it is loaded";
            return self.ui.toasts.say(self.language().say(words));
        }
        if request == RegionRequest::Cut {
            self.apply(Command::Work(*cells, RegionWork::Empty));
        }
        self.hands.tool = Tool::Stamp;
    }

    /// Moves the selection along with its voxels.
    fn follow_work(&mut self, cells: &CellBox, work: RegionWork) {
        let sides = cells.max - cells.min + Cell::repeat(1);
        let step = match work {
            RegionWork::Move(step) => step,
            RegionWork::Stack(step) => sides.component_mul(&step),
            _ => return,
        };
        let add = |corner: &Cell| corner.zip_map(&step, i32::saturating_add);
        self.selection.cells = Some(CellBox::new(add(&cells.min), add(&cells.max)));
    }

    /// Returns the step to a side as the player sees it.
    fn step_towards(&self, place: Place) -> Cell {
        let (sin, cos) = self.rig.yaw.sin_cos();
        let ahead = if cos.abs() >= sin.abs() {
            Cell::new(0, 0, if cos > 0.0 { -1 } else { 1 })
        } else {
            Cell::new(if sin > 0.0 { 1 } else { -1 }, 0, 0)
        };
        let right = Cell::new(-ahead.z, 0, ahead.x);
        match place {
            Place::Ahead => ahead,
            Place::Back => -ahead,
            Place::Right => right,
            Place::Left => -right,
            Place::Up => Cell::y(),
            Place::Down => -Cell::y(),
        }
    }

    /// Turns the copy in hand about an axis, or mirrors it.
    pub(super) fn turn_copy_about(&mut self, axis: Axis) {
        self.apply(Command::TurnCopy(axis));
    }
}
