//! Shows how voxels of your own become triangles: 32^3 voxels, merged into quads by material, then
//! four vertices and two triangles a quad, for any renderer. No world, no GPU.
//!
//! `cargo run --release -p world --example mesher`

use std::time::Instant;
use world::chunk::SIDE;
use world::merge::{Around, MergeScratch, merge_render};
use world::{Brick, Face, Material, MaterialTable, RenderQuad, RenderSurface, Voxels};

/// A corner of a triangle.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Vertex {
    /// In voxels from the lowest corner of the chunk.
    position: [f32; 3],
    normal: [f32; 3],
    material: u32,
}

/// Triangles by index, counter-clockwise as seen from outside.
#[derive(Debug, Default)]
struct Mesh {
    vertices: Vec<Vertex>,
    indices: Vec<u32>,
}

impl Mesh {
    fn push(&mut self, quad: RenderQuad) {
        let (face, size) = (quad.face(), [quad.width(), quad.height()]);
        let axis = face.axis();
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let first = self.vertices.len() as u32;
        let mut normal = [0.0; 3];
        normal[axis] = face.sign() as f32;
        for [along_u, along_v] in [[0, 0], [1, 0], [1, 1], [0, 1]] {
            let mut corner = quad.voxel();
            corner[axis] += u32::from(face.sign() > 0);
            corner[u] += along_u * size[0];
            corner[v] += along_v * size[1];
            self.vertices.push(Vertex {
                position: corner.map(|part| part as f32),
                normal,
                material: quad.material().0.into(),
            });
        }
        let turned = match face.sign() {
            1 => [0, 1, 2, 0, 2, 3],
            _ => [0, 2, 1, 0, 3, 2],
        };
        self.indices.extend(turned.map(|corner| first + corner));
    }
}

/// A hill of stone under grass, with a pond.
fn material(x: usize, y: usize, z: usize) -> Material {
    let [dx, dz] = [x, z].map(|part| part as f32 - 15.5);
    let height = (20.0 - (dx * dx + dz * dz) * 0.06).max(4.0) as usize;
    match y {
        _ if y < height => Material::STONE,
        _ if y == height => Material::GRASS,
        _ if y < 8 => Material::WATER,
        _ => Material::AIR,
    }
}

/// Counts the opaque voxels' sides that are open, one by one: the area that the quads must cover.
fn open_sides(materials: &MaterialTable) -> usize {
    let opaque = |at: [i32; 3]| {
        let inside = at.iter().all(|part| (0..SIDE as i32).contains(part));
        let [x, y, z] = at.map(|part| part as usize);
        inside && materials.is_opaque(material(x, y, z))
    };
    let side = SIDE as i32;
    let all = (0..side.pow(3)).map(|n| [n % side, n / side % side, n / side / side]);
    let open = |at: [i32; 3]| {
        let beside = |face: &Face| std::array::from_fn(|axis| at[axis] + face.step()[axis]);
        Face::ALL
            .iter()
            .filter(|face| !opaque(beside(face)))
            .count()
    };
    all.filter(|&at| opaque(at)).map(open).sum()
}

fn main() {
    let materials = MaterialTable::standard();
    let brick = Brick::new(Voxels::from_fn(material), &materials);
    // Chunks beside it hide the faces between. Here all around is air.
    let air = Brick::default();
    let around = Around::new(&brick, [&air; 6]);
    let (mut surface, mut scratch) = (RenderSurface::default(), MergeScratch::default());
    merge_render(&around, &mut surface, &mut scratch);
    let begun = Instant::now();
    merge_render(&around, &mut surface, &mut scratch);
    let merging = begun.elapsed();

    let begun = Instant::now();
    let [mut solid, mut clear] = [Mesh::default(), Mesh::default()];
    for (mesh, quads) in [
        (&mut solid, surface.opaque.quads()),
        (&mut clear, surface.transparent.quads()),
    ] {
        quads.iter().for_each(|&quad| mesh.push(quad));
    }
    let building = begun.elapsed();

    let area = |quad: &RenderQuad| (quad.width() * quad.height()) as usize;
    let covered: usize = surface.opaque.quads().iter().map(area).sum();
    assert_eq!(covered, open_sides(&materials), "every open side is drawn");
    for (name, mesh) in [("solid", &solid), ("clear", &clear)] {
        let (vertices, triangles) = (mesh.vertices.len(), mesh.indices.len() / 3);
        println!("{name}: {vertices} vertices, {triangles} triangles");
    }
    println!(
        "{covered} sides of solid voxels in {} quads",
        surface.opaque.quads().len()
    );
    println!("merged in {merging:?}, made into vertices in {building:?}");
    println!("first: {:?}", solid.vertices.first());
}
