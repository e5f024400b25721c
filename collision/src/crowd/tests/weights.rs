//! Masses: which of two gives way, and by how much.

use super::*;
use crate::tolerance::OVERLAP_SLACK;

/// Returns the ends of two characters that start in each other on free ground.
fn parted(masses: [f32; 2]) -> [f32; 2] {
    let terrain = arena(20.0, &[]);
    let mut crowd = Crowd::new();
    let starts = [at(10.0, 0.91, 10.0), at(10.72, 0.91, 10.0)];
    let ids = [0, 1].map(|i| crowd.add(Character::at(starts[i]).with_mass(masses[i])));
    for _ in 0..60 {
        crowd.tick(&terrain, &[], TICK);
    }
    assert!(deepest_overlap(&crowd) <= OVERLAP_SLACK);
    [0, 1].map(|i| crowd.position(ids[i]).unwrap().since(&starts[i]).x)
}

#[test]
fn pushes_part_two_by_the_ratio_of_their_masses() {
    for ratio in [1.0, 2.0, 5.0, 40.0] {
        let [light, heavy] = parted([10.0, 10.0 * ratio]);
        assert!(light < -0.03 && heavy > 0.0, "{ratio}: {light} {heavy}");
        let found = -light / heavy;
        assert!((found / ratio - 1.0).abs() < 0.02, "{ratio}: {found}");
    }
    let [first, second] = parted([f32::INFINITY, 80.0]);
    assert!(first == 0.0 && second > 0.07, "{first} {second}");
    let usual = parted([80.0, 80.0]);
    assert_eq!(parted([3.0, 3.0]), usual);
    assert_eq!(parted([1.0e30, 1.0e30]), usual);
}

#[test]
fn immovable_stays_to_the_bit_in_a_crowd_that_presses_on_it() {
    let terrain = arena(12.0, &[]);
    let mut crowd = Crowd::new();
    let post = crowd.add(standing(6.0, 7.3).with_mass(f32::INFINITY));
    let ids: Vec<_> = (0..30)
        .map(|i| {
            crowd.add(standing(
                1.5 + f64::from(i % 10),
                2.0 + 3.5 * f64::from(i / 10),
            ))
        })
        .collect();
    crowd.tick(&terrain, &[], TICK);
    let start = crowd.position(post).unwrap();
    for _ in 0..240 {
        let intents: Vec<_> = ids
            .iter()
            .map(|&id| {
                let way = start.since(&crowd.position(id).unwrap());
                (id, Intent::walk(way.normalize() * 4.0))
            })
            .collect();
        crowd.tick(&terrain, &intents, TICK);
        assert!(crowd.position(post).unwrap().same_bits(&start));
        assert!(deepest_overlap(&crowd) <= OVERLAP_SLACK);
    }
}

#[test]
fn pushes_among_all_masses_settle_and_put_none_into_a_wall() {
    let terrain = arena(7.0, &[]);
    let mut crowd = Crowd::new();
    let mut dice = Dice(77);
    let mut ids = Vec::new();
    for i in 0..36 {
        let spread = |index: i32| f64::from(index) * 1.1 + 0.75;
        let (x, z) = (spread(i % 6), spread(i / 6));
        let masses = [0.5, 80.0, 80.0, 900.0];
        let mass = if i % 11 == 5 {
            f32::INFINITY
        } else {
            masses[(dice.roll() * 4.0) as usize % 4]
        };
        let character = standing(x, z).with_mass(mass);
        ids.push((crowd.add(character), mass));
    }
    for tick in 0..600 {
        let wish = |&(id, mass): &(CharacterId, f32)| {
            let pace = if tick < 300 && mass < 100.0 { 3.0 } else { 0.0 };
            (id, walk(pace, 0.5 * pace))
        };
        let intents: Vec<_> = ids.iter().map(wish).collect();
        crowd.tick(&terrain, &intents, TICK);
        for (id, _) in &ids {
            let place = crowd.position(*id).unwrap().to_metres();
            for part in [place.x, place.z] {
                assert!((0.399..6.601).contains(&part), "{tick}: {place}");
            }
        }
    }
    let before = crowd.state_hash();
    let report = crowd.tick(&terrain, &[], TICK);
    assert!(
        report.pushes == 0 || crowd.state_hash() == before,
        "{report:?}"
    );
}

#[test]
fn masses_that_cannot_be_are_refused() {
    let mut crowd = Crowd::new();
    for mass in [0.0, -1.0, f32::NAN, f32::NEG_INFINITY] {
        assert!(crowd.try_add(standing(1.0, 1.0).with_mass(mass)).is_err());
    }
    let id = crowd.add(standing(1.0, 1.0));
    assert!(crowd.set_mass(id, 0.0).is_err());
    assert_eq!(crowd.set_mass(id, f32::INFINITY), Ok(()));
    assert_eq!(crowd.build(id).unwrap().mass, f32::INFINITY);
}
