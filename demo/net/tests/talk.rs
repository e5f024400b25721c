//! Names, talk and visits of players.

#![allow(clippy::unwrap_used)]

mod table;

use net::{Event, Line};
use simulation::{BrushMode, BrushShape, Command, Joins, Limits, Refusal, Role, Stroke, Travel};
use table::link::Impairment;
use table::{Table, place, plain};
use world::Material;

fn names(table: &mut Table, guest: usize) -> Vec<String> {
    let names = table.guests[guest].client().names();
    names.map(|(_, name)| name.to_string()).collect()
}

#[test]
fn players_have_names_of_their_own_and_are_missed_when_they_go() {
    let mut table = Table::new(plain(), Limits::default());
    for _ in 0..3 {
        table.join(Role::Walk, plain(), Impairment::BAD);
    }
    table.run(120);
    for guest in 0..3 {
        assert_eq!(names(&mut table, guest), ["guest", "guest 2", "guest 3"]);
    }
    let client = table.guests[0].client();
    let joined = client.take_events().len();
    assert_eq!(joined, 3);
    let gone = table.guests[1].peer;
    assert!(table.server.disconnect(gone));
    table.run(120);
    let client = table.guests[0].client();
    let events = client.take_events();
    assert!(matches!(&events[..], [Event::Left(name)] if name.as_str() == "guest 2"));
    assert_eq!(client.others().count(), 1);
}

#[test]
fn lines_reach_all_players_and_too_many_reach_nobody() {
    let mut table = Table::new(plain(), Limits::default());
    for _ in 0..2 {
        table.join(Role::Look, plain(), Impairment::BAD);
    }
    table.run(120);
    let said = |table: &mut Table, guest: usize| {
        let events = table.guests[guest].client().take_events();
        let lines = events.into_iter().filter_map(|event| match event {
            Event::Said(by, line) => Some((by, line)),
            _ => None,
        });
        lines.collect::<Vec<_>>()
    };
    let line = Line::of("hello there").unwrap();
    let client = table.guests[0].client();
    let speaker = client.player();
    client.say(line.clone());
    table.run(60);
    for guest in 0..2 {
        assert_eq!(said(&mut table, guest), [(speaker, line.clone())]);
    }
    for _ in 0..50 {
        table.guests[0].client().say(line.clone());
    }
    table.run(120);
    let heard = said(&mut table, 1).len();
    assert!((4..=7).contains(&heard), "{heard}");
}

#[test]
fn a_player_is_brought_to_another_one() {
    let mut table = Table::new(plain(), Limits::default());
    let [host, guest] = [Role::Owner, Role::Walk].map(|role| {
        let index = table.join(role, plain(), Impairment::NONE);
        table.run(60);
        index
    });
    let players = [host, guest].map(|it| table.guests[it].client().player());
    let far = simulation::standing_in(collision::Cell::new(60, 0, 50), 0.9);
    table.guests[host].apply(&Command::Teleport(far));
    table.run(60);
    let apart = |table: &Table| {
        let [a, b] = players.map(|player| place(&table.server, player));
        (a - b).norm()
    };
    assert!(apart(&table) > 60.0);
    table.guests[guest].client().visit(players[0]);
    table.run(60);
    assert!(apart(&table) < 8.0, "{}", apart(&table));
    table.assert_in_place(guest);
}

#[test]
fn a_refused_command_is_told_with_its_reason() {
    let mut table = Table::new(plain(), Limits::default());
    let guest = table.join(Role::Walk, plain(), Impairment::BAD);
    table.run(120);
    table.guests[guest].client().take_events();
    assert_eq!(table.guests[guest].client().role(), Role::Walk);
    let stroke = Stroke {
        center: collision::Cell::new(3, -2, 3),
        size: 2,
        shape: BrushShape::Sphere,
        mode: BrushMode::Carve,
        material: Material::AIR,
        joins: Joins::Nothing,
    };
    table.guests[guest].apply(&Command::Edit(stroke));
    table.guests[guest].apply(&Command::Travel(Travel::Fly));
    table.run(120);
    let events = table.guests[guest].client().take_events();
    let refusal = Event::Refused(Refusal::Role { needs: Role::Build });
    assert_eq!(events, [refusal.clone(), refusal]);
    table.assert_same_land(guest);
    table.assert_in_place(guest);
}

#[test]
fn a_player_comes_back_to_where_it_left() {
    let mut table = Table::new(plain(), Limits::default());
    let guest = table.join(Role::Build, plain(), Impairment::NONE);
    table.run(60);
    let ahead = simulation::Input::of(&simulation::Wish {
        forward: 1.0,
        ..simulation::Wish::default()
    });
    table.guests[guest].apply(&Command::Travel(Travel::Fly));
    table.guests[guest].input = ahead;
    table.run(60);
    table.guests[guest].input = simulation::Input::default();
    table.run(300);
    let player = table.guests[guest].client().player();
    let left = place(&table.server, player);
    assert!(
        table
            .server
            .simulation()
            .world
            .kept_bytes("places of guests")
            .is_some()
    );
    let peer = table.guests[guest].peer;
    table.server.disconnect(peer);
    for (role, travel) in [(Role::Build, Travel::Fly), (Role::Walk, Travel::Walk)] {
        let again = table.join(role, plain(), Impairment::NONE);
        table.run(2);
        let client = table.guests[again].client();
        assert_eq!(client.name(client.player()).unwrap().as_str(), "guest");
        let player = client.player();
        let there = place(&table.server, player);
        assert!((there - left).norm() < 0.2, "{there} is not {left}");
        let players = table.server.simulation().players();
        assert_eq!(players[0].travel(), travel);
        let peer = table.guests[again].peer;
        table.server.disconnect(peer);
    }
}

#[test]
fn models_of_the_world_come_a_part_in_each_tick() {
    let mut world = plain();
    let mut random = simulation::Random::new(4);
    let at = collision::Position::new(collision::Cell::new(20, 0, 20), nalgebra::Vector3::zeros());
    let size = nalgebra::Vector3::repeat(96);
    let any = |_| [Material::AIR, Material::GOLD, Material::STONE][random.below(3) as usize];
    world.add_object(at, 0.25, size, any).unwrap();
    let mut table = Table::new(world, Limits::default());
    let scenery = table.server.simulation().scenery();
    assert!(scenery.len() > 200_000, "{}", scenery.len());
    let guest = table.join(Role::Walk, plain(), Impairment::NONE);
    let mut most = 0;
    for _ in 0..120 {
        let before = table.guests[guest].bytes[1];
        table.tick();
        most = most.max(table.guests[guest].bytes[1] - before);
    }
    assert!(most < 40_000, "{most} bytes in a tick");
    assert_eq!(table.guests[guest].simulation.scenery(), scenery);
}
