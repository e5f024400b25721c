//! Entries of the log: one for each edit, with its changes.

use crate::material::Material;
use crate::object::ObjectKey;
use crate::space::BrickPlace;

/// The author of edits; each has a separate undo and redo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Author(pub u32);

/// Voxels of one row of a chunk that changed from one material to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The chunk.
    pub place: BrickPlace,
    /// Number of the row, `z * 32 + y`.
    pub row: u16,
    /// The voxels of the row, bit `x`.
    pub mask: u32,
    /// Material before the edit.
    pub old: Material,
    /// Material after the edit.
    pub new: Material,
}

/// State of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum EntryState {
    /// The changes are in the world.
    Done = 0,
    /// The edit was undone; it may be redone.
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

/// A step in the life of a free object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ObjectStep {
    /// The object was added to the world.
    Added = 0,
    /// The object was removed from the world.
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

/// The addition or removal of a free object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectEvent {
    /// The object.
    pub object: ObjectKey,
    /// The step.
    pub step: ObjectStep,
}

/// The content of an edit. Most edits of single voxels are one change and need no heap memory.
#[derive(Clone, Debug)]
pub(super) enum Content {
    One([Change; 1]),
    Many(Vec<Change>),
    Object(ObjectEvent),
}

/// One edit.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Sequence number; never used twice.
    pub sequence: u64,
    /// The author of the edit.
    pub author: Author,
    /// Tells if the edit is in force.
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

    /// Returns the voxels it changed; none if it added or removed an object, or is a step of the
    /// application's own. No voxel is named twice.
    pub fn changes(&self) -> &[Change] {
        match &self.content {
            Content::One(one) => one,
            Content::Many(many) => many,
            Content::Object(_) => &[],
        }
    }

    /// Returns the addition or removal of a free object.
    pub fn object(&self) -> Option<ObjectEvent> {
        match self.content {
            Content::Object(event) => Some(event),
            Content::One(_) | Content::Many(_) => None,
        }
    }

    /// Returns the free object that this entry keeps out of the world.
    pub(super) fn withheld(&self) -> Option<ObjectKey> {
        let event = self.object()?;
        let keeps_out = match event.step {
            ObjectStep::Added => EntryState::Undone,
            ObjectStep::Removed => EntryState::Done,
        };
        (self.state == keeps_out).then_some(event.object)
    }

    /// Returns true if the entry added, removed or changed an object.
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
