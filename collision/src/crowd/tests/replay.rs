//! Snapshots: going back, and playing again with the same bytes.

use super::*;
use crate::{Mode, Settings};

fn scene() -> (Shapes, Crowd, Vec<CharacterId>) {
    let terrain = arena(
        12.0,
        &[[Point3::new(4.0, 0.0, 4.0), Point3::new(6.0, 0.5, 8.0)]],
    );
    let mut crowd = Crowd::new();
    let mut ids = Vec::new();
    for i in 0..40 {
        let (x, z) = (1.0 + f64::from(i % 7) * 1.5, 1.0 + f64::from(i / 7) * 1.5);
        ids.push(crowd.add(Character::at(at(x, 2.0, z))));
    }
    crowd.remove(ids.remove(11));
    crowd.remove(ids.remove(3));
    (terrain, crowd, ids)
}

fn intents(ids: &[CharacterId], tick: u64) -> Vec<(CharacterId, Intent)> {
    let wish = |index: usize| {
        let mut dice = Dice(index as u64 * 31 + tick / 25);
        dice.roll();
        walk(dice.between(-5.0, 5.0), dice.between(-5.0, 5.0))
    };
    let moving = ids.iter().enumerate().filter(|(index, _)| index % 3 != 0);
    moving.map(|(index, &id)| (id, wish(index))).collect()
}

#[test]
fn restored_crowd_replays_the_same_bytes() {
    let (terrain, mut crowd, ids) = scene();
    for tick in 0..100 {
        crowd.tick(&terrain, &intents(&ids, tick), TICK);
    }
    let saved = crowd.save();
    assert!(
        saved.len() / crowd.len() < 100,
        "{}",
        saved.len() / crowd.len()
    );
    let mut other = Crowd::new();
    other.restore(&saved).unwrap();
    assert_eq!(other.save(), saved);
    assert_eq!(other.state_hash(), crowd.state_hash());
    let mut hashes = Vec::new();
    for tick in 100..160 {
        crowd.tick(&terrain, &intents(&ids, tick), TICK);
        hashes.push(crowd.state_hash());
    }
    let end = crowd.save();
    for (tick, hash) in (100..160).zip(hashes) {
        other.tick(&terrain, &intents(&ids, tick), TICK);
        assert_eq!(other.state_hash(), hash, "tick {tick}");
    }
    assert_eq!(other.save(), end);
    let new = (crowd.add(standing(1.0, 1.0)), other.add(standing(1.0, 1.0)));
    assert_eq!(new.0, new.1);
}

#[test]
fn one_character_goes_back_and_replays() {
    let (terrain, mut crowd, ids) = scene();
    for tick in 0..60 {
        crowd.tick(&terrain, &intents(&ids, tick), TICK);
    }
    let bytes = crowd.save_character(ids[5]).unwrap();
    assert!(bytes.len() < 100);
    let before = *crowd.state(ids[5]).unwrap();
    crowd.teleport(ids[5], at(9.0, 5.0, 9.0)).unwrap();
    crowd.restore_character(ids[5], &bytes).unwrap();
    assert_eq!(*crowd.state(ids[5]).unwrap(), before);
    assert_eq!(crowd.save_character(ids[5]).unwrap(), bytes);
}

#[test]
fn damaged_snapshots_are_refused_and_change_nothing() {
    let (terrain, mut crowd, ids) = scene();
    for tick in 0..30 {
        crowd.tick(&terrain, &intents(&ids, tick), TICK);
    }
    let saved = crowd.save();
    let one = crowd.save_character(ids[0]).unwrap();
    for length in 0..saved.len() {
        assert!(crowd.restore(&saved[..length]).is_err());
    }
    for length in 0..one.len() {
        assert!(crowd.restore_character(ids[0], &one[..length]).is_err());
    }
    assert_eq!(crowd.save(), saved);
    let mut dice = Dice(5);
    for _ in 0..2000 {
        let mut bytes = saved.clone();
        for _ in 0..3 {
            let place = (dice.roll() * bytes.len() as f32) as usize;
            bytes[place] ^= 1 << (dice.roll() * 8.0) as u32;
        }
        let mut victim = Crowd::new();
        if victim.restore(&bytes).is_ok() {
            victim.tick(&terrain, &intents(&ids, 3), TICK);
        } else {
            assert!(victim.is_empty());
        }
    }
    let huge = [&saved[..4], &[0xff; 64]].concat();
    assert!(Crowd::new().restore(&huge).is_err());
}

#[test]
fn restored_character_that_stands_up_is_found_in_full_length() {
    let nothing = Shapes::from_boxes(ObjectId(1), Position::default(), &[]);
    let mut crowd = Crowd::new();
    // It lies along the axis on which the cells of the grid are short, in one of them, and reaches
    // into the next.
    let mut flyer = Character::at(at(1.95, 1.0, 1.0)).with_mode(Mode::Fly);
    flyer.build.up = Vector3::x();
    let id = crowd.add(flyer);
    let fly = |crouch| {
        let mut intent = Intent::rest(Mode::Fly);
        intent.crouch = crouch;
        [(id, intent)]
    };
    crowd.tick(&nothing, &fly(true), TICK);
    assert!(crowd.is_crouched(id));
    let mut other = Crowd::new();
    other.restore(&crowd.save()).unwrap();
    other.tick(&nothing, &fly(false), TICK);
    assert!(!other.is_crouched(id));
    let body = other.body(id).unwrap();
    let head = body.position.moved(body.up * (body.radii.along - 0.01));
    let mut found = Vec::new();
    other.overlap_box(&head, Vector3::repeat(0.001), u16::MAX, &mut found);
    assert_eq!(found, [id]);
}

#[test]
fn own_bytes_of_a_fast_faller_are_sound() {
    let nothing = Shapes::from_boxes(ObjectId(1), Position::default(), &[]);
    let settings = Settings {
        gravity: 1.0e6,
        fall_limit: 1.0e9,
        ..Settings::default()
    };
    let mut crowd = Crowd::new();
    let faller = Character::at(at(0.0, 0.0, 0.0)).with_settings(settings);
    assert!(crowd.try_add(faller).is_ok() || !settings.is_valid());
    for _ in 0..100 {
        crowd.tick(&nothing, &[], TICK);
    }
    assert_eq!(Crowd::new().restore(&crowd.save()), Ok(()));
}

#[test]
fn restored_crowd_keeps_no_absent_character_in_a_sensor() {
    let terrain = arena(20.0, &[]);
    let mut crowd = Crowd::new();
    let empty = crowd.save();
    let sensor = crate::Sensor {
        center: at(5.0, 1.0, 5.0),
        extent: Vector3::repeat(1.0),
    };
    let sensor = crowd.add_sensor(sensor).unwrap();
    let first = crowd.add(standing(5.0, 5.0));
    crowd.tick(&terrain, &[], TICK);
    assert_eq!(crowd.in_sensor(sensor), [first]);
    crowd.restore(&empty).unwrap();
    assert!(crowd.in_sensor(sensor).is_empty());
    // A new character in the slot of a removed one.
    assert_eq!(crowd.add(standing(15.0, 15.0)), first);
    crowd.tick(&terrain, &[], TICK);
    assert_eq!(
        count(crowd.events(), |kind| *kind == EventKind::Left(sensor)),
        0
    );
}

#[test]
fn restored_character_has_not_left_the_ground() {
    let terrain = arena(20.0, &[]);
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(5.0, 5.0));
    for _ in 0..10 {
        crowd.tick(&terrain, &[], TICK);
    }
    let bytes = crowd.save_character(id).unwrap();
    crowd.teleport(id, at(9.0, 5.0, 9.0)).unwrap();
    crowd.restore_character(id, &bytes).unwrap();
    crowd.tick(&terrain, &[], TICK);
    assert!(crowd.is_grounded(id));
    assert_eq!(
        count(crowd.events(), |kind| *kind == EventKind::LeftGround),
        0
    );
}

/// Adds a sensor of 2 m about a place on the floor.
fn zone(crowd: &mut Crowd, x: f64, z: f64) -> crate::SensorId {
    let (center, extent) = (at(x, 1.0, z), Vector3::repeat(1.0));
    crowd.add_sensor(crate::Sensor { center, extent }).unwrap()
}

/// Returns the events of `ticks` in which a character walks along x, with the number of each tick.
fn told(
    crowd: &mut Crowd,
    terrain: &Shapes,
    id: CharacterId,
    speed: f32,
    ticks: u32,
) -> Vec<(u32, Event)> {
    let mut all = Vec::new();
    for tick in 0..ticks {
        crowd.tick(terrain, &[(id, walk(speed, 0.0))], TICK);
        all.extend(crowd.events().iter().map(|event| (tick, *event)));
    }
    all
}

#[test]
fn replay_tells_of_sensors_what_the_first_run_told() {
    let terrain = arena(20.0, &[]);
    // Into a sensor, and out of one.
    for (start, inside_before) in [(2.0, false), (5.0, true)] {
        let mut crowd = Crowd::new();
        let sensor = zone(&mut crowd, 5.0, 5.0);
        let id = crowd.add(standing(start, 5.0));
        crowd.tick(&terrain, &[], TICK);
        let (saved, one) = (crowd.save(), crowd.save_character(id).unwrap());
        let first = told(&mut crowd, &terrain, id, 3.0, 50);
        assert_eq!(first.len(), 1, "{first:?}");
        crowd.restore(&saved).unwrap();
        assert_eq!(crowd.in_sensor(sensor).contains(&id), inside_before);
        assert_eq!(crowd.save(), saved);
        assert_eq!(told(&mut crowd, &terrain, id, 3.0, 50), first);
        crowd.restore_character(id, &one).unwrap();
        assert_eq!(crowd.in_sensor(sensor).contains(&id), inside_before);
        assert_eq!(told(&mut crowd, &terrain, id, 3.0, 50), first);
    }
}

#[test]
fn pending_sensor_events_survive_restore() {
    let terrain = arena(20.0, &[]);
    let mut crowd = Crowd::new();
    let (left, entered) = (zone(&mut crowd, 5.0, 5.0), zone(&mut crowd, 12.0, 5.0));
    let id = crowd.add(standing(5.0, 5.0));
    crowd.tick(&terrain, &[], TICK);
    crowd.teleport(id, at(12.0, 0.91, 5.0)).unwrap();
    crowd.add(standing(12.0, 6.0));
    let saved = crowd.save();
    crowd.tick(&terrain, &[], TICK);
    let first = crowd.events().to_vec();
    assert_eq!(count(&first, |kind| *kind == EventKind::Left(left)), 1);
    assert_eq!(
        count(&first, |kind| *kind == EventKind::Entered(entered)),
        2
    );
    crowd.restore(&saved).unwrap();
    assert_eq!(crowd.in_sensor(left), [id]);
    assert!(crowd.in_sensor(entered).is_empty());
    crowd.tick(&terrain, &[], TICK);
    assert_eq!(
        count(crowd.events(), |kind| *kind == EventKind::Left(left)),
        1
    );
    assert_eq!(
        count(crowd.events(), |kind| *kind == EventKind::Entered(entered)),
        2
    );
}

#[test]
fn unsaved_sensors_hold_the_characters_inside() {
    let terrain = arena(20.0, &[]);
    let mut crowd = Crowd::new();
    zone(&mut crowd, 12.0, 5.0);
    let id = crowd.add(standing(5.0, 5.0));
    crowd.tick(&terrain, &[], TICK);
    let saved = crowd.save();
    // Another sensor of the same number.
    let mut other = Crowd::new();
    let sensor = zone(&mut other, 5.0, 5.0);
    other.restore(&saved).unwrap();
    assert_eq!(other.in_sensor(sensor), [id]);
    let later = zone(&mut crowd, 5.0, 5.0);
    crowd.restore(&saved).unwrap();
    assert_eq!(crowd.in_sensor(later), [id]);
    for crowd in [&mut crowd, &mut other] {
        let told = told(crowd, &terrain, id, 0.0, 3);
        assert!(told.is_empty(), "{told:?}");
    }
}

#[test]
fn damaged_members_of_sensors_are_refused() {
    let terrain = arena(20.0, &[]);
    let mut crowd = Crowd::new();
    zone(&mut crowd, 5.0, 5.0);
    crowd.add(standing(5.0, 5.0));
    crowd.tick(&terrain, &[], TICK);
    let saved = crowd.save();
    for length in 0..saved.len() {
        assert!(crowd.restore(&saved[..length]).is_err());
    }
    let end = saved.len();
    // Its only member, the number of members, a half side and an offset.
    for (place, bytes) in [
        (end - 4, [7, 0, 0, 0]),
        (end - 8, [0xff; 4]),
        (end - 12, f32::NAN.to_le_bytes()),
        (end - 12, (-1.0_f32).to_le_bytes()),
        (end - 24, 2.0_f32.to_le_bytes()),
    ] {
        let mut damaged = saved.clone();
        damaged[place..place + 4].copy_from_slice(&bytes);
        assert!(crowd.restore(&damaged).is_err(), "{place}");
    }
    assert_eq!(crowd.save(), saved);
}

#[test]
fn leaving_the_ground_is_told_again_after_going_back() {
    let terrain = arena(20.0, &[]);
    let leaves = |crowd: &mut Crowd| {
        crowd.tick(&terrain, &[], TICK);
        let left = |kind: &EventKind| *kind == EventKind::LeftGround;
        let events = crowd.events().iter().filter(|event| left(&event.kind));
        events.map(|event| event.character).collect::<Vec<_>>()
    };
    let mut crowd = Crowd::new();
    let ids = [3.0, 6.0, 9.0, 12.0].map(|x| crowd.add(standing(x, 5.0)));
    for _ in 0..10 {
        crowd.tick(&terrain, &[], TICK);
    }
    crowd.teleport(ids[0], at(3.0, 5.0, 9.0)).unwrap();
    crowd.launch(ids[3], Vector3::new(0.0, 5.0, 0.0)).unwrap();
    let (saved, one) = (crowd.save(), crowd.save_character(ids[3]).unwrap());
    assert!(one.len() < 100);
    assert_eq!(leaves(&mut crowd), [ids[0], ids[3]]);
    crowd.restore(&saved).unwrap();
    assert_eq!(crowd.save(), saved);
    assert_eq!(leaves(&mut crowd), [ids[0], ids[3]]);
    assert!(leaves(&mut crowd).is_empty());
    let mut other = Crowd::new();
    other.restore(&saved).unwrap();
    // The last row takes the place of the first.
    other.remove(ids[0]);
    assert_eq!(leaves(&mut other), [ids[3]]);
    crowd.restore_character(ids[3], &one).unwrap();
    assert_eq!(leaves(&mut crowd), [ids[3]]);
    crowd.restore_character(ids[3], &one).unwrap();
    crowd.remove(ids[3]);
    assert!(leaves(&mut crowd).is_empty());
}

#[test]
fn mass_and_gravity_are_saved_and_older_bytes_refused() {
    let terrain = arena(20.0, &[]);
    let mut crowd = Crowd::new();
    let usual = crowd.add(standing(5.0, 5.0));
    let plain = (crowd.save().len(), crowd.state_hash());
    let changed = Vector3::new(1.0, -4.0, 0.5);
    crowd.set_gravity(usual, Some(changed)).unwrap();
    let with_gravity = crowd.state_hash();
    assert_ne!(with_gravity, plain.1);
    assert_eq!(crowd.save().len(), plain.0 + 12);
    crowd.set_mass(usual, f32::INFINITY).unwrap();
    assert_ne!(crowd.state_hash(), with_gravity);
    let saved = crowd.save();
    let mut other = Crowd::new();
    other.restore(&saved).unwrap();
    assert_eq!(other.build(usual), crowd.build(usual));
    for _ in 0..30 {
        for crowd in [&mut crowd, &mut other] {
            crowd.tick(&terrain, &[(usual, walk(1.0, 2.0).jumping(5.0))], TICK);
        }
        assert_eq!(crowd.save(), other.save());
    }
    let mut older = saved;
    older[2..4].copy_from_slice(&4_u16.to_le_bytes());
    let refused = Err(crate::SnapshotError::Version(4));
    assert_eq!(other.restore(&older), refused);
}
