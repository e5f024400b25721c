//! Rays and overlaps among characters, looked up in the grid.

use crate::character::validate_position;
use crate::crowd::columns::extent;
use crate::crowd::{CharacterId, Crowd};
use crate::kernels::ellipsoids::separate;
use crate::kernels::enter_ball;
use crate::mover::Body;
use crate::position::{Cell, Position};
use crate::query::Motion;
use crate::query::terrain::is_body;
use nalgebra::Vector3;

/// The first character that a ray hits.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CharacterHit {
    /// The character that was hit.
    pub character: CharacterId,
    /// Share of the motion up to the hit, 0 to 1.
    pub time: f32,
    /// Unit normal of the surface there.
    pub normal: Vector3<f32>,
}

/// Returns the first hit of a ray on an ellipsoid from outside, as the share of its motion and the
/// unit normal. A start inside counts as a miss; so do a motion that is not finite, offsets outside
/// of their cells, a radius below [`SMALLEST_QUERY`](crate::tolerance::SMALLEST_QUERY) and an up
/// axis that is not a unit vector.
#[must_use]
pub fn cast_ray_ellipsoid(ray: &Motion, body: &Body) -> Option<(f32, Vector3<f32>)> {
    let sound = validate_position(&ray.start).is_ok() && is_body(body);
    sound.then(|| cast_ray_body(ray, body)).flatten()
}

/// Casts like [`cast_ray_ellipsoid`], without the checks of start and body.
fn cast_ray_body(ray: &Motion, body: &Body) -> Option<(f32, Vector3<f32>)> {
    let squash = |vector: Vector3<f32>| {
        let rise = body.up * vector.dot(&body.up);
        (vector - rise) / body.radii.across + rise / body.radii.along
    };
    let start = squash(ray.start.since(&body.position));
    // The square of a very long motion overflows.
    let longest = ray.way.amax().max(1.0);
    let way = squash(ray.way / longest);
    let length = way.norm();
    let comes = start.norm_squared() >= 1.0 && length > 0.0;
    if !comes {
        return None;
    }
    let (to, direction) = ((-start).into(), way / length);
    let distance = enter_ball(&to, 1.0, direction.as_ref(), 1.0, length * longest).time()?;
    let normal = squash(start + direction * distance);
    Some((distance / length / longest, normal.normalize()))
}

impl Crowd {
    /// Returns the first character that a ray hits, among those in `layers`. A ray that starts
    /// inside a character passes through it. A motion that is not finite, or a start offset outside
    /// of its cell, hits none.
    #[must_use]
    pub fn cast_ray(&self, ray: &Motion, layers: u16) -> Option<CharacterHit> {
        let sound = validate_position(&ray.start).is_ok();
        if !sound || !ray.way.iter().all(|part| part.is_finite()) {
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
                let Some((time, normal)) = cast_ray_body(ray, &other.body()) else {
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

    /// Lists the characters in `layers` whose ellipsoids overlap `body`, ordered by handle, in
    /// `found`, which is cleared first.
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

    /// Lists the characters in `layers` whose boxes meet a box of half extents `extent` metres
    /// about `center`, ordered by handle, in `found`, which is cleared first.
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

    /// Calls `visit` for every sector of the grid that has a table now: its lowest cell, its sides
    /// in metres, and the number of characters in it.
    pub fn visit_sectors(&self, visit: impl FnMut(Cell, Vector3<i32>, u32)) {
        self.neighbourhood().visit_sectors(visit);
    }

    pub(crate) fn name_of(&self, row: usize) -> CharacterId {
        self.handles.name(self.columns.slots[row])
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::tolerance::SMALLEST_QUERY;
    use crate::{Character, Mode, Radii};
    use nalgebra::Point3;

    fn at(x: f64, y: f64, z: f64) -> Position {
        Position::from_metres(Point3::new(x, y, z))
    }

    fn row_of_ten() -> (Crowd, Vec<CharacterId>) {
        let mut crowd = Crowd::new();
        let ids = (0..10)
            .map(|i| crowd.add(Character::at(at(f64::from(i) * 3.0, 1.0, 0.0))))
            .collect();
        (crowd, ids)
    }

    #[test]
    fn ray_meets_the_nearest_first() {
        let (crowd, ids) = row_of_ten();
        let mut ray = Motion {
            start: at(-5.0, 1.0, 0.0),
            way: Vector3::new(100.0, 0.0, 0.0),
        };
        let hit = crowd.cast_ray(&ray, u16::MAX).unwrap();
        assert_eq!(hit.character, ids[0]);
        assert!((hit.time - 0.046).abs() < 1e-5);
        assert_eq!(hit.normal, -Vector3::x());
        ray.start = at(0.0, 1.0, 0.0);
        assert_eq!(crowd.cast_ray(&ray, u16::MAX).unwrap().character, ids[1]);
        assert_eq!(crowd.cast_ray(&ray, 2), None);
        ray.way = Vector3::new(f32::NAN, 0.0, 0.0);
        assert_eq!(crowd.cast_ray(&ray, u16::MAX), None);
    }

    #[test]
    fn grazing_rays_meet_inside_and_miss_outside() {
        let body = Body {
            position: at(0.0, 0.0, 0.0),
            radii: Radii::new(0.4, 0.9),
            up: Vector3::y(),
        };
        for (z, hits) in [(0.399, true), (0.401, false)] {
            let ray = Motion {
                start: at(-1000.0, 0.0, z),
                way: Vector3::new(2000.0, 0.0, 0.0),
            };
            assert_eq!(cast_ray_ellipsoid(&ray, &body).is_some(), hits, "{z}");
        }
    }

    #[test]
    fn overlaps_are_those_in_reach() {
        let (mut crowd, ids) = row_of_ten();
        let body = Body {
            position: at(4.5, 1.0, 0.0),
            radii: Radii::new(1.2, 1.2),
            up: Vector3::y(),
        };
        let mut found = Vec::new();
        crowd.overlap(&body, u16::MAX, &mut found);
        assert_eq!(found, [ids[1], ids[2]]);
        crowd.remove(ids[1]);
        crowd.overlap(&body, u16::MAX, &mut found);
        assert_eq!(found, [ids[2]]);
        crowd.overlap_box(
            &at(0.0, 1.0, 0.0),
            Vector3::repeat(7.0),
            u16::MAX,
            &mut found,
        );
        assert_eq!(found, [ids[0], ids[2]]);
        let ghost = crowd.add(Character::at(at(0.0, 1.0, 5.0)).with_mode(Mode::NoClip));
        crowd.overlap_box(
            &at(0.0, 1.0, 5.0),
            Vector3::repeat(1.0),
            u16::MAX,
            &mut found,
        );
        assert!(!found.contains(&ghost), "a ghost is not listed");
    }

    #[test]
    fn endless_ray_hits_and_a_nan_ray_does_not() {
        let body = Body {
            position: at(0.0, 3.0, 0.0),
            radii: Radii::new(0.4, 0.9),
            up: Vector3::y(),
        };
        let ray = |way| Motion {
            start: at(-5.0, 3.0, 0.0),
            way,
        };
        for length in [10.0, 1e20, f32::MAX] {
            let hit = cast_ray_ellipsoid(&ray(Vector3::new(length, 0.0, 0.0)), &body);
            let (time, normal) = hit.unwrap();
            assert!((time * length - 4.6).abs() < 1e-4, "{length}");
            assert!((normal + Vector3::x()).norm() < 1e-5);
        }
        let nan = ray(Vector3::repeat(f32::NAN));
        assert_eq!(cast_ray_ellipsoid(&nan, &body), None);
    }

    #[test]
    fn ray_at_an_invalid_body_or_from_an_invalid_start_hits_nothing() {
        let (crowd, _) = row_of_ten();
        let body = |radii| Body {
            position: at(0.0, 1.0, 0.0),
            radii,
            up: Vector3::y(),
        };
        let sound = body(Radii::new(0.4, 0.9));
        let ray = |offset: Vector3<f32>, way: Vector3<f32>| Motion {
            start: Position {
                cell: Cell::new(-5, 1, 0),
                offset,
            },
            way,
        };
        let ways = [
            Vector3::x() * 10.0,
            Vector3::x(),
            Vector3::new(9.0, 0.1, 0.1),
        ];
        for way in ways {
            let from = ray(Vector3::zeros(), way);
            for radius in [0.0, -1.0, f32::NAN, 1e-30, 0.5 * SMALLEST_QUERY] {
                for radii in [Radii::new(radius, 0.9), Radii::new(0.4, radius)] {
                    assert_eq!(cast_ray_ellipsoid(&from, &body(radii)), None, "{radii:?}");
                }
            }
            for far in [3e38, -3e38, 1.0, -0.5, f32::NAN, f32::INFINITY] {
                for axis in 0..3 {
                    let mut offset = Vector3::zeros();
                    offset[axis] = far;
                    let nowhere = ray(offset, way);
                    assert_eq!(cast_ray_ellipsoid(&nowhere, &sound), None, "{far}");
                    assert_eq!(crowd.cast_ray(&nowhere, u16::MAX), None, "{far}");
                    let lost = Body {
                        position: nowhere.start,
                        ..sound
                    };
                    assert_eq!(cast_ray_ellipsoid(&from, &lost), None, "{far}");
                }
            }
            for up in [
                Vector3::zeros(),
                Vector3::repeat(f32::NAN),
                Vector3::y() * 2.0,
            ] {
                assert_eq!(cast_ray_ellipsoid(&from, &Body { up, ..sound }), None);
            }
        }
        let thin = body(Radii::new(SMALLEST_QUERY, 0.9));
        let hit = cast_ray_ellipsoid(&ray(Vector3::zeros(), ways[0]), &thin);
        assert_eq!(hit.map(|(_, normal)| normal), Some(-Vector3::x()));
    }
}
