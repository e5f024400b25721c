//! Brushes: shapes that select the voxels whose centres lie inside them, row by row.
//!
//! Coordinates are relative to a cell of the brush, so that precision does not depend on the place.
//! Applying a brush is the task of [`crate::edit`].

use crate::chunk::row_of;
use crate::kd_tree::CellBox;
use crate::space::{ChunkPosition, chunk_of};
use collision::{Cell, Position};
use nalgebra::Vector3;
use std::ops::ControlFlow;

/// Relative rounding error of lengths: a chunk farther from a shape than this is not in it. If
/// larger, chunks are loaded that the shape just misses.
const ROUNDING: f64 = 1e-9;

/// Bisections that find the point of a segment nearest to a box. With fewer, long lines miss
/// chunks; more change nothing.
const HALVINGS: u32 = 60;

/// A direction along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// East.
    X,
    /// Up.
    Y,
    /// South.
    Z,
}

impl Axis {
    /// Returns 0, 1 or 2.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// A shape that selects voxels. Lengths in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Brush {
    /// The ball about a point.
    Sphere {
        /// The middle.
        center: Position,
        /// Distance to the surface.
        radius: f32,
    },
    /// All cells between two corners, both included.
    Box {
        /// One corner.
        from: Cell,
        /// The opposite corner.
        to: Cell,
    },
    /// A cylinder along an axis.
    Cylinder {
        /// Centre of the first disc.
        base: Position,
        /// Axis that the cylinder follows.
        axis: Axis,
        /// Distance from the axis.
        radius: f32,
        /// Length along the axis; below zero it points the other way.
        height: f32,
    },
    /// The half-ball behind a plane, cut off at a depth: levels ground, or fills holes.
    Plane {
        /// A point on the plane.
        at: Position,
        /// Points out of the half-ball; need not be of length 1.
        normal: Vector3<f32>,
        /// Distance from the point.
        radius: f32,
        /// Extent below the plane.
        depth: f32,
    },
    /// All points within a distance of a segment.
    Line {
        /// One end.
        from: Position,
        /// The other end.
        to: Position,
        /// Distance from the segment.
        radius: f32,
    },
}

impl Brush {
    /// Makes a ball.
    pub fn sphere(center: Position, radius: f32) -> Self {
        Self::Sphere { center, radius }
    }

    /// Makes a box of cells, both corners included, in any order.
    pub fn cells(from: Cell, to: Cell) -> Self {
        Self::Box { from, to }
    }

    /// Makes a brush of one voxel.
    pub fn voxel(cell: Cell) -> Self {
        Self::cells(cell, cell)
    }

    /// Makes an upright cylinder.
    pub fn cylinder(base: Position, radius: f32, height: f32) -> Self {
        Self::Cylinder {
            base,
            axis: Axis::Y,
            radius,
            height,
        }
    }

    /// Makes the ground below a plane.
    pub fn plane(at: Position, normal: Vector3<f32>, radius: f32, depth: f32) -> Self {
        Self::Plane {
            at,
            normal,
            radius,
            depth,
        }
    }

    /// Makes a thick line.
    pub fn line(from: Position, to: Position, radius: f32) -> Self {
        Self::Line { from, to, radius }
    }

    /// Returns a box of cells that contains the brush; `None` if the brush is empty, not finite, or
    /// wider than the world.
    pub fn bounds(&self) -> Option<CellBox> {
        let about = |middle: &Position, low: Vector3<f32>, high: Vector3<f32>| {
            let reach = |offset: Vector3<f32>| {
                let at = (middle.offset + offset).map(|part| f64::from(part).floor());
                at.iter().all(|part| part.abs() < 1e9).then(|| {
                    middle
                        .cell
                        .zip_map(&at, |cell, part| cell.checked_add(part as i32))
                })
            };
            let all = |cell: Vector3<Option<i32>>| Some(Cell::new(cell.x?, cell.y?, cell.z?));
            Some(CellBox::new(all(reach(low)?)?, all(reach(high)?)?))
        };
        match self {
            Self::Box { from, to } => Some(CellBox::new(from.inf(to), from.sup(to))),
            Self::Plane { normal, depth, .. }
                if depth.is_nan()
                    || *depth < 0.0
                    || positive(normal.norm()).is_none_or(|length| length == 0.0) =>
            {
                None
            }
            Self::Sphere { center, radius }
            | Self::Plane {
                at: center, radius, ..
            } => {
                positive(*radius)?;
                let reach = Vector3::repeat(*radius);
                about(center, -reach, reach)
            }
            Self::Cylinder {
                base,
                axis,
                radius,
                height,
            } => {
                positive(*radius)?;
                positive(height.abs())?;
                let (mut low, mut high) = (Vector3::repeat(-radius), Vector3::repeat(*radius));
                low[axis.index()] = height.min(0.0);
                high[axis.index()] = height.max(0.0);
                about(base, low, high)
            }
            Self::Line { from, to, radius } => {
                positive(*radius)?;
                let along = to.relative_to(from.cell) - from.offset;
                along.iter().all(|part| part.is_finite()).then_some(())?;
                let reach = Vector3::repeat(*radius);
                about(
                    from,
                    along.inf(&Vector3::zeros()) - reach,
                    along.sup(&Vector3::zeros()) + reach,
                )
            }
        }
    }

    /// Returns true if the centre of a cell is inside.
    pub fn contains(&self, cell: Cell) -> bool {
        self.inside()(cell)
    }

    /// Returns the test for one cell; all that does not depend on the cell is computed once.
    fn inside(&self) -> Box<dyn Fn(Cell) -> bool + Sync> {
        let local = |middle: Position| {
            let offset = middle.offset.map(f64::from);
            move |cell: Cell| {
                cell.zip_map(&middle.cell, i32::wrapping_sub).map(f64::from) - offset
                    + Vector3::repeat(0.5)
            }
        };
        match *self {
            Self::Box { from, to } => {
                let bounds = CellBox::new(from.inf(&to), from.sup(&to));
                Box::new(move |cell| bounds.contains(cell))
            }
            Self::Sphere { center, radius } => {
                let (local, square) = (local(center), f64::from(radius) * f64::from(radius));
                Box::new(move |cell| local(cell).norm_squared() <= square)
            }
            Self::Cylinder {
                base,
                axis,
                radius,
                height,
            } => {
                let (local, square) = (local(base), f64::from(radius) * f64::from(radius));
                let (low, high) = (f64::from(height.min(0.0)), f64::from(height.max(0.0)));
                Box::new(move |cell| {
                    let mut at = local(cell);
                    let along = std::mem::take(&mut at[axis.index()]);
                    (low..=high).contains(&along) && at.norm_squared() <= square
                })
            }
            Self::Plane {
                at,
                normal,
                radius,
                depth,
            } => {
                let (local, square) = (local(at), f64::from(radius) * f64::from(radius));
                let normal = normal.map(f64::from).normalize();
                Box::new(move |cell| {
                    let at = local(cell);
                    let above = at.dot(&normal);
                    at.norm_squared() <= square && above <= 0.0 && above >= -f64::from(depth)
                })
            }
            Self::Line { from, to, radius } => {
                let (local, square) = (local(from), f64::from(radius) * f64::from(radius));
                let along = (to.relative_to(from.cell) - from.offset).map(f64::from);
                let length = along.norm_squared();
                Box::new(move |cell| {
                    let at = local(cell);
                    let share = if length > 0.0 {
                        at.dot(&along) / length
                    } else {
                        0.0
                    };
                    (at - along * share.clamp(0.0, 1.0)).norm_squared() <= square
                })
            }
        }
    }

    /// Returns the range of chunks that the brush may touch.
    pub fn chunks(&self) -> Option<CellBox> {
        let bounds = self.bounds()?;
        Some(CellBox::new(chunk_of(bounds.min), chunk_of(bounds.max)))
    }

    /// Visits the chunks within `about` cells (along each axis) of the brush in the order of z, y
    /// and x, until `visit` breaks. May include chunks that the brush just misses.
    pub(crate) fn visit_chunks(
        &self,
        about: i32,
        mut visit: impl FnMut(ChunkPosition) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(bounds) = self.bounds() else {
            return ControlFlow::Continue(());
        };
        let bounds = grown(&bounds, about);
        let chunks = CellBox::new(chunk_of(bounds.min), chunk_of(bounds.max));
        self.visit_part(&chunks, about, &mut visit)
    }

    /// Visits some of the chunks: halves them along z, then y, then x, and drops the parts that the
    /// brush does not reach.
    fn visit_part(
        &self,
        chunks: &CellBox,
        about: i32,
        visit: &mut dyn FnMut(ChunkPosition) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let cells = CellBox::new(chunks.min * 32, chunks.max.map(|part| part * 32 + 31));
        if !self.may_reach(&grown(&cells, about)) {
            return ControlFlow::Continue(());
        }
        let Some(axis) = (0..3)
            .rev()
            .find(|&axis| chunks.min[axis] < chunks.max[axis])
        else {
            return visit(chunks.min);
        };
        let (mut low, mut high) = (*chunks, *chunks);
        low.max[axis] = (chunks.min[axis] + chunks.max[axis]).div_euclid(2);
        high.min[axis] = low.max[axis] + 1;
        self.visit_part(&low, about, visit)?;
        self.visit_part(&high, about, visit)
    }

    /// Returns false only if no cell of the box is inside. May return true for a box next to the
    /// brush; always does for [`Brush::Box`].
    fn may_reach(&self, cells: &CellBox) -> bool {
        match *self {
            Self::Box { .. } => true,
            Self::Sphere { center, radius } => {
                Middles::new(cells, &center).are_near(&Vector3::zeros(), f64::from(radius))
            }
            Self::Cylinder {
                base,
                axis,
                radius,
                height,
            } => {
                let mut middles = Middles::new(cells, &base);
                let along = axis.index();
                let between = middles.high[along] >= f64::from(height.min(0.0))
                    && middles.low[along] <= f64::from(height.max(0.0));
                (middles.low[along], middles.high[along]) = (0.0, 0.0);
                between && middles.are_near(&Vector3::zeros(), f64::from(radius))
            }
            Self::Plane {
                at,
                normal,
                radius,
                depth,
            } => {
                let middles = Middles::new(cells, &at);
                let normal = normal.map(f64::from).normalize();
                let above = (middles.low + middles.high).dot(&normal) / 2.0;
                let half = (middles.high - middles.low).dot(&normal.abs()) / 2.0;
                let slack = ROUNDING * (half + f64::from(radius));
                middles.are_near(&Vector3::zeros(), f64::from(radius))
                    && above - half <= slack
                    && above + half >= -f64::from(depth) - slack
            }
            Self::Line { from, to, radius } => {
                let along = (to.relative_to(from.cell) - from.offset).map(f64::from);
                let slack = ROUNDING * (along.norm() + f64::from(radius));
                Middles::new(cells, &from).are_near_line(&along, f64::from(radius) + slack)
            }
        }
    }

    /// Visits the rows of a chunk that contain voxels of the brush: row `z * 32 + y`, mask by `x`.
    pub fn visit_chunk(&self, chunk: ChunkPosition, mut visit: impl FnMut(usize, u32)) {
        let Some(bounds) = self.bounds() else {
            return;
        };
        let corner = chunk.map(|part| part.wrapping_mul(32));
        let here = CellBox::new(corner, corner.map(|part| part.wrapping_add(31)));
        if !here.meets(&bounds) {
            return;
        }
        let low = (bounds.min.sup(&here.min) - corner).map(|part| part as usize);
        let high = (bounds.max.inf(&here.max) - corner).map(|part| part as usize);
        let inside = self.inside();
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                let mut mask = 0;
                for x in low.x..=high.x {
                    let cell = corner + Vector3::new(x as i32, y as i32, z as i32);
                    mask |= u32::from(inside(cell)) << x;
                }
                if mask != 0 {
                    visit(row_of(y, z), mask);
                }
            }
        }
    }
}

/// Returns a box extended by `by` cells on each side, within `i32`.
fn grown(cells: &CellBox, by: i32) -> CellBox {
    CellBox::new(
        cells.min.map(|part| part.saturating_sub(by)),
        cells.max.map(|part| part.saturating_add(by)),
    )
}

/// The box spanned by the centres of a range of cells, relative to a point.
struct Middles {
    low: Vector3<f64>,
    high: Vector3<f64>,
}

impl Middles {
    fn new(cells: &CellBox, from: &Position) -> Self {
        let origin = from.cell.map(f64::from);
        let offset = from.offset.map(f64::from);
        let middle = |cell: Cell| cell.map(f64::from) - origin - offset + Vector3::repeat(0.5);
        Self {
            low: middle(cells.min),
            high: middle(cells.max),
        }
    }

    /// Returns the vector from the nearest point of the box to a place.
    fn way_to(&self, at: &Vector3<f64>) -> Vector3<f64> {
        at - at.sup(&self.low).inf(&self.high)
    }

    fn are_near(&self, at: &Vector3<f64>, radius: f64) -> bool {
        self.way_to(at).norm_squared() <= radius * radius
    }

    /// Returns true if the segment from the origin to `along` comes within `radius` of the box. The
    /// distance along a segment is convex, so its slope tells which half holds the minimum.
    fn are_near_line(&self, along: &Vector3<f64>, radius: f64) -> bool {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let share = (low + high) / 2.0;
            let way = self.way_to(&(along * share));
            if way.norm_squared() <= radius * radius {
                return true;
            }
            if way.dot(along) > 0.0 {
                high = share;
            } else {
                low = share;
            }
        }
        false
    }
}

fn positive(length: f32) -> Option<f32> {
    (length >= 0.0 && length.is_finite()).then_some(length)
}
