//! Boxes that report characters whose centres enter and leave, and block none.

use crate::character::CharacterError;
use crate::character::validate_position;
use crate::crowd::CharacterId;
use crate::crowd::api::Crowd;
use crate::crowd::save::SavedSensor;
use crate::events::{Event, EventKind};
use crate::position::Position;
use crate::tolerance::LARGEST_SENSOR;
use nalgebra::Vector3;

/// The handle of a sensor; never given out twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SensorId(pub(crate) u32);

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sensor {
    /// Its centre.
    pub center: Position,
    /// Half its sides, in metres.
    pub extent: Vector3<f32>,
}

/// All sensors with their members.
#[derive(Default)]
pub(crate) struct Sensors {
    list: Vec<Entry>,
    next: u32,
    found: Vec<CharacterId>,
}

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

impl Sensors {
    /// A removed character leaves without an event.
    pub(crate) fn forget(&mut self, id: CharacterId) {
        for entry in &mut self.list {
            entry.members.retain(|&member| member != id);
        }
    }
}

impl Crowd {
    /// Adds a sensor. Characters inside enter it in the next tick.
    pub fn add_sensor(&mut self, sensor: Sensor) -> Result<SensorId, CharacterError> {
        sensor.validate()?;
        let id = SensorId(self.sensors.next);
        self.sensors.next += 1;
        self.sensors.list.push(Entry {
            id,
            sensor,
            members: Vec::new(),
        });
        Ok(id)
    }

    /// Removes a sensor, without events of its members. Returns whether it existed.
    pub fn remove_sensor(&mut self, id: SensorId) -> bool {
        let before = self.sensors.list.len();
        self.sensors.list.retain(|entry| entry.id != id);
        self.sensors.list.len() < before
    }

    /// Returns the members of a sensor, ordered by handle.
    #[must_use]
    pub fn in_sensor(&self, id: SensorId) -> &[CharacterId] {
        let entry = self.sensors.list.iter().find(|entry| entry.id == id);
        entry.map_or(&[], |entry| &entry.members)
    }

    /// Finds the members of each sensor and notes those that entered and left.
    pub(crate) fn sense(&mut self) {
        let mut sensors = std::mem::take(&mut self.sensors);
        let mut found = std::mem::take(&mut sensors.found);
        for entry in &mut sensors.list {
            self.find_inside(&entry.sensor, &mut found);
            for &gone in entry
                .members
                .iter()
                .filter(|id| found.binary_search(id).is_err())
            {
                self.events.push(Event {
                    character: gone,
                    kind: EventKind::Left(entry.id),
                });
            }
            for &come in found
                .iter()
                .filter(|id| entry.members.binary_search(id).is_err())
            {
                self.events.push(Event {
                    character: come,
                    kind: EventKind::Entered(entry.id),
                });
            }
            std::mem::swap(&mut entry.members, &mut found);
        }
        sensors.found = found;
        self.sensors = sensors;
    }

    /// Lists the characters inside a box, ordered by handle.
    fn find_inside(&self, sensor: &Sensor, found: &mut Vec<CharacterId>) {
        found.clear();
        let Sensor { center, extent } = *sensor;
        self.neighbourhood()
            .visit_box(&center, extent, |row, _, offset| {
                if sensor.holds(&offset) {
                    found.push(self.handles.name(self.columns.slots[row]));
                }
            });
        found.sort_unstable();
    }

    /// Returns every sensor with its members at the end of the last tick.
    pub(crate) fn sensed(
        &self,
    ) -> impl ExactSizeIterator<Item = (SensorId, Sensor, &[CharacterId])> {
        let entries = self.sensors.list.iter();
        entries.map(|entry| (entry.id, entry.sensor, &entry.members[..]))
    }

    /// Goes back to the saved members of each sensor, without events. A sensor that was not saved,
    /// or was elsewhere, has the characters that stand in it now.
    pub(crate) fn sense_again(&mut self, saved: &[SavedSensor]) {
        let mut sensors = std::mem::take(&mut self.sensors);
        for entry in &mut sensors.list {
            let same = |saved: &&SavedSensor| saved.id == entry.id && saved.sensor == entry.sensor;
            match saved.iter().find(same) {
                Some(saved) => {
                    let names = saved.members.iter().map(|&slot| self.handles.name(slot));
                    entry.members.clear();
                    entry.members.extend(names);
                }
                None => self.find_inside(&entry.sensor, &mut entry.members),
            }
        }
        self.sensors = sensors;
    }

    /// Makes one character a member of exactly the sensors it stands in, without events.
    pub(crate) fn sense_one_again(&mut self, id: CharacterId, position: &Position) {
        for entry in &mut self.sensors.list {
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
