//! Wavefront OBJ: any text is refused with its line, or gives triangles that make a soup.

use collision::{ObjMesh, ObjectId, Position, Sides, TriangleSoup};

use crate::Target;

/// The target.
pub const TARGET: Target = Target {
    name: "obj",
    check,
    seeds,
    longest: 4096,
};

/// Most pieces of a soup that are worth the time.
const MOST_AREA: f64 = 1e6;

/// Reads bytes as an OBJ file.
pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mesh = match ObjMesh::parse(&text) {
        Ok(mesh) => mesh,
        Err(error) => {
            assert!((1..=text.lines().count()).contains(&error.line), "{error}");
            return;
        }
    };
    for corner in mesh.triangles.iter().flatten() {
        assert!((*corner as usize) < mesh.points.len());
    }
    assert!(
        mesh.points
            .iter()
            .flat_map(|point| point.iter())
            .all(|part| part.is_finite())
    );
    let longest = |triangle: usize| {
        let [a, b, c] = mesh.corners(triangle);
        (b - a).norm().max((c - b).norm()).max((a - c).norm())
    };
    let area: f64 = (0..mesh.triangles.len())
        .map(|one| longest(one).powi(2))
        .sum();
    if area < MOST_AREA {
        let _soup = TriangleSoup::from_obj(ObjectId(1), Position::default(), &mesh, Sides::Both);
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let cube = "\u{feff}# a cube\nmtllib a.mtl\no cube\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n\
                v 0 0 1 1.0\nv 1 0 1\nv 1 1 1e0\nv 0 1 1\nvt 0 0\nvn 0 0 1\ns off\n\
                f 4 3 2 1\nf 5/1 6/1 7/1 8/1\nf 1//1 2//1 6//1 5//1\n\
                f -6 -5 -1 -2\nf 1/1/1 5 8 4\n";
    let odd = "v -0 1e-300 2147483647.5\nv +1 .5 5.\nv 1e9 0 0\r\nf 1 2 3\ncurv 0 1 2\nl 1 2\n";
    let needle = "v 0 0 0\nv 30 0 0\nv 15 1e-9 0\nf 1 2 3\nf 1 1 1\nf 3 2 1 # back\n";
    [cube, odd, needle]
        .map(|text| text.as_bytes().to_vec())
        .to_vec()
}
