//! A program without windows or GPU that uses all of the public face of the two libraries, in the
//! order of the design.

use collision::mover::{Body, Radii};
use collision::sweep::{Ellipsoid, Sides, Triangle, sweep_ellipsoid_triangle};
use collision::{Character, Crowd, Intent, Mode as Way, Position, sweep_ellipsoid};
use nalgebra::Vector3;
use world::{Brush, CellBox, Material, Mode, Ray, World};

type Cell = Vector3<i32>;

fn main() {
    let mut world = floor();
    carve(&mut world);
    pick(&world);
    walk(&world);
    sweep(&world);
    keep();
    println!("the public face holds");
}

fn floor() -> World {
    let bounds = CellBox::new(Cell::new(-32, 0, -32), Cell::new(31, 31, 31));
    World::from_voxels(bounds, |cell| match cell.y {
        0..8 => Material::STONE,
        _ => Material::AIR,
    })
}

fn carve(world: &mut World) {
    let center = Position::new(Cell::new(10, 8, 10), Vector3::repeat(0.5));
    let report = world.edit(&Brush::sphere(center, 3.0), Mode::Carve, Material::AIR);
    assert!(report.voxels > 0 && report.refused.is_none());
    assert_eq!(world.material(Cell::new(10, 7, 10)), Some(Material::AIR));
    assert_eq!(world.material(Cell::new(0, 7, 0)), Some(Material::STONE));
    assert_eq!(world.material(Cell::new(500, 0, 0)), None);
}

fn pick(world: &World) {
    let origin = Position::new(Cell::new(0, 20, 0), Vector3::repeat(0.5));
    let direction = Vector3::new(0.0, -1.0, 0.0);
    let hit = world.cast_ray(&Ray { origin, direction }, 100.0);
    let hit = hit.expect("there is a floor");
    assert_eq!((hit.voxel, hit.distance), (Cell::new(0, 7, 0), 12.5));
    assert_eq!(hit.face, Some(world::Face::PositiveY));
}

fn walk(world: &World) {
    let mut crowd = Crowd::new();
    let at = Position::new(Cell::new(-5, 10, 0), Vector3::repeat(0.5));
    let id = crowd.add(Character::at(at).with_radii(0.4, 0.9));
    let mut tick = |crowd: &mut Crowd, intent: Intent| {
        let ticked = crowd.tick(world, &[(id, intent)], 1.0 / 60.0);
        assert!(ticked.error.is_none(), "a tick of sound numbers");
        crowd.events().len()
    };
    let east = Intent::walk(Vector3::new(3.0, 0.0, 0.0));
    let events: usize = (0..90).map(|_| tick(&mut crowd, east)).sum();
    assert!(events > 0, "it lands");
    assert!(crowd.is_grounded(id));
    let position = crowd.position(id).expect("it is there").to_metres();
    assert!(
        position.x > -2.0 && (position.y - 8.9).abs() < 0.1,
        "{position}"
    );

    let (bytes, hash) = (crowd.save(), crowd.state_hash());
    for intent in [
        Intent { jump: 5.0, ..east },
        Intent {
            crouch: true,
            ..east
        },
        Intent {
            mode: Way::Fly,
            ..east
        },
    ] {
        tick(&mut crowd, intent);
    }
    assert_ne!(crowd.state_hash(), hash);
    crowd.restore(&bytes).expect("what was saved");
    assert_eq!(crowd.state_hash(), hash);
    assert!(crowd.restore(&bytes[..bytes.len() / 2]).is_err());
}

fn sweep(world: &World) {
    let ellipsoid = Body {
        position: Position::new(Cell::new(0, 12, 0), Vector3::repeat(0.5)),
        radii: Radii::new(0.4, 0.9),
        up: Vector3::y(),
    };
    let hit = sweep_ellipsoid(world, &ellipsoid, &Vector3::new(0.0, -10.0, 0.0));
    let hit = hit.expect("the floor is in the way");
    assert!((hit.time - 0.36).abs() < 0.01 && hit.normal.y > 0.99);
    assert!(sweep_ellipsoid(world, &ellipsoid, &Vector3::new(0.0, 5.0, 0.0)).is_none());

    // And against a single shape, without a world.
    let mover = Ellipsoid {
        center: Vector3::new(0.0, 3.0, 0.0),
        radii: Vector3::new(0.5, 1.0, 0.5),
    };
    let triangle = Triangle {
        corners: [[-9.0, 0.0, -9.0], [0.0, 0.0, 9.0], [9.0, 0.0, -9.0]].map(Vector3::from),
        sides: Sides::Both,
    };
    let hit = sweep_ellipsoid_triangle(&mover, &Vector3::new(0.0, -4.0, 0.0), &triangle);
    assert!((hit.expect("it is in the way").time - 0.5).abs() < 0.001);
}

/// Saves a generated world and opens it again.
fn keep() {
    let path = std::env::temp_dir().join(format!("outside-{}.world", std::process::id()));
    let world = World::generate(7);
    let spawn = world.spawn().expect("it is generated");
    assert!(world.material(Cell::from(spawn.cell)).is_some());
    let mut world = World::create(&path, 7).expect("a new file");
    world.set_voxel(Cell::from(spawn.cell), Material::LAMP);
    world.flush().expect("there is room");
    drop(world);
    let world = World::open(&path).expect("what was saved");
    assert_eq!(world.material(Cell::from(spawn.cell)), Some(Material::LAMP));
    drop(world);
    // A failure to remove it does not matter here.
    let _ = std::fs::remove_file(&path);
}
