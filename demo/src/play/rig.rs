//! The camera, in first or third person. It never passes through walls, and follows the eyes.

use collision::Position;
use engine::Camera;
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use simulation::clear_distance;
use world::World;

use crate::first_view::Outlook;

/// Distance of the third-person camera behind the player, metres.
const BEHIND: f32 = 5.5;
/// Distance of the camera from walls, metres.
const CLEARANCE: f32 = 0.3;
/// Half the width of the bundle of rays that finds walls, metres.
const BUNDLE: f32 = 0.25;
/// Share of a gap made up each second when there is room again.
const RETURN_RATE: f32 = 5.0;
/// Share of a kick that fades each second, and the largest one, radians.
const KICK_RATE: f32 = 11.0;
const MOST_KICKED: f32 = 0.08;

/// The place of the camera.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Person {
    /// In the player's eyes.
    #[default]
    First,
    /// Behind the player.
    Third,
}

/// The state of the camera from picture to picture.
#[derive(Clone, Debug)]
pub(crate) struct Rig {
    pub(crate) person: Person,
    /// Radians to the right of -z.
    pub(crate) yaw: f32,
    /// Radians above the horizon.
    pub(crate) pitch: f32,
    distance: f32,
    /// Upward turn that a kick left, radians.
    kicked: f32,
}

impl Default for Rig {
    fn default() -> Self {
        Rig {
            person: Person::First,
            yaw: 0.6,
            pitch: -0.22,
            distance: 0.0,
            kicked: 0.0,
        }
    }
}

impl Rig {
    /// Returns a first-person camera that looks at the land.
    pub(crate) fn looking(outlook: &Outlook) -> Self {
        Rig {
            yaw: outlook.yaw,
            pitch: outlook.pitch,
            ..Rig::default()
        }
    }

    /// Turns to the right and upwards, in radians.
    pub(crate) fn turn(&mut self, right: f32, up: f32) {
        self.yaw = (self.yaw + right).rem_euclid(std::f32::consts::TAU);
        self.pitch = (self.pitch + up).clamp(-1.55, 1.55);
    }

    /// Switches between first and third person.
    pub(crate) fn switch(&mut self) {
        self.person = match self.person {
            Person::First => Person::Third,
            Person::Third => Person::First,
        };
    }

    /// Kicks the camera upwards, or downwards when negative; the aim stays.
    pub(crate) fn kick(&mut self, radians: f32) {
        self.kicked = (self.kicked + radians).clamp(-MOST_KICKED, MOST_KICKED);
    }

    /// Moves the camera on and returns it.
    pub(crate) fn follow(&mut self, body: &Follow<'_>, seconds: f32) -> Camera {
        let eye = body.position.moved(Vector3::y() * body.eye_height);
        self.kicked *= 1.0 - (KICK_RATE * seconds).min(1.0);
        let mut camera = Camera::new(eye, self.yaw, self.pitch + self.kicked);
        camera.field_of_view = body.field_of_view;
        self.step_back(&mut camera, body.world, seconds);
        camera
    }

    fn step_back(&mut self, camera: &mut Camera, world: &World, seconds: f32) {
        let wanted = match self.person {
            Person::First => 0.0,
            Person::Third => BEHIND,
        };
        let back = -camera.forward();
        let room = if wanted > 0.0 {
            free_way(world, camera, back, wanted)
        } else {
            0.0
        };
        let grown = self.distance + (wanted - self.distance) * (RETURN_RATE * seconds).min(1.0);
        self.distance = grown.min(room).max(0.0);
        camera.position = camera.position.moved(back * self.distance);
    }
}

/// The character that the camera follows.
pub(crate) struct Follow<'a> {
    pub(crate) world: &'a World,
    pub(crate) position: Position,
    /// Height of the eyes above the centre, metres.
    pub(crate) eye_height: f32,
    /// Radians.
    pub(crate) field_of_view: f32,
}

/// Returns the distance that a bundle of rays goes backwards up to a wall.
fn free_way(world: &World, camera: &Camera, back: Vector3<f32>, wanted: f32) -> f32 {
    let (right, up) = (camera.right() * BUNDLE, camera.up() * BUNDLE);
    let corners = [Vector3::zeros(), right, -right, up, -up];
    corners
        .into_iter()
        .map(|aside| {
            let origin = camera.position.moved(aside);
            clear_distance(world, origin, back, wanted + CLEARANCE) - CLEARANCE
        })
        .fold(wanted, f32::min)
        .max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use collision::Cell;
    use world::{CellBox, Material};

    /// A room of stone with walls at x = -4 and 4, z = -4 and 4, a floor below 0 and a ceiling at
    /// 4.
    fn room() -> World {
        let bounds = CellBox::new(Cell::new(-16, -16, -16), Cell::new(15, 15, 15));
        World::from_voxels(bounds, |cell| {
            let is_inside = cell.x.abs() < 4 && cell.z.abs() < 4 && (0..4).contains(&cell.y);
            if is_inside {
                Material::AIR
            } else {
                Material::STONE
            }
        })
    }

    #[test]
    fn the_camera_behind_never_enters_a_wall() {
        let world = room();
        let mut rig = Rig::default();
        rig.switch();
        for step in 0..400 {
            let turn = step as f32 * 0.13;
            (rig.yaw, rig.pitch) = (turn, (turn * 0.7).sin() * 1.5);
            let away = Vector3::new((turn * 1.3).sin() * 3.0, 0.0, (turn * 0.9).cos() * 3.0);
            let body = Follow {
                world: &world,
                position: Position::new(Cell::zeros(), Vector3::new(0.5, 0.9, 0.5)).moved(away),
                eye_height: 0.7,
                field_of_view: 1.2,
            };
            let camera = rig.follow(&body, 0.2);
            // The near plane of the picture must be free, too.
            for aside in [-1.0, 0.0, 1.0] {
                let at = camera.position.moved(camera.right() * (aside * 0.1));
                let material = world.material(at.cell);
                assert_eq!(material, Some(Material::AIR), "step {step}: {at:?}");
            }
        }
    }

    #[test]
    fn a_kick_fades_within_half_a_second_and_leaves_the_aim() {
        let world = room();
        let mut rig = Rig::default();
        let pitch = rig.pitch;
        let body = Follow {
            world: &world,
            position: Position::default(),
            eye_height: 0.7,
            field_of_view: 1.2,
        };
        (0..10).for_each(|_| rig.kick(0.04));
        let kicked = rig.follow(&body, 0.0).pitch - pitch;
        assert!((kicked - MOST_KICKED).abs() < 1e-6, "{kicked}");
        let last = (0..30).map(|_| rig.follow(&body, 1.0 / 60.0)).last();
        let left = last.map_or(1.0, |camera| camera.pitch - pitch);
        assert!(left.abs() < 0.001, "{left}");
        assert_eq!(rig.pitch, pitch);
    }

    #[test]
    fn with_room_the_camera_is_well_behind() {
        let bounds = CellBox::new(Cell::repeat(-16), Cell::repeat(15));
        let world = World::from_voxels(bounds, |_| Material::AIR);
        let mut rig = Rig::default();
        rig.switch();
        let body = Follow {
            world: &world,
            position: Position::default(),
            eye_height: 0.0,
            field_of_view: 1.2,
        };
        let far = (0..40).map(|_| rig.follow(&body, 0.1)).last();
        let distance = far.map_or(0.0, |camera| {
            camera.position.relative_to(Cell::zeros()).norm()
        });
        assert!((distance - BEHIND).abs() < 0.01, "{distance}");
    }
}
