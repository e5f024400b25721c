//! Gathered candidates: a move ends with the same bits on merged chunks and on single voxels, and
//! sweeps stop where an `f64` measure of the depth in voxels says.

use collision::mover::{slide, walk};
use collision::{
    Around, Body, Cell, Memory, MoverConfig, Radii, Scratch, Terrain, VoxelTerrain, sweep_ellipsoid,
};
use collision_scenes::depth;
use nalgebra::Vector3;
use world::{Brick, Material, Voxels, World};

use crate::Target;
use crate::bytes::{Bytes, is_sound};
use crate::campaign::noise;

/// The target.
pub const TARGET: Target = Target {
    name: "gather",
    check,
    seeds: || noise(24, 500),
    longest: 640,
};

/// Voxels across the world, which is open at its sides to space that is not loaded.
const WIDE: i32 = 64;
/// Part of it that holds voxels of its own: about the corner where eight chunks meet.
const LOW: i32 = 26;
const HIGH: i32 = 38;
/// Largest distance between the stop of a sweep and the measure, in metres.
const CONTACT: f64 = 1.5e-4;
/// Moves of a body.
const MOVES: usize = 12;

const MATERIALS: [Material; 5] = [
    Material::AIR,
    Material::STONE,
    Material::STONE,
    Material::WATER,
    Material::LADDER,
];

/// Voxels in a plain array.
struct Plain {
    corner: Cell,
    cells: Vec<Material>,
    revision: u64,
}

impl Plain {
    fn index(&self, cell: Cell) -> Option<usize> {
        let at = cell.zip_map(&self.corner, i32::wrapping_sub);
        let inside = at.iter().all(|part| (0..WIDE).contains(part));
        inside.then(|| (at.x + WIDE * (at.y + WIDE * at.z)) as usize)
    }

    fn is(&self, cell: Cell, material: Material) -> bool {
        self.index(cell)
            .is_some_and(|index| self.cells[index] == material)
    }

    fn set(&mut self, cell: Cell, material: Material) {
        if let Some(index) = self.index(cell) {
            self.cells[index] = material;
            self.revision += 1;
        }
    }
}

impl collision::Voxels for &Plain {
    fn revision(&self) -> u64 {
        self.revision
    }

    fn is_solid(&self, cell: Cell) -> bool {
        self.is(cell, Material::STONE)
    }

    fn is_liquid(&self, cell: Cell) -> bool {
        self.is(cell, Material::WATER)
    }

    fn is_climbable(&self, cell: Cell) -> bool {
        self.is(cell, Material::LADDER)
    }

    fn is_loaded(&self, cell: Cell) -> bool {
        self.index(cell).is_some()
    }
}

/// Moves a body through voxels made of bytes, in both forms.
pub fn check(data: &[u8]) {
    let mut bytes = Bytes(data);
    let mut plain = build(&mut bytes);
    let corner = plain.corner;
    let mut world = world_of(&plain);
    let mut pair = [(), ()].map(|()| (Memory::default(), Scratch::default()));
    let mut body = body(&mut bytes, corner);
    let mut ground = None;
    for _ in 0..MOVES {
        if bytes.once_in(4) {
            let (cell, material) = (any_cell(&mut bytes, corner), bytes.one_of(&MATERIALS));
            world.write(|writer| {
                writer.set(cell, material);
            });
            plain.set(cell, material);
        }
        let (way, steps) = (bytes.within(-1.5, 1.5), bytes.once_in(2));
        let single = VoxelTerrain::new(&plain);
        check_sweep(&plain, [&world, &single], &body, &way);
        let measured = depth::Ellipsoid::of(&body);
        let overlaps = depth_in(&plain, &measured, &body, Vector3::zeros()) > CONTACT;
        let hostile = overlaps || !is_upright(&body);
        let config = MoverConfig::default();
        let [(first, scratch), (second, other)] = &mut pair;
        let mut twin = body;
        let reports = if steps {
            let around = Around::terrain(&world, &config);
            let on_world = walk(&around, &mut body, way, ground, first, scratch);
            let around = Around::terrain(&single, &config);
            [
                on_world,
                walk(&around, &mut twin, way, ground, second, other),
            ]
        } else {
            let around = Around::terrain(&world, &config);
            let on_world = slide(&around, &mut body, way, first, scratch);
            let around = Around::terrain(&single, &config);
            [on_world, slide(&around, &mut twin, way, second, other)]
        };
        let [on_world, on_voxels] = reports;
        assert!(is_sound(&body.position) && is_sound(&twin.position));
        let alike = body.position == twin.position;
        let told = || format!("{twin:?} after {way}: {on_world:?} {on_voxels:?}");
        assert!(alike || hostile, "{body:?}, {}", told());
        ground = on_world.ground;
    }
}

/// Returns whether the bits of a move are the same on both terrains. They are not for a tilted
/// body, whose squashed space rounds the corners of every feature.
fn is_upright(body: &Body) -> bool {
    body.up == Vector3::y()
}

/// Compares the sweeps on both terrains, and the first with the measure.
fn check_sweep(plain: &Plain, on: [&dyn Terrain; 2], body: &Body, way: &Vector3<f32>) {
    let [found, twin] = on.map(|terrain| sweep_ellipsoid(terrain, body, way));
    let measured = depth::Ellipsoid::of(body);
    let depth = |share: f64| depth_in(plain, &measured, body, way.cast::<f64>() * share);
    if depth(0.0) > 0.0 {
        return;
    }
    let place =
        |hit: Option<collision::SweepHit>| hit.map(|hit| (hit.time, hit.center, hit.normal));
    if is_upright(body) {
        assert_eq!(
            place(found),
            place(twin),
            "{body:?} {way}: {found:?} {twin:?}"
        );
    }
    let end = found.map_or(1.0, |hit| f64::from(hit.time));
    let deepest = (0..=16)
        .map(|step| depth(end * f64::from(step) / 16.0))
        .fold(-1.0, f64::max);
    assert!(
        deepest < CONTACT,
        "{deepest} m deep on the way to {found:?}"
    );
    let gap = -depth(end);
    assert!(found.is_none() || gap < CONTACT, "{gap} m before {found:?}");
}

/// Returns the depth of a body, moved by a way, in the voxels; negative is the gap, up to 5 cm.
fn depth_in(plain: &Plain, measured: &depth::Ellipsoid, body: &Body, way: Vector3<f64>) -> f64 {
    let base = body.position.cell;
    let at = body.position.offset.cast::<f64>() + way;
    let reach = measured.half().add_scalar(0.05);
    let low = (at - reach).map(|part| part.floor() as i32);
    let high = (at + reach).map(|part| part.floor() as i32);
    let mut deepest = -0.05;
    for z in low.z..=high.z {
        for y in low.y..=high.y {
            for x in low.x..=high.x {
                let step = Cell::new(x, y, z);
                let cell = base.zip_map(&step, i32::wrapping_add);
                if !plain.is_loaded(cell) || plain.is_solid(cell) {
                    let corner = step.cast::<f64>() - at;
                    deepest = measured.depth_in_box(&corner, &corner.add_scalar(1.0), deepest);
                }
            }
        }
    }
    deepest
}

impl Plain {
    fn is_loaded(&self, cell: Cell) -> bool {
        self.index(cell).is_some()
    }

    fn is_solid(&self, cell: Cell) -> bool {
        self.is(cell, Material::STONE)
    }
}

fn build(bytes: &mut Bytes<'_>) -> Plain {
    let corner = bytes.one_of(&[
        Cell::zeros(),
        Cell::new(-64, 32, -32),
        Cell::new(i32::MAX - 31, 0, i32::MIN),
        Cell::repeat(i32::MIN),
    ]);
    let mut plain = Plain {
        corner,
        cells: vec![Material::AIR; (WIDE * WIDE * WIDE) as usize],
        revision: 0,
    };
    for _ in 0..bytes.below(12) {
        let (from, to) = (any_cell(bytes, corner), any_cell(bytes, corner));
        let [from, to] = [from, to].map(|cell| cell.zip_map(&corner, i32::wrapping_sub));
        let (low, high, material) = (from.inf(&to), from.sup(&to), bytes.one_of(&MATERIALS));
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                for x in low.x..=high.x {
                    plain.cells[(x + WIDE * (y + WIDE * z)) as usize] = material;
                }
            }
        }
    }
    for _ in 0..bytes.below(64) {
        let (cell, material) = (any_cell(bytes, corner), bytes.one_of(&MATERIALS));
        plain.set(cell, material);
    }
    plain
}

/// Makes the world of eight chunks, which may lie on both sides of the ends of the cells.
fn world_of(plain: &Plain) -> World {
    let mut world = World::default();
    for number in 0..8 {
        let place = Cell::new(number & 1, number >> 1 & 1, number >> 2) * 32;
        let mut voxels = Voxels::uniform(Material::AIR);
        for cell in 0..32 * 32 * 32 {
            let at = Cell::new(cell & 31, cell >> 5 & 31, cell >> 10);
            let inside = place + at;
            let index = (inside.x + WIDE * (inside.y + WIDE * inside.z)) as usize;
            let [x, y, z] = [at.x, at.y, at.z].map(|part| part as usize);
            voxels.set(x, y, z, plain.cells[index]);
        }
        let chunk = plain
            .corner
            .zip_map(&place, i32::wrapping_add)
            .map(|part| part >> 5);
        let brick = Brick::new(voxels, world.materials());
        world.insert_brick(chunk, brick);
    }
    world
}

fn any_cell(bytes: &mut Bytes<'_>, corner: Cell) -> Cell {
    let part = |part: i32| part.wrapping_add(LOW + i32::from(bytes.byte()) % (HIGH - LOW));
    corner.map(part)
}

fn body(bytes: &mut Bytes<'_>, corner: Cell) -> Body {
    let up = bytes.within(-1.0, 1.0).try_normalize(1e-3);
    let middle = collision::Position::new(corner, Vector3::repeat(LOW as f32));
    let (across, along) = bytes.one_of(&[(0.4, 0.9), (0.3, 0.6), (1.4, 1.4), (2.5, 0.7)]);
    Body {
        position: middle.moved(bytes.within(0.0, (HIGH - LOW) as f32)),
        radii: Radii::new(across, along),
        up: up.filter(|_| bytes.once_in(4)).unwrap_or(Vector3::y()),
    }
}
