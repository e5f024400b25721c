//! Invalid input causes no panic and no endless loop, and puts no invalid position into the world.
#![allow(clippy::unwrap_used)]

use collision::{Candidates, Cell, Memory, Plane, Position, Reach, Terrain};
use nalgebra::{Point3, Vector3};
use proptest::prelude::*;
use world::clipboard::PasteMode;
use world::{
    Author, Axis, Brush, CellBox, Clipboard, Frustum, Material, Mode, ObjectError, Ray,
    StreamSettings, Viewer, World,
};

/// Makes numbers that often cause errors, and any others.
fn number() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => prop::sample::select(vec![
            f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, f32::MIN_POSITIVE,
            0.0, -0.0, 1e-30, 1.0, -1.0, 40.0,
            1e5, 8_388_608.0, 2.147_483_6e9, -2.147_483_6e9,
        ]),
        1 => any::<u32>().prop_map(f32::from_bits),
        2 => -60.0f32..60.0,
    ]
}

fn whole() -> impl Strategy<Value = i32> {
    prop_oneof![
        2 => prop::sample::select(vec![
            i32::MIN, i32::MIN + 1, i32::MAX - 1, i32::MAX, 0, -1, 31, 32,
        ]),
        2 => -70..70i32,
        1 => any::<i32>(),
    ]
}

fn cell() -> impl Strategy<Value = Cell> {
    [whole(), whole(), whole()].prop_map(Cell::from)
}

fn numbers() -> impl Strategy<Value = Vector3<f32>> {
    [number(), number(), number()].prop_map(Vector3::from)
}

/// Makes positions, including invalid ones that [`Position::new`] cannot return.
fn position() -> impl Strategy<Value = Position> {
    (cell(), numbers()).prop_map(|(cell, offset)| Position { cell, offset })
}

fn axis() -> impl Strategy<Value = Axis> {
    prop::sample::select(vec![Axis::X, Axis::Y, Axis::Z])
}

fn brush() -> impl Strategy<Value = Brush> {
    prop_oneof![
        (position(), number()).prop_map(|(center, radius)| Brush::Sphere { center, radius }),
        (cell(), cell()).prop_map(|(from, to)| Brush::Box { from, to }),
        (position(), axis(), number(), number()).prop_map(|(base, axis, radius, height)| {
            Brush::Cylinder {
                base,
                axis,
                radius,
                height,
            }
        }),
        (position(), numbers(), number(), number())
            .prop_map(|(at, normal, radius, depth)| Brush::plane(at, normal, radius, depth)),
        (position(), position(), number())
            .prop_map(|(from, to, radius)| Brush::line(from, to, radius)),
    ]
}

fn mode() -> impl Strategy<Value = Mode> {
    prop::sample::select(vec![
        Mode::Add,
        Mode::Carve,
        Mode::Paint,
        Mode::Set,
        Mode::Smooth,
        Mode::Replace(Material::STONE),
    ])
}

/// Makes ground about the origin and at the ends of the cell coordinates.
fn world() -> World {
    let ground = |cell: Cell| {
        if cell.y.rem_euclid(64) < 16 {
            Material::STONE
        } else {
            Material::AIR
        }
    };
    let mut world = World::from_voxels(CellBox::new(Cell::repeat(-32), Cell::repeat(31)), ground);
    for corner in [Cell::repeat(i32::MIN >> 5), Cell::repeat(i32::MAX >> 5)] {
        world.insert_brick(corner, world::Brick::default());
    }
    for cell in [0, i32::MIN + 3, i32::MAX - 3] {
        let at = Position::new(Cell::repeat(cell), Vector3::zeros());
        let added = world.add_object(at, 0.5, Vector3::repeat(20), |_| Material::BRICK);
        added.unwrap();
    }
    world
}

fn is_place(position: &Position) -> bool {
    position.offset.iter().all(|part| (0.0..1.0).contains(part))
}

/// Returns the number of voxels of the world that are not air.
fn voxels(world: &World) -> usize {
    let count = |id| {
        let mut all = Vec::new();
        world.brick(id).voxels().read_all(&mut all);
        all.iter()
            .filter(|&&material| material != Material::AIR)
            .count()
    };
    world.brick_ids().map(count).sum()
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(512)
    })]

    #[test]
    fn any_brush_is_refused_or_does_what_it_reports(brush in brush(), mode in mode(), what: u16) {
        let mut world = world();
        let before = voxels(&world);
        let report = world.edit_as(Author(1), &brush, mode, Material(what % 40));
        prop_assert!(report.refused.is_none() || report.voxels == 0);
        prop_assert_eq!(report.sequence.is_some(), report.voxels > 0);
        if report.voxels > 0 {
            world.undo(Author(1)).unwrap();
        }
        prop_assert_eq!(voxels(&world), before);
    }

    #[test]
    fn any_area_is_refused_or_done(
        from in cell(),
        to in cell(),
        size in [0u32..40, 0u32..40, 0u32..40],
        limit in prop::sample::select(vec![0, 1, 5_000, usize::MAX]),
    ) {
        let mut world = world();
        let copied = world.copy(&CellBox::new(from, to));
        prop_assert!(
            copied.is_err()
                || world.material(from).is_some()
                || copied.unwrap().size().min() == 0
        );
        let copy = Clipboard::from_fn(Vector3::from(size), |_| Material::LAMP).unwrap();
        for mode in [PasteMode::All, PasteMode::SkipAir] {
            let report = world.paste(Author(1), &copy, from, mode);
            prop_assert!(report.voxels + report.missed <= u64::from(size.iter().product::<u32>()));
        }
        let report = world.flood_fill(Author(1), to, Material::GOLD, limit);
        prop_assert!(report.voxels <= limit as u64);
        world.set_voxel(to, Material::LAMP);
        let loaded = world.load(&CellBox::new(from, to));
        prop_assert!(loaded.is_ok_and(|count| count == 0) || from != to);
    }

    #[test]
    fn only_objects_with_a_place_get_into_the_world(
        origin in position(),
        voxel_size in number(),
        extent in [0u32..300, 0u32..4, 0u32..4],
        way in numbers(),
    ) {
        let mut world = world();
        let extent = Vector3::from(extent);
        match world.add_object_as(Author(1), origin, voxel_size, extent, |_| Material::LAMP) {
            Ok(added) => {
                prop_assert!(is_place(&origin) && (0.05..=4.0).contains(&voxel_size));
                prop_assert!(extent.iter().all(|side| (1..=256).contains(side)));
                prop_assert_eq!(world.undo(Author(1)).unwrap().gone, Some(added.id));
            }
            Err(ObjectError::Place) => prop_assert!(!is_place(&origin)),
            Err(ObjectError::VoxelSize(_)) => prop_assert!(!(0.05..=4.0).contains(&voxel_size)),
            Err(ObjectError::Extent(..)) => prop_assert!(extent.min() == 0 || extent.max() > 256),
        }
        let (id, object) = world.objects().next().unwrap();
        let before = *object.origin();
        let moved = world.move_object(id, way);
        let after = *world.object(id).unwrap().origin();
        prop_assert!(is_place(&after));
        prop_assert_eq!(moved, way.iter().all(|part| part.is_finite()));
        prop_assert!(moved || after == before);
    }

    #[test]
    fn any_query_ends(
        origin in position(),
        direction in numbers(),
        reach in number(),
        planes in [
            [number(), number(), number(), number()],
            [number(), number(), number(), number()],
        ],
        from in cell(),
        to in cell(),
    ) {
        let world = world();
        let ray = Ray { origin, direction };
        let picks = [world.cast_ray(&ray, reach), world.cast_ray_where(&ray, reach, |_| true)];
        for pick in picks.into_iter().flatten() {
            prop_assert!(pick.distance <= f64::from(reach));
        }
        let planes = planes.map(|[x, y, z, distance]| Plane {
            normal: Vector3::new(x, y, z),
            distance,
        });
        let frustum = Frustum { base: from, planes: std::array::from_fn(|side| planes[side % 2]) };
        world.visit_frustum(&frustum, |_| ());
        let mut found = 0;
        world.visit_box(&CellBox::new(from, to), |_| found += 1);
        prop_assert!(found <= world.brick_ids().count() + 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(24)
    })]

    #[test]
    fn any_viewer_is_streamed_for(position in position(), look in numbers(), reach in number()) {
        let mut world = World::generate(3);
        let viewer = Viewer { position, look, reach };
        let settings = StreamSettings { memory: 8 << 20, ..StreamSettings::default() };
        for _ in 0..4 {
            let report = world.stream(&[viewer], &settings);
            prop_assert!(!report.reach.is_nan());
        }
    }
}

#[test]
fn a_box_without_voxels_takes_no_time() {
    for size in [
        [0, 1, u32::MAX],
        [u32::MAX, 0, u32::MAX],
        [u32::MAX, u32::MAX, 0],
    ] {
        let copy = Clipboard::from_fn(size.into(), |_| Material::STONE).unwrap();
        assert_eq!(
            copy.rotated(Axis::X)
                .mirrored(Axis::Y)
                .get(Vector3::zeros()),
            Material::AIR
        );
    }
    let far = Position::from_metres(Point3::origin());
    assert!(
        world()
            .add_object(far, 1.0, Vector3::repeat(u32::MAX), |_| Material::STONE)
            .is_err()
    );
}

#[test]
fn viewers_at_the_ends_of_the_cells_are_streamed_for() {
    for y in [i32::MIN, -1_000_000, 1_000_000, i32::MAX] {
        for x in [0, i32::MIN, i32::MAX] {
            let mut world = World::generate(3);
            let viewer = Viewer {
                position: Position::new(Cell::new(x, y, 5), Vector3::zeros()),
                look: Vector3::zeros(),
                reach: 20.0,
            };
            world.stream_wholly(&[viewer], &StreamSettings::default());
            let about = viewer.position.cell;
            assert!(world.material(about).is_some(), "{about:?}");
            // A few columns, each with its surface and the chunks around the viewer.
            assert!(world.loaded_chunks().count() < 2_000, "{about:?}");
        }
    }
}

#[test]
fn a_viewer_whose_reach_is_no_number_sees_nothing() {
    let mut world = World::generate(3);
    let (position, look) = (Position::default(), Vector3::zeros());
    for reach in [f32::NAN, f32::NEG_INFINITY] {
        let viewer = Viewer {
            position,
            look,
            reach,
        };
        let report = world.stream(&[viewer], &StreamSettings::default());
        assert_eq!(report.reach, 0.0);
    }
}

#[test]
fn a_box_turned_inside_out_holds_nothing() {
    let (world, base) = (world(), Cell::repeat(-1));
    let [low, high, none] = [-3.0, 2.0, f32::NAN].map(Vector3::repeat);
    let far = Vector3::new(-1.0, -1.0, 1e9);
    for (min, max) in [(high, low), (none, low), (high, none), (far, high)] {
        let mut solids = Vec::new();
        world.gather_solids(base, min, max, &mut solids);
        let reach = Reach {
            base,
            start: low,
            motion: high,
            min,
            max,
            half: Vector3::repeat(0.4),
        };
        let mut found = Candidates::default();
        world.gather(&reach, &mut Memory::default(), &mut found);
        assert!(solids.is_empty() && found.is_empty(), "{min} to {max}");
    }
}

#[test]
fn rows_of_an_object_end_with_its_extent() {
    let mut world = World::default();
    let extent = Vector3::new(40, 7, 33);
    let object = world
        .add_object(Position::default(), 0.5, extent, |_| Material::AIR)
        .unwrap();
    let bricks = world.object(object).unwrap().bricks().to_vec();
    let report = world.write(|writer| {
        for &brick in &bricks {
            for row in 0..1024 {
                writer.fill_row(brick, row, u32::MAX, Material::STONE);
            }
        }
    });
    let inside = extent.product() as usize;
    assert_eq!((voxels(&world), report.voxels), (inside, inside as u64));
    assert_eq!(report.missed as usize, bricks.len() * 32_768 - inside);
}

#[test]
fn bricks_of_another_table_hold_only_what_this_world_knows() {
    let mut other = world::MaterialTable::standard();
    let own = other.add(world::MaterialInfo::solid("of another world", [9; 3]));
    let own = own.unwrap();
    let mut voxels = world::Voxels::uniform(Material::STONE);
    voxels.set(0, 0, 0, own);
    let brick = world::Brick::new(voxels, &other);
    let mut world = world();
    let chunk = Cell::new(3, 0, 0);
    world.insert_brick(chunk, brick);
    assert_eq!(world.material(chunk * 32), Some(Material::AIR));
    assert_eq!(
        world.material(chunk * 32 + Cell::x()),
        Some(Material::STONE)
    );
}
