//! The cannon's range: aimed with the pointer, fired with a click.

use egui::{Color32, Pos2, Rect, Sense, Shape, Stroke, Window, pos2, vec2};
use nalgebra::Point2;

use crate::language::Language;
use crate::range::{BALL, CANNON, Range, TARGET, WORLD};

use super::theme;

/// Points to a metre.
const SCALE: f32 = 56.0;
const SKY: Color32 = Color32::from_rgb(38, 46, 60);
const IRON: Color32 = Color32::from_rgb(150, 156, 168);
const RED: Color32 = Color32::from_rgb(232, 62, 48);

pub(super) fn show(
    window: Window<'_>,
    context: &egui::Context,
    language: Language,
    range: &mut Range,
) {
    let size = vec2(WORLD[0], WORLD[1]) * SCALE;
    // The usual width of a panel would cut the range off.
    let window = window.resizable(false).default_width(size.x);
    theme::show(window, context, |ui| {
        let (rect, response) = ui.allocate_exact_size(size, Sense::click());
        let place =
            |at: Point2<f32>| pos2(rect.left() + at.x * SCALE, rect.bottom() - at.y * SCALE);
        let metres = |at: Pos2| {
            let (x, y) = (at.x - rect.left(), rect.bottom() - at.y);
            Point2::new(x, y) / SCALE
        };
        let pointer = response.hover_pos();
        if let Some(at) = response
            .interact_pointer_pos()
            .filter(|_| response.clicked())
        {
            range.fire(metres(at));
        }
        range.go_on(ui.input(|input| input.stable_dt));
        let painter = ui.painter_at(rect);
        painter.rect_filled(rect, 4.0, SKY);
        for at in range.targets() {
            let side = vec2(TARGET, TARGET) * SCALE;
            painter.rect_filled(Rect::from_center_size(place(at), side), 2.0, RED);
        }
        let mouth = place(Range::mouth());
        let aim = pointer.map_or(vec2(0.7, -0.7), |at| at - mouth);
        let barrel = aim.normalized() * (CANNON * 0.8 * SCALE);
        let body = vec2(CANNON, CANNON) * SCALE * 0.7;
        painter.line_segment(
            [mouth, mouth + barrel],
            Stroke::new(BALL * SCALE * 1.6, IRON),
        );
        painter.rect_filled(Rect::from_center_size(mouth, body), 6.0, IRON);
        if let Some(at) = pointer {
            painter.add(Shape::dashed_line(
                &[mouth, at],
                Stroke::new(1.0, theme::ACCENT),
                6.0,
                5.0,
            ));
        }
        for ball in range.balls() {
            painter.circle_filled(place(ball.at), BALL * 0.5 * SCALE, Color32::WHITE);
        }
        ui.horizontal(|ui| {
            let (left, hits, compared) = (range.targets().count(), range.hits, range.compared);
            let words = "{} hit, {} left, {} comparisons";
            ui.label(language.fill(words, &[&hits, &left, &compared]));
            if ui.button(language.say("New targets")).clicked() {
                range.scatter();
            }
        });
        if !range.balls().is_empty() {
            context.request_repaint();
        }
    });
}
