//! The settings of sounds, a part of the panel of the picture.

use egui::Slider;

use crate::language::Language;
use crate::settings::SoundChoice;

pub(super) fn show(ui: &mut egui::Ui, language: Language, sound: &mut SoundChoice) {
    ui.add_enabled(
        !sound.muted,
        Slider::new(&mut sound.volume, 0.0..=1.0).text(language.say("volume of sounds")),
    );
    ui.checkbox(&mut sound.muted, language.say("no sound"));
}
