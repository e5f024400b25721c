//! Encodes chunks and history entries as bytes.
//!
//! Materials are saved by name, in a palette for each record, so that tables may be renumbered. A
//! chunk is a list of rows: the number of materials, their indices, and a mask for all but the
//! last; a row equal to the one before is one byte. Records are compressed and have a checksum that
//! covers the key.

use std::collections::HashMap;

use super::bytes::{Reader, put_name, seal, unseal};
use super::error::DecodeError;
use super::store::Table;
use crate::chunk::{ROWS, SIDE, VOLUME, Voxels};
use crate::history::{Author, Change, Entry, EntryState, ObjectEvent, ObjectStep};
use crate::material::{Material, MaterialTable};
use crate::object::{ObjectKey, ObjectShape};
use crate::space::{BrickPlace, ChunkPosition};
use collision::{Cell, Position};
use nalgebra::Vector3;

/// Longest payload of a chunk, in bytes: every voxel of another material with the longest name.
const CHUNK_LIMIT: usize = 2 + VOLUME * (1 + MaterialTable::LONGEST_NAME) + ROWS * ROW_LIMIT;
/// Longest row of a chunk, in bytes: the number of materials, then an index and a mask for each,
/// the last without mask.
const ROW_LIMIT: usize = 1 + SIDE * (2 + 4) - 4;
/// Longest payload of a history entry, in bytes.
const ENTRY_LIMIT: usize = 1 << 30;
/// Bit in the state of an entry whose changes name objects; unused up to format 3.
const WITH_OBJECTS: u8 = 1 << 7;

/// Bit in the state of an entry that adds or removes a free object; unused up to format 4.
const OF_OBJECT: u8 = 1 << 6;
/// Last byte of a saved object that is not in the world. A history entry of that length has one
/// change and ends with 0.
const SHELVED: u8 = 1;

/// Materials by name and by id, as of the last look at the table.
#[derive(Clone, Debug, Default)]
pub struct MaterialNames {
    names: Vec<String>,
    ids: HashMap<String, Material>,
}

impl MaterialNames {
    /// Copies the names of a table.
    pub fn of(table: &MaterialTable) -> Self {
        let names: Vec<String> = table.iter().map(|(_, info)| info.name.clone()).collect();
        let ids = table
            .iter()
            .map(|(id, info)| (info.name.clone(), id))
            .collect();
        Self { names, ids }
    }

    /// Returns the number of materials.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    fn name(&self, material: Material) -> &str {
        self.names
            .get(usize::from(material.0))
            .map_or("air", |name| name)
    }
}

/// The materials of one record, in order of occurrence.
#[derive(Default)]
struct Palette {
    materials: Vec<Material>,
}

impl Palette {
    fn index(&mut self, material: Material) -> u16 {
        let found = self.materials.iter().position(|&known| known == material);
        found.unwrap_or_else(|| {
            self.materials.push(material);
            self.materials.len() - 1
        }) as u16
    }

    fn put(&self, names: &MaterialNames, out: &mut Vec<u8>) {
        out.extend_from_slice(&(self.materials.len() as u16).to_le_bytes());
        for &material in &self.materials {
            put_name(out, names.name(material));
        }
    }

    fn read(names: &MaterialNames, reader: &mut Reader) -> Result<Self, DecodeError> {
        let known = |name: &str| names.ids.get(name).copied().ok_or(DecodeError::Material);
        let named = Self::read_names(reader)?;
        let materials: Result<_, _> = named.into_iter().map(known).collect();
        let materials = materials?;
        Ok(Self { materials })
    }

    fn read_names<'a>(reader: &mut Reader<'a>) -> Result<Vec<&'a str>, DecodeError> {
        let count = reader.u16()?;
        (0..count).map(|_| reader.name()).collect()
    }

    fn get(&self, index: u16) -> Result<Material, DecodeError> {
        self.materials
            .get(usize::from(index))
            .copied()
            .ok_or(DecodeError::Malformed)
    }
}

/// Returns the key of a chunk; keys sort by place.
pub fn chunk_key(chunk: ChunkPosition) -> [u8; 12] {
    let mut key = [0; 12];
    for (axis, part) in [chunk.z, chunk.x, chunk.y].into_iter().enumerate() {
        let biased = (part as u32) ^ 0x8000_0000;
        key[axis * 4..][..4].copy_from_slice(&biased.to_be_bytes());
    }
    key
}

/// Returns the chunk of a key; `None` beyond the ends of the world.
pub fn chunk_of_key(key: &[u8]) -> Option<ChunkPosition> {
    let part = |axis: usize| -> Option<i32> {
        let bytes = key.get(axis * 4..axis * 4 + 4)?.try_into().ok()?;
        Some((u32::from_be_bytes(bytes) ^ 0x8000_0000) as i32)
    };
    (key.len() == 12).then_some(())?;
    let chunk = ChunkPosition::new(part(1)?, part(2)?, part(0)?);
    is_in_world(chunk).then_some(chunk)
}

/// Returns true if the cells of a chunk are within `i32`.
fn is_in_world(chunk: ChunkPosition) -> bool {
    chunk.iter().all(|part| part.checked_mul(32).is_some())
}

/// Returns the table and the key of a chunk.
pub(super) fn record_of(place: &BrickPlace) -> (Table, Vec<u8>) {
    let chunk = chunk_key(place.chunk);
    match place.object {
        None => (Table::Chunks, chunk.to_vec()),
        Some(object) => (
            Table::ObjectChunks,
            [&object_key(object)[..], &chunk].concat(),
        ),
    }
}

/// Returns the key of a free object.
pub(super) fn object_key(object: ObjectKey) -> [u8; 8] {
    object.number().to_be_bytes()
}

/// Returns the chunk of a free object that a key stands for.
pub(super) fn brick_of_key(key: &[u8]) -> Option<(ObjectKey, ChunkPosition)> {
    let (object, chunk) = key.split_first_chunk::<8>()?;
    let object = ObjectKey::from_number(u64::from_be_bytes(*object))?;
    Some((object, chunk_of_key(chunk)?))
}

/// Tells if a saved object is in the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// The object is in the world.
    InWorld,
    /// The object was removed, and undo or redo may restore it; does not occur up to format 4.
    Shelved,
}

/// The place and size of a free object, present or shelved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SavedShape {
    pub(crate) shape: ObjectShape,
    pub(crate) standing: Standing,
}

/// Encodes the place and size of a free object; a shelved one has an additional byte.
pub(super) fn encode_shape(key: &[u8], saved: &SavedShape, stamp: u64) -> Vec<u8> {
    let shape = &saved.shape;
    let cells = shape.origin.cell.iter().flat_map(|part| part.to_le_bytes());
    let offset = shape.origin.offset.iter().chain([&shape.voxel_size]);
    let offset = offset.flat_map(|part| part.to_le_bytes());
    let extent = shape.extent.iter().flat_map(|side| side.to_le_bytes());
    let shelved = (saved.standing == Standing::Shelved).then_some(SHELVED);
    let payload: Vec<u8> = cells.chain(offset).chain(extent).chain(shelved).collect();
    seal(key, &payload, stamp)
}

/// Decodes the bytes of [`encode_shape`].
pub(super) fn decode_shape(key: &[u8], sealed: &[u8]) -> Result<SavedShape, DecodeError> {
    let payload = unseal(key, sealed, 256)?;
    let mut reader = Reader(&payload);
    let cell = Cell::new(reader.i32()?, reader.i32()?, reader.i32()?);
    let offset = Vector3::new(reader.f32()?, reader.f32()?, reader.f32()?);
    let shape = ObjectShape {
        origin: Position { cell, offset },
        voxel_size: reader.f32()?,
        extent: Vector3::new(reader.u32()?, reader.u32()?, reader.u32()?),
    };
    let standing = match reader.0 {
        [] => Standing::InWorld,
        [SHELVED] => Standing::Shelved,
        _ => return Err(DecodeError::Length),
    };
    if shape.check().is_err() {
        return Err(DecodeError::Malformed);
    }
    Ok(SavedShape { shape, standing })
}

/// Encodes a chunk.
pub fn encode_chunk(key: &[u8], voxels: &Voxels, names: &MaterialNames) -> Vec<u8> {
    pack_chunk(key, voxels, names, 0)
}

/// Encodes a chunk for a commit.
pub(super) fn pack_chunk(
    key: &[u8],
    voxels: &Voxels,
    names: &MaterialNames,
    stamp: u64,
) -> Vec<u8> {
    let mut palette = Palette::default();
    let mut rows = Vec::with_capacity(8 << 10);
    let mut last: Vec<(Material, u32)> = Vec::new();
    let mut parts: Vec<(Material, u32)> = Vec::new();
    for row in 0..ROWS {
        parts.clear();
        let mut rest = u32::MAX;
        while rest != 0 {
            let (material, mask) = voxels.alike(row, rest.trailing_zeros() as usize);
            parts.push((material, mask & rest));
            rest &= !mask;
        }
        if row > 0 && parts == last {
            rows.push(0);
            continue;
        }
        rows.push(parts.len() as u8);
        for (index, &(material, mask)) in parts.iter().enumerate() {
            rows.extend_from_slice(&palette.index(material).to_le_bytes());
            if index + 1 < parts.len() {
                rows.extend_from_slice(&mask.to_le_bytes());
            }
        }
        std::mem::swap(&mut last, &mut parts);
    }
    let mut payload = Vec::with_capacity(rows.len() + 256);
    palette.put(names, &mut payload);
    payload.extend_from_slice(&rows);
    seal(key, &payload, stamp)
}

/// Decodes a chunk.
pub fn decode_chunk(
    key: &[u8],
    sealed: &[u8],
    names: &MaterialNames,
) -> Result<Voxels, DecodeError> {
    let payload = unseal(key, sealed, CHUNK_LIMIT)?;
    let mut reader = Reader(&payload);
    let palette = Palette::read(names, &mut reader)?;
    let mut all = vec![Material::AIR; VOLUME];
    for row in 0..ROWS {
        let count = reader.u8()?;
        if count == 0 {
            let (before, here) = all.split_at_mut(row * SIDE);
            let before = row.checked_sub(1).and_then(|row| before.get(row * SIDE..));
            here[..SIDE].copy_from_slice(before.ok_or(DecodeError::Malformed)?);
            continue;
        }
        let line = &mut all[row * SIDE..][..SIDE];
        let mut rest = u32::MAX;
        for part in 1..=count {
            let material = palette.get(reader.u16()?)?;
            let mask = if part < count { reader.u32()? } else { rest };
            if mask & !rest != 0 {
                return Err(DecodeError::Malformed);
            }
            rest &= !mask;
            for (x, voxel) in line.iter_mut().enumerate() {
                if mask >> x & 1 != 0 {
                    *voxel = material;
                }
            }
        }
    }
    reader.end()?;
    Ok(Voxels::from_rows(&all))
}

/// Returns the material names in a chunk or a history entry; none if it cannot be read.
pub(super) fn names_in(table: Table, key: &[u8], sealed: &[u8]) -> Vec<String> {
    let names = match table {
        Table::Chunks | Table::ObjectChunks => {
            let payload = unseal(key, sealed, CHUNK_LIMIT);
            payload.and_then(|payload| owned_names(&mut Reader(&payload)))
        }
        Table::History => {
            let payload = unseal(key, sealed, ENTRY_LIMIT);
            payload.and_then(|payload| names_in_entry(&mut Reader(&payload)))
        }
        _ => Ok(Vec::new()),
    };
    names.unwrap_or_default()
}

fn owned_names(reader: &mut Reader) -> Result<Vec<String>, DecodeError> {
    let names = Palette::read_names(reader)?;
    Ok(names.into_iter().map(str::to_owned).collect())
}

fn names_in_entry(reader: &mut Reader) -> Result<Vec<String>, DecodeError> {
    let state = reader.u8()?;
    reader.u32()?;
    match state & OF_OBJECT {
        0 => owned_names(reader),
        _ => Ok(Vec::new()),
    }
}

/// Encodes a history entry.
pub(super) fn encode_entry(entry: &Entry, names: &MaterialNames, stamp: u64) -> Vec<u8> {
    if let Some(event) = entry.object() {
        return encode_event(entry, event, stamp);
    }
    let mut palette = Palette::default();
    let mut body = Vec::new();
    let changes = entry.changes();
    let with_objects = changes.iter().any(|change| change.place.object.is_some());
    body.extend_from_slice(&(changes.len() as u32).to_le_bytes());
    for change in changes {
        if with_objects {
            let object = change.place.object.map_or(0, ObjectKey::number);
            body.extend_from_slice(&object.to_le_bytes());
        }
        let chunk = change.place.chunk;
        for part in [chunk.x, chunk.y, chunk.z] {
            body.extend_from_slice(&part.to_le_bytes());
        }
        body.extend_from_slice(&change.row.to_le_bytes());
        body.extend_from_slice(&change.mask.to_le_bytes());
        for material in [change.old, change.new] {
            body.extend_from_slice(&palette.index(material).to_le_bytes());
        }
    }
    let flag = if with_objects { WITH_OBJECTS } else { 0 };
    let mut payload = vec![entry.state as u8 | flag];
    payload.extend_from_slice(&entry.author.0.to_le_bytes());
    palette.put(names, &mut payload);
    payload.extend_from_slice(&body);
    seal(&entry.sequence.to_be_bytes(), &payload, stamp)
}

fn encode_event(entry: &Entry, event: ObjectEvent, stamp: u64) -> Vec<u8> {
    let mut payload = vec![entry.state as u8 | OF_OBJECT];
    payload.extend_from_slice(&entry.author.0.to_le_bytes());
    payload.push(event.step as u8);
    payload.extend_from_slice(&event.object.number().to_le_bytes());
    seal(&entry.sequence.to_be_bytes(), &payload, stamp)
}

fn decode_event(reader: &mut Reader) -> Result<ObjectEvent, DecodeError> {
    let step = ObjectStep::from_byte(reader.u8()?).ok_or(DecodeError::Malformed)?;
    let object = ObjectKey::from_number(reader.u64()?).ok_or(DecodeError::Malformed)?;
    reader.end()?;
    Ok(ObjectEvent { object, step })
}

/// Decodes a history entry.
pub(super) fn decode_entry(
    sequence: u64,
    sealed: &[u8],
    names: &MaterialNames,
) -> Result<Entry, DecodeError> {
    let payload = unseal(&sequence.to_be_bytes(), sealed, ENTRY_LIMIT)?;
    let mut reader = Reader(&payload);
    let first = reader.u8()?;
    let with_objects = first & WITH_OBJECTS != 0;
    let state = first & !(WITH_OBJECTS | OF_OBJECT);
    let state = EntryState::from_byte(state).ok_or(DecodeError::Malformed)?;
    let author = Author(reader.u32()?);
    if first & OF_OBJECT != 0 {
        let event = decode_event(&mut reader)?;
        return Ok(Entry::of_object(sequence, author, state, event));
    }
    let palette = Palette::read(names, &mut reader)?;
    let count = reader.u32()? as usize;
    // The size of a change; checked before memory is allocated.
    let each = if with_objects { 30 } else { 22 };
    if reader.0.len() != count.checked_mul(each).ok_or(DecodeError::Length)? {
        return Err(DecodeError::Length);
    }
    let mut changes = Vec::with_capacity(count);
    for _ in 0..count {
        let object = match with_objects {
            true => ObjectKey::from_number(reader.u64()?),
            false => None,
        };
        let chunk = ChunkPosition::new(reader.i32()?, reader.i32()?, reader.i32()?);
        let place = BrickPlace { object, chunk };
        let (row, mask) = (reader.u16()?, reader.u32()?);
        if usize::from(row) >= ROWS || !is_in_world(chunk) {
            return Err(DecodeError::Malformed);
        }
        let (old, new) = (palette.get(reader.u16()?)?, palette.get(reader.u16()?)?);
        changes.push(Change {
            place,
            row,
            mask,
            old,
            new,
        });
    }
    Ok(Entry::new(sequence, author, state, changes))
}
