//! The land about the players: loaded before they come to it, a little in each tick.

use std::collections::BTreeSet;
use std::time::Duration;

use collision::Position;
use nalgebra::Vector3;
use simulation::Simulation;
use world::{StreamSettings, Viewer, World};

/// Distance up to which land is loaded about a player, metres.
const REACH: f32 = 64.0;
/// Players of one square of this side, metres, need the land of one of them only.
const SQUARE: i32 = 16;
/// Reach about the one player of a square, so that all of its players have theirs.
const REACH_OF_SQUARE: f32 = REACH + SQUARE as f32;
/// Time that a tick takes for new land.
const TIME: Duration = Duration::from_millis(2);

/// Loads land for all players, and about the home where the next one joins.
#[derive(Clone, Debug, Default)]
pub(crate) struct Land {
    viewers: Vec<Viewer>,
    squares: BTreeSet<[i32; 3]>,
}

impl Land {
    /// Loads a part of the land that is missing.
    pub(crate) fn stream(&mut self, simulation: &mut Simulation) {
        self.viewers.clear();
        self.squares.clear();
        self.add(simulation.home());
        let places = simulation.players().iter();
        let places = places.filter_map(|player| simulation.crowd().position(player.character()));
        places.for_each(|place| self.add(place));
        let settings = StreamSettings {
            time: TIME,
            ..StreamSettings::default()
        };
        simulation.world.stream(&self.viewers, &settings);
    }

    fn add(&mut self, place: Position) {
        let square = place.cell.map(|part| part.div_euclid(SQUARE));
        if self.squares.insert(square.into()) {
            self.viewers.push(viewer(place));
        }
    }
}

/// Loads all land about a place, and waits for it.
pub(crate) fn load_about(world: &mut World, place: Position) {
    world.stream_wholly(&[viewer(place)], &StreamSettings::default());
}

fn viewer(position: Position) -> Viewer {
    Viewer {
        position,
        look: Vector3::zeros(),
        reach: REACH_OF_SQUARE,
    }
}
