//! The content of a scene file as data: terrain, actors, timed changes, and expectations.
//!
//! Points are metres from the scene's origin in `f64`; voxel corners are whole numbers of their own
//! layer. Ticks count from 0, and a range of ticks is half-open.

use std::ops::Range;

use nalgebra::{Point3, Vector3};

use collision::obj::ObjMesh;
use collision::position::Cell;
use collision::shapes::{Presence, Substance};

/// One variant of a scene: everything needed to run it.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// The varied values, such as `angle=30`; empty where there are none.
    pub label: String,
    /// Ticks a second.
    pub rate: f64,
    /// Length of the run.
    pub ticks: u32,
    /// The cell that the metres of the file are measured from.
    pub origin: Cell,
    /// Terrain, in the order of the file.
    pub grounds: Vec<Ground>,
    /// Characters, in the order of the file.
    pub actors: Vec<Actor>,
    /// Boxes that report the characters inside.
    pub sensors: Vec<[Point3<f64>; 2]>,
    /// Platforms and rotating meshes.
    pub motions: Vec<Motion>,
    /// Changes of the terrain.
    pub edits: Vec<Edit>,
    /// Wishes of the characters.
    pub inputs: Vec<Input>,
    /// The expectations.
    pub expectations: Vec<Expectation>,
    /// Other conditions under which the run must give the same bits.
    pub repeats: Vec<Repeat>,
}

/// A piece of terrain with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Ground {
    /// Its name in motions and edits.
    pub name: String,
    /// Its material and form.
    pub shape: Shape,
}

/// The material and form of a piece of terrain.
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
    /// The lowest corner of voxel (0, 0, 0).
    pub at: Point3<f64>,
    /// The voxels, as fills in order.
    pub fills: Vec<Fill>,
}

/// A mesh and its blocking sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// The triangles.
    pub triangles: ObjMesh,
    /// The blocking sides of its triangles.
    pub faces: MeshFaces,
}

/// The blocking sides of a mesh.
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
    /// The voxels of the box that change.
    pub pattern: Pattern,
    /// Their new substance.
    pub substance: Substance,
}

/// A selection of the voxels of a box.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// All voxels.
    All,
    /// Each with this chance, drawn from the seed and the voxel's place.
    Random {
        /// The seed of the selection.
        seed: u64,
        /// Chance of each voxel.
        density: f64,
    },
}

/// A character, or several of one description.
#[derive(Clone, Debug, PartialEq)]
pub struct Actor {
    /// Its name in inputs and expectations.
    pub name: String,
    /// The starting places.
    pub places: Vec<Point3<f64>>,
    /// Semi-axes: across and along its up vector.
    pub radii: [f64; 2],
    /// The mode at the start.
    pub mode: ModeName,
    /// Settings that differ from the defaults.
    pub settings: Vec<(Setting, f64)>,
    /// The up axis.
    pub up: Vector3<f64>,
    /// Its mass in kilograms, maybe infinite.
    pub mass: f64,
    /// Its own gravity, in metres a second squared.
    pub pull: Option<Vector3<f64>>,
    /// The kind of start: in the air at its place, or on the ground below.
    pub start: Start,
    /// Its line in the file.
    pub line: usize,
}

/// The start of a character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// At its place.
    #[default]
    There,
    /// Lowered from its place along its up axis, onto the ground below.
    Standing,
}

/// How a character moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModeName {
    /// On the ground, with gravity, steps and snap; swims in liquids and climbs ladders.
    Walk,
    /// Through the air, sliding along obstacles.
    Fly,
    /// Through everything.
    Ghost,
}

/// A number in a character's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Highest step, metres.
    Step,
    /// Highest step climbed while falling, metres.
    AirStep,
    /// Snap depth, metres.
    Snap,
    /// Steepest walkable ground, degrees.
    Slope,
    /// Metres a second squared.
    Gravity,
    /// Share of the motion into a surface that is lost along it.
    Friction,
    /// Acceleration towards the wish in the air, metres a second squared.
    Air,
    /// Fastest fall, metres a second.
    Fall,
    /// Half extent along up when crouched, metres.
    Crouch,
    /// Skin, metres.
    Skin,
    /// Shortening of a slide by its turn.
    Shrink,
    /// Share of an overlap that one recovery undoes.
    Recovery,
    /// Farthest that the centre may be out over an edge, as a share of the radius.
    Ledge,
    /// Deceleration of a launch in the air, metres a second squared.
    DriftLoss,
}

/// A motion of a piece of terrain.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Index of the ground.
    pub ground: usize,
    /// The ticks of the motion.
    pub ticks: Range<u32>,
    /// The kind of motion.
    pub kind: MotionKind,
}

/// The kinds of motion of a piece of terrain.
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
    /// The ticks before which it happens: each one of the range.
    pub ticks: Range<u32>,
    /// The kind of change.
    pub kind: EditKind,
}

/// The kinds of change.
#[derive(Clone, Debug, PartialEq)]
pub enum EditKind {
    /// Changes voxels of a ground.
    Fill(usize, Fill),
    /// Toggles random voxels of a ground, different ones in each tick.
    Toggle {
        /// Index of the ground.
        ground: usize,
        /// The seed of the selection.
        seed: u64,
        /// Voxels in each tick.
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
        /// The state afterwards.
        presence: Presence,
    },
    /// Removes a triangle of a mesh, given by its index in the file.
    RemoveTriangle(usize, usize),
    /// Moves an actor to another place.
    Teleport(usize, Point3<f64>),
    /// Gives an actor a velocity, in metres a second.
    Launch(usize, Vector3<f64>),
}

/// A wish of an actor over a range of ticks.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Index of the actor.
    pub actor: usize,
    /// The ticks of the wish.
    pub ticks: Range<u32>,
    /// The kind of wish.
    pub wish: Wish,
}

/// The kinds of wishes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wish {
    /// Walk or fly with this velocity.
    Go(Vector3<f64>),
    /// Walk in a direction that changes every second.
    Wander {
        /// The seed of the directions.
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
    /// Go around an axis: the velocity is its cross product with the up axis, metres a second.
    Around(Vector3<f64>),
    /// Jump with this speed, metres a second.
    Jump(f64),
    /// Crouch.
    Crouch,
    /// Change the mode.
    Mode(ModeName),
    /// Turn the up vector about an axis, radians a second.
    TurnUp(Vector3<f64>),
    /// Be pulled by another gravity, metres a second squared.
    Pull(Vector3<f64>),
}

/// Another condition for the same run, which must give the same bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Repeat {
    /// With this many threads.
    Threads(usize),
    /// With terrain and characters moved by whole cells.
    Moved(Cell),
    /// With characters added in another order.
    Shuffled(u64),
    /// With the crowd saved and restored before a tick.
    Restored(u32),
    /// With the faces of all terrain divided in another way.
    Cut(u64),
}

/// An expectation.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The line in the file.
    pub line: usize,
    /// The words of the file.
    pub text: String,
    /// Index of the actor; `None` for all.
    pub who: Option<usize>,
    /// The measured quantity.
    pub measure: Measure,
    /// The reduction of the ticks to one number.
    pub fold: Fold,
    /// The measured ticks.
    pub ticks: Range<u32>,
    /// The bound of the number.
    pub bound: Bound,
}

/// The measurable quantities of a character after a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// X coordinate from the scene's origin, metres.
    X,
    /// Y coordinate, metres; upward in most scenes.
    Y,
    /// Z coordinate, metres; level in most scenes.
    Z,
    /// Velocity along x, as the change of position in the tick, metres a second.
    VelocityX,
    /// Velocity along y, metres a second; upward in most scenes.
    VelocityY,
    /// Velocity along z, metres a second; level in most scenes.
    VelocityZ,
    /// Speed, metres a second.
    Speed,
    /// Speed across the up axis, metres a second.
    Pace,
    /// Distance from the start across the up axis, metres.
    Travel,
    /// 1 on the ground, else 0.
    Grounded,
    /// Component of the ground's normal along the up axis, 0 in the air.
    Upright,
    /// Greatest depth in any solid, metres, by brute force.
    Depth,
    /// Depth of a character that is not reported as held by terrain, else 0; metres.
    Inside,
    /// Greatest overlap with another character, metres.
    Overlap,
    /// Distance from a rider to the place where its platform would have carried it, metres.
    Drift,
    /// Half extent along the up axis, metres: smaller when crouched.
    Height,
    /// Number of things it touches.
    Touches,
    /// Height of a step or a snap along up in the tick, metres.
    Lift,
    /// How often an event has happened since the start.
    Count(EventName),
}

impl Measure {
    /// Returns whether it needs the character to be watched.
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
    /// Ran into an obstacle.
    Hit,
    /// Climbed a step.
    Stepped,
    /// Was pushed by a character or platform.
    Pushed,
    /// Has no room between moving objects.
    Crushed,
    /// Is inside of solid terrain.
    Embedded,
    /// Is free again.
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

/// The reductions of a range of ticks to one number.
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
    /// Number of ticks whose value differs from that of the tick before.
    Changes,
    /// The greatest.
    Most,
    /// The least.
    Least,
}

/// A bound of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// This value, within a tolerance.
    Is {
        /// The value.
        value: f64,
        /// The tolerance.
        within: f64,
    },
    /// At most this.
    AtMost(f64),
    /// At least this.
    AtLeast(f64),
}

impl Bound {
    /// Returns whether a number is within the bound; NaN never is.
    pub fn holds(&self, measured: f64) -> bool {
        match *self {
            Self::Is { value, within } => (measured - value).abs() <= within,
            Self::AtMost(limit) => measured <= limit,
            Self::AtLeast(limit) => measured >= limit,
        }
    }

    /// Returns a bound that fails wherever this one holds.
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
