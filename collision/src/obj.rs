//! Reads the geometry of Wavefront OBJ text: `v` and `f` lines; polygons are cut into fans.
//!
//! Left out on purpose: normals, texture coordinates, groups and materials are skipped, curves and
//! surfaces are refused. The text comes from outside, so every fault is an [`ObjError`] with its
//! line, and nothing here panics. Reading takes at most 32 bytes of memory for each of the text,
//! and a kilobyte.

use nalgebra::Point3;
use thiserror::Error;

/// Most vertices or triangles of a file; a larger one is refused rather than filling the memory.
pub const MOST_ELEMENTS: usize = 50_000_000;

/// The coordinate from which a point is refused, in metres: the reach of the integer cells.
const FARTHEST: f64 = 2_147_483_648.0;

/// The triangles of an OBJ file, by index into its points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjMesh {
    /// Every `v` line, in order, in the file's own units.
    pub points: Vec<Point3<f64>>,
    /// Corners of each triangle, counter-clockwise seen from the front.
    pub triangles: Vec<[u32; 3]>,
}

/// The reason why a text is not usable OBJ geometry.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {fault}")]
pub struct ObjError {
    /// The line, counted from one.
    pub line: usize,
    /// The fault, and its remedy.
    pub fault: ObjFault,
}

/// The faults of a line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ObjFault {
    /// A `v` line without three finite numbers in reach.
    #[error("`{0}` is not a coordinate: a `v` line needs three finite numbers below 2^31")]
    Coordinate(String),
    /// A `v` line that ends too early.
    #[error("a `v` line needs three numbers and has {0}")]
    FewCoordinates(usize),
    /// An `f` line with fewer than three corners.
    #[error("an `f` line needs at least three corners and has {0}")]
    FewCorners(usize),
    /// A corner that is not an index.
    #[error(
        "`{0}` is not a corner: write the vertex number, as in `f 1 2 3` or `f 1/1/1 2/2/2 3/3/3`"
    )]
    Corner(String),
    /// A corner whose number belongs to no vertex read so far.
    #[error(
        "corner {named} names no vertex: {known} are known here, counted from 1 (or from -1 \
        backwards)"
    )]
    NoSuchVertex {
        /// The number in the file.
        named: i64,
        /// Vertices read up to this line.
        known: usize,
    },
    /// Free-form curves and surfaces.
    #[error("`{0}` is a free-form curve or surface: export the model as polygons")]
    FreeForm(String),
    /// More than [`MOST_ELEMENTS`].
    #[error("more than {MOST_ELEMENTS} vertices or triangles: cut the model into parts")]
    TooLarge,
}

impl ObjMesh {
    /// Reads the geometry of an OBJ text.
    pub fn parse(text: &str) -> Result<Self, ObjError> {
        let mut mesh = Self::default();
        // Some editors put a byte order mark before the first line.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (index, line) in text.lines().enumerate() {
            mesh.read_line(line).map_err(|fault| ObjError {
                line: index + 1,
                fault,
            })?;
        }
        Ok(mesh)
    }

    /// Returns the three points of a triangle.
    pub fn corners(&self, triangle: usize) -> [Point3<f64>; 3] {
        self.triangles[triangle].map(|index| self.points[index as usize])
    }

    fn read_line(&mut self, line: &str) -> Result<(), ObjFault> {
        let line = line.split('#').next().unwrap_or("");
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => self.read_vertex(words),
            Some("f") => self.read_face(words),
            Some(word @ ("curv" | "curv2" | "surf" | "cstype")) => {
                Err(ObjFault::FreeForm(word.to_owned()))
            }
            _ => Ok(()),
        }
    }

    fn read_vertex<'a>(&mut self, words: impl Iterator<Item = &'a str>) -> Result<(), ObjFault> {
        let mut point = Point3::origin();
        let mut count = 0;
        for word in words.take(3) {
            let number: Option<f64> = word.parse().ok();
            let in_reach = number.filter(|value| value.abs() < FARTHEST);
            point[count] = in_reach.ok_or_else(|| ObjFault::Coordinate(word.to_owned()))?;
            count += 1;
        }
        if count < 3 {
            return Err(ObjFault::FewCoordinates(count));
        }
        if self.points.len() >= MOST_ELEMENTS {
            return Err(ObjFault::TooLarge);
        }
        self.points.push(point);
        Ok(())
    }

    fn read_face<'a>(&mut self, words: impl Iterator<Item = &'a str>) -> Result<(), ObjFault> {
        let (mut first, mut last, mut count) = (0, 0, 0);
        for word in words {
            let corner = self.read_corner(word)?;
            match count {
                0 => first = corner,
                1 => {}
                _ if self.triangles.len() >= MOST_ELEMENTS => return Err(ObjFault::TooLarge),
                _ => self.triangles.push([first, last, corner]),
            }
            last = corner;
            count += 1;
        }
        if count < 3 {
            Err(ObjFault::FewCorners(count))
        } else {
            Ok(())
        }
    }

    fn read_corner(&self, word: &str) -> Result<u32, ObjFault> {
        let number = word.split('/').next().unwrap_or("");
        let named: i64 = number
            .parse()
            .map_err(|_| ObjFault::Corner(word.to_owned()))?;
        let known = self.points.len();
        let index = if named < 0 {
            named.checked_add(known as i64)
        } else {
            named.checked_sub(1)
        };
        match index {
            Some(index) if (0..known as i64).contains(&index) => Ok(index as u32),
            _ => Err(ObjFault::NoSuchVertex { named, known }),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn fault(text: &str) -> ObjError {
        ObjMesh::parse(text).unwrap_err()
    }

    #[test]
    fn parse_reads_polygons_as_fans() {
        let text = "# a square\nv 0 0 0\nv 1 0 0 1.0\nv 1 1e0 0\nv 0 1 0\nvt 0 0\n\
                    f 1/1 2/1 3/1 4/1\nf -4 -3 -2\n";
        let mesh = ObjMesh::parse(text).unwrap();
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 2]]);
        assert_eq!(mesh.corners(1)[2], Point3::new(0.0, 1.0, 0.0));
    }

    #[test]
    fn parse_passes_over_the_mark_of_an_editor() {
        let mesh = ObjMesh::parse("\u{feff}v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
        assert_eq!(mesh.triangles, [[0, 1, 2]]);
    }

    #[test]
    fn parse_names_the_line_and_what_to_do() {
        let missing = ObjError {
            line: 2,
            fault: ObjFault::NoSuchVertex { named: 2, known: 1 },
        };
        assert_eq!(fault("v 0 0 0\nf 1 2 3"), missing);
        assert_eq!(
            fault("v 0 nan 0"),
            ObjError {
                line: 1,
                fault: ObjFault::Coordinate("nan".into())
            }
        );
        assert_eq!(
            fault("v 0 1e300 0").fault,
            ObjFault::Coordinate("1e300".into())
        );
        assert_eq!(fault("v 0 0").fault, ObjFault::FewCoordinates(2));
        assert_eq!(fault("v 0 0 0\nf 1 1").fault, ObjFault::FewCorners(2));
        assert_eq!(
            fault("f 0 0 0").fault,
            ObjFault::NoSuchVertex { named: 0, known: 0 }
        );
        assert_eq!(fault("f a b c").fault, ObjFault::Corner("a".into()));
        assert_eq!(
            fault("f -9223372036854775808 1 1").fault,
            ObjFault::NoSuchVertex {
                named: i64::MIN,
                known: 0
            }
        );
        assert_eq!(
            fault("\ncurv 0 1 2").to_string(),
            "line 2: `curv` is a free-form curve or surface: export the model as polygons"
        );
    }
}
