//! What can be asked on the command line.

use clap::{Parser, ValueEnum};
use std::path::PathBuf;

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum Group {
    /// Crowds on the proving ground
    Characters,
    /// What one edited voxel costs
    Edits,
    /// Chunks to quads
    Meshing,
    /// Boxes that are asked and moved
    Indexes,
    /// Regression scenes through everybody's own controller
    Behaviour,
    /// Edits on disk, and a kill
    Store,
    /// Our own figures beside what they must reach; builds the demo, so not in a quick run unless asked for
    Figures,
}

#[derive(Parser)]
#[command(
    name = "peers",
    about = "Measures ours against peers on the same scenes"
)]
pub struct Arguments {
    /// One JSON object a line instead of a table
    #[arg(long)]
    pub json: bool,
    /// Only these groups, separated by commas
    #[arg(long, value_delimiter = ',')]
    pub only: Vec<Group>,
    /// Fewer scenes and less time for each, for a look while working: under three minutes
    #[arg(long)]
    pub quick: bool,
    /// Say which expectation of which regression scene a peer did not meet
    #[arg(long)]
    pub verbose: bool,
    /// Write a page with tables and plots into this folder
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Keep the results, JSON lines, in this file
    #[arg(long, value_name = "FILE")]
    pub keep: Option<PathBuf>,
    /// Measure nothing: make the page from results that were kept
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
}
