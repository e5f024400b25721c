//! The wide lanes against the scalar kernel, and each kind of part by itself.

use super::*;
use crate::kernels::enter_ball;
use crate::mover::test_terrain::Dice;
use crate::tolerance::LEAN;

/// Fills a lane with a candidate near the origin: often degenerate, touching, or sharing a
/// coordinate with the ray.
fn fill(block: &mut Block, lane: usize, dice: &mut Dice) {
    let kind = dice.bits() % 7;
    for axis in 0..3 {
        let low = (dice.signed() * 2.0 * 4.0).round() / 4.0;
        let size = (dice.share() * 8.0).round() / 4.0;
        let flat = kind & (1 << axis) != 0;
        block.min[axis][lane] = low;
        block.max[axis][lane] = if flat { low } else { low + size };
        block.flat[axis][lane] = if flat { u32::MAX } else { 0 };
    }
    block.radius[lane] = [0.0, 0.41, 0.409_999, 1.0][dice.bits() as usize % 4];
    block.approach[lane] = [0.0, 1e-5][dice.bits() as usize % 2];
    let face = kind.count_ones() == 1;
    block.sign[lane] = if face {
        [-1.0, 1.0][dice.bits() as usize % 2]
    } else {
        0.0
    };
}

fn ray(dice: &mut Dice) -> Ray {
    let odd = [0.0, -0.0, 1e-39, 1e-30, -1e-20, 1e-7, 1.0, -4.0, 1e30];
    let mut part = |grid: f32| match dice.bits() % 12 {
        0 => odd[dice.bits() as usize % odd.len()],
        1..4 => (dice.signed() * grid * 4.0).round() / 4.0,
        _ => dice.signed() * grid,
    };
    let start = [part(2.0), part(2.0), part(2.0)];
    let mut ray = Ray::new(start, [part(4.0), part(4.0), part(4.0)]);
    ray.limit = [1.0, 0.5, 0.0][dice.bits() as usize % 3];
    ray
}

fn one_by_one(block: &Block, ray: &Ray) -> [f32; WIDTH] {
    std::array::from_fn(|lane| {
        let met = block.parts::<f32>(lane).enter(ray);
        met.time().unwrap_or(f32::INFINITY)
    })
}

#[test]
fn lanes_equal_their_scalar_twin_bit_for_bit() {
    let mut dice = Dice(1);
    let mut hits = 0;
    for _ in 0..250_000 {
        let mut block = Block::zeroed();
        for lane in 0..WIDTH {
            fill(&mut block, lane, &mut dice);
        }
        for _ in 0..2 {
            let ray = ray(&mut dice);
            let (ours, twin) = (block.sweep(WIDTH, &ray).times, one_by_one(&block, &ray));
            assert_eq!(ours.map(f32::to_bits), twin.map(f32::to_bits), "{ray:?}");
            hits += ours.iter().filter(|time| time.is_finite()).count();
        }
    }
    assert!(hits > 20_000, "only {hits} hits");
}

#[test]
fn near_equals_its_scalar_twin() {
    let mut dice = Dice(2);
    let mut found = 0;
    for _ in 0..20_000 {
        let odd = [f32::NAN, f32::INFINITY, -0.0, 1e30];
        let mut part = || match dice.bits() % 16 {
            0 => odd[dice.bits() as usize % odd.len()],
            1..8 => (dice.signed() * 4.0).round(),
            _ => dice.signed() * 4.0,
        };
        let row = std::array::from_fn(|_| part());
        let (value, most) = (part(), part().abs() * 0.25);
        let bits = near(&row, value, most);
        assert_eq!(
            bits,
            near_by::<f32>(&row, value, most),
            "{row:?} {value} {most}"
        );
        found += bits.count_ones();
    }
    assert!(found > 10_000, "only {found} found");
}

fn one(flat: [bool; 3], min: [f32; 3], max: [f32; 3], sign: f32) -> Block {
    let mut block = Block::zeroed();
    for axis in 0..3 {
        block.min[axis][0] = min[axis];
        block.max[axis][0] = max[axis];
        block.flat[axis][0] = if flat[axis] { u32::MAX } else { 0 };
    }
    block.radius[0] = 0.5;
    block.sign[0] = sign;
    block
}

fn floor() -> Block {
    one(
        [false, true, false],
        [-1.0, 0.0, -1.0],
        [1.0, 0.0, 1.0],
        1.0,
    )
}

fn time(block: &Block, start: [f32; 3], motion: [f32; 3]) -> f32 {
    block.sweep(1, &Ray::new(start, motion)).times[0]
}

#[test]
fn face_separated_is_hit_at_its_distance() {
    assert_eq!(time(&floor(), [0.0, 2.5, 0.0], [0.0, -4.0, 0.0]), 0.5);
}

#[test]
fn face_touching_is_hit_at_once_and_receding_never() {
    assert_eq!(time(&floor(), [0.0, 0.5, 0.0], [0.0, -1.0, 0.0]), 0.0);
    assert_eq!(
        time(&floor(), [0.0, 0.5, 0.0], [1.0, 0.0, 0.0]),
        f32::INFINITY
    );
    assert_eq!(
        time(&floor(), [0.0, 0.2, 0.0], [0.0, 1.0, 0.0]),
        f32::INFINITY
    );
}

#[test]
fn face_is_not_seen_from_behind() {
    assert_eq!(
        time(&floor(), [0.0, -2.0, 0.0], [0.0, 4.0, 0.0]),
        f32::INFINITY
    );
    assert_eq!(
        time(&floor(), [0.0, -0.2, 0.0], [0.0, -4.0, 0.0]),
        f32::INFINITY
    );
}

#[test]
fn face_entered_sideways_inside_the_skin_is_hit_at_its_rim() {
    assert_eq!(time(&floor(), [-2.0, 0.4, 0.0], [2.0, -0.01, 0.0]), 0.5);
}

#[test]
fn face_limits_are_inclusive() {
    for rim in [-1.0, 1.0] {
        assert_eq!(time(&floor(), [rim, 2.5, rim], [-rim, -4.0, -rim]), 0.5);
        assert_eq!(
            time(&floor(), [1.5 * rim, 2.5, 0.0], [-rim, -4.0, 0.0]),
            0.5
        );
    }
    assert_eq!(
        time(&floor(), [1.001, 2.5, 0.0], [0.0, -4.0, 0.0]),
        f32::INFINITY
    );
}

#[test]
fn edge_is_grazed_within_its_radius_only() {
    let edge = one([true, true, false], [0.0, 0.0, -1.0], [0.0, 0.0, 1.0], 0.0);
    assert!(time(&edge, [-2.0, 0.499_9, 0.0], [4.0, 0.0, 0.0]).is_finite());
    assert!(time(&edge, [-2.0, 0.500_1, 0.0], [4.0, 0.0, 0.0]).is_infinite());
    let head_on = time(&edge, [-2.5, 0.0, 0.0], [4.0, 0.0, 0.0]);
    assert!((head_on - 0.5).abs() < 1e-6);
}

#[test]
fn corner_is_a_ball() {
    let corner = one([true; 3], [0.0; 3], [0.0; 3], 0.0);
    let part = 1.0 / 3.0_f32.sqrt();
    let hit = time(&corner, [-part, -part, -part], [part, part, part]);
    assert!((hit - 0.5).abs() < 1e-6);
}

#[test]
fn depth_agrees_with_the_distance() {
    assert!((depth(&floor(), [0.0, 0.3, 0.0])[0] - 0.2).abs() < 1e-6);
    assert!(depth(&floor(), [0.0, 0.7, 0.0])[0] < 0.0);
    assert!(depth(&floor(), [0.0, -0.1, 0.0])[0] < -1.0);
}

#[test]
fn way_to_a_ball_is_that_to_a_corner_to_the_bit() {
    let mut dice = Dice(5);
    let mut hits = 0;
    for _ in 0..200_000 {
        let mut block = Block::zeroed();
        fill(&mut block, 0, &mut dice);
        block
            .max
            .each_mut()
            .iter_mut()
            .zip(block.min)
            .for_each(|(max, min)| max[0] = min[0]);
        block
            .flat
            .each_mut()
            .iter_mut()
            .for_each(|flat| flat[0] = u32::MAX);
        block.sign[0] = 0.0;
        let ray = Ray {
            limit: [1.0, 0.5][dice.bits() as usize % 2],
            ..ray(&mut dice)
        };
        let to = [0, 1, 2].map(|axis| block.min[axis][0] - ray.start[axis]);
        let radius = block.radius[0];
        block.approach[0] = LEAN * radius;
        let found = enter_ball(&to, radius, &ray.motion, ray.length, ray.limit).time();
        let time = block.sweep(1, &ray).times[0];
        assert_eq!(
            found.unwrap_or(f32::INFINITY).to_bits(),
            time.to_bits(),
            "{block:?} {ray:?}"
        );
        hits += u32::from(found.is_some());
    }
    assert!(hits > 1_000, "{hits}");
}
