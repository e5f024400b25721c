//! An open world with its listener: lets players in and out, and ticks.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

use net::quic::{
    ConnectionId, Invite, LinkError, LinkEvent, Listener, ListenerLimits, Pin, Secret,
};
use net::{Packet, PeerId, Server};
use simulation::{Characters, Limits, Role, Simulation, start_of};
use world::World;

use crate::addresses::Hosts;
use crate::folders::{finish, make_folder, words_of_save, world_path};
use crate::keys::Keys;
use crate::land::{Land, load_about};
use crate::{Arguments, ServeError};

/// The port that is listened at without another one.
const PORT: u16 = 4433;
/// The seed of a new world without another one.
const FIRST_SEED: u64 = 1;
/// Ticks after which a connection that has not greeted is ended.
const GREETING_TICKS: u64 = 600;
/// Ticks between two looks at the state of saving.
const SAVE_TICKS: u64 = 60;

/// The output of a server: a line for its owner.
pub type Say<'a> = &'a mut dyn FnMut(&str);

/// A connection, and its player once it has greeted.
#[derive(Clone, Debug)]
struct Guest {
    peer: PeerId,
    address: SocketAddr,
    role: Role,
    since: u64,
    /// Name of the player, once it is let in.
    name: Option<String>,
}

/// An open world with its listener.
pub struct Host {
    server: Server,
    listener: Listener,
    secret: Secret,
    pin: Pin,
    guests: BTreeMap<ConnectionId, Guest>,
    connections: BTreeMap<PeerId, ConnectionId>,
    land: Land,
    path: PathBuf,
    named: Option<String>,
    /// The last error of saving that was told.
    save_error: Option<String>,
    events: Vec<LinkEvent>,
    packets: Vec<(PeerId, Packet)>,
}

impl Host {
    /// Opens or makes the world of the arguments, and listens.
    pub fn open(arguments: &Arguments, say: Say<'_>) -> Result<Self, ServeError> {
        let path = world_path(&arguments.world)?;
        let world = open_world(&path, arguments.seed)?;
        Host::with(world, path, arguments, say)
    }

    /// Serves a world, whose save is at a path if it has one.
    pub fn with(
        mut world: World,
        path: PathBuf,
        arguments: &Arguments,
        say: Say<'_>,
    ) -> Result<Self, ServeError> {
        let keys = Keys::of(&mut world)?;
        if keys.are_replaced {
            say("note: the certificate kept in the world is damaged: earlier invites are void");
        }
        // The invites are printed next, and have to stay good.
        let flushed = world.flush();
        flushed.map_err(|error| ServeError::World(words_of_save(&path, &error)))?;
        let limits = ListenerLimits {
            connections: arguments.players.into(),
            ..ListenerLimits::default()
        };
        let listener = listen(arguments.listen, &keys, limits)?;
        let tuning = Characters::default();
        let home = start_of(&world, tuning.half_height);
        load_about(&mut world, home);
        let mut simulation = Simulation::new(world, home, &tuning);
        for notice in simulation.take_notices() {
            say(&format!("note: {notice}"));
        }
        Ok(Host {
            server: Server::new(simulation, Limits::default()),
            listener,
            pin: keys.identity.pin(),
            secret: keys.secret,
            guests: BTreeMap::new(),
            connections: BTreeMap::new(),
            land: Land::default(),
            path,
            named: arguments.host.clone(),
            save_error: None,
            events: Vec::new(),
            packets: Vec::new(),
        })
    }

    /// Returns the path of the world.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the server.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Returns the address that it listens at.
    pub fn address(&self) -> SocketAddr {
        self.listener.local_address()
    }

    /// Returns the number of players.
    pub fn players(&self) -> usize {
        let named = self.guests.values().filter(|guest| guest.name.is_some());
        named.count()
    }

    /// Returns the hosts of invites.
    pub(crate) fn hosts(&self) -> Hosts {
        Hosts::of(self.address(), self.named.as_deref())
    }

    /// Returns a new invite for a role, with a host by which this machine is reached.
    pub fn invite(&self, role: Role, host: &str) -> Result<Invite, ServeError> {
        Ok(Invite {
            host: host.to_owned(),
            port: self.address().port(),
            pin: self.pin,
            ticket: self.secret.ticket(role, 0)?,
        })
    }

    /// Returns an invite for a player on this machine.
    pub fn own_invite(&self, role: Role) -> Result<Invite, ServeError> {
        let hosts = self.hosts();
        let name = hosts.own.or(hosts.others.into_iter().next());
        self.invite(
            role,
            &name.unwrap_or_else(|| Ipv4Addr::LOCALHOST.to_string()),
        )
    }

    /// Returns the invites for a player elsewhere, one for each address of this machine.
    pub fn invites(&self, role: Role) -> Result<Vec<Invite>, ServeError> {
        let names = self.hosts().others;
        names.iter().map(|name| self.invite(role, name)).collect()
    }

    /// Goes on by one tick: takes what came in, loads land, moves everything, and sends.
    pub fn tick(&mut self, say: Say<'_>) {
        self.take_events(say);
        self.land.stream(self.server.simulation_mut());
        self.server.tick();
        self.server.take_packets(&mut self.packets);
        for (peer, packet) in self.packets.drain(..) {
            if let Some(connection) = self.connections.get(&peer) {
                self.listener.send(*connection, packet);
            }
        }
        self.look_after_guests(say);
        if self.server.simulation().ticks().is_multiple_of(SAVE_TICKS) {
            self.look_after_saving(say);
        }
    }

    fn take_events(&mut self, say: Say<'_>) {
        let mut events = std::mem::take(&mut self.events);
        self.listener.poll(&mut events);
        for event in events.drain(..) {
            match event {
                LinkEvent::Opened {
                    connection,
                    role,
                    address,
                } => self.add(connection, role, address),
                LinkEvent::Packet { connection, packet } => self.take(connection, &packet, say),
                LinkEvent::Closed { connection, reason } => {
                    self.remove(connection, &reason.to_string(), say);
                }
            }
        }
        self.events = events;
    }

    fn add(&mut self, connection: ConnectionId, role: Role, address: SocketAddr) {
        let peer = self.server.connect(role);
        let guest = Guest {
            peer,
            address,
            role,
            since: self.server.simulation().ticks(),
            name: None,
        };
        self.guests.insert(connection, guest);
        self.connections.insert(peer, connection);
    }

    fn take(&mut self, connection: ConnectionId, packet: &Packet, say: Say<'_>) {
        let Some(guest) = self.guests.get(&connection) else {
            return;
        };
        if let Err(error) = self.server.receive(guest.peer, packet) {
            let words = format!("this client does not keep to the protocol: {error}");
            self.listener.close(connection, &words);
            self.remove(connection, &words, say);
        }
    }

    fn remove(&mut self, connection: ConnectionId, reason: &str, say: Say<'_>) {
        let Some(guest) = self.guests.remove(&connection) else {
            return;
        };
        self.connections.remove(&guest.peer);
        self.server.disconnect(guest.peer);
        if let Some(name) = &guest.name {
            let here = self.players();
            say(&format!("{name} has left ({reason}); players: {here}"));
        }
    }

    /// Tells of new players, and ends connections that do not greet.
    fn look_after_guests(&mut self, say: Say<'_>) {
        let now = self.server.simulation().ticks();
        let unnamed = self.guests.iter().filter(|(_, guest)| guest.name.is_none());
        let unnamed: Vec<ConnectionId> = unnamed.map(|(id, _)| *id).collect();
        for connection in unnamed {
            let Some(guest) = self.guests.get_mut(&connection) else {
                continue;
            };
            if let Some(name) = name_of(&self.server, guest.peer) {
                guest.name = Some(name.clone());
                let (address, role) = (guest.address, guest.role);
                let here = self.players();
                let words = format!("{name} has joined from {address} to {}", deed(role));
                say(&format!("{words}; players: {here}"));
            } else if now > guest.since + GREETING_TICKS {
                self.listener.close(connection, "this client did not greet");
                self.remove(connection, "", say);
            }
        }
    }

    /// Tells of errors of saving, each once while it lasts.
    fn look_after_saving(&mut self, say: Say<'_>) {
        let status = self.server.simulation().world.save_status();
        let error = status.error.map(|error| error.to_string());
        if error != self.save_error {
            match &error {
                Some(error) => say(&format!(
                    "error: the world is not saved: {error}; it is tried again"
                )),
                None => say("note: the world is saved again"),
            }
            self.save_error = error;
        }
    }

    /// Tells all clients that the server stops, and saves the world, even if its file was deleted.
    pub fn close(self) -> Result<(), ServeError> {
        let Host {
            mut server,
            listener,
            path,
            ..
        } = self;
        drop(listener);
        let simulation = server.simulation_mut();
        simulation.finish_strokes();
        finish(&simulation.world, &path).map(|_| ())
    }
}

impl std::fmt::Debug for Host {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut fields = to.debug_struct("Host");
        fields.field("path", &self.path).finish_non_exhaustive()
    }
}

/// Returns the deed of a role in the words of an invite.
pub(crate) fn deed(role: Role) -> &'static str {
    match role {
        Role::Look => "look",
        Role::Walk => "walk",
        Role::Build => "build",
        Role::Owner => "own",
    }
}

/// Returns the name of the player of a peer, once it is let in.
fn name_of(server: &Server, peer: PeerId) -> Option<String> {
    let player = server.player(peer)?;
    let names = server.names();
    let found = names.iter().find(|(id, _)| *id == player);
    found.map(|(_, name)| name.to_string())
}

fn open_world(path: &Path, seed: Option<u64>) -> Result<World, ServeError> {
    make_folder(path)?;
    let world = match seed {
        Some(seed) => World::create(path, seed),
        None => World::open_or_create(path, FIRST_SEED),
    };
    world.map_err(|error| ServeError::World(words_of_save(path, &error)))
}

/// Listens at an address; without one at all of IPv6 and IPv4, or of IPv4 where there is no IPv6.
fn listen(
    wanted: Option<SocketAddr>,
    keys: &Keys,
    limits: ListenerLimits,
) -> Result<Listener, LinkError> {
    let at = |address| Listener::open(address, &keys.identity, keys.secret.clone(), limits);
    if let Some(address) = wanted {
        return at(address);
    }
    let any = |ip: IpAddr| SocketAddr::new(ip, PORT);
    at(any(Ipv6Addr::UNSPECIFIED.into())).or_else(|error| {
        // The first error says more if the second one is the same.
        at(any(Ipv4Addr::UNSPECIFIED.into())).map_err(|_| error)
    })
}
