//! Panels, hot-bar and messages. They read facts, change settings and return requests: nothing here
//! touches the world.

mod build;
mod characters;
mod controls;
mod facts;
mod games;
mod graphics;
mod help;
pub(crate) mod hints;
mod hot_bar;
mod hud;
mod materials;
mod minimap;
mod overlays;
mod panel_bar;
mod range;
mod scenes;
mod screen;
mod shared;
mod shelf;
mod sound;
mod theme;
mod toasts;
mod voxel_picture;
mod worlds;

use std::collections::BTreeSet;
use std::path::PathBuf;

pub use build::{Place, RegionRequest};
pub use facts::{
    BlueprintFact, CrowdFacts, Facts, FrameFacts, MaterialFact, MemoryFact, MinimapFacts, PassFact,
    PlayerFact, Progress, SceneFacts, SceneState, SelectionFacts, SharedFacts, ToolFacts,
    WorldFacts,
};
pub(crate) use help::readable;
pub(crate) use overlays::ROWS as OVERLAY_ROWS;
pub use screen::Screen;
pub use theme::apply as apply_theme;
pub use toasts::Toasts;
pub use voxel_picture::VoxelPicture;
pub(crate) use voxel_picture::{Atlas, Skins, draw as draw_voxels};

use simulation::{BrushMode, BrushShape, PlayerId};
use world::Axis;
use world::files::Existing;

use crate::arguments::Overlay;
use crate::input::{Action, Bindings, Trigger};
use crate::language::Language;
use crate::settings::Settings;

/// A window of settings or facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Panel {
    /// Keys and their actions.
    Help,
    /// Materials to build with.
    Materials,
    /// The brush, and work on the selected box.
    Build,
    /// Copies that are kept as files.
    Shelf,
    /// New, open, save as, import, export.
    World,
    /// Shared worlds: join, host, players and talk.
    Shared,
    /// Settings of the picture.
    Graphics,
    /// Shape and speed of characters, and the crowd.
    Characters,
    /// Settings of the cannon and the fog of war.
    Games,
    /// The cannon's range.
    Range,
    /// Keys and their bindings.
    Controls,
    /// Overlays.
    Overlays,
    /// The regression scenes.
    Scenes,
}

impl Panel {
    /// Returns its title.
    pub const fn words(self) -> &'static str {
        match self {
            Panel::Help => "Help",
            Panel::Materials => "Materials",
            Panel::Build => "Build",
            Panel::Shelf => "Blueprints",
            Panel::World => "Worlds",
            Panel::Shared => "Play together",
            Panel::Graphics => "Picture",
            Panel::Characters => "Characters",
            Panel::Games => "Cannon and fog",
            Panel::Range => "Range",
            Panel::Controls => "Keys and mouse",
            Panel::Overlays => "Overlays",
            Panel::Scenes => "Scenes",
        }
    }

    /// Every panel with the action that opens it.
    pub const ALL: [(Panel, Action); 13] = [
        (Panel::Help, Action::Help),
        (Panel::Materials, Action::PanelMaterials),
        (Panel::Build, Action::PanelBuild),
        (Panel::Shelf, Action::PanelShelf),
        (Panel::World, Action::PanelWorld),
        (Panel::Shared, Action::PanelShared),
        (Panel::Graphics, Action::PanelGraphics),
        (Panel::Characters, Action::PanelCharacters),
        (Panel::Games, Action::PanelGames),
        (Panel::Range, Action::PanelRange),
        (Panel::Controls, Action::PanelControls),
        (Panel::Overlays, Action::PanelOverlays),
        (Panel::Scenes, Action::PanelScenes),
    ];
}

/// A request of a panel.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Begins or continues the game: closes the title or the menu.
    Enter,
    /// Performs an action, as if its key had been pressed.
    Do(Action),
    /// Puts a material into the selected slot of the hot-bar.
    SelectMaterial(u16),
    /// Selects this slot of the hot-bar.
    SelectSlot(usize),
    /// Sets the number of walkers.
    SetCrowd(u32),
    /// Sets the radius of the brush, voxels.
    SetBrushSize(u32),
    /// Chooses the shape and the effect of the brush.
    SetBrush(BrushShape, BrushMode),
    /// Puts the planes of symmetry across x and across z up or away.
    SetSymmetry([bool; 2]),
    /// Moves the planes of symmetry to what the eye looks at.
    MoveSymmetry,
    /// Does some work on the selected box.
    Work(RegionRequest),
    /// Turns the copy in hand about an axis.
    TurnCopy(Axis),
    /// Shows or hides an overlay.
    ToggleOverlay(Overlay),
    /// Opens a new world.
    NewWorld {
        /// Its seed.
        seed: u64,
        /// Path of its file.
        path: PathBuf,
    },
    /// Opens a saved world.
    OpenWorld(PathBuf),
    /// Joins the world of an invite.
    Join(String),
    /// Opens this world to others.
    Host,
    /// Leaves a shared world.
    Leave,
    /// Says a line to all players.
    Say(String),
    /// Asks to be brought to a player.
    Visit(PlayerId),
    /// Copies this world to another file and continues there.
    SaveAs(PathBuf),
    /// Places the models of a MagicaVoxel file at the pointer.
    ImportVox(PathBuf),
    /// Reads an OBJ file as a model of props.
    ReadProp(PathBuf),
    /// Writes the copied box, or the land round the player, as a MagicaVoxel file.
    ExportVox(PathBuf, Existing),
    /// Opens the system's file chooser.
    Choose(Choice),
    /// Keeps the copy on the shelf under a name.
    KeepBlueprint(String),
    /// Takes a blueprint in hand.
    TakeBlueprint(PathBuf),
    /// Deletes a blueprint.
    DeleteBlueprint(PathBuf),
    /// Undoes or redoes until this many strokes are done.
    GoToStroke(usize),
    /// Opens a regression scene.
    OpenScene(String),
    /// Shows this tick of the open scene.
    ScrubScene(usize),
    /// Plays or stops the open scene.
    PlayScene(bool),
    /// Shows another variant of the open scene.
    SceneVariant(usize),
    /// Returns to the world.
    CloseScene,
    /// Judges every scene.
    RunAllScenes,
}

/// The use of a chosen file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Opens it as a world.
    Open,
    /// Places it as a model.
    Import,
    /// Writes a model there.
    Export,
    /// Makes it a model of props.
    Prop,
}

/// The state of the interface between frames.
#[derive(Debug, Default)]
pub struct Ui {
    open: BTreeSet<Panel>,
    /// The title or the menu, if one shows.
    pub screen: Screen,
    /// Messages that fade.
    pub toasts: Toasts,
    /// The action that waits for a new key.
    rebinding: Option<Action>,
    forms: worlds::Forms,
    shared: shared::Form,
    shelf: shelf::Shelf,
    scene_filter: String,
    key_filter: String,
    material_filter: String,
    range: crate::range::Range,
}

impl Ui {
    /// Opens a closed panel, or closes an open one.
    pub fn toggle(&mut self, panel: Panel) {
        if !self.open.remove(&panel) {
            self.open.insert(panel);
        }
        self.wait_only_in_sight();
    }

    /// Stops waiting for a key once the panel of the controls is closed.
    fn wait_only_in_sight(&mut self) {
        if !self.is_open(Panel::Controls) {
            self.rebinding = None;
        }
    }

    /// Returns whether this panel is open.
    pub fn is_open(&self, panel: Panel) -> bool {
        self.open.contains(&panel)
    }

    /// Returns whether any panel is open.
    pub fn any_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Closes every panel.
    pub fn close_all(&mut self) {
        self.open.clear();
        self.rebinding = None;
    }

    /// Returns whether the next key pressed becomes a binding.
    pub fn waits_for_key(&self) -> bool {
        self.rebinding.is_some()
    }

    /// Binds a key to the waiting action; Escape keeps the old one.
    pub fn take_key(&mut self, trigger: Trigger, language: Language, settings: &mut Settings) {
        let Some(action) = self.rebinding.take() else {
            return;
        };
        if trigger.key != "Escape" {
            let (words, key) = (language.say(action.words()), readable(&trigger));
            self.toasts
                .say(language.fill("{} is now {}", &[&words, &key]));
            let bindings = &mut settings.controls.bindings;
            let others = bindings.rebind(action, trigger);
            tell_taken(&mut self.toasts, language, bindings, &others);
        }
    }

    /// Draws everything and returns the requests.
    pub fn show(
        &mut self,
        context: &egui::Context,
        facts: &Facts,
        settings: &mut Settings,
    ) -> Vec<Request> {
        let mut requests = Vec::new();
        let language = facts.language;
        if self.screen == Screen::Game {
            shared::show_tags(context, facts);
            hud::show(context, facts, settings, &mut requests);
        }
        if self.screen == Screen::Game && facts.scenes.open.is_none() {
            let bindings = &settings.controls.bindings;
            hints::show(context, language, settings.hints_obeyed, bindings);
        }
        let shows_bar = self.screen != Screen::Title && !facts.pointer_grabbed;
        if shows_bar {
            panel_bar::show(context, language, self.screen, settings, &mut requests);
        }
        screen::show(context, language, self.screen, &mut requests);
        let shows_map = settings.graphics.minimap && facts.scenes.open.is_none();
        if shows_map && self.screen == Screen::Game {
            let bar = shows_bar.then(|| panel_bar::place(context)).flatten();
            minimap::show(context, &facts.minimap, bar);
        }
        self.show_panels(context, facts, settings, &mut requests);
        overlays::show_graphs(context, facts);
        scenes::show_player(context, facts, &mut requests);
        self.toasts.show(context, language, facts.seconds);
        if let Some(progress) = &facts.progress {
            hud::show_progress(context, language, progress);
        }
        requests
    }

    fn show_panels(
        &mut self,
        context: &egui::Context,
        facts: &Facts,
        settings: &mut Settings,
        requests: &mut Vec<Request>,
    ) {
        let language = facts.language;
        for (place, (panel, _)) in Panel::ALL.into_iter().enumerate() {
            let mut open = self.open.contains(&panel);
            if !open {
                continue;
            }
            let window = theme::window(panel.words(), language, place).open(&mut open);
            match panel {
                Panel::Help => help::show(window, context, language, settings),
                Panel::Materials => {
                    materials::show(window, context, facts, &mut self.material_filter, requests)
                }
                Panel::Build => build::show(window, context, facts, requests),
                Panel::Shelf => shelf::show(window, context, facts, &mut self.shelf, requests),
                Panel::World => worlds::show(window, context, facts, &mut self.forms, requests),
                Panel::Shared => {
                    shared::show(window, context, facts, &mut self.shared, settings, requests);
                }
                Panel::Graphics => graphics::show(window, context, language, settings),
                Panel::Characters => {
                    characters::show(window, context, facts, &mut settings.characters, requests);
                }
                Panel::Range => range::show(window, context, language, &mut self.range),
                Panel::Games => games::show(window, context, facts, settings, requests),
                Panel::Controls => {
                    controls::show(
                        window,
                        context,
                        language,
                        settings,
                        &mut self.rebinding,
                        &mut self.key_filter,
                        &mut self.toasts,
                    );
                }
                Panel::Overlays => overlays::show(window, context, facts, settings, requests),
                Panel::Scenes => {
                    scenes::show(window, context, facts, &mut self.scene_filter, requests)
                }
            }
            if !open {
                self.toggle(panel);
            }
        }
    }
}

/// Shows a message about the actions that lost a key to another, with their other keys.
fn tell_taken(toasts: &mut Toasts, language: Language, bindings: &Bindings, others: &[Action]) {
    for &other in others {
        let left: Vec<String> = bindings.triggers(other).iter().map(readable).collect();
        let words = language.say(other.words());
        toasts.say(match left.is_empty() {
            true => language.fill("{} has no key now", &[&words]),
            false => language.fill("{} has only {} now", &[&words, &left.join(", ")]),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_that_loses_its_key_is_told() {
        let mut toasts = Toasts::default();
        let mut bindings = Bindings::default();
        let key = bindings.triggers(Action::Undo)[0].clone();
        let others = bindings.rebind(Action::Spin, key);
        tell_taken(&mut toasts, Language::English, &bindings, &others);
        let others = bindings.reset(Action::Undo);
        tell_taken(&mut toasts, Language::English, &bindings, &others);
        let words: Vec<&str> = toasts.words().collect();
        assert_eq!(words.len(), 2, "{words:?}");
        assert!(words[0].starts_with("Undo has only"), "{words:?}");
        assert!(words[1].starts_with("Melee: spin has no key"), "{words:?}");
    }

    #[test]
    fn nothing_waits_for_a_key_behind_a_closed_panel() {
        let mut ui = Ui::default();
        ui.toggle(Panel::Controls);
        ui.rebinding = Some(Action::Teleport);
        ui.toggle(Panel::Help);
        assert!(ui.waits_for_key());
        ui.toggle(Panel::Controls);
        assert!(!ui.waits_for_key());
    }
}
