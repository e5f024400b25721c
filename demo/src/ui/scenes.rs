//! The scene viewer's list and the bar that plays and scrubs the open scene.

use egui::{Align2, Id, RichText, ScrollArea, Slider, TextEdit, Window, pos2, vec2};

use crate::language::Language;

use super::{Facts, Request, SceneState, theme};

pub(super) fn show(
    window: Window<'_>,
    context: &egui::Context,
    facts: &Facts,
    filter: &mut String,
    requests: &mut Vec<Request>,
) {
    let language = facts.language;
    let window = window.default_pos(pos2(12.0, 12.0)).default_width(290.0);
    theme::show(window, context, |ui| {
        ui.horizontal(|ui| {
            ui.add(
                TextEdit::singleline(filter)
                    .hint_text(language.say("search"))
                    .desired_width(150.0),
            );
            if ui.button(language.say("Run all")).clicked() {
                requests.push(Request::RunAllScenes);
            }
        });
        ui.label(RichText::new(summary(facts)).small().color(theme::QUIET));
        let open = facts.scenes.open.as_ref().map(|s| s.name.as_str());
        ScrollArea::vertical().max_height(460.0).show(ui, |ui| {
            for (name, verdict) in facts
                .scenes
                .list
                .iter()
                .filter(|(n, _)| n.contains(filter.as_str()))
            {
                ui.horizontal(|ui| {
                    ui.label(mark(language, *verdict));
                    if ui
                        .selectable_label(open == Some(name.as_str()), name)
                        .clicked()
                    {
                        requests.push(Request::OpenScene(name.clone()));
                    }
                });
            }
        });
    });
}

fn summary(facts: &Facts) -> String {
    let count = |verdict| {
        facts
            .scenes
            .list
            .iter()
            .filter(|(_, v)| *v == verdict)
            .count()
    };
    let [all, passed, failed] = [
        facts.scenes.list.len(),
        count(Some(true)),
        count(Some(false)),
    ];
    let words = "{} scenes: {} pass, {} fail";
    facts.language.fill(words, &[&all, &passed, &failed])
}

fn mark(language: Language, verdict: Option<bool>) -> RichText {
    match verdict {
        Some(true) => RichText::new(language.say("pass"))
            .small()
            .color(theme::GOOD),
        Some(false) => RichText::new(language.say("FAIL"))
            .small()
            .color(theme::BAD),
        None => RichText::new(" ...  ").small().color(theme::QUIET),
    }
}

/// The bar at the bottom while a scene is open.
pub(super) fn show_player(context: &egui::Context, facts: &Facts, requests: &mut Vec<Request>) {
    let Some(scene) = &facts.scenes.open else {
        return;
    };
    egui::Area::new(Id::unique("scene-player"))
        .anchor(Align2::CENTER_BOTTOM, vec2(0.0, -12.0))
        .show(context, |ui| {
            theme::label_frame().show(ui, |ui| {
                ui.set_width(560.0);
                ui.horizontal(|ui| {
                    ui.label(mark(facts.language, scene.passed));
                    ui.label(RichText::new(&scene.name).strong());
                    ui.label(RichText::new(&scene.why).small().color(theme::QUIET));
                });
                if !scene.about.is_empty() {
                    ui.label(RichText::new(&scene.about).small());
                }
                show_variants(ui, scene, requests);
                show_transport(ui, facts.language, scene, requests);
            });
        });
}

fn show_variants(ui: &mut egui::Ui, scene: &SceneState, requests: &mut Vec<Request>) {
    if scene.variants.len() < 2 {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        for (index, label) in scene.variants.iter().enumerate() {
            let words = RichText::new(label).small();
            if ui.selectable_label(index == scene.variant, words).clicked() {
                requests.push(Request::SceneVariant(index));
            }
        }
    });
}

fn show_transport(
    ui: &mut egui::Ui,
    language: Language,
    scene: &SceneState,
    requests: &mut Vec<Request>,
) {
    if scene.ticks == 0 {
        let words =
            "Single sweeps, each compared with brute force: a verdict, and nothing that moves.";
        ui.label(RichText::new(language.say(words)).color(theme::ACCENT));
        if ui.button(language.say("Close")).clicked() {
            requests.push(Request::CloseScene);
        }
        return;
    }
    ui.horizontal(|ui| {
        let words = if scene.playing { "Stop" } else { "Play" };
        if ui.button(language.say(words)).clicked() {
            requests.push(Request::PlayScene(!scene.playing));
        }
        let mut tick = scene.tick;
        ui.spacing_mut().slider_width = 340.0;
        let slider = Slider::new(&mut tick, 0..=scene.ticks.max(1));
        if ui.add(slider.text(language.say("tick"))).changed() {
            requests.push(Request::ScrubScene(tick));
        }
        if ui.button(language.say("Close")).clicked() {
            requests.push(Request::CloseScene);
        }
    });
}
