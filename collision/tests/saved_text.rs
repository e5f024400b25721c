//! Plain values of callers read back the same from `serde` text; an invalid position is refused.
#![cfg(feature = "serde")]
#![allow(clippy::unwrap_used)]

use collision::{
    Body, Character, CharacterHit, Crowd, Event, EventKind, Feature, Ground, Intent, Mode, Motion,
    ObjectId, Other, Position, Radii, Sensor, Settings, Shapes, State,
};
use nalgebra::{Point3, Vector3};
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;

fn comes_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let text = serde_json::to_string(value).unwrap();
    assert_eq!(serde_json::from_str::<T>(&text).unwrap(), *value, "{text}");
}

fn somewhere() -> Position {
    Position::from_metres(Point3::new(-1.0e9 + 0.3, 0.910_000_1, 7.25))
}

#[test]
fn input_values_read_back_the_same() {
    let mut settings = Settings::default();
    settings.mover.least_rise = 0.3;
    let character = Character::at(somewhere())
        .with_radii(0.3, 1.1)
        .with_layers(4, 9)
        .with_mode(Mode::Fly)
        .with_velocity(Vector3::new(0.1, -2.0, 3.5))
        .with_settings(settings);
    comes_back(&character);
    comes_back(&character.build);
    let immovable = character
        .with_mass(f32::INFINITY)
        .with_gravity(Vector3::new(0.5, 3.0, -1.0));
    comes_back(&immovable);
    let text = serde_json::to_string(&Character::at(somewhere())).unwrap();
    let older = text.replace(",\"mass\":80.0,\"gravity\":null", "");
    assert_ne!(older, text);
    let read: Character = serde_json::from_str(&older).unwrap();
    assert_eq!(read, Character::at(somewhere()));
    comes_back(&Intent::fly(Vector3::new(1.0 / 3.0, 0.0, -5.0)).jumping(2.0));
    comes_back(&Sensor {
        center: somewhere(),
        extent: Vector3::new(0.5, 1.0, 1.0e6),
    });
    comes_back(&Motion {
        start: somewhere(),
        way: Vector3::new(0.1, 0.2, 0.3),
    });
}

#[test]
fn output_values_read_back_the_same() {
    let floor = [[Point3::new(0.0, -1.0, 0.0), Point3::new(9.0, 0.0, 9.0)]];
    let terrain = Shapes::from_boxes(ObjectId(7), Position::default(), &floor);
    let mut crowd = Crowd::new();
    let center = Position::from_metres(Point3::new(4.0, 1.0, 4.0));
    let extent = Vector3::repeat(1.0);
    crowd.add_sensor(Sensor { center, extent }).unwrap();
    let id = crowd.add(Character::at(Position::from_metres(Point3::new(
        4.0, 1.5, 4.0,
    ))));
    let mut told = Vec::new();
    crowd.watch(id).unwrap();
    for _ in 0..60 {
        crowd.tick(&terrain, &[], 1.0 / 60.0);
        told.extend_from_slice(crowd.events());
    }
    assert!(told.len() >= 2, "{told:?}");
    comes_back(&told);
    assert!(!crowd.contacts().is_empty());
    comes_back(&crowd.contacts().to_vec());
    let state: State = *crowd.state(id).unwrap();
    assert!(state.is_grounded());
    comes_back(&state);
    comes_back::<Option<Ground>>(&crowd.ground(id));
    comes_back::<Body>(&crowd.body(id).unwrap());
    comes_back(&Radii::new(0.4, 0.9));
    comes_back(&CharacterHit {
        character: id,
        time: 0.25,
        normal: Vector3::x(),
    });
    for kind in [
        EventKind::LeftGround,
        EventKind::Hit {
            other: Other::Character(id),
            normal: Vector3::z(),
            speed: 3.5,
            feature: Feature::Edge,
        },
        EventKind::Pushed {
            by: Other::Terrain(ObjectId(u32::MAX)),
            distance: 0.1,
        },
        EventKind::Crushed { by: ObjectId(3) },
    ] {
        comes_back(&Event {
            character: id,
            kind,
        });
    }
}

#[test]
fn invalid_position_is_refused() {
    let text = |offset: &str| format!(r#"{{"cell": [1, -2, 3], "offset": [0.5, {offset}, 0.0]}}"#);
    let read = |offset: &str| serde_json::from_str::<Position>(&text(offset));
    assert_eq!(read("0.25").unwrap().offset.y, 0.25);
    for hostile in ["1.0", "-0.25", "1e39", "-1e39", "null", "\"x\""] {
        assert!(read(hostile).is_err(), "{hostile}");
    }
    // NaN is written as `null`.
    let offset = Vector3::new(0.5, f32::NAN, 0.5);
    let broken = serde_json::to_string(&Position {
        offset,
        ..somewhere()
    })
    .unwrap();
    assert!(
        serde_json::from_str::<Position>(&broken).is_err(),
        "{broken}"
    );
    let error = read("1.5").unwrap_err().to_string();
    assert!(error.contains("Position::new"), "{error}");
}

#[test]
fn character_that_cannot_be_is_read_and_then_refused_by_the_crowd() {
    let text = serde_json::to_string(&Character::at(somewhere())).unwrap();
    let huge = text.replace("\"across\":0.4", "\"across\":1e39");
    assert_ne!(huge, text);
    let character: Character = serde_json::from_str(&huge).unwrap();
    assert!(Crowd::new().try_add(character).is_err());
}
