//! The walking scene: who walks where, how it is timed, and what is looked at besides the clock.

use crate::ground::Ground;
use crate::report::{Row, median, percentile};
use std::time::Instant;
use world::proving_ground::ProvingGround;

pub const RADIUS: f32 = 0.4;
pub const HALF_HEIGHT: f32 = 0.9;
pub const TICK: f32 = 1.0 / 60.0;
pub const GRAVITY: f32 = 20.0;
const WARM_UP: usize = 60;
/// Deeper than this, in metres, counts as inside. It is more than any peer's skin.
const INSIDE: f64 = 0.05;
/// A character that moved less than this, in metres, in the last second although it wished to counts as stuck.
const STUCK: f32 = 0.1;

/// What shape a peer gives its characters: it decides how "inside" is judged.
#[derive(Clone, Copy, PartialEq)]
pub enum Body {
    Ellipsoid,
    Capsule,
    Box,
}

/// A peer's characters on one ground.
pub trait Walkers {
    fn body(&self) -> Body;
    /// Moves every character for one tick with a wished horizontal velocity each.
    fn tick(&mut self, wishes: &[[f32; 2]]);
    fn center(&self, index: usize) -> [f32; 3];
}

pub struct Plan<'a> {
    pub ground: &'a Ground,
    pub starts: Vec<[f32; 3]>,
    pub speed: f32,
    pub step: f32,
    pub ticks: usize,
    scene: &'a ProvingGround,
}

/// How fast everybody wishes to go, in metres a second, and how high a step they take, in metres.
#[derive(Clone, Copy)]
pub struct Pace {
    pub speed: f32,
    pub step: f32,
}

impl<'a> Plan<'a> {
    pub fn new(
        ground: &'a Ground,
        scene: &'a ProvingGround,
        count: usize,
        pace: Pace,
        ticks: usize,
    ) -> Self {
        let start = |index: u32| {
            scene
                .spawn(index)
                .to_metres()
                .coords
                .map(|value| value as f32)
                .into()
        };
        let starts = (0..count as u32).map(start).collect();
        Self {
            ground,
            scene,
            starts,
            speed: pace.speed,
            step: pace.step,
            ticks,
        }
    }

    fn wishes(&self, tick: usize, out: &mut Vec<[f32; 2]>) {
        out.clear();
        let second = (tick / 60) as u32;
        out.extend((0..self.starts.len() as u32).map(|index| {
            let wish = self.scene.wish(index, second) * self.speed;
            [wish.x, wish.z]
        }));
    }

    /// Walks the plan and measures it.
    pub fn run(&self, peer: &str, name: &str, walkers: &mut dyn Walkers) -> Row {
        let count = self.starts.len();
        let mut wishes = Vec::new();
        let mut times = Vec::new();
        let (mut moved, mut wished) = (0f64, 0f64);
        let mut marks = self.starts.clone();
        for tick in 0..self.ticks {
            self.wishes(tick, &mut wishes);
            if tick + 60 == self.ticks {
                marks = (0..count).map(|index| walkers.center(index)).collect();
            }
            let before: Vec<[f32; 3]> = (0..count).map(|index| walkers.center(index)).collect();
            let begin = Instant::now();
            walkers.tick(&wishes);
            let took = begin.elapsed();
            if tick < WARM_UP {
                continue;
            }
            times.push(took.as_secs_f64() * 1e6 / count as f64);
            for index in 0..count {
                let now = walkers.center(index);
                let step = [now[0] - before[index][0], now[2] - before[index][2]];
                let along = (step[0] * wishes[index][0] + step[1] * wishes[index][1]) / self.speed;
                moved += f64::from(along);
                wished += f64::from(self.speed * TICK);
            }
        }
        let inside =
            (0..count).filter(|&index| self.depth(walkers.body(), walkers.center(index)) > INSIDE);
        let far = |a: [f32; 3], b: [f32; 3]| (0..3).any(|axis| (a[axis] - b[axis]).abs() > STUCK);
        let stuck = (0..count)
            .filter(|&index| !far(walkers.center(index), marks[index]))
            .count();
        Row {
            name: name.to_owned(),
            peer: peer.to_owned(),
            unit: "us".to_owned(),
            median: median(&mut times),
            p99: percentile(&mut times, 0.99),
            runs: times.len(),
            moved: Some(moved / wished),
            inside: Some(inside.count()),
            stuck: Some(stuck),
        }
    }

    fn depth(&self, body: Body, center: [f32; 3]) -> f64 {
        match body {
            Body::Ellipsoid => self.ground.ellipsoid_depth(center, RADIUS, HALF_HEIGHT),
            Body::Capsule => self
                .ground
                .capsule_depth(center, HALF_HEIGHT - RADIUS, RADIUS),
            Body::Box => {
                let reach = [RADIUS, HALF_HEIGHT, RADIUS];
                let shrunk = |a: usize, sign: f32| center[a] + sign * (reach[a] - INSIDE as f32);
                let cell = |value: f32| (value / self.ground.voxel).floor() as i32;
                let range = |a: usize| cell(shrunk(a, -1.0))..=cell(shrunk(a, 1.0));
                let deep = range(2)
                    .any(|z| range(1).any(|y| range(0).any(|x| self.ground.is_solid([x, y, z]))));
                if deep { 1.0 } else { 0.0 }
            }
        }
    }
}
