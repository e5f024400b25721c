//! The clear space that a walker's last look found.

/// The clear space that a look at the terrain found, kept in one word of the memory: the box is
/// open from a layer up, and of the layer below, if that is a floor, the carrying cells are known.
/// Zero if nothing is known.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Clear(pub(super) u32);

impl Clear {
    pub(super) const NOT_KNOWN: Self = Self(0);

    /// Most cells of the floor along x and along z.
    pub(super) const SIDE: i32 = 4;

    /// Makes the record of a box that is open from `layers` above the lowest queried layer. Bit
    /// `x + SIDE z` of `floor` is set for each cell of the layer below that carries; zero may also
    /// mean that the floor was not queried.
    pub(super) fn new(layers: u32, floor: u32) -> Self {
        debug_assert!(layers > 0 && floor >> (Self::SIDE * Self::SIDE) == 0);
        Self(layers << 16 | floor)
    }
}
