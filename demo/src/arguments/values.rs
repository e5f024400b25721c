//! Argument values with a syntax of their own; their errors state the expected form.

use std::str::FromStr;

use clap::ValueEnum;
use collision::Position;
use nalgebra::Point3;

/// Longest side of a picture; every known adapter can render this size.
const MAX_SIDE: u32 = 8192;

/// A picture's width and height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureSize {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
}

impl FromStr for PictureSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("wanted WIDTHxHEIGHT such as 1280x720, each from 1 to {MAX_SIDE}");
        let (width, height) = text.split_once(['x', 'X']).ok_or_else(wrong)?;
        let side = |text: &str| match text.parse::<u32>() {
            Ok(side @ 1..=MAX_SIDE) => Ok(side),
            _ => Err(wrong()),
        };
        Ok(PictureSize {
            width: side(width)?,
            height: side(height)?,
        })
    }
}

/// A point of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eye {
    /// Its coordinates: x east, y up, z south.
    pub position: Position,
}

/// Parses an hour of the day.
pub(super) fn hour(text: &str) -> Result<f32, String> {
    let hour = text.parse().ok();
    let hour = hour.filter(|hour| (0.0..=24.0).contains(hour));
    hour.ok_or_else(|| "wanted an hour from 0 to 24 such as 18.5".to_owned())
}

impl FromStr for Eye {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let [x, y, z] = numbers::<3>(text)
            .ok_or_else(|| "wanted X,Y,Z in metres such as 10,80,-4.5".to_owned())?;
        let position = Position::try_from_metres(Point3::new(x, y, z));
        let position = position.map_err(|error| error.to_string())?;
        Ok(Eye { position })
    }
}

/// A direction in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Turn about the vertical; 0 looks along -z.
    pub yaw_degrees: f64,
    /// Up is positive; kept within straight down and straight up.
    pub pitch_degrees: f64,
}

impl FromStr for Look {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let [yaw, pitch] = numbers::<2>(text)
            .filter(|[_, pitch]| pitch.abs() <= 90.0)
            .ok_or_else(|| {
                "wanted YAW,PITCH in degrees such as 45,-20, pitch from -90 to 90".to_owned()
            })?;
        Ok(Look {
            yaw_degrees: yaw.rem_euclid(360.0),
            pitch_degrees: pitch,
        })
    }
}

/// `N` finite numbers separated by commas.
fn numbers<const N: usize>(text: &str) -> Option<[f64; N]> {
    let mut out = [0.0; N];
    let mut parts = text.split(',');
    for slot in &mut out {
        *slot = parts
            .next()?
            .trim()
            .parse::<f64>()
            .ok()
            .filter(|n| n.is_finite())?;
    }
    parts.next().is_none().then_some(out)
}

/// Overlays that show how the sandbox works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ValueEnum)]
pub enum Overlay {
    /// Times of each pass on CPU and GPU
    Frame,
    /// What the parts hold in memory
    Memory,
    /// Boxes of the chunks
    Chunks,
    /// Cells of the KD-tree
    Tree,
    /// Outlines of the merged rectangles
    Quads,
    /// The six planes of the player's last gather, and the candidates in it
    Sweep,
    /// Contact planes and the slide path
    Contacts,
    /// Sectors of the paged character grid
    Grid,
    /// Characters that overlap
    Overlaps,
    /// Shapes of the last attacks
    Hits,
    /// Tiles of the fog of war
    Fog,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn picture_sizes_are_bounded() {
        assert_eq!(
            "64x32".parse(),
            Ok(PictureSize {
                width: 64,
                height: 32
            })
        );
        for wrong in [
            "", "x", "0x5", "5x0", "-1x5", "99999x5", "5", "5x5x5", "axb", "1e3x5",
        ] {
            assert!(wrong.parse::<PictureSize>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn points_are_finite_and_within_the_world() {
        for point in [[1.0, -2.0, 3.5], [2_147_483_647.5, -2_147_483_648.0, 0.0]] {
            let [x, y, z] = point;
            let eye = format!("{x},{y},{z}").parse::<Eye>().unwrap();
            assert_eq!(eye.position.to_metres(), Point3::from(point));
        }
        for wrong in [
            "",
            "1,2",
            "1,2,3,4",
            "nan,0,0",
            "inf,0,0",
            "1e300,0,0",
            "0,0,2147483648",
            "0,-2147483649,0",
            "a,b,c",
        ] {
            assert!(wrong.parse::<Eye>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn directions_wrap_yaw_and_refuse_pitch() {
        assert_eq!("-90,10".parse::<Look>().unwrap().yaw_degrees, 270.0);
        for wrong in ["", "1", "1,91", "1,-91", "nan,0", "1,2,3"] {
            assert!(wrong.parse::<Look>().is_err(), "{wrong}");
        }
    }
}
