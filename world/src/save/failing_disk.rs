//! A disk for tests, under the files of one folder: it records every access, fails where it is told
//! to, and gives the files that a lost power could leave.
#![allow(clippy::unwrap_used)]

use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use redb::backends::FileBackend;
use redb::{BackendError, DatabaseError, StorageBackend};

/// Size of what a disk writes at once, in bytes.
const SECTOR: usize = 512;

/// A way of failing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// One access of any kind fails.
    Once,
    /// From then on every access fails.
    Gone,
    /// Half of one write arrives.
    Short,
    /// The sectors or pages before the middle of a write arrive, and then every access fails.
    Torn(usize),
    /// From then on no file takes anything that is written to it.
    Full,
    /// One sync fails.
    Unsynced,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Read,
    Write,
    Sync,
}

impl Fault {
    /// Returns true if this access can be the first that fails.
    fn concerns(self, access: Access) -> bool {
        match self {
            Fault::Once | Fault::Gone => true,
            Fault::Short | Fault::Torn(_) | Fault::Full => access == Access::Write,
            Fault::Unsynced => access == Access::Sync,
        }
    }

    /// Returns true if this access fails after the first one did.
    fn lasts(self, access: Access) -> bool {
        match self {
            Fault::Gone | Fault::Torn(_) => true,
            Fault::Full => access == Access::Write,
            Fault::Once | Fault::Short | Fault::Unsynced => false,
        }
    }

    /// Returns how much of the first write that fails arrives.
    fn arrives(self, length: usize) -> usize {
        match self {
            Fault::Short => length / 2,
            Fault::Torn(border) => length / 2 / border * border,
            _ => 0,
        }
    }

    fn error(self) -> Error {
        match self {
            Fault::Full => ErrorKind::StorageFull.into(),
            _ => Error::other("the disk failed"),
        }
    }
}

/// A change of the disk, or a note of the test.
#[derive(Clone, Debug)]
pub(super) enum Event {
    Write(PathBuf, u64, Vec<u8>),
    Length(PathBuf, u64),
    Sync(PathBuf),
    /// The name of the file is on the disk.
    Named(PathBuf),
    /// The states of the world that its file may hold.
    Mark(Range),
}

/// Numbers of states of a world: the last one that was acknowledged, the last one made, and that of
/// a copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) acknowledged: Option<usize>,
    pub(super) made: usize,
    /// The state in the copy, once that was acknowledged.
    pub(super) copied: Option<usize>,
}

impl Event {
    /// Returns true if the event can change a file after a lost power, or what it must hold.
    pub(super) fn concerns(&self, path: &Path) -> bool {
        match self {
            Event::Write(of, ..) | Event::Length(of, _) | Event::Sync(of) | Event::Named(of) => {
                of == path
            }
            Event::Mark(_) => true,
        }
    }
}

#[derive(Default)]
struct State {
    events: Vec<Event>,
    fault: Option<Fault>,
    /// Accesses that the fault concerns before it strikes.
    left: usize,
    struck: bool,
}

/// A disk that holds one folder.
pub(super) struct Disk {
    pub(super) folder: PathBuf,
    state: Mutex<State>,
}

static DISKS: Mutex<Vec<Arc<Disk>>> = Mutex::new(Vec::new());

fn disk_of(path: &Path) -> Option<Arc<Disk>> {
    let disks = DISKS.lock().unwrap();
    let found = disks.iter().find(|disk| path.starts_with(&disk.folder));
    found.cloned()
}

/// Unmounts the disk and deletes its folder at the end of a test.
pub(super) struct Mounted(pub(super) Arc<Disk>);

impl Drop for Mounted {
    fn drop(&mut self) {
        DISKS.lock().unwrap().retain(|it| !Arc::ptr_eq(it, &self.0));
        let _ = std::fs::remove_dir_all(&self.0.folder);
    }
}

impl Disk {
    /// Puts a disk under a new folder.
    pub(super) fn mount(name: &str) -> Mounted {
        let name = format!("world-disk-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let state = Mutex::default();
        let disk = Arc::new(Disk { folder, state });
        DISKS.lock().unwrap().push(disk.clone());
        Mounted(disk)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Lets access number `after` of those that the fault concerns fail.
    pub(super) fn break_after(&self, after: usize, fault: Fault) {
        let mut state = self.state();
        (state.fault, state.left, state.struck) = (Some(fault), after, false);
    }

    /// Works again. Returns true if the fault struck.
    pub(super) fn heal(&self) -> bool {
        let mut state = self.state();
        state.fault = None;
        state.struck
    }

    pub(super) fn mark(&self, range: Range) {
        self.state().events.push(Event::Mark(range));
    }

    /// Copies a file between two writes.
    pub(super) fn copy(&self, file: &Path, to: &Path) {
        let _still = self.state();
        std::fs::copy(file, to).unwrap();
    }

    pub(super) fn take_events(&self) -> Vec<Event> {
        std::mem::take(&mut self.state().events)
    }
}

impl State {
    /// Counts an access. Returns the fault if it fails, and whether it is the first that does.
    fn fails(&mut self, access: Access) -> Option<(Fault, bool)> {
        let fault = self.fault?;
        if self.struck {
            return fault.lasts(access).then_some((fault, false));
        }
        if !fault.concerns(access) {
            return None;
        }
        self.struck = self.left == 0;
        self.left = self.left.saturating_sub(1);
        self.struck.then_some((fault, true))
    }
}

/// Remembers that the name of a file is on the disk.
pub(crate) fn note_named(path: &Path) {
    if let Some(disk) = disk_of(path) {
        disk.state().events.push(Event::Named(path.to_owned()));
    }
}

/// A file, on a disk that can fail or not.
pub(super) struct Backend {
    path: PathBuf,
    file: FileBackend,
    disk: Option<Arc<Disk>>,
}

pub(super) fn backend(path: &Path, file: File) -> std::result::Result<Backend, DatabaseError> {
    let file = FileBackend::new(file)?;
    let (path, disk) = (path.to_owned(), disk_of(path));
    Ok(Backend { path, file, disk })
}

impl std::fmt::Debug for Backend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.path.fmt(f)
    }
}

type Locked = std::result::Result<bool, BackendError>;

impl StorageBackend for Backend {
    fn len(&self) -> Result<u64> {
        self.ask(Access::Read)?;
        self.file.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.ask(Access::Read)?;
        self.file.read(offset, out)
    }

    fn set_len(&self, length: u64) -> Result<()> {
        let Some(disk) = &self.disk else {
            return self.file.set_len(length);
        };
        let mut state = disk.state();
        if let Some((fault, _)) = state.fails(Access::Write) {
            return Err(fault.error());
        }
        state.events.push(Event::Length(self.path.clone(), length));
        self.file.set_len(length)
    }

    fn sync_data(&self) -> Result<()> {
        let Some(disk) = &self.disk else {
            return self.file.sync_data();
        };
        let mut state = disk.state();
        if let Some((fault, _)) = state.fails(Access::Sync) {
            return Err(fault.error());
        }
        state.events.push(Event::Sync(self.path.clone()));
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<()> {
        let Some(disk) = &self.disk else {
            return self.file.write(offset, data);
        };
        let mut state = disk.state();
        let failed = state.fails(Access::Write);
        let arrives = match failed {
            None => data.len(),
            Some((fault, true)) => fault.arrives(data.len()),
            Some((_, false)) => 0,
        };
        let (path, data) = (self.path.clone(), &data[..arrives]);
        self.file.write(offset, data)?;
        state.events.push(Event::Write(path, offset, data.to_vec()));
        failed.map_or(Ok(()), |(fault, _)| Err(fault.error()))
    }

    fn close(&self) -> Result<()> {
        self.file.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Locked {
        self.file.try_lock_range(start, end)
    }

    fn try_lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Locked {
        self.file.try_lock_shared_range(start, end)
    }

    fn unlock_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> std::result::Result<(), BackendError> {
        self.file.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Locked {
        self.file.query_lock_range(start, end)
    }
}

impl Backend {
    fn ask(&self, access: Access) -> Result<()> {
        let failed = self.disk.as_ref().and_then(|it| it.state().fails(access));
        failed.map_or(Ok(()), |(fault, _)| Err(fault.error()))
    }
}

/// The fate of accesses that were not synced when the power was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unsynced {
    /// All of them are lost.
    Lost,
    /// All of them arrived, as when only the program was killed.
    Arrived,
    /// The last one arrived, and none before it.
    Last,
    /// Each sector of each arrived or not, by this seed.
    Some(u64),
}

fn mix(mut bits: u64) -> u64 {
    for _ in 0..2 {
        bits = (bits ^ (bits >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    bits ^ (bits >> 29)
}

impl Unsynced {
    /// Returns true if a sector of an access arrived.
    fn arrived(self, event: usize, sector: usize, last: usize) -> bool {
        match self {
            Unsynced::Lost => false,
            Unsynced::Arrived => true,
            Unsynced::Last => event == last,
            // In half of the cases an access arrives wholly or not at all.
            Unsynced::Some(seed) => {
                let sector = if seed % 2 == 0 { 0 } else { sector };
                mix(seed << 40 ^ (event as u64) << 12 ^ sector as u64) >> 62 != 0
            }
        }
    }
}

fn put(image: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    image.resize(image.len().max(at + bytes.len()), 0);
    image[at..at + bytes.len()].copy_from_slice(bytes);
}

/// Returns the bytes of a file after the power was lost behind these events; `None` if it may be
/// gone.
pub(super) fn after_power_loss(
    events: &[Event],
    path: &Path,
    unsynced: Unsynced,
) -> Option<Vec<u8>> {
    let is = |event: &Event, named: bool| match event {
        Event::Sync(of) => !named && of == path,
        Event::Named(of) => named && of == path,
        _ => false,
    };
    let named = events.iter().any(|event| is(event, true));
    if !named && unsynced != Unsynced::Arrived {
        return None;
    }
    let synced = events.iter().rposition(|event| is(event, false));
    let last = events.len() - 1;
    let mut image = Vec::new();
    for (number, event) in events.iter().enumerate() {
        let is_safe = synced.is_some_and(|synced| number < synced);
        let arrived = |sector| is_safe || unsynced.arrived(number, sector, last);
        match event {
            Event::Write(of, at, bytes) if of == path => {
                for (sector, bytes) in bytes.chunks(SECTOR).enumerate() {
                    if arrived(sector) {
                        put(&mut image, *at as usize + sector * SECTOR, bytes);
                    }
                }
            }
            Event::Length(of, length) if of == path && arrived(0) => {
                image.resize(*length as usize, 0);
            }
            _ => {}
        }
    }
    Some(image)
}
