//! Swept ellipsoid characters against any terrain, alone or in crowds.
//!
//! *In scope*: sweeping an ellipsoid through faces, edges, corners, triangles and other ellipsoids; sliding, stepping and standing;
//! getting out of an overlap; crowds of characters on many threads with the same bits on any number of them.
//! *Out of scope*: voxels, files, windows, rigid bodies. Terrain reaches this crate through one trait, [`Terrain`].
//!
//! Reading order: [`position`] (where things are), [`terrain`] (what the mover asks for), [`candidates`] (what is hit),
//! `kernels` and `lanes` (one kernel for each pair of shapes), [`mover`] (slide and walk), [`recovery`] (getting out); [`sweep`] (one mover against one shape, to use alone);
//! [`character`] (one tick of one), [`crowd`] (of all), [`paged_grid`] (who is near whom), [`events`], [`snapshot`], [`query`].
//! Terrain to start with: [`voxels`] (any cells), [`shapes`] (boxes that move), [`soup`] and [`obj`] (meshes), [`together`] (several at once). Beside the crowd:
//! [`hit_box`] (blows), [`hash_grid`] and [`spatial_hash`] (many moving boxes). [`scene`] runs regression scenes; [`tolerance`] holds every
//! small number and what it is for.
//!
//! With the feature `serde`, settings, intents, characters, events and all else that callers hold as plain values can be written and read.
//! A position is checked when it is read; the rest where it is used, as everything from outside is.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod candidates;
pub mod character;
pub mod crowd;
pub mod events;
mod exposed;
pub mod hash_grid;
pub mod hit_box;
mod kernels;
mod lanes;
pub mod mover;
pub mod obj;
pub mod paged_grid;
mod places;
pub mod position;
pub mod query;
pub mod recovery;
pub mod scene;
pub mod shapes;
pub mod snapshot;
pub mod soup;
pub mod spatial_hash;
pub mod sweep;
pub mod terrain;
pub mod together;
pub mod tolerance;
pub mod voxels;

pub use candidates::{Candidates, CellFeature, CellLattice, Sides};
pub use character::{Build, Character, CharacterError, Intent, Medium, Mode, Settings, State};
pub use crowd::{
    CharacterContact, CharacterId, ContactPhase, Crowd, Rules, Sensor, SensorId, TickError,
    TickReport,
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
    CharacterHit, Motion, MoveTrace, SweepHit, TracedCandidate, cast_ray_ellipsoid,
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
