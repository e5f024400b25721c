//! Characters walk about in a furnished house of triangles, held against an oracle in `f64`.

use collision::{Character, CharacterId, Crowd, Intent, ObjectId, Position, Sides, TriangleSoup};
use collision_scenes::{Random, WalkedMesh, interior};
use nalgebra::{Point3, Vector3};

const ACROSS: f64 = 0.4;
const ALONG: f64 = 0.9;
const SPEED: f32 = 5.0;
const TICK: f32 = 1.0 / 60.0;
/// Ticks of one wish.
const TURN: usize = 60;
/// Deeper than this, as a share of its radius, no body without its skin reaches into a triangle.
const DEEPEST: f64 = 1e-3;
/// A character that came no farther than this in a turn stood, in metres.
const STOOD: f64 = 0.05;
/// Length of a free way, in metres, that a character which stood should have gone.
const FREE_WAY: f64 = 0.15;
/// Skin, with what rounding may add, as a share of the radius.
const WITH_SKIN: f64 = 0.012 / ACROSS;

/// The triangles in the space where a body is a ball of radius 1, each with the box about it.
struct Oracle {
    triangles: Vec<(Corners, [Vector3<f64>; 2])>,
}

/// The corners of a triangle.
type Corners = [Vector3<f64>; 3];

fn squashed(point: Point3<f64>) -> Vector3<f64> {
    Vector3::new(point.x / ACROSS, point.y / ALONG, point.z / ACROSS)
}

impl Oracle {
    fn new(walked: &WalkedMesh) -> Self {
        let mesh = &walked.mesh;
        let triangles = (0..mesh.triangles.len()).map(|triangle| {
            let corners = mesh.corners(triangle).map(squashed);
            let [a, b, c] = &corners;
            (corners, [a.inf(b).inf(c), a.sup(b).sup(c)])
        });
        Self {
            triangles: triangles.collect(),
        }
    }

    /// Returns the distance of the nearest triangle, 2 if all are farther.
    fn nearest(&self, at: Point3<f64>) -> f64 {
        let at = squashed(at);
        let near = self.triangles.iter().filter(|(_, [min, max])| {
            (0..3).all(|axis| min[axis] < at[axis] + 2.0 && max[axis] > at[axis] - 2.0)
        });
        let distances = near.map(|(corners, _)| distance(at, corners));
        distances.fold(2.0, f64::min)
    }

    /// Returns whether a body with its skin can go straight along a way.
    fn is_free(&self, from: Point3<f64>, way: Vector3<f64>) -> bool {
        (1..=15).all(|step| self.nearest(from + way * (f64::from(step) / 15.0)) > 1.0 + WITH_SKIN)
    }
}

/// Returns the distance of a point from a triangle: from the plane where it is over the inside,
/// otherwise from the nearest side.
fn distance(at: Vector3<f64>, corners: &[Vector3<f64>; 3]) -> f64 {
    let [a, b, c] = corners;
    let normal = (b - a).cross(&(c - a));
    let sides = [(a, b), (b, c), (c, a)];
    let over = |(from, to): (&Vector3<f64>, &Vector3<f64>)| {
        normal.cross(&(to - from)).dot(&(at - from)) >= 0.0
    };
    if normal.norm() > 0.0 && sides.into_iter().all(over) {
        return (at - a).dot(&normal).abs() / normal.norm();
    }
    let to_side = sides.map(|(from, to)| {
        let along = to - from;
        let share = (at - from).dot(&along) / along.norm_squared();
        (at - from - along * share.clamp(0.0, 1.0)).norm()
    });
    to_side.into_iter().fold(f64::INFINITY, f64::min)
}

/// A crowd in a mesh.
struct Walk {
    soup: TriangleSoup,
    crowd: Crowd,
    ids: Vec<CharacterId>,
    random: Random,
    intents: Vec<(CharacterId, Intent)>,
}

impl Walk {
    fn new(walked: &WalkedMesh, count: usize) -> Self {
        let (object, origin) = (ObjectId(1), Position::default());
        let soup = TriangleSoup::from_obj(object, origin, &walked.mesh, Sides::Front);
        let mut crowd = Crowd::new();
        let ids: Vec<_> = (0..count)
            .map(|number| {
                let at = walked.starts[number * walked.starts.len() / count];
                // Characters pass through each other: the triangles alone are in the way.
                let character = Character::at(Position::from_metres(at)).with_layers(1, 0);
                crowd.add(character.with_radii(ACROSS as f32, ALONG as f32))
            })
            .collect();
        Self {
            soup: soup.expect("the mesh is sound"),
            crowd,
            intents: ids.iter().map(|&id| (id, Intent::default())).collect(),
            ids,
            random: Random::new(7),
        }
    }

    fn wish(&mut self) {
        for (_, intent) in &mut self.intents {
            let mut way = Vector3::zeros();
            while !(0.1..1.0).contains(&way.norm()) {
                way.x = self.random.between(-1.0, 1.0) as f32;
                way.z = self.random.between(-1.0, 1.0) as f32;
            }
            *intent = Intent::walk(way * (SPEED / way.norm()));
        }
    }

    fn tick(&mut self) {
        self.crowd.tick(&self.soup, &self.intents, TICK);
    }

    fn places(&self) -> Vec<Point3<f64>> {
        let place = |&id: &CharacterId| self.crowd.position(id).expect("it is there").to_metres();
        self.ids.iter().map(place).collect()
    }
}

#[test]
fn walkers_in_a_furnished_house_stay_outside_of_all_and_go_where_a_way_is_free() {
    let walked = interior();
    let oracle = Oracle::new(&walked);
    let mut walk = Walk::new(&walked, 100);
    let (mut stood, mut gone) = (0, 0.0);
    for turn in 0..10 {
        walk.wish();
        let begun = walk.places();
        for tick in 0..TURN {
            walk.tick();
            if tick % 3 != 0 {
                continue;
            }
            for (number, place) in walk.places().into_iter().enumerate() {
                let nearest = oracle.nearest(place);
                let told = || format!("{number} at {place} in tick {tick} of turn {turn}");
                assert!(nearest > 1.0 - DEEPEST, "{nearest}: {}", told());
            }
        }
        for (number, (from, to)) in begun.iter().zip(walk.places()).enumerate() {
            gone += (to - from).norm();
            if (to - from).norm() > STOOD || turn == 0 {
                continue;
            }
            stood += 1;
            let wish: Vector3<f64> = walk.intents[number].1.velocity.cast().normalize();
            let aside = Vector3::new(-wish.z, 0.0, wish.x);
            for way in [wish, wish + aside, wish - aside] {
                let free = oracle.is_free(to, way.normalize() * FREE_WAY);
                assert!(
                    !free,
                    "{number} stands at {to} in turn {turn}, free along {way}"
                );
            }
        }
    }
    assert!(stood > 20 && gone > 1000.0, "{stood} stood, {gone} m gone");
}
