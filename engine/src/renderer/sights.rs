//! The views in which bodies and models may appear: that of the eye, and the sun's maps.

use nalgebra::Vector3;

use super::cascades::{CASCADES, CascadeView};
use crate::Camera;

/// The views of a picture: the camera, and the light if there are shadows.
pub(crate) struct Sights<'a> {
    pub(crate) camera: &'a Camera,
    /// Width of the picture over its height.
    pub(crate) aspect: f32,
    /// View distance, in metres.
    pub(crate) reach: f32,
    pub(crate) cascades: Option<&'a [CascadeView; CASCADES]>,
}

impl Sights<'_> {
    /// Returns the sun's maps; none without shadows.
    pub(crate) fn maps(&self) -> &[CascadeView] {
        self.cascades.map_or(&[], |cascades| cascades)
    }
}

/// The view of a camera.
pub(crate) struct Eye {
    forward: Vector3<f32>,
    /// Axes of the picture, each with the tangent of half the angle of view along it.
    sides: [(Vector3<f32>, f32); 2],
    lens: f32,
}

impl Eye {
    pub(crate) fn of(sights: &Sights<'_>) -> Self {
        let camera = sights.camera;
        let half_height = (camera.field_of_view * 0.5).tan();
        Self {
            forward: camera.forward(),
            sides: [
                (camera.right(), half_height * sights.aspect),
                (camera.up(), half_height),
            ],
            lens: 1.0 / half_height,
        }
    }

    /// Returns true if a ball at this offset from the eye may be visible.
    pub(crate) fn sees(&self, relative: Vector3<f32>, radius: f32) -> bool {
        let ahead = relative.dot(&self.forward);
        let within = |&(side, tangent): &(Vector3<f32>, f32)| {
            let room = radius * (1.0 + tangent * tangent).sqrt();
            relative.dot(&side).abs() <= ahead * tangent + room
        };
        ahead >= -radius && self.sides.iter().all(within)
    }

    /// Returns the height of a ball relative to that of the picture.
    pub(crate) fn apparent(&self, relative: Vector3<f32>, radius: f32) -> f32 {
        radius * self.lens / relative.norm().max(0.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_is_seen_as_long_as_any_of_it_is() {
        let camera = Camera::new(collision::Position::default(), 0.0, 0.0);
        let sights = Sights {
            camera: &camera,
            aspect: 1.5,
            reach: 100.0,
            cascades: None,
        };
        let eye = Eye::of(&sights);
        let half = camera.field_of_view * 0.5;
        let at = |angle: f32| (camera.forward() * angle.cos() + camera.up() * angle.sin()) * 10.0;
        assert!(eye.sees(at(0.0), 1.0));
        assert!(eye.sees(at(half + 0.09), 1.0));
        assert!(!eye.sees(at(half + 0.11), 1.0));
        assert!(!eye.sees(at(-half - 0.11), 1.0));
        assert!(!eye.sees(-at(0.0), 1.0));
        assert!(eye.sees(-at(0.0) * 0.05, 1.0), "about the eye");
        let apparent = eye.apparent(at(0.0), 1.0) / eye.apparent(at(0.0) * 9.0, 1.0);
        assert!((apparent - 9.0).abs() < 1e-4, "{apparent}");
    }
}
