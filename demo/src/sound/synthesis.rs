//! Makes samples: a sound is a sum of layers, each a hiss in a band of frequencies or a gliding
//! tone, with an envelope.

use std::f32::consts::TAU;

use simulation::Random;

/// Samples a second.
pub(super) const RATE: u32 = 44_100;
/// Seconds of the fade at the start of a layer, without which it would crack.
const ATTACK: f32 = 0.002;
/// Seconds of the fade at the end of a sound.
const FADE: f32 = 0.02;
/// Highest sample of a sound.
const PEAK: f32 = 0.9;
/// Runs over a loop until its filters go round.
const ROUNDS: usize = 2;

/// A part of a sound.
#[derive(Clone, Copy, Debug)]
pub(super) enum Layer {
    /// Noise in a band of frequencies.
    Hiss {
        /// Seconds before it begins.
        after: f32,
        /// Band, Hz.
        band: [f32; 2],
        /// Seconds in which it fades to a third.
        fades: f32,
        level: f32,
    },
    /// A tone that glides from one frequency to another.
    Tone {
        after: f32,
        /// First and last frequency, Hz.
        glide: [f32; 2],
        fades: f32,
        level: f32,
    },
}

/// A sound, as it is written down.
#[derive(Clone, Debug)]
pub(super) struct Recipe {
    pub(super) seconds: f32,
    pub(super) layers: Vec<Layer>,
}

/// A filter that passes what lies below a frequency.
#[derive(Clone, Copy, Debug, Default)]
struct LowPass {
    value: f32,
}

impl LowPass {
    fn pass(&mut self, sample: f32, frequency: f32) -> f32 {
        let share = 1.0 - (-TAU * frequency / RATE as f32).exp();
        self.value += (sample - self.value) * share;
        self.value
    }
}

/// A filter that passes a band of frequencies.
#[derive(Clone, Copy, Debug, Default)]
struct BandPass {
    above: [LowPass; 2],
    below: LowPass,
}

impl BandPass {
    fn pass(&mut self, sample: f32, [low, high]: [f32; 2]) -> f32 {
        let [first, second] = &mut self.above;
        let smooth = first.pass(sample, high);
        let smooth = second.pass(smooth, high);
        smooth - self.below.pass(smooth, low)
    }
}

fn count(seconds: f32) -> usize {
    (seconds * RATE as f32) as usize
}

/// Returns the samples of a recipe.
pub(super) fn make(recipe: &Recipe, seed: u64) -> Vec<f32> {
    let mut samples = vec![0.0; count(recipe.seconds)];
    let mut random = Random::new(seed);
    for layer in &recipe.layers {
        add(layer, &mut samples, &mut random);
    }
    let length = samples.len();
    for (index, sample) in samples.iter_mut().rev().enumerate().take(length) {
        *sample *= (index as f32 / (FADE * RATE as f32)).min(1.0);
    }
    normalise(&mut samples);
    samples
}

fn add(layer: &Layer, samples: &mut [f32], random: &mut Random) {
    let (after, fades, level) = match *layer {
        Layer::Hiss {
            after,
            fades,
            level,
            ..
        }
        | Layer::Tone {
            after,
            fades,
            level,
            ..
        } => (after, fades, level),
    };
    let first = count(after).min(samples.len());
    let length = (samples.len() - first) as f32 / RATE as f32;
    let mut filter = BandPass::default();
    let mut phase = 0.0_f32;
    for (index, sample) in samples[first..].iter_mut().enumerate() {
        let time = index as f32 / RATE as f32;
        let envelope = (time / ATTACK).min(1.0) * (-time / fades).exp();
        let raw = match *layer {
            Layer::Hiss { band, .. } => filter.pass(random.between(-1.0, 1.0), band) * 3.0,
            Layer::Tone { glide, .. } => {
                let frequency = glide[0] + (glide[1] - glide[0]) * (time / length);
                phase = (phase + frequency / RATE as f32).fract();
                (phase * TAU).sin()
            }
        };
        *sample += raw * envelope * level;
    }
}

/// Scales samples to the peak.
fn normalise(samples: &mut [f32]) {
    let highest = samples.iter().fold(0.0_f32, |a, b| a.max(b.abs()));
    if highest > 0.0 {
        samples
            .iter_mut()
            .for_each(|sample| *sample *= PEAK / highest);
    }
}

/// Returns a wind that goes round without a seam: noise whose band rises and falls.
pub(super) fn wind(seconds: f32) -> Vec<f32> {
    let length = count(seconds);
    let mut random = Random::new(7);
    let noise: Vec<f32> = (0..length).map(|_| random.between(-1.0, 1.0)).collect();
    let mut samples = vec![0.0; length];
    let mut filter = BandPass::default();
    // The second round begins with the filter as the first left it.
    for _ in 0..ROUNDS {
        for (index, sample) in samples.iter_mut().enumerate() {
            let turn = TAU * index as f32 / length as f32;
            let gust = 0.5 + 0.3 * (turn * 2.0).sin() + 0.2 * (turn * 5.0 + 1.0).sin();
            let high = 260.0 + 420.0 * gust;
            *sample = filter.pass(noise[index], [90.0, high]) * (0.35 + 0.65 * gust);
        }
    }
    normalise(&mut samples);
    samples
}

/// Returns the murmur of a crowd that goes round without a seam: many syllables of voices, each a
/// tone with overtones and some breath.
pub(super) fn murmur(seconds: f32, syllables: usize) -> Vec<f32> {
    let length = count(seconds);
    let mut samples = vec![0.0; length];
    let mut random = Random::new(11);
    for _ in 0..syllables {
        let start = random.below(length as u64) as usize;
        let lasting = count(random.between(0.09, 0.26));
        let pitch = random.between(95.0, 240.0);
        let bend = random.between(0.9, 1.12);
        let vowel = random.between(350.0, 900.0);
        let mut filter = BandPass::default();
        let mut phase = 0.0_f32;
        for index in 0..lasting {
            let share = index as f32 / lasting as f32;
            phase = (phase + pitch * (1.0 + (bend - 1.0) * share) / RATE as f32).fract();
            let buzz = 2.0 * phase - 1.0 + random.between(-0.2, 0.2);
            let envelope = (share * std::f32::consts::PI).sin();
            let voiced = filter.pass(buzz, [vowel * 0.6, vowel]);
            samples[(start + index) % length] += voiced * envelope;
        }
    }
    normalise(&mut samples);
    samples
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_low_hiss_is_lower_than_a_high_one() {
        let crossings = |band: [f32; 2]| {
            let hiss = Layer::Hiss {
                after: 0.0,
                band,
                fades: 10.0,
                level: 1.0,
            };
            let recipe = Recipe {
                seconds: 0.5,
                layers: vec![hiss],
            };
            let samples = make(&recipe, 3);
            samples
                .windows(2)
                .filter(|pair| pair[0] * pair[1] < 0.0)
                .count()
        };
        let (low, high) = (crossings([40.0, 200.0]), crossings([2000.0, 8000.0]));
        assert!(low * 4 < high, "{low} and {high} crossings");
    }

    #[test]
    fn loops_have_no_seam() {
        for samples in [wind(2.0), murmur(2.0, 60)] {
            let most = |steps: &mut dyn Iterator<Item = f32>| steps.fold(0.0_f32, f32::max);
            let inside = most(&mut samples.windows(2).map(|pair| (pair[1] - pair[0]).abs()));
            let seam = (samples[0] - samples[samples.len() - 1]).abs();
            assert!(seam <= inside, "{seam} at the seam, {inside} inside");
            let peak = most(&mut samples.iter().map(|it| it.abs()));
            assert!((peak - PEAK).abs() < 1e-3);
        }
    }
}
