//! The tree of boxes against a plain list, and its depth.

use fuzz_bodies::{campaign, tree};
use nalgebra::Vector3;
use world::{CellBox, KdTree};

type Cell = Vector3<i32>;

/// Trees that are grown by changes and asked in every way.
const TREES: usize = 232;

/// After any changes, every query finds what a list finds, at the ends of the coordinates too.
#[test]
fn queries_find_what_a_list_finds() {
    campaign::run(&tree::TARGET, TREES);
}

#[test]
fn streaming_keeps_the_tree_shallow() {
    let mut tree = KdTree::new();
    let item = |x: i32, z: i32| (x.rem_euclid(64) * 64 + z) as u32;
    for x in 0..1000 {
        for z in 0..64 {
            if x >= 60 {
                tree.remove(item(x - 60, z));
            }
            let min = Cell::new(x * 32, 0, z * 32);
            tree.insert(item(x, z), CellBox::new(min, min.add_scalar(31)));
        }
    }
    assert_eq!(tree.len(), 60 * 64);
    assert!(tree.depth() <= 20, "{}", tree.depth());
}

#[test]
fn moving_boxes_keep_the_tree_shallow() {
    let mut tree = KdTree::new();
    let place = |item: u32, tick: i32| {
        let (item, spread) = (item as i32, 5_000 / (1 + tick % 50));
        // All boxes move to one place and apart again, each on its own path.
        let part = |by: i32| item.wrapping_mul(by).rem_euclid(2 * spread) - spread + tick;
        let min = Cell::new(part(7919), part(104_729) / 8, part(1_299_709));
        CellBox::new(min, min.add_scalar(2 + item % 5))
    };
    for tick in 0..200 {
        for item in 0..3_000 {
            tree.insert(item, place(item, tick));
        }
        assert!(tree.depth() <= 24, "tick {tick}: {}", tree.depth());
    }
    assert_eq!(tree.len(), 3_000);
}

#[test]
fn boxes_in_one_place_are_told_apart_by_number() {
    let mut tree = KdTree::new();
    let bounds = CellBox::new(Cell::zeros(), Cell::repeat(3));
    for item in 0..1000 {
        tree.insert(item, bounds);
    }
    assert!(tree.depth() <= 20, "{}", tree.depth());
    let mut found = 0;
    tree.visit_box(&bounds, |_| found += 1);
    assert_eq!(found, 1000);
    for item in 0..999 {
        assert!(tree.remove(item));
    }
    assert_eq!((tree.len(), tree.depth()), (1, 0));
}
