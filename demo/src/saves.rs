//! The command `world`: looks into saved worlds, checks them, and moves MagicaVoxel models in and out.

use std::path::Path;

use world::save::{Inspection, inspect};

use crate::cli::WorldAction;
use crate::error::Error;
use crate::session::broken;

pub(crate) fn run(action: &WorldAction) -> Result<(), Error> {
    match action {
        WorldAction::Info { path } => {
            let found = look(path)?;
            print(path, &found);
            Ok(())
        }
        WorldAction::Verify { path } => verify(path),
        WorldAction::Export { path, .. } | WorldAction::Import { path, .. } => {
            look(path)?;
            Err(Error::Failed(
                "MagicaVoxel files are not built in yet".to_owned(),
            ))
        }
    }
}

fn look(path: &Path) -> Result<Inspection, Error> {
    std::fs::File::open(path).map_err(|error| Error::reading(path, error))?;
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
    println!(
        "  history     {} strokes, {} of them damaged",
        found.entries, found.damaged_entries
    );
    println!(
        "  damage      {} chunks, {} set aside before",
        found.damaged.len(),
        found.quarantined
    );
}

fn verify(path: &Path) -> Result<(), Error> {
    let found = look(path)?;
    for damage in &found.damaged {
        let [x, y, z] = [damage.chunk.x, damage.chunk.y, damage.chunk.z];
        println!(
            "chunk {x} {y} {z}: {}; it will be generated anew and kept aside",
            damage.error
        );
    }
    let faults =
        found.damaged.len() + found.damaged_entries + found.strays + usize::from(!found.sound);
    if faults > 0 {
        let name = path.display();
        return Err(Error::Failed(format!(
            "{name}: {faults} faults found; what is sound can still be opened"
        )));
    }
    println!(
        "{}: sound, {} chunks and {} strokes read",
        path.display(),
        found.chunks,
        found.entries
    );
    Ok(())
}
