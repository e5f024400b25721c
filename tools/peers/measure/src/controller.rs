//! The controller around libraries that only sweep: gravity, steps up, and snapping down onto
//! falling ground.
//!
//! It is the minimum of a game: move level, if blocked retry from a step higher, then sweep down.

use crate::peer::{Faller, RADIUS, Rules};
use nalgebra::Vector3;

pub type Vector = Vector3<f32>;

/// The obstacle of a sweep.
#[derive(Clone, Copy, Debug)]
pub struct Blocked {
    /// Free fraction of the motion, with the skin already subtracted.
    pub fraction: f32,
    pub normal: Vector,
}

/// The result of a slide.
#[derive(Clone, Copy, Debug)]
pub struct Slid {
    pub center: Vector,
    /// Largest upward component of the normals met.
    pub rise: f32,
}

/// The operations of a library.
pub trait Sweeps {
    fn cast(&self, center: Vector, motion: Vector) -> Option<Blocked>;
    fn slide(&self, center: Vector, motion: Vector) -> Slid;
}

/// Moves one character for one tick.
pub fn walk(sweeps: &impl Sweeps, faller: &mut Faller, wish: [f32; 2], seconds: f32) {
    let rules = faller.rules;
    let stood = faller.grounded;
    let motion = Vector::from(faller.fall(wish, seconds));
    let start = Vector::from(faller.center);
    let level = Vector::new(motion.x, 0.0, motion.z);
    if stood && level == Vector::zeros() && faller.rise <= 0.0 && is_under(sweeps, rules, start) {
        return faller.arrive(start.into(), true, seconds);
    }
    let mut slid = sweeps.slide(start, motion);
    let way = |slid: &Slid| (slid.center - start).dot(&level);
    let wished = level.norm_squared();
    let step = faller.step();
    if step > 0.0 && way(&slid) < wished * 0.99 {
        let higher = step_up(sweeps, rules, step, start, level);
        if let Some(higher) = higher.filter(|higher| way(higher) > way(&slid) + wished * 0.05) {
            slid = higher;
        }
    }
    let mut grounded = slid.rise >= rules.least_rise;
    if stood && !grounded && faller.rise <= 0.0 {
        let down = Vector::new(0.0, -rules.snap, 0.0);
        let foot = level.try_normalize(1e-9).unwrap_or_default() * RADIUS;
        let is_ground = |hit: Blocked| hit.normal.y >= rules.least_rise;
        let goes_on = || sweeps.cast(slid.center + foot, down).is_some_and(is_ground);
        if let Some(hit) = sweeps.cast(slid.center, down)
            && (is_ground(hit) || goes_on())
        {
            slid.center += down * hit.fraction;
            grounded = true;
        }
    }
    faller.arrive(slid.center.into(), grounded, seconds);
}

/// Returns true if there is ground right below, so that a character standing still does not creep
/// down a slope.
fn is_under(sweeps: &impl Sweeps, rules: Rules, center: Vector) -> bool {
    let down = Vector::new(0.0, -0.05, 0.0);
    let hit = sweeps.cast(center, down);
    hit.is_some_and(|hit| hit.normal.y >= rules.least_rise)
}

/// Moves over a step and down onto it. A round foot first stands on the edge of the step, where the
/// ground looks steep; then the ground a foot's length further decides.
fn step_up(
    sweeps: &impl Sweeps,
    rules: Rules,
    step: f32,
    start: Vector,
    level: Vector,
) -> Option<Slid> {
    let up = Vector::new(0.0, step, 0.0);
    let raised = up * sweeps.cast(start, up).map_or(1.0, |hit| hit.fraction);
    let lands = |motion: Vector| {
        let over = sweeps.slide(start + raised, motion);
        let hit = sweeps.cast(over.center, -raised)?;
        Some((over.center - raised * hit.fraction, hit.normal.y))
    };
    let (center, rise) = lands(level)?;
    let further = || lands(level.normalize() * (RADIUS + level.norm()));
    let is_ground = |rise: f32| rise >= rules.least_rise;
    let stands = is_ground(rise) || further().is_some_and(|(_, rise)| is_ground(rise));
    stands.then_some(Slid { center, rise: 1.0 })
}

/// Sweeps, stops at the skin and continues along the obstacles, up to three planes at once.
pub fn slide_by_casts(
    start: Vector,
    motion: Vector,
    cast: impl Fn(Vector, Vector) -> Option<Blocked>,
) -> Slid {
    const MOST_SLIDES: usize = 4;
    const NUDGE: f32 = 1e-3;
    let (mut center, mut left) = (start, motion);
    let mut normals: Vec<Vector> = Vec::with_capacity(MOST_SLIDES);
    let mut rise = f32::NEG_INFINITY;
    for _ in 0..MOST_SLIDES {
        if left.norm_squared() < 1e-10 {
            break;
        }
        let Some(hit) = cast(center, left) else {
            center += left;
            break;
        };
        // Moved slightly off the obstacle, or the next sweep would hit it again at once.
        center += left * hit.fraction + hit.normal * NUDGE;
        left *= 1.0 - hit.fraction;
        rise = rise.max(hit.normal.y);
        normals.push(hit.normal);
        left = along(left, &normals);
        if left.dot(&motion) <= 0.0 {
            break;
        }
    }
    Slid { center, rise }
}

/// Returns the rest of a motion against planes: along the last, else along its crease with an
/// earlier one, else zero.
fn along(motion: Vector, normals: &[Vector]) -> Vector {
    let free = |motion: &Vector| normals.iter().all(|normal| motion.dot(normal) >= -1e-5);
    if free(&motion) {
        return motion;
    }
    let Some((last, earlier)) = normals.split_last() else {
        return motion;
    };
    let flat = motion - last * motion.dot(last);
    if free(&flat) {
        return flat;
    }
    let creases = earlier.iter().filter_map(|other| {
        let crease = last.cross(other).try_normalize(1e-4)?;
        Some(crease * crease.dot(&motion))
    });
    creases
        .into_iter()
        .find(|way| free(way))
        .unwrap_or_default()
}
