//! What a scene file says, as data: terrain, actors, what happens when, and what must hold.
//!
//! Points are metres from the scene's origin in `f64`; voxel corners are whole numbers of their own layer. Ticks count from 0, and a
//! range of ticks is half-open.

use std::ops::Range;

use nalgebra::{Point3, Vector3};

use crate::obj::ObjMesh;
use crate::position::Cell;
use crate::shapes::{Presence, Substance};

/// One variant of a scene: everything needed to run it.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// Which values were varied, such as `angle=30`; empty where none were.
    pub label: String,
    /// Ticks a second.
    pub rate: f64,
    /// How long it runs.
    pub ticks: u32,
    /// The cell that the metres of the file are measured from.
    pub origin: Cell,
    /// Terrain, in the order of the file.
    pub grounds: Vec<Ground>,
    /// Characters, in the order of the file.
    pub actors: Vec<Actor>,
    /// Boxes that notice who is in them.
    pub sensors: Vec<[Point3<f64>; 2]>,
    /// Platforms and rotating meshes.
    pub motions: Vec<Motion>,
    /// Changes of the terrain.
    pub edits: Vec<Edit>,
    /// Wishes of the characters.
    pub inputs: Vec<Input>,
    /// What must hold.
    pub expectations: Vec<Expectation>,
    /// In which other ways the scene is run, giving the same bits.
    pub repeats: Vec<Repeat>,
}

/// A piece of terrain with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Ground {
    /// How motions and edits call it.
    pub name: String,
    /// What it is made of.
    pub shape: Shape,
}

/// What a piece of terrain is made of.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Cubes on a grid.
    Voxels(Layer),
    /// Axis-aligned boxes, which may touch and overlap.
    Boxes(Vec<[Point3<f64>; 2]>),
    /// Triangles, or an OBJ model.
    Triangles(Mesh),
}

/// A grid of cubes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layer {
    /// Edge of a voxel in metres.
    pub size: f64,
    /// Where voxel (0, 0, 0) has its lowest corner.
    pub at: Point3<f64>,
    /// The voxels, as fills in order.
    pub fills: Vec<Fill>,
}

/// A mesh and which of its sides block.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// The triangles.
    pub triangles: ObjMesh,
    /// Whether the back of a triangle blocks as well.
    pub faces: MeshFaces,
}

/// Which sides of a mesh block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFaces {
    /// Only the counter-clockwise side.
    OneSided,
    /// Both sides.
    TwoSided,
}

/// A change of the voxels in a half-open box.
#[derive(Clone, Debug, PartialEq)]
pub struct Fill {
    /// Lowest voxel.
    pub min: Cell,
    /// One past the highest voxel.
    pub max: Cell,
    /// Which voxels of the box change.
    pub pattern: Pattern,
    /// What they become.
    pub substance: Substance,
}

/// Which voxels of a box are meant.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// All.
    All,
    /// Each with this chance, drawn from the seed and the voxel's place.
    Random {
        /// Selects the draw.
        seed: u64,
        /// Chance of each voxel.
        density: f64,
    },
}

/// A character or a number of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Actor {
    /// How inputs and expectations call it.
    pub name: String,
    /// Where it starts.
    pub places: Vec<Point3<f64>>,
    /// Semi-axes: across and along its up vector.
    pub radii: [f64; 2],
    /// How it begins to move.
    pub mode: ModeName,
    /// What differs from the defaults.
    pub settings: Vec<(Setting, f64)>,
    /// Which way is up.
    pub up: Vector3<f64>,
    /// Its mass in kilograms, maybe infinite.
    pub mass: f64,
    /// Its own gravity, in metres a second squared.
    pub pull: Option<Vector3<f64>>,
    /// Whether it starts in the air at its place, or on what lies below.
    pub start: Start,
    /// Where it stands in the file.
    pub line: usize,
}

/// Where a character starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// At its place.
    #[default]
    There,
    /// Lowered from its place along its up axis, to stand on what lies below.
    Standing,
}

/// How a character moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModeName {
    /// On the ground, with gravity, steps and snap; in liquids and on ladders as those ask.
    Walk,
    /// Through the air, sliding along what it meets.
    Fly,
    /// Through everything.
    Ghost,
}

/// A number of a character's configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Highest step, metres.
    Step,
    /// Highest step climbed while falling, metres.
    AirStep,
    /// How far the ground is looked for, metres.
    Snap,
    /// Steepest walkable ground, degrees.
    Slope,
    /// Metres a second squared.
    Gravity,
    /// Share of the motion into a surface that is lost along it.
    Friction,
    /// How fast the wish is taken up in the air, metres a second squared.
    Air,
    /// Fastest fall, metres a second.
    Fall,
    /// Half extent along up when crouched, metres.
    Crouch,
    /// Distance kept from everything, metres.
    Skin,
    /// How much a slide is shortened by its turn.
    Shrink,
    /// Share of an overlap that one recovery undoes.
    Recovery,
    /// How far the centre may stand out over an edge, share of the radius.
    Ledge,
    /// Deceleration of a launch in the air, metres a second squared.
    DriftLoss,
}

/// What moves a piece of terrain.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Index of the ground.
    pub ground: usize,
    /// When.
    pub ticks: Range<u32>,
    /// How.
    pub kind: MotionKind,
}

/// How a piece of terrain moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MotionKind {
    /// Straight, in metres a second.
    Along(Vector3<f64>),
    /// Its surface moves in its place, in metres a second.
    Surface(Vector3<f64>),
    /// About an axis through a point, in radians a second.
    About {
        /// A point of the axis.
        pivot: Point3<f64>,
        /// Axis times angular speed.
        spin: Vector3<f64>,
    },
}

/// A change at a tick.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// Before which ticks it happens: each tick of the range.
    pub ticks: Range<u32>,
    /// What happens.
    pub kind: EditKind,
}

/// What an edit does.
#[derive(Clone, Debug, PartialEq)]
pub enum EditKind {
    /// Changes voxels of a ground.
    Fill(usize, Fill),
    /// Toggles random voxels of a ground, each tick others.
    Toggle {
        /// Index of the ground.
        ground: usize,
        /// Selects the draw.
        seed: u64,
        /// How many a tick.
        count: u32,
        /// Lowest voxel.
        min: Cell,
        /// One past the highest voxel.
        max: Cell,
    },
    /// Takes voxels out of memory, which makes them solid, or brings them back.
    Load {
        /// Index of the ground.
        ground: usize,
        /// Lowest voxel.
        min: Cell,
        /// One past the highest voxel.
        max: Cell,
        /// Whether they are there afterwards.
        presence: Presence,
    },
    /// Removes a triangle of a mesh by its place in the file.
    RemoveTriangle(usize, usize),
    /// Puts an actor elsewhere.
    Teleport(usize, Point3<f64>),
    /// Gives an actor a velocity, in metres a second.
    Launch(usize, Vector3<f64>),
}

/// A wish of an actor over a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Index of the actor.
    pub actor: usize,
    /// When.
    pub ticks: Range<u32>,
    /// What.
    pub wish: Wish,
}

/// What an actor wishes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wish {
    /// Walk or fly with this velocity.
    Go(Vector3<f64>),
    /// Walk in a direction that changes every second.
    Wander {
        /// Selects the directions.
        seed: u64,
        /// Metres a second.
        speed: f64,
    },
    /// Go to a point.
    Toward {
        /// The point.
        point: Point3<f64>,
        /// Metres a second.
        speed: f64,
    },
    /// Go around an axis, forward as the up vector stands, metres a second.
    Around(Vector3<f64>),
    /// Jump with this speed, metres a second.
    Jump(f64),
    /// Crouch.
    Crouch,
    /// Move in another way.
    Mode(ModeName),
    /// Turn the up vector about an axis, radians a second.
    TurnUp(Vector3<f64>),
    /// Be pulled by another gravity, metres a second squared.
    Pull(Vector3<f64>),
}

/// Another way of running a scene that must give the same bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Repeat {
    /// With this many threads.
    Threads(usize),
    /// With everything moved by whole cells.
    Moved(Cell),
    /// With characters and terrain added in another order.
    Shuffled(u64),
    /// Saved at a tick, run on, restored and run again.
    Restored(u32),
    /// With the faces of all terrain cut up in another way.
    Cut(u64),
}

/// What must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// Where it stands in the file.
    pub line: usize,
    /// The words of the file.
    pub text: String,
    /// Index of the actor, or all of them.
    pub who: Option<usize>,
    /// What is measured.
    pub measure: Measure,
    /// How the ticks are brought to one number.
    pub fold: Fold,
    /// When it is measured.
    pub ticks: Range<u32>,
    /// What the number must be.
    pub bound: Bound,
}

/// What is measured of a character after a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Coordinates from the scene's origin, metres.
    X,
    /// Upward in most scenes.
    Y,
    /// Level in most scenes, as X is.
    Z,
    /// Velocity that the tick made of the position, metres a second.
    VelocityX,
    /// Upward in most scenes.
    VelocityY,
    /// Level in most scenes, as that along X is.
    VelocityZ,
    /// Length of the move a second.
    Speed,
    /// Length of the move a second, across up.
    Pace,
    /// Distance from the start across up, metres.
    Travel,
    /// 1 on the ground, else 0.
    Grounded,
    /// How much of the ground's normal points up, 0 in the air.
    Upright,
    /// Deepest reach into anything solid, metres, by brute force.
    Depth,
    /// The same of one whom nothing reports as held by terrain, else 0.
    Inside,
    /// Deepest overlap with another character, metres.
    Overlap,
    /// Distance from a rider to where its platform would have carried it, metres.
    Drift,
    /// Half extent along up: smaller when crouched, metres.
    Height,
    /// How many things it touches.
    Touches,
    /// How far a step or a snap moved it along up in the tick, metres.
    Lift,
    /// How often an event has happened since the start.
    Count(EventName),
}

impl Measure {
    /// Whether it asks for what is known of watched characters alone.
    pub fn is_of_watched(self) -> bool {
        let counted = [EventName::Touched, EventName::Parted].map(Self::Count);
        matches!(self, Self::Touches | Self::Lift) || counted.contains(&self)
    }
}

/// The events that can be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventName {
    /// Touched ground after being in the air.
    Landed,
    /// Lost the ground.
    LeftGround,
    /// Met something.
    Hit,
    /// Climbed a step.
    Stepped,
    /// Was pushed by a character or platform.
    Pushed,
    /// Has no room between things that move.
    Crushed,
    /// Is inside of solid terrain.
    Embedded,
    /// Was brought back out.
    Rescued,
    /// Entered a liquid or a sensor.
    Entered,
    /// Left a liquid or a sensor.
    Exited,
    /// Began to touch something.
    Touched,
    /// Touched something no more.
    Parted,
}

/// How the ticks of a range become one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// Every tick by itself.
    Each,
    /// Greatest minus least.
    Spread,
    /// Sum over the ticks.
    Sum,
    /// Mean over the ticks.
    Mean,
    /// How often the value differs from that of the tick before.
    Changes,
    /// The greatest.
    Most,
    /// The least.
    Least,
}

/// What a number must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// This, give or take.
    Is {
        /// The value.
        value: f64,
        /// How far off it may be.
        within: f64,
    },
    /// At most this.
    AtMost(f64),
    /// At least this.
    AtLeast(f64),
}

impl Bound {
    /// Whether a number is what it must be; no number that is not one ever is.
    pub fn holds(&self, measured: f64) -> bool {
        match *self {
            Self::Is { value, within } => (measured - value).abs() <= within,
            Self::AtMost(limit) => measured <= limit,
            Self::AtLeast(limit) => measured >= limit,
        }
    }

    /// A bound that fails wherever this one holds.
    pub fn opposed(&self) -> Self {
        match *self {
            Self::Is { value, within } => Self::Is {
                value: value + 2.0 * within + value.abs() * 1e-6 + 1e-6,
                within,
            },
            Self::AtMost(limit) => Self::AtLeast(limit + limit.abs() * 1e-6 + 1e-9),
            Self::AtLeast(limit) => Self::AtMost(limit - limit.abs() * 1e-6 - 1e-9),
        }
    }
}
