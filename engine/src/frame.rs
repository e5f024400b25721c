//! The contents of one picture, borrowed from their owners.

use std::sync::Arc;

use collision::{Cell, Position};
use nalgebra::{UnitQuaternion, Vector3};
use world::World;

use crate::{Camera, GraphicsSettings, Mesh, Overlay};

/// One picture. Only camera and settings are required; [`Frame::new`] leaves the rest empty.
pub struct Frame<'a> {
    /// The camera.
    pub camera: Camera,
    /// Quality against speed.
    pub settings: GraphicsSettings,
    /// Terrain and free objects; the renderer uploads the changes since its last picture.
    pub world: Option<&'a World>,
    /// Number of the world; a different number is another world, of which nothing is uploaded yet.
    pub world_generation: u64,
    /// Characters, drawn as ellipsoids with a face.
    pub characters: &'a [CharacterInstance],
    /// Simple bodies (cannon balls, targets), drawn as ellipsoids without a face.
    pub bodies: &'a [CharacterInstance],
    /// Pieces of broken voxels, drawn as boxes with these half sides.
    pub pieces: &'a [CharacterInstance],
    /// Crystals that glow and turn, drawn as octahedra with these semi-axes.
    pub gems: &'a [CharacterInstance],
    /// Lit triangle meshes with shadows: props and the cannon.
    pub models: &'a [ModelInstance],
    /// Lines and translucent solids over the picture; the first 63 non-empty ones are drawn.
    pub overlays: &'a [Overlay],
    /// Lights besides the lamps of the world.
    pub lights: &'a [Light],
    /// Sun and time of day.
    pub sun: Sun,
    /// Fog of war, if any.
    pub fog: Option<FogView<'a>>,
    /// Preview of a brush's edit.
    pub ghost: Option<Ghost<'a>>,
    /// Panels of the user interface.
    pub ui: Option<Ui<'a>>,
    /// Seconds since the start, for waves and blending.
    pub time: f32,
}

impl Frame<'_> {
    /// Returns an empty picture in the morning.
    #[must_use]
    pub fn new(camera: Camera, settings: GraphicsSettings) -> Self {
        Self {
            camera,
            settings,
            world: None,
            world_generation: 0,
            characters: &[],
            bodies: &[],
            pieces: &[],
            gems: &[],
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

/// A colour in sRGB with straight alpha.
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

    /// Returns the colour with another alpha, 0 to 1.
    #[must_use]
    pub fn alpha(self, alpha: f32) -> Self {
        let [r, g, b, _] = self.0;
        Self([r, g, b, (alpha.clamp(0.0, 1.0) * 255.0 + 0.5) as u8])
    }
}

/// One ellipsoid, box or octahedron.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CharacterInstance {
    /// Centre.
    pub position: Position,
    /// Semi-axes in metres, before rotation.
    pub radii: Vector3<f32>,
    /// Rotation about `up` in radians, like [`Camera::yaw`].
    pub heading: f32,
    /// Unit vector from the feet to the head.
    pub up: Vector3<f32>,
    /// Colour of the surface.
    pub color: Color,
}

/// A mesh and its placement.
#[derive(Clone, Debug)]
pub struct ModelInstance {
    /// The triangles.
    pub mesh: Arc<Mesh>,
    /// Position of the mesh's origin.
    pub position: Position,
    /// Rotation from the mesh's frame to the world's.
    pub turn: UnitQuaternion<f32>,
    /// Metres in the world per metre of the mesh.
    pub scale: f32,
    /// Colour of all faces.
    pub color: Color,
}

/// A point light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Position of the light.
    pub position: Position,
    /// Linear red, green and blue; 1 is a bright lamp.
    pub color: [f32; 3],
    /// Distance in metres beyond which it gives no light.
    pub reach: f32,
}

/// Time of day, from which sun, moon and sky follow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sun {
    /// 0 is midnight, 0.25 sunrise, 0.5 noon, 0.75 sunset.
    pub time_of_day: f32,
}

impl Default for Sun {
    /// Returns a bright morning, with shadows long enough to show the shape of the land.
    fn default() -> Self {
        Self { time_of_day: 0.40 }
    }
}

impl Sun {
    /// Returns the unit vector to the sun.
    #[must_use]
    pub fn direction(&self) -> Vector3<f32> {
        let angle = (self.time_of_day - 0.25) * std::f32::consts::TAU;
        Vector3::new(angle.cos() * 0.86, angle.sin(), angle.cos() * 0.38 + 0.34).normalize()
    }
}

/// Fog of war: a rectangle of tiles seen from above.
#[derive(Clone, Copy, Debug)]
pub struct FogView<'a> {
    /// Cell x and z of the first tile's corner.
    pub origin: [i32; 2],
    /// Number of tiles along x and z.
    pub size: [u32; 2],
    /// Side of a tile, in metres.
    pub tile: f32,
    /// Alpha of each tile, x fastest: 0 visible now, 0.5 to 0.8 seen before, 1 never seen.
    pub alpha: &'a [f32],
    /// Height of each tile, in metres; the blur does not cross steep differences.
    pub heights: &'a [f32],
    /// Changes with the contents of `alpha`.
    pub revision: u64,
}

/// The edit that a ghost previews.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GhostKind {
    /// The cells would be filled.
    Place,
    /// The cells would be emptied.
    Carve,
    /// The cells would change material.
    Paint,
    /// The cells are selected, for example for a copy.
    Select,
}

/// A preview of an edit.
#[derive(Clone, Copy, Debug)]
pub struct Ghost<'a> {
    /// The cells, in any order; those beyond a 96 m box about the first are left out.
    pub cells: &'a [Cell],
    /// The edit.
    pub kind: GhostKind,
}

/// Tessellated output of egui.
#[derive(Clone, Copy)]
pub struct Ui<'a> {
    /// Output of `Context::tessellate`.
    pub primitives: &'a [egui::ClippedPrimitive],
    /// Texture changes of the full output.
    pub textures: &'a egui::TexturesDelta,
    /// Physical pixels per point.
    pub pixels_per_point: f32,
}
