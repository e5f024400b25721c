//! The places of players that have gone, by their names. The world keeps them, so that a player is
//! back there when it joins again.

use std::collections::{BTreeSet, VecDeque};

use collision::Position;
use simulation::coding::{Coded, Reader};
use simulation::{Travel, coded_parts};
use world::World;

use crate::words::Name;

/// Name under which the world keeps them.
const KEPT: &str = "places of guests";
/// The most places; the oldest is forgotten.
const MOST: usize = 1000;

/// The place of a player that has gone.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Left {
    pub(crate) name: Name,
    pub(crate) place: Position,
    pub(crate) travel: Travel,
}

coded_parts! {
    Left { name, place, travel }
}

/// The places, the oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places(VecDeque<Left>);

impl Places {
    /// Returns the places that a world keeps, as far as they are sound.
    pub(crate) fn kept_in(world: &World) -> Self {
        let bytes = world.kept_bytes(KEPT).unwrap_or_default();
        let mut from = Reader::new(bytes);
        let sound = std::iter::from_fn(|| Left::read(&mut from).ok());
        Places(sound.take(MOST).collect())
    }

    /// Adds places, each of another name.
    pub(crate) fn add(&mut self, places: Vec<Left>) {
        let names: BTreeSet<&Name> = places.iter().map(|left| &left.name).collect();
        self.0.retain(|left| !names.contains(&left.name));
        drop(names);
        self.0.extend(places);
        let surplus = self.0.len().saturating_sub(MOST);
        self.0.drain(..surplus);
    }

    /// Keeps all places in a world.
    pub(crate) fn keep_in(&self, world: &mut World) {
        let mut bytes = Vec::new();
        self.0.iter().for_each(|left| left.write(&mut bytes));
        // The name is short, and so are the bytes.
        let _ = world.keep_bytes(KEPT, &bytes);
    }

    /// Returns the place of a name.
    pub(crate) fn of(&self, name: &Name) -> Option<&Left> {
        self.0.iter().find(|left| left.name == *name)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use collision::Cell;
    use nalgebra::Vector3;

    use super::*;

    #[test]
    fn the_last_place_of_a_name_is_kept_and_the_oldest_is_forgotten() {
        let (mut world, mut places) = (World::default(), Places::default());
        let name = |number: i32| Name::of(&format!("p{number}")).unwrap();
        let place = |number| Position::new(Cell::repeat(number), Vector3::repeat(0.5));
        for number in (0..MOST as i32 + 5).chain([7]) {
            places.add(vec![Left {
                name: name(number),
                place: place(-number),
                travel: Travel::Walk,
            }]);
        }
        places.keep_in(&mut world);
        let kept = Places::kept_in(&world);
        assert_eq!(kept.0, places.0);
        assert_eq!(kept.0.len(), MOST);
        assert_eq!(kept.of(&name(4)), None);
        assert_eq!(kept.of(&name(7)).unwrap().place, place(-7));
        assert_eq!(kept.0.back().unwrap().name, name(7));
        for cut in 0..40 {
            world.keep_bytes(KEPT, &vec![0xff; cut]).unwrap();
            assert_eq!(Places::kept_in(&world).0, []);
        }
    }
}
