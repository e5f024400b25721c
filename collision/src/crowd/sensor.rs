//! Boxes that report characters whose centres enter and leave, and block none.

use crate::character::CharacterError;
use crate::character::validate_position;
use crate::crowd::vicinity::Neighbourhood;
use crate::events::{Event, EventKind};
use crate::handles::{CharacterId, Handles, SensorId};
use crate::position::Position;
use crate::tolerance::LARGEST_SENSOR;
use nalgebra::Vector3;

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sensor {
    /// Its centre.
    pub center: Position,
    /// Half its sides, in metres.
    pub extent: Vector3<f32>,
}

/// The members of a sensor, by slot.
pub(crate) struct SavedSensor {
    pub(crate) id: SensorId,
    pub(crate) sensor: Sensor,
    pub(crate) members: Vec<u32>,
}

/// The characters of a crowd, for sensors to look among.
#[derive(Clone, Copy)]
pub(crate) struct Sensed<'a> {
    pub(crate) around: Neighbourhood<'a>,
    pub(crate) handles: &'a Handles,
    /// The slot of each row.
    pub(crate) slots: &'a [u32],
}

/// All sensors with their members.
#[derive(Clone, Default)]
pub(crate) struct Sensors {
    list: Vec<Entry>,
    next: u32,
    found: Vec<CharacterId>,
}

#[derive(Clone)]
struct Entry {
    id: SensorId,
    sensor: Sensor,
    members: Vec<CharacterId>,
}

impl Sensor {
    /// Checks everything that could come from outside.
    pub(crate) fn validate(&self) -> Result<(), CharacterError> {
        validate_position(&self.center)?;
        let allowed = |extent: &&f32| (0.0..=LARGEST_SENSOR).contains(*extent);
        match self.extent.iter().find(|extent| !allowed(extent)) {
            Some(&extent) => Err(CharacterError::Extent(extent)),
            None => Ok(()),
        }
    }

    /// Returns whether a centre at an offset from its own is inside.
    fn holds(&self, offset: &Vector3<f32>) -> bool {
        (0..3).all(|axis| offset[axis].abs() <= self.extent[axis])
    }
}

impl Sensed<'_> {
    /// Lists the characters inside a box, ordered by handle.
    fn find_inside(&self, sensor: &Sensor, found: &mut Vec<CharacterId>) {
        found.clear();
        let Sensor { center, extent } = *sensor;
        self.around.visit_box(&center, extent, |row, _, offset| {
            if sensor.holds(&offset) {
                found.push(self.handles.name(self.slots[row]));
            }
        });
        found.sort_unstable();
    }
}

impl Sensors {
    /// Adds a sensor without members.
    pub(crate) fn add(&mut self, sensor: Sensor) -> SensorId {
        let id = SensorId(self.next);
        self.next += 1;
        self.list.push(Entry {
            id,
            sensor,
            members: Vec::new(),
        });
        id
    }

    /// Removes a sensor. Returns whether it existed.
    pub(crate) fn remove(&mut self, id: SensorId) -> bool {
        let before = self.list.len();
        self.list.retain(|entry| entry.id != id);
        self.list.len() < before
    }

    /// Returns the members of a sensor, ordered by handle.
    pub(crate) fn members(&self, id: SensorId) -> &[CharacterId] {
        let entry = self.list.iter().find(|entry| entry.id == id);
        entry.map_or(&[], |entry| &entry.members)
    }

    /// A removed character leaves without an event.
    pub(crate) fn forget(&mut self, id: CharacterId) {
        for entry in &mut self.list {
            entry.members.retain(|&member| member != id);
        }
    }

    /// Finds the members of each sensor and notes those that entered and left.
    pub(crate) fn sense(&mut self, among: &Sensed<'_>, events: &mut Vec<Event>) {
        let found = &mut self.found;
        for entry in &mut self.list {
            among.find_inside(&entry.sensor, found);
            for &gone in entry
                .members
                .iter()
                .filter(|id| found.binary_search(id).is_err())
            {
                events.push(Event {
                    character: gone,
                    kind: EventKind::Left(entry.id),
                });
            }
            for &come in found
                .iter()
                .filter(|id| entry.members.binary_search(id).is_err())
            {
                events.push(Event {
                    character: come,
                    kind: EventKind::Entered(entry.id),
                });
            }
            std::mem::swap(&mut entry.members, found);
        }
    }

    /// Returns every sensor with its members at the end of the last tick.
    pub(crate) fn each(&self) -> impl ExactSizeIterator<Item = (SensorId, Sensor, &[CharacterId])> {
        let entries = self.list.iter();
        entries.map(|entry| (entry.id, entry.sensor, &entry.members[..]))
    }

    /// Goes back to the saved members of each sensor, without events. A sensor that was not saved,
    /// or was elsewhere, has the characters that stand in it now.
    pub(crate) fn sense_again(&mut self, among: &Sensed<'_>, saved: &[SavedSensor]) {
        for entry in &mut self.list {
            let same = |saved: &&SavedSensor| saved.id == entry.id && saved.sensor == entry.sensor;
            match saved.iter().find(same) {
                Some(saved) => {
                    let names = saved.members.iter().map(|&slot| among.handles.name(slot));
                    entry.members.clear();
                    entry.members.extend(names);
                }
                None => among.find_inside(&entry.sensor, &mut entry.members),
            }
        }
    }

    /// Makes one character a member of exactly the sensors it stands in, without events.
    pub(crate) fn sense_one_again(&mut self, id: CharacterId, position: &Position) {
        for entry in &mut self.list {
            let inside = entry.sensor.holds(&position.since(&entry.sensor.center));
            match (entry.members.binary_search(&id), inside) {
                (Err(place), true) => entry.members.insert(place, id),
                (Ok(place), false) => {
                    entry.members.remove(place);
                }
                _ => {}
            }
        }
    }
}
