//! Balls against walls, targets and characters.

#![allow(clippy::unwrap_used)]

use super::*;
use collision::Character;
use nalgebra::Point3;
use world::{CellBox, Material};

/// A hollow cube with walls of one voxel and an inner room of 16 m.
fn room() -> World {
    let bounds = CellBox::new(Cell::repeat(-40), Cell::repeat(40));
    World::from_voxels(bounds, |cell| {
        let far = cell.map(|c| (2 * c + 1).abs() / 2).max();
        if far == 8 {
            Material::STONE
        } else {
            Material::AIR
        }
    })
}

fn round(_: CharacterId) -> HitBody {
    HitBody::Round
}

fn lone_shooter() -> (Crowd, CharacterId) {
    let mut crowd = Crowd::new();
    let shooter = crowd.add(Character::at(Position::new(
        Cell::zeros(),
        Vector3::zeros(),
    )));
    (crowd, shooter)
}

#[test]
fn balls_never_pass_a_wall_at_any_speed() {
    let (world, (crowd, shooter)) = (room(), lone_shooter());
    let mut random = Random::new(3);
    let mut cannon = Cannon::default();
    for shot in 0..4000 {
        // Up to 3 km/s; some exactly at edges and corners of the grid.
        let speed = 10.0_f32.powf(random.between(0.0, 3.5));
        let mut way = Vector3::from_fn(|_, _| random.between(-1.0, 1.0));
        if shot % 4 == 0 {
            way = way.map(|c| (c * 2.0).round());
        }
        let velocity = way.try_normalize(0.01).unwrap_or_else(Vector3::x) * speed;
        let from = Vector3::from_fn(|_, _| random.between(-7.0, 7.0));
        cannon.fire(
            PlayerId::FIRST,
            Position::new(Cell::zeros(), from),
            velocity,
            shooter,
        );
        let mut landed = None;
        for _ in 0..2000 {
            if let Some(landing) = cannon.tick(&world, &crowd, round).first() {
                landed = Some(*landing);
                break;
            }
        }
        let landing = landed.unwrap_or_else(|| panic!("shot {shot} never landed"));
        let at = landing.at.to_metres();
        let room = 8.0 - f64::from(BALL_RADIUS) + 1.0e-3;
        assert!(
            landing.met == Met::Ground && at.coords.amax() <= room,
            "shot {shot} at {speed} m/s landed at {at}"
        );
    }
}

#[test]
fn targets_from_the_grid_are_those_of_brute_force() {
    let (crowd, shooter) = lone_shooter();
    let air = World::from_voxels(CellBox::new(Cell::repeat(-96), Cell::repeat(95)), |_| {
        Material::AIR
    });
    let mut random = Random::new(8);
    let mut hits = 0;
    for _ in 0..300 {
        let mut cannon = Cannon::default();
        let mut place = |reach: f32| Vector3::from_fn(|_, _| random.between(-reach, reach));
        let targets: Vec<_> = (0..40).map(|_| place(60.0)).collect();
        let (from, to) = (place(50.0), targets[0] + place(1.2));
        for at in &targets {
            cannon.set_up(Position::new(Cell::zeros(), *at));
        }
        let velocity = (to - from) / TICK + Vector3::y() * (GRAVITY * TICK);
        cannon.fire(
            PlayerId::FIRST,
            Position::new(Cell::zeros(), from),
            velocity,
            shooter,
        );
        let motion = to - from;
        let expected = targets.iter().filter_map(|at| {
            let still = Sphere {
                center: *at,
                radius: TARGET_RADIUS,
            };
            let ball = Sphere {
                center: from,
                radius: BALL_RADIUS,
            };
            sweep_sphere_sphere(&ball, &motion, &still).map(|hit| hit.time)
        });
        let expected = expected.min_by(f32::total_cmp);
        let found = cannon.tick(&air, &crowd, round).first().copied();
        let found = found.map(|landing| {
            let way = landing.at.to_metres() - Point3::from(from.cast::<f64>());
            (way.norm() / f64::from(motion.norm())) as f32
        });
        assert_eq!(found.is_some(), expected.is_some());
        if let (Some(found), Some(expected)) = (found, expected) {
            assert!((found - expected).abs() < 1.0e-3, "{found} {expected}");
            assert_eq!((cannon.score, cannon.targets().len()), (1, 39));
            hits += 1;
        }
    }
    assert!((80..250).contains(&hits), "{hits} of 300 hit something");
}

/// Returns all characters that balls strike until no ball flies.
fn struck_until_the_end(cannon: &mut Cannon, world: &World, crowd: &Crowd) -> Vec<CharacterId> {
    let mut struck = Vec::new();
    while !cannon.balls().is_empty() {
        cannon.tick(world, crowd, round);
        struck.extend(cannon.hits().iter().map(|hit| hit.character));
    }
    struck
}

#[test]
fn a_ball_strikes_each_on_its_way_once_but_not_the_shooter() {
    for speed in [15.0, 60.0, 600.0] {
        let (mut crowd, shooter) = lone_shooter();
        let at = |x, y, z| Character::at(Position::from_metres(Point3::new(x, y, z)));
        let row = [3.0, 5.0, 6.5].map(|x| crowd.add(at(x, 0.0, 0.1)));
        for beside in [at(5.0, 0.0, 2.0), at(5.0, 3.0, 0.0), at(12.0, 0.0, 0.0)] {
            crowd.add(beside);
        }
        let mut cannon = Cannon::default();
        cannon.fire(
            PlayerId::FIRST,
            Position::default(),
            Vector3::x() * speed,
            shooter,
        );
        let struck = struck_until_the_end(&mut cannon, &room(), &crowd);
        // The slow ball falls to the floor before it reaches the last two.
        let reached = if speed < 20.0 { 1 } else { 3 };
        assert!(struck.starts_with(&row[..reached]), "{speed}: {struck:?}");
        assert!(struck.len() <= 3, "{speed}: {struck:?}");
    }
}

#[test]
fn a_ball_strikes_nothing_behind_what_stops_it() {
    let (mut crowd, shooter) = lone_shooter();
    let at = Position::from_metres(Point3::new(5.0, 0.0, 0.0));
    crowd.add(Character::at(at));
    let mut cannon = Cannon::default();
    let target = Position::from_metres(Point3::new(2.5, 0.0, 0.0));
    cannon.set_up(target);
    cannon.fire(
        PlayerId::FIRST,
        Position::default(),
        Vector3::x() * 600.0,
        shooter,
    );
    let landing = cannon.tick(&room(), &crowd, round)[0];
    assert_eq!(landing.met, Met::Target(0));
    assert!(cannon.hits().is_empty());
}
