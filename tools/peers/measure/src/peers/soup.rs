//! Our triangles: the ground as one soup, with a list of its triangles for each mesh.

use crate::mesh::Mesh;
use collision::{ObjMesh, ObjectId, Position, Sides, TriangleId, TriangleSoup};
use nalgebra::Point3;
use std::collections::HashMap;

pub struct Soup {
    pub triangles: TriangleSoup,
    sides: Sides,
    slots: Vec<HashMap<Corners, TriangleId>>,
}

/// The bits of three corners.
type Corners = [[u32; 3]; 3];

impl Soup {
    pub fn new(meshes: impl Iterator<Item = Mesh>) -> Option<Self> {
        let mut all = ObjMesh::default();
        let mut slots = Vec::new();
        let mut sides = Sides::Front;
        for mesh in meshes {
            sides = if mesh.two_sided { Sides::Both } else { sides };
            let first = all.points.len() as u32;
            let points = mesh.points.iter();
            all.points
                .extend(points.map(|&point| Point3::from(point).cast()));
            let corners = mesh.triangles.iter();
            all.triangles
                .extend(corners.map(|corners| corners.map(|corner| first + corner)));
            slots.push(mesh);
        }
        let (object, origin) = (ObjectId(1), Position::default());
        let triangles = TriangleSoup::from_obj(object, origin, &all, sides).ok()?;
        let mut ids = triangles.triangle_ids();
        let slots = slots
            .iter()
            .map(|mesh| corners(mesh).zip(ids.by_ref()).collect())
            .collect();
        drop(ids);
        Some(Self {
            triangles,
            sides,
            slots,
        })
    }

    /// Replaces the triangles of one mesh by those of another, keeping those in both.
    pub fn replace(&mut self, slot: usize, mesh: &Mesh) {
        let mut before = std::mem::take(&mut self.slots[slot]);
        let mut added = Vec::new();
        let now = &mut self.slots[slot];
        for corners in corners(mesh) {
            match before.remove(&corners) {
                Some(id) => {
                    now.insert(corners, id);
                }
                None => added.push(corners),
            }
        }
        for id in before.into_values() {
            self.triangles.remove(id);
        }
        for corners in added {
            let placed = corners.map(|corner| Point3::from(corner.map(f32::from_bits)).cast());
            match self.triangles.insert(placed, self.sides) {
                Ok(id) => {
                    now.insert(corners, id);
                }
                Err(error) => eprintln!("ours, triangles: an edit leaves a hole: {error}"),
            }
        }
    }
}

/// Returns the corners of each triangle, in order.
fn corners(mesh: &Mesh) -> impl Iterator<Item = Corners> + '_ {
    let corner = |corner: u32| mesh.points[corner as usize].map(f32::to_bits);
    mesh.triangles
        .iter()
        .map(move |corners| corners.map(corner))
}
