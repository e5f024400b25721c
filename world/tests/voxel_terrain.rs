//! A crowd ends with the same bits on a world, on voxels given by a rule, and on a world together
//! with platforms that move elsewhere.
#![allow(clippy::unwrap_used)]

use collision::{
    Cell, Character, CharacterId, Crowd, Intent, Mode, ObjectId, PartIndex, Position, Shapes,
    Terrain, VoxelTerrain, Voxels,
};
use nalgebra::{Point3, Vector3};
use world::{CellBox, Material, World};

/// Half of the cells across the loaded part, which lies away from the origin of the cells.
const HALF: i32 = 32;

/// Returns a random-looking number that depends on four others.
fn scattered(parts: [i32; 4]) -> u32 {
    let mix = |key: u64, part: &i32| {
        let key = (key ^ u64::from(*part as u32)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        key ^ key >> 29
    };
    (parts.iter().fold(7, mix) >> 20) as u32 % 1000
}

/// Rough ground with pools, ladders and blocks in the air, around a cell.
#[derive(Clone, Copy)]
struct Land {
    middle: Cell,
    seed: i32,
    /// A block that is placed and removed.
    edit: Option<Cell>,
}

impl Land {
    fn material(&self, cell: Cell) -> Material {
        let at = cell.zip_map(&self.middle, i32::wrapping_sub);
        let chance = scattered([at.x, at.y, at.z, self.seed]);
        let step = (at.x.div_euclid(6) + at.z.div_euclid(9)).rem_euclid(3);
        if self.edit == Some(cell) {
            Material::STONE
        } else if at.y < step - 2 {
            [Material::STONE, Material::AIR][usize::from(chance < 30)]
        } else {
            match chance {
                0..12 => Material::STONE,
                12..20 => Material::LADDER,
                _ if at.y < 0 && at.x > 8 => Material::WATER,
                _ => Material::AIR,
            }
        }
    }

    fn bounds(&self) -> CellBox {
        CellBox::new(
            self.middle.map(|part| part.wrapping_sub(HALF)),
            self.middle.map(|part| part.wrapping_add(HALF - 1)),
        )
    }
}

impl Voxels for Land {
    fn revision(&self) -> u64 {
        u64::from(self.edit.is_some())
    }

    fn is_solid(&self, cell: Cell) -> bool {
        self.material(cell) == Material::STONE
    }

    fn is_liquid(&self, cell: Cell) -> bool {
        self.material(cell) == Material::WATER
    }

    fn is_climbable(&self, cell: Cell) -> bool {
        self.material(cell) == Material::LADDER
    }

    fn is_loaded(&self, cell: Cell) -> bool {
        let at = cell.zip_map(&self.middle, i32::wrapping_sub);
        at.iter().all(|part| (-HALF..HALF).contains(part))
    }
}

fn crowd(middle: Cell) -> (Crowd, Vec<CharacterId>) {
    let mut crowd = Crowd::new();
    let ids = (0..160).map(|number| {
        let place = Vector3::new(
            (number % 16 * 3) as f32 - 24.0,
            4.5,
            (number / 16 * 5) as f32 - 25.0,
        );
        let place = Position::from_local(middle, place);
        let (across, along) = [(0.4, 0.9), (0.3, 0.6), (0.45, 0.5), (1.4, 1.4)][number % 4];
        crowd.add(Character::at(place).with_radii(across, along))
    });
    let ids = ids.collect();
    (crowd, ids)
}

fn wish(index: usize, tick: i32, id: CharacterId) -> (CharacterId, Intent) {
    let part = |axis| {
        let chance = scattered([index as i32, tick / 40, axis, 3]);
        (chance as f32 / 500.0 - 1.0) * if index.is_multiple_of(8) { 40.0 } else { 6.0 }
    };
    let intent = Intent {
        velocity: Vector3::new(part(0), part(1), part(2)),
        mode: if index % 5 == 4 {
            Mode::Fly
        } else {
            Mode::Walk
        },
        jump: if tick % 40 == 0 { 5.0 } else { 0.0 },
        ..Intent::default()
    };
    (id, intent)
}

fn tick(crowd: &mut Crowd, ids: &[CharacterId], terrain: &impl Terrain, tick: i32) -> u64 {
    let ids = ids.iter().enumerate();
    let intents: Vec<_> = ids.map(|(index, &id)| wish(index, tick, id)).collect();
    crowd.tick(terrain, &intents, 1.0 / 60.0);
    crowd.state_hash()
}

#[test]
fn crowd_on_plain_voxels_ends_on_the_same_bits_as_on_a_world() {
    for (seed, middle) in [
        (1, Cell::new(32, 0, 32)),
        (2, Cell::new(-96, 64, i32::MIN + 32)),
    ] {
        let edit = middle + Cell::new(2, 1, 2);
        let mut land = Land {
            middle,
            seed,
            edit: None,
        };
        let mut world = World::from_voxels(land.bounds(), |cell| land.material(cell));
        let (mut on_voxels, ids) = crowd(middle);
        let (mut on_world, _) = crowd(middle);
        let mut media = 0;
        for now in 0..300 {
            if now % 50 == 49 {
                land.edit = land.edit.is_none().then_some(edit);
                world.write(|writer| {
                    writer.set(edit, land.material(edit));
                });
            }
            let found = tick(&mut on_voxels, &ids, &VoxelTerrain::new(land), now);
            let right = tick(&mut on_world, &ids, &world, now);
            assert_eq!(found, right, "seed {seed}, tick {now}");
            let states = ids.iter().filter_map(|&id| on_voxels.medium(id));
            media += states
                .filter(|&medium| medium != collision::Medium::Open)
                .count();
        }
        assert!(media > 500, "{media}");
    }
}

/// Makes platforms of 3 x 3 m beyond the loaded part and on both sides of the ends of the cells.
fn platforms(middle: Cell) -> Vec<Shapes> {
    let platform = |number: i32| {
        let step = Vector3::new(number % 5, number % 3 - 1, number / 5) * 90;
        let away = step + Vector3::new(80, 0, -400);
        let at = Position::new(middle.zip_map(&away, i32::wrapping_add), Vector3::zeros());
        let corners = [Point3::origin(), Point3::new(3.0, 0.5, 3.0)];
        Shapes::from_boxes(ObjectId(100 + number as u32), at, &[corners])
    };
    (0..40).map(platform).collect()
}

#[test]
fn parts_that_move_elsewhere_change_no_bits_and_wake_no_sleepers() {
    for threads in [1, 2] {
        let middle = Cell::new(-96, 64, i32::MIN + 32);
        let land = Land {
            middle,
            seed: 2,
            edit: None,
        };
        let world = World::from_voxels(land.bounds(), |cell| land.material(cell));
        let mut platforms = platforms(middle);
        let (mut among, ids) = crowd(middle);
        let (mut alone, _) = crowd(middle);
        let mut index = PartIndex::default();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        for now in 0..360 {
            for (number, platform) in platforms.iter_mut().enumerate() {
                let way = if number.is_multiple_of(2) { 0.1 } else { -0.1 };
                platform.advance(Vector3::new(way, 0.0, way));
            }
            let mut parts: Vec<&dyn Terrain> = vec![&world];
            parts.extend(platforms.iter().map(|part| part as &dyn Terrain));
            let together = index.over(&parts);
            let ids = if now < 240 { &ids[..] } else { &[] };
            let found = pool.install(|| tick(&mut among, ids, &together, now));
            let right = tick(&mut alone, ids, &world, now);
            assert_eq!(found, right, "{threads} threads, tick {now}");
        }
        // Without wishes all characters but those in the water have come to rest.
        let mut parts: Vec<&dyn Terrain> = vec![&world];
        platforms[0].advance(Vector3::new(0.2, 0.0, 0.0));
        parts.extend(platforms.iter().map(|part| part as &dyn Terrain));
        let right = alone.tick(&world, &[], 1.0 / 60.0);
        let found = among.tick(&index.over(&parts), &[], 1.0 / 60.0);
        assert_eq!(found, right);
        assert!(right.stepped < 80, "{right:?}");
    }
}
