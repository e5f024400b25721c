//! Characters put into each other part, however many they are, and then rest.

use super::*;
use crate::kernels::ellipsoids::separate;
use crate::tolerance::OVERLAP_SLACK;

/// Ticks until all sleep, and returns the number of ticks. Each take-back is reported once a tick,
/// and no character leaps.
fn come_to_rest(crowd: &mut Crowd, terrain: &Shapes, at_most: u32) -> u32 {
    for tick in 1..=at_most {
        let before: Vec<_> = crowd.bodies().map(|(_, body)| body.position).collect();
        let report = crowd.tick(terrain, &[], TICK);
        if report.stepped == 0 {
            return tick;
        }
        let went_back = |event: &&Event| event.kind == EventKind::MoveTakenBack;
        let told = crowd.events().iter().filter(went_back);
        let mut told: Vec<_> = told.map(|event| event.character).collect();
        assert_eq!(told.len(), report.taken_back as usize);
        told.dedup();
        assert_eq!(told.len(), report.taken_back as usize);
        for ((_, body), before) in crowd.bodies().zip(before) {
            assert!(body.position.since(&before).norm() < 0.65);
        }
    }
    let (number, overlap) = (crowd.len(), deepest_overlap(crowd));
    panic!("{number} are awake after {at_most} ticks, and {overlap} m deep");
}

fn assert_parted(crowd: &Crowd, size: f64) {
    let overlap = deepest_overlap(crowd);
    assert!(
        overlap <= OVERLAP_SLACK,
        "{} are {overlap} m deep",
        crowd.len()
    );
    for (_, body) in crowd.bodies() {
        let (place, across) = (body.position.to_metres(), f64::from(body.radii.across));
        let fits = |part: f64| part - across > -1e-3 && part + across < size + 1e-3;
        assert!(fits(place.x) && fits(place.z), "{place}");
    }
}

/// Returns the distance of the farthest character from a place on the level, in metres.
fn farthest_from(crowd: &Crowd, x: f64, z: f64) -> f64 {
    let places = crowd.bodies().map(|(_, body)| body.position.to_metres());
    let far = places.map(|place| (place.x - x).hypot(place.z - z));
    far.fold(0.0, f64::max)
}

#[test]
fn added_on_one_spot_they_part() {
    let terrain = arena(40.0, &[]);
    for (number, ticks) in [(2, 15), (3, 15), (12, 15), (35, 30), (50, 40), (100, 80)] {
        for mode in [Mode::Walk, Mode::Fly] {
            let mut crowd = Crowd::new();
            for _ in 0..number {
                crowd.add(standing(20.0, 20.0).with_mode(mode));
            }
            come_to_rest(&mut crowd, &terrain, ticks);
            assert_parted(&crowd, 40.0);
            // Over a disc, not in a row.
            let farthest = farthest_from(&crowd, 20.0, 20.0);
            assert!(
                farthest < 0.9 * f64::from(number).sqrt(),
                "{number}: {farthest}"
            );
        }
    }
}

#[test]
fn strewn_over_a_small_square_they_part() {
    let terrain = arena(20.0, &[]);
    let mut dice = Dice(11);
    for round in 0..16 {
        let mut crowd = Crowd::new();
        for _ in 0..40 {
            let [x, z] = [0; 2].map(|_| f64::from(dice.between(9.0, 11.0)));
            let across = if round % 2 == 0 {
                0.4
            } else {
                dice.between(0.25, 0.6)
            };
            crowd.add(standing(x, z).with_radii(across, 0.9));
        }
        come_to_rest(&mut crowd, &terrain, 60);
        assert_parted(&crowd, 20.0);
    }
}

#[test]
fn characters_added_on_one_spot_part() {
    let terrain = arena(40.0, &[]);
    let mut crowd = Crowd::new();
    for _ in 0..60 {
        crowd.add(standing(20.0, 20.0));
        for _ in 0..20 {
            crowd.tick(&terrain, &[], TICK);
        }
    }
    come_to_rest(&mut crowd, &terrain, 60);
    assert_parted(&crowd, 40.0);
    assert!(farthest_from(&crowd, 20.0, 20.0) < 7.0);
}

#[test]
fn beside_a_wall_and_in_a_corner_they_part() {
    let terrain = arena(10.0, &[]);
    for (x, z, number) in [(0.45, 5.0, 35), (0.45, 5.0, 50), (0.45, 0.45, 35)] {
        let mut crowd = Crowd::new();
        for _ in 0..number {
            crowd.add(standing(x, z));
        }
        come_to_rest(&mut crowd, &terrain, 250);
        assert_parted(&crowd, 10.0);
    }
}

#[test]
fn characters_without_room_get_no_deeper() {
    let terrain = arena(3.0, &[]);
    let mut crowd = Crowd::new();
    for _ in 0..20 {
        crowd.add(standing(1.5, 1.5));
    }
    let mut least = f32::MAX;
    for tick in 0..200 {
        crowd.tick(&terrain, &[], TICK);
        let deepest = deepest_of_all(&crowd);
        assert!(deepest <= least + 1e-4, "{tick}: {least} to {deepest}");
        least = least.min(deepest);
    }
    assert!(least < 0.5, "{least}");
    for (_, body) in crowd.bodies() {
        let place = body.position.to_metres();
        assert!((0.399..2.601).contains(&place.x) && (0.399..2.601).contains(&place.z));
    }
}

/// [`deepest_overlap`] without a limit of the depth.
fn deepest_of_all(crowd: &Crowd) -> f32 {
    let bodies: Vec<_> = crowd.bodies().map(|(_, body)| body).collect();
    let pairs = (0..bodies.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let depth = |(i, j): (usize, usize)| -separate(&bodies[i], &bodies[j]).distance;
    pairs.map(depth).fold(f32::MIN, f32::max)
}
