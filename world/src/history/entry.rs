//! What the log holds: one entry an edit, with what it changed.

use crate::material::Material;
use crate::object::ObjectKey;
use crate::world::BrickPlace;

/// Who makes edits; each author has an own undo and redo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Author(pub u32);

/// Voxels of one row of a brick that changed from one material to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The brick.
    pub place: BrickPlace,
    /// Row `z * 32 + y` in the brick.
    pub row: u16,
    /// Voxels of the row, bit `x`.
    pub mask: u32,
    /// What they were.
    pub old: Material,
    /// What they became.
    pub new: Material,
}

/// Where an edit stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum EntryState {
    /// Its changes are in the world.
    Done = 0,
    /// Taken back; may be made again.
    Undone = 1,
}

impl EntryState {
    pub(crate) fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Done),
            1 => Some(Self::Undone),
            _ => None,
        }
    }
}

/// What was done to a free object as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ObjectStep {
    /// It came into the world.
    Added = 0,
    /// It left the world.
    Removed = 1,
}

impl ObjectStep {
    pub(crate) fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Added),
            1 => Some(Self::Removed),
            _ => None,
        }
    }
}

/// A free object that was added or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectEvent {
    /// Which.
    pub object: ObjectKey,
    /// What was done to it.
    pub step: ObjectStep,
}

/// Most edits of single voxels are one change: those need no memory of their own.
#[derive(Clone, Debug)]
pub(super) enum Content {
    One([Change; 1]),
    Many(Vec<Change>),
    Object(ObjectEvent),
}

/// One edit.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Place in the log; never used twice.
    pub sequence: u64,
    /// Who made it.
    pub author: Author,
    /// Whether it is in force.
    pub state: EntryState,
    pub(super) content: Content,
}

impl Entry {
    pub(crate) fn new(
        sequence: u64,
        author: Author,
        state: EntryState,
        changes: Vec<Change>,
    ) -> Self {
        let content = match changes[..] {
            [only] => Content::One([only]),
            _ => Content::Many(changes),
        };
        Self {
            sequence,
            author,
            state,
            content,
        }
    }

    pub(crate) fn of_object(
        sequence: u64,
        author: Author,
        state: EntryState,
        event: ObjectEvent,
    ) -> Self {
        Self {
            sequence,
            author,
            state,
            content: Content::Object(event),
        }
    }

    /// The voxels it changed; none if it added or removed an object, or is a step of the
    /// application's own. No voxel is named twice.
    pub fn changes(&self) -> &[Change] {
        match &self.content {
            Content::One(one) => one,
            Content::Many(many) => many,
            Content::Object(_) => &[],
        }
    }

    /// The free object that it added or removed.
    pub fn object(&self) -> Option<ObjectEvent> {
        match self.content {
            Content::Object(event) => Some(event),
            Content::One(_) | Content::Many(_) => None,
        }
    }

    /// The free object that is not in the world because of this entry.
    pub(super) fn withheld(&self) -> Option<ObjectKey> {
        let event = self.object()?;
        let keeps_out = match event.step {
            ObjectStep::Added => EntryState::Undone,
            ObjectStep::Removed => EntryState::Done,
        };
        (self.state == keeps_out).then_some(event.object)
    }

    /// Whether it did anything to an object or in it.
    pub(crate) fn concerns(&self, object: ObjectKey) -> bool {
        let mut places = self.changes().iter().map(|change| change.place.object);
        self.object().is_some_and(|event| event.object == object)
            || places.any(|place| place == Some(object))
    }

    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>()
            + match &self.content {
                Content::One(_) | Content::Object(_) => 0,
                Content::Many(many) => many.capacity() * size_of::<Change>(),
            }
    }
}
