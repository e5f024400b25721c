//! Steps through windows: how high one may step does not shut a way that a lower step would take.

use super::*;
use crate::Settings;

/// Where one ends who walks at a wall two metres thick, with a sill, an opening and a lintel over it.
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
fn window_lets_through_who_could_step_higher_than_its_sill() {
    for step in [1.05, 1.2, 1.35, 1.5, 1.65, 1.8, 1.95, 2.1, 2.5, 3.0] {
        for lintel in [0.3, 1.0, 4.0] {
            let end = through_a_window(step, 1.0, 2.0, lintel);
            assert!(
                end.x > 2.5,
                "a step of {step} m, a lintel of {lintel} m: {end}"
            );
        }
    }
    // Too low for a body.
    let end = through_a_window(2.0, 1.0, 1.7, 4.0);
    assert!(end.x < 0.5, "{end}");
}
