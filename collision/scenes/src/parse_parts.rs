//! The parts that several statements of a scene file share: hashes, fills, layers, boxes, meshes,
//! directions.

use nalgebra::{Point3, Vector3};

use super::error::Fault;
use super::script::*;
use super::words::Words;
use collision::obj::ObjMesh;
use collision::position::Cell;
use collision::shapes::Substance;

/// Most voxels of all fills of a layer together.
const MOST_VOXELS: usize = 8_000_000;

pub(super) const CELL: &str = "a whole number in the range of i32";

pub(super) fn read_hash(words: &mut Words<'_>) -> Result<u64, Fault> {
    let word = words.word("sixteen hexadecimal digits")?;
    let wanted = "sixteen hexadecimal digits";
    u64::from_str_radix(word, 16).map_err(|_| Fault::Number {
        word: word.to_owned(),
        wanted,
    })
}

pub(super) fn read_fill(words: &mut Words<'_>, substance: Substance) -> Result<Fill, Fault> {
    let [min, max] = words.voxel_box()?;
    let pattern = if words.take("random") {
        let seed = words.whole("a seed")?;
        Pattern::Random {
            seed,
            density: words.number_in(0.0, 1.0, "a density between 0 and 1")?,
        }
    } else {
        Pattern::All
    };
    Ok(Fill {
        min,
        max,
        pattern,
        substance,
    })
}

pub(super) fn count_voxels(count: &mut usize, fill: &Fill) -> Result<(), Fault> {
    let size = (fill.max - fill.min).map(|side| side as usize);
    *count = count.saturating_add(size.x.saturating_mul(size.y).saturating_mul(size.z));
    if *count <= MOST_VOXELS {
        Ok(())
    } else {
        Err(Fault::TooMany {
            what: "voxels",
            limit: MOST_VOXELS,
        })
    }
}

/// Reads rows of signs along x, one row after another along z.
pub(super) fn read_layer(words: &mut Words<'_>, rows: &[String]) -> Result<Vec<Fill>, Fault> {
    let corner = words.voxel()?;
    let mut fills = Vec::new();
    for (z, row) in rows.iter().enumerate() {
        for (x, sign) in row.chars().enumerate() {
            let substance = match sign {
                '#' => Substance::Solid,
                '~' => Substance::Liquid,
                'H' => Substance::Ladder,
                '.' => continue,
                other => {
                    return Err(Fault::Choice {
                        word: other.to_string(),
                        choices: "# (solid), . (air), ~ (liquid), H (ladder)",
                    });
                }
            };
            let min = corner + Cell::new(x as i32, 0, z as i32);
            fills.push(Fill {
                min,
                max: min + Cell::repeat(1),
                pattern: Pattern::All,
                substance,
            });
        }
    }
    Ok(fills)
}

pub(super) fn read_box(words: &mut Words<'_>) -> Result<[Point3<f64>; 2], Fault> {
    let (a, b) = (words.point()?, words.point()?);
    Ok([a.inf(&b), a.sup(&b)])
}

pub(super) fn read_polygon(
    words: &mut Words<'_>,
    mesh: &mut ObjMesh,
    corners: usize,
) -> Result<(), Fault> {
    let first = mesh.points.len() as u32;
    for _ in 0..corners {
        mesh.points.push(words.point()?);
    }
    mesh.triangles.push([first, first + 1, first + 2]);
    if corners == 4 {
        mesh.triangles.push([first, first + 2, first + 3]);
    }
    Ok(())
}

pub(super) fn append(mesh: &mut ObjMesh, more: ObjMesh) {
    let first = mesh.points.len() as u32;
    mesh.points.extend(more.points);
    mesh.triangles.extend(
        more.triangles
            .iter()
            .map(|corners| corners.map(|corner| corner + first)),
    );
}

pub(super) fn read_direction(words: &mut Words<'_>) -> Result<Vector3<f64>, Fault> {
    let direction = words.vector()?;
    let wanted = "a direction that is not zero";
    direction.try_normalize(1e-9).ok_or_else(|| Fault::Number {
        word: "0 0 0".to_owned(),
        wanted,
    })
}

pub(super) fn read_mass(words: &mut Words<'_>) -> Result<f64, Fault> {
    if words.take("infinite") {
        return Ok(f64::INFINITY);
    }
    words.number_in(0.001, 1e9, "a mass of 0.001 to 10^9 kg, or `infinite`")
}

pub(super) fn scatter(
    count: usize,
    seed: u64,
    min: Point3<f64>,
    max: Point3<f64>,
) -> Vec<Point3<f64>> {
    let mut random = super::random::Random::new(seed);
    let mut place = || Point3::from((max - min).map(|side| side * random.share()) + min.coords);
    (0..count).map(|_| place()).collect()
}
