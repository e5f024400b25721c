//! The cannon as a model: two wheels, a carriage, and a barrel that turns.

use std::sync::Arc;

use engine::{Color, Mesh, ModelInstance};
use nalgebra::{UnitQuaternion, Vector3};
use simulation::{BARREL, Gun};

const IRON: Color = Color([70, 74, 82, 255]);
const WOOD: Color = Color([124, 84, 50, 255]);
/// Number of sides of round parts.
const SIDES: usize = 14;
/// Distance from the axle to the middle of either wheel, and radius of the wheels, metres.
const WHEEL_ASIDE: f32 = 0.42;
const WHEEL: f32 = 0.45;

type Triangle = [Vector3<f32>; 3];

/// Meshes about the axle, the barrel along -z.
pub(super) struct GunMeshes {
    barrel: Arc<Mesh>,
    carriage: Arc<Mesh>,
}

impl Default for GunMeshes {
    fn default() -> Self {
        let barrel = [
            [0.0, 0.42],
            [0.17, 0.38],
            [0.22, 0.25],
            [0.2, -0.4],
            [0.16, -1.3],
            [0.21, -1.38],
            [0.21, -BARREL],
            [0.13, -BARREL],
            [0.13, -1.0],
        ];
        let mut carriage = Vec::new();
        for aside in [-WHEEL_ASIDE, WHEEL_ASIDE] {
            let rim = [[0.0, -0.05], [WHEEL, -0.05], [WHEEL, 0.05], [0.0, 0.05]];
            // The wheel's axis is x, a profile turns about z.
            carriage.extend(
                turned_about(&rim)
                    .into_iter()
                    .map(|triangle| triangle.map(|at| Vector3::new(aside + at.z, at.x, at.y))),
            );
        }
        let axle = [
            [0.0, -WHEEL_ASIDE],
            [0.07, -WHEEL_ASIDE],
            [0.07, WHEEL_ASIDE],
            [0.0, WHEEL_ASIDE],
        ];
        carriage.extend(
            turned_about(&axle)
                .into_iter()
                .map(|triangle| triangle.map(|at| Vector3::new(at.z, at.x, at.y))),
        );
        carriage.extend(trail());
        GunMeshes {
            barrel: Arc::new(Mesh::new(turned_about(&barrel))),
            carriage: Arc::new(Mesh::new(carriage)),
        }
    }
}

/// Returns the surface of a profile, of radius and place along z, that turns about z.
fn turned_about(profile: &[[f32; 2]]) -> Vec<Triangle> {
    let at = |[radius, along]: [f32; 2], side: usize| {
        let angle = side as f32 / SIDES as f32 * std::f32::consts::TAU;
        Vector3::new(angle.cos() * radius, angle.sin() * radius, along)
    };
    let mut triangles = Vec::new();
    for pair in profile.windows(2) {
        for side in 0..SIDES {
            let [a, b] = [side, side + 1].map(|side| at(pair[0], side));
            let [d, c] = [side, side + 1].map(|side| at(pair[1], side));
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    triangles
}

/// Returns the beam that goes down to the ground behind the axle.
fn trail() -> Vec<Triangle> {
    let half = 0.13;
    let ring = |y: f32, z: f32| {
        [
            [-half, y + half],
            [half, y + half],
            [half, y - half],
            [-half, y - half],
        ]
        .map(|[x, y]| Vector3::new(x, y, z))
    };
    let (front, back) = (ring(-0.05, -0.35), ring(0.13 - WHEEL, 1.3));
    let mut triangles = Vec::new();
    for side in 0..4 {
        let next = (side + 1) % 4;
        let [a, b, c, d] = [front[side], front[next], back[next], back[side]];
        triangles.extend([[a, b, c], [a, c, d]]);
    }
    for end in [front, back] {
        triangles.extend([[end[0], end[1], end[2]], [end[0], end[2], end[3]]]);
    }
    triangles
}

impl GunMeshes {
    /// Adds the cannon to `models`.
    pub(super) fn gather(&self, gun: &Gun, models: &mut Vec<ModelInstance>) {
        let about_y = |yaw: f32| UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -yaw);
        let rise = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), gun.pitch);
        let parts = [
            (&self.carriage, about_y(gun.carriage_yaw), WOOD),
            (&self.barrel, about_y(gun.yaw) * rise, IRON),
        ];
        models.extend(parts.map(|(mesh, turn, color)| ModelInstance {
            mesh: mesh.clone(),
            position: gun.axle,
            turn,
            scale: 1.0,
            color,
        }));
    }
}

#[cfg(test)]
mod tests {
    use collision::Position;

    use super::*;

    #[test]
    fn the_barrel_points_where_the_ball_flies() {
        for (yaw, pitch) in [(0.0, 0.0), (1.2, 0.4), (-2.0, -0.7), (3.0, 1.4)] {
            let gun = Gun {
                axle: Position::default(),
                carriage_yaw: 0.0,
                yaw,
                pitch,
            };
            let mut models = Vec::new();
            GunMeshes::default().gather(&gun, &mut models);
            let mouth = models[1].turn * (-Vector3::z());
            assert!((mouth - gun.direction()).norm() < 1e-5, "{yaw} {pitch}");
        }
    }
}
