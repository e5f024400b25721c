//! The place of each element, looked up by its own hash. Never iterated: its order is arbitrary.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

#[derive(Clone, Debug)]
pub(super) struct Keys<E>(HashMap<E, u32, BuildHasherDefault<KeyHasher>>);

impl<E> Default for Keys<E> {
    fn default() -> Self {
        Self(HashMap::default())
    }
}

impl<E: Eq + Hash> Keys<E> {
    #[inline]
    pub(super) fn get(&self, element: &E) -> Option<u32> {
        self.0.get(element).copied()
    }

    pub(super) fn insert(&mut self, element: E, place: u32) {
        self.0.insert(element, place);
    }

    pub(super) fn remove(&mut self, element: &E) -> Option<u32> {
        self.0.remove(element)
    }
}

/// A hash of a few instructions, the same in every run: keys are small, and deliberate collisions
/// gain nothing.
#[derive(Clone, Copy, Debug, Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    #[inline]
    fn finish(&self) -> u64 {
        // The table takes its indices from the low bits, but the high bits are mixed best.
        self.0.rotate_left(26)
    }

    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    #[inline]
    fn write_u8(&mut self, value: u8) {
        self.write_u64(u64::from(value));
    }

    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    #[inline]
    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    #[inline]
    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
}
