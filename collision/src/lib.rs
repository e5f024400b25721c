//! Swept ellipsoid characters against any terrain, alone or in crowds.
//!
//! *In scope*: sweeping an ellipsoid against faces, edges, corners, triangles and other ellipsoids;
//! sliding, stepping and standing; recovery from overlaps; crowds of characters on many threads,
//! with the same bits on any number of threads.
//!
//! *Out of scope*: voxel storage, files, windows, rigid bodies. Terrain reaches this crate through
//! one trait, [`Terrain`].
//!
//! Reading order, in which each module uses only those before it: [`tolerance`], [`position`]
//! (places), `body`, `object` (names of what can be touched), `contact`, `reach`; `spots`, `lanes`
//! and `kernels` (one kernel for each pair of shapes); `frame` (squashed space), [`candidates`]
//! (the features a move can hit), [`terrain`] (the trait), `around` (the surroundings of a move),
//! [`recovery`] (ways out of overlaps), [`mover`] (slide and walk); `handles`, [`events`],
//! [`character`] (one tick of one character), [`snapshot`]; `box_lookup`, [`paged_grid`]
//! (characters near each other), [`crowd`] (one tick of all), [`query`]. Beside them [`sweep`]: one
//! shape against another, to use alone.
//!
//! Terrains to start with: [`voxels`] (cells of your own), [`shapes`] (boxes that move), [`soup`]
//! and [`obj`] (meshes), [`together`] (several terrains as one). Beside the crowd: [`hit_box`]
//! (melee attacks), [`hash_grid`] and [`spatial_hash`] (many moving boxes). [`tolerance`] holds
//! every small number with its meaning.
//!
//! # Glossary
//!
//! - *tick*: one advance of all characters by a length of time.
//! - *ellipsoid*: here one of revolution, with one radius across its up axis and one along it.
//! - *character*: an ellipsoid with settings, and a state that a tick changes.
//! - *body*: an ellipsoid at a place: that of a character, of a query, or the small ball of a ray.
//! - *up axis*: the unit axis of a body, against gravity; *across* is at right angles to it.
//! - *foot*: the lowest point of a body along its up axis.
//! - *skin*: the gap, in metres, that a character keeps from everything it collides with.
//! - *terrain*: the static and moving ground, an implementation of [`Terrain`].
//! - *object*: a part of the terrain with its own [`ObjectId`]: a chunk, a mesh, a platform.
//! - *surface*: the exposed faces, convex edges and convex corners of solids and triangles.
//! - *feature*: one face, edge or corner of the surface.
//! - *rim*: a convex edge or corner at the border of a face that a character can stand on.
//! - *reach*: the box that holds every place of a body during a move, where features are gathered.
//! - *candidate*: a feature within reach, prepared for the kernels.
//! - *sweep*: the search for the earliest contact along a straight motion.
//! - *contact*: the place and normal at which a move touched a feature or another character.
//! - *slide*: the part of a move that goes on along the planes of its contacts.
//! - *step*: climbing an obstacle no higher than the step height.
//! - *snap*: following ground that drops away by no more than the snap depth.
//! - *ledge*: how far out over a rim the centre of a standing body may be.
//! - *ride*: being carried by the moving object or the character that one stands on.
//! - *recovery*: moving a body out of solids that it overlaps.
//! - *memory*: the record through which a terrain finds a character's neighbourhood again.
//! - *row*: the index of a character in the columns of a crowd; it may change between ticks.
//! - *sleep*: skipping the ticks of a character whose state and surroundings do not change.
//! - *sensor*: a box that reports the characters inside.
//! - *squashed space*: space scaled so that the moving ellipsoid becomes a ball.
//!
//! With the feature `serde`, settings, intents, characters, events and the other plain values that
//! callers hold can be serialized. A position is checked when it is read; the rest is checked where
//! it is used, like all input from outside.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod around;
mod body;
mod box_lookup;
pub mod candidates;
pub mod character;
mod contact;
pub mod crowd;
pub mod events;
mod exposed;
mod frame;
mod handles;
pub mod hash_grid;
pub mod hit_box;
mod kernels;
mod lanes;
pub mod mover;
pub mod obj;
mod object;
pub mod paged_grid;
pub mod position;
pub mod query;
mod reach;
pub mod recovery;
pub mod shapes;
pub mod snapshot;
pub mod soup;
pub mod spatial_hash;
mod spots;
pub mod sweep;
pub mod terrain;
pub mod together;
pub mod tolerance;
pub mod voxels;

pub use candidates::{Candidates, CellFeature, CellLattice, Sides};
pub use character::{Build, Character, CharacterError, Intent, Medium, Mode, Settings, State};
pub use crowd::{
    CharacterContact, CharacterId, ContactPhase, Crowd, OtherCharacter, PredictError, Predicted,
    Rules, Sensor, SensorId, TickError, TickReport, predict,
};
pub use events::{Event, EventKind, Other};
pub use mover::{
    Around, Body, Contact, ContactListener, ContactResponse, Feature, Ground, MoverConfig,
    Neighbour, Radii, Report, Scratch, StoppedBy,
};
pub use obj::{ObjError, ObjMesh};
pub use paged_grid::PagedGrid;
pub use position::{Cell, Position, PositionError};
pub use query::{
    CharacterHit, GatherTrace, Motion, MoveTrace, SweepHit, TracedCandidate, cast_ray_ellipsoid,
    cast_ray_terrain, sweep_ellipsoid, sweep_ellipsoid_in, trace_slide,
};
pub use recovery::{Recovery, Rescue};
pub use shapes::{Presence, Shapes, ShapesError, Substance};
pub use snapshot::SnapshotError;
pub use soup::{SoupError, SoupMotion, TriangleId, TriangleSoup};
pub use terrain::{
    Bounds, Contents, Crossing, Memory, ObjectId, Passage, Piece, Plane, Reach, SolidBox, Terrain,
    Touched,
};
pub use together::{PartIndex, Together};
pub use voxels::{VoxelTerrain, Voxels};
