//! The player's travelling: from keys to an intent, with the body's footing in between.

use collision::{Intent, Medium};

use crate::settings::Characters;

use super::bodies::Bodies;
use super::underfoot;
use super::wish::{Feel, Footing, Travel, Wish};

/// The player beside its body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Player {
    pub(crate) travel: Travel,
    pub(crate) feel: Feel,
    pub(crate) wish: Wish,
}

impl Player {
    /// What the body is to do this tick.
    pub(crate) fn intend(&mut self, bodies: &Bodies, tuning: &Characters) -> Intent {
        let footing = footing(bodies);
        if let Some(velocity) = bodies.crowd.velocity(bodies.player) {
            self.feel.meet(velocity);
        }
        self.feel.follow(&self.wish, self.travel, footing, tuning)
    }
}

/// What the player's body is doing.
pub(crate) fn footing(bodies: &Bodies) -> Footing {
    let crowd = &bodies.crowd;
    let medium = crowd.medium(bodies.player);
    Footing {
        grounded: crowd.is_grounded(bodies.player),
        buoyant: medium.is_some_and(|medium| medium != Medium::Open),
        crouched: crowd.is_crouched(bodies.player),
        hold: underfoot::hold_on(bodies.surface),
    }
}
