//! The map in the corner: the land from above, the player as an arrow, walkers as dots.

use egui::{
    Align2, Color32, ColorImage, Id, Painter, Pos2, Rect, Sense, Shape, Stroke, TextureHandle,
    TextureOptions, pos2, vec2,
};

use super::hot_bar::above_hot_bar;
use super::{MinimapFacts, theme};

/// Its side in points, and its largest share of the window's width.
const SIDE: f32 = 176.0;
const MOST_SHARE: f32 = 0.2;
/// Darkness beyond the map of the fog of war; `war_blur.wgsl` makes unseen tiles as dark.
const UNSEEN: u8 = 224;

/// The uploaded map, kept in egui's memory with the revision it shows.
#[derive(Clone)]
struct Uploaded {
    revision: u64,
    texture: TextureHandle,
}

/// Shows the map above the hot-bar, or beside it. It gives way to the bar of panels.
pub(super) fn show(context: &egui::Context, map: &MinimapFacts, bar: Option<Rect>) {
    if map.side == 0 || map.pixels.len() != map.side * map.side {
        return;
    }
    let texture = upload(context, map);
    let side = SIDE.min(context.content_rect().width() * MOST_SHARE);
    let below = 12.0 + above_hot_bar(context, side);
    let top = context.content_rect().bottom() - below - side - 12.0;
    if bar.is_some_and(|bar| bar.bottom() > top) {
        return;
    }
    egui::Area::new(Id::unique("minimap"))
        .anchor(Align2::RIGHT_BOTTOM, vec2(-12.0, -below))
        .interactable(false)
        .show(context, |ui| {
            theme::label_frame().inner_margin(4.0).show(ui, |ui| {
                let (rect, _) = ui.allocate_exact_size(vec2(side, side), Sense::hover());
                let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
                ui.painter()
                    .image(texture.id(), rect, whole, Color32::WHITE);
                let painter = ui.painter_at(rect);
                if let Some(fog) = map.fog {
                    draw_fog(&painter, rect, map, fog);
                }
                draw_marks(&painter, rect, map);
            });
        });
}

/// Draws the fog of war as the engine shows it in the world, too; the land beyond its map is
/// unseen.
fn draw_fog(painter: &Painter, rect: Rect, map: &MinimapFacts, [start, end]: [[f32; 2]; 2]) {
    let scale = rect.width() / map.side as f32;
    let place = |[x, y]: [f32; 2]| rect.min + vec2(x, y) * scale;
    let fog = Rect::from_min_max(place(start), place(end));
    let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
    painter.image(engine::FOG_TEXTURE, fog, whole, Color32::WHITE);
    let beyond = [
        Rect::from_min_max(rect.min, pos2(rect.max.x, fog.min.y)),
        Rect::from_min_max(pos2(rect.min.x, fog.max.y), rect.max),
        Rect::from_min_max(pos2(rect.min.x, fog.min.y), pos2(fog.min.x, fog.max.y)),
        Rect::from_min_max(pos2(fog.max.x, fog.min.y), pos2(rect.max.x, fog.max.y)),
    ];
    for part in beyond.into_iter().filter(Rect::is_positive) {
        painter.rect_filled(part, 0.0, Color32::from_black_alpha(UNSEEN));
    }
}

fn upload(context: &egui::Context, map: &MinimapFacts) -> TextureHandle {
    let id = Id::unique("minimap-texture");
    let kept: Option<Uploaded> = context.data(|data| data.get_temp(id));
    if let Some(kept) = &kept
        && kept.revision == map.revision
    {
        return kept.texture.clone();
    }
    let pixels = map
        .pixels
        .iter()
        .map(|&[r, g, b]| Color32::from_rgb(r, g, b))
        .collect();
    let image = ColorImage::new([map.side, map.side], pixels);
    let texture = match kept {
        Some(mut kept) => {
            kept.texture.set(image, TextureOptions::LINEAR);
            kept.texture
        }
        None => context.load_texture("minimap", image, TextureOptions::LINEAR),
    };
    let fresh = Uploaded {
        revision: map.revision,
        texture: texture.clone(),
    };
    context.data_mut(|data| data.insert_temp(id, fresh));
    texture
}

fn draw_marks(painter: &Painter, rect: Rect, map: &MinimapFacts) {
    let scale = rect.width() / map.side as f32;
    let place = |[x, y]: [f32; 2]| rect.min + vec2(x, y) * scale;
    for (at, [r, g, b]) in &map.dots {
        painter.circle_filled(place(*at), 1.6, Color32::from_rgb(*r, *g, *b));
    }
    let (sin, cos) = map.yaw.sin_cos();
    let turn = |x: f32, y: f32| vec2(x * cos - y * sin, x * sin + y * cos);
    let player = place(map.player);
    let corner = |x: f32, y: f32| -> Pos2 { player + turn(x, y) };
    let arrow = vec![
        corner(0.0, -8.0),
        corner(5.0, 6.0),
        corner(0.0, 3.0),
        corner(-5.0, 6.0),
    ];
    painter.add(Shape::closed_line(
        arrow.clone(),
        Stroke::new(3.0, Color32::from_black_alpha(160)),
    ));
    painter.add(Shape::convex_polygon(
        arrow[..3].to_vec(),
        theme::ACCENT,
        Stroke::NONE,
    ));
    let left = vec![corner(0.0, -8.0), corner(0.0, 3.0), corner(-5.0, 6.0)];
    painter.add(Shape::convex_polygon(left, theme::ACCENT, Stroke::NONE));
}
