//! Exact bytes of numbers, places and texts. Reading copies no more than a part holds and refuses
//! parts without a meaning.

use collision::{Cell, Position};
use nalgebra::Vector3;
use world::{Material, ObjectId};

/// Reasons why bytes cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// They end too early.
    #[error("the bytes end at {0}, in the middle of a part")]
    Short(usize),
    /// A part has no meaning.
    #[error("there is no {what} at byte {at}")]
    Invalid {
        /// Place of the byte behind the part.
        at: usize,
        /// Kind of the part.
        what: &'static str,
    },
}

/// Bytes that are being read.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Begins at the first byte.
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { bytes, at: 0 }
    }

    /// Returns the number of bytes that were read.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Takes the next bytes.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], ReadError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let taken = rest.get(..count).ok_or(ReadError::Short(self.at))?;
        self.at += count;
        Ok(taken)
    }

    /// Takes a number of bytes that is known beforehand.
    pub fn array<const COUNT: usize>(&mut self) -> Result<[u8; COUNT], ReadError> {
        let mut array = [0; COUNT];
        array.copy_from_slice(self.take(COUNT)?);
        Ok(array)
    }

    /// Returns the error of a part that was just read.
    pub fn invalid(&self, what: &'static str) -> ReadError {
        let at = self.at;
        ReadError::Invalid { at, what }
    }
}

/// A value with exact bytes.
pub trait Coded: Sized {
    /// Adds its bytes to the end of others.
    fn write(&self, to: &mut Vec<u8>);

    /// Reads it.
    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError>;
}

/// Codes the parts of a struct one after the other.
#[macro_export]
macro_rules! coded_parts {
    ($($name:ident { $($part:ident),* })*) => {$(
        impl $crate::coding::Coded for $name {
            fn write(&self, to: &mut Vec<u8>) {
                $($crate::coding::Coded::write(&self.$part, to);)*
            }

            fn read(
                from: &mut $crate::coding::Reader<'_>,
            ) -> Result<Self, $crate::coding::ReadError> {
                Ok($name { $($part: $crate::coding::Coded::read(from)?),* })
            }
        }
    )*};
}

/// Codes an enum as a number and the parts of its variant.
#[macro_export]
macro_rules! coded_variants {
    ($name:ident, $what:literal {
        $($tag:literal: $variant:ident $(($($part:ident),*))? $({$($field:ident),*})?,)*
    }) => {
        impl $crate::coding::Coded for $name {
            fn write(&self, to: &mut Vec<u8>) {
                match self {
                    $($name::$variant $(($($part),*))? $({$($field),*})? => {
                        to.push($tag);
                        $($($crate::coding::Coded::write($part, to);)*)?
                        $($($crate::coding::Coded::write($field, to);)*)?
                    })*
                }
            }

            fn read(
                from: &mut $crate::coding::Reader<'_>,
            ) -> Result<Self, $crate::coding::ReadError> {
                match <u8 as $crate::coding::Coded>::read(from)? {
                    $($tag => {
                        $($(let $part = $crate::coding::Coded::read(from)?;)*)?
                        $($(let $field = $crate::coding::Coded::read(from)?;)*)?
                        Ok($name::$variant $(($($part),*))? $({$($field),*})?)
                    })*
                    _ => Err(from.invalid($what)),
                }
            }
        }
    };
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Coded for $number {
            fn write(&self, to: &mut Vec<u8>) {
                to.extend_from_slice(&self.to_le_bytes());
            }

            fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
                Ok(<$number>::from_le_bytes(from.array()?))
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, i16, i32, f32);

impl Coded for usize {
    /// Counts beyond 32 bits mean all there is, as the largest does.
    fn write(&self, to: &mut Vec<u8>) {
        u32::try_from(*self).unwrap_or(u32::MAX).write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok(u32::read(from)? as usize)
    }
}

/// Its number of values, then these.
impl<T: Coded> Coded for Vec<T> {
    fn write(&self, to: &mut Vec<u8>) {
        self.len().write(to);
        self.iter().for_each(|value| value.write(to));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        // Nothing is reserved: as many values as there are bytes can be read.
        (0..usize::read(from)?).map(|_| T::read(from)).collect()
    }
}

impl<T: Coded> Coded for Option<T> {
    fn write(&self, to: &mut Vec<u8>) {
        to.push(self.is_some().into());
        self.iter().for_each(|value| value.write(to));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        match u8::read(from)? {
            0 => Ok(None),
            1 => T::read(from).map(Some),
            _ => Err(from.invalid("choice")),
        }
    }
}

impl<T: Coded + nalgebra::Scalar> Coded for Vector3<T> {
    fn write(&self, to: &mut Vec<u8>) {
        self.iter().for_each(|part| part.write(to));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok(Vector3::new(T::read(from)?, T::read(from)?, T::read(from)?))
    }
}

impl Coded for Position {
    fn write(&self, to: &mut Vec<u8>) {
        self.cell.write(to);
        self.offset.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        let (cell, offset) = (Cell::read(from)?, Vector3::read(from)?);
        let position = Position::new(cell, offset);
        let bits = |offset: Vector3<f32>| offset.map(f32::to_bits);
        let is_same = position.cell == cell && bits(position.offset) == bits(offset);
        is_same
            .then_some(position)
            .ok_or(from.invalid("offset in a cell"))
    }
}

impl Coded for Material {
    fn write(&self, to: &mut Vec<u8>) {
        self.0.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        u16::read(from).map(Material)
    }
}

impl Coded for ObjectId {
    fn write(&self, to: &mut Vec<u8>) {
        self.0.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        u32::read(from).map(ObjectId)
    }
}

impl Coded for String {
    /// Longer texts are cut: no name is as long.
    fn write(&self, to: &mut Vec<u8>) {
        let length = self.floor_char_boundary(LONGEST_TEXT);
        to.push(length as u8);
        to.extend_from_slice(&self.as_bytes()[..length]);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        let length = u8::read(from)?;
        let text = std::str::from_utf8(from.take(length.into())?);
        let text = text.map_err(|_| from.invalid("text"))?;
        Ok(text.to_owned())
    }
}

/// The longest text, bytes; names of models are shorter.
const LONGEST_TEXT: usize = u8::MAX as usize;
