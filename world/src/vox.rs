//! Imports and exports MagicaVoxel's `.vox` files: palette, models and their placement.
//!
//! The file's z is up, ours is y: `(x, y, z)` of the file is `(x, z, -y)` here. Files are checked
//! before they are parsed, so that none can use more memory than its size allows, or overflow the
//! stack by nesting: at most 32 bytes for each of the file, and 300 MB.

use std::collections::HashMap;

use dot_vox::{Color, DotVoxData, Frame, Model, SceneNode, ShapeModel, Size};

use crate::clipboard::Clipboard;
use crate::material::{Look, Material, MaterialError, MaterialInfo, MaterialTable};
use collision::Cell;
use nalgebra::{Matrix3, Vector3};

/// Largest file that is read, in bytes.
pub const MOST_BYTES: usize = 256 << 20;
/// Largest number of voxels of all placed models, empty ones included.
const MOST_VOXELS: u64 = 1 << 27;
/// Largest number of placed models.
const MOST_PLACED: usize = 1 << 16;
/// Visits of nodes, for each node of the file: groups may share nodes, repeatedly.
const MOST_VISITS: usize = 64;
/// Deepest nesting of a scene.
const DEEPEST: usize = 64;
/// Side of the format's largest model, in voxels.
const MODEL_SIDE: u32 = 256;

/// Reasons for refusing a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VoxError {
    /// The file is longer than [`MOST_BYTES`].
    #[error("the file has {0} bytes, at most {MOST_BYTES} are read")]
    TooLong(usize),
    /// The file is damaged, or not a `.vox` file.
    #[error("not a .vox file, or a damaged one: {0}")]
    Malformed(&'static str),
    /// The models are too large or placed too often.
    #[error(
        "the scene is too large: at most {MOST_VOXELS} voxels in {MOST_PLACED} places, each node \
         shared {MOST_VISITS} times"
    )]
    TooLarge,
    /// The copy has more colours than the format holds.
    #[error("{0} materials are too many: a .vox file holds 255 colours")]
    TooManyColours(usize),
    /// The table cannot hold the file's colours.
    #[error(transparent)]
    Materials(#[from] MaterialError),
}

/// A model and its place in the scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedModel {
    /// Voxels of the model.
    pub voxels: Clipboard,
    /// Cell of its lowest corner.
    pub at: Cell,
}

/// Reads a file; colours without a matching material become new materials.
pub fn read_vox(bytes: &[u8], materials: &mut MaterialTable) -> Result<Vec<PlacedModel>, VoxError> {
    let numbers = look_through(bytes)?;
    let data = dot_vox::load_bytes(bytes).map_err(VoxError::Malformed)?;
    let scene = Scene::new(&data, &numbers)?;
    let placed = place_models(&scene)?;
    let used = colours_used(&data, &placed);
    let palette = adopt_colours(&data.palette, &used, materials)?;
    placed
        .iter()
        .map(|place| build(&data.models[place.model], place, &palette))
        .collect()
}

/// Walks the file's chunks without trusting their numbers. Returns the numbers of the scene's
/// nodes, in file order.
fn look_through(bytes: &[u8]) -> Result<Vec<u32>, VoxError> {
    if bytes.len() > MOST_BYTES {
        return Err(VoxError::TooLong(bytes.len()));
    }
    let malformed = VoxError::Malformed;
    if bytes.get(..4) != Some(b"VOX ") {
        return Err(malformed("it does not begin with VOX"));
    }
    let main = chunk_at(bytes.get(8..).unwrap_or(&[]))?;
    if main.id != b"MAIN" {
        return Err(malformed("its first chunk is not MAIN"));
    }
    let mut rest = main.children;
    let mut size = None;
    let mut numbers = Vec::new();
    while !rest.is_empty() {
        let chunk = chunk_at(rest)?;
        if !chunk.children.is_empty() {
            return Err(malformed("chunks are nested"));
        }
        match chunk.id {
            b"SIZE" => size = Some(check_size(chunk.content)?),
            b"XYZI" => check_voxels(chunk.content, size.take())?,
            b"RGBA" if chunk.content.len() > 1024 || chunk.content.len() % 4 != 0 => {
                return Err(malformed("its palette is not of up to 256 whole colours"));
            }
            b"nTRN" | b"nGRP" | b"nSHP" => numbers.push(number_of(chunk.content)?),
            _ => {}
        }
        rest = chunk.rest;
    }
    Ok(numbers)
}

fn number_of(node: &[u8]) -> Result<u32, VoxError> {
    let number = node.first_chunk().copied().map(u32::from_le_bytes);
    number.ok_or(VoxError::Malformed("a node of its scene is cut off"))
}

struct RawChunk<'a> {
    id: &'a [u8],
    content: &'a [u8],
    children: &'a [u8],
    rest: &'a [u8],
}

fn chunk_at(bytes: &[u8]) -> Result<RawChunk<'_>, VoxError> {
    let cut = VoxError::Malformed("it is cut off");
    let (head, rest) = bytes.split_at_checked(12).ok_or(cut.clone())?;
    let number = |at: usize| {
        let bytes: [u8; 4] = std::array::from_fn(|index| head[at + index]);
        u32::from_le_bytes(bytes) as usize
    };
    let (content, rest) = rest.split_at_checked(number(4)).ok_or(cut.clone())?;
    let (children, rest) = rest.split_at_checked(number(8)).ok_or(cut)?;
    Ok(RawChunk {
        id: &head[..4],
        content,
        children,
        rest,
    })
}

fn check_size(content: &[u8]) -> Result<[u32; 3], VoxError> {
    let mut size = [0; 3];
    for (side, bytes) in size.iter_mut().zip(content.chunks_exact(4)) {
        *side = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    let fits = content.len() >= 12 && size.iter().all(|side| (1..=MODEL_SIDE).contains(side));
    if fits {
        Ok(size)
    } else {
        Err(VoxError::Malformed("a model's size is not 1 to 256"))
    }
}

fn check_voxels(content: &[u8], size: Option<[u32; 3]>) -> Result<(), VoxError> {
    let size = size.ok_or(VoxError::Malformed("voxels without a size"))?;
    let (count, voxels) = content
        .split_first_chunk::<4>()
        .ok_or(VoxError::Malformed("it is cut off"))?;
    if (u32::from_le_bytes(*count) as usize).checked_mul(4) != Some(voxels.len()) {
        return Err(VoxError::Malformed("a model's voxels are cut off"));
    }
    let places: u64 = size.iter().map(|&side| u64::from(side)).product();
    if voxels.len() as u64 / 4 > places {
        return Err(VoxError::Malformed("a model has more voxels than places"));
    }
    let inside = |voxel: &[u8]| (0..3).all(|axis| u32::from(voxel[axis]) < size[axis]);
    if voxels.chunks_exact(4).all(inside) {
        Ok(())
    } else {
        Err(VoxError::Malformed("a voxel lies outside its model"))
    }
}

/// A rotation and a translation, in the file's axes.
#[derive(Clone, Copy)]
struct Frame3 {
    turn: Matrix3<i32>,
    shift: Vector3<i64>,
}

impl Frame3 {
    const NONE: Self = Self {
        turn: Matrix3::new(1, 0, 0, 0, 1, 0, 0, 0, 1),
        shift: Vector3::new(0, 0, 0),
    };

    fn of(frame: &Frame) -> Self {
        let mut result = Self::NONE;
        if let Some(turn) = frame.attributes.get("_r").and_then(|text| turn_of(text)) {
            result.turn = turn;
        }
        if let Some(text) = frame.attributes.get("_t") {
            let mut parts = text
                .split_whitespace()
                .map(|part| part.parse::<i32>().unwrap_or(0));
            result.shift = Vector3::from_fn(|_, _| i64::from(parts.next().unwrap_or(0)));
        }
        result
    }

    fn then(&self, inner: &Self) -> Self {
        let turned = self.turn.cast::<i64>() * inner.shift;
        Self {
            turn: self.turn * inner.turn,
            shift: self.shift + turned,
        }
    }
}

/// Parses a rotation. The format packs a signed permutation into a byte: two bits for the column of
/// the one in each of the first two rows, then the signs.
fn turn_of(text: &str) -> Option<Matrix3<i32>> {
    let byte: u8 = text.trim().parse().ok()?;
    let (first, second) = (usize::from(byte & 3), usize::from(byte >> 2 & 3));
    if first > 2 || second > 2 || first == second {
        return None;
    }
    let sign = |bit: u8| if byte >> bit & 1 == 0 { 1 } else { -1 };
    let mut turn = Matrix3::zeros();
    turn[(0, first)] = sign(4);
    turn[(1, second)] = sign(5);
    turn[(2, 3 - first - second)] = sign(6);
    Some(turn)
}

/// The file's models, and its scene nodes by number: they may come in any order.
struct Scene<'a> {
    data: &'a DotVoxData,
    nodes: HashMap<u32, &'a SceneNode>,
}

impl<'a> Scene<'a> {
    fn new(data: &'a DotVoxData, numbers: &[u32]) -> Result<Self, VoxError> {
        let nodes: HashMap<_, _> = numbers.iter().copied().zip(&data.scenes).collect();
        // A node that could not be parsed leaves a number without a node.
        if numbers.len() == data.scenes.len() && nodes.len() == numbers.len() {
            Ok(Self { data, nodes })
        } else {
            Err(VoxError::Malformed("nodes of its scene are damaged"))
        }
    }
}

struct Placed {
    model: usize,
    frame: Frame3,
}

fn place_models(scene: &Scene<'_>) -> Result<Vec<Placed>, VoxError> {
    let data = scene.data;
    let mut placed = Vec::new();
    if data.scenes.is_empty() {
        // Files without a scene place their models side by side.
        if data.models.len() > MOST_PLACED {
            return Err(VoxError::TooLarge);
        }
        let mut x = 0;
        for (model, voxels) in data.models.iter().enumerate() {
            let half = Vector3::new(voxels.size.x, voxels.size.y, voxels.size.z)
                .map(|side| i64::from(side / 2));
            let shift = half + Vector3::new(x, 0, 0);
            placed.push(Placed {
                model,
                frame: Frame3 {
                    shift,
                    ..Frame3::NONE
                },
            });
            x += i64::from(voxels.size.x) + 1;
        }
    } else {
        let mut visits = scene.nodes.len() * MOST_VISITS;
        visit_node(scene, 0, Frame3::NONE, DEEPEST, &mut visits, &mut placed)?;
    }
    let volume = |place: &Placed| {
        let size = data.models[place.model].size;
        u64::from(size.x) * u64::from(size.y) * u64::from(size.z)
    };
    if placed.iter().map(volume).sum::<u64>() > MOST_VOXELS {
        return Err(VoxError::TooLarge);
    }
    Ok(placed)
}

fn visit_node(
    scene: &Scene<'_>,
    node: u32,
    frame: Frame3,
    depth: usize,
    visits: &mut usize,
    placed: &mut Vec<Placed>,
) -> Result<(), VoxError> {
    *visits = visits.checked_sub(1).ok_or(VoxError::TooLarge)?;
    if depth == 0 || placed.len() > MOST_PLACED {
        return Err(VoxError::TooLarge);
    }
    match scene.nodes.get(&node) {
        Some(SceneNode::Transform { frames, child, .. }) => {
            let inner = frames.first().map_or(Frame3::NONE, Frame3::of);
            let frame = frame.then(&inner);
            let far = frame.shift.iter().any(|part| part.abs() > 1 << 30);
            if far {
                return Err(VoxError::Malformed("a model lies outside the world"));
            }
            visit_node(scene, *child, frame, depth - 1, visits, placed)
        }
        Some(SceneNode::Group { children, .. }) => children
            .iter()
            .try_for_each(|&child| visit_node(scene, child, frame, depth - 1, visits, placed)),
        Some(SceneNode::Shape { models, .. }) => {
            // Several models are frames of an animation; the first one is used.
            let first = models.first().map(|model| model.model_id as usize);
            let known = first.filter(|&model| model < scene.data.models.len());
            placed.extend(known.map(|model| Placed { model, frame }));
            Ok(())
        }
        None => Err(VoxError::Malformed(
            "its scene names a node that is not there",
        )),
    }
}

fn colours_used(data: &DotVoxData, placed: &[Placed]) -> [bool; 256] {
    let mut used = [false; 256];
    for place in placed {
        for voxel in &data.models[place.model].voxels {
            used[usize::from(voxel.i)] = true;
        }
    }
    used
}

/// Finds for each used colour a material of the table that looks equal, or adds a new one.
fn adopt_colours(
    palette: &[Color],
    used: &[bool; 256],
    materials: &mut MaterialTable,
) -> Result<Vec<Material>, VoxError> {
    let mut by_colour: HashMap<[u8; 4], Material> = HashMap::new();
    for (material, info) in materials.iter() {
        if info.solid && info.look != Look::Unseen && info.light == 0 {
            by_colour.entry(info.colour).or_insert(material);
        }
    }
    let mut adopted = Vec::with_capacity(256);
    for (index, &used) in used.iter().enumerate() {
        let Some(colour) = palette.get(index).filter(|_| used) else {
            adopted.push(if used { Material::STONE } else { Material::AIR });
            continue;
        };
        let colour: [u8; 4] = colour.into();
        let material = match by_colour.get(&colour) {
            Some(&material) => material,
            None => {
                let info = colour_info(colour);
                let known = materials.by_name(&info.name);
                known.map_or_else(|| materials.add(info), Ok)?
            }
        };
        by_colour.insert(colour, material);
        adopted.push(material);
    }
    Ok(adopted)
}

fn colour_info([red, green, blue, alpha]: [u8; 4]) -> MaterialInfo {
    let name = format!("vox {red:02x}{green:02x}{blue:02x}{alpha:02x}");
    let look = if alpha == 255 {
        Look::Opaque
    } else {
        Look::Transparent
    };
    MaterialInfo {
        colour: [red, green, blue, alpha],
        look,
        ..MaterialInfo::solid(&name, [red, green, blue])
    }
}

/// Converts a model to our axes and computes the cell of its lowest corner.
fn build(model: &Model, place: &Placed, palette: &[Material]) -> Result<PlacedModel, VoxError> {
    let size = Vector3::new(model.size.x, model.size.y, model.size.z).cast::<i64>();
    let half = size.map(|side| side / 2);
    let turn = place.frame.turn.cast::<i64>();
    // In doubled coordinates, so that the centre of a voxel is a whole number.
    let at = |voxel: Vector3<i64>| {
        let middle = (voxel - half) * 2 + Vector3::repeat(1);
        let file = (turn * middle).map(|part| (part - 1) / 2) + place.frame.shift;
        Vector3::new(file.x, file.z, -1 - file.y)
    };
    let (one, other) = (at(Vector3::zeros()), at(size - Vector3::repeat(1)));
    let (low, high) = (one.inf(&other), one.sup(&other));
    let extent = (high - low).map(|side| side as u32 + 1);
    let mut voxels =
        Clipboard::from_fn(extent, |_| Material::AIR).map_err(|_| VoxError::TooLarge)?;
    for voxel in &model.voxels {
        let here = at(Vector3::new(voxel.x, voxel.y, voxel.z).cast()) - low;
        let material = palette
            .get(usize::from(voxel.i))
            .copied()
            .unwrap_or(Material::STONE);
        voxels.set(here.map(|part| part as u32), material);
    }
    Ok(PlacedModel {
        voxels,
        at: low.map(|part| part as i32),
    })
}

/// Writes a copy as a file, in several models if it is large. The format holds colours only: a
/// liquid, light or climbable material is read back as a solid of its colour.
pub fn write_vox(clipboard: &Clipboard, materials: &MaterialTable) -> Result<Vec<u8>, VoxError> {
    let mut data = DotVoxData {
        version: 150,
        index_map: dot_vox::DEFAULT_INDEX_MAP.to_vec(),
        models: Vec::new(),
        palette: Vec::new(),
        materials: Vec::new(),
        scenes: Vec::new(),
        layers: Vec::new(),
    };
    let mut colours: HashMap<Material, u8> = HashMap::new();
    let size = clipboard.size();
    let mut children = Vec::new();
    data.scenes.push(transform(1, Vector3::zeros()));
    data.scenes.push(SceneNode::Group {
        attributes: dot_vox::Dict::default(),
        children: Vec::new(),
    });
    let steps = |side: u32| (0..side).step_by(MODEL_SIDE as usize);
    for z in steps(size.z) {
        for y in steps(size.y) {
            for x in steps(size.x) {
                let low = Vector3::new(x, y, z);
                let model = model_of(clipboard, low, &mut colours)?;
                let shape = ShapeModel {
                    model_id: data.models.len() as u32,
                    attributes: dot_vox::Dict::default(),
                };
                let file = Vector3::new(model.size.x, model.size.y, model.size.z).cast::<i64>();
                // The file's y is reversed: the lowest y of a part is its highest z here.
                let corner = Vector3::new(i64::from(x), -i64::from(z) - file.y, i64::from(y));
                children.push(data.scenes.len() as u32);
                let next = data.scenes.len() as u32 + 1;
                data.scenes
                    .push(transform(next, corner + file.map(|side| side / 2)));
                data.scenes.push(SceneNode::Shape {
                    attributes: dot_vox::Dict::default(),
                    models: vec![shape],
                });
                data.models.push(model);
            }
        }
    }
    if let Some(SceneNode::Group {
        children: of_group, ..
    }) = data.scenes.get_mut(1)
    {
        *of_group = children;
    }
    data.palette = vec![
        Color {
            r: 0,
            g: 0,
            b: 0,
            a: 255
        };
        256
    ];
    for (material, index) in colours {
        let [r, g, b, a] = materials.info(material).colour;
        data.palette[usize::from(index)] = Color { r, g, b, a };
    }
    let mut bytes = Vec::new();
    data.write_vox(&mut bytes).map_err(|_| VoxError::TooLarge)?;
    Ok(bytes)
}

fn transform(child: u32, shift: Vector3<i64>) -> SceneNode {
    let mut attributes = dot_vox::Dict::default();
    attributes.insert(
        "_t".to_owned(),
        format!("{} {} {}", shift.x, shift.y, shift.z),
    );
    SceneNode::Transform {
        attributes: dot_vox::Dict::default(),
        frames: vec![Frame::new(attributes)],
        child,
        layer_id: u32::MAX,
    }
}

/// Returns the part of a copy from a corner on, at most 256 voxels a side, in the file's axes.
fn model_of(
    clipboard: &Clipboard,
    low: Vector3<u32>,
    colours: &mut HashMap<Material, u8>,
) -> Result<Model, VoxError> {
    let extent = (clipboard.size() - low).map(|side| side.min(MODEL_SIDE));
    let mut voxels = Vec::new();
    for z in 0..extent.z {
        for y in 0..extent.y {
            for x in 0..extent.x {
                let material = clipboard.get(low + Vector3::new(x, y, z));
                if material == Material::AIR {
                    continue;
                }
                let next = colours.len();
                let index = *colours.entry(material).or_insert(next.min(255) as u8);
                if index == 255 {
                    return Err(VoxError::TooManyColours(next + 1));
                }
                voxels.push(dot_vox::Voxel {
                    x: x as u8,
                    y: (extent.z - 1 - z) as u8,
                    z: y as u8,
                    i: index,
                });
            }
        }
    }
    let size = Size {
        x: extent.x,
        y: extent.z,
        z: extent.y,
    };
    Ok(Model { size, voxels })
}
