//! The effect of each action, frame by frame.

use collision::Cell;
use engine::window::{Context, Pointer};

use crate::input::Action;
use crate::settings::Power;
use crate::ui::{OVERLAY_ROWS, Panel, Screen, hints};
use simulation::{
    Blow, BrushMode, BrushShape, Characters, Command, Joins, Mood, Refusal, Stroke, Switch, Travel,
};
use world::ObjectId;

use super::app::Play;
use super::tools::{SLOTS, Tool};

/// Seconds until the cannon is fully charged.
const CHARGE_SECONDS: f32 = 1.4;
/// Longest time between two presses that count as one double press, seconds.
const TWICE_SECONDS: f64 = 0.3;
/// Number of targets that are scattered.
const TARGETS: u32 = 30;
/// Factor of the flying speed for each step of the wheel.
const SPEED_STEP: f32 = 1.25;

impl Play {
    /// Performs the actions since the last picture.
    pub(super) fn act(&mut self, seconds: f32, context: &mut Context) {
        for action in self.input.pressed().to_vec() {
            self.begin(action, context);
        }
        for action in self.input.released().to_vec() {
            if action == Action::Use {
                self.let_go();
            }
        }
        self.hold(seconds);
    }

    /// Performs one action, as if its key had been pressed.
    pub(super) fn begin(&mut self, action: Action, context: &mut Context) {
        if self.scene_viewer.open.is_some() {
            return self.begin_in_scene(action, context);
        }
        if self.ui.screen != Screen::Game {
            self.begin_display(action, context);
            return;
        }
        let obeyed = &mut self.settings.settings.hints_obeyed;
        *obeyed = hints::after_action(*obeyed, action);
        if self.begin_tool(action) || self.begin_game(action) || self.begin_display(action, context)
        {
            return;
        }
        self.begin_travel(action);
    }

    /// Performs an action while a scene is open: keys of time move the scene, those of panels and
    /// pictures act as usual.
    fn begin_in_scene(&mut self, action: Action, context: &mut Context) {
        let Some(open) = &self.scene_viewer.open else {
            return;
        };
        match action {
            Action::Freeze => self.play_scene(!open.is_playing()),
            Action::Step => self.scrub_scene(open.tick + 1),
            Action::ReleasePointer
                if context.pointer_mode() == Pointer::Free && !self.ui.any_open() =>
            {
                self.close_scene();
            }
            _ => {
                self.begin_display(action, context);
            }
        }
    }

    pub(super) fn apply(&mut self, command: Command) {
        if let Err(refusal) = self.session.apply(&command) {
            self.tell_refusal(&refusal);
        }
    }

    fn begin_travel(&mut self, action: Action) {
        match action {
            Action::SwitchWalk => self.switch_travel(),
            Action::Up => {
                let before = std::mem::replace(&mut self.last_up, self.seconds);
                if self.seconds - before < TWICE_SECONDS {
                    self.last_up = f64::NEG_INFINITY;
                    self.switch_travel();
                }
            }
            Action::SwitchView => self.rig.switch(),
            Action::Faster => self.change_speed(SPEED_STEP),
            Action::Slower => self.change_speed(1.0 / SPEED_STEP),
            Action::Spawn => self.apply(Command::Spawn),
            Action::Teleport => {
                if let Some(cell) = self.aim.before() {
                    self.apply(Command::Teleport(simulation::standing_in(cell, 0.0)));
                }
            }
            _ => {}
        }
    }

    fn switch_travel(&mut self) {
        let travel = match self.session.simulation.travel() {
            Travel::Fly => Travel::Walk,
            Travel::Walk => Travel::Fly,
        };
        self.apply(Command::Travel(travel));
    }

    fn change_speed(&mut self, factor: f32) {
        let mut characters: Characters = self.settings.settings.characters.clone();
        characters.fly_speed = (characters.fly_speed * factor).clamp(0.5, 500.0);
        let speed = format!("{:.0}", characters.fly_speed);
        let words = self.language().fill("Flying at {} m/s", &[&speed]);
        self.ui.toasts.say(words);
        self.settings.settings.characters = characters;
    }

    fn begin_tool(&mut self, action: Action) -> bool {
        match action {
            Action::Use => self.use_tool(),
            Action::UseOther => self.use_other(),
            Action::PickMaterial => {
                if let Some(pick) = &self.aim.pick {
                    self.hands.take(pick.material);
                }
            }
            Action::Larger => self.scroll(1),
            Action::Smaller => self.scroll(-1),
            Action::NextBrush => self.hands.next_brush(),
            Action::NextMode if self.hands.tool == Tool::Props => self.next_prop(),
            Action::NextMode => self.hands.next_mode(),
            Action::NextSlot => self.hands.slot = (self.hands.slot + 1) % SLOTS,
            Action::Undo => self.apply(Command::Undo),
            Action::Redo => self.apply(Command::Redo),
            Action::Copy => self.copy(),
            Action::Paste => self.take_copy(),
            Action::PlaceModel => self.place_model(),
            Action::TakeModel => self.take_model(),
            Action::TurnCopy => self.turn_copy(),
            Action::MirrorCopy => self.mirror_copy(),
            Action::Lamp => self.place_lamp(),
            Action::ToolCarve => self.hands.tool = Tool::Carve,
            Action::ToolCannon => self.hands.tool = Tool::Cannon,
            Action::ToolMelee => self.hands.tool = Tool::Melee,
            Action::ToolProps => self.hands.tool = Tool::Props,
            Action::ToolSelect => self.hands.tool = Tool::Select,
            Action::NextTool => self.hands.tool = self.hands.tool.next(),
            Action::Spin => self.apply(Command::Strike(Blow::Spin)),
            Action::Slam => self.apply(Command::Strike(Blow::Slam)),
            _ => return self.begin_slot(action),
        }
        true
    }

    fn begin_slot(&mut self, action: Action) -> bool {
        use Action::{Slot1, Slot2, Slot3, Slot4, Slot5, Slot6, Slot7, Slot8, Slot9};
        let slots = [
            Slot1, Slot2, Slot3, Slot4, Slot5, Slot6, Slot7, Slot8, Slot9,
        ];
        let slot = slots.iter().position(|&s| s == action);
        if let Some(slot) = slot {
            self.hands.slot = slot;
        }
        slot.is_some()
    }

    /// Uses the wheel: for the size of the brush, a turn, or the flying speed.
    fn scroll(&mut self, steps: i32) {
        match self.hands.tool {
            Tool::Carve => self.hands.resize(steps),
            Tool::Stamp => self.turn_copy(),
            Tool::Select => {}
            Tool::Props => self.turn_prop(steps),
            Tool::Cannon | Tool::Melee => self.change_speed(SPEED_STEP.powi(steps)),
        }
    }

    fn use_tool(&mut self) {
        match self.hands.tool {
            Tool::Carve => self.begin_drag(Action::Use, self.hands.mode()),
            Tool::Stamp => self.put_down(),
            Tool::Select => self.use_selection(),
            Tool::Props => self.use_prop(),
            Tool::Cannon => self.light_fuse(),
            Tool::Melee => self.apply(Command::Strike(Blow::Swing)),
        }
    }

    fn use_other(&mut self) {
        match self.hands.tool {
            Tool::Carve => self.begin_drag(Action::UseOther, self.hands.other_mode()),
            Tool::Stamp => self.hands.tool = Tool::Carve,
            Tool::Select => self.drop_selection(),
            Tool::Props => self.drop_prop(),
            Tool::Cannon => self.apply(Command::ScatterTargets(TARGETS)),
            Tool::Melee => self.apply(Command::Strike(Blow::Spin)),
        }
    }

    /// Begins to charge the cannon, or fires it at once where the distance sets the speed.
    fn light_fuse(&mut self) {
        match self.settings.settings.cannon.power {
            Power::Hold => self.aim.charge = Some(0.0),
            Power::Distance => self.apply(Command::Fire(self.shot())),
        }
    }

    fn let_go(&mut self) {
        if self.aim.charge.is_some() {
            let shot = self.shot();
            self.aim.charge = None;
            self.apply(Command::Fire(shot));
        }
    }

    /// Continues with the actions of held keys.
    fn hold(&mut self, seconds: f32) {
        if let Some(charge) = &mut self.aim.charge {
            *charge = (*charge + seconds / CHARGE_SECONDS).min(1.0);
        }
        self.drag_selection();
        self.go_on_dragging(seconds);
    }

    /// Returns the stroke that the tool would make at the pointer.
    pub(super) fn stroke_at_pointer(&self) -> Option<Stroke> {
        self.stroke(self.hands.mode(), Joins::Nothing)
    }

    pub(super) fn stroke(&self, mode: BrushMode, joins: Joins) -> Option<Stroke> {
        let pick = self
            .aim
            .pick
            .as_ref()
            .filter(|pick| pick.object.is_none())?;
        let center = if self.hands.builds(mode) {
            self.aim.before()?
        } else {
            pick.voxel
        };
        Some(Stroke {
            center,
            ..self.any_stroke(mode, joins)
        })
    }

    /// Returns the stroke that the brush would make on the model under the pointer.
    pub(super) fn stroke_on_model(&self, mode: BrushMode) -> Option<(ObjectId, Stroke)> {
        let pick = self.aim.pick.as_ref()?;
        let step = match pick.face {
            Some(face) if self.hands.builds(mode) => face.step(),
            _ => Cell::zeros(),
        };
        let stroke = Stroke {
            center: pick.voxel + step,
            ..self.any_stroke(mode, Joins::Nothing)
        };
        Some((pick.object?, stroke))
    }

    /// Returns the stroke of the brush, without its place.
    pub(super) fn any_stroke(&self, mode: BrushMode, joins: Joins) -> Stroke {
        Stroke {
            center: Cell::zeros(),
            size: self.hands.size,
            shape: self.hands.shape(),
            mode,
            material: self.hands.material(),
            joins,
        }
    }

    fn place_lamp(&mut self) {
        let lamp = self.session.simulation.world.materials().by_name("lamp");
        if let (Some(center), Some(material)) = (self.aim.before(), lamp) {
            let stroke = Stroke {
                center,
                size: 1,
                shape: BrushShape::Voxel,
                mode: BrushMode::Place,
                material,
                joins: Joins::Nothing,
            };
            self.apply(Command::Edit(stroke));
        }
    }

    fn begin_game(&mut self, action: Action) -> bool {
        let crowd = self.session.simulation.walkers();
        match action {
            Action::CrowdMore => self.set_crowd((crowd * 2).max(crowd + 10)),
            Action::CrowdFewer => self.set_crowd(if crowd <= 10 { 0 } else { crowd / 2 }),
            Action::CrowdMood => {
                let mood: Mood = self.session.simulation.mood().next();
                self.apply(Command::SetMood(mood));
                let language = self.language();
                let mood = language.say(mood.words());
                self.ui.toasts.say(language.fill("Walkers {}", &[&mood]));
            }
            Action::Platforms => {
                let switch = Switch::flipped(self.session.simulation.has_platforms());
                self.apply(Command::SetPlatforms(switch));
            }
            Action::FogOfWar => {
                let switch = Switch::flipped(self.session.simulation.fog().is_some());
                self.apply(Command::SetFog(switch));
            }
            Action::ThrowPickup => self.apply(Command::ThrowPickup),
            Action::Targets => self.apply(Command::ScatterTargets(TARGETS)),
            _ => return false,
        }
        true
    }

    /// Sets the number of walkers, here and in the settings.
    pub(super) fn set_crowd(&mut self, count: u32) {
        let count = count.min(simulation::MOST_WALKERS);
        self.settings.settings.characters.crowd = count;
        self.settings.follow_changes();
        self.apply(Command::SetCrowd(count));
        let there = self.session.simulation.walkers();
        let words = self.language().fill("{} walkers", &[&there]);
        self.ui.toasts.say(words);
    }

    fn begin_display(&mut self, action: Action, context: &mut Context) -> bool {
        if let Some((panel, _)) = Panel::ALL.iter().find(|(_, a)| *a == action) {
            self.ui.toggle(*panel);
            if self.ui.is_open(*panel) {
                context.set_pointer(Pointer::Free);
                self.ui.screen = self.ui.screen.beside(action);
            }
            return true;
        }
        if let Some((overlay, _)) = OVERLAY_ROWS.iter().find(|(_, a)| *a == action) {
            self.toggle_overlay(*overlay);
            return true;
        }
        match action {
            Action::Screenshot => self.screenshot(context),
            Action::Minimap => {
                let minimap = &mut self.settings.settings.graphics.minimap;
                *minimap = !*minimap;
            }
            Action::Freeze | Action::Step | Action::SlowMotion if self.session.guest.is_some() => {
                self.tell_refusal(&Refusal::NotOffered);
            }
            Action::Freeze => self.clock.toggle_freeze(),
            Action::Step => self.clock.step(),
            Action::SlowMotion => self.clock.toggle_slow(),
            Action::ReleasePointer => self.release_pointer(context),
            Action::Fullscreen => {
                let full_screen = &mut self.settings.settings.graphics.full_screen;
                *full_screen = !*full_screen;
                context.set_fullscreen(*full_screen);
            }
            Action::NewDevice => context.lose_device(),
            Action::Quit => context.quit(),
            _ => return false,
        }
        true
    }

    /// Shows or hides an overlay.
    pub(super) fn toggle_overlay(&mut self, overlay: crate::arguments::Overlay) {
        if !self.overlays.remove(&overlay) {
            self.overlays.insert(overlay);
        }
    }

    fn release_pointer(&mut self, context: &mut Context) {
        self.aim.corner = None;
        if self.ui.any_open() {
            // Beside a captured pointer, panels are out of reach.
            match context.pointer_mode() {
                Pointer::Captured => context.set_pointer(Pointer::Free),
                Pointer::Free => self.ui.close_all(),
            }
            return;
        }
        match self.ui.screen {
            Screen::Title => {}
            Screen::Menu => self.enter(context),
            Screen::Game if self.scene_viewer.open.is_some() => context.set_pointer(Pointer::Free),
            Screen::Game => {
                self.ui.screen = Screen::Menu;
                context.set_pointer(Pointer::Free);
            }
        }
    }

    fn screenshot(&mut self, context: &mut Context) {
        let folder = match serve::folders::worlds_folder() {
            Ok(folder) => folder.join("screenshots"),
            Err(error) => return self.ui.toasts.say(error.to_string()),
        };
        let stamp = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0, |elapsed| elapsed.as_millis());
        context.screenshot(&folder.join(format!("{stamp}.png")));
    }
}
