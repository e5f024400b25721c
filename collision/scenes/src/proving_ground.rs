//! The scene of the benchmarks: 256 x 64 x 256 m of noise terrain with caves, pillars and stairs,
//! identical for equal seeds on all machines. Benchmarks, peers and tests share it; the sandbox's
//! own terrain is in [`world::generate`].

use collision::{Cell, Position};
use nalgebra::{Point3, Vector3};
use world::{CellBox, Material, ObjectError, World};

/// Size along x and z, in metres.
pub const WIDTH: i32 = 256;
/// Size along y, in metres.
pub const HEIGHT: i32 = 64;

/// Voxels along one side of a free object: 64 m at four voxels a metre.
const OBJECT_VOXELS: u32 = 256;

/// The scene of a seed.
#[derive(Clone, Copy, Debug)]
pub struct ProvingGround {
    seed: u64,
}

impl ProvingGround {
    /// Returns the scene of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// Returns true if the point (in metres) is solid. The space below and beside the scene is
    /// solid, above it open.
    #[must_use]
    pub fn is_solid(&self, x: f32, y: f32, z: f32) -> bool {
        let side = WIDTH as f32;
        if y < 0.0 || x < 0.0 || z < 0.0 || x >= side || z >= side {
            return true;
        }
        self.is_solid_above(self.ground(x, z), x, y, z)
    }

    /// Returns true if a point within the scene is solid, given the height of the open ground.
    fn is_solid_above(&self, ground: f32, x: f32, y: f32, z: f32) -> bool {
        if y < 2.0 {
            return true;
        }
        if y < ground {
            return !self.is_cave(x, y, z);
        }
        self.is_built(x, y, z)
    }

    /// Returns the height of the open ground in metres, before caves, pillars and stairs.
    #[must_use]
    pub fn ground(&self, x: f32, z: f32) -> f32 {
        let broad = self.noise(1, x / 64.0, 0.0, z / 64.0);
        let fine = self.noise(2, x / 19.0, 0.0, z / 19.0);
        let rough = self.noise(3, x / 7.0, 0.0, z / 7.0);
        22.0 + broad * 11.0 + fine * 3.0 + rough * 0.8
    }

    fn is_cave(&self, x: f32, y: f32, z: f32) -> bool {
        let one = self.noise(4, x / 14.0, y / 9.0, z / 14.0);
        if one * one >= 0.018 {
            return false;
        }
        let two = self.noise(5, x / 14.0, y / 9.0, z / 14.0);
        one * one + two * two < 0.018
    }

    /// Returns true in pillars of 2 m and stairs of 1 m steps, on a loose grid.
    fn is_built(&self, x: f32, y: f32, z: f32) -> bool {
        let (col, row) = ((x / 16.0).floor(), (z / 16.0).floor());
        let kind = self.chance(6, col as i32, 0, row as i32);
        let (inside_x, inside_z) = (x - col * 16.0, z - row * 16.0);
        let base = self.ground(col * 16.0 + 8.0, row * 16.0 + 8.0).floor();
        if kind < 0.35 {
            let pillar = (7.0..9.0).contains(&inside_x) && (7.0..9.0).contains(&inside_z);
            return pillar && y < base + 3.0 + (kind * 20.0).floor();
        }
        if kind < 0.5 {
            let steps = (4.0..12.0).contains(&inside_x) && (5.0..9.0).contains(&inside_z);
            return steps && y < base + (inside_x - 3.0).floor();
        }
        false
    }

    /// Returns the scene as terrain of 1 m voxels, with 16 m of air above and a rim of rock.
    #[must_use]
    pub fn world(&self) -> World {
        let bounds = CellBox::new(
            Cell::new(-32, 0, -32),
            Cell::new(WIDTH + 31, HEIGHT + 31, WIDTH + 31),
        );
        World::from_voxels(bounds, |cell| {
            let at = cell.map(|part| part as f32 + 0.5);
            let rim = cell.x < 0 || cell.z < 0 || cell.x >= WIDTH || cell.z >= WIDTH;
            let solid = if rim {
                cell.y < HEIGHT
            } else {
                self.is_solid(at.x, at.y, at.z)
            };
            if solid {
                Material::STONE
            } else {
                Material::AIR
            }
        })
    }

    /// Returns the scene on a square of `width` metres, as free objects of small voxels in empty
    /// space. `fineness` voxels make a metre.
    ///
    /// # Errors
    /// As [`World::add_object`].
    pub fn world_of_objects(&self, fineness: u32, width: i32) -> Result<World, ObjectError> {
        let bounds = CellBox::new(
            Cell::new(0, 0, 0),
            Cell::new(width - 1, HEIGHT + 31, width - 1),
        );
        let mut world = World::from_voxels(bounds, |_| Material::AIR);
        let (side, size) = ((OBJECT_VOXELS / fineness) as i32, 1.0 / fineness as f32);
        let counts = [width, HEIGHT, width].map(|metres| metres / side);
        for number in 0..counts.iter().product() {
            let (x, rest) = (number % counts[0], number / counts[0]);
            let corner = Cell::new(x, rest % counts[1], rest / counts[1]) * side;
            let origin = Position::new(corner, Vector3::zeros());
            let middle = |voxel: Vector3<u32>| {
                voxel.map(|part| part as f32 * size + 0.5 * size) + corner.map(|part| part as f32)
            };
            let across = OBJECT_VOXELS;
            let heights: Vec<f32> = (0..across * across)
                .map(|column| middle(Vector3::new(column % across, 0, column / across)))
                .map(|at| self.ground(at.x, at.z))
                .collect();
            world.add_object(origin, size, Vector3::repeat(OBJECT_VOXELS), |voxel| {
                let at = middle(voxel);
                let ground = heights[(voxel.z * across + voxel.x) as usize];
                if self.is_solid_above(ground, at.x, at.y, at.z) {
                    Material::STONE
                } else {
                    Material::AIR
                }
            })?;
        }
        Ok(world)
    }

    /// Returns a place in the open, well above the ground, for the centre of character `number`.
    #[must_use]
    pub fn spawn(&self, number: u32) -> Position {
        self.spawn_within(number, WIDTH)
    }

    /// Returns a place like [`Self::spawn`], within a square of `width` metres.
    #[must_use]
    pub fn spawn_within(&self, number: u32, width: i32) -> Position {
        let across = |salt: i32| {
            let share = self.chance(7, number as i32, salt, 0);
            8.0 + share * (width as f32 - 16.0)
        };
        let (x, z) = (across(0), across(1));
        let mut y = self.ground(x, z) + 1.5;
        let blocked = |y: f32| {
            (-2..=2).any(|dx| {
                (-2..=2).any(|dz| {
                    (-4..=4).any(|dy| {
                        let step = Vector3::new(dx as f32, dy as f32, dz as f32) * 0.3;
                        self.is_solid(x + step.x, y + step.y, z + step.z)
                    })
                })
            })
        };
        while y < HEIGHT as f32 && blocked(y) {
            y += 0.5;
        }
        Position::from_metres(Point3::new(f64::from(x), f64::from(y), f64::from(z)))
    }

    /// Returns the level unit direction that character `number` wishes to go in a second of the
    /// run.
    #[must_use]
    pub fn wish(&self, number: u32, second: u32) -> Vector3<f32> {
        for salt in 0..16 {
            let part = |axis: i32| self.chance(8 + axis, number as i32, second as i32, salt);
            let way = Vector3::new(part(0) * 2.0 - 1.0, 0.0, part(1) * 2.0 - 1.0);
            let length = way.norm();
            if length <= 1.0 && length > 0.1 {
                return way / length;
            }
        }
        Vector3::x()
    }

    /// Returns smooth noise between -1 and 1, from the eight corners of a lattice cell.
    fn noise(&self, salt: i32, x: f32, y: f32, z: f32) -> f32 {
        // `f32::floor` is a slow library call on processors without the instruction.
        let floor = |part: f32| {
            let whole = part as i32 as f32;
            if whole > part { whole - 1.0 } else { whole }
        };
        let low = [x, y, z].map(floor);
        let ease = |t: f32| t * t * (3.0 - 2.0 * t);
        let [u, v, w] = [ease(x - low[0]), ease(y - low[1]), ease(z - low[2])];
        let corner = |dx: i32, dy: i32, dz: i32| {
            let [x, y, z] = low.map(|part| part as i32);
            self.chance(salt, x + dx, y + dy, z + dz) * 2.0 - 1.0
        };
        let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
        let along = |dy: i32, dz: i32| mix(corner(0, dy, dz), corner(1, dy, dz), u);
        mix(
            mix(along(0, 0), along(1, 0), v),
            mix(along(0, 1), along(1, 1), v),
            w,
        )
    }

    /// Returns a hash of four integers and the seed, as a number between 0 and 1.
    fn chance(&self, salt: i32, x: i32, y: i32, z: i32) -> f32 {
        let mut key = self.seed ^ 0x9E37_79B9_7F4A_7C15;
        for part in [salt, x, y, z] {
            key = (key ^ u64::from(part as u32)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            key ^= key >> 29;
        }
        key = key.wrapping_mul(0x94D0_49BB_1331_11EB);
        (key >> 40) as f32 / 16_777_216.0
    }
}
