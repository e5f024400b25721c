//! Handles the requests of panels.

use std::path::{Path, PathBuf};

use collision::Cell;
use engine::window::Context;
use simulation::{BRUSH_SIZES, Command, PropModel, Refusal};
use world::files::{self, Existing, FileError};
use world::{CellBox, Material, PlacedModel, Ray};

use crate::error::Error;
use crate::models::{self, Piece};
use crate::saves::is_same_file;
use crate::session::{FIRST_VIEW, Session};
use crate::ui::Request;
use serve::folders::world_path;

use super::app::Play;
use super::jobs::{Done, Models};

/// Largest distance at which a model is placed, metres.
const IMPORT_REACH: f32 = 160.0;
/// Distance ahead at which it is placed without ground under the pointer, metres.
const IMPORT_AHEAD: f32 = 16.0;
/// Reach of an export about the player when there is no copy, cells.
const EXPORT_AROUND: i32 = 24;

impl Play {
    /// Handles a request of a panel.
    pub(super) fn fulfil(&mut self, request: Request, context: &mut Context) {
        self.hearing.sounds.click();
        if self.session.guest.is_some() && is_of_own_worlds(&request) {
            return self.tell_refusal(&Refusal::NotOffered);
        }
        match request {
            Request::Enter => self.enter(context),
            Request::Do(action) => self.begin(action, context),
            Request::SelectMaterial(id) => self.hands.take(Material(id)),
            Request::SelectSlot(slot) => self.hands.slot = slot.min(super::tools::SLOTS - 1),
            Request::SetCrowd(count) => self.set_crowd(count),
            Request::SetBrushSize(size) => {
                self.hands.size = size.clamp(*BRUSH_SIZES.start(), *BRUSH_SIZES.end());
            }
            Request::SetBrush(shape, mode) => self.hands.choose_brush(shape, mode),
            Request::SetSymmetry(across) => self.set_symmetry(across),
            Request::MoveSymmetry => self.move_symmetry(),
            Request::Work(work) => self.work_on_selection(work),
            Request::TurnCopy(axis) => self.turn_copy_about(axis),
            Request::ToggleOverlay(overlay) => self.toggle_overlay(overlay),
            Request::GoToStroke(count) => {
                self.apply(Command::GoToStroke(count));
            }
            Request::NewWorld { seed, path } => self.open_world(&path, Some(seed)),
            Request::OpenWorld(path) => self.open_world(&path, None),
            Request::Join(invite) => self.join(&invite),
            Request::Host => self.host(),
            Request::Leave => self.leave(),
            Request::Say(line) => self.say_line(&line),
            Request::Visit(player) => self.go_to(player),
            Request::SaveAs(path) => self.save_as(&path),
            Request::ImportVox(path) => self.import(path),
            Request::ReadProp(path) => self.read_prop(path),
            Request::ExportVox(path, existing) => self.export(path, existing),
            Request::Choose(choice) => self.choose(choice),
            Request::KeepBlueprint(name) => self.keep_blueprint(&name),
            Request::TakeBlueprint(path) => self.take_blueprint(&path),
            Request::DeleteBlueprint(path) => self.delete_blueprint(&path),
            Request::OpenScene(name) => self.open_scene(&name),
            Request::ScrubScene(tick) => self.scrub_scene(tick),
            Request::PlayScene(playing) => self.play_scene(playing),
            Request::SceneVariant(variant) => self.show_variant(variant),
            Request::CloseScene => self.close_scene(),
            Request::RunAllScenes => self.judge_all(),
        }
    }

    /// Opens a world, or makes a new one from a seed.
    pub(super) fn open_world(&mut self, path: &Path, seed: Option<u64>) {
        let path = match world_path(path) {
            Ok(path) => path,
            Err(error) => return self.ui.toasts.say(error.to_string()),
        };
        if self
            .session
            .path
            .as_deref()
            .is_some_and(|open| is_same_file(open, &path))
        {
            let words = self.language().say("This world is open already");
            return self.ui.toasts.say(words);
        }
        if seed.is_none() && !path.exists() {
            let words = self.language().fill("{} is not there", &[&path.display()]);
            return self.ui.toasts.say(words);
        }
        self.begin_opening(path, seed);
    }

    /// Begins to open a world, or to make a new one.
    pub(super) fn begin_opening(&mut self, path: PathBuf, seed: Option<u64>) {
        let settings = &self.settings.settings;
        let view = settings.graphics.view_metres.min(FIRST_VIEW);
        let tuning = settings.characters.clone();
        self.begin_job("Opening the world", move |share| {
            let told = |done| share.set(done);
            let opened = Session::saved_telling(&path, seed, view, &tuning, &told);
            Done::World(opened.map(Box::new))
        });
    }

    fn save_as(&mut self, path: &Path) {
        self.remember();
        let saved = world_path(path)
            .map_err(Error::from)
            .and_then(|path| self.session.save_as(&path).map(|()| path));
        match saved {
            Ok(path) => {
                let waiting = self.session.simulation.world.save_status().waiting;
                self.settings.settings.remember_world(&path);
                self.jobs.follow_saving(path, waiting);
            }
            Err(error) => self.ui.toasts.say(error.to_string()),
        }
    }

    /// Reads a model, to be placed under the pointer or a little way ahead.
    pub(super) fn import(&mut self, path: PathBuf) {
        let camera = self.camera();
        let ray = Ray {
            origin: camera.position,
            direction: camera.forward(),
        };
        let world = &self.session.simulation.world;
        let met = world.cast_ray(&ray, IMPORT_REACH);
        let at = match met.filter(|pick| pick.object.is_none()) {
            Some(pick) => pick
                .face
                .map_or(pick.voxel, |face| pick.voxel + face.step()),
            None => camera.position.moved(camera.forward() * IMPORT_AHEAD).cell,
        };
        let mut table = world.materials().clone();
        self.begin_job("Reading the model", move |_| {
            let read = models::read(&path, &mut table).and_then(|list| pieces_about(&list, at));
            Done::Models(read.map(|pieces| Models { pieces, table }))
        });
    }

    /// Reads an OBJ file as a model of props.
    pub(super) fn read_prop(&mut self, path: PathBuf) {
        self.begin_job("Reading the prop", move |_| {
            let model = PropModel::read(&path);
            let told = |error| Error::content(&path, error);
            Done::Prop(model.map(Box::new).map_err(told))
        });
    }

    /// Adds a model that was read, and takes it in hand.
    pub(super) fn take_prop_model(&mut self, model: PropModel) {
        let name = model.name().to_owned();
        match self.session.simulation.add_prop_model(model) {
            Ok(()) => self.hold_prop(&name),
            Err(error) => self.ui.toasts.say(error.to_string()),
        }
    }

    /// Begins to place a model that was read.
    pub(super) fn place_models(&mut self, models: Models) {
        let simulation = &mut self.session.simulation;
        // Only imports add materials, and only one runs at a time, but the player may have changed
        // to a world with another table.
        if !models.table.extends(simulation.world.materials()) {
            return self
                .ui
                .toasts
                .say("The world changed meanwhile: import again");
        }
        *simulation.world.materials_mut() = models.table;
        self.jobs.place(models.pieces);
    }

    /// Writes the copy, or the land round the player.
    pub(super) fn export(&mut self, path: PathBuf, existing: Existing) {
        let checked = files::check(&path, existing);
        self.facts.world.in_the_way = None;
        match checked {
            Ok(()) => {}
            Err(FileError::Exists(path)) => {
                self.facts.world.in_the_way = Some(path);
                return;
            }
            Err(error) => return self.ui.toasts.say(error.to_string()),
        }
        let save = self.session.path.as_deref();
        if save.is_some_and(|save| is_same_file(save, &path)) {
            let words = "{} is this world itself";
            let words = self.language().fill(words, &[&path.display()]);
            return self.ui.toasts.say(words);
        }
        let simulation = &mut self.session.simulation;
        let at = simulation.player_position().cell;
        let around = CellBox::new(
            at - Cell::repeat(EXPORT_AROUND),
            at + Cell::repeat(EXPORT_AROUND - 1),
        );
        let copy = match simulation.copied().cloned() {
            Some(copy) => Ok(copy),
            None => models::copy_box(&mut simulation.world, &around),
        };
        let copy = match copy {
            Ok(copy) => copy,
            Err(error) => return self.ui.toasts.say(error.to_string()),
        };
        let table = simulation.world.materials().clone();
        let language = self.language();
        self.begin_job("Writing the model", move |_| {
            let written = models::write(&path, &copy, &table, existing);
            let told = |voxels| language.fill("{}: {} voxels", &[&path.display(), &voxels]);
            Done::Written(written.map(told))
        });
    }

    /// Opens a file dropped on the window: a model, a prop or a world.
    pub(super) fn open_dropped(&mut self, path: PathBuf) {
        let is = |kind: &str| {
            path.extension()
                .is_some_and(|it| it.eq_ignore_ascii_case(kind))
        };
        if is("vox") {
            self.import(path);
        } else if is("obj") {
            self.read_prop(path);
        } else {
            self.open_world(&path, None);
        }
    }
}

/// Returns whether a request works on a world that is one's own.
fn is_of_own_worlds(request: &Request) -> bool {
    matches!(
        request,
        Request::SaveAs(_)
            | Request::ImportVox(_)
            | Request::ReadProp(_)
            | Request::SetCrowd(_)
            | Request::Host
    )
}

/// Cuts models into pieces, with the middle of their floor at a cell.
fn pieces_about(list: &[PlacedModel], at: Cell) -> Result<Vec<Piece>, Error> {
    let bounds = list.iter().map(|model| {
        let last = model.voxels.size().map(|side| side as i32 - 1);
        CellBox::new(model.at, model.at.zip_map(&last, i32::saturating_add))
    });
    let half = bounds
        .reduce(|a, b| a.union(&b))
        .map_or(Cell::zeros(), |bounds| {
            bounds.max.zip_map(&bounds.min, i32::wrapping_sub) / 2
        });
    let corner = at.zip_map(&Cell::new(half.x, 0, half.z), i32::wrapping_sub);
    models::cut(list, corner).map_err(|error| Error::Failed(format!("The model: {error}")))
}
