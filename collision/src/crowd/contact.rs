//! Contacts of watched characters, as callers read them after a tick.

use crate::crowd::CharacterId;
use crate::events::Other;
use crate::mover::Feature;
use crate::position::Position;
use crate::terrain::Touched;
use nalgebra::Vector3;
use std::cmp::Ordering;

/// The phase of a contact in a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ContactPhase {
    /// New in this tick.
    Began,
    /// Already there in the last tick.
    Lasts,
    /// No longer there; all other fields are those of the last tick.
    Ended,
}

/// A thing that a watched character touched in the last tick. Each voxel, each triangle and each
/// character counts once, with the contact that stopped the most; an object whose pieces are not
/// known once for each of its sides.
///
/// ```
/// use collision::{Character, Crowd, Intent, ObjectId, Other, Position, Shapes};
/// use nalgebra::{Point3, Vector3};
///
/// let point = Point3::new;
/// let floor = [[point(0.0, -1.0, 0.0), point(20.0, 0.0, 20.0)]];
/// let floor = Shapes::from_boxes(ObjectId(1), Position::default(), &floor);
/// // A crate of 20 kg that another library moves stands in the terrain as boxes.
/// let (mass, mut velocity) = (20.0, Vector3::zeros());
/// let sides = [[point(11.0, 0.0, 9.0), point(12.0, 1.0, 11.0)]];
/// let box_of_crate = Shapes::from_boxes(ObjectId(2), Position::default(), &sides);
///
/// let mut crowd = Crowd::new();
/// let id = crowd.add(Character::at(Position::from_metres(point(10.5, 0.91, 10.0))));
/// crowd.watch(id)?;
/// let parts: [&dyn collision::Terrain; 2] = [&floor, &box_of_crate];
/// let terrain = collision::Together::new(&parts);
/// for _ in 0..10 {
///     crowd.tick(&terrain, &[(id, Intent::walk(Vector3::x() * 3.0))], 1.0 / 60.0);
///     for contact in crowd.contacts_of(id) {
///         if contact.other == Other::Terrain(ObjectId(2)) {
///             velocity += contact.impulse_on(mass, &velocity) / mass;
///         }
///     }
/// }
/// // The crate takes up what keeps it ahead of the character, and no more.
/// assert!(velocity.x > 2.0 && velocity.x < 3.01);
/// # Ok::<(), collision::CharacterError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CharacterContact {
    /// The watched character.
    pub character: CharacterId,
    /// The object of the terrain, or the other character.
    pub other: Other,
    /// The touched piece of an object, and its material.
    pub touched: Touched,
    /// The touched part of its shape.
    pub feature: Feature,
    /// The phase of the contact in this tick.
    pub phase: ContactPhase,
    /// The touched point of the character's skin.
    pub point: Position,
    /// Unit normal, towards the character.
    pub normal: Vector3<f32>,
    /// The speed along the normal that it took from the character in this tick, in metres a second:
    /// that of the wish, of a fall, and, for the ground, the speed gained from gravity.
    pub speed: f32,
    /// Mass of the character, in kilograms.
    #[cfg_attr(feature = "serde", serde(with = "crate::character::mass_as_text"))]
    pub mass: f32,
}

impl CharacterContact {
    /// Returns the impulse, in newton seconds, on a body of a mass at this contact: it gives the
    /// two one speed along the normal. A body that already gives way as fast gets none, and one of
    /// infinite mass gets all that was stopped. To limit the strength of a character to a force,
    /// cut the impulse to that force times the length of the tick, with `cap_magnitude`.
    #[must_use]
    pub fn impulse_on(&self, mass: f32, velocity: &Vector3<f32>) -> Vector3<f32> {
        let closing = self.speed + velocity.dot(&self.normal);
        // NaN shares: both are immovable, or the body is weightless.
        let reduced = match (self.mass.is_finite(), mass.is_finite()) {
            (true, true) => self.mass / (self.mass + mass) * mass,
            (true, false) => self.mass,
            (false, true) => mass,
            (false, false) => 0.0,
        };
        self.normal * -(reduced * closing.max(0.0))
    }

    /// Orders contacts: by character, then by the thing touched.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        let key = |contact: &Self| {
            let piece = match contact.other {
                Other::Terrain(_) => contact.touched.key(&contact.normal),
                Other::Character(_) => Default::default(),
            };
            (contact.character, contact.other, piece)
        };
        key(self).cmp(&key(other))
    }

    /// Orders two contacts with one thing: the harder one, which counts, comes first.
    pub(crate) fn harder_first(&self, other: &Self) -> Ordering {
        let shape = |contact: &Self| -> (Feature, [i32; 3]) {
            (contact.feature, contact.point.cell.into())
        };
        let numbers = |contact: &Self| [contact.normal, contact.point.offset];
        let by_number = || {
            let pairs = numbers(self).into_iter().zip(numbers(other));
            let mut parts =
                pairs.flat_map(|(a, b)| [0, 1, 2].map(|axis| a[axis].total_cmp(&b[axis])));
            parts.find(|order| order.is_ne())
        };
        let by_speed = other.speed.total_cmp(&self.speed);
        by_speed
            .then_with(|| shape(self).cmp(&shape(other)))
            .then_with(|| by_number().unwrap_or(Ordering::Equal))
    }
}
