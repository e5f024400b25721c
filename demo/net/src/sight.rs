//! The players that a client is told of: those about its own, near ones in every snapshot, farther
//! ones by turns.
//!
//! All players are looked through for each client: with a thousand of them that is quicker than to
//! ask an index for hundreds.

use collision::Position;
use nalgebra::Point3;
use simulation::{Player, PlayerId, Simulation};

use crate::known::{Known, Past, put};
use crate::others::{Other, Seen, place_about, steps_of, turn_of};

/// Farther players are not told of, metres: their places are written in 16 bits.
const FARTHEST: f64 = 120.0;
/// The most players that a client is told of, the nearest.
const MOST: usize = 100;
/// Distances up to which a player is told of in every snapshot, and in every second one, metres;
/// the others are told of in every fourth.
const NEAR: [f32; 2] = [16.0, 32.0];

/// A player as it is seen after a tick.
#[derive(Clone, Debug)]
struct Sighted {
    position: Position,
    /// The player as it is written about its own cell.
    other: Other,
    /// The player as clients see it: the cell about which it is written makes a step of
    /// difference at most.
    seen: Seen,
}

impl Sighted {
    fn of(simulation: &Simulation, player: &Player, tick: u64) -> Option<Self> {
        let (crowd, character) = (simulation.crowd(), player.character());
        let position = crowd.position(character)?;
        let about = position.cell;
        let other = Other {
            id: player.id(),
            place: place_about(&position, about),
            velocity: steps_of(crowd.velocity(character)?),
            heading: turn_of(player.input().wish().yaw),
            crouched: crowd.is_crouched(character).into(),
        };
        Some(Sighted {
            position,
            seen: Seen::of(&other, tick, about),
            other,
        })
    }
}

/// Lists that are used again for every client.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sight {
    /// The players as of a tick, in the order of their numbers.
    players: Vec<Sighted>,
    /// Their places, metres: close together, since each client looks through all.
    places: Vec<Point3<f64>>,
    past: Past,
    read_at: Option<u64>,
    /// Indices of players, with the squares of their distances.
    near: Vec<(f32, u32)>,
}

impl Sight {
    /// Returns the players to tell a client of after a tick, in the order of their numbers: the
    /// nearest of those that do not go on as it knows.
    pub(crate) fn others(
        &mut self,
        simulation: &Simulation,
        player: PlayerId,
        tick: u64,
        known: &Known,
        most: usize,
    ) -> Vec<Other> {
        self.read(simulation, tick);
        let (players, past) = (&self.players, &self.past);
        let Ok(own) = players.binary_search_by_key(&player, |it| it.other.id) else {
            return Vec::new();
        };
        let (here, about) = (self.places[own], players[own].position.cell);
        self.near.clear();
        for (index, place) in self.places.iter().enumerate() {
            let square = (place - here).norm_squared();
            if square < FARTHEST * FARTHEST && index != own {
                self.near.push((square as f32, index as u32));
            }
        }
        keep_nearest(&mut self.near, MOST);
        self.near.retain(|&(square, index)| {
            let (other, metres) = (&players[index as usize], square.sqrt());
            let is_known = || known.is_known(other.other.id, &other.seen, metres, past);
            has_turn(other.other.id, tick, metres) && !is_known()
        });
        keep_nearest(&mut self.near, most);
        self.near.sort_unstable_by_key(|(_, index)| *index);
        let told = self.near.iter().map(|(_, index)| &players[*index as usize]);
        told.map(|sighted| Other {
            place: place_about(&sighted.position, about),
            ..sighted.other
        })
        .collect()
    }

    fn read(&mut self, simulation: &Simulation, tick: u64) {
        if self.read_at != Some(tick) {
            self.read_at = Some(tick);
            self.players.clear();
            let players = simulation.players().iter();
            let sighted = players.filter_map(|player| Sighted::of(simulation, player, tick));
            self.players.extend(sighted);
            let places = self
                .players
                .iter()
                .map(|player| player.position.to_metres());
            self.places.clear();
            self.places.extend(places);
            let past = self.past.begin(tick);
            for player in &self.players {
                put(past, player.other.id, player.seen);
            }
        }
    }
}

/// Keeps so many of the nearest players; equal distances keep the lower numbers.
fn keep_nearest(near: &mut Vec<(f32, u32)>, most: usize) {
    if near.len() > most {
        near.select_nth_unstable_by(most, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        near.truncate(most);
    }
}

/// Returns whether a player at a distance is told of in the snapshot after a tick.
fn has_turn(other: PlayerId, tick: u64, metres: f32) -> bool {
    let [every, second] = NEAR;
    let turns = match metres {
        _ if metres <= every => 1,
        _ if metres <= second => 2,
        _ => 4,
    };
    // Snapshots of a client are three ticks apart.
    (tick / 3 + u64::from(other.0 % 4)).is_multiple_of(turns)
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
            let others = sight.others(&simulation, PlayerId::FIRST, tick, &Known::default(), 100);
            for other in &others {
                counts[usize::from(other.id.0)] += 1;
            }
            assert_eq!(
                sight.others(&simulation, PlayerId::FIRST, tick, &Known::default(), 1)[0],
                others[0]
            );
        }
        assert_eq!(counts, [0, 80, 40, 20, 0, 20]);
        assert!(
            sight
                .others(&simulation, PlayerId(9), 0, &Known::default(), 100)
                .is_empty()
        );
    }
}
