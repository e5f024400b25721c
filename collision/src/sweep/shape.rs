//! The moving shapes and the shapes they are swept against, in a frame near the mover (metres).

use nalgebra::Vector3;

pub use crate::candidates::Sides;

/// A ball. Radius 0 is a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Center, metres.
    pub center: Vector3<f32>,
    /// Radius, metres; not negative.
    pub radius: f32,
}

/// An ellipsoid whose axes are those of the frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipsoid {
    /// Center, metres.
    pub center: Vector3<f32>,
    /// Half-lengths along x, y and z, metres; all positive.
    pub radii: Vector3<f32>,
}

/// The side surface of a round rod from `start` to `end`, without its ends: an edge grown by a
/// radius. The spheres about its two ends are shapes of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// One end of the axis.
    pub start: Vector3<f32>,
    /// The other end of the axis.
    pub end: Vector3<f32>,
    /// Radius, metres; not negative.
    pub radius: f32,
}

/// A triangle; seen from its front, its corners run anticlockwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    /// The corners.
    pub corners: [Vector3<f32>; 3],
    /// The sides that stop a mover.
    pub sides: Sides,
}

/// An axis-aligned rectangle, solid on one side: `min` and `max` agree along its axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rectangle {
    /// The axis across the rectangle, 0 to 2.
    pub axis: usize,
    /// `1.0` where its front faces `+axis`, `-1.0` where it faces `-axis`.
    pub sign: f32,
    /// Least coordinates.
    pub min: Vector3<f32>,
    /// Greatest coordinates.
    pub max: Vector3<f32>,
}

impl Rectangle {
    /// Returns its corners in turn, starting at `min`; edge `i` runs from corner `i` to the next.
    pub fn corners(&self) -> [Vector3<f32>; 4] {
        let (u, v) = ((self.axis + 1) % 3, (self.axis + 2) % 3);
        let mut corners = [self.min; 4];
        corners[1][u] = self.max[u];
        corners[2][u] = self.max[u];
        corners[2][v] = self.max[v];
        corners[3][v] = self.max[v];
        corners
    }

    /// Returns the unit normal of its front.
    pub fn normal(&self) -> Vector3<f32> {
        let mut normal = Vector3::zeros();
        normal[self.axis] = self.sign;
        normal
    }

    /// Returns the same surface as two triangles, front to front.
    pub fn triangles(&self) -> [Triangle; 2] {
        let [a, b, c, d] = self.corners();
        let (b, d) = if self.sign > 0.0 { (b, d) } else { (d, b) };
        [[a, b, c], [a, c, d]].map(|corners| Triangle {
            corners,
            sides: Sides::Front,
        })
    }
}

/// A convex edge of a solid along an axis. It ends without caps: corners are shapes of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvexEdge {
    /// The axis along the edge, 0 to 2.
    pub axis: usize,
    /// Least coordinates; equal to `max` except along `axis`.
    pub min: Vector3<f32>,
    /// Greatest coordinates.
    pub max: Vector3<f32>,
}

/// A convex corner of a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvexCorner {
    /// The place of the corner.
    pub point: Vector3<f32>,
}

/// A solid axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisBox {
    /// Least coordinates.
    pub min: Vector3<f32>,
    /// Greatest coordinates.
    pub max: Vector3<f32>,
}

impl AxisBox {
    /// Returns its six faces, facing outward, in the order `-x, +x, -y, +y, -z, +z`.
    pub fn faces(&self) -> [Rectangle; 6] {
        std::array::from_fn(|index| {
            let (axis, positive) = (index / 2, index % 2 == 1);
            let level = if positive {
                self.max[axis]
            } else {
                self.min[axis]
            };
            let mut face = Rectangle {
                axis,
                sign: if positive { 1.0 } else { -1.0 },
                min: self.min,
                max: self.max,
            };
            face.min[axis] = level;
            face.max[axis] = level;
            face
        })
    }

    /// Returns its twelve edges: index `axis * 4 + a + 2 * b`, where `a` and `b` choose the greater
    /// side of the next two axes.
    pub fn edges(&self) -> [ConvexEdge; 12] {
        std::array::from_fn(|index| {
            let (axis, side) = (index / 4, index % 4);
            let mut edge = ConvexEdge {
                axis,
                min: self.min,
                max: self.max,
            };
            for (bit, across) in [(axis + 1) % 3, (axis + 2) % 3].into_iter().enumerate() {
                let level = if side >> bit & 1 == 1 {
                    self.max[across]
                } else {
                    self.min[across]
                };
                edge.min[across] = level;
                edge.max[across] = level;
            }
            edge
        })
    }

    /// Returns its eight corners: bit `axis` of the index chooses the greater side.
    pub fn corners(&self) -> [ConvexCorner; 8] {
        std::array::from_fn(|index| ConvexCorner {
            point: Vector3::from_fn(|axis, _| {
                if index >> axis & 1 == 1 {
                    self.max[axis]
                } else {
                    self.min[axis]
                }
            }),
        })
    }
}
