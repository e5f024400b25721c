//! Shapes that fill little of their bounding box, above all slanting lines, touch only the chunks
//! that they reach.

use collision::{Cell, Position};
use nalgebra::{Point3, Vector3};
use world::{Author, Brush, CellBox, EditError, Material, Mode, World};

use crate::shapes::oracle;

fn at(x: f64, y: f64, z: f64) -> Position {
    Position::from_metres(Point3::new(x, y, z))
}

/// Returns cells in and beside a line.
fn cells_along(from: Position, to: Position) -> impl Iterator<Item = Cell> {
    let (from, to) = (from.to_metres(), to.to_metres());
    (0..6_000_u32).map(move |index| {
        let share = f64::from(index) / 6_000.0 * 1.02 - 0.01;
        let aside = [2_654_435_761, 2_246_822_519, 3_266_489_917_u32]
            .map(|turn| f64::from(index.wrapping_mul(turn) >> 20) / 512.0 - 4.0);
        let metres = from + (to - from) * share + Vector3::from(aside);
        metres.coords.map(|part| part.floor() as i32)
    })
}

#[test]
fn a_long_slanting_tunnel_touches_the_chunks_it_goes_through() {
    let [mut world, mut plain] = [World::generate(5), World::generate(5)];
    let before = world.loaded_chunks().count();
    let (from, to) = (at(-3.0, -1190.0, 7.0), at(1151.0, -35.0, 1162.0));
    let brush = Brush::line(from, to, 2.0);
    let report = world.edit(&brush, Mode::Set, Material::LAMP);
    assert_eq!((report.missed, &report.refused), (0, &None));
    let (came, changed) = (world.loaded_chunks().count() - before, report.chunks.len());
    assert!(
        changed > 100 && came < 300,
        "{came} came, {changed} changed"
    );
    let mut inside = [0; 2];
    for cell in cells_along(from, to) {
        let (is_in, slack) = oracle(&brush, cell);
        if slack > 1e-2 {
            let is_lamp = world.material(cell) == Some(Material::LAMP);
            assert_eq!(is_lamp, is_in, "{cell}");
            inside[usize::from(is_in)] += 1;
        }
    }
    assert!(inside.iter().all(|&count| count > 300), "{inside:?}");
    let undone = world.undo(Author::default()).unwrap();
    assert_eq!(undone.voxels, report.voxels);
    for cell in cells_along(from, to) {
        plain.load(&CellBox::new(cell, cell)).unwrap();
        let here = world.material(cell);
        assert!(here.is_none() || here == plain.material(cell), "{cell}");
    }
}

#[test]
fn a_wide_slanting_disc_reaches_all_its_cells() {
    let (mut world, radius, depth) = (World::default(), 560.0, 2.0);
    let normal = Vector3::new(0.2137, 1.0, -0.3071);
    let brush = Brush::plane(at(5.0, 6.0, 7.0), normal, radius, depth);
    let report = world.edit(&brush, Mode::Set, Material::LAMP);
    let volume = std::f64::consts::PI * f64::from(radius * radius * depth);
    assert_eq!(report.refused, None);
    assert!(
        (report.missed as f64 / volume - 1.0).abs() < 0.01,
        "{report:?}"
    );
}

#[test]
fn what_reaches_too_many_chunks_is_refused_at_once() {
    let far = 2e8;
    for brush in [
        Brush::line(at(-far, -far, -far), at(far, far, far), 3.0),
        Brush::sphere(at(0.0, 0.0, 0.0), 2e8),
        Brush::plane(at(0.0, 0.0, 0.0), Vector3::new(0.3, 1.0, 0.2), 2e8, 1.0),
        Brush::cells(Cell::repeat(i32::MIN), Cell::repeat(i32::MAX)),
    ] {
        let report = World::generate(5).edit(&brush, Mode::Carve, Material::AIR);
        let refused = matches!(report.refused, Some(EditError::TooLarge(_)));
        assert!(refused, "{brush:?}");
    }
}
