//! Reads and writes numbers in saved bytes; reading never panics and never trusts a length.

use super::error::DecodeError;
use crate::material::MaterialTable;

/// Reads from the front of a slice.
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(DecodeError::Length)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        self.take(N)?.try_into().map_err(|_| DecodeError::Length)
    }

    pub(super) fn u8(&mut self) -> Result<u8, DecodeError> {
        Ok(self.array::<1>()?[0])
    }

    pub(super) fn u16(&mut self) -> Result<u16, DecodeError> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, DecodeError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn i32(&mut self) -> Result<i32, DecodeError> {
        self.array().map(i32::from_le_bytes)
    }

    pub(super) fn f32(&mut self) -> Result<f32, DecodeError> {
        self.array().map(f32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, DecodeError> {
        self.array().map(u64::from_le_bytes)
    }

    /// Reads a string whose first byte is its length.
    pub(super) fn name(&mut self) -> Result<&'a str, DecodeError> {
        let length = usize::from(self.u8()?);
        std::str::from_utf8(self.take(length)?).map_err(|_| DecodeError::Malformed)
    }

    pub(super) fn end(&self) -> Result<(), DecodeError> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(DecodeError::Length)
        }
    }
}

/// Writes a string whose first byte is its length: a material name, which a table limits to 255
/// bytes.
pub(super) fn put_name(out: &mut Vec<u8>, name: &str) {
    debug_assert!(name.len() <= MaterialTable::LONGEST_NAME, "no table has it");
    out.push(name.len() as u8);
    out.extend_from_slice(name.as_bytes());
}

/// Returns a 64-bit checksum of a key and a value (FNV-1a by 8 bytes, then scrambled), stored in
/// every record.
pub(super) fn checksum(key: &[u8], value: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325 ^ (key.len() as u64) << 32 ^ value.len() as u64;
    for part in [key, value] {
        for bytes in part.chunks(8) {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            hash ^= hash >> 29;
        }
    }
    hash
}

/// Bit of a record's length, set if its stamp follows. Records up to format 3 have no stamp.
const STAMPED: u32 = 1 << 31;

/// Packs a payload: checksum, length, number of the writing commit (the stamp), compressed payload.
pub(super) fn seal(key: &[u8], payload: &[u8], stamp: u64) -> Vec<u8> {
    let packed = lz4_flex::compress(payload);
    let mut out = Vec::with_capacity(packed.len() + 20);
    out.extend_from_slice(&[0; 8]);
    out.extend_from_slice(&(payload.len() as u32 | STAMPED).to_le_bytes());
    out.extend_from_slice(&stamp.to_le_bytes());
    out.extend_from_slice(&packed);
    let sum = checksum(key, &out[8..]);
    out[..8].copy_from_slice(&sum.to_le_bytes());
    out
}

/// Returns true if the checksum of sealed bytes is right.
pub(super) fn is_sound(key: &[u8], sealed: &[u8]) -> bool {
    let mut reader = Reader(sealed);
    reader.u64().is_ok_and(|sum| sum == checksum(key, reader.0))
}

/// Returns the stamp of a sound record: the number of the commit that wrote it, or 0 if it has
/// none.
pub(super) fn stamp_of(sealed: &[u8]) -> u64 {
    let mut reader = Reader(sealed.get(8..).unwrap_or_default());
    match reader.u32() {
        Ok(length) if length & STAMPED != 0 => reader.u64().unwrap_or(0),
        _ => 0,
    }
}

/// Unpacks the bytes of [`seal`]. `limit` bounds the memory used.
pub(super) fn unseal(key: &[u8], sealed: &[u8], limit: usize) -> Result<Vec<u8>, DecodeError> {
    let mut reader = Reader(sealed);
    if reader.u64()? != checksum(key, reader.0) {
        return Err(DecodeError::Checksum);
    }
    let length = reader.u32()?;
    if length & STAMPED != 0 {
        reader.u64()?;
    }
    let length = (length & !STAMPED) as usize;
    // LZ4 compresses at most 255 times: a larger length is false and must not be allocated.
    if length > limit || length > reader.0.len().saturating_mul(256) {
        return Err(DecodeError::Length);
    }
    let payload = lz4_flex::decompress(reader.0, length).map_err(|_| DecodeError::Malformed)?;
    if payload.len() == length {
        Ok(payload)
    } else {
        Err(DecodeError::Length)
    }
}
