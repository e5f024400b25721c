//! The cannon's range: the worked example of the hash grid, in the plane.
//!
//! A cannon stands at the origin of a world of 9.6 x 4.8 m. A ball flies towards the pointer, at a
//! speed of twice its distance, and falls; it removes the targets that it hits. Targets are the
//! still list of the grid and balls the moving one, so that a ball is compared only with the
//! targets in its few cells.

use collision::hash_grid::{GridId, HashGrid, Span};
use nalgebra::{Point2, Vector2};
use simulation::Random;

/// Sides of the world, metres.
pub(crate) const WORLD: [f32; 2] = [9.6, 4.8];
/// Side of the cannon.
pub(crate) const CANNON: f32 = 1.0;
/// Side of a ball, and of a target.
pub(crate) const BALL: f32 = 0.2;
pub(crate) const TARGET: f32 = 0.5;
/// Number of targets.
const TARGETS: usize = 20;
/// Side of a cell of the grid: five targets.
const CELL: f32 = 2.5;
/// Speed for each metre to the pointer, metres a second.
const SPEED_A_METRE: f32 = 2.0;
/// Metres a second squared.
const GRAVITY: f32 = 9.81;
/// The most balls in the air.
const MOST_BALLS: usize = 32;
/// Length of a tick, seconds, and the most ticks of one picture.
const TICK: f32 = 1.0 / 60.0;
const MOST_TICKS: u32 = 30;

/// A ball in the air.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ball {
    pub(crate) at: Point2<f32>,
    velocity: Vector2<f32>,
}

/// A target with its id in the grid.
#[derive(Clone, Copy, Debug)]
struct Target {
    at: Point2<f32>,
    name: GridId,
}

/// The range with its targets and balls.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    grid: HashGrid<2>,
    targets: Vec<Target>,
    balls: Vec<Ball>,
    /// Targets hit, and comparisons made, since the last scattering.
    pub(crate) hits: u32,
    pub(crate) compared: u32,
    random: Random,
    owed: f32,
}

impl Default for Range {
    fn default() -> Self {
        Range::new(1)
    }
}

fn span(at: Point2<f32>, side: f32) -> Span<2> {
    Span::about(at.into(), [side * 0.5; 2])
}

impl Range {
    /// Returns a range with targets scattered by a seed.
    pub(crate) fn new(seed: u64) -> Self {
        let bounds = Span::new([0.0; 2], WORLD);
        let mut range = Range {
            grid: HashGrid::new(bounds, CELL),
            targets: Vec::new(),
            balls: Vec::new(),
            hits: 0,
            compared: 0,
            random: Random::new(seed),
            owed: 0.0,
        };
        range.scatter();
        range
    }

    /// Scatters all targets anew, none on the cannon.
    pub(crate) fn scatter(&mut self) {
        for target in self.targets.drain(..) {
            self.grid.remove(target.name);
        }
        (self.hits, self.compared) = (0, 0);
        let half = TARGET * 0.5;
        for _ in 0..TARGETS {
            let x = self.random.between(CANNON + TARGET, WORLD[0] - half);
            let y = self.random.between(half, WORLD[1] - half);
            let at = Point2::new(x, y);
            let name = self.grid.insert_still(span(at, TARGET));
            self.targets.push(Target { at, name });
        }
    }

    /// Returns the centres of the targets.
    pub(crate) fn targets(&self) -> impl Iterator<Item = Point2<f32>> + '_ {
        self.targets.iter().map(|target| target.at)
    }

    pub(crate) fn balls(&self) -> &[Ball] {
        &self.balls
    }

    /// Returns the muzzle of the cannon.
    pub(crate) fn mouth() -> Point2<f32> {
        Point2::new(CANNON, CANNON) * 0.5
    }

    /// Fires at a point, with a speed of twice its distance.
    pub(crate) fn fire(&mut self, at: Point2<f32>) {
        let way = at - Self::mouth();
        if self.balls.len() < MOST_BALLS && way.iter().all(|part| part.is_finite()) {
            self.balls.push(Ball {
                at: Self::mouth(),
                velocity: way * SPEED_A_METRE,
            });
        }
    }

    /// Runs the ticks of some seconds.
    pub(crate) fn go_on(&mut self, seconds: f32) {
        self.owed = (self.owed + seconds.max(0.0)).min(TICK * MOST_TICKS as f32);
        while self.owed >= TICK {
            self.owed -= TICK;
            self.tick();
        }
    }

    fn tick(&mut self) {
        self.grid.clear_moving();
        for ball in &mut self.balls {
            ball.velocity.y -= GRAVITY * TICK;
            ball.at += ball.velocity * TICK;
            self.grid.insert_moving(span(ball.at, BALL));
        }
        let (grid, targets) = (&self.grid, &self.targets);
        let mut hit: Vec<GridId> = Vec::new();
        for ball in (0..self.balls.len() as u32).map(GridId::Moving) {
            grid.visit_colliders(ball, |other| {
                self.compared += 1;
                let is_target = targets.iter().any(|target| target.name == other);
                if is_target && !hit.contains(&other) {
                    hit.push(other);
                }
            });
        }
        for name in hit {
            self.grid.remove(name);
            self.targets.retain(|target| target.name != name);
            self.hits += 1;
        }
        // Balls that fell to the ground, or left by the far side, are removed.
        let is_flying = |at: &Point2<f32>| at.y > 0.0 && (0.0..=WORLD[0]).contains(&at.x);
        self.balls.retain(|ball| is_flying(&ball.at));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_flies_in_the_arc_that_twice_the_distance_gives() {
        let mut range = Range::new(3);
        range.targets.clear();
        range.fire(Range::mouth() + Vector2::new(3.0, 1.5));
        (0..30).for_each(|_| range.go_on(TICK + 1e-7));
        let time = f64::from(TICK) * 30.0;
        // The sum of steps in which gravity comes first.
        let fall = f64::from(GRAVITY) * f64::from(TICK).powi(2) * (30.0 * 31.0 / 2.0);
        let at = range.balls()[0].at;
        assert!((f64::from(at.x) - (0.5 + 6.0 * time)).abs() < 1e-3, "{at}");
        assert!(
            (f64::from(at.y) - (0.5 + 3.0 * time - fall)).abs() < 1e-3,
            "{at}"
        );
    }

    #[test]
    fn hits_are_those_of_comparing_every_ball_with_every_target() {
        let mut hits = 0;
        for seed in 0..40 {
            let mut range = Range::new(seed);
            let mut random = Random::new(seed + 100);
            for _ in 0..12 {
                let [x, y] = WORLD.map(|side| random.between(0.0, side));
                range.fire(Point2::new(x, y));
            }
            let mut left: Vec<Point2<f32>> = range.targets().collect();
            let mut balls: Vec<(Point2<f32>, Vector2<f32>)> = range
                .balls()
                .iter()
                .map(|ball| (ball.at, ball.velocity))
                .collect();
            for _ in 0..240 {
                range.go_on(TICK + 1e-7);
                for (at, velocity) in &mut balls {
                    velocity.y -= GRAVITY * TICK;
                    *at += *velocity * TICK;
                    let reach = (BALL + TARGET) * 0.5;
                    left.retain(|target| (*target - *at).amax() > reach);
                }
                balls.retain(|(at, _)| at.y > 0.0 && at.x >= 0.0 && at.x <= WORLD[0]);
            }
            let found: Vec<_> = range.targets().collect();
            assert_eq!(found, left, "seed {seed}");
            hits += range.hits;
            assert_eq!(range.hits as usize + left.len(), TARGETS);
        }
        assert!(hits > 100, "{hits} hits");
    }

    #[test]
    fn wild_aims_and_times_do_no_harm() {
        let mut range = Range::new(5);
        range.fire(Point2::new(f32::NAN, 1.0));
        assert!(range.balls().is_empty());
        range.fire(Point2::new(f32::MAX, f32::MAX));
        for seconds in [f32::NAN, -1.0, 1e30, 0.0] {
            range.go_on(seconds);
        }
        (0..60).for_each(|_| range.go_on(TICK));
        assert!(range.balls().is_empty());
    }
}
