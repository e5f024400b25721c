//! All that one picture shows, borrowed from whoever owns it.

use std::sync::Arc;

use collision::{Cell, Position};
use nalgebra::{UnitQuaternion, Vector3};
use world::World;

use crate::{Camera, GraphicsSettings, Mesh, Overlay};

/// One picture. Only camera and settings are needed; [`Frame::new`] leaves the rest empty.
pub struct Frame<'a> {
    /// The eye.
    pub camera: Camera,
    /// Looks against speed.
    pub settings: GraphicsSettings,
    /// Terrain and free objects; the renderer uploads what changed since its last picture.
    pub world: Option<&'a World>,
    /// Another number means another world, of which nothing is uploaded yet.
    pub world_generation: u64,
    /// Drawn as ellipsoids with a face.
    pub characters: &'a [CharacterInstance],
    /// Spheres and other simple bodies (cannon balls, targets): ellipsoids without a face.
    pub bodies: &'a [CharacterInstance],
    /// Triangles that stand, are lit and throw shadows: props and the cannon.
    pub models: &'a [ModelInstance],
    /// Lines and translucent solids over the picture; the first 63 that are not empty are drawn.
    pub overlays: &'a [Overlay],
    /// Lights beside the lamps that stand in the world.
    pub lights: &'a [Light],
    /// Sun and time of day.
    pub sun: Sun,
    /// Fog of war, if it is on.
    pub fog: Option<FogView<'a>>,
    /// What a brush would change.
    pub ghost: Option<Ghost<'a>>,
    /// Panels.
    pub ui: Option<Ui<'a>>,
    /// Seconds since the start, for waves and blending.
    pub time: f32,
}

impl Frame<'_> {
    /// An empty picture at noon.
    #[must_use]
    pub fn new(camera: Camera, settings: GraphicsSettings) -> Self {
        Self {
            camera,
            settings,
            world: None,
            world_generation: 0,
            characters: &[],
            bodies: &[],
            models: &[],
            overlays: &[],
            lights: &[],
            sun: Sun::default(),
            fog: None,
            ghost: None,
            ui: None,
            time: 0.0,
        }
    }
}

/// sRGB with straight alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Color(pub [u8; 4]);

#[allow(missing_docs)]
impl Color {
    pub const WHITE: Self = Self([255, 255, 255, 255]);
    pub const BLACK: Self = Self([0, 0, 0, 255]);
    pub const RED: Self = Self([235, 64, 52, 255]);
    pub const GREEN: Self = Self([80, 200, 90, 255]);
    pub const BLUE: Self = Self([64, 128, 240, 255]);
    pub const YELLOW: Self = Self([250, 210, 70, 255]);
    pub const ORANGE: Self = Self([245, 145, 50, 255]);
    pub const CYAN: Self = Self([70, 210, 230, 255]);
    pub const MAGENTA: Self = Self([225, 80, 200, 255]);

    /// The same colour with another alpha, 0 to 1.
    #[must_use]
    pub fn alpha(self, alpha: f32) -> Self {
        let [r, g, b, _] = self.0;
        Self([r, g, b, (alpha.clamp(0.0, 1.0) * 255.0 + 0.5) as u8])
    }
}

/// One ellipsoid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CharacterInstance {
    /// Its centre.
    pub position: Position,
    /// Semi-axes in metres, before it is turned.
    pub radii: Vector3<f32>,
    /// Radians about `up`, as [`Camera::yaw`].
    pub heading: f32,
    /// Unit vector to its head.
    pub up: Vector3<f32>,
    /// Skin.
    pub color: Color,
}

/// A mesh where it stands.
#[derive(Clone, Debug)]
pub struct ModelInstance {
    /// Its triangles.
    pub mesh: Arc<Mesh>,
    /// Where the mesh's origin is.
    pub position: Position,
    /// From the mesh's frame to the world's.
    pub turn: UnitQuaternion<f32>,
    /// Metres in the world for one of the mesh.
    pub scale: f32,
    /// Of all its faces.
    pub color: Color,
}

/// A point light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Its centre.
    pub position: Position,
    /// Linear red, green and blue; 1 is a bright lamp.
    pub color: [f32; 3],
    /// Metres after which it lights nothing.
    pub reach: f32,
}

/// Sun, moon and sky follow from the time of day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sun {
    /// 0 midnight, 0.25 sunrise, 0.5 noon, 0.75 sunset.
    pub time_of_day: f32,
}

impl Default for Sun {
    /// A bright morning with long enough shadows to see the land's shape.
    fn default() -> Self {
        Self { time_of_day: 0.40 }
    }
}

impl Sun {
    /// Unit vector to the sun.
    #[must_use]
    pub fn direction(&self) -> Vector3<f32> {
        let angle = (self.time_of_day - 0.25) * std::f32::consts::TAU;
        Vector3::new(angle.cos() * 0.86, angle.sin(), angle.cos() * 0.38 + 0.34).normalize()
    }
}

/// Fog of war as a rectangle of tiles seen from above.
#[derive(Clone, Copy, Debug)]
pub struct FogView<'a> {
    /// Cell x and z of the first tile's corner.
    pub origin: [i32; 2],
    /// Tiles along x and z.
    pub size: [u32; 2],
    /// Side of a tile, metres.
    pub tile: f32,
    /// Alpha of each tile, x fastest: 0 seen now, 0.5 to 0.8 seen before, 1 never.
    pub alpha: &'a [f32],
    /// Height of each tile, metres; the blur does not cross steep differences.
    pub heights: &'a [f32],
    /// Changes with the contents of `alpha`.
    pub revision: u64,
}

/// What would happen to the cells of a ghost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GhostKind {
    /// They would be filled.
    Place,
    /// They would be emptied.
    Carve,
    /// They would change material.
    Paint,
    /// They are selected, as for a copy.
    Select,
}

/// A preview of an edit.
#[derive(Clone, Copy, Debug)]
pub struct Ghost<'a> {
    /// The cells, in any order; those beyond a 96 m box about the first are left out.
    pub cells: &'a [Cell],
    /// What would happen.
    pub kind: GhostKind,
}

/// Tessellated egui output.
#[derive(Clone, Copy)]
pub struct Ui<'a> {
    /// From `Context::tessellate`.
    pub primitives: &'a [egui::ClippedPrimitive],
    /// From the full output.
    pub textures: &'a egui::TexturesDelta,
    /// Physical pixels for one point.
    pub pixels_per_point: f32,
}
