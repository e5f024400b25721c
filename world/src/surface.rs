//! The two merged surfaces of a chunk: one for collision and picking, one for drawing.
//!
//! Both group their quads by *plane*: a facing direction and a layer of voxels. The merging is in
//! [`crate::merge`].

use crate::chunk::SIDE;
use crate::material::Material;
use std::ops::Range;

/// A facing direction of a voxel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Face {
    /// Towards smaller x.
    NegativeX,
    /// Towards larger x.
    PositiveX,
    /// Down.
    NegativeY,
    /// Up.
    PositiveY,
    /// Towards smaller z.
    NegativeZ,
    /// Towards larger z.
    PositiveZ,
}

impl Face {
    /// All six faces, in the order of their numbers.
    pub const ALL: [Self; 6] = [
        Self::NegativeX,
        Self::PositiveX,
        Self::NegativeY,
        Self::PositiveY,
        Self::NegativeZ,
        Self::PositiveZ,
    ];

    /// Returns the face of an axis (0 to 2) and sign.
    pub fn new(axis: usize, sign: i32) -> Self {
        Self::ALL[axis % 3 * 2 + usize::from(sign > 0)]
    }

    /// Returns the axis: 0 for x, 1 for y, 2 for z.
    pub fn axis(self) -> usize {
        self as usize / 2
    }

    /// Returns the sign: -1 or 1.
    pub fn sign(self) -> i32 {
        if (self as usize).is_multiple_of(2) {
            -1
        } else {
            1
        }
    }

    /// Returns the opposite face.
    pub fn opposite(self) -> Self {
        Self::ALL[self as usize ^ 1]
    }

    /// Returns the unit step in this direction.
    pub fn step(self) -> nalgebra::Vector3<i32> {
        let mut step = nalgebra::Vector3::zeros();
        step[self.axis()] = self.sign();
        step
    }
}

/// Planes of a chunk: six directions of 32 layers.
pub const PLANES: usize = 6 * SIDE;

/// A rectangle of exposed solid faces, in 4 bytes.
///
/// With normal axis `a`, it spans `u = (a + 1) % 3` and `v = (a + 2) % 3`. Bits from the lowest:
/// first u 5, free 1, first v 5, free 1, 31 - last u 5, free 1, 31 - last v 5, free 1, layer 5,
/// face 3. The free bits take the borrows when `PlaneWindow` compares all four ends in one
/// subtraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct CollisionQuad(pub u32);

impl CollisionQuad {
    pub(crate) const FIRST_V: u32 = 6;
    pub(crate) const LAST_U: u32 = 12;
    pub(crate) const LAST_V: u32 = 18;
    pub(crate) const LAYER: u32 = 24;
    pub(crate) const FACE: u32 = 29;
    /// The free bits.
    const BORROWS: u32 = 1 << 5 | 1 << 11 | 1 << 17 | 1 << 23;

    /// Packs a rectangle of voxels: coordinates 0 to 31, sizes 1 to 32.
    #[inline]
    pub fn new(face: Face, layer: u32, (u, v): (u32, u32), (width, height): (u32, u32)) -> Self {
        Self(
            u | v << Self::FIRST_V
                | (32 - u - width) << Self::LAST_U
                | (32 - v - height) << Self::LAST_V
                | layer << Self::LAYER
                | (face as u32) << Self::FACE,
        )
    }

    /// Returns the lowest voxel along u.
    #[inline]
    pub fn u(self) -> u32 {
        self.0 & 31
    }

    /// Returns the lowest voxel along v.
    #[inline]
    pub fn v(self) -> u32 {
        self.0 >> Self::FIRST_V & 31
    }

    /// Returns the highest voxel along u.
    #[inline]
    pub fn last_u(self) -> u32 {
        !self.0 >> Self::LAST_U & 31
    }

    /// Returns the highest voxel along v.
    #[inline]
    pub fn last_v(self) -> u32 {
        !self.0 >> Self::LAST_V & 31
    }

    /// Returns the number of voxels along u.
    #[inline]
    pub fn width(self) -> u32 {
        self.last_u() + 1 - self.u()
    }

    /// Returns the number of voxels along v.
    #[inline]
    pub fn height(self) -> u32 {
        self.last_v() + 1 - self.v()
    }

    /// Returns true if the quad covers its plane.
    #[inline]
    pub(crate) fn is_whole_side(self) -> bool {
        self.0 & ((1 << Self::LAYER) - 1) == 0
    }

    /// Returns the layer of the voxels with these faces.
    #[inline]
    pub fn layer(self) -> u32 {
        self.0 >> Self::LAYER & 31
    }

    /// Returns the direction that the rectangle faces.
    #[inline]
    pub fn face(self) -> Face {
        Face::ALL[(self.0 >> Self::FACE) as usize % 6]
    }
}

/// A rectangle of voxels on one plane, tested against the quads of that plane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlaneWindow(u32);

impl PlaneWindow {
    /// Makes a window from the first and last voxel along u and v, both inside.
    #[inline]
    pub(crate) fn new([u, last_u]: [u32; 2], [v, last_v]: [u32; 2]) -> Self {
        Self(
            CollisionQuad::BORROWS
                | last_u
                | last_v << CollisionQuad::FIRST_V
                | (31 - u) << CollisionQuad::LAST_U
                | (31 - v) << CollisionQuad::LAST_V,
        )
    }

    /// Returns true if a quad of the plane has a voxel in the window: along both axes it begins
    /// before the window ends and ends after the window begins. One subtraction makes all four
    /// comparisons; the bits above them are ignored.
    #[inline(always)]
    pub(crate) fn meets(self, quad: CollisionQuad) -> bool {
        self.0.wrapping_sub(quad.0) & CollisionQuad::BORROWS == CollisionQuad::BORROWS
    }
}

/// A rectangle of equal faces to draw, in 8 bytes.
///
/// Word 0: x 6, y 6, z 6 of its lowest voxel, width - 1 along u 5, height - 1 along v 5, face 3.
/// Word 1: material 16; the rest is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct RenderQuad(pub [u32; 2]);

impl RenderQuad {
    /// Returns the lowest voxel of the rectangle.
    #[inline]
    pub fn voxel(self) -> [u32; 3] {
        let word = self.0[0];
        [word & 63, (word >> 6) & 63, (word >> 12) & 63]
    }

    /// Returns the number of voxels along u.
    #[inline]
    pub fn width(self) -> u32 {
        ((self.0[0] >> 18) & 31) + 1
    }

    /// Returns the number of voxels along v.
    #[inline]
    pub fn height(self) -> u32 {
        ((self.0[0] >> 23) & 31) + 1
    }

    /// Returns the direction that the rectangle faces.
    #[inline]
    pub fn face(self) -> Face {
        Face::ALL[(self.0[0] >> 28) as usize % 6]
    }

    /// Returns the material of the voxels.
    #[inline]
    pub fn material(self) -> Material {
        Material((self.0[1] & 0xffff) as u16)
    }
}

/// Quads sorted by plane, in one allocation.
///
/// The number of a plane is `face * 32 + layer`. At most 32,768 quads face one way, since
/// transparent voxels of different materials do not hide each other, so 16 bits a plane suffice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surface<Q> {
    pub(crate) quads: Vec<Q>,
    pub(crate) starts: Option<Box<Starts>>,
}

/// Start of each plane's quads, relative to the first quad of its direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Starts {
    pub(crate) faces: [u32; 7],
    pub(crate) layers: [[u16; SIDE + 1]; 6],
}

impl Default for Starts {
    fn default() -> Self {
        Self {
            faces: [0; 7],
            layers: [[0; SIDE + 1]; 6],
        }
    }
}

impl<Q> Default for Surface<Q> {
    fn default() -> Self {
        Self {
            quads: Vec::new(),
            starts: None,
        }
    }
}

/// The surface that characters and rays hit; ignores materials.
pub type CollisionSurface = Surface<CollisionQuad>;

impl<Q> Surface<Q> {
    /// Returns all quads, sorted by plane.
    #[inline]
    pub fn quads(&self) -> &[Q] {
        &self.quads
    }

    /// Returns the quads with this facing direction.
    #[inline]
    pub fn facing(&self, face: Face) -> &[Q] {
        let Some(starts) = &self.starts else {
            return &[];
        };
        let face = face as usize;
        &self.quads[starts.faces[face] as usize..starts.faces[face + 1] as usize]
    }

    /// Returns the quads of one plane: a facing direction and a layer of voxels (0 to 31).
    #[inline]
    pub fn plane(&self, face: Face, layer: usize) -> &[Q] {
        &self.quads[self.plane_range(face, layer)]
    }

    /// Returns the range of a plane's quads in [`quads`](Self::quads).
    #[inline]
    pub(crate) fn plane_range(&self, face: Face, layer: usize) -> Range<usize> {
        let Some(starts) = &self.starts else {
            return 0..0;
        };
        let base = starts.faces[face as usize] as usize;
        let layers = &starts.layers[face as usize];
        base + usize::from(layers[layer])..base + usize::from(layers[layer + 1])
    }

    /// Returns the starts of the six directions and the end, for draws by direction.
    pub fn face_starts(&self) -> [u32; 7] {
        self.starts.as_ref().map_or([0; 7], |starts| starts.faces)
    }

    /// Returns the bytes on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.quads.capacity() * size_of::<Q>()
            + self.starts.as_ref().map_or(0, |_| size_of::<Starts>())
    }
}

/// The surface that is drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RenderSurface {
    /// Quads that hide everything behind them.
    pub opaque: Surface<RenderQuad>,
    /// Quads of water, leaves and glass, drawn afterwards.
    pub transparent: Surface<RenderQuad>,
}

impl RenderSurface {
    /// Returns true if there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.opaque.quads.is_empty() && self.transparent.quads.is_empty()
    }

    /// Returns the bytes on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.opaque.heap_bytes() + self.transparent.heap_bytes()
    }
}
