//! Bad input is refused with a reason, never with a panic or a wrong world.

use super::*;
use crate::{
    CharacterError, Contact, ContactResponse, MoverConfig, Rules, Sensor, Settings, TickError,
};

#[test]
fn bad_characters_are_refused() {
    let mut crowd = Crowd::new();
    let good = standing(1.0, 1.0);
    let bad_position = Position {
        cell: Cell::zeros(),
        offset: Vector3::new(f32::NAN, 0.0, 0.0),
    };
    let bad_settings = Settings {
        gravity: f32::INFINITY,
        ..Settings::default()
    };
    for (bad, why) in [
        (good.with_radii(0.0, 0.9), CharacterError::Radius(0.0)),
        (good.with_radii(0.4, 900.0), CharacterError::Radius(900.0)),
        (good.with_up(Vector3::zeros()), CharacterError::Up),
        (Character::at(bad_position), CharacterError::Position),
        (
            good.with_velocity(Vector3::new(0.0, f32::INFINITY, 0.0)),
            CharacterError::Velocity,
        ),
        (good.with_settings(bad_settings), CharacterError::Settings),
    ] {
        assert_eq!(crowd.try_add(bad), Err(why));
        assert_eq!(crowd.add(bad), CharacterId::NONE);
    }
    assert!(crowd.try_add(good.with_radii(f32::NAN, 0.9)).is_err());
    assert!(
        crowd
            .try_add(good.with_up(Vector3::repeat(f32::NAN)))
            .is_err()
    );
    assert!(crowd.is_empty());
}

#[test]
fn bad_ticks_do_nothing() {
    let terrain = arena(6.0, &[]);
    let mut crowd = Crowd::new();
    crowd.add(Character::at(at(3.0, 3.0, 3.0)));
    let hash = crowd.state_hash();
    for seconds in [f32::NAN, 0.0, -1.0, f32::INFINITY, 1e9] {
        let report = crowd.tick(&terrain, &[], seconds);
        assert!(matches!(report.error, Some(TickError::Length(_))));
        assert_eq!(crowd.state_hash(), hash);
    }
    assert!(crowd.tick(&terrain, &[], 1e-30).error.is_none());
    assert!(crowd.tick(&terrain, &[], 1.0).error.is_none());
}

#[test]
fn bad_intents_are_ignored_and_told() {
    let terrain = arena(6.0, &[]);
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(3.0, 3.0));
    crowd.tick(&terrain, &[], TICK);
    let start = crowd.position(id);
    for part in [f32::NAN, f32::INFINITY, f32::MAX, -f32::MAX] {
        for intent in [walk(part, 0.0), Intent::default().jumping(part)] {
            crowd.tick(&terrain, &[(id, intent)], TICK);
            assert_eq!(
                count(crowd.events(), |kind| *kind == EventKind::IntentRefused),
                1
            );
            assert_eq!(crowd.position(id), start);
        }
    }
    crowd.tick(&terrain, &[(id, walk(1e-39, 1e-42))], TICK);
    assert!(
        crowd
            .position(id)
            .unwrap()
            .offset
            .iter()
            .all(|part| part.is_finite())
    );
}

#[test]
fn of_several_intents_the_last_counts() {
    let terrain = arena(6.0, &[]);
    let (good, other, bad) = (walk(1.0, 0.0), walk(0.0, 1.0), walk(f32::NAN, 0.0));
    let refused = |crowd: &Crowd| count(crowd.events(), |kind| *kind == EventKind::IntentRefused);
    for (given, alone, told) in [
        ([good, other], other, 0),
        ([bad, good], good, 0),
        ([good, bad], Intent::default(), 1),
        ([bad, bad], Intent::default(), 1),
    ] {
        let (mut crowd, mut twin) = (Crowd::new(), Crowd::new());
        let id = crowd.add(standing(3.0, 3.0));
        assert_eq!(twin.add(standing(3.0, 3.0)), id);
        for tick in 0..40 {
            // Both move at first, so that there is a motion to stop.
            let both = if tick < 20 { [good; 2] } else { given };
            let one = if tick < 20 { good } else { alone };
            crowd.tick(&terrain, &both.map(|intent| (id, intent)), TICK);
            twin.tick(&terrain, &[(id, one)], TICK);
            assert_eq!(refused(&crowd), if tick < 20 { 0 } else { told });
            assert_eq!(crowd.state_hash(), twin.state_hash(), "tick {tick}");
        }
    }
}

#[test]
fn fastest_allowed_ends_inside_the_arena() {
    let terrain = arena(6.0, &[]);
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(3.0, 3.0));
    for (x, z) in [(1e4, 0.0), (-1e4, 1e4), (0.0, -1e4), (7e3, 7e3)] {
        crowd.tick(&terrain, &[(id, walk(x, z))], TICK);
        let place = crowd.position(id).unwrap().to_metres();
        assert!(
            place.x > 0.3 && place.x < 5.7 && place.z > 0.3 && place.z < 5.7,
            "{place}"
        );
    }
}

#[test]
fn handles_of_removed_characters_name_none() {
    let terrain = arena(6.0, &[]);
    let mut crowd = Crowd::new();
    let first = crowd.add(standing(2.0, 2.0));
    assert!(crowd.remove(first));
    assert!(!crowd.remove(first));
    let second = crowd.add(standing(3.0, 3.0));
    assert_ne!(first, second);
    assert_eq!(crowd.position(first), None);
    assert!(!crowd.is_grounded(first));
    assert_eq!(
        crowd.teleport(first, at(1.0, 1.0, 1.0)),
        Err(CharacterError::Gone)
    );
    crowd.tick(
        &terrain,
        &[(first, walk(1.0, 0.0)), (CharacterId::NONE, walk(1.0, 0.0))],
        TICK,
    );
    assert_eq!(CharacterId::from_bits(second.to_bits()), second);
    assert_eq!(crowd.ids().collect::<Vec<_>>(), [second]);
}

#[test]
fn bad_changes_are_refused() {
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(2.0, 2.0));
    let nan = Vector3::repeat(f32::NAN);
    let nowhere = Position {
        cell: Cell::zeros(),
        offset: nan,
    };
    assert!(crowd.teleport(id, nowhere).is_err());
    assert!(crowd.launch(id, nan).is_err());
    assert!(crowd.set_up(id, nan).is_err());
    let sensor = Sensor {
        center: at(0.0, 0.0, 0.0),
        extent: nan,
    };
    assert!(crowd.add_sensor(sensor).is_err());
    let extent = Vector3::new(1.0, -2.0, 1.0);
    let inside_out = Sensor { extent, ..sensor };
    let refused = Err(CharacterError::Extent(-2.0));
    assert_eq!(crowd.add_sensor(inside_out), refused);
}

#[test]
fn ends_of_the_world_are_no_edge() {
    let terrain = arena(6.0, &[]);
    let mut crowd = Crowd::new();
    for cell in [i32::MIN, i32::MAX] {
        let corner = Position::new(Cell::repeat(cell), Vector3::repeat(0.5));
        let id = crowd.add(Character::at(corner).with_mode(crate::Mode::NoClip));
        let mut intent = Intent::walk(Vector3::repeat(5000.0 * (cell as f32).signum()));
        intent.mode = crate::Mode::NoClip;
        for _ in 0..10 {
            crowd.tick(&terrain, &[(id, intent)], TICK);
        }
        assert!(crowd.position(id).is_some());
    }
}

#[test]
fn slope_limit_of_ninety_degrees_still_stops_at_walls() {
    let terrain = arena(8.0, &[]);
    for least_rise in [0.0, f32::MIN_POSITIVE, 1e-6] {
        let mut settings = Settings::default();
        settings.mover.least_rise = least_rise;
        let mut crowd = Crowd::new();
        let id = crowd.add(standing(5.0, 4.0).with_settings(settings));
        for _ in 0..120 {
            crowd.tick(&terrain, &[(id, walk(5.0, 0.0))], TICK);
        }
        let place = crowd.position(id).unwrap().to_metres();
        assert!(place.x > 5.0 && place.x < 8.0 && place.y < 1.0, "{place}");
    }
}

#[test]
fn step_or_snap_as_long_as_a_street_is_refused() {
    type Part = fn(&mut MoverConfig) -> &mut f32;
    let parts: [Part; 4] = [
        |mover| &mut mover.step_height,
        |mover| &mut mover.air_step,
        |mover| &mut mover.snap,
        |mover| &mut mover.step_advance,
    ];
    for part in parts {
        let mut settings = Settings::default();
        *part(&mut settings.mover) = 16.0;
        assert!(settings.is_valid());
        *part(&mut settings.mover) = 1e6;
        let added = Crowd::new().try_add(standing(1.0, 1.0).with_settings(settings));
        assert_eq!(added, Err(CharacterError::Settings));
    }
}

#[test]
fn normals_of_any_length_turn_a_contact_alike() {
    struct Turned(f32);
    impl Rules for Turned {
        fn contact(&self, _: CharacterId, _: &Contact) -> ContactResponse {
            ContactResponse::Turn(Vector3::y() * self.0)
        }
    }
    let terrain = arena(20.0, &[]);
    let walked = |length: f32| {
        let mut crowd = Crowd::new();
        let id = crowd.add(standing(2.0, 2.0));
        for _ in 0..60 {
            crowd.tick_with(&terrain, &[(id, walk(3.0, 0.5))], TICK, &Turned(length));
        }
        crowd.state_hash()
    };
    for length in [1e-30, 0.5, 10.0, 1e8, f32::MAX] {
        assert_eq!(walked(length), walked(1.0), "{length}");
    }
    // Without a direction there is no motion.
    for length in [0.0, f32::NAN, f32::INFINITY] {
        assert_eq!(walked(length), walked(1.0), "{length}");
    }
}

#[test]
fn fastest_fall_can_be_saved() {
    struct Sea;
    impl Terrain for Sea {
        fn revision(&self) -> u64 {
            1
        }
        fn gather(&self, _: &Reach, _: &mut Memory, _: &mut crate::Candidates) {}
        fn gather_solids(&self, _: Cell, _: Vector3<f32>, _: Vector3<f32>, _: &mut Vec<SolidBox>) {}
        fn contents(&self, _: &Position, _: &Memory) -> Contents {
            Contents {
                liquid: true,
                ..Contents::default()
            }
        }
    }
    let mut crowd = Crowd::new();
    let settings = Settings {
        sink: f32::MAX,
        ..Settings::default()
    };
    crowd.add(standing(0.0, 0.0).with_settings(settings));
    crowd.tick(&Sea, &[], TICK);
    let mut other = Crowd::new();
    other.restore(&crowd.save()).unwrap();
    assert_eq!(other.state_hash(), crowd.state_hash());
}

#[test]
fn inverted_boxes_hold_no_character() {
    let mut crowd = Crowd::new();
    crowd.add(standing(0.0, 0.0));
    let mut found = Vec::new();
    let long = 1e9;
    for half in [
        Vector3::new(-10.0, long, long),
        Vector3::new(long, -10.0, long),
        Vector3::new(long, long, -10.0),
    ] {
        crowd.overlap_box(&Position::default(), half, u16::MAX, &mut found);
        assert!(found.is_empty());
    }
}

/// A thread that waits in a rule does other work of the tick meanwhile.
#[test]
fn rules_may_spread_work_over_the_threads_of_the_tick() {
    struct Busy;
    impl Rules for Busy {
        fn contact(&self, _: CharacterId, _: &Contact) -> ContactResponse {
            // Runs a job of this very tick, if one waits; `join` and `par_iter` do so while they
            // wait for others.
            for _ in 0..4 {
                rayon::yield_now();
            }
            ContactResponse::Keep
        }
    }
    let side = 40;
    let terrain = arena(f64::from(side) + 2.0, &[]);
    let played = |rules: &dyn Rules| {
        let mut crowd = Crowd::new();
        let all = (0..side * side).map(|number| {
            let place = [number % side, number / side].map(|part| f64::from(part) + 1.0);
            let above = Character::at(at(place[0], 1.5, place[1]));
            (crowd.add(above), walk(3.0, 0.1))
        });
        let intents: Vec<_> = all.collect();
        let mut events = Vec::new();
        for _ in 0..60 {
            crowd.tick_with(&terrain, &intents, TICK, rules);
            events.extend_from_slice(crowd.events());
        }
        (crowd.state_hash(), events)
    };
    struct Idle;
    impl Rules for Idle {}
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(8)
        .build()
        .unwrap();
    assert!(pool.install(|| played(&Busy)) == played(&Idle));
}
