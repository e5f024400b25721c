//! Clients that lie, rush and flood: they are refused or let go, and cost the others nothing.

#![allow(clippy::unwrap_used)]

mod table;

use collision::Cell;
use net::message::{Claim, Inputs, ToClient, ToServer};
use net::{Channel, Goodbye, Packet, PeerId, ProtocolError, Server, Tick, Told, WorldMark, client};
use simulation::{Command, Input, Limits, PlayerId, Random, Role, Wish};
use table::link::Impairment;
use table::{Table, name, place, plain};

fn ahead() -> Input {
    Input::of(&Wish {
        forward: 1.0,
        sprint: true,
        ..Wish::default()
    })
}

/// Returns the first packet of a client that may join.
fn hello(server: &Server) -> Packet {
    client::hello(&server.simulation().world, &name())
}

/// Adds a client of which only the packets exist.
fn bare(server: &mut Server, role: Role) -> (PeerId, PlayerId) {
    let peer = server.connect(role);
    let hello = hello(server);
    server.receive(peer, &hello).unwrap();
    let mut packets = Vec::new();
    server.take_packets(&mut packets);
    let (_, first) = packets.iter().find(|(to, _)| *to == peer).unwrap();
    (peer, client::welcome(first).unwrap().player)
}

fn inputs(first: u64, count: usize) -> Packet {
    let inputs = Inputs(vec![ahead(); count]);
    let claim = Some(Claim {
        tick: first,
        hash: 7,
    });
    ToServer::Inputs {
        first: Tick(first),
        inputs,
        claim,
        heard: Some(first as u16),
    }
    .packet()
}

#[test]
fn versions_that_differ_are_told_so() {
    let mut table = Table::new(plain(), Limits::default());
    let mark = WorldMark::of(&plain());
    let (protocol, generator) = (mark.protocol + 1, mark.generator + 1);
    for (theirs, expected) in [
        (WorldMark { protocol, ..mark }, "update the older one"),
        (WorldMark { generator, ..mark }, "land of version"),
        (
            WorldMark {
                materials: 0,
                ..mark
            },
            "other materials",
        ),
    ] {
        let peer = table.server.connect(Role::Walk);
        let hello = ToServer::Hello(net::message::Hello {
            mark: theirs,
            name: name(),
        });
        table.server.receive(peer, &hello.packet()).unwrap();
        let mut packets = Vec::new();
        table.server.take_packets(&mut packets);
        let error = client::welcome(&packets[0].1).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        // It may not play all the same.
        let result = table.server.receive(peer, &inputs(0, 1));
        assert_eq!(result, Err(ProtocolError::Turn));
    }
    assert!(table.server.simulation().players().is_empty());
    assert!(Goodbye::Full.to_string().contains("no room"));
}

#[test]
fn nobody_moves_faster_by_more_inputs() {
    let mut table = Table::new(plain(), Limits::default());
    let server = &mut table.server;
    let lanes = [0; 3].map(|_| bare(server, Role::Walk));
    (0..60).for_each(|_| server.tick());
    let starts = lanes.map(|(_, player)| place(server, player));
    for _ in 0..60 {
        let now = server.simulation().ticks();
        let [(fair, _), (rushed, _), (wild, _)] = lanes;
        server.receive(fair, &inputs(now, 1)).unwrap();
        for again in 0..10 {
            server
                .receive(rushed, &inputs(now + again * 4, 48))
                .unwrap();
        }
        for first in [0, now, now + 1, u64::MAX, u64::MAX - 3] {
            server.receive(wild, &inputs(first, 7)).unwrap();
        }
        server.tick();
    }
    let mut ways = Vec::new();
    for ((_, player), start) in lanes.iter().zip(starts) {
        ways.push((place(server, *player) - start).norm());
    }
    assert!(ways[0] > 5.0, "{ways:?}");
    assert!(
        ways[1] <= ways[0] + 0.01 && ways[2] <= ways[0] + 0.01,
        "{ways:?}"
    );
}

#[test]
fn floods_end_their_connection_and_datagrams_beyond_the_share_are_dropped() {
    let mut table = Table::new(plain(), Limits::default());
    let server = &mut table.server;
    let (peer, _) = bare(server, Role::Build);
    for _ in 0..10_000 {
        server.receive(peer, &inputs(3, 48)).unwrap();
    }
    let order = |number: u32| {
        let command = Command::Undo;
        let tick = u64::MAX;
        ToServer::Command {
            tick,
            number,
            command,
        }
        .packet()
    };
    assert_eq!(server.receive(peer, &order(1)), Err(ProtocolError::Flood));
    let (other, _) = bare(server, Role::Build);
    let flood = (1..2000).find_map(|number| server.receive(other, &order(number)).err());
    assert_eq!(flood, Some(ProtocolError::Flood));
    let (third, _) = bare(server, Role::Build);
    assert_eq!(server.receive(third, &order(2)), Err(ProtocolError::Turn));
    let long = Packet {
        channel: Channel::Datagram,
        bytes: vec![2; 1101],
    };
    assert_eq!(server.receive(third, &long), Err(ProtocolError::Long(1101)));
    for peer in [peer, other, third] {
        assert!(server.disconnect(peer) && !server.disconnect(peer));
        assert_eq!(server.receive(peer, &order(1)), Ok(()));
    }
    server.tick();
    assert!(server.simulation().players().is_empty());
}

/// Returns packets of every kind that a client sends.
fn honest(server: &Server, number: u32) -> Vec<Packet> {
    let now = server.simulation().ticks();
    let at = Cell::new(3, -1, 3);
    let stroke = simulation::Stroke {
        center: at,
        size: 3,
        shape: simulation::BrushShape::Cube,
        mode: simulation::BrushMode::Carve,
        material: world::Material::AIR,
        joins: simulation::Joins::Nothing,
    };
    let commands = [
        Command::Edit(stroke),
        Command::Undo,
        Command::Spawn,
        Command::Copy {
            from: at,
            to: at.add_scalar(4),
        },
        Command::Paste(at),
    ];
    let commands = commands.into_iter().map(|command| {
        ToServer::Command {
            tick: now,
            number,
            command,
        }
        .packet()
    });
    commands.chain([inputs(now, 5), hello(server)]).collect()
}

#[test]
fn damaged_packets_are_refused_and_a_fair_client_feels_nothing() {
    let mut table = Table::new(plain(), Limits::default());
    let fair = table.join(Role::Walk, plain(), Impairment::NONE);
    table.run(120);
    table.guests[fair].input = ahead();
    let mut random = Random::new(4);
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..600 {
        let (peer, _) = bare(&mut table.server, Role::Build);
        let mut number = 1;
        for _ in 0..20 {
            let packets = honest(&table.server, number);
            let mut packet = packets[random.below(packets.len() as u64) as usize].clone();
            for _ in 0..random.below(4) * u64::from(random.once_in(4)) {
                let at = random.below(packet.bytes.len() as u64) as usize;
                packet.bytes[at] = random.bits() as u8;
            }
            if random.once_in(16) {
                let length = random.below(packet.bytes.len() as u64 + 1);
                packet.bytes.truncate(length as usize);
            }
            if table.server.receive(peer, &packet).is_err() {
                refused += 1;
                break;
            }
            taken += 1;
            number += u32::from(packet.channel == Channel::Ordered);
        }
        table.tick();
        table.server.disconnect(peer);
    }
    assert!(taken > 600 && refused > 300, "{taken} {refused}");
    let figures = table.guests[fair].client().figures();
    assert!(figures.confirmed > 150, "{figures:?}");
    // Their bodies and holes may have been in its way, but its land is the server's.
    table.guests[fair].input = Input::default();
    table.run(240);
    table.assert_in_place(fair);
    table.assert_same_land(fair);
}

#[test]
fn a_client_takes_no_nonsense_from_a_server() {
    let mut table = Table::new(plain(), Limits::default());
    let guest = table.join(Role::Walk, plain(), Impairment::NONE);
    table.run(30);
    let mut random = Random::new(6);
    let honest = [
        ToClient::Synced.packet(),
        ToClient::Answer {
            number: 7,
            refusal: None,
        }
        .packet(),
        ToClient::Chunk {
            chunk: Cell::new(1, 0, 1),
            sealed: vec![1; 40],
        }
        .packet(),
        ToClient::Snapshot(net::message::Snapshot {
            tick: 40,
            slack: 3,
            state: Some(vec![0; 86]),
            about: Cell::zeros(),
            others: Told::default(),
        })
        .packet(),
    ];
    let mut refused = 0;
    for _ in 0..20_000 {
        let mut packet = honest[random.below(4) as usize].clone();
        for _ in 0..random.below(4) {
            let at = random.below(packet.bytes.len() as u64) as usize;
            packet.bytes[at] = random.bits() as u8;
        }
        let guest = &mut table.guests[guest];
        refused += u32::from(guest.receive(&packet).is_err());
        if random.once_in(50) {
            guest.play(ahead());
        }
    }
    assert!(refused > 10_000, "{refused}");
}
