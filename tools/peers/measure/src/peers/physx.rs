//! PhysX's capsule controller through its raw bindings: the safe crate has no `move`.
//!
//! The only file here with much `unsafe`. Everything is made, used and released on one thread, in
//! that order. Every controller has a manager of its own: within one manager each move looks at
//! every other controller. The climbing mode is PhysX's default, `eEASY`: the round foot may carry
//! a capsule higher than the step. `eCONSTRAINED` keeps to the step, for up to twice the time.

use crate::mesh::{Mesh, Purpose};
use crate::peer::{Faller, HALF_HEIGHT, HALF_SEGMENT, Peer, RADIUS, Start};
use physx_sys::*;
use std::ptr::null_mut;

const CONTACT_OFFSET: f32 = 0.02;

pub const NAME: &str = "PhysX, CCT";

pub struct PhysX {
    foundation: *mut PxFoundation,
    physics: *mut PxPhysics,
    dispatcher: *mut PxDefaultCpuDispatcher,
    scene: *mut PxScene,
    material: *mut PxMaterial,
    actors: Vec<*mut PxRigidStatic>,
    controllers: Vec<Controller>,
    fallers: Vec<Faller>,
}

struct Controller {
    manager: *mut PxControllerManager,
    controller: *mut PxController,
}

impl PhysX {
    pub fn new(meshes: impl Iterator<Item = Mesh>) -> Option<Self> {
        let mut physx = Self {
            foundation: null_mut(),
            physics: null_mut(),
            dispatcher: null_mut(),
            scene: null_mut(),
            material: null_mut(),
            actors: Vec::new(),
            controllers: Vec::new(),
            fallers: Vec::new(),
        };
        physx.begin()?;
        for mesh in meshes {
            let actor = physx.actor(&mesh, Purpose::Walks)?;
            physx.actors.push(actor);
        }
        Some(physx)
    }

    /// Makes everything needed before the first actor; after a failure, the parts made so far are
    /// released with the rest.
    fn begin(&mut self) -> Option<()> {
        // SAFETY: made in the order that PhysX requires; the scene description outlives the call
        // that reads it.
        unsafe {
            self.foundation = made(physx_create_foundation())?;
            self.physics = made(physx_create_physics(self.foundation))?;
            let mut description = PxSceneDesc_new(PxPhysics_getTolerancesScale(self.physics));
            let wait = PxDefaultCpuDispatcherWaitForWorkMode::WaitForWork;
            self.dispatcher = made(phys_PxDefaultCpuDispatcherCreate(1, null_mut(), wait, 0))?;
            description.cpuDispatcher = self.dispatcher.cast();
            description.filterShader = get_default_simulation_filter_shader();
            self.scene = made(PxPhysics_createScene_mut(self.physics, &description))?;
            let material = PxPhysics_createMaterial_mut(self.physics, 0.5, 0.5, 0.0);
            self.material = made(material)?;
        }
        Some(())
    }

    /// Makes a static actor with the mesh: null for an empty one, `None` if it could not be made.
    fn actor(&mut self, mesh: &Mesh, purpose: Purpose) -> Option<*mut PxRigidStatic> {
        if mesh.is_empty() {
            return Some(null_mut());
        }
        // SAFETY: cooking copies points and triangles; the actor keeps the shape, the shape the
        // mesh, so our references are given up.
        unsafe {
            let cooking = cooking(PxPhysics_getTolerancesScale(self.physics), purpose);
            let mut description = PxTriangleMeshDesc_new();
            description.points.count = mesh.points.len() as u32;
            description.points.stride = size_of::<[f32; 3]>() as u32;
            description.points.data = mesh.points.as_ptr().cast();
            description.triangles.count = mesh.triangles.len() as u32;
            description.triangles.stride = size_of::<[u32; 3]>() as u32;
            description.triangles.data = mesh.triangles.as_ptr().cast();
            let insertion = phys_PxGetStandaloneInsertionCallback();
            let cooked = phys_PxCreateTriangleMesh(&cooking, &description, insertion, null_mut());
            let cooked = made(cooked)?;
            let scale = PxMeshScale_new();
            let mut flags = PxMeshGeometryFlags::empty();
            flags.set(PxMeshGeometryFlags::DoubleSided, mesh.two_sided);
            let geometry = PxTriangleMeshGeometry_new(cooked, &scale, flags);
            let flags = PxShapeFlags::SceneQueryShape | PxShapeFlags::SimulationShape;
            let shape = made(PxPhysics_createShape_mut(
                self.physics,
                (&raw const geometry).cast(),
                self.material,
                true,
                flags,
            ))?;
            let origin = PxVec3 {
                x: 0.0,
                y: 0.0,
                z: 0.0,
            };
            let pose = PxTransform_new_1(&origin);
            let actor = made(PxPhysics_createRigidStatic_mut(self.physics, &pose))?;
            PxRigidActor_attachShape_mut(actor.cast(), shape);
            PxShape_release_mut(shape);
            PxRefCounted_release_mut(cooked.cast());
            PxScene_addActor_mut(self.scene, actor.cast(), null_mut()).then_some(actor)
        }
    }

    fn controller(&mut self, &Start { center, rules }: &Start) -> Option<Controller> {
        // SAFETY: the description is only read by the call that makes the controller, and deleted
        // after it.
        unsafe {
            let description = PxCapsuleControllerDesc_new_alloc();
            (*description).position = PxExtendedVec3 {
                x: f64::from(center[0]),
                y: f64::from(center[1]),
                z: f64::from(center[2]),
            };
            (*description).height = 2.0 * HALF_SEGMENT;
            (*description).radius = RADIUS;
            // It makes no controller with a step higher than its body.
            (*description).stepOffset = rules.step.min(2.0 * HALF_HEIGHT);
            (*description).slopeLimit = rules.least_rise;
            (*description).contactOffset = CONTACT_OFFSET;
            (*description).material = self.material;
            let manager = phys_PxCreateControllerManager(self.scene, false);
            let controller = PxControllerManager_createController_mut(manager, description.cast());
            PxCapsuleControllerDesc_delete(description);
            (!controller.is_null()).then_some(Controller {
                manager,
                controller,
            })
        }
    }

    fn clear(&mut self) {
        for Controller {
            manager,
            controller,
        } in self.controllers.drain(..)
        {
            // SAFETY: both are alive and owned by us; nothing uses them afterwards.
            unsafe {
                PxController_release_mut(controller);
                PxControllerManager_release_mut(manager);
            }
        }
    }

    fn take_away(&mut self, slot: usize) {
        let actor = std::mem::replace(&mut self.actors[slot], null_mut());
        if !actor.is_null() {
            // SAFETY: it is in the scene and owned by us; releasing takes it out.
            unsafe { PxActor_release_mut(actor.cast()) };
        }
    }
}

impl Drop for PhysX {
    fn drop(&mut self) {
        self.clear();
        (0..self.actors.len()).for_each(|slot| self.take_away(slot));
        // SAFETY: in the reverse of the order they were made in; nothing refers to them any more.
        unsafe {
            release(self.scene, PxScene_release_mut);
            release(self.material.cast(), PxRefCounted_release_mut);
            release(self.dispatcher, PxDefaultCpuDispatcher_release_mut);
            release(self.physics, PxPhysics_release_mut);
            release(self.foundation, PxFoundation_release_mut);
        }
    }
}

/// Returns a pointer unless it is null.
fn made<T>(pointer: *mut T) -> Option<*mut T> {
    (!pointer.is_null()).then_some(pointer)
}

/// Releases an object.
///
/// # Safety
/// It is alive or null, and nothing uses it afterwards.
unsafe fn release<T>(pointer: *mut T, how: unsafe extern "C" fn(*mut T)) {
    if !pointer.is_null() {
        // SAFETY: guaranteed by the caller.
        unsafe { how(pointer) };
    }
}

/// Edits use the settings that PhysX recommends for cooking at run time. The meshes are clean
/// already, because corners are shared; its characters do not use active edges.
fn cooking(scale: *const PxTolerancesScale, purpose: Purpose) -> PxCookingParams {
    // SAFETY: the scale is alive; the description is a BVH34 one, which comes first in its union,
    // as its own constructor leaves it.
    unsafe {
        let mut cooking = PxCookingParams_new(scale);
        if purpose == Purpose::Edits {
            cooking.meshPreprocessParams = PxMeshPreprocessingFlags::DisableCleanMesh
                | PxMeshPreprocessingFlags::DisableActiveEdgesPrecompute;
            cooking.suppressTriangleMeshRemapTable = true;
            let midphase = (&raw mut cooking.midphaseDesc).cast::<PxBVH34MidphaseDesc>();
            (*midphase).buildStrategy = PxBVH34BuildStrategy::Fast;
        }
        cooking
    }
}

impl Peer for PhysX {
    fn name(&self) -> &'static str {
        NAME
    }

    fn place(&mut self, starts: &[Start]) -> bool {
        self.clear();
        self.fallers = starts.iter().map(Faller::at).collect();
        for start in starts {
            let Some(controller) = self.controller(start) else {
                return false;
            };
            self.controllers.push(controller);
        }
        true
    }

    fn tick(&mut self, wishes: &[[f32; 2]], seconds: f32) {
        // SAFETY: controllers and scene are alive; the filters hold no pointers.
        unsafe {
            let mut filters = PxControllerFilters_new(std::ptr::null(), null_mut(), null_mut());
            filters.mFilterFlags = PxQueryFlags::Static;
            let all = self.controllers.iter().zip(&mut self.fallers);
            for ((one, faller), &wish) in all.zip(wishes) {
                let [x, y, z] = faller.fall(wish, seconds);
                let motion = PxVec3 { x, y, z };
                let met = PxController_move_mut(
                    one.controller,
                    &motion,
                    0.0,
                    seconds,
                    &filters,
                    null_mut(),
                );
                let at = *PxController_getPosition(one.controller);
                let center = [at.x as f32, at.y as f32, at.z as f32];
                let stands = met.contains(PxControllerCollisionFlags::CollisionDown);
                faller.arrive(center, stands, seconds);
            }
        }
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
        self.actors[slot] = self.actor(mesh, Purpose::Edits).unwrap_or(null_mut());
        for one in &self.controllers {
            // SAFETY: the controller is alive. It may remember triangles that are gone.
            unsafe { PxController_invalidateCache_mut(one.controller) };
        }
    }
}
