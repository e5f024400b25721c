//! Reads `expect` lines: `expect NAME [FOLD] MEASURE WHEN BOUND`, where `BOUND` is
//! `is VALUE within TOLERANCE`, `at-most VALUE` or `at-least VALUE`.

use std::ops::Range;

use super::error::Fault;
use super::expand::Statement;
use super::script::{Bound, EventName, Expectation, Fold, Measure, Script};
use super::words::Words;

const MEASURES: &[(&str, Measure)] = &[
    ("x", Measure::X),
    ("y", Measure::Y),
    ("z", Measure::Z),
    ("velocity-x", Measure::VelocityX),
    ("velocity-y", Measure::VelocityY),
    ("velocity-z", Measure::VelocityZ),
    ("speed", Measure::Speed),
    ("pace", Measure::Pace),
    ("travel", Measure::Travel),
    ("grounded", Measure::Grounded),
    ("upright", Measure::Upright),
    ("depth", Measure::Depth),
    ("inside", Measure::Inside),
    ("overlap", Measure::Overlap),
    ("drift", Measure::Drift),
    ("height", Measure::Height),
    ("touches", Measure::Touches),
    ("lift", Measure::Lift),
    ("landed", Measure::Count(EventName::Landed)),
    ("left-ground", Measure::Count(EventName::LeftGround)),
    ("hit", Measure::Count(EventName::Hit)),
    ("stepped", Measure::Count(EventName::Stepped)),
    ("pushed", Measure::Count(EventName::Pushed)),
    ("crushed", Measure::Count(EventName::Crushed)),
    ("embedded", Measure::Count(EventName::Embedded)),
    ("rescued", Measure::Count(EventName::Rescued)),
    ("entered", Measure::Count(EventName::Entered)),
    ("exited", Measure::Count(EventName::Exited)),
    ("touched", Measure::Count(EventName::Touched)),
    ("parted", Measure::Count(EventName::Parted)),
];

const MEASURE_CHOICES: &str = "x, y, z, velocity-x, velocity-y, velocity-z, speed, pace, \
    travel, grounded, upright, depth, inside, overlap, drift, height, touches, lift, landed, \
    left-ground, hit, stepped, pushed, crushed, embedded, rescued, entered, exited, touched, \
    parted";

const FOLDS: &[(&str, Fold)] = &[
    ("spread", Fold::Spread),
    ("sum", Fold::Sum),
    ("mean", Fold::Mean),
    ("changes", Fold::Changes),
    ("most", Fold::Most),
    ("least", Fold::Least),
];

pub(super) fn read_expectation(
    words: &mut Words<'_>,
    statement: &Statement,
    script: &Script,
) -> Result<Expectation, Fault> {
    let name = words.word("the name of a character, or `all`")?;
    let found = script.actors.iter().position(|actor| actor.name == name);
    if found.is_none() && name != "all" {
        return Err(Fault::UnknownName(name.to_owned()));
    }
    let fold = FOLDS
        .iter()
        .find(|(word, _)| words.take(word))
        .map_or(Fold::Each, |(_, fold)| *fold);
    let measure = words.choose(MEASURES, "what to measure", MEASURE_CHOICES)?;
    let ticks = read_when(words, script)?;
    let bound = read_bound(words)?;
    Ok(Expectation {
        line: statement.line,
        text: statement.text.clone(),
        who: found,
        measure,
        fold,
        ticks,
        bound,
    })
}

fn read_when(words: &mut Words<'_>, script: &Script) -> Result<Range<u32>, Fault> {
    let ticks = script.ticks;
    let word = words.word("when: `always`, `finally`, `at TICK` or `from TICK to TICK`")?;
    let range = match word {
        "always" => 0..ticks,
        "finally" => ticks.saturating_sub(1)..ticks,
        "at" => {
            let tick: u32 = words.whole("a tick")?;
            tick..tick.saturating_add(1)
        }
        "from" => {
            let from = words.whole("a tick")?;
            let to = if words.take("to") {
                words.whole("a tick")?
            } else {
                ticks
            };
            from..to
        }
        word => {
            return Err(Fault::Choice {
                word: word.to_owned(),
                choices: "always, finally, at TICK, from TICK [to TICK]",
            });
        }
    };
    if range.is_empty() || range.end > ticks {
        return Err(Fault::Number {
            word: format!("{}..{}", range.start, range.end),
            wanted: "a range of ticks within the scene",
        });
    }
    Ok(range)
}

fn read_bound(words: &mut Words<'_>) -> Result<Bound, Fault> {
    match words.word("`is`, `at-most` or `at-least`")? {
        "is" => {
            let value = words.number("a value")?;
            let within = if words.take("within") {
                words.number_in(0.0, f64::MAX, "a tolerance, not negative")?
            } else {
                0.0
            };
            Ok(Bound::Is { value, within })
        }
        "at-most" => Ok(Bound::AtMost(words.number("a value")?)),
        "at-least" => Ok(Bound::AtLeast(words.number("a value")?)),
        word => Err(Fault::Choice {
            word: word.to_owned(),
            choices: "is, at-most, at-least",
        }),
    }
}
