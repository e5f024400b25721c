//! Blows in the world: whom a shape reaches, found in the crowd's paged grid, and how they fly.

use nalgebra::Vector3;

use super::Simulation;
use super::melee::{self, Blow};
use super::walkers::way;

impl Simulation {
    /// Strikes, unless the last blow is too recent. Returns how many were hit.
    pub fn strike(&mut self, blow: Blow) -> Option<u32> {
        if !self.melee.is_ready() {
            return None;
        }
        let center = self.player_position();
        let strike = melee::strike_of(blow, center, self.player.wish.level());
        let [outwards, upwards] = blow.strength();
        let mut struck = Vec::new();
        self.bodies.crowd.strike(&strike, &mut struck);
        let mut hits = 0;
        for id in struck {
            // The striker is among those the shape covers, and is no walker.
            let (Some(walker), Some(position)) =
                (self.bodies.walker_of(id), self.bodies.crowd.position(id))
            else {
                continue;
            };
            let away = way(&center, &position);
            let level = Vector3::new(away.x, 0.0, away.z)
                .try_normalize(1.0e-3)
                .unwrap_or_else(Vector3::x);
            self.bodies
                .throw(walker, level * outwards + Vector3::y() * upwards);
            self.effect(position, 8, 4.0, [255, 236, 190]);
            hits += 1;
        }
        self.melee.strike(blow, strike, hits);
        Some(hits)
    }
}
