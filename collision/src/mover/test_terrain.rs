//! A plain voxel terrain for tests of this crate: a function says which voxels are solid, and every
//! voxel is looked at on its own.

use crate::candidates::Candidates;
use crate::mover::Body;
use crate::position::{Cell, Position};
use crate::terrain::{Contents, Memory, ObjectId, Reach, SolidBox, Terrain};
use nalgebra::Vector3;

/// Voxels of one size, solid where a function says so.
pub(crate) struct Voxels<F> {
    pub(crate) size: f32,
    pub(crate) solid: F,
}

impl<F: Fn(Cell) -> bool + Sync> Voxels<F> {
    pub(crate) fn metric(solid: F) -> Self {
        Self { size: 1.0, solid }
    }

    /// Voxel index of the corner of a cell; exact for sizes that divide a metre.
    fn origin(&self, base: Cell) -> Cell {
        let per_metre = (1.0 / self.size) as i32;
        base.map(|part| part.wrapping_mul(per_metre))
    }

    fn range(&self, min: Vector3<f32>, max: Vector3<f32>) -> (Cell, Cell) {
        let low = min.map(|part| (part / self.size).floor() as i32);
        let high = max.map(|part| (part / self.size).floor() as i32);
        (low, high)
    }

    fn each(&self, min: Vector3<f32>, max: Vector3<f32>, mut call: impl FnMut(Cell)) {
        let (low, high) = self.range(min, max);
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                for x in low.x..=high.x {
                    call(Cell::new(x, y, z));
                }
            }
        }
    }

    fn at(&self, origin: Cell, voxel: Cell) -> bool {
        let axis = |i: usize| origin[i].wrapping_add(voxel[i]);
        (self.solid)(Cell::new(axis(0), axis(1), axis(2)))
    }

    fn push_voxel(&self, origin: Cell, voxel: Cell, out: &mut Candidates) {
        let corner = voxel.map(|part| part as f32 * self.size);
        let far = (voxel + Cell::repeat(1)).map(|part| part as f32 * self.size);
        let near = |sign: i32, axis: usize| if sign < 0 { corner[axis] } else { far[axis] };
        let open = |step: Cell| !self.at(origin, voxel + step);
        for axis in 0..3 {
            for sign in [-1, 1] {
                if open(unit(axis) * sign) {
                    let (mut low, mut high) = (corner, far);
                    low[axis] = near(sign, axis);
                    high[axis] = near(sign, axis);
                    out.push_face(axis, sign as f32, low, high, ObjectId(0));
                }
            }
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            for (su, sv) in [(-1, -1), (-1, 1), (1, -1), (1, 1)] {
                let (du, dv) = (unit(u) * su, unit(v) * sv);
                if open(du) && open(dv) && open(du + dv) {
                    let (mut low, mut high) = (corner, far);
                    (low[u], high[u]) = (near(su, u), near(su, u));
                    (low[v], high[v]) = (near(sv, v), near(sv, v));
                    out.push_edge(axis, [su as f32, sv as f32], low, high, ObjectId(0));
                }
            }
        }
        for bits in 0..8 {
            let sign = Cell::new(bits & 1, bits >> 1 & 1, bits >> 2).map(|bit| bit * 2 - 1);
            let around = (1..8).all(|part| {
                open(Cell::new(
                    sign.x * (part & 1),
                    sign.y * (part >> 1 & 1),
                    sign.z * (part >> 2),
                ))
            });
            if around {
                let point = Vector3::from_fn(|i, _| near(sign[i], i));
                out.push_corner(sign.map(|part| part as f32), point, ObjectId(0));
            }
        }
    }
}

fn unit(axis: usize) -> Cell {
    let mut cell = Cell::zeros();
    cell[axis] = 1;
    cell
}

impl<F: Fn(Cell) -> bool + Sync> Terrain for Voxels<F> {
    fn revision(&self) -> u64 {
        0
    }

    fn gather(&self, reach: &Reach, _memory: &mut Memory, out: &mut Candidates) {
        let origin = self.origin(reach.base);
        self.each(reach.min, reach.max, |voxel| {
            if self.at(origin, voxel) {
                self.push_voxel(origin, voxel, out);
            }
        });
    }

    fn gather_solids(
        &self,
        base: Cell,
        min: Vector3<f32>,
        max: Vector3<f32>,
        out: &mut Vec<SolidBox>,
    ) {
        let origin = self.origin(base);
        self.each(min, max, |voxel| {
            if self.at(origin, voxel) {
                out.push(SolidBox {
                    min: voxel.map(|part| part as f32 * self.size),
                    max: (voxel + Cell::repeat(1)).map(|part| part as f32 * self.size),
                    grain: f32::INFINITY,
                    object: ObjectId(0),
                });
            }
        });
    }

    fn contents(&self, at: &Position, _: &Memory) -> Contents {
        let voxel = at.offset.map(|part| (part / self.size).floor() as i32);
        Contents {
            loaded: true,
            solid: self.at(self.origin(at.cell), voxel),
            ..Contents::default()
        }
    }
}

/// Numbers that look random and are the same everywhere.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Between 0 and 1.
    pub(crate) fn share(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / 16_777_216.0
    }

    /// Between -1 and 1.
    pub(crate) fn signed(&mut self) -> f32 {
        self.share() * 2.0 - 1.0
    }

    pub(crate) fn vector(&mut self) -> Vector3<f32> {
        Vector3::new(self.signed(), self.signed(), self.signed())
    }
}

/// Returns whether a cell is solid, by chance.
pub(crate) fn scattered(seed: u64, density: f32) -> impl Fn(Cell) -> bool + Sync {
    move |cell: Cell| {
        let mut key = seed;
        for part in cell.iter() {
            key = Dice(key ^ u64::from(*part as u32)).bits();
        }
        Dice(key).share() < density
    }
}

/// Returns the metres between two ellipsoids, in `f64`: the widest of many slabs between them, the
/// best of which is turned for as long as it widens. A negative distance is a depth.
pub(crate) fn gap_by_force(a: &Body, b: &Body) -> f64 {
    let cells = a.position.cell - b.position.cell;
    let offset = cells.cast::<f64>() + (a.position.offset.cast() - b.position.offset.cast::<f64>());
    let support = |body: &Body, n: &Vector3<f64>| {
        let rise = n.dot(&body.up.cast());
        let [across, along] = [body.radii.across, body.radii.along].map(f64::from);
        (across.powi(2) * (1.0 - rise * rise) + (along * rise).powi(2)).sqrt()
    };
    let width = |n: &Vector3<f64>| n.dot(&offset) - support(a, n) - support(b, n);
    let net =
        (0..=60).flat_map(|i| (0..120).map(move |j| (f64::from(i) / 60.0, f64::from(j) / 120.0)));
    let (mut best, mut widest) = (Vector3::zeros(), f64::MIN);
    let mut offer = |n: Vector3<f64>| {
        let wider = width(&n) > widest;
        if wider {
            (best, widest) = (n, width(&n));
        }
        (wider, best, widest)
    };
    for (polar, turn) in net {
        let (polar, turn) = (polar * std::f64::consts::PI, turn * std::f64::consts::TAU);
        offer(Vector3::new(
            polar.sin() * turn.cos(),
            polar.cos(),
            polar.sin() * turn.sin(),
        ));
    }
    let (mut size, mut found) = (0.05, offer(Vector3::y()));
    while size > 1e-8 {
        let from = found.1;
        let mut wider = false;
        for axis in 0..3 {
            for sign in [-size, size] {
                let mut n = from;
                n[axis] += sign;
                found = offer(n.normalize());
                wider |= found.0;
            }
        }
        if !wider {
            size *= 0.5;
        }
    }
    found.2
}
