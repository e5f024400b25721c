//! parry's `cast_shapes` of a capsule against one triangle mesh per chunk, with our slide around
//! it.

use crate::controller::{Blocked, Slid, Sweeps, Vector, slide_by_casts, walk};
use crate::mesh::Mesh;
use crate::peer::{Faller, HALF_SEGMENT, Peer, RADIUS, Start};
use parry3d::bounding_volume::{Aabb, BoundingVolume};
use parry3d::math::{Pose, Vector as ParryVector};
use parry3d::partitioning::{Bvh, BvhBuildStrategy};
use parry3d::query::{ShapeCastOptions, cast_shapes};
use parry3d::shape::{Capsule, Shape, TriMesh, TriMeshFlags};

pub const NAME: &str = "parry, cast_shapes";
const SKIN: f32 = 0.01;

pub struct Parry {
    meshes: Vec<Option<TriMesh>>,
    boxes: Bvh,
    capsule: Capsule,
    fallers: Vec<Faller>,
}

impl Parry {
    pub fn new(meshes: impl Iterator<Item = Mesh>) -> Self {
        let meshes: Vec<_> = meshes.map(|mesh| convert(&mesh)).collect();
        let leaves = meshes
            .iter()
            .enumerate()
            .filter_map(|(slot, mesh)| Some((slot, mesh.as_ref()?.local_aabb())));
        Self {
            boxes: Bvh::from_iter(BvhBuildStrategy::Binned, leaves),
            meshes,
            capsule: Capsule::new_y(HALF_SEGMENT, RADIUS),
            fallers: Vec::new(),
        }
    }
}

fn convert(mesh: &Mesh) -> Option<TriMesh> {
    let points = mesh.points.iter().map(|&point| ParryVector::from(point));
    let flags = TriMeshFlags::FIX_INTERNAL_EDGES;
    TriMesh::with_flags(points.collect(), mesh.triangles.clone(), flags).ok()
}

impl Sweeps for Parry {
    fn cast(&self, center: Vector, motion: Vector) -> Option<Blocked> {
        let pose = Pose::from_translation(ParryVector::from(<[f32; 3]>::from(center)));
        let velocity = ParryVector::from(<[f32; 3]>::from(motion));
        let here = self.capsule.compute_aabb(&pose).loosened(SKIN);
        let swept = here.merged(&Aabb::new(here.mins + velocity, here.maxs + velocity));
        let options = ShapeCastOptions {
            max_time_of_impact: 1.0,
            target_distance: SKIN,
            stop_at_penetration: false,
            compute_impact_geometry_on_penetration: true,
        };
        let mut first: Option<Blocked> = None;
        for slot in self.boxes.intersect_aabb(&swept) {
            let Some(mesh) = &self.meshes[slot as usize] else {
                continue;
            };
            let still = (&Pose::IDENTITY, ParryVector::ZERO);
            let hit = cast_shapes(
                &pose,
                velocity,
                &self.capsule,
                still.0,
                still.1,
                mesh,
                options,
            );
            if let Ok(Some(hit)) = hit
                && first.is_none_or(|first| hit.time_of_impact < first.fraction)
            {
                let normal = Vector::from(<[f32; 3]>::from(-hit.normal1));
                first = Some(Blocked {
                    fraction: hit.time_of_impact,
                    normal,
                });
            }
        }
        first
    }

    fn slide(&self, center: Vector, motion: Vector) -> Slid {
        slide_by_casts(center, motion, |center, motion| self.cast(center, motion))
    }
}

impl Peer for Parry {
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
        self.meshes[slot] = convert(mesh);
        match &self.meshes[slot] {
            Some(mesh) => self.boxes.insert(mesh.local_aabb(), slot as u32),
            None => self.boxes.remove(slot as u32),
        }
    }
}
