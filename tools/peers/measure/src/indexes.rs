//! Indexes of boxes: the query of a mover among 10,000 chunk boxes, and moves of one of them.

use crate::contest::{Contestant, Count, hold};
use crate::random::Random;
use crate::row::Row;
use bvh::aabb::{Aabb as BvhAabb, Bounded};
use bvh::bounding_hierarchy::BHShape;
use nalgebra::{Point3, Vector3};
use parry3d::bounding_volume::Aabb;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};
use world::{CellBox, KdTree};

/// A box by its corners, in metres.
type Corners = [[f32; 3]; 2];
const QUERIES: usize = 4096;
/// Subtracted from the upper corners, so that touching boxes do not intersect, as in ours, whose
/// boxes are whole cells.
const APART: f32 = 0.001;

/// Makes 10,000 chunk boxes: 50 by 4 by 50 of 32 m.
fn chunk_boxes() -> Vec<Corners> {
    let place = |index: usize| [index % 50, index / 50 % 4, index / 200];
    (0..10_000)
        .map(|index| {
            let low = place(index).map(|value| value as f32 * 32.0);
            [low, low.map(|value| value + 32.0 - APART)]
        })
        .collect()
}

/// Makes the query boxes of walking characters on whole cells, spread over the chunks.
fn mover_boxes() -> Vec<Corners> {
    let mut random = Random::new(1);
    (0..QUERIES)
        .map(|_| {
            let low = [1590, 120, 1590].map(|limit| random.below(limit) as f32);
            [
                low,
                [
                    low[0] + 2.0 - APART,
                    low[1] + 3.0 - APART,
                    low[2] + 2.0 - APART,
                ],
            ]
        })
        .collect()
}

fn cells(corners: &Corners) -> CellBox {
    let cell = |point: [f32; 3]| Vector3::from(point).map(|value: f32| value.floor() as i32);
    CellBox::new(cell(corners[0]), cell(corners[1]))
}

fn for_parry(corners: &Corners) -> Aabb {
    let [low, high] = corners.map(Vector::from);
    Aabb::new(low, high)
}

fn for_obvhs(corners: &Corners) -> obvhs::aabb::Aabb {
    obvhs::aabb::Aabb::new(corners[0].into(), corners[1].into())
}

/// A box that stores its tree node, as `bvh` requires.
struct Leaf {
    corners: Corners,
    node: usize,
}

impl Bounded<f32, 3> for Leaf {
    fn aabb(&self) -> BvhAabb<f32, 3> {
        for_bvh(&self.corners)
    }
}

impl BHShape<f32, 3> for Leaf {
    fn set_bh_node_index(&mut self, index: usize) {
        self.node = index;
    }

    fn bh_node_index(&self) -> usize {
        self.node
    }
}

fn for_bvh(corners: &Corners) -> BvhAabb<f32, 3> {
    let [low, high] = corners.map(Point3::from);
    BvhAabb::with_bounds(low, high)
}

fn leaves(boxes: &[Corners]) -> Vec<Leaf> {
    let leaf = |&corners: &Corners| Leaf { corners, node: 0 };
    boxes.iter().map(leaf).collect()
}

type Item = GeomWithData<Rectangle<[f32; 3]>, u32>;

fn items(boxes: &[Corners]) -> Vec<Item> {
    boxes
        .iter()
        .zip(0..)
        .map(|(corners, number)| item(corners, number))
        .collect()
}

fn item(corners: &Corners, number: u32) -> Item {
    GeomWithData::new(Rectangle::from_corners(corners[0], corners[1]), number)
}

fn obvhs_tree(boxes: &[Corners]) -> obvhs::bvh2::Bvh2 {
    let leaves: Vec<_> = boxes.iter().map(for_obvhs).collect();
    let mut took = std::time::Duration::ZERO;
    let settings = obvhs::BvhBuildParams::medium_build();
    obvhs::bvh2::builder::build_bvh2(&leaves, settings, &mut took)
}

pub fn rows() -> Vec<Row> {
    let mut rows = queries();
    rows.extend(moves());
    rows
}

fn queries() -> Vec<Row> {
    let (boxes, asked) = (chunk_boxes(), mover_boxes());
    let ours = KdTree::build((0..).zip(boxes.iter().map(cells)));
    let of_parry = Bvh::from_leaves(
        BvhBuildStrategy::Binned,
        &boxes.iter().map(for_parry).collect::<Vec<_>>(),
    );
    let of_obvhs = obvhs_tree(&boxes);
    let mut shapes = leaves(&boxes);
    let of_bvh = bvh::bvh::Bvh::build(&mut shapes);
    let of_rstar = RTree::bulk_load(items(&boxes));
    let count = Count {
        unit: "ns",
        a_second: 1e9,
        items: QUERIES,
        rounds: 60,
    };
    let contestants = vec![
        Contestant::new("ours", || {
            let mut found = 0;
            for query in &asked {
                ours.visit_box(&cells(query), |_| found += 1);
            }
            found
        }),
        Contestant::new("parry Bvh", || {
            let ask = |query| of_parry.intersect_aabb(&for_parry(query)).count();
            asked.iter().map(ask).sum()
        }),
        Contestant::new("obvhs", || {
            let mut found = 0;
            for query in &asked {
                let query = for_obvhs(query);
                of_obvhs.aabb_traverse(query, |bvh, node| {
                    let node = &bvh.nodes[node as usize];
                    let first = node.first_index as usize;
                    let leaves = &bvh.primitive_indices[first..first + node.prim_count as usize];
                    let meets =
                        |&&leaf: &&u32| for_obvhs(&boxes[leaf as usize]).intersect_aabb(&query);
                    found += leaves.iter().filter(meets).count();
                    true
                });
            }
            found
        }),
        Contestant::new("bvh", || {
            let ask = |query| of_bvh.traverse_iterator(&for_bvh(query), &shapes).count();
            asked.iter().map(ask).sum()
        }),
        Contestant::new("rstar", || {
            let ask = |query: &Corners| {
                let area = AABB::from_corners(query[0], query[1]);
                of_rstar.locate_in_envelope_intersecting(area).count()
            };
            asked.iter().map(ask).sum()
        }),
    ];
    hold("world.index.sweep", count, contestants)
}

/// Moves one box in 16 by up to half its length, and back in the next round.
fn moves() -> Vec<Row> {
    const MOVED: usize = 10_000 / 16;
    let boxes = chunk_boxes();
    let shifted = |number: usize, round: usize| {
        let by = if round.is_multiple_of(2) { 16.0 } else { 0.0 };
        boxes[number].map(|[x, y, z]| [x + by, y, z])
    };
    let mut ours = KdTree::build((0..).zip(boxes.iter().map(cells)));
    let mut of_parry = Bvh::from_leaves(
        BvhBuildStrategy::Binned,
        &boxes.iter().map(for_parry).collect::<Vec<_>>(),
    );
    let mut workspace = BvhWorkspace::default();
    let mut of_obvhs = obvhs_tree(&boxes);
    let mut of_rstar = RTree::bulk_load(items(&boxes));
    let mut of_bvh_leaves = leaves(&boxes);
    let mut of_bvh = bvh::bvh::Bvh::build(&mut of_bvh_leaves);
    let count = Count {
        unit: "us",
        a_second: 1e6,
        items: MOVED,
        rounds: 40,
    };
    // Every contestant counts its own rounds.
    let turns = || {
        let mut next = 0;
        move || {
            next += 1;
            next - 1
        }
    };
    let [mut a, mut b, mut c, mut d, mut e] = [turns(), turns(), turns(), turns(), turns()];
    let numbers = || (0..MOVED).map(|number| number * 16);
    let moved: Vec<usize> = numbers().collect();
    let contestants = vec![
        Contestant::new("ours", || {
            let round = a();
            numbers().for_each(|number| ours.insert(number as u32, cells(&shifted(number, round))));
            MOVED
        }),
        Contestant::new("parry Bvh", || {
            let round = b();
            numbers().for_each(|number| {
                of_parry.insert(for_parry(&shifted(number, round)), number as u32);
            });
            // Insertion only lets boxes grow; this is the maintenance that its documentation asks
            // for.
            of_parry.optimize_incremental(&mut workspace);
            MOVED
        }),
        Contestant::new("obvhs", || {
            let round = c();
            numbers().for_each(|number| {
                of_obvhs.remove_primitive(number as u32);
                of_obvhs.insert_primitive(for_obvhs(&shifted(number, round)), number as u32);
            });
            MOVED
        }),
        Contestant::new("bvh", || {
            let round = d();
            for number in &moved {
                of_bvh_leaves[*number].corners = shifted(*number, round);
            }
            of_bvh.update_shapes(&moved, &mut of_bvh_leaves);
            MOVED
        }),
        Contestant::new("rstar", || {
            let round = e();
            for number in numbers() {
                let old = item(&shifted(number, round + 1), number as u32);
                let at_first = item(&boxes[number], number as u32);
                of_rstar.remove(if round == 0 { &at_first } else { &old });
                of_rstar.insert(item(&shifted(number, round), number as u32));
            }
            MOVED
        }),
    ];
    hold("world.index.move", count, contestants)
}
