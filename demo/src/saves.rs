//! The command `world`: looks into saved worlds, checks them, and moves MagicaVoxel models in and out.

use std::path::Path;

use collision::{Cell, Position};
use nalgebra::Point3;
use world::save::{Basis, Inspection, Salvage, Saved, inspect, salvage};
use world::{Author, CellBox, MaterialTable, World};

use crate::cli::{Eye, WorldAction};
use crate::error::Error;
use crate::models;
use crate::session::broken;

/// The seed of a save that an import makes.
const NEW_SEED: u64 = 1;
/// How far above and below the origin land is looked for, cells.
const HEIGHTS: i32 = 255;

pub(crate) fn run(action: &WorldAction) -> Result<(), Error> {
    match action {
        WorldAction::Info { path } => {
            let found = look(path)?;
            print(path, &found);
            Ok(())
        }
        WorldAction::Verify { path } => verify(path),
        WorldAction::Salvage { path, out } => {
            open_for_reading(path)?;
            let found = salvage(path, out).map_err(|error| broken(path, &error))?;
            print_salvage(out, &found);
            Ok(())
        }
        WorldAction::Export {
            path,
            out,
            min,
            max,
        } => {
            look(path)?;
            let out = out.clone().unwrap_or_else(|| path.with_extension("vox"));
            export(path, &out, [*min, *max])
        }
        WorldAction::Import { path, from, at } => import(path, from, *at),
    }
}

fn export(path: &Path, out: &Path, corners: [Option<Eye>; 2]) -> Result<(), Error> {
    if is_same_file(path, out) {
        return Err(Error::Usage(format!(
            "{} is the save itself: give another file with --out",
            out.display()
        )));
    }
    let mut world = World::open(path).map_err(|error| broken(path, &error))?;
    let copy = match corners.map(|corner| corner.map(cell_of)) {
        [Some(a), Some(b)] => models::copy_box(&mut world, &CellBox::new(a.inf(&b), a.sup(&b)))?,
        _ => models::copy_edited(&mut world)?,
    };
    let voxels = models::write(out, &copy, world.materials())?;
    let [x, y, z] = [copy.size().x, copy.size().y, copy.size().z];
    println!("{}: {voxels} voxels in {x} x {y} x {z}", out.display());
    Ok(())
}

/// Whether two paths lead to one file that is there.
pub(crate) fn is_same_file(a: &Path, b: &Path) -> bool {
    let whole = |path: &Path| path.canonicalize().ok();
    whole(a).is_some_and(|a| whole(b) == Some(a))
}

fn import(path: &Path, from: &Path, at: Option<Eye>) -> Result<(), Error> {
    // First the model: a broken one must not leave a new save behind.
    let mut table = MaterialTable::standard();
    models::read(from, &mut table)?;
    if path.exists() {
        open_for_reading(path)?;
    }
    let world = World::open_or_create(path, NEW_SEED);
    let mut world = world.map_err(|error| broken(path, &error))?;
    let found = models::read(from, world.materials_mut())?;
    let at = at
        .map(cell_of)
        .unwrap_or_else(|| ground_at_origin(&mut world));
    let placed = models::place(&mut world, Author::default(), &found, at);
    world.flush().map_err(|error| broken(path, &error))?;
    let [x, y, z] = [at.x, at.y, at.z];
    let models = found.len();
    println!(
        "{}: {models} models, {} voxels changed, from {x},{y},{z} on",
        path.display(),
        placed.voxels
    );
    placed.refused.map_or(Ok(()), |error| {
        Err(Error::Failed(format!("not all was placed: {error}")))
    })
}

fn cell_of(eye: Eye) -> Cell {
    let [x, y, z] = eye.metres;
    Position::from_metres(Point3::new(x, y, z)).cell
}

/// The lowest free cell above the land at x = z = 0; the origin where there is no land.
fn ground_at_origin(world: &mut World) -> Cell {
    let (low, high) = (Cell::new(0, -HEIGHTS, 0), Cell::new(0, HEIGHTS, 0));
    // What cannot be loaded is no land.
    let _ = world.load(&CellBox::new(low, high));
    let free = (low.y..=high.y).rev().map(|y| Cell::new(0, y, 0));
    let mut solid = free.filter(|&cell| {
        let material = world.material(cell);
        material.is_some_and(|material| world.materials().is_solid(material))
    });
    solid.next().map_or(Cell::zeros(), |cell| cell + Cell::y())
}

fn open_for_reading(path: &Path) -> Result<(), Error> {
    let opened = std::fs::File::open(path);
    opened.map_or_else(|error| Err(Error::reading(path, error)), |_| Ok(()))
}

fn look(path: &Path) -> Result<Inspection, Error> {
    open_for_reading(path)?;
    inspect(path).map_err(|error| broken(path, &error))
}

fn print(path: &Path, found: &Inspection) {
    println!("{}", path.display());
    println!("  format      {}", found.header.format);
    match found.header.generator {
        Some(generator) => println!(
            "  seed        {} (generator {})",
            generator.seed, generator.version
        ),
        None => println!("  seed        none: nothing is generated"),
    }
    println!(
        "  chunks      {} edited, {} bytes",
        found.chunks, found.chunk_bytes
    );
    println!("  objects     {}", found.objects);
    println!("  history     {} strokes", found.entries);
    println!(
        "  damage      {} records, {} out of reach, {} set aside before",
        found.damaged.len(),
        found.hidden,
        found.quarantined
    );
    if !found.closed {
        println!("  closed      no: the program was killed; opening puts it in order");
    }
}

fn print_salvage(out: &Path, found: &Salvage) {
    println!("{}", out.display());
    let commit = match found.commit {
        Some(number) => format!("commit {number}"),
        None => "a commit whose number is lost".to_owned(),
    };
    match found.basis {
        Basis::Slot => println!("  state       {commit}, the last"),
        Basis::Search => println!("  state       {commit}, the newest that was found"),
        Basis::Records => println!("  state       none: only single records were found"),
    }
    print_saved("chunks", &found.chunks);
    print_saved("objects", &found.objects);
    print_saved("bricks", &found.bricks);
    print_saved("history", &found.edits);
    for old in &found.old {
        match old.commit {
            0 => println!("{}: of unknown age, may have changed since", old.part),
            commit => println!(
                "{}: as of commit {commit}, may have changed since",
                old.part
            ),
        }
    }
    for damage in &found.damaged {
        println!("{}: {}", damage.part, damage.error);
    }
    if !found.thorough {
        println!("not all of the file was searched: its pages overlap, as no program writes them");
    }
}

fn print_saved(what: &str, saved: &Saved) {
    let lost = match saved.lost {
        Some(count) => format!("{count} lost"),
        None => "nobody can say how many are lost".to_owned(),
    };
    let (current, older) = (saved.current, saved.older);
    println!("  {what:<11} {current} saved, {older} older ones, {lost}");
}

fn verify(path: &Path) -> Result<(), Error> {
    let found = look(path)?;
    for damage in &found.damaged {
        println!("{}: {}; it will be set aside", damage.part, damage.error);
    }
    let name = path.display();
    if found.hidden > 0 {
        let hidden = found.hidden;
        return Err(Error::Failed(format!(
            "{name}: {hidden} records are out of reach, so that it does not open: `world salvage` writes the rest to a new file"
        )));
    }
    let faults = found.damaged.len() + usize::from(!found.sound);
    if faults > 0 {
        return Err(Error::Failed(format!(
            "{name}: {faults} faults found; what is sound can still be opened"
        )));
    }
    println!(
        "{}: sound, {} chunks, {} objects and {} strokes read",
        path.display(),
        found.chunks,
        found.objects,
        found.entries
    );
    Ok(())
}
