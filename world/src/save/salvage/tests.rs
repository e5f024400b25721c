//! Tests salvage against an oracle that does not parse pages: every record ever committed, and the
//! places of its bytes.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use collision::{Cell, Position};
use nalgebra::Vector3;
use proptest::prelude::*;

use super::super::tests::Scratch;
use super::super::*;
use super::*;
use crate::generate::mix;
use crate::history::Author;
use crate::kd_tree::CellBox;
use crate::material::Material;
use crate::world::World;
use crate::{Brush, Mode};

type Key = (Table, Vec<u8>);

/// Number of the commit that wrote it, and the bytes; `None` if it removed the record.
type Version = (u64, Option<Vec<u8>>);

/// Forwards commits and keeps every version of every record.
struct Recorder {
    inner: DiskStore,
    versions: Mutex<HashMap<Key, Vec<Version>>>,
}

impl Store for Recorder {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.inner.get(table, key)
    }

    fn visit(&self, table: Table, visit: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), StoreError> {
        self.inner.visit(table, visit)
    }

    fn commit(&self, changes: &[StoreChange]) -> Result<(), StoreError> {
        let mut versions = self.versions.lock().unwrap();
        let progress = changes.iter().find(|change| change.key == b"progress");
        let number = progress.map_or(0, |change| {
            let value = change.value.as_ref().unwrap();
            u64::from_le_bytes(value[12..20].try_into().unwrap())
        });
        for change in changes {
            let of_key = versions.entry((change.table, change.key.clone()));
            of_key.or_default().push((number, change.value.clone()));
        }
        self.inner.commit(changes)
    }
}

/// A saved world and all its record versions.
struct Sample {
    bytes: Vec<u8>,
    versions: HashMap<Key, Vec<Version>>,
    /// Ranges of the current records, from the beginning of their page to their end.
    places: HashMap<Key, Vec<Range<usize>>>,
}

/// Author of an object's removal, which can be undone.
const REMOVER: Author = Author(5);
const LONG: Vector3<u32> = Vector3::new(70, 9, 40);

/// Makes some hundred edited chunks, objects, and undone, replaced and removed records, in many
/// commits.
fn play(store: Arc<dyn Store>) {
    let mut world = World::create_in(store, 6).unwrap();
    let middle = Cell::from(world.spawn().unwrap().cell);
    let at = |cell: Cell| Position::new(cell, Vector3::repeat(0.5));
    for step in 0..150 {
        let way = Cell::new(step % 15 * 40 - 300, step % 3 * 9, step / 15 * 40 - 200);
        let middle = middle + way;
        world.load(&CellBox::new(middle, middle)).unwrap();
        let material = Material(20 + (step % 16) as u16);
        world.edit(&Brush::sphere(at(middle), 5.0), Mode::Set, material);
        if step % 10 == 3 {
            world.undo(Author::default()).unwrap();
        }
        if step % 30 == 7 {
            let pattern = |at: Vector3<u32>| Material(((at.x ^ (at.y * at.z)) % 9) as u16);
            let object = world.add_object(at(middle), 0.5, LONG, pattern).unwrap();
            world.flush().unwrap();
            match step % 90 {
                7 => assert!(world.move_object(object, Vector3::repeat(1.0))),
                37 => assert!(world.remove_object(object)),
                _ => assert!(world.remove_object_as(REMOVER, object).gone.is_some()),
            };
        }
        if step % 6 == 0 {
            // Edits the same place repeatedly, which leaves replaced versions in the file.
            let near = Brush::sphere(at(Cell::from(world.spawn().unwrap().cell)), 6.0);
            world.edit(&near, Mode::Set, material);
            world.flush().unwrap();
        }
    }
}

fn sample() -> &'static Sample {
    static SAMPLE: OnceLock<Sample> = OnceLock::new();
    SAMPLE.get_or_init(make_sample)
}

fn make_sample() -> Sample {
    let file = Scratch::new("salvage-sample");
    let store = Arc::new(Recorder {
        inner: DiskStore::create(&file.0).unwrap(),
        versions: Mutex::default(),
    });
    play(store.clone());
    let store = Arc::into_inner(store).unwrap();
    let versions = store.versions.into_inner().unwrap();
    drop(store.inner);
    let bytes = std::fs::read(&file.0).unwrap();
    let places = places(&bytes, &versions);
    Sample {
        bytes,
        versions,
        places,
    }
}

/// Finds the bytes of the current records; a record counts if its page lists its end and its key
/// precedes it.
fn places(bytes: &[u8], versions: &HashMap<Key, Vec<Version>>) -> HashMap<Key, Vec<Range<usize>>> {
    let mut by_start: HashMap<&[u8], Vec<(&Key, &[u8])>> = HashMap::new();
    for (key, versions) in versions {
        if let Some((_, Some(value))) = versions.last() {
            by_start.entry(&value[..12]).or_default().push((key, value));
        }
    }
    let mut places: HashMap<Key, Vec<Range<usize>>> = HashMap::new();
    for (start, begin) in bytes.windows(12).enumerate() {
        for (key, value) in by_start.get(begin).into_iter().flatten() {
            let (end, page) = (start + value.len(), start & !4095);
            if bytes.get(start..end) != Some(value) {
                continue;
            }
            let before = &bytes[page..start];
            let listed = ((end - page) as u32).to_le_bytes();
            let is_leaf = before.first() == Some(&1) && before.chunks(4).any(|part| part == listed);
            if is_leaf && before.windows(key.1.len()).any(|part| part == key.1) {
                places.entry((*key).clone()).or_default().push(page..end);
            }
        }
    }
    places
}

impl Sample {
    fn current(&self) -> BTreeMap<&Key, &Vec<u8>> {
        let mut current = BTreeMap::new();
        for (key, versions) in &self.versions {
            if let Some((_, Some(value))) = versions.last() {
                current.insert(key, value);
            }
        }
        current
    }

    /// Salvages altered bytes and compares the result with the oracle. Returns the number of
    /// records that had to be found.
    fn check(&self, bytes: &[u8], damaged: &[Range<usize>], what: &str) -> usize {
        let file = Scratch::new("salvage-damaged");
        std::fs::write(&file.0, bytes).unwrap();
        let pages = PageFile::open(&file.0).unwrap();
        let finds = gather_all(&pages);
        let mut judged = 0;
        for (table, gathered) in &finds.gathering.tables {
            for (key, found) in &gathered.records {
                let value = pages.read(found.at..found.at + found.length).unwrap();
                let versions = &self.versions[&(*table, key.clone())];
                let known = versions
                    .iter()
                    .any(|version| version.1.as_ref() == Some(&value));
                assert!(known, "{what}: {table:?} {key:?} never held this");
                // Current as of the newest commit found, or reported as old.
                let until = match finds.basis {
                    Basis::Slot => u64::MAX,
                    _ => finds.commit.unwrap_or(0),
                };
                let last = versions.iter().rfind(|version| version.0 <= until);
                let is_last = last.is_some_and(|last| last.1 == Some(value));
                assert!(
                    is_last || found.age == Age::Older,
                    "{what}: {table:?} {key:?} is old"
                );
            }
        }
        for (key, places) in &self.places {
            let whole = |place: &Range<usize>| {
                let clear =
                    |other: &Range<usize>| other.end <= place.start || place.end <= other.start;
                place.end <= bytes.len() && damaged.iter().all(clear)
            };
            if places.iter().any(whole) {
                let value = match key.0 {
                    // Either copy will do.
                    Table::Header | Table::Spare => finds.of_header(&pages, &key.1),
                    table => {
                        let found = finds.gathering.tables[&table].records.get(&key.1);
                        found.and_then(|found| pages.read(found.at..found.at + found.length))
                    }
                };
                let last = &self.versions[key].last().unwrap().1;
                assert!(value == *last, "{what}: {key:?} is lost or another");
                judged += 1;
            }
        }
        assert!(
            std::fs::read(&file.0).unwrap() == bytes,
            "{what}: written to"
        );
        judged
    }

    /// Returns the contents of a salvaged file except the header.
    fn salvaged(&self, bytes: &[u8]) -> (Salvage, BTreeMap<Key, Vec<u8>>) {
        let (file, out) = (Scratch::new("salvage-from"), Scratch::new("salvage-to"));
        std::fs::write(&file.0, bytes).unwrap();
        let report = salvage(&file.0, &out.0).unwrap();
        let store = DiskStore::open(&out.0).unwrap();
        let mut found = BTreeMap::new();
        for table in [
            Table::Chunks,
            Table::History,
            Table::Objects,
            Table::ObjectChunks,
        ] {
            store
                .visit(table, &mut |key, value| {
                    found.insert((table, key.to_vec()), value.to_vec());
                })
                .unwrap();
        }
        (report, found)
    }
}

/// The first page, which redb needs to open a file.
const FIRST: Range<usize> = 0..4096;

fn zeroed(bytes: &[u8], damaged: &[Range<usize>]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    damaged
        .iter()
        .for_each(|range| bytes[range.clone()].fill(0));
    bytes
}

#[test]
fn what_is_intact_comes_back_and_nothing_else() {
    let sample = sample();
    let all = sample.places.len();
    let chunks = sample.places.keys().filter(|key| key.0 == Table::Chunks);
    assert!(chunks.count() > 200 && sample.bytes.len() > 500_000);
    assert_eq!(sample.check(&sample.bytes, &[], "whole"), all);
    let mut random = 5u64;
    let mut next = move |limit: usize| {
        random = mix(random, 9);
        random as usize % limit
    };
    // Damage in the header, bit by bit: everything must be found.
    for round in 0..160 {
        let at = if round < 80 {
            round * 4 + next(4)
        } else {
            next(320)
        };
        let mut bytes = sample.bytes.clone();
        bytes[at] ^= 1 << next(8);
        let judged = sample.check(&bytes, &[], &format!("header byte {at}"));
        assert_eq!(judged, all, "header byte {at}");
    }
    let mut judged = 0;
    let pages = sample.bytes.len() / 4096;
    for round in 0..60 {
        let cut = next(sample.bytes.len());
        let what = format!("cut at {cut}");
        judged += sample.check(&sample.bytes[..cut], &[], &what);
        // Damaged pages, increasingly many, sometimes the first.
        let count = 1 + round * round / 20;
        let damaged: Vec<_> = (0..count)
            .map(|_| next(pages) * 4096)
            .map(|at| at..at + 4096)
            .collect();
        let bytes = zeroed(&sample.bytes, &damaged);
        judged += sample.check(&bytes, &damaged, &format!("zeroed {damaged:?}"));
        // Damaged bytes anywhere.
        let damaged: Vec<_> = (0..1 + round * 3)
            .map(|_| next(sample.bytes.len()))
            .map(|at| at..at + 1)
            .collect();
        let mut bytes = sample.bytes.clone();
        damaged
            .iter()
            .for_each(|range| bytes[range.start] ^= 1 + next(255) as u8);
        judged += sample.check(&bytes, &damaged, &format!("flipped {damaged:?}"));
    }
    assert!(judged > 60 * all, "{judged} of {all} a round");
}

#[test]
fn removed_and_replaced_records_stay_so() {
    let sample = sample();
    let current: BTreeMap<Key, Vec<u8>> = sample
        .current()
        .into_iter()
        .filter(|(key, _)| !matches!(key.0, Table::Header | Table::Spare))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let removed = sample
        .versions
        .values()
        .filter(|versions| versions.last().unwrap().1.is_none());
    assert!(removed.count() > 10);
    let bases = [
        (sample.bytes.clone(), Basis::Slot),
        (zeroed(&sample.bytes, &[FIRST]), Basis::Search),
        (zeroed(&sample.bytes, &[70..74, 200..204]), Basis::Search),
    ];
    for (bytes, basis) in bases {
        let (report, found) = sample.salvaged(&bytes);
        assert!(found == current, "{basis:?}");
        assert_eq!(
            (report.basis, report.old.len(), report.damaged.len()),
            (basis, 0, 0)
        );
        assert_eq!(report.chunks.lost, Some(0));
        assert_eq!(
            report.chunks.current,
            current.keys().filter(|key| key.0 == Table::Chunks).count()
        );
        assert!(report.thorough && report.commit > Some(20) && report.objects.current > 0);
    }
}

/// The bytes of a removed record stay in the file until their page is used again; only the tables
/// of the commit tell that it is gone.
#[test]
fn record_removed_by_the_last_commit_stays_removed_without_a_header() {
    let (file, out) = (Scratch::new("salvage-undone"), Scratch::new("salvage-so"));
    let mut world = World::create(&file.0, 6).unwrap();
    let middle = Cell::from(world.spawn().unwrap().cell);
    let ball = Brush::sphere(Position::new(middle, Vector3::repeat(0.5)), 5.0);
    world.edit(&ball, Mode::Set, Material::BRICK);
    world.flush().unwrap();
    world.undo(Author::default()).unwrap();
    world.flush().unwrap();
    // As a kill leaves it: closing could use the page again.
    let bytes = zeroed(&std::fs::read(&file.0).unwrap(), &[FIRST]);
    drop(world);
    std::fs::write(&file.0, bytes).unwrap();
    let mut left = 0;
    scan::scan(&PageFile::open(&file.0).unwrap(), &mut |table, _, _| {
        left += usize::from(table == Table::Chunks);
    });
    assert!(left > 0, "no record is left to be mistaken");
    let report = salvage(&file.0, &out.0).unwrap();
    assert_eq!(report.basis, Basis::Search);
    assert_eq!((report.chunks.current, report.chunks.older), (0, 0));
    assert_eq!(report.edits.current, 1);
}

#[test]
fn a_salvaged_world_is_played_on() {
    let sample = sample();
    let (file, out) = (Scratch::new("salvage-old"), Scratch::new("salvage-new"));
    std::fs::write(&file.0, zeroed(&sample.bytes, &[FIRST])).unwrap();
    let refused = World::open(&file.0).err().unwrap().to_string();
    assert!(refused.contains("world salvage"), "{refused}");
    let report = salvage(&file.0, &out.0).unwrap();
    let again = salvage(&file.0, &out.0).err();
    assert_eq!(again, Some(SaveError::Exists(out.0.clone())));
    let mut world = World::open(&out.0).unwrap();
    assert_eq!(world.save_status().damaged, []);
    assert_eq!(world.edited_chunks().len(), report.chunks.current);
    assert_eq!(world.objects().count(), report.objects.current - 1);
    assert_eq!(world.undo(REMOVER).unwrap().objects.len(), 1);
    assert!(world.undo(Author::default()).unwrap().voxels > 0);
    let keys = world
        .objects()
        .map(|(_, object)| object.key())
        .max()
        .unwrap();
    let at = Position::new(Cell::zeros(), Vector3::zeros());
    let object = world
        .add_object(at, 1.0, LONG, |_| Material::STONE)
        .unwrap();
    assert!(world.object(object).unwrap().key() > keys);
}

#[test]
fn a_file_without_a_world_leaves_nothing_behind() {
    let (file, out) = (
        Scratch::new("salvage-none"),
        Scratch::new("salvage-nothing"),
    );
    assert!(salvage(&file.0, &out.0).is_err(), "there is no file");
    for bytes in [&b""[..], b"no world", &[1; 50_000], &[0xff; 50_000]] {
        std::fs::write(&file.0, bytes).unwrap();
        assert!(matches!(
            salvage(&file.0, &out.0),
            Err(SaveError::NothingFound)
        ));
        assert!(!out.0.exists());
    }
    assert!(salvage(std::env::temp_dir(), &out.0).is_err());
    let _world = World::create(&out.0, 3).unwrap();
    let busy = salvage(&out.0, file.0.with_extension("new")).err();
    assert_eq!(busy, Some(StoreError::InUse(out.0.clone()).into()));
}

#[test]
fn pages_that_overlap_end_the_search_early() {
    let file = Scratch::new("salvage-overlap");
    let pages = 8192u64;
    let mut bytes = vec![0; (pages * 4096) as usize];
    for page in 0..pages {
        let at = (page * 4096) as usize;
        let end = ((pages - page) * 4096) as u32;
        bytes[at..at + 4].copy_from_slice(&[1, 0, 1, 0]);
        bytes[at + 4..at + 8].copy_from_slice(&24u32.to_le_bytes());
        bytes[at + 8..at + 12].copy_from_slice(&end.to_le_bytes());
    }
    std::fs::write(&file.0, &bytes).unwrap();
    let finds = gather_all(&PageFile::open(&file.0).unwrap());
    assert!(!finds.thorough);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_pages_are_read_without_panic(
        parts in prop::collection::vec((any::<u64>(), 0usize..64), 1..60),
        pages in 1usize..5,
    ) {
        let mut bytes = vec![0u8; pages * 4096 + 4096];
        for (value, place) in parts {
            let page = value as usize % (pages + 1) * 4096;
            bytes[page + place * 8..][..8].copy_from_slice(&value.rotate_left(9).to_le_bytes());
            bytes[page] = 1 + (value >> 60) as u8 % 2;
            bytes[page + 2..page + 4].copy_from_slice(&((value >> 50) as u16 % 40).to_le_bytes());
        }
        let file = Scratch::new("salvage-any");
        std::fs::write(&file.0, &bytes).unwrap();
        let found = gather_all(&PageFile::open(&file.0).unwrap());
        prop_assert!(found.gathering.tables.values().all(|table| table.records.is_empty()));
    }
}
