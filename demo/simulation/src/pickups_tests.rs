//! Pick-ups that are thrown, dropped and scattered, and zones that ride.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use super::*;
use crate::level_ground::on_level_ground;
use crate::{Blow, CannonShot, Command, PlayerId, Switch, Wish};

/// Returns the player, standing.
fn landed() -> Simulation {
    let mut simulation = on_level_ground(0);
    simulation.tick(&Wish::default().alone());
    simulation
}

fn check_hash(pickups: &Pickups) {
    let mut found = Vec::new();
    let everything = IntegerBox::new([-4096; 3], [4096; 3]);
    pickups.hash.query(&everything, &mut found);
    let found: BTreeSet<String> = found.iter().map(|it| format!("{it:?}")).collect();
    let loose = pickups.loose.keys().map(|&it| Thing::Loose(it));
    let zones = pickups.zones.keys().map(|&it| Thing::Zone(it));
    let there: BTreeSet<String> = loose.chain(zones).map(|it| format!("{it:?}")).collect();
    assert_eq!(found, there);
    for (&number, thing) in &pickups.loose {
        assert_eq!(
            pickups.hash.bounds(&Thing::Loose(number)),
            Some(thing.bounds())
        );
    }
}

#[test]
fn a_pickup_is_thrown_comes_to_rest_and_is_collected_again() {
    let mut simulation = landed();
    simulation.apply(PlayerId::FIRST, &Command::ThrowPickup);
    assert_eq!(
        simulation.pickups().waiting().count(),
        0,
        "there is none to throw"
    );
    simulation.bodies.players[0].pickups = 1;
    simulation.apply(PlayerId::FIRST, &Command::ThrowPickup);
    assert_eq!(simulation.players()[0].pickups(), 0);
    for _ in 0..240 {
        simulation.tick(&Wish::default().alone());
        check_hash(&simulation.pickups);
    }
    let lying = simulation.pickups().waiting().next().unwrap().clone();
    let at = lying.position.to_metres();
    assert_eq!(lying.before, lying.position, "it lies still");
    assert!(
        (at.y - f64::from(PICKUP_RADIUS)).abs() < 0.05 && at.z < -4.0,
        "{at}"
    );
    // The player walks there and takes it again.
    let wish = Wish {
        forward: 1.0,
        ..Wish::default()
    };
    (0..600).for_each(|_| simulation.tick(&wish.alone()));
    assert_eq!(simulation.players()[0].pickups(), 1);
    assert_eq!(simulation.pickups().waiting().count(), 0);
}

#[test]
fn a_thrown_pickup_strikes_a_walker_once_and_bounces_off() {
    let mut simulation = landed();
    simulation.apply(PlayerId::FIRST, &Command::SetCrowd(2));
    let middle = simulation.player_position();
    for (walker, z) in [(0, -3.0), (1, 9.0)] {
        let id = simulation.bodies.walkers[walker].id;
        let at = middle.moved(Vector3::new(0.0, 0.0, z));
        simulation.bodies.crowd.teleport(id, at).unwrap();
    }
    simulation.bodies.players[0].pickups = 1;
    simulation.apply(PlayerId::FIRST, &Command::ThrowPickup);
    let (mut fastest, mut nearest) = (0.0_f32, f32::MAX);
    for _ in 0..90 {
        simulation.tick(&Wish::default().alone());
        check_hash(&simulation.pickups);
        let id = simulation.bodies.walkers[0].id;
        let velocity = simulation.bodies.crowd.velocity(id).unwrap();
        fastest = fastest.max(-velocity.z);
        for pickup in simulation.pickups().waiting() {
            nearest = nearest.min(way(&middle, &pickup.position).z);
        }
    }
    assert_eq!(simulation.players()[0].fighter().hits, 1);
    assert!(fastest > THROW * PUSH * 0.8, "pushed {fastest} m/s");
    assert!(nearest > -3.0, "it flew through the walker to {nearest}");
}

#[test]
fn a_walker_that_is_hit_drops_what_it_carries() {
    let mut simulation = landed();
    simulation.apply(PlayerId::FIRST, &Command::SetCrowd(1));
    let id = simulation.bodies.walkers[0].id;
    let at = simulation
        .player_position()
        .moved(Vector3::new(0.0, 0.0, -1.6));
    simulation.bodies.crowd.teleport(id, at).unwrap();
    simulation.bodies.walkers[0].carries = 2;
    simulation.strike(0, Blow::Swing).unwrap();
    assert_eq!(simulation.bodies.walkers[0].carries, 0);
    assert_eq!(simulation.pickups().waiting().count(), 2);
    simulation.tick(&Wish::default().alone());
    check_hash(&simulation.pickups);
}

#[test]
fn a_landing_throws_debris_that_falls_to_the_ground_and_is_gone_in_time() {
    let mut simulation = landed();
    let down = Wish {
        pitch: -0.5,
        ..Wish::default()
    };
    let shot = CannonShot::charged(down.sight(), 0.5);
    simulation.apply(PlayerId::FIRST, &Command::Fire(shot));
    let mut most = 0;
    for _ in 0..60 {
        simulation.tick(&down.alone());
        most = most.max(simulation.pickups().loose().count());
        check_hash(&simulation.pickups);
    }
    assert_eq!(most, PIECES as usize);
    (0..180).for_each(|_| simulation.tick(&Wish::default().alone()));
    for piece in simulation.pickups().loose() {
        let at = piece.position.to_metres();
        assert!(at.y > -8.0 && at.y < 1.0, "{at}");
    }
    (0..DEBRIS_TICKS * 2).for_each(|_| simulation.tick(&Wish::default().alone()));
    assert_eq!(simulation.pickups().loose().count(), 0);
    assert!(simulation.pickups.hash.is_empty());
}

#[test]
fn zones_ride_on_platforms_and_throw_characters_inside() {
    let mut simulation = landed();
    simulation.apply(PlayerId::FIRST, &Command::SetPlatforms(Switch::On));
    let riding = simulation.pickups().zones().count();
    assert_eq!(riding, 1, "the lift has a zone");
    let places = |simulation: &Simulation| -> Vec<Position> {
        simulation.pickups().zones().map(|zone| zone.min).collect()
    };
    let before = places(&simulation);
    (0..100).for_each(|_| simulation.tick(&Wish::default().alone()));
    check_hash(&simulation.pickups);
    let zone = *simulation.pickups().zones().next().unwrap();
    let moved = zone.min.since(&before[0]).norm();
    assert!(moved > 1.0, "it stayed behind: {moved} m");
    let inside = zone.min.moved(Vector3::new(0.7, 0.95, 0.7));
    simulation.bodies.teleport_player(0, inside);
    let height = simulation.player_position().to_metres().y;
    (0..20).for_each(|_| simulation.tick(&Wish::default().alone()));
    let risen = simulation.player_position().to_metres().y - height;
    assert!(risen > 1.5, "thrown up {risen} m");
    simulation.apply(PlayerId::FIRST, &Command::SetPlatforms(Switch::Off));
    assert_eq!(simulation.pickups().zones().count(), 0);
    check_hash(&simulation.pickups);
}
