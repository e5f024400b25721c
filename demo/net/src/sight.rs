//! The players that a client is told of: those about its own, near ones in every snapshot, farther
//! ones by turns.

use collision::{CharacterId, OtherCharacter};
use simulation::{Player, PlayerId, Simulation};

use crate::others::Other;

/// Farther players are not told of, metres: their places are written in 16 bits.
const FARTHEST: f32 = 120.0;
/// Distances up to which a player is told of in every snapshot, and in every second one, metres;
/// the others are told of in every fourth.
const NEAR: [f32; 2] = [16.0, 32.0];

/// Lists that are used again for every client.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sight {
    near: Vec<OtherCharacter>,
    /// The players by their characters, as of a tick.
    players: Vec<(CharacterId, usize)>,
    read_at: Option<u64>,
}

impl Sight {
    /// Returns the players to tell a client of after a tick, the nearest first.
    pub(crate) fn others(
        &mut self,
        simulation: &Simulation,
        player: PlayerId,
        tick: u64,
        most: usize,
    ) -> Vec<Other> {
        self.read(simulation, tick);
        let players = simulation.players();
        let Ok(own) = players.binary_search_by_key(&player, Player::id) else {
            return Vec::new();
        };
        let crowd = simulation.crowd();
        let character = players[own].character();
        let Some(here) = crowd.position(character) else {
            return Vec::new();
        };
        crowd.others_near(character, FARTHEST, &mut self.near);
        let mut told: Vec<(f32, CharacterId)> = Vec::new();
        for other in &self.near {
            let metres = other.body.position.since(&here).norm();
            if has_turn(other.id, tick, metres) && self.player(other.id).is_some() {
                told.push((metres, other.id));
            }
        }
        told.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.to_bits().cmp(&b.1.to_bits())));
        let told = told.into_iter().take(most);
        told.filter_map(|(_, id)| Other::of(simulation, &players[self.player(id)?], here.cell))
            .collect()
    }

    fn read(&mut self, simulation: &Simulation, tick: u64) {
        if self.read_at != Some(tick) {
            self.read_at = Some(tick);
            self.players.clear();
            let players = simulation.players().iter().enumerate();
            self.players
                .extend(players.map(|(index, player)| (player.character(), index)));
            self.players.sort_unstable_by_key(|(id, _)| id.to_bits());
        }
    }

    /// Returns the index of the player of a character; walkers have none.
    fn player(&self, id: CharacterId) -> Option<usize> {
        let found = self
            .players
            .binary_search_by_key(&id.to_bits(), |(id, _)| id.to_bits());
        found.ok().map(|place| self.players[place].1)
    }
}

/// Returns whether a player at a distance is told of in the snapshot after a tick.
fn has_turn(other: CharacterId, tick: u64, metres: f32) -> bool {
    let [every, second] = NEAR;
    let turns = match metres {
        _ if metres <= every => 1,
        _ if metres <= second => 2,
        _ => 4,
    };
    // Snapshots of a client are three ticks apart.
    (tick / 3 + other.to_bits() % 4).is_multiple_of(turns)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use collision::Cell;
    use simulation::{Characters, Command, standing_in};
    use world::{CellBox, Material, World};

    use super::*;

    #[test]
    fn near_players_are_told_of_always_and_far_ones_by_turns() {
        let bounds = CellBox::new(Cell::new(-160, -1, -4), Cell::new(160, 3, 4));
        let world = World::from_voxels(bounds, |cell| match cell.y {
            ..0 => Material::STONE,
            _ => Material::AIR,
        });
        let tuning = Characters::default();
        let home = standing_in(Cell::zeros(), tuning.half_height);
        let mut simulation = Simulation::new(world, home, &tuning);
        for (number, x) in [(1, 10), (2, 25), (3, 60), (4, 140), (5, -60)] {
            simulation.join(PlayerId(number)).unwrap();
            let there = standing_in(Cell::new(x, 0, 0), tuning.half_height);
            simulation.apply(PlayerId(number), &Command::Teleport(there));
        }
        simulation.apply(PlayerId::FIRST, &Command::SetCrowd(3));
        simulation.tick(&[]);
        let mut sight = Sight::default();
        let mut counts = [0; 6];
        for tick in (0..240).step_by(3) {
            let others = sight.others(&simulation, PlayerId::FIRST, tick, 100);
            for other in &others {
                counts[usize::from(other.id.0)] += 1;
            }
            assert_eq!(
                sight.others(&simulation, PlayerId::FIRST, tick, 1)[0],
                others[0]
            );
        }
        assert_eq!(counts, [0, 80, 40, 20, 0, 20]);
        assert!(sight.others(&simulation, PlayerId(9), 0, 100).is_empty());
    }
}
