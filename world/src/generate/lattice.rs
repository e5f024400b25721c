//! The lattice of samples under one column of chunks.
//!
//! Slowly varying fields are sampled every 16 m, the height of the land every 4 m, up to 8 m beyond
//! the chunk on each side, for slopes and for trees rooted in neighbouring chunks. All lattices are
//! aligned to the world, so neighbours agree exactly.

use super::fields::{Fields, lerp, smooth};
use super::ground::Ground;
use super::lakes::Lake;
use super::shape::{Climate, SEA_LEVEL};
use crate::chunk::SIDE;

/// Distance between height samples, in metres.
pub(super) const STEP: usize = 4;
/// Width beyond the chunk in which heights are sampled, in metres.
pub(super) const MARGIN: i32 = 8;
const POINTS: usize = (SIDE + 2 * MARGIN as usize) / STEP + 1;
/// Distance between samples of the slowly varying fields, in metres.
const COARSE_STEP: i32 = 16;
const COARSE_MARGIN: i32 = 16;
const COARSE_POINTS: usize = (SIDE as i32 + 2 * COARSE_MARGIN) as usize / COARSE_STEP as usize + 1;

/// The land at a lattice point.
#[derive(Clone, Copy, Default)]
pub(crate) struct Point {
    pub(crate) climate: Climate,
    pub(crate) height: f64,
    /// Level of the lake at this point, or of the sea.
    pub(crate) water: i32,
    /// Slope as rise over run.
    pub(crate) slope: f64,
    /// Largest displacement of the surface by crags, in metres.
    pub(crate) crag: f64,
}

/// The points of a column.
pub(crate) struct Lattice {
    /// Cell of the column's corner.
    pub(crate) origin: [i32; 2],
    points: Box<[Point; POINTS * POINTS]>,
}

impl Lattice {
    /// Samples the land under the column of chunks `(x, z)`.
    pub(super) fn new(fields: &Fields, seed: u64, x: i32, z: i32) -> Self {
        let origin = [x.wrapping_mul(SIDE as i32), z.wrapping_mul(SIDE as i32)];
        let mut points = sample_points(fields, seed, origin);
        measure_slopes(&mut points);
        Self { origin, points }
    }

    /// Returns the lattice point at a distance from the corner, in metres; must be a multiple of 4
    /// within the margin.
    pub(crate) fn point(&self, x: i32, z: i32) -> &Point {
        let at = |distance: i32| ((distance + MARGIN) / STEP as i32) as usize;
        &self.points[at(z) * POINTS + at(x)]
    }

    /// Interpolates the ground at any voxel column within the margin.
    pub(crate) fn between(&self, x: i32, z: i32) -> Ground {
        let step = STEP as i32;
        let (left, near) = (x.div_euclid(step) * step, z.div_euclid(step) * step);
        // At voxel centres, so that the lattice is met symmetrically.
        let along = (f64::from(x - left) + 0.5) / f64::from(step);
        let across = (f64::from(z - near) + 0.5) / f64::from(step);
        let corners = [
            self.point(left, near),
            self.point(left + step, near),
            self.point(left, near + step),
            self.point(left + step, near + step),
        ];
        let value = |read: &dyn Fn(&Point) -> f64| {
            lerp(
                lerp(read(corners[0]), read(corners[1]), along),
                lerp(read(corners[2]), read(corners[3]), along),
                across,
            )
        };
        let nearest = corners[usize::from(along > 0.5) + 2 * usize::from(across > 0.5)];
        let water = corners.iter().map(|point| point.water).max();
        Ground {
            height: value(&|point| point.height),
            slope: value(&|point| point.slope),
            crag: value(&|point| point.crag),
            warmth: value(&|point| point.climate.warmth),
            moisture: value(&|point| point.climate.moisture),
            mouths: nearest.climate.mouths,
            mountains: nearest.climate.mountains,
            terraced: nearest.climate.terraced,
            water: water.unwrap_or(SEA_LEVEL),
        }
    }
}

fn sample_points(fields: &Fields, seed: u64, origin: [i32; 2]) -> Box<[Point; POINTS * POINTS]> {
    let coarse = sample_climate(fields, origin);
    let mut points = Box::new([Point::default(); POINTS * POINTS]);
    let corner = |distance: i32| origin.map(|part| f64::from(part) + f64::from(distance));
    let mut lakes = LakesNearby {
        known: Vec::new(),
        near: [corner(-MARGIN), corner(SIDE as i32 + MARGIN)],
    };
    for row in 0..POINTS {
        for along in 0..POINTS {
            let [x, z] = [along, row].map(|index| (index * STEP) as i32 - MARGIN);
            let climate = climate_at(&coarse, x, z);
            let at = [
                f64::from(origin[0]) + f64::from(x),
                f64::from(origin[1]) + f64::from(z),
            ];
            let point = &mut points[row * POINTS + along];
            point.climate = climate;
            point.height = climate.height(fields, at[0], at[1]);
            point.water = SEA_LEVEL;
            if let Some(lake) = lakes.at(fields, seed, at)
                && let Some(shore) = lake.shore(fields, at[0], at[1], point.height)
            {
                point.height = shore.height;
                point.water = shore.water;
            }
        }
    }
    points
}

fn sample_climate(fields: &Fields, origin: [i32; 2]) -> [Climate; COARSE_POINTS * COARSE_POINTS] {
    let mut coarse = [Climate::default(); COARSE_POINTS * COARSE_POINTS];
    for (index, climate) in coarse.iter_mut().enumerate() {
        let offset = |index: usize| (index as i32 * COARSE_STEP - COARSE_MARGIN) as f64;
        *climate = Climate::sample(
            fields,
            f64::from(origin[0]) + offset(index % COARSE_POINTS),
            f64::from(origin[1]) + offset(index / COARSE_POINTS),
        );
    }
    coarse
}

fn climate_at(coarse: &[Climate; COARSE_POINTS * COARSE_POINTS], x: i32, z: i32) -> Climate {
    let place = |distance: i32| {
        let steps = distance + COARSE_MARGIN;
        let index = (steps / COARSE_STEP).min(COARSE_POINTS as i32 - 2);
        let share = f64::from(steps - index * COARSE_STEP) / f64::from(COARSE_STEP);
        (index as usize, share)
    };
    let ((column, along), (row, across)) = (place(x), place(z));
    let mix = |row: usize| {
        coarse[row * COARSE_POINTS + column].mix(&coarse[row * COARSE_POINTS + column + 1], along)
    };
    mix(row).mix(&mix(row + 1), across)
}

/// Computes slopes towards the next points, and from them the height of crags.
fn measure_slopes(points: &mut [Point; POINTS * POINTS]) {
    for row in 0..POINTS - 1 {
        for along in 0..POINTS - 1 {
            let index = row * POINTS + along;
            let height = points[index].height;
            let rise_x = (points[index + 1].height - height) / STEP as f64;
            let rise_z = (points[index + POINTS].height - height) / STEP as f64;
            let slope = (rise_x * rise_x + rise_z * rise_z).sqrt();
            let dry = smooth(1.5, 6.0, height - f64::from(points[index].water));
            points[index].slope = slope;
            points[index].crag = 8.0 * smooth(0.6, 1.5, slope) * dry;
        }
    }
}

/// The lakes of the few lake cells that a column touches, looked up once.
struct LakesNearby {
    /// Corners of the area that is sampled for the column.
    near: [[f64; 2]; 2],
    known: Vec<([i32; 2], Option<Lake>)>,
}

impl LakesNearby {
    fn at(&mut self, fields: &Fields, seed: u64, at: [f64; 2]) -> Option<Lake> {
        let cell = Lake::cell(at[0], at[1]);
        if let Some(&(_, lake)) = self.known.iter().find(|(known, _)| *known == cell) {
            return lake;
        }
        let lake = Lake::in_cell(fields, seed, cell, self.near);
        self.known.push((cell, lake));
        lake
    }
}
