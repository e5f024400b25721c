//! Fog of war: the player and the walkers uncover the map.

use super::{Simulation, Switch};

/// What has been seen of the map.
pub struct FogOfWar {}

impl Simulation {
    /// What has been seen, while the mode is on.
    pub fn fog(&self) -> Option<&FogOfWar> {
        self.fog.as_ref()
    }

    pub(super) fn set_fog(&mut self, switch: Switch) {
        self.fog = match switch {
            Switch::On => Some(FogOfWar {}),
            Switch::Off => None,
        };
    }

    pub(super) fn tick_fog(&mut self) {}
}
