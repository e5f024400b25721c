//! The panel of the graphics settings.

use egui::{ComboBox, Slider, Window};

use crate::language::Language;
use crate::settings::{DAY_MINUTES, Graphics, LEAST_SCALE, Settings, Shadows};

use super::theme;

/// The sizes of texts and panels to choose from.
const SCALES: [f32; 7] = [0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0];

pub(super) fn show(
    window: Window<'_>,
    context: &egui::Context,
    language: Language,
    settings: &mut Settings,
) {
    theme::show(window, context, |ui| {
        show_languages(ui, language, &mut settings.language);
        let graphics = &mut settings.graphics;
        show_scales(ui, language, &mut graphics.ui_scale);
        ui.add(
            Slider::new(&mut graphics.view_metres, 32.0..=1000.0)
                .integer()
                .text(language.say("view, metres")),
        );
        ui.add(
            Slider::new(&mut graphics.field_of_view_degrees, 40.0..=110.0)
                .integer()
                .text(language.say("field of view")),
        );
        ui.add(
            Slider::new(&mut graphics.hour, 0.0..=24.0)
                .fixed_decimals(1)
                .text(language.say("hour of the day")),
        );
        ui.checkbox(&mut graphics.day_passes, language.say("the day passes"));
        let [short, long] = DAY_MINUTES;
        ui.add_enabled(
            graphics.day_passes,
            Slider::new(&mut graphics.day_minutes, short..=long)
                .logarithmic(true)
                .integer()
                .text(language.say("length of a day, minutes")),
        );
        ui.separator();
        ComboBox::from_label(language.say("shadows"))
            .selected_text(language.say(graphics.shadows.words()))
            .show_ui(ui, |ui| {
                for shadows in [Shadows::Off, Shadows::Low, Shadows::High] {
                    let words = language.say(shadows.words());
                    ui.selectable_value(&mut graphics.shadows, shadows, words);
                }
            });
        ui.checkbox(
            &mut graphics.multisampling,
            language.say("smooth edges (4 samples a pixel)"),
        );
        ui.add(
            Slider::new(&mut graphics.render_scale, LEAST_SCALE..=1.0)
                .step_by(0.05)
                .fixed_decimals(2)
                .text(language.say("resolution of the scene")),
        );
        ui.checkbox(
            &mut graphics.lamps,
            language.say("lamps light what is near"),
        );
        ui.checkbox(
            &mut graphics.vertical_sync,
            language.say("wait for the screen"),
        );
        ui.add(
            Slider::new(&mut graphics.occlusion, 0.0..=1.0).text(language.say("ambient occlusion")),
        );
        ui.add(Slider::new(&mut graphics.detail, 0.0..=1.0).text(language.say("surface detail")));
        ui.add(
            Slider::new(&mut graphics.distance_fog, 0.0..=1.0).text(language.say("distance fog")),
        );
        ui.add(Slider::new(&mut graphics.exposure, -2.0..=2.0).text(language.say("exposure")));
        ui.separator();
        ui.checkbox(
            &mut graphics.camera_kicks,
            language.say("shots kick the camera"),
        );
        ui.checkbox(&mut graphics.minimap, language.say("minimap"));
        if ui.button(language.say("Standard settings")).clicked() {
            *graphics = Graphics::default();
        }
        ui.separator();
        super::sound::show(ui, language, &mut settings.sound);
    });
}

/// Shows the sizes of texts and panels. A slider would move under the pointer.
fn show_scales(ui: &mut egui::Ui, language: Language, scale: &mut f32) {
    ComboBox::from_label(language.say("size of texts and panels"))
        .selected_text(format!("{scale}×"))
        .show_ui(ui, |ui| {
            for other in SCALES {
                ui.selectable_value(scale, other, format!("{other}×"));
            }
        });
}

/// Shows the languages, each by its own name.
fn show_languages(ui: &mut egui::Ui, language: Language, chosen: &mut Option<Language>) {
    ComboBox::from_label(language.say("language"))
        .selected_text(language.name())
        .show_ui(ui, |ui| {
            for other in Language::ALL {
                if ui
                    .selectable_label(other == language, other.name())
                    .clicked()
                {
                    *chosen = Some(other);
                }
            }
        });
}
