//! Saved crowds and characters: any bytes are refused without a change, or give a crowd that saves
//! alike and can be played on.

use collision::{
    Character, Crowd, Intent, Mode, ObjectId, Position, Predicted, Sensor, Settings, Shapes,
};
use nalgebra::{Point3, Vector3};

use crate::Target;
use crate::bytes::is_sound;

/// The target.
pub const TARGET: Target = Target {
    name: "snapshots",
    check,
    seeds,
    longest: 2048,
};

/// Most characters of a crowd that is worth playing on.
const MOST: usize = 48;

/// Restores a crowd, a character of it and a predicted one.
pub fn check(data: &[u8]) {
    check_crowd(data);
    check_character(data);
    if let Ok(predicted) = Predicted::from_bytes(data, &Settings::default()) {
        let saved = predicted.save();
        let again = Predicted::from_bytes(&saved, &Settings::default());
        assert_eq!(again.map(|again| again.save()).ok(), Some(saved));
    }
}

fn check_crowd(data: &[u8]) {
    let mut crowd = small_crowd();
    let before = crowd.save();
    if crowd.restore(data).is_err() {
        assert_eq!(
            crowd.save(),
            before,
            "bytes that are refused change nothing"
        );
        return;
    }
    let saved = crowd.save();
    let mut other = Crowd::new();
    other.restore(&saved).expect("our own bytes are restored");
    assert_eq!(other.state_hash(), crowd.state_hash());
    assert!(crowd.ids().all(|id| crowd.position(id).is_some()));
    play(&mut crowd);
}

fn check_character(data: &[u8]) {
    let mut crowd = small_crowd();
    let id = crowd.ids().next().expect("there are some");
    let before = crowd.save();
    if crowd.restore_character(id, data).is_err() {
        assert_eq!(
            crowd.save(),
            before,
            "bytes that are refused change nothing"
        );
        return;
    }
    let saved = crowd.save_character(id).expect("it is there");
    crowd
        .restore_character(id, &saved)
        .expect("our own bytes are restored");
    assert_eq!(crowd.save_character(id), Some(saved));
    play(&mut crowd);
}

/// Plays a few ticks on a floor.
fn play(crowd: &mut Crowd) {
    if crowd.len() > MOST {
        return;
    }
    let corners = [
        Point3::new(-20.0, -1.0, -20.0),
        Point3::new(20.0, 0.0, 20.0),
    ];
    let floor = Shapes::from_boxes(ObjectId(1), Position::default(), &[corners]);
    let id = crowd.add(Character::at(Position::default()));
    let walk = Intent::walk(Vector3::new(3.0, 0.0, 1.0)).jumping(2.0);
    for _ in 0..3 {
        crowd.tick(&floor, &[(id, walk)], 1.0 / 60.0);
    }
    for id in crowd.ids().collect::<Vec<_>>() {
        let place = crowd.position(id).expect("it is in the list");
        assert!(is_sound(&place), "{place:?}");
        assert!(
            crowd
                .velocity(id)
                .is_some_and(|velocity| velocity.norm().is_finite())
        );
        assert!(crowd.remove(id));
    }
    assert!(crowd.is_empty());
}

fn small_crowd() -> Crowd {
    let mut crowd = Crowd::new();
    for place in [2.0, 4.0] {
        crowd.add(Character::at(Position::from_metres(Point3::new(
            place, 1.0, 0.0,
        ))));
    }
    crowd
}

fn seeds() -> Vec<Vec<u8>> {
    let corners = [
        Point3::new(-20.0, -1.0, -20.0),
        Point3::new(20.0, 0.0, 20.0),
    ];
    let floor = Shapes::from_boxes(ObjectId(1), Position::default(), &[corners]);
    let mut crowd = Crowd::new();
    let settings = Settings {
        gravity: 3.0,
        ..Settings::default()
    };
    let at = |x: f64| Character::at(Position::from_metres(Point3::new(x, 1.0, 0.5)));
    let mut ids = vec![
        crowd.add(at(0.0)),
        crowd.add(at(0.5).with_settings(settings)),
        crowd.add(at(3.0).with_mass(f32::INFINITY).with_gravity(Vector3::x())),
        crowd.add(at(5.0).with_up(Vector3::x()).with_mode(Mode::Fly)),
        crowd.add(at(7.0).with_velocity(Vector3::new(1.0, 9.0, 2.0))),
        crowd.add(at(9.0)),
    ];
    crowd.remove(ids.remove(4));
    let extent = Vector3::repeat(2.0);
    let sensor = crowd.add_sensor(Sensor {
        center: Position::default(),
        extent,
    });
    let mut seeds = vec![Crowd::new().save(), crowd.save()];
    let walk = Intent::walk(Vector3::x()).crouching();
    for _ in 0..40 {
        crowd.tick(&floor, &[(ids[0], walk)], 1.0 / 60.0);
    }
    assert!(sensor.is_ok_and(|sensor| !crowd.in_sensor(sensor).is_empty()));
    seeds.push(crowd.save());
    seeds.extend(ids.iter().filter_map(|&id| crowd.save_character(id)));
    seeds
}
