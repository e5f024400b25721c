//! Merged surfaces against brute force: they cover exactly the exposed faces, and those of edited
//! worlds and of chunks that come in any order equal those merged from scratch.

use collision::Cell;
use world::{Brick, BrickId, CellBox, Face, Material, MaterialTable, RenderQuad, World};

use crate::Target;
use crate::bytes::Bytes;
use crate::campaign::noise;

/// The target.
pub const TARGET: Target = Target {
    name: "merge",
    check,
    seeds: || noise(24, 240),
    longest: 512,
};

const SIDE: i32 = 64;

/// Builds a world of 2 x 2 x 2 chunks from bytes, edits it, and compares.
pub fn check(data: &[u8]) {
    let mut bytes = Bytes(data);
    let mut plain = build(&mut bytes);
    let fresh = world_of(&plain);
    check_order(&fresh, bytes.long());
    let mut world = fresh;
    for _ in 0..bytes.below(12) {
        let (largest, most) = bytes.one_of(&[(1, 1), (1, 1), (6, 4)]);
        let fills: Vec<Fill> = (0..=bytes.below(most))
            .map(|_| Fill::read(&mut bytes, largest))
            .collect();
        edit(&mut world, &mut plain, &fills);
    }
    check_covers(&plain, &world);
    check_equal(&world, &world_of(&plain));
}

/// Loads the chunks of a world in another order, and one again.
fn check_order(fresh: &World, order: u64) {
    let mut world = World::default();
    let mut chunks: Vec<(Cell, BrickId)> = fresh.loaded_chunks().collect();
    chunks.sort_by_key(|(chunk, _)| (order >> (chunk.x + 2 * chunk.y + 4 * chunk.z)) & 0xff);
    let copy = |id| Brick::new(fresh.brick(id).voxels().clone(), fresh.materials());
    for &(chunk, id) in &chunks {
        world.insert_brick(chunk, copy(id));
    }
    check_equal(&world, fresh);
    let (gone, id) = chunks[0];
    world.remove_brick(gone);
    world.insert_brick(gone, copy(id));
    check_equal(&world, fresh);
}

struct Fill {
    min: [i32; 3],
    size: [i32; 3],
    material: Material,
}

impl Fill {
    /// Reads a box, often about the corner where eight chunks meet.
    fn read(bytes: &mut Bytes<'_>, largest: i32) -> Self {
        let mut place = || match i32::from(bytes.byte()) {
            far @ 0..128 => far % SIDE,
            near => 28 + near % 8,
        };
        Self {
            min: [place(), place(), place()],
            size: [(); 3].map(|()| 1 + i32::from(bytes.byte()) % largest),
            material: bytes.one_of(&MATERIALS),
        }
    }
}

const MATERIALS: [Material; 14] = [
    Material::STONE,
    Material::STONE,
    Material::STONE,
    Material::STONE,
    Material::GRASS,
    Material::GRASS,
    Material::DIRT,
    Material::AIR,
    Material::AIR,
    Material::AIR,
    Material::AIR,
    Material::WATER,
    Material::LEAVES,
    Material::LAVA,
];

fn cells(fill: &Fill) -> impl Iterator<Item = Cell> + use<> {
    let (min, max): ([i32; 3], [i32; 3]) = (
        fill.min,
        std::array::from_fn(|axis| (fill.min[axis] + fill.size[axis]).min(SIDE)),
    );
    (min[2]..max[2]).flat_map(move |z| {
        (min[1]..max[1]).flat_map(move |y| (min[0]..max[0]).map(move |x| Cell::new(x, y, z)))
    })
}

fn place(cell: Cell) -> Option<usize> {
    let inside = cell.iter().all(|&c| (0..SIDE).contains(&c));
    inside.then(|| (cell.x + SIDE * (cell.y + SIDE * cell.z)) as usize)
}

fn index_of(cell: Cell) -> usize {
    place(cell).expect("it is inside")
}

/// The expected voxels in a plain array. Outside of it no chunk is loaded.
struct Plain {
    cells: Vec<Material>,
    table: MaterialTable,
}

impl Plain {
    fn get(&self, cell: Cell) -> Option<Material> {
        place(cell).map(|index| self.cells[index])
    }

    fn solid(&self, cell: Cell) -> bool {
        self.get(cell)
            .is_none_or(|material| self.table.is_solid(material))
    }

    fn opaque(&self, cell: Cell) -> bool {
        self.get(cell)
            .is_none_or(|material| self.table.is_opaque(material))
    }

    fn clear(&self, cell: Cell) -> bool {
        self.get(cell)
            .is_some_and(|material| self.table.is_seen(material) && !self.table.is_opaque(material))
    }
}

fn build(bytes: &mut Bytes<'_>) -> Plain {
    let noise = bytes.one_of(&[0, 0, 0, 0, 0, 0, 2, 2, 30]);
    let mut cells_of = vec![Material::AIR; (SIDE * SIDE * SIDE) as usize];
    for _ in 0..=bytes.below(9) {
        let fill = Fill::read(bytes, 40);
        for cell in cells(&fill) {
            cells_of[index_of(cell)] = fill.material;
        }
    }
    let mut state = 0x1234_5678_u32;
    for cell in &mut cells_of {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if (state >> 16) % 100 < noise {
            *cell = [
                Material::AIR,
                Material::STONE,
                Material::SAND,
                Material::WATER,
            ][(state >> 12 & 3) as usize];
        }
    }
    Plain {
        cells: cells_of,
        table: MaterialTable::standard(),
    }
}

fn world_of(plain: &Plain) -> World {
    let bounds = CellBox::new(Cell::zeros(), Cell::repeat(SIDE - 1));
    World::from_voxels(bounds, |cell| plain.get(cell).expect("it is inside"))
}

/// Returns the collision faces by lowest cell and direction.
fn collision_faces(world: &World) -> Faces<u32> {
    let mut faces = Faces::new();
    for (chunk, id) in world.loaded_chunks() {
        let surface = world.brick(id).collision_surface();
        let mut seen = 0;
        for face in Face::ALL {
            for layer in 0..32 {
                for quad in surface.plane(face, layer) {
                    assert_eq!(
                        (quad.face(), quad.layer() as usize),
                        (face, layer),
                        "quad in the wrong plane"
                    );
                    seen += 1;
                    let (axis, u, v) = (face.axis(), (face.axis() + 1) % 3, (face.axis() + 2) % 3);
                    for i in 0..quad.width() {
                        for j in 0..quad.height() {
                            let mut cell = chunk * 32;
                            cell[axis] += layer as i32;
                            cell[u] += (quad.u() + i) as i32;
                            cell[v] += (quad.v() + j) as i32;
                            assert!(faces.insert(cell, face, 1).is_none(), "two quads overlap");
                        }
                    }
                }
            }
        }
        assert_eq!(seen, surface.quads().len(), "planes cover all quads");
    }
    faces
}

/// A value for each face of each cell.
struct Faces<T> {
    held: Vec<Option<T>>,
    count: usize,
}

impl<T: Copy> Faces<T> {
    fn new() -> Self {
        Self {
            held: vec![None; 6 * (SIDE * SIDE * SIDE) as usize],
            count: 0,
        }
    }

    fn insert(&mut self, cell: Cell, face: Face, what: T) -> Option<T> {
        self.count += 1;
        self.held[index_of(cell) * 6 + face as usize].replace(what)
    }

    fn remove(&mut self, cell: Cell, face: Face) -> Option<T> {
        let held = self.held[index_of(cell) * 6 + face as usize].take();
        self.count -= usize::from(held.is_some());
        held
    }
}

fn render_faces(world: &World, quads: impl Fn(BrickId) -> Vec<RenderQuad>) -> Faces<Material> {
    let mut faces = Faces::new();
    for (chunk, id) in world.loaded_chunks() {
        for quad in quads(id) {
            let face = quad.face();
            let (u, v) = ((face.axis() + 1) % 3, (face.axis() + 2) % 3);
            for i in 0..quad.width() {
                for j in 0..quad.height() {
                    let mut cell = chunk * 32 + Cell::from(quad.voxel().map(|c| c as i32));
                    cell[u] += i as i32;
                    cell[v] += j as i32;
                    let old = faces.insert(cell, face, quad.material());
                    assert!(old.is_none(), "two quads overlap at {cell:?} {face:?}");
                }
            }
        }
    }
    faces
}

fn check_covers(plain: &Plain, world: &World) {
    let mut solid = collision_faces(world);
    let mut opaque = render_faces(world, |id| {
        world.brick(id).render_surface().opaque.quads().to_vec()
    });
    let mut clear = render_faces(world, |id| {
        world
            .brick(id)
            .render_surface()
            .transparent
            .quads()
            .to_vec()
    });
    for z in 0..SIDE {
        for y in 0..SIDE {
            for x in 0..SIDE {
                let cell = Cell::new(x, y, z);
                let material = plain.get(cell).expect("it is inside");
                // A voxel among equal ones has no exposed face.
                let alike = |face: &Face| plain.get(cell + face.step()) == Some(material);
                if material == Material::AIR || Face::ALL.iter().all(alike) {
                    continue;
                }
                let (is_solid, is_opaque, is_clear) =
                    (plain.solid(cell), plain.opaque(cell), plain.clear(cell));
                for face in Face::ALL {
                    let front = cell + face.step();
                    if is_solid && !plain.solid(front) {
                        assert_eq!(
                            solid.remove(cell, face),
                            Some(1),
                            "solid face at {cell:?} {face:?}"
                        );
                    }
                    let hidden = plain.opaque(front);
                    if is_opaque && !hidden {
                        let drawn = opaque
                            .remove(cell, face)
                            .expect("an opaque face is missing");
                        assert_eq!(drawn, material);
                    }
                    if is_clear && !hidden && plain.get(front) != Some(material) {
                        let drawn = clear
                            .remove(cell, face)
                            .expect("a transparent face is missing");
                        assert_eq!(drawn, material);
                    }
                }
            }
        }
    }
    assert!(
        solid.count + opaque.count + clear.count == 0,
        "faces where none belong"
    );
}

fn check_equal(edited: &World, fresh: &World) {
    for (chunk, id) in edited.loaded_chunks() {
        let (ours, theirs) = (
            edited.brick(id),
            fresh.brick(fresh.brick_at(chunk).expect("it is loaded")),
        );
        assert!(ours.voxels() == theirs.voxels(), "voxels of {chunk:?}");
        assert_eq!(ours.occupancy(), theirs.occupancy());
        assert_eq!(ours.opaque_bits(), theirs.opaque_bits());
        assert_eq!(ours.clear_bits(), theirs.clear_bits());
        assert_eq!(
            ours.collision_surface().quads(),
            theirs.collision_surface().quads()
        );
        assert_eq!(
            ours.render_surface().opaque.quads(),
            theirs.render_surface().opaque.quads()
        );
        assert_eq!(
            ours.render_surface().transparent.quads(),
            theirs.render_surface().transparent.quads()
        );
    }
}

fn edit(world: &mut World, plain: &mut Plain, fills: &[Fill]) {
    let before = world.revision();
    let report = world.write(|writer| {
        for fill in fills {
            for cell in cells(fill) {
                writer.set(cell, fill.material);
            }
        }
    });
    for cell in fills
        .iter()
        .flat_map(|fill| cells(fill).map(move |cell| (cell, fill.material)))
    {
        plain.cells[index_of(cell.0)] = cell.1;
    }
    assert_eq!(report.missed, 0);
    assert_eq!(world.revision() > before, report.voxels > 0);
    let changed: Vec<BrickId> = world.changes_since(before).collect();
    assert!(report.touched.iter().all(|id| changed.contains(id)));
}
