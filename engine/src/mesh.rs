//! Triangles of a model in their own frame. The renderer uploads a mesh once, however often it is
//! drawn.

use std::sync::atomic::{AtomicU64, Ordering};

use nalgebra::Vector3;

/// Number of the mesh that is made next.
static NEXT_NUMBER: AtomicU64 = AtomicU64::new(0);

/// Triangles with flat shading, visible from both sides.
#[derive(Debug)]
pub struct Mesh {
    number: u64,
    vertices: Vec<shaders::ModelVertex>,
    reach: f32,
}

impl Mesh {
    /// Makes a mesh of these triangles, in metres. Triangles without area, or not finite, are left
    /// out.
    #[must_use]
    pub fn new(triangles: impl IntoIterator<Item = [Vector3<f32>; 3]>) -> Self {
        let mut vertices = Vec::new();
        let mut reach = 0.0_f32;
        for corners in triangles {
            let [a, b, c] = corners;
            let across = (b - a).cross(&(c - a));
            let normal = across.try_normalize(0.0);
            let Some(normal) = normal.filter(|normal| normal.iter().all(|part| part.is_finite()))
            else {
                continue;
            };
            for corner in corners {
                reach = reach.max(corner.norm());
                vertices.push(shaders::ModelVertex {
                    position: corner.into(),
                    normal: normal.into(),
                });
            }
        }
        let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
        Self {
            number,
            vertices,
            reach,
        }
    }

    /// Returns the number of triangles.
    #[must_use]
    pub fn triangles(&self) -> usize {
        self.vertices.len() / 3
    }

    /// Returns a number unique to this mesh.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    pub(crate) fn vertices(&self) -> &[shaders::ModelVertex] {
        &self.vertices
    }

    /// Returns the distance of the farthest corner from the origin, in metres.
    pub(crate) fn reach(&self) -> f32 {
        self.reach
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_without_area_are_left_out() {
        let corner = |x: f32, y: f32| Vector3::new(x, y, 0.0);
        let mesh = Mesh::new([
            [corner(0.0, 0.0), corner(1.0, 0.0), corner(0.0, 2.0)],
            [corner(0.0, 0.0), corner(1.0, 0.0), corner(2.0, 0.0)],
            [corner(0.0, 0.0), corner(f32::NAN, 0.0), corner(2.0, 1.0)],
        ]);
        assert_eq!((mesh.triangles(), mesh.reach()), (1, 2.0));
        assert_eq!(mesh.vertices()[0].normal, [0.0, 0.0, 1.0]);
    }
}
