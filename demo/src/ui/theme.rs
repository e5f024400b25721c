//! The look of all panels: dark glass, one accent.

use egui::{Color32, CornerRadius, Margin, Stroke, pos2};

/// Selected or active elements.
pub(super) const ACCENT: Color32 = Color32::from_rgb(255, 196, 84);
/// Secondary text.
pub(super) const QUIET: Color32 = Color32::from_rgb(168, 176, 186);
/// Good news.
pub(super) const GOOD: Color32 = Color32::from_rgb(118, 204, 126);
/// Bad news.
pub(super) const BAD: Color32 = Color32::from_rgb(240, 108, 92);

/// Background of panels.
pub(super) fn glass() -> Color32 {
    Color32::from_rgba_unmultiplied(16, 20, 26, 224)
}

/// Background of labels on the picture.
pub(super) fn thin_glass() -> Color32 {
    Color32::from_rgba_unmultiplied(12, 16, 20, 150)
}

/// Gives an egui context our look.
pub fn apply(context: &egui::Context) {
    let mut visuals = egui::Visuals::dark();
    visuals.window_fill = glass();
    visuals.panel_fill = glass();
    visuals.window_corner_radius = CornerRadius::same(8);
    visuals.window_stroke = Stroke::new(1.0, Color32::from_white_alpha(24));
    visuals.selection.bg_fill = Color32::from_rgb(138, 98, 28);
    visuals.selection.stroke = Stroke::new(1.0, ACCENT);
    visuals.hyperlink_color = ACCENT;
    context.set_visuals(visuals);
}

/// Returns an empty panel; `place` keeps panels from opening on top of each other.
pub(super) fn window(title: &str, place: usize) -> egui::Window<'_> {
    egui::Window::new(title)
        .default_pos(pos2(16.0 + 40.0 * place as f32, 76.0 + 22.0 * place as f32))
        .default_width(320.0)
        .resizable(true)
        .collapsible(true)
}

/// Returns a frame for labels on the picture.
pub(super) fn label_frame() -> egui::Frame {
    egui::Frame::NONE
        .fill(thin_glass())
        .corner_radius(CornerRadius::same(6))
        .inner_margin(Margin::symmetric(10, 6))
}
