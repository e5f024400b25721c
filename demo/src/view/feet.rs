//! The feet of characters near the eye: two round ones that swing with the gait.

use collision::Position;
use engine::{CharacterInstance, Color};
use nalgebra::Vector3;
use simulation::Drawn;

/// Distance from the eye up to which feet are drawn, metres.
const REACH: f32 = 48.0;
/// Semi-axes of a foot, and its distance from the middle, relative to the radius of its body.
const SIZE: [f32; 3] = [0.3, 0.2, 0.5];
const ASIDE: f32 = 0.42;
/// Swing of a foot forwards and upwards at full pace, relative to the radius of its body.
const SWING: f32 = 0.75;
const LIFT: f32 = 0.4;
/// Speed of full pace, metres a second.
const FULL_PACE: f32 = 3.0;
/// Share of the brightness of a body that its feet have.
const DARKER: f32 = 0.45;

/// Adds the feet of a character near the eye.
pub(super) fn gather(
    out: &mut Vec<CharacterInstance>,
    drawn: &Drawn,
    color: Color,
    eye: &Position,
) {
    if drawn.position.since(eye).norm() > REACH {
        return;
    }
    let [r, g, b, a] = color.0;
    let dark = [r, g, b].map(|part| (f32::from(part) * DARKER) as u8);
    let size = drawn.radii.x;
    let (sin, cos) = drawn.heading.sin_cos();
    let (ahead, across) = (Vector3::new(sin, 0.0, -cos), Vector3::new(cos, 0.0, sin));
    let pace = (drawn.pace / FULL_PACE).min(1.0);
    let soles = Vector3::y() * (SIZE[1] * size - drawn.radii.y);
    for (side, phase) in [(-1.0, 0.0), (1.0, std::f32::consts::PI)] {
        let turn = drawn.gait + phase;
        let swing = ahead * (turn.sin() * SWING * pace * size);
        let lift = Vector3::y() * (turn.cos().max(0.0) * LIFT * pace * size);
        let foot = soles + across * (side * ASIDE * size) + swing + lift;
        out.push(CharacterInstance {
            position: drawn.position.moved(foot),
            radii: Vector3::from(SIZE) * size,
            heading: drawn.heading,
            up: Vector3::y(),
            color: Color([dark[0], dark[1], dark[2], a]),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feet(gait: f32, pace: f32) -> Vec<CharacterInstance> {
        let drawn = Drawn {
            position: Position::default(),
            radii: Vector3::new(0.4, 0.9, 0.4),
            heading: 0.0,
            tint: 0,
            flash: 0.0,
            gait,
            pace,
            eye_lag: 0.0,
        };
        let mut feet = Vec::new();
        gather(&mut feet, &drawn, Color::WHITE, &Position::default());
        feet
    }

    #[test]
    fn feet_stand_side_by_side_and_step_in_turn() {
        let lowest =
            |foot: &CharacterInstance| foot.position.since(&Position::default()).y - foot.radii.y;
        let standing = feet(1.0, 0.0);
        assert!(
            standing
                .iter()
                .all(|foot| (lowest(foot) + 0.9).abs() < 1e-6)
        );
        let ahead = |foot: &CharacterInstance| -foot.position.since(&Position::default()).z;
        let walking = feet(std::f32::consts::FRAC_PI_2, 5.0);
        assert!(ahead(&walking[0]) > 0.2 && ahead(&walking[1]) < -0.2);
        for step in 0..16 {
            let walking = feet(step as f32 * 0.4, 5.0);
            let down = walking.iter().map(lowest).fold(f32::INFINITY, f32::min);
            assert!((down + 0.9).abs() < 1e-6, "one foot is always down");
        }
    }
}
