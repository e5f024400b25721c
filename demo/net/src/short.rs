//! Numbers in as few bytes as they need: seven bits a byte, the lowest first.

use simulation::coding::{Coded, ReadError, Reader};

/// The most bytes of a number.
const MOST: u32 = 10;

/// A tick, which takes three bytes for the first nine hours, and four for the first weeks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tick(pub u64);

impl Coded for Tick {
    fn write(&self, to: &mut Vec<u8>) {
        write_long(self.0, to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        read_long(from).map(Tick)
    }
}

/// Writes a number.
pub(crate) fn write(number: u32, to: &mut Vec<u8>) {
    write_long(number.into(), to);
}

fn write_long(mut number: u64, to: &mut Vec<u8>) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// Reads a number that takes no more bytes than it needs.
pub(crate) fn read(from: &mut Reader<'_>) -> Result<u32, ReadError> {
    let number = u32::try_from(read_long(from)?);
    number.map_err(|_| from.invalid("short number"))
}

fn read_long(from: &mut Reader<'_>) -> Result<u64, ReadError> {
    let mut number = 0u128;
    for place in 0..MOST {
        let [byte] = from.array()?;
        number |= u128::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            let is_padded = byte == 0 && place > 0;
            let number = u64::try_from(number).ok().filter(|_| !is_padded);
            return number.ok_or(from.invalid("short number"));
        }
    }
    Err(from.invalid("short number"))
}

/// Writes a number with a sign: small ones of either sign are short.
pub(crate) fn write_signed(number: i16, to: &mut Vec<u8>) {
    let number = i32::from(number);
    write((number << 1 ^ number >> 31) as u32, to);
}

/// Reads a number with a sign.
pub(crate) fn read_signed(from: &mut Reader<'_>) -> Result<i16, ReadError> {
    let number = read(from)?;
    let number = (number >> 1) as i32 ^ -((number & 1) as i32);
    i16::try_from(number).map_err(|_| from.invalid("short number"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn numbers_come_back_and_have_one_form_each() {
        for number in [0, 1, 127, 128, 16_383, 16_384, u32::MAX] {
            let mut bytes = Vec::new();
            write(number, &mut bytes);
            assert_eq!(read(&mut Reader::new(&bytes)), Ok(number));
        }
        for number in [0, 127, 1 << 21, u64::MAX] {
            let mut bytes = Vec::new();
            Tick(number).write(&mut bytes);
            assert_eq!(Tick::read(&mut Reader::new(&bytes)), Ok(Tick(number)));
        }
        for number in [0, -1, 63, -64, 64, i16::MIN, i16::MAX] {
            let mut bytes = Vec::new();
            write_signed(number, &mut bytes);
            assert_eq!(read_signed(&mut Reader::new(&bytes)), Ok(number));
            assert!(bytes.len() == 1 || !(-64..64).contains(&number));
        }
        for bad in [
            &[0x80][..],
            &[0x80, 0],
            &[0xff; 10],
            &[0xff, 0xff, 0xff, 0xff, 0x10],
        ] {
            assert!(read(&mut Reader::new(bad)).is_err(), "{bad:?}");
        }
        let mut beyond = Vec::new();
        write(u32::from(u16::MAX) + 1, &mut beyond);
        assert!(read_signed(&mut Reader::new(&beyond)).is_err());
    }
}
