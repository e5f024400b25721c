//! Leaving the ground: the kept part of its velocity, launches, steering in the air, tilting
//! ground.

use super::*;
use crate::Sides;
use crate::State;
use crate::character::{LeaveWith, Settings};
use crate::soup::{SoupMotion, TriangleSoup};
use nalgebra::UnitQuaternion;

/// Runs until a character that left the ground has landed; returns its displacement and the
/// seconds.
fn flight(crowd: &mut Crowd, id: CharacterId, intent: Intent, seconds: f32) -> (Vector3<f32>, f32) {
    let terrain = arena(60.0, &[]);
    let start = crowd.position(id).unwrap();
    for tick in 1..2000 {
        crowd.tick(&terrain, &[(id, intent)], seconds);
        if crowd.is_grounded(id) {
            let way = crowd.position(id).unwrap().since(&start);
            return (way, tick as f32 * seconds);
        }
    }
    panic!("it never lands");
}

/// Returns a crowd of one character that stands in the arena.
fn stander(settings: Settings) -> (Crowd, CharacterId) {
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(20.0, 30.0).with_settings(settings));
    crowd.tick(&arena(60.0, &[]), &[], TICK);
    assert!(crowd.is_grounded(id));
    (crowd, id)
}

#[test]
fn leave_with_says_which_part_of_the_ground_velocity_is_kept() {
    let velocity = Vector3::new(3.0, 2.0, 0.0);
    for (leave_with, kept) in [
        (LeaveWith::Nothing, Vector3::zeros()),
        (LeaveWith::Level, Vector3::new(3.0, 0.0, 0.0)),
        (LeaveWith::All, velocity),
    ] {
        let plate = [[Point3::new(-50.0, -1.0, -5.0), Point3::new(50.0, 0.0, 5.0)]];
        let mut raft = Shapes::from_boxes(ObjectId(1), Position::default(), &plate);
        let mut crowd = Crowd::new();
        let settings = Settings {
            leave_with,
            ..Settings::default()
        };
        let id = crowd.add(Character::at(at(0.0, 0.91, 0.0)).with_settings(settings));
        for tick in 0..20 {
            raft.advance(velocity * TICK);
            let jump = if tick == 19 { 9.0 } else { 0.0 };
            let intent = Intent::default().jumping(jump);
            crowd.tick(&raft, &[(id, intent)], TICK);
        }
        assert!(!crowd.is_grounded(id));
        let state = crowd.state(id).unwrap();
        let jumped = Vector3::new(0.0, 9.0 - settings.gravity * TICK, 0.0);
        assert!((state.velocity - jumped - kept).norm() < 1e-4, "{state:?}");
        assert!((state.drift - Vector3::new(kept.x, 0.0, 0.0)).norm() < 1e-4);
    }
}

#[test]
fn launch_lasts_until_the_landing_and_drift_loss_slows_it() {
    for (drift_loss, far) in [(0.0, 5.0 * 0.8), (10.0, 5.0 * 5.0 / 20.0)] {
        let settings = Settings {
            drift_loss,
            ..Settings::default()
        };
        let (mut crowd, id) = stander(settings);
        crowd.launch(id, Vector3::new(5.0, 8.0, 0.0)).unwrap();
        let (way, _) = flight(&mut crowd, id, Intent::default(), TICK);
        assert!((way.x - far).abs() < 0.1, "{drift_loss}: {way}");
        assert_eq!(crowd.state(id).unwrap().drift, Vector3::zeros());
    }
}

#[test]
fn steering_in_the_air_leads_as_far_at_every_tick_rate() {
    for rate in [20.0, 30.0, 60.0, 144.0, 360.0_f32] {
        let settings = Settings {
            air_control: 10.0,
            ..Settings::default()
        };
        let (mut crowd, id) = stander(settings);
        crowd.launch(id, Vector3::new(0.0, 8.0, 0.0)).unwrap();
        let (way, seconds) = flight(&mut crowd, id, walk(5.0, 0.0), 1.0 / rate);
        // Half a second of even acceleration, then the wished pace.
        let far = 0.5 * 5.0 * 0.5 + 5.0 * (seconds - 0.5);
        assert!((way.x - far).abs() < 0.01, "{rate}: {way} in {seconds} s");
        assert!(
            (seconds - 0.8).abs() <= 1.0 / rate + 1e-3,
            "{rate}: {seconds}"
        );
    }
}

#[test]
fn launches_at_the_speed_limit_of_tilted_characters_are_saved_and_restored() {
    let up = Vector3::new(1.0, 1.0, 1.0).normalize();
    let mut crowd = Crowd::new();
    let id = crowd.add(Character::at(at(0.0, 50.0, 0.0)).with_up(up));
    let fastest = crate::tolerance::MAX_SPEED;
    crowd
        .launch(id, Vector3::new(fastest, -fastest, -fastest))
        .unwrap();
    assert!(crowd.state(id).unwrap().drift.amax() > fastest);
    let hash = crowd.state_hash();
    crowd.restore(&crowd.save()).unwrap();
    assert_eq!(crowd.state_hash(), hash);
}

/// Returns how far a standing character gets from its place on a plate that tilts to and fro for 15
/// s, in metres.
fn led_astray(turn_up: impl Fn(&mut Crowd, CharacterId, Vector3<f32>)) -> f32 {
    let mut plate = TriangleSoup::new(ObjectId(1), Position::default());
    let corner = |x: f64, z: f64| Point3::new(x, 0.0, z);
    for corners in [
        [corner(-9.0, -9.0), corner(-9.0, 9.0), corner(9.0, 9.0)],
        [corner(-9.0, -9.0), corner(9.0, 9.0), corner(9.0, -9.0)],
    ] {
        plate.insert(corners, Sides::Both).unwrap();
    }
    let mut crowd = Crowd::new();
    let id = crowd.add(Character::at(at(2.0, 0.91, 0.0)));
    let (mut whole, mut up) = (UnitQuaternion::<f64>::identity(), Vector3::y());
    let mut farthest = 0.0_f32;
    for tick in 0..900 {
        let spin = if tick % 240 < 60 || tick % 240 >= 180 {
            0.3
        } else {
            -0.3
        };
        let axis = Vector3::new(0.0, 0.0, spin);
        let turn = UnitQuaternion::from_scaled_axis(axis * f64::from(TICK));
        plate.advance(&SoupMotion {
            turn,
            ..SoupMotion::default()
        });
        whole = turn * whole;
        crowd.tick(&plate, &[], TICK);
        if tick > 0 {
            let told = crowd.ground_turn(&plate, id).unwrap();
            assert!((told.cast() - axis).norm() < 1e-4, "{told}");
        }
        up = UnitQuaternion::from_scaled_axis(axis.cast::<f32>() * TICK) * up;
        up = up.normalize();
        turn_up(&mut crowd, id, up);
        let foot = crowd.position(id).unwrap().to_metres().coords - (up * 0.91).cast::<f64>();
        let place = whole.inverse() * foot;
        farthest = farthest.max((place - Vector3::new(2.0, 0.0, 0.0)).norm() as f32);
    }
    farthest
}

#[test]
fn tilt_keeps_the_place_on_ground_that_tilts() {
    let about_the_foot = led_astray(|crowd, id, up| crowd.tilt(id, up).unwrap());
    let about_the_centre = led_astray(|crowd, id, up| crowd.set_up(id, up).unwrap());
    assert!(about_the_foot < 0.02, "{about_the_foot}");
    assert!(
        about_the_centre > 10.0 * about_the_foot,
        "{about_the_centre}"
    );
}

/// Returns the state of a rider that left the head of a walker on a raft, by a jump or on foot.
fn from_a_head(jumps: bool, leave_with: LeaveWith) -> State {
    let plate = [[Point3::new(-90.0, -1.0, -9.0), Point3::new(90.0, 0.0, 9.0)]];
    let mut raft = Shapes::from_boxes(ObjectId(1), Position::default(), &plate);
    let settings = Settings {
        leave_with,
        ..Settings::default()
    };
    let mut crowd = Crowd::new();
    let bearer = crowd.add(standing(0.0, 0.0));
    let rider = crowd.add(Character::at(at(0.0, 2.73, 0.0)).with_settings(settings));
    for _ in 0..20 {
        raft.advance(Vector3::new(0.0, 0.0, 2.0) * TICK);
        crowd.tick(&raft, &[], TICK);
    }
    assert!(crowd.is_grounded(rider));
    raft.advance(Vector3::new(0.0, 0.0, 2.0) * TICK);
    let jump = if jumps { 8.0 } else { 0.0 };
    let off = if jumps { 0.0 } else { -40.0 };
    let rides = walk(off, 0.0).jumping(jump);
    crowd.tick(&raft, &[(bearer, walk(3.0, 0.0)), (rider, rides)], TICK);
    assert!(!crowd.is_grounded(rider));
    *crowd.state(rider).unwrap()
}

#[test]
fn jump_from_a_head_takes_the_steps_below_along_and_walking_off_does_not() {
    let state = from_a_head(true, LeaveWith::All);
    let fall = 20.0 * TICK;
    let expected = Vector3::new(3.0, 8.0 - fall, 2.0);
    assert!((state.velocity - expected).norm() < 1e-3, "{state:?}");
    assert!((state.drift - Vector3::new(3.0, 0.0, 2.0)).norm() < 1e-3);
    let state = from_a_head(true, LeaveWith::Nothing);
    assert_eq!(state.drift, Vector3::zeros());
    let state = from_a_head(false, LeaveWith::All);
    assert!(
        (state.drift - Vector3::new(0.0, 0.0, 2.0)).norm() < 1e-3,
        "{state:?}"
    );
}
