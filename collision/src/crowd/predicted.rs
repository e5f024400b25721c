//! One character predicted again and again, for clients of a server.
//!
//! A [`Predicted`] holds a crowd of the character and of others that stand still, and runs the
//! phases of the crowd's tick that need no other's move. Left out: pushes, contacts, sensors.

use crate::character::{
    Build, Character, CharacterError, Intent, Settings, State, validate_position,
};
use crate::crowd::context::Call;
use crate::crowd::report::TickError;
use crate::crowd::rules::Hooks;
use crate::crowd::state::{Crowd, whole_extent};
use crate::crowd::vicinity::grid_cell;
use crate::handles::CharacterId;
use crate::mover::{Body, Feature};
use crate::object::ObjectId;
use crate::position::Position;
use crate::snapshot::SnapshotError;
use crate::terrain::Terrain;
use crate::tolerance::LONGEST_TICK;
use nalgebra::Vector3;
use thiserror::Error;

/// The row of the predicted character.
const OWN: usize = 0;

/// Another character near a predicted one, as it stood when the tick began. It stops the predicted
/// one, and stands still.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OtherCharacter {
    /// Its handle on the server.
    pub id: CharacterId,
    /// Its ellipsoid.
    pub body: Body,
    /// Its layers, 0 while it passes through everything.
    pub layers: u16,
    /// The layers that it collides with, 0 while it passes through everything.
    pub meets: u16,
}

/// The reason why nothing was predicted.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum PredictError {
    /// The length of a tick is not a number, not above zero, or too long.
    #[error(transparent)]
    Length(#[from] TickError),
    /// The intent at this place in the list is not finite or too fast.
    #[error("intent {0} is invalid: it must be finite and below the speed limit")]
    Intent(usize),
    /// The other character at this place in the list is invalid.
    #[error("other character {place} is invalid: {fault}")]
    Other {
        /// Its place in the list.
        place: usize,
        /// The fault.
        fault: CharacterError,
    },
    /// The description or the settings of the character are invalid.
    #[error(transparent)]
    Character(#[from] CharacterError),
    /// The bytes are not a saved character.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
}

/// One character that a client predicts. See [`predict`].
#[derive(Clone)]
pub struct Predicted {
    /// The character in row 0, and the others of the last prediction in the rows behind it.
    crowd: Crowd,
    id: CharacterId,
    /// The handles of the others by row, from row 1 on, and their places in the caller's list.
    others: Vec<(CharacterId, u32)>,
}

/// Predicts a character by one tick of `seconds` for each intent.
///
/// `others` are the characters near it as they stood when the first of these ticks began, without
/// itself, in any order; they stand still. Five metres and its way in a tick is near enough for a
/// character of human size: farther ones cost time and change nothing. `terrain` is as it was in
/// these ticks. Beside moving platforms, predict one tick at a time, each with the terrain of that
/// tick.
///
/// Each tick ends with the bits of [`Crowd::tick`] as far as that depends on the places of others
/// when it began. Not predicted are the effects of their moves, which the server corrects: pushes
/// between characters that moved into each other, and take-backs of such moves; others that ride on
/// the same platform, or carry the character on their heads; the velocity of a head that it leaves;
/// [`Rules`](crate::Rules). Others are taken to have its [`Settings`].
///
/// In steady state it allocates nothing. Invalid input changes nothing.
///
/// ```
/// use collision::{
///     predict, Character, Crowd, Intent, ObjectId, Position, Predicted, Settings, Shapes,
/// };
/// use nalgebra::{Point3, Vector3};
///
/// let floor = [Point3::new(-50.0, -1.0, -50.0), Point3::new(50.0, 0.0, 50.0)];
/// let terrain = Shapes::from_boxes(ObjectId(1), Position::default(), &[floor]);
/// let tick = 1.0 / 60.0;
///
/// // The server, and what it sends.
/// let mut crowd = Crowd::new();
/// let at = |x| Position::from_metres(Point3::new(x, 0.91, 0.0));
/// let player = crowd.add(Character::at(at(0.0)));
/// crowd.add(Character::at(at(2.0)));
/// let saved = crowd.save_character(player).ok_or("gone")?;
/// let mut others = Vec::new();
/// crowd.others_near(player, 5.0, &mut others);
///
/// // The client plays the inputs again that the server has not answered yet.
/// let inputs = [Intent::walk(Vector3::new(5.0, 0.0, 0.0)); 30];
/// let mut predicted = Predicted::from_bytes(&saved, &Settings::default())?;
/// predict(&mut predicted, &terrain, &others, &inputs, tick)?;
/// assert!(predicted.position().to_metres().x < 1.2, "stopped by the other");
///
/// // Once the server has done so too, both agree to the bit.
/// for intent in inputs {
///     crowd.tick(&terrain, &[(player, intent)], tick);
/// }
/// assert_eq!(Some(predicted.save()), crowd.save_character(player));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn predict<T: Terrain + ?Sized>(
    predicted: &mut Predicted,
    terrain: &T,
    others: &[OtherCharacter],
    intents: &[Intent],
    seconds: f32,
) -> Result<(), PredictError> {
    validate(others, intents, seconds)?;
    predicted.put_others(others);
    let ground = predicted.number_ground();
    let call = Call {
        terrain,
        seconds,
        hooks: Hooks { rules: None },
    };
    for &intent in intents {
        predicted.crowd.tick_one(&call, &(predicted.id, intent));
    }
    predicted.name_ground(ground);
    Ok(())
}

/// Checks everything that could come from outside.
fn validate(
    others: &[OtherCharacter],
    intents: &[Intent],
    seconds: f32,
) -> Result<(), PredictError> {
    if !(seconds > 0.0 && seconds <= LONGEST_TICK) {
        return Err(TickError::Length(seconds).into());
    }
    if let Some(place) = intents.iter().position(|intent| !intent.is_valid()) {
        return Err(PredictError::Intent(place));
    }
    for (place, other) in others.iter().enumerate() {
        let sound = validate_position(&other.body.position).and_then(|()| other.build().validate());
        sound.map_err(|fault| PredictError::Other { place, fault })?;
    }
    Ok(())
}

impl OtherCharacter {
    fn build(&self) -> Build {
        let Body { radii, up, .. } = self.body;
        Build {
            across: radii.across,
            standing: radii.along,
            crouched: radii.along,
            up,
            layers: self.layers,
            meets: self.meets,
            mass: Build::USUAL_MASS,
            gravity: None,
        }
    }
}

impl Predicted {
    /// Makes one from a description, as [`Crowd::try_add`] adds it.
    ///
    /// ```
    /// use collision::{Character, Position, Predicted};
    ///
    /// let here = Position::default();
    /// assert_eq!(Predicted::new(Character::at(here))?.position(), here);
    /// assert!(Predicted::new(Character::at(here).with_radii(f32::NAN, 0.9)).is_err());
    /// # Ok::<(), collision::CharacterError>(())
    /// ```
    pub fn new(character: Character) -> Result<Self, CharacterError> {
        let mut crowd = Crowd::new();
        let id = crowd.try_add(character)?;
        Ok(Self {
            crowd,
            id,
            others: Vec::new(),
        })
    }

    /// Makes one from the bytes of [`Crowd::save_character`], which hold no settings.
    pub fn from_bytes(bytes: &[u8], settings: &Settings) -> Result<Self, PredictError> {
        let somewhere = Character::at(Position::default()).with_settings(*settings);
        let mut predicted = Self::new(somewhere)?;
        predicted.put_right(bytes)?;
        Ok(predicted)
    }

    /// Gives it the build and state of the bytes of [`Crowd::save_character`]: from the server, or
    /// of its own [`Self::save`] to go back. Invalid bytes change nothing.
    ///
    /// ```
    /// use collision::{Character, Position, Predicted};
    /// use nalgebra::Point3;
    ///
    /// let at = |x| Character::at(Position::from_metres(Point3::new(x, 0.0, 0.0)));
    /// let (mut here, there) = (Predicted::new(at(1.0))?, Predicted::new(at(2.0))?);
    /// here.put_right(&there.save())?;
    /// assert_eq!(here.state(), there.state());
    /// assert!(here.put_right(&[1, 2, 3]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn put_right(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        self.crowd.restore_character(self.id, bytes)
    }

    /// Saves its build and state: the bytes of [`Crowd::save_character`] where the server's
    /// character has the same.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.save_into(&mut bytes);
        bytes
    }

    /// Saves like [`Self::save`], into a buffer that is cleared and reused.
    pub fn save_into(&self, bytes: &mut Vec<u8>) {
        self.crowd.save_character_into(self.id, bytes);
    }

    /// Returns its state after the last tick.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.crowd.columns.states[OWN]
    }

    /// Returns its shape, up axis and layers, which no tick changes.
    #[must_use]
    pub fn build(&self) -> &Build {
        &self.crowd.columns.builds[OWN]
    }

    /// Returns its ellipsoid at its present place.
    #[must_use]
    pub fn body(&self) -> Body {
        self.crowd.columns.stood[OWN].body()
    }

    /// Returns its centre.
    #[must_use]
    pub fn position(&self) -> Position {
        self.state().position
    }

    /// Returns its velocity, in metres a second.
    #[must_use]
    pub fn velocity(&self) -> Vector3<f32> {
        self.state().velocity
    }

    /// Returns whether it stands on ground.
    #[must_use]
    pub fn is_grounded(&self) -> bool {
        self.state().is_grounded()
    }

    /// Puts the others into the rows behind its own, in the order of their handles.
    fn put_others(&mut self, others: &[OtherCharacter]) {
        self.others.clear();
        let numbered = others.iter().zip(0..);
        self.others
            .extend(numbered.map(|(other, place)| (other.id, place)));
        self.others.sort_unstable();
        let crowd = &mut self.crowd;
        while crowd.columns.len() > others.len() + 1 {
            let last = crowd.columns.len() - 1;
            crowd.columns.swap_remove(last);
            crowd.handles.release(last as u32);
            crowd.grid.remove(last as u32);
        }
        crowd.largest = whole_extent(&crowd.columns.builds[OWN]);
        for (number, &(_, place)) in self.others.iter().enumerate() {
            let (row, other) = (number + 1, &others[place as usize]);
            if row == crowd.columns.len() {
                crowd.handles.claim(row as u32);
            }
            let (build, state) = (other.build(), State::at(other.body.position));
            crowd.columns.put_kinematic(row, build, state);
            let stood = &crowd.columns.stood[row];
            crowd.largest = crowd.largest.sup(&stood.extent);
            crowd.grid.place(row as u32, grid_cell(&stood.position));
        }
    }

    /// Names the head that it stands on by its row. Returns the server's name of it.
    fn number_ground(&mut self) -> ObjectId {
        let others = &self.others;
        let Some(head) = head(&mut self.crowd) else {
            return ObjectId::NONE;
        };
        let row = others.iter().position(|(id, _)| id.slot == head.0);
        let number = row.map_or(ObjectId::NONE, |before| ObjectId(before as u32 + 1));
        std::mem::replace(head, number)
    }

    /// Names the head that it stands on as the server does; `absent` is that of another that was
    /// not listed.
    fn name_ground(&mut self, absent: ObjectId) {
        let others = &self.others;
        if let Some(head) = head(&mut self.crowd) {
            let other = others.get((head.0 as usize).wrapping_sub(1));
            *head = other.map_or(absent, |(id, _)| ObjectId(id.slot));
        }
    }
}

/// Returns the name of the head that the predicted character stands on, if any.
fn head(crowd: &mut Crowd) -> Option<&mut ObjectId> {
    let ground = crowd.columns.states[OWN].ground.as_mut()?;
    (ground.feature == Feature::Body).then_some(&mut ground.object)
}
