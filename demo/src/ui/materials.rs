//! Every material as a coloured button.

use egui::{Color32, ScrollArea, Sense, Stroke, StrokeKind, Window, vec2};

use crate::language::Language;

use super::{Facts, MaterialFact, Request, theme};

const SIDE: f32 = 44.0;

pub(super) fn show(
    window: Window<'_>,
    context: &egui::Context,
    facts: &Facts,
    requests: &mut Vec<Request>,
) {
    let selected = facts.tool.slots.get(facts.tool.slot).map(|m| m.id);
    window.default_width(330.0).show(context, |ui| {
        let words = "Click to put a material into the selected slot of the hot-bar.";
        ui.label(facts.language.say(words));
        ScrollArea::vertical().max_height(380.0).show(ui, |ui| {
            ui.horizontal_wrapped(|ui| {
                for material in &facts.world.materials {
                    let selected = selected == Some(material.id);
                    if swatch(ui, facts.language, material, selected) {
                        requests.push(Request::SelectMaterial(material.id));
                    }
                }
            });
        });
    });
}

/// Draws a coloured square; returns true when it was clicked.
pub(super) fn swatch(
    ui: &mut egui::Ui,
    language: Language,
    material: &MaterialFact,
    selected: bool,
) -> bool {
    let (rect, response) = ui.allocate_exact_size(vec2(SIDE, SIDE), Sense::click());
    let [r, g, b] = material.color;
    let painter = ui.painter();
    painter.rect_filled(rect.shrink(3.0), 5.0, Color32::from_rgb(r, g, b));
    let stroke = if selected {
        Stroke::new(2.5, theme::ACCENT)
    } else if response.hovered() {
        Stroke::new(1.5, Color32::WHITE)
    } else {
        Stroke::new(1.0, Color32::from_black_alpha(120))
    };
    painter.rect_stroke(rect.shrink(2.0), 6.0, stroke, StrokeKind::Inside);
    let name = language.say(&material.name);
    response.on_hover_text(name).clicked()
}
