//! Gravity of its own, apart from the up axis, against closed forms at many rates.

use super::*;
use crate::Settings;

const RATES: [f32; 6] = [20.0, 30.0, 60.0, 120.0, 240.0, 360.0];

/// Returns the place and velocity of a character after a second of free motion, and those of the
/// closed form.
fn flown(
    rate: f32,
    character: Character,
    wish: Vector3<f32>,
) -> (Vector3<f32>, Vector3<f32>, CharacterId, Crowd) {
    let nothing = Shapes::from_boxes(ObjectId(1), Position::default(), &[]);
    let mut crowd = Crowd::new();
    let id = crowd.add(character);
    for _ in 0..rate as u32 {
        crowd.tick(&nothing, &[(id, Intent::walk(wish))], 1.0 / rate);
    }
    let way = crowd.position(id).unwrap().since(&character.position);
    (way, crowd.velocity(id).unwrap(), id, crowd)
}

#[test]
fn gravity_in_any_direction_gives_the_parabola_at_every_rate() {
    let wish = Vector3::new(1.0, 0.0, -2.0);
    for gravity in [
        Vector3::new(0.0, -20.0, 0.0),
        Vector3::new(4.0, -9.0, 1.0),
        Vector3::new(-3.0, 7.0, 0.0),
        Vector3::new(0.0, 0.0, 12.0),
    ] {
        for rate in RATES {
            let flier = Character::at(at(0.0, 500.0, 0.0)).with_gravity(gravity);
            let (way, velocity, ..) = flown(rate, flier, wish);
            let expected = wish + gravity * 0.5;
            assert!((way - expected).norm() < 2e-3, "{rate}: {way} {expected}");
            let expected = wish + gravity;
            assert!((velocity - expected).norm() < 2e-3, "{rate}: {velocity}");
        }
    }
}

#[test]
fn gravity_stops_at_the_fastest_fall_whatever_way_it_leads() {
    let settings = Settings {
        fall_limit: 5.0,
        ..Settings::default()
    };
    for gravity in [
        Vector3::y() * 20.0,
        Vector3::x() * 20.0,
        Vector3::y() * -20.0,
    ] {
        for rate in RATES {
            let flier = Character::at(at(0.0, 500.0, 0.0)).with_gravity(gravity);
            let (_, velocity, ..) = flown(rate, flier.with_settings(settings), Vector3::zeros());
            let expected = gravity.normalize() * 5.0;
            assert!((velocity - expected).norm() < 1e-3, "{rate}: {velocity}");
        }
    }
}

#[test]
fn gravity_that_leads_up_lifts_off_and_one_that_leads_aside_does_not() {
    let terrain = arena(20.0, &[]);
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(5.0, 5.0));
    for _ in 0..30 {
        crowd.tick(&terrain, &[], TICK);
    }
    let start = crowd.position(id).unwrap();
    let aside = Vector3::new(15.0, -3.0, 0.0);
    crowd.set_gravity(id, Some(aside)).unwrap();
    for _ in 0..60 {
        crowd.tick(&terrain, &[], TICK);
        assert!(crowd.is_grounded(id));
    }
    assert!(crowd.position(id).unwrap().same_bits(&start));
    crowd.set_gravity(id, Some(Vector3::y() * 2.0)).unwrap();
    crowd.tick(&terrain, &[], TICK);
    assert_eq!(count(crowd.events(), |it| *it == EventKind::LeftGround), 1);
    for _ in 1..60 {
        crowd.tick(&terrain, &[], TICK);
    }
    let rise = crowd.position(id).unwrap().since(&start).y;
    assert!((rise - 1.0).abs() < 5e-3, "{rise}");
    crowd.set_gravity(id, None).unwrap();
    for _ in 0..60 {
        crowd.tick(&terrain, &[], TICK);
    }
    assert!(crowd.is_grounded(id));
    for wrong in [f32::NAN, f32::INFINITY, 1.0e7] {
        let gravity = Some(Vector3::new(0.0, wrong, 0.0));
        assert!(crowd.set_gravity(id, gravity).is_err());
    }
}

/// The formula that `Crowd::launch` states.
#[test]
fn launch_follows_its_formula_at_every_rate() {
    let (up, across) = (9.0_f32, 6.0_f32);
    let wish = Vector3::new(0.5, 0.0, 1.0);
    for loss in [0.0, 4.0, 9.0, 40.0] {
        for rate in RATES {
            let settings = Settings {
                drift_loss: loss,
                ..Settings::default()
            };
            let nothing = Shapes::from_boxes(ObjectId(1), Position::default(), &[]);
            let mut crowd = Crowd::new();
            let start = at(0.0, 500.0, 0.0);
            let id = crowd.add(Character::at(start).with_settings(settings));
            crowd.launch(id, Vector3::new(across, up, 0.0)).unwrap();
            for tick in 1..=rate as u32 {
                crowd.tick(&nothing, &[(id, Intent::walk(wish))], 1.0 / rate);
                let t = tick as f32 / rate;
                let lasting = if loss > 0.0 { t.min(across / loss) } else { t };
                let drift = across * lasting - 0.5 * loss * lasting * lasting;
                let way = wish * t + Vector3::new(drift, up * t - 10.0 * t * t, 0.0);
                let found = crowd.position(id).unwrap().since(&start);
                assert!(
                    (found - way).norm() < 3e-3,
                    "{loss} {rate} {t}: {found} {way}"
                );
                let speed = (across - loss * t).max(0.0);
                let velocity = wish + Vector3::new(speed, up - 20.0 * t, 0.0);
                let found = crowd.velocity(id).unwrap();
                assert!(
                    (found - velocity).norm() < 3e-3,
                    "{loss} {rate} {t}: {found}"
                );
            }
        }
    }
}
