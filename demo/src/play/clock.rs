//! Turns real time into whole ticks: frozen, in single steps, in slow motion, and never more ticks
//! a picture than a slow machine can compute.

use std::time::Duration;

use simulation::TICK;

/// The most ticks between two pictures; the rest of a longer pause is dropped.
const MOST_TICKS: u32 = 60;
/// Number of ticks that may run even if they take longer than the picture.
const LEAST_TICKS: u32 = 6;
/// Share of a picture's time that ticks may take; beyond it the simulation falls behind real time.
const MOST_SHARE: f32 = 0.5;
/// Speed of time in slow motion.
const SLOW: f32 = 0.15;

/// Turns elapsed time into ticks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    owed: f32,
    frozen: bool,
    slow: bool,
    steps: u32,
}

impl Clock {
    /// Freezes time, or continues.
    pub(crate) fn toggle_freeze(&mut self) {
        self.frozen = !self.frozen;
    }

    /// Switches slow motion.
    pub(crate) fn toggle_slow(&mut self) {
        self.slow = !self.slow;
    }

    /// Adds one tick, even while frozen.
    pub(crate) fn step(&mut self) {
        self.steps = (self.steps + 1).min(MOST_TICKS);
    }

    /// Returns the state of time when it is not normal.
    pub(crate) fn words(&self) -> Option<&'static str> {
        match (self.frozen, self.slow) {
            (true, _) => Some("frozen"),
            (false, true) => Some("slow motion"),
            (false, false) => None,
        }
    }

    /// Returns the speed of replays, which run while the world is frozen.
    pub(crate) fn pace(&self) -> f32 {
        if self.slow { SLOW } else { 1.0 }
    }

    /// Returns the number of ticks for the elapsed time; `cost` is the time to compute one, in
    /// seconds.
    pub(crate) fn ticks(&mut self, elapsed: Duration, cost: f32) -> u32 {
        let asked = std::mem::take(&mut self.steps);
        if self.frozen {
            return asked;
        }
        let affordable = elapsed.as_secs_f32() * MOST_SHARE / cost.max(f32::MIN_POSITIVE);
        let most = (affordable as u32).clamp(LEAST_TICKS, MOST_TICKS);
        self.owed += elapsed.as_secs_f32() * self.pace() / TICK;
        let due = self.owed.floor().max(0.0);
        self.owed -= due;
        (due as u32).saturating_add(asked).min(most)
    }

    /// Returns the place of the picture between the last tick and the next, 0 to 1.
    pub(crate) fn between(&self) -> f32 {
        if self.frozen {
            1.0
        } else {
            self.owed.clamp(0.0, 1.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_is_sixty_ticks_however_it_is_cut() {
        for pieces in [30, 60, 144, 1000] {
            let mut clock = Clock::default();
            let piece = Duration::from_secs_f64(1.0 / f64::from(pieces));
            let ticks: u32 = (0..pieces).map(|_| clock.ticks(piece, 1e-4)).sum();
            assert!((59..=60).contains(&ticks), "{pieces} pieces gave {ticks}");
        }
    }

    #[test]
    fn a_slow_picture_slows_nothing_else() {
        let mut clock = Clock::default();
        let ticks: u32 = (0..6)
            .map(|_| clock.ticks(Duration::from_millis(500), 1e-3))
            .sum();
        assert!((179..=180).contains(&ticks), "{ticks} in three seconds");
    }

    #[test]
    fn ticks_that_take_too_long_are_left_out() {
        let mut clock = Clock::default();
        assert_eq!(clock.ticks(Duration::from_millis(500), 0.025), 10);
        assert_eq!(clock.ticks(Duration::from_millis(500), 1.0), LEAST_TICKS);
    }

    #[test]
    fn a_long_pause_does_not_choke() {
        assert_eq!(
            Clock::default().ticks(Duration::from_secs(3600), 0.0),
            MOST_TICKS
        );
    }

    #[test]
    fn frozen_time_moves_by_single_steps() {
        let mut clock = Clock::default();
        clock.toggle_freeze();
        assert_eq!(clock.ticks(Duration::from_secs(1), 0.0), 0);
        clock.step();
        assert_eq!(
            (
                clock.ticks(Duration::ZERO, 0.0),
                clock.ticks(Duration::ZERO, 0.0)
            ),
            (1, 0)
        );
    }
}
