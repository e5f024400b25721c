//! The command `tour`: a scripted journey through everything, as pictures and numbers.
//!
//! Every stop sets something up, runs the simulation for its ticks and draws its share of the
//! frames; the last frame of a stop is its picture.

mod figures;
mod stage;
mod stops;

use std::path::{Path, PathBuf};

use world::files::{self, Existing};

use crate::arguments::TourArguments;
use crate::error::Error;
use crate::terminal::say;

use figures::Report;
use stage::Stage;
use stops::STOPS;

/// Frames of the whole tour by default.
const FRAMES: u32 = 76;

pub(crate) fn run(arguments: &TourArguments) -> Result<(), Error> {
    let (folder, existing) = (&arguments.out, arguments.overwriting.existing());
    let numbers = folder.join("tour.json");
    clear(folder, &numbers, existing)?;
    let frames = arguments.frames.unwrap_or(FRAMES);
    let mut stage = Stage::open(arguments.size)?;
    let mut report = Report::new(&stage);
    for (index, stop) in STOPS.iter().enumerate() {
        let share = share_of(frames, index as u32, STOPS.len() as u32);
        if share == 0 {
            continue;
        }
        (stop.set_up)(&mut stage);
        let path = picture_of(folder, index);
        let outcome = stage.play(stop, share, &path)?;
        say!("{}: {}", path.display(), stop.words)?;
        report.add(stop, &path, &outcome, &stage);
    }
    write_report(&report, &numbers, existing)
}

/// Returns the path of a stop's picture.
fn picture_of(folder: &Path, index: usize) -> PathBuf {
    folder.join(format!("{:02}-{}.png", index + 1, STOPS[index].name))
}

/// Removes the files of an earlier tour, so that its pictures are not taken for new ones. The
/// numbers are written last: a tour without them was interrupted.
fn clear(folder: &Path, numbers: &Path, existing: Existing) -> Result<(), Error> {
    let pictures = (0..STOPS.len()).map(|index| picture_of(folder, index));
    let old = pictures.chain([numbers.to_path_buf()]);
    let old: Vec<PathBuf> = old.filter(|path| path.is_file()).collect();
    for path in &old {
        files::check(path, existing)?;
    }
    for path in &old {
        std::fs::remove_file(path).map_err(|error| Error::writing(path, error))?;
    }
    Ok(files::check(numbers, existing)?)
}

fn write_report(report: &Report, path: &Path, existing: Existing) -> Result<(), Error> {
    let text = serde_json::to_string_pretty(&report.finish())
        .map_err(|error| Error::Failed(error.to_string()))?;
    files::write(path, text.as_bytes(), existing)?;
    let pictures = report.pictures();
    say!("{}: {pictures} pictures", path.display())
}

/// Returns the number of frames of stop `index`: all shares add up, and early stops get the
/// remainder.
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
