//! The contents of a chunk: voxels, the bits derived from them, and the surfaces merged from those.

use super::{ALL_BITS, Bits, NO_BITS, ROWS, RowChange, Voxels};
use crate::material::{Material, MaterialTable};
use crate::surface::{CollisionSurface, RenderSurface};

/// One bit for each voxel, without memory if all are equal.
#[derive(Clone, Debug, Default)]
pub(crate) enum BitGrid {
    #[default]
    Empty,
    Full,
    Mixed(Box<Bits>),
}

impl BitGrid {
    #[inline]
    pub(crate) fn bits(&self) -> &Bits {
        match self {
            Self::Empty => &NO_BITS,
            Self::Full => &ALL_BITS,
            Self::Mixed(bits) => bits,
        }
    }

    fn from_bits(bits: &Bits) -> Self {
        if *bits == NO_BITS {
            Self::Empty
        } else if *bits == ALL_BITS {
            Self::Full
        } else {
            Self::Mixed(Box::new(*bits))
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::Empty)
    }

    fn write(&mut self, row: usize, mask: u32, to: BitState) {
        let bits = match self {
            Self::Mixed(bits) => bits,
            Self::Empty if to == BitState::Clear => return,
            Self::Full if to == BitState::Set => return,
            Self::Empty | Self::Full => {
                *self = Self::Mixed(Box::new(*self.bits()));
                return self.write(row, mask, to);
            }
        };
        match to {
            BitState::Set => bits[row] |= mask,
            BitState::Clear => bits[row] &= !mask,
        }
    }

    fn heap_bytes(&self) -> usize {
        if matches!(self, Self::Mixed(_)) {
            size_of::<Bits>()
        } else {
            0
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BitState {
    Clear,
    Set,
}

impl From<bool> for BitState {
    fn from(set: bool) -> Self {
        if set { Self::Set } else { Self::Clear }
    }
}

/// A chunk of 32^3 voxels with all data derived from them.
#[derive(Clone, Debug, Default)]
pub struct Brick {
    pub(crate) voxels: Voxels,
    pub(crate) solid: BitGrid,
    /// `None` if identical to the solid voxels.
    pub(crate) opaque: Option<BitGrid>,
    /// Voxels that are drawn but not opaque.
    pub(crate) clear: BitGrid,
    /// True if there may be a medium somewhere in the chunk.
    pub(crate) has_media: bool,
    pub(crate) collision: CollisionSurface,
    pub(crate) render: RenderSurface,
    pub(crate) revision: u64,
}

impl Brick {
    /// Makes a chunk from voxels, without surfaces; these are made when it enters a world.
    /// Materials missing in the table become air.
    pub fn new(mut voxels: Voxels, materials: &MaterialTable) -> Self {
        let mut bits = NO_BITS;
        let unknown = |material| materials.known(material).is_none();
        if voxels.may_hold(unknown) {
            voxels.bits_where(unknown, &mut bits);
            if bits != NO_BITS {
                voxels.map(|material| materials.known(material).unwrap_or(Material::AIR));
            }
        }
        voxels.bits_where(|material| materials.is_solid(material), &mut bits);
        let solid = BitGrid::from_bits(&bits);
        let differs = |material| materials.is_solid(material) != materials.is_opaque(material);
        let opaque = voxels.may_hold(differs).then(|| {
            voxels.bits_where(|material| materials.is_opaque(material), &mut bits);
            BitGrid::from_bits(&bits)
        });
        let is_clear = |material| materials.is_seen(material) && !materials.is_opaque(material);
        let mut clear = BitGrid::Empty;
        if voxels.may_hold(is_clear) {
            voxels.bits_where(is_clear, &mut bits);
            clear = BitGrid::from_bits(&bits);
        }
        let has_media = voxels.may_hold(|material| materials.is_medium(material));
        Self {
            voxels,
            solid,
            opaque,
            clear,
            has_media,
            ..Self::default()
        }
    }

    /// Returns the voxels.
    pub fn voxels(&self) -> &Voxels {
        &self.voxels
    }

    /// Returns the material of one voxel, coordinates 0 to 31.
    #[inline]
    pub fn material(&self, x: usize, y: usize, z: usize) -> Material {
        self.voxels.get(x, y, z)
    }

    /// Returns the bits of the solid voxels: word `z * 32 + y`, bit `x`.
    #[inline]
    pub fn occupancy(&self) -> &Bits {
        self.solid.bits()
    }

    /// Returns the bits of the opaque voxels.
    #[inline]
    pub fn opaque_bits(&self) -> &Bits {
        self.opaque_grid().bits()
    }

    #[inline]
    pub(crate) fn opaque_grid(&self) -> &BitGrid {
        self.opaque.as_ref().unwrap_or(&self.solid)
    }

    /// Returns the bits of the voxels that are drawn but not opaque.
    #[inline]
    pub fn clear_bits(&self) -> &Bits {
        self.clear.bits()
    }

    /// Returns true if no voxel is solid.
    #[inline]
    pub fn is_vacant(&self) -> bool {
        self.solid.is_empty()
    }

    /// Returns true if every voxel is known to be solid.
    #[inline]
    pub fn is_full(&self) -> bool {
        matches!(self.solid, BitGrid::Full)
    }

    /// Returns true if every drawn voxel is opaque.
    #[inline]
    pub fn has_no_clear(&self) -> bool {
        self.clear.is_empty()
    }

    /// Returns the surface that characters and rays hit.
    #[inline]
    pub fn collision_surface(&self) -> &CollisionSurface {
        &self.collision
    }

    /// Returns the surface that is drawn.
    #[inline]
    pub fn render_surface(&self) -> &RenderSurface {
        &self.render
    }

    /// Returns the world's revision at the last change of this chunk, its surfaces included.
    #[inline]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns the heap bytes for collision: the collision surface, and the bits of solid voxels
    /// unless all are equal.
    pub fn collision_bytes(&self) -> usize {
        self.collision.heap_bytes() + self.solid.heap_bytes()
    }

    /// Returns the bytes on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.voxels.heap_bytes()
            + self.solid.heap_bytes()
            + self.opaque.as_ref().map_or(0, BitGrid::heap_bytes)
            + self.clear.heap_bytes()
            + self.collision.heap_bytes()
            + self.render.heap_bytes()
    }

    /// Writes a material to the voxels of a mask in one row and reports the changes.
    pub(crate) fn fill_row(
        &mut self,
        row: usize,
        mask: u32,
        material: Material,
        materials: &MaterialTable,
        mut changed: impl FnMut(RowChange),
    ) {
        debug_assert!(row < ROWS);
        let mut any = 0;
        self.voxels.fill_row(row, mask, material, |change| {
            any |= change.mask;
            changed(change);
        });
        if any == 0 {
            return;
        }
        let solid = materials.is_solid(material);
        let opaque = materials.is_opaque(material);
        if solid != opaque && self.opaque.is_none() {
            self.opaque = Some(self.solid.clone());
        }
        self.solid.write(row, any, solid.into());
        if let Some(bits) = &mut self.opaque {
            bits.write(row, any, opaque.into());
        }
        self.clear
            .write(row, any, (materials.is_seen(material) && !opaque).into());
        self.has_media |= materials.is_medium(material);
    }
}
