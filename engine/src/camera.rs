//! The camera: an exact position, two angles and a lens.
//!
//! Matrices are relative to the eye, so that a picture far out is as exact as one at the origin.
//! Depth is reversed and has no far plane: depth = near / distance, 1 at the near plane, 0 at
//! infinity.

use collision::Position;
use nalgebra::{Matrix4, Vector3, Vector4};

/// The viewpoint of a picture. Yaw 0 looks along -z and grows to the right (clockwise from above);
/// pitch grows upwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Position of the eye.
    pub position: Position,
    /// Angle to the right of -z, in radians.
    pub yaw: f32,
    /// Angle above the horizon, in radians.
    pub pitch: f32,
    /// Vertical field of view, in radians.
    pub field_of_view: f32,
    /// Distance of the near plane, in metres.
    pub near: f32,
}

impl Camera {
    /// Returns a camera with a field of view of 75 degrees.
    #[must_use]
    pub fn new(position: Position, yaw: f32, pitch: f32) -> Self {
        Self {
            position,
            yaw,
            pitch,
            field_of_view: 75.0_f32.to_radians(),
            near: 0.05,
        }
    }

    /// Returns the unit vector of the line of sight.
    #[must_use]
    pub fn forward(&self) -> Vector3<f32> {
        let (yaw_sin, yaw_cos) = self.yaw.sin_cos();
        let (pitch_sin, pitch_cos) = self.pitch.sin_cos();
        Vector3::new(yaw_sin * pitch_cos, pitch_sin, -yaw_cos * pitch_cos)
    }

    /// Returns the unit vector to the right, always level.
    #[must_use]
    pub fn right(&self) -> Vector3<f32> {
        let (yaw_sin, yaw_cos) = self.yaw.sin_cos();
        Vector3::new(yaw_cos, 0.0, yaw_sin)
    }

    /// Returns the unit vector upwards in the picture.
    #[must_use]
    pub fn up(&self) -> Vector3<f32> {
        self.right().cross(&self.forward())
    }

    /// Returns the rotation from the world to view space (x right, y up, -z forward); positions
    /// relative to the eye need no translation.
    #[must_use]
    pub fn view(&self) -> Matrix4<f32> {
        let (right, up, back) = (self.right(), self.up(), -self.forward());
        Matrix4::new(
            right.x, right.y, right.z, 0.0, //
            up.x, up.y, up.z, 0.0, //
            back.x, back.y, back.z, 0.0, //
            0.0, 0.0, 0.0, 1.0,
        )
    }

    /// Returns the reversed, infinite projection with depth in 0..1.
    #[must_use]
    pub fn projection(&self, aspect: f32) -> Matrix4<f32> {
        let scale = 1.0 / (self.field_of_view * 0.5).tan();
        Matrix4::new(
            scale / aspect,
            0.0,
            0.0,
            0.0, //
            0.0,
            scale,
            0.0,
            0.0, //
            0.0,
            0.0,
            0.0,
            self.near, //
            0.0,
            0.0,
            -1.0,
            0.0,
        )
    }

    /// Returns the matrix from metres relative to the eye to clip space.
    #[must_use]
    pub fn view_projection(&self, aspect: f32) -> Matrix4<f32> {
        self.projection(aspect) * self.view()
    }

    /// Returns the direction of a ray through a point of the picture; (0, 0) is its top left and
    /// (1, 1) its bottom right corner.
    #[must_use]
    pub fn direction_through(&self, point: [f32; 2], aspect: f32) -> Vector3<f32> {
        let half_height = (self.field_of_view * 0.5).tan();
        let across = (point[0] * 2.0 - 1.0) * half_height * aspect;
        let above = (1.0 - point[1] * 2.0) * half_height;
        (self.forward() + self.right() * across + self.up() * above).normalize()
    }

    /// Projects a position onto the picture, in the units of [`Self::direction_through`]; `None`
    /// behind the eye.
    #[must_use]
    pub fn project(&self, position: &Position, aspect: f32) -> Option<[f32; 2]> {
        let relative = position.relative_to(self.position.cell) - self.position.offset;
        let clip =
            self.view_projection(aspect) * Vector4::new(relative.x, relative.y, relative.z, 1.0);
        (clip.w > 0.0).then(|| [clip.x / clip.w * 0.5 + 0.5, 0.5 - clip.y / clip.w * 0.5])
    }
}
