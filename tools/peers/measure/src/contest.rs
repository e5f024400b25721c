//! Contests of small jobs: all contestants take turns, and each round of each is one sample.

use crate::clock::Moment;
use crate::row::Row;
use std::hint::black_box;

/// A contestant, whose job returns a number that must be the same for all.
pub struct Contestant<'a> {
    pub name: &'static str,
    pub job: Box<dyn FnMut() -> usize + 'a>,
}

impl<'a> Contestant<'a> {
    pub fn new(name: &'static str, job: impl FnMut() -> usize + 'a) -> Self {
        Self {
            name,
            job: Box::new(job),
        }
    }
}

/// The unit and number of samples of a contest.
#[derive(Clone, Copy)]
pub struct Count {
    pub unit: &'static str,
    /// Factor from seconds to the unit, per item of a round.
    pub a_second: f64,
    pub items: usize,
    pub rounds: usize,
}

/// Rounds to warm up.
const WARM_UP: usize = 3;

pub fn hold(name: &str, count: Count, mut contestants: Vec<Contestant<'_>>) -> Vec<Row> {
    let mut times = vec![Vec::new(); contestants.len()];
    let mut found = vec![0; contestants.len()];
    for round in 0..count.rounds + WARM_UP {
        for (index, contestant) in contestants.iter_mut().enumerate() {
            let begin = Moment::now();
            found[index] = black_box((contestant.job)());
            let took = begin.elapsed().as_secs_f64();
            if round >= WARM_UP {
                times[index].push(took * count.a_second / count.items as f64);
            }
        }
    }
    let told = contestants.iter().zip(times).zip(&found);
    told.map(|((contestant, mut times), &mine)| Row {
        note: (mine != found[0]).then(|| format!("found {mine}, ours {}", found[0])),
        ..Row::timed(name, contestant.name, count.unit, &mut times)
    })
    .collect()
}
