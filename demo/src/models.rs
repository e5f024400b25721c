//! MagicaVoxel models between files and worlds, for the `world` command and the world panel.

use std::path::Path;
use std::sync::Arc;

use collision::Cell;
use nalgebra::Vector3;
use world::files::{self, Existing};
use world::{
    Author, CellBox, Clipboard, EditError, EditReport, Material, MaterialTable, PasteMode,
    PlacedModel, World, read_vox, vox, write_vox,
};

use crate::error::Error;

/// The result of an import.
#[derive(Clone, Debug, Default)]
pub(crate) struct Placed {
    /// Number of changed voxels.
    pub(crate) voxels: u64,
    /// Edits in the undo history, oldest first.
    pub(crate) sequences: Vec<u64>,
    /// The error of a part that was not placed.
    pub(crate) refused: Option<EditError>,
}

/// Reads a file that is not trusted; its colours become materials of the table.
pub(crate) fn read(path: &Path, materials: &mut MaterialTable) -> Result<Vec<PlacedModel>, Error> {
    let bytes = files::read(path, vox::MOST_BYTES as u64)?;
    let models = read_vox(&bytes, materials).map_err(|error| Error::content(path, error))?;
    if models.is_empty() {
        return Err(Error::content(path, "there is no model in it"));
    }
    Ok(models)
}

/// Writes a copy as a file and returns the number of its voxels.
pub(crate) fn write(
    path: &Path,
    copy: &Clipboard,
    materials: &MaterialTable,
    existing: Existing,
) -> Result<u64, Error> {
    let voxels = simulation::solid_voxels(copy);
    if voxels == 0 {
        return Err(Error::Failed(
            "there is nothing but air to export".to_owned(),
        ));
    }
    let bytes = write_vox(copy, materials).map_err(|error| Error::Failed(error.to_string()))?;
    files::write(path, &bytes, existing)?;
    Ok(voxels)
}

/// Places models in a world, with their lowest corner in the cell `at`, without their air.
pub(crate) fn place(world: &mut World, author: Author, models: &[PlacedModel], at: Cell) -> Placed {
    let low = models.iter().map(|model| model.at);
    let low = low.reduce(|a, b| a.inf(&b)).unwrap_or_default();
    let mut placed = Placed::default();
    for model in models {
        let corner = model.at.zip_map(&low, i32::wrapping_sub);
        let corner = at.zip_map(&corner, i32::checked_add);
        let (Some(x), Some(y), Some(z)) = (corner.x, corner.y, corner.z) else {
            placed.refused = Some(EditError::Shape);
            continue;
        };
        let corner = Cell::new(x, y, z);
        let EditReport {
            voxels,
            sequence,
            refused,
            ..
        } = world.paste(author, &model.voxels, corner, PasteMode::SkipAir);
        placed.voxels += voxels;
        placed.sequences.extend(sequence);
        placed.refused = placed.refused.or(refused);
    }
    placed
}

/// A part of a model that lies in one chunk: small enough to be placed between two pictures.
pub(crate) struct Piece {
    /// Cell of its lowest corner.
    pub(crate) at: Cell,
    pub(crate) voxels: Arc<Clipboard>,
}

/// Cuts models along the chunks of their place, with their lowest corner in the cell `at`. Models
/// that reach beyond the ends of the world are refused.
pub(crate) fn cut(models: &[PlacedModel], at: Cell) -> Result<Vec<Piece>, EditError> {
    let low = models.iter().map(|model| model.at);
    let low = low.reduce(|a, b| a.inf(&b)).unwrap_or_default();
    let mut pieces = Vec::new();
    for model in models {
        let last = model.voxels.size().map(|side| i64::from(side) - 1);
        let place = |part: Cell| part.map(i64::from) - low.map(i64::from) + at.map(i64::from);
        let min = place(model.at);
        let (Some(min), Some(max)) = (cell_of(min), cell_of(min + last)) else {
            return Err(EditError::Shape);
        };
        cut_one(&model.voxels, &CellBox::new(min, max), &mut pieces);
    }
    Ok(pieces)
}

fn cell_of(place: Vector3<i64>) -> Option<Cell> {
    let part = |axis: usize| i32::try_from(place[axis]).ok();
    Some(Cell::new(part(0)?, part(1)?, part(2)?))
}

fn cut_one(voxels: &Clipboard, cells: &CellBox, out: &mut Vec<Piece>) {
    let chunk = |cell: Cell| cell.map(|part| part.div_euclid(32));
    let (first, last) = (chunk(cells.min), chunk(cells.max));
    for z in first.z..=last.z {
        for y in first.y..=last.y {
            for x in first.x..=last.x {
                let low = Cell::new(x, y, z) * 32;
                let min = low.sup(&cells.min);
                // The last chunk ends no later than the world.
                let max = low.map(|part| part + 31).inf(&cells.max);
                let size = (max - min).map(|side| side as u32 + 1);
                let from = min.zip_map(&cells.min, |a, b| a.wrapping_sub(b) as u32);
                let piece = Clipboard::from_fn(size, |at| voxels.get(from + at));
                out.extend(piece.map(|voxels| Piece {
                    at: min,
                    voxels: Arc::new(voxels),
                }));
            }
        }
    }
}

/// Copies all edited chunks of a world, with air between them.
pub(crate) fn copy_edited(world: &mut World) -> Result<Clipboard, Error> {
    let chunks = world.edited_chunks();
    let bounds = chunks
        .iter()
        .map(|chunk| CellBox::new(chunk * 32, chunk * 32 + Cell::repeat(31)));
    let bounds = bounds.reduce(|a, b| a.union(&b));
    let bounds = bounds.ok_or_else(|| Error::Failed("nothing was edited in it".to_owned()))?;
    let mut copy = empty(&bounds)?;
    for chunk in chunks {
        let low = chunk * 32;
        world
            .load(&CellBox::new(low, low + Cell::repeat(31)))
            .map_err(|error| Error::Failed(error.to_string()))?;
        take_chunk(world, low, &bounds, &mut copy);
    }
    Ok(copy)
}

/// Copies a box of cells.
pub(crate) fn copy_box(world: &mut World, cells: &CellBox) -> Result<Clipboard, Error> {
    world
        .copy(cells)
        .map_err(|error| Error::Failed(error.to_string()))
}

fn empty(bounds: &CellBox) -> Result<Clipboard, Error> {
    let size = bounds.max.map(i64::from) - bounds.min.map(i64::from) + Vector3::repeat(1);
    let size = size.map(|side| u32::try_from(side).unwrap_or(u32::MAX));
    Clipboard::from_fn(size, |_| Material::AIR).map_err(|_| {
        let [x, y, z] = [size.x, size.y, size.z];
        Error::Failed(format!(
            "the edited chunks span {x} x {y} x {z} m, too much for one file: give a box with \
             --min and --max"
        ))
    })
}

fn take_chunk(world: &World, low: Cell, bounds: &CellBox, copy: &mut Clipboard) {
    for z in 0..32 {
        for y in 0..32 {
            for x in 0..32 {
                let cell = low + Cell::new(x, y, z);
                if let Some(material) = world.material(cell)
                    && material != Material::AIR
                {
                    copy.set((cell - bounds.min).map(|part| part as u32), material);
                }
            }
        }
    }
}
