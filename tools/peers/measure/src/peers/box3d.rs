//! Box3D's mover through its raw bindings: collide for planes, solve the planes, cast along the
//! solution, a few times.
//!
//! Box3D has neither steps nor ground rules; those are our controller's. Everything is made, used
//! and destroyed on one thread, in that order.

use crate::controller::{Blocked, Slid, Sweeps, Vector, walk};
use crate::mesh::{Mesh, Purpose};
use crate::peer::{Faller, HALF_SEGMENT, Peer, RADIUS, Start};
use box3d_sys::*;
use std::ffi::c_void;
use std::ptr::null_mut;

const MOST_ROUNDS: usize = 5;
/// Largest number of planes in a round, the deepest first.
const MOST_PLANES: usize = 16;
/// A round that moves less than this, in metres, is the last.
const CLOSE: f32 = 0.001;

pub const NAME: &str = "Box3D, mover";

/// A body, and the mesh that its shape points into.
type Body = (b3BodyId, *mut b3MeshData);

pub struct Box3d {
    world: b3WorldId,
    /// One body per slot.
    bodies: Vec<Option<Body>>,
    fallers: Vec<Faller>,
}

impl Box3d {
    pub fn new(meshes: impl Iterator<Item = Mesh>) -> Option<Self> {
        // SAFETY: the definition outlives the call that reads it.
        let world = unsafe { b3CreateWorld(&b3DefaultWorldDef()) };
        let mut box3d = Self {
            world,
            bodies: Vec::new(),
            fallers: Vec::new(),
        };
        for mesh in meshes {
            box3d.bodies.push(put(world, &mesh, Purpose::Walks)?);
        }
        Some(box3d)
    }

    /// Returns planes near a mover, the deepest first.
    fn planes(&self, center: Vector) -> Vec<b3CollisionPlane> {
        let mut planes: Vec<b3CollisionPlane> = Vec::new();
        // SAFETY: the callback gets `planes` back as its context, and only during the call.
        unsafe {
            b3World_CollideMover(
                self.world,
                convert(center),
                &capsule(),
                b3DefaultQueryFilter(),
                Some(take_planes),
                (&raw mut planes).cast(),
            );
        }
        planes.sort_by(|a, b| b.plane.offset.total_cmp(&a.plane.offset));
        planes.truncate(MOST_PLANES);
        planes
    }

    fn free_share(&self, center: Vector, motion: Vector) -> f32 {
        // SAFETY: the world is alive; there is no callback.
        unsafe {
            b3World_CastMover(
                self.world,
                convert(center),
                &capsule(),
                convert(motion),
                b3DefaultQueryFilter(),
                None,
                null_mut(),
            )
        }
    }

    fn take_away(&mut self, slot: usize) {
        if let Some((body, mesh)) = self.bodies[slot].take() {
            // SAFETY: both are alive and ours; the body is destroyed first, because its shape
            // points into the mesh.
            unsafe {
                b3DestroyBody(body);
                b3DestroyMesh(mesh);
            }
        }
    }
}

impl Drop for Box3d {
    fn drop(&mut self) {
        (0..self.bodies.len()).for_each(|slot| self.take_away(slot));
        // SAFETY: nothing is left in it.
        unsafe { b3DestroyWorld(self.world) };
    }
}

/// Adds the planes of one shape to the list that the context points to.
unsafe extern "C" fn take_planes(
    _: b3ShapeId,
    found: *const b3PlaneResult,
    count: i32,
    context: *mut c_void,
) -> bool {
    // SAFETY: Box3D passes `count` planes, and the context that `planes` passed in.
    let (found, planes) = unsafe {
        (
            std::slice::from_raw_parts(found, count as usize),
            &mut *context.cast::<Vec<b3CollisionPlane>>(),
        )
    };
    planes.extend(found.iter().map(|found| b3CollisionPlane {
        plane: found.plane,
        pushLimit: f32::MAX,
        push: 0.0,
        clipVelocity: true,
    }));
    true
}

/// Makes a static body with the mesh: nothing for an empty one, `None` if it could not be made.
fn put(world: b3WorldId, mesh: &Mesh, purpose: Purpose) -> Option<Option<Body>> {
    if mesh.is_empty() {
        return Some(None);
    }
    let convert = |&[x, y, z]: &[f32; 3]| b3Vec3 { x, y, z };
    let mut points: Vec<b3Vec3> = mesh.points.iter().map(convert).collect();
    let mut indices: Vec<i32> = mesh
        .triangles
        .as_flattened()
        .iter()
        .map(|&i| i as i32)
        .collect();
    let definition = b3MeshDef {
        vertices: points.as_mut_ptr(),
        indices: indices.as_mut_ptr(),
        vertexCount: points.len() as i32,
        triangleCount: mesh.triangles.len() as i32,
        identifyEdges: purpose == Purpose::Walks,
        useMedianSplit: purpose == Purpose::Edits,
        ..Default::default()
    };
    // SAFETY: points and indices outlive the call that copies them; the mesh outlives its body, see
    // `take_away`.
    unsafe {
        let data = b3CreateMesh(&definition, null_mut(), 0);
        if data.is_null() {
            return None;
        }
        let body = b3CreateBody(world, &b3DefaultBodyDef());
        let as_it_is = b3Vec3 {
            x: 1.0,
            y: 1.0,
            z: 1.0,
        };
        b3CreateMeshShape(body, &b3DefaultShapeDef(), data, as_it_is);
        Some(Some((body, data)))
    }
}

fn capsule() -> b3Capsule {
    let at = |y| b3Vec3 { x: 0.0, y, z: 0.0 };
    b3Capsule {
        center1: at(-HALF_SEGMENT),
        center2: at(HALF_SEGMENT),
        radius: RADIUS,
    }
}

fn convert(vector: Vector) -> b3Vec3 {
    b3Vec3 {
        x: vector.x,
        y: vector.y,
        z: vector.z,
    }
}

fn normal(plane: &b3CollisionPlane) -> Vector {
    let b3Vec3 { x, y, z } = plane.plane.normal;
    Vector::new(x, y, z)
}

impl Sweeps for Box3d {
    fn cast(&self, center: Vector, motion: Vector) -> Option<Blocked> {
        let fraction = self.free_share(center, motion);
        if fraction >= 1.0 {
            return None;
        }
        // The cast returns no normal: take the one that opposes the motion most at its end.
        let planes = self.planes(center + motion * fraction);
        let normal = planes
            .iter()
            .map(normal)
            .min_by(|a, b| a.dot(&motion).total_cmp(&b.dot(&motion)))
            .unwrap_or_else(|| -motion.normalize());
        Some(Blocked { fraction, normal })
    }

    fn slide(&self, start: Vector, motion: Vector) -> Slid {
        let target = start + motion;
        let mut center = start;
        let mut rise = f32::NEG_INFINITY;
        for _ in 0..MOST_ROUNDS {
            let mut planes = self.planes(center);
            let count = planes.len() as i32;
            // SAFETY: there are `count` planes.
            let solved =
                unsafe { b3SolvePlanes(convert(target - center), planes.as_mut_ptr(), count) };
            for plane in planes.iter().filter(|plane| plane.push > 0.0) {
                rise = rise.max(normal(plane).y);
            }
            let b3Vec3 { x, y, z } = solved.delta;
            let delta = Vector::new(x, y, z);
            let step = delta * self.free_share(center, delta);
            center += step;
            if step.norm() < CLOSE {
                break;
            }
        }
        Slid { center, rise }
    }
}

impl Peer for Box3d {
    fn name(&self) -> &'static str {
        NAME
    }

    fn place(&mut self, starts: &[Start]) -> bool {
        self.fallers = starts.iter().map(Faller::at).collect();
        true
    }

    fn tick(&mut self, wishes: &[[f32; 2]], seconds: f32) {
        let mut fallers = std::mem::take(&mut self.fallers);
        for (faller, &wish) in fallers.iter_mut().zip(wishes) {
            walk(self, faller, wish, seconds);
        }
        self.fallers = fallers;
    }

    fn center(&self, index: usize) -> [f32; 3] {
        self.fallers[index].center
    }

    fn is_grounded(&self, index: usize) -> bool {
        self.fallers[index].grounded
    }

    fn jump(&mut self, index: usize, speed: f32) {
        self.fallers[index].jump(speed);
    }

    fn replace(&mut self, slot: usize, mesh: &Mesh) {
        self.take_away(slot);
        self.bodies[slot] = put(self.world, mesh, Purpose::Edits).flatten();
    }
}
