//! New radii: the foot stays in place, walls and neighbours refuse, others wake.

use super::*;
use crate::mover::Radii;
use crate::{CharacterError, Rules, Sides, TriangleSoup};

const LARGE: Radii = Radii::new(0.8, 1.4);
const SMALL: Radii = Radii::new(0.2, 0.5);

fn settled(crowd: &mut Crowd, terrain: &(impl Terrain + ?Sized)) {
    for _ in 0..40 {
        crowd.tick(terrain, &[], TICK);
    }
}

fn feet(crowd: &Crowd, id: CharacterId) -> f64 {
    height(crowd, id) - f64::from(crowd.body(id).unwrap().radii.along)
}

#[test]
fn reshaped_character_keeps_its_feet_on_the_floor() {
    let terrain = arena(12.0, &[]);
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(6.0, 6.0));
    settled(&mut crowd, &terrain);
    let foot = feet(&crowd, id);
    for radii in [
        LARGE,
        Radii::new(0.9, 0.6),
        SMALL,
        Radii::new(0.1, 4.0),
        LARGE,
    ] {
        crowd.set_radii(&terrain, id, radii, 0.4).unwrap();
        assert_eq!(crowd.body(id).unwrap().radii, radii);
        assert_eq!(crowd.build(id).unwrap().crouched, 0.4);
        for _ in 0..10 {
            assert!((feet(&crowd, id) - foot).abs() < 2e-3, "{radii:?}");
            assert!(crowd.is_grounded(id));
            crowd.tick(&terrain, &[], TICK);
            assert!(crowd.events().is_empty(), "{:?}", crowd.events());
        }
    }
}

#[test]
fn character_grows_and_shrinks_on_a_slope() {
    for degrees in [5.0_f64, 15.0, 30.0, 45.0] {
        let rise = 20.0 * degrees.to_radians().tan();
        let [a, b, c, d] = [[0.0, 0.0], [0.0, 20.0], [20.0, 20.0], [20.0, 0.0]]
            .map(|[x, z]| Point3::new(x, x / 20.0 * rise, z));
        let mut slope = TriangleSoup::new(ObjectId(1), Position::default());
        slope.insert([a, b, c], Sides::Front).unwrap();
        slope.insert([a, c, d], Sides::Front).unwrap();
        let mut crowd = Crowd::new();
        let id = crowd.add(Character::at(at(10.0, rise / 2.0 + 1.2, 10.0)));
        settled(&mut crowd, &slope);
        assert!(crowd.is_grounded(id));
        for radii in [
            LARGE,
            Radii::new(1.5, 0.6),
            SMALL,
            Radii::new(0.5, 0.4),
            LARGE,
        ] {
            crowd.set_radii(&slope, id, radii, 0.4).unwrap();
            for _ in 0..20 {
                crowd.tick(&slope, &[], TICK);
                assert!(crowd.is_grounded(id), "{degrees} {radii:?}");
                assert!(crowd.events().is_empty(), "{:?}", crowd.events());
            }
        }
    }
}

#[test]
fn without_room_nothing_changes_and_with_it_it_does() {
    let point = Point3::new;
    let low = [point(0.0, 2.5, 0.0), point(6.0, 3.0, 12.0)];
    let terrain = arena(12.0, &[low]);
    let tall = Radii::new(0.4, 1.4);
    // Under the ceiling, beside a wall, beside another character, and free; the last with barely
    // enough room.
    for (x, radii, fits) in [
        (3.0, tall, false),
        (11.55, LARGE, false),
        (8.6, LARGE, false),
        (10.0, LARGE, true),
        (3.0, Radii::new(0.4, 1.2), true),
    ] {
        let mut crowd = Crowd::new();
        let id = crowd.add(standing(x, 6.0));
        crowd.add(standing(7.5, 6.0));
        settled(&mut crowd, &terrain);
        let before = (crowd.save(), crowd.state_hash());
        let result = crowd.set_radii(&terrain, id, radii, 0.5);
        if fits {
            assert_eq!(result, Ok(()), "{x}");
        } else {
            assert_eq!(result, Err(CharacterError::NoRoom), "{x}");
            assert_eq!((crowd.save(), crowd.state_hash()), before);
            crowd.tick(&terrain, &[], TICK);
            assert_eq!(crowd.state_hash(), before.1);
        }
        // A smaller size is possible everywhere.
        crowd.set_radii(&terrain, id, SMALL, 0.3).unwrap();
        settled(&mut crowd, &terrain);
        assert!(crowd.is_grounded(id) && feet(&crowd, id).abs() < 0.02);
    }
}

#[test]
fn character_passed_by_rules_does_not_obstruct() {
    struct Apart;
    impl Rules for Apart {
        fn meets(&self, _: CharacterId, _: CharacterId) -> bool {
            false
        }
    }
    let terrain = arena(12.0, &[]);
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(6.0, 6.0));
    crowd.add(standing(7.0, 6.0));
    let refused = crowd.set_radii(&terrain, id, LARGE, 0.7);
    assert_eq!(refused, Err(CharacterError::NoRoom));
    crowd
        .set_radii_with(&terrain, id, LARGE, 0.7, &Apart)
        .unwrap();
    // Nor does a character in no layer that it meets.
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(6.0, 6.0));
    crowd.add(standing(7.0, 6.0).with_layers(2, 2));
    crowd.set_radii(&terrain, id, LARGE, 0.7).unwrap();
}

#[test]
fn crouched_it_grows_when_it_stands_up_and_has_room() {
    let terrain = arena(
        12.0,
        &[[Point3::new(0.0, 1.5, 0.0), Point3::new(6.0, 2.0, 12.0)]],
    );
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(9.0, 6.0));
    for _ in 0..120 {
        crowd.tick(&terrain, &[(id, walk(-3.0, 0.0).crouching())], TICK);
    }
    crowd
        .set_radii(&terrain, id, Radii::new(0.4, 1.1), 0.6)
        .unwrap();
    assert_eq!(crowd.body(id).unwrap().radii.along, 0.6);
    settled(&mut crowd, &terrain);
    assert!(crowd.is_crouched(id));
    for _ in 0..180 {
        crowd.tick(&terrain, &[(id, walk(3.0, 0.0))], TICK);
    }
    assert_eq!(crowd.body(id).unwrap().radii.along, 1.1);
}

#[test]
fn giant_is_met_and_found_as_far_as_it_reaches_though_all_slept() {
    let terrain = arena(40.0, &[]);
    let mut crowd = Crowd::new();
    let giant = crowd.add(standing(20.0, 20.0));
    let walker = crowd.add(standing(4.0, 20.0));
    let sleeper = crowd.add(standing(26.0, 20.0));
    settled(&mut crowd, &terrain);
    crowd
        .set_radii(&terrain, giant, Radii::new(5.5, 5.5), 5.0)
        .unwrap();
    let mut found = Vec::new();
    let head = at(20.0, 10.9, 20.0);
    crowd.overlap_box(&head, Vector3::repeat(0.05), u16::MAX, &mut found);
    assert_eq!(found, [giant]);
    let mut widest = f32::MIN;
    for _ in 0..300 {
        crowd.tick(&terrain, &[(walker, walk(5.0, 0.0))], TICK);
        widest = widest.max(deepest_overlap(&crowd));
    }
    assert!(widest <= crate::tolerance::OVERLAP_SLACK, "{widest}");
    let x = crowd.position(walker).unwrap().to_metres().x;
    assert!((13.0..20.0).contains(&x), "{x}");
    // And back: the other one, pushed aside, stays there, and the walker gets past.
    crowd.set_radii(&terrain, giant, SMALL, 0.3).unwrap();
    assert!(crowd.body(sleeper).is_some());
    settled(&mut crowd, &terrain);
    assert!(crowd.is_grounded(giant) && feet(&crowd, giant).abs() < 0.02);
}

#[test]
fn feet_stay_in_the_air_and_passing_through_nothing_is_in_the_way() {
    let terrain = arena(12.0, &[]);
    for mode in [Mode::Fly, Mode::NoClip] {
        let mut crowd = Crowd::new();
        let id = crowd.add(Character::at(at(6.0, 5.0, 6.0)).with_mode(mode));
        let foot = feet(&crowd, id);
        for radii in [LARGE, SMALL] {
            crowd.set_radii(&terrain, id, radii, 0.3).unwrap();
            assert!((feet(&crowd, id) - foot).abs() < 1e-5);
        }
    }
    let mut crowd = Crowd::new();
    let ghost = crowd.add(Character::at(at(6.0, -0.5, 6.0)).with_mode(Mode::NoClip));
    crowd.set_radii(&terrain, ghost, LARGE, 0.3).unwrap();
}

/// Runs a crowd in a corner, of which some grow and shrink, in the order of `order`; returns the
/// number of changes and the state hash.
fn changing(order: &[usize], restore_at: Option<u64>) -> (u64, u64) {
    let terrain = arena(9.0, &[]);
    let mut crowd = Crowd::new();
    let mut ids = vec![CharacterId::NONE; order.len()];
    for &i in order {
        let (x, z) = (1.0 + 1.3 * (i % 6) as f64, 1.0 + 1.3 * (i / 6) as f64);
        ids[i] = crowd.add(standing(x, z));
    }
    let mut grown = 0;
    for tick in 0..200_u64 {
        if restore_at == Some(tick) {
            let saved = crowd.save();
            crowd = Crowd::new();
            crowd.restore(&saved).unwrap();
        }
        let turn = (tick / 8) as usize;
        if tick % 8 == 0 {
            let radii = [Radii::new(0.6, 1.2), SMALL, Radii::new(0.4, 0.9)][turn % 3];
            let one = ids[turn * 7 % ids.len()];
            grown += u64::from(crowd.set_radii(&terrain, one, radii, 0.4).is_ok());
        }
        let intents: Vec<_> = ids
            .iter()
            .enumerate()
            .map(|(i, &id)| {
                (
                    id,
                    walk(
                        ((i + turn) % 5) as f32 - 2.0,
                        ((i * 3 + turn) % 5) as f32 - 2.0,
                    ),
                )
            })
            .collect();
        crowd.tick(&terrain, &intents, TICK);
    }
    (grown, crowd.state_hash())
}

#[test]
fn same_bits_in_any_order_and_after_going_back() {
    let forth: Vec<_> = (0..30).collect();
    let back: Vec<_> = (0..30).rev().collect();
    let expected = changing(&forth, None);
    assert!((8..25).contains(&expected.0), "{}", expected.0);
    assert_eq!(changing(&back, None), expected);
    for tick in [50, 56, 57, 120] {
        assert_eq!(changing(&forth, Some(tick)), expected, "{tick}");
    }
}

#[test]
fn radii_that_cannot_be_are_refused() {
    let terrain = arena(12.0, &[]);
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(6.0, 6.0));
    let saved = crowd.save();
    for [across, along, crouched] in [
        [f32::NAN, 0.9, 0.5],
        [0.4, f32::INFINITY, 0.5],
        [0.4, 0.9, 0.0],
        [-0.4, 0.9, 0.5],
        [0.4, 9.0, 0.5],
    ] {
        let result = crowd.set_radii(&terrain, id, Radii::new(across, along), crouched);
        assert!(
            matches!(result, Err(CharacterError::Radius(_))),
            "{result:?}"
        );
    }
    assert_eq!(crowd.save(), saved);
    crowd.remove(id);
    let gone = crowd.set_radii(&terrain, id, SMALL, 0.3);
    assert_eq!(gone, Err(CharacterError::Gone));
}
