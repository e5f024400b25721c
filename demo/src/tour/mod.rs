//! The command `tour`: a scripted journey through everything, as pictures and numbers.
//!
//! Every stop sets something up, lets the simulation run for its ticks and draws its share of the frames; the last frame
//! of a stop is its picture.

mod figures;
mod stage;
mod stops;

use std::fs;
use std::path::Path;

use crate::cli::TourArguments;
use crate::error::Error;

use figures::Report;
use stage::Stage;
use stops::STOPS;

/// Frames of the whole tour when nothing is said.
const FRAMES: u32 = 76;

pub(crate) fn run(arguments: &TourArguments) -> Result<(), Error> {
    fs::create_dir_all(&arguments.out).map_err(|error| Error::writing(&arguments.out, error))?;
    let numbers = arguments.out.join("tour.json");
    fs::write(&numbers, "").map_err(|error| Error::writing(&numbers, error))?;
    let frames = arguments.frames.unwrap_or(FRAMES);
    let mut stage = Stage::open(arguments.size)?;
    let mut report = Report::new(&stage);
    for (index, stop) in STOPS.iter().enumerate() {
        let share = share_of(frames, index as u32, STOPS.len() as u32);
        if share == 0 {
            continue;
        }
        (stop.set_up)(&mut stage);
        let path = arguments
            .out
            .join(format!("{:02}-{}.png", index + 1, stop.name));
        let outcome = stage.play(stop, share, &path)?;
        println!("{}: {}", path.display(), stop.words);
        report.add(stop, &path, &outcome, &stage);
    }
    write_report(&report, &numbers)
}

fn write_report(report: &Report, path: &Path) -> Result<(), Error> {
    let text = serde_json::to_string_pretty(&report.finish())
        .map_err(|error| Error::Failed(error.to_string()))?;
    fs::write(path, text).map_err(|error| Error::writing(path, error))?;
    println!("{}: {} pictures", path.display(), report.pictures());
    Ok(())
}

/// How many of the frames belong to stop `index`: all shares add up, and early stops get theirs first.
fn share_of(frames: u32, index: u32, stops: u32) -> u32 {
    frames / stops + u32::from(index < frames % stops)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up() {
        for frames in [1, 5, 18, 76, 1000] {
            let sum: u32 = (0..19).map(|index| share_of(frames, index, 19)).sum();
            assert_eq!(sum, frames);
        }
    }

    #[test]
    fn there_are_enough_stops_with_different_names() {
        let names: std::collections::BTreeSet<_> = STOPS.iter().map(|stop| stop.name).collect();
        assert!(names.len() >= 12 && names.len() == STOPS.len());
    }
}
