//! A server behind a listener, and guests with links to it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use collision::Cell;
use nalgebra::Point3;
use net::quic::{
    ConnectionId, Identity, Invite, Link, LinkError, LinkEvent, LinkState, Listener,
    ListenerLimits, Secret,
};
use net::{Channel, Client, Name, Packet, PeerId, Server, client};
use simulation::{Characters, Input, Limits, Role, Simulation, Wish, standing_in};

use crate::table::{alone_in, plain};

/// Time after which a test gives up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// Time between two ticks: shorter than that of a game.
const STEP: Duration = Duration::from_millis(3);

/// Repeats some work until it gives a value.
pub(crate) fn wait_for<T>(wanted: &str, mut work: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(value) = work() {
            return value;
        }
        assert!(Instant::now() < deadline, "it never came that {wanted}");
        std::thread::sleep(STEP);
    }
}

/// A guest and its link.
pub(crate) struct Guest {
    pub(crate) link: Link,
    pub(crate) simulation: Simulation,
    client: Option<Client>,
    input: Input,
    begin: Option<Point3<f64>>,
    is_greeted: bool,
}

impl Guest {
    pub(crate) fn client(&self) -> &Client {
        self.client.as_ref().expect("it joined")
    }

    fn tick(&mut self) {
        let mut packets = Vec::new();
        let state = self.link.poll(&mut packets);
        assert!(!matches!(state, LinkState::Closed(_)), "{state:?}");
        if state == LinkState::Open && !self.is_greeted {
            self.is_greeted = true;
            self.link
                .send(client::hello(&self.simulation.world, &Name::guest()));
        }
        for packet in packets {
            self.take(&packet);
        }
        if let Some(client) = &mut self.client {
            client.tick(&self.simulation, self.input);
            let mut out = Vec::new();
            client.take_packets(&mut out);
            out.into_iter().for_each(|packet| self.link.send(packet));
        }
    }

    fn take(&mut self, packet: &Packet) {
        match &mut self.client {
            Some(client) => client.receive(&mut self.simulation, packet).unwrap(),
            // Snapshots may overtake the welcome.
            None if packet.channel == Channel::Ordered => {
                let welcome = client::welcome(packet).unwrap();
                self.client = Some(Client::new(&welcome, &self.simulation.world).unwrap());
            }
            None => {}
        }
    }
}

/// A server, its listener and its guests.
pub(crate) struct Hall {
    pub(crate) listener: Listener,
    pub(crate) identity: Identity,
    secret: Secret,
    server: Server,
    pub(crate) peers: BTreeMap<ConnectionId, PeerId>,
    pub(crate) guests: Vec<Guest>,
}

impl Hall {
    pub(crate) fn open(limits: ListenerLimits) -> Self {
        let (identity, secret) = (Identity::new().unwrap(), Secret::new().unwrap());
        let address = "127.0.0.1:0".parse().unwrap();
        let tuning = Characters::default();
        let home = standing_in(Cell::zeros(), tuning.half_height);
        Hall {
            listener: Listener::open(address, &identity, secret.clone(), limits).unwrap(),
            identity,
            secret,
            server: Server::new(Simulation::new(plain(), home, &tuning), Limits::default()),
            peers: BTreeMap::new(),
            guests: Vec::new(),
        }
    }

    /// Returns an invite after it was text.
    pub(crate) fn invite(&self, role: Role, expiry: u64) -> Invite {
        let invite = Invite {
            host: "127.0.0.1".to_owned(),
            port: self.listener.local_address().port(),
            pin: self.identity.pin(),
            ticket: self.secret.ticket(role, expiry).unwrap(),
        };
        invite.to_string().parse().unwrap()
    }

    /// Adds a guest, and returns its index.
    pub(crate) fn join(&mut self, link: Link) -> usize {
        self.guests.push(Guest {
            link,
            simulation: alone_in(plain()),
            client: None,
            input: Input::default(),
            begin: None,
            is_greeted: false,
        });
        self.guests.len() - 1
    }

    /// Lets a guest go; the indices of those after it change.
    pub(crate) fn leave(&mut self, guest: usize) {
        self.guests.remove(guest);
    }

    /// Stops the server, and returns the guests.
    pub(crate) fn stop(self) -> Vec<Guest> {
        self.guests
    }

    pub(crate) fn tick(&mut self) {
        let mut events = Vec::new();
        self.listener.poll(&mut events);
        for event in events {
            match event {
                LinkEvent::Opened {
                    connection, role, ..
                } => drop(self.peers.insert(connection, self.server.connect(role))),
                LinkEvent::Packet { connection, packet } => {
                    let Some(&peer) = self.peers.get(&connection) else {
                        continue;
                    };
                    if let Err(error) = self.server.receive(peer, &packet) {
                        let words = format!("it does not keep to the protocol: {error}");
                        self.listener.close(connection, &words);
                        self.lose(connection);
                    }
                }
                LinkEvent::Closed { connection, .. } => self.lose(connection),
            }
        }
        self.server.tick();
        let mut packets = Vec::new();
        self.server.take_packets(&mut packets);
        for (peer, packet) in packets {
            let mut peers = self.peers.iter();
            if let Some((&connection, _)) = peers.find(|(_, it)| **it == peer) {
                self.listener.send(connection, packet);
            }
        }
        self.guests.iter_mut().for_each(Guest::tick);
    }

    fn lose(&mut self, connection: ConnectionId) {
        let peer = self.peers.remove(&connection).expect("it was there");
        assert!(self.server.disconnect(peer));
    }

    /// Ticks until something has happened.
    pub(crate) fn play(&mut self, wanted: &str, is_done: impl Fn(&Hall) -> bool) {
        wait_for(wanted, || {
            self.tick();
            is_done(self).then_some(())
        });
    }

    /// Ticks until a link has ended.
    pub(crate) fn wait_for_end(&mut self, link: &mut Link) -> LinkError {
        wait_for("the link ends", || {
            self.tick();
            match link.poll(&mut Vec::new()) {
                LinkState::Closed(error) => Some(error),
                _ => None,
            }
        })
    }

    pub(crate) fn is_playing(&self, guest: usize) -> bool {
        let client = self.guests[guest].client.as_ref();
        client.is_some_and(|client| client.is_synced() && client.figures().confirmed > 0)
    }

    /// Lets a guest walk ahead from now on.
    pub(crate) fn walk(&mut self, guest: usize) {
        let wish = Wish {
            forward: 1.0,
            ..Wish::default()
        };
        let guest = &mut self.guests[guest];
        guest.input = Input::of(&wish);
        guest.begin = Some(guest.client().own().position().to_metres());
    }

    pub(crate) fn has_walked(&self, guest: usize, metres: f64) -> bool {
        let guest = &self.guests[guest];
        let here = guest.client().own().position().to_metres();
        guest
            .begin
            .is_some_and(|begin| (here - begin).norm() > metres)
    }

    pub(crate) fn sees(&self, guest: usize, other: usize) -> bool {
        let other = self.guests[other].client().player();
        let mut others = self.guests[guest].client().others();
        others.any(|(player, _)| player == other)
    }
}
