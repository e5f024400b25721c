//! Converts the player's settings into those of the engine.

use engine::{Antialiasing, GraphicsSettings, Lamps, Presentation, ShadowQuality};

use crate::settings::{Graphics, Shadows};

/// Returns the engine's settings.
pub(crate) fn graphics_settings(graphics: &Graphics) -> GraphicsSettings {
    GraphicsSettings {
        view_distance: graphics.view_metres,
        shadows: match graphics.shadows {
            Shadows::Off => ShadowQuality::Off,
            Shadows::Low => ShadowQuality::Low,
            Shadows::High => ShadowQuality::High,
        },
        antialiasing: if graphics.multisampling {
            Antialiasing::Msaa4
        } else {
            Antialiasing::Off
        },
        render_scale: graphics.render_scale,
        fog: graphics.distance_fog,
        occlusion: graphics.occlusion,
        detail: graphics.detail,
        exposure: graphics.exposure,
        lamps: if graphics.lamps {
            Lamps::On
        } else {
            Lamps::Off
        },
        presentation: if graphics.vertical_sync {
            Presentation::Synchronised
        } else {
            Presentation::Immediate
        },
    }
}
