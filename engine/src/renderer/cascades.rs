//! The sun's shadow maps: nested squares around the view, moved by whole texels so that edges stand
//! still.

use collision::Plane;
use nalgebra::{Matrix4, Point3, Vector3, Vector4};
use world::Frustum;

use crate::{Camera, ShadowQuality};

pub(crate) const CASCADES: usize = 3;
/// Largest distance towards the sun of geometry that throws shadows, in metres.
const TOWARD_SUN: f32 = 260.0;
/// Reach of each cascade, relative to the last.
const SHARES: [f32; CASCADES] = [0.08, 0.30, 1.0];
/// Largest reach of the last cascade, in metres.
const FARTHEST: f32 = 320.0;

/// Grid of map positions, in texels: until the eye leaves a grid cell the maps stay and need not be
/// drawn again.
const STEP_TEXELS: f32 = 16.0;

/// The place of a map: while it and the world are unchanged, so is the map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CascadePlace {
    /// Unit vector to the light.
    pub(crate) light: Vector3<f32>,
    /// Half its side, in metres.
    radius: f32,
    /// Grid position along its sides and towards the light.
    steps: [i64; 3],
}

/// One of the three shadow maps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CascadeView {
    /// Matrix from metres relative to the eye to clip space.
    pub(crate) view_projection: Matrix4<f32>,
    /// Matrix from metres relative to the eye to texture coordinates and depth.
    pub(crate) lookup: Matrix4<f32>,
    /// Space that may throw a shadow into the map.
    pub(crate) frustum: Frustum,
    pub(crate) place: CascadePlace,
    /// Reach in metres from the eye.
    pub(crate) reach: f32,
}

impl CascadeView {
    /// Returns true if a ball at this offset from the eye may throw a shadow into the map.
    pub(crate) fn meets_sphere(&self, relative: Vector3<f32>, radius: f32) -> bool {
        let at = self
            .view_projection
            .transform_point(&Point3::from(relative));
        let room = |row: usize| {
            let row = self.view_projection.fixed_view::<1, 3>(row, 0);
            radius * row.norm()
        };
        at.x.abs() <= 1.0 + room(0) && at.y.abs() <= 1.0 + room(1) && at.z <= 1.0 + room(2)
    }
}

/// Returns the texels along a shadow map.
pub(crate) fn resolution(quality: ShadowQuality) -> u32 {
    match quality {
        ShadowQuality::Off => 1,
        ShadowQuality::Low => 1024,
        ShadowQuality::High => 2048,
    }
}

/// Returns the cascades for a camera and the direction to the light of each.
pub(crate) fn cascades(
    camera: &Camera,
    aspect: f32,
    lights: [Vector3<f32>; CASCADES],
    quality: ShadowQuality,
    view_distance: f32,
) -> [CascadeView; CASCADES] {
    let farthest = view_distance.min(FARTHEST);
    let texels = resolution(quality) as f32;
    std::array::from_fn(|number| {
        let reach = farthest * SHARES[number];
        cascade(camera, aspect, lights[number], texels, reach)
    })
}

fn cascade(
    camera: &Camera,
    aspect: f32,
    light: Vector3<f32>,
    texels: f32,
    reach: f32,
) -> CascadeView {
    let [across, up] = axes(light);
    let half_height = (camera.field_of_view * 0.5).tan();
    let corner_cosine = 1.0 / (1.0 + half_height * half_height * (1.0 + aspect * aspect)).sqrt();
    // The smallest sphere about the middle of the line of sight that contains the view within
    // reach, and room for a step.
    let radius = reach * (1.25 - corner_cosine).max(0.25).sqrt() / (1.0 - STEP_TEXELS / texels);
    let middle = camera.forward() * (reach * 0.5);
    let step = f64::from(2.0 * radius / texels * STEP_TEXELS);
    let eye = camera.position.cell.cast::<f64>() + camera.position.offset.cast::<f64>();
    let snapped = [across, up, light].map(|axis| {
        let eye = axis.cast::<f64>().dot(&eye);
        let steps = ((eye + f64::from(axis.dot(&middle))) / step).round();
        (steps as i64, (steps * step - eye) as f32)
    });
    let [center_across, center_up, center_light] = snapped.map(|(_, center)| center);
    let (near, far) = (center_light + radius + TOWARD_SUN, center_light - radius);
    let scale = 1.0 / radius;
    let depth = 1.0 / (near - far);
    let row = |axis: Vector3<f32>, scale: f32, center: f32| {
        Vector4::new(
            axis.x * scale,
            axis.y * scale,
            axis.z * scale,
            -center * scale,
        )
    };
    let rows = [
        row(across, scale, center_across),
        row(up, scale, center_up),
        row(-light, depth, -near),
        Vector4::new(0.0, 0.0, 0.0, 1.0),
    ];
    let view_projection = Matrix4::from_rows(&rows.map(|row| row.transpose()));
    CascadeView {
        view_projection,
        lookup: to_texture() * view_projection,
        frustum: frustum(
            camera,
            [(across, center_across, radius), (up, center_up, radius)],
            (light, near, far),
        ),
        place: CascadePlace {
            light,
            radius,
            steps: snapped.map(|(steps, _)| steps),
        },
        reach,
    }
}

/// Returns two axes perpendicular to the light that depend only on it.
fn axes(light: Vector3<f32>) -> [Vector3<f32>; 2] {
    let other = if light.y.abs() > 0.99 {
        Vector3::x()
    } else {
        Vector3::y()
    };
    let across = other.cross(&light).normalize();
    [across, light.cross(&across)]
}

fn to_texture() -> Matrix4<f32> {
    Matrix4::new(
        0.5, 0.0, 0.0, 0.5, //
        0.0, -0.5, 0.0, 0.5, //
        0.0, 0.0, 1.0, 0.0, //
        0.0, 0.0, 0.0, 1.0,
    )
}

fn frustum(
    camera: &Camera,
    sides: [(Vector3<f32>, f32, f32); 2],
    (light, near, far): (Vector3<f32>, f32, f32),
) -> Frustum {
    let offset = camera.position.offset;
    let plane = |normal: Vector3<f32>, distance: f32| Plane {
        normal,
        distance: distance + normal.dot(&offset),
    };
    let [(across, center_across, half), (up, center_up, _)] = sides;
    Frustum {
        base: camera.position.cell,
        planes: [
            plane(across, center_across - half),
            plane(-across, -center_across - half),
            plane(up, center_up - half),
            plane(-up, -center_up - half),
            plane(light, far),
            plane(-light, -near),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use collision::Position;

    #[test]
    fn edges_stand_still_while_the_eye_moves() {
        let light = Vector3::new(0.4, 0.8, 0.3).normalize();
        let view = |x: f64| {
            let camera = Camera::new(Position::from_metres(Point3::new(x, 20.0, -4.0)), 0.3, -0.2);
            let cascades = cascades(&camera, 1.6, [light; CASCADES], ShadowQuality::Low, 256.0);
            let relative = Position::from_metres(Point3::new(5.0, 3.0, -20.0))
                .relative_to(camera.position.cell)
                - camera.position.offset;
            let at = cascades[1].lookup * relative.push(1.0);
            [at.x * 1024.0, at.y * 1024.0]
        };
        let before = view(0.0);
        for step in 1..50 {
            let after = view(f64::from(step) * 0.037);
            for axis in 0..2 {
                let moved = after[axis] - before[axis];
                assert!(
                    (moved - moved.round()).abs() < 0.02,
                    "moved by {moved} texels"
                );
            }
        }
    }

    #[test]
    fn what_is_seen_within_reach_is_in_the_map() {
        let camera = Camera::new(Position::default(), 1.0, -0.4);
        let light = Vector3::new(-0.5, 0.7, 0.2).normalize();
        for cascade in cascades(&camera, 1.7, [light; CASCADES], ShadowQuality::High, 256.0) {
            for corner in [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, 0.5]] {
                let at = camera.direction_through(corner, 1.7) * cascade.reach;
                let place = cascade.lookup * at.push(1.0);
                for axis in 0..3 {
                    assert!(
                        (0.0..=1.0).contains(&place[axis]),
                        "{corner:?} lies at {place}"
                    );
                }
            }
        }
    }
}
