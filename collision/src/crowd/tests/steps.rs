//! Steps through windows: a greater step height does not block a way that a lower step would take.
//! Blocked steps: a character that tried in vain sleeps, until something changes there.

use super::*;
use crate::Settings;

/// Returns the end of a walk at a wall two metres thick, with a sill, an opening and a lintel over
/// it.
fn through_a_window(step: f32, sill: f64, opening: f64, lintel: f64) -> Point3<f64> {
    let wall = |low: f64, high: f64| [Point3::new(0.0, low, -10.0), Point3::new(2.0, high, 10.0)];
    let head = sill + opening;
    let floor = [
        Point3::new(-10.0, -1.0, -10.0),
        Point3::new(10.0, 0.0, 10.0),
    ];
    let boxes = [floor, wall(0.0, sill), wall(head, head + lintel)];
    let terrain = Shapes::from_boxes(ObjectId(1), Position::default(), &boxes);
    let mut settings = Settings::default();
    settings.mover.step_height = step;
    let mut crowd = Crowd::new();
    let id = crowd.add(Character::at(at(-2.0, 0.92, 0.3)).with_settings(settings));
    for _ in 0..240 {
        crowd.tick(&terrain, &[(id, walk(3.0, 0.0))], TICK);
    }
    crowd.position(id).unwrap().to_metres()
}

#[test]
fn window_admits_a_character_that_steps_over_its_sill() {
    for step in [1.05, 1.2, 1.35, 1.5, 1.65, 1.8, 1.95, 2.1, 2.5, 3.0] {
        for lintel in [0.3, 1.0, 4.0] {
            let end = through_a_window(step, 1.0, 2.0, lintel);
            assert!(
                end.x > 2.5,
                "a step of {step} m, a lintel of {lintel} m: {end}"
            );
        }
    }
    // Too low for the character.
    let end = through_a_window(2.0, 1.0, 1.7, 4.0);
    assert!(end.x < 0.5, "{end}");
}

#[test]
fn character_blocked_from_a_step_sleeps_until_another_comes_near() {
    let boxes = [
        [
            Point3::new(-10.0, -1.0, -10.0),
            Point3::new(10.0, 0.0, 10.0),
        ],
        [Point3::new(0.0, 0.0, -10.0), Point3::new(2.0, 1.5, 10.0)],
        [Point3::new(0.0, 1.8, -10.0), Point3::new(2.0, 9.0, 10.0)],
    ];
    let terrain = Shapes::from_boxes(ObjectId(1), Position::default(), &boxes);
    let mut settings = Settings::default();
    settings.mover.step_height = 2.0;
    let mut crowd = Crowd::new();
    let id = crowd.add(Character::at(at(-2.0, 0.92, 0.3)).with_settings(settings));
    let go = (id, walk(3.0, 0.0));
    for _ in 0..120 {
        crowd.tick(&terrain, &[go], TICK);
    }
    assert_eq!(crowd.tick(&terrain, &[go], TICK).stepped, 0);
    let before = *crowd.state(id).unwrap();
    // Over its head, where it would rise, and too far away for the flyer to have it in reach.
    let flyer = crowd.add(Character::at(at(-4.0, 3.4, 0.3)).with_mode(Mode::Fly));
    let fly = (flyer, Intent::fly(Vector3::x()));
    let (mut over, mut apart) = (0, 0);
    for _ in 0..400 {
        let place = crowd.position(flyer).unwrap();
        let report = crowd.tick(&terrain, &[go, fly], TICK);
        if place.since(&before.position).x.abs() < 0.8 {
            over += u32::from(report.stepped == 2);
        } else if place.since(&before.position).x < -2.0 {
            assert_eq!(report.stepped, 1);
            apart += 1;
        }
    }
    assert!(over > 40 && apart > 50, "{over} {apart}");
    assert!(crowd.state(id).unwrap().same_bits(&before));
}
