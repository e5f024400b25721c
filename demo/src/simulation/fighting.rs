//! Blows in the world: whom a shape reaches, and how they fly.

use nalgebra::Vector3;

use super::bodies::Shape;
use super::melee::{self, Blow, Footprint};
use super::walkers::way;
use super::{BlowShape, Simulation};

impl Simulation {
    /// Strikes, unless the last blow is too recent. Returns how many were hit.
    pub fn strike(&mut self, blow: Blow) -> Option<u32> {
        if !self.melee.is_ready() {
            return None;
        }
        let center = self.player_position();
        let shape = melee::shape_of(blow, center, self.player.wish.level());
        let [outwards, upwards] = blow.strength();
        let mut hits = 0;
        for index in 0..self.bodies.walkers.len() {
            let Some(body) = self.bodies.shape_of(index) else {
                continue;
            };
            if !reaches(&shape, &body) {
                continue;
            }
            let away = way(&center, &body.position);
            let level = Vector3::new(away.x, 0.0, away.z)
                .try_normalize(1.0e-3)
                .unwrap_or_else(Vector3::x);
            self.bodies
                .throw(index, level * outwards + Vector3::y() * upwards);
            self.effect(body.position, 8, 4.0, [255, 236, 190]);
            hits += 1;
        }
        self.melee.strike(blow, shape, hits);
        Some(hits)
    }
}

/// Whether a blow reaches a body.
fn reaches(shape: &BlowShape, body: &Shape) -> bool {
    let away = way(&shape.center, &body.position);
    let level = match shape.footprint {
        Footprint::Box([x, z]) => {
            away.x.abs() < x + body.radii.x && away.z.abs() < z + body.radii.z
        }
        Footprint::Circle(radius) => away.xz().norm() < radius + body.radii.x,
    };
    level && away.y.abs() < shape.half_height + body.radii.y
}
