//! Sound: plays the noises of the simulation to the player's ears.
//!
//! Every sound is computed when the sandbox starts (`recipes` lists them, `synthesis` makes
//! samples of them); no file holds any. `mixer` places them in space and mixes with `kira`;
//! `outlet` is the end of the line: the machine's device, or a buffer for tests. A machine without
//! a device is silent, and nothing else changes.

mod mixer;
mod outlet;
mod recipes;
mod synthesis;

use std::thread::{self, JoinHandle};

use collision::Position;
use engine::Camera;
use nalgebra::Vector3;
use simulation::{Heard, Noise};

use crate::settings::SoundChoice;

use mixer::Mixer;
use outlet::Target;
use recipes::{Bank, Loop};

/// Gain at which a sound is not worth playing.
const INAUDIBLE: f32 = 0.004;
/// Distance at which a sound is half as loud, metres.
const HALF_LOUD: f32 = 6.0;
/// Distance at which a sound from aside comes from one side alone, metres.
const ASIDE: f32 = 2.0;
/// Share of a sound from aside that the far ear misses.
const WIDTH: f32 = 0.8;
/// Height above which the wind is as loud as it gets, and the one below which it is faint, metres.
const WINDY: f32 = 110.0;
const CALM: f32 = 20.0;
/// Loudness of the faintest and the loudest wind, and of the loudest crowd.
const WIND: [f32; 2] = [0.04, 0.4];
const MURMUR: f32 = 0.35;
/// Loudness of a click.
const CLICK: f32 = 0.4;

/// The listener.
#[derive(Clone, Copy, Debug)]
pub struct Ears {
    /// Place.
    pub at: Position,
    /// Unit vector towards the right ear.
    pub right: Vector3<f32>,
}

impl Ears {
    /// Returns the ears of a camera.
    pub fn of(camera: &Camera) -> Self {
        Ears {
            at: camera.position,
            right: camera.right(),
        }
    }

    /// Returns gain and pan of a sound at a place.
    fn placed(&self, at: &Position) -> [f32; 2] {
        let away = at.to_metres() - self.at.to_metres();
        let away = away.cast::<f32>();
        let distance = away.norm();
        let gain = 1.0 / (1.0 + (distance / HALF_LOUD).powi(2)).sqrt();
        let aside = self.right.dot(&away) / distance.max(ASIDE);
        [gain, (aside * WIDTH).clamp(-1.0, 1.0)]
    }
}

/// Plays noises, or only counts them where there is no device.
pub struct Sounds {
    mixer: Option<Mixer>,
    /// The samples while they are computed.
    making: Option<JoinHandle<Bank>>,
    played: [u32; Noise::KINDS],
    clicks: u32,
}

impl Sounds {
    /// Returns sounds that are counted and not played.
    pub fn silent() -> Self {
        Sounds {
            mixer: None,
            making: None,
            played: [0; Noise::KINDS],
            clicks: 0,
        }
    }

    /// Opens the machine's device. Samples are computed in the background; noises before that are
    /// not heard.
    pub fn open() -> Self {
        let making = thread::Builder::new()
            .name("sounds".to_owned())
            .spawn(Bank::make);
        Sounds {
            mixer: Mixer::new(Target::Device),
            making: making.ok(),
            ..Self::silent()
        }
    }

    /// Returns sounds that are mixed into a buffer, for tests; see [`render`](Self::render).
    pub fn offline() -> Self {
        let mut mixer = Mixer::new(Target::Buffer);
        if let Some(mixer) = &mut mixer {
            mixer.fill(Bank::make());
        }
        Sounds {
            mixer,
            ..Self::silent()
        }
    }

    /// Returns the next seconds of the mix, left and right by turns; nothing but for
    /// [`offline`](Self::offline).
    pub fn render(&mut self, seconds: f32) -> Vec<f32> {
        self.mixer
            .as_mut()
            .map_or_else(Vec::new, |mixer| mixer.render(seconds))
    }

    /// Returns how often noises of a kind were played.
    pub fn played(&self, noise: Noise) -> u32 {
        self.played[noise.index()]
    }

    /// Returns how often the interface clicked.
    pub fn clicks(&self) -> u32 {
        self.clicks
    }

    /// Plays a noise where it is heard.
    pub fn play(&mut self, heard: &Heard, ears: &Ears) {
        let [gain, pan] = ears.placed(&heard.at);
        let gain = gain * heard.loudness.clamp(0.0, 1.0);
        if gain < INAUDIBLE {
            return;
        }
        self.played[heard.noise.index()] += 1;
        if let Some(mixer) = &mut self.mixer {
            mixer.play(heard.noise, gain, pan);
        }
    }

    /// Plays the click of a button.
    pub fn click(&mut self) {
        self.clicks += 1;
        if let Some(mixer) = &mut self.mixer {
            mixer.click(CLICK);
        }
    }

    /// Follows the settings, the height of the ears and the loudness of the crowd about them; call
    /// it once a picture.
    pub fn follow(&mut self, choice: &SoundChoice, ears: &Ears, murmur: f32) {
        let is_made = self.making.as_ref().is_some_and(JoinHandle::is_finished);
        let bank = self.making.take_if(|_| is_made);
        let bank = bank.and_then(|making| making.join().ok());
        let Some(mixer) = &mut self.mixer else {
            return;
        };
        if let Some(bank) = bank {
            mixer.fill(bank);
        }
        mixer.set_volume(choice.heard());
        let height = ears.at.to_metres().y as f32;
        let share = ((height - CALM) / (WINDY - CALM)).clamp(0.0, 1.0);
        mixer.set_loop(Loop::Wind, WIND[0] + (WIND[1] - WIND[0]) * share);
        mixer.set_loop(Loop::Murmur, murmur * MURMUR);
    }
}
