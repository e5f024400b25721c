//! Makes the characters of a scene as its actors describe them.

use super::script::{Actor, ModeName, Setting};
use collision::character::{Character, Mode, Settings};
use collision::position::Position;

pub(super) fn mode(name: ModeName) -> Mode {
    match name {
        ModeName::Walk => Mode::Walk,
        ModeName::Fly => Mode::Fly,
        ModeName::Ghost => Mode::NoClip,
    }
}

pub(super) fn describe(actor: &Actor, position: Position) -> Character {
    let [across, along] = actor.radii.map(|radius| radius as f32);
    let mut settings = Settings::default();
    let mut character = Character::at(position)
        .with_radii(across, along)
        .with_up(actor.up.cast())
        .with_mass(actor.mass as f32)
        .with_mode(mode(actor.mode));
    character.build.gravity = actor.pull.map(|pull| pull.cast());
    for (setting, value) in &actor.settings {
        let value = *value as f32;
        match setting {
            Setting::Step => settings.mover.step_height = value,
            Setting::AirStep => settings.mover.air_step = value,
            Setting::Snap => settings.mover.snap = value,
            Setting::Slope => {
                settings.mover = settings.mover.with_slope_limit(value.to_radians());
            }
            Setting::Recovery => settings.mover.recovery_share = value,
            Setting::Gravity => settings.gravity = value,
            Setting::Friction => settings.mover.friction = value,
            Setting::Air => settings.air_control = value,
            Setting::Fall => settings.fall_limit = value,
            Setting::Crouch => character = character.with_crouched(value),
            Setting::Skin => settings.mover.skin = value,
            Setting::Shrink => settings.mover.shrink = value,
            Setting::Ledge => settings.mover.ledge = value,
            Setting::DriftLoss => settings.drift_loss = value,
        }
    }
    character.with_settings(settings)
}
