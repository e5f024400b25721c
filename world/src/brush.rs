//! Brushes: shapes that pick the voxels whose centres they hold, row by row.
//!
//! All coordinates are taken relative to a cell of the brush, so a brush works the same anywhere. Not here: what is done
//! with the voxels (see [`crate::edit`]).

use crate::chunk::row_of;
use crate::kd_tree::CellBox;
use crate::world::{ChunkPosition, chunk_of};
use collision::{Cell, Position};
use nalgebra::Vector3;

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
    /// 0, 1 or 2.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// A shape that picks voxels. Lengths in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Brush {
    /// All within a distance of a point.
    Sphere {
        /// The middle.
        center: Position,
        /// Distance to the surface.
        radius: f32,
    },
    /// All cells from one to another, both included.
    Box {
        /// One corner.
        from: Cell,
        /// The opposite corner.
        to: Cell,
    },
    /// All within a distance of an axis, for a length along it.
    Cylinder {
        /// The middle of the disc it stands on.
        base: Position,
        /// Where it points.
        axis: Axis,
        /// Distance from the axis.
        radius: f32,
        /// Length along the axis; below zero it points the other way.
        height: f32,
    },
    /// The side of a plane that its normal leaves, within a distance of a point: levels ground, or fills holes.
    Plane {
        /// A point on the plane.
        at: Position,
        /// Points out; need not be of length 1.
        normal: Vector3<f32>,
        /// Distance from the point.
        radius: f32,
        /// How far below the plane.
        depth: f32,
    },
    /// All within a distance of a segment.
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
    /// A ball.
    pub fn sphere(center: Position, radius: f32) -> Self {
        Self::Sphere { center, radius }
    }

    /// A box of cells, both corners included, in any order.
    pub fn cells(from: Cell, to: Cell) -> Self {
        Self::Box { from, to }
    }

    /// One voxel.
    pub fn voxel(cell: Cell) -> Self {
        Self::cells(cell, cell)
    }

    /// An upright cylinder.
    pub fn cylinder(base: Position, radius: f32, height: f32) -> Self {
        Self::Cylinder {
            base,
            axis: Axis::Y,
            radius,
            height,
        }
    }

    /// The ground below a plane.
    pub fn plane(at: Position, normal: Vector3<f32>, radius: f32, depth: f32) -> Self {
        Self::Plane {
            at,
            normal,
            radius,
            depth,
        }
    }

    /// A thick line.
    pub fn line(from: Position, to: Position, radius: f32) -> Self {
        Self::Line { from, to, radius }
    }

    /// A box of cells that holds all of the brush; `None` if it is empty, not finite, or wider than the world.
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

    /// Whether the middle of a cell is inside.
    pub fn contains(&self, cell: Cell) -> bool {
        self.inside()(cell)
    }

    /// The test for one cell, with all that does not depend on the cell done beforehand.
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

    /// The chunks that the brush may touch.
    pub fn chunks(&self) -> Option<CellBox> {
        let bounds = self.bounds()?;
        Some(CellBox::new(chunk_of(bounds.min), chunk_of(bounds.max)))
    }

    /// Visits the rows of a chunk that hold voxels of the brush: row `z * 32 + y`, mask by `x`.
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

fn positive(length: f32) -> Option<f32> {
    (length >= 0.0 && length.is_finite()).then_some(length)
}
