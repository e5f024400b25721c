//! Ray casts against voxels and merged quads: voxel, face and distance.
//!
//! A ray goes from voxel to voxel through faces; at an exact edge or corner it crosses x first,
//! then y, then z. Each crossing is computed from the start of the ray, never summed up, so that
//! quads and voxels agree to the last bit at any distance.

use std::cell::RefCell;

use crate::chunk::row_of;
use crate::kd_tree::{CellBox, RayBuffer};
use crate::material::Material;
use crate::object::{ObjectId, VoxelObject};
use crate::space::{BrickId, Found, Owner, chunk_of, place_in_chunk};
use crate::surface::Face;
use crate::world::World;
use collision::Position;
use nalgebra::Vector3;

/// A ray. The direction need not be a unit vector; one that is zero or not finite hits nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Start point.
    pub origin: Position,
    /// Direction.
    pub direction: Vector3<f32>,
}

/// The first hit of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pick {
    /// The free object that was hit; `None` for terrain.
    pub object: Option<ObjectId>,
    /// The terrain cell, or the voxel of the object.
    pub voxel: Vector3<i32>,
    /// The face that the ray enters through; `None` if the ray starts inside the voxel.
    pub face: Option<Face>,
    /// Distance from the origin, in metres.
    pub distance: f64,
    /// Material of the voxel.
    pub material: Material,
}

/// Longest reach of a ray, in metres; longer ones are cut. Beyond, the steps from cell to cell
/// would be inexact.
pub const LONGEST_RAY: f64 = 16_384.0;

thread_local! {
    /// Reused, so that ray casts allocate nothing.
    static BUFFER: RefCell<RayBuffer> = RefCell::default();
}

/// Largest distance between a ray and its start, in voxels.
const MOST_VOXELS: f64 = 1e6;

/// A ray in units of voxels, relative to the corner of a voxel near its start.
#[derive(Clone, Copy, Debug)]
struct Walk {
    start: Vector3<f64>,
    direction: Vector3<f64>,
}

/// A voxel on the way, with the distance and axis at which the ray enters it.
#[derive(Clone, Copy, Debug)]
struct Step {
    voxel: Vector3<i32>,
    distance: f64,
    axis: Option<usize>,
}

impl Walk {
    /// Returns the distance at which the ray crosses plane `at` of an axis along which it moves.
    #[inline]
    fn crossing(&self, axis: usize, at: i32) -> f64 {
        (f64::from(at) - self.start[axis]) / self.direction[axis]
    }

    /// Returns true if the plane lies ahead. A ray that starts on a plane is in the voxel above it,
    /// and crosses the plane only when going down.
    #[inline]
    fn crosses(&self, axis: usize, at: i32) -> bool {
        let first = self.start[axis].floor();
        if self.direction[axis] > 0.0 {
            f64::from(at) > first
        } else {
            f64::from(at) <= first
        }
    }

    /// Returns the distance at which the ray leaves voxel `at` along an axis.
    #[inline]
    fn leaving(&self, axis: usize, at: i32) -> f64 {
        if self.direction[axis] > 0.0 {
            (f64::from(at) + 1.0 - self.start[axis]) / self.direction[axis]
        } else if self.direction[axis] < 0.0 {
            self.crossing(axis, at)
        } else {
            f64::INFINITY
        }
    }

    /// Returns the ray's voxel coordinate along `axis` just after it crossed a plane of axis
    /// `crossed` at `distance`. Simultaneous crossings of lower axes come first.
    fn voxel_along(&self, axis: usize, crossed: usize, distance: f64) -> i32 {
        let step = self.step(axis);
        let first = self.start[axis].floor() as i32;
        if step == 0 {
            return first;
        }
        let has_left = |voxel: i32| {
            let leaving = self.leaving(axis, voxel);
            if axis < crossed {
                leaving <= distance
            } else {
                leaving < distance
            }
        };
        // The rounded estimate is off by at most one, and nothing lies behind the start.
        let leap = (self.start[axis] + distance * self.direction[axis]).floor() as i32;
        let leap = leap.saturating_sub(2 * step);
        let mut voxel = if step > 0 {
            leap.max(first)
        } else {
            leap.min(first)
        };
        while has_left(voxel) {
            voxel += step;
        }
        voxel
    }

    #[inline]
    fn step(&self, axis: usize) -> i32 {
        i32::from(self.direction[axis] > 0.0) - i32::from(self.direction[axis] < 0.0)
    }

    /// Returns the face through which the ray enters voxels along an axis.
    fn face(&self, axis: usize) -> Face {
        Face::new(axis, -self.step(axis))
    }

    fn begin(&self) -> Step {
        Step {
            voxel: self.start.map(|c| c.floor() as i32),
            distance: 0.0,
            axis: None,
        }
    }

    /// Steps out of the box of voxels (both corners inside) that contains the step.
    #[inline]
    fn leave(&self, step: &Step, low: Vector3<i32>, high: Vector3<i32>) -> Option<Step> {
        let mut axis = 3;
        let mut distance = f64::INFINITY;
        for candidate in 0..3 {
            let last = if self.direction[candidate] > 0.0 {
                high[candidate]
            } else {
                low[candidate]
            };
            let leaving = self.leaving(candidate, last);
            if leaving < distance {
                (axis, distance) = (candidate, leaving);
            }
        }
        if axis == 3 {
            return None;
        }
        let voxel = if low == high {
            step.voxel
        } else {
            Vector3::from_fn(|other, _| self.voxel_along(other, axis, distance))
        };
        let mut next = Step {
            voxel,
            distance: distance.max(step.distance) + 0.0,
            axis: Some(axis),
        };
        let last = if self.direction[axis] > 0.0 {
            high[axis]
        } else {
            low[axis]
        };
        next.voxel[axis] = last + self.step(axis);
        Some(next)
    }

    /// Steps into a box of voxels, from outside or at the start of the ray.
    fn enter(&self, low: Vector3<i32>, high: Vector3<i32>) -> Option<Step> {
        let inside = |voxel: &Vector3<i32>| {
            (0..3).all(|axis| (low[axis]..=high[axis]).contains(&voxel[axis]))
        };
        let begin = self.begin();
        if inside(&begin.voxel) {
            return Some(begin);
        }
        let mut entry: Option<(usize, f64)> = None;
        for axis in 0..3 {
            let plane = match self.step(axis) {
                1 => low[axis],
                -1 => high[axis] + 1,
                _ => continue,
            };
            let distance = self.crossing(axis, plane);
            if self.crosses(axis, plane) && entry.is_none_or(|(_, latest)| distance >= latest) {
                entry = Some((axis, distance));
            }
        }
        let (axis, distance) = entry.filter(|(_, distance)| *distance < MOST_VOXELS)?;
        let mut voxel = Vector3::from_fn(|other, _| self.voxel_along(other, axis, distance));
        voxel[axis] = if self.step(axis) > 0 {
            low[axis]
        } else {
            high[axis]
        };
        inside(&voxel).then_some(Step {
            voxel,
            distance,
            axis: Some(axis),
        })
    }
}

/// A checked ray: unit direction in `f64`, and reach in metres.
struct Cast {
    origin: Position,
    direction: Vector3<f64>,
    reach: f64,
}

impl Cast {
    fn new(ray: &Ray, reach: f32) -> Option<Self> {
        let direction = ray.direction.map(f64::from);
        let length = direction.norm();
        let origin = Position::new(ray.origin.cell, ray.origin.offset);
        let is_place = origin.offset.iter().all(|part| (0.0..1.0).contains(part));
        let sound = is_place && length.is_finite() && length > 0.0 && reach >= 0.0;
        sound.then(|| Self {
            origin,
            direction: direction / length,
            reach: f64::from(reach).min(LONGEST_RAY),
        })
    }

    fn terrain_walk(&self) -> Walk {
        Walk {
            start: self.origin.offset.map(f64::from),
            direction: self.direction,
        }
    }

    /// Returns the ray in voxels of an object; `None` if the object is out of any ray's reach.
    fn object_walk(&self, object: &VoxelObject) -> Option<Walk> {
        let cells = self
            .origin
            .cell
            .zip_map(&object.origin.cell, i32::wrapping_sub);
        let offset = self.origin.offset.map(f64::from) - object.origin.offset.map(f64::from);
        let start = (cells.map(f64::from) + offset) / f64::from(object.voxel_size);
        let direction = self.direction;
        let near = start.iter().all(|part| part.abs() < MOST_VOXELS);
        near.then_some(Walk { start, direction })
    }
}

impl World {
    /// Returns the first voxel of terrain or free objects within `reach` metres that is neither air
    /// nor liquid. Solid voxels are hit on their merged quads; chunks and objects are visited in
    /// the order of the tree.
    pub fn cast_ray(&self, ray: &Ray, reach: f32) -> Option<Pick> {
        let cast = Cast::new(ray, reach)?;
        let table = &self.materials;
        let pass = |material| material != Material::AIR && !table.is_liquid(material);
        // Quads do not exist inside of solid voxels.
        if let Some(around) = self.cast_ray_where(ray, 0.0, pass)
            && around.face.is_none()
        {
            return Some(around);
        }
        let no_surface = |material| pass(material) && !table.is_solid(material);
        self.visit_along(&cast, cast.reach, None, |found, reach| match found {
            Found::Terrain(brick) => {
                let low = self.place_of(brick).map(|place| place << 5);
                let walk = cast.terrain_walk();
                let low = low.zip_map(&cast.origin.cell, i32::wrapping_sub);
                let pick = self.cast_at_brick(&walk, brick, low, reach, &no_surface)?;
                let voxel = pick.voxel.zip_map(&cast.origin.cell, i32::wrapping_add);
                Some(Pick { voxel, ..pick })
            }
            Found::Object(id) => {
                let object = self.object(id)?;
                let walk = cast.object_walk(object)?;
                let size = f64::from(object.voxel_size);
                let high = object.extent.map(|voxels| voxels as i32 - 1);
                let mut step = walk.enter(Vector3::zeros(), high)?;
                while step.distance * size <= reach {
                    let brick = object.brick_at(chunk_of(step.voxel))?;
                    let low = step.voxel.map(|c| c & !31);
                    let found = self.cast_at_brick(&walk, brick, low, reach / size, &no_surface);
                    if let Some(pick) = found {
                        return Some(Pick {
                            object: Some(id),
                            distance: pick.distance * size,
                            ..pick
                        });
                    }
                    step = walk.leave(&step, low, low.add_scalar(31))?;
                }
                None
            }
        })
    }

    /// Returns the first voxel of terrain or free objects within `reach` metres whose material
    /// passes, going from voxel to voxel. Chunks that are not loaded count as empty.
    pub fn cast_ray_where(
        &self,
        ray: &Ray,
        reach: f32,
        pass: impl Fn(Material) -> bool,
    ) -> Option<Pick> {
        let cast = Cast::new(ray, reach)?;
        let terrain = self.cast_at_terrain(&cast, &pass);
        let reach = terrain.map_or(cast.reach, |pick| pick.distance);
        if self.objects.is_empty() {
            return terrain;
        }
        self.visit_along(&cast, reach, terrain, |found, reach| match found {
            Found::Object(id) => self.cast_at_object(&cast, id, reach, &pass),
            Found::Terrain(_) => None,
        })
    }

    fn cast_at_terrain(&self, cast: &Cast, pass: &impl Fn(Material) -> bool) -> Option<Pick> {
        let walk = cast.terrain_walk();
        let mut step = walk.begin();
        while step.distance <= cast.reach {
            let cell = step.voxel.zip_map(&cast.origin.cell, i32::wrapping_add);
            let low = step.voxel - cell.map(|c| c & 31);
            let brick = self.brick_at(chunk_of(cell));
            let found = brick.and_then(|brick| {
                self.cast_in_brick(&walk, brick, low, &mut step, cast.reach, pass)
            });
            if let Some(material) = found {
                return Some(Pick {
                    object: None,
                    voxel: step.voxel.zip_map(&cast.origin.cell, i32::wrapping_add),
                    face: step.axis.map(|axis| walk.face(axis)),
                    distance: step.distance,
                    material,
                });
            }
            if (0..3).all(|axis| (low[axis]..low[axis] + 32).contains(&step.voxel[axis])) {
                step = walk.leave(&step, low, low.add_scalar(31))?;
            }
        }
        None
    }

    /// Walks through a chunk whose lowest voxel is at `low`, until a voxel passes or the ray
    /// leaves.
    fn cast_in_brick(
        &self,
        walk: &Walk,
        brick: BrickId,
        low: Vector3<i32>,
        step: &mut Step,
        reach: f64,
        pass: &impl Fn(Material) -> bool,
    ) -> Option<Material> {
        let voxels = &self.brick(brick).voxels;
        if let Some(material) = voxels.as_uniform() {
            return pass(material).then_some(material);
        }
        while step.distance <= reach {
            let place = step.voxel - low;
            if place.iter().any(|&c| !(0..32).contains(&c)) {
                return None;
            }
            let material = voxels.at(row_of(place.y as usize, place.z as usize), place.x as usize);
            if pass(material) {
                return Some(material);
            }
            *step = walk.leave(step, step.voxel, step.voxel)?;
        }
        None
    }

    fn cast_at_object(
        &self,
        cast: &Cast,
        id: ObjectId,
        reach: f64,
        pass: &impl Fn(Material) -> bool,
    ) -> Option<Pick> {
        let object = self.object(id)?;
        let walk = cast.object_walk(object)?;
        let size = f64::from(object.voxel_size);
        let high = object.extent.map(|voxels| voxels as i32 - 1);
        let mut step = walk.enter(Vector3::zeros(), high)?;
        while step.distance * size <= reach {
            let brick = object.brick_at(chunk_of(step.voxel))?;
            let low = step.voxel.map(|c| c & !31);
            if let Some(material) =
                self.cast_in_brick(&walk, brick, low, &mut step, reach / size, pass)
            {
                return Some(Pick {
                    object: Some(id),
                    voxel: step.voxel,
                    face: step.axis.map(|axis| walk.face(axis)),
                    distance: step.distance * size,
                    material,
                });
            }
            if (0..3).all(|axis| (low[axis]..low[axis] + 32).contains(&step.voxel[axis])) {
                step = walk.leave(&step, low, low.add_scalar(31))?;
            }
        }
        None
    }

    /// Calls `pick` for the boxes along the ray, nearest first, as long as they are nearer than the
    /// best hit.
    fn visit_along(
        &self,
        cast: &Cast,
        reach: f64,
        mut best: Option<Pick>,
        mut pick: impl FnMut(Found, f64) -> Option<Pick>,
    ) -> Option<Pick> {
        let start = cast.origin.offset.map(f64::from);
        // A cast made from within a callback gets a buffer of its own.
        let mut buffer = BUFFER.take();
        self.index.visit_ray(
            cast.origin.cell,
            start,
            cast.direction,
            reach,
            &mut buffer,
            |key, _| {
                let limit = best.map_or(reach, |pick| pick.distance);
                let nearer = pick(Found::from_key(key), limit);
                if nearer.is_some_and(|pick| best.is_none_or(|best| pick.distance < best.distance))
                {
                    best = nearer;
                }
                best.map_or(reach, |pick| pick.distance)
            },
        );
        BUFFER.set(buffer);
        best
    }

    /// Returns the first hit in a chunk: a quad, or a voxel that has no surface and passes. Chunks
    /// have no quads towards missing neighbours; a ray from there hits the first voxel if it is
    /// solid.
    fn cast_at_brick(
        &self,
        walk: &Walk,
        brick: BrickId,
        low: Vector3<i32>,
        reach: f64,
        no_surface: &impl Fn(Material) -> bool,
    ) -> Option<Pick> {
        let mut step = walk.enter(low, low.add_scalar(31))?;
        let voxels = &self.brick(brick).voxels;
        let pick = |step: &Step, material| Pick {
            object: None,
            voxel: step.voxel,
            face: step.axis.map(|axis| walk.face(axis)),
            distance: step.distance,
            material,
        };
        if step.distance <= reach
            && let Some(axis) = step.axis
            && self.owner(brick) == Owner::Terrain
        {
            let mut from = self.place_of(brick);
            from[axis] = from[axis].wrapping_sub(walk.step(axis)) << 5 >> 5;
            let place = place_in_chunk(step.voxel - low);
            let material = self.brick(brick).material(place.x, place.y, place.z);
            if self.materials.is_solid(material) && self.brick_at(from).is_none() {
                return Some(pick(&step, material));
            }
        }
        let at_quads = self.cast_at_quads(walk, brick, low, reach);
        if !voxels.may_hold(no_surface) {
            return at_quads;
        }
        let reach = at_quads.map_or(reach, |pick| pick.distance);
        match self.cast_in_brick(walk, brick, low, &mut step, reach, no_surface) {
            Some(material) => Some(pick(&step, material)),
            None => at_quads,
        }
    }

    /// Returns the hit on the nearest quad of a chunk's collision surface that faces the ray.
    fn cast_at_quads(
        &self,
        walk: &Walk,
        brick: BrickId,
        low: Vector3<i32>,
        reach: f64,
    ) -> Option<Pick> {
        let brick = self.brick(brick);
        let mut best: Option<Pick> = None;
        for axis in (0..3).filter(|&axis| walk.step(axis) != 0) {
            let face = walk.face(axis);
            for layer in 0..32 {
                let quads = brick.collision.plane(face, layer as usize);
                if quads.is_empty() {
                    continue;
                }
                let plane = low[axis] + layer + i32::from(face.sign() > 0);
                let distance = walk.crossing(axis, plane) + 0.0;
                if !walk.crosses(axis, plane)
                    || distance > reach
                    || best.is_some_and(|best| best.distance <= distance)
                {
                    continue;
                }
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let mut voxel = Vector3::zeros();
                voxel[axis] = low[axis] + layer;
                voxel[u] = walk.voxel_along(u, axis, distance);
                voxel[v] = walk.voxel_along(v, axis, distance);
                let (s, t) = (voxel[u] - low[u], voxel[v] - low[v]);
                let covers =
                    |at: i32, from: u32, size: u32| at >= from as i32 && at < (from + size) as i32;
                if quads.iter().any(|quad| {
                    covers(s, quad.u(), quad.width()) && covers(t, quad.v(), quad.height())
                }) {
                    let place = place_in_chunk(voxel - low);
                    let material = brick.material(place.x, place.y, place.z);
                    best = Some(Pick {
                        object: None,
                        voxel,
                        face: Some(face),
                        distance,
                        material,
                    });
                }
            }
        }
        best
    }

    /// Returns the box of cells that a found chunk or object occupies.
    pub fn bounds_of(&self, found: Found) -> Option<CellBox> {
        if let Found::Terrain(id) = found
            && self.owner(id) != Owner::Terrain
        {
            return None;
        }
        self.index.bounds(found.key())
    }
}
