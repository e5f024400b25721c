//! A finished picture in memory, and PNG files of it.

use std::path::Path;

use world::files::{self, Existing, FileError};

/// Largest number of pixels that is read (256 MiB). A header can claim any number, and memory is
/// allocated before the first pixel is decoded.
const MOST_PIXELS: u64 = 8192 * 8192;
/// Largest file that is read, in bytes: more than this many uncompressed pixels take.
const MOST_BYTES: u64 = 5 * MOST_PIXELS;

/// Pixels in sRGB, four bytes each, rows from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// `width * height * 4` bytes.
    pub pixels: Vec<u8>,
}

/// Errors of reading or writing a picture.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// The file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The PNG data are invalid.
    #[error("cannot decode {path}: {source}")]
    Decode {
        /// The path.
        path: String,
        /// Error of the decoder.
        source: png::DecodingError,
    },
    /// The picture has more pixels than are read.
    #[error(
        "{path} claims {width} x {height} pixels, and at most {MOST_PIXELS} are read. Use a \
         smaller picture"
    )]
    Size {
        /// The path.
        path: String,
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
    /// The number of pixels is zero, or differs from width and height.
    #[error("the picture cannot be encoded as PNG: {0}")]
    Encode(#[from] png::EncodingError),
    /// The picture does not have eight bits of red, green, blue and alpha.
    #[error("{path} is not an 8-bit RGB or RGBA picture")]
    Format {
        /// The path.
        path: String,
    },
}

impl Image {
    /// Returns the pixel in column `x` of row `y`; transparent black outside of the picture.
    #[must_use]
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 4] {
        if x >= self.width || y >= self.height {
            return [0; 4];
        }
        let at = (y as usize * self.width as usize + x as usize) * 4;
        [
            self.pixels[at],
            self.pixels[at + 1],
            self.pixels[at + 2],
            self.pixels[at + 3],
        ]
    }

    /// Writes a PNG file, making its folder if necessary.
    pub fn save(&self, path: &Path, existing: Existing) -> Result<(), ImageError> {
        Ok(files::write(path, &self.encode()?, existing)?)
    }

    fn encode(&self) -> Result<Vec<u8>, png::EncodingError> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels)?;
        writer.finish()?;
        Ok(bytes)
    }

    /// Reads a PNG file of eight bits per channel and at most 8192 x 8192 pixels.
    pub fn load(path: &Path) -> Result<Self, ImageError> {
        let name = || path.display().to_string();
        let bytes = files::read(path, MOST_BYTES)?;
        let decode = |source| ImageError::Decode {
            path: name(),
            source,
        };
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes))
            .read_info()
            .map_err(decode)?;
        let (width, height) = reader.info().size();
        if u64::from(width) * u64::from(height) > MOST_PIXELS {
            return Err(ImageError::Size {
                path: name(),
                width,
                height,
            });
        }
        let format = || ImageError::Format { path: name() };
        let color = match reader.output_color_type() {
            (color @ (png::ColorType::Rgb | png::ColorType::Rgba), png::BitDepth::Eight) => color,
            _ => return Err(format()),
        };
        let size = reader.output_buffer_size().ok_or_else(format)?;
        let mut pixels = vec![0; size];
        let info = reader.next_frame(&mut pixels).map_err(decode)?;
        pixels.truncate(info.buffer_size());
        if color == png::ColorType::Rgb {
            pixels = pixels
                .chunks_exact(3)
                .flat_map(|p| [p[0], p[1], p[2], 255])
                .collect();
        }
        Ok(Self {
            width: info.width,
            height: info.height,
            pixels,
        })
    }

    /// Compares two pictures, with differences from 0 to 1. Both are halved in size first, so that
    /// an edge shifted by a pixel counts little. Pictures of different sizes differ by 1.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Difference {
        if (self.width, self.height) != (other.width, other.height) {
            return Difference {
                mean: 1.0,
                worst: 1.0,
                differing: 1.0,
            };
        }
        let (columns, rows) = (self.width / 2, self.height / 2);
        let mut difference = Difference::default();
        for row in 0..rows {
            for column in 0..columns {
                let here = difference_of(self.average(column, row), other.average(column, row));
                difference.mean += here;
                difference.worst = difference.worst.max(here);
                difference.differing += f32::from(u8::from(here > Difference::VISIBLE));
            }
        }
        let count = (columns * rows).max(1) as f32;
        difference.mean /= count;
        difference.differing /= count;
        difference
    }

    fn average(&self, column: u32, row: u32) -> [f32; 3] {
        let mut sum = [0.0; 3];
        for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let pixel = self.pixel(column * 2 + x, row * 2 + y);
            for (sum, value) in sum.iter_mut().zip(pixel) {
                *sum += f32::from(value) / (4.0 * 255.0);
            }
        }
        sum
    }
}

/// The difference of two pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Difference {
    /// Mean over all pixels, 0 to 1.
    pub mean: f32,
    /// Largest difference of a pixel.
    pub worst: f32,
    /// Fraction of pixels that differ visibly.
    pub differing: f32,
}

impl Difference {
    /// Difference of colours that is visible side by side.
    pub const VISIBLE: f32 = 0.04;
}

fn difference_of(a: [f32; 3], b: [f32; 3]) -> f32 {
    let weights = [0.3, 0.55, 0.15];
    (0..3).map(|i| (a[i] - b[i]).abs() * weights[i]).sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Returns the error of reading a file with a header and no pixels.
    fn refused(name: &str, size: [u32; 2], depth: png::BitDepth) -> String {
        let path = std::env::temp_dir().join(format!("{name}-{}.png", std::process::id()));
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, size[0], size[1]);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(depth);
        let mut writer = encoder.write_header().unwrap();
        writer.write_chunk(png::chunk::IDAT, &[]).unwrap();
        drop(writer);
        assert!(bytes.len() < 100, "{}", bytes.len());
        std::fs::write(&path, &bytes).unwrap();
        let error = Image::load(&path).unwrap_err();
        std::fs::remove_file(&path).unwrap();
        error.to_string()
    }

    #[test]
    fn a_header_that_claims_too_much_is_refused_before_memory_is_taken() {
        for size in [[60_000, 60_000], [8_193, 8_192], [1, 0x7fff_ffff]] {
            let words = refused("claims", size, png::BitDepth::Eight);
            let claim = format!("{} x {} pixels", size[0], size[1]);
            assert!(words.contains(&claim), "{words}");
        }
        let words = refused("fits", [8_192, 8_192], png::BitDepth::Eight);
        assert!(words.contains("cannot decode"), "{words}");
        let words = refused("deep", [8_192, 8_192], png::BitDepth::Sixteen);
        assert!(words.contains("not an 8-bit"), "{words}");
    }
}
