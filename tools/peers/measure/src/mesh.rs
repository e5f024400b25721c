//! Triangles in the form of peers: shared corners, so that they can detect flat and concave edges.

use std::collections::HashMap;

/// One rectangle: four corners, counter-clockwise seen from the free side.
pub type Quad = [[f32; 3]; 4];

#[derive(Clone, Debug, Default)]
pub struct Mesh {
    pub points: Vec<[f32; 3]>,
    pub triangles: Vec<[u32; 3]>,
    /// True if it can be hit from behind: some of it is not the skin of a solid.
    pub two_sided: bool,
}

/// The purpose of a mesh; peers with different ways of building choose by it.
#[cfg(any(feature = "box3d", feature = "jolt", feature = "physx"))]
#[derive(Clone, Copy, PartialEq)]
pub enum Purpose {
    /// A ground that is loaded once and walked on.
    Walks,
    /// An edit while a game runs: built as fast as the library offers, without data that only
    /// tumbling bodies need; characters are not affected.
    Edits,
}

impl Mesh {
    pub fn from_quads(quads: &[Quad]) -> Self {
        let halves = |quad: &Quad| [[quad[0], quad[1], quad[2]], [quad[0], quad[2], quad[3]]];
        Self::from_triangles(quads.iter().flat_map(halves))
    }

    /// Merges bitwise equal corners; leaves out triangles without area.
    pub fn from_triangles(triangles: impl IntoIterator<Item = [[f32; 3]; 3]>) -> Self {
        let mut mesh = Self::default();
        let mut known = HashMap::new();
        for corners in triangles {
            let indices = corners.map(|corner| {
                // Adding 0 turns -0 into 0.
                let key = corner.map(|value| (value + 0.0).to_bits());
                *known.entry(key).or_insert_with(|| {
                    mesh.points.push(corner);
                    mesh.points.len() as u32 - 1
                })
            });
            let [a, b, c] = indices;
            if a != b && b != c && c != a {
                mesh.triangles.push(indices);
            }
        }
        mesh
    }

    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }
}
