//! The space in which a mover is a ball: the world, measured from the cell that the move starts in,
//! squashed along the up axis of the body.
//!
//! The ellipsoid includes its skin: the half extents are the body's plus the skin. The gap is
//! therefore the skin along both axes and up to a tenth less between them.

use crate::body::{Body, Radii};
use crate::kernels::ellipsoids::Pair;
use crate::tolerance::RIM_SLACK;
use nalgebra::Vector3;

/// The shape of a body, and the map into its squashed space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frame {
    /// Unit up axis.
    pub(crate) up: Vector3<f32>,
    /// Radius of the ball, in metres.
    pub(crate) radius: f32,
    /// Half extents of the ellipsoid with its skin.
    pub(crate) radii: Radii,
    /// Half size of the box around the ellipsoid, along each world axis.
    pub(crate) half: Vector3<f32>,
    /// Length in the squashed space of one metre along the up axis.
    pub(crate) squash: f32,
    /// Length in the squashed space of one metre along each world axis, if the up axis is one of
    /// them.
    pub(crate) scale: Vector3<f32>,
    /// The world axis parallel to the up axis, unless that is tilted.
    pub(crate) up_axis: Option<usize>,
}

impl Default for Frame {
    fn default() -> Self {
        Self::new(Radii::new(1.0, 1.0), Vector3::y(), 0.0)
    }
}

impl Frame {
    /// Makes the frame of an ellipsoid with this skin, in metres.
    #[inline]
    pub(crate) fn new(radii: Radii, up: Vector3<f32>, skin: f32) -> Self {
        let radii = Radii::new(radii.across + skin, radii.along + skin);
        let squash = radii.across / radii.along;
        let up_axis = axis_of(up);
        let up = up_axis.map_or(up, |axis| along(axis, up[axis]));
        let mut scale = Vector3::repeat(1.0);
        let mut half = Vector3::repeat(radii.across);
        if let Some(axis) = up_axis {
            scale[axis] = squash;
            half[axis] = radii.along;
        } else {
            let (across, along) = (radii.across * radii.across, radii.along * radii.along);
            half = up.map(|u| (across * (1.0 - u * u).max(0.0) + along * (u * u)).sqrt());
        }
        Self {
            up,
            radius: radii.across,
            radii,
            half,
            squash,
            scale,
            up_axis,
        }
    }

    /// Makes the frame of a body with its skin.
    #[inline]
    pub(crate) fn of(body: &Body, skin: f32) -> Self {
        Self::new(body.radii, body.up, skin)
    }

    /// Returns how far inside the box of its places the centre stays, for [`crate::Reach::half`],
    /// less the lean of an edge contact over a face beside it. Zero for a tilted up axis: a feature
    /// in front in the world may be behind in the squashed space.
    #[inline]
    pub(crate) fn inset(&self) -> Vector3<f32> {
        if self.up_axis.is_some() {
            self.half * (1.0 - RIM_SLACK)
        } else {
            Vector3::zeros()
        }
    }

    /// Returns whether another body with its skin has the same shape and axis, and so is a ball of
    /// the same radius in the squashed space.
    #[inline]
    pub(crate) fn is_alike(&self, other: &Body, skin: f32) -> bool {
        let radii = Radii::new(other.radii.across + skin, other.radii.along + skin);
        let along_one_line = || self.up_axis.is_some() && self.up_axis == axis_of(other.up);
        radii == self.radii && (other.up == self.up || along_one_line())
    }

    /// Returns the pair of this shape and another body, both with their skins.
    #[inline]
    pub(crate) fn beside(&self, other: &Body, skin: f32) -> Pair {
        let radii = Radii::new(other.radii.across + skin, other.radii.along + skin);
        Pair::new([self.radii, radii], [self.up, other.up])
    }

    /// Returns a distance between the centres in the squashed space, in metres, beyond which the
    /// ball surely does not touch the other body. It is exact for a body of the same shape;
    /// otherwise the other is replaced by the smallest body of this shape around it.
    #[inline]
    pub(crate) fn reach_to(&self, other: &Body, skin: f32) -> f32 {
        let (across, along) = (other.radii.across + skin, other.radii.along + skin);
        let same_axis = self.up_axis.is_some() && self.up_axis == axis_of(other.up);
        let reach = if same_axis {
            across.max(along * self.squash)
        } else {
            across.max(along) * self.squash.max(1.0)
        };
        self.radius + reach
    }

    /// Squashes a point or displacement.
    #[inline]
    pub(crate) fn squashed(&self, v: Vector3<f32>) -> Vector3<f32> {
        if self.up_axis.is_some() {
            v.component_mul(&self.scale)
        } else {
            v + self.up * ((self.squash - 1.0) * self.up.dot(&v))
        }
    }

    /// Inverts [`Self::squashed`].
    #[inline]
    pub(crate) fn unsquashed(&self, v: Vector3<f32>) -> Vector3<f32> {
        v + self.up * ((1.0 / self.squash - 1.0) * self.up.dot(&v))
    }

    /// Returns the unit world normal of a plane with normal `n` in the squashed space.
    #[inline]
    pub(crate) fn world_normal(&self, n: Vector3<f32>) -> Vector3<f32> {
        let turned = self.squashed(n);
        turned / turned.norm()
    }

    /// Returns the point at which the ellipsoid around `centre` touches a plane with the unit world
    /// normal `normal`.
    #[inline]
    pub(crate) fn touching_point(
        &self,
        centre: Vector3<f32>,
        normal: Vector3<f32>,
    ) -> Vector3<f32> {
        let (a, b) = (self.radii.across, self.radii.along);
        let rise = self.up.dot(&normal);
        let stretched = normal * (a * a) + self.up * ((b * b - a * a) * rise);
        centre - stretched / normal.dot(&stretched).sqrt()
    }
}

/// Returns a unit vector along a world axis, exactly one long: the given one may be off by
/// rounding.
#[inline]
fn along(axis: usize, side: f32) -> Vector3<f32> {
    let mut up = Vector3::zeros();
    up[axis] = side.signum();
    up
}

/// Returns the world axis that a unit vector is exactly parallel to.
#[inline]
fn axis_of(up: Vector3<f32>) -> Option<usize> {
    (0..3).find(|&axis| up[(axis + 1) % 3] == 0.0 && up[(axis + 2) % 3] == 0.0)
}
