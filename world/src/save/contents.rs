//! Reads all of a store in one pass and checks it; damaged records are collected to be set aside.
//!
//! Terrain chunks are only checked here and read when needed; history and free objects are read
//! whole.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::bytes::{Reader, is_sound, seal, stamp_of, unseal};
use super::codec::{
    MaterialNames, SavedShape, Standing, brick_of_key, chunk_key, chunk_of_key, decode_chunk,
    decode_entry, decode_shape, names_in,
};
use super::damage::{Damage, Part};
use super::error::{DecodeError, SaveError, StoreError};
use super::header::{Copies, FORMAT, Header, add_names, materials_changes, restore_materials};
use super::kept_bytes::{decode_kept, is_kept};
use super::store::{Store, StoreChange, Table};
use crate::chunk::Voxels;
use crate::history::Entry;
use crate::material::{Material, MaterialTable};
use crate::object::{Keeping, ObjectKey, Shelved};
use crate::space::ChunkPosition;

pub(crate) const PROGRESS_KEY: &[u8] = b"progress";
/// Largest sequence number that is accepted; no program ever counts that far.
const LAST_EDIT: u64 = u64::MAX / 2;

/// The progress of a store, written with every commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    /// Number of commits so far; every record carries the number of the commit that wrote it.
    pub(crate) commits: u64,
    /// Key of the next free object.
    pub(crate) next_object: ObjectKey,
}

impl Default for Progress {
    fn default() -> Self {
        Self {
            commits: 0,
            next_object: ObjectKey::FIRST,
        }
    }
}

impl Progress {
    pub(crate) fn change(&self) -> StoreChange {
        let parts = [self.commits, self.next_object.number()];
        let payload: Vec<u8> = parts.iter().flat_map(|part| part.to_le_bytes()).collect();
        StoreChange {
            table: Table::Header,
            key: PROGRESS_KEY.to_vec(),
            value: Some(seal(PROGRESS_KEY, &payload, self.commits)),
        }
    }

    pub(crate) fn decode(sealed: &[u8]) -> Result<Self, DecodeError> {
        let payload = unseal(PROGRESS_KEY, sealed, 64)?;
        let mut reader = Reader(&payload);
        let commits = reader.u64()?;
        let next_object = ObjectKey::from_number(reader.u64()?).ok_or(DecodeError::Malformed)?;
        Ok(Self {
            commits,
            next_object,
        })
    }
}

/// A saved free object.
pub(crate) struct SavedObject {
    pub(crate) standing: Standing,
    pub(crate) object: Shelved,
}

/// A damaged record, to be set aside so that the rest opens.
#[derive(Clone)]
pub(crate) struct BadRecord {
    pub(crate) damage: Damage,
    pub(crate) table: Table,
    pub(crate) key: Vec<u8>,
    /// Bytes of the record; `None` if it is missing.
    pub(crate) sealed: Option<Vec<u8>>,
}

/// The contents of a store.
pub(crate) struct Contents {
    pub(crate) header: Header,
    pub(crate) materials: MaterialTable,
    /// Progress by the store's own record; none before format 4.
    saved: Option<Progress>,
    /// Progress by all sound records.
    pub(crate) progress: Progress,
    pub(crate) chunks: Vec<ChunkPosition>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) objects: Vec<SavedObject>,
    /// Bytes kept for the application, by name.
    pub(crate) kept: BTreeMap<String, Vec<u8>>,
    pub(crate) bad: Vec<BadRecord>,
    /// Total size of the chunk records, in bytes.
    pub(crate) chunk_bytes: u64,
    /// Number of records set aside earlier.
    pub(crate) quarantined: usize,
    /// Number of records that the store counts but cannot show.
    pub(crate) hidden: u64,
}

/// The extent of checks on chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Their checksums match.
    Checksums,
    /// They can also be decoded.
    Voxels,
}

impl Contents {
    /// Returns the contents of a store with only a header.
    pub(crate) fn empty(header: Header) -> Self {
        Self {
            header,
            materials: MaterialTable::standard(),
            saved: None,
            progress: Progress::default(),
            chunks: Vec::new(),
            entries: Vec::new(),
            objects: Vec::new(),
            kept: BTreeMap::new(),
            bad: Vec::new(),
            chunk_bytes: 0,
            quarantined: 0,
            hidden: 0,
        }
    }

    /// Reads every record once. Fails if this program cannot use the world, or if the store cannot
    /// show all records that it counts: damage could hide any number of them.
    pub(crate) fn read(store: &dyn Store) -> Result<Self, SaveError> {
        let contents = Self::survey(store, Depth::Checksums)?;
        match contents.hidden {
            0 => Ok(contents),
            count => Err(StoreError::Damaged(format!("{count} records cannot be reached")).into()),
        }
    }

    /// Reads every record once, and counts those that the store cannot show.
    pub(crate) fn survey(store: &dyn Store, depth: Depth) -> Result<Self, SaveError> {
        let (header, copies) = Header::read(store)?.ok_or(SaveError::Header("it has none"))?;
        header.check_generator()?;
        let mut contents = Self::empty(header);
        let lists = restore_materials(store, &header, &mut contents.materials)?;
        if [copies, lists] != [Copies::Whole; 2] {
            contents.blame(Part::Header, DecodeError::Checksum);
        }
        if lists == Copies::Lost {
            contents.gather_names(store)?;
        }
        let names = MaterialNames::of(&contents.materials);
        let mut bricks: HashMap<ObjectKey, BTreeMap<[i32; 3], Voxels>> = HashMap::new();
        for table in Table::ALL {
            let mut found = 0;
            store.visit(table, &mut |key, sealed| {
                found += 1;
                match table {
                    Table::Header if is_kept(key) => contents.take_kept(key, sealed),
                    Table::Header => contents.take_progress(key, sealed),
                    Table::Chunks => {
                        contents.take_chunk(key, sealed);
                        if depth == Depth::Voxels {
                            contents.decode_last(key, sealed, &names);
                        }
                    }
                    Table::History => contents.take_entry(key, sealed, &names),
                    Table::Objects => contents.take_object(key, sealed),
                    Table::ObjectChunks => contents.take_brick(key, sealed, &names, &mut bricks),
                    Table::Spare => {}
                    Table::Quarantine => contents.quarantined += 1,
                }
            })?;
            match store.count(table)? {
                Some(count) => contents.hidden += count.abs_diff(found),
                None if header.format < table.since() => {}
                None => return Err(StoreError::Damaged("a table is gone".to_owned()).into()),
            }
        }
        contents.join(bricks);
        Ok(contents)
    }

    /// Collects materials from the records that name them, if both material lists are lost.
    fn gather_names(&mut self, store: &dyn Store) -> Result<(), StoreError> {
        for table in [Table::Chunks, Table::ObjectChunks, Table::History] {
            store.visit(table, &mut |key, sealed| {
                add_names(&names_in(table, key, sealed), &mut self.materials);
            })?;
        }
        Ok(())
    }

    /// Returns true if a store still has the contents that were read.
    pub(crate) fn is_of(&self, store: &dyn Store) -> Result<bool, StoreError> {
        let sealed = store.get(Table::Header, PROGRESS_KEY)?;
        let progress = sealed.and_then(|sealed| Progress::decode(&sealed).ok());
        Ok(progress.is_some() && progress == self.saved)
    }

    /// Upgrades a store of an older format, and rewrites a damaged header.
    pub(crate) fn mend(&mut self, store: &dyn Store) -> Result<(), StoreError> {
        let blamed = self.bad.iter().any(|bad| bad.damage.part == Part::Header);
        if self.header.format < FORMAT || blamed {
            self.header.format = FORMAT;
            let mut changes = self.header.changes().to_vec();
            changes.extend(materials_changes(&self.materials));
            changes.push(self.progress.change());
            store.commit(&changes)?;
        }
        Ok(())
    }

    /// Raises the number of commits to the stamp of a sound record; the stamp of a damaged one
    /// means nothing.
    fn note_stamp(&mut self, sealed: &[u8]) {
        self.progress.commits = self.progress.commits.max(stamp_of(sealed));
    }

    /// Raises the key of the next object above all known ones.
    fn note_object(&mut self, next: ObjectKey) {
        self.progress.next_object = self.progress.next_object.max(next);
    }

    fn blame(&mut self, part: Part, error: DecodeError) {
        self.bad.push(BadRecord {
            damage: Damage { part, error },
            table: Table::Header,
            key: Vec::new(),
            sealed: None,
        });
    }

    fn refuse(&mut self, damage: Damage, table: Table, key: &[u8], sealed: &[u8]) {
        self.bad.push(BadRecord {
            damage,
            table,
            key: key.to_vec(),
            sealed: Some(sealed.to_vec()),
        });
    }

    fn take_progress(&mut self, key: &[u8], sealed: &[u8]) {
        if key != PROGRESS_KEY {
            return;
        }
        match Progress::decode(sealed) {
            Ok(progress) => {
                self.saved = Some(progress);
                self.note_stamp(sealed);
                self.note_object(progress.next_object);
            }
            Err(error) => self.blame(Part::Header, error),
        }
    }

    fn take_kept(&mut self, key: &[u8], sealed: &[u8]) {
        match decode_kept(key, sealed) {
            Ok((name, bytes)) => drop(self.kept.insert(name, bytes)),
            Err(error) => {
                let part = Part::Kept;
                self.refuse(Damage { part, error }, Table::Header, key, sealed);
            }
        }
    }

    fn take_chunk(&mut self, key: &[u8], sealed: &[u8]) {
        self.chunk_bytes += sealed.len() as u64;
        match chunk_of_key(key) {
            Some(chunk) if is_sound(key, sealed) => {
                self.note_stamp(sealed);
                self.chunks.push(chunk);
            }
            chunk => {
                let part = chunk.map_or(Part::Stray, Part::Chunk);
                let error = DecodeError::Checksum;
                self.refuse(Damage { part, error }, Table::Chunks, key, sealed);
            }
        }
    }

    /// Removes the chunk that was just taken if it cannot be decoded.
    fn decode_last(&mut self, key: &[u8], sealed: &[u8], names: &MaterialNames) {
        if let Some(chunk) = self.chunks.pop_if(|chunk| chunk_key(*chunk) == key) {
            match decode_chunk(key, sealed, names) {
                Ok(_) => self.chunks.push(chunk),
                Err(error) => {
                    let part = Part::Chunk(chunk);
                    self.refuse(Damage { part, error }, Table::Chunks, key, sealed);
                }
            }
        }
    }

    fn take_entry(&mut self, key: &[u8], sealed: &[u8], names: &MaterialNames) {
        let sequence = key.try_into().map(u64::from_be_bytes);
        let (part, entry) = match sequence {
            // Later edits need numbers too.
            Ok(sequence) if sequence > LAST_EDIT => {
                (Part::Edit(sequence), Err(DecodeError::Malformed))
            }
            Ok(sequence) => (Part::Edit(sequence), decode_entry(sequence, sealed, names)),
            Err(_) => (Part::Stray, Err(DecodeError::Malformed)),
        };
        match entry {
            Ok(entry) => {
                let objects = entry.changes().iter().map(|change| change.place.object);
                let as_a_whole = entry.object().map(|event| event.object);
                if let Some(last) = objects.max().flatten().max(as_a_whole) {
                    self.note_object(last.next());
                }
                self.note_stamp(sealed);
                self.entries.push(entry);
            }
            Err(error) => self.refuse(Damage { part, error }, Table::History, key, sealed),
        }
    }

    fn take_object(&mut self, key: &[u8], sealed: &[u8]) {
        let object = key.try_into().map(u64::from_be_bytes);
        let object = object.ok().and_then(ObjectKey::from_number);
        let part = object.map_or(Part::Stray, Part::Object);
        match (object, decode_shape(key, sealed)) {
            (Some(key), Ok(SavedShape { shape, standing })) => {
                self.note_stamp(sealed);
                self.note_object(key.next());
                let (keeping, bricks) = (Keeping::Kept, Vec::new());
                let object = Shelved {
                    key,
                    keeping,
                    shape,
                    bricks,
                };
                self.objects.push(SavedObject { standing, object });
            }
            (None, Ok(_)) => {
                let error = DecodeError::Malformed;
                self.refuse(Damage { part, error }, Table::Objects, key, sealed);
            }
            (_, Err(error)) => self.refuse(Damage { part, error }, Table::Objects, key, sealed),
        }
    }

    fn take_brick(
        &mut self,
        key: &[u8],
        sealed: &[u8],
        names: &MaterialNames,
        bricks: &mut HashMap<ObjectKey, BTreeMap<[i32; 3], Voxels>>,
    ) {
        let place = brick_of_key(key);
        let part = place.map_or(Part::Stray, |(object, at)| Part::ObjectChunk(object, at));
        match (place, decode_chunk(key, sealed, names)) {
            (Some((object, at)), Ok(voxels)) => {
                self.note_stamp(sealed);
                let of_object = bricks.entry(object).or_default();
                of_object.insert([at.x, at.y, at.z], voxels);
            }
            (_, result) => {
                let error = result.err().unwrap_or(DecodeError::Malformed);
                self.refuse(Damage { part, error }, Table::ObjectChunks, key, sealed);
            }
        }
    }

    /// Gives objects their chunks. A damaged or missing chunk is empty and reported.
    fn join(&mut self, mut bricks: HashMap<ObjectKey, BTreeMap<[i32; 3], Voxels>>) {
        let blamed: HashSet<Part> = self.bad.iter().map(|bad| bad.damage.part).collect();
        let mut objects = std::mem::take(&mut self.objects);
        for SavedObject { object, .. } in &mut objects {
            let mut of_object = bricks.remove(&object.key).unwrap_or_default();
            for at in object.shape.places() {
                let voxels = of_object.remove(&[at.x, at.y, at.z]);
                let part = Part::ObjectChunk(object.key, at);
                if voxels.is_none() && !blamed.contains(&part) {
                    self.blame(part, DecodeError::Missing);
                }
                let empty = || Voxels::uniform(Material::AIR);
                object.bricks.push(voxels.unwrap_or_else(empty));
            }
        }
        self.objects = objects;
        // Chunks without an object: the object's place is lost.
        let mut orphans: Vec<ObjectKey> = bricks.into_keys().collect();
        orphans.sort_unstable();
        for key in orphans {
            let part = Part::Object(key);
            if !blamed.contains(&part) {
                self.blame(part, DecodeError::Missing);
            }
        }
    }
}
