//! The panel of the graphics settings.

use egui::{ComboBox, Slider, Window};

use crate::settings::{Graphics, Shadows};

pub(super) fn show(window: Window<'_>, context: &egui::Context, graphics: &mut Graphics) {
    window.show(context, |ui| {
        ui.add(
            Slider::new(&mut graphics.view_metres, 32.0..=1000.0)
                .integer()
                .text("view, metres"),
        );
        ui.add(
            Slider::new(&mut graphics.field_of_view_degrees, 40.0..=110.0)
                .integer()
                .text("field of view"),
        );
        ui.add(
            Slider::new(&mut graphics.hour, 0.0..=24.0)
                .fixed_decimals(1)
                .text("hour of the day"),
        );
        ui.checkbox(&mut graphics.day_passes, "the day passes");
        ui.separator();
        ComboBox::from_label("shadows")
            .selected_text(graphics.shadows.words())
            .show_ui(ui, |ui| {
                for shadows in [Shadows::Off, Shadows::Low, Shadows::High] {
                    ui.selectable_value(&mut graphics.shadows, shadows, shadows.words());
                }
            });
        ui.checkbox(
            &mut graphics.multisampling,
            "smooth edges (4 samples a pixel)",
        );
        ui.checkbox(&mut graphics.lamps, "lamps light what is near");
        ui.checkbox(&mut graphics.vertical_sync, "wait for the screen");
        ui.add(Slider::new(&mut graphics.occlusion, 0.0..=1.0).text("ambient occlusion"));
        ui.add(Slider::new(&mut graphics.detail, 0.0..=1.0).text("surface detail"));
        ui.add(Slider::new(&mut graphics.distance_fog, 0.0..=1.0).text("distance fog"));
        ui.add(Slider::new(&mut graphics.exposure, -2.0..=2.0).text("exposure"));
        ui.separator();
        ui.checkbox(&mut graphics.minimap, "minimap");
        if ui.button("Standard settings").clicked() {
            *graphics = Graphics::default();
        }
    });
}
