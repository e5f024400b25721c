//! The opaque part of the render surface: merged by material and ambient occlusion.
//!
//! The light at a vertex of a plane depends on the four voxels about it in the layer in front, and is therefore the
//! same for all faces that meet there. Faces grow together only along directions in which their light does not
//! change, so interpolation over a rectangle gives every vertex on its rim the light it has: no seam shows.

use super::bitmap::{Around, Bitmap, Kind, Padded};
use super::planes::{MergeScratch, PlaneSet, replace_planes};
use crate::chunk::{SIDE, Voxels, row_of};
use crate::material::Material;
use crate::surface::{Face, RenderQuad, Surface};

pub(super) fn update(
    around: &Around<'_>,
    planes: &PlaneSet,
    surface: &mut Surface<RenderQuad>,
    scratch: &mut MergeScratch,
) {
    replace_planes(surface, planes, &mut scratch.render, |face, layer, out| {
        let mut own = [0; SIDE];
        let mut front = [0; SIDE + 2];
        around.bitmap(Kind::Opaque, face.axis(), layer as i32, &mut own);
        around.padded(
            Kind::Opaque,
            face.axis(),
            layer as i32 + face.sign(),
            &mut front,
        );
        let mut any = 0;
        for (row, own) in own.iter_mut().enumerate() {
            *own &= !((front[row + 1] >> 1) as u32);
            any |= *own;
        }
        if any != 0 {
            let plane = Plane {
                voxels: &around.middle().voxels,
                face,
                layer,
            };
            merge_plane(&plane, &own, &front, out);
        }
    });
}

/// The voxels of one plane.
pub(super) struct Plane<'a> {
    pub(super) voxels: &'a Voxels,
    pub(super) face: Face,
    pub(super) layer: usize,
}

impl Plane<'_> {
    /// The material at a place of the bitmap, and the places of the mask from there on that hold it too, as far as they are
    /// contiguous.
    #[inline]
    pub(super) fn run(&self, row: usize, column: u32, bits: u32) -> Run {
        let (material, alike) = match self.face.axis() {
            0 => return self.run_of_columns(row, column, bits),
            1 => self.voxels.alike(row_of(self.layer, row), column as usize),
            _ => self.voxels.alike(row_of(row, self.layer), column as usize),
        };
        let length = ((bits & alike) >> column).trailing_ones();
        Run {
            material,
            mask: (u32::MAX >> (32 - length)) << column,
        }
    }

    fn run_of_columns(&self, row: usize, column: u32, bits: u32) -> Run {
        let material = self.voxels.at(row_of(column as usize, row), self.layer);
        let mut next = column + 1;
        while next < 32
            && (bits >> next) & 1 != 0
            && self.voxels.at(row_of(next as usize, row), self.layer) == material
        {
            next += 1;
        }
        Run {
            material,
            mask: (u32::MAX >> (32 - (next - column))) << column,
        }
    }

    /// Whether all places of the mask in this row hold the material.
    #[inline]
    pub(super) fn holds(&self, row: usize, mask: u32, material: Material) -> bool {
        match self.face.axis() {
            0 => {
                let mut rest = mask;
                while rest != 0 {
                    let y = rest.trailing_zeros() as usize;
                    if self.voxels.at(row_of(y, row), self.layer) != material {
                        return false;
                    }
                    rest &= rest - 1;
                }
                true
            }
            1 => self.voxels.holding(row_of(self.layer, row), material) & mask == mask,
            _ => self.voxels.holding(row_of(row, self.layer), material) & mask == mask,
        }
    }

    /// Packs a rectangle: its first row and column, rows, columns, and the light of its corners.
    pub(super) fn quad(&self, rect: &Rect, material: Material, light: u32) -> RenderQuad {
        let Rect {
            row,
            column,
            rows,
            columns,
        } = *rect;
        let layer = self.layer as u32;
        let ([x, y, z], width, height) = match self.face.axis() {
            0 => ([layer, column, row], columns, rows),
            1 => ([column, layer, row], rows, columns),
            _ => ([column, row, layer], columns, rows),
        };
        let place = x | (y << 6) | (z << 12);
        let size = ((width - 1) << 18) | ((height - 1) << 23);
        RenderQuad([
            place | size | ((self.face as u32) << 28),
            u32::from(material.0) | (light << 16),
        ])
    }
}

/// Contiguous places of one material in a row.
pub(super) struct Run {
    pub(super) material: Material,
    pub(super) mask: u32,
}

/// A rectangle of a bitmap.
pub(super) struct Rect {
    pub(super) row: u32,
    pub(super) column: u32,
    pub(super) rows: u32,
    pub(super) columns: u32,
}

/// Everything lit: 3 at all four corners.
pub(super) const LIT: u32 = 0xff;

/// Which faces of a plane may grow which way.
struct Classes {
    /// Light is the same at all corners: grow both ways.
    flat: Bitmap,
    /// Light changes only from row to row: grow along columns.
    along: Bitmap,
    /// Light changes only from column to column: grow over rows.
    across: Bitmap,
    /// Stay alone.
    single: Bitmap,
}

fn merge_plane(plane: &Plane<'_>, faces: &Bitmap, front: &Padded, out: &mut Vec<RenderQuad>) {
    let mut classes = classify(faces, front);
    for row in 0..SIDE {
        if faces[row] == 0 {
            continue;
        }
        merge_row(plane, &mut classes.flat, row, SIDE, front, out);
        merge_row(plane, &mut classes.along, row, row + 1, front, out);
        let mut rest = classes.across[row];
        while rest != 0 {
            let bit = rest & rest.wrapping_neg();
            rest &= !bit;
            let run = plane.run(row, bit.trailing_zeros(), bit);
            grow(plane, &mut classes.across, row, SIDE, &run, front, out);
        }
        let mut rest = classes.single[row];
        while rest != 0 {
            let bit = rest & rest.wrapping_neg();
            rest &= !bit;
            let run = plane.run(row, bit.trailing_zeros(), bit);
            grow(plane, &mut classes.single, row, row + 1, &run, front, out);
        }
    }
}

/// Takes the rectangles that begin in this row.
fn merge_row(
    plane: &Plane<'_>,
    faces: &mut Bitmap,
    row: usize,
    limit: usize,
    front: &Padded,
    out: &mut Vec<RenderQuad>,
) {
    let mut bits = faces[row];
    while bits != 0 {
        let run = plane.run(row, bits.trailing_zeros(), bits);
        bits &= !run.mask;
        grow(plane, faces, row, limit, &run, front, out);
    }
}

/// Grows a run over the rows below it, up to the limit, and emits it.
fn grow(
    plane: &Plane<'_>,
    faces: &mut Bitmap,
    row: usize,
    limit: usize,
    run: &Run,
    front: &Padded,
    out: &mut Vec<RenderQuad>,
) {
    let mut end = row + 1;
    while end < limit
        && faces[end] & run.mask == run.mask
        && plane.holds(end, run.mask, run.material)
    {
        faces[end] &= !run.mask;
        end += 1;
    }
    let rect = Rect {
        row: row as u32,
        column: run.mask.trailing_zeros(),
        rows: (end - row) as u32,
        columns: run.mask.count_ones(),
    };
    let light = light_of(plane.face, front, row, rect.column);
    out.push(plane.quad(&rect, run.material, light));
}

/// Vertex light along one line of vertices, two bits each: how many of the four voxels about it are there.
#[derive(Clone, Copy)]
struct Vertices {
    low: u64,
    high: u64,
}

/// Bit `k` is the vertex between bits `k - 1` and `k` of two neighbouring rows. Four cannot be at an exposed face.
fn count(above: u64, below: u64) -> Vertices {
    let (one, both) = (above ^ (above << 1), above & (above << 1));
    let (other, pair) = (below ^ (below << 1), below & (below << 1));
    Vertices {
        low: one ^ other,
        high: both | pair | (one & other),
    }
}

fn classify(faces: &Bitmap, front: &Padded) -> Classes {
    let mut classes = Classes {
        flat: *faces,
        along: [0; SIDE],
        across: [0; SIDE],
        single: [0; SIDE],
    };
    for row in 0..SIDE {
        let near = front[row] | front[row + 1] | front[row + 2];
        if faces[row] == 0 || near == 0 {
            continue;
        }
        let first = count(front[row], front[row + 1]);
        let second = count(front[row + 1], front[row + 2]);
        let changes =
            |line: Vertices| (line.low ^ (line.low >> 1)) | (line.high ^ (line.high >> 1));
        let along = !(changes(first) | changes(second)) >> 1;
        let differs = (first.low ^ second.low) | (first.high ^ second.high);
        let across = !(differs | (differs >> 1)) >> 1;
        let (along, across, bits) = (along as u32, across as u32, faces[row]);
        classes.flat[row] = bits & along & across;
        classes.along[row] = bits & along & !across;
        classes.across[row] = bits & across & !along;
        classes.single[row] = bits & !along & !across;
    }
    classes
}

/// The light of the four corners of the face at a place.
fn light_of(face: Face, front: &Padded, row: usize, column: u32) -> u32 {
    let rows =
        [front[row], front[row + 1], front[row + 2]].map(|bits| ((bits >> column) & 7) as u32);
    if rows == [0; 3] {
        return LIT;
    }
    let vertex = |row: usize, column: u32| {
        let pair = |bits: u32| ((bits >> column) & 3).count_ones();
        3 - (pair(rows[row]) + pair(rows[row + 1])).min(3)
    };
    let (next_column, next_row) = (vertex(0, 1), vertex(1, 0));
    let (along_u, along_v) = if face.axis() == 1 {
        (next_row, next_column)
    } else {
        (next_column, next_row)
    };
    vertex(0, 0) | (along_u << 2) | (along_v << 4) | (vertex(1, 1) << 6)
}
