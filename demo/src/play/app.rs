//! The program of the window: owns everything that is open and passes events on.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use collision::Position;
use engine::window::{App, Context, Notice, Pointer};
use engine::{Camera, Frame, GpuKind, InputEvent};
use simulation::{Command, Wish};

use crate::arguments::{Overlay, PlayArguments};
use crate::error::Error;
use crate::input::{ActionGroup, InputState, Trigger};
use crate::language::Language;
use crate::session::Session;
use crate::settings::SettingsFile;
use crate::sound::Sounds;
use crate::terminal::complain;
use crate::ui::{Facts, Panel, Screen, Ui, apply_theme, hints};
use crate::view::{LandMap, Staged, View, Wanted};

use super::advice::Advice;
use super::aim::Aim;
use super::chooser::Chooser;
use super::clock::Clock;
use super::gamepad::Gamepad;
use super::hearing::Hearing;
use super::history::History;
use super::jobs::Jobs;
use super::rig::{Follow, Person, Rig};
use super::scene_viewer::SceneViewer;
use super::selection::{Selection, handle_radius};
use super::shelf::Shelf;
use super::tools::{Hands, Tool};
use super::visit::Visit;

/// Turn by a gamepad's stick at full tilt, radians a second.
const STICK_TURN: f32 = 2.6;
/// Real seconds between two checks for changed settings.
const SAVE_SECONDS: f32 = 0.12;

/// Seconds between two memories of the player's place and tools.
pub(super) const MEMORY_SECONDS: f64 = 1.0;

/// Everything that is open while playing.
pub(super) struct Play {
    pub(super) settings: SettingsFile,
    pub(super) session: Session,
    pub(super) input: InputState,
    pub(super) ui: Ui,
    pub(super) rig: Rig,
    pub(super) hands: Hands,
    pub(super) aim: Aim,
    pub(super) selection: Selection,
    pub(super) clock: Clock,
    pub(super) overlays: BTreeSet<Overlay>,
    pub(super) facts: Facts,
    pub(super) history: History,
    pub(super) jobs: Jobs,
    pub(super) shelf: Shelf,
    pub(super) chooser: Chooser,
    pub(super) scene_viewer: SceneViewer,
    pub(super) visit: Visit,
    pub(super) map: LandMap,
    pub(super) seconds: f64,
    /// Number of times that the facts were gathered.
    pub(super) facts_gathered: u64,
    gamepad: Gamepad,
    pub(super) view: View,
    pub(super) hearing: Hearing,
    advice: Advice,
    camera: Camera,
    last_save: f64,
    last_memory: f64,
    /// Time of the last press of the key for up.
    pub(super) last_up: f64,
}

impl Play {
    /// Opens the world of the arguments, or the last one.
    pub(super) fn open(
        mut settings: SettingsFile,
        arguments: &PlayArguments,
        sounds: Sounds,
    ) -> Result<Self, Error> {
        settings.lend(arguments.view.map(|view| view as f32), arguments.crowd);
        let opened = Session::open_for_play(arguments, &mut settings.settings)?;
        let notice = opened.notice(settings.language());
        let mut session = opened.session;
        session.set_crowd(settings.settings.characters.crowd);
        let outlook = session.begin(settings.settings.graphics.hour);
        let advice = match settings.chosen {
            true => Advice::none(),
            false => Advice::on_quality(),
        };
        let mut ui = Ui::default();
        if let Some(notice) = &notice {
            complain!("note: {notice}");
        }
        for notice in settings.notice.take().into_iter().chain(notice) {
            ui.toasts.say(notice);
        }
        let simulation = &session.simulation;
        let hands = Hands::new(simulation.world.materials());
        let camera = Camera::new(simulation.eye(), 0.0, 0.0);
        let mut play = Play {
            settings,
            session,
            input: InputState::default(),
            ui,
            rig: Rig::looking(&outlook),
            hands,
            aim: Aim::default(),
            selection: Selection::default(),
            clock: Clock::default(),
            overlays: BTreeSet::new(),
            facts: Facts::default(),
            history: History::default(),
            jobs: Jobs::default(),
            shelf: Shelf::default(),
            chooser: Chooser::default(),
            scene_viewer: SceneViewer::default(),
            visit: Visit::default(),
            map: LandMap::default(),
            seconds: 0.0,
            facts_gathered: 0,
            gamepad: Gamepad::open(),
            view: View::default(),
            hearing: Hearing::new(sounds),
            advice,
            camera,
            last_save: 0.0,
            last_memory: 0.0,
            last_up: f64::NEG_INFINITY,
        };
        play.recall_tools();
        if arguments.asks_for_nothing() {
            play.ui.screen = Screen::Title;
        }
        if let Some(name) = &arguments.scene {
            play.ui.toggle(Panel::Scenes);
            play.open_scene(name);
        }
        Ok(play)
    }

    /// Returns the language of all texts.
    pub(super) fn language(&self) -> Language {
        self.settings.language()
    }

    /// Returns the camera of the picture.
    pub(super) fn camera(&self) -> &Camera {
        &self.camera
    }

    /// Changes to another world, after saving this one.
    pub(super) fn change_world(&mut self, session: Result<Session, Error>) {
        let mut session = match session {
            Ok(session) => session,
            Err(error) => return self.opening_failed(&error),
        };
        self.remember();
        if let Err(error) = self.session.close() {
            return self.ui.toasts.say(error.to_string());
        }
        session.set_crowd(self.settings.settings.characters.crowd);
        let outlook = session.begin(self.settings.settings.graphics.hour);
        self.rig = Rig::looking(&outlook);
        if let Some(path) = &session.path {
            self.settings.settings.remember_world(path);
        }
        let tables = [&self.session, &session].map(|it| it.simulation.world.materials());
        self.hands.carry_over(tables[0], tables[1]);
        self.facts.world.materials.clear();
        self.session = session;
        self.begin_visit();
        self.recall_tools();
        self.jobs.change_world();
        self.aim = Aim::default();
        self.selection = Selection::default();
        self.view.world_generation += 1;
    }

    /// Returns the player's wish for the next ticks.
    fn wish(&self) -> Wish {
        if self.ui.screen != Screen::Game {
            return Wish {
                yaw: self.rig.yaw,
                pitch: self.rig.pitch,
                ..Wish::default()
            };
        }
        use crate::input::Action::{Back, Down, Forward, Left, Right, Sprint, Up};
        let input = &self.input;
        let axis = |plus, minus| input.amount(plus) - input.amount(minus);
        Wish {
            yaw: self.rig.yaw,
            pitch: self.rig.pitch,
            forward: axis(Forward, Back) + input.stick_move[1],
            right: axis(Right, Left) + input.stick_move[0],
            up: axis(Up, Down),
            sprint: input.holds(Sprint),
        }
    }

    /// Binds a key, button or step of the wheel to the action that waits for one. A modifier alone
    /// is bound only when it is released without another key.
    fn takes_key(&mut self, event: &InputEvent) -> bool {
        let (key, is_down) = match event {
            InputEvent::Pressed(key) => (key.as_str(), true),
            InputEvent::Released(key) => (key.as_str(), false),
            InputEvent::Wheel(key) => (*key, true),
            _ => return false,
        };
        let Some(plain) = Trigger::parse(key) else {
            return false;
        };
        if is_down && plain.is_modifier() {
            self.input.hold(key);
            return true;
        }
        let wanted = if is_down {
            self.input.trigger_of(key)
        } else {
            plain.is_modifier().then_some(plain)
        };
        if let Some(trigger) = wanted {
            let language = self.language();
            self.ui
                .take_key(trigger, language, &mut self.settings.settings);
        }
        is_down
    }

    /// Returns whether a key is meant for an open panel, although none of its fields has the
    /// keyboard: a letter typed into a panel must not change the world. With the pointer captured,
    /// or with Ctrl or Alt, it is a command.
    fn is_typing(&self, key: &str, context: &Context) -> bool {
        let is_free = context.pointer_mode() == Pointer::Free;
        let writes = Trigger::parse(key).is_some_and(|it| it.writes());
        let held = self.input.trigger_of(key);
        is_free
            && self.ui.any_open()
            && writes
            && held.is_some_and(|trigger| !trigger.ctrl && !trigger.alt)
    }

    /// Returns whether a button of the mouse captures the free pointer. The cannon is aimed with a
    /// free pointer, too, and so are all tools beside the panel of building; buttons for the menu
    /// and the panels act as usual.
    fn takes_pointer(&self, key: &str, context: &Context) -> bool {
        let bindings = &self.settings.settings.controls.bindings;
        let action = self.input.asked_by(key, bindings);
        let shows = action.is_some_and(|it| it.group() == ActionGroup::Show);
        let works = self.hands.tool == Tool::Cannon || self.ui.is_open(Panel::Build);
        key.starts_with("Mouse")
            && context.pointer_mode() == Pointer::Free
            && !shows
            && !(works && self.ui.screen == Screen::Game)
    }

    fn turn(&mut self, seconds: f32) {
        let controls = &self.settings.settings.controls;
        let [right, down] = self.input.pointer_motion;
        let scale = controls.mouse_degrees_a_pixel.to_radians();
        let flip = if controls.invert_pitch { -1.0 } else { 1.0 };
        let stick = self
            .input
            .stick_look
            .map(|amount| amount * STICK_TURN * seconds);
        self.rig
            .turn(right * scale + stick[0], -down * scale * flip + stick[1]);
    }

    fn tick(&mut self, elapsed: Duration) {
        let wish = self.wish();
        // The rules of a shared world are those of its server.
        if self.session.guest.is_none() {
            let tuning = self.settings.settings.characters.clone();
            self.apply(Command::Tune(tuning));
            let choice = self.settings.settings.fog.clone();
            self.apply(Command::TuneFog(choice));
        }
        let cost = self.history.tick.average() / 1e3;
        for _ in 0..self.clock.ticks(elapsed, cost) {
            let start = Instant::now();
            self.session.tick(&wish);
            self.history.tick.push(start.elapsed().as_secs_f32() * 1e3);
        }
    }

    /// Handles a gamepad's buttons like keys, so that they can be bound, too.
    fn poll_gamepad(&mut self) {
        let waits = self.ui.waits_for_key();
        let bindings = &self.settings.settings.controls.bindings;
        let pressed = self.gamepad.poll(&mut self.input, bindings);
        if let Some(button) = pressed.filter(|_| waits) {
            self.takes_key(&InputEvent::Pressed(button.to_owned()));
            self.input.forget_pressed();
        }
    }

    fn follow(&mut self, seconds: f32) {
        if let Some(camera) = self.scene_camera() {
            self.camera = camera;
            return;
        }
        let simulation = &self.session.simulation;
        let Some(drawn) = simulation.drawn_player(self.clock.between()) else {
            return;
        };
        let follow = Follow {
            world: &simulation.world,
            position: drawn.position,
            eye_height: simulation.eye_height() + drawn.eye_lag,
            field_of_view: self
                .settings
                .settings
                .graphics
                .field_of_view_degrees
                .to_radians(),
        };
        self.camera = self.rig.follow(&follow, seconds);
    }

    /// Chooses the picture by measured times, unless the player did before.
    fn advise(&mut self, context: &Context) {
        let milliseconds = context.statistics.gpu_milliseconds();
        let graphics = &mut self.settings.settings.graphics;
        let Some(advised) = self.advice.advise(graphics, milliseconds) else {
            return;
        };
        let before = std::mem::replace(graphics, advised.graphics);
        let time = format!("{:.1}", advised.milliseconds);
        let language = self.settings.language();
        let graphics = &self.settings.settings.graphics;
        let words = if graphics.render_scale == before.render_scale {
            let view = format!("{:.0}", graphics.view_metres);
            let shadows = language.say(graphics.shadows.words());
            let words = "A picture takes {} ms here: view {} m, {} shadows (F5 changes it)";
            language.fill(words, &[&time, &view, &shadows])
        } else {
            let share = format!("{:.0}", graphics.render_scale * 100.0);
            let words = "A picture takes {} ms here: {} % of the resolution now (F5 changes it)";
            language.fill(words, &[&time, &share])
        };
        self.ui.toasts.say(words);
    }

    /// Closes the title or the menu, and takes the pointer.
    pub(super) fn enter(&mut self, context: &mut Context) {
        self.ui.screen = Screen::Game;
        context.set_pointer(Pointer::Captured);
        let obeyed = &mut self.settings.settings.hints_obeyed;
        *obeyed = hints::after_capture(*obeyed);
    }

    fn gather(&mut self) {
        let shot: &[Position] = self.aim.path();
        let wanted = Wanted {
            camera: self.camera,
            overlays: &self.overlays,
            between: self.clock.between(),
            player_shows: self.rig.person == Person::Third,
            shot,
            gun: self.aim.gun,
        };
        self.view.ghost.clear();
        self.view.ghost.extend_from_slice(self.aim.ghost());
        self.view.ghost_kind = self.aim.ghost_kind();
        self.view.outline = self.aim.outline;
        self.view.symmetry = self.hands.symmetry;
        self.view.handles.clear();
        let eye = self.camera.position;
        let handles = self.handles().map(|at| (at, handle_radius(&at, &eye)));
        let handles: Vec<_> = handles.collect();
        self.view.handles.extend(handles);
        self.view.gather(&self.session.simulation, &wanted);
    }
}

impl App for Play {
    fn ready(&mut self, context: &mut Context) {
        context.set_fullscreen(self.settings.settings.graphics.full_screen);
        apply_theme(&context.egui);
        if context.gpu_kind == GpuKind::Software && !self.settings.chosen {
            self.settings.choose_modest();
            self.advice = Advice::on_scale(&self.settings.settings.graphics);
            let words = "There is no graphics card: a modest picture to begin with (F5 changes it)";
            self.ui.toasts.say(words);
        }
    }

    fn input(&mut self, event: &InputEvent, context: &mut Context) {
        if self.ui.waits_for_key() && self.takes_key(event) {
            return;
        }
        let bindings = &self.settings.settings.controls.bindings;
        match event {
            InputEvent::Pressed(key) if self.is_typing(key, context) => {}
            InputEvent::Pressed(key) => {
                if !self.takes_pointer(key, context) {
                    self.input.press(key, bindings);
                } else if self.ui.screen == Screen::Game {
                    // The title and the menu have a button for it.
                    self.enter(context);
                }
            }
            InputEvent::Released(key) => self.input.release(key),
            InputEvent::Wheel(key) => self.input.click(key, bindings),
            InputEvent::PointerMotion([right, down]) => {
                self.input.pointer_motion[0] += right;
                self.input.pointer_motion[1] += down;
            }
            InputEvent::FocusLost => self.input.let_go(),
            InputEvent::FileDropped(path) => self.open_dropped(path.clone()),
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, context: &mut Context) {
        context
            .egui
            .set_zoom_factor(self.settings.settings.graphics.ui_scale);
        self.gather_facts(context);
        let facts = std::mem::take(&mut self.facts);
        let requests = self.ui.show(ui.ctx(), &facts, &mut self.settings.settings);
        self.settings.follow_changes();
        self.facts = facts;
        for request in requests {
            self.fulfil(request, context);
        }
    }

    fn update(&mut self, elapsed: Duration, context: &mut Context) {
        let seconds = elapsed.as_secs_f32();
        self.seconds += elapsed.as_secs_f64();
        self.history.frame.push(seconds * 1e3);
        self.history.cpu.push(context.statistics.total_milliseconds);
        self.advise(context);
        self.finish_jobs();
        self.go_on_visiting();
        self.take_choice();
        self.fill_shelf();
        if !self.session.simulation.is_stroke_complete() {
            self.apply(Command::GoOn);
        }
        self.poll_gamepad();
        self.turn(seconds);
        self.follow(0.0);
        self.point(context);
        self.act(seconds, context);
        let wish = self.wish();
        if !self.play_scene_viewer(&wish, elapsed) {
            self.tick(elapsed);
        }
        self.settings.settings.graphics.pass_day(seconds);
        self.follow(seconds);
        self.hear();
        let view = self.settings.settings.graphics.view_metres;
        if self.scene_viewer.open.is_none() {
            self.session.stream(view, self.camera.forward());
        }
        self.input.end_frame();
        if self.seconds - self.last_memory > MEMORY_SECONDS {
            self.last_memory = self.seconds;
            self.remember();
        }
        if self.seconds - self.last_save > f64::from(SAVE_SECONDS) {
            self.last_save = self.seconds;
            if let Err(error) = self.settings.save_if_settled() {
                self.ui.toasts.say(error.to_string());
            }
        }
    }

    fn frame<'a>(&'a mut self, _: &'a Context) -> Frame<'a> {
        if self.scene_viewer.open.is_none() {
            self.gather();
        }
        let graphics = &self.settings.settings.graphics;
        if let Some(open) = &self.scene_viewer.open {
            let staged = Staged {
                recording: &open.recording,
                replay: &open.replay,
                tick: open.tick,
                generation: open.world_generation(),
            };
            self.view.gather_scene(&staged, &self.camera);
            return self.view.scene_frame(&staged, self.camera, graphics);
        }
        self.view
            .frame(&self.session.simulation, self.camera, graphics)
    }

    fn notice(&mut self, notice: Notice, _: &mut Context) {
        let graphics_failed = matches!(notice, Notice::DeviceRecovered | Notice::DrawingError(_));
        let language = self.language();
        let words = match notice {
            Notice::ScreenshotSaved(path) => {
                let name = path.file_name().unwrap_or_default();
                language.fill("Screenshot {}", &[&name.to_string_lossy()])
            }
            Notice::ScreenshotFailed(reason) => language.fill("No screenshot: {}", &[&reason]),
            Notice::DeviceRecovered => {
                let words = "The graphics device was lost and is back";
                language.say(words).to_owned()
            }
            Notice::DrawingError(reason) => reason,
        };
        if graphics_failed {
            complain!("warning: {words}");
        }
        self.ui.toasts.say(words);
    }

    fn quit(&mut self) -> Result<(), Box<dyn std::error::Error>> {
        self.place_pieces(Duration::MAX);
        self.remember();
        let settings = self.settings.save_if_changed();
        // The world is saved even if the settings cannot be.
        self.session.close()?;
        Ok(settings?)
    }
}
