//! Models of props: OBJ texts, three that ship with the sandbox and any that a player adds.
//!
//! A model stands on the middle of its floor and is as large as its file says, in metres. Files are
//! not trusted: bytes and triangles are limited, and a model too large for a prop is refused.

use std::path::Path;
use std::sync::Arc;

use collision::{ObjError, ObjMesh};
use nalgebra::{Point3, Vector3};
use world::files::{self, FileError};

use crate::trigonometry::fine_sin_cos;

/// Most bytes of an OBJ file.
const MOST_BYTES: usize = 4 << 20;
/// Most triangles of a model.
const MOST_TRIANGLES: usize = 60_000;
/// Shortest and longest side of a model, metres.
const SIDES: [f64; 2] = [0.05, 64.0];
/// The longest name, bytes.
const LONGEST_NAME: usize = 60;
/// Number of turns that make a whole one.
pub const TURNS: u8 = 24;

/// Reasons why an OBJ file cannot be a prop.
#[derive(Debug, thiserror::Error)]
pub enum PropError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is not UTF-8.
    #[error("it is no text: give an OBJ file")]
    NoText,
    /// A line is invalid.
    #[error("{0}")]
    Obj(#[from] ObjError),
    /// There are no faces.
    #[error("there are no faces in it")]
    Empty,
    /// There are too many triangles.
    #[error("{0} triangles are too many for a prop: simplify it to {MOST_TRIANGLES}")]
    TooMany(usize),
    /// The model is too large, or too small to be seen.
    #[error(
        "its longest side is {0} m: scale it to between {min} and {max} m",
        min = SIDES[0],
        max = SIDES[1]
    )]
    Size(f64),
    /// The name is empty, too long, or has control characters.
    #[error("its name has {0} bytes: use 1 to {LONGEST_NAME}, on one line")]
    Name(usize),
    /// There are too many models.
    #[error("there are {0} models already: take away all props of one of them first")]
    Full(usize),
    /// Another model has the name, and props use it.
    #[error("another model is called {0:?}: give the file another name")]
    Taken(String),
    /// A saved list of props is invalid.
    #[error("a saved prop makes no sense: {0}")]
    Saved(String),
}

/// A model of props.
#[derive(Debug, PartialEq)]
pub struct PropModel {
    name: String,
    text: String,
    /// Triangles about the middle of its floor.
    mesh: ObjMesh,
    /// Half its width and depth, and its height, metres.
    size: Vector3<f64>,
    /// sRGB colour.
    color: [u8; 3],
}

/// Name, text and colour of the models that ship with the sandbox.
const SHIPPED: [(&str, &str, [u8; 3]); 3] = [
    ("ramp", include_str!("../../props/ramp.obj"), [150, 112, 72]),
    (
        "rock",
        include_str!("../../props/rock.obj"),
        [122, 120, 116],
    ),
    (
        "statue",
        include_str!("../../props/statue.obj"),
        [118, 140, 122],
    ),
];
/// Number of models that ship with the sandbox.
pub const SHIPPED_COUNT: usize = SHIPPED.len();
/// Colour of a player's own models, sRGB.
const OWN: [u8; 3] = [186, 170, 148];

/// Returns the models that ship with the sandbox.
pub fn shipped() -> Vec<Arc<PropModel>> {
    let models = SHIPPED.iter().map(|&(name, text, color)| {
        let model = PropModel::parse(name, text.to_owned());
        model.map(|model| Arc::new(PropModel { color, ..model }))
    });
    // A test parses every one of them, so none is dropped here.
    models.flatten().collect()
}

impl PropModel {
    /// Reads a model; its name is that of the file.
    pub fn read(path: &Path) -> Result<Self, PropError> {
        let bytes = files::read(path, MOST_BYTES as u64)?;
        let text = String::from_utf8(bytes).map_err(|_| PropError::NoText)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Self::parse(&name, text)
    }

    /// Parses a model from an OBJ text.
    pub fn parse(name: &str, text: String) -> Result<Self, PropError> {
        let name = name.trim();
        let is_sound = (1..=LONGEST_NAME).contains(&name.len());
        if !is_sound || name.chars().any(char::is_control) {
            return Err(PropError::Name(name.len()));
        }
        let mut mesh = ObjMesh::parse(&text)?;
        match mesh.triangles.len() {
            0 => return Err(PropError::Empty),
            count if count > MOST_TRIANGLES => return Err(PropError::TooMany(count)),
            _ => {}
        }
        let used = mesh.triangles.iter().flatten();
        let (mut low, mut high) = (Vector3::repeat(f64::MAX), Vector3::repeat(f64::MIN));
        for &point in used {
            let at = mesh.points[point as usize].coords;
            (low, high) = (low.inf(&at), high.sup(&at));
        }
        let size = high - low;
        if !(SIDES[0]..=SIDES[1]).contains(&size.max()) {
            return Err(PropError::Size(size.max()));
        }
        let middle = low + Vector3::new(size.x, 0.0, size.z) * 0.5;
        for point in &mut mesh.points {
            *point -= middle;
        }
        Ok(PropModel {
            name: name.to_owned(),
            size: Vector3::new(size.x * 0.5, size.y, size.z * 0.5),
            color: OWN,
            mesh,
            text,
        })
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns its OBJ text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns its sRGB colour.
    pub fn color(&self) -> [u8; 3] {
        self.color
    }

    /// Returns half its width and depth, and its height, metres.
    pub fn size(&self) -> Vector3<f64> {
        self.size
    }

    /// Returns its triangles about the middle of its floor.
    pub fn mesh(&self) -> &ObjMesh {
        &self.mesh
    }

    /// Returns its triangles after some of the [`TURNS`], counter-clockwise from above.
    pub fn turned(&self, turn: u8) -> ObjMesh {
        let (sin, cos) = fine_sin_cos(angle_of_turn(turn));
        let points = self.mesh.points.iter().map(|at| {
            let (x, z) = (at.x, at.z);
            Point3::new(x * cos + z * sin, at.y, z * cos - x * sin)
        });
        ObjMesh {
            points: points.collect(),
            triangles: self.mesh.triangles.clone(),
        }
    }
}

/// Returns the angle of a turn in radians, counter-clockwise from above.
pub fn angle_of_turn(turn: u8) -> f64 {
    f64::from(turn % TURNS) / f64::from(TURNS) * std::f64::consts::TAU
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    mod sculpt;

    use super::*;

    #[test]
    fn shipped_models_are_what_their_code_makes() {
        let made = [sculpt::ramp(), sculpt::rock(), sculpt::statue()];
        for ((name, text, _), made) in SHIPPED.iter().zip(&made) {
            if std::env::var_os("RENEW_PROPS").is_some() {
                let path = Path::new(env!("CARGO_MANIFEST_DIR"))
                    .join("props")
                    .join(name);
                std::fs::write(path.with_extension("obj"), made).unwrap();
            } else {
                assert_eq!(text, made, "{name}: RENEW_PROPS=1 writes it anew");
            }
        }
        let names: Vec<_> = shipped().iter().map(|it| it.name().to_owned()).collect();
        assert_eq!(names, ["ramp", "rock", "statue"]);
    }

    #[test]
    fn models_stand_on_the_middle_of_their_floor() {
        let text = "v 10 5 3\nv 14 5 3\nv 10 8 5\nf 1 2 3\n".to_owned();
        let model = PropModel::parse("flag", text).unwrap();
        assert_eq!(model.size(), Vector3::new(2.0, 3.0, 1.0));
        assert_eq!(model.mesh().points[0], Point3::new(-2.0, 0.0, -1.0));
        // A quarter counter-clockwise turns right into ahead, at -z.
        let turned = model.turned(TURNS / 4).points[1];
        assert!(
            (turned - Point3::new(-1.0, 0.0, -2.0)).norm() < 1e-9,
            "{turned}"
        );
    }

    #[test]
    fn files_that_are_no_props_are_refused() {
        let triangle = |size: f64| format!("v 0 0 0\nv {size} 0 0\nv 0 {size} 0\nf 1 2 3\n");
        let parse = |name: &str, text: String| PropModel::parse(name, text).unwrap_err();
        assert!(matches!(parse("a", String::new()), PropError::Empty));
        assert!(matches!(parse("a", triangle(1e6)), PropError::Size(_)));
        assert!(matches!(parse("a", triangle(1e-6)), PropError::Size(_)));
        assert!(matches!(
            parse("a", "f 1 2 3".to_owned()),
            PropError::Obj(_)
        ));
        assert!(matches!(parse("a\nb", triangle(1.0)), PropError::Name(3)));
        assert!(matches!(
            parse(&"n".repeat(61), triangle(1.0)),
            PropError::Name(61)
        ));
        let many = triangle(1.0) + &"f 1 2 3\n".repeat(MOST_TRIANGLES);
        assert!(matches!(parse("a", many), PropError::TooMany(_)));
        let gone = PropModel::read(Path::new("/nowhere/at all.obj"));
        assert!(matches!(gone, Err(PropError::File(_))));
    }
}
