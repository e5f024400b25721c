//! The command line, and the check that its files can be used.

use clap::{Parser, ValueEnum};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum Group {
    /// Crowds on the proving ground
    Characters,
    /// Cost of one edited voxel
    Edits,
    /// Chunks to quads
    Meshing,
    /// Queries and moves in indexes of boxes
    Indexes,
    /// Regression scenes through every library's own controller
    Behaviour,
    /// Edits on disk, and kills
    Store,
    /// Our own figures beside their bars; builds the demo, so not in a quick run unless named
    Figures,
}

#[derive(Parser)]
#[command(
    name = "peers",
    about = "Measures ours against peers on the same scenes"
)]
pub struct Arguments {
    /// Print one JSON object per line instead of a table
    #[arg(long)]
    pub json: bool,
    /// Only these groups, separated by commas
    #[arg(long, value_delimiter = ',')]
    pub only: Vec<Group>,
    /// Fewer and shorter scenes, for a check while working: under three minutes
    #[arg(long)]
    pub quick: bool,
    /// Name the expectation of each regression scene that a peer did not meet
    #[arg(long)]
    pub verbose: bool,
    /// Write a page with tables and plots into this folder
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Write the results, as JSON lines, to this file
    #[arg(long, value_name = "FILE")]
    pub keep: Option<PathBuf>,
    /// Measure nothing: make the page from kept results
    #[arg(long, value_name = "FILE", requires = "report")]
    pub page_of: Option<PathBuf>,
}

impl Arguments {
    pub fn wants(&self, group: Group) -> bool {
        if self.only.is_empty() {
            return !(self.quick && group == Group::Figures);
        }
        self.only.contains(&group)
    }

    /// Returns the file of the page.
    pub fn page(&self) -> Option<PathBuf> {
        let folder = self.report.as_ref()?;
        Some(folder.join("index.html"))
    }

    /// Opens the files of this run before it begins, so that a long run does not fail at its end;
    /// makes missing ones empty.
    pub fn check_files(&self) -> Result<(), String> {
        let say = |file: &Path, error| format!("{}: {error}", file.display());
        if let Some(file) = &self.page_of {
            File::open(file).map_err(|error| say(file, error))?;
        }
        for file in self.keep.iter().chain(&self.page()) {
            open_to_write(file).map_err(|error| say(file, error))?;
        }
        Ok(())
    }
}

/// Opens a file for writing without changing its contents, making its folders.
fn open_to_write(file: &Path) -> std::io::Result<File> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    File::options().append(true).create(true).open(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_cannot_be_written_are_told_and_what_is_there_stays() -> std::io::Result<()> {
        let folder = std::env::temp_dir().join(format!("peers-{}", std::process::id()));
        let kept = folder.join("deep").join("kept.jsonl");
        let parse = |keep: &Path, report: &Path| {
            let flags = [
                "--keep".into(),
                keep.into(),
                "--report".into(),
                report.into(),
            ];
            Arguments::parse_from([PathBuf::from("peers")].into_iter().chain(flags))
        };
        assert_eq!(parse(&kept, &folder.join("page")).check_files(), Ok(()));
        fs::write(&kept, "before")?;
        assert_eq!(parse(&kept, &folder.join("page")).check_files(), Ok(()));
        assert_eq!(fs::read_to_string(&kept)?, "before");
        assert!(parse(&kept.join("below"), &folder).check_files().is_err());
        assert!(parse(&kept, &kept).check_files().is_err());
        fs::remove_dir_all(folder)
    }
}
