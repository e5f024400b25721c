//! Everything that can be asked of a simulation beside walking: keys, panels, scripts and fuzz all speak it.

use collision::{Cell, Position};
use world::{Axis, Material, ObjectId};

use crate::settings::{Characters, FogChoice};

use super::{Blow, CannonShot, Mood, PropId, Stand, Travel};

/// Something to do between two ticks.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Changes voxels.
    Edit(Stroke),
    /// Takes the last stroke back.
    Undo,
    /// Does the last undone stroke again.
    Redo,
    /// Undoes or redoes until this many strokes are done.
    GoToStroke(usize),
    /// Remembers a box of voxels, both corners inside.
    Copy {
        /// One corner.
        from: Cell,
        /// The other.
        to: Cell,
    },
    /// Places what was copied, its lowest corner here; air of it leaves what is there.
    Paste(Cell),
    /// Stands what was copied here as a model of its own, a quarter as large, on the middle of its floor.
    PlaceModel(Position),
    /// Takes a model away. Platforms stay.
    TakeModel(ObjectId),
    /// Works on a model with a brush; the middle of the stroke is one of its voxels. Platforms stay as they are.
    EditModel(ObjectId, Stroke),
    /// Puts a prop of a model somewhere.
    PlaceProp {
        /// The model's name.
        model: String,
        /// Where it is to stand.
        stand: Stand,
    },
    /// Puts a prop elsewhere.
    MoveProp {
        /// Which.
        prop: PropId,
        /// Where it is to stand.
        stand: Stand,
    },
    /// Takes a prop away.
    TakeProp(PropId),
    /// Turns what was copied by a quarter, counter-clockwise from above.
    TurnCopy,
    /// Mirrors what was copied along an axis.
    MirrorCopy(Axis),
    /// How the player moves.
    Travel(Travel),
    /// Moves the player at once, to the next place with room.
    Teleport(Position),
    /// Moves the player to where everything began.
    Spawn,
    /// How many walkers there are.
    SetCrowd(u32),
    /// What they do.
    SetMood(Mood),
    /// Whether slabs travel about.
    SetPlatforms(Switch),
    /// Throws one of the pick-ups that the player has.
    ThrowPickup,
    /// Whether the map is uncovered by those who walk it.
    SetFog(Switch),
    /// How the fog of war is lifted.
    TuneFog(FogChoice),
    /// New targets for the cannon.
    ScatterTargets(u32),
    /// Fires a ball.
    Fire(CannonShot),
    /// Strikes.
    Strike(Blow),
    /// How characters are shaped and move.
    Tune(Characters),
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// It happens.
    On,
    /// It does not.
    Off,
}

impl Switch {
    /// The other one.
    pub fn flipped(on: bool) -> Self {
        if on { Switch::Off } else { Switch::On }
    }
}

/// Brushes by name; the world has the shapes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BrushShape {
    /// Round.
    #[default]
    Sphere,
    /// A cube.
    Cube,
    /// A standing cylinder.
    Cylinder,
    /// Only the voxel that was pointed at.
    Voxel,
}

/// What a brush does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BrushMode {
    /// Empties.
    #[default]
    Carve,
    /// Fills what is empty.
    Place,
    /// Changes what is there.
    Paint,
    /// Evens out.
    Smooth,
}

/// One piece of work with a brush.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Its middle.
    pub center: Cell,
    /// Radius, voxels; 1 is one voxel.
    pub size: u32,
    /// Its shape.
    pub shape: BrushShape,
    /// What it does.
    pub mode: BrushMode,
    /// What it fills or paints with.
    pub material: Material,
    /// Whether it goes on with the last stroke, so that one undo takes both back.
    pub joins: Joins,
}

/// Whether a stroke belongs to the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joins {
    /// It is one of its own.
    Nothing,
    /// It is more of the same drag.
    Before,
}
