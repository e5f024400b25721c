//! Base64 with the letters that are safe in addresses, without padding.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Returns bytes as text.
pub(super) fn encode(bytes: &[u8]) -> String {
    let letters = bytes.chunks(3).flat_map(|part| {
        let bits = (0..3).fold(0, |bits: u32, at| {
            bits << 8 | u32::from(part.get(at).copied().unwrap_or(0))
        });
        (0..=part.len()).map(move |at| LETTERS[(bits >> (18 - 6 * at) & 63) as usize])
    });
    letters.map(char::from).collect()
}

/// Returns the bytes of a text; `None` if it is not one that [`encode`] makes.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    for part in text.as_bytes().chunks(4) {
        let mut bits = 0;
        for letter in part {
            let value = LETTERS.iter().position(|it| it == letter)?;
            bits = bits << 6 | value as u32;
        }
        bits <<= 6 * (4 - part.len());
        bytes.extend_from_slice(bits.to_be_bytes()[1..].get(..part.len() - 1)?);
    }
    // A lone letter, and bits that are left over, have no meaning.
    (encode(&bytes) == text).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_from_their_text() {
        for length in 0..70u8 {
            let bytes: Vec<u8> = (0..length).map(|at| at.wrapping_mul(151)).collect();
            assert_eq!(decode(&encode(&bytes)), Some(bytes));
        }
        assert_eq!(encode(b"any carnal pleas"), "YW55IGNhcm5hbCBwbGVhcw");
        assert_eq!(encode(&[0xfb, 0xff]), "-_8");
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["A", "AAAAA", "AB", "a b=", "+/", "é"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
