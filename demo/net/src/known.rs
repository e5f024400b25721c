//! The others as a client knows them, by the snapshots that it has acknowledged: a player that goes
//! on as its client takes it to go is not told of again.

use std::collections::VecDeque;

use simulation::PlayerId;

use crate::others::Seen;

/// The most snapshots that wait to be acknowledged: those of two seconds.
const MOST_UNDER_WAY: usize = 40;
/// Ticks after which a player is told of again, however it goes on: the client forgets it later.
const REFRESH: u64 = 30;
/// Distance up to which errors are those of near players, metres.
const NEAR: f32 = 16.0;
/// The largest errors that are left to a client, for near players and for others: of the place,
/// metres, of the velocity, metres a second, and of the heading, radians.
const ERRORS: [[f32; 3]; 2] = [[0.01, 0.1, 0.03], [0.05, 0.3, 0.1]];

/// The players as they were told to any client after each of the last ticks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Past {
    /// The players of a tick by their numbers, at the place of the tick's remainder.
    ticks: [(u64, Vec<Option<Seen>>); REFRESH as usize],
}

impl Past {
    /// Returns the place of a player after a tick, to be filled.
    pub(crate) fn begin(&mut self, tick: u64) -> &mut Vec<Option<Seen>> {
        let (place, players) = &mut self.ticks[(tick % REFRESH) as usize];
        *place = tick;
        players.clear();
        players
    }

    fn at(&self, tick: u64, id: PlayerId) -> Option<&Seen> {
        let (place, players) = &self.ticks[(tick % REFRESH) as usize];
        let players = Some(players).filter(|_| *place == tick)?;
        players.get(usize::from(id.0))?.as_ref()
    }
}

/// Puts a player to its number.
pub(crate) fn put(players: &mut Vec<Option<Seen>>, id: PlayerId, seen: Seen) {
    let index = usize::from(id.0);
    if players.len() <= index {
        players.resize(index + 1, None);
    }
    players[index] = Some(seen);
}

/// The others as a client knows them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// For the number of each player, the tick behind the one after which it was told of in a
    /// snapshot that has been acknowledged; 0 for none.
    behind: Vec<u64>,
    /// Snapshots that were sent, the oldest first.
    under_way: VecDeque<(u64, Vec<PlayerId>)>,
}

impl Known {
    /// Notes the snapshot after a tick.
    pub(crate) fn send(&mut self, tick: u64, told: Vec<PlayerId>) {
        if self.under_way.len() == MOST_UNDER_WAY {
            self.under_way.pop_front();
        }
        self.under_way.push_back((tick, told));
    }

    /// Takes the number of the newest snapshot that the client has: the low bits of its tick.
    pub(crate) fn hear(&mut self, newest: u16) {
        let is_it = |(tick, _): &(u64, _)| *tick as u16 == newest;
        let Some(index) = self.under_way.iter().position(is_it) else {
            return;
        };
        let heard = self.under_way.drain(..=index).next_back();
        let (tick, told) = heard.unwrap_or_default();
        for id in told {
            let index = usize::from(id.0);
            if self.behind.len() <= index {
                self.behind.resize(index + 1, 0);
            }
            self.behind[index] = tick + 1;
        }
    }

    /// Returns whether a client takes a player, at a distance in metres, to be as it is now.
    pub(crate) fn is_known(&self, id: PlayerId, now: &Seen, metres: f32, past: &Past) -> bool {
        let behind = self.behind.get(usize::from(id.0)).copied();
        let tick = behind.and_then(|behind| behind.checked_sub(1));
        let before = tick.and_then(|tick| past.at(tick, id));
        before.is_some_and(|before| goes_on(before, now, metres))
    }
}

/// Returns whether a player at a distance has gone on as it was seen before.
fn goes_on(before: &Seen, now: &Seen, metres: f32) -> bool {
    let [place, velocity, heading] = ERRORS[usize::from(metres > NEAR)];
    let turned = (before.heading - now.heading).abs();
    before.tick + REFRESH > now.tick
        && before.crouched == now.crouched
        && turned.min(std::f32::consts::TAU - turned) < heading
        && (before.velocity - now.velocity).norm() < velocity
        && before.place_at(now.tick + 1).since(&now.place).norm() < place
}

#[cfg(test)]
mod tests {
    use collision::{Cell, Position};
    use nalgebra::Vector3;

    use super::*;

    const ID: PlayerId = PlayerId(7);

    /// Returns a player that walks at 4 m/s along x, after a tick.
    fn walker(tick: u64) -> Seen {
        let begin = Position::new(Cell::zeros(), Vector3::zeros());
        Seen {
            tick,
            place: begin.moved(Vector3::x() * (tick as f32 * 4.0 / 60.0)),
            velocity: Vector3::x() * 4.0,
            heading: 6.2,
            crouched: false,
        }
    }

    /// Returns the past in which two players walk like that.
    fn past() -> Past {
        let mut past = Past::default();
        for tick in 10..36 {
            let players = past.begin(tick);
            put(players, ID, walker(tick));
            put(players, PlayerId(8), walker(tick));
        }
        past
    }

    fn knows(known: &Known, now: &Seen) -> bool {
        known.is_known(ID, now, 1.0, &past())
    }

    #[test]
    fn a_player_that_goes_on_is_known_once_its_snapshot_is_acknowledged() {
        let mut known = Known::default();
        known.send(30, vec![ID]);
        assert!(!knows(&known, &walker(33)));
        // Another snapshot than this one.
        known.hear(31);
        assert!(!knows(&known, &walker(33)));
        known.hear(30);
        assert!(knows(&known, &walker(33)) && knows(&known, &walker(42)));
        // It is told of again before the client forgets it.
        assert!(!knows(&known, &walker(60)));
        assert!(!known.is_known(PlayerId(8), &walker(33), 1.0, &past()));
    }

    #[test]
    fn a_player_that_does_something_else_is_not_known() {
        let mut known = Known::default();
        known.send(30, vec![ID]);
        known.hear(30);
        let now = walker(33);
        let turned = Seen {
            heading: 5.9,
            ..now
        };
        let around = Seen {
            heading: 6.2 - 2.0 * std::f32::consts::PI,
            ..now
        };
        assert!(!knows(&known, &turned) && knows(&known, &around));
        let crouched = Seen {
            crouched: true,
            ..now
        };
        let slower = Seen {
            velocity: now.velocity * 0.9,
            ..now
        };
        let aside = Seen {
            place: now.place.moved(Vector3::z() * 0.03),
            ..now
        };
        for other in [&crouched, &slower, &aside] {
            assert!(!knows(&known, other), "{other:?}");
        }
        // A small error is left to a client that is far away.
        assert!(known.is_known(ID, &aside, 40.0, &past()));
    }

    #[test]
    fn a_lost_snapshot_and_older_ones_tell_nothing() {
        let mut known = Known::default();
        known.send(30, vec![ID]);
        known.send(33, vec![PlayerId(8)]);
        known.hear(33);
        known.hear(30);
        assert!(!knows(&known, &walker(36)));
        assert!(known.is_known(PlayerId(8), &walker(36), 1.0, &past()));
    }

    #[test]
    fn a_tick_that_is_long_past_tells_nothing() {
        let mut known = Known::default();
        known.send(30, vec![ID]);
        known.hear(30);
        let mut past = past();
        put(past.begin(30 + REFRESH), ID, walker(30 + REFRESH));
        assert!(!known.is_known(ID, &walker(33), 1.0, &past));
    }

    #[test]
    fn as_many_snapshots_are_kept_as_are_of_use() {
        let mut known = Known::default();
        (0..100).for_each(|tick| known.send(tick, vec![ID]));
        assert_eq!(known.under_way.len(), MOST_UNDER_WAY);
        known.hear(90);
        assert_eq!(known.under_way.len(), 9);
    }
}
