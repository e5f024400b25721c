//! The client: its player, predicted ahead of the server, the strokes that its land shows before
//! the server has them, and the others as it saw them. The simulation belongs to the caller.

use std::collections::{BTreeMap, VecDeque};

use collision::OtherCharacter;
use simulation::{
    Command, Input, PlayerBytesError, PlayerId, PredictedPlayer, Refusal, Role, Simulation, Travel,
};
use world::World;
use world::save::{MaterialNames, chunk_key, decode_chunk};

use crate::edits::Edits;
use crate::lead::Lead;
use crate::message::{
    Claim, Goodbye, Hello, Inputs, Packet, ProtocolError, SNAPSHOT_TICKS, Snapshot, ToClient,
    ToServer, Welcome, WorldMark, has_snapshot,
};
use crate::others::{Others, Seen};
use crate::short::Tick;
use crate::words::{Line, Name};

/// Ticks whose inputs are in a datagram: those that may still come in time, so that four datagrams
/// have to be lost in a row before an input comes late.
const MOST_SENT: usize = 10;
/// Ticks of the clock between two datagrams while none are lost; otherwise one is sent every tick.
const SEND_TICKS: u32 = 2;
/// Ticks of the clock for which a link counts as one that loses datagrams after a snapshot is
/// missed.
const LOSSY_TICKS: u32 = 1200;
/// The most ticks that are kept to be played again.
const MOST_PLAYED: usize = 240;
/// The most bytes of the models and props of a world.
const MOST_SCENERY: usize = 64 << 20;

/// Reasons why a client is not let in, or loses its server.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ClientError {
    /// The server does not let it in.
    #[error(transparent)]
    Goodbye(#[from] Goodbye),
    /// The server sends what makes no sense.
    #[error("the server does not keep to the protocol: {0}")]
    Protocol(#[from] ProtocolError),
    /// The state of the player makes no sense.
    #[error("the server does not keep to the protocol: {0}")]
    Player(#[from] PlayerBytesError),
}

/// Counts of a client since it joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientFigures {
    /// Snapshots whose state of the own player was the predicted one, to the bit.
    pub confirmed: u64,
    /// Snapshots with another state.
    pub corrected: u64,
    /// Own strokes that the server applied at the tick of the client.
    pub in_time: u64,
    /// Own strokes that it applied later.
    pub late: u64,
}

/// A tick that the server has not confirmed.
#[derive(Clone, Debug)]
struct Played {
    tick: u64,
    input: Input,
    /// A change of the way of moving, before the tick.
    travel: Option<Travel>,
    /// State after the tick.
    state: Vec<u8>,
}

/// A client that was let in.
pub struct Client {
    player: PlayerId,
    role: Role,
    materials: MaterialNames,
    /// The players that are here, by their names.
    names: BTreeMap<PlayerId, Name>,
    events: Vec<Event>,
    /// The parts of the scenery that have come.
    scenery: Vec<u8>,
    own: PredictedPlayer,
    rules: simulation::Characters,
    /// The next tick to predict.
    tick: u64,
    played: VecDeque<Played>,
    /// The tick of the newest snapshot.
    newest: Option<u64>,
    others: Others,
    near: Vec<OtherCharacter>,
    edits: Edits,
    lead: Lead,
    travel: Option<Travel>,
    /// Ticks of the clock since inputs were sent.
    unsent: u32,
    /// Ticks of the clock for which datagrams are taken to be lost.
    lossy: u32,
    number: u32,
    /// The tick of each open stroke.
    stroke_ticks: VecDeque<(u32, u64)>,
    is_synced: bool,
    figures: ClientFigures,
    out: Vec<Packet>,
}

/// An event at the server that a client is told of.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A player has come.
    Joined(PlayerId),
    /// A player has gone.
    Left(Name),
    /// A player said something.
    Said(PlayerId, Line),
    /// The server refused a command.
    Refused(Refusal),
}

/// Returns the first packet of a client: the world that it has, and the name of its player.
pub fn hello(world: &World, name: &Name) -> Packet {
    let (mark, name) = (WorldMark::of(world), name.clone());
    ToServer::Hello(Hello { mark, name }).packet()
}

/// Reads the answer to [`hello`].
pub fn welcome(packet: &Packet) -> Result<Welcome, ClientError> {
    match ToClient::from_bytes(packet.channel, &packet.bytes)? {
        ToClient::Welcome(welcome) => Ok(welcome),
        ToClient::Goodbye(reason) => Err(reason.into()),
        _ => Err(ProtocolError::Turn.into()),
    }
}

impl Client {
    /// Returns a client whose world has the seed and the materials of its welcome, and none of the
    /// edits yet.
    pub fn new(welcome: &Welcome, world: &World) -> Result<Self, ClientError> {
        let rules = welcome.tuning.clone().within_limits();
        Ok(Client {
            player: welcome.player,
            role: welcome.role,
            materials: MaterialNames::of(world.materials()),
            names: BTreeMap::new(),
            events: Vec::new(),
            scenery: Vec::new(),
            own: PredictedPlayer::from_bytes(&welcome.state, &rules)?,
            rules,
            tick: welcome.tick,
            played: VecDeque::new(),
            newest: None,
            others: Others::default(),
            near: Vec::new(),
            edits: Edits::of(welcome.player),
            lead: Lead::default(),
            travel: None,
            unsent: 0,
            lossy: 0,
            number: 0,
            stroke_ticks: VecDeque::new(),
            is_synced: false,
            figures: ClientFigures::default(),
            out: Vec::new(),
        })
    }

    /// Returns the number of its player.
    pub fn player(&self) -> PlayerId {
        self.player
    }

    /// Returns the role of its player.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Returns the name of a player that is here.
    pub fn name(&self, player: PlayerId) -> Option<&Name> {
        self.names.get(&player)
    }

    /// Returns all players that are here, its own one among them, in the order of their numbers.
    pub fn names(&self) -> impl Iterator<Item = (PlayerId, &Name)> {
        self.names.iter().map(|(&id, name)| (id, name))
    }

    /// Takes the events since the last call.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Says a line to all players.
    pub fn say(&mut self, line: Line) {
        self.out.push(ToServer::Say(line).packet());
    }

    /// Asks to be brought to another player.
    pub fn visit(&mut self, player: PlayerId) {
        self.out.push(ToServer::Visit(player).packet());
    }

    /// Returns its player as predicted.
    pub fn own(&self) -> &PredictedPlayer {
        &self.own
    }

    /// Returns the others as they were seen last.
    pub fn others(&self) -> impl Iterator<Item = (PlayerId, &Seen)> {
        self.others.each()
    }

    /// Returns the next tick to predict.
    pub fn next_tick(&self) -> u64 {
        self.tick
    }

    /// Returns whether all land that was edited before is here.
    pub fn is_synced(&self) -> bool {
        self.is_synced
    }

    /// Returns the number of commands that the server has not answered.
    pub fn open_commands(&self) -> usize {
        self.edits.open()
    }

    /// Returns its counts.
    pub fn figures(&self) -> ClientFigures {
        self.figures
    }

    /// Moves the packets for the server into a list.
    pub fn take_packets(&mut self, into: &mut Vec<Packet>) {
        into.append(&mut self.out);
    }

    /// Gives a command before the next tick. A stroke shows at once, and so does the way of moving.
    /// Returns the number of voxels that the stroke changed.
    pub fn apply(&mut self, simulation: &mut Simulation, command: &Command) -> u64 {
        self.number = self.number.wrapping_add(1);
        let (tick, number) = (self.tick, self.number);
        if let Command::Travel(travel) = command {
            self.travel = Some(*travel);
        }
        if let Command::Edit(_) = command {
            self.stroke_ticks.push_back((number, tick));
        }
        let voxels = self.edits.add(&mut simulation.world, number, command);
        let command = command.clone();
        let message = ToServer::Command {
            tick,
            number,
            command,
        };
        self.out.push(message.packet());
        voxels
    }

    /// Goes on by one tick of the clock with an input: by one tick of the game, or by two or none
    /// while its lead changes.
    pub fn tick(&mut self, simulation: &Simulation, input: Input) {
        for _ in 0..self.lead.ticks() {
            self.predict(simulation, input);
        }
        self.unsent += 1;
        self.lossy = self.lossy.saturating_sub(1);
        if self.lossy > 0 || self.unsent >= SEND_TICKS {
            self.unsent = 0;
            self.send_inputs();
        }
    }

    fn predict(&mut self, simulation: &Simulation, input: Input) {
        let mut played = match self.played.len() {
            MOST_PLAYED => self.played.pop_front(),
            _ => None,
        };
        let state = played.as_mut().map(|it| std::mem::take(&mut it.state));
        let mut played = Played {
            tick: self.tick,
            input,
            travel: self.travel.take(),
            state: state.unwrap_or_default(),
        };
        self.play(simulation, &mut played);
        self.played.push_back(played);
        self.tick = self.tick.saturating_add(1);
    }

    fn play(&mut self, simulation: &Simulation, played: &mut Played) {
        if let Some(travel) = played.travel {
            self.own.set_travel(travel);
        }
        self.others.near(&self.own, played.tick, &mut self.near);
        self.own.tick(simulation, &self.near, played.input);
        self.own.write(&mut played.state);
    }

    /// Sends the inputs of the last ticks, so that the loss of a datagram is not felt.
    fn send_inputs(&mut self) {
        let first = self.played.len().saturating_sub(MOST_SENT);
        let open = self.played.range(first..);
        let Some(first) = open.clone().next().map(|played| played.tick) else {
            return;
        };
        let inputs = Inputs(open.map(|played| played.input).collect());
        let mut told = self.played.iter().rev();
        let told = told.find(|played| has_snapshot(self.player, played.tick));
        let message = ToServer::Inputs {
            first: Tick(first),
            inputs,
            claim: told.map(|played| Claim::of(played.tick, &played.state)),
            heard: self.newest.map(|tick| tick as u16),
        };
        self.out.push(message.packet());
    }

    /// Takes a message of the server.
    pub fn receive(
        &mut self,
        simulation: &mut Simulation,
        packet: &Packet,
    ) -> Result<(), ClientError> {
        let world = &mut simulation.world;
        match ToClient::from_bytes(packet.channel, &packet.bytes)? {
            ToClient::Snapshot(snapshot) => return self.take_snapshot(simulation, &snapshot),
            ToClient::Stroke {
                tick,
                by,
                number,
                stroke,
            } => {
                if by == self.player {
                    self.count_stroke(number, Some(tick));
                }
                self.edits.stroke(world, by, number, &stroke)?;
            }
            ToClient::Answer { number, refusal } => {
                self.count_stroke(number, None);
                let is_refused = refusal.is_some();
                self.events.extend(refusal.map(Event::Refused));
                self.edits.answer(world, number, is_refused)?;
            }
            ToClient::Chunk { chunk, sealed } => {
                let voxels = decode_chunk(&chunk_key(chunk), &sealed, &self.materials);
                let voxels = voxels.map_err(|_| ProtocolError::Turn)?;
                self.edits.chunk(world, chunk, voxels);
            }
            ToClient::Synced => self.is_synced = true,
            ToClient::Joined { player, name } => {
                if self.names.insert(player, name).is_none() {
                    self.events.push(Event::Joined(player));
                }
            }
            ToClient::Left(player) => {
                self.events
                    .extend(self.names.remove(&player).map(Event::Left));
                self.others.forget(player);
            }
            ToClient::Scenery { part, is_last } => {
                self.scenery.extend(part);
                if self.scenery.len() > MOST_SCENERY {
                    return Err(ProtocolError::Long(self.scenery.len()).into());
                }
                if is_last != 0 {
                    let scenery = std::mem::take(&mut self.scenery);
                    simulation
                        .set_scenery(&scenery)
                        .map_err(ProtocolError::from)?;
                }
            }
            ToClient::Said { by, line } => self.events.push(Event::Said(by, line)),
            ToClient::Welcome(_) | ToClient::Goodbye(_) => return Err(ProtocolError::Turn.into()),
        }
        Ok(())
    }

    /// Counts an own stroke with the tick at which it was applied.
    fn count_stroke(&mut self, number: u32, applied: Option<u64>) {
        if self.stroke_ticks.front().is_none_or(|it| it.0 != number) {
            return;
        }
        if let (Some((_, wanted)), Some(applied)) = (self.stroke_ticks.pop_front(), applied) {
            match applied == wanted {
                true => self.figures.in_time += 1,
                false => self.figures.late += 1,
            }
        }
    }

    fn take_snapshot(
        &mut self,
        simulation: &Simulation,
        snapshot: &Snapshot,
    ) -> Result<(), ClientError> {
        let tick = snapshot.tick;
        if self.newest.is_some_and(|newest| newest >= tick) {
            return Ok(());
        }
        if self
            .newest
            .is_some_and(|newest| tick - newest > SNAPSHOT_TICKS)
        {
            self.lossy = LOSSY_TICKS;
        }
        self.newest = Some(tick);
        self.lead.hear(snapshot.slack);
        self.others.see(&snapshot.others.0, tick, snapshot.about);
        while self.played.front().is_some_and(|played| played.tick < tick) {
            self.played.pop_front();
        }
        let confirmed = self.played.pop_front_if(|played| played.tick == tick);
        match confirmed {
            Some(played) if snapshot.state.as_ref().is_none_or(|it| *it == played.state) => {
                self.figures.confirmed += 1;
                return Ok(());
            }
            Some(_) => self.figures.corrected += 1,
            // Before the first predicted tick, or while the server is ahead.
            None => {}
        }
        match &snapshot.state {
            Some(state) => self.put_right(simulation, tick, state),
            None => Ok(()),
        }
    }

    /// Goes back to the state of the server, and plays the ticks since again.
    fn put_right(
        &mut self,
        simulation: &Simulation,
        tick: u64,
        state: &[u8],
    ) -> Result<(), ClientError> {
        self.own = PredictedPlayer::from_bytes(state, &self.rules)?;
        // A server that is ahead leaves nothing to play.
        self.tick = self.tick.max(tick.saturating_add(1));
        let mut played = std::mem::take(&mut self.played);
        for played in &mut played {
            self.play(simulation, played);
        }
        self.played = played;
        Ok(())
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut fields = to.debug_struct("Client");
        fields.field("player", &self.player);
        fields.field("tick", &self.tick).finish_non_exhaustive()
    }
}
