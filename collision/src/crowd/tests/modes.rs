//! Walking, jumping, swimming, climbing, flying, passing through, crouching, sensors.

use super::*;
use crate::shapes::Substance;
use crate::{Medium, Mode, Sensor};

/// Runs ticks with one intent and returns the events.
fn run(
    crowd: &mut Crowd,
    terrain: &Shapes,
    ticks: usize,
    intents: &[(CharacterId, Intent)],
) -> Vec<Event> {
    let mut events = Vec::new();
    for _ in 0..ticks {
        crowd.tick(terrain, intents, TICK);
        events.extend_from_slice(crowd.events());
    }
    events
}

#[test]
fn falls_lands_once_and_stays() {
    let terrain = arena(8.0, &[]);
    let mut crowd = Crowd::new();
    let id = crowd.add(Character::at(at(4.0, 4.0, 4.0)));
    let events = run(&mut crowd, &terrain, 120, &[]);
    assert_eq!(
        count(&events, |kind| matches!(kind, EventKind::Landed { .. })),
        1
    );
    assert_eq!(events.len(), 1, "{events:?}");
    assert!((height(&crowd, id) - 0.91).abs() < 1e-3);
    let speed = match events[0].kind {
        EventKind::Landed { speed, .. } => speed,
        _ => 0.0,
    };
    assert!(
        (speed - (2.0_f32 * 20.0 * 3.09).sqrt()).abs() < 0.4,
        "{speed}"
    );
}

#[test]
fn falls_no_faster_than_the_limit() {
    let terrain = arena(8.0, &[]);
    let mut crowd = Crowd::new();
    let id = crowd.add(Character::at(at(4.0, 900.0, 4.0)));
    run(&mut crowd, &terrain, 600, &[]);
    assert_eq!(crowd.velocity(id).unwrap().y, -60.0);
}

#[test]
fn jumps_as_high_as_the_take_off_speed_says() {
    let terrain = arena(8.0, &[]);
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(4.0, 4.0));
    run(&mut crowd, &terrain, 10, &[]);
    let mut events = run(
        &mut crowd,
        &terrain,
        1,
        &[(id, Intent::default().jumping(8.0))],
    );
    let mut highest = 0.0_f64;
    for _ in 0..120 {
        events.extend(run(&mut crowd, &terrain, 1, &[]));
        highest = highest.max(height(&crowd, id));
    }
    assert!((highest - 0.91 - 1.6).abs() < 0.15, "{highest}");
    assert_eq!(count(&events, |kind| *kind == EventKind::LeftGround), 1);
    assert_eq!(
        count(&events, |kind| matches!(kind, EventKind::Landed { .. })),
        1
    );
}

#[test]
fn ceiling_ends_the_rise_and_keeps_the_way() {
    let terrain = arena(
        12.0,
        &[[Point3::new(0.0, 2.2, 0.0), Point3::new(12.0, 3.0, 12.0)]],
    );
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(2.0, 6.0));
    run(&mut crowd, &terrain, 10, &[]);
    run(
        &mut crowd,
        &terrain,
        1,
        &[(id, walk(3.0, 0.0).jumping(8.0))],
    );
    run(&mut crowd, &terrain, 5, &[(id, walk(3.0, 0.0))]);
    let velocity = crowd.velocity(id).unwrap();
    assert!(velocity.y <= 0.0 && velocity.x == 3.0, "{velocity}");
    assert!(height(&crowd, id) < 1.31);
}

#[test]
fn runs_into_a_wall_and_tells_it_once() {
    let terrain = arena(8.0, &[]);
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(5.0, 4.0));
    run(&mut crowd, &terrain, 10, &[]);
    let events = run(&mut crowd, &terrain, 120, &[(id, walk(5.0, 0.0))]);
    assert_eq!(
        count(&events, |kind| matches!(kind, EventKind::Hit { .. })),
        1
    );
    assert_eq!(events.len(), 1, "{events:?}");
}

#[test]
fn climbs_a_step_and_tells_it() {
    let terrain = arena(
        10.0,
        &[[Point3::new(5.0, 0.0, 0.0), Point3::new(10.0, 0.5, 10.0)]],
    );
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(3.0, 5.0));
    let events = run(&mut crowd, &terrain, 60, &[(id, walk(4.0, 0.0))]);
    assert!((height(&crowd, id) - 1.41).abs() < 2e-3);
    assert_eq!(
        count(&events, |kind| matches!(kind, EventKind::Stepped { .. })),
        1,
        "{events:?}"
    );
    assert_eq!(count(&events, |kind| *kind == EventKind::LeftGround), 0);
}

fn pool() -> Shapes {
    let mut terrain = Shapes::from_voxels(
        ObjectId(1),
        Position::default(),
        1.0,
        Vector3::new(10, 8, 10),
    );
    terrain.fill(Vector3::zeros(), Vector3::new(10, 1, 10), Substance::Solid);
    terrain.fill(
        Vector3::new(0, 1, 0),
        Vector3::new(10, 5, 10),
        Substance::Liquid,
    );
    terrain
}

#[test]
fn swims_floats_and_comes_out_once() {
    let terrain = pool();
    let mut crowd = Crowd::new();
    let id = crowd.add(Character::at(at(5.0, 7.0, 5.0)));
    let mut events = run(&mut crowd, &terrain, 60, &[]);
    assert_eq!(crowd.medium(id), Some(Medium::Liquid));
    let up = Intent::walk(Vector3::new(0.0, 2.0, 0.0));
    events.extend(run(&mut crowd, &terrain, 300, &[(id, up)]));
    let afloat = height(&crowd, id);
    assert!((4.9..5.2).contains(&afloat), "{afloat}");
    assert_eq!(count(&events, |kind| *kind == EventKind::EnteredLiquid), 1);
    assert_eq!(count(&events, |kind| *kind == EventKind::LeftLiquid), 0);
    events.extend(run(&mut crowd, &terrain, 8, &[(id, up.jumping(6.0))]));
    assert_eq!(count(&events, |kind| *kind == EventKind::LeftLiquid), 1);
    run(&mut crowd, &terrain, 60, &[]);
    let before = height(&crowd, id);
    run(&mut crowd, &terrain, 60, &[]);
    assert!((before - height(&crowd, id) - 0.5).abs() < 0.05);
}

#[test]
fn climbs_a_ladder_and_hangs_on_it() {
    let mut terrain = Shapes::from_voxels(
        ObjectId(1),
        Position::default(),
        1.0,
        Vector3::new(6, 10, 6),
    );
    terrain.fill(Vector3::zeros(), Vector3::new(6, 1, 6), Substance::Solid);
    terrain.fill(
        Vector3::new(2, 1, 2),
        Vector3::new(3, 9, 3),
        Substance::Ladder,
    );
    let mut crowd = Crowd::new();
    let id = crowd.add(Character::at(at(2.5, 1.91, 2.5)));
    run(&mut crowd, &terrain, 5, &[]);
    run(
        &mut crowd,
        &terrain,
        60,
        &[(id, Intent::walk(Vector3::new(0.0, 3.0, 0.0)))],
    );
    assert!((height(&crowd, id) - 4.91).abs() < 0.02);
    run(&mut crowd, &terrain, 60, &[]);
    assert!((height(&crowd, id) - 4.91).abs() < 0.02);
    assert_eq!(crowd.medium(id), Some(Medium::Ladder));
    run(&mut crowd, &terrain, 70, &[(id, walk(2.0, 0.0))]);
    assert!(crowd.is_grounded(id));
}

#[test]
fn tilted_character_walks_through_a_ladder_on_a_level_wish() {
    let (corner, size) = (Position::default(), Vector3::new(12, 6, 6));
    let mut terrain = Shapes::from_voxels(ObjectId(1), corner, 1.0, size);
    terrain.fill(Vector3::zeros(), Vector3::new(12, 1, 6), Substance::Solid);
    terrain.fill(
        Vector3::new(4, 1, 0),
        Vector3::new(9, 5, 6),
        Substance::Ladder,
    );
    for up in [[0.3, 1.0, 0.2], [0.21, 0.93, -0.11], [-0.17, 0.77, 0.07]] {
        let up = Vector3::from(up).normalize();
        let mut crowd = Crowd::new();
        let id = crowd.add(Character::at(at(2.5, 2.0, 3.0)).with_up(up));
        run(&mut crowd, &terrain, 60, &[]);
        assert!(crowd.is_grounded(id));
        // The intent rises by rounding only.
        let east = Vector3::new(3.0, 0.0, 0.0);
        let level = east - up * east.dot(&up);
        let mut inside = 0;
        for tick in 0..70 {
            run(&mut crowd, &terrain, 1, &[(id, Intent::walk(level))]);
            inside += u32::from(crowd.medium(id) == Some(Medium::Ladder));
            assert!(crowd.is_grounded(id), "{up} tick {tick}");
        }
        assert!(inside > 30, "{inside}");
        // An intent that leads up does climb.
        run(&mut crowd, &terrain, 10, &[(id, Intent::walk(up))]);
        assert!(!crowd.is_grounded(id));
    }
}

#[test]
fn flies_against_walls_and_passes_through_them_without_clip() {
    let terrain = arena(
        8.0,
        &[[Point3::new(5.0, 0.0, 0.0), Point3::new(6.0, 3.0, 8.0)]],
    );
    let mut crowd = Crowd::new();
    let flyer = crowd.add(Character::at(at(2.0, 1.5, 2.0)).with_mode(Mode::Fly));
    let ghost = crowd.add(Character::at(at(2.0, 1.5, 6.0)));
    let east = Vector3::new(3.0, 0.0, 0.0);
    let pass = Intent {
        mode: Mode::NoClip,
        ..Intent::walk(east)
    };
    run(
        &mut crowd,
        &terrain,
        80,
        &[(flyer, Intent::fly(east)), (ghost, pass)],
    );
    let x = |id| crowd.position(id).unwrap().to_metres().x;
    assert!((x(flyer) - 4.59).abs() < 1e-3, "{}", x(flyer));
    assert!((x(ghost) - 6.0).abs() < 1e-3);
    assert_eq!(height(&crowd, flyer), 1.5);
}

#[test]
fn another_above_keeps_it_crouched() {
    let terrain = arena(10.0, &[]);
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(5.0, 5.0));
    run(
        &mut crowd,
        &terrain,
        20,
        &[(id, walk(0.0, 0.0).crouching())],
    );
    let above = crowd.add(
        Character::at(at(5.0, 1.5, 5.0))
            .with_mode(Mode::Fly)
            .with_radii(0.4, 0.4),
    );
    let hover = (above, Intent::fly(Vector3::zeros()));
    run(&mut crowd, &terrain, 20, &[hover]);
    assert!(crowd.is_crouched(id));
    crowd.remove(above);
    run(&mut crowd, &terrain, 3, &[]);
    assert!(!crowd.is_crouched(id));
}

#[test]
fn sensors_tell_entering_and_leaving_once() {
    let terrain = arena(12.0, &[]);
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(2.0, 6.0));
    let sensor = crowd
        .add_sensor(Sensor {
            center: at(6.0, 1.0, 6.0),
            extent: Vector3::new(1.0, 1.0, 1.0),
        })
        .unwrap();
    let events = run(&mut crowd, &terrain, 60, &[(id, walk(4.0, 0.0))]);
    assert_eq!(
        count(&events, |kind| *kind == EventKind::Entered(sensor)),
        1
    );
    assert_eq!(crowd.in_sensor(sensor), [id]);
    let events = run(&mut crowd, &terrain, 60, &[(id, walk(4.0, 0.0))]);
    assert_eq!(count(&events, |kind| *kind == EventKind::Left(sensor)), 1);
    assert_eq!(
        crowd.position(id).unwrap().to_metres().x as i32,
        10,
        "nothing blocked it"
    );
}

#[test]
fn any_up_axis_walks_the_same() {
    let distance =
        |up: Vector3<f32>, floor: [Point3<f64>; 2], start: Position, wish: Vector3<f32>| {
            let terrain = Shapes::from_boxes(ObjectId(1), Position::default(), &[floor]);
            let mut crowd = Crowd::new();
            let id = crowd.add(Character::at(start).with_up(up));
            for _ in 0..60 {
                crowd.tick(&terrain, &[(id, Intent::walk(wish))], TICK);
            }
            assert!(crowd.is_grounded(id), "{up}");
            crowd.position(id).unwrap().since(&start).norm()
        };
    let point = Point3::new;
    let upright = distance(
        Vector3::y(),
        [point(-20.0, -1.0, -20.0), point(20.0, 0.0, 20.0)],
        at(0.5, 0.91, 0.5),
        Vector3::new(4.0, 0.0, 0.0),
    );
    let hanging = distance(
        -Vector3::y(),
        [point(-20.0, 0.0, -20.0), point(20.0, 1.0, 20.0)],
        at(0.5, -0.91, 0.5),
        Vector3::new(4.0, 0.0, 0.0),
    );
    let sideways = distance(
        Vector3::x(),
        [point(-1.0, -20.0, -20.0), point(0.0, 20.0, 20.0)],
        at(0.91, 0.5, 0.5),
        Vector3::new(0.0, 4.0, 0.0),
    );
    assert!((upright - 4.0).abs() < 1e-3);
    assert!((hanging - upright).abs() < 1e-4 && (sideways - upright).abs() < 1e-4);
}

#[test]
fn crouches_under_a_board_and_waits_for_room_to_stand() {
    let board = [Point3::new(4.0, 1.2, 0.0), Point3::new(6.0, 1.6, 10.0)];
    let terrain = arena(10.0, &[board]);
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(3.0, 5.0));
    run(
        &mut crowd,
        &terrain,
        20,
        &[(id, walk(0.0, 0.0).crouching())],
    );
    assert!(crowd.is_crouched(id));
    assert!(
        (height(&crowd, id) - 0.51).abs() < 1e-3,
        "{}",
        height(&crowd, id)
    );
    run(
        &mut crowd,
        &terrain,
        40,
        &[(id, walk(3.0, 0.0).crouching())],
    );
    let x = crowd.position(id).unwrap().to_metres().x;
    assert!((4.5..5.5).contains(&x), "{x}");
    run(&mut crowd, &terrain, 30, &[]);
    assert!(crowd.is_crouched(id), "no room yet");
    run(&mut crowd, &terrain, 60, &[(id, walk(3.0, 0.0))]);
    assert!(!crowd.is_crouched(id));
    assert!((height(&crowd, id) - 0.91).abs() < 1e-3);
}

#[test]
fn leaving_a_liquid_is_told_once() {
    let pool = pool();
    for way in 0..3 {
        let mut crowd = Crowd::new();
        let id = crowd.add(Character::at(at(5.0, 3.0, 5.0)));
        let mut events = run(&mut crowd, &pool, 5, &[]);
        let mut intent = Intent::fly(Vector3::new(0.0, 4.0, 0.0));
        match way {
            0 => {}
            1 => intent.mode = Mode::NoClip,
            _ => crowd.teleport(id, at(5.0, 7.0, 5.0)).unwrap(),
        }
        events.extend(run(&mut crowd, &pool, 120, &[(id, intent)]));
        let entered = count(&events, |kind| *kind == EventKind::EnteredLiquid);
        let left = count(&events, |kind| *kind == EventKind::LeftLiquid);
        assert_eq!((entered, left), (1, 1), "{way}");
    }
}

#[test]
fn flying_into_a_liquid_is_told_once() {
    let pool = pool();
    let mut crowd = Crowd::new();
    let id = crowd.add(Character::at(at(5.0, 3.0, 5.0)));
    let mut events = run(&mut crowd, &pool, 5, &[]);
    events.extend(run(
        &mut crowd,
        &pool,
        5,
        &[(id, Intent::fly(Vector3::x()))],
    ));
    events.extend(run(&mut crowd, &pool, 5, &[(id, walk(0.0, 0.0))]));
    let entered = count(&events, |kind| *kind == EventKind::EnteredLiquid);
    let left = count(&events, |kind| *kind == EventKind::LeftLiquid);
    assert_eq!((entered, left), (1, 0));
}

#[test]
fn launched_or_teleported_character_leaves_the_ground() {
    let terrain = arena(8.0, &[]);
    for launched in [false, true] {
        let mut crowd = Crowd::new();
        let id = crowd.add(standing(4.0, 4.0));
        run(&mut crowd, &terrain, 10, &[]);
        if launched {
            crowd.launch(id, Vector3::new(0.0, 8.0, 0.0)).unwrap();
        } else {
            crowd.teleport(id, at(4.0, 2.5, 4.0)).unwrap();
        }
        let events = run(&mut crowd, &terrain, 120, &[]);
        let left = count(&events, |kind| *kind == EventKind::LeftGround);
        let landed = count(&events, |kind| matches!(kind, EventKind::Landed { .. }));
        assert_eq!((left, landed), (1, 1), "{launched}");
    }
}
