//! A world on a disk that fails at each access in turn, or whose power is lost behind each: the
//! acknowledged state is there, and play goes on once the disk works again.
#![allow(clippy::unwrap_used)]

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use collision::{Cell, Position};
use nalgebra::Vector3;

use super::failing_disk::{Disk, Event, Fault, Mounted, Range, Unsynced, after_power_loss};
use super::{SaveError, StoreError, inspect};
use crate::history::Author;
use crate::kd_tree::CellBox;
use crate::material::{Look, Material};
use crate::world::World;

/// Two chunks.
const MOST: Cell = Cell::new(63, 31, 31);
/// Images tried behind each access when the power is lost.
const SEEDS: u64 = 4;
/// The variable for a longer workload.
const ROUNDS: &str = "WORLD_DISK_ROUNDS";

fn cells() -> impl Iterator<Item = Cell> {
    (0..64 * 32 * 32).map(|at| Cell::new(at % 64, at / 64 % 32, at / (64 * 32)))
}

fn ground() -> World {
    let fill = |cell: Cell| [Material::AIR, Material::STONE][usize::from(cell.y < 12)];
    World::from_voxels(CellBox::new(Cell::zeros(), MOST), fill)
}

/// Returns a hash of everything that a player can see of a world.
fn digest(world: &World) -> u64 {
    let mut hash = DefaultHasher::new();
    cells().for_each(|cell| world.material(cell).map(|it| it.0).hash(&mut hash));
    for entry in world.history().entries() {
        (entry.sequence, entry.author.0, entry.state as u8).hash(&mut hash);
    }
    for (_, object) in world.objects() {
        let at = object.origin();
        let offset = at.offset.map(f32::to_bits);
        (at.cell.as_slice(), offset.as_slice()).hash(&mut hash);
        for &brick in object.bricks() {
            (0..9).for_each(|x| world.brick(brick).material(x, 0, 0).0.hash(&mut hash));
        }
    }
    for name in world.kept_names() {
        (name, world.kept_bytes(name)).hash(&mut hash);
    }
    hash.finish()
}

/// A played world: its file, and all states that it had.
struct Play<'a> {
    disk: &'a Disk,
    world: World,
    /// Digests; the last one is of the present world.
    states: Vec<u64>,
    range: Range,
}

impl Play<'_> {
    fn file(&self) -> PathBuf {
        self.disk.folder.join("played.world")
    }

    fn copy(&self) -> PathBuf {
        self.disk.folder.join("copy.world")
    }

    fn last(&self) -> u64 {
        *self.states.last().unwrap()
    }

    /// Begins a world.
    fn begin(disk: &Disk) -> Play<'_> {
        let world = ground();
        let mut play = Play {
            disk,
            states: vec![digest(&world)],
            world,
            range: Range::default(),
        };
        if let Err(error) = play.world.save_as(play.file()) {
            assert_told(&error);
            disk.heal();
            // A file that could be begun is written on.
            match play.file().exists() {
                true => play.world.flush().unwrap(),
                false => play.world.save_as(play.file()).unwrap(),
            }
        }
        play.acknowledge();
        play
    }

    fn acknowledge(&mut self) {
        self.range.acknowledged = Some(self.range.made);
        self.disk.mark(self.range);
    }

    /// Changes the world.
    fn act(&mut self, act: impl FnOnce(&mut World)) {
        self.range.made += 1;
        // The background may write it at once.
        self.disk.mark(self.range);
        act(&mut self.world);
        self.states.push(digest(&self.world));
    }

    fn save(&mut self) {
        match self.world.flush() {
            Ok(()) => self.acknowledge(),
            Err(error) => {
                assert_told(&error);
                assert!(self.world.save_status().error.is_some());
            }
        }
    }

    /// Closes and opens the world, unless something is not saved.
    fn reopen(&mut self) {
        self.save();
        if self.range.acknowledged != Some(self.range.made) {
            return;
        }
        self.world = World::default();
        self.world = World::open(self.file()).unwrap_or_else(|error| {
            assert_told(&error);
            self.disk.heal();
            World::open(self.file()).unwrap()
        });
        self.check(&self.world);
    }

    fn back_up(&mut self) {
        match self.world.backup(self.copy()) {
            Ok(()) => {
                self.range.copied = Some(self.range.made);
                self.disk.mark(self.range);
            }
            Err(error) => {
                assert_told(&error);
                assert!(!self.copy().exists(), "a part of a copy was left");
            }
        }
    }

    fn check(&self, world: &World) {
        assert_eq!(world.save_status().damaged, []);
        assert_eq!(digest(world), self.last());
    }

    /// Plays a round: edits, undo, an object, kept bytes, a copy, and all that is saved.
    fn round(&mut self, round: usize) {
        let material = |step: usize| Material(1 + ((round * 5 + step) % 16) as u16);
        let at = |step: i32| Cell::new((round as i32 * 7 + step * 19) % 64, 13 + step, 5);
        self.act(|world| drop(world.set_voxel(at(0), material(0))));
        self.save();
        self.act(|world| noise(world, round));
        self.act(|world| drop(world.set_voxel(at(1), material(1))));
        self.save();
        self.act(|world| drop(world.undo(Author::default()).unwrap()));
        self.reopen();
        self.act(|world| add_object(world, round));
        self.act(|world| world.keep_bytes("place", &[round as u8; 40]).unwrap());
        self.save();
        self.back_up();
        self.act(|world| drop(world.redo(Author::default())));
        self.act(|world| drop(world.set_voxel(at(2), material(2))));
        self.save();
    }

    /// Goes on after the disk was mended, ends, and looks at the files.
    fn end(mut self) {
        assert_eq!(digest(&self.world), self.last(), "lost in memory");
        let saved = (0..3).any(|_| self.world.flush().is_ok());
        assert!(saved, "{:?}", self.world.save_status().error);
        assert_eq!(self.world.save_status().error, None);
        if self.range.copied.is_none() {
            self.back_up();
            assert_eq!(self.range.copied, Some(self.range.made), "no copy");
        }
        self.world = World::default();
        let world = World::open(self.file()).unwrap();
        self.check(&world);
        drop(world);
        assert!(inspect(self.file()).unwrap().sound);
        let copied = World::open(self.copy()).unwrap();
        assert_eq!(digest(&copied), self.states[self.range.copied.unwrap()]);
    }
}

/// Changes all of a chunk to noise, which compresses badly. Only the rim of opaque voxels is
/// merged.
fn noise(world: &mut World, round: usize) {
    let materials = world.materials().iter();
    let opaque = materials.filter(|(_, info)| info.solid && info.look == Look::Opaque);
    let opaque: Vec<Material> = opaque.map(|(material, _)| material).collect();
    let mix = |cell: Cell| {
        let at = (cell.z * 4096 + cell.y * 64 + cell.x) as u64 + ((round as u64) << 32);
        let bits = (at ^ at << 17).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bits = (bits ^ bits >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        opaque[(bits >> 40) as usize % opaque.len()]
    };
    world.transact(Author(1), |writer| {
        let of_chunk = cells().filter(|cell| cell.x / 32 == round as i32 % 2);
        of_chunk.for_each(|cell| writer.set(cell, mix(cell)));
    });
}

fn add_object(world: &mut World, round: usize) {
    let origin = Position::new(Cell::new(0, 50, round as i32), Vector3::repeat(0.25));
    let pattern = |at: Vector3<u32>| Material(1 + at.x as u16);
    let extent = Vector3::new(9, 1, 1);
    let added = world.add_object_as(Author(1), origin, 0.5, extent, pattern);
    added.unwrap();
}

/// Checks that an error tells of the disk, and of nothing that is damaged.
fn assert_told(error: &SaveError) {
    use StoreError::{Full, Io};
    let told = matches!(error, SaveError::Store(Full | Io(_)));
    assert!(told, "{error:?}");
}

fn rounds() -> usize {
    let asked = std::env::var(ROUNDS).ok();
    asked.map_or(1, |rounds| rounds.parse().unwrap())
}

fn play(disk: &Disk) -> Play<'_> {
    let mut play = Play::begin(disk);
    (0..rounds()).for_each(|round| play.round(round));
    play
}

/// Opens a file that a killed program or a lost power left. Returns false if it is no world, which
/// it may be until the first state was acknowledged.
fn opens(image: &Path, states: &[u64], range: Range) -> bool {
    let world = match World::open(image) {
        Ok(world) => world,
        Err(error) => {
            assert_eq!(range.acknowledged, None, "{error}");
            return false;
        }
    };
    assert_eq!(world.save_status().damaged, []);
    let found = digest(&world);
    let possible = range.acknowledged.unwrap_or(0)..=range.made;
    let state = states.iter().rposition(|&it| it == found);
    assert!(
        possible.clone().any(|state| states[state] == found),
        "{state:?} of {possible:?}"
    );
    true
}

/// Lets every access that the fault concerns fail in turn; returns their number.
fn fails_everywhere(name: &str, fault: Fault) -> usize {
    let other = Disk::mount(&format!("{name}-after"));
    let image = other.0.folder.join("image.world");
    for after in 0.. {
        let mounted = Disk::mount(name);
        let disk = &*mounted.0;
        disk.break_after(after, fault);
        let play = play(disk);
        disk.copy(&play.file(), &image);
        opens(&image, &play.states, play.range);
        other.0.take_events();
        let struck = disk.heal();
        play.end();
        if !struck {
            return after;
        }
    }
    unreachable!()
}

#[test]
fn an_access_that_fails_once_costs_nothing() {
    let accesses = fails_everywhere("once", Fault::Once);
    assert!(accesses > 100, "{accesses}");
}

#[test]
fn a_sync_that_fails_costs_nothing() {
    assert!(fails_everywhere("unsynced", Fault::Unsynced) > 10);
}

#[test]
fn a_disk_that_is_gone_is_told_and_written_to_when_it_is_back() {
    assert!(fails_everywhere("gone", Fault::Gone) > 100);
}

#[test]
fn a_disk_that_is_full_is_told_and_written_to_when_it_has_room() {
    assert!(fails_everywhere("full", Fault::Full) > 40);
}

#[test]
fn writes_that_arrive_in_part_cost_nothing() {
    for (name, fault) in [
        ("short", Fault::Short),
        ("sectors", Fault::Torn(512)),
        ("pages", Fault::Torn(4096)),
    ] {
        assert!(fails_everywhere(name, fault) > 40);
    }
}

/// Returns the events of a workload without a fault, with the states of its world.
fn recorded() -> (Mounted, Vec<Event>, Vec<u64>) {
    let mounted = Disk::mount("power");
    let mut play = play(&mounted.0);
    play.world = World::default();
    let states = std::mem::take(&mut play.states);
    let events = mounted.0.take_events();
    (mounted, events, states)
}

/// The range of a copy: its one state once it was acknowledged, and any before.
fn range_of_copy(range: Range) -> Range {
    Range {
        acknowledged: range.copied,
        made: range.copied.unwrap_or(range.made),
        ..range
    }
}

#[test]
fn power_lost_behind_any_access_costs_only_what_was_not_acknowledged() {
    let (mounted, events, states) = recorded();
    let folder = &mounted.0.folder;
    let files = ["played.world", "copy.world"].map(|name| folder.join(name));
    let images = Disk::mount("power-images");
    let image = images.0.folder.join("image.world");
    let mut range = Range::default();
    for (at, event) in events.iter().enumerate() {
        if let Event::Mark(next) = event {
            range = *next;
        }
        let ranges = [range, range_of_copy(range)];
        for (file, range) in files.iter().zip(ranges) {
            if event.concerns(file) {
                let loss = Loss {
                    events: &events[..=at],
                    file,
                    range,
                };
                loss.check(&image, &states);
                images.0.take_events();
            }
        }
    }
}

/// A lost power behind some events.
struct Loss<'a> {
    events: &'a [Event],
    file: &'a Path,
    range: Range,
}

impl Loss<'_> {
    /// Opens the files that it could leave.
    fn check(&self, image: &Path, states: &[u64]) {
        let first = self.events.len() as u64 * SEEDS;
        let seeds = (first..first + SEEDS).map(Unsynced::Some);
        let whole = [Unsynced::Lost, Unsynced::Arrived, Unsynced::Last];
        for unsynced in whole.into_iter().chain(seeds) {
            let _ = std::fs::remove_file(image);
            if let Some(bytes) = after_power_loss(self.events, self.file, unsynced) {
                std::fs::write(image, bytes).unwrap();
            }
            if !opens(image, states, self.range) {
                let begun = ground().save_as(image);
                assert_eq!(begun, Ok(()), "the place is barred, {unsynced:?}");
            }
        }
    }
}

#[test]
fn the_name_of_a_new_file_is_on_the_disk() {
    let mounted = Disk::mount("named");
    let path = mounted.0.folder.join("a.png");
    crate::files::write(&path, b"a", crate::files::Existing::Keep).unwrap();
    let events = mounted.0.take_events();
    let is_named = |event: &Event| matches!(event, Event::Named(of) if *of == path);
    assert!(events.iter().any(is_named), "{events:?}");
}
