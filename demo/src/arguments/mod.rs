//! The arguments of every command, with their limits.

mod values;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use net::quic::Invite;
use world::files::Existing;

pub use values::{Eye, Look, Overlay, PictureSize};

/// Arguments of `play`.
#[derive(Clone, Debug, Default, Args)]
pub struct PlayArguments {
    /// The save to open; created when it does not exist. Without it and a seed, the last world
    /// played
    #[arg(long, value_name = "PATH")]
    pub world: Option<PathBuf>,
    /// The seed of a new world; without a save, opens the world of that seed
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// The view distance in this run, in metres
    #[arg(long, value_name = "METRES", value_parser = clap::value_parser!(u32).range(32..=1000))]
    pub view: Option<u32>,
    /// The number of walkers at the start of this run
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub crowd: Option<u32>,
    /// Opens the scene viewer on this regression scene
    #[arg(long, value_name = "NAME")]
    pub scene: Option<String>,
    /// Joins the world of a server: the invite is a line that `serve` prints
    #[arg(long, value_name = "INVITE", conflicts_with_all = ["world", "seed", "scene", "crowd"])]
    pub join: Option<Invite>,
}

impl PlayArguments {
    /// Returns whether no world and no scene is named, so that the title shows first.
    pub fn asks_for_nothing(&self) -> bool {
        let named = [
            self.world.is_some(),
            self.seed.is_some(),
            self.scene.is_some(),
        ];
        named == [false; 3] && self.join.is_none()
    }
}

/// The treatment of existing files.
#[derive(Clone, Copy, Debug, Args)]
pub struct Overwriting {
    /// Replaces files that are there already
    #[arg(long)]
    force: bool,
}

impl Overwriting {
    /// Returns the choice for existing files.
    pub fn existing(self) -> Existing {
        if self.force {
            Existing::Replace
        } else {
            Existing::Keep
        }
    }
}

/// Arguments of `shot`.
#[derive(Clone, Debug, Args)]
pub struct ShotArguments {
    /// The PNG file to write
    #[arg(long, value_name = "FILE.png")]
    pub out: PathBuf,
    /// The size in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720")]
    pub size: PictureSize,
    /// The seed of the world
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// A saved world to show instead of a generated one
    #[arg(long, value_name = "PATH", conflicts_with = "seed")]
    pub world: Option<PathBuf>,
    /// The place of the eye, in metres; without it, a view over the landscape
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub eye: Option<Eye>,
    /// The direction of the eye, in degrees: yaw 0 is -z and grows to the right, pitch upwards
    #[arg(long, value_name = "YAW,PITCH", allow_hyphen_values = true)]
    pub look: Option<Look>,
    /// The hour of the day, from 0 to 24
    #[arg(long, value_name = "H", default_value = "10", value_parser = values::hour)]
    pub hour: f32,
    /// The number of walkers on the ground in view
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        value_parser = clap::value_parser!(u32).range(0..=10_000)
    )]
    pub crowd: u32,
    /// The view distance, in metres
    #[arg(
        long,
        value_name = "METRES",
        default_value_t = 256,
        value_parser = clap::value_parser!(u32).range(32..=1000)
    )]
    pub view: u32,
    /// Overlays to draw, separated by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub overlay: Vec<Overlay>,
    /// Prints one JSON object about the picture
    #[arg(long)]
    pub json: bool,
    /// The treatment of an existing picture
    #[command(flatten)]
    pub overwriting: Overwriting,
}

/// Arguments of `tour`.
#[derive(Clone, Debug, Args)]
pub struct TourArguments {
    /// The folder for the pictures and tour.json; created when missing
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// The number of frames of the whole tour
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub frames: Option<u32>,
    /// The size of the pictures in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720")]
    pub size: PictureSize,
    /// The treatment of an existing tour
    #[command(flatten)]
    pub overwriting: Overwriting,
}

/// Arguments of `scenes`.
#[derive(Clone, Debug, Args)]
pub struct ScenesArguments {
    /// The scenes to run; all without a name
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Lists the names and subjects of the scenes, and runs nothing
    #[arg(long)]
    pub list: bool,
    /// One JSON object a scene
    #[arg(long)]
    pub json: bool,
    /// Writes a page with every trajectory drawn into this folder
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// The treatment of an existing page
    #[command(flatten)]
    pub overwriting: Overwriting,
}

/// Arguments of `bench`.
#[derive(Clone, Debug, Args)]
pub struct BenchArguments {
    /// One JSON object a figure
    #[arg(long)]
    pub json: bool,
    /// Groups (world, crowd, frame, systems, net), figures or their beginnings, separated by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub only: Vec<String>,
}

/// An action on a saved world.
#[derive(Clone, Debug, Subcommand)]
pub enum WorldAction {
    /// Lists the saves in the folder for worlds
    List {
        /// One JSON object a save
        #[arg(long)]
        json: bool,
    },
    /// Describes a save
    Info {
        /// The save
        path: PathBuf,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Reads every chunk of a save and reports damage; exit code 1 when there is any
    Verify {
        /// The save
        path: PathBuf,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Writes the readable part of a damaged save to a new one, and leaves the old one as it is
    Salvage {
        /// The save
        path: PathBuf,
        /// The new save
        #[arg(long, value_name = "NEW")]
        out: PathBuf,
    },
    /// Writes the edited part of a save as a MagicaVoxel file
    Export {
        /// The save
        path: PathBuf,
        /// The .vox file; the save's name with .vox when not given
        #[arg(long, value_name = "FILE.vox")]
        out: Option<PathBuf>,
        /// One corner of the box to write; without corners, all edited chunks
        #[arg(
            long,
            value_name = "X,Y,Z",
            allow_hyphen_values = true,
            requires = "max"
        )]
        min: Option<Eye>,
        /// The other corner, inside the box too
        #[arg(
            long,
            value_name = "X,Y,Z",
            allow_hyphen_values = true,
            requires = "min"
        )]
        max: Option<Eye>,
        /// The treatment of an existing file
        #[command(flatten)]
        overwriting: Overwriting,
    },
    /// Places a MagicaVoxel file into a save; the save is created when missing
    Import {
        /// The save
        path: PathBuf,
        /// The .vox file to place
        #[arg(long, value_name = "FILE.vox")]
        from: PathBuf,
        /// The place of its lowest corner; without it, on the ground at the origin
        #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
        at: Option<Eye>,
    },
}
