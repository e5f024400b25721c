//! The server: the whole simulation, and the clients that play in it.
//!
//! In a tick it applies the commands that are due in the order of the clients, moves everything
//! with the inputs of that tick, and sends what changed. Nothing that a client sends costs more
//! than its share: messages, bytes, commands and voxels are limited, each for itself.

use simulation::{Command, Guard, Input, Limits, PlayerId, Refusal, Role, Simulation, Stroke};
use world::ChunkPosition;
use world::save::MaterialNames;

pub use crate::peer::PeerId;

use crate::message::{
    Channel, Goodbye, Hello, LONGEST_DATAGRAM, Packet, ProtocolError, Snapshot, ToClient, ToServer,
    Welcome, WorldMark, has_snapshot,
};
use crate::others;
use crate::peer::Peer;
use crate::sight::Sight;
use crate::sync::send_chunks;

/// Bytes of a snapshot beside the state of the own player and those of others.
const SNAPSHOT_HEAD: usize = 64;

/// A simulation that clients play in.
pub struct Server {
    simulation: Simulation,
    guard: Guard,
    mark: WorldMark,
    names: MaterialNames,
    /// In the order of their numbers.
    peers: Vec<Peer>,
    last_peer: u32,
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
        let mut edited = simulation.world.edited_chunks();
        edited.sort_unstable_by_key(order);
        Server {
            guard: Guard::new(limits),
            mark: WorldMark::of(&simulation.world),
            names: MaterialNames::of(simulation.world.materials()),
            edited,
            simulation,
            peers: Vec::new(),
            last_peer: 0,
            touched: Vec::new(),
            inputs: Vec::new(),
            sight: Sight::default(),
        }
    }

    /// Returns the simulation.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
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
            self.guard.leave(&mut self.simulation, player);
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
                    first,
                    inputs,
                    claim,
                },
            ) => peer.hear(now, first, &inputs, claim),
            (
                Some(_),
                ToServer::Command {
                    tick,
                    number,
                    command,
                },
            ) => peer.order(now, tick, number, command)?,
            _ => return Err(ProtocolError::Turn),
        }
        Ok(())
    }

    /// Lets a client in, or tells it why not.
    fn greet(&mut self, index: usize, hello: &Hello) {
        let message = match self.admit(index, hello) {
            Ok(welcome) => ToClient::Welcome(welcome),
            Err(goodbye) => ToClient::Goodbye(goodbye),
        };
        self.peers[index].send(&message);
    }

    fn admit(&mut self, index: usize, hello: &Hello) -> Result<Welcome, Goodbye> {
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
        let mut state = Vec::new();
        self.simulation.write_player(player, &mut state);
        let peer = &mut self.peers[index];
        peer.player = Some(player);
        peer.owe(&self.edited);
        Ok(Welcome {
            player,
            seed: self.simulation.world.seed(),
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
        self.simulation.take_edited(&mut self.touched);
        self.note_touched();
        for peer in &mut self.peers {
            peer.owe(&self.touched);
        }
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
            // A stroke that came together with the rest of another work is told by its chunks.
            (Command::Edit(stroke), Ok(report)) if report.chunks.len() == self.touched.len() => {
                Some(*stroke).filter(|_| report.voxels > 0)
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
            send_chunks(peer, &mut self.simulation.world, &self.names, &about);
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
            let snapshot = Snapshot {
                tick,
                slack,
                others: self
                    .sight
                    .others(&self.simulation, player, tick, room / others::BYTES),
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
fn is_offered(command: &Command) -> bool {
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
