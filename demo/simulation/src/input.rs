//! The input of a player in a tick, in whole numbers: a client that predicts with it and a server
//! that runs it compute from the same bits. It is exact in a few bytes.

use super::wish::Wish;

/// Steps of an angle in a whole turn.
const TURN: f32 = 65_536.0;
/// Steps of the steepest look, straight up: a quarter of a turn.
const STEEPEST: i16 = 1 << 14;
/// Steps of a full wish along an axis, so that nothing, a half and all are exact.
const FULL: i8 = 64;
/// The only flag.
const SPRINT: u8 = 1;

/// The input of a player in a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Input {
    yaw: u16,
    pitch: i16,
    forward: i8,
    right: i8,
    up: i8,
    sprint: bool,
}

/// Reasons why bytes are no input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// The look is steeper than straight up or down.
    #[error("a look of {0} steps is steeper than {STEEPEST}")]
    Pitch(i16),
    /// A wish is larger than a full one.
    #[error("a wish of {0} steps is larger than {FULL}")]
    Wish(i8),
    /// There are flags without a meaning.
    #[error("the flags {0:#x} have no meaning")]
    Flags(u8),
}

impl Input {
    /// Bytes of an input.
    pub const BYTES: usize = 8;

    /// Returns the nearest input to a wish. Numbers out of their range are clamped, and those that
    /// are not finite become 0.
    pub fn of(wish: &Wish) -> Self {
        let steps = |radians: f32| match radians.is_finite() {
            true => radians * (TURN / std::f32::consts::TAU),
            false => 0.0,
        };
        let steepest = f32::from(STEEPEST);
        Input {
            yaw: steps(wish.yaw).rem_euclid(TURN).round() as u32 as u16,
            pitch: steps(wish.pitch).clamp(-steepest, steepest).round() as i16,
            forward: part(wish.forward),
            right: part(wish.right),
            up: part(wish.up),
            sprint: wish.sprint,
        }
    }

    /// Returns the wish that it stands for.
    pub fn wish(&self) -> Wish {
        let radians = |steps: f32| steps * (std::f32::consts::TAU / TURN);
        let share = |steps: i8| f32::from(steps) / f32::from(FULL);
        Wish {
            yaw: radians(f32::from(self.yaw)),
            pitch: radians(f32::from(self.pitch)),
            forward: share(self.forward),
            right: share(self.right),
            up: share(self.up),
            sprint: self.sprint,
        }
    }

    /// Returns its look alone, without a wish to move.
    pub fn look(&self) -> Self {
        Input {
            yaw: self.yaw,
            pitch: self.pitch,
            ..Input::default()
        }
    }

    /// Returns its bytes.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let [yaw, yaw_high] = self.yaw.to_le_bytes();
        let [pitch, pitch_high] = self.pitch.to_le_bytes();
        let [forward, right, up] = [self.forward, self.right, self.up].map(|part| part as u8);
        let flags = if self.sprint { SPRINT } else { 0 };
        [yaw, yaw_high, pitch, pitch_high, forward, right, up, flags]
    }

    /// Reads an input. Every input has only one form, so other bytes are refused.
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Result<Self, InputError> {
        let [yaw, yaw_high, pitch, pitch_high, forward, right, up, flags] = bytes;
        let pitch = i16::from_le_bytes([pitch, pitch_high]);
        if pitch.unsigned_abs() > STEEPEST.unsigned_abs() {
            return Err(InputError::Pitch(pitch));
        }
        let [forward, right, up] = [forward, right, up].map(|part| part as i8);
        for part in [forward, right, up] {
            if part.unsigned_abs() > FULL.unsigned_abs() {
                return Err(InputError::Wish(part));
            }
        }
        if flags & !SPRINT != 0 {
            return Err(InputError::Flags(flags));
        }
        Ok(Input {
            yaw: u16::from_le_bytes([yaw, yaw_high]),
            pitch,
            forward,
            right,
            up,
            sprint: flags == SPRINT,
        })
    }
}

/// Returns the nearest step of a wish along an axis.
fn part(amount: f32) -> i8 {
    // Casts turn NaN into 0.
    (amount.clamp(-1.0, 1.0) * f32::from(FULL)).round() as i8
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::random::Random;

    fn random_bytes(random: &mut Random) -> [u8; Input::BYTES] {
        let mut bytes = random.bits().to_le_bytes();
        // Most inputs keep to their range.
        if !random.once_in(4) {
            bytes[3] = (bytes[3] as i8 / 2) as u8;
            (4..7).for_each(|at| bytes[at] = (bytes[at] as i8 / 2) as u8);
            bytes[7] &= SPRINT;
        }
        bytes
    }

    #[test]
    fn every_input_is_the_same_again_from_its_bytes_and_from_its_wish() {
        let mut random = Random::new(4);
        let mut refused = 0;
        for _ in 0..100_000 {
            let bytes = random_bytes(&mut random);
            match Input::from_bytes(bytes) {
                Ok(input) => {
                    assert_eq!(input.to_bytes(), bytes);
                    assert_eq!(Input::of(&input.wish()), input);
                }
                Err(_) => refused += 1,
            }
        }
        assert!((10_000..40_000).contains(&refused), "{refused}");
    }

    #[test]
    fn bytes_out_of_range_are_refused() {
        let refused = |at: usize, byte: u8| {
            let mut bytes = [0; Input::BYTES];
            bytes[at] = byte;
            Input::from_bytes(bytes).unwrap_err()
        };
        assert_eq!(refused(3, 0x41), InputError::Pitch(0x4100));
        assert_eq!(refused(3, 0x80), InputError::Pitch(i16::MIN));
        for at in 4..7 {
            assert_eq!(refused(at, 65), InputError::Wish(65));
            assert_eq!(refused(at, 0x80), InputError::Wish(i8::MIN));
        }
        assert_eq!(refused(7, 2), InputError::Flags(2));
    }

    #[test]
    fn a_wild_wish_becomes_a_sound_input() {
        let wild = Wish {
            yaw: f32::NAN,
            pitch: 1e30,
            forward: f32::INFINITY,
            right: -9.0,
            up: f32::NAN,
            sprint: true,
        };
        let wish = Input::of(&wild).wish();
        assert_eq!((wish.yaw, wish.forward, wish.right), (0.0, 1.0, -1.0));
        assert_eq!((wish.up, wish.sprint), (0.0, true));
        assert_eq!(wish.pitch, std::f32::consts::FRAC_PI_2);
    }

    #[test]
    fn looks_are_off_by_half_a_step_at_most() {
        let half = std::f32::consts::TAU / TURN / 2.0 + 1.0e-6;
        for step in -5000..5000 {
            let yaw = step as f32 * 0.001_3;
            let pitch = yaw.clamp(-1.57, 1.57);
            let wish = Wish {
                yaw,
                pitch,
                ..Wish::default()
            };
            let found = Input::of(&wish).wish();
            let away = (found.yaw - yaw).rem_euclid(std::f32::consts::TAU);
            let away = away.min(std::f32::consts::TAU - away);
            assert!(away <= half, "{yaw}");
            assert!((found.pitch - pitch).abs() <= half, "{pitch}");
        }
    }
}
