//! Strokes of the brush, undo and redo, copy and paste.

use collision::{Cell, Position};
use world::{BrickChange, Material};

use super::{BrushMode, BrushShape, Joins, Simulation, Stroke};

/// The most strokes kept for undo.
const MOST_STROKES: usize = 200;
/// The most voxels on a side that are copied.
const MOST_COPIED: i32 = 96;

/// What was done and what was copied.
#[derive(Debug, Default)]
pub(super) struct Editing {
    strokes: Vec<DoneStroke>,
    done: usize,
    copied: Option<Copied>,
}

#[derive(Debug)]
struct DoneStroke {
    words: String,
    changes: Vec<BrickChange>,
}

#[derive(Debug)]
struct Copied {
    size: Cell,
    materials: Vec<Material>,
}

/// The cells a stroke touches, whatever they hold.
pub fn stroke_cells(stroke: &Stroke, out: &mut Vec<Cell>) {
    out.clear();
    let reach = if stroke.shape == BrushShape::Voxel {
        0
    } else {
        stroke.size as i32 - 1
    };
    let limit = (reach as f32 + 0.5) * (reach as f32 + 0.5);
    for z in -reach..=reach {
        for y in -reach..=reach {
            for x in -reach..=reach {
                let square = |a: i32, b: i32, c: i32| (a * a + b * b + c * c) as f32 <= limit;
                let inside = match stroke.shape {
                    BrushShape::Sphere => square(x, y, z),
                    BrushShape::Cylinder => square(x, 0, z),
                    BrushShape::Cube | BrushShape::Voxel => true,
                };
                if inside {
                    out.push(
                        stroke
                            .center
                            .zip_map(&Cell::new(x, y, z), i32::wrapping_add),
                    );
                }
            }
        }
    }
}

impl Simulation {
    pub(super) fn edit(&mut self, stroke: &Stroke) {
        let mut cells = Vec::new();
        stroke_cells(stroke, &mut cells);
        let report = self.world.write(|writer| {
            for &cell in &cells {
                let now = writer.material(cell);
                let fits = match stroke.mode {
                    BrushMode::Carve | BrushMode::Smooth => now.is_some(),
                    BrushMode::Place => now == Some(Material::AIR),
                    BrushMode::Paint => now.is_some_and(|m| m != Material::AIR),
                };
                if fits {
                    let material = if stroke.mode == BrushMode::Carve {
                        Material::AIR
                    } else {
                        stroke.material
                    };
                    writer.set(cell, material);
                }
            }
        });
        self.note(
            format!("{:?} {}", stroke.mode, report.voxels),
            report.changes,
            stroke.joins,
        );
    }

    /// Carves a round hole.
    pub(super) fn crater(&mut self, at: Position, radius: f32) {
        let stroke = Stroke {
            center: at.cell,
            size: radius.ceil() as u32,
            shape: BrushShape::Sphere,
            mode: BrushMode::Carve,
            material: Material::AIR,
            joins: Joins::Nothing,
        };
        self.edit(&stroke);
    }

    fn note(&mut self, words: String, changes: Vec<BrickChange>, joins: Joins) {
        if changes.is_empty() {
            return;
        }
        let editing = &mut self.editing;
        editing.strokes.truncate(editing.done);
        match (joins, editing.strokes.last_mut()) {
            (Joins::Before, Some(last)) => last.changes.extend(changes),
            _ => editing.strokes.push(DoneStroke { words, changes }),
        }
        let surplus = editing.strokes.len().saturating_sub(MOST_STROKES);
        editing.strokes.drain(..surplus);
        editing.done = editing.strokes.len();
    }

    pub(super) fn undo(&mut self) {
        let Some(index) = self.editing.done.checked_sub(1) else {
            return;
        };
        let stroke = &self.editing.strokes[index];
        self.world.write(|writer| {
            for change in stroke.changes.iter().rev() {
                writer.fill_row(
                    change.brick,
                    usize::from(change.change.row),
                    change.change.mask,
                    change.change.old,
                );
            }
        });
        self.editing.done = index;
    }

    pub(super) fn redo(&mut self) {
        let Some(stroke) = self.editing.strokes.get(self.editing.done) else {
            return;
        };
        self.world.write(|writer| {
            for change in &stroke.changes {
                writer.fill_row(
                    change.brick,
                    usize::from(change.change.row),
                    change.change.mask,
                    change.change.new,
                );
            }
        });
        self.editing.done += 1;
    }

    pub(super) fn go_to_stroke(&mut self, count: usize) {
        let count = count.min(self.editing.strokes.len());
        while self.editing.done > count {
            self.undo();
        }
        while self.editing.done < count {
            self.redo();
        }
    }

    pub(super) fn copy(&mut self, from: Cell, to: Cell) {
        let (min, max) = (from.inf(&to), from.sup(&to));
        let size = max.zip_map(&min, |a, b| a.saturating_sub(b).saturating_add(1));
        if size.iter().any(|&side| side > MOST_COPIED) {
            return;
        }
        let mut materials = Vec::new();
        for z in 0..size.z {
            for y in 0..size.y {
                for x in 0..size.x {
                    materials.push(
                        self.world
                            .material(min + Cell::new(x, y, z))
                            .unwrap_or(Material::AIR),
                    );
                }
            }
        }
        self.editing.copied = Some(Copied { size, materials });
    }

    pub(super) fn paste(&mut self, at: Cell) {
        let Some(copied) = &self.editing.copied else {
            return;
        };
        let report = self.world.write(|writer| {
            let mut materials = copied.materials.iter();
            for z in 0..copied.size.z {
                for y in 0..copied.size.y {
                    for x in 0..copied.size.x {
                        let Some(&material) = materials.next() else {
                            return;
                        };
                        writer.set(at.zip_map(&Cell::new(x, y, z), i32::wrapping_add), material);
                    }
                }
            }
        });
        self.note(
            format!("Paste {}", report.voxels),
            report.changes,
            Joins::Nothing,
        );
    }

    /// Strokes that can be undone, oldest first, in words.
    pub fn strokes(&self) -> impl Iterator<Item = &str> {
        self.editing
            .strokes
            .iter()
            .map(|stroke| stroke.words.as_str())
    }

    /// How many of them are done; the rest were undone.
    pub fn strokes_done(&self) -> usize {
        self.editing.done
    }
}
