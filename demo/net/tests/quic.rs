//! Servers and clients over QUIC on this machine, sound and hostile ones.

#![allow(clippy::unwrap_used)]

#[path = "quic/guests.rs"]
mod guests;
#[path = "quic/raw.rs"]
mod raw;
mod table;

use std::net::UdpSocket;
use std::time::{Duration, Instant};

use net::message::{LONGEST_COMMAND, LONGEST_DATAGRAM};
use net::quic::{
    Ending, Identity, Invite, Link, LinkError, LinkEvent, LinkState, Links, ListenerLimits, Pin,
    Secret, TicketError,
};
use net::{Channel, Packet};
use simulation::{Random, Role};

use guests::{Hall, wait_for};
use raw::Raw;

/// Seconds since 1970, long ago.
const PAST: u64 = 1_000_000;

fn ordered(bytes: Vec<u8>) -> Packet {
    let channel = Channel::Ordered;
    Packet { channel, bytes }
}

/// Returns the error of a link that does not come about.
fn refused(hall: &mut Hall, invite: &Invite) -> LinkError {
    let mut link = Link::open(invite);
    wait_for("the link is refused", || {
        hall.tick();
        match link.poll(&mut Vec::new()) {
            LinkState::Closed(error) => Some(error),
            state => {
                assert_eq!(state, LinkState::Opening);
                None
            }
        }
    })
}

#[test]
fn two_clients_walk_about_over_the_network() {
    let mut hall = Hall::open(ListenerLimits::default());
    let links = Links::new().unwrap();
    let invite = hall.invite(Role::Build, 0);
    let (first, second) = (
        hall.join(links.open(&invite)),
        hall.join(Link::open(&invite)),
    );
    hall.play("both have joined", |hall| {
        [first, second].iter().all(|&guest| hall.is_playing(guest))
    });
    hall.walk(first);
    hall.play("each sees the other walk", |hall| {
        hall.sees(first, second) && hall.sees(second, first) && hall.has_walked(first, 3.0)
    });
    // Both began in one place, and pushed each other.
    hall.play("most is as predicted", |hall| {
        let figures = hall.guests[first].client().figures();
        figures.confirmed > figures.corrected * 2
    });
    let figures = hall.guests[first].link.figures();
    assert!(figures.up > 1000 && figures.down > 1000, "{figures:?}");
    hall.leave(first);
    hall.play("the first has left", |hall| hall.peers.len() == 1);
    assert!(hall.is_playing(0));
}

#[test]
fn a_server_that_stops_says_so() {
    let mut hall = Hall::open(ListenerLimits::default());
    let invite = hall.invite(Role::Walk, 0);
    let guest = hall.join(Link::open(&invite));
    hall.play("it has joined", |hall| hall.is_playing(guest));
    let mut link = hall.stop().remove(guest).link;
    let error = wait_for("the link ends", || match link.poll(&mut Vec::new()) {
        LinkState::Closed(error) => Some(error),
        _ => None,
    });
    assert_eq!(error, LinkError::Ended("the server has stopped".to_owned()));
}

#[test]
fn another_certificate_than_that_of_the_invite_is_refused() {
    let mut hall = Hall::open(ListenerLimits::default());
    let mut invite = hall.invite(Role::Build, 0);
    invite.pin = Identity::new().unwrap().pin();
    assert_eq!(
        refused(&mut hall, &invite),
        LinkError::Other(invite.place())
    );
    invite.pin = Pin([0; 32]);
    assert_eq!(
        refused(&mut hall, &invite),
        LinkError::Other(invite.place())
    );
    assert!(hall.peers.is_empty());
}

#[test]
fn changed_foreign_and_expired_tickets_are_refused_in_words() {
    let mut hall = Hall::open(ListenerLimits::default());
    let good = hall.invite(Role::Walk, 0);
    let mut bytes = good.ticket.to_bytes();
    bytes[0] = Role::Owner as u8;
    let mut bad = good.clone();
    bad.ticket = net::quic::Ticket::from_bytes(&bytes).unwrap();
    let foreign = LinkError::Ticket(TicketError::Foreign);
    assert_eq!(refused(&mut hall, &bad), foreign);
    bad.ticket = Secret::new().unwrap().ticket(Role::Walk, 0).unwrap();
    assert_eq!(refused(&mut hall, &bad), foreign);
    let expired = hall.invite(Role::Walk, PAST);
    let error = refused(&mut hall, &expired);
    assert_eq!(error, LinkError::Ticket(TicketError::Expired));
    assert!(error.to_string().contains("ask for a new invite"));
    assert!(hall.peers.is_empty());
}

#[test]
fn a_port_without_a_server_is_told_of() {
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut hall = Hall::open(ListenerLimits::default());
    let mut invite = hall.invite(Role::Walk, 0);
    invite.port = silent.local_addr().unwrap().port();
    let words = refused(&mut hall, &invite).to_string();
    assert!(words.starts_with("nobody answers at 127.0.0.1:"), "{words}");
    invite.host = "no-such-host.invalid".to_owned();
    assert_eq!(refused(&mut hall, &invite), LinkError::Name(invite.host));
}

#[test]
fn a_full_server_says_so() {
    let mut hall = Hall::open(ListenerLimits {
        connections: 1,
        ..ListenerLimits::default()
    });
    let invite = hall.invite(Role::Walk, 0);
    let guest = hall.join(Link::open(&invite));
    hall.play("it has joined", |hall| hall.is_playing(guest));
    assert_eq!(refused(&mut hall, &invite), LinkError::Full(invite.place()));
    hall.leave(guest);
    hall.play("it has left", |hall| hall.peers.is_empty());
    let next = hall.join(Link::open(&invite));
    hall.play("the next one has joined", |hall| hall.is_playing(next));
}

#[test]
fn the_longest_datagram_fits_both_ways() {
    let mut hall = Hall::open(ListenerLimits::default());
    let mut link = Link::open(&hall.invite(Role::Walk, 0));
    let packet = Packet {
        channel: Channel::Datagram,
        bytes: vec![7; LONGEST_DATAGRAM],
    };
    let (mut events, mut packets, mut opened) = (Vec::new(), Vec::new(), None);
    wait_for("it arrives at both ends", || {
        hall.listener.poll(&mut events);
        for event in &events {
            if let LinkEvent::Opened { connection, .. } = event {
                opened = Some(*connection);
            }
        }
        if link.poll(&mut packets) == LinkState::Open {
            link.send(packet.clone());
        }
        if let Some(connection) = opened {
            hall.listener.send(connection, packet.clone());
        }
        let is_same = |event: &LinkEvent| match event {
            LinkEvent::Packet { packet: it, .. } => *it == packet,
            _ => false,
        };
        (events.iter().any(is_same) && packets.contains(&packet)).then_some(())
    });
}

#[test]
fn hostile_clients_are_sent_away_while_another_plays() {
    let mut hall = Hall::open(ListenerLimits {
        ticket_time: Duration::from_millis(500),
        ..ListenerLimits::default()
    });
    let invite = hall.invite(Role::Build, 0);
    let guest = hall.join(Link::open(&invite));
    hall.play("it has joined", |hall| hall.is_playing(guest));
    // Bytes without a meaning, and a frame that is too long.
    for bytes in [vec![0xff; 100], vec![0; LONGEST_COMMAND + 1]] {
        let mut link = Link::open(&invite);
        link.send(ordered(bytes));
        let error = hall.wait_for_end(&mut link);
        assert!(error.to_string().contains("protocol"), "{error}");
    }
    // No ticket, half a ticket, a ticket that is too long, and one that claims to be huge.
    let ticket = invite.ticket.to_bytes();
    let frames: [Vec<u8>; 5] = [
        vec![],
        vec![41, 0, 0, 0, 3],
        [&[65, 0, 0, 0][..], &ticket, &[0; 24]].concat(),
        u32::MAX.to_le_bytes().to_vec(),
        vec![0; 1000],
    ];
    for frame in frames {
        let raw = Raw::open(&hall, &frame);
        hall.play("it is closed", |_| raw.is_closed());
    }
    // A second stream of a client that was let in.
    let raw = Raw::open(&hall, &[&[41, 0, 0, 0][..], &ticket].concat());
    hall.play("it is let in", |hall| hall.peers.len() == 2);
    assert!(!raw.opens_another(Duration::from_millis(300)));
    drop(raw);
    hall.play("only the player is left", |hall| hall.peers.len() == 1);
    let before = hall.guests[guest].client().figures().confirmed;
    hall.play("it plays on", |hall| {
        hall.guests[guest].client().figures().confirmed > before + 20
    });
}

#[test]
fn random_datagrams_at_the_port_disturb_no_player() {
    let mut hall = Hall::open(ListenerLimits::default());
    let guest = hall.join(Link::open(&hall.invite(Role::Build, 0)));
    hall.play("it has joined", |hall| hall.is_playing(guest));
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let (mut random, port) = (Random::new(5), hall.listener.local_address().port());
    for number in 0..10_000 {
        let length = random.between(0.0, 1400.0) as usize;
        let mut bytes: Vec<u8> = (0..length)
            .map(|_| random.between(0.0, 256.0) as u8)
            .collect();
        if let (true, Some(first)) = (number % 2 == 0, bytes.first_mut()) {
            // The form of a first packet.
            *first |= 0xc0;
        }
        socket.send_to(&bytes, ("127.0.0.1", port)).unwrap();
        if number % 100 == 0 {
            hall.tick();
        }
    }
    let before = hall.guests[guest].client().figures().confirmed;
    hall.play("it plays on", |hall| {
        hall.guests[guest].client().figures().confirmed > before + 20
    });
    assert_eq!(hall.peers.len(), 1);
}

#[test]
fn a_client_that_does_not_read_is_cut_off_and_another_gets_all() {
    const WAITING: usize = 1 << 20;
    const PIECE: usize = 16 << 10;
    let mut hall = Hall::open(ListenerLimits {
        waiting: WAITING,
        ..ListenerLimits::default()
    });
    let invite = hall.invite(Role::Walk, 0);
    let ticket = invite.ticket.to_bytes();
    let mut opened = Vec::new();
    let next = |hall: &mut Hall| {
        wait_for("it is let in", || {
            let mut events = Vec::new();
            hall.listener.poll(&mut events);
            events.into_iter().find_map(|event| match event {
                LinkEvent::Opened { connection, .. } => Some(connection),
                _ => None,
            })
        })
    };
    let lazy = Raw::open(&hall, &[&[41, 0, 0, 0][..], &ticket].concat());
    opened.push(next(&mut hall));
    let mut link = Link::open(&invite);
    opened.push(next(&mut hall));
    let (mut sent, mut got, mut end) = (0, Vec::new(), None);
    let deadline = Instant::now() + guests::PATIENCE;
    while end.is_none() || got.len() < sent {
        assert!(
            Instant::now() < deadline,
            "{sent} sent, {} got, {end:?}",
            got.len()
        );
        // The client that reads has room for all that is sent.
        if end.is_none() && got.len() + 20 > sent {
            for connection in &opened {
                hall.listener.send(*connection, ordered(vec![1; PIECE]));
            }
            sent += 1;
        }
        std::thread::sleep(Duration::from_millis(1));
        let mut events = Vec::new();
        hall.listener.poll(&mut events);
        for event in events {
            if let LinkEvent::Closed { connection, reason } = event {
                assert_eq!((connection, &reason), (opened[0], &Ending::Slow));
                end = Some(reason);
            }
        }
        let state = link.poll(&mut got);
        assert!(!matches!(state, LinkState::Closed(_)), "{state:?}");
    }
    // The window of the client, that of the server, and the waiting ones.
    assert!(sent * PIECE < WAITING + (2 << 20), "{sent}");
    wait_for("it is told", || lazy.is_closed().then_some(()));
}
