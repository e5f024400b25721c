//! Trees of boxes: their queries and their depth.

use super::*;
use collision_scenes::Random;

fn random_box(random: &mut Random) -> Bounds {
    let min = Vector3::from_fn(|_, _| random.between(-50.0, 50.0) as f32);
    let max = min + Vector3::from_fn(|_, _| random.between(0.0, 5.0) as f32);
    Bounds { min, max }
}

#[test]
fn query_finds_what_a_scan_finds_after_any_edits() {
    let mut random = Random::new(1);
    let mut tree = BoxTree::default();
    let mut items: Vec<Option<(u32, Bounds)>> = Vec::new();
    for step in 0..3000_u32 {
        let bounds = random_box(&mut random);
        items.push(Some((tree.insert(step, bounds), bounds)));
        let victim = random.below(2 * items.len());
        if let Some((leaf, _)) = items.get_mut(victim).and_then(Option::take) {
            tree.remove(leaf);
        }
        let wanted = random_box(&mut random);
        let mut found = Vec::new();
        tree.query(&wanted, |item| found.push(item));
        found.sort_unstable();
        let live = items
            .iter()
            .enumerate()
            .filter_map(|(item, entry)| Some((item, (*entry)?.1)));
        let scan: Vec<u32> = live
            .filter(|(_, bounds)| bounds.meets(&wanted))
            .map(|(item, _)| item as u32)
            .collect();
        assert_eq!(found, scan, "step {step}");
    }
}

#[test]
fn built_tree_is_edited_by_the_leaves_it_tells() {
    let mut random = Random::new(5);
    for count in [1, 2, 3, 500] {
        let mut tree = BoxTree::default();
        let boxes: Vec<Bounds> = (0..count).map(|_| random_box(&mut random)).collect();
        for (item, &bounds) in boxes.iter().enumerate() {
            tree.note(item as u32, bounds);
        }
        tree.build_all();
        check(&tree);
        let leaves: Vec<(u32, u32)> = tree.leaves().collect();
        assert_eq!(leaves.len(), count);
        for (item, leaf) in &leaves {
            assert_eq!(tree.nodes[*leaf as usize].bounds, boxes[*item as usize]);
            if item % 3 == 0 {
                tree.remove(*leaf);
            }
        }
        tree.insert(7000, random_box(&mut random));
        check(&tree);
        let everywhere = Bounds {
            min: Vector3::repeat(-1e9),
            max: Vector3::repeat(1e9),
        };
        let mut found = Vec::new();
        tree.query(&everywhere, |item| found.push(item));
        found.sort_unstable();
        let mut left: Vec<u32> = (0..count as u32).filter(|item| item % 3 != 0).collect();
        left.push(7000);
        assert_eq!(found, left);
    }
}

fn in_use(tree: &BoxTree) -> Vec<u32> {
    let mut order = Vec::new();
    tree.top_down(&mut order);
    order
}

/// Checks the fields of every node against its children and its parent.
fn check(tree: &BoxTree) {
    for index in in_use(tree) {
        let node = &tree.nodes[index as usize];
        if node.is_leaf() {
            assert_eq!(tree.links[index as usize].height, 0);
            continue;
        }
        let [a, b] = node.children.map(|child| {
            assert_eq!(tree.links[child as usize].parent, index);
            &tree.nodes[child as usize]
        });
        assert_eq!(node.bounds, a.bounds.join(&b.bounds));
        let height = tree.links[index as usize].height;
        assert_eq!(height, tree.height_above(node.children));
    }
}

#[test]
fn tree_stays_shallow_in_whatever_order_items_come() {
    const COUNT: u32 = 20_000;
    let sorted = |step: u32| step as f32;
    let from_both_ends = |step: u32| if step.is_multiple_of(2) { 1.0 } else { -1.0 } * step as f32;
    let to_the_middle = |step: u32| from_both_ends(COUNT - step);
    for place in [
        &sorted as &dyn Fn(u32) -> f32,
        &from_both_ends,
        &to_the_middle,
    ] {
        let mut tree = BoxTree::default();
        let mut leaves = Vec::new();
        for step in 0..COUNT {
            let min = Vector3::repeat(place(step));
            leaves.push(tree.insert(step, Bounds { min, max: min }));
            let height = tree.links[tree.root as usize].height;
            assert!(height <= 2 * (step + 2).ilog2() + 1, "{height} of {step}");
        }
        check(&tree);
        let whole = Bounds {
            min: Vector3::repeat(-1e9),
            max: Vector3::repeat(1e9),
        };
        let mut count = 0;
        tree.query(&whole, |_| count += 1);
        assert_eq!(count, COUNT);
        for leaf in &leaves[..leaves.len() / 2] {
            tree.remove(*leaf);
        }
        check(&tree);
    }
}

#[test]
fn tree_of_ever_larger_steps_stays_within_the_stack() {
    let mut tree = BoxTree::default();
    for step in 0..4_000_u32 {
        let min = Vector3::repeat(1.01_f32.powi(step as i32));
        tree.insert(step, Bounds { min, max: min });
        let height = tree.links[tree.root as usize].height as usize;
        assert!(height < DEEPEST, "{height}");
    }
    check(&tree);
    let whole = Bounds {
        min: Vector3::zeros(),
        max: Vector3::repeat(f32::MAX),
    };
    let mut count = 0;
    tree.query(&whole, |_| count += 1);
    assert_eq!(count, 4_000);
}

#[test]
fn tree_of_ever_larger_steps_stays_within_the_stack_when_it_is_emptied() {
    const COUNT: u32 = 2_000;
    let nested = |size: f32| [Vector3::zeros(), Vector3::repeat(size)];
    let in_a_row = |size: f32| [Vector3::x() * size, Vector3::new(1.02, 0.02, 0.02) * size];
    for corners in [&nested as &dyn Fn(f32) -> [Vector3<f32>; 2], &in_a_row] {
        let mut random = Random::new(3);
        for at_random in [false, true] {
            let mut tree = BoxTree::default();
            let insert = |step: u32| {
                let [min, max] = corners(1e-12 * 1.02_f32.powi(step as i32));
                tree.insert(step, Bounds { min, max })
            };
            let mut leaves: Vec<u32> = (0..COUNT).map(insert).collect();
            leaves.reverse();
            while !leaves.is_empty() {
                let last = leaves.len() - 1;
                let next = if at_random {
                    random.below(last + 1)
                } else {
                    last
                };
                tree.remove(leaves.swap_remove(next));
                let height = tree
                    .links
                    .get(tree.root as usize)
                    .map_or(0, |link| link.height as usize);
                assert!(height < DEEPEST, "{height} of {}", leaves.len());
            }
        }
    }
}

/// Returns the number of nodes that all queries of a tree of squares on a floor visit.
fn looked_at(tree: &BoxTree, side: u32) -> usize {
    let mut looks = 0;
    for x in 0..side {
        let min = Vector3::new(x as f32, 0.0, (x * 7 % side) as f32);
        let wanted = Bounds {
            min,
            max: min + Vector3::repeat(2.0),
        };
        for index in in_use(tree) {
            looks += usize::from(tree.nodes[index as usize].bounds.meets(&wanted));
        }
    }
    looks
}

#[test]
fn tree_of_inserted_items_is_nearly_as_good_as_a_built_one() {
    const SIDE: u32 = 48;
    let square = |number: u32| {
        let min = Vector3::new((number / SIDE) as f32, 0.0, (number % SIDE) as f32);
        let max = min + Vector3::new(1.0, 0.1, 1.0);
        Bounds { min, max }
    };
    let mut built = BoxTree::default();
    for number in 0..SIDE * SIDE {
        built.note(number, square(number));
    }
    built.build_all();
    check(&built);
    let best = looked_at(&built, SIDE);
    for stride in [1, 1001] {
        let mut tree = BoxTree::default();
        for step in 0..SIDE * SIDE {
            let number = step * stride % (SIDE * SIDE);
            tree.insert(number, square(number));
        }
        let looks = looked_at(&tree, SIDE);
        assert!(2 * looks < 3 * best, "{looks}, built {best}");
    }
}
