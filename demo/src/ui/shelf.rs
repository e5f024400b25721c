//! The panel of the shelf: keeps the copy under a name, and shows what is kept as pictures.

use std::path::PathBuf;

use egui::{
    Align, Align2, Color32, FontId, Rect, RichText, ScrollArea, Sense, Stroke, StrokeKind,
    TextEdit, Window, pos2, text::LayoutJob, vec2,
};

use super::{BlueprintFact, Facts, Request, theme};

/// Size of a blueprint with its name, points.
const CARD: egui::Vec2 = vec2(112.0, 132.0);
/// Side of its picture.
const PICTURE: f32 = 96.0;
/// Size of its name.
const TEXT: f32 = 12.0;

/// The state of the panel.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    name: String,
    /// The blueprint that is deleted once the player confirms.
    deleting: Option<PathBuf>,
}

pub(super) fn show(
    window: Window<'_>,
    context: &egui::Context,
    facts: &Facts,
    shelf: &mut Shelf,
    requests: &mut Vec<Request>,
) {
    theme::show(window.default_width(4.0 * CARD.x + 16.0), context, |ui| {
        show_keeping(ui, facts, shelf, requests);
        show_deleting(ui, facts, shelf, requests);
        ui.separator();
        if facts.blueprints.is_empty() {
            let words = "Nothing is kept yet: copy a box, and give it a name.";
            ui.label(RichText::new(facts.language.say(words)).color(theme::QUIET));
        }
        ScrollArea::vertical()
            .max_height(3.0 * CARD.y)
            .show(ui, |ui| {
                ui.spacing_mut().item_spacing = vec2(4.0, 4.0);
                ui.horizontal_wrapped(|ui| {
                    for blueprint in &facts.blueprints {
                        show_card(ui, facts, blueprint, shelf, requests);
                    }
                });
            });
    });
}

fn show_keeping(ui: &mut egui::Ui, facts: &Facts, shelf: &mut Shelf, requests: &mut Vec<Request>) {
    let language = facts.language;
    ui.horizontal(|ui| {
        let field = TextEdit::singleline(&mut shelf.name).hint_text(language.say("name"));
        ui.add(field.desired_width(180.0));
        let is_usable = crate::blueprints::is_name(&shelf.name) && facts.tool.has_copy;
        let button = egui::Button::new(language.say("Keep the copy"));
        let button = ui.add_enabled(is_usable, button);
        let words = "Needs a copy, and a name of letters and digits.";
        if button.on_disabled_hover_text(language.say(words)).clicked() {
            requests.push(Request::KeepBlueprint(std::mem::take(&mut shelf.name)));
        }
    });
}

/// Asks before a blueprint is deleted.
fn show_deleting(ui: &mut egui::Ui, facts: &Facts, shelf: &mut Shelf, requests: &mut Vec<Request>) {
    let language = facts.language;
    let is_asked = |it: &&BlueprintFact| Some(&it.path) == shelf.deleting.as_ref();
    let Some(blueprint) = facts.blueprints.iter().find(is_asked) else {
        shelf.deleting = None;
        return;
    };
    let path = blueprint.path.clone();
    ui.horizontal_wrapped(|ui| {
        let words = language.fill("Delete {}?", &[&blueprint.name]);
        ui.colored_label(theme::BAD, words);
        if ui.button(language.say("Delete it")).clicked() {
            requests.push(Request::DeleteBlueprint(path));
            shelf.deleting = None;
        }
        if ui.button(language.say("Leave it")).clicked() {
            shelf.deleting = None;
        }
    });
}

fn show_card(
    ui: &mut egui::Ui,
    facts: &Facts,
    blueprint: &BlueprintFact,
    shelf: &mut Shelf,
    requests: &mut Vec<Request>,
) {
    let (rect, response) = ui.allocate_exact_size(CARD, Sense::click());
    let painter = ui.painter().with_clip_rect(ui.clip_rect().intersect(rect));
    let stroke = match response.hovered() {
        true => Stroke::new(1.5, theme::ACCENT),
        false => Stroke::new(1.0, Color32::from_white_alpha(28)),
    };
    painter.rect_stroke(rect.shrink(1.0), 5.0, stroke, StrokeKind::Inside);
    if let Some(picture) = &blueprint.picture {
        let corner = pos2(rect.center().x - PICTURE * 0.5, rect.top() + 2.0);
        picture.paint(
            &painter,
            Rect::from_min_size(corner, vec2(PICTURE, PICTURE)),
        );
    }
    let width = CARD.x - 8.0;
    let mut job = LayoutJob::simple(
        blueprint.name.clone(),
        FontId::proportional(TEXT),
        theme::TEXT,
        width,
    );
    job.halign = Align::Center;
    job.wrap.max_rows = 2;
    let at = pos2(rect.center().x, rect.top() + PICTURE + 4.0);
    painter.galley(at, painter.layout_job(job), theme::TEXT);
    let cross = Rect::from_min_size(rect.right_top() + vec2(-22.0, 4.0), vec2(18.0, 18.0));
    // A button that is put there would move the next card.
    let color = theme::TEXT;
    painter.text(
        cross.center(),
        Align2::CENTER_CENTER,
        "×",
        FontId::proportional(16.0),
        color,
    );
    let cross = ui.interact(cross, response.id.with("delete"), Sense::click());
    let language = facts.language;
    if cross.on_hover_text(language.say("Delete it")).clicked() {
        shelf.deleting = Some(blueprint.path.clone());
    }
    let response = response.on_hover_text(language.say("Click to take it in hand."));
    if response.clicked() {
        requests.push(Request::TakeBlueprint(blueprint.path.clone()));
    }
}
