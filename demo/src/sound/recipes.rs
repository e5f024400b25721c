//! The sounds themselves, written down as layers of hiss and tones.

use std::sync::Arc;

use kira::Frame;
use kira::sound::static_sound::{StaticSoundData, StaticSoundSettings};
use simulation::{Matter, Noise};

use super::synthesis::{self, Layer, RATE, Recipe};

/// Seconds of the loops, and syllables of the murmur.
const WIND_SECONDS: f32 = 6.0;
const MURMUR_SECONDS: f32 = 7.0;
const SYLLABLES: usize = 150;

/// The sounds that go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loop {
    Wind,
    Murmur,
}

impl Loop {
    /// Every loop.
    pub(super) const ALL: [Self; 2] = [Loop::Wind, Loop::Murmur];
}

/// The samples of every sound.
pub(super) struct Bank {
    noises: Vec<StaticSoundData>,
    click: StaticSoundData,
    loops: [StaticSoundData; Loop::ALL.len()],
}

impl Bank {
    /// Computes every sound.
    pub(super) fn make() -> Self {
        let noises = Noise::all().map(|noise| {
            let samples = synthesis::make(&recipe_of(noise), noise.index() as u64);
            sound_of(&samples)
        });
        Bank {
            noises: noises.collect(),
            click: sound_of(&synthesis::make(&click(), 99)),
            loops: [
                sound_of(&synthesis::wind(WIND_SECONDS)),
                sound_of(&synthesis::murmur(MURMUR_SECONDS, SYLLABLES)),
            ],
        }
    }

    /// Returns the sound of a noise.
    pub(super) fn noise(&self, noise: Noise) -> StaticSoundData {
        self.noises[noise.index()].clone()
    }

    /// Returns the click of a button.
    pub(super) fn click(&self) -> StaticSoundData {
        self.click.clone()
    }

    /// Returns a sound that goes on.
    pub(super) fn going(&self, which: Loop) -> StaticSoundData {
        self.loops[which as usize].clone()
    }
}

fn sound_of(samples: &[f32]) -> StaticSoundData {
    let frames: Arc<[Frame]> = samples.iter().map(|&it| Frame::from_mono(it)).collect();
    StaticSoundData {
        sample_rate: RATE,
        frames,
        settings: StaticSoundSettings::default(),
        slice: None,
    }
}

fn hiss(after: f32, band: [f32; 2], fades: f32, level: f32) -> Layer {
    Layer::Hiss {
        after,
        band,
        fades,
        level,
    }
}

fn tone(after: f32, glide: [f32; 2], fades: f32, level: f32) -> Layer {
    Layer::Tone {
        after,
        glide,
        fades,
        level,
    }
}

fn recipe(seconds: f32, layers: &[Layer]) -> Recipe {
    Recipe {
        seconds,
        layers: layers.to_vec(),
    }
}

fn click() -> Recipe {
    recipe(
        0.05,
        &[
            tone(0.0, [1900.0, 1500.0], 0.008, 0.8),
            hiss(0.0, [2000.0, 7000.0], 0.004, 0.4),
        ],
    )
}

fn recipe_of(noise: Noise) -> Recipe {
    match noise {
        Noise::Dig(matter) => dig(matter),
        Noise::Place(matter) => place(matter),
        Noise::Step(matter) => step(matter),
        Noise::Splash => recipe(
            0.9,
            &[
                hiss(0.0, [500.0, 4000.0], 0.16, 1.0),
                hiss(0.08, [200.0, 1200.0], 0.25, 0.9),
                tone(0.12, [300.0, 700.0], 0.1, 0.15),
                tone(0.24, [420.0, 900.0], 0.07, 0.1),
            ],
        ),
        Noise::Cannon => recipe(
            1.3,
            &[
                hiss(0.0, [30.0, 900.0], 0.16, 1.6),
                tone(0.0, [95.0, 34.0], 0.28, 1.2),
                hiss(0.0, [900.0, 6000.0], 0.03, 0.8),
                hiss(0.1, [60.0, 300.0], 0.45, 0.5),
            ],
        ),
        Noise::Blast => recipe(
            1.6,
            &[
                hiss(0.0, [25.0, 600.0], 0.3, 1.6),
                tone(0.0, [70.0, 26.0], 0.4, 1.0),
                hiss(0.15, [400.0, 2600.0], 0.35, 0.35),
                hiss(0.35, [700.0, 3500.0], 0.3, 0.2),
            ],
        ),
        Noise::Shatter => recipe(
            0.8,
            &[
                hiss(0.0, [2500.0, 9000.0], 0.09, 1.0),
                tone(0.0, [2300.0, 2250.0], 0.12, 0.4),
                tone(0.05, [3100.0, 3060.0], 0.1, 0.35),
                tone(0.11, [2750.0, 2700.0], 0.14, 0.3),
                tone(0.19, [3600.0, 3560.0], 0.1, 0.25),
            ],
        ),
        Noise::Swing => recipe(
            0.28,
            &[
                hiss(0.0, [500.0, 1600.0], 0.07, 0.6),
                hiss(0.06, [900.0, 2600.0], 0.05, 0.8),
            ],
        ),
        Noise::Hit => recipe(
            0.25,
            &[
                hiss(0.0, [120.0, 1400.0], 0.035, 1.0),
                tone(0.0, [170.0, 80.0], 0.07, 0.9),
            ],
        ),
        Noise::Hurt => recipe(
            0.35,
            &[
                tone(0.0, [230.0, 120.0], 0.12, 0.9),
                tone(0.0, [345.0, 190.0], 0.09, 0.4),
                hiss(0.0, [100.0, 900.0], 0.05, 0.7),
            ],
        ),
        Noise::Jump => recipe(
            0.18,
            &[
                hiss(0.0, [300.0, 1500.0], 0.04, 0.7),
                tone(0.0, [140.0, 230.0], 0.06, 0.3),
            ],
        ),
        Noise::Land => recipe(
            0.3,
            &[
                hiss(0.0, [60.0, 700.0], 0.06, 1.0),
                tone(0.0, [110.0, 55.0], 0.08, 0.9),
            ],
        ),
        Noise::PickUp => recipe(
            0.4,
            &[
                tone(0.0, [880.0, 880.0], 0.08, 0.6),
                tone(0.07, [1320.0, 1320.0], 0.12, 0.6),
                tone(0.07, [2640.0, 2640.0], 0.06, 0.2),
            ],
        ),
        Noise::Throw => recipe(0.25, &[hiss(0.0, [700.0, 2200.0], 0.08, 1.0)]),
        Noise::Spring => recipe(
            0.45,
            &[
                tone(0.0, [160.0, 620.0], 0.16, 0.9),
                tone(0.0, [322.0, 1240.0], 0.1, 0.3),
            ],
        ),
        Noise::Undo => recipe(
            0.22,
            &[
                tone(0.0, [700.0, 520.0], 0.06, 0.6),
                hiss(0.0, [1500.0, 5000.0], 0.03, 0.3),
            ],
        ),
        Noise::Refusal => recipe(
            0.24,
            &[
                tone(0.0, [196.0, 190.0], 0.06, 0.7),
                tone(0.1, [156.0, 150.0], 0.07, 0.7),
            ],
        ),
    }
}

fn dig(matter: Matter) -> Recipe {
    match matter {
        Matter::Stone => recipe(
            0.35,
            &[
                hiss(0.0, [900.0, 5000.0], 0.02, 1.0),
                hiss(0.03, [300.0, 1800.0], 0.07, 0.9),
                tone(0.0, [210.0, 150.0], 0.04, 0.5),
            ],
        ),
        Matter::Earth => recipe(
            0.3,
            &[
                hiss(0.0, [80.0, 900.0], 0.06, 1.0),
                hiss(0.04, [400.0, 1600.0], 0.05, 0.4),
            ],
        ),
        Matter::Sand => recipe(
            0.4,
            &[
                hiss(0.0, [1500.0, 6500.0], 0.06, 0.7),
                hiss(0.05, [2200.0, 8000.0], 0.1, 0.5),
            ],
        ),
        Matter::Wood => recipe(
            0.3,
            &[
                tone(0.0, [330.0, 250.0], 0.05, 0.8),
                tone(0.0, [760.0, 640.0], 0.025, 0.4),
                hiss(0.0, [500.0, 2600.0], 0.03, 0.8),
            ],
        ),
        Matter::Leaves => recipe(
            0.35,
            &[
                hiss(0.0, [2500.0, 9000.0], 0.04, 0.7),
                hiss(0.06, [3000.0, 9500.0], 0.06, 0.6),
                hiss(0.13, [2600.0, 9000.0], 0.05, 0.4),
            ],
        ),
        Matter::Glass => recipe(
            0.5,
            &[
                hiss(0.0, [3000.0, 10000.0], 0.05, 0.8),
                tone(0.0, [2900.0, 2880.0], 0.11, 0.4),
                tone(0.04, [4150.0, 4120.0], 0.09, 0.35),
                tone(0.09, [3480.0, 3450.0], 0.12, 0.3),
            ],
        ),
        Matter::Metal => recipe(
            0.6,
            &[
                tone(0.0, [620.0, 616.0], 0.18, 0.6),
                tone(0.0, [1530.0, 1524.0], 0.12, 0.4),
                tone(0.0, [2610.0, 2600.0], 0.08, 0.25),
                hiss(0.0, [1500.0, 7000.0], 0.015, 0.7),
            ],
        ),
    }
}

fn place(matter: Matter) -> Recipe {
    match matter {
        Matter::Stone => recipe(
            0.2,
            &[
                hiss(0.0, [250.0, 2600.0], 0.025, 1.0),
                tone(0.0, [180.0, 120.0], 0.05, 0.8),
            ],
        ),
        Matter::Earth => recipe(
            0.2,
            &[
                hiss(0.0, [70.0, 700.0], 0.04, 1.0),
                tone(0.0, [110.0, 80.0], 0.04, 0.5),
            ],
        ),
        Matter::Sand => recipe(0.25, &[hiss(0.0, [900.0, 5000.0], 0.06, 1.0)]),
        Matter::Wood => recipe(
            0.2,
            &[
                tone(0.0, [260.0, 200.0], 0.05, 1.0),
                hiss(0.0, [400.0, 2000.0], 0.02, 0.7),
            ],
        ),
        Matter::Leaves => recipe(0.22, &[hiss(0.0, [2000.0, 7500.0], 0.05, 1.0)]),
        Matter::Glass => recipe(
            0.3,
            &[
                tone(0.0, [2500.0, 2490.0], 0.08, 0.6),
                tone(0.0, [3750.0, 3740.0], 0.05, 0.3),
                hiss(0.0, [2000.0, 7000.0], 0.01, 0.5),
            ],
        ),
        Matter::Metal => recipe(
            0.4,
            &[
                tone(0.0, [480.0, 478.0], 0.12, 0.7),
                tone(0.0, [1190.0, 1185.0], 0.08, 0.4),
                hiss(0.0, [900.0, 5000.0], 0.012, 0.7),
            ],
        ),
    }
}

fn step(matter: Matter) -> Recipe {
    match matter {
        Matter::Stone => recipe(
            0.12,
            &[
                hiss(0.0, [400.0, 2600.0], 0.015, 1.0),
                tone(0.0, [140.0, 100.0], 0.025, 0.5),
            ],
        ),
        Matter::Earth => recipe(0.14, &[hiss(0.0, [120.0, 1300.0], 0.03, 1.0)]),
        Matter::Sand => recipe(0.18, &[hiss(0.0, [1300.0, 5500.0], 0.045, 1.0)]),
        Matter::Wood => recipe(
            0.14,
            &[
                tone(0.0, [210.0, 170.0], 0.03, 1.0),
                hiss(0.0, [300.0, 1500.0], 0.012, 0.6),
            ],
        ),
        Matter::Leaves => recipe(0.16, &[hiss(0.0, [2200.0, 8000.0], 0.035, 1.0)]),
        Matter::Glass => recipe(
            0.14,
            &[
                hiss(0.0, [1500.0, 6000.0], 0.012, 1.0),
                tone(0.0, [2200.0, 2190.0], 0.03, 0.3),
            ],
        ),
        Matter::Metal => recipe(
            0.2,
            &[
                tone(0.0, [520.0, 518.0], 0.05, 0.7),
                hiss(0.0, [800.0, 4000.0], 0.012, 0.7),
            ],
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_noise_has_a_sound_of_its_own() {
        let bank = Bank::make();
        assert_eq!(bank.noises.len(), Noise::KINDS);
        for (index, noise) in Noise::all().enumerate() {
            assert_eq!(noise.index(), index);
            let frames = &bank.noise(noise).frames;
            let seconds = frames.len() as f32 / RATE as f32;
            assert!((0.05..2.0).contains(&seconds), "{noise:?}: {seconds} s");
            let loud = frames.iter().filter(|it| it.left.abs() > 0.1).count();
            assert!(loud > 20, "{noise:?} is silent");
            assert!(frames.iter().all(|it| it.left.is_finite()));
            let others = bank.noises.iter().take(index);
            assert!(others.clone().all(|other| other.frames != *frames));
        }
    }
}
