//! Mixes sounds with `kira`: one-shot sounds with gain and pan, and loops whose volume follows the
//! surroundings.

use std::time::Duration;

use kira::sound::static_sound::{StaticSoundData, StaticSoundHandle};
use kira::track::MainTrackBuilder;
use kira::{
    AudioManager, AudioManagerSettings, Capacities, Decibels, Panning, PlaybackRate, Tween,
};
use simulation::{Noise, Random};

use super::outlet::{BUFFER_RATE, Outlet, Target};
use super::recipes::{Bank, Loop};

/// The most sounds at once; more are not heard.
const MOST_AT_ONCE: usize = 64;
/// Share by which the pitch of a sound varies from one time to the next.
const VARIES: f32 = 0.06;
/// Seconds in which a loop reaches a new volume.
const GLIDE: Duration = Duration::from_millis(400);
/// Change of a loop's gain that is worth a command.
const CHANGE: f32 = 0.01;

/// One loop that plays all the time.
struct Going {
    handle: StaticSoundHandle,
    gain: f32,
}

/// The mixer, with its open end.
pub(super) struct Mixer {
    manager: AudioManager<Outlet>,
    bank: Option<Bank>,
    loops: [Option<Going>; Loop::ALL.len()],
    volume: f32,
    random: Random,
}

/// Returns the decibels of a gain.
fn decibels(gain: f32) -> Decibels {
    match gain {
        ..=0.001 => Decibels::SILENCE,
        _ => Decibels(20.0 * gain.log10()),
    }
}

impl Mixer {
    /// Opens the end of the line; `None` without a device.
    pub(super) fn new(target: Target) -> Option<Self> {
        let manager = AudioManager::new(AudioManagerSettings {
            capacities: Capacities {
                sub_track_capacity: 0,
                send_track_capacity: 0,
                clock_capacity: 0,
                modulator_capacity: 0,
                listener_capacity: 0,
            },
            main_track_builder: MainTrackBuilder::new().sound_capacity(MOST_AT_ONCE),
            internal_buffer_size: 128,
            backend_settings: target,
        });
        Some(Mixer {
            manager: manager.ok()?,
            bank: None,
            loops: [const { None }; Loop::ALL.len()],
            volume: 1.0,
            random: Random::new(25),
        })
    }

    /// Takes the samples and starts the loops, silent.
    pub(super) fn fill(&mut self, bank: Bank) {
        for (place, which) in self.loops.iter_mut().zip(Loop::ALL) {
            let sound = bank.going(which).volume(Decibels::SILENCE).loop_region(..);
            let handle = self.manager.play(sound).ok();
            *place = handle.map(|handle| Going { handle, gain: 0.0 });
        }
        self.bank = Some(bank);
    }

    /// Plays a noise once.
    pub(super) fn play(&mut self, noise: Noise, gain: f32, pan: f32) {
        if let Some(bank) = &self.bank {
            self.begin(bank.noise(noise), gain, pan);
        }
    }

    /// Plays the click of a button.
    pub(super) fn click(&mut self, gain: f32) {
        if let Some(bank) = &self.bank {
            self.begin(bank.click(), gain, 0.0);
        }
    }

    fn begin(&mut self, sound: StaticSoundData, gain: f32, pan: f32) {
        let rate = 1.0 + self.random.between(-VARIES, VARIES);
        let sound = sound
            .volume(decibels(gain))
            .panning(Panning(pan))
            .playback_rate(PlaybackRate(f64::from(rate)));
        // A sound too many is not heard.
        drop(self.manager.play(sound));
    }

    /// Sets the volume of everything.
    pub(super) fn set_volume(&mut self, volume: f32) {
        if volume != self.volume {
            self.volume = volume;
            let track = self.manager.main_track();
            track.set_volume(decibels(volume), Tween::default());
        }
    }

    /// Sets the gain of a loop.
    pub(super) fn set_loop(&mut self, which: Loop, gain: f32) {
        let Some(going) = &mut self.loops[which as usize] else {
            return;
        };
        if (gain - going.gain).abs() > CHANGE {
            going.gain = gain;
            let glide = Tween {
                duration: GLIDE,
                ..Tween::default()
            };
            going.handle.set_volume(decibels(gain), glide);
        }
    }

    /// Returns the next seconds of the mix.
    pub(super) fn render(&mut self, seconds: f32) -> Vec<f32> {
        let frames = (seconds * BUFFER_RATE as f32) as usize;
        let mut out = vec![0.0; frames * 2];
        self.manager.backend_mut().render(&mut out);
        out
    }
}
