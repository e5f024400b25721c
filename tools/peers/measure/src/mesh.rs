//! Triangles as peers take them: corners shared, so that they can tell flat and concave edges.

use std::collections::HashMap;

/// One rectangle: four corners, counter-clockwise seen from the free side.
pub type Quad = [[f32; 3]; 4];

#[derive(Clone, Debug, Default)]
pub struct Mesh {
    pub points: Vec<[f32; 3]>,
    pub triangles: Vec<[u32; 3]>,
    /// Whether it may be met from behind: where some of it is no skin of a solid.
    pub two_sided: bool,
}

/// What a peer builds its own form of a mesh for; the others build one way.
#[cfg(any(feature = "box3d", feature = "jolt", feature = "physx"))]
#[derive(Clone, Copy, PartialEq)]
pub enum Purpose {
    /// A ground that is loaded once and walked on.
    Walks,
    /// An edit while a game runs: as fast as its makers offer, without what only tumbling bodies ask for, since who walks meets the same.
    Edits,
}

impl Mesh {
    pub fn from_quads(quads: &[Quad]) -> Self {
        let halves = |quad: &Quad| [[quad[0], quad[1], quad[2]], [quad[0], quad[2], quad[3]]];
        Self::from_triangles(quads.iter().flat_map(halves))
    }

    /// Corners that are the same to the bit become one; triangles without area are left out.
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
