//! The scenery of a shared world, as bytes for its clients: models that stand free of the terrain,
//! and props. It stays as it is while the world is shared.

use collision::Position;
use nalgebra::Vector3;
use world::save::{MaterialNames, chunk_key, decode_chunk, encode_chunk};
use world::{MAX_EXTENT, Material, World};

use super::Simulation;
use super::coding::{Coded, ReadError, Reader};
use super::props::Props;
use crate::coded_parts;

/// Voxels along a side of a chunk.
const CHUNK: u32 = 32;

/// A model that stands free of the terrain.
#[derive(Clone, Debug)]
struct Model {
    origin: Position,
    voxel_size: f32,
    extent: Vector3<u32>,
    /// Its chunks along x, then y, then z.
    chunks: Vec<Vec<u8>>,
}

/// The props with one model, or the list of all, as the world keeps them.
#[derive(Clone, Debug)]
struct Kept {
    name: String,
    bytes: Vec<u8>,
}

coded_parts! {
    Model { origin, voxel_size, extent, chunks }
    Kept { name, bytes }
}

impl Simulation {
    /// Returns the bytes of the scenery.
    pub fn scenery(&self) -> Vec<u8> {
        let world = &self.world;
        let names = MaterialNames::of(world.materials());
        let models = world.objects().map(|(_, object)| {
            let chunks = object.bricks().iter().enumerate().map(|(number, &brick)| {
                let key = chunk_key(Vector3::x() * number as i32);
                encode_chunk(&key, world.brick(brick).voxels(), &names)
            });
            Model {
                origin: *object.origin(),
                voxel_size: object.voxel_size(),
                extent: object.extent(),
                chunks: chunks.collect(),
            }
        });
        let kept = Props::kept_names(world).filter_map(|name| {
            Some(Kept {
                name: name.to_owned(),
                bytes: world.kept_bytes(name)?.to_vec(),
            })
        });
        let (models, kept): (Vec<Model>, Vec<Kept>) = (models.collect(), kept.collect());
        let mut bytes = Vec::new();
        models.write(&mut bytes);
        kept.write(&mut bytes);
        bytes
    }

    /// Adds the scenery of a server to a world that has none, unless it has it already.
    pub fn set_scenery(&mut self, bytes: &[u8]) -> Result<(), ReadError> {
        if self.scenery() == bytes {
            return Ok(());
        }
        let mut from = Reader::new(bytes);
        let models = Vec::<Model>::read(&mut from)?;
        let kept = Vec::<Kept>::read(&mut from)?;
        if from.at() != bytes.len() {
            return Err(from.invalid("end"));
        }
        for model in &models {
            add_model(&mut self.world, model).ok_or(from.invalid("model"))?;
        }
        for Kept { name, bytes } in &kept {
            let is_known = Props::is_kept_name(name);
            let is_kept = is_known && self.world.keep_bytes(name, bytes).is_ok();
            is_kept.then_some(()).ok_or(from.invalid("prop"))?;
        }
        let (props, errors) = Props::kept_in(&self.world);
        self.props = props;
        errors.is_empty().then_some(()).ok_or(from.invalid("prop"))
    }
}

fn add_model(world: &mut World, model: &Model) -> Option<()> {
    let sides = model.extent.map(|side| side.div_ceil(CHUNK));
    let is_sound = model
        .extent
        .iter()
        .all(|side| (1..=MAX_EXTENT).contains(side));
    let count = usize::try_from(sides.map(u64::from).product()).ok()?;
    if !is_sound || count != model.chunks.len() {
        return None;
    }
    let names = MaterialNames::of(world.materials());
    let chunks = model.chunks.iter().enumerate().map(|(number, sealed)| {
        let key = chunk_key(Vector3::x() * number as i32);
        decode_chunk(&key, sealed, &names).ok()
    });
    let chunks: Vec<world::Voxels> = chunks.collect::<Option<_>>()?;
    let material = |at: Vector3<u32>| -> Material {
        let chunk = at / CHUNK;
        let number = chunk.x + sides.x * (chunk.y + sides.y * chunk.z);
        let [x, y, z] = at.map(|part| (part % CHUNK) as usize).into();
        chunks[number as usize].get(x, y, z)
    };
    let added = world.add_passing_object(model.origin, model.voxel_size, model.extent, material);
    added.ok().map(|_| ())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use collision::Cell;

    use super::*;
    use crate::level_ground::on_level_ground;
    use crate::{Command, PlayerId, Stand};

    /// Returns a simulation with a model and a prop.
    fn furnished() -> Simulation {
        let mut simulation = on_level_ground(0);
        let size = Vector3::new(40, 3, 5);
        let at = Position::new(Cell::new(5, 0, 5), Vector3::new(0.25, 0.0, 0.5));
        let material = |at: Vector3<u32>| match (at.x + at.z) % 3 {
            0 => Material::AIR,
            _ => Material::GOLD,
        };
        let world = &mut simulation.world;
        world.add_object(at, 0.25, size, material).unwrap();
        let model = simulation.props().models()[0].name().to_owned();
        let position = Position::new(Cell::new(-6, 0, 2), Vector3::new(0.5, 0.0, 0.5));
        let stand = Stand { position, turn: 3 };
        simulation.apply(PlayerId::FIRST, &Command::PlaceProp { model, stand });
        assert_eq!(simulation.props().list().len(), 1);
        simulation
    }

    #[test]
    fn a_client_has_the_models_and_props_of_its_server() {
        let server = furnished();
        let mut client = on_level_ground(0);
        client.set_scenery(&server.scenery()).unwrap();
        assert_eq!(client.scenery(), server.scenery());
        let stands = |it: &Simulation| {
            it.props()
                .list()
                .iter()
                .map(|prop| prop.stand)
                .collect::<Vec<_>>()
        };
        assert_eq!(stands(&client), stands(&server));
        let (_, model) = client.world.objects().next().unwrap();
        let brick = client.world.brick(model.bricks()[1]);
        assert_eq!(brick.material(3, 0, 0), Material::GOLD);
        assert_eq!(brick.material(4, 0, 0), Material::AIR);
    }

    #[test]
    fn damaged_scenery_is_refused_or_is_scenery() {
        let scenery = furnished().scenery();
        for at in 0..scenery.len() {
            let mut damaged = scenery.clone();
            damaged[at] ^= 0x55;
            let mut client = on_level_ground(0);
            if client.set_scenery(&damaged).is_ok() {
                client.tick(&[]);
            }
            assert!(on_level_ground(0).set_scenery(&scenery[..at]).is_err());
        }
    }
}
