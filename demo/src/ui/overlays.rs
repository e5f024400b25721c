//! The panel with a row for each overlay, and the overlays that are graphs rather than parts of the
//! world.

use egui::{Align2, Color32, Grid, Id, Pos2, Rect, RichText, Sense, Stroke, Window, pos2, vec2};

use crate::arguments::Overlay;
use crate::input::Action;
use crate::language::Language;
use crate::settings::Settings;

use super::{Facts, Request, help, theme};

/// Every overlay with its key.
pub(crate) const ROWS: [(Overlay, Action); 11] = [
    (Overlay::Frame, Action::OverlayFrame),
    (Overlay::Memory, Action::OverlayMemory),
    (Overlay::Chunks, Action::OverlayChunks),
    (Overlay::Tree, Action::OverlayTree),
    (Overlay::Quads, Action::OverlayQuads),
    (Overlay::Sweep, Action::OverlaySweep),
    (Overlay::Contacts, Action::OverlayContacts),
    (Overlay::Grid, Action::OverlayGrid),
    (Overlay::Overlaps, Action::OverlayOverlaps),
    (Overlay::Hits, Action::OverlayHits),
    (Overlay::Fog, Action::OverlayFog),
];

pub(super) fn show(
    window: Window<'_>,
    context: &egui::Context,
    facts: &Facts,
    settings: &Settings,
    requests: &mut Vec<Request>,
) {
    let language = facts.language;
    theme::show(window, context, |ui| {
        Grid::new("overlays")
            .num_columns(2)
            .striped(true)
            .show(ui, |ui| {
                for (overlay, action) in ROWS {
                    let mut shown = facts.overlays.contains(&overlay);
                    let words = language.say(action.words());
                    let words = words.split_once(": ").map_or(words, |(_, name)| name);
                    if ui.checkbox(&mut shown, words).changed() {
                        requests.push(Request::ToggleOverlay(overlay));
                    }
                    let key = settings
                        .controls
                        .bindings
                        .triggers(action)
                        .first()
                        .map(help::readable);
                    ui.label(RichText::new(key.unwrap_or_default()).monospace().small());
                    ui.end_row();
                }
            });
        ui.separator();
        ui.horizontal(|ui| {
            for (words, action) in [
                ("Freeze", Action::Freeze),
                ("One tick", Action::Step),
                ("Slow motion", Action::SlowMotion),
            ] {
                if ui.button(language.say(words)).clicked() {
                    requests.push(Request::Do(action));
                }
            }
        });
    });
}

/// Draws the overlays that are graphs and tables.
pub(super) fn show_graphs(context: &egui::Context, facts: &Facts) {
    let (frame, memory) = (
        facts.overlays.contains(&Overlay::Frame),
        facts.overlays.contains(&Overlay::Memory),
    );
    let tiles = facts.overlays.contains(&Overlay::Fog) && facts.crowd.fog;
    if !frame && !memory && !tiles {
        return;
    }
    egui::Area::new(Id::unique("graphs"))
        .anchor(Align2::LEFT_TOP, vec2(12.0, 64.0))
        .interactable(false)
        .show(context, |ui| {
            theme::label_frame().show(ui, |ui| {
                if frame {
                    show_frame(ui, facts);
                }
                if memory {
                    show_memory(ui, facts);
                }
                if tiles {
                    show_tiles(ui, facts.language);
                }
            });
        });
}

fn show_frame(ui: &mut egui::Ui, facts: &Facts) {
    let (frame, language) = (&facts.frame, facts.language);
    let curves = [
        ("frame", &frame.frame, Color32::WHITE),
        ("cpu", &frame.cpu, theme::ACCENT),
        ("tick", &frame.tick, theme::GOOD),
    ];
    let (rect, _) = ui.allocate_exact_size(vec2(300.0, 90.0), Sense::hover());
    draw_curves(ui, rect, &curves);
    for (name, values, color) in curves {
        let last = values.last().copied().unwrap_or(0.0);
        let worst = values.iter().copied().fold(0.0, f32::max);
        let (name, of_worst) = (language.say(name), language.say("worst"));
        let words = format!("{name:6}{last:8.2} ms   {of_worst} {worst:8.2}");
        ui.label(RichText::new(words).monospace().small().color(color));
    }
    let counts = language.fill(
        "{} chunks  {} draws  {} rectangles",
        &[&frame.chunks, &frame.draws, &frame.quads],
    );
    ui.label(RichText::new(counts).small().color(theme::QUIET));
    let megabytes = |bytes: u64| format!("{:.3}", bytes as f64 / 1e6);
    let (written, targets) = (frame.written_bytes, frame.target_bytes);
    let [width, height] = &frame.scene_size;
    let bytes = language.fill(
        "{} MB written  {} MB of targets  {} × {} pixels",
        &[&megabytes(written), &megabytes(targets), width, height],
    );
    ui.label(RichText::new(bytes).small().color(theme::QUIET));
    for pass in &frame.passes {
        let gpu = pass
            .gpu
            .map_or("      -".to_owned(), |gpu| format!("{gpu:7.3}"));
        let words = format!("{:9}{:7.3} ms CPU {gpu} ms GPU", pass.name, pass.cpu);
        ui.label(RichText::new(words).monospace().small().color(theme::QUIET));
    }
}

fn draw_curves(ui: &egui::Ui, rect: Rect, curves: &[(&str, &Vec<f32>, Color32)]) {
    let painter = ui.painter();
    let top = top_of(curves.iter().map(|(_, values, _)| values.as_slice()));
    let height = |milliseconds: f32| rect.bottom() - rect.height() * (milliseconds / top).min(1.0);
    painter.rect_filled(rect, 3.0, Color32::from_black_alpha(90));
    painter.hline(
        rect.x_range(),
        height(16.7),
        Stroke::new(1.0, Color32::from_white_alpha(50)),
    );
    for (_, values, color) in curves {
        let step = rect.width() / values.len().saturating_sub(1).max(1) as f32;
        let points: Vec<Pos2> = values
            .iter()
            .enumerate()
            .map(|(i, &v)| pos2(rect.left() + i as f32 * step, height(v)))
            .collect();
        if points.len() > 1 {
            painter.line(points, Stroke::new(1.2, *color));
        }
    }
}

/// Returns the time at the top of a graph: all but the longest twentieth of each curve lies below
/// it, and longer times are cut off.
fn top_of<'a>(curves: impl Iterator<Item = &'a [f32]>) -> f32 {
    let usual = curves.filter_map(|values| {
        let mut sorted = values.to_vec();
        sorted.sort_by(f32::total_cmp);
        sorted
            .get(sorted.len().saturating_sub(1) * 19 / 20)
            .copied()
    });
    usual.fold(16.7, f32::max) * 1.1
}

/// Draws the legend of the tiles of the fog of war.
fn show_tiles(ui: &mut egui::Ui, language: Language) {
    for (words, [r, g, b, _]) in [
        ("seen now", engine::Color::CYAN.0),
        ("seen before", engine::Color::ORANGE.0),
        ("never seen", engine::Color::RED.0),
    ] {
        let color = Color32::from_rgb(r, g, b);
        let words = RichText::new(language.say(words));
        ui.label(words.small().color(color));
    }
}

fn show_memory(ui: &mut egui::Ui, facts: &Facts) {
    for part in &facts.memory {
        let name = facts.language.say(part.name);
        let words = format!("{name:20}{:9.2} MB", part.bytes as f64 / 1e6);
        ui.label(RichText::new(words).monospace().small());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_long_frame_does_not_flatten_the_graph() {
        let (mut frames, cpu) = (vec![20.0; 240], vec![4.0; 240]);
        let usual = top_of([&frames[..], &cpu[..]].into_iter());
        frames[100] = 900.0;
        assert_eq!(top_of([&frames[..], &cpu[..]].into_iter()), usual);
        assert!((20.0..30.0).contains(&usual), "{usual}");
        // Many long ones show in full.
        frames[120..160].fill(60.0);
        assert!(top_of([&frames[..], &cpu[..]].into_iter()) >= 60.0);
        assert!(top_of([&[][..]].into_iter()) > 16.7);
    }
}
