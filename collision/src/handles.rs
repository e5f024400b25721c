//! Stable handles: of characters, by a slot and a generation, so that no handle is reused for
//! another character; and of sensors.

/// The stable handle of a character. Valid until the character is removed, and never for another
/// one, unless [`restore`](crate::Crowd::restore) goes back to before it was given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CharacterId {
    pub(crate) slot: u32,
    pub(crate) generation: u32,
}

impl CharacterId {
    /// A handle that no character ever has.
    pub const NONE: Self = Self {
        slot: u32::MAX,
        generation: u32::MAX,
    };

    /// Returns the handle as a number, for the network or a map's key.
    #[must_use]
    pub fn to_bits(self) -> u64 {
        u64::from(self.generation) << 32 | u64::from(self.slot)
    }

    /// Returns the handle of a number. Any number is accepted; one that was never given out belongs
    /// to no character.
    #[must_use]
    pub fn from_bits(bits: u64) -> Self {
        Self {
            slot: bits as u32,
            generation: (bits >> 32) as u32,
        }
    }
}

/// The handle of a sensor; never given out twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SensorId(pub(crate) u32);

const FREE: u32 = u32::MAX;

/// From handles to places in the columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Handles {
    generations: Vec<u32>,
    dense: Vec<u32>,
    free: Vec<u32>,
}

impl Handles {
    /// Makes a handle for the character at `dense`.
    pub(crate) fn claim(&mut self, dense: u32) -> CharacterId {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.generations.push(0);
            self.dense.push(FREE);
            self.dense.len() as u32 - 1
        });
        self.dense[slot as usize] = dense;
        CharacterId {
            slot,
            generation: self.generations[slot as usize],
        }
    }

    /// Ends a handle.
    pub(crate) fn release(&mut self, slot: u32) {
        self.dense[slot as usize] = FREE;
        let generation = &mut self.generations[slot as usize];
        *generation = generation.wrapping_add(1);
        self.free.push(slot);
    }

    /// Returns the place of a handle's character in the columns.
    #[inline]
    pub(crate) fn find(&self, id: CharacterId) -> Option<usize> {
        let generation = *self.generations.get(id.slot as usize)?;
        let dense = *self.dense.get(id.slot as usize)?;
        (generation == id.generation && dense != FREE).then_some(dense as usize)
    }

    /// Returns the place of the character of a slot.
    #[inline]
    pub(crate) fn at(&self, slot: u32) -> Option<usize> {
        let dense = *self.dense.get(slot as usize)?;
        (dense != FREE).then_some(dense as usize)
    }

    /// Returns the handle of a slot in use.
    #[inline]
    pub(crate) fn name(&self, slot: u32) -> CharacterId {
        CharacterId {
            slot,
            generation: self.generations[slot as usize],
        }
    }

    /// Updates the place of the character of a slot.
    pub(crate) fn moved(&mut self, slot: u32, dense: u32) {
        self.dense[slot as usize] = dense;
    }

    /// Returns the generation of every slot.
    pub(crate) fn generations(&self) -> &[u32] {
        &self.generations
    }

    /// Returns the free slots, the next to be used last.
    pub(crate) fn free(&self) -> &[u32] {
        &self.free
    }

    /// Places in the columns in the order of slots, free ones left out.
    pub(crate) fn in_order(&self) -> impl Iterator<Item = usize> + '_ {
        let used = self.dense.iter().filter(|&&dense| dense != FREE);
        used.map(|&dense| dense as usize)
    }

    /// Rebuilds from saved parts: `used` slots get places 0, 1, 2 and on in order.
    pub(crate) fn rebuild(generations: Vec<u32>, used: &[u32], free: Vec<u32>) -> Self {
        let mut dense = vec![FREE; generations.len()];
        for (place, &slot) in used.iter().enumerate() {
            dense[slot as usize] = place as u32;
        }
        Self {
            generations,
            dense,
            free,
        }
    }
}
