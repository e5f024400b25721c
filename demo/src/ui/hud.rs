//! The head-up display: crosshair, hot-bar, position and tool.

use std::fmt::Display;

use egui::{Align2, Color32, Id, ProgressBar, RichText, Stroke, vec2};

use crate::input::Action;
use crate::language::Language;
use crate::settings::Settings;

use super::hot_bar::{self, HINT, above_hot_bar};
use super::{Facts, Progress, Request, help, theme};

/// Width of the red rim of a hit, points.
const HURT_RIM: f32 = 26.0;
/// Darkness for an eye inside of the ground, which would see all caves.
const BLIND: u8 = 250;
/// Pictures over which the rate is averaged.
const AVERAGED: usize = 20;

pub(super) fn show(
    context: &egui::Context,
    facts: &Facts,
    settings: &Settings,
    requests: &mut Vec<Request>,
) {
    if facts.blind && facts.scenes.open.is_none() {
        let painter = context.layer_painter(egui::LayerId::background());
        painter.rect_filled(painter.clip_rect(), 0.0, Color32::from_black_alpha(BLIND));
    }
    if facts.crowd.hurt > 0.0 && facts.scenes.open.is_none() {
        show_hurt(context, facts.crowd.hurt);
    }
    if facts.pointer_grabbed {
        show_crosshair(context);
    }
    if facts.scenes.open.is_none() {
        show_state(context, facts);
        hot_bar::show(context, facts, requests);
        show_hint(context, facts, settings);
    }
    if let Some(words) = facts.time_state {
        let words = facts.language.say(words);
        centred_words(context, "time", vec2(0.0, 70.0), words, theme::ACCENT);
    }
    if let Some(words) = facts.crowd.trouble {
        let words = facts.language.say(words);
        centred_words(context, "trouble", vec2(0.0, 104.0), words, theme::BAD);
    }
}

/// Draws a red rim after a hit.
fn show_hurt(context: &egui::Context, hurt: f32) {
    let painter = context.layer_painter(egui::LayerId::background());
    let color = Color32::from_rgba_unmultiplied(220, 40, 30, (hurt * 150.0) as u8);
    let rim = Stroke::new(HURT_RIM, color);
    painter.rect_stroke(painter.clip_rect(), 0.0, rim, egui::StrokeKind::Inside);
}

fn show_crosshair(context: &egui::Context) {
    let painter = context.layer_painter(egui::LayerId::background());
    let center = painter.clip_rect().center();
    for direction in [
        vec2(1.0, 0.0),
        vec2(-1.0, 0.0),
        vec2(0.0, 1.0),
        vec2(0.0, -1.0),
    ] {
        let ends = [center + direction * 4.0, center + direction * 11.0];
        painter.line_segment(ends, Stroke::new(3.0, Color32::from_black_alpha(110)));
        painter.line_segment(ends, Stroke::new(1.4, Color32::from_white_alpha(230)));
    }
}

fn show_state(context: &egui::Context, facts: &Facts) {
    let language = facts.language;
    let [x, y, z] = facts.position;
    let latest = &facts.frame.frame[facts.frame.frame.len().saturating_sub(AVERAGED)..];
    let frame_ms = (latest.iter().sum::<f32>() / latest.len().max(1) as f32).max(0.01);
    egui::Area::new(Id::unique("state"))
        .anchor(Align2::LEFT_TOP, vec2(12.0, 12.0))
        .interactable(false)
        .show(context, |ui| {
            theme::label_frame().show(ui, |ui| {
                ui.horizontal(|ui| {
                    ui.label(RichText::new(language.say(facts.travel)).strong());
                    ui.label(RichText::new(format!("{x:.1}  {y:.1}  {z:.1}")).monospace());
                    let rate = format!("{:.0}", 1000.0 / frame_ms);
                    let rate = language.fill("{} pictures a second", &[&rate]);
                    ui.label(RichText::new(rate).color(theme::QUIET));
                });
                ui.label(
                    RichText::new(crowd_words(facts))
                        .small()
                        .color(theme::QUIET),
                );
            });
        });
}

fn crowd_words(facts: &Facts) -> String {
    let (crowd, language) = (&facts.crowd, facts.language);
    let mood = language.say(crowd.mood);
    if let Some(place) = &facts.shared.place {
        return language.fill(
            "{} players in the world of {}",
            &[&facts.shared.players.len(), place],
        );
    }
    let mut words = vec![language.fill("{} walkers {}", &[&crowd.walkers, &mood])];
    if crowd.score > 0 || crowd.targets > 0 {
        let values: [&dyn Display; 2] = [&crowd.score, &crowd.targets];
        words.push(language.fill("score {} ({} targets left)", &values));
    }
    if crowd.picked > 0 {
        words.push(language.fill("{} picked up", &[&crowd.picked]));
    }
    if crowd.fog {
        let share = format!("{:.0}", crowd.seen_share * 100.0);
        words.push(language.fill("{} % uncovered", &[&share]));
    }
    words.join("   ")
}

fn show_hint(context: &egui::Context, facts: &Facts, settings: &Settings) {
    let (tool, language) = (&facts.tool, facts.language);
    egui::Area::new(Id::unique("hint"))
        .anchor(
            Align2::LEFT_BOTTOM,
            vec2(12.0, -12.0 - above_hot_bar(context, HINT)),
        )
        .default_width(HINT)
        .interactable(false)
        .show(context, |ui| {
            theme::label_frame().show(ui, |ui| {
                // Without this, a window that was narrow once would leave the label narrow.
                ui.set_max_width(HINT);
                ui.label(
                    RichText::new(language.say(tool.name))
                        .strong()
                        .color(theme::ACCENT),
                );
                ui.label(RichText::new(&tool.hint).small());
                if let Some(target) = &facts.target {
                    ui.label(RichText::new(target).small().color(theme::QUIET));
                }
                if let Some(charge) = tool.charge {
                    let bar = ProgressBar::new(charge).desired_width(160.0);
                    ui.add(bar.text(language.say("power")));
                }
                let key = settings
                    .controls
                    .bindings
                    .triggers(Action::Help)
                    .first()
                    .map(help::readable);
                if let Some(key) = key {
                    let words = language.fill("{}: help", &[&key]);
                    ui.label(RichText::new(words).small().color(theme::QUIET));
                }
            });
        });
}

fn centred_words(
    context: &egui::Context,
    id: &str,
    offset: egui::Vec2,
    words: &str,
    color: Color32,
) {
    egui::Area::new(Id::unique(id))
        .anchor(Align2::CENTER_TOP, offset)
        .interactable(false)
        .show(context, |ui| {
            theme::label_frame().show(ui, |ui| {
                let words = RichText::new(words).strong().color(color);
                ui.add(egui::Label::new(words).wrap_mode(egui::TextWrapMode::Extend))
            });
        });
}

/// Draws the progress bar in the middle of the screen.
pub(super) fn show_progress(context: &egui::Context, language: Language, progress: &Progress) {
    egui::Area::new(Id::unique("progress"))
        .order(egui::Order::Tooltip)
        .anchor(Align2::CENTER_CENTER, vec2(0.0, 60.0))
        .interactable(false)
        .show(context, |ui| {
            theme::label_frame().show(ui, |ui| {
                ui.set_width(280.0);
                ui.horizontal(|ui| {
                    if progress.share.is_none() {
                        ui.spinner();
                    }
                    ui.label(language.say(&progress.words));
                });
                if let Some(share) = progress.share {
                    ui.add(ProgressBar::new(share).show_percentage());
                }
            });
        });
}
