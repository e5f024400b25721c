//! Merged surfaces against brute force: they cover exactly the exposed faces, and edited ones equal
//! new ones.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use world::{Brick, BrickId, CellBox, Face, Material, MaterialTable, RenderQuad, Voxels, World};

type Cell = nalgebra::Vector3<i32>;

const SIDE: i32 = 64;

#[derive(Clone, Debug)]
struct Fill {
    min: [i32; 3],
    size: [i32; 3],
    material: Material,
}

fn material() -> impl Strategy<Value = Material> {
    prop_oneof![
        4 => Just(Material::STONE),
        2 => Just(Material::GRASS),
        1 => Just(Material::DIRT),
        4 => Just(Material::AIR),
        1 => Just(Material::WATER),
        1 => Just(Material::LEAVES),
        1 => Just(Material::LAVA),
    ]
}

/// Makes large and small boxes, many about the corner where eight chunks meet.
fn fill(largest: i32) -> impl Strategy<Value = Fill> {
    let place = prop_oneof![3 => 0..SIDE, 2 => 28..36];
    let size = 1..=largest;
    let three = |of: proptest::strategy::BoxedStrategy<i32>| [of.clone(), of.clone(), of];
    (three(place.boxed()), three(size.boxed()), material()).prop_map(|(min, size, material)| Fill {
        min,
        size,
        material,
    })
}

#[derive(Clone, Debug)]
struct Case {
    build: Vec<Fill>,
    noise: u32,
    edits: Vec<Vec<Fill>>,
}

fn case() -> impl Strategy<Value = Case> {
    let edit = prop_oneof![
        3 => proptest::collection::vec(fill(1), 1..2),
        1 => proptest::collection::vec(fill(6), 1..5),
    ];
    (
        proptest::collection::vec(fill(40), 1..10),
        prop_oneof![8 => Just(0u32), 2 => Just(2), 1 => Just(30)],
        proptest::collection::vec(edit, 0..12),
    )
        .prop_map(|(build, noise, edits)| Case {
            build,
            noise,
            edits,
        })
}

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

fn build(case: &Case) -> Plain {
    let mut cells_of = vec![Material::AIR; (SIDE * SIDE * SIDE) as usize];
    for fill in &case.build {
        for cell in cells(fill) {
            cells_of[place(cell).unwrap()] = fill.material;
        }
    }
    let mut state = 0x1234_5678_u32;
    for cell in &mut cells_of {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if (state >> 16) % 100 < case.noise {
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
    World::from_voxels(bounds, |cell| plain.get(cell).unwrap())
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
        self.held[place(cell).unwrap() * 6 + face as usize].replace(what)
    }

    fn remove(&mut self, cell: Cell, face: Face) -> Option<T> {
        let held = self.held[place(cell).unwrap() * 6 + face as usize].take();
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
                let material = plain.get(cell).unwrap();
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
            fresh.brick(fresh.brick_at(chunk).unwrap()),
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
        plain.cells[place(cell.0).unwrap()] = cell.1;
    }
    assert_eq!(report.missed, 0);
    assert_eq!(world.revision() > before, report.voxels > 0);
    let changed: Vec<BrickId> = world.changes_since(before).collect();
    assert!(report.touched.iter().all(|id| changed.contains(id)));
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(256)
    })]

    #[test]
    fn quads_tile_exactly_the_exposed_faces(case in case()) {
        let mut plain = build(&case);
        let mut world = world_of(&plain);
        for fills in &case.edits {
            edit(&mut world, &mut plain, fills);
        }
        check_covers(&plain, &world);
    }

    #[test]
    fn edited_surface_equals_one_merged_from_scratch(case in case()) {
        let mut plain = build(&case);
        let mut world = world_of(&plain);
        for fills in &case.edits {
            edit(&mut world, &mut plain, fills);
        }
        check_equal(&world, &world_of(&plain));
    }

    #[test]
    fn loading_in_any_order_gives_the_same_surface(case in case(), order in any::<u64>()) {
        let plain = build(&case);
        let fresh = world_of(&plain);
        let mut world = World::default();
        let mut chunks: Vec<(Cell, BrickId)> = fresh.loaded_chunks().collect();
        chunks.sort_by_key(|(chunk, _)| (order >> (chunk.x + 2 * chunk.y + 4 * chunk.z)) & 0xff);
        for &(chunk, id) in &chunks {
            let voxels = fresh.brick(id).voxels().clone();
            world.insert_brick(chunk, world::Brick::new(voxels, fresh.materials()));
        }
        check_equal(&world, &fresh);
        let (gone, id) = chunks[0];
        world.remove_brick(gone);
        let voxels = fresh.brick(id).voxels().clone();
        world.insert_brick(gone, world::Brick::new(voxels, fresh.materials()));
        check_equal(&world, &fresh);
    }
}

#[test]
fn neighbours_whose_faces_stay_do_not_change() {
    let bounds = CellBox::new(Cell::zeros(), Cell::new(63, 31, 31));
    for materials in [1, 6] {
        let mut world = World::from_voxels(bounds, |cell| match cell.x {
            ..32 => Material(Material::STONE.0 + (cell.y + cell.z) as u16 % materials),
            _ => Material::AIR,
        });
        let wall = world.brick_at(Cell::zeros()).unwrap();
        let before = world.revision();
        world.write(|writer| {
            for y in 8..10 {
                writer.set(Cell::new(32, y, 8), Material::WATER);
            }
        });
        let changed: Vec<BrickId> = world.changes_since(before).collect();
        assert!(!changed.contains(&wall), "{materials} materials");
    }
}

#[test]
fn a_brick_that_comes_changes_those_it_shares_a_face_with() {
    let mut world = World::default();
    let first = world.insert_brick(Cell::zeros(), Brick::default());
    for (chunk, is_beside) in [([1, 1, 0], false), ([1, 1, 1], false), ([1, 0, 0], true)] {
        let before = world.revision();
        let brick = Brick::new(Voxels::uniform(Material::STONE), world.materials());
        world.insert_brick(Cell::from(chunk), brick);
        let changed = world.changes_since(before).any(|id| id == first);
        assert_eq!(changed, is_beside, "{chunk:?}");
    }
}
