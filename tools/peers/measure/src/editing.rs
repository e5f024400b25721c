//! The cost of one edited voxel until the collision world is up to date, and a check that it is.

use crate::clock::Moment;
use crate::ground::Ground;
use crate::mesh::Mesh;
use crate::peer::{HALF_HEIGHT, Peer, Rules, Start};
use crate::row::Row;
use crate::walk::{Entrant, TICK};
use std::time::{Duration, Instant};

/// Largest number of voxels placed and removed again.
const MOST_EDITS: usize = 200;
/// Largest distance from the top of a placed voxel at which a character counts as resting on it, in
/// metres: more than any peer's skin.
const RESTS_WITHIN: f32 = 0.06;
const TESTED: usize = 16;

/// Returns a row for each peer: microseconds per edit, and how many of the characters dropped onto
/// new voxels rest on them.
pub fn rows(name: &str, ground: &Ground, entrants: &mut [Entrant], budget: Duration) -> Vec<Row> {
    let cells = open_cells(ground);
    let told = |entrant: &mut Entrant| {
        let beside = entrant.empty_megabytes.map_or(String::new(), |empty| {
            format!(" beside {empty:.1} of an empty world")
        });
        let holds = entrant.megabytes;
        let note = holds.map(|holds| format!("ground {holds:.1} MB{beside}"));
        let peer = entrant.peer.as_mut();
        let mut times = time_edits(ground, peer, &cells, budget);
        Row {
            passed: Some(rest_on_new(ground, peer, &cells[..TESTED])),
            note,
            ..Row::timed(name, peer.name(), "us", &mut times)
        }
    };
    entrants
        .iter_mut()
        .filter(|entrant| entrant.peer.name() != "ours, meeting")
        .map(told)
        .collect()
}

/// Returns free voxels right above the ground with air around, spread over all of it.
fn open_cells(ground: &Ground) -> Vec<[i32; 3]> {
    let [width, height, depth] = ground.size.map(|length| length as i32);
    let mut random = crate::random::Random::new(5);
    let mut cells = Vec::new();
    while cells.len() < MOST_EDITS {
        let (x, z) = (random.below(width - 8) + 4, random.below(depth - 8) + 4);
        let top = (1..height - 12)
            .rev()
            .find(|&y| ground.is_solid([x, y - 1, z]));
        let clear = |y: i32| {
            let room = (2.5 / ground.voxel) as i32;
            (-3..=3).all(|dx| {
                (-3..=3).all(|dz| (1..=room).all(|dy| !ground.is_solid([x + dx, y + dy, z + dz])))
            })
        };
        if let Some(y) = top.filter(|&y| clear(y)) {
            cells.push([x, y, z]);
        }
    }
    cells
}

/// Makes the meshes that an edit changes. Not timed: a game has a faster mesher, see `world.merge`.
fn remade(ground: &Ground, cell: [i32; 3]) -> Vec<(usize, Mesh)> {
    let mesh = |slot| (slot, ground.mesh(slot));
    ground.slots_of(cell).into_iter().map(mesh).collect()
}

fn time_edits(
    ground: &Ground,
    peer: &mut dyn Peer,
    cells: &[[i32; 3]],
    budget: Duration,
) -> Vec<f64> {
    let mut changed = ground.clone();
    let mut times = Vec::new();
    let start = Instant::now();
    for (number, &cell) in cells.iter().enumerate() {
        // Every peer makes at least the tested edits.
        if number >= 8 && start.elapsed() > budget {
            break;
        }
        for solid in [true, false] {
            changed.set(cell, solid);
            let meshes = remade(&changed, cell);
            let begin = Moment::now();
            peer.follow_edit(&changed, cell, &meshes);
            times.push(begin.elapsed().as_secs_f64() * 1e6);
        }
    }
    times
}

/// Places voxels, drops one character onto each, and counts those that rest on top.
fn rest_on_new(ground: &Ground, peer: &mut dyn Peer, cells: &[[i32; 3]]) -> [usize; 2] {
    let mut changed = ground.clone();
    for &cell in cells {
        changed.set(cell, true);
        peer.follow_edit(&changed, cell, &remade(&changed, cell));
    }
    let voxel = ground.voxel;
    let top = |[x, y, z]: [i32; 3]| {
        let middle = |value: i32| (value as f32 + 0.5) * voxel;
        [middle(x), (y + 1) as f32 * voxel, middle(z)]
    };
    let starts: Vec<Start> = cells
        .iter()
        .map(|&cell| {
            let [x, y, z] = top(cell);
            Start {
                center: [x, y + HALF_HEIGHT + 0.3, z],
                rules: Rules::PLAIN,
            }
        })
        .collect();
    if !peer.place(&starts) {
        return [0, cells.len()];
    }
    let still = vec![[0.0; 2]; cells.len()];
    (0..60).for_each(|_| peer.tick(&still, TICK));
    let rests = |(index, &cell): (usize, &[i32; 3])| {
        (peer.center(index)[1] - top(cell)[1] - HALF_HEIGHT).abs() < RESTS_WITHIN
    };
    let held = cells.iter().enumerate().filter(|pair| rests(*pair)).count();
    [held, cells.len()]
}
