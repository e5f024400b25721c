//! The trait through which the mover queries the ground. This crate owns it; voxel worlds, triangle
//! soups and scenes implement it. Its files hold the parts of a query and of an answer.

mod contents;
mod crossing;
mod memory;

pub use crate::object::{ObjectId, Piece, Touched, TriangleId};
pub use crate::reach::{Plane, Reach};
pub use contents::{Contents, SolidBox};
pub use crossing::{Crossing, Passage};
pub(crate) use memory::revision_of;
pub use memory::{Bounds, Memory, mixed};

use crate::candidates::Candidates;
use crate::position::{Cell, Position};
use nalgebra::Vector3;

/// The ground that characters move on. All methods are called from many threads at once and must
/// give the same answer to the same query during a tick.
pub trait Terrain: Sync {
    /// Returns a number that changes whenever the terrain changes or moves.
    fn revision(&self) -> u64;

    /// Returns whether everything that `memory` has seen is unchanged. May return `false`
    /// needlessly, never `true` wrongly.
    fn unchanged(&self, memory: &Memory) -> bool {
        memory.revision == self.revision()
    }

    /// Adds to `out` all features inside `reach` that a body could hit from outside: exposed faces,
    /// convex edges, convex corners, triangles. Never flat or concave edges. Unloaded space counts
    /// as solid. A terrain without triangles may return at once where
    /// [`Candidates::wants_triangles_only`].
    fn gather(&self, reach: &Reach, memory: &mut Memory, out: &mut Candidates);

    /// Returns a box that holds everything `memory` has seen. `None` where the terrain cannot tell:
    /// then a change anywhere may concern it.
    fn seen(&self, memory: &Memory) -> Option<Bounds> {
        let _ = memory;
        None
    }

    /// Appends the solid volumes that reach into a box (metres from the corner of `base`). Unloaded
    /// space counts as solid.
    fn gather_solids(
        &self,
        base: Cell,
        min: Vector3<f32>,
        max: Vector3<f32>,
        out: &mut Vec<SolidBox>,
    );

    /// Returns whether the path of a body is free, and the object or rim it stands on at the end:
    /// of several objects the one with the least number. A needless [`Passage::Unknown`] only costs
    /// time. With any other answer `memory` must be as [`Self::gather`] would leave it for a box
    /// that holds this one.
    fn passage(&self, crossing: &Crossing, memory: &mut Memory) -> Passage {
        let _ = (crossing, memory);
        Passage::Unknown
    }

    /// Returns the contents of the space at a place. `memory` belongs to a character near by, or is
    /// empty; it may help to find the place, and changes no answer.
    fn contents(&self, at: &Position, memory: &Memory) -> Contents;

    /// Returns whether anything in a box from the corner of `base` may have moved in this tick. May
    /// return `true` needlessly, never `false` wrongly.
    fn moves_near(&self, base: Cell, min: Vector3<f32>, max: Vector3<f32>) -> bool {
        let _ = (base, min, max);
        true
    }

    /// Returns whether some surface moves in its place, as of a conveyor belt. If so,
    /// [`Self::surface_velocity`] is queried in every tick, though no revision changed. A surface
    /// that starts, stops or changes its velocity must change the revision: characters that sleep
    /// on it do not notice otherwise.
    fn has_moving_surfaces(&self) -> bool {
        false
    }

    /// Returns the velocity, in metres a second, of a surface that moves in its place, at a place
    /// on `object`.
    fn surface_velocity(&self, object: ObjectId, at: &Position) -> Vector3<f32> {
        let _ = (object, at);
        Vector3::zeros()
    }

    /// Returns the turn of an object in this tick, as an axis whose length is the angle in radians.
    /// It turns no character; [`Crowd::ground_turn`](crate::Crowd::ground_turn) hands it to the
    /// caller.
    fn turn(&self, object: ObjectId, at: &Position) -> Vector3<f32> {
        let _ = (object, at);
        Vector3::zeros()
    }

    /// Returns how far `object` carries a rider at `at` in this tick, in metres. `None` where the
    /// terrain has no such object. Called only where [`Self::revision`] changed: a moving object
    /// changes it in every tick.
    fn carry(&self, object: ObjectId, at: &Position) -> Option<Vector3<f32>> {
        let _ = (object, at);
        None
    }

    /// Returns the piece of `object` at a place on its surface, and its material. `normal` is the
    /// unit normal there, away from the object. `None` where the terrain has no such object, or
    /// knows no pieces. It is asked of the [contacts](crate::CharacterContact) of watched
    /// characters alone.
    fn touched(&self, object: ObjectId, at: &Position, normal: &Vector3<f32>) -> Option<Touched> {
        let _ = (object, at, normal);
        None
    }

    /// Returns a box around all of the terrain, at its present place and at that when the tick
    /// began. `None` where it has no end.
    fn bounds(&self) -> Option<Bounds> {
        None
    }
}
