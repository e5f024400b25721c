//! The cannon: balls that fly in an arc and never pass a wall, targets that break, craters and
//! knocked-back characters.
//!
//! Balls and targets lie in a hash grid, balls as the moving and targets as the still list; a ball
//! is tested against the few cells that its path touches. Land is found by a sweep of the ball. A
//! ball carries a hit box that strikes characters as a blow does: it knocks over each on its path
//! once, and flies on.

use collision::hash_grid::{GridId, HashGrid, Span};
use collision::hit_box::{Attack, Body as HitBody, HitBox};
use collision::sweep::{Sphere, sweep_sphere_sphere};
use collision::{
    Body, Cell, CharacterId, Crowd, Position, Radii, Scratch, SweepHit, Terrain, sweep_ellipsoid_in,
};
use nalgebra::Vector3;
use world::World;

use crate::random::Random;
use crate::trigonometry::sin_cos;

use super::TICK;
use super::coding::Coded;
use super::land;
use super::player::PlayerId;
use super::props;
use super::wish::GRAVITY;

/// Radius of a ball, metres.
pub const BALL_RADIUS: f32 = 0.28;
/// Radius of a target, metres.
pub const TARGET_RADIUS: f32 = 0.75;
/// Radius of the crater where a ball lands, voxels.
pub(crate) const CRATER: f32 = 3.2;
/// Reach of a blast, metres.
pub(crate) const BLAST: f32 = 7.0;
/// Longest flight of a ball, seconds.
const FLIGHT: f32 = 12.0;
/// The most balls in the air.
const MOST_BALLS: usize = 64;
/// Length of the preview of a path, ticks.
const PREVIEW_TICKS: usize = 240;
/// Half the side of the grid about its base, metres; anything farther out falls into the cells of
/// its rim.
const GRID_REACH: f32 = 128.0;
/// Side of a cell of the grid, about five times a target.
const GRID_CELL: f32 = 8.0;
/// Distance of a ball from the base from which on the grid is rebuilt about it, cells.
const GRID_MOVES: i32 = 1024;

/// A ball in the air.
#[derive(Clone, Debug)]
pub struct Ball {
    /// Position now.
    pub position: Position,
    /// Position one tick ago.
    pub before: Position,
    velocity: Vector3<f32>,
    /// Motion in this tick.
    motion: Vector3<f32>,
    /// Hit box, with the characters that it has struck.
    attack: Attack,
    by: PlayerId,
    ticks_left: u32,
}

/// A target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Centre.
    pub position: Position,
}

/// The end of a ball's flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Met {
    /// Voxels.
    Ground,
    /// A prop, which stays as it is.
    Prop,
    /// The target at this index.
    Target(usize),
}

/// A strike of a missile against a character.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MissileHit {
    pub(crate) character: CharacterId,
    /// The player that fired or threw it.
    pub(crate) by: PlayerId,
    /// Velocity of the missile.
    pub(crate) velocity: Vector3<f32>,
}

/// The landing of a ball.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Landing {
    pub(crate) at: Position,
    pub(crate) velocity: Vector3<f32>,
    pub(crate) met: Met,
    /// The player that fired the ball.
    pub(crate) by: PlayerId,
}

/// The cannon, its balls and its targets.
pub struct Cannon {
    balls: Vec<Ball>,
    targets: Vec<Target>,
    /// Number of targets hit since the start.
    pub score: u32,
    landings: Vec<Landing>,
    grid: HashGrid<3>,
    /// Cell from which the grid measures.
    base: Cell,
    /// Id of each target in the grid.
    names: Vec<GridId>,
    hits: Vec<MissileHit>,
    found: Vec<CharacterId>,
    scratch: Scratch,
}

impl Default for Cannon {
    fn default() -> Self {
        let bounds = Span::about([0.0; 3], [GRID_REACH; 3]);
        Cannon {
            balls: Vec::new(),
            targets: Vec::new(),
            score: 0,
            landings: Vec::new(),
            grid: HashGrid::new(bounds, GRID_CELL),
            base: Cell::zeros(),
            names: Vec::new(),
            hits: Vec::new(),
            found: Vec::new(),
            scratch: Scratch::default(),
        }
    }
}

/// Computes the path of a shot, up to its landing.
pub(crate) fn preview<T: Terrain + ?Sized>(
    land: &T,
    from: Position,
    velocity: Vector3<f32>,
    path: &mut Vec<Position>,
) {
    let mut scratch = Scratch::default();
    let mut ball = Ball::new(PlayerId::FIRST, from, velocity);
    path.clear();
    path.push(from);
    for _ in 0..PREVIEW_TICKS {
        let motion = ball.fall();
        if let Some(hit) = sweep_ball(&mut scratch, land, &ball.position, motion) {
            path.push(hit.center);
            return;
        }
        ball.position = ball.position.moved(motion);
        path.push(ball.position);
    }
}

impl Ball {
    fn new(by: PlayerId, from: Position, velocity: Vector3<f32>) -> Self {
        let shape = HitBox::of_circle([0.0; 3], BALL_RADIUS, BALL_RADIUS);
        Ball {
            position: from,
            before: from,
            velocity,
            motion: Vector3::zeros(),
            attack: Attack::new(from, shape, u16::MAX),
            by,
            ticks_left: (FLIGHT / TICK) as u32,
        }
    }

    /// Applies gravity and returns the motion of this tick.
    fn fall(&mut self) -> Vector3<f32> {
        self.velocity.y -= GRAVITY * TICK;
        self.velocity * TICK
    }
}

impl Cannon {
    /// Returns the balls in the air.
    pub fn balls(&self) -> &[Ball] {
        &self.balls
    }

    /// Returns the targets that are left.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// Fires a ball that cannot strike its shooter.
    pub(crate) fn fire(
        &mut self,
        by: PlayerId,
        from: Position,
        velocity: Vector3<f32>,
        shooter: CharacterId,
    ) {
        if self.balls.len() >= MOST_BALLS {
            self.balls.remove(0);
        }
        let mut ball = Ball::new(by, from, velocity);
        ball.attack.spare(shooter);
        self.balls.push(ball);
    }

    /// Returns the strikes of the last tick.
    pub(crate) fn hits(&self) -> &[MissileHit] {
        &self.hits
    }

    /// Adds all that decides what balls do next.
    pub(super) fn write_state(&self, to: &mut Vec<u8>) {
        for ball in &self.balls {
            ball.position.write(to);
            ball.velocity.write(to);
            ball.by.write(to);
            ball.ticks_left.write(to);
        }
        self.targets
            .iter()
            .for_each(|target| target.position.write(to));
        self.score.write(to);
    }

    /// Replaces the targets by new ones on dry ground about a position.
    pub(crate) fn scatter(
        &mut self,
        world: &World,
        about: Position,
        count: u32,
        random: &mut Random,
    ) {
        self.targets.clear();
        self.rebuild(about.cell);
        for _ in 0..count {
            let angle = random.between(0.0, std::f32::consts::TAU);
            let distance = random.between(14.0, 70.0);
            let (sin, cos) = sin_cos(angle);
            let column = [
                about.cell.x.wrapping_add((cos * distance) as i32),
                about.cell.z.wrapping_add((sin * distance) as i32),
            ];
            let top = about.cell.y.saturating_add(96);
            if let Some(feet) = land::dry_ground(world, column, top, 256) {
                let lift = random.between(0.0, 3.0);
                self.set_up(land::standing_in(feet, TARGET_RADIUS + lift));
            }
        }
    }

    /// Adds a target.
    fn set_up(&mut self, position: Position) {
        let span = about(&position, TARGET_RADIUS, self.base);
        self.names.push(self.grid.insert_still(span));
        self.targets.push(Target { position });
    }

    /// Rebuilds the grid about a cell.
    fn rebuild(&mut self, base: Cell) {
        let bounds = self.grid.bounds();
        self.base = base;
        self.grid = HashGrid::new(bounds, GRID_CELL);
        let spans = self
            .targets
            .iter()
            .map(|target| about(&target.position, TARGET_RADIUS, base));
        self.names = spans.map(|span| self.grid.insert_still(span)).collect();
    }

    /// Removes a target and counts it.
    fn break_target(&mut self, index: usize) {
        self.targets.swap_remove(index);
        let name = self.names.swap_remove(index);
        self.grid.remove(name);
        self.score += 1;
    }

    /// Moves every ball by one tick and returns the landings.
    pub(crate) fn tick<T: Terrain + ?Sized>(
        &mut self,
        terrain: &T,
        crowd: &Crowd,
        body_of: impl Fn(CharacterId) -> HitBody,
    ) -> &[Landing] {
        self.landings.clear();
        self.hits.clear();
        let mut balls = std::mem::take(&mut self.balls);
        self.enter(&mut balls);
        let mut number = 0;
        balls.retain_mut(|ball| {
            number += 1;
            let first = self.fly(ball, GridId::Moving(number - 1), terrain);
            self.strike(ball, crowd, &body_of);
            match first {
                Some(met) => self.land(ball, met),
                None => return ball.ticks_left > 0,
            }
            false
        });
        self.balls = balls;
        &self.landings
    }

    /// Enters the path of every ball into the grid.
    fn enter(&mut self, balls: &mut [Ball]) {
        let far = |ball: &Ball| {
            let away = ball.position.cell.zip_map(&self.base, i32::wrapping_sub);
            away.iter()
                .any(|cells| cells.unsigned_abs() > GRID_MOVES as u32)
        };
        if let Some(ball) = balls.iter().find(|ball| far(ball)) {
            self.rebuild(ball.position.cell);
        }
        self.grid.clear_moving();
        for ball in balls {
            ball.before = ball.position;
            ball.ticks_left = ball.ticks_left.saturating_sub(1);
            ball.motion = ball.fall();
            let start = about(&ball.position, BALL_RADIUS, self.base);
            let end = about(&ball.position.moved(ball.motion), BALL_RADIUS, self.base);
            self.grid.insert_moving(start.merge(&end));
        }
    }

    /// Moves a ball to the end of its path, or to the first obstacle on it.
    fn fly<T: Terrain + ?Sized>(
        &mut self,
        ball: &mut Ball,
        name: GridId,
        terrain: &T,
    ) -> Option<Met> {
        let motion = ball.motion;
        let ground = sweep_ball(&mut self.scratch, terrain, &ball.position, motion).map(|hit| {
            match props::is_prop(hit.object) {
                true => (hit.time, Met::Prop),
                false => (hit.time, Met::Ground),
            }
        });
        let first = [ground, self.first_target(ball, name)]
            .into_iter()
            .flatten()
            .min_by(|a, b| a.0.total_cmp(&b.0));
        let share = first.map_or(1.0, |(time, _)| time);
        ball.position = ball.position.moved(motion * share);
        first.map(|(_, met)| met)
    }

    /// Strikes the characters on the path of a ball.
    fn strike(&mut self, ball: &mut Ball, crowd: &Crowd, body_of: impl Fn(CharacterId) -> HitBody) {
        ball.attack
            .move_to(crowd, ball.position, body_of, &mut self.found);
        let (by, velocity) = (ball.by, ball.velocity);
        self.hits
            .extend(self.found.drain(..).map(|character| MissileHit {
                character,
                by,
                velocity,
            }));
    }

    fn land(&mut self, ball: &Ball, met: Met) {
        self.landings.push(Landing {
            at: ball.position,
            velocity: ball.velocity,
            met,
            by: ball.by,
        });
        if let Met::Target(index) = met {
            self.break_target(index);
        }
    }

    fn first_target(&self, ball: &Ball, name: GridId) -> Option<(f32, Met)> {
        let mover = sphere_of(ball);
        let mut first: Option<(f32, Met)> = None;
        self.grid.visit_colliders(name, |other| {
            let Some(index) = self.names.iter().position(|&known| known == other) else {
                return;
            };
            let resting = Sphere {
                center: self.targets[index].position.relative_to(ball.position.cell),
                radius: TARGET_RADIUS,
            };
            if let Some(hit) = sweep_sphere_sphere(&mover, &ball.motion, &resting)
                && first.is_none_or(|(time, _)| hit.time < time)
            {
                first = Some((hit.time, Met::Target(index)));
            }
        });
        first
    }
}

fn sphere_of(ball: &Ball) -> Sphere {
    Sphere {
        center: ball.position.offset,
        radius: BALL_RADIUS,
    }
}

fn about(position: &Position, radius: f32, base: Cell) -> Span<3> {
    Span::about(position.relative_to(base).into(), [radius; 3])
}

/// Finds the first contact of a ball with terrain on a straight path.
pub(crate) fn sweep_ball<T: Terrain + ?Sized>(
    scratch: &mut Scratch,
    terrain: &T,
    from: &Position,
    motion: Vector3<f32>,
) -> Option<SweepHit> {
    sweep_sphere(scratch, terrain, from, BALL_RADIUS, motion)
}

/// Finds the first contact of a sphere with terrain on a straight path.
pub(crate) fn sweep_sphere<T: Terrain + ?Sized>(
    scratch: &mut Scratch,
    terrain: &T,
    from: &Position,
    radius: f32,
    motion: Vector3<f32>,
) -> Option<SweepHit> {
    let ball = Body {
        position: *from,
        radii: Radii::new(radius, radius),
        up: Vector3::y(),
    };
    sweep_ellipsoid_in(scratch, terrain, &ball, &motion)
}

#[cfg(test)]
#[path = "cannon_tests.rs"]
mod tests;
