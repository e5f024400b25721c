//! Packets between a client and a server: any bytes are refused, or are a message whose bytes are
//! the same again; the state of a player is refused, or is one that a client can play on.

use collision::{Cell, Position};
use nalgebra::Vector3;
use net::message::{Claim, Inputs, Snapshot, ToClient, ToServer};
use net::{Channel, Line, Name, Other, Packet, Tick, Told};
use simulation::{
    BrushMode, BrushShape, Characters, Command, Input, Joins, PlayerId, PredictedPlayer, Refusal,
    Simulation, Stroke, Wish, standing_in,
};
use world::{CellBox, Material, World};

use crate::Target;

/// The target.
pub const TARGET: Target = Target {
    name: "packets",
    check,
    seeds,
    longest: 2048,
};

/// Reads a packet as every message that it could be.
pub fn check(data: &[u8]) {
    for channel in [Channel::Ordered, Channel::Datagram] {
        if let Ok(message) = ToServer::from_bytes(channel, data) {
            assert_same(&message.packet(), channel, data);
        }
        if let Ok(message) = ToClient::from_bytes(channel, data) {
            assert_same(&message.packet(), channel, data);
            if let ToClient::Snapshot(snapshot) = message {
                check_state(&snapshot.state.unwrap_or_default());
            }
        }
    }
    check_state(data);
}

fn assert_same(packet: &Packet, channel: Channel, data: &[u8]) {
    assert_eq!(packet.channel, channel);
    assert_eq!(packet.bytes, data, "every message has one form");
}

fn check_state(data: &[u8]) {
    let rules = Characters::default();
    let Ok(mut player) = PredictedPlayer::from_bytes(data, &rules) else {
        return;
    };
    let (mut saved, mut again) = (Vec::new(), Vec::new());
    player.write(&mut saved);
    let kept = PredictedPlayer::from_bytes(&saved, &rules).expect("our own bytes are read");
    kept.write(&mut again);
    assert_eq!(saved, again);
    let wish = Wish {
        forward: 1.0,
        up: 1.0,
        ..Wish::default()
    };
    // In an empty world: everything is solid, and nothing is loaded.
    let nowhere = Simulation::new(World::default(), Position::default(), &rules);
    (0..3).for_each(|_| player.tick(&nowhere, &[], Input::of(&wish)));
    assert!(player.position().offset.iter().all(|part| part.is_finite()));
}

/// Returns packets of every kind.
fn seeds() -> Vec<Vec<u8>> {
    let cells = CellBox::new(Cell::repeat(-8), Cell::repeat(8));
    let world = World::from_voxels(cells, |cell| match cell.y {
        ..0 => Material::STONE,
        _ => Material::AIR,
    });
    let tuning = Characters::default();
    let home = standing_in(Cell::zeros(), tuning.half_height);
    let simulation = Simulation::new(world, home, &tuning);
    let mut state = Vec::new();
    simulation.write_player(PlayerId::FIRST, &mut state);
    let stroke = Stroke {
        center: Cell::new(1, -2, 3),
        size: 4,
        shape: BrushShape::Sphere,
        mode: BrushMode::Carve,
        material: Material::AIR,
        joins: Joins::Nothing,
    };
    let command = Command::Edit(stroke);
    let (tick, number, by) = (9, 1, PlayerId(2));
    let [still, ahead] = [0.0, 1.0].map(|forward| {
        Input::of(&Wish {
            forward,
            ..Wish::default()
        })
    });
    let inputs = Inputs(vec![still, still, ahead, still]);
    let chunk = Cell::new(1, 2, 3);
    let sealed = vec![7; 30];
    let refusal = Some(Refusal::Large { voxels: 9, most: 3 });
    let (name, line) = ("Ann", "hello there");
    let name = Name::of(name).expect("a name");
    let line = Line::of(line).expect("a line");
    let other = Other {
        id: by,
        place: Vector3::new(300, -2, 7),
        velocity: Vector3::new(128, 0, -128),
        heading: 90,
        crouched: 1,
    };
    let packets = [
        net::client::hello(&simulation.world, &name),
        ToServer::Say(line.clone()).packet(),
        ToServer::Visit(by).packet(),
        ToClient::Joined { player: by, name }.packet(),
        ToClient::Said { by, line }.packet(),
        ToServer::Command {
            tick,
            number,
            command,
        }
        .packet(),
        ToServer::Inputs {
            first: Tick(tick),
            inputs,
            claim: Some(Claim::of(tick, &state)),
            heard: Some(7),
        }
        .packet(),
        ToClient::Chunk { chunk, sealed }.packet(),
        ToClient::Answer { number, refusal }.packet(),
        ToClient::Stroke {
            tick,
            by,
            number,
            stroke,
        }
        .packet(),
        ToClient::Snapshot(Snapshot {
            tick,
            slack: -3,
            state: Some(state.clone()),
            about: chunk,
            others: Told(vec![other]),
        })
        .packet(),
    ];
    let packets = packets.into_iter().map(|packet| packet.bytes);
    packets.chain([state]).collect()
}
