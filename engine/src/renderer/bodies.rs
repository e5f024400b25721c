//! Characters and other ellipsoids: makes instances sorted by apparent size, and separate ones for
//! those that throw shadows. Bodies outside the view and all shadow maps are left out.

use std::ops::Range;

use collision::Position;
use nalgebra::{UnitQuaternion, Vector3};

use super::growing::GrowingBuffer;
use super::sights::{Eye, Sights};
use crate::{CharacterInstance, Gpu};

/// Numbers of vertices of the spheres in `body.wgsl`, finest first.
pub(crate) const VERTICES: [u32; 3] = [28 * 18 * 6, 14 * 9 * 6, 7 * 5 * 6];
/// Number of vertices of the sphere in `shadow.wgsl`.
pub(crate) const SHADOW_VERTICES: u32 = 8 * 6 * 6;
/// Apparent heights, relative to the picture's, below which the middle and the coarsest sphere are
/// used.
const SIZES: [f32; 2] = [0.10, 0.025];
/// Number of maps that show bodies; farther away their shadows are too small to see.
const BODIED_CASCADES: usize = 2;
/// Kinds of characters, plain bodies, pieces and gems: with a face, round, boxes and octahedra.
const KINDS: [u32; 4] = [1, 0, 2, 3];

/// The parts of a body that its shadow depends on.
#[derive(Clone, Copy, PartialEq)]
struct Shape {
    position: Position,
    radii: [f32; 3],
    turn: [f32; 4],
}

/// The bodies that throw a shadow into one map.
#[derive(Default)]
struct Casting {
    rows: Vec<shaders::Body>,
    shapes: Vec<Shape>,
    shapes_before: Vec<Shape>,
    first: u32,
}

pub(crate) struct Bodies {
    buffer: GrowingBuffer,
    rows: Vec<shaders::Body>,
    levels: [Vec<shaders::Body>; 3],
    ends: [u32; 3],
    casting: [Casting; BODIED_CASCADES],
}

impl Bodies {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        Self {
            buffer: GrowingBuffer::new(gpu, "bodies", wgpu::BufferUsages::VERTEX, 64 << 10),
            rows: Vec::new(),
            levels: Default::default(),
            ends: [0; 3],
            casting: Default::default(),
        }
    }

    /// Returns the instances of each level of detail.
    pub(crate) fn ranges(&self) -> [Range<u32>; 3] {
        [
            0..self.ends[0],
            self.ends[0]..self.ends[1],
            self.ends[1]..self.ends[2],
        ]
    }

    /// Returns the instances that throw a shadow into a map.
    pub(crate) fn casting(&self, cascade: usize) -> Range<u32> {
        match self.casting.get(cascade) {
            Some(casting) => casting.first..casting.first + casting.rows.len() as u32,
            None => 0..0,
        }
    }

    /// Returns true if the bodies that throw a shadow into a map changed or moved.
    pub(crate) fn moved(&self, cascade: usize) -> bool {
        let casting = self.casting.get(cascade);
        casting.is_some_and(|casting| casting.shapes != casting.shapes_before)
    }

    /// Returns the instances from one on.
    pub(crate) fn instances(&self, first: u32) -> wgpu::BufferSlice<'_> {
        let start = u64::from(first) * size_of::<shaders::Body>() as u64;
        self.buffer.buffer().slice(start..)
    }

    /// Returns the number of bodies in view.
    pub(crate) fn count(&self) -> u32 {
        self.ends[2]
    }

    /// Takes over the characters and bodies of all kinds of a frame that are in view or throw a
    /// shadow.
    pub(crate) fn update(
        &mut self,
        gpu: &Gpu,
        sights: &Sights<'_>,
        groups: [&[CharacterInstance]; KINDS.len()],
    ) {
        self.levels.iter_mut().for_each(Vec::clear);
        for casting in &mut self.casting {
            std::mem::swap(&mut casting.shapes, &mut casting.shapes_before);
            casting.shapes.clear();
            casting.rows.clear();
        }
        let camera = sights.camera;
        let eye = Eye::of(sights);
        for (group, kind) in groups.into_iter().zip(KINDS) {
            for body in group {
                let relative =
                    body.position.relative_to(camera.position.cell) - camera.position.offset;
                let whole = body.radii.iter().all(|radius| *radius > 0.0);
                if !whole || relative.norm() > sights.reach {
                    continue;
                }
                let radius = body.radii.max();
                let mut row_of = None;
                if eye.sees(relative, radius) {
                    let level = level(&eye, relative, radius);
                    self.levels[level].push(*row_of.insert(row(body, relative, kind)));
                }
                for (casting, view) in self.casting.iter_mut().zip(sights.maps()) {
                    if view.meets_sphere(relative, radius) {
                        let row = row_of.get_or_insert_with(|| row(body, relative, kind));
                        casting.rows.push(*row);
                        casting.shapes.push(Shape {
                            position: body.position,
                            radii: row.radii,
                            turn: row.turn,
                        });
                    }
                }
            }
        }
        self.upload(gpu);
    }

    fn upload(&mut self, gpu: &Gpu) {
        self.rows.clear();
        for (level, end) in self.levels.iter().zip(&mut self.ends) {
            self.rows.extend_from_slice(level);
            *end = self.rows.len() as u32;
        }
        for casting in &mut self.casting {
            casting.first = self.rows.len() as u32;
            self.rows.extend_from_slice(&casting.rows);
        }
        // The buffer is in no bind group.
        let _ = self.buffer.write(gpu, bytemuck::cast_slice(&self.rows));
    }
}

/// Returns the level of detail of a ball at this offset from the eye.
fn level(eye: &Eye, relative: Vector3<f32>, radius: f32) -> usize {
    let size = eye.apparent(relative, radius);
    SIZES.iter().filter(|&&least| size < least).count()
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

/// Returns the shortest rotation from y to `up`; a half turn if they are opposite.
fn tilt(up: Vector3<f32>) -> UnitQuaternion<f32> {
    UnitQuaternion::rotation_between(&Vector3::y(), &up).unwrap_or_else(|| {
        UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f32::consts::PI)
    })
}
