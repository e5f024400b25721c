//! Saving and restoring a crowd, or one character of it.

use crate::character::Settings;
use crate::crowd::columns::{Columns, SettingsTable};
use crate::crowd::sensor::{SavedSensor, Sensor};
use crate::crowd::state::Crowd;
use crate::handles::{CharacterId, Handles, SensorId};
use crate::snapshot::{
    LEAST_RECORD, Reader, SnapshotError, VERSION, Writer, hash_character, read_character,
    write_character,
};
use nalgebra::Vector3;
use std::collections::HashSet;

const CROWD: u16 = 0x5243;
const CHARACTER: u16 = 0x4843;

/// Fewest bytes a character takes in a crowd: its slot and its settings besides.
const LEAST_ROW: usize = LEAST_RECORD + 6;

/// Fewest bytes a sensor takes.
const LEAST_SENSOR: usize = 44;

/// A crowd as it was read.
struct Restored {
    columns: Columns,
    handles: Handles,
    settings: SettingsTable,
    sensors: Vec<SavedSensor>,
}

impl Crowd {
    /// Saves everything that determines the future of the characters, and the members of each
    /// sensor. The sensors themselves are not saved.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(64 + self.len() * 64);
        self.save_into(&mut bytes);
        bytes
    }

    /// Saves like [`Self::save`], into a buffer that is cleared and reused.
    pub fn save_into(&self, bytes: &mut Vec<u8>) {
        bytes.clear();
        let mut to = Writer { bytes };
        to.u16(CROWD);
        to.u16(VERSION);
        to.u32(self.settings.rows().len() as u32);
        for settings in self.settings.rows() {
            settings
                .to_array()
                .iter()
                .for_each(|&number| to.f32(number));
        }
        to.u32(self.handles.generations().len() as u32);
        for &generation in self.handles.generations() {
            to.u32(generation);
        }
        to.u32(self.handles.free().len() as u32);
        for &slot in self.handles.free() {
            to.u32(slot);
        }
        to.u32(self.len() as u32);
        for row in self.handles.in_order() {
            to.u32(self.columns.slots[row]);
            to.u16(self.columns.settings[row]);
            self.write_row(&mut to, row);
        }
        to.u32(self.sensors.each().len() as u32);
        for (id, sensor, members) in self.sensors.each() {
            to.u32(id.0);
            to.position(&sensor.center);
            to.vector(&sensor.extent);
            to.u32(members.len() as u32);
            members.iter().for_each(|member| to.u32(member.slot));
        }
    }

    /// Goes back to the state of a [`Self::save`], handles included: those given out since are
    /// given out again. Clears the events. Sensors stay, and each has its members of then; one that
    /// did not exist then has those that stand in it now. This causes no events, so the same ticks
    /// give the same events again. Invalid bytes change nothing.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        let restored = read_crowd(bytes)?;
        self.columns = restored.columns;
        self.handles = restored.handles;
        self.settings = restored.settings;
        self.grid.clear();
        self.largest = Vector3::zeros();
        self.events.clear();
        self.watch.forget_contacts();
        for row in 0..self.columns.len() {
            self.arrived(row);
        }
        let (sensors, among) = self.sensing();
        sensors.sense_again(&among, &restored.sensors);
        Ok(())
    }

    /// Saves one character's build and state, for [`Self::restore_character`]. Its settings are not
    /// included.
    #[must_use]
    pub fn save_character(&self, id: CharacterId) -> Option<Vec<u8>> {
        let mut bytes = Vec::with_capacity(LEAST_RECORD * 2);
        self.save_character_into(id, &mut bytes).then_some(bytes)
    }

    /// Saves like [`Self::save_character`], into a buffer that is cleared and reused. Returns false
    /// and leaves the buffer empty if there is no such character.
    ///
    /// ```
    /// use collision::{Character, Crowd, Position};
    ///
    /// let mut crowd = Crowd::new();
    /// let id = crowd.add(Character::at(Position::default()));
    /// let mut bytes = Vec::new();
    /// assert!(crowd.save_character_into(id, &mut bytes));
    /// assert_eq!(crowd.save_character(id), Some(bytes));
    /// ```
    pub fn save_character_into(&self, id: CharacterId, bytes: &mut Vec<u8>) -> bool {
        bytes.clear();
        let Some(row) = self.handles.find(id) else {
            return false;
        };
        let mut to = Writer { bytes };
        to.u16(CHARACTER);
        to.u16(VERSION);
        self.write_row(&mut to, row);
        true
    }

    fn write_row(&self, to: &mut Writer<'_>, row: usize) {
        let (build, state) = (&self.columns.builds[row], &self.columns.states[row]);
        write_character(to, build, state, self.columns.has_left_ground(row));
    }

    /// Gives a character the build and state of a [`Self::save_character`]. It is a member of the
    /// sensors it stands in, without events. Invalid bytes change nothing.
    pub fn restore_character(
        &mut self,
        id: CharacterId,
        bytes: &[u8],
    ) -> Result<(), SnapshotError> {
        let mut from = Reader::new(bytes);
        from.header(CHARACTER)?;
        let record = read_character(&mut from)?;
        from.end()?;
        let row = self.row(id).map_err(|_| SnapshotError::Gone)?;
        self.wake_near(row);
        self.may_shrink(row);
        self.columns.builds[row] = record.build;
        self.columns.states[row] = record.state;
        // Pending events belong to a past that it no longer has.
        self.columns.note_left_ground(row, record.left_ground);
        self.arrived(row);
        self.sensors.sense_one_again(id, &record.state.position);
        Ok(())
    }

    /// Returns a hash of the builds and states of all characters. Neither handles nor the order of
    /// insertion take part.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        let rows = self.columns.builds.iter().zip(&self.columns.states);
        rows.fold(self.len() as u64, |sum, (build, state)| {
            sum.wrapping_add(hash_character(build, state))
        })
    }
}

fn read_crowd(bytes: &[u8]) -> Result<Restored, SnapshotError> {
    let mut from = Reader::new(bytes);
    from.header(CROWD)?;
    let settings = read_settings(&mut from)?;
    let slots = from.count(4)?;
    let generations: Vec<u32> = (0..slots).map(|_| from.u32()).collect::<Result<_, _>>()?;
    let free_count = from.count(4)?;
    let free: Vec<u32> = (0..free_count)
        .map(|_| from.u32())
        .collect::<Result<_, _>>()?;
    let count = from.count(LEAST_ROW)?;
    from.accept(count + free_count == slots)?;
    let mut taken = vec![false; slots];
    for &slot in &free {
        claim(&mut taken, slot, &from)?;
    }
    let mut columns = Columns::default();
    for _ in 0..count {
        let slot = from.u32()?;
        claim(&mut taken, slot, &from)?;
        let last = columns.slots.last();
        from.accept(last.is_none_or(|&last| last < slot))?;
        let row = from.u16()?;
        from.accept(usize::from(row) < settings.rows().len())?;
        let record = read_character(&mut from)?;
        columns.push_state(slot, record.build, record.state, row);
        columns.note_left_ground(columns.len() - 1, record.left_ground);
    }
    let sensors = read_sensors(&mut from, &columns.slots)?;
    from.end()?;
    let handles = Handles::rebuild(generations, &columns.slots, free);
    Ok(Restored {
        columns,
        handles,
        settings,
        sensors,
    })
}

/// Reads the members of each sensor; `slots` are those in use, in order.
fn read_sensors(from: &mut Reader<'_>, slots: &[u32]) -> Result<Vec<SavedSensor>, SnapshotError> {
    let mut sensors: Vec<SavedSensor> = Vec::new();
    for _ in 0..from.count(LEAST_SENSOR)? {
        let id = SensorId(from.u32()?);
        from.accept(sensors.last().is_none_or(|last| last.id < id))?;
        let (center, extent) = (from.position()?, from.vector()?);
        let sensor = Sensor { center, extent };
        from.accept(sensor.validate().is_ok())?;
        let mut members = Vec::new();
        for _ in 0..from.count(4)? {
            let slot = from.u32()?;
            from.accept(members.last().is_none_or(|&last| last < slot))?;
            from.accept(slots.binary_search(&slot).is_ok())?;
            members.push(slot);
        }
        sensors.push(SavedSensor {
            id,
            sensor,
            members,
        });
    }
    Ok(sensors)
}

fn read_settings(from: &mut Reader<'_>) -> Result<SettingsTable, SnapshotError> {
    let mut table = SettingsTable::default();
    let mut known = HashSet::new();
    for _ in 0..from.count(Settings::COUNT * 4)? {
        let mut numbers = [0.0; Settings::COUNT];
        for number in &mut numbers {
            *number = from.f32()?;
        }
        let settings = Settings::from_array(numbers);
        from.accept(settings.is_valid() && settings.to_array() == numbers)?;
        // Both zeros are one number.
        from.accept(known.insert(numbers.map(|number| (number + 0.0).to_bits())))?;
        from.accept(table.add(&settings).is_some())?;
    }
    Ok(table)
}

/// Claims a slot, which must exist and not be claimed yet.
fn claim(taken: &mut [bool], slot: u32, from: &Reader<'_>) -> Result<(), SnapshotError> {
    let entry = taken.get_mut(slot as usize);
    let new = entry.is_some_and(|entry| !std::mem::replace(entry, true));
    from.accept(new)
}
