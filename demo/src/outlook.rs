//! From where a new player first sees the land.
//!
//! Eyes above the land about the start look all round once, along a few hundred rays each. A direction of an eye is
//! worth the more the farther it sees, the more kinds of land it shows, and the better the sun stands; what is close
//! before the eye rules it out. Only land that play loads at once is looked at, so that everybody sees the same.

use collision::{Cell, Position};
use nalgebra::Vector3;
use world::{Material, Ray, World};

/// A place to look from, and where to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Outlook {
    /// The eye.
    pub(crate) eye: Position,
    /// Radians to the right of -z.
    pub(crate) yaw: f32,
    /// Radians above the horizon.
    pub(crate) pitch: f32,
}

/// Land that may be looked at: about a place, as far as it is loaded at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings {
    /// Its middle.
    pub(crate) middle: Position,
    /// Metres.
    pub(crate) reach: f32,
    /// Unit vector to the sun.
    pub(crate) sun: Vector3<f32>,
    /// How the light should fall.
    pub(crate) light: Light,
}

/// How the light should fall into a picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Light {
    /// The best cosine of the angle between the way one looks and the way to the sun.
    pub(crate) cosine: f32,
    /// How much it matters beside what is to be seen.
    pub(crate) weight: f32,
}

impl Light {
    /// From behind and aside.
    pub(crate) const OF_DAY: Light = Light {
        cosine: -0.35,
        weight: 0.5,
    };
    /// The sun in the picture.
    pub(crate) const OF_SUNSET: Light = Light {
        cosine: 0.94,
        weight: 3.0,
    };
}

/// Eyes are above places on rings about the middle: metres, and places on it.
const RINGS: [(f32, usize); 4] = [(0.0, 1), (24.0, 8), (48.0, 12), (72.0, 16)];
/// Metres above everything near.
const HEIGHTS: [f32; 2] = [9.0, 20.0];
/// What is so near must be lower than the eye, metres, and is looked at in such steps.
const NEAR: i32 = 16;
const NEAR_STEP: i32 = 4;
/// Directions all round.
const ROUND: usize = 32;
/// Of which a picture shows so many.
const WIDE: usize = 9;
/// Rays in a direction, radians above the horizon, lowest first.
const RISES: [f32; 8] = [-0.78, -0.60, -0.42, -0.28, -0.17, -0.09, -0.02, 0.06];
/// The first of them that look into the distance.
const DISTANT: usize = 4;
/// Nothing may be so close ahead of the eye, and no crown below it, metres.
const CLOSE: f32 = 26.0;
/// The first of [`RISES`] that look ahead rather than down.
const AHEAD: usize = 2;
/// Metres beyond which farther is not better.
const FAR: f32 = 130.0;
/// The horizon stands a third below the upper edge.
const PITCH: f32 = -0.22;
/// The middle, where people and things to pick up are, shows within this cosine of the way one looks.
const HOME_SHOWS: f32 = 0.85;

/// The best place and direction; the middle itself where nothing is better.
pub(crate) fn find(world: &World, about: &Surroundings) -> Outlook {
    let mut best = Outlook {
        eye: about.middle,
        yaw: 0.0,
        pitch: PITCH,
    };
    let mut most = f32::MIN;
    for eye in eyes(world, about) {
        let panorama = Panorama::seen_from(world, about, eye);
        for middle in 0..ROUND {
            let worth = panorama.worth(middle, about);
            if worth > most {
                most = worth;
                best.eye = eye;
                best.yaw = yaw_of(middle);
            }
        }
    }
    best
}

fn yaw_of(direction: usize) -> f32 {
    direction as f32 / ROUND as f32 * std::f32::consts::TAU
}

/// Places in the air above the land, clear of everything near.
fn eyes(world: &World, about: &Surroundings) -> Vec<Position> {
    let mut eyes = Vec::new();
    for (radius, count) in RINGS {
        for number in 0..count {
            let (sin, cos) = (number as f32 / count as f32 * std::f32::consts::TAU).sin_cos();
            let place = about
                .middle
                .moved(Vector3::new(sin * radius, 0.0, -cos * radius));
            let Some(top) = highest_near(world, place.cell) else {
                continue;
            };
            let level = Position::new(Cell::new(place.cell.x, top, place.cell.z), place.offset);
            eyes.extend(HEIGHTS.map(|above| level.moved(Vector3::y() * above)));
        }
    }
    eyes
}

/// The highest cell that is not air about a place; `None` where nothing is loaded.
fn highest_near(world: &World, about: Cell) -> Option<i32> {
    /// Metres above a place in which its land is sought, and below.
    const ABOVE: i32 = 160;
    const REACH: f32 = 320.0;
    let steps = || (-NEAR..=NEAR).step_by(NEAR_STEP as usize);
    let columns = steps().flat_map(|z| steps().map(move |x| Cell::new(x, ABOVE, z)));
    columns
        .filter_map(|column| {
            let ray = Ray {
                origin: Position::new(about + column, Vector3::repeat(0.5)),
                direction: -Vector3::y(),
            };
            world.cast_ray_where(&ray, REACH, |material| material != Material::AIR)
        })
        .map(|pick| pick.voxel.y)
        .max()
}

/// What a ray ended at.
#[derive(Clone, Copy, Debug)]
struct Sight {
    /// Metres; the reach when nothing was met.
    distance: f32,
    kind: Kind,
}

/// Kinds of land that look different from afar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Nothing,
    Green,
    Dry,
    Pale,
    Red,
    Rock,
    White,
    Water,
    Tree,
    Conifer,
    Autumn,
}

/// Kinds, [`Kind::Nothing`] among them.
const KINDS: usize = 11;

impl Kind {
    fn of(material: Material) -> Self {
        match material {
            Material::GRASS | Material::LUSH_GRASS | Material::MOSS => Kind::Green,
            Material::DRY_GRASS => Kind::Dry,
            Material::SAND | Material::SANDSTONE => Kind::Pale,
            Material::RED_SAND | Material::TERRACOTTA => Kind::Red,
            Material::SNOW | Material::ICE => Kind::White,
            Material::WATER => Kind::Water,
            Material::LEAVES | Material::BIRCH_LEAVES | Material::DRY_LEAVES => Kind::Tree,
            Material::PINE_LEAVES => Kind::Conifer,
            Material::AUTUMN_LEAVES => Kind::Autumn,
            _ => Kind::Rock,
        }
    }

    fn is_crown(self) -> bool {
        matches!(self, Kind::Tree | Kind::Conifer | Kind::Autumn)
    }
}

/// All that is seen from an eye.
struct Panorama {
    /// By direction, then by rise.
    sights: [[Sight; RISES.len()]; ROUND],
    /// The way to the middle on the ground plane, of length 1, where that is in sight.
    home: Option<Vector3<f32>>,
}

impl Panorama {
    fn seen_from(world: &World, about: &Surroundings, eye: Position) -> Self {
        let sights = std::array::from_fn(|direction| {
            let (sin, cos) = yaw_of(direction).sin_cos();
            let level = Vector3::new(sin, 0.0, -cos);
            let reach = reach_within(about, eye, level);
            RISES.map(|rise| {
                look(
                    world,
                    eye,
                    level * rise.cos() + Vector3::y() * rise.sin(),
                    reach,
                )
            })
        });
        Panorama {
            sights,
            home: way_home(world, about, eye),
        }
    }

    /// How good a picture is that looks in a direction.
    fn worth(&self, middle: usize, about: &Surroundings) -> f32 {
        let first = middle + ROUND - WIDE / 2;
        let mut shown = [0.0_f32; KINDS];
        let (mut depth, mut skyline) = (0.0, 0.0);
        for direction in first..first + WIDE {
            let sights = &self.sights[direction % ROUND];
            if sights.iter().enumerate().any(is_in_the_way) {
                return f32::MIN;
            }
            for sight in sights {
                shown[sight.kind as usize] += 1.0;
            }
            let far = |sight: &Sight| (sight.distance / FAR).min(1.0);
            depth += sights[DISTANT..].iter().map(far).sum::<f32>();
            skyline += f32::from(u8::from(sights[RISES.len() - 1].kind != Kind::Nothing));
        }
        let share = |kind: Kind| shown[kind as usize] / (WIDE * RISES.len()) as f32;
        let depth = depth / (WIDE * (RISES.len() - DISTANT)) as f32;
        let skyline = skyline / WIDE as f32;
        let water = share(Kind::Water);
        let trees = share(Kind::Tree) + share(Kind::Conifer) + share(Kind::Autumn);
        let (sin, cos) = yaw_of(middle).sin_cos();
        let ahead = Vector3::new(sin, 0.0, -cos);
        // A sun straight above is on no side.
        let to_sun = Vector3::new(about.sun.x, 0.0, about.sun.z);
        let cosine = to_sun.dot(&ahead) / to_sun.norm().max(f32::MIN_POSITIVE);
        let light = 1.0 - (cosine - about.light.cosine).abs();
        let shows_home = self.home.is_some_and(|way| way.dot(&ahead) > HOME_SHOWS);
        1.2 * depth
            + 0.9 * variety(&shown)
            + 0.8 * good_share(water, 0.16)
            + 0.5 * good_share(trees, 0.16)
            + 0.4 * good_share(skyline, 0.3)
            + about.light.weight * light
            + 0.5 * f32::from(u8::from(shows_home))
    }
}

fn is_in_the_way((row, sight): (usize, &Sight)) -> bool {
    sight.distance < CLOSE && (row >= AHEAD || sight.kind.is_crown())
}

/// How many kinds are seen and how evenly: the entropy of their shares, 1 for five even ones.
fn variety(shown: &[f32; KINDS]) -> f32 {
    let land = &shown[1..];
    let sum = land.iter().sum::<f32>().max(1.0);
    let entropy = land.iter().filter(|seen| **seen > 0.0).map(|seen| {
        let share = seen / sum;
        -share * share.ln()
    });
    entropy.sum::<f32>() / 5.0_f32.ln()
}

/// 0 for none, 1 for as much as is wanted, and less again for more.
fn good_share(share: f32, wanted: f32) -> f32 {
    if share < wanted {
        share / wanted
    } else {
        (1.0 - (share - wanted) / (1.0 - wanted) * 1.5).max(0.0)
    }
}

/// The way to the middle, on the ground plane, where it is not below and nothing hides it.
fn way_home(world: &World, about: &Surroundings, eye: Position) -> Option<Vector3<f32>> {
    let way = about.middle.since(&eye);
    let level = Vector3::new(way.x, 0.0, way.z);
    let free = look(world, eye, way.normalize(), way.norm() - 2.0).kind == Kind::Nothing;
    (free && level.norm() > way.y.abs()).then(|| level.normalize())
}

/// How far one can look from an eye before the land ends that is known, metres.
fn reach_within(about: &Surroundings, eye: Position, level: Vector3<f32>) -> f32 {
    let out = eye.since(&about.middle);
    let out = Vector3::new(out.x, 0.0, out.z);
    let along = out.dot(&level);
    let beside = (out.norm_squared() - along * along).max(0.0);
    (about.reach * about.reach - beside).max(0.0).sqrt() - along
}

fn look(world: &World, origin: Position, direction: Vector3<f32>, reach: f32) -> Sight {
    let ray = Ray { origin, direction };
    let met = world.cast_ray_where(&ray, reach, |material| material != Material::AIR);
    met.map_or(
        Sight {
            distance: reach,
            kind: Kind::Nothing,
        },
        |pick| Sight {
            distance: pick.distance as f32,
            kind: Kind::of(pick.material),
        },
    )
}
