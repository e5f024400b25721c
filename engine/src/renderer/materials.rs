//! The look of each material: its colour from the world's table, and a detail texture by its name.

use world::{Look, MaterialInfo, MaterialTable};

use super::details::Detail;

/// The way a material is drawn; the numbers are also in `quad.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Drawn {
    Opaque = 0,
    WithHoles = 1,
    Blended = 2,
    Water = 3,
}

/// Returns one row for each material of the table.
pub(crate) fn rows_of(table: &MaterialTable) -> Vec<shaders::MaterialRow> {
    let mut rows: Vec<_> = table.iter().map(|(_, info)| row_of(info, table)).collect();
    if rows.is_empty() {
        rows.push(bytemuck::Zeroable::zeroed());
    }
    rows
}

/// Converts sRGB to linear light; alpha stays.
pub(crate) fn linear(color: [u8; 4]) -> [f32; 4] {
    let channel = |value: u8| {
        let value = f32::from(value) / 255.0;
        if value <= 0.04045 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    };
    [
        channel(color[0]),
        channel(color[1]),
        channel(color[2]),
        f32::from(color[3]) / 255.0,
    ]
}

/// The textures of a named material for sides, top and bottom, its variation from place to place,
/// and the contrast of the texture.
pub(super) struct Dress {
    pub(super) side: Detail,
    pub(super) top: Detail,
    bottom: Detail,
    variation: f32,
    pub(super) contrast: f32,
}

fn all(detail: Detail, variation: f32, contrast: f32) -> Dress {
    Dress {
        side: detail,
        top: detail,
        bottom: detail,
        variation,
        contrast,
    }
}

pub(super) fn dress_of(name: &str) -> Dress {
    match name {
        name if has_turf(name) => Dress {
            side: Detail::GrassSide,
            top: Detail::Grass,
            bottom: Detail::Dirt,
            variation: 1.0,
            contrast: 1.0,
        },
        "dirt" => all(Detail::Dirt, 0.8, 1.0),
        "stone" | "mossy stone" | "coal" => all(Detail::Stone, 0.8, 1.0),
        "sand" | "red sand" => all(Detail::Sand, 0.5, 1.0),
        "snow" => all(Detail::Snow, 0.22, 1.0),
        "wood" | "birch" => Dress {
            side: Detail::Bark,
            top: Detail::Rings,
            bottom: Detail::Rings,
            variation: 0.5,
            contrast: 1.0,
        },
        name if name.ends_with("leaves") => all(Detail::Leaves, 0.9, 1.0),
        "ladder" => all(Detail::Ladder, 0.1, 1.0),
        "planks" => all(Detail::Planks, 0.35, 1.0),
        "brick" => all(Detail::Bricks, 0.35, 1.0),
        "gravel" => all(Detail::Gravel, 0.5, 1.0),
        "sandstone" | "terracotta" => Dress {
            side: Detail::Layers,
            top: Detail::Sand,
            bottom: Detail::Sand,
            variation: 0.6,
            contrast: 1.0,
        },
        "moss" => all(Detail::Grass, 1.0, 1.0),
        "cactus" => all(Detail::Columns, 0.4, 1.0),
        "basalt" => all(Detail::Columns, 0.6, 1.0),
        "iron" | "gold" => all(Detail::Metal, 0.25, 1.0),
        "glass" => all(Detail::Pane, 0.0, 1.0),
        "ice" | "crystal" => all(Detail::Ice, 0.4, 1.0),
        "lava" => all(Detail::Lava, 0.2, 1.0),
        "lamp" => all(Detail::Lamp, 0.0, 1.0),
        _ => all(Detail::Speckle, 0.5, 0.8),
    }
}

/// Returns true for grass of any kind, which grows on earth.
pub(super) fn has_turf(name: &str) -> bool {
    name.ends_with("grass")
}

pub(super) fn drawn_as(info: &MaterialInfo) -> Drawn {
    match (info.look, info.name.as_str()) {
        (Look::Transparent, "leaves" | "ladder") => Drawn::WithHoles,
        (Look::Transparent, _) if info.liquid && info.light == 0 => Drawn::Water,
        (Look::Transparent, _) => Drawn::Blended,
        _ => Drawn::Opaque,
    }
}

/// Returns the colour of the earth under grass.
pub(super) fn earth_of(info: &MaterialInfo, table: &MaterialTable) -> [u8; 4] {
    let dirt = table.by_name("dirt");
    dirt.map_or(info.colour, |dirt| table.info(dirt).colour)
}

fn row_of(info: &MaterialInfo, table: &MaterialTable) -> shaders::MaterialRow {
    let dress = dress_of(&info.name);
    let turf = has_turf(&info.name);
    shaders::MaterialRow {
        color: linear(info.colour),
        side: dress.side as u32,
        top: dress.top as u32,
        bottom: dress.bottom as u32,
        look: drawn_as(info) as u32,
        glow: f32::from(info.light.min(15)) / 15.0 * 2.0,
        variation: dress.variation,
        contrast: dress.contrast,
        under: f32::from(u8::from(turf)),
        under_color: linear(earth_of(info, table)),
    }
}
