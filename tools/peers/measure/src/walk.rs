//! The walking scene: directions of the characters, timing, and checks beside it.
//!
//! All peers of a scene take turns of a second each, so that other load on the machine affects all
//! of them alike.

use crate::clock::Moment;
use crate::depth::depth;
use crate::ground::Ground;
use crate::peer::{LEAST_RISE, Peer, Rules, SNAP, Start};
use crate::row::{Row, median, percentile};
use collision_scenes::ProvingGround;
use std::time::Duration;

pub const TICK: f32 = 1.0 / 60.0;
/// Ticks of one turn; the first turn warms up and is not counted.
const TURN: usize = 60;
/// Depth beyond which a character counts as inside, in metres; more than any peer's skin.
pub const INSIDE: f64 = 0.05;
/// A character that moved less than this, in metres, in the last second against its wish counts as
/// stuck.
const STUCK: f32 = 0.1;

/// The wished speed in m/s and the highest step in metres of all characters.
#[derive(Clone, Copy)]
pub struct Pace {
    pub speed: f32,
    pub step: f32,
}

impl Pace {
    pub fn rules(&self) -> Rules {
        Rules {
            step: self.step,
            air_step: self.step,
            least_rise: LEAST_RISE,
            snap: SNAP,
        }
    }
}

/// A peer and its measurements.
pub struct Entrant {
    pub peer: Box<dyn Peer>,
    /// Memory of its ground, in megabytes.
    pub megabytes: Option<f64>,
    /// Memory without any ground (not included above), in megabytes; only known for peers that walk
    /// on triangles.
    pub empty_megabytes: Option<f64>,
    /// Time per tick and character in the last scene, in seconds.
    pub last_cost: f64,
}

pub struct Plan<'a> {
    pub name: String,
    pub ground: &'a Ground,
    pub scene: &'a ProvingGround,
    pub pace: Pace,
    pub count: usize,
    pub ticks: usize,
    /// Time after which a peer is stopped; its figures so far count.
    pub budget: Duration,
}

/// The results of a peer so far.
struct Course {
    times: Vec<f64>,
    moved: f64,
    wished: f64,
    spent: Duration,
    ticks: usize,
    marks: Vec<[f32; 3]>,
    megabytes: Option<f64>,
}

impl Plan<'_> {
    /// Walks all peers and returns a row for each.
    pub fn run(&self, entrants: &mut [Entrant]) -> Vec<Row> {
        let starts = self.starts();
        let mut courses: Vec<Option<Course>> = entrants
            .iter_mut()
            .map(|entrant| self.begin(entrant, &starts))
            .collect();
        let mut wishes = Vec::new();
        for turn in 0..self.ticks / TURN {
            for (entrant, course) in entrants.iter_mut().zip(&mut courses) {
                let Some(course) = course.as_mut().filter(|course| self.goes_on(course)) else {
                    continue;
                };
                let centers = (0..self.count).map(|index| entrant.peer.center(index));
                course.marks = centers.collect();
                for tick in turn * TURN..(turn + 1) * TURN {
                    if self.goes_on(course) {
                        self.wishes(tick, &mut wishes);
                        self.tick(entrant.peer.as_mut(), course, &wishes);
                    }
                }
            }
        }
        let ended = entrants.iter_mut().zip(courses);
        ended
            .filter_map(|(entrant, course)| Some(self.row(entrant, course?)))
            .collect()
    }

    fn starts(&self) -> Vec<Start> {
        let start = |index: u32| {
            let place = self.scene.spawn(index).to_metres();
            Start {
                center: place.coords.map(|value| value as f32).into(),
                rules: self.pace.rules(),
            }
        };
        (0..self.count as u32).map(start).collect()
    }

    /// Places the characters, unless the budget would clearly be spent before anything counts.
    fn begin(&self, entrant: &mut Entrant, starts: &[Start]) -> Option<Course> {
        let least = entrant.last_cost * (self.count * (TURN + 5)) as f64;
        if least > self.budget.as_secs_f64() * 1.5 {
            eprintln!(
                "{}: {} left out, it would take {least:.0} s to a first figure",
                self.name,
                entrant.peer.name()
            );
            return None;
        }
        let peer = &mut entrant.peer;
        let _all_gone = peer.place(&[]);
        let (all_made, megabytes) = crate::memory::weigh(|| peer.place(starts));
        if !all_made {
            let name = peer.name();
            eprintln!(
                "{}: {name} left out: it could not make all characters",
                self.name
            );
            return None;
        }
        Some(Course {
            times: Vec::new(),
            moved: 0.0,
            wished: 0.0,
            spent: Duration::ZERO,
            ticks: 0,
            marks: starts.iter().map(|start| start.center).collect(),
            megabytes,
        })
    }

    fn goes_on(&self, course: &Course) -> bool {
        course.spent < self.budget || course.times.len() < 5
    }

    fn wishes(&self, tick: usize, out: &mut Vec<[f32; 2]>) {
        out.clear();
        let second = (tick / 60) as u32;
        out.extend((0..self.count as u32).map(|index| {
            let wish = self.scene.wish(index, second) * self.pace.speed;
            [wish.x, wish.z]
        }));
    }

    fn tick(&self, peer: &mut dyn Peer, course: &mut Course, wishes: &[[f32; 2]]) {
        let before: Vec<[f32; 3]> = (0..self.count).map(|index| peer.center(index)).collect();
        let begin = Moment::now();
        peer.tick(wishes, TICK);
        let took = begin.elapsed();
        course.spent += took;
        course.ticks += 1;
        if course.ticks <= TURN {
            return;
        }
        course
            .times
            .push(took.as_secs_f64() * 1e6 / self.count as f64);
        for (index, before) in before.iter().enumerate() {
            let now = peer.center(index);
            let step = [now[0] - before[0], now[2] - before[2]];
            let wish = wishes[index];
            let along = (step[0] * wish[0] + step[1] * wish[1]) / self.pace.speed;
            course.moved += f64::from(along);
            course.wished += f64::from(self.pace.speed * TICK);
        }
    }

    fn row(&self, entrant: &mut Entrant, mut course: Course) -> Row {
        let peer = &entrant.peer;
        let centres = || (0..self.count).map(|index| peer.center(index));
        let inside = centres()
            .map(|center| depth(self.ground, peer.body(), center))
            .filter(|depth| *depth > INSIDE)
            .count();
        let far = |a: [f32; 3], b: [f32; 3]| (0..3).any(|axis| (a[axis] - b[axis]).abs() > STUCK);
        let stuck = centres()
            .zip(&course.marks)
            .filter(|(center, mark)| !far(*center, **mark))
            .count();
        let median = median(&mut course.times);
        entrant.last_cost = median * 1e-6;
        Row {
            median,
            p99: percentile(&mut course.times, 0.99),
            runs: course.times.len(),
            moved: Some(course.moved / course.wished),
            inside: Some(inside),
            // Characters of a stopped run may have been marked only a tick ago.
            stuck: (course.ticks == self.ticks).then_some(stuck),
            height: Some(
                centres().map(|center| f64::from(center[1])).sum::<f64>() / self.count as f64,
            ),
            kilobytes_each: course.megabytes.map(|all| all * 1e3 / self.count as f64),
            note: (course.ticks < self.ticks)
                .then(|| format!("stopped after {} of {} ticks", course.ticks, self.ticks)),
            // The hash of a stopped run would depend on the speed of the machine.
            hash: (course.ticks == self.ticks)
                .then(|| peer.state_hash())
                .flatten()
                .map(|hash| format!("{hash:016x}")),
            ..Row::new(&self.name, peer.name(), "us")
        }
    }
}
