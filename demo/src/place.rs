//! The player's place and look, kept with the world, so that a session goes on where it ended.

use collision::{Cell, Position};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use simulation::{Simulation, Travel};
use world::World;

use crate::first_view::Outlook;

/// Name under which the world keeps it.
const NAME: &str = "player place";

/// The player's place and look.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Place {
    cell: [i32; 3],
    offset: [f32; 3],
    yaw: f32,
    pitch: f32,
    travel: Travel,
}

impl Place {
    /// Returns the place and the look of the player.
    pub(crate) fn of(simulation: &Simulation, yaw: f32, pitch: f32) -> Self {
        let at = simulation.player_position();
        Place {
            cell: at.cell.into(),
            offset: at.offset.into(),
            yaw,
            pitch,
            travel: simulation.travel(),
        }
    }

    /// Returns the place that a world keeps, if it is sound.
    pub(crate) fn kept_in(world: &World) -> Option<Self> {
        let place: Place = serde_json::from_slice(world.kept_bytes(NAME)?).ok()?;
        let is_inside = |part: &f32| (0.0..=1.0).contains(part);
        let is_sound = place.offset.iter().all(is_inside)
            && [place.yaw, place.pitch]
                .iter()
                .all(|angle| angle.abs() < 10.0);
        is_sound.then_some(place)
    }

    /// Keeps the place in a world.
    pub(crate) fn keep_in(&self, world: &mut World) {
        if let Ok(text) = serde_json::to_vec(self) {
            // The name and the text are short.
            let _ = world.keep_bytes(NAME, &text);
        }
    }

    pub(crate) fn position(&self) -> Position {
        Position::new(Cell::from(self.cell), Vector3::from(self.offset))
    }

    pub(crate) fn travel(&self) -> Travel {
        self.travel
    }

    /// Returns the view from a position along the kept look.
    pub(crate) fn view_from(&self, eye: Position) -> Outlook {
        Outlook {
            eye,
            yaw: self.yaw,
            pitch: self.pitch,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn place_that_is_not_sound_is_not_kept() {
        let mut world = World::default();
        let sound =
            r#"{"cell":[1,2,3],"offset":[0.5,0,0.75],"yaw":6.1,"pitch":-1,"travel":"walk"}"#;
        world.keep_bytes(NAME, sound.as_bytes()).unwrap();
        let place = Place::kept_in(&world).unwrap();
        assert_eq!(place.position().cell, Cell::new(1, 2, 3));
        place.keep_in(&mut world);
        assert_eq!(Place::kept_in(&world), Some(place));
        let broken = [
            sound.replace("0.5", "-7"),
            sound.replace("0.5", "1e300"),
            sound.replace("6.1", "1e30"),
            sound.replace("walk", "swim"),
            sound[..40].to_owned(),
        ];
        for text in broken {
            world.keep_bytes(NAME, text.as_bytes()).unwrap();
            assert_eq!(Place::kept_in(&world), None, "{text}");
        }
    }
}
