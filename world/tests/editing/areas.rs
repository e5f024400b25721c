//! Floods against a relaxation of labels; rotated, mirrored and pasted copies against matrices.

use std::collections::BTreeSet;

use collision::Cell;
use nalgebra::{Matrix3, Vector3};
use proptest::prelude::*;
use world::clipboard::PasteMode;
use world::{Author, Axis, CellBox, Clipboard, Material, World};

/// The size of the maze, inside two chunks side by side.
const WIDE: i32 = 48;
const HIGH: i32 = 6;

fn maze(seed: u64, density: u64, cell: Cell) -> Material {
    let inside = cell.x >= 8 && cell.x < 8 + WIDE && cell.y.max(cell.z) < HIGH;
    let bits = (cell.x * 961 + cell.y * 31 + cell.z) as u64;
    let bits = (bits ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let wall = (bits ^ (bits >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56 < density;
    if inside && !wall {
        Material::AIR
    } else {
        Material::STONE
    }
}

fn cells_of_maze() -> impl Iterator<Item = Cell> {
    let count = WIDE * HIGH * HIGH;
    (0..count).map(|at| Cell::new(8 + at % WIDE, at / WIDE % HIGH, at / WIDE / HIGH))
}

/// Returns the air connected to a cell: every label is lowered to that of a lower neighbour until
/// none changes.
fn region(seed: u64, density: u64, start: Cell) -> BTreeSet<[i32; 3]> {
    let place = |cell: Cell| (cell.x - 8 + WIDE * (cell.y + HIGH * cell.z)) as usize;
    let open = |cell: Cell| {
        let within = cell.x >= 8 && cell.x < 8 + WIDE;
        let within = within && (0..HIGH).contains(&cell.y) && (0..HIGH).contains(&cell.z);
        within && maze(seed, density, cell) == Material::AIR
    };
    let mut colours: Vec<usize> = cells_of_maze().map(place).collect();
    loop {
        let before = colours.clone();
        for cell in cells_of_maze().filter(|&cell| open(cell)) {
            for axis in 0..3 {
                let mut next = cell;
                next[axis] += 1;
                if open(next) {
                    let lower = colours[place(cell)].min(colours[place(next)]);
                    colours[place(cell)] = lower;
                    colours[place(next)] = lower;
                }
            }
        }
        if colours == before {
            break;
        }
    }
    let same = |cell: &Cell| open(*cell) && colours[place(*cell)] == colours[place(start)];
    cells_of_maze()
        .filter(same)
        .map(|cell| cell.into())
        .collect()
}

fn pattern(seed: u64, at: Vector3<u32>) -> Material {
    let bits = u64::from(at.x * 961 + at.y * 31 + at.z) ^ seed;
    Material((bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60) as u16 % 5)
}

fn voxels(size: Vector3<u32>) -> impl Iterator<Item = Vector3<u32>> {
    (0..size.product())
        .map(move |at| Vector3::new(at % size.x, at / size.x % size.y, at / (size.x * size.y)))
}

/// Returns the place of a voxel after its box was transformed by a matrix about its centre.
fn image(at: Vector3<u32>, size: Vector3<u32>, matrix: &Matrix3<i32>) -> Vector3<u32> {
    // In half voxels, so that centres are whole numbers.
    let from_middle = at.map(|part| 2 * part as i32 + 1) - size.map(|side| side as i32);
    let new_size = (matrix * size.map(|side| side as i32)).abs();
    (matrix * from_middle + new_size).map(|part| (part - 1) as u32 / 2)
}

/// Returns a quarter turn, counter-clockwise seen from the tip of the axis (right-handed).
fn quarter(axis: Axis) -> Matrix3<i32> {
    match axis {
        Axis::X => Matrix3::new(1, 0, 0, 0, 0, -1, 0, 1, 0),
        Axis::Y => Matrix3::new(0, 0, 1, 0, 1, 0, -1, 0, 0),
        Axis::Z => Matrix3::new(0, -1, 0, 1, 0, 0, 0, 0, 1),
    }
}

fn mirror(axis: Axis) -> Matrix3<i32> {
    let mut sides = Vector3::repeat(1);
    sides[axis.index()] = -1;
    Matrix3::from_diagonal(&sides)
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(256)
    })]

    #[test]
    fn floods_fill_what_hangs_together(
        seed: u64,
        density in 40u64..200,
        start in 0..WIDE * HIGH * HIGH,
        limit in 1usize..400,
    ) {
        let start = cells_of_maze().nth(start as usize).unwrap();
        let bounds = CellBox::new(Cell::zeros(), Cell::new(63, 31, 31));
        let fresh = || World::from_voxels(bounds, |cell| maze(seed, density, cell));
        let mut world = fresh();
        if maze(seed, density, start) != Material::AIR {
            return Ok(());
        }
        let region = region(seed, density, start);
        let filled = |world: &World| -> BTreeSet<[i32; 3]> {
            let wet = |cell: &Cell| world.material(*cell) == Some(Material::WATER);
            cells_of_maze().filter(wet).map(|cell| cell.into()).collect()
        };
        let report = world.flood_fill(Author(1), start, Material::WATER, usize::MAX);
        prop_assert_eq!((report.voxels as usize, report.limited), (region.len(), false));
        prop_assert_eq!(&filled(&world), &region);
        // With a limit the result is a part of the region that contains the start.
        let mut world = fresh();
        let report = world.flood_fill(Author(1), start, Material::WATER, limit);
        prop_assert_eq!(report.voxels as usize, limit.min(region.len()));
        prop_assert_eq!(report.limited, limit < region.len());
        let part = filled(&world);
        prop_assert_eq!(part.len(), limit.min(region.len()));
        prop_assert!(part.is_subset(&region) && part.contains::<[i32; 3]>(&start.into()));
    }

    #[test]
    fn copies_turn_and_mirror_as_matrices_do(size in [1u32..9, 1u32..9, 1u32..9], seed: u64) {
        let size = Vector3::from(size);
        let copy = Clipboard::from_fn(size, |at| pattern(seed, at)).unwrap();
        for axis in [Axis::X, Axis::Y, Axis::Z] {
            let cases = [(copy.rotated(axis), quarter(axis)), (copy.mirrored(axis), mirror(axis))];
            for (changed, matrix) in cases {
                let new_size = (matrix * size.map(|side| side as i32)).abs();
                prop_assert_eq!(changed.size().map(|side| side as i32), new_size);
                for at in voxels(size) {
                    let there = image(at, size, &matrix);
                    prop_assert_eq!(changed.get(there), pattern(seed, at), "{:?} {:?}", axis, at);
                }
            }
        }
    }

    #[test]
    fn copies_are_put_down_voxel_by_voxel(
        size in [1u32..40, 1u32..9, 1u32..9],
        seed: u64,
        at in [-30i32..30, -30..30, -30..30],
        all: bool,
    ) {
        let (size, at) = (Vector3::from(size), Cell::from(at));
        let ground = |cell: Cell| pattern(!seed, cell.map(|part| (part + 64) as u32 / 2));
        let bounds = CellBox::new(Cell::repeat(-64), Cell::repeat(95));
        let mut world = World::from_voxels(bounds, ground);
        let copy = Clipboard::from_fn(size, |at| pattern(seed, at)).unwrap();
        let mode = if all { PasteMode::All } else { PasteMode::SkipAir };
        let report = world.paste(Author(1), &copy, at, mode);
        let mut changed = 0;
        let about = voxels(size.add_scalar(2)).map(|step| at + step.map(|part| part as i32 - 1));
        for cell in about {
            let step = cell - at;
            let inside = (0..3).all(|axis| (0..size[axis] as i32).contains(&step[axis]));
            let put = inside.then(|| pattern(seed, step.map(|part| part as u32)));
            let put = put.filter(|&material| all || material != Material::AIR);
            let wanted = put.unwrap_or(ground(cell));
            prop_assert_eq!(world.material(cell), Some(wanted), "{:?}", cell);
            changed += u64::from(wanted != ground(cell));
        }
        prop_assert_eq!((report.voxels, report.missed), (changed, 0));
        // A copy equals the voxels it was taken from.
        let taken = world.copy(&CellBox::new(at, at + size.map(|side| side as i32 - 1))).unwrap();
        for step in voxels(size) {
            let there = world.material(at + step.cast::<i32>());
            prop_assert_eq!(Some(taken.get(step)), there);
        }
    }
}
