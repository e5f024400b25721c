//! Rapier's kinematic character controller with a capsule, on one triangle mesh per chunk or on its
//! voxel shape.

use crate::ground::Ground;
use crate::mesh::Mesh;
use crate::peer::{Faller, HALF_SEGMENT, Peer, RADIUS, Rules, Start};
use rapier3d::control::{CharacterAutostep, CharacterLength, KinematicCharacterController};
use rapier3d::prelude::*;

pub const ON_TRIANGLES: &str = "rapier, triangles";
pub const ON_VOXELS: &str = "rapier, voxels";

/// The terrain of the characters.
enum Surface {
    /// One collider per slot.
    Triangles(Vec<Option<ColliderHandle>>),
    Voxels(ColliderHandle),
}

pub struct Rapier {
    surface: Surface,
    bodies: RigidBodySet,
    soft: SoftBodySet,
    colliders: ColliderSet,
    broad_phase: BroadPhaseBvh,
    narrow_phase: NarrowPhase,
    islands: IslandManager,
    pipeline: CollisionPipeline,
    shape: SharedShape,
    fallers: Vec<Faller>,
    controllers: Vec<KinematicCharacterController>,
}

impl Rapier {
    pub fn on_triangles(meshes: impl Iterator<Item = Mesh>) -> Self {
        let mut colliders = ColliderSet::new();
        let handles = meshes
            .map(|mesh| Some(colliders.insert(convert(&mesh)?)))
            .collect();
        Self::on(Surface::Triangles(handles), colliders)
    }

    pub fn on_voxels(ground: &Ground) -> Self {
        let mut colliders = ColliderSet::new();
        let cells: Vec<IVector> = shell(ground)
            .map(|[x, y, z]| IVector::new(x, y, z))
            .collect();
        let shape = ColliderBuilder::voxels(Vector::splat(ground.voxel), &cells);
        let handle = colliders.insert(shape);
        Self::on(Surface::Voxels(handle), colliders)
    }

    fn on(surface: Surface, colliders: ColliderSet) -> Self {
        let mut rapier = Self {
            surface,
            bodies: RigidBodySet::new(),
            soft: SoftBodySet::new(),
            colliders,
            broad_phase: BroadPhaseBvh::new(),
            narrow_phase: NarrowPhase::new(),
            islands: IslandManager::new(),
            pipeline: CollisionPipeline::new(),
            shape: SharedShape::capsule_y(HALF_SEGMENT, RADIUS),
            fallers: Vec::new(),
            controllers: Vec::new(),
        };
        rapier.settle();
        rapier
    }

    /// Updates the broad phase after changes.
    fn settle(&mut self) {
        self.pipeline.step(
            0.1,
            &mut self.islands,
            &mut self.broad_phase,
            &mut self.narrow_phase,
            &mut self.bodies,
            &mut self.colliders,
            &(),
            &(),
        );
    }
}

fn controller(rules: Rules) -> KinematicCharacterController {
    KinematicCharacterController {
        offset: CharacterLength::Absolute(0.01),
        autostep: (rules.step > 0.0).then_some(CharacterAutostep {
            max_height: CharacterLength::Absolute(rules.step),
            min_width: CharacterLength::Absolute(0.1),
            include_dynamic_bodies: false,
        }),
        max_slope_climb_angle: rules.steepest(),
        min_slope_slide_angle: rules.steepest(),
        snap_to_ground: Some(CharacterLength::Absolute(rules.snap)),
        ..Default::default()
    }
}

fn convert(mesh: &Mesh) -> Option<ColliderBuilder> {
    if mesh.is_empty() {
        return None;
    }
    let points = mesh.points.iter().map(|&point| Vector::from(point));
    let flags = TriMeshFlags::FIX_INTERNAL_EDGES;
    ColliderBuilder::trimesh_with_flags(points.collect(), mesh.triangles.clone(), flags).ok()
}

/// Returns the solid voxels that touch a free one, with one layer around the ground.
fn shell(ground: &Ground) -> impl Iterator<Item = [i32; 3]> + '_ {
    let [width, height, depth] = ground.size.map(|length| length as i32);
    let all = (-1..=depth)
        .flat_map(move |z| (-1..height).flat_map(move |y| (-1..=width).map(move |x| [x, y, z])));
    all.filter(|&[x, y, z]| {
        let open = |dx, dy, dz| !ground.is_solid([x + dx, y + dy, z + dz]);
        ground.is_solid([x, y, z])
            && (open(1, 0, 0)
                || open(-1, 0, 0)
                || open(0, 1, 0)
                || open(0, -1, 0)
                || open(0, 0, 1)
                || open(0, 0, -1))
    })
}

impl Peer for Rapier {
    fn name(&self) -> &'static str {
        match self.surface {
            Surface::Triangles(_) => ON_TRIANGLES,
            Surface::Voxels(_) => ON_VOXELS,
        }
    }

    fn place(&mut self, starts: &[Start]) -> bool {
        self.fallers = starts.iter().map(Faller::at).collect();
        self.controllers = starts.iter().map(|start| controller(start.rules)).collect();
        true
    }

    fn tick(&mut self, wishes: &[[f32; 2]], seconds: f32) {
        let queries = self.broad_phase.as_query_pipeline(
            self.narrow_phase.query_dispatcher(),
            &self.bodies,
            &self.colliders,
            QueryFilter::default(),
        );
        let all = self.fallers.iter_mut().zip(&self.controllers);
        for ((faller, controller), &wish) in all.zip(wishes) {
            let wanted = Vector::from(faller.fall(wish, seconds));
            let center = Vector::from(faller.center);
            let pose = Pose::from_translation(center);
            let movement =
                controller.move_shape(seconds, &queries, &*self.shape, &pose, wanted, |_| {});
            let arrived = center + movement.translation;
            faller.arrive(arrived.into(), movement.grounded, seconds);
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
        if let Surface::Triangles(handles) = &mut self.surface {
            if let Some(old) = handles[slot].take() {
                let (islands, bodies) = (&mut self.islands, &mut self.bodies);
                self.colliders
                    .remove(old, islands, bodies, &mut self.soft, false);
            }
            handles[slot] = convert(mesh).map(|collider| self.colliders.insert(collider));
        }
    }

    fn follow_edit(&mut self, ground: &Ground, cell: [i32; 3], meshes: &[(usize, Mesh)]) {
        if let Surface::Voxels(handle) = self.surface {
            let voxels = self
                .colliders
                .get_mut(handle)
                .and_then(|collider| collider.shape_mut().as_voxels_mut());
            if let Some(voxels) = voxels {
                follow(voxels, ground, cell);
            }
        } else {
            for (slot, mesh) in meshes {
                self.replace(*slot, mesh);
            }
        }
        self.settle();
    }
}

/// Fills or clears a voxel. Only the shell is stored, so solid voxels exposed by a cleared one are
/// filled in.
fn follow(voxels: &mut Voxels, ground: &Ground, cell: [i32; 3]) {
    let key = |[x, y, z]: [i32; 3]| IVector::new(x, y, z);
    let solid = ground.is_solid(cell);
    voxels.set_voxel(key(cell), solid);
    for (axis, by) in (0..3).flat_map(|axis| [-1, 1].map(|by| (axis, by))) {
        let mut near = cell;
        near[axis] += by;
        if !solid && ground.is_solid(near) {
            voxels.set_voxel(key(near), true);
        }
    }
}
