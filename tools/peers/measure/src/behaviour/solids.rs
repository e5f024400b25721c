//! A scene's terrain as one mesh without inner faces, and the penetration depth of bodies.

use super::suits::place_of;
use crate::mesh::Mesh;
use crate::peer::{Body, HALF_HEIGHT, HALF_SEGMENT, RADIUS};
use collision::Substance;
use collision_scenes::script::{Layer, MeshFaces, Script, Shape};
use nalgebra::{Point3, Vector3};
use parry3d::math::{Pose, Vector};
use parry3d::query::{self, PointQuery};
use parry3d::shape::{Segment, Triangle};

/// Largest lift of a start for a body that is wider at its foot than ours, in metres.
const MOST_LIFT: f64 = 0.6;

/// Lowest and highest corner, in metres, and whether it is solid; later ones override earlier ones.
struct Solid {
    low: Point3<f64>,
    high: Point3<f64>,
    fills: bool,
}

pub struct Stage {
    /// The terrain in the coordinates of peers, in `f32`.
    pub mesh: Mesh,
    origin: Vector3<f64>,
    /// The terrain relative to the scene's own origin.
    triangles: Vec<[Point3<f64>; 3]>,
}

impl Stage {
    pub fn new(script: &Script) -> Self {
        let mut solids = Vec::new();
        let mut triangles = Vec::new();
        let mut two_sided = false;
        for ground in &script.grounds {
            match &ground.shape {
                Shape::Voxels(layer) => solids.extend(of_layer(layer)),
                Shape::Boxes(boxes) => solids.extend(boxes.iter().map(|[low, high]| Solid {
                    low: *low,
                    high: *high,
                    fills: true,
                })),
                Shape::Triangles(mesh) => {
                    let all = 0..mesh.triangles.triangles.len();
                    triangles.extend(all.map(|index| mesh.triangles.corners(index)));
                    two_sided |= mesh.faces == MeshFaces::TwoSided;
                }
            }
        }
        triangles.extend(surface(&solids));
        let placed = triangles
            .iter()
            .map(|corners| corners.map(|corner| place_of(script, corner).coords.cast().into()));
        let mesh = Mesh {
            two_sided,
            ..Mesh::from_triangles(placed)
        };
        Self {
            mesh,
            origin: script.origin.map(f64::from),
            triangles,
        }
    }

    /// Converts a place to the scene's own origin.
    pub fn place(&self, center: [f32; 3]) -> Point3<f64> {
        Point3::from(center.map(f64::from)) - self.origin
    }

    /// Returns the penetration depth of a body in metres. A body whose centre is behind a face by
    /// more than its radius is not detected, but it is while it passes.
    pub fn depth(&self, body: Body, at: Point3<f64>) -> f64 {
        let squash = if body == Body::Ellipsoid {
            f64::from(RADIUS / HALF_HEIGHT)
        } else {
            1.0
        };
        let half = if body == Body::Ellipsoid {
            0.0
        } else {
            HALF_SEGMENT
        };
        let mut depth = 0f64;
        for corners in &self.triangles {
            let [a, b, c] = corners.map(|corner| {
                let from = corner - at;
                Vector::new(from.x as f32, (from.y * squash) as f32, from.z as f32)
            });
            let reach = RADIUS + half;
            let far = |axis: fn(&Vector) -> f32| {
                let parts = [axis(&a), axis(&b), axis(&c)];
                parts.iter().all(|part| *part > reach) || parts.iter().all(|part| *part < -reach)
            };
            if !far(|v| v.x) && !far(|v| v.y) && !far(|v| v.z) {
                let distance = distance(&Triangle::new(a, b, c), half);
                depth = depth.max(f64::from(RADIUS - distance));
            }
        }
        depth
    }

    /// Returns a start, lifted for a body that needs more room at its foot than ours.
    pub fn start(&self, at: Point3<f64>, body: Body) -> [f32; 3] {
        let own = at - self.origin;
        if self.depth(Body::Ellipsoid, own) <= 1e-3 {
            for step in 0..=60 {
                let lifted = own + Vector3::new(0.0, f64::from(step) / 60.0 * MOST_LIFT, 0.0);
                if self.depth(body, lifted) <= 1e-3 {
                    return (lifted + self.origin).coords.cast().into();
                }
            }
        }
        at.coords.cast().into()
    }
}

/// Returns the distance from an upright segment about the origin, or a point, to a triangle.
fn distance(triangle: &Triangle, half: f32) -> f32 {
    if half == 0.0 {
        return triangle.distance_to_local_point(Vector::ZERO, false);
    }
    let ends = [-half, half].map(|y| Vector::new(0.0, y, 0.0));
    let upright = Segment::new(ends[0], ends[1]);
    let here = Pose::IDENTITY;
    query::distance(&here, &upright, &here, triangle).map_or(f32::MAX, |found| found.distance)
}

fn of_layer(layer: &Layer) -> impl Iterator<Item = Solid> + '_ {
    let at = |cell: Vector3<i32>| layer.at + cell.map(f64::from) * layer.size;
    layer.fills.iter().map(move |fill| Solid {
        low: at(fill.min),
        high: at(fill.max),
        fills: fill.substance == Substance::Solid,
    })
}

/// Returns the faces between solid and free, cut at every coordinate of a solid, two triangles
/// each.
fn surface(solids: &[Solid]) -> Vec<[Point3<f64>; 3]> {
    let cuts: [Vec<f64>; 3] = std::array::from_fn(|axis| {
        let ends = solids
            .iter()
            .flat_map(|one| [one.low[axis], one.high[axis]]);
        let mut all: Vec<f64> = ends.collect();
        all.sort_by(f64::total_cmp);
        all.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
        all
    });
    let is_solid = |cell: [i64; 3]| {
        let mut middle = Point3::origin();
        for axis in 0..3 {
            let index = cell[axis];
            if index < 0 || index + 1 >= cuts[axis].len() as i64 {
                return false;
            }
            let index = index as usize;
            middle[axis] = (cuts[axis][index] + cuts[axis][index + 1]) / 2.0;
        }
        let holds =
            |one: &&Solid| (0..3).all(|a| one.low[a] < middle[a] && middle[a] < one.high[a]);
        solids.iter().rev().find(holds).is_some_and(|one| one.fills)
    };
    let mut triangles = Vec::new();
    let counts = [0, 1, 2].map(|axis| cuts[axis].len() as i64 - 1);
    for (x, y, z) in (0..counts[0])
        .flat_map(|x| (0..counts[1]).flat_map(move |y| (0..counts[2]).map(move |z| (x, y, z))))
    {
        let cell = [x, y, z];
        if !is_solid(cell) {
            continue;
        }
        for (axis, side) in (0..3).flat_map(|axis| [(axis, -1), (axis, 1)]) {
            let mut free = cell;
            free[axis] += side;
            if !is_solid(free) {
                triangles.extend(face(&cuts, cell, axis, side > 0));
            }
        }
    }
    triangles
}

/// Returns one side of a cell, counter-clockwise seen from outside.
fn face(cuts: &[Vec<f64>; 3], cell: [i64; 3], axis: usize, upper: bool) -> [[Point3<f64>; 3]; 2] {
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let corner = |du: i64, dv: i64| {
        let mut point = Point3::origin();
        point[axis] = cuts[axis][(cell[axis] + i64::from(upper)) as usize];
        point[u] = cuts[u][(cell[u] + du) as usize];
        point[v] = cuts[v][(cell[v] + dv) as usize];
        point
    };
    let (second, fourth) = if upper {
        ((1, 0), (0, 1))
    } else {
        ((0, 1), (1, 0))
    };
    let [a, b, c, d] = [(0, 0), second, (1, 1), fourth].map(|(du, dv)| corner(du, dv));
    [[a, b, c], [a, c, d]]
}
