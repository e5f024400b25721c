//! The settings of a kind of character. Many characters share one.

use crate::mover::MoverConfig;
use crate::tolerance::{LONGEST_STEP, MAX_SPEED, WIDEST_SKIN};

/// The part of the ground's velocity that a character keeps when it leaves the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(u8)]
pub enum LeaveWith {
    /// Nothing.
    Nothing = 0,
    /// The part across its up axis.
    Level = 1,
    /// All of it: a jump from a rising lift goes higher.
    #[default]
    All = 2,
}

impl LeaveWith {
    fn of(number: f32) -> Self {
        match number {
            0.0 => Self::Nothing,
            1.0 => Self::Level,
            _ => Self::All,
        }
    }
}

/// Settings of a kind of character. The defaults suit a person of 1.8 m.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct Settings {
    /// Acceleration against the up axis, in metres a second squared; 20 by default. 0 floats. A
    /// character may have [its own](crate::Build::gravity), in any direction.
    pub gravity: f32,
    /// Fastest fall, in metres a second; 60 by default, and [`MAX_SPEED`] at most.
    pub fall_limit: f32,
    /// Acceleration of a walker in the air towards its wished velocity, in metres a second squared.
    /// The default is at once.
    pub air_control: f32,
    /// The part of the ground's velocity that a character keeps when it jumps or walks off; all of
    /// it by default.
    pub leave_with: LeaveWith,
    /// Deceleration of [`State::drift`](crate::State::drift) in the air, in metres a second
    /// squared; 0 by default. [`Crowd::launch`](crate::Crowd::launch) has the formula.
    pub drift_loss: f32,
    /// Speed at which a swimmer without a wish sinks, in metres a second; 0.5 by default.
    pub sink: f32,
    /// Least speed into a wall or another character that is a `Hit`, and least speed of a push by
    /// another that is a `Pushed`, in metres a second; 1 by default.
    pub hit_speed: f32,
    /// Settings for sliding, stepping and standing.
    pub mover: MoverConfig,
}

/// From this acceleration on, a turn in the air is immediate.
pub(super) const AT_ONCE: f32 = MAX_SPEED * 1000.0;

impl Default for Settings {
    fn default() -> Self {
        Self {
            gravity: 20.0,
            fall_limit: 60.0,
            air_control: AT_ONCE,
            leave_with: LeaveWith::All,
            drift_loss: 0.0,
            sink: 0.5,
            hit_speed: 1.0,
            mover: MoverConfig::default(),
        }
    }
}

impl Settings {
    /// Returns the numbers, in the order of snapshots.
    pub(crate) fn to_array(self) -> [f32; Self::COUNT] {
        let mover = &self.mover;
        [
            self.gravity,
            self.fall_limit,
            self.air_control,
            f32::from(self.leave_with as u8),
            self.drift_loss,
            self.sink,
            self.hit_speed,
            mover.skin,
            mover.step_height,
            mover.snap,
            mover.least_rise,
            mover.step_advance,
            mover.ledge,
            mover.friction,
            mover.shrink,
            mover.recovery_step,
            mover.landing,
            mover.recovery_share,
            mover.air_step,
        ]
    }

    /// Inverts [`Self::to_array`].
    pub(crate) fn from_array(numbers: [f32; Self::COUNT]) -> Self {
        let [
            gravity,
            fall_limit,
            air_control,
            leave_with,
            drift_loss,
            sink,
            hit_speed,
            skin,
            step_height,
            snap,
            least_rise,
            step_advance,
            ledge,
            friction,
            shrink,
            recovery_step,
            landing,
            recovery_share,
            air_step,
        ] = numbers;
        Self {
            gravity,
            fall_limit,
            air_control,
            leave_with: LeaveWith::of(leave_with),
            drift_loss,
            sink,
            hit_speed,
            mover: MoverConfig {
                skin,
                step_height,
                snap,
                least_rise,
                step_advance,
                ledge,
                friction,
                shrink,
                recovery_step,
                landing,
                recovery_share,
                air_step,
            },
        }
    }

    /// Count of the numbers.
    pub(crate) const COUNT: usize = 19;

    /// Returns whether all numbers are valid: finite, not negative, the skin above zero and no
    /// wider than 0.35 m, steps and snaps no longer than 16 m.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let sound = |number: &f32| number.is_finite() && *number >= 0.0;
        let mover = &self.mover;
        let skin = mover.skin;
        let ways = [
            mover.step_height,
            mover.air_step,
            mover.snap,
            mover.step_advance,
        ];
        self.to_array().iter().all(sound)
            && ways.iter().all(|&way| way <= LONGEST_STEP)
            && skin > 0.0
            && skin <= WIDEST_SKIN
    }
}
