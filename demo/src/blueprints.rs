//! The shelf: copies that the player keeps under a name, as MagicaVoxel files in a folder beside
//! the worlds.

use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use nalgebra::Vector3;
use simulation::MOST_COPIED;
use world::files::Existing;
use world::{Clipboard, Material, MaterialTable};

use crate::error::Error;
use crate::models;
use serve::folders::worlds_folder;

/// Extension of the files.
const KIND: &str = "vox";
/// The longest name, characters.
const LONGEST: usize = 40;
/// The most files that are listed.
const MOST: usize = 200;

/// Returns the folder of the shelf.
pub(crate) fn folder() -> Result<PathBuf, Error> {
    Ok(worlds_folder()?.join("blueprints"))
}

/// Returns the files in a folder by name; none where there is no folder.
pub(crate) fn list(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::reading(folder, error)),
    };
    let is_kept = |path: &PathBuf| path.extension() == Some(OsStr::new(KIND));
    let paths = entries.flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = paths.filter(is_kept).collect();
    paths.sort();
    paths.truncate(MOST);
    Ok(paths)
}

/// Returns whether a name can be that of a file on every system.
pub(crate) fn is_name(name: &str) -> bool {
    let is_sign = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    let count = name.chars().count();
    (1..=LONGEST).contains(&count) && name.trim() == name && name.chars().all(is_sign)
}

/// Writes a copy under a new name.
pub(crate) fn keep(
    folder: &Path,
    name: &str,
    copy: &Clipboard,
    table: &MaterialTable,
) -> Result<PathBuf, Error> {
    if !is_name(name) {
        return Err(Error::Usage(
            "a name has letters, digits, spaces, - and _, at most 40".to_owned(),
        ));
    }
    fs::create_dir_all(folder).map_err(|error| Error::writing(folder, error))?;
    let path = folder.join(name).with_extension(KIND);
    models::write(&path, copy, table, Existing::Keep)?;
    Ok(path)
}

/// Reads a file as one copy; its colours become materials of the table.
pub(crate) fn read(path: &Path, table: &mut MaterialTable) -> Result<Clipboard, Error> {
    let list = models::read(path, table)?;
    let low = list.iter().map(|model| model.at);
    let low = low.reduce(|a, b| a.inf(&b)).unwrap_or_default();
    let place = |at: collision::Cell| at.map(i64::from) - low.map(i64::from);
    let ends = list
        .iter()
        .map(|model| place(model.at) + model.voxels.size().map(i64::from));
    let size = ends.fold(Vector3::repeat(1), |size, end| size.sup(&end));
    if size.iter().any(|&side| side > i64::from(MOST_COPIED)) {
        let most = format!("it is longer than {MOST_COPIED} voxels: import it instead");
        return Err(Error::content(path, most));
    }
    let mut copy = Clipboard::from_fn(size.map(|side| side as u32), |_| Material::AIR)
        .map_err(|error| Error::content(path, error))?;
    for model in &list {
        let corner = place(model.at).map(|part| part as u32);
        for at in cells(model.voxels.size()) {
            let material = model.voxels.get(at);
            if material != Material::AIR {
                copy.set(corner + at, material);
            }
        }
    }
    Ok(copy)
}

fn cells(size: Vector3<u32>) -> impl Iterator<Item = Vector3<u32>> {
    let rows = (0..size.z).flat_map(move |z| (0..size.y).map(move |y| (y, z)));
    rows.flat_map(move |(y, z)| (0..size.x).map(move |x| Vector3::new(x, y, z)))
}

/// Deletes a file of the shelf, and no other.
pub(crate) fn delete(folder: &Path, path: &Path) -> Result<(), Error> {
    if path.parent() != Some(folder) || path.extension() != Some(OsStr::new(KIND)) {
        return Err(Error::Usage(format!(
            "{} is not kept there",
            path.display()
        )));
    }
    fs::remove_file(path).map_err(|error| Error::writing(path, error))
}

/// Returns the name of a file of the shelf.
pub(crate) fn name_of(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn copies_come_back_from_the_shelf_and_only_they_are_deleted() {
        let folder = std::env::temp_dir().join(format!("demo-shelf-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        assert_eq!(list(&folder).unwrap(), Vec::<PathBuf>::new());
        let mut table = MaterialTable::standard();
        let copy = Clipboard::from_fn(Vector3::new(4, 3, 2), |at| match at.y {
            0 => Material::BRICK,
            _ if at.x == 3 => Material::PLANKS,
            _ => Material::AIR,
        });
        let copy = copy.unwrap();
        let path = keep(&folder, "gate 2", &copy, &table).unwrap();
        assert!(
            keep(&folder, "gate 2", &copy, &table).is_err(),
            "it is there"
        );
        assert_eq!(list(&folder).unwrap(), std::slice::from_ref(&path));
        assert_eq!(name_of(&path), "gate 2");
        assert_eq!(read(&path, &mut table).unwrap(), copy);
        let elsewhere = folder.join("deeper/gate.vox");
        assert!(delete(&folder, &elsewhere).is_err());
        assert!(delete(&folder, &folder.join("gate 2.voxels")).is_err());
        delete(&folder, &path).unwrap();
        assert!(delete(&folder, &path).is_err(), "it is gone");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn names_lead_nowhere_else() {
        for name in ["gate", "문 2", "a-b_c", "x"] {
            assert!(is_name(name), "{name}");
        }
        let long = "x".repeat(LONGEST + 1);
        for name in [
            "", " ", "../gate", "a/b", "a\\b", "gate.vox", " a", "a\0", &long,
        ] {
            assert!(!is_name(name), "{name}");
        }
    }
}
