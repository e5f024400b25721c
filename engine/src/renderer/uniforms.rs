//! The uniforms of a picture, shared by all passes.

use nalgebra::Matrix4;

use super::View;
use super::bindings::{Bindings, CASCADE_STRIDE};
use super::cascades::CASCADES;
use super::light::LightMap;
use super::targets::has_shadows;
use super::war::WarMap;
use crate::{Frame, Gpu, Lamps};

/// Exposure at 0 stops.
const EXPOSURE: f32 = 0.62;

pub(super) fn write(
    gpu: &Gpu,
    bindings: &Bindings,
    frame: &Frame<'_>,
    view: &View,
    light: &LightMap,
    war: Option<&WarMap>,
) {
    let uniform = frame_uniform(frame, view, light, war);
    gpu.write_buffer(&bindings.frame, 0, bytemuck::bytes_of(&uniform));
    let mut cascades = [0_u8; CASCADE_STRIDE as usize * CASCADES];
    for (cascade, bytes) in view
        .cascades
        .iter()
        .zip(cascades.chunks_exact_mut(CASCADE_STRIDE as usize))
    {
        let block = shaders::Cascade {
            view_projection: cascade.view_projection.into(),
        };
        bytes[..size_of::<shaders::Cascade>()].copy_from_slice(bytemuck::bytes_of(&block));
    }
    gpu.write_buffer(&bindings.cascades, 0, &cascades);
}

fn frame_uniform(
    frame: &Frame<'_>,
    view: &View,
    light: &LightMap,
    war: Option<&WarMap>,
) -> shaders::FrameUniform {
    let camera = &frame.camera;
    let settings = &view.settings;
    let view_projection = camera.view_projection(view.aspect);
    let daylight = &view.daylight;
    let reach = |number: usize| {
        if has_shadows(settings) {
            view.cascades[number].reach
        } else {
            0.0
        }
    };
    let (war_origin, war_size, war_tile) = match (frame.fog, war) {
        (Some(fog), Some(_)) => (fog.origin, fog.size.map(|side| side as f32), fog.tile),
        _ => ([0; 2], [0.0; 2], 1.0),
    };
    shaders::FrameUniform {
        view_projection: view_projection.into(),
        inverse_view_projection: view_projection
            .try_inverse()
            .unwrap_or_else(Matrix4::identity)
            .into(),
        cascades: view
            .cascades
            .each_ref()
            .map(|cascade| cascade.lookup.into()),
        cascade_reach: [
            reach(0),
            reach(1),
            reach(2),
            1.0 / view.shadow_texels as f32,
        ],
        camera_cell: camera.position.cell.into(),
        time: frame.time,
        camera_offset: camera.position.offset.into(),
        near: camera.near,
        light_direction: daylight.light_direction.into(),
        night: daylight.night,
        light_color: daylight.light_color.into(),
        exposure: EXPOSURE * settings.exposure.exp2(),
        sun_direction: daylight.sun_direction.into(),
        view_distance: view.sight,
        zenith: daylight.zenith.into(),
        fog: settings.fog,
        horizon: daylight.horizon.into(),
        occlusion: settings.occlusion,
        bounce: daylight.bounce.into(),
        detail: settings.detail,
        light_origin: light.origin().unwrap_or_default().into(),
        light: light_bits(light, settings.lamps),
        light_ready: light.ready(),
        war_origin,
        war_size,
        picture_size: view.size.map(|side| side as f32),
        pixel: 2.0 * (camera.field_of_view * 0.5).tan() / view.scene_height as f32,
        war_tile,
    }
}

/// Returns the available kinds of light in the air, as bits for the shaders.
fn light_bits(light: &LightMap, lamps: Lamps) -> u32 {
    match (light.origin(), lamps) {
        (None, _) => 0,
        (Some(_), Lamps::Off) => 1,
        (Some(_), Lamps::On) => 3,
    }
}
