//! The scene of the cannon: balls that fly in arcs through a room, swept against its walls and
//! against targets from a hash grid.

use nalgebra::{Point3, Vector3};
use rayon::prelude::*;

use super::random::Random;
use super::run::Verdict;
use collision::hash_grid::{GridId, HashGrid, Span};
use collision::mover::{Body, Radii, Scratch};
use collision::position::Position;
use collision::query::sweep_ellipsoid_in;
use collision::shapes::Shapes;
use collision::sweep::{Sphere, sweep_sphere_sphere};
use collision::terrain::ObjectId;

/// Shots, each with its own targets.
const SHOTS: u64 = 4000;
/// Inner half side of the room and thickness of its walls, in metres.
const ROOM: f32 = 8.0;
const WALL: f32 = 0.05;
const BALL: f32 = 0.28;
const TARGET: f32 = 0.75;
const TARGETS: usize = 24;
/// Largest distance of a landed ball's surface from the wall, in metres.
const EXACT: f32 = 2.0e-3;
const TICK: f32 = 1.0 / 60.0;
const GRAVITY: f32 = 18.0;
/// Ticks within which the slowest balls land.
const MOST_TICKS: usize = 1200;

/// Shoots balls at any speed in a room with thin walls: none leaves it, and the hash grid finds the
/// same targets as a comparison with all of them.
pub(super) fn cannon_balls() -> Verdict {
    let room = room();
    let shot = |seed: u64| {
        let fault = shoot(&room, &mut Random::new(seed)).err()?;
        Some(format!("shot {seed}: {fault}"))
    };
    let faults: Vec<String> = (0..SHOTS).into_par_iter().filter_map(shot).collect();
    Verdict {
        faults: faults.into_iter().take(5).collect(),
        ..Verdict::default()
    }
}

/// Makes six thin walls about the origin.
fn room() -> Shapes {
    let (inner, outer) = (f64::from(ROOM), f64::from(ROOM + WALL));
    let mut boxes = Vec::new();
    for axis in 0..3 {
        for sign in [-1.0, 1.0] {
            let (mut min, mut max) = (Point3::from([-outer; 3]), Point3::from([outer; 3]));
            (min[axis], max[axis]) = if sign < 0.0 {
                (-outer, -inner)
            } else {
                (inner, outer)
            };
            boxes.push([min, max]);
        }
    }
    Shapes::from_boxes(ObjectId(1), Position::default(), &boxes)
}

fn within(random: &mut Random, reach: f32) -> Vector3<f32> {
    let reach = f64::from(reach);
    Vector3::from_fn(|_, _| random.between(-reach, reach) as f32)
}

fn shoot(room: &Shapes, random: &mut Random) -> Result<(), String> {
    let targets: Vec<Vector3<f32>> = (0..TARGETS)
        .map(|_| within(random, ROOM - TARGET))
        .collect();
    let span = |at: &Vector3<f32>, radius: f32| Span::about((*at).into(), [radius; 3]);
    let mut grid = HashGrid::<3>::new(Span::about([0.0; 3], [ROOM; 3]), 4.0);
    let names: Vec<GridId> = targets
        .iter()
        .map(|at| grid.insert_still(span(at, TARGET)))
        .collect();
    let speed = 10.0_f64.powi(random.below(4) as i32) * random.between(1.0, 10.0);
    let way = within(random, 1.0)
        .try_normalize(0.01)
        .unwrap_or_else(Vector3::x);
    let mut velocity = way * speed as f32;
    let mut at = within(random, ROOM - BALL - 0.01);
    let mut scratch = Scratch::default();
    for _ in 0..MOST_TICKS {
        velocity.y -= GRAVITY * TICK;
        let motion = velocity * TICK;
        let ball = Body {
            position: Position::from_local(Vector3::zeros(), at),
            radii: Radii::new(BALL, BALL),
            up: Vector3::y(),
        };
        grid.clear_moving();
        let name = grid.insert_moving(span(&at, BALL).merge(&span(&(at + motion), BALL)));
        let wall = sweep_ellipsoid_in(&mut scratch, room, &ball, &motion);
        let target = first_target(&grid, name, &names, &targets, at, motion)?;
        let share = match (wall.map(|hit| hit.time), target) {
            (None, None) => {
                at += motion;
                continue;
            }
            (Some(wall), None) => wall,
            (None, Some(target)) => target,
            (Some(wall), Some(target)) => wall.min(target),
        };
        let reach = (at + motion * share).amax();
        return if reach <= ROOM - BALL + EXACT {
            Ok(())
        } else {
            Err(format!("at {speed} m/s the centre came to {reach} m"))
        };
    }
    Err(format!("at {speed} m/s it never landed"))
}

/// Returns the share of the motion up to the first target from the grid; a fault where a comparison
/// with all targets differs.
fn first_target(
    grid: &HashGrid<3>,
    ball: GridId,
    names: &[GridId],
    targets: &[Vector3<f32>],
    at: Vector3<f32>,
    motion: Vector3<f32>,
) -> Result<Option<f32>, String> {
    let moving = Sphere {
        center: at,
        radius: BALL,
    };
    let meets = |center: Vector3<f32>| {
        let resting = Sphere {
            center,
            radius: TARGET,
        };
        sweep_sphere_sphere(&moving, &motion, &resting).map(|hit| hit.time)
    };
    let least = |a: Option<f32>, b: Option<f32>| a.into_iter().chain(b).min_by(f32::total_cmp);
    let mut found = None;
    grid.visit_colliders(ball, |other| {
        if let Some(index) = names.iter().position(|name| *name == other) {
            found = least(found, meets(targets[index]));
        }
    });
    let all = targets
        .iter()
        .map(|target| meets(*target))
        .fold(None, least);
    if found == all {
        Ok(found)
    } else {
        Err(format!("the grid names {found:?}, all targets {all:?}"))
    }
}
