//! Indexes of boxes: the mover's query among chunk boxes, and the small moving boxes of the spatial hash.

use crate::report::Row;
use parry3d::bounding_volume::Aabb;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy};
use std::hint::black_box;
use std::time::Instant;

/// A box by its corners, in metres.
pub type Corners = [[f32; 3]; 2];

/// 10,000 chunk boxes: 50 by 4 by 50 of 32 m.
pub fn chunk_boxes() -> Vec<Corners> {
    let mut boxes = Vec::new();
    for z in 0..50 {
        for y in 0..4 {
            for x in 0..50 {
                let low = [x, y, z].map(|value| value as f32 * 32.0);
                boxes.push([low, low.map(|value| value + 32.0)]);
            }
        }
    }
    boxes
}

/// Where movers ask: boxes of a walking character, spread over the chunks.
pub fn mover_boxes(count: usize) -> Vec<Corners> {
    let mut seed = 1u64;
    let mut next = |length: f32| {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (seed >> 40) as f32 / (1u64 << 24) as f32 * length
    };
    (0..count)
        .map(|_| {
            let low = [next(1590.0), next(120.0), next(1590.0)];
            [low, [low[0] + 1.0, low[1] + 2.0, low[2] + 1.0]]
        })
        .collect()
}

/// Nanoseconds a query, a batch of all queries at a time.
pub fn time_queries(
    name: &str,
    peer: &str,
    queries: &[Corners],
    mut ask: impl FnMut(&Corners) -> usize,
) -> Row {
    let mut times = Vec::new();
    for round in 0..30 {
        let begin = Instant::now();
        let found: usize = queries.iter().map(&mut ask).sum();
        black_box(found);
        if round > 2 {
            times.push(begin.elapsed().as_secs_f64() * 1e9 / queries.len() as f64);
        }
    }
    Row::timed(name, peer, "ns", &mut times)
}

fn aabb(corners: &Corners) -> Aabb {
    let [low, high] = corners.map(|[x, y, z]| Vector::new(x, y, z));
    Aabb::new(low, high)
}

/// The peers' answers to the movers' queries.
pub fn rows() -> Vec<Row> {
    let boxes = chunk_boxes();
    let queries = mover_boxes(4096);
    vec![
        parry(&boxes, &queries),
        obvhs(&boxes, &queries),
        rstar(&boxes, &queries),
    ]
}

fn parry(boxes: &[Corners], queries: &[Corners]) -> Row {
    let leaves: Vec<Aabb> = boxes.iter().map(aabb).collect();
    let bvh = Bvh::from_leaves(BvhBuildStrategy::Binned, &leaves);
    time_queries("world.index.sweep", "parry Bvh", queries, |query| {
        bvh.intersect_aabb(&aabb(query)).count()
    })
}

fn obvhs(boxes: &[Corners], queries: &[Corners]) -> Row {
    use obvhs::aabb::Aabb;
    use obvhs::bvh2::builder::build_bvh2;
    let convert = |corners: &Corners| Aabb::new(corners[0].into(), corners[1].into());
    let leaves: Vec<Aabb> = boxes.iter().map(convert).collect();
    let mut build_time = std::time::Duration::ZERO;
    let bvh = build_bvh2(
        &leaves,
        obvhs::BvhBuildParams::medium_build(),
        &mut build_time,
    );
    time_queries("world.index.sweep", "obvhs", queries, |query| {
        let (query, mut found) = (convert(query), 0);
        bvh.aabb_traverse(query, |bvh, node| {
            let node = &bvh.nodes[node as usize];
            let range = node.first_index as usize..(node.first_index + node.prim_count) as usize;
            found += range
                .filter(|&index| {
                    leaves[bvh.primitive_indices[index] as usize].intersect_aabb(&query)
                })
                .count();
            true
        });
        found
    })
}

fn rstar(boxes: &[Corners], queries: &[Corners]) -> Row {
    use rstar::{AABB, RTree, primitives::Rectangle};
    let leaves = boxes
        .iter()
        .map(|corners| Rectangle::from_corners(corners[0], corners[1]))
        .collect();
    let tree: RTree<Rectangle<[f32; 3]>> = RTree::bulk_load(leaves);
    time_queries("world.index.sweep", "rstar", queries, |query| {
        tree.locate_in_envelope_intersecting(AABB::from_corners(query[0], query[1]))
            .count()
    })
}
