//! The palette: every material as a drawn block with its name, and a search for names.

use egui::{
    Align, Color32, FontId, Rect, RichText, ScrollArea, Sense, Stroke, StrokeKind, TextEdit,
    Window, pos2, text::LayoutJob, vec2,
};

use crate::language::Language;

use super::{Facts, MaterialFact, Request, theme};

/// Size of a block with its name, points: room for two lines.
pub(super) const BLOCK: egui::Vec2 = vec2(66.0, 70.0);
/// Side of its picture.
const PICTURE: f32 = 36.0;
/// Size of its name and number: the smallest text.
const TEXT: f32 = 12.0;

pub(super) fn show(
    window: Window<'_>,
    context: &egui::Context,
    facts: &Facts,
    filter: &mut String,
    requests: &mut Vec<Request>,
) {
    let language = facts.language;
    let selected = facts.tool.slots.get(facts.tool.slot).map(|m| m.id);
    theme::show(window.default_width(430.0), context, |ui| {
        let words = "Click to put a material into the selected slot of the hot-bar.";
        ui.label(language.say(words));
        let field = TextEdit::singleline(filter).hint_text(language.say("search"));
        ui.add(field.desired_width(150.0));
        let wanted = filter.trim().to_lowercase();
        let is_found = |name: &str| name.to_lowercase().contains(&wanted);
        // Names in English are found in any language.
        let found = |it: &&MaterialFact| is_found(&it.name) || is_found(language.say(&it.name));
        let mut found = facts.world.materials.iter().filter(found).peekable();
        ui.separator();
        if found.peek().is_none() {
            ui.label(RichText::new(language.say("nothing is called so")).color(theme::QUIET));
        }
        ScrollArea::vertical().max_height(380.0).show(ui, |ui| {
            ui.spacing_mut().item_spacing = vec2(2.0, 2.0);
            ui.horizontal_wrapped(|ui| {
                for material in found {
                    let selected = selected == Some(material.id);
                    if block(ui, language, material, selected, None, BLOCK) {
                        requests.push(Request::SelectMaterial(material.id));
                    }
                }
            });
        });
    });
}

/// Shows the slots of the hot-bar with their numbers. Names without room are left out.
pub(super) fn show_slots(ui: &mut egui::Ui, facts: &Facts, room: f32, requests: &mut Vec<Request>) {
    let slots = &facts.tool.slots;
    let width = (room / slots.len().max(1) as f32 - 2.0)
        .floor()
        .min(BLOCK.x);
    let height = if width < BLOCK.x {
        PICTURE + 4.0
    } else {
        BLOCK.y
    };
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        for (index, material) in slots.iter().enumerate() {
            let selected = index == facts.tool.slot;
            let size = vec2(width.max(TEXT * 2.0), height);
            if block(
                ui,
                facts.language,
                material,
                selected,
                Some(index + 1),
                size,
            ) {
                requests.push(Request::SelectSlot(index));
            }
        }
    });
}

/// Draws a block with its number and name; returns true when it was clicked.
fn block(
    ui: &mut egui::Ui,
    language: Language,
    material: &MaterialFact,
    selected: bool,
    number: Option<usize>,
    size: egui::Vec2,
) -> bool {
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let painter = ui.painter().with_clip_rect(ui.clip_rect().intersect(rect));
    let stroke = if selected {
        Stroke::new(2.0, theme::ACCENT)
    } else if response.hovered() {
        Stroke::new(1.5, Color32::WHITE)
    } else {
        Stroke::new(1.0, Color32::from_white_alpha(28))
    };
    painter.rect_stroke(rect.shrink(1.0), 5.0, stroke, StrokeKind::Inside);
    let side = PICTURE.min(size.x - 6.0);
    let corner = pos2(rect.center().x - side * 0.5, rect.top() + 2.0);
    let place = Rect::from_min_size(corner, vec2(side, side));
    match &material.picture {
        Some(picture) => picture.paint(&painter, place),
        None => {
            let [r, g, b] = material.color;
            painter.rect_filled(place.shrink(5.0), 3.0, Color32::from_rgb(r, g, b));
        }
    }
    let color = if selected { theme::ACCENT } else { theme::TEXT };
    let font = FontId::proportional(TEXT);
    if let Some(number) = number {
        let at = rect.min + vec2(5.0, 2.0);
        let layout = painter.layout_no_wrap(number.to_string(), font.clone(), color);
        painter.galley(at, layout, color);
    }
    let name = language.say(&material.name);
    if size.y >= BLOCK.y {
        let mut job = LayoutJob::simple(name.to_owned(), font, color, size.x - 4.0);
        job.halign = Align::Center;
        job.wrap.max_rows = 2;
        let at = pos2(rect.center().x, rect.top() + PICTURE + 2.0);
        painter.galley(at, painter.layout_job(job), color);
    }
    response.on_hover_text(name).clicked()
}
