//! Characters and other ellipsoids: turned into instances, sorted by how large they appear.

use nalgebra::{UnitQuaternion, Vector3};

use super::growing::GrowingBuffer;
use crate::{Camera, CharacterInstance, Gpu};

/// Vertices of the spheres of `body.wgsl`, finest first.
pub(crate) const VERTICES: [u32; 3] = [28 * 18 * 6, 14 * 9 * 6, 7 * 5 * 6];
/// Vertices of the sphere of `shadow.wgsl`.
pub(crate) const SHADOW_VERTICES: u32 = 8 * 6 * 6;
/// Share of the picture's height under which the middle, and the coarsest, sphere does.
const SIZES: [f32; 2] = [0.10, 0.025];
/// Bodies with a face.
const WITH_FACE: u32 = 1;

pub(crate) struct Bodies {
    buffer: GrowingBuffer,
    rows: Vec<shaders::Body>,
    levels: [Vec<shaders::Body>; 3],
    ends: [u32; 3],
}

impl Bodies {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        Self {
            buffer: GrowingBuffer::new(gpu, "bodies", wgpu::BufferUsages::VERTEX, 64 << 10),
            rows: Vec::new(),
            levels: Default::default(),
            ends: [0; 3],
        }
    }

    /// Instances of each level of detail.
    pub(crate) fn ranges(&self) -> [std::ops::Range<u32>; 3] {
        [
            0..self.ends[0],
            self.ends[0]..self.ends[1],
            self.ends[1]..self.ends[2],
        ]
    }

    /// The instances from one on.
    pub(crate) fn instances(&self, first: u32) -> wgpu::BufferSlice<'_> {
        let start = u64::from(first) * size_of::<shaders::Body>() as u64;
        self.buffer.buffer().slice(start..)
    }

    /// How many there are.
    pub(crate) fn count(&self) -> u32 {
        self.ends[2]
    }

    /// Takes over the characters and bodies of a frame, leaving out what is too far to be seen.
    pub(crate) fn update(
        &mut self,
        gpu: &Gpu,
        camera: &Camera,
        view_distance: f32,
        groups: [&[CharacterInstance]; 2],
    ) {
        self.levels.iter_mut().for_each(Vec::clear);
        let lens = 1.0 / (camera.field_of_view * 0.5).tan();
        for (group, kind) in groups.into_iter().zip([WITH_FACE, 0]) {
            for body in group {
                let relative =
                    body.position.relative_to(camera.position.cell) - camera.position.offset;
                let distance = relative.norm();
                let usable =
                    distance <= view_distance && body.radii.iter().all(|radius| *radius > 0.0);
                if usable {
                    let size = body.radii.max() * lens / distance.max(0.1);
                    let level = SIZES.iter().filter(|&&least| size < least).count();
                    self.levels[level].push(row(body, relative, kind));
                }
            }
        }
        self.rows.clear();
        for (level, end) in self.levels.iter().zip(&mut self.ends) {
            self.rows.extend_from_slice(level);
            *end = self.rows.len() as u32;
        }
        // Nothing names the buffer but the draws of this picture.
        let _ = self.buffer.write(gpu, bytemuck::cast_slice(&self.rows));
    }
}

fn row(body: &CharacterInstance, relative: Vector3<f32>, kind: u32) -> shaders::Body {
    let about = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -body.heading);
    let upright = body.up.y > 0.9999;
    let turn = if upright {
        about
    } else {
        tilt(body.up) * about
    };
    shaders::Body {
        position: relative.into(),
        color: u32::from_le_bytes(body.color.0),
        radii: body.radii.into(),
        kind,
        turn: turn.coords.into(),
    }
}

/// The shortest turn that brings y to `up`; a half turn when they are opposite.
fn tilt(up: Vector3<f32>) -> UnitQuaternion<f32> {
    UnitQuaternion::rotation_between(&Vector3::y(), &up).unwrap_or_else(|| {
        UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f32::consts::PI)
    })
}
