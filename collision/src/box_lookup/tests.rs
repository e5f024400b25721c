//! Boxes and spots against their scalar twins, and against brute force.

use super::*;
use crate::mover::test_terrain::Dice;
use crate::position::Cell;
use crate::spots::{UNIT, WIDEST};

#[test]
fn boxes_that_meet_equal_their_scalar_twin() {
    let mut dice = Dice(3);
    let mut met = 0;
    for _ in 0..50_000 {
        let ends = [i32::MAX, i32::MIN, 0, 1];
        let far = dice.bits().is_multiple_of(4);
        let mut cell = || match far {
            true => ends[dice.bits() as usize % ends.len()],
            false => (dice.signed() * 3.0) as i32,
        };
        let cells = [0; 2].map(|_| Vector3::from_fn(|_, _| cell()));
        let odd = [f32::NAN, f32::INFINITY, -0.0, 0.5];
        let mut part = || match dice.bits() % 32 {
            0 => odd[dice.bits() as usize % odd.len()],
            1..16 => (dice.share() * 4.0).round() * 0.25,
            _ => dice.share(),
        };
        let offsets = [0; 2].map(|_| Vector3::from_fn(|_, _| part()));
        let extents = [0; 2].map(|_| Vector3::from_fn(|_, _| part() * 2.0));
        let [own, other] = [0, 1].map(|i| Position {
            cell: cells[i],
            offset: offsets[i],
        });
        let own = Surroundings::new(&own, extents[0]);
        let meets = own.meets(&other, &extents[1]);
        let twin = own.meets_scalar(&other, &extents[1]);
        assert_eq!(meets, twin, "{own:?} {other:?} {}", extents[1]);
        met += u32::from(meets);
    }
    assert!((5_000..45_000).contains(&met), "{met} met");
}

#[test]
fn spots_in_a_box_equal_their_scalar_twin() {
    let mut dice = Dice(6);
    let (mut inside, mut left_out) = (0, 0);
    for _ in 0..100_000 {
        let mut number = |near: i32| {
            let most = [2, 1000, i32::MAX][dice.bits() as usize % 3];
            near.wrapping_add((dice.signed() * most as f32) as i32)
        };
        let least = [number(0), number(i32::MIN), number(7)];
        let size = [number(0), number(500), number(0)].map(|size| size as u32);
        let spots = [(); SPOTS].map(|()| {
            let at = least.map(&mut number);
            Spot::new(at, number(0) as u32)
        });
        let but = number(0) as u32;
        let bounds = Bounds::new(least, size, but);
        let hold = bounds.hold(&spots);
        assert_eq!(hold, bounds.hold_scalar(&spots), "{bounds:?} {spots:?}");
        for (place, spot) in spots.iter().enumerate() {
            let past = |axis: usize| spot.at[axis].wrapping_sub(least[axis]) as u32;
            let within = (0..3).all(|axis| past(axis) <= size[axis]);
            let holds = within && spot.row != but;
            assert_eq!(hold >> (place * SPOT_BITS) & 1 != 0, holds);
            inside += u32::from(holds);
            left_out += u32::from(within && !holds);
        }
    }
    assert!(inside > 10_000 && left_out > 1_000, "{inside} {left_out}");
}

#[test]
fn box_about_a_position_holds_all_that_is_so_near() {
    let mut dice = Dice(9);
    let (mut inside, mut outside) = (0, 0);
    for _ in 0..20_000 {
        let spread = [0.01, 3.0, 1e4, 1e6, 1e9][dice.bits() as usize % 5];
        let mut somewhere = |middle: Cell| {
            let away = [(); 3].map(|()| dice.signed() * spread);
            Position::new(middle, away.into())
        };
        let ends = Cell::new(i32::MAX, i32::MIN, 7);
        let center = somewhere(ends);
        let wide = somewhere(Cell::zeros()).to_metres().coords;
        let wide = wide.map(|part| part.abs() as f32);
        let bounds = Bounds::about(&center, &wide, 3);
        let scalar = Bounds::about_scalar(&center, &wide, 3);
        assert_eq!(format!("{bounds:?}"), format!("{scalar:?}"));
        for row in [2, 3] {
            let at = somewhere(center.cell);
            let held = bounds.hold(&[Spot::new(units(&at), row); SPOTS]) != 0;
            let beyond = |axis: usize| {
                let cells = i64::from(at.cell[axis].wrapping_sub(center.cell[axis]));
                let off = cells as f64 + f64::from(at.offset[axis] - center.offset[axis]);
                off.abs() - f64::from(wide[axis])
            };
            let beyond = (0..3).map(beyond).fold(f64::MIN, f64::max);
            assert!(
                held || beyond > 0.0 || row == 3,
                "{at:?} of {center:?} {wide}"
            );
            let loose = 0.01 + f64::from(wide.max()) * 1e-6;
            let all = wide.max() >= WIDEST / UNIT;
            assert!(
                !held || (row != 3 && (all || beyond < loose)),
                "{at:?} of {center:?} {wide}"
            );
            inside += u32::from(held);
            outside += u32::from(!held && row == 2);
        }
    }
    assert!(inside > 1_000 && outside > 1_000, "{inside} {outside}");
}
