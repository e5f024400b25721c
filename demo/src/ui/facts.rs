//! The facts that the interface shows, gathered once a frame.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::Statistics;
use simulation::{BrushMode, BrushShape, PlayerId};
use world::{Material, MaterialTable};

use crate::arguments::Overlay;
use crate::language::Language;

use super::voxel_picture::{Atlas, VoxelPicture};

/// Everything a frame of the interface can show.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The language of all texts.
    pub language: Language,
    /// Seconds since the start, for fading.
    pub seconds: f64,
    /// True if the camera has captured the pointer, so that a crosshair shows.
    pub pointer_grabbed: bool,
    /// The player's way of moving, in words.
    pub travel: &'static str,
    /// The player's position, metres.
    pub position: [f64; 3],
    /// The target of the pointer, in words.
    pub target: Option<String>,
    /// The state of time when it is not normal, in words.
    pub time_state: Option<&'static str>,
    /// Work in progress.
    pub progress: Option<Progress>,
    /// True if the eye is inside of the ground.
    pub blind: bool,
    /// The overlays that are shown.
    pub overlays: BTreeSet<Overlay>,
    /// The tool in hand.
    pub tool: ToolFacts,
    /// The world.
    pub world: WorldFacts,
    /// The shared world.
    pub shared: SharedFacts,
    /// Walkers and games.
    pub crowd: CrowdFacts,
    /// Cost of pictures and ticks.
    pub frame: FrameFacts,
    /// Memory of the parts.
    pub memory: Vec<MemoryFact>,
    /// The blueprints on the shelf.
    pub blueprints: Vec<BlueprintFact>,
    /// The map in the corner.
    pub minimap: MinimapFacts,
    /// The regression scenes.
    pub scenes: SceneFacts,
}

/// Work in progress.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// The kind of work.
    pub words: String,
    /// From 0 to 1; `None` while unknown.
    pub share: Option<f32>,
}

/// A material as the hot-bar shows it.
#[derive(Clone, Debug, Default)]
pub struct MaterialFact {
    /// Its number in the world's table.
    pub id: u16,
    /// Its name.
    pub name: String,
    /// sRGB colour.
    pub color: [u8; 3],
    /// A voxel of it.
    pub picture: Option<VoxelPicture>,
}

/// Side of the picture of a material, pixels.
const PICTURE: usize = 72;

impl MaterialFact {
    /// Returns every visible material, with its picture.
    pub fn all_of(materials: &MaterialTable) -> Vec<Self> {
        let atlas = Arc::new(Atlas::of_materials(materials, PICTURE));
        let seen = materials.iter().skip(usize::from(Material::AIR.0) + 1);
        let facts = seen.enumerate().map(|(number, (material, info))| {
            let [r, g, b, _] = info.colour;
            MaterialFact {
                id: material.0,
                name: info.name.clone(),
                color: [r, g, b],
                picture: Some(VoxelPicture::of(&atlas, number)),
            }
        });
        facts.collect()
    }
}

/// A blueprint on the shelf.
#[derive(Clone, Debug)]
pub struct BlueprintFact {
    /// Its file.
    pub path: PathBuf,
    /// Its name.
    pub name: String,
    /// Its picture, once all are drawn.
    pub picture: Option<VoxelPicture>,
}

impl BlueprintFact {
    /// Returns a file without a picture.
    pub(crate) fn of(path: &Path) -> Self {
        BlueprintFact {
            name: crate::blueprints::name_of(path),
            path: path.to_path_buf(),
            picture: None,
        }
    }
}

/// The tool in hand.
#[derive(Clone, Debug, Default)]
pub struct ToolFacts {
    /// Its name.
    pub name: &'static str,
    /// Hint for its buttons.
    pub hint: String,
    /// Shape of the brush.
    pub shape: BrushShape,
    /// Effect of the brush.
    pub brush_mode: BrushMode,
    /// True if there is a copy.
    pub has_copy: bool,
    /// True for planes of symmetry across x and across z.
    pub symmetry: [bool; 2],
    /// The selected box.
    pub selection: Option<SelectionFacts>,
    /// Radius of the brush, voxels.
    pub size: u32,
    /// Materials in the slots of the hot-bar.
    pub slots: Vec<MaterialFact>,
    /// The slot in use.
    pub slot: usize,
    /// Charge of the cannon, 0 to 1.
    pub charge: Option<f32>,
}

/// The selected box.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SelectionFacts {
    /// Its sides, voxels.
    pub size: [i32; 3],
    /// Name of the material in its lowest corner.
    pub corner: String,
}

/// The world.
#[derive(Clone, Debug, Default)]
pub struct WorldFacts {
    /// Every material.
    pub materials: Vec<MaterialFact>,
    /// Its seed.
    pub seed: u64,
    /// Path of its file.
    pub path: Option<PathBuf>,
    /// Chunks in memory.
    pub chunks: usize,
    /// Strokes that can be undone, newest last, in words.
    pub strokes: Vec<String>,
    /// Number of strokes that are done; the rest were undone.
    pub strokes_done: usize,
    /// Saved worlds that can be opened.
    pub saves: Vec<PathBuf>,
    /// The file that an export would replace.
    pub in_the_way: Option<PathBuf>,
}

/// A shared world as the interface shows it.
#[derive(Clone, Debug, Default)]
pub struct SharedFacts {
    /// Place of the server that the player is a guest of.
    pub place: Option<String>,
    /// Role of the player, in words.
    pub role: &'static str,
    /// The players that are here.
    pub players: Vec<PlayerFact>,
    /// The lines of talk, the oldest first.
    pub lines: Vec<String>,
    /// The invites to give to friends, with their roles, while this window is the host.
    pub invites: Vec<(&'static str, String)>,
}

/// A player of a shared world.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerFact {
    /// Its number.
    pub id: PlayerId,
    /// Its name.
    pub name: String,
    /// True for the player of this window.
    pub is_own: bool,
    /// Place of its name in the picture, as a share of its size, while it is seen.
    pub tag: Option<[f32; 2]>,
}

/// Walkers and games.
#[derive(Clone, Debug, Default)]
pub struct CrowdFacts {
    /// Number of walkers.
    pub walkers: u32,
    /// Mood of the walkers.
    pub mood: &'static str,
    /// True if platforms move.
    pub platforms: bool,
    /// True if the fog of war is on.
    pub fog: bool,
    /// Share of the map seen, 0 to 1.
    pub seen_share: f32,
    /// Targets hit.
    pub score: u32,
    /// Targets left.
    pub targets: usize,
    /// 1 when a walker just hit the player, 0 when not.
    pub hurt: f32,
    /// Pick-ups taken.
    pub picked: u32,
    /// A warning when edits are in danger, or the player cannot move as usual.
    pub trouble: Option<&'static str>,
}

/// Cost of pictures and ticks, newest last, milliseconds.
#[derive(Clone, Debug, Default)]
pub struct FrameFacts {
    /// From picture to picture.
    pub frame: Vec<f32>,
    /// CPU time of a picture.
    pub cpu: Vec<f32>,
    /// A tick of the simulation.
    pub tick: Vec<f32>,
    /// Each pass.
    pub passes: Vec<PassFact>,
    /// Chunks in view.
    pub chunks: u32,
    /// Rectangles drawn.
    pub quads: u64,
    /// Draws recorded.
    pub draws: u32,
    /// Bytes written to the GPU.
    pub written_bytes: u64,
    /// Bytes of targets that passes load and store.
    pub target_bytes: u64,
    /// Size of the scene before it is scaled to the window.
    pub scene_size: [u32; 2],
}

impl FrameFacts {
    /// Takes over the counts of a picture.
    pub(crate) fn count(&mut self, statistics: &Statistics) {
        self.passes.clear();
        self.passes.extend(PassFact::all_of(statistics));
        self.chunks = statistics.bricks;
        self.quads = statistics.quads;
        self.draws = statistics.draws;
        self.written_bytes = statistics.written_bytes;
        self.target_bytes = statistics.target_bytes;
        self.scene_size = statistics.scene_size;
    }
}

/// Cost of one pass.
#[derive(Clone, Debug, Default)]
pub struct PassFact {
    /// Its name.
    pub name: &'static str,
    /// CPU time to record it, milliseconds.
    pub cpu: f32,
    /// GPU time, milliseconds; none where the adapter has no timers.
    pub gpu: Option<f32>,
}

impl PassFact {
    /// Returns every pass of the last picture.
    pub fn all_of(statistics: &Statistics) -> impl Iterator<Item = Self> {
        statistics.recording.iter().map(|pass| {
            let gpu = statistics.passes.iter().find(|gpu| gpu.name == pass.name);
            PassFact {
                name: pass.name,
                cpu: pass.milliseconds,
                gpu: gpu.map(|gpu| gpu.milliseconds),
            }
        })
    }
}

/// Memory of a part.
#[derive(Clone, Debug, Default)]
pub struct MemoryFact {
    /// The part.
    pub name: &'static str,
    /// Bytes.
    pub bytes: u64,
}

impl MemoryFact {
    /// Returns the parts with their bytes.
    pub fn list(parts: [(&'static str, u64); 3]) -> Vec<Self> {
        parts.map(|(name, bytes)| MemoryFact { name, bytes }).into()
    }
}

/// The map in the corner.
#[derive(Clone, Debug, Default)]
pub struct MinimapFacts {
    /// Colours of a square, rows from the north.
    pub pixels: Vec<[u8; 3]>,
    /// Pixels on a side.
    pub side: usize,
    /// Changes with the pixels.
    pub revision: u64,
    /// Metres to a pixel.
    pub metres_a_pixel: f32,
    /// The player's pixel.
    pub player: [f32; 2],
    /// Corners of the fog of war, pixels; `None` while it is off.
    pub fog: Option<[[f32; 2]; 2]>,
    /// The player's heading, radians to the right of north.
    pub yaw: f32,
    /// Pixels of the walkers, with their colours.
    pub dots: Vec<([f32; 2], [u8; 3])>,
}

/// The regression scenes.
#[derive(Clone, Debug, Default)]
pub struct SceneFacts {
    /// Every scene with its verdict, once it has one.
    pub list: Vec<(String, Option<bool>)>,
    /// The scene in the viewer.
    pub open: Option<SceneState>,
}

/// The scene in the viewer.
#[derive(Clone, Debug, Default)]
pub struct SceneState {
    /// Its name.
    pub name: String,
    /// The claim that it tests.
    pub about: String,
    /// The tick shown.
    pub tick: usize,
    /// Number of ticks.
    pub ticks: usize,
    /// True if it plays by itself.
    pub playing: bool,
    /// True if it passed, once that is known.
    pub passed: Option<bool>,
    /// The reason of a failure, or the result.
    pub why: String,
    /// Names of its variants.
    pub variants: Vec<String>,
    /// The variant shown.
    pub variant: usize,
}
