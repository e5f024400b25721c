//! A viewer of the world: the eye, or the sun for one of its maps. Lists made for one viewer are
//! reused for others close by.

use collision::{Plane, Position};
use nalgebra::Vector3;
use world::Frustum;

use super::bricks::BrickQuads;
use super::cascades::CascadePlace;
use crate::Camera;

/// Distance that the eye may move while a list is reused, in metres.
const ROOM: f32 = 4.0;
/// Approximate angle that it may turn, in radians.
const TURN: f32 = 0.07;
/// Lists are ordered front to back for eyes within one cell of a grid; its side in metres, as a
/// power of two.
const ORDER_SHIFT: i32 = 4;
/// Largest half field of view in radians, less than a right angle.
const WIDEST: f32 = 1.55;
/// Voxels along a chunk.
const SIDE: f32 = 32.0;

/// A viewer of the world.
#[derive(Clone, Copy)]
pub(crate) enum Viewer {
    /// An eye, which may be inside a chunk.
    Eye(Sight),
    /// A light, infinitely far away, that draws a map at some place.
    Light(CascadePlace),
}

/// The view of an eye, and the space covered by a list made for it.
#[derive(Clone, Copy)]
pub(crate) struct Sight {
    position: Position,
    forward: Vector3<f32>,
    /// Directions to the corners of the picture.
    corners: [Vector3<f32>; 4],
    /// Inward normals of planes through the eye that enclose the covered space.
    sides: [Vector3<f32>; 5],
    /// View distance, in metres.
    reach: f32,
}

impl Viewer {
    /// Returns true if a list made for this viewer covers the view of another.
    pub(crate) fn serves(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Eye(made), Self::Eye(now)) => made.serves(now),
            (Self::Light(made), Self::Light(now)) => made == now,
            _ => false,
        }
    }

    /// Returns bits of the directions of a chunk's faces that may be visible; `None` if the chunk
    /// is out of sight.
    #[inline]
    pub(crate) fn faces(&self, quads: &BrickQuads) -> Option<u32> {
        match self {
            Self::Eye(sight) => {
                let eye = quads.local(&sight.position);
                let hidden = beyond(eye, SIDE * quads.voxel, sight.reach + ROOM);
                (!hidden).then(|| faces_to_eye(eye, quads.voxel))
            }
            Self::Light(place) => Some(faces_to_light(place.light)),
        }
    }
}

impl Sight {
    /// Returns the view of a camera up to `reach` metres.
    pub(crate) fn new(camera: &Camera, aspect: f32, reach: f32) -> Self {
        let (forward, right, up) = (camera.forward(), camera.right(), camera.up());
        let half_height = camera.field_of_view * 0.5;
        let half_width = (half_height.tan() * aspect).atan();
        let [across, above] = [half_width, half_height].map(|half| (half + TURN).min(WIDEST));
        let corner = |point| camera.direction_through(point, aspect);
        Self {
            position: camera.position,
            forward,
            corners: [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(corner),
            sides: [
                forward * across.sin() + right * across.cos(),
                forward * across.sin() - right * across.cos(),
                forward * above.sin() + up * above.cos(),
                forward * above.sin() - up * above.cos(),
                forward,
            ],
            reach,
        }
    }

    fn serves(&self, now: &Self) -> bool {
        let moved = now.position.relative_to(self.position.cell) - self.position.offset;
        let cell = |sight: &Self| sight.position.cell.map(|along| along >> ORDER_SHIFT);
        let within = |corner: &Vector3<f32>| self.sides.iter().all(|side| side.dot(corner) >= 0.0);
        self.reach == now.reach
            && cell(self) == cell(now)
            && moved.norm_squared() <= ROOM * ROOM
            && now.corners.iter().all(within)
    }

    /// Returns a frustum that contains the views of all eyes that a list is reused for.
    pub(crate) fn frustum(&self) -> Frustum {
        let offset = self.position.offset;
        let plane = |normal: Vector3<f32>, distance: f32| Plane {
            normal,
            distance: normal.dot(&offset) - distance,
        };
        let [a, b, c, d, e] = self.sides.map(|side| plane(side, ROOM));
        Frustum {
            base: self.position.cell,
            planes: [a, b, c, d, e, plane(-self.forward, self.reach + ROOM)],
        }
    }
}

/// Returns true if a cube from the origin is wholly farther from the eye than `sight`, so that haze
/// hides it.
#[inline]
fn beyond(eye: Vector3<f32>, side: f32, sight: f32) -> bool {
    let nearest = eye.map(|along| along - along.clamp(0.0, side));
    nearest.norm_squared() > sight * sight
}

/// Returns bits of the directions of a chunk's faces that an eye near a place may see.
#[inline]
fn faces_to_eye(eye: Vector3<f32>, voxel: f32) -> u32 {
    let (low, high) = (voxel * 0.5 - ROOM, voxel * (SIDE - 0.5) + ROOM);
    (0..3).fold(0, |seen, axis| {
        seen | u32::from(eye[axis] < high) << (2 * axis)
            | u32::from(eye[axis] > low) << (2 * axis + 1)
    })
}

/// Returns bits of the directions that face a light.
#[inline]
fn faces_to_light(light: Vector3<f32>) -> u32 {
    (0..3).fold(0, |seen, axis| {
        seen | u32::from(light[axis] < 0.0) << (2 * axis)
            | u32::from(light[axis] > 0.0) << (2 * axis + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Point3;

    fn sight(at: [f64; 3], yaw: f32, pitch: f32) -> (Camera, Sight) {
        let camera = Camera::new(
            Position::from_metres(Point3::new(at[0], at[1], at[2])),
            yaw,
            pitch,
        );
        (camera, Sight::new(&camera, 1.7, 200.0))
    }

    #[test]
    fn a_list_holds_all_that_is_seen_by_those_it_serves() {
        let (_, made) = sight([8.0, 8.0, 8.0], 0.4, -0.2);
        let frustum = made.frustum();
        let mut served = 0;
        for step in 0..400 {
            let turn = |of: f32| (step as f32 * of).sin();
            let at = [0.9, 1.7, 2.3].map(|of| 8.0 + f64::from(turn(of)) * 2.6);
            let (camera, now) = sight(at, 0.4 + turn(0.31) * 0.06, -0.2 + turn(0.77) * 0.06);
            if !made.serves(&now) {
                continue;
            }
            served += 1;
            for point in [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, 0.5]] {
                for far in [0.0, 1.0, 200.0] {
                    let seen = camera.direction_through(point, 1.7) * far
                        + camera.position.relative_to(frustum.base);
                    for plane in &frustum.planes {
                        let inside = plane.normal.dot(&seen) - plane.distance;
                        assert!(inside > -1e-3, "{seen} lies {inside} m outside");
                    }
                }
            }
        }
        assert!((50..400).contains(&served), "{served} of 400 were served");
    }

    #[test]
    fn an_eye_that_moved_or_turned_far_is_not_served() {
        let (_, made) = sight([8.0, 8.0, 8.0], 0.4, -0.2);
        let serves = |at, yaw| made.serves(&sight(at, yaw, -0.2).1);
        assert!(serves([8.0, 8.0, 8.0], 0.4) && serves([10.0, 9.0, 9.0], 0.43));
        assert!(!serves([8.0, 8.0, 13.0], 0.4));
        assert!(!serves([8.0, 8.0, 8.0], 0.6));
    }

    #[test]
    fn directions_that_face_away_are_not_listed() {
        let seen = |x: f32, y: f32, z: f32| faces_to_eye(Vector3::new(x, y, z), 1.0);
        assert_eq!(seen(16.0, 16.0, 16.0), 0b11_1111);
        assert_eq!(seen(-5.0, 40.0, 16.0), 0b11_1001);
        assert_eq!(seen(-3.0, 35.0, 16.0), 0b11_1111);
        assert_eq!(faces_to_light(Vector3::new(0.5, 0.7, -0.2)), 0b01_1010);
    }

    #[test]
    fn what_haze_hides_is_not_listed() {
        let hidden = |x: f32, y: f32| beyond(Vector3::new(x, y, 16.0), SIDE, 100.0);
        assert!(!hidden(16.0, 16.0));
        assert!(!hidden(-99.0, 16.0) && hidden(-101.0, 16.0));
        assert!(!hidden(-70.0, 101.0) && hidden(-80.0, 112.0));
    }
}
