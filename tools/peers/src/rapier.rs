//! Rapier's kinematic character controller with a capsule, on triangle meshes a chunk or on its voxel shape.

use crate::ground::Ground;
use crate::walk::{Body, GRAVITY, HALF_HEIGHT, Plan, RADIUS, TICK, Walkers};
use rapier3d::control::{CharacterAutostep, CharacterLength, KinematicCharacterController};
use rapier3d::prelude::*;

#[derive(Clone, Copy, PartialEq)]
pub enum Surface {
    Triangles,
    Voxels,
}

pub struct Rapier {
    bodies: RigidBodySet,
    colliders: ColliderSet,
    broad_phase: BroadPhaseBvh,
    narrow_phase: NarrowPhase,
    controller: KinematicCharacterController,
    shape: SharedShape,
    centers: Vec<Vector>,
    falling: Vec<f32>,
}

impl Rapier {
    pub fn new(plan: &Plan<'_>, surface: Surface) -> Self {
        let mut colliders = ColliderSet::new();
        match surface {
            Surface::Triangles => insert_triangles(plan.ground, &mut colliders),
            Surface::Voxels => insert_voxels(plan.ground, &mut colliders),
        }
        let mut rapier = Self {
            bodies: RigidBodySet::new(),
            colliders,
            broad_phase: BroadPhaseBvh::new(),
            narrow_phase: NarrowPhase::new(),
            controller: KinematicCharacterController {
                offset: CharacterLength::Absolute(0.01),
                autostep: (plan.step > 0.0).then_some(CharacterAutostep {
                    max_height: CharacterLength::Absolute(plan.step),
                    min_width: CharacterLength::Absolute(0.1),
                    include_dynamic_bodies: false,
                }),
                snap_to_ground: Some(CharacterLength::Absolute(0.1)),
                ..Default::default()
            },
            shape: SharedShape::capsule_y(HALF_HEIGHT - RADIUS, RADIUS),
            centers: plan
                .starts
                .iter()
                .map(|&[x, y, z]| Vector::new(x, y, z))
                .collect(),
            falling: vec![0.0; plan.starts.len()],
        };
        rapier.settle();
        rapier
    }

    /// One step of the pipeline, so that the broad phase knows the ground.
    fn settle(&mut self) {
        PhysicsPipeline::new().step(
            Vector::ZERO,
            &IntegrationParameters::default(),
            &mut IslandManager::new(),
            &mut self.broad_phase,
            &mut self.narrow_phase,
            &mut self.bodies,
            &mut self.colliders,
            &mut ImpulseJointSet::new(),
            &mut MultibodyJointSet::new(),
            &mut SoftBodySet::new(),
            &mut CCDSolver::new(),
            &(),
            &(),
        );
    }
}

fn insert_triangles(ground: &Ground, colliders: &mut ColliderSet) {
    for chunk in ground.chunks() {
        let quads = ground.quads(chunk);
        if quads.is_empty() {
            continue;
        }
        let vertices = quads
            .iter()
            .flatten()
            .map(|&[x, y, z]| Vector::new(x, y, z))
            .collect();
        let indices = (0..quads.len() as u32).flat_map(|quad| {
            let first = quad * 4;
            [[first, first + 1, first + 2], [first, first + 2, first + 3]]
        });
        let flags = TriMeshFlags::FIX_INTERNAL_EDGES;
        if let Ok(builder) = ColliderBuilder::trimesh_with_flags(vertices, indices.collect(), flags)
        {
            colliders.insert(builder);
        }
    }
}

fn insert_voxels(ground: &Ground, colliders: &mut ColliderSet) {
    let [width, height, depth] = ground.size.map(|length| length as i32);
    let mut cells = Vec::new();
    for z in -1..=depth {
        for y in -1..height {
            for x in -1..=width {
                let exposed = || {
                    [
                        [1, 0, 0],
                        [-1, 0, 0],
                        [0, 1, 0],
                        [0, -1, 0],
                        [0, 0, 1],
                        [0, 0, -1],
                    ]
                    .iter()
                    .any(|d| !ground.is_solid([x + d[0], y + d[1], z + d[2]]))
                };
                if ground.is_solid([x, y, z]) && exposed() {
                    cells.push(IVector::new(x, y, z));
                }
            }
        }
    }
    colliders.insert(ColliderBuilder::voxels(Vector::splat(ground.voxel), &cells));
}

impl Walkers for Rapier {
    fn body(&self) -> Body {
        Body::Capsule
    }

    fn tick(&mut self, wishes: &[[f32; 2]]) {
        let queries = self.broad_phase.as_query_pipeline(
            self.narrow_phase.query_dispatcher(),
            &self.bodies,
            &self.colliders,
            QueryFilter::default(),
        );
        for (index, wish) in wishes.iter().enumerate() {
            self.falling[index] -= GRAVITY * TICK;
            let wanted = Vector::new(wish[0], self.falling[index], wish[1]) * TICK;
            let pose = Pose::from_translation(self.centers[index]);
            let movement =
                self.controller
                    .move_shape(TICK, &queries, &*self.shape, &pose, wanted, |_| {});
            self.centers[index] += movement.translation;
            if movement.grounded {
                self.falling[index] = 0.0;
            }
        }
    }

    fn center(&self, index: usize) -> [f32; 3] {
        self.centers[index].into()
    }
}
