//! Finds the first view of the land for a new player.
//!
//! Eyes above the land about the start look all round once, along a few hundred rays each. A
//! direction is worth more if it sees farther, shows more kinds of land, and has a better sun;
//! close obstacles rule it out. Only land that is loaded before play is looked at, so that every
//! start of a world gives the same view.

use collision::{Cell, Position};
use nalgebra::Vector3;
use world::{Material, Ray, World};

/// A place of the camera and its direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Outlook {
    /// The eye.
    pub(crate) eye: Position,
    /// Radians to the right of -z.
    pub(crate) yaw: f32,
    /// Radians above the horizon.
    pub(crate) pitch: f32,
}

/// Land that may be looked at: about a place, as far as it is loaded before play.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings {
    /// Centre.
    pub(crate) middle: Position,
    /// Radius, metres.
    pub(crate) reach: f32,
    /// Unit vector to the sun.
    pub(crate) sun: Vector3<f32>,
    /// The wanted light.
    pub(crate) light: Light,
}

/// The wanted light in a picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Light {
    /// Best cosine of the angle between the line of sight and the direction to the sun.
    pub(crate) cosine: f32,
    /// Weight compared to the contents of the picture.
    pub(crate) weight: f32,
}

impl Light {
    /// Sun from behind and aside.
    pub(crate) const OF_DAY: Light = Light {
        cosine: -0.35,
        weight: 0.5,
    };
    /// Sun in the picture.
    pub(crate) const OF_SUNSET: Light = Light {
        cosine: 0.94,
        weight: 3.0,
    };
}

/// Rings of eyes about the middle: radius in metres, and number of places.
const RINGS: [(f32, usize); 4] = [(0.0, 1), (24.0, 8), (48.0, 12), (72.0, 16)];
/// Heights of eyes above everything near, metres.
const HEIGHTS: [f32; 2] = [9.0, 20.0];
/// Distance within which all land must be lower than the eye, metres, and the spacing of the
/// samples.
const NEAR: i32 = 16;
const NEAR_STEP: i32 = 4;
/// Number of directions all round.
const ROUND: usize = 32;
/// Number of directions in a picture.
const WIDE: usize = 9;
/// Elevations of the rays in a direction, radians above the horizon, lowest first.
const RISES: [f32; 8] = [-0.78, -0.60, -0.42, -0.28, -0.17, -0.09, -0.02, 0.06];
/// Index of the first of [`RISES`] that looks into the distance.
const DISTANT: usize = 4;
/// Least distance of anything ahead of the eye, and of crowns below it, metres.
const CLOSE: f32 = 26.0;
/// Index of the first of [`RISES`] that looks ahead rather than down.
const AHEAD: usize = 2;
/// Distance beyond which farther is not better, metres.
const FAR: f32 = 130.0;
/// Elevation of the view: the horizon lies a third below the upper edge.
const PITCH: f32 = -0.22;
/// Cosine to the line of sight within which the middle, with its people and pick-ups, is in the
/// picture.
const HOME_SHOWS: f32 = 0.85;

/// Returns the best place and direction; the middle itself if there is none.
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

/// Returns places in the air above the land, clear of everything near.
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

/// Returns the highest cell near a place that is not air; `None` if nothing is loaded there.
fn highest_near(world: &World, about: Cell) -> Option<i32> {
    /// Height above a place at which the search for its land begins, and its depth, metres.
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

/// The end of a ray.
#[derive(Clone, Copy, Debug)]
struct Sight {
    /// Distance, metres; the reach without a hit.
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

/// Number of kinds, with [`Kind::Nothing`].
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

/// All sights from an eye.
struct Panorama {
    /// Sights by direction, then by rise.
    sights: [[Sight; RISES.len()]; ROUND],
    /// Level unit vector to the middle, if it is in sight.
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

    /// Returns the worth of a picture in a direction.
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

/// Returns the variety of the visible kinds: the entropy of their shares, 1 for five equal ones.
fn variety(shown: &[f32; KINDS]) -> f32 {
    let land = &shown[1..];
    let sum = land.iter().sum::<f32>().max(1.0);
    let entropy = land.iter().filter(|seen| **seen > 0.0).map(|seen| {
        let share = seen / sum;
        -share * share.ln()
    });
    entropy.sum::<f32>() / 5.0_f32.ln()
}

/// Returns 0 for none, 1 for the wanted share, and less again beyond it.
fn good_share(share: f32, wanted: f32) -> f32 {
    if share < wanted {
        share / wanted
    } else {
        (1.0 - (share - wanted) / (1.0 - wanted) * 1.5).max(0.0)
    }
}

/// Returns the level direction to the middle, unless it is below or hidden.
fn way_home(world: &World, about: &Surroundings, eye: Position) -> Option<Vector3<f32>> {
    let way = about.middle.since(&eye);
    let level = Vector3::new(way.x, 0.0, way.z);
    let free = look(world, eye, way.normalize(), way.norm() - 2.0).kind == Kind::Nothing;
    (free && level.norm() > way.y.abs()).then(|| level.normalize())
}

/// Returns the distance from an eye to the end of the loaded land, metres.
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
