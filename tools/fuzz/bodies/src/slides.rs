//! Moves among arbitrary triangles: needles, points, huge and endless ones. A soup refuses what it
//! cannot hold; among the rest every move ends at a sound place.

use collision::mover::{slide, walk};
use collision::recovery::recover;
use collision::{
    Around, Body, Memory, MoverConfig, ObjectId, Position, Radii, Scratch, Sides, SoupMotion,
    TriangleSoup, cast_ray_terrain, sweep_ellipsoid,
};
use nalgebra::{Point3, Vector3};

use crate::Target;
use crate::bytes::{Bytes, is_finite, is_sound};
use crate::campaign::noise;

/// The target.
pub const TARGET: Target = Target {
    name: "slides",
    check,
    seeds: || noise(24, 600),
    longest: 768,
};

/// Most triangles, moves and pieces of a triangle: the work for some hundred bytes.
const TRIANGLES: usize = 24;
const MOVES: usize = 8;
const LONGEST: f64 = 300.0;

/// Moves a body among triangles made of bytes.
pub fn check(data: &[u8]) {
    let mut bytes = Bytes(data);
    let mut soup = TriangleSoup::new(ObjectId(7), origin(&mut bytes));
    for _ in 0..bytes.below(TRIANGLES) {
        add(&mut soup, &mut bytes);
    }
    let (memory, scratch) = (&mut Memory::default(), &mut Scratch::default());
    let mut body = body(&mut bytes);
    let hostile = !is_valid(&body);
    let mut ground = None;
    for _ in 0..MOVES {
        let way = vector(&mut bytes);
        let config = config(&mut bytes);
        let around = Around::terrain(&soup, &config);
        let report = match bytes.below(4) {
            0 => Some(slide(&around, &mut body, way, memory, scratch)),
            1 => Some(walk(&around, &mut body, way, ground, memory, scratch)),
            2 => {
                recover(&around, &mut body, memory, scratch);
                None
            }
            _ => {
                query(&soup, &body, &way);
                None
            }
        };
        assert!(hostile || is_sound(&body.position), "{body:?} after {way}");
        if let Some(report) = report {
            assert!(is_finite(&report.moved), "{report:?}");
            ground = report.ground;
        }
        if bytes.once_in(4) {
            add(&mut soup, &mut bytes);
        }
        if bytes.once_in(8) {
            let motion = SoupMotion {
                shift: vector(&mut bytes).cast(),
                ..SoupMotion::default()
            };
            soup.advance(&motion);
        }
    }
}

fn origin(bytes: &mut Bytes<'_>) -> Position {
    match bytes.below(8) {
        0 => bytes.position(),
        1 => Position::new(bytes.cell(), Vector3::zeros()),
        _ => Position::default(),
    }
}

/// Reads a vector; most are a few metres long.
fn vector(bytes: &mut Bytes<'_>) -> Vector3<f32> {
    if bytes.once_in(8) {
        bytes.numbers()
    } else {
        bytes.within(-2.0, 2.0)
    }
}

fn body(bytes: &mut Bytes<'_>) -> Body {
    if bytes.once_in(8) {
        let radii = Radii::new(bytes.number(), bytes.number());
        return Body {
            position: bytes.position(),
            radii,
            up: bytes.numbers(),
        };
    }
    let up = bytes.within(-1.0, 1.0).try_normalize(1e-3);
    Body {
        position: bytes.place(-4.0, 4.0),
        radii: Radii::new(bytes.between(0.05, 2.0), bytes.between(0.05, 2.0)),
        up: up.unwrap_or(Vector3::y()),
    }
}

fn is_valid(body: &Body) -> bool {
    is_sound(&body.position)
}

fn config(bytes: &mut Bytes<'_>) -> MoverConfig {
    let mut config = MoverConfig::default();
    if bytes.once_in(4) {
        config.skin = bytes.between(1e-4, 0.35);
        config.step_height = bytes.between(0.0, 2.0);
        config.snap = bytes.between(0.0, 2.0);
        config.least_rise = bytes.between(0.0, 1.0);
    }
    config
}

/// Adds a triangle, replaces one, or removes one.
fn add(soup: &mut TriangleSoup, bytes: &mut Bytes<'_>) {
    let hostile = bytes.once_in(4);
    let corners = [(); 3].map(|()| {
        let corner = if hostile {
            bytes.numbers()
        } else {
            bytes.within(-6.0, 6.0)
        };
        Point3::from(corner.cast::<f64>())
    });
    let longest = (corners[1] - corners[0])
        .norm()
        .max((corners[2] - corners[1]).norm());
    let too_much = longest > LONGEST && longest < 5000.0;
    let sides = bytes.one_of(&[Sides::Front, Sides::Both]);
    if !too_much {
        let added = soup.insert(corners, sides);
        let finite = corners
            .iter()
            .flat_map(|corner| corner.iter())
            .all(|part| part.is_finite());
        assert!(added.is_err() || finite, "{corners:?}");
        if let Ok(triangle) = added
            && bytes.once_in(16)
        {
            assert!(soup.remove(triangle) && !soup.remove(triangle));
        }
    }
}

fn query(soup: &TriangleSoup, body: &Body, way: &Vector3<f32>) {
    let ray = collision::Motion {
        start: body.position,
        way: *way,
    };
    for hit in [
        sweep_ellipsoid(soup, body, way),
        cast_ray_terrain(soup, &ray),
    ] {
        let Some(hit) = hit else { continue };
        assert!((0.0..=1.0).contains(&hit.time), "{hit:?}");
        assert!(is_sound(&hit.center) && is_sound(&hit.point), "{hit:?}");
        assert!((hit.normal.norm() - 1.0).abs() < 1e-3, "{hit:?}");
    }
}
