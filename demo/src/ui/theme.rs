//! The look of all panels: dark glass, one accent.

use egui::epaint::text::{FontInsert, FontPriority, InsertFontFamily};
use egui::{
    Color32, CornerRadius, FontData, FontFamily, Id, Margin, Stroke, TextStyle, Window, pos2,
};

use crate::language::Language;

/// Selected or active elements.
pub(super) const ACCENT: Color32 = Color32::from_rgb(255, 196, 84);
/// Plain text.
pub(super) const TEXT: Color32 = Color32::from_gray(212);
/// Secondary text.
pub(super) const QUIET: Color32 = Color32::from_rgb(168, 176, 186);
/// Good news.
pub(super) const GOOD: Color32 = Color32::from_rgb(118, 204, 126);
/// Bad news.
pub(super) const BAD: Color32 = Color32::from_rgb(255, 150, 136);

/// Sizes of text, points: none is smaller than 12.
const SIZES: [(TextStyle, f32); 5] = [
    (TextStyle::Small, 12.0),
    (TextStyle::Body, 14.0),
    (TextStyle::Button, 14.0),
    (TextStyle::Monospace, 13.0),
    (TextStyle::Heading, 16.0),
];

/// Background of panels.
pub(super) fn glass() -> Color32 {
    Color32::from_rgba_unmultiplied(16, 20, 26, 224)
}

/// Background of labels on the picture.
pub(super) fn thin_glass() -> Color32 {
    Color32::from_rgba_unmultiplied(12, 16, 20, 210)
}

/// Part of the screen beside the contents of a panel: its frame, its title and the bar of panels.
const ROOM: egui::Vec2 = egui::vec2(224.0, 64.0);
/// Least sides of the contents of a panel.
const LEAST: f32 = 60.0;

/// Korean letters: a part of NanumGothic, made by `fonts/make.py`.
const HANGUL: &[u8] = include_bytes!("../../fonts/hangul.ttf");

/// Gives an egui context our look, with Korean letters behind those of all other fonts.
pub fn apply(context: &egui::Context) {
    let families = [FontFamily::Proportional, FontFamily::Monospace].map(|family| {
        let priority = FontPriority::Lowest;
        InsertFontFamily { family, priority }
    });
    let hangul = FontData::from_static(HANGUL);
    context.add_font(FontInsert::new("hangul", hangul, families.into()));
    let mut visuals = egui::Visuals::dark();
    visuals.window_fill = glass();
    visuals.panel_fill = glass();
    visuals.window_corner_radius = CornerRadius::same(8);
    visuals.window_stroke = Stroke::new(1.0, Color32::from_white_alpha(24));
    visuals.selection.bg_fill = Color32::from_rgb(138, 98, 28);
    visuals.selection.stroke = Stroke::new(1.0, ACCENT);
    visuals.hyperlink_color = ACCENT;
    visuals.widgets.noninteractive.fg_stroke.color = TEXT;
    context.set_visuals(visuals);
    context.all_styles_mut(|style| {
        for (kind, points) in SIZES {
            if let Some(font) = style.text_styles.get_mut(&kind) {
                font.size = points;
            }
        }
    });
}

/// Returns an empty panel; `place` keeps panels from opening on top of each other. It stays where
/// it is when the language changes.
pub(super) fn window(title: &str, language: Language, place: usize) -> Window<'_> {
    Window::new(language.say(title))
        .id(Id::unique(title))
        .default_pos(pos2(
            16.0 + 40.0 * (place % 6) as f32,
            76.0 + 22.0 * (place % 4) as f32,
        ))
        .default_width(320.0)
        .resizable(true)
        .collapsible(true)
}

/// Shows a panel. Contents that are larger than the screen can be scrolled.
pub(super) fn show(
    window: Window<'_>,
    context: &egui::Context,
    contents: impl FnOnce(&mut egui::Ui),
) {
    let room = context.content_rect().size() - ROOM;
    window.max_width(room.x.max(LEAST)).show(context, |ui| {
        let area = egui::ScrollArea::both().id_salt("panel");
        let area = area
            .max_height(room.y.max(LEAST))
            // Without this, a panel would not grow with its contents.
            .min_scrolled_height(room.y.max(LEAST))
            .auto_shrink([false, true]);
        area.show(ui, contents);
    });
}

/// Returns a frame for labels on the picture.
pub(super) fn label_frame() -> egui::Frame {
    egui::Frame::NONE
        .fill(thin_glass())
        .corner_radius(CornerRadius::same(6))
        .inner_margin(Margin::symmetric(10, 6))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance, as the WCAG defines it.
    fn luminance(color: [f64; 3]) -> f64 {
        let linear = |part: f64| match part / 255.0 {
            part if part <= 0.04045 => part / 12.92,
            part => ((part + 0.055) / 1.055).powf(2.4),
        };
        0.2126 * linear(color[0]) + 0.7152 * linear(color[1]) + 0.0722 * linear(color[2])
    }

    #[test]
    fn text_on_labels_can_be_read_over_the_brightest_sky() {
        let glass = thin_glass();
        let alpha = f64::from(glass.a()) / 255.0;
        let [r, g, b, _] = glass.to_array();
        // The colours of glass are multiplied by its alpha already.
        let behind = [r, g, b].map(|part| f64::from(part) + 255.0 * (1.0 - alpha));
        for color in [ACCENT, TEXT, QUIET, GOOD, BAD] {
            let [r, g, b, _] = color.to_array();
            let text = luminance([r, g, b].map(f64::from)) + 0.05;
            let contrast = text / (luminance(behind) + 0.05);
            assert!(contrast >= 4.5, "{color:?}: {contrast:.2}");
        }
    }
}
