//! One open world: the simulation in it, the land that streams in about the player, and its save.

use std::path::{Path, PathBuf};

use collision::{Cell, Position};
use rayon::prelude::*;
use world::chunk::VOLUME;
use world::generate::{Filled, Generator};
use world::{Brick, ChunkPosition, Material, MaterialTable, Voxels, World};

use crate::cli::PlayArguments;
use crate::error::Error;
use crate::settings::{Characters, Settings};
use crate::simulation::{Simulation, Wish, standing_in};

/// Where a new player stands and looks.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// The body's centre.
    pub position: Position,
    /// Radians to the right of -z.
    pub yaw: f32,
}

/// One open world.
pub struct Session {
    /// What lives in it.
    pub simulation: Simulation,
    /// Where a new player stands and looks.
    pub start: Start,
    /// The seed of its land.
    pub seed: u64,
    /// Where it is saved.
    pub path: Option<PathBuf>,
}

impl Session {
    /// A generated world of which nothing is saved, loaded so far about its start.
    pub fn generated(seed: u64, view_metres: f32, tuning: &Characters) -> Self {
        let generator = Generator::new(seed);
        let spawn = generator.spawn();
        let [x, y, z] = spawn.cell;
        let start = Start {
            position: standing_in(Cell::new(x, y, z), tuning.half_height),
            yaw: (spawn.towards[0] as f32).atan2(-spawn.towards[1] as f32),
        };
        let mut world = World::new(MaterialTable::standard());
        load_about(&mut world, &generator, start.position.cell, view_metres);
        let simulation = Simulation::new(world, start.position, tuning);
        Session {
            simulation,
            start,
            seed,
            path: None,
        }
    }

    /// A world to take pictures of: generated or saved, loaded about the eye and about its start.
    pub(crate) fn open_to_look(
        seed: u64,
        saved: Option<&Path>,
        settings: &Settings,
        eye: Option<Position>,
    ) -> Result<Self, Error> {
        if let Some(path) = saved {
            return Err(Error::Usage(format!(
                "{} cannot be opened yet",
                path.display()
            )));
        }
        let view = settings.graphics.view_metres;
        let mut session = Session::generated(seed, view, &settings.characters);
        if let Some(eye) = eye {
            load_about(
                &mut session.simulation.world,
                &Generator::new(seed),
                eye.cell,
                view,
            );
        }
        Ok(session)
    }

    /// What `play` opens.
    pub(crate) fn open_for_play(
        arguments: &PlayArguments,
        settings: &mut Settings,
    ) -> Result<Self, Error> {
        let seed = arguments.seed.unwrap_or(1);
        Ok(Session::generated(
            seed,
            settings.graphics.view_metres,
            &settings.characters,
        ))
    }

    /// Moves everything on by one tick.
    pub fn tick(&mut self, wish: &Wish) {
        self.simulation.tick(wish);
    }

    /// Loads land that came into view and drops what is far behind.
    pub fn stream(&mut self, _view_metres: f32) {}

    /// Saves what is not saved yet.
    pub fn close(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

/// Loads all chunks within so many metres.
fn load_about(world: &mut World, generator: &Generator, about: Cell, metres: f32) {
    let reach = (metres / 32.0).ceil() as i32;
    let middle = about.map(|c| c >> 5);
    let columns: Vec<(i32, i32)> = (-reach..=reach)
        .flat_map(|z| (-reach..=reach).map(move |x| (x, z)))
        .filter(|(x, z)| x * x + z * z <= reach * reach)
        .collect();
    let bricks: Vec<(ChunkPosition, Brick)> = columns
        .into_par_iter()
        .flat_map_iter(|(x, z)| {
            column_bricks(world.materials(), generator, middle.x + x, middle.z + z)
        })
        .collect();
    world.insert_bricks(bricks);
}

fn column_bricks(
    materials: &MaterialTable,
    generator: &Generator,
    x: i32,
    z: i32,
) -> Vec<(ChunkPosition, Brick)> {
    let column = generator.column(x, z);
    let rows = column.surface_rows();
    let mut voxels = Box::new([Material::AIR; VOLUME]);
    (rows.lowest - 1..=rows.highest + 1)
        .map(|y| {
            let voxels = match generator.fill(&column, y, &mut voxels) {
                Filled::Uniform(material) => Voxels::uniform(material),
                Filled::Mixed => Voxels::from_rows(&voxels[..]),
            };
            (ChunkPosition::new(x, y, z), Brick::new(voxels, materials))
        })
        .collect()
}

/// The folder for worlds that are named without one.
pub fn worlds_folder() -> PathBuf {
    let folder = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|p| p.is_absolute())
    };
    let home = || folder("HOME").or_else(|| folder("USERPROFILE"));
    let base = if cfg!(windows) {
        folder("APPDATA")
    } else if cfg!(target_os = "macos") {
        home().map(|h| h.join("Library/Application Support"))
    } else {
        folder("XDG_DATA_HOME").or_else(|| home().map(|h| h.join(".local/share")))
    };
    base.unwrap_or_else(std::env::temp_dir)
        .join("voxel-sandbox")
}

/// A path as it was typed: a bare name goes into the folder for worlds.
pub fn world_path(typed: &Path) -> PathBuf {
    let bare = typed.components().count() == 1 && !typed.exists();
    if bare {
        worlds_folder().join(typed)
    } else {
        typed.to_path_buf()
    }
}
