//! The command `world`: inspects and checks saved worlds, and moves MagicaVoxel models in and out.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use collision::Cell;
use serde_json::{Value, json};
use world::files::{self, Existing};
use world::save::{Basis, Inspection, Salvage, Saved, inspect, salvage};
use world::{Author, CellBox, MaterialTable, World};

use crate::arguments::{Eye, WorldAction};
use crate::error::Error;
use crate::models::{self, Placed};
use crate::session::{Session, broken};
use crate::terminal::say;
use serve::folders::{KIND, world_path, worlds_folder};

/// Height above and below the origin within which land is found, cells.
const HEIGHTS: i32 = 255;

pub(crate) fn run(action: &WorldAction) -> Result<(), Error> {
    match action {
        WorldAction::List { json } => list(*json),
        WorldAction::Info { path, json } => {
            let path = world_path(path)?;
            let found = look(&path)?;
            match json {
                true => say!("{}", described(&path, &found)),
                false => print(&path, &found),
            }
        }
        WorldAction::Verify { path, json } => verify(&world_path(path)?, *json),
        WorldAction::Salvage { path, out } => {
            let (path, out) = (world_path(path)?, world_path(out)?);
            let found = salvage(&path, &out).map_err(|error| broken(&path, &error))?;
            print_salvage(&out, &found)
        }
        WorldAction::Export {
            path,
            out,
            min,
            max,
            overwriting,
        } => {
            let path = world_path(path)?;
            let out = out.clone().unwrap_or_else(|| path.with_extension("vox"));
            export(&path, &out, [*min, *max], overwriting.existing())
        }
        WorldAction::Import { path, from, at } => import(&world_path(path)?, from, *at),
    }
}

fn export(
    path: &Path,
    out: &Path,
    corners: [Option<Eye>; 2],
    existing: Existing,
) -> Result<(), Error> {
    if is_same_file(path, out) {
        return Err(Error::Usage(format!(
            "{} is the save itself: give another file with --out",
            out.display()
        )));
    }
    files::check(out, existing)?;
    let mut world = World::open_copy(path).map_err(|error| broken(path, &error))?;
    let copy = match corners.map(|corner| corner.map(|eye| eye.position.cell)) {
        [Some(a), Some(b)] => models::copy_box(&mut world, &CellBox::new(a.inf(&b), a.sup(&b)))?,
        _ => models::copy_edited(&mut world)?,
    };
    let voxels = models::write(out, &copy, world.materials(), existing)?;
    let [x, y, z] = [copy.size().x, copy.size().y, copy.size().z];
    let out = out.display();
    say!("{out}: {voxels} voxels in {x} x {y} x {z}")
}

/// Returns whether two paths lead to the same existing file.
pub(crate) fn is_same_file(a: &Path, b: &Path) -> bool {
    let whole = |path: &Path| path.canonicalize().ok();
    whole(a).is_some_and(|a| whole(b) == Some(a))
}

fn import(path: &Path, from: &Path, at: Option<Eye>) -> Result<(), Error> {
    // The model is read first: a broken one must not leave a new save behind.
    let mut table = MaterialTable::standard();
    models::read(from, &mut table)?;
    let is_new = path.symlink_metadata().is_err();
    let placed = import_into(path, from, at).inspect_err(|_| {
        if is_new {
            // Removes the incomplete world, which did not exist before.
            let _ = std::fs::remove_file(path);
        }
    })?;
    placed.refused.map_or(Ok(()), |error| {
        Err(Error::Failed(format!("not all was placed: {error}")))
    })
}

fn import_into(path: &Path, from: &Path, at: Option<Eye>) -> Result<Placed, Error> {
    let mut world = Session::open_or_begin(path, None)?;
    let found = models::read(from, world.materials_mut())?;
    let at = at
        .map(|eye| eye.position.cell)
        .unwrap_or_else(|| ground_at_origin(&mut world));
    let placed = models::place(&mut world, Author::default(), &found, at);
    if let Err(error) = world.flush() {
        let why = broken(path, &error);
        return Err(Error::Content(format!("{why}; nothing was imported")));
    }
    let [x, y, z] = [at.x, at.y, at.z];
    let (path, models, voxels) = (path.display(), found.len(), placed.voxels);
    say!("{path}: {models} models, {voxels} voxels changed, from {x},{y},{z} on")?;
    Ok(placed)
}

/// Returns the lowest free cell above land and water at x = z = 0; the origin where there is
/// neither.
fn ground_at_origin(world: &mut World) -> Cell {
    let (low, high) = (Cell::new(0, -HEIGHTS, 0), Cell::new(0, HEIGHTS, 0));
    // Land that cannot be loaded counts as missing.
    let _ = world.load(&CellBox::new(low, high));
    let free = (low.y..=high.y).rev().map(|y| Cell::new(0, y, 0));
    let table = world.materials();
    let mut ground = free.filter(|&cell| {
        let material = world.material(cell);
        material.is_some_and(|it| table.is_solid(it) || table.is_liquid(it))
    });
    ground.next().map_or(Cell::zeros(), |cell| cell + Cell::y())
}

/// Returns the saves in the folder for worlds, in order.
pub(crate) fn all() -> Result<Vec<PathBuf>, Error> {
    let folder = worlds_folder()?;
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::content(&folder, error)),
    };
    let paths = entries.flatten().map(|entry| entry.path());
    let is_save = |path: &PathBuf| path.extension().is_some_and(|kind| kind == KIND);
    let mut saves: Vec<PathBuf> = paths.filter(is_save).collect();
    saves.sort();
    Ok(saves)
}

/// Lists the saves. One that cannot be read is listed with its error.
fn list(as_json: bool) -> Result<(), Error> {
    for path in all()? {
        let name = path.display();
        match (look(&path), as_json) {
            (Ok(found), true) => say!("{}", described(&path, &found)),
            (Ok(found), false) => say!("{name}: {} edited chunks", found.chunks),
            (Err(error), true) => {
                say!("{}", json!({"path": path, "error": error.to_string()}))
            }
            (Err(error), false) => say!("{error}"),
        }?;
    }
    Ok(())
}

fn described(path: &Path, found: &Inspection) -> Value {
    let damage = found.damaged.iter();
    let damaged: Vec<Value> = damage
        .map(|it| json!({"part": it.part.to_string(), "error": it.error.to_string()}))
        .collect();
    let generator = found.header.generator;
    json!({
        "path": path,
        "format": found.header.format,
        "seed": generator.map(|it| it.seed),
        "generator": generator.map(|it| it.version),
        "chunks": found.chunks,
        "chunk_bytes": found.chunk_bytes,
        "objects": found.objects,
        "strokes": found.entries,
        "damaged": damaged,
        "out_of_reach": found.hidden,
        "set_aside": found.quarantined,
        "sound": found.sound,
        "closed": found.closed,
    })
}

fn look(path: &Path) -> Result<Inspection, Error> {
    inspect(path).map_err(|error| broken(path, &error))
}

fn print(path: &Path, found: &Inspection) -> Result<(), Error> {
    say!("{}", path.display())?;
    say!("  format      {}", found.header.format)?;
    match found.header.generator {
        Some(generator) => say!(
            "  seed        {} (generator {})",
            generator.seed,
            generator.version
        ),
        None => say!("  seed        none: nothing is generated"),
    }?;
    say!(
        "  chunks      {} edited, {} bytes",
        found.chunks,
        found.chunk_bytes
    )?;
    say!("  objects     {}", found.objects)?;
    say!("  history     {} strokes", found.entries)?;
    say!(
        "  damage      {} records, {} out of reach, {} set aside before",
        found.damaged.len(),
        found.hidden,
        found.quarantined
    )?;
    if !found.closed {
        say!("  closed      no: the program was killed; opening puts it in order")?;
    }
    Ok(())
}

fn print_salvage(out: &Path, found: &Salvage) -> Result<(), Error> {
    say!("{}", out.display())?;
    let commit = match found.commit {
        Some(number) => format!("commit {number}"),
        None => "a commit whose number is lost".to_owned(),
    };
    match found.basis {
        Basis::Slot => say!("  state       {commit}, the last"),
        Basis::Search => say!("  state       {commit}, the newest that was found"),
        Basis::Records => say!("  state       none: only single records were found"),
    }?;
    print_saved("chunks", &found.chunks)?;
    print_saved("objects", &found.objects)?;
    print_saved("bricks", &found.bricks)?;
    print_saved("history", &found.edits)?;
    for old in &found.old {
        match old.commit {
            0 => say!("{}: of unknown age, may have changed since", old.part),
            commit => say!(
                "{}: as of commit {commit}, may have changed since",
                old.part
            ),
        }?;
    }
    for damage in &found.damaged {
        say!("{}: {}", damage.part, damage.error)?;
    }
    if !found.thorough {
        say!("not all of the file was searched: its pages overlap, as no program writes them")?;
    }
    Ok(())
}

fn print_saved(what: &str, saved: &Saved) -> Result<(), Error> {
    let lost = match saved.lost {
        Some(count) => format!("{count} lost"),
        None => "an unknown number lost".to_owned(),
    };
    let (current, older) = (saved.current, saved.older);
    say!("  {what:<11} {current} saved, {older} older ones, {lost}")
}

fn verify(path: &Path, as_json: bool) -> Result<(), Error> {
    let found = look(path)?;
    if as_json {
        say!("{}", described(path, &found))?;
    } else {
        for damage in &found.damaged {
            say!("{}: {}; it will be set aside", damage.part, damage.error)?;
        }
    }
    let name = path.display();
    if found.hidden > 0 {
        let hidden = found.hidden;
        return Err(Error::Failed(format!(
            "{name}: {hidden} records are out of reach, so that it does not open: `world salvage` \
             writes the rest to a new file"
        )));
    }
    let faults = found.damaged.len() + usize::from(!found.sound);
    if faults > 0 {
        return Err(Error::Failed(format!(
            "{name}: {faults} faults found; what is sound can still be opened"
        )));
    }
    if as_json {
        return Ok(());
    }
    say!(
        "{}: sound, {} chunks, {} objects and {} strokes read",
        path.display(),
        found.chunks,
        found.objects,
        found.entries
    )
}

#[cfg(test)]
mod tests {
    use world::Material;

    use super::*;

    #[test]
    fn models_stand_on_land_and_water_and_not_on_the_ground_of_the_sea() {
        let column = |top: [i32; 2]| {
            let cells = CellBox::new(Cell::new(0, -40, 0), Cell::new(0, 40, 0));
            World::from_voxels(cells, |cell| match cell.y {
                y if y <= top[0] => Material::STONE,
                y if y <= top[1] => Material::WATER,
                _ => Material::AIR,
            })
        };
        for (top, free) in [([-12, 3], 4), ([7, 3], 8)] {
            let at = ground_at_origin(&mut column(top));
            assert_eq!(at, Cell::new(0, free, 0));
        }
        let nothing = ground_at_origin(&mut column([-41, -41]));
        assert_eq!(nothing, Cell::zeros());
    }
}
