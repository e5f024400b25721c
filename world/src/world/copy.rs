//! Copies the whole world to another file.

use std::path::Path;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

use super::World;
use super::notes::Noted;
use crate::save::{
    Contents, Header, KeptTerrain, LaterFile, Notebook, Origin, SaveError, Source, StoreError,
    Touched, View, begin_file, head, is_empty, kept_change, remove_half_created,
};
use crate::space::BrickPlace;

/// The purpose of a copy of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Copying {
    /// The world continues in the copy.
    ToGoOnWith,
    /// The copy is a backup.
    ToKeep,
}

/// A backup that is written in the background. It is written even if this is dropped, but only
/// [`Self::wait`] tells of errors.
#[must_use = "only `wait` tells whether the backup was written"]
pub struct Backup(Writing);

enum Writing {
    OnThread(JoinHandle<Result<(), StoreError>>),
    /// The system started no thread.
    Done(Result<(), StoreError>),
}

impl Backup {
    fn begin(copy: Source, path: &Path) -> Self {
        let copy = Arc::new(copy);
        let thread = Builder::new().name("world backup".to_owned());
        let started = thread.spawn({
            let (copy, path) = (copy.clone(), path.to_owned());
            move || write(copy, &path)
        });
        Self(match started {
            Ok(thread) => Writing::OnThread(thread),
            Err(_) => Writing::Done(write(copy, path)),
        })
    }

    /// Returns whether the backup is written, or has failed: [`Self::wait`] returns at once then.
    #[must_use]
    pub fn is_written(&self) -> bool {
        match &self.0 {
            Writing::OnThread(thread) => thread.is_finished(),
            Writing::Done(_) => true,
        }
    }

    /// Waits until the backup is written. On failure no file is left.
    pub fn wait(self) -> Result<(), SaveError> {
        let written = match self.0 {
            Writing::OnThread(thread) => thread
                .join()
                .unwrap_or_else(|_| Err(StoreError::thread_gone())),
            Writing::Done(written) => written,
        };
        Ok(written?)
    }
}

/// Writes a backup and closes its file.
fn write(copy: Arc<Source>, path: &Path) -> Result<(), StoreError> {
    let written = copy.saver.flush();
    drop(copy);
    written.inspect_err(|_| {
        // If it cannot be removed, it still does not open as a world, since everything is written
        // in one commit.
        let _ = std::fs::remove_file(path);
    })
}

impl World {
    /// Saves the whole world, loaded or not, to a new file, and continues to save there. Changes
    /// nothing if the file cannot be begun.
    pub fn save_as(&mut self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        self.begin_save_as(path)?;
        self.flush()
    }

    /// Saves like [`World::save_as`], but writes loaded chunks in the background:
    /// [`World::save_status`] shows the progress.
    pub fn begin_save_as(&mut self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        let copy = self.copy_to(path.as_ref(), Copying::ToGoOnWith)?;
        self.source = Some(copy);
        Ok(())
    }

    /// Writes the whole present world with its history to a new file, and continues to save to the
    /// old one. On failure no file is left. If the program is killed meanwhile, the file is not a
    /// world, and the next backup overwrites it.
    pub fn backup(&self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        self.begin_backup(path)?.wait()
    }

    /// Begins a backup like that of [`World::backup`], and writes it in the background: the world
    /// as it is now, whatever is edited meanwhile.
    pub fn begin_backup(&self, path: impl AsRef<Path>) -> Result<Backup, SaveError> {
        let path = path.as_ref();
        Ok(Backup::begin(self.copy_to(path, Copying::ToKeep)?, path))
    }

    /// Begins a new file and queues all contents, the header and the rest in one commit.
    pub(crate) fn copy_to(&self, path: &Path, copying: Copying) -> Result<Source, SaveError> {
        if !is_empty(path) {
            // A file that holds anything is not cleared, and refused below.
            let _ = remove_half_created(path);
        }
        let is_blank = || View::open(path).is_ok_and(|view| view.is_blank());
        if !(is_empty(path) || is_blank()) {
            return Err(SaveError::Exists(path.to_owned()));
        }
        let source = self.source.as_ref();
        let mut kept = match source {
            Some(source) => KeptTerrain::of(&source.saver)?,
            None => KeptTerrain::default(),
        };
        let land = source.and_then(|source| source.land.clone());
        let mark = land.as_ref().and_then(|land| land.mark);
        let mut contents = Contents::empty(Header::new(mark));
        (contents.chunks, contents.progress) = (kept.chunks(), kept.progress);
        let mut records = std::mem::take(&mut kept.records);
        let store = match copying {
            // The world reads from this store before the rest is written.
            Copying::ToGoOnWith => begin_file(path, &std::mem::take(&mut records))?,
            Copying::ToKeep => Arc::new(LaterFile::at(path)),
        };
        let copy = Source::new(store, land, &self.materials, &mut contents);
        let head = head(mark, &self.materials);
        copy.saver.note(|notebook| {
            let records = head.into_iter().chain(records);
            let kept_bytes = self.kept.iter();
            let kept_bytes = kept_bytes.map(|(name, bytes)| kept_change(name, Some(bytes)));
            notebook.put_records(records.chain(kept_bytes));
            self.note_all(&copy, &kept, notebook);
        });
        Ok(copy)
    }

    /// Queues everything except the terrain records.
    fn note_all(&self, source: &Source, kept: &KeptTerrain, notebook: &mut Notebook<'_>) {
        let loaded = match source.land {
            Some(_) => Origin::Loaded,
            None => Origin::Edit,
        };
        kept.note_unwritten(notebook);
        for (chunk, id) in self.loaded_chunks() {
            let (place, voxels) = (BrickPlace::terrain(chunk), self.brick(id).voxels());
            notebook.put(Touched { place, voxels }, loaded);
        }
        let objects = self.objects().map(|(_, object)| object.key());
        let shelved = self.history.shelf().map(|shelved| shelved.key);
        for object in objects.chain(shelved) {
            self.note_object(object, Noted::Voxels, notebook);
        }
        let entries = self.history.entries();
        entries.for_each(|entry| self.note_entry(entry, notebook));
    }
}
