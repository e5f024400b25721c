//! The colours of characters and objects.

use engine::Color;

pub(super) const BALL: Color = Color([48, 50, 56, 255]);
pub(super) const TARGET: Color = Color([232, 62, 48, 255]);
pub(super) const PAD: Color = Color([236, 142, 44, 255]);
pub(super) const PICKUP: Color = Color([92, 224, 255, 255]);

/// Returns the player's colour; a hit makes it glow red for a moment.
pub(super) fn player(flash: f32) -> Color {
    let mix = |from: f32, to: f32| (from + (to - from) * flash) as u8;
    Color([255, mix(214.0, 40.0), mix(102.0, 30.0), 255])
}

/// Returns the colour of a walker; a hit makes it glow white for a moment.
pub(super) fn skin(tint: u8, flash: f32) -> Color {
    const CLOTHES: [[u8; 3]; 8] = [
        [214, 106, 84],
        [92, 148, 200],
        [120, 176, 104],
        [222, 178, 92],
        [168, 120, 190],
        [236, 150, 170],
        [102, 190, 180],
        [180, 140, 104],
    ];
    let base = CLOTHES[usize::from(tint) % CLOTHES.len()];
    let shade = 0.85 + f32::from(tint / 8 % 8) / 8.0 * 0.3;
    let [r, g, b] = base.map(|c| {
        let dressed = (f32::from(c) * shade).min(255.0);
        (dressed + (255.0 - dressed) * flash) as u8
    });
    Color([r, g, b, 255])
}
