//! The player's movement: from keys to an intent, depending on the ground.

use collision::{Intent, Medium};

use crate::settings::Characters;

use super::bodies::Bodies;
use super::underfoot;
use super::wish::{Feel, Footing, Travel, Wish};

/// State of the player beside its character.
#[derive(Clone, Debug, Default)]
pub(crate) struct Player {
    pub(crate) travel: Travel,
    pub(crate) feel: Feel,
    pub(crate) wish: Wish,
}

impl Player {
    /// Returns the intent of the player's character for this tick.
    pub(crate) fn intend(&mut self, bodies: &Bodies, tuning: &Characters) -> Intent {
        let footing = footing(bodies);
        if let Some(velocity) = bodies.crowd.velocity(bodies.player) {
            self.feel.meet(velocity);
        }
        self.feel.follow(&self.wish, self.travel, footing, tuning)
    }
}

/// Returns the footing of the player's character.
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
