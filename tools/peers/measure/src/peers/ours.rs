//! Our crowd: on our world, with and without collisions between characters, and on our triangles.

use crate::ground::{Ground, HEADROOM};
use crate::mesh::Mesh;
use crate::peer::{Body, GRAVITY, HALF_HEIGHT, Peer, RADIUS, Start};
use crate::peers::soup::Soup;
use collision::{Character, CharacterId, Crowd, Intent, MoverConfig, Position, Settings};
use nalgebra::{Point3, Vector3};
use world::{CellBox, Material, ObjectId, World};

pub const ON_TRIANGLES: &str = "ours, triangles";
/// Voxels along a side of a free object.
const OBJECT: usize = 256;

/// Tells if characters collide with each other.
#[derive(Clone, Copy, PartialEq)]
pub enum Meeting {
    None,
    EachOther,
}

/// Our world of a ground: chunks for voxels of a metre, else free objects in air.
pub struct Terrain {
    pub world: World,
    objects: Vec<ObjectId>,
}

impl Terrain {
    pub fn new(ground: &Ground) -> Self {
        if ground.voxel == 1.0 {
            Self {
                world: of_metres(ground),
                objects: Vec::new(),
            }
        } else {
            of_objects(ground)
        }
    }

    /// Sets a voxel to its state in the ground.
    pub fn follow(&mut self, ground: &Ground, cell: [i32; 3]) {
        let material = material(ground.is_solid(cell));
        let Self { world, objects } = self;
        world.write(|writer| {
            if objects.is_empty() {
                writer.set(Vector3::from(cell), material);
            } else {
                let [x, _, z] = cell.map(|value| value as usize / OBJECT);
                let object = objects[z * (ground.size[0] / OBJECT) + x];
                let side = OBJECT as i32;
                let voxel = Vector3::new(cell[0] % side, cell[1], cell[2] % side);
                writer.set_in_object(object, voxel, material);
            }
        });
    }
}

fn material(solid: bool) -> Material {
    if solid {
        Material::STONE
    } else {
        Material::AIR
    }
}

fn of_metres(ground: &Ground) -> World {
    let [width, height, depth] = ground.size.map(|length| length as i32);
    let bounds = CellBox::new(
        Vector3::new(-1, -1, -1),
        Vector3::new(width, height + HEADROOM - 1, depth),
    );
    World::from_voxels(bounds, |cell| material(ground.is_solid(cell.into())))
}

fn of_objects(ground: &Ground) -> Terrain {
    let metres = ground
        .size
        .map(|length| (length as f32 * ground.voxel) as i32);
    let [width, height, depth] = metres;
    let bounds = CellBox::new(
        Vector3::zeros(),
        Vector3::new(width - 1, height + HEADROOM - 1, depth - 1),
    );
    let mut world = World::from_voxels(bounds, |_| Material::AIR);
    let counts = ground.size.map(|length| length / OBJECT);
    let side = (OBJECT as f32 * ground.voxel) as i32;
    let mut objects = Vec::new();
    for (z, x) in (0..counts[2]).flat_map(|z| (0..counts[0]).map(move |x| (z, x))) {
        let corner = Vector3::new(x as i32 * side, 0, z as i32 * side);
        let first = Vector3::new((x * OBJECT) as i32, 0, (z * OBJECT) as i32);
        let size = Vector3::new(OBJECT as u32, ground.size[1] as u32, OBJECT as u32);
        let origin = Position::new(corner, Vector3::zeros());
        let voxel = |voxel: Vector3<u32>| {
            material(ground.is_solid((voxel.map(|part| part as i32) + first).into()))
        };
        if let Ok(object) = world.add_object(origin, ground.voxel, size, voxel) {
            objects.push(object);
        }
    }
    Terrain { world, objects }
}

/// The terrain of the characters.
enum Land {
    World(Box<Terrain>),
    Soup(Box<Soup>),
}

pub struct Ours {
    land: Land,
    meeting: Meeting,
    crowd: Crowd,
    ids: Vec<CharacterId>,
    intents: Vec<(CharacterId, Intent)>,
    jumps: Vec<(usize, f32)>,
}

impl Ours {
    pub fn new(ground: &Ground, meeting: Meeting) -> Self {
        Self::on(Land::World(Box::new(Terrain::new(ground))), meeting)
    }

    pub fn on_triangles(meshes: impl Iterator<Item = Mesh>) -> Option<Self> {
        Some(Self::on(Land::Soup(Box::new(Soup::new(meshes)?)), Meeting::None))
    }

    fn on(land: Land, meeting: Meeting) -> Self {
        Self {
            land,
            meeting,
            crowd: Crowd::new(),
            ids: Vec::new(),
            intents: Vec::new(),
            jumps: Vec::new(),
        }
    }

    fn character(&self, &Start { center, rules }: &Start) -> Character {
        let at = Position::from_metres(Point3::from(center.map(f64::from)));
        let mover = MoverConfig {
            step_height: rules.step,
            air_step: rules.air_step,
            least_rise: rules.least_rise,
            snap: rules.snap,
            ..MoverConfig::default()
        };
        let settings = Settings {
            gravity: GRAVITY,
            mover,
            ..Settings::default()
        };
        let layers = u16::from(self.meeting == Meeting::EachOther);
        Character::at(at)
            .with_radii(RADIUS, HALF_HEIGHT)
            .with_layers(layers, layers)
            .with_settings(settings)
    }
}

impl Peer for Ours {
    fn name(&self) -> &'static str {
        match (&self.land, self.meeting) {
            (Land::Soup(_), _) => ON_TRIANGLES,
            (Land::World(_), Meeting::None) => "ours",
            (Land::World(_), Meeting::EachOther) => "ours, meeting",
        }
    }

    fn body(&self) -> Body {
        Body::Ellipsoid
    }

    fn place(&mut self, starts: &[Start]) -> bool {
        self.crowd = Crowd::new();
        let characters: Vec<_> = starts.iter().map(|start| self.character(start)).collect();
        self.ids = characters
            .into_iter()
            .map(|character| self.crowd.add(character))
            .collect();
        true
    }

    fn tick(&mut self, wishes: &[[f32; 2]], seconds: f32) {
        self.intents.clear();
        let walk = |wish: &[f32; 2]| Intent::walk(Vector3::new(wish[0], 0.0, wish[1]));
        self.intents
            .extend(self.ids.iter().copied().zip(wishes.iter().map(walk)));
        for (index, speed) in self.jumps.drain(..) {
            self.intents[index].1.jump = speed;
        }
        let (crowd, intents) = (&mut self.crowd, &self.intents);
        match &self.land {
            Land::World(terrain) => crowd.tick(&terrain.world, intents, seconds),
            Land::Soup(soup) => crowd.tick(&soup.triangles, intents, seconds),
        };
    }

    fn center(&self, index: usize) -> [f32; 3] {
        let place = self
            .crowd
            .position(self.ids[index])
            .map(|place| place.to_metres());
        place.map_or([f32::NAN; 3], |point| {
            point.coords.map(|value| value as f32).into()
        })
    }

    fn is_grounded(&self, index: usize) -> bool {
        self.crowd.is_grounded(self.ids[index])
    }

    fn jump(&mut self, index: usize, speed: f32) {
        self.jumps.push((index, speed));
    }

    fn follow_edit(&mut self, ground: &Ground, cell: [i32; 3], meshes: &[(usize, Mesh)]) {
        match &mut self.land {
            Land::World(terrain) => terrain.follow(ground, cell),
            Land::Soup(soup) => {
                for (slot, mesh) in meshes {
                    soup.replace(*slot, mesh);
                }
            }
        }
    }

    fn state_hash(&self) -> Option<u64> {
        Some(self.crowd.state_hash())
    }
}
