//! The gathered features against a terrain that tests every voxel alone, and objects of all sizes.
#![allow(clippy::unwrap_used)]

use super::{FARTHEST, floor};
use crate::kd_tree::CellBox;
use crate::material::Material;
use crate::world::World;
use collision::mover::{
    Body, Ground, MoverConfig, Neighbour, Radii, Report, Scratch, StoppedBy, slide, walk,
};
use collision::{
    Around, Candidates, Cell, Character, Contents, Crowd, Feature, Intent, Memory, ObjectId,
    Position, Reach, Settings, SolidBox, Terrain,
};
use nalgebra::{Point3, Vector3};

/// Every face, edge and corner of every voxel, found by testing single voxels.
struct Plain<F>(F);

fn unit(axis: usize) -> Cell {
    let mut cell = Cell::zeros();
    cell[axis] = 1;
    cell
}

impl<F: Fn(Cell) -> bool + Sync> Plain<F> {
    fn push(&self, base: Cell, voxel: Cell, out: &mut Candidates) {
        let open = |step: Cell| !(self.0)(base + voxel + step);
        let low = voxel.map(|part| part as f32);
        let side = |axis: usize, sign: i32| low[axis] + (sign.max(0)) as f32;
        for axis in 0..3 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            for sign in [-1, 1] {
                if open(unit(axis) * sign) {
                    let (mut from, mut to) = (low, low + Vector3::repeat(1.0));
                    (from[axis], to[axis]) = (side(axis, sign), side(axis, sign));
                    out.push_face(axis, sign as f32, from, to, ObjectId(0));
                }
            }
            for (su, sv) in [(-1, -1), (-1, 1), (1, -1), (1, 1)] {
                let (du, dv) = (unit(u) * su, unit(v) * sv);
                if open(du) && open(dv) && open(du + dv) {
                    let (mut from, mut to) = (low, low + Vector3::repeat(1.0));
                    (from[u], to[u]) = (side(u, su), side(u, su));
                    (from[v], to[v]) = (side(v, sv), side(v, sv));
                    out.push_edge(axis, [su as f32, sv as f32], from, to, ObjectId(0));
                }
            }
        }
        for bits in 0..8 {
            let sign = Cell::new(bits & 1, bits >> 1 & 1, bits >> 2).map(|bit| bit * 2 - 1);
            let free = (1..8).all(|part| {
                let part = Cell::new(part & 1, part >> 1 & 1, part >> 2);
                open(sign.component_mul(&part))
            });
            if free {
                let at = Vector3::from_fn(|axis, _| side(axis, sign[axis]));
                out.push_corner(sign.map(|part| part as f32), at, ObjectId(0));
            }
        }
    }
}

impl<F: Fn(Cell) -> bool + Sync> Terrain for Plain<F> {
    fn revision(&self) -> u64 {
        0
    }

    fn gather(&self, reach: &Reach, _memory: &mut Memory, out: &mut Candidates) {
        let low = reach.min.map(|part| part.floor() as i32);
        let high = reach.max.map(|part| part.floor() as i32);
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                for x in low.x..=high.x {
                    if (self.0)(reach.base + Cell::new(x, y, z)) {
                        self.push(reach.base, Cell::new(x, y, z), out);
                    }
                }
            }
        }
    }

    fn gather_solids(&self, _: Cell, _: Vector3<f32>, _: Vector3<f32>, _: &mut Vec<SolidBox>) {}

    fn contents(&self, _: &Position, _: &Memory) -> Contents {
        Contents::default()
    }
}

pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(super) fn signed(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / 8_388_608.0 - 1.0
    }

    pub(super) fn vector(&mut self) -> Vector3<f32> {
        Vector3::new(self.signed(), self.signed(), self.signed())
    }
}

pub(super) fn scattered(seed: u64, share: f32, cell: Cell) -> bool {
    let mut key = seed;
    for part in cell.iter() {
        key = Dice(key ^ u64::from(*part as u32)).bits();
    }
    Dice(key).signed() < share * 2.0 - 1.0
}

pub(super) fn stone(solid: bool) -> Material {
    if solid {
        Material::STONE
    } else {
        Material::AIR
    }
}

pub(super) fn body(at: Point3<f64>) -> Body {
    Body {
        position: Position::from_metres(at),
        radii: Radii::new(0.4, 0.9),
        up: Vector3::y(),
    }
}

#[test]
fn moves_as_among_single_voxels_to_the_bit() {
    for (seed, share) in [(1, 0.04), (2, 0.15), (3, 0.3)] {
        let solid = move |cell: Cell| scattered(seed, share, cell);
        let bounds = CellBox::new(Cell::repeat(-64), Cell::repeat(63));
        let world = World::from_voxels(bounds, |cell| stone(solid(cell)));
        let plain = Plain(move |cell: Cell| !bounds.contains(cell) || solid(cell));
        let config = MoverConfig::default();
        let mut dice = Dice(seed);
        let (mut memory, mut scratch) = (Memory::default(), Scratch::default());
        for round in 0..400 {
            let mut ours = body(Point3::from((dice.vector() * 60.0).cast::<f64>()));
            let mut theirs = ours;
            let speed = [0.08, 0.3, 1.0, 9.0][round % 4];
            for _ in 0..20 {
                let motion = dice.vector() * speed;
                let around = Around::terrain(&world, &config);
                slide(&around, &mut ours, motion, &mut memory, &mut scratch);
                let around = Around::terrain(&plain, &config);
                let own = &mut Memory::default();
                slide(&around, &mut theirs, motion, own, &mut scratch);
                assert_eq!(ours, theirs, "seed {seed} round {round}");
            }
        }
    }
}

#[test]
fn space_that_is_not_loaded_is_solid() {
    let bounds = CellBox::new(Cell::zeros(), Cell::new(31, 31, 31));
    let world = World::from_voxels(bounds, |cell| stone(cell.y < 4));
    let config = MoverConfig::default();
    let mut walker = body(Point3::new(28.0, 4.92, 16.0));
    let (mut memory, mut scratch) = (Memory::default(), Scratch::default());
    let mut ground = None;
    for _ in 0..120 {
        let around = Around::terrain(&world, &config);
        let way = Vector3::new(0.08, -0.05, 0.0);
        let report = walk(&around, &mut walker, way, ground, &mut memory, &mut scratch);
        ground = report.ground;
    }
    let end = walker.position.to_metres();
    assert!(
        (end.x - 31.59).abs() < 1e-4 && (end.y - 4.91).abs() < 1e-4,
        "{end}"
    );
    assert!(
        !world
            .contents(
                &Position::from_metres(Point3::new(40.0, 5.0, 5.0)),
                &Memory::default()
            )
            .loaded
    );
}

#[test]
fn free_objects_of_any_voxel_size_stop_a_mover() {
    for size in [0.05, 0.1, 0.25, 0.5, 1.0, 2.0] {
        let bounds = CellBox::new(Cell::repeat(0), Cell::repeat(31));
        let mut world = World::from_voxels(bounds, |_| Material::AIR);
        let origin = Position::from_metres(Point3::new(10.0, 8.3, 10.2));
        let side = (4.0 / size) as u32;
        let id = world
            .add_object(origin, size, Vector3::repeat(side), |_| Material::STONE)
            .unwrap();
        let config = MoverConfig::default();
        let (mut memory, mut scratch) = (Memory::default(), Scratch::default());
        let mut faller = body(Point3::new(12.0, 16.0, 12.0));
        let around = Around::terrain(&world, &config);
        let down = Vector3::new(0.0, -8.0, 0.0);
        let report = slide(&around, &mut faller, down, &mut memory, &mut scratch);
        assert_eq!(report.stopped_by, StoppedBy::Blocked);
        let top = 8.3 + f64::from(side) * f64::from(size);
        let height = faller.position.to_metres().y;
        assert!((height - top - 0.91).abs() < 1e-4, "size {size}: {height}");
        assert!(world.unchanged(&memory));
        world.move_object(id, Vector3::new(0.0, -0.1, 0.0));
        assert!(!world.unchanged(&memory));
        let number = scratch.contacts[0].object;
        assert_eq!(super::object_of(number), Some(id));
        assert_eq!(world.carry(number, &faller.position).unwrap().y, -0.1);
    }
}

/// A world that offers walkers no shortcut.
struct Unaided<'a>(&'a World);

impl Terrain for Unaided<'_> {
    fn revision(&self) -> u64 {
        Terrain::revision(self.0)
    }

    fn gather(&self, reach: &Reach, memory: &mut Memory, out: &mut Candidates) {
        self.0.gather(reach, memory, out);
    }

    fn gather_solids(
        &self,
        base: Cell,
        min: Vector3<f32>,
        max: Vector3<f32>,
        out: &mut Vec<SolidBox>,
    ) {
        self.0.gather_solids(base, min, max, out);
    }

    fn contents(&self, at: &Position, memory: &Memory) -> Contents {
        self.0.contents(at, memory)
    }
}

/// Makes rough ground: mostly level, with blocks and holes, and objects of small voxels upon it.
fn rough_world(seed: u64, share: f32) -> World {
    let bounds = CellBox::new(Cell::new(-64, -32, -64), Cell::new(63, 31, 63));
    let mut world = World::from_voxels(bounds, |cell| {
        let odd = scattered(seed, share, cell);
        stone(if cell.y < 0 { !odd } else { cell.y < 3 && odd })
    });
    for (number, size) in [0.1_f32, 0.25, 0.3, 0.5, 1.0, 2.0].into_iter().enumerate() {
        for place in 0..6 {
            let at = Point3::new(
                -50.0 + 17.0 * f64::from(place),
                0.0,
                -50.0 + 16.0 * number as f64,
            );
            let height = [0.0, -0.75, -1.1][place as usize % 3];
            let origin = Position::from_metres(at + Vector3::y() * height);
            let extent =
                Vector3::new(9.0 / size, 1.25 / size, 9.0 / size).map(|side| side.ceil() as u32);
            world
                .add_object(origin, size, extent, |voxel| {
                    let cell = voxel.cast::<i32>();
                    stone(!scattered(seed + 9, share, cell))
                })
                .unwrap();
        }
    }
    world
}

#[test]
fn walks_with_and_without_the_short_look_to_the_bit() {
    let (mut short, mut steps) = (0, 0);
    let mut on_rims = [0, 0];
    for (seed, share) in [(1, 0.0), (2, 0.01), (3, 0.05), (4, 0.15)] {
        let world = rough_world(seed, share);
        let unaided = Unaided(&world);
        let mut dice = Dice(seed);
        let mut scratch = Scratch::default();
        for round in 0..120 {
            let config = MoverConfig {
                step_height: 1.05,
                snap: [0.5, 1.3, 0.05][round % 3],
                ledge: [0.99, 0.6][round / 3 % 2],
                ..MoverConfig::default()
            };
            let place = Vector3::new(dice.signed() * 60.0, 4.0, dice.signed() * 60.0);
            let mut ours = body(Point3::from(place.cast::<f64>()));
            let mut theirs = ours;
            let (mut stood, mut stood_unaided) = (None, None);
            let (mut memory, mut own) = (Memory::default(), Memory::default());
            let pace = [0.02, 0.0833, 0.3, 1.0][round % 4];
            let mut wish = Vector3::zeros();
            for tick in 0..120 {
                if tick % 30 == 0 {
                    wish = Vector3::new(dice.signed(), 0.0, dice.signed()) * pace;
                }
                let way = |ground: bool| wish - Vector3::y() * if ground { 0.0 } else { 0.2 };
                let around = Around::terrain(&world, &config);
                let motion = way(stood.is_some());
                let report = walk(&around, &mut ours, motion, stood, &mut memory, &mut scratch);
                short += u32::from(stood.is_some() && report.gathers == 0);
                let feature = report.ground.map(|ground| ground.feature);
                for (count, rim) in on_rims.iter_mut().zip([Feature::Edge, Feature::Corner]) {
                    *count += u32::from(feature == Some(rim) && report.gathers == 0);
                }
                stood = report.ground;
                let around = Around::terrain(&unaided, &config);
                let motion = way(stood_unaided.is_some());
                let report = walk(
                    &around,
                    &mut theirs,
                    motion,
                    stood_unaided,
                    &mut own,
                    &mut scratch,
                );
                stood_unaided = report.ground;
                assert_eq!(ours, theirs, "seed {seed} round {round} tick {tick}");
                assert_eq!(
                    stood, stood_unaided,
                    "seed {seed} round {round} tick {tick}"
                );
                steps += 1;
            }
        }
    }
    assert!(
        short * 4 > steps,
        "the short look answered {short} of {steps}"
    );
    assert!(on_rims[0] > 200 && on_rims[1] > 8, "on rims: {on_rims:?}");
}

/// Returns the result of a walk among others, as text, with all its bits.
fn walked(
    terrain: &impl Terrain,
    walker: &mut Body,
    others: &[Neighbour],
    way: Vector3<f32>,
    ground: Option<Ground>,
    scratch: &mut Scratch,
) -> (Report, String) {
    let config = MoverConfig::default();
    let around = Around {
        others,
        ..Around::terrain(terrain, &config)
    };
    let report = walk(
        &around,
        walker,
        way,
        ground,
        &mut Memory::default(),
        scratch,
    );
    let (normals, ground) = (report.planes.normals(), report.ground);
    let told = format!(
        "{walker:?} {:?} {normals:?} {:?} {ground:?} {:?}",
        report.moved, report.stopped_by, scratch.contacts
    );
    (report, told)
}

#[test]
fn walk_over_a_rim_meets_a_character_below_to_the_bit() {
    let bounds = CellBox::new(Cell::new(-8, -8, -8), Cell::new(7, 7, 7));
    let world = World::from_voxels(bounds, |cell| {
        stone(cell.y < -4 || (cell.y < 0 && cell.x < 0))
    });
    let mut dice = Dice(14);
    let mut scratch = Scratch::default();
    let (mut alone, mut met) = (0, 0);
    for _ in 0..400 {
        let mut walker = body(Point3::new(-0.1, 0.91, 0.5));
        let mut below = walker;
        let away = Vector3::new(0.6 + 0.4 * dice.signed(), -0.9 + 0.7 * dice.signed(), 0.0);
        below.position = below.position.moved(away);
        let others = [Neighbour { body: below, id: 5 }];
        let down = -Vector3::y() * 0.01;
        let (report, _) = walked(&world, &mut walker, &[], down, None, &mut scratch);
        let mut ground = report.ground;
        for _ in 0..8 {
            let mut unaided = walker;
            let way = Vector3::new(0.04, 0.0, 0.01);
            let ours = walked(&world, &mut walker, &others, way, ground, &mut scratch);
            let hard = Unaided(&world);
            let theirs = walked(&hard, &mut unaided, &others, way, ground, &mut scratch);
            assert_eq!(ours.1, theirs.1, "{others:?}");
            ground = ours.0.ground;
            let feature = ground.map(|ground| ground.feature);
            alone += u32::from(ours.0.gathers == 0 && feature == Some(Feature::Edge));
            met += u32::from(ours.0.gathers > 0 && feature != Some(Feature::Edge));
        }
    }
    assert!(alone > 100 && met > 50, "{alone} alone, {met} met");
}

#[test]
fn crowds_with_and_without_the_short_look_to_the_bit() {
    for (seed, side) in [(6, 40.0), (7, 10.0), (8, 5.0)] {
        compare_crowds(seed, side);
    }
}

/// Compares 300 characters on a square, `side` metres from its middle to each side. On the smallest
/// most slide along each other.
fn compare_crowds(seed: u64, side: f32) {
    let mut world = rough_world(seed, 0.03);
    world.write(|writer| {
        for x in -20..20 {
            for z in 8..24 {
                let pool =
                    [Material::WATER, Material::AIR, Material::LADDER][(x + 20) as usize / 14];
                writer.set(Cell::new(x, 0, z), pool);
                writer.set(Cell::new(x, 1, z), pool);
            }
        }
    });
    // Liquid and climbable materials are in an object, too.
    for (x, material) in [(-34.0, Material::WATER), (-30.0, Material::LADDER)] {
        let at = Position::from_metres(Point3::new(x, 0.25, -30.0));
        let extent = Vector3::new(14, 7, 40);
        world.add_object(at, 0.25, extent, |_| material).unwrap();
    }
    let mut dice = Dice(seed);
    let (mut aided, mut alone) = (Crowd::new(), Crowd::new());
    let mut intents = Vec::new();
    for _ in 0..300 {
        let place = Vector3::new(dice.signed() * side, 5.0, dice.signed() * side);
        let at = Position::from_metres(Point3::from(place.cast::<f64>()));
        // Characters without a snap find their ground by the shortest ways there are.
        let mut settings = Settings::default();
        settings.mover.snap *= (dice.bits() % 2) as f32;
        let character = Character::at(at).with_settings(settings);
        let name = aided.add(character);
        assert_eq!(name, alone.add(character));
        intents.push((name, Intent::default()));
    }
    for tick in 0..240 {
        for (_, intent) in &mut intents {
            if dice.signed() > 0.95 {
                *intent = Intent::walk(Vector3::new(dice.signed(), 0.0, dice.signed()) * 8.0);
                intent.jump = if dice.signed() > 0.0 { 5.0 } else { 0.0 };
                intent.crouch = dice.signed() > 0.5;
            }
        }
        aided.tick(&world, &intents, 1.0 / 60.0);
        alone.tick(&Unaided(&world), &intents, 1.0 / 60.0);
        assert_eq!(
            aided.state_hash(),
            alone.state_hash(),
            "{side} m, tick {tick}"
        );
        assert!(aided.events() == alone.events(), "{side} m, tick {tick}");
        for (name, _) in &intents {
            assert_eq!(
                aided.state(*name),
                alone.state(*name),
                "{side} m, tick {tick}"
            );
        }
    }
}

#[test]
fn floor_is_the_whole_number_at_or_below() {
    let mut dice = Dice(5);
    let odd: [f32; 9] = [
        0.0,
        -0.0,
        0.5,
        1.5,
        -0.5,
        -1.5,
        0.999_999_94,
        -1e-30,
        4_194_303.5,
    ];
    for _ in 0..100_000 {
        let near = dice.signed() * 40.0;
        for value in [
            near,
            near.round(),
            near.round() + 0.5,
            dice.signed() * FARTHEST,
        ] {
            assert_eq!(floor(value), value.floor() as i32, "{value}");
        }
    }
    for value in odd {
        assert_eq!(floor(value), value.floor() as i32, "{value}");
    }
    let end = FARTHEST as i32;
    let ends = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30];
    assert_eq!(ends.map(floor), [0, end, -end, end, -end]);
}
