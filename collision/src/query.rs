//! Questions about characters and terrain: rays, overlaps, sweeps, one or many.

use crate::crowd::columns::extent;
use crate::crowd::separation::separate;
use crate::crowd::{CharacterId, Crowd};
use crate::mover::Body;
use crate::position::Position;
use nalgebra::Vector3;
use rayon::prelude::*;

/// The first character a ray meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CharacterHit {
    /// Who.
    pub character: CharacterId,
    /// Share of the motion up to the hit, 0 to 1.
    pub time: f32,
    /// Unit normal of the surface there.
    pub normal: Vector3<f32>,
}

/// A ray, or the way of something that moves straight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Where it begins.
    pub start: Position,
    /// How far it goes, in metres.
    pub way: Vector3<f32>,
}

/// Where a ray first meets an ellipsoid from outside; starting inside counts as a miss.
#[must_use]
pub fn cast_ray_ellipsoid(ray: &Motion, body: &Body) -> Option<(f32, Vector3<f32>)> {
    let squash = |vector: Vector3<f32>| {
        let rise = body.up * vector.dot(&body.up);
        (vector - rise) / body.radii.across + rise / body.radii.along
    };
    let start = squash(ray.start.since(&body.position));
    let way = squash(ray.way);
    let (speed, approach) = (way.norm_squared(), start.dot(&way));
    if start.norm_squared() < 1.0 || approach >= 0.0 || speed == 0.0 {
        return None;
    }
    // The distance of the line from the centre, taken from the nearest point: no cancellation however far the start.
    let nearest = start - way * (approach / speed);
    let room = 1.0 - nearest.norm_squared();
    if room < 0.0 {
        return None;
    }
    let time = -approach / speed - (room / speed).sqrt();
    if time > 1.0 {
        return None;
    }
    let normal = squash(start + way * time.max(0.0));
    Some((time.max(0.0), normal.normalize()))
}

impl Crowd {
    /// The first character a ray meets, those in `layers` only. A ray that starts inside somebody passes through them.
    #[must_use]
    pub fn cast_ray(&self, ray: &Motion, layers: u16) -> Option<CharacterHit> {
        if !ray.way.iter().all(|part| part.is_finite()) {
            return None;
        }
        let center = ray.start.moved(ray.way * 0.5);
        let extent = ray.way.abs() * 0.5;
        let mut first: Option<CharacterHit> = None;
        self.neighbourhood()
            .visit_box(&center, extent, |row, other, _| {
                if other.layers & layers == 0 {
                    return;
                }
                let Some((time, normal)) = cast_ray_ellipsoid(ray, &other.body()) else {
                    return;
                };
                let character = self.name_of(row);
                let sooner = |hit: CharacterHit| (time, character) < (hit.time, hit.character);
                if first.is_none_or(sooner) {
                    first = Some(CharacterHit {
                        character,
                        time,
                        normal,
                    });
                }
            });
        first
    }

    /// The same for many rays, on all threads; answers lie as the rays do.
    pub fn cast_rays(&self, rays: &[Motion], layers: u16, hits: &mut Vec<Option<CharacterHit>>) {
        let cast = |ray: &Motion| self.cast_ray(ray, layers);
        rays.par_iter()
            .with_min_len(RAYS_PER_JOB)
            .map(cast)
            .collect_into_vec(hits);
    }

    /// Everybody in `layers` whose ellipsoid overlaps `body`, in the order of handles, into a list that is cleared first.
    pub fn overlap(&self, body: &Body, layers: u16, found: &mut Vec<CharacterId>) {
        found.clear();
        let extent = extent(body.radii, body.up);
        self.neighbourhood()
            .visit_box(&body.position, extent, |row, other, _| {
                if other.layers & layers != 0 && separate(body, &other.body()).distance < 0.0 {
                    found.push(self.name_of(row));
                }
            });
        found.sort_unstable();
    }

    /// Everybody in `layers` whose box meets a box of half extents `extent` metres about `center`, in the order of handles.
    pub fn overlap_box(
        &self,
        center: &Position,
        extent: Vector3<f32>,
        layers: u16,
        found: &mut Vec<CharacterId>,
    ) {
        found.clear();
        self.neighbourhood()
            .visit_box(center, extent, |row, other, _| {
                if other.layers & layers != 0 {
                    found.push(self.name_of(row));
                }
            });
        found.sort_unstable();
    }

    fn name_of(&self, row: usize) -> CharacterId {
        self.handles.name(self.columns.slots[row])
    }
}

/// Rays that one job casts at least.
const RAYS_PER_JOB: usize = 64;
