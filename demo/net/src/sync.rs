//! The chunks that a client still needs, nearest first, a part of them in each tick.

use collision::{Cell, Position};
use world::save::{MaterialNames, chunk_key, encode_chunk};
use world::{CellBox, ChunkPosition, World};

use crate::message::{LONGEST_ORDERED, ToClient};
use crate::peer::Peer;

/// Bytes of chunks for a client in a tick; the last chunk may go beyond.
const BYTES_A_TICK: usize = 16 << 10;

/// Sends a part of the chunks that a client needs; after the last one strokes come as strokes.
pub(crate) fn send_chunks(
    peer: &mut Peer,
    world: &mut World,
    names: &MaterialNames,
    about: &Position,
) {
    let mut left = BYTES_A_TICK;
    while left > 0 {
        let Some(chunk) = nearest(peer, about) else {
            break;
        };
        peer.waiting.remove(&<[i32; 3]>::from(chunk));
        let Some(sealed) = sealed_chunk(world, chunk, names) else {
            continue;
        };
        left = left.saturating_sub(sealed.len());
        peer.send(&ToClient::Chunk { chunk, sealed });
    }
    if peer.waiting.is_empty() && !peer.is_synced {
        peer.is_synced = true;
        peer.send(&ToClient::Synced);
    }
}

fn nearest(peer: &Peer, about: &Position) -> Option<ChunkPosition> {
    let here = about.cell.map(|part| i64::from(part.div_euclid(32)));
    let away = |chunk: &&[i32; 3]| {
        let away = ChunkPosition::from(**chunk).map(i64::from) - here;
        away.map(|part| part.saturating_mul(part)).sum()
    };
    let nearest = peer.waiting.iter().min_by_key(away);
    nearest.map(|&chunk| ChunkPosition::from(chunk))
}

/// Returns the bytes of a chunk; `None` where there is none.
fn sealed_chunk(world: &mut World, chunk: ChunkPosition, names: &MaterialNames) -> Option<Vec<u8>> {
    let low = chunk * 32;
    world
        .load(&CellBox::new(low, low + Cell::repeat(31)))
        .ok()?;
    let voxels = world.brick(world.brick_at(chunk)?).voxels();
    let sealed = encode_chunk(&chunk_key(chunk), voxels, names);
    (sealed.len() + 64 <= LONGEST_ORDERED).then_some(sealed)
}
