//! The commands of a player to a simulation: everything but walking. Keys, panels, scripts and
//! fuzzing all use them.

use std::sync::Arc;

use collision::{Cell, Position};
use serde::{Deserialize, Serialize};
use world::{Axis, CellBox, Clipboard, Material, ObjectId};

use crate::rules::{Characters, FogChoice};

use super::{Blow, CannonShot, Mood, PropId, Stand, Travel};

/// A change between two ticks.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Changes voxels.
    Edit(Stroke),
    /// Undoes the last stroke.
    Undo,
    /// Redoes the last undone stroke.
    Redo,
    /// Continues with a stroke of many edits that is being undone or redone.
    GoOn,
    /// Undoes or redoes until this many strokes are done.
    GoToStroke(usize),
    /// Copies a box of voxels, both corners included.
    Copy {
        /// One corner.
        from: Cell,
        /// The opposite corner.
        to: Cell,
    },
    /// Makes voxels the copy.
    TakeInHand(Arc<Clipboard>),
    /// Places a piece of a large model with its lowest corner here, without its air.
    PlacePiece {
        /// The piece.
        voxels: Arc<Clipboard>,
        /// Its place.
        at: Cell,
        /// The relation to the piece before.
        joins: Joins,
    },
    /// Pastes the copy with its lowest corner here, without its air.
    Paste(Cell),
    /// Places the copy as a model of its own, a quarter as large, with the middle of its floor
    /// here.
    PlaceModel(Position),
    /// Removes a model; platforms stay.
    TakeModel(ObjectId),
    /// Applies a brush to a model; the centre of the stroke is one of its voxels. Platforms stay as
    /// they are.
    EditModel(ObjectId, Stroke),
    /// Places a prop.
    PlaceProp {
        /// Name of its model.
        model: String,
        /// Its place and turn.
        stand: Stand,
    },
    /// Moves a prop.
    MoveProp {
        /// The prop.
        prop: PropId,
        /// Its new place and turn.
        stand: Stand,
    },
    /// Removes a prop.
    TakeProp(PropId),
    /// Does some work on a box of cells.
    Work(CellBox, RegionWork),
    /// Turns the copy by a quarter about an axis.
    TurnCopy(Axis),
    /// Mirrors the copy along an axis.
    MirrorCopy(Axis),
    /// Changes how the player moves.
    Travel(Travel),
    /// Moves the player at once, to the next place with room.
    Teleport(Position),
    /// Moves the player to the start.
    Spawn,
    /// Sets the number of walkers.
    SetCrowd(u32),
    /// Sets the mood of the walkers.
    SetMood(Mood),
    /// Starts or stops the moving platforms.
    SetPlatforms(Switch),
    /// Throws one of the player's pick-ups.
    ThrowPickup,
    /// Switches the fog of war.
    SetFog(Switch),
    /// Sets the fog of war.
    TuneFog(FogChoice),
    /// Replaces the targets of the cannons.
    ScatterTargets(u32),
    /// Fires a ball.
    Fire(CannonShot),
    /// Strikes a blow.
    Strike(Blow),
    /// Sets the shape and the movement of characters.
    Tune(Characters),
}

/// Work on all cells of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionWork {
    /// Sets every cell to a material.
    Fill(Material),
    /// Empties every cell.
    Empty,
    /// Changes one material to another.
    Replace(Material, Material),
    /// Empties the cells that have solid neighbours on all six sides.
    Hollow,
    /// Sets the cells of the four upright sides.
    Walls(Material),
    /// Moves all cells by a step; the cells left behind become air.
    Move(Cell),
    /// Copies all cells to the box beside this one, in the direction of the step.
    Stack(Cell),
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// On.
    On,
    /// Off.
    Off,
}

impl Switch {
    /// Returns the opposite of a state.
    pub fn flipped(on: bool) -> Self {
        if on { Switch::Off } else { Switch::On }
    }
}

/// Smallest and largest brush of the player, voxels.
pub const BRUSH_SIZES: std::ops::RangeInclusive<u32> = 1..=24;

/// Shapes of the brush; `world` implements them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BrushShape {
    /// A ball.
    #[default]
    Sphere,
    /// A cube.
    Cube,
    /// An upright cylinder.
    Cylinder,
    /// A single voxel.
    Voxel,
}

impl BrushShape {
    /// All shapes.
    pub const ALL: [Self; 4] = [Self::Sphere, Self::Cube, Self::Cylinder, Self::Voxel];

    /// Returns its label.
    pub fn words(self) -> &'static str {
        match self {
            Self::Sphere => "sphere",
            Self::Cube => "cube",
            Self::Cylinder => "cylinder",
            Self::Voxel => "voxel",
        }
    }
}

/// Effects of the brush.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BrushMode {
    /// Removes material.
    #[default]
    Carve,
    /// Fills air.
    Place,
    /// Changes the material of solid voxels.
    Paint,
    /// Smooths the surface.
    Smooth,
    /// Changes the material of the centre to another, where the brush finds it; paints models.
    Replace,
    /// Changes the material of the centre to another, as far as it is connected; paints models.
    Flood,
}

impl BrushMode {
    /// All effects.
    pub const ALL: [Self; 6] = [
        Self::Carve,
        Self::Place,
        Self::Paint,
        Self::Smooth,
        Self::Replace,
        Self::Flood,
    ];

    /// Returns its label.
    pub fn words(self) -> &'static str {
        match self {
            Self::Carve => "carve",
            Self::Place => "place",
            Self::Paint => "paint",
            Self::Smooth => "smooth",
            Self::Replace => "replace",
            Self::Flood => "flood",
        }
    }
}

/// One stroke of the brush.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Centre.
    pub center: Cell,
    /// Radius in voxels; 1 is a single voxel.
    pub size: u32,
    /// Shape.
    pub shape: BrushShape,
    /// Effect.
    pub mode: BrushMode,
    /// Material for filling and painting.
    pub material: Material,
    /// The relation to the stroke before.
    pub joins: Joins,
}

/// The relation of a stroke to the one before: one undo takes joined strokes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joins {
    /// A stroke of its own.
    Nothing,
    /// Part of the same drag.
    Before,
}
