//! avian's `MoveAndSlide` in a bevy app without window or renderer; steps and ground are our
//! controller's.

use crate::controller::{Blocked, Slid, Sweeps, Vector, walk};
use crate::ground::Ground;
use crate::mesh::Mesh;
use crate::peer::{Faller, HALF_SEGMENT, Peer, RADIUS, Start};
use crate::walk::TICK;
use avian3d::prelude::*;
use bevy::ecs::system::SystemState;
use bevy::math::{Quat, Vec3};
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use std::time::Duration;

pub const NAME: &str = "avian, MoveAndSlide";
const SKIN: f32 = 0.01;

pub struct Avian {
    app: App,
    reader: SystemState<MoveAndSlide<'static, 'static>>,
    bodies: Vec<Option<Entity>>,
    capsule: Collider,
    fallers: Vec<Faller>,
}

impl Avian {
    pub fn new(meshes: &mut dyn Iterator<Item = Mesh>) -> Self {
        let mut app = App::new();
        let tick = TimeUpdateStrategy::ManualDuration(Duration::from_secs_f32(TICK));
        app.add_plugins((MinimalPlugins, TransformPlugin, PhysicsPlugins::default()))
            .insert_resource(tick);
        app.finish();
        app.cleanup();
        let bodies = meshes.map(|mesh| spawn(app.world_mut(), &mesh)).collect();
        let mut avian = Self {
            reader: SystemState::new(app.world_mut()),
            app,
            bodies,
            capsule: Collider::capsule(RADIUS, 2.0 * HALF_SEGMENT),
            fallers: Vec::new(),
        };
        avian.settle();
        avian
    }

    /// Runs two frames, after which the physics has all colliders.
    fn settle(&mut self) {
        self.app.update();
        self.app.update();
    }
}

fn spawn(world: &mut World, mesh: &Mesh) -> Option<Entity> {
    let points = mesh.points.iter().map(|&point| Vec3::from(point));
    let flags = TrimeshFlags::FIX_INTERNAL_EDGES;
    let shape =
        Collider::try_trimesh_with_config(points.collect(), mesh.triangles.clone(), flags).ok()?;
    Some(
        world
            .spawn((RigidBody::Static, shape, Transform::IDENTITY))
            .id(),
    )
}

/// The movement of one tick.
struct Mover<'a> {
    library: MoveAndSlide<'a, 'a>,
    capsule: &'a Collider,
    config: MoveAndSlideConfig,
    filter: SpatialQueryFilter,
    seconds: f32,
}

fn convert(vector: Vector) -> Vec3 {
    Vec3::new(vector.x, vector.y, vector.z)
}

impl Sweeps for Mover<'_> {
    fn cast(&self, center: Vector, motion: Vector) -> Option<Blocked> {
        let hit = self.library.cast_move(
            self.capsule,
            convert(center),
            Quat::IDENTITY,
            convert(motion),
            SKIN,
            &self.filter,
        )?;
        Some(Blocked {
            fraction: (hit.distance / motion.norm().max(1e-9)).min(1.0),
            normal: Vector::new(hit.normal1.x, hit.normal1.y, hit.normal1.z),
        })
    }

    fn slide(&self, center: Vector, motion: Vector) -> Slid {
        let mut rise = f32::NEG_INFINITY;
        let ended = self.library.move_and_slide(
            self.capsule,
            convert(center),
            Quat::IDENTITY,
            convert(motion / self.seconds),
            Duration::from_secs_f32(self.seconds),
            &self.config,
            &self.filter,
            |hit| {
                rise = rise.max(hit.normal.y);
                MoveAndSlideHitResponse::Accept
            },
        );
        Slid {
            center: Vector::from(ended.position.to_array()),
            rise,
        }
    }
}

impl Peer for Avian {
    fn name(&self) -> &'static str {
        NAME
    }

    fn place(&mut self, starts: &[Start]) -> bool {
        self.fallers = starts.iter().map(Faller::at).collect();
        true
    }

    fn tick(&mut self, wishes: &[[f32; 2]], seconds: f32) {
        let Ok(library) = self.reader.get(self.app.world()) else {
            return;
        };
        let mover = Mover {
            library,
            capsule: &self.capsule,
            config: MoveAndSlideConfig::default(),
            filter: SpatialQueryFilter::default(),
            seconds,
        };
        for (faller, &wish) in self.fallers.iter_mut().zip(wishes) {
            walk(&mover, faller, wish, seconds);
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
        if let Some(old) = self.bodies[slot].take() {
            self.app.world_mut().despawn(old);
        }
        self.bodies[slot] = spawn(self.app.world_mut(), mesh);
    }

    fn follow_edit(&mut self, _: &Ground, _: [i32; 3], meshes: &[(usize, Mesh)]) {
        for (slot, mesh) in meshes {
            self.replace(*slot, mesh);
        }
        self.settle();
    }
}
