//! One open world: the simulation in it, the land that streams in about the player, and its save.

use std::path::{Path, PathBuf};

use collision::Position;
use nalgebra::Vector3;
use net::Name;
use net::quic::Invite;
use serve::folders::{KIND, finish, make_folder, words_of_save, world_path, worlds_folder};
use simulation::{
    Characters, Command, Input, PlayerId, Recording, RecordingError, Refusal, Simulation, Wish,
};
use world::save::SaveError;
use world::{StreamSettings, Viewer, World};

use crate::arguments::PlayArguments;
use crate::error::Error;
use crate::first_view::{self, Light, Outlook, Surroundings};
use crate::guest::{Arrival, Guest};
use crate::hosting::Hosting;
use crate::language::Language;
use crate::place::Place;
use crate::settings::Settings;
use crate::terminal::complain;

/// The world that is opened when none is named and none was played before.
pub(crate) const FIRST_WORLD: &str = "first.voxels";
/// The most worlds tried when the last one does not open.
const MOST_SPARES: u32 = 9;
/// Default seed of a world.
const FIRST_SEED: u64 = 1;
/// Radius of the land that is loaded before play begins, metres; the rest streams in.
pub(crate) const FIRST_VIEW: f32 = 160.0;
/// Radius of the land about the start, with its pick-ups, that is loaded while the player is
/// elsewhere, metres.
const START_VIEW: f32 = 80.0;
/// Elevation of a view with a given place but no direction, radians above the horizon.
const LOOK_DOWN: f32 = -0.16;
/// Number of rings of equal area in which land is loaded, to report progress.
const RINGS: u32 = 6;

/// The start of a new player.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// Centre of the character.
    pub position: Position,
    /// Radians to the right of -z.
    pub yaw: f32,
}

/// One open world.
pub struct Session {
    /// The simulation.
    pub simulation: Simulation,
    /// Start of a new player.
    pub start: Start,
    /// Seed of the land.
    pub seed: u64,
    /// Path of the save.
    pub path: Option<PathBuf>,
    /// The guest that the player is in the world of a server.
    pub guest: Option<Guest>,
    /// The server of this world, while it is open to others.
    pub hosting: Option<Hosting>,
}

/// A world that was opened for play.
pub(crate) struct Opened {
    pub(crate) session: Session,
    /// The error of the last played world, if another one was opened instead.
    pub(crate) refused: Option<Error>,
}

impl Opened {
    fn wanted(session: Session) -> Self {
        let refused = None;
        Opened { session, refused }
    }

    /// Returns a message when it is not the last played world.
    pub(crate) fn notice(&self, language: Language) -> Option<String> {
        let path = self.session.path.as_deref().unwrap_or(Path::new(""));
        let refused = self.refused.as_ref()?;
        Some(language.fill("{}. {} was opened instead", &[refused, &path.display()]))
    }
}

/// Opens a world, or another one of the folder if that is damaged or in use.
fn open_or_spare(
    wanted: &Path,
    folder: &Path,
    open: impl Fn(&Path) -> Result<Session, Error>,
) -> Result<Opened, Error> {
    let error = match open(wanted) {
        Ok(session) => return Ok(Opened::wanted(session)),
        Err(error) => error,
    };
    let spare = |number| match number {
        1 => folder.join(FIRST_WORLD),
        _ => folder.join(format!("first-{number}.{KIND}")),
    };
    let mut spares = (1..=MOST_SPARES).map(spare).filter(|path| path != wanted);
    let session = spares.find_map(|path| open(&path).ok()).ok_or_else(|| {
        // The error of the wanted world says more than those of the others.
        Error::Content(error.to_string())
    })?;
    let refused = Some(error);
    Ok(Opened { session, refused })
}

impl Session {
    /// Returns a generated world without a save, loaded about its start.
    pub fn generated(seed: u64, view_metres: f32, tuning: &Characters) -> Self {
        Session::with(World::generate(seed), None, view_metres, tuning, &|_| {})
    }

    /// Returns a generated world whose session is recorded from its start on.
    pub fn recorded(start: &simulation::Start) -> Self {
        let mut session = Session::at(start);
        session.simulation.begin_recording(start);
        session
    }

    /// Plays a recording in a world at its start, and calls `ticked` after every tick.
    pub fn replayed(
        recording: &Recording,
        ticked: impl FnMut(&Simulation),
    ) -> Result<Self, RecordingError> {
        let mut session = Session::at(recording.start());
        recording.play(&mut session.simulation, ticked)?;
        Ok(session)
    }

    fn at(start: &simulation::Start) -> Self {
        Session::generated(start.seed, start.view_metres as f32, &start.tuning)
    }

    /// Opens a saved world, or makes a new one from a seed if there is none.
    pub fn saved(
        path: &Path,
        seed: Option<u64>,
        view_metres: f32,
        tuning: &Characters,
    ) -> Result<Self, Error> {
        Session::saved_telling(path, seed, view_metres, tuning, &|_| {})
    }

    /// Opens or makes a world, and reports progress to `tell`, 0 to 1.
    pub(crate) fn saved_telling(
        path: &Path,
        seed: Option<u64>,
        view_metres: f32,
        tuning: &Characters,
        tell: &dyn Fn(f32),
    ) -> Result<Self, Error> {
        let world = Session::open_or_begin(path, seed)?;
        let path = Some(path.to_path_buf());
        Ok(Session::with(world, path, view_metres, tuning, tell))
    }

    /// Opens a saved world, or makes a new one if there is none. Without a seed, a saved one may
    /// have any.
    pub(crate) fn open_or_begin(path: &Path, seed: Option<u64>) -> Result<World, Error> {
        make_folder(path)?;
        let world = match seed {
            Some(seed) => World::create(path, seed),
            None => World::open_or_create(path, FIRST_SEED),
        };
        world.map_err(|error| broken(path, &error))
    }

    fn with(
        mut world: World,
        path: Option<PathBuf>,
        view_metres: f32,
        tuning: &Characters,
        tell: &dyn Fn(f32),
    ) -> Self {
        let start = start_of(&world, tuning);
        let middle = match Place::kept_in(&world) {
            Some(place) => {
                load_about(&mut world, start.position, view_metres.min(START_VIEW));
                place.position()
            }
            None => start.position,
        };
        load_in_rings(&mut world, middle, view_metres, tell);
        let seed = world.seed().unwrap_or(0);
        let mut simulation = Simulation::new(world, start.position, tuning);
        for notice in simulation.take_notices() {
            complain!("note: {notice}");
        }
        simulation.lay_out_pickups(start.position);
        Session {
            simulation,
            start,
            seed,
            path,
            guest: None,
            hosting: None,
        }
    }

    /// Returns a world without land, while another one is opened.
    pub(crate) fn empty(tuning: &Characters) -> Self {
        let world = World::default();
        let start = start_of(&world, tuning);
        Session {
            simulation: Simulation::new(world, start.position, tuning),
            start,
            seed: 0,
            path: None,
            guest: None,
            hosting: None,
        }
    }

    /// Opens a saved world to others, and joins it; nothing else has its file open. The player goes
    /// to a place in it.
    pub(crate) fn hosted(
        path: &Path,
        name: &Name,
        view_metres: f32,
        place: &Place,
        tell: &dyn Fn(f32),
    ) -> Result<Self, Error> {
        let hosting = Hosting::begin(path)?;
        let invite = hosting.own_invite().clone();
        let mut session = Session::joined(&invite, name, view_metres, tell)?;
        load_about(&mut session.simulation.world, place.position(), START_VIEW);
        for command in [
            Command::Travel(place.travel()),
            Command::Teleport(place.position()),
        ] {
            // The owner may do both.
            let _ = session.apply(&command);
        }
        session.path = Some(path.to_path_buf());
        session.hosting = Some(hosting);
        Ok(session)
    }

    /// Joins the world of a server, and loads the land about the player.
    pub(crate) fn joined(
        invite: &Invite,
        name: &Name,
        view_metres: f32,
        tell: &dyn Fn(f32),
    ) -> Result<Self, Error> {
        let Arrival {
            mut guest,
            mut world,
            tuning,
            seed,
        } = Guest::join(invite, name)?;
        let here = guest.client().own().position();
        load_in_rings(&mut world, here, view_metres, tell);
        let start = start_of(&world, &tuning);
        let mut simulation = Simulation::new(world, here, &tuning);
        simulation.set_own_id(guest.client().player());
        guest.receive(&mut simulation);
        Ok(Session {
            simulation,
            start,
            seed,
            path: None,
            guest: Some(guest),
            hosting: None,
        })
    }

    /// Opens a world for pictures: generated or saved, loaded about the eye, or with the best view
    /// of the land; returns also the view.
    pub(crate) fn open_to_look(
        seed: u64,
        saved: Option<&Path>,
        settings: &Settings,
        eye: Option<Position>,
    ) -> Result<(Self, Outlook), Error> {
        let view = settings.graphics.view_metres;
        let world = match saved {
            Some(path) => {
                let path = world_path(path)?;
                World::open_copy(&path).map_err(|error| broken(&path, &error))?
            }
            None => World::generate(seed),
        };
        let mut session = Session::with(
            world,
            None,
            view.min(FIRST_VIEW),
            &settings.characters,
            &|_| {},
        );
        let outlook = match eye {
            Some(eye) => Outlook {
                eye,
                yaw: session.start.yaw,
                pitch: LOOK_DOWN,
            },
            None => session.outlook(settings.graphics.hour),
        };
        load_about(&mut session.simulation.world, outlook.eye, view);
        Ok((session, outlook))
    }

    /// Opens the world of `play`: the named one, a new one of a seed, or the last one.
    pub(crate) fn open_for_play(
        arguments: &PlayArguments,
        settings: &mut Settings,
    ) -> Result<Opened, Error> {
        let view = settings.graphics.view_metres.min(FIRST_VIEW);
        if let Some(invite) = &arguments.join {
            let session = Session::joined(invite, &settings.shared.name(), view, &|_| {})?;
            return Ok(Opened::wanted(session));
        }
        let open = |path: &Path| Session::saved(path, arguments.seed, view, &settings.characters);
        let named = match (&arguments.world, arguments.seed) {
            (Some(path), _) => Some(world_path(path)?),
            (None, Some(seed)) => Some(worlds_folder()?.join(format!("seed-{seed}.voxels"))),
            (None, None) => None,
        };
        if let Some(path) = named {
            let session = open(&path)?;
            settings.remember_world(&path);
            return Ok(Opened::wanted(session));
        }
        let last = settings.last_world.as_deref().filter(|last| last.exists());
        let folder = worlds_folder();
        let opened = match (last, folder) {
            (Some(last), Ok(folder)) => open_or_spare(last, &folder, open)?,
            (Some(last), Err(_)) => Opened::wanted(open(last)?),
            (None, folder) => {
                let folder = folder?;
                open_or_spare(&folder.join(FIRST_WORLD), &folder, open)?
            }
        };
        if let (None, Some(path)) = (&opened.refused, &opened.session.path) {
            settings.remember_world(path);
        }
        Ok(opened)
    }

    /// Returns the best view of the land about the start at an hour of the day.
    pub(crate) fn outlook(&self, hour: f32) -> Outlook {
        self.outlook_in(hour, Light::OF_DAY)
    }

    /// Returns the best view of the land about the start in some light.
    pub(crate) fn outlook_in(&self, hour: f32, light: Light) -> Outlook {
        let sun = engine::Sun {
            time_of_day: hour / 24.0,
        };
        let about = Surroundings {
            middle: self.start.position,
            reach: FIRST_VIEW,
            sun: sun.direction(),
            light,
        };
        first_view::find(&self.simulation.world, &about)
    }

    /// Moves the player into the air, to the best view of the land. Returns the view.
    pub(crate) fn take_off(&mut self, hour: f32) -> Outlook {
        let outlook = self.outlook(hour);
        self.simulation
            .apply(PlayerId::FIRST, &Command::Teleport(outlook.eye));
        outlook
    }

    /// Puts the player where the last session ended, or into the air on a first visit; a guest
    /// stays where the server has it. Returns the view.
    pub(crate) fn begin(&mut self, hour: f32) -> Outlook {
        if self.guest.is_some() {
            return Outlook {
                eye: self.simulation.eye(),
                yaw: self.start.yaw,
                pitch: 0.0,
            };
        }
        let Some(place) = Place::kept_in(&self.simulation.world) else {
            return self.take_off(hour);
        };
        self.simulation
            .return_player(PlayerId::FIRST, place.position(), place.travel());
        place.view_from(self.simulation.eye())
    }

    /// Sets the number of walkers of an own world.
    pub(crate) fn set_crowd(&mut self, count: u32) {
        if self.guest.is_none() {
            self.simulation
                .apply(PlayerId::FIRST, &Command::SetCrowd(count));
        }
    }

    /// Loads all land about the start that is in view, and waits for it.
    pub(crate) fn load_wholly(&mut self, view_metres: f32) {
        load_about(&mut self.simulation.world, self.start.position, view_metres);
    }

    /// Runs one tick of the simulation with the wish of the own player.
    pub fn tick(&mut self, wish: &Wish) {
        let input = Input::of(wish);
        match &mut self.guest {
            Some(guest) => guest.tick(&mut self.simulation, input),
            None => self.simulation.tick(&[(self.simulation.own_id(), input)]),
        }
    }

    /// Applies a command of the own player; that of a guest goes to its server, too, whose answer
    /// comes later.
    pub fn apply(&mut self, command: &Command) -> Result<(), Refusal> {
        let simulation = &mut self.simulation;
        if let Some(guest) = &mut self.guest {
            return guest.apply(simulation, command);
        }
        simulation.apply(simulation.own_id(), command);
        Ok(())
    }

    /// Loads land that came into view and drops land far behind. Returns the number of missing
    /// columns.
    pub fn stream(&mut self, view_metres: f32, look: Vector3<f32>) -> usize {
        let viewer = Viewer {
            position: self.simulation.player_position(),
            look,
            reach: view_metres,
        };
        self.simulation
            .world
            .stream(&[viewer], &StreamSettings::default())
            .waiting
    }

    /// Saves all unsaved changes, or the whole world if the file was deleted meanwhile.
    pub fn close(&mut self) -> Result<(), Error> {
        if self.guest.take().is_some() {
            // The world is that of the server.
            return self.hosting.as_mut().map_or(Ok(()), Hosting::end);
        }
        self.simulation.finish_strokes();
        self.simulation.keep_fog();
        let Some(path) = &self.path else {
            return Ok(());
        };
        if finish(&self.simulation.world, path)? {
            let path = path.display();
            complain!("note: {path} was deleted while it was open, and is written again");
        }
        Ok(())
    }

    /// Continues in a copy of this world, which is written in the background.
    pub fn save_as(&mut self, path: &Path) -> Result<(), Error> {
        make_folder(path)?;
        self.simulation.finish_strokes();
        self.simulation.keep_fog();
        self.simulation
            .world
            .begin_save_as(path)
            .map_err(|error| broken(path, &error))?;
        self.path = Some(path.to_path_buf());
        Ok(())
    }
}

/// Returns the error of a save that cannot be used.
pub(crate) fn broken(path: &Path, error: &SaveError) -> Error {
    Error::Content(words_of_save(path, error))
}

fn start_of(world: &World, tuning: &Characters) -> Start {
    let towards = world.spawn().map(|spawn| spawn.towards);
    Start {
        position: simulation::start_of(world, tuning.half_height),
        yaw: towards.map_or(0.0, |[x, z]| (x as f32).atan2(-z as f32)),
    }
}

/// Loads land within a distance, and reports progress.
fn load_in_rings(world: &mut World, middle: Position, metres: f32, tell: &dyn Fn(f32)) {
    for ring in 1..=RINGS {
        let share = ring as f32 / RINGS as f32;
        load_about(world, middle, metres * share.sqrt());
        tell(share);
    }
}

/// Loads all land within a distance and waits for it.
fn load_about(world: &mut World, position: Position, metres: f32) {
    let viewer = Viewer {
        position,
        look: Vector3::zeros(),
        reach: metres,
    };
    world.stream_wholly(&[viewer], &StreamSettings::default());
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use collision::Cell;
    use world::save::DiskStore;
    use world::{CellBox, Material};

    use super::*;

    /// Progress of a program that was killed.
    #[derive(Clone, Copy, Debug)]
    enum Begun {
        Opened,
        Made,
    }

    #[test]
    fn a_world_that_was_hardly_begun_is_begun_again() {
        let name = format!("demo-session-{}-begun.voxels", std::process::id());
        let path = std::env::temp_dir().join(name);
        for step in [Begun::Opened, Begun::Made] {
            let _ = std::fs::remove_file(&path);
            match step {
                Begun::Opened => std::fs::write(&path, b"").unwrap(),
                Begun::Made => drop(DiskStore::create(&path).unwrap()),
            }
            let session = Session::saved(&path, None, 32.0, &Characters::default());
            assert!(session.is_ok_and(|session| session.seed == 1), "{step:?}");
        }
        // The saved world is opened, whatever its seed.
        drop(World::open(&path).unwrap());
        std::fs::remove_file(&path).unwrap();
        drop(World::create(&path, 9).unwrap());
        let session = Session::saved(&path, None, 32.0, &Characters::default());
        assert!(session.is_ok_and(|session| session.seed == 9));
        std::fs::remove_file(&path).unwrap();
    }

    /// A folder of worlds that is removed with its test.
    struct Worlds(PathBuf);

    impl Worlds {
        fn new(name: &str) -> Self {
            let name = format!("demo-session-{}-{name}", std::process::id());
            let path = std::env::temp_dir().join(name);
            let _ = std::fs::remove_dir_all(&path);
            std::fs::create_dir_all(&path).unwrap();
            Worlds(path)
        }
    }

    impl Drop for Worlds {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn open(path: &Path) -> Result<Session, Error> {
        Session::saved(path, None, 32.0, &Characters::default())
    }

    #[test]
    fn another_world_is_opened_where_the_last_is_damaged_or_in_use() {
        let worlds = Worlds::new("spare");
        let last = worlds.0.join("last.voxels");
        std::fs::write(&last, b"this is no world").unwrap();
        let opened = open_or_spare(&last, &worlds.0, open).unwrap();
        let first = worlds.0.join(FIRST_WORLD);
        assert_eq!(opened.session.path, Some(first.clone()));
        let words = opened.notice(Language::English).unwrap();
        assert!(
            words.contains("last.voxels") && words.contains(FIRST_WORLD),
            "{words}"
        );
        assert_eq!(std::fs::read(&last).unwrap(), b"this is no world");
        // The first world is in use now.
        let second = open_or_spare(&first, &worlds.0, open).unwrap();
        assert_eq!(second.session.path, Some(worlds.0.join("first-2.voxels")));
        assert!(second.refused.is_some());
        let refuse = |_: &Path| Err(Error::Failed("no".to_owned()));
        assert!(open_or_spare(&last, &worlds.0, refuse).is_err());
    }

    #[test]
    fn a_world_whose_file_was_deleted_is_written_again() {
        let worlds = Worlds::new("deleted");
        let path = worlds.0.join("deeper/gone.voxels");
        let mut session = open(&path).unwrap();
        let cell = session.start.position.cell + Cell::new(0, 40, 0);
        let world = &mut session.simulation.world;
        world.load(&CellBox::new(cell, cell)).unwrap();
        world.set_voxel(cell, Material::GOLD);
        std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
        session.close().unwrap();
        drop(session);
        let mut again = World::open(&path).unwrap();
        again.load(&CellBox::new(cell, cell)).unwrap();
        assert_eq!(again.material(cell), Some(Material::GOLD));
    }
}
