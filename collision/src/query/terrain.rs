//! Straight sweeps through terrain, without sliding.

use crate::character::{validate_position, validate_up};
use crate::mover::{Around, Body, Feature, MoverConfig, Probe, Radii, Scratch};
use crate::position::Position;
use crate::query::Motion;
use crate::terrain::{Memory, ObjectId, Terrain};
use crate::tolerance::{LARGEST_QUERY, MAX_QUERY, MAX_REACH, RAY_RADIUS, SMALLEST_QUERY};
use nalgebra::Vector3;

/// The first contact of a sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepHit {
    /// Share of the motion up to the hit, 0 to 1.
    pub time: f32,
    /// The centre of the body at the hit.
    pub center: Position,
    /// The point of contact.
    pub point: Position,
    /// Unit normal of the contact, towards the body.
    pub normal: Vector3<f32>,
    /// The kind of feature that was hit.
    pub feature: Feature,
    /// The object that was hit.
    pub object: ObjectId,
}

/// Returns the first contact with terrain of an ellipsoid that moves straight by `motion` metres.
/// It may leave solids that it overlaps at the start. A motion that is not finite hits nothing; one
/// beyond [`MAX_QUERY`] is cut. A body hits nothing whose radius is outside of [`SMALLEST_QUERY`]
/// to [`LARGEST_QUERY`], whose offset is outside of its cell or whose up axis is not a unit vector.
#[must_use]
pub fn sweep_ellipsoid<T: Terrain + ?Sized>(
    terrain: &T,
    ellipsoid: &Body,
    motion: &Vector3<f32>,
) -> Option<SweepHit> {
    sweep_ellipsoid_in(&mut Scratch::default(), terrain, ellipsoid, motion)
}

/// Sweeps like [`sweep_ellipsoid`], with reused buffers.
pub fn sweep_ellipsoid_in<T: Terrain + ?Sized>(
    scratch: &mut Scratch,
    terrain: &T,
    ellipsoid: &Body,
    motion: &Vector3<f32>,
) -> Option<SweepHit> {
    // The length of a very long motion overflows.
    let cut = (LONGEST_WAY / motion.amax()).min(1.0);
    let motion = motion * cut;
    let length = motion.norm();
    let sound = is_body(ellipsoid) && ellipsoid.radii.longest() <= LARGEST_QUERY;
    if !sound || !length.is_finite() || length == 0.0 {
        return None;
    }
    let config = MoverConfig {
        skin: 0.0,
        ..MoverConfig::default()
    };
    let around = Around::terrain(terrain, &config);
    let mut memory = Memory::default();
    let reach = length.min(MAX_QUERY);
    let parts = (reach / MAX_REACH).ceil().max(1.0);
    let part = motion * (reach / length / parts);
    let mut body = *ellipsoid;
    for done in 0..parts as u32 {
        let mut probe = Probe::new(&around, &body, &mut memory, scratch);
        if let Some(stop) = probe.sweep(part) {
            let center = body.position.moved(part * stop.time);
            let extent = body.extent_towards(stop.normal);
            return Some(SweepHit {
                time: (done as f32 + stop.time) / parts * (reach / length) * cut,
                center,
                point: center.moved(-extent),
                normal: stop.normal,
                feature: stop.detail.feature,
                object: stop.detail.object,
            });
        }
        body.position = body.position.moved(part);
    }
    None
}

/// Returns the first contact of a ray with terrain from outside. The ray is a ball of a millimetre.
#[must_use]
pub fn cast_ray_terrain<T: Terrain + ?Sized>(terrain: &T, ray: &Motion) -> Option<SweepHit> {
    let ball = Body {
        position: ray.start,
        radii: Radii::new(RAY_RADIUS, RAY_RADIUS),
        up: Vector3::y(),
    };
    sweep_ellipsoid(terrain, &ball, &ray.way)
}

/// Returns whether a body is valid for queries, apart from an upper limit of its size.
pub(super) fn is_body(body: &Body) -> bool {
    let Radii { across, along } = body.radii;
    validate_position(&body.position).is_ok()
        && validate_up(body.up).is_ok()
        && across >= SMALLEST_QUERY
        && along >= SMALLEST_QUERY
}

/// Longest motion along an axis whose length does not overflow, in metres.
const LONGEST_WAY: f32 = 1e18;

impl Body {
    /// Returns the offset from the point of the surface whose unit normal is `-normal` to the
    /// centre.
    fn extent_towards(&self, normal: Vector3<f32>) -> Vector3<f32> {
        let across = self.radii.across * self.radii.across;
        let along = self.radii.along * self.radii.along;
        let rise = normal.dot(&self.up);
        // For a flat body, subtracting the squares from each other would leave only rounding.
        let level = normal - self.up * rise;
        let square = across * level.norm_squared() + along * rise * rise;
        (level * across + self.up * (along * rise)) / square.sqrt()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::candidates::Sides;
    use crate::shapes::Shapes;
    use crate::soup::TriangleSoup;
    use collision_scenes::Random;
    use nalgebra::Point3;

    fn room() -> Shapes {
        let point = Point3::new;
        let boxes = [
            [point(0.0, -1.0, 0.0), point(100.0, 0.0, 10.0)],
            [point(90.0, 0.0, 0.0), point(91.0, 4.0, 10.0)],
        ];
        Shapes::from_boxes(ObjectId(3), Position::default(), &boxes)
    }

    fn ellipsoid() -> Body {
        Body {
            position: Position::from_metres(Point3::new(2.0, 1.5, 5.0)),
            radii: Radii::new(0.4, 0.9),
            up: Vector3::y(),
        }
    }

    #[test]
    fn sweeps_down_to_the_floor_and_far_to_the_wall() {
        let down = sweep_ellipsoid(&room(), &ellipsoid(), &Vector3::new(0.0, -1.2, 0.0)).unwrap();
        assert!((down.time - 0.5).abs() < 1e-5);
        assert!((down.point.to_metres() - Point3::new(2.0, 0.0, 5.0)).norm() < 1e-5);
        assert_eq!((down.normal, down.object), (Vector3::y(), ObjectId(3)));
        let far = sweep_ellipsoid(&room(), &ellipsoid(), &Vector3::new(200.0, 0.0, 0.0)).unwrap();
        assert!((far.time - 87.6 / 200.0).abs() < 1e-5, "{far:?}");
        assert!((far.point.to_metres().x - 90.0).abs() < 1e-3);
    }

    #[test]
    fn sweep_without_contact_or_with_invalid_input_is_none() {
        for motion in [
            Vector3::new(0.0, 5.0, 0.0),
            Vector3::zeros(),
            Vector3::repeat(f32::NAN),
            Vector3::repeat(f32::INFINITY),
            Vector3::new(0.0, 1e30, 0.0),
        ] {
            assert_eq!(sweep_ellipsoid(&room(), &ellipsoid(), &motion), None);
        }
        let flat = Body {
            radii: Radii::new(0.0, f32::NAN),
            ..ellipsoid()
        };
        assert_eq!(sweep_ellipsoid(&room(), &flat, &-Vector3::y()), None);
    }

    #[test]
    fn rays_meet_the_floor() {
        let ray = Motion {
            start: ellipsoid().position,
            way: Vector3::new(3.0, -3.0, 0.0),
        };
        let hit = cast_ray_terrain(&room(), &ray).unwrap();
        assert!((hit.time - 0.5).abs() < 2e-3);
    }

    #[test]
    fn endless_motion_hits_like_a_long_one() {
        let terrain = room();
        let body = Body {
            position: Position::from_metres(Point3::new(5.0, 3.0, 5.0)),
            radii: Radii::new(0.4, 0.9),
            up: Vector3::y(),
        };
        for length in [100.0, 1e20, f32::MAX] {
            let way = Vector3::new(0.0, -length, 0.0);
            let hit = sweep_ellipsoid(&terrain, &body, &way).unwrap();
            assert!((hit.center.to_metres().y - 0.9).abs() < 1e-3, "{length}");
            let ray = Motion {
                start: body.position,
                way,
            };
            assert!(cast_ray_terrain(&terrain, &ray).is_some(), "{length}");
        }
        assert!(sweep_ellipsoid(&terrain, &body, &Vector3::repeat(f32::NAN)).is_none());
    }

    #[test]
    fn tilted_body_meets_a_large_floor_where_it_is() {
        let corners = [Point3::new(-1e5, -1.0, -1e5), Point3::new(1e5, 0.0, 1e5)];
        let floor = Shapes::from_boxes(ObjectId(1), Position::default(), &[corners]);
        let half = (0.16_f64 * 0.36 + 0.81 * 0.64).sqrt();
        for i in 0..50 {
            let place = Point3::new(f64::from(i) * 7.3, 2.0, f64::from(i) * -3.1);
            let body = Body {
                position: Position::from_metres(place),
                radii: Radii::new(0.4, 0.9),
                up: Vector3::new(0.6, 0.8, 0.0),
            };
            let way = Vector3::new(0.0, -3.0, 0.0);
            let hit = sweep_ellipsoid(&floor, &body, &way).unwrap();
            assert!((hit.center.to_metres().y - half).abs() < 1e-4, "{i}");
        }
    }

    fn tilted_mesh() -> TriangleSoup {
        let corners = [[-20.0, -2.0, -20.0], [3.0, 1.0, 25.0], [25.0, -1.0, -20.0]];
        let mut soup = TriangleSoup::new(ObjectId(4), Position::default());
        soup.insert(corners.map(Point3::from), Sides::Both).unwrap();
        soup
    }

    fn is_sound(hit: &SweepHit) -> bool {
        let places = [hit.center, hit.point];
        places.iter().all(|place| validate_position(place).is_ok())
            && validate_up(hit.normal).is_ok()
            && (0.0..=1.0).contains(&hit.time)
    }

    #[test]
    fn body_thinner_than_can_be_measured_meets_nothing() {
        let way = Vector3::new(-2.09, -5.24, 0.0);
        let sound = [SMALLEST_QUERY, 2.0 * SMALLEST_QUERY, 1e-3];
        let thin = [1e-38, 1e-23, 1e-20, 0.5 * SMALLEST_QUERY, 0.0, -1.0];
        let terrains: [&dyn Terrain; 2] = [&room(), &tilted_mesh()];
        for terrain in terrains {
            for (radius, meets) in sound
                .map(|radius| (radius, true))
                .into_iter()
                .chain(thin.map(|radius| (radius, false)))
            {
                for radii in [Radii::new(radius, 1.0), Radii::new(0.5, radius)] {
                    let body = Body {
                        radii,
                        ..ellipsoid()
                    };
                    let hit = sweep_ellipsoid(terrain, &body, &way);
                    assert_eq!(hit.is_some(), meets, "{radii:?}");
                    assert!(hit.is_none_or(|hit| is_sound(&hit)), "{radii:?} {hit:?}");
                }
            }
        }
    }

    #[test]
    fn hits_of_any_body_are_finite() {
        let mut random = Random::new(8);
        let mesh = tilted_mesh();
        let mut met = 0;
        for _ in 0..20_000 {
            let mut size = || 10.0_f64.powf(random.between(-6.0, 2.1)) as f32;
            let radii = Radii::new(size(), size());
            let mut part = || random.between(-1.0, 1.0) as f32;
            let up = Vector3::new(part(), part(), part()).normalize();
            let up = if random.below(2) == 0 {
                Vector3::y()
            } else {
                up
            };
            let body = Body {
                position: Position::from_metres(Point3::new(2.0, 9.0, 5.0)),
                radii,
                up,
            };
            let mut part = || random.between(-30.0, 30.0) as f32;
            let way = Vector3::new(part(), part(), part());
            let way = if random.below(4) == 0 {
                Vector3::y() * -20.0
            } else {
                way
            };
            for terrain in [&room() as &dyn Terrain, &mesh] {
                if let Some(hit) = sweep_ellipsoid(terrain, &body, &way) {
                    met += 1;
                    assert!(is_sound(&hit), "{body:?} {way:?} {hit:?}");
                }
            }
        }
        assert!(met > 1000, "{met}");
    }

    #[test]
    fn flat_body_touches_the_floor_below_its_centre() {
        for along in [1e-2, 1e-4, 1e-6] {
            let body = Body {
                radii: Radii::new(1.0, along),
                ..ellipsoid()
            };
            let hit = sweep_ellipsoid(&room(), &body, &Vector3::new(0.0, -4.0, 0.0)).unwrap();
            let below = Point3::new(2.0, 0.0, 5.0);
            assert!((hit.point.to_metres() - below).norm() < 1e-5, "{hit:?}");
        }
    }
}
