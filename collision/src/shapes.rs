//! Terrain from axis-aligned boxes, for tests, small scenes and platforms: the plainest
//! implementation of [`Terrain`].
//!
//! All boxes of one `Shapes` share a lattice: every box border is a lattice line, and one substance
//! fills every lattice cell. Exposed faces and convex edges and corners are then read from the
//! cells, so boxes may touch and overlap and no seam between them can be felt. Nothing is merged
//! and nothing is fast: worlds of many voxels belong to the `world` crate.

use nalgebra::{Point3, Vector3};
use thiserror::Error;

use crate::candidates::Candidates;
use crate::exposed::SolidCell;
use crate::position::{Cell, Position};
use crate::terrain::{
    Bounds, Contents, Memory, ObjectId, Reach, SolidBox, Terrain, Touched, mixed, revision_of,
};
use crate::tolerance::{BEHIND_SURFACE, FARTHEST_FROM_ORIGIN, MOST_LATTICE_CELLS};

/// The filling of a cell, as far as characters are concerned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Substance {
    /// Empty.
    #[default]
    Air,
    /// Stops characters.
    Solid,
    /// Characters can swim in it.
    Liquid,
    /// Characters can climb it.
    Ladder,
}

/// The state of a part of the terrain: in memory or not. Missing parts count as solid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Presence {
    /// In memory.
    #[default]
    Loaded,
    /// Not in memory.
    Missing,
}

/// The reason why boxes cannot be terrain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ShapesError {
    /// A coordinate is not finite.
    #[error("a corner of a box is not finite: give three finite numbers")]
    NotFinite,
    /// A corner is too far from the origin.
    #[error(
        "a corner lies more than {FARTHEST_FROM_ORIGIN} m from the boxes' origin: put the origin \
        nearer"
    )]
    TooFar,
    /// The boxes would fill the memory.
    #[error(
        "the sides of the boxes make a lattice of {cells} cells, more than {MOST_LATTICE_CELLS}: \
        let boxes share their sides, or make several terrains of them"
    )]
    TooMany {
        /// The cells of the lattice.
        cells: usize,
    },
}

/// Axis-aligned boxes as one terrain object that may move.
#[derive(Clone, Debug)]
pub struct Shapes {
    object: ObjectId,
    origin: Position,
    lines: [Vec<f64>; 3],
    placed: [Vec<Line>; 3],
    cells: Vec<LatticeCell>,
    revision: u64,
    displacement: Vector3<f32>,
    surface_velocity: Vector3<f32>,
}

/// The place of a lattice line on its axis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Line {
    cell: i32,
    offset: f32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct LatticeCell {
    substance: Substance,
    presence: Presence,
}

impl LatticeCell {
    fn blocks(self) -> bool {
        self.presence == Presence::Missing || self.substance == Substance::Solid
    }
}

impl Line {
    fn relative_to(self, base: i32) -> f32 {
        self.cell.wrapping_sub(base) as f32 + self.offset
    }
}

/// The index of a lattice cell on each axis.
type Index = Vector3<i32>;

impl Shapes {
    /// Makes solid boxes of two opposite corners each, in any order, in metres from `origin`.
    ///
    /// The lattice takes the memory: n boxes that share no side make (2n - 1)^3 cells of two bytes,
    /// so that 80 of them are too many.
    ///
    /// # Panics
    ///
    /// If [`Self::try_from_boxes`] returns an error. Use that for boxes from outside.
    pub fn from_boxes(object: ObjectId, origin: Position, boxes: &[[Point3<f64>; 2]]) -> Self {
        match Self::try_from_boxes(object, origin, boxes) {
            Ok(shapes) => shapes,
            Err(error) => panic!("{error}"),
        }
    }

    /// Makes solid boxes, or returns an error where a corner is not finite or more than
    /// [`FARTHEST_FROM_ORIGIN`] from the origin, or the lattice would have more than
    /// [`MOST_LATTICE_CELLS`] cells.
    pub fn try_from_boxes(
        object: ObjectId,
        origin: Position,
        boxes: &[[Point3<f64>; 2]],
    ) -> Result<Self, ShapesError> {
        let mut parts = boxes.iter().flatten().flat_map(|corner| corner.iter());
        if !parts.clone().all(|part| part.is_finite()) {
            return Err(ShapesError::NotFinite);
        }
        if parts.any(|part| part.abs() > FARTHEST_FROM_ORIGIN) {
            return Err(ShapesError::TooFar);
        }
        let lines = lattice_lines(boxes);
        let cells = (lines.iter()).fold(1, |cells: usize, lines| {
            cells.saturating_mul(lines.len().saturating_sub(1))
        });
        if cells > MOST_LATTICE_CELLS {
            return Err(ShapesError::TooMany { cells });
        }
        let mut shapes = Self::empty(object, origin, lines);
        for [a, b] in boxes {
            shapes.fill_metres(a.inf(b), a.sup(b));
        }
        Ok(shapes)
    }

    /// Makes a lattice of air in cubes of `size` metres; `count` of them on each axis, upwards from
    /// `origin`.
    pub fn from_voxels(
        object: ObjectId,
        origin: Position,
        size: f64,
        count: Vector3<usize>,
    ) -> Self {
        let lines =
            [0, 1, 2].map(|axis| (0..=count[axis]).map(|index| index as f64 * size).collect());
        Self::empty(object, origin, lines)
    }

    /// Moves a lattice of cubes of `size` metres relative to its origin, by whole cubes.
    pub fn shift_lattice(&mut self, by: Vector3<i32>, size: f64) {
        for axis in 0..3 {
            let count = self.lines[axis].len() as i32;
            self.lines[axis] = (0..count)
                .map(|index| f64::from(index + by[axis]) * size)
                .collect();
        }
        self.place_lines();
    }

    /// Returns the lowest and highest lattice line of an axis, in metres from the origin; 0 and 0
    /// without lines.
    #[must_use]
    pub fn extent(&self, axis: usize) -> [f64; 2] {
        let lines = &self.lines[axis];
        [
            lines.first().copied().unwrap_or(0.0),
            lines.last().copied().unwrap_or(0.0),
        ]
    }

    fn empty(object: ObjectId, origin: Position, lines: [Vec<f64>; 3]) -> Self {
        let cells = lines
            .iter()
            .map(|lines| lines.len().saturating_sub(1))
            .product();
        let cells = vec![LatticeCell::default(); cells];
        let mut shapes = Self {
            object,
            origin,
            lines,
            placed: Default::default(),
            cells,
            revision: revision_of(object, &origin),
            displacement: Vector3::zeros(),
            surface_velocity: Vector3::zeros(),
        };
        for line in shapes.lines.iter().flatten() {
            shapes.revision = mixed(shapes.revision, line.to_bits());
        }
        shapes.place_lines();
        shapes
    }

    /// Returns these boxes with every lattice cell cut again at `cuts` (metres from the origin, on
    /// an axis): other faces, same solid.
    #[must_use]
    pub fn cut(&self, axis: usize, cuts: &[f64]) -> Self {
        let mut lines = self.lines.clone();
        lines[axis].extend(cuts.iter().filter(|cut| self.lies_inside(axis, **cut)));
        lines[axis].sort_by(f64::total_cmp);
        lines[axis].dedup();
        let mut shapes = Self::empty(self.object, self.origin, lines);
        shapes.revision = mixed(self.revision, shapes.revision);
        for at in shapes.all_cells() {
            let middle = [0, 1, 2].map(|axis| {
                let index = at[axis] as usize;
                0.5 * (shapes.lines[axis][index] + shapes.lines[axis][index + 1])
            });
            let index = Index::from_fn(|axis, _| {
                self.lines[axis].partition_point(|line| *line <= middle[axis]) as i32 - 1
            });
            let place = shapes.place_of(at);
            shapes.cells[place] = self.cell(index);
        }
        shapes
    }

    fn lies_inside(&self, axis: usize, cut: f64) -> bool {
        let lines = &self.lines[axis];
        lines.first().is_some_and(|first| *first < cut)
            && lines.last().is_some_and(|last| cut < *last)
    }

    fn all_cells(&self) -> Vec<Index> {
        let [x, y, z] = [0, 1, 2].map(|axis| self.count(axis));
        (0..z)
            .flat_map(|z| (0..y).flat_map(move |y| (0..x).map(move |x| Index::new(x, y, z))))
            .collect()
    }

    fn count(&self, axis: usize) -> i32 {
        self.lines[axis].len().saturating_sub(1) as i32
    }

    fn place_lines(&mut self) {
        for axis in 0..3 {
            let place = |line: &f64| {
                let whole = line.floor();
                let rest = Position::new(
                    Cell::zeros(),
                    Vector3::new(self.origin.offset[axis] + (line - whole) as f32, 0.0, 0.0),
                );
                let cell = self.origin.cell[axis]
                    .wrapping_add(whole as i32)
                    .wrapping_add(rest.cell.x);
                Line {
                    cell,
                    offset: rest.offset.x,
                }
            };
            self.placed[axis].clear();
            self.placed[axis].extend(self.lines[axis].iter().map(place));
        }
    }

    fn place_of(&self, index: Index) -> usize {
        let [x, y, z] = [0, 1, 2].map(|axis| index[axis] as usize);
        (z * self.count(1) as usize + y) * self.count(0) as usize + x
    }

    fn cell(&self, index: Index) -> LatticeCell {
        let inside = (0..3).all(|axis| (0..self.count(axis)).contains(&index[axis]));
        if inside {
            self.cells[self.place_of(index)]
        } else {
            LatticeCell::default()
        }
    }

    fn blocks(&self, index: Index) -> bool {
        self.cell(index).blocks()
    }

    fn fill_metres(&mut self, min: Point3<f64>, max: Point3<f64>) {
        let at =
            |axis: usize, value: f64| self.lines[axis].partition_point(|line| *line < value) as i32;
        let from = Index::from_fn(|axis, _| at(axis, min[axis]));
        let to = Index::from_fn(|axis, _| at(axis, max[axis]));
        self.fill(from, to, Substance::Solid);
    }

    /// Fills a half-open box of lattice cells; parts outside of the lattice are ignored.
    pub fn fill(&mut self, from: Vector3<i32>, to: Vector3<i32>, substance: Substance) {
        self.change(from, to, |cell| cell.substance = substance);
    }

    /// Takes a half-open box of lattice cells out of memory or brings it back.
    pub fn set_presence(&mut self, from: Vector3<i32>, to: Vector3<i32>, presence: Presence) {
        self.change(from, to, |cell| cell.presence = presence);
    }

    fn change(&mut self, from: Index, to: Index, mut with: impl FnMut(&mut LatticeCell)) {
        let limit = Index::from_fn(|axis, _| self.count(axis));
        let (from, to) = (from.sup(&Index::zeros()), to.inf(&limit));
        let mut revision = self.revision;
        for z in from.z..to.z {
            for y in from.y..to.y {
                for x in from.x..to.x {
                    let place = self.place_of(Index::new(x, y, z));
                    let cell = &mut self.cells[place];
                    with(cell);
                    let filled = (cell.substance as u64) << 8 | cell.presence as u64;
                    revision = mixed(revision, (place as u64) << 16 | filled);
                }
            }
        }
        self.revision = mixed(revision, 1);
    }

    /// Returns the substance of a lattice cell; air outside of the lattice.
    pub fn substance(&self, index: Vector3<i32>) -> Substance {
        self.cell(index).substance
    }

    /// Sets the velocity of the surface, in metres a second, as of a conveyor belt: it carries
    /// characters while the object stays in place, and wakes no character elsewhere. A velocity
    /// that is not finite counts as zero.
    pub fn set_surface_velocity(&mut self, velocity: Vector3<f32>) {
        let sound = velocity.iter().all(|part| part.is_finite());
        let velocity = if sound { velocity } else { Vector3::zeros() };
        if velocity != self.surface_velocity {
            for part in &velocity {
                self.revision = mixed(self.revision, u64::from(part.to_bits()) | 2 << 32);
            }
            self.surface_velocity = velocity;
        }
    }

    /// Starts a tick in which the boxes move by `displacement` metres. Zero, or a value that is not
    /// finite, leaves them at rest.
    pub fn advance(&mut self, displacement: Vector3<f32>) {
        let sound = displacement.iter().all(|part| part.is_finite());
        let displacement = if sound {
            displacement
        } else {
            Vector3::zeros()
        };
        if displacement != Vector3::zeros() || self.displacement != Vector3::zeros() {
            for part in &displacement {
                self.revision = mixed(self.revision, u64::from(part.to_bits()) | 1 << 32);
            }
            self.origin = self.origin.moved(displacement);
            self.place_lines();
        }
        self.displacement = displacement;
    }

    /// Returns the origin of the lattice.
    pub fn origin(&self) -> Position {
        self.origin
    }

    fn at(&self, axis: usize, index: i32, base: Cell) -> f32 {
        self.placed[axis][index as usize].relative_to(base[axis])
    }

    fn corner(&self, index: Index, base: Cell) -> Vector3<f32> {
        Vector3::from_fn(|axis, _| self.at(axis, index[axis], base))
    }

    /// Returns the half-open range of lattice cells that touch a box.
    fn cells_about(&self, base: Cell, min: Vector3<f32>, max: Vector3<f32>) -> [Index; 2] {
        let below = |axis: usize, value: f32| {
            self.placed[axis].partition_point(|line| line.relative_to(base[axis]) < value)
        };
        let through = |axis: usize, value: f32| {
            self.placed[axis].partition_point(|line| line.relative_to(base[axis]) <= value)
        };
        let from = Index::from_fn(|axis, _| (below(axis, min[axis]) as i32 - 1).max(0));
        let to = Index::from_fn(|axis, _| (through(axis, max[axis]) as i32).min(self.count(axis)));
        [from, to]
    }

    fn gather_cell(&self, index: Index, base: Cell, out: &mut Candidates) {
        let beyond = index + Index::repeat(1);
        let solid = SolidCell {
            corners: [self.corner(index, base), self.corner(beyond, base)],
            object: self.object,
            is_solid: |step| self.blocks(index + step),
        };
        solid.gather(out);
    }
}

/// Returns the sides of the boxes on each axis, ascending.
fn lattice_lines(boxes: &[[Point3<f64>; 2]]) -> [Vec<f64>; 3] {
    [0, 1, 2].map(|axis| {
        let mut lines: Vec<f64> = boxes.iter().flatten().map(|corner| corner[axis]).collect();
        lines.sort_by(f64::total_cmp);
        lines.dedup();
        lines
    })
}

impl Shapes {
    /// Returns the cell that holds a place; it may lie outside the lattice.
    fn index_at(&self, at: &Position) -> Index {
        Index::from_fn(|axis, _| {
            let lines = &self.placed[axis];
            lines.partition_point(|line| line.relative_to(at.cell[axis]) <= at.offset[axis]) as i32
                - 1
        })
    }
}

impl Terrain for Shapes {
    fn revision(&self) -> u64 {
        self.revision
    }

    fn gather(&self, reach: &Reach, memory: &mut Memory, out: &mut Candidates) {
        memory.note(
            self.revision,
            Bounds::about(reach.base, reach.min, reach.max),
        );
        if out.wants_triangles_only() {
            return;
        }
        let [from, to] = self.cells_about(reach.base, reach.min, reach.max);
        for z in from.z..to.z {
            for y in from.y..to.y {
                for x in from.x..to.x {
                    let index = Index::new(x, y, z);
                    if self.blocks(index) {
                        self.gather_cell(index, reach.base, out);
                    }
                }
            }
        }
    }

    fn seen(&self, memory: &Memory) -> Option<Bounds> {
        Some(memory.noted())
    }

    fn gather_solids(
        &self,
        base: Cell,
        min: Vector3<f32>,
        max: Vector3<f32>,
        out: &mut Vec<SolidBox>,
    ) {
        let [from, to] = self.cells_about(base, min, max);
        for z in from.z..to.z {
            for y in from.y..to.y {
                for x in from.x..to.x {
                    let index = Index::new(x, y, z);
                    if self.blocks(index) {
                        let (min, max) = (
                            self.corner(index, base),
                            self.corner(index + Index::repeat(1), base),
                        );
                        out.push(SolidBox {
                            min,
                            max,
                            grain: f32::INFINITY,
                            object: self.object,
                        });
                    }
                }
            }
        }
    }

    fn contents(&self, at: &Position, _memory: &Memory) -> Contents {
        let cell = self.cell(self.index_at(at));
        Contents {
            loaded: cell.presence == Presence::Loaded,
            solid: cell.blocks(),
            liquid: cell.substance == Substance::Liquid,
            climbable: cell.substance == Substance::Ladder,
        }
    }

    fn moves_near(&self, base: Cell, min: Vector3<f32>, max: Vector3<f32>) -> bool {
        self.displacement != Vector3::zeros() && {
            let [from, to] = self.cells_about(base, min, max);
            (0..3).all(|axis| from[axis] < to[axis])
        }
    }

    fn has_moving_surfaces(&self) -> bool {
        self.surface_velocity != Vector3::zeros()
    }

    fn surface_velocity(&self, _object: ObjectId, _at: &Position) -> Vector3<f32> {
        self.surface_velocity
    }

    /// Returns the lattice cell below the surface at a place.
    fn touched(&self, object: ObjectId, at: &Position, normal: &Vector3<f32>) -> Option<Touched> {
        let below = at.moved(normal * -BEHIND_SURFACE);
        let corner = |index: u32| {
            let side = |bit: u32| BEHIND_SURFACE * if index >> bit & 1 == 0 { -1.0 } else { 1.0 };
            below.moved(Vector3::new(side(0), side(1), side(2)))
        };
        // Rounding may put a place at the rim of a cell beside it.
        let places = std::iter::once(below).chain((0..8).map(corner));
        let mut cells = places.map(|place| self.index_at(&place));
        let cell = cells.find(|&cell| self.blocks(cell))?;
        (object == self.object).then(|| Touched::voxel(cell, 0))
    }

    fn carry(&self, object: ObjectId, _at: &Position) -> Option<Vector3<f32>> {
        (object == self.object).then_some(self.displacement)
    }

    fn bounds(&self) -> Option<Bounds> {
        let ends = |axis: usize| {
            let lines = &self.placed[axis];
            let line = |line: Option<&Line>| line.copied().unwrap_or_default();
            [line(lines.first()), line(lines.last())]
                .map(|line| line.relative_to(self.origin.cell[axis]))
        };
        let [x, y, z] = [0, 1, 2].map(ends);
        let (min, max) = (
            Vector3::new(x[0], y[0], z[0]),
            Vector3::new(x[1], y[1], z[1]),
        );
        let before = self.displacement;
        let (min, max) = (min.inf(&(min - before)), max.sup(&(max - before)));
        Some(Bounds::about(self.origin.cell, min, max))
    }
}

#[cfg(test)]
mod tests;
