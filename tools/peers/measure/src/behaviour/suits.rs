//! Selects the scenes that a capsule on triangles can play.

use super::*;
use crate::peer::{HALF_HEIGHT, LEAST_RISE, RADIUS, Rules, SNAP};
use collision::Substance;
use collision_scenes::script::{Fill, Measure, ModeName, Pattern, Shape};

/// Distance below which characters might touch each other, in metres.
const APART: f64 = 2.5;
const STEP: f32 = 0.55;

pub fn suits(script: &Script) -> bool {
    script.motions.is_empty()
        && script.edits.is_empty()
        && script.actors.iter().all(walks_upright)
        && script
            .inputs
            .iter()
            .all(|input| matches!(input.wish, Wish::Go(_) | Wish::Jump(_)))
        && script.grounds.iter().all(|ground| is_solid(&ground.shape))
        && script
            .expectations
            .iter()
            .any(|wanted| can_be_measured(wanted.measure))
        && is_without_meetings(script)
}

pub fn can_be_measured(measure: Measure) -> bool {
    use Measure as M;
    matches!(
        measure,
        M::X | M::Y
            | M::Z
            | M::VelocityX
            | M::VelocityY
            | M::VelocityZ
            | M::Speed
            | M::Pace
            | M::Travel
            | M::Grounded
            | M::Depth
    )
}

fn walks_upright(actor: &Actor) -> bool {
    let known =
        |setting: &Setting| matches!(setting, Setting::Step | Setting::Slope | Setting::Snap);
    let [across, along] = actor.radii;
    actor.mode == ModeName::Walk
        && (across - f64::from(RADIUS)).abs() < 1e-3
        && (along - f64::from(HALF_HEIGHT)).abs() < 1e-3
        && actor.up.y > 0.999
        && actor.settings.iter().all(|(setting, _)| known(setting))
}

fn is_solid(shape: &Shape) -> bool {
    match shape {
        Shape::Voxels(layer) => {
            let plain = |substance| matches!(substance, Substance::Solid | Substance::Air);
            let whole = |pattern: &Pattern| *pattern == Pattern::All;
            let suits = |fill: &Fill| plain(fill.substance) && whole(&fill.pattern);
            layer.fills.iter().all(suits)
        }
        Shape::Boxes(_) | Shape::Triangles(_) => true,
    }
}

fn is_without_meetings(script: &Script) -> bool {
    let places: Vec<_> = script
        .actors
        .iter()
        .flat_map(|actor| &actor.places)
        .collect();
    let apart = |(index, a): (usize, &&Point3<f64>)| {
        places[..index].iter().all(|b| (*a - **b).norm() > APART)
    };
    places.iter().enumerate().all(apart)
}

/// Returns the rules of an actor; unset ones have the common values.
pub fn rules_of(actor: &Actor) -> Rules {
    let mut rules = Rules {
        step: STEP,
        air_step: 0.0,
        least_rise: LEAST_RISE,
        snap: SNAP,
    };
    for (setting, value) in &actor.settings {
        match setting {
            Setting::Step => rules.step = *value as f32,
            Setting::Slope => rules.least_rise = value.to_radians().cos() as f32,
            Setting::Snap => rules.snap = *value as f32,
            _ => {}
        }
    }
    rules
}

/// Returns a point of a script in metres from the global origin, in the coordinates of peers.
pub fn place_of(script: &Script, point: Point3<f64>) -> Point3<f64> {
    point + script.origin.map(f64::from)
}
