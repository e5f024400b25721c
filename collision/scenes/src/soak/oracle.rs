//! The solids of the oracle: voxels, triangles and boxes in `f64`, tested one by one. Shares no
//! code with the mover.

use nalgebra::{Point3, Vector3};

use super::super::depth::Ellipsoid;
use super::super::random::Random;
use collision::position::Cell;
use collision::shapes::Substance;

/// Voxels along each side of a world.
pub(super) const SIDE: i32 = 40;

/// The solids of a world.
pub(super) struct Oracle {
    pub(super) size: f64,
    pub(super) solid: Vec<bool>,
    /// Triangles that block from both sides.
    pub(super) triangles: Vec<[Vector3<f64>; 3]>,
    /// Lower and upper corners of solid boxes.
    pub(super) boxes: Vec<[Vector3<f64>; 2]>,
}

/// An ellipsoid prepared for measuring.
pub(super) struct Measured {
    ellipsoid: Ellipsoid,
    half: Vector3<f64>,
}

impl Measured {
    pub(super) fn new(body: &collision::mover::Body) -> Self {
        let ellipsoid = Ellipsoid::of(body);
        let half = ellipsoid.half();
        Self { ellipsoid, half }
    }

    /// Returns its depth in a solid, or `least` if that is deeper.
    pub(super) fn depth_in(&self, solid: &Solid, at: &Point3<f64>, least: f64) -> f64 {
        match solid {
            Solid::Box(corners) => {
                let [low, high] = corners.map(|corner| corner - at.coords);
                self.ellipsoid.depth_in_box(&low, &high, least)
            }
            Solid::Triangle(corners) => {
                let local = corners.map(|corner| corner - at.coords);
                self.ellipsoid.depth_in_triangle(&local, least)
            }
        }
    }
}

impl Oracle {
    /// Makes random voxels inside a closed rim.
    pub(super) fn new(size: f64, density: f64, random: &mut Random) -> Self {
        let solid = (0..SIDE * SIDE * SIDE)
            .map(|place| is_rim(cell_of(place)) || random.share() < density)
            .collect();
        Self {
            size,
            solid,
            triangles: Vec::new(),
            boxes: Vec::new(),
        }
    }

    pub(super) fn place(cell: Cell) -> Option<usize> {
        let inside = cell.iter().all(|part| (0..SIDE).contains(part));
        inside.then(|| ((cell.z * SIDE + cell.y) * SIDE + cell.x) as usize)
    }

    /// Toggles a voxel; returns its new substance.
    pub(super) fn toggle(&mut self, place: usize) -> Substance {
        self.solid[place] ^= true;
        if self.solid[place] {
            Substance::Solid
        } else {
            Substance::Air
        }
    }

    pub(super) fn voxel(&self, cell: Cell) -> Solid {
        let corner = cell.cast::<f64>() * self.size;
        Solid::Box([corner, corner.add_scalar(self.size)])
    }

    fn is_solid(&self, cell: Cell) -> bool {
        Self::place(cell).is_some_and(|place| self.solid[place])
    }

    /// Returns the depth of an ellipsoid about a point in any solid; negative is the gap, as far as
    /// it is less than `around`.
    pub(super) fn depth(&self, measured: &Measured, at: &Point3<f64>, around: f64) -> f64 {
        let mut deepest = -around;
        self.each_near(measured, at, around, |solid| {
            deepest = measured.depth_in(&solid, at, deepest);
        });
        deepest
    }

    /// Calls `each` with the solids whose boxes come within `around` of the box of an ellipsoid.
    fn each_near(
        &self,
        measured: &Measured,
        at: &Point3<f64>,
        around: f64,
        mut each: impl FnMut(Solid),
    ) {
        let reach = measured.half.add_scalar(around);
        let (min, max) = (at.coords - reach, at.coords + reach);
        let low = (min / self.size).map(|part| part.floor() as i32);
        let high = (max / self.size).map(|part| part.floor() as i32);
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                for x in low.x..=high.x {
                    let cell = Cell::new(x, y, z);
                    if self.is_solid(cell) {
                        each(self.voxel(cell));
                    }
                }
            }
        }
        for corners in &self.boxes {
            let [low, high] = corners;
            if (0..3).all(|axis| low[axis] <= max[axis] && high[axis] >= min[axis]) {
                each(Solid::Box(*corners));
            }
        }
        for corners in &self.triangles {
            let near = |axis: usize| {
                let part = corners.map(|corner| corner[axis]);
                part.iter().any(|c| *c <= max[axis]) && part.iter().any(|c| *c >= min[axis])
            };
            if (0..3).all(near) {
                each(Solid::Triangle(*corners));
            }
        }
    }

    /// Returns whether a millimetre in some direction along the wish is free, tested exactly: no
    /// overlap gets deeper. For a walker only level directions count.
    pub(super) fn finds_way(
        &self,
        measured: &Measured,
        at: &Point3<f64>,
        wish: &Vector3<f64>,
        gait: Gait,
        random: &mut Random,
    ) -> bool {
        let Some(along) = wish.try_normalize(0.0) else {
            return false;
        };
        let mut around = Vec::new();
        self.each_near(measured, at, 2e-3, |solid| {
            around.push((solid, measured.depth_in(&solid, at, 0.0)));
        });
        let free = |place: Point3<f64>| {
            let mut all = around.iter();
            all.all(|(solid, before)| measured.depth_in(solid, &place, 0.0) <= before + 1e-6)
        };
        for _ in 0..120 {
            let mut way = Vector3::from_fn(|_, _| random.between(-1.0, 1.0));
            if let Gait::Level(up) = gait {
                way -= up * up.dot(&way);
            }
            let way = way.normalize() * 1e-3;
            let shares = [0.25, 0.5, 1.0];
            if way.dot(&along) > 0.2e-3 && shares.iter().all(|share| free(at + way * *share)) {
                return true;
            }
        }
        false
    }
}

/// A solid.
#[derive(Clone, Copy)]
pub(super) enum Solid {
    Box([Vector3<f64>; 2]),
    Triangle([Vector3<f64>; 3]),
}

/// The directions in which a character may go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Gait {
    /// Any direction.
    Free,
    /// Across an up axis.
    Level(Vector3<f64>),
}

/// Returns the cell of an index in the list of voxels.
pub(super) fn cell_of(place: i32) -> Cell {
    Cell::new(place % SIDE, place / SIDE % SIDE, place / (SIDE * SIDE))
}

fn is_rim(cell: Cell) -> bool {
    cell.iter().any(|part| *part == 0 || *part == SIDE - 1)
}

/// Returns the overlap, in metres, of two ellipsoids with the same up axis; negative is the gap.
/// The largest gap over directions in the plane of both centres and the axis, by nested search.
pub(super) fn overlap(offset: &Vector3<f64>, up: &Vector3<f64>, a: [f64; 2], b: [f64; 2]) -> f64 {
    let height = offset.dot(up).abs();
    let level = offset.cross(up).norm();
    let gap = |angle: f64| {
        let (sine, cosine) = angle.sin_cos();
        let support = |[across, along]: [f64; 2]| (across * cosine).hypot(along * sine);
        level * cosine + height * sine - support(a) - support(b)
    };
    let (mut from, mut to) = (0.0, std::f64::consts::FRAC_PI_2);
    let mut best = f64::NEG_INFINITY;
    for _ in 0..8 {
        let step: f64 = (to - from) / 16.0;
        let angles = (0..=16).map(|part| from + step * f64::from(part));
        let (most, at) = angles.map(|angle| (gap(angle), angle)).fold(
            (f64::NEG_INFINITY, from),
            |best, next| {
                if next.0 > best.0 { next } else { best }
            },
        );
        best = best.max(most);
        (from, to) = (at - step, at + step);
    }
    -best
}
