//! The hash of the whole simulation: two of the same hash go on alike from the same inputs. Noises,
//! sparks and the fog of war take no part: they are only seen and heard.

use world::{Material, World};

use super::Simulation;
use super::coding::Coded;

/// Start and factor of the hash of bytes by Fowler, Noll and Vo.
const START: u64 = 0xcbf2_9ce4_8422_2325;
const FACTOR: u64 = 0x0100_0000_01b3;

/// Returns the hash of bytes.
pub fn hash_of(bytes: &[u8]) -> u64 {
    let add = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(FACTOR);
    bytes.iter().fold(START, add)
}

/// Returns a hash of materials, several at a time.
fn hash_of_voxels(voxels: &[Material]) -> u64 {
    voxels.chunks(4).fold(START, |hash, four| {
        let joined = four.iter().fold(0, |all, it| all << 16 | u64::from(it.0));
        let mixed = (hash ^ joined).wrapping_mul(FACTOR);
        mixed ^ mixed >> 29
    })
}

/// Returns a hash of the loaded voxels and of the objects in a world. The order in which chunks
/// were loaded takes no part.
fn hash_of_world(world: &World) -> u64 {
    let (mut sum, mut voxels, mut place) = (0_u64, Vec::new(), Vec::new());
    let mut add = |place: &[u8], id| {
        let brick = world.brick(id).voxels();
        let held = match brick.as_uniform() {
            Some(material) => hash_of_voxels(&[material]),
            None => {
                brick.read_all(&mut voxels);
                // Equal voxels may be stored one by one.
                let is_uniform = voxels.iter().all(|&it| it == voxels[0]);
                hash_of_voxels(if is_uniform { &voxels[..1] } else { &voxels })
            }
        };
        let mixed = (hash_of(place) ^ held).wrapping_mul(FACTOR);
        sum = sum.wrapping_add(mixed ^ mixed >> 31);
    };
    for (chunk, id) in world.loaded_chunks() {
        place.clear();
        chunk.write(&mut place);
        add(&place, id);
    }
    for (object, it) in world.objects() {
        place.clear();
        object.write(&mut place);
        it.origin().write(&mut place);
        for (number, &id) in it.bricks().iter().enumerate() {
            place.push(number as u8);
            add(&place, id);
        }
    }
    sum
}

impl Simulation {
    /// Returns the hash of the state.
    pub fn state_hash(&self) -> u64 {
        let mut state = Vec::new();
        self.ticks.write(&mut state);
        self.random.state().write(&mut state);
        self.home.write(&mut state);
        self.tuning.write(&mut state);
        self.bodies.write_state(&mut state);
        self.platforms.write_state(&mut state);
        self.cannon.write_state(&mut state);
        self.melee.write_state(&mut state);
        self.pickups.write_state(&mut state);
        state.extend_from_slice(self.props.list_text().as_bytes());
        hash_of_world(&self.world).write(&mut state);
        hash_of(&state)
    }
}
