//! The player's settings, kept in a TOML file in the user's configuration folder.
//!
//! Nothing in the file can stop the sandbox: values are clamped to their range, an invalid one is
//! dropped alone, and then the file is set aside under another name and reported, never
//! overwritten.

mod file;

use std::path::{Path, PathBuf};

use net::Name;
use serde::{Deserialize, Serialize};
use simulation::{Characters, FogChoice, limit};

pub use file::{SettingsFile, default_path};

use crate::input::Bindings;
use crate::language::Language;

/// The most worlds that are remembered as played.
const MOST_PLAYED: usize = 12;

/// The least share of the window's pixels along a side that the scene is drawn with.
pub(crate) const LEAST_SCALE: f32 = 0.5;

/// The least and most minutes that a day lasts.
pub(crate) const DAY_MINUTES: [f32; 2] = [1.0, 120.0];

/// Everything the panels can change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The world to open when none is named.
    pub last_world: Option<PathBuf>,
    /// The worlds played last, newest first.
    pub played: Vec<PathBuf>,
    /// The language of the interface; `None` follows the locale.
    pub language: Option<Language>,
    /// The hints of the first minutes that were obeyed, a bit for each.
    pub hints_obeyed: u32,
    /// The look of the picture.
    pub graphics: Graphics,
    /// Volume of sounds.
    pub sound: SoundChoice,
    /// Shape and movement of characters.
    pub characters: Characters,
    /// The fog of war.
    pub fog: FogChoice,
    /// The cannon.
    pub cannon: CannonChoice,
    /// The player in shared worlds.
    pub shared: SharedChoice,
    /// Mouse and keys.
    pub controls: Controls,
}

/// The look of the picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Graphics {
    /// View distance, metres.
    pub view_metres: f32,
    /// Vertical field of view, degrees.
    pub field_of_view_degrees: f32,
    /// True if pictures wait for the screen.
    pub vertical_sync: bool,
    /// Shadows of the sun.
    pub shadows: Shadows,
    /// True if several samples a pixel smooth edges.
    pub multisampling: bool,
    /// Pixels of the scene along a side over those of the window, 0.5 to 1.
    pub render_scale: f32,
    /// True if lamps light their surroundings.
    pub lamps: bool,
    /// Darkness of corners, 0 to 1.
    pub occlusion: f32,
    /// Strength of the pattern on surfaces, 0 to 1.
    pub detail: f32,
    /// Strength of the fog that hides the edge of the view, 0 to 1.
    pub distance_fog: f32,
    /// Brightness before tone mapping, stops.
    pub exposure: f32,
    /// Time of day, hours from midnight.
    pub hour: f32,
    /// True if the day passes.
    pub day_passes: bool,
    /// Minutes of play that a day and its night last.
    pub day_minutes: f32,
    /// True if shots and hard landings kick the camera.
    pub camera_kicks: bool,
    /// Size of texts and panels, times their usual size.
    pub ui_scale: f32,
    /// True if the minimap shows.
    pub minimap: bool,
    /// True if the picture fills the screen.
    pub full_screen: bool,
}

/// Settings of sounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SoundChoice {
    /// Volume of everything, 0 to 1.
    pub volume: f32,
    /// True if nothing is heard.
    pub muted: bool,
}

impl SoundChoice {
    /// Returns the volume that is heard: none while muted.
    pub fn heard(&self) -> f32 {
        if self.muted { 0.0 } else { self.volume }
    }
}

impl Default for SoundChoice {
    fn default() -> Self {
        SoundChoice {
            volume: 0.7,
            muted: false,
        }
    }
}

/// Shadows of the sun.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shadows {
    /// None.
    Off,
    /// Coarse.
    Low,
    /// Fine.
    High,
}

impl Shadows {
    /// Returns its label in panels.
    pub fn words(self) -> &'static str {
        match self {
            Shadows::Off => "off",
            Shadows::Low => "coarse",
            Shadows::High => "fine",
        }
    }
}

impl Graphics {
    /// Returns settings that a software driver can draw at a few pictures a second.
    pub fn modest(self) -> Self {
        Graphics {
            view_metres: self.view_metres.min(128.0),
            shadows: Shadows::Low,
            multisampling: false,
            ..self
        }
    }

    /// Moves the hour on by seconds of play, if the day passes.
    pub fn pass_day(&mut self, seconds: f32) {
        if self.day_passes {
            let hours = seconds * 24.0 / (self.day_minutes * 60.0);
            self.hour = (self.hour + hours).rem_euclid(24.0);
        }
    }
}

impl Default for Graphics {
    fn default() -> Self {
        Graphics {
            view_metres: 256.0,
            field_of_view_degrees: 70.0,
            vertical_sync: true,
            shadows: Shadows::High,
            multisampling: true,
            render_scale: 1.0,
            lamps: true,
            occlusion: 1.0,
            detail: 1.0,
            distance_fog: 1.0,
            exposure: 0.0,
            hour: 8.0,
            day_passes: true,
            day_minutes: 20.0,
            camera_kicks: true,
            ui_scale: 1.0,
            minimap: true,
            full_screen: false,
        }
    }
}

/// Settings of the cannon.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CannonChoice {
    /// The source of the speed of a ball.
    pub power: Power,
}

/// The source of the speed of a ball.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Power {
    /// The time for which the button is held.
    #[default]
    Hold,
    /// The distance of the target under the pointer.
    Distance,
}

/// The player in shared worlds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SharedChoice {
    /// Its name.
    pub name: String,
}

impl SharedChoice {
    /// Returns the name to join with.
    pub fn name(&self) -> Name {
        Name::of(&self.name).unwrap_or_else(Name::guest)
    }
}

/// Settings of mouse and keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Controls {
    /// Turn for each pixel the mouse moves, degrees.
    pub mouse_degrees_a_pixel: f32,
    /// True if pushing the mouse away looks down.
    pub invert_pitch: bool,
    /// The keys of each action.
    pub bindings: Bindings,
}

impl Default for Controls {
    fn default() -> Self {
        Controls {
            mouse_degrees_a_pixel: 0.12,
            invert_pitch: false,
            bindings: Bindings::default(),
        }
    }
}

impl Settings {
    /// Remembers a world as the one to open next, and as one of those played last.
    pub(crate) fn remember_world(&mut self, world: &Path) {
        self.last_world = Some(world.to_path_buf());
        self.played.retain(|path| path != world);
        self.played.insert(0, world.to_path_buf());
        self.played.truncate(MOST_PLAYED);
    }

    /// Clamps every number to the range of its slider; one that is not finite becomes the default.
    pub fn within_limits(mut self) -> Self {
        let standard = Settings::default();
        let g = &mut self.graphics;
        limit(
            &mut g.view_metres,
            standard.graphics.view_metres,
            32.0,
            1000.0,
        );
        limit(
            &mut g.field_of_view_degrees,
            standard.graphics.field_of_view_degrees,
            40.0,
            110.0,
        );
        limit(&mut g.hour, standard.graphics.hour, 0.0, 24.0);
        let [short, long] = DAY_MINUTES;
        limit(
            &mut g.day_minutes,
            standard.graphics.day_minutes,
            short,
            long,
        );
        limit(
            &mut g.render_scale,
            standard.graphics.render_scale,
            LEAST_SCALE,
            1.0,
        );
        limit(&mut g.occlusion, standard.graphics.occlusion, 0.0, 1.0);
        limit(&mut g.detail, standard.graphics.detail, 0.0, 1.0);
        limit(
            &mut g.distance_fog,
            standard.graphics.distance_fog,
            0.0,
            1.0,
        );
        limit(&mut g.ui_scale, standard.graphics.ui_scale, 0.75, 3.0);
        limit(&mut g.exposure, standard.graphics.exposure, -2.0, 2.0);
        let volume = &mut self.sound.volume;
        limit(volume, standard.sound.volume, 0.0, 1.0);
        self.characters = self.characters.within_limits();
        self.fog = self.fog.within_limits();
        let mouse = &mut self.controls.mouse_degrees_a_pixel;
        limit(mouse, standard.controls.mouse_degrees_a_pixel, 0.01, 1.0);
        self.controls.bindings.fill_missing();
        self.played.truncate(MOST_PLAYED);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_hold_for_any_number() {
        for wild in [f32::NAN, f32::INFINITY, -1e30, 1e30] {
            let mut settings = Settings::default();
            settings.characters.radius = wild;
            settings.graphics.view_metres = wild;
            settings.graphics.render_scale = wild;
            settings.graphics.day_minutes = wild;
            settings.sound.volume = wild;
            let settings = settings.within_limits();
            assert!((0.15..=2.0).contains(&settings.characters.radius));
            assert!((32.0..=1000.0).contains(&settings.graphics.view_metres));
            assert!((LEAST_SCALE..=1.0).contains(&settings.graphics.render_scale));
            assert!((1.0..=120.0).contains(&settings.graphics.day_minutes));
            assert!((0.0..=1.0).contains(&settings.sound.volume));
        }
    }

    /// Plays for some minutes at sixty pictures a second, and returns the hour after them.
    fn hour_after(minutes: u32, graphics: &mut Graphics) -> f32 {
        (0..minutes * 3600).for_each(|_| graphics.pass_day(1.0 / 60.0));
        graphics.hour
    }

    #[test]
    fn a_day_passes_in_its_minutes_unless_stopped() {
        let mut graphics = Graphics::default();
        let morning = graphics.hour;
        assert!((6.0..11.0).contains(&morning), "{morning} is no morning");
        let noon = hour_after(5, &mut graphics);
        assert!((noon - morning - 6.0).abs() < 0.05, "{noon}");
        let again = hour_after(15, &mut graphics);
        assert!((again - morning).abs() < 0.2, "{again} after a day");
        graphics.day_minutes = 10.0;
        let later = hour_after(1, &mut graphics);
        assert!((later - again - 2.4).abs() < 0.05, "{later}");
        graphics.day_passes = false;
        assert_eq!(hour_after(1, &mut graphics), later);
    }

    #[test]
    fn defaults_are_within_limits() {
        assert_eq!(Settings::default().within_limits(), Settings::default());
    }
}
