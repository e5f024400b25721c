//! Behaviour of walking: steps, ledges, slopes, ceilings.
#![allow(clippy::unwrap_used)]

use crate::mover::test_terrain::{Dice, Voxels};
use crate::mover::{
    Around, Before, Body, Feature, Ground, MoverConfig, Neighbour, Radii, Report, Scratch,
    StoppedBy, walk, walk_closely,
};
use crate::position::{Cell, Position};
use crate::terrain::{Memory, ObjectId, Terrain};
use crate::{Sides, TriangleSoup};
use nalgebra::{Point3, Vector3};

struct Walker {
    body: Body,
    ground: Option<Ground>,
    config: MoverConfig,
    scratch: Scratch,
    fall: f32,
}

impl Walker {
    fn at(x: f64, y: f64, z: f64) -> Self {
        Self {
            body: Body {
                position: Position::from_metres(Point3::new(x, y, z)),
                radii: Radii::new(0.4, 0.9),
                up: Vector3::y(),
            },
            ground: None,
            config: MoverConfig::default(),
            scratch: Scratch::default(),
            fall: 0.0,
        }
    }

    fn tick(&mut self, terrain: &impl Terrain, x: f32, z: f32) -> Report {
        self.fall = if self.ground.is_some() {
            0.0
        } else {
            self.fall - 9.81 / 3600.0
        };
        let around = Around::terrain(terrain, &self.config);
        let report = walk(
            &around,
            &mut self.body,
            Vector3::new(x, self.fall, z),
            self.ground,
            &mut Memory::default(),
            &mut self.scratch,
        );
        self.ground = report.ground;
        report
    }

    fn place(&self) -> Point3<f64> {
        self.body.position.to_metres()
    }
}

fn floor(cell: Cell) -> bool {
    cell.y < 0
}

#[test]
fn lands_and_stays_grounded_for_ten_thousand_steps() {
    let terrain = Voxels::metric(floor);
    let mut walker = Walker::at(0.3, 1.5, 0.7);
    while walker.ground.is_none() {
        walker.tick(&terrain, 0.0, 0.0);
    }
    let height = walker.body.position.offset.y;
    for _ in 0..10_000 {
        let report = walker.tick(&terrain, 0.083, 0.02);
        assert_eq!(walker.body.position.offset.y, height);
        assert_eq!(report.ground.unwrap().normal, Vector3::y());
    }
    assert!((walker.place().x - 830.3).abs() < 0.01);
}

#[test]
fn climbs_what_the_step_allows_and_nothing_higher() {
    for (height, step, climbs) in [
        (2, 0.55, true),
        (2, 0.0, false),
        (3, 0.55, false),
        (4, 0.55, false),
        (4, 1.05, true),
        (5, 1.05, false),
    ] {
        for speed in [0.005, 0.02, 0.083, 0.3] {
            let terrain = Voxels {
                size: 0.25,
                solid: move |cell: Cell| cell.y < 0 || (cell.x >= 8 && cell.y < height),
            };
            let mut walker = Walker::at(0.5, 0.9101, 0.1);
            walker.config.step_height = step;
            let mut airborne = 0;
            for _ in 0..(4.0 / speed) as u32 + 10 {
                walker.tick(&terrain, speed, 0.0);
                airborne += u32::from(walker.ground.is_none());
            }
            let end = walker.place();
            assert_eq!(end.x > 3.0, climbs, "{height} {step} {speed}: {end}");
            if climbs {
                assert!(
                    (end.y - 0.91 - f64::from(height) * 0.25).abs() < 1e-5,
                    "{end}"
                );
            }
            assert!(
                airborne < 6,
                "{airborne} ticks in the air: {height} {step} {speed}"
            );
        }
    }
}

#[test]
fn a_ceiling_forbids_the_step() {
    let terrain = Voxels {
        size: 0.25,
        solid: |cell: Cell| cell.y < 0 || cell.y >= 8 || (cell.x >= 8 && cell.y < 2),
    };
    let mut walker = Walker::at(1.0, 0.92, 0.1);
    for _ in 0..60 {
        walker.tick(&terrain, 0.083, 0.0);
    }
    assert!(walker.place().x < 2.0);
    assert!(walker.ground.is_some());
}

#[test]
fn a_wall_that_goes_on_above_its_lowest_faces_takes_no_step_to_tell() {
    // A wall, a wall that leans over, and one with a window too small for the body.
    let walls: [fn(i32) -> bool; 3] = [|_| true, |y| y > 0, |y| y != 1];
    for (number, wall) in walls.into_iter().enumerate() {
        let terrain = Voxels::metric(move |cell| cell.y < 0 || (cell.x >= 2 && wall(cell.y)));
        let mut walker = Walker::at(0.5, 0.9101, 0.1);
        walker.config.step_height = 1.05;
        for tick in 0..60 {
            let report = walker.tick(&terrain, 0.05, 0.06);
            assert_eq!(report.stepped, 0.0);
            assert!(report.sweeps <= 3, "wall {number} tick {tick}: {report:?}");
        }
        let end = walker.place();
        assert!(end.x < 1.6 && end.z > 3.5, "wall {number}: {end}");
    }
}

#[test]
fn door_with_a_sill_is_passed_where_a_body_on_the_sill_fits() {
    // Openings from a sill up to a lintel, in quarter metres.
    for (sill, lintel, passes) in [
        (1, 9, true),
        (2, 10, true),
        (1, 8, false),
        (4, 12, true),
        (4, 11, false),
    ] {
        let terrain = Voxels {
            size: 0.25,
            solid: move |cell: Cell| {
                cell.y < 0 || (cell.x == 8 && !(sill..lintel).contains(&cell.y))
            },
        };
        let mut walker = Walker::at(0.5, 0.9101, 0.1);
        walker.config.step_height = 1.05;
        for _ in 0..120 {
            walker.tick(&terrain, 0.05, 0.0);
        }
        let end = walker.place();
        assert_eq!(end.x > 3.0, passes, "{sill} {lintel}: {end}");
    }
}

#[test]
fn stairs_are_climbed_at_any_rate() {
    for rate in [60.0, 120.0, 240.0, 360.0] {
        let terrain = Voxels {
            size: 0.25,
            solid: |cell: Cell| cell.y < (cell.x / 2 - 4).clamp(0, 10),
        };
        let mut walker = Walker::at(1.0, 0.91, 0.1);
        let mut height = 0.0;
        for _ in 0..(3.0 * rate) as u32 {
            walker.tick(&terrain, 4.0 / rate, 0.0);
            assert!(walker.place().y >= height - 1e-6 || walker.ground.is_none());
            height = walker.place().y;
        }
        assert!((height - 3.41).abs() < 1e-5, "{height} at {rate}");
    }
}

#[test]
fn walks_down_stairs_without_leaving_the_ground() {
    let terrain = Voxels {
        size: 0.25,
        solid: |cell: Cell| cell.y < -(cell.x / 2 - 4).clamp(0, 10),
    };
    let mut walker = Walker::at(0.5, 0.92, 0.1);
    let mut airborne = 0;
    for tick in 0..180 {
        walker.tick(&terrain, 0.066, 0.0);
        airborne += u32::from(walker.ground.is_none() && tick > 5);
    }
    assert_eq!(airborne, 0);
    assert!((walker.place().y + 1.59).abs() < 1e-5);
}

#[test]
fn up_axis_a_rounding_short_walks_down_the_same_stairs() {
    let terrain = Voxels {
        size: 0.25,
        solid: |cell: Cell| cell.y < -(cell.x / 2 - 4).clamp(0, 10),
    };
    let short = f32::from_bits(1.0_f32.to_bits() - 1);
    let mut walkers = [1.0, short].map(|length| {
        let mut walker = Walker::at(0.5, 0.92, 0.1);
        walker.body.up = Vector3::y() * length;
        walker
    });
    for tick in 0..180 {
        let [exact, off] = walkers.each_mut().map(|walker| {
            walker.tick(&terrain, 0.066, 0.0);
            walker.place().y
        });
        assert!((exact - off).abs() < 1e-3, "tick {tick}: {exact} {off}");
    }
}

#[test]
fn stands_bit_still_anywhere_on_a_ledge_or_falls_for_good() {
    let terrain = Voxels::metric(|cell: Cell| cell.y < 0 && cell.x < 2 || cell.y < -5);
    for out in 0..45 {
        let mut walker = Walker::at(2.0 + f64::from(out) * 0.01, 0.92, 0.5);
        for _ in 0..20 {
            walker.tick(&terrain, 0.0, 0.0);
        }
        let (place, ground) = (walker.body.position, walker.ground.is_some());
        let mut changes = 0;
        let mut before = ground;
        for _ in 0..200 {
            walker.tick(&terrain, 0.0, 0.0);
            changes += u32::from(before != walker.ground.is_some());
            before = walker.ground.is_some();
            if ground {
                assert_eq!(walker.body.position, place, "moved at {out}");
            }
        }
        assert!(changes <= 1, "flickers at {out}");
        assert!(before);
    }
}

#[test]
fn a_wall_on_the_way_costs_nothing_along_it() {
    let terrain = Voxels::metric(|cell: Cell| cell.y < 0 || cell.x >= 2);
    let mut walker = Walker::at(1.0, 0.92, 0.1);
    for _ in 0..60 {
        let report = walker.tick(&terrain, 0.05, 0.05);
        assert_eq!(report.stepped, 0.0);
    }
    let end = walker.place();
    assert!(
        (end.z - 3.1).abs() < 1e-4 && (end.x - 1.59).abs() < 1e-5,
        "{end}"
    );
}

#[test]
fn every_axis_up_is_the_same_walk() {
    // The stairs are turned; the walker goes along the axis after the up axis.
    let mut ends = Vec::new();
    for axis in 0..3 {
        for sign in [1, -1] {
            let solid = move |cell: Cell| {
                let height = if sign > 0 {
                    cell[axis]
                } else {
                    -1 - cell[axis]
                };
                height < (cell[(axis + 1) % 3] / 2 - 4).clamp(0, 10)
            };
            let terrain = Voxels { size: 0.25, solid };
            let mut walker = Walker::at(0.0, 0.0, 0.0);
            let mut up = Vector3::zeros();
            up[axis] = sign as f32;
            let mut start = Point3::new(0.1, 0.1, 0.1);
            start[(axis + 1) % 3] = 1.0;
            start[axis] = 0.95 * f64::from(sign);
            walker.body.position = Position::from_metres(start);
            walker.body.up = up;
            walker.ground = Some(Ground {
                normal: up,
                object: ObjectId(0),
                feature: Feature::Face,
            });
            let around = Around::terrain(&terrain, &walker.config);
            for _ in 0..120 {
                let mut way = Vector3::zeros();
                way[(axis + 1) % 3] = 0.066;
                let report = walk(
                    &around,
                    &mut walker.body,
                    way,
                    walker.ground,
                    &mut Memory::default(),
                    &mut walker.scratch,
                );
                walker.ground = report.ground;
            }
            let end = walker.place();
            ends.push((end[axis] * f64::from(sign), end[(axis + 1) % 3]));
        }
    }
    for (height, way) in &ends {
        assert!((height - ends[0].0).abs() < 1e-5, "{ends:?}");
        assert!((way - ends[0].1).abs() < 1e-3, "{ends:?}");
    }
}

#[test]
fn a_tilted_up_axis_walks_a_voxel_floor() {
    let terrain = Voxels::metric(floor);
    let mut walker = Walker::at(0.5, 1.2, 0.5);
    walker.body.up = Vector3::new(0.2, 1.0, 0.1).normalize();
    for tick in 0..300 {
        walker.tick(&terrain, 0.05, 0.01);
        assert!(tick < 60 || walker.ground.is_some(), "tick {tick}");
    }
    assert!(walker.place().x > 13.0, "{}", walker.place());
}

#[test]
fn walk_along_characters_gathers_once() {
    let terrain = Voxels::metric(floor);
    let mut walker = Walker::at(0.85, 0.91, 0.5);
    walker.tick(&terrain, 0.0, 0.0);
    assert!(walker.ground.is_some());
    let beside = |x: f64, z: f64, id: u32| Neighbour {
        body: Walker::at(x, 0.91, z).body,
        id,
    };
    // The second body stands so near that the way is judged by its start.
    let others = [beside(1.7, 0.45, 1), beside(0.9, -0.3, 2)];
    let mut turned = 0;
    for tick in 0..12 {
        let around = Around {
            others: &others,
            ..Around::terrain(&terrain, &walker.config)
        };
        let report = walk(
            &around,
            &mut walker.body,
            Vector3::new(0.083, 0.0, 0.0),
            walker.ground,
            &mut Memory::default(),
            &mut walker.scratch,
        );
        walker.ground = report.ground;
        assert_eq!(report.gathers, 1, "tick {tick}: {report:?}");
        turned += u32::from(report.stopped_by == StoppedBy::Slid);
    }
    assert!(turned > 3, "{turned}");
}

#[test]
fn climb_gathers_for_the_whole_step_at_once() {
    let stairs = |cell: Cell| cell.y <= cell.x.div_euclid(2).max(0);
    let terrain = Voxels::metric(stairs);
    let mut climbers = [(); 2].map(|()| Walker::at(-1.5, 1.91, 0.37));
    let mut gathers = [0, 0];
    let mut stepping = false;
    let mut steps = 0;
    for tick in 0..90 {
        let reports = [0, 1].map(|which| {
            let Walker {
                body,
                ground,
                config,
                scratch,
                ..
            } = &mut climbers[which];
            config.step_height = 1.05;
            let before = Before {
                waits: false,
                kept: Vector3::zeros(),
                ground: *ground,
                touching: false,
                stepping: stepping && which == 1,
            };
            let around = Around::terrain(&terrain, config);
            let way = Vector3::new(0.083, if ground.is_some() { 0.0 } else { -0.1 }, 0.01);
            let memory = &mut Memory::default();
            let report = walk_closely(&around, body, way, before, memory, scratch);
            *ground = report.ground;
            report
        });
        assert_eq!(climbers[0].body, climbers[1].body, "tick {tick}");
        assert_eq!(climbers[0].ground, climbers[1].ground, "tick {tick}");
        if stepping && reports[0].stepped > 0.0 {
            gathers = [0, 1].map(|which| gathers[which] + reports[which].gathers);
            steps += 1;
        }
        stepping = reports[0].stepped > 0.0;
    }
    assert!(steps > 4, "{steps} ticks went on with a step");
    assert_eq!(gathers[1], steps, "gathers of {steps} ticks");
    assert!(gathers[0] > steps, "{gathers:?}");
}

/// Returns blocks of one metre as a mesh: their top and side faces, joined along z to rectangles of
/// at most `most` blocks.
fn blocks_of_triangles(is_solid: impl Fn(Cell) -> bool, side: i32, most: i32) -> TriangleSoup {
    let mut soup = TriangleSoup::new(ObjectId(9), Position::default());
    for normal in [Cell::y(), Cell::x(), -Cell::x(), Cell::z(), -Cell::z()] {
        let shows = |cell: Cell| is_solid(cell) && !is_solid(cell + normal);
        for (x, y) in (0..side).flat_map(|x| (-1..3).map(move |y| (x, y))) {
            let mut z = 0;
            while z < side {
                let run = (z..side.min(z + most)).take_while(|&z| shows(Cell::new(x, y, z)));
                let long = run.count() as i32;
                if long > 0 {
                    push_face(&mut soup, Cell::new(x, y, z), long, normal);
                }
                z += long.max(1);
            }
        }
    }
    soup
}

fn push_face(soup: &mut TriangleSoup, cell: Cell, long: i32, normal: Cell) {
    let axis = normal.iamax();
    let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
    let min = cell.cast::<f64>();
    let size = Vector3::new(1.0, 1.0, f64::from(long));
    let corner = |along_u: f64, along_v: f64| {
        let mut corner = min;
        corner[axis] += if normal[axis] > 0 { size[axis] } else { 0.0 };
        corner[u] += along_u * size[u];
        corner[v] += along_v * size[v];
        Point3::from(corner)
    };
    let mut ring = [
        corner(0.0, 0.0),
        corner(1.0, 0.0),
        corner(1.0, 1.0),
        corner(0.0, 1.0),
    ];
    if normal[axis] < 0 {
        ring.reverse();
    }
    let [a, b, c, d] = ring;
    for corners in [[a, b, c], [a, c, d]] {
        soup.insert(corners, Sides::Front).unwrap();
    }
}

#[test]
fn meshes_are_walked_on_alike_wherever_their_faces_are_cut() {
    const SIDE: i32 = 16;
    let mut dice = Dice(3);
    let heights: Vec<i32> = (0..SIDE * SIDE)
        .map(|_| [0, 0, 1, 1, 2][dice.bits() as usize % 5])
        .collect();
    let is_solid = |cell: Cell| {
        let inside = (0..SIDE).contains(&cell.x) && (0..SIDE).contains(&cell.z);
        inside && cell.y < heights[(cell.x * SIDE + cell.z) as usize]
            || cell.y < 0
            || !inside && cell.y < 3
    };
    let soups = [1, 2, SIDE].map(|most| blocks_of_triangles(is_solid, SIDE, most));
    for _ in 0..40 {
        let place = [0; 2].map(|_| 2.0 + 12.0 * f64::from(dice.share()));
        let wishes =
            [0; 8].map(|_| 0.083 * Vector3::new(dice.signed(), 0.0, dice.signed()).normalize());
        let ends = soups.each_ref().map(|soup| {
            let mut walker = Walker::at(place[0], 4.0, place[1]);
            walker.config.step_height = 1.05;
            for tick in 0..320 {
                let wish = wishes[tick / 40];
                walker.tick(soup, wish.x, wish.z);
            }
            walker.place()
        });
        for end in &ends[1..] {
            assert!((end - ends[0]).norm() < 0.01, "{ends:?}");
        }
    }
}
