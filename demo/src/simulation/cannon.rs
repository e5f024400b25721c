//! The cannon: balls that fly in an arc and never pass a wall, targets that break, craters and knocked-back characters.
//!
//! Balls and targets sit in a hash grid, balls as the moving and targets as the still list; what a ball can meet in a
//! tick comes from the few cells its path touches.

use collision::Position;
use collision::sweep::{Ellipsoid, Sphere, sweep_sphere_ellipsoid, sweep_sphere_sphere};
use nalgebra::Vector3;
use world::World;

use crate::random::Random;

use super::TICK;
use super::bodies::Shape;
use super::land;
use super::wish::GRAVITY;

/// Radius of a ball, metres.
pub const BALL_RADIUS: f32 = 0.28;
/// Radius of a target, metres.
pub const TARGET_RADIUS: f32 = 0.75;
/// Radius of the crater where a ball lands, voxels.
pub(crate) const CRATER: f32 = 3.2;
/// How far a landing shoves characters, metres.
pub(crate) const BLAST: f32 = 7.0;
/// Slowest and fastest shot, metres a second.
const SPEEDS: [f32; 2] = [12.0, 75.0];
/// Seconds a ball flies at most.
const FLIGHT: f32 = 12.0;
/// The most balls in the air.
const MOST_BALLS: usize = 64;
/// How long the preview of a path is, ticks.
const PREVIEW_TICKS: usize = 240;

/// A ball in the air.
#[derive(Clone, Copy, Debug)]
pub struct Ball {
    /// Where it is.
    pub position: Position,
    /// Where it was a tick ago.
    pub before: Position,
    velocity: Vector3<f32>,
    ticks_left: u32,
}

/// Something to hit.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its centre.
    pub position: Position,
}

/// What a ball met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Met {
    /// Terrain.
    Ground,
    /// The target at this place in the list.
    Target(usize),
    /// The character at this place in the list that was handed in.
    Character(usize),
}

/// A ball came to its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Landing {
    pub(crate) at: Position,
    pub(crate) velocity: Vector3<f32>,
    pub(crate) met: Met,
}

/// The cannon, its balls and its targets.
#[derive(Clone, Debug, Default)]
pub struct Cannon {
    balls: Vec<Ball>,
    targets: Vec<Target>,
    /// Targets hit since the start.
    pub score: u32,
    landings: Vec<Landing>,
}

/// The velocity of a shot: speed grows with power, which goes from 0 to 1.
pub(crate) fn launch_velocity(direction: Vector3<f32>, power: f32) -> Vector3<f32> {
    let power = if power.is_finite() {
        power.clamp(0.0, 1.0)
    } else {
        0.0
    };
    direction.try_normalize(0.0).unwrap_or_else(Vector3::y)
        * (SPEEDS[0] + (SPEEDS[1] - SPEEDS[0]) * power)
}

/// Where a shot would fly, up to where it lands.
pub(crate) fn preview(
    world: &World,
    from: Position,
    velocity: Vector3<f32>,
    path: &mut Vec<Position>,
) {
    let mut ball = Ball {
        position: from,
        before: from,
        velocity,
        ticks_left: 0,
    };
    path.clear();
    path.push(from);
    for _ in 0..PREVIEW_TICKS {
        let motion = ball.fall();
        if let Some(share) = land::sweep_ball(world, &ball.position, BALL_RADIUS, motion) {
            path.push(ball.position.moved(motion * share));
            return;
        }
        ball.position = ball.position.moved(motion);
        path.push(ball.position);
    }
}

impl Ball {
    /// The motion of this tick; gravity has its share.
    fn fall(&mut self) -> Vector3<f32> {
        self.velocity.y -= GRAVITY * TICK;
        self.velocity * TICK
    }
}

impl Cannon {
    /// Balls in the air.
    pub fn balls(&self) -> &[Ball] {
        &self.balls
    }

    /// Targets left to hit.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// Fires a ball.
    pub(crate) fn fire(&mut self, from: Position, velocity: Vector3<f32>) {
        if self.balls.len() >= MOST_BALLS {
            self.balls.remove(0);
        }
        let ticks_left = (FLIGHT / TICK) as u32;
        self.balls.push(Ball {
            position: from,
            before: from,
            velocity,
            ticks_left,
        });
    }

    /// Puts targets on dry ground about a place, in place of those that were left.
    pub(crate) fn scatter(
        &mut self,
        world: &World,
        about: Position,
        count: u32,
        random: &mut Random,
    ) {
        self.targets.clear();
        for _ in 0..count {
            let angle = random.between(0.0, std::f32::consts::TAU);
            let distance = random.between(14.0, 70.0);
            let column = [
                about.cell.x.wrapping_add((angle.cos() * distance) as i32),
                about.cell.z.wrapping_add((angle.sin() * distance) as i32),
            ];
            let top = about.cell.y.saturating_add(96);
            if let Some(feet) = land::dry_ground(world, column, top, 256) {
                let lift = random.between(0.0, 3.0);
                self.targets.push(Target {
                    position: land::standing_in(feet, TARGET_RADIUS + lift),
                });
            }
        }
    }

    /// Flies every ball on and returns those that landed. `characters` are what balls can meet besides.
    pub(crate) fn tick(&mut self, world: &World, characters: &[Option<Shape>]) -> &[Landing] {
        self.landings.clear();
        let mut balls = std::mem::take(&mut self.balls);
        balls.retain_mut(|ball| self.fly(ball, world, characters));
        self.balls = balls;
        &self.landings
    }

    /// One ball's tick; false when it is gone.
    fn fly(&mut self, ball: &mut Ball, world: &World, characters: &[Option<Shape>]) -> bool {
        ball.before = ball.position;
        ball.ticks_left = ball.ticks_left.saturating_sub(1);
        let motion = ball.fall();
        let ground = land::sweep_ball(world, &ball.position, BALL_RADIUS, motion)
            .map(|share| (share, Met::Ground));
        let first = [
            ground,
            self.first_target(ball, motion),
            first_character(ball, motion, characters),
        ]
        .into_iter()
        .flatten()
        .min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((share, met)) = first else {
            ball.position = ball.position.moved(motion);
            return ball.ticks_left > 0;
        };
        let at = ball.position.moved(motion * share);
        self.landings.push(Landing {
            at,
            velocity: ball.velocity,
            met,
        });
        if let Met::Target(index) = met {
            self.targets.swap_remove(index);
            self.score += 1;
        }
        false
    }

    fn first_target(&self, ball: &Ball, motion: Vector3<f32>) -> Option<(f32, Met)> {
        let base = ball.position.cell;
        let mover = Sphere {
            center: ball.position.offset,
            radius: BALL_RADIUS,
        };
        self.targets
            .iter()
            .enumerate()
            .filter_map(|(index, target)| {
                let resting = Sphere {
                    center: target.position.relative_to(base),
                    radius: TARGET_RADIUS,
                };
                let hit = sweep_sphere_sphere(&mover, &motion, &resting)?;
                Some((hit.time, Met::Target(index)))
            })
            .min_by(|a, b| a.0.total_cmp(&b.0))
    }
}

fn first_character(
    ball: &Ball,
    motion: Vector3<f32>,
    characters: &[Option<Shape>],
) -> Option<(f32, Met)> {
    let base = ball.position.cell;
    let mover = Sphere {
        center: ball.position.offset,
        radius: BALL_RADIUS,
    };
    characters
        .iter()
        .enumerate()
        .filter_map(|(index, body)| {
            let body = body.as_ref()?;
            let resting = Ellipsoid {
                center: body.position.relative_to(base),
                radii: body.radii,
            };
            let hit = sweep_sphere_ellipsoid(&mover, &motion, &resting)?;
            Some((hit.time, Met::Character(index)))
        })
        .min_by(|a, b| a.0.total_cmp(&b.0))
}
