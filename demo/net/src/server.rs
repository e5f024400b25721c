//! The server: the whole simulation, and the clients that play in it.
//!
//! In a tick it applies the commands that are due in the order of the clients, moves everything
//! with the inputs of that tick, and sends what changed. Nothing that a client sends costs more
//! than its share: messages, bytes, commands and voxels are limited, each for itself.

use std::collections::BTreeSet;

use simulation::{
    BrushMode, Command, Guard, Input, Limits, PlayerId, Refusal, Role, Simulation, Stroke, Travel,
};
use world::ChunkPosition;
use world::save::{MaterialNames, materials_bytes};

pub use crate::peer::PeerId;

use crate::message::{
    Channel, Goodbye, Hello, LONGEST_DATAGRAM, Packet, ProtocolError, Snapshot, ToClient, ToServer,
    Welcome, WorldMark, has_snapshot,
};
use crate::others::{self, Told};
use crate::peer::Peer;
use crate::places::{Left, Places};
use crate::short::Tick;
use crate::sight::Sight;
use crate::sync::send_chunks;
use crate::words::Name;

/// Bytes of a snapshot beside the state of the own player and those of others.
const SNAPSHOT_HEAD: usize = 64;
/// Ticks between two records of the places of players.
const PLACES_TICKS: u64 = 300;
/// Bytes of a part of the scenery; a client is sent one in a tick.
const SCENERY_PART: usize = 1 << 14;

/// A simulation that clients play in.
pub struct Server {
    simulation: Simulation,
    guard: Guard,
    mark: WorldMark,
    materials: MaterialNames,
    /// In the order of their numbers.
    peers: Vec<Peer>,
    last_peer: u32,
    places: Places,
    /// The models and props of the world; no command of a guest changes them.
    scenery: Vec<u8>,
    /// The chunks that differ from generated ones, in the order of their places.
    edited: Vec<ChunkPosition>,
    touched: Vec<ChunkPosition>,
    inputs: Vec<(PlayerId, Input)>,
    sight: Sight,
}

impl Server {
    /// Returns a server without clients. The player that every simulation begins with leaves.
    pub fn new(mut simulation: Simulation, limits: Limits) -> Self {
        simulation.leave(PlayerId::FIRST);
        simulation.watch_edits();
        let places = Places::kept_in(&simulation.world);
        let scenery = simulation.scenery();
        let mut edited = simulation.world.edited_chunks();
        edited.sort_unstable_by_key(order);
        Server {
            guard: Guard::new(limits),
            mark: WorldMark::of(&simulation.world),
            materials: MaterialNames::of(simulation.world.materials()),
            edited,
            simulation,
            peers: Vec::new(),
            last_peer: 0,
            places,
            scenery,
            touched: Vec::new(),
            inputs: Vec::new(),
            sight: Sight::default(),
        }
    }

    /// Returns the simulation.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// Returns the simulation, to stream and save its land. Commands come from players.
    pub fn simulation_mut(&mut self) -> &mut Simulation {
        &mut self.simulation
    }

    /// Adds a connection, whose player will have a role.
    pub fn connect(&mut self, role: Role) -> PeerId {
        self.last_peer += 1;
        let id = PeerId(self.last_peer);
        self.peers.push(Peer::new(id, role));
        id
    }

    /// Removes a connection and its player; returns false if it was gone.
    pub fn disconnect(&mut self, id: PeerId) -> bool {
        let Some(index) = self.index(id) else {
            return false;
        };
        let peer = self.peers.remove(index);
        if let Some(player) = peer.player {
            let left = peer.name.and_then(|name| self.place_left(player, name));
            self.keep_places(left.into_iter().collect());
            self.guard.leave(&mut self.simulation, player);
            self.tell_all(&ToClient::Left(player));
        }
        true
    }

    fn index(&self, id: PeerId) -> Option<usize> {
        self.peers.binary_search_by_key(&id, |peer| peer.id).ok()
    }

    /// Takes a message of a client. After an error the caller disconnects it; messages of a client
    /// that is not here, and datagrams beyond its share, are dropped.
    pub fn receive(&mut self, id: PeerId, packet: &Packet) -> Result<(), ProtocolError> {
        let Some(index) = self.index(id) else {
            return Ok(());
        };
        let (now, peer) = (self.simulation.ticks(), &mut self.peers[index]);
        match (peer.count(packet.bytes.len()), packet.channel) {
            (Err(_), Channel::Datagram) => return Ok(()),
            (counted, _) => counted?,
        }
        match (
            peer.player,
            ToServer::from_bytes(packet.channel, &packet.bytes)?,
        ) {
            (None, ToServer::Hello(hello)) => self.greet(index, &hello),
            (
                Some(_),
                ToServer::Inputs {
                    first: Tick(first),
                    inputs,
                    claim,
                    heard,
                },
            ) => {
                peer.hear(now, first, &inputs, claim);
                if let Some(newest) = heard {
                    peer.known.hear(newest);
                }
            }
            (
                Some(_),
                ToServer::Command {
                    tick,
                    number,
                    command,
                },
            ) => peer.order(now, tick, number, command)?,
            (Some(by), ToServer::Say(line)) => {
                if peer.may_talk() {
                    self.tell_all(&ToClient::Said { by, line });
                }
            }
            (Some(by), ToServer::Visit(host)) => {
                if peer.may_talk() {
                    self.bring(by, host);
                }
            }
            _ => return Err(ProtocolError::Turn),
        }
        Ok(())
    }

    /// Lets a client in and tells all players of it, or tells it why not.
    fn greet(&mut self, index: usize, hello: &Hello) {
        let name = self.free_name(&hello.name);
        let welcome = match self.admit(index, hello, &name) {
            Ok(welcome) => welcome,
            Err(goodbye) => return self.peers[index].send(&ToClient::Goodbye(goodbye)),
        };
        let player = welcome.player;
        self.peers[index].send(&ToClient::Welcome(welcome));
        for (player, name) in self.names() {
            self.peers[index].send(&ToClient::Joined { player, name });
        }
        self.peers[index].name = Some(name.clone());
        self.tell_all(&ToClient::Joined { player, name });
    }

    /// Keeps the places of all players, in case the server does not end in order.
    fn keep_all_places(&mut self) {
        let names = self.names().into_iter();
        let places = names.filter_map(|(player, name)| self.place_left(player, name));
        self.keep_places(places.collect());
    }

    fn keep_places(&mut self, places: Vec<Left>) {
        self.places.add(places);
        self.places.keep_in(&mut self.simulation.world);
    }

    /// Sends a part of the scenery to the clients that do not have all of it.
    fn send_scenery(&mut self) {
        for peer in self.peers.iter_mut().filter(|it| it.player.is_some()) {
            let mut parts = self.scenery.chunks(SCENERY_PART).skip(peer.scenery_parts);
            if let Some(part) = parts.next() {
                peer.scenery_parts += 1;
                peer.send(&ToClient::Scenery {
                    part: part.to_vec(),
                    is_last: (parts.len() == 0).into(),
                });
            }
        }
    }

    /// Returns the place of a player for when it comes back.
    fn place_left(&self, player: PlayerId, name: Name) -> Option<Left> {
        let place = place_of(&self.simulation, player);
        let players = self.simulation.players();
        let found = players.binary_search_by_key(&player, |it| it.id()).ok()?;
        let travel = players[found].travel();
        Some(Left {
            name,
            place,
            travel,
        })
    }

    /// Brings a player back to where it left, on foot if it may not fly.
    fn return_to_place(&mut self, player: PlayerId, name: &Name) {
        let role = self.guard.role(player);
        if let Some(left) = self.places.of(name).filter(|_| role >= Some(Role::Walk)) {
            let travel = match role {
                Some(Role::Build | Role::Owner) => left.travel,
                _ => Travel::Walk,
            };
            self.simulation.return_player(player, left.place, travel);
        }
    }

    /// Returns the players that are here, with their names.
    pub fn names(&self) -> Vec<(PlayerId, Name)> {
        let named = |peer: &Peer| Some((peer.player?, peer.name.clone()?));
        self.peers.iter().filter_map(named).collect()
    }

    /// Returns the player of a connection, once it was let in.
    pub fn player(&self, id: PeerId) -> Option<PlayerId> {
        self.peers[self.index(id)?].player
    }

    /// Returns a name, with a number behind it if it is taken.
    fn free_name(&self, wished: &Name) -> Name {
        let taken: BTreeSet<Name> = self.names().into_iter().map(|(_, name)| name).collect();
        let numbered = (2..).map(|number| wished.numbered(number));
        let mut names = std::iter::once(wished.clone()).chain(numbered);
        // There are fewer players than numbers.
        let free = names.find(|name| !taken.contains(name));
        free.unwrap_or_else(|| wished.clone())
    }

    fn tell_all(&mut self, message: &ToClient) {
        for peer in self.peers.iter_mut().filter(|it| it.player.is_some()) {
            peer.send(message);
        }
    }

    /// Brings a player to another one, if its role lets it walk.
    fn bring(&mut self, guest: PlayerId, host: PlayerId) {
        if self.guard.role(guest) >= Some(Role::Walk) {
            self.simulation.bring(guest, host);
        }
    }

    fn admit(&mut self, index: usize, hello: &Hello, name: &Name) -> Result<Welcome, Goodbye> {
        let (ours, theirs) = (&self.mark, &hello.mark);
        if ours.protocol != theirs.protocol {
            let (server, client) = (ours.protocol, theirs.protocol);
            return Err(Goodbye::Protocol { server, client });
        }
        if ours.generator != theirs.generator {
            let (server, client) = (ours.generator, theirs.generator);
            return Err(Goodbye::Generator { server, client });
        }
        if ours.materials != theirs.materials {
            return Err(Goodbye::Materials);
        }
        let player = self.free_number().ok_or(Goodbye::Full)?;
        let role = self.peers[index].role;
        let joined = self.guard.join(&mut self.simulation, player, role);
        joined.map_err(|_| Goodbye::Full)?;
        self.return_to_place(player, name);
        let mut state = Vec::new();
        self.simulation.write_player(player, &mut state);
        let peer = &mut self.peers[index];
        peer.player = Some(player);
        peer.owe(&self.edited);
        Ok(Welcome {
            player,
            role,
            seed: self.simulation.world.seed(),
            materials: materials_bytes(self.simulation.world.materials()),
            tick: self.simulation.ticks(),
            tuning: self.simulation.tuning().clone(),
            state,
        })
    }

    /// Returns the least number that no player has.
    fn free_number(&self) -> Option<PlayerId> {
        let players = self.simulation.players();
        let is_free = |id: &PlayerId| players.binary_search_by_key(id, |it| it.id()).is_err();
        (1..=u16::MAX).map(PlayerId).find(is_free)
    }

    /// Moves everything by one tick.
    pub fn tick(&mut self) {
        let now = self.simulation.ticks();
        for index in 0..self.peers.len() {
            while let Some(due) = self.peers[index].due(now) {
                self.apply(index, due.number, &due.command);
            }
        }
        self.inputs.clear();
        for peer in &mut self.peers {
            peer.tick();
            let input = peer.input(now);
            if let (Some(player), Some(input)) = (peer.player, input) {
                self.inputs.push((player, self.guard.allow(player, input)));
            }
        }
        self.simulation.tick(&self.inputs);
        self.guard.tick();
        if now % PLACES_TICKS == PLACES_TICKS - 1 && !self.peers.is_empty() {
            self.keep_all_places();
        }
        self.simulation.take_edited(&mut self.touched);
        self.note_touched();
        for peer in &mut self.peers {
            peer.owe(&self.touched);
        }
        self.send_scenery();
        self.send_chunks();
        self.send_snapshots(now);
    }

    /// Applies a command, and tells of its effect.
    fn apply(&mut self, index: usize, number: u32, command: &Command) {
        let Some(by) = self.peers[index].player else {
            return;
        };
        let applied = match is_offered(command) {
            true => self.guard.apply(&mut self.simulation, by, command),
            false => Err(Refusal::NotOffered),
        };
        self.simulation.take_edited(&mut self.touched);
        self.note_touched();
        let stroke = match (command, &applied) {
            // A stroke that came together with the rest of another work is told by its chunks, and
            // so is a flood: it may read land that a client does not have.
            (Command::Edit(stroke), Ok(report)) if report.chunks.len() == self.touched.len() => {
                Some(*stroke).filter(|it| report.voxels > 0 && it.mode != BrushMode::Flood)
            }
            _ => None,
        };
        let is_told = stroke.is_some() && self.peers[index].is_synced;
        self.tell(stroke, by, number);
        if !is_told {
            let refusal = applied.err();
            self.peers[index].send(&ToClient::Answer { number, refusal });
        }
    }

    /// Tells every client of the touched chunks: by a stroke, or by the chunks themselves.
    fn tell(&mut self, stroke: Option<Stroke>, by: PlayerId, number: u32) {
        let tick = self.simulation.ticks();
        for peer in self.peers.iter_mut().filter(|it| it.player.is_some()) {
            match stroke {
                Some(stroke) if peer.is_synced => peer.send(&ToClient::Stroke {
                    tick,
                    by,
                    number,
                    stroke,
                }),
                _ => peer.owe(&self.touched),
            }
        }
    }

    /// Adds the touched chunks to the edited ones.
    fn note_touched(&mut self) {
        for chunk in &self.touched {
            let found = self.edited.binary_search_by_key(&order(chunk), order);
            if let Err(place) = found {
                self.edited.insert(place, *chunk);
            }
        }
    }

    fn send_chunks(&mut self) {
        for peer in &mut self.peers {
            let Some(player) = peer.player else {
                continue;
            };
            let about = place_of(&self.simulation, player);
            send_chunks(peer, &mut self.simulation.world, &self.materials, &about);
        }
    }

    /// Sends a snapshot to the clients whose turn it is.
    fn send_snapshots(&mut self, tick: u64) {
        for index in 0..self.peers.len() {
            let Some(player) = self.peers[index].player else {
                continue;
            };
            if !has_snapshot(player, tick) {
                continue;
            }
            let mut state = Vec::new();
            self.simulation.write_player(player, &mut state);
            let about = place_of(&self.simulation, player).cell;
            let room = LONGEST_DATAGRAM.saturating_sub(SNAPSHOT_HEAD + state.len());
            let peer = &mut self.peers[index];
            let is_claimed = peer.has_claimed(tick, &state);
            let slack = peer.take_slack();
            let most = room / others::BYTES;
            let others = self
                .sight
                .others(&self.simulation, player, tick, &peer.known, most);
            let told = others.iter().map(|other| other.id);
            peer.known.send(tick, told.collect());
            let snapshot = Snapshot {
                tick,
                slack,
                others: Told(others),
                state: Some(state).filter(|_| !is_claimed),
                about,
            };
            self.peers[index].send(&ToClient::Snapshot(snapshot));
        }
    }

    /// Moves the packets for all clients into a list.
    pub fn take_packets(&mut self, into: &mut Vec<(PeerId, Packet)>) {
        for peer in &mut self.peers {
            let id = peer.id;
            into.extend(peer.out.drain(..).map(|packet| (id, packet)));
        }
    }
}

/// Returns whether guests may give a command: one whose effects reach all clients.
pub fn is_offered(command: &Command) -> bool {
    matches!(
        command,
        Command::Edit(_)
            | Command::Undo
            | Command::Redo
            | Command::GoOn
            | Command::GoToStroke(_)
            | Command::Work(..)
            | Command::PlacePiece { .. }
            | Command::Copy { .. }
            | Command::TakeInHand(_)
            | Command::Paste(_)
            | Command::TurnCopy(_)
            | Command::MirrorCopy(_)
            | Command::Travel(_)
            | Command::Spawn
            | Command::Teleport(_)
    )
}

/// Returns the order of the list of edited chunks.
fn order(chunk: &ChunkPosition) -> [i32; 3] {
    (*chunk).into()
}

fn place_of(simulation: &Simulation, player: PlayerId) -> collision::Position {
    let players = simulation.players();
    let found = players.binary_search_by_key(&player, |it| it.id()).ok();
    let place = found.and_then(|index| simulation.crowd().position(players[index].character()));
    place.unwrap_or(simulation.home())
}
