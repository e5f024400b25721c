//! The demands of a command on a guard: the role that it needs, its place and its size.

use collision::{Cell, Position};
use nalgebra::Vector3;
use world::CellBox;

use super::command::{BRUSH_SIZES, Command, RegionWork, Stroke};
use super::editing::load_for_stroke;
use super::guard::Role;
use super::{Simulation, Travel};

/// The demands of a command.
#[derive(Clone, Copy, Debug)]
pub(super) struct Demand {
    /// The least role that may give it.
    pub(super) role: Role,
    /// The cells that it names; the nearest one has to be within reach.
    pub(super) cells: Option<CellBox>,
    /// The most voxels that it reads or changes, as far as its own numbers tell.
    pub(super) voxels: u64,
    /// True if all its numbers are finite and in range.
    pub(super) is_sound: bool,
}

impl Demand {
    fn of(role: Role) -> Self {
        Demand {
            role,
            cells: None,
            voxels: 0,
            is_sound: true,
        }
    }

    fn at(role: Role, place: &Position) -> Self {
        let is_sound = place.offset.iter().all(|part| part.is_finite());
        Demand {
            cells: Some(CellBox::new(place.cell, place.cell)),
            is_sound,
            ..Demand::of(role)
        }
    }

    fn in_box(cells: CellBox) -> Self {
        let sides = cells.max.map(i64::from) - cells.min.map(i64::from);
        let is_sound = sides.iter().all(|&side| side >= 0);
        let sides = sides.map(|side| u64::try_from(side).unwrap_or(0) + 1);
        Demand {
            cells: Some(cells),
            voxels: sides.iter().fold(1, |all, &side| all.saturating_mul(side)),
            is_sound,
            ..Demand::of(Role::Build)
        }
    }

    /// Returns the demand of voxels with their lowest corner in a cell.
    fn at_corner(corner: Cell, size: Vector3<u32>) -> Self {
        let last = size.map(|side| i32::try_from(side.saturating_sub(1)).unwrap_or(i32::MAX));
        Demand::in_box(CellBox::new(
            corner,
            corner.zip_map(&last, i32::saturating_add),
        ))
    }

    fn of_stroke(stroke: &Stroke) -> Self {
        let side = u64::from(stroke.size) * 2 - u64::from(stroke.size > 0);
        Demand {
            cells: Some(CellBox::new(stroke.center, stroke.center)),
            voxels: side.saturating_pow(3),
            is_sound: BRUSH_SIZES.contains(&stroke.size),
            ..Demand::of(Role::Build)
        }
    }
}

impl Simulation {
    /// Returns the demands of a command of a player.
    pub(super) fn demand(&self, player: usize, command: &Command) -> Demand {
        let (owner, build) = (Demand::of(Role::Owner), Demand::of(Role::Build));
        match command {
            Command::Travel(Travel::Walk) | Command::Spawn => Demand::of(Role::Walk),
            Command::Strike(_) | Command::ThrowPickup => Demand::of(Role::Walk),
            Command::Travel(Travel::Fly) => build,
            Command::Undo | Command::Redo | Command::GoOn => build,
            Command::TurnCopy(_) | Command::MirrorCopy(_) => build,
            Command::Edit(stroke) => Demand::of_stroke(stroke),
            Command::Copy { from, to } => Demand::in_box(CellBox::new(from.inf(to), from.sup(to))),
            Command::TakeInHand(copy) => Demand::at_corner(Cell::zeros(), copy.size()).anywhere(),
            Command::PlacePiece { voxels, at, .. } => Demand::at_corner(*at, voxels.size()),
            Command::Paste(at) => {
                let copied = self.bodies.players[player].hand.copied.as_ref();
                let size = copied.map_or(Vector3::zeros(), |copied| copied.size());
                Demand::at_corner(*at, size)
            }
            Command::PlaceModel(at) => Demand::at(Role::Build, at),
            Command::TakeModel(model) => self.demand_of_model(*model),
            Command::EditModel(model, stroke) => Demand {
                cells: self.demand_of_model(*model).cells,
                ..Demand::of_stroke(stroke)
            },
            Command::PlaceProp { stand, .. } => Demand::at(Role::Build, &stand.position),
            Command::MoveProp { prop, stand } => {
                let from = self.demand_of_prop(*prop);
                let to = Demand::at(Role::Build, &stand.position);
                let cells = from.cells.zip(to.cells);
                Demand {
                    cells: cells.map(|(from, to)| from.union(&to)).or(to.cells),
                    ..to
                }
            }
            Command::TakeProp(prop) => self.demand_of_prop(*prop),
            Command::Work(cells, work) => Demand::of_work(cells, *work),
            Command::Fire(shot) => Demand {
                is_sound: shot.direction.iter().all(|part| part.is_finite())
                    && shot.speed.is_finite(),
                ..build
            },
            Command::Teleport(_) | Command::GoToStroke(_) | Command::SetCrowd(_) => owner,
            Command::SetMood(_) | Command::SetPlatforms(_) | Command::ScatterTargets(_) => owner,
            Command::SetFog(_) | Command::TuneFog(_) | Command::Tune(_) => owner,
        }
    }

    /// Loads the land that a command reads or changes, as far as its own numbers tell. Returns the
    /// number of chunks that were missing.
    pub(super) fn load_for(&mut self, player: usize, command: &Command) -> usize {
        match command {
            Command::Edit(stroke) => load_for_stroke(&mut self.world, stroke),
            _ => {
                let cells = self.demand(player, command).cells;
                // Land that cannot be read stays as it is, and is reported by the save.
                cells.map_or(0, |cells| self.world.load(&cells).unwrap_or(0))
            }
        }
    }

    fn demand_of_model(&self, model: world::ObjectId) -> Demand {
        match self.world.object(model) {
            Some(object) => Demand::at(Role::Build, object.origin()),
            None => Demand::of(Role::Build),
        }
    }

    fn demand_of_prop(&self, prop: super::PropId) -> Demand {
        match self.props.get(prop) {
            Some(prop) => Demand::at(Role::Build, &prop.stand.position),
            None => Demand::of(Role::Build),
        }
    }
}

impl Demand {
    fn anywhere(self) -> Self {
        Demand {
            cells: None,
            ..self
        }
    }

    /// Returns the demand of work on a box: it reaches as far as its farther box.
    fn of_work(cells: &CellBox, work: RegionWork) -> Self {
        let demand = Demand::in_box(*cells);
        let RegionWork::Move(step) = work else {
            return demand;
        };
        let moved = |cell: Cell| cell.zip_map(&step, i32::saturating_add);
        let other = CellBox::new(moved(cells.min), moved(cells.max));
        // The voxels between the two boxes are counted: a far move is large.
        Demand {
            is_sound: demand.is_sound,
            ..Demand::in_box(cells.union(&other))
        }
    }
}
