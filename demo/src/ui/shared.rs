//! The panel of shared worlds: join one by an invite, or open this one to friends; the players that
//! are here, and their talk.

use egui::{FontId, RichText, ScrollArea, TextEdit, Window, vec2};

use crate::settings::Settings;

use super::{Facts, Request, theme};

/// Width of fields for texts, points.
const FIELD: f32 = 230.0;
/// Height of the list of lines, points.
const LINES: f32 = 160.0;

/// The typed texts of the panel.
#[derive(Debug, Default)]
pub(super) struct Form {
    invite: String,
    line: String,
}

/// Shows the names of the players that are seen, over their heads.
pub(super) fn show_tags(context: &egui::Context, facts: &Facts) {
    let painter = context.layer_painter(egui::LayerId::background());
    let whole = context.content_rect();
    for player in &facts.shared.players {
        let Some([x, y]) = player.tag else {
            continue;
        };
        let at = whole.min + vec2(x, y) * whole.size();
        let font = FontId::proportional(14.0);
        let words = painter.layout_no_wrap(player.name.clone(), font, theme::TEXT);
        let corner = at - vec2(words.size().x * 0.5, words.size().y);
        let behind = egui::Rect::from_min_size(corner, words.size()).expand2(vec2(6.0, 2.0));
        painter.rect_filled(behind, 4.0, theme::glass());
        painter.galley(corner, words, theme::TEXT);
    }
}

pub(super) fn show(
    window: Window<'_>,
    context: &egui::Context,
    facts: &Facts,
    form: &mut Form,
    settings: &mut Settings,
    requests: &mut Vec<Request>,
) {
    theme::show(window.default_width(360.0), context, |ui| {
        match &facts.shared.place {
            None => show_doors(ui, facts, form, settings, requests),
            Some(place) => show_visit(ui, facts, place, form, requests),
        }
    });
}

/// Shows the ways into a shared world.
fn show_doors(
    ui: &mut egui::Ui,
    facts: &Facts,
    form: &mut Form,
    settings: &mut Settings,
    requests: &mut Vec<Request>,
) {
    let language = facts.language;
    ui.horizontal(|ui| {
        ui.label(language.say("Your name"));
        let field = TextEdit::singleline(&mut settings.shared.name);
        ui.add(
            field
                .hint_text(language.say("guest"))
                .char_limit(24)
                .desired_width(150.0),
        );
    });
    ui.separator();
    ui.label(language.say("Paste the invite that a friend or a server gave you:"));
    ui.horizontal(|ui| {
        let field = TextEdit::singleline(&mut form.invite).hint_text("voxels:...");
        ui.add(field.desired_width(FIELD));
        let is_pressed = ui.button(language.say("Join")).clicked();
        if is_pressed && !form.invite.trim().is_empty() {
            requests.push(Request::Join(form.invite.trim().to_owned()));
        }
    });
    ui.separator();
    ui.label(language.say("Or let friends into the world that is open here:"));
    if ui.button(language.say("Host this world")).clicked() {
        requests.push(Request::Host);
    }
}

fn show_visit(
    ui: &mut egui::Ui,
    facts: &Facts,
    place: &str,
    form: &mut Form,
    requests: &mut Vec<Request>,
) {
    let (language, shared) = (facts.language, &facts.shared);
    let role = language.say(shared.role);
    ui.label(language.fill("In the world of {}, as {}", &[&place, &role]));
    for (role, invite) in &shared.invites {
        ui.horizontal(|ui| {
            let words = language.say("Copy an invite");
            if ui.button(words).on_hover_text(invite).clicked() {
                ui.ctx().copy_text(invite.clone());
            }
            ui.label(RichText::new(language.say(role)).color(theme::QUIET));
        });
    }
    let leave = match shared.invites.is_empty() {
        true => "Leave this world",
        false => "Send the others home",
    };
    if ui.button(language.say(leave)).clicked() {
        requests.push(Request::Leave);
    }
    ui.separator();
    for player in &shared.players {
        ui.horizontal(|ui| {
            let name = RichText::new(&player.name);
            if player.is_own {
                ui.label(name.color(theme::ACCENT));
            } else {
                ui.label(name);
                if ui.small_button(language.say("Go there")).clicked() {
                    requests.push(Request::Visit(player.id));
                }
            }
        });
    }
    ui.separator();
    ScrollArea::vertical()
        .max_height(LINES)
        .stick_to_bottom(true)
        .show(ui, |ui| {
            for line in &shared.lines {
                ui.label(RichText::new(line).small());
            }
        });
    ui.horizontal(|ui| {
        let field = TextEdit::singleline(&mut form.line).char_limit(200);
        let field = field.hint_text(language.say("say something"));
        let field = ui.add(field.desired_width(FIELD));
        let entered = field.lost_focus() && ui.input(|it| it.key_pressed(egui::Key::Enter));
        let is_said = ui.button(language.say("Say")).clicked() || entered;
        if is_said && !form.line.trim().is_empty() {
            requests.push(Request::Say(std::mem::take(&mut form.line)));
            field.request_focus();
        }
    });
}
