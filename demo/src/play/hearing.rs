//! The player's ears: passes noises of the simulation on to the device.

use simulation::{Heard, Noise};

use crate::sound::{Ears, Sounds};

use super::app::Play;

/// Pictures between two looks at the crowd around.
const LISTENS_EVERY: u32 = 15;

/// Turn of the camera by a shot and by the hardest landing, radians, and the loudness of the
/// softest landing that turns it.
const SHOT: f32 = 0.035;
const LANDING: f32 = 0.06;
const HARD: f32 = 0.35;

/// The sounds, and the noises on their way to them.
pub(super) struct Hearing {
    pub(super) sounds: Sounds,
    noises: Vec<Heard>,
    /// Loudness of the crowd around.
    murmur: f32,
    pictures: u32,
}

impl Hearing {
    pub(super) fn new(sounds: Sounds) -> Self {
        Hearing {
            sounds,
            noises: Vec::new(),
            murmur: 0.0,
            pictures: 0,
        }
    }
}

/// Returns the turn with which a noise of the player's kicks the camera, radians.
fn kick_of(heard: &Heard) -> f32 {
    match heard.noise {
        Noise::Cannon => SHOT,
        Noise::Land if heard.loudness > HARD => -LANDING * heard.loudness,
        _ => 0.0,
    }
}

impl Play {
    /// Plays the noises since the last picture where the camera hears them.
    pub(super) fn hear(&mut self) {
        let ears = Ears::of(self.camera());
        let (hearing, simulation) = (&mut self.hearing, &mut self.session.simulation);
        simulation.take_noises(&mut hearing.noises);
        let kicks = self.settings.settings.graphics.camera_kicks;
        for heard in hearing.noises.drain(..) {
            hearing.sounds.play(&heard, &ears);
            if kicks && heard.own {
                self.rig.kick(kick_of(&heard));
            }
        }
        if hearing.pictures.is_multiple_of(LISTENS_EVERY) {
            hearing.murmur = simulation.murmur_at(&ears.at);
        }
        hearing.pictures = hearing.pictures.wrapping_add(1);
        let choice = &self.settings.settings.sound;
        hearing.sounds.follow(choice, &ears, hearing.murmur);
    }
}
