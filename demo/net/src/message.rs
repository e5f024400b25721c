//! The messages between a client and its server, and their bounds.
//!
//! Messages of the ordered channel arrive all and in order; datagrams may be lost, late or twice.
//! Every number of parts is limited, no more is reserved than has arrived, and bytes without a
//! meaning are refused.

use collision::Cell;
use simulation::coding::{Coded, ReadError, Reader};
use simulation::{Characters, Command, Input, PlayerId, Refusal, Role, Stroke, hash_of};
use simulation::{coded_parts, coded_variants};
use world::generate::GENERATOR_VERSION;
use world::save::{materials_bytes, read_materials};
use world::{ChunkPosition, MaterialTable, World};

use crate::others::Told;
use crate::short::Tick;
use crate::words::{Line, Name};

/// Number of the protocol; ends speak only with those of the same number.
pub const PROTOCOL: u16 = 2;
/// The longest datagram, bytes: it passes every usual network in one piece.
pub const LONGEST_DATAGRAM: usize = 1100;
/// The longest message of the ordered channel, bytes: a chunk of noise is shorter.
pub const LONGEST_ORDERED: usize = 1 << 18;
/// The longest message of a client on the ordered channel, bytes; a large copy may take as many.
pub const LONGEST_COMMAND: usize = 1 << 16;
/// The most inputs of a datagram.
pub const MOST_INPUTS: usize = 48;

/// Ticks between two snapshots for a client.
pub(crate) const SNAPSHOT_TICKS: u64 = 3;

/// Returns whether the client of a player is sent a snapshot after a tick. Clients take turns.
pub fn has_snapshot(player: PlayerId, tick: u64) -> bool {
    (tick % SNAPSHOT_TICKS + u64::from(player.0)).is_multiple_of(SNAPSHOT_TICKS)
}

/// The two ways for bytes to travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// All messages arrive, in order.
    Ordered,
    /// Messages may be lost, late, twice, and out of order.
    Datagram,
}

/// One message, and its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// The way.
    pub channel: Channel,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Reasons for ending a connection with the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    /// The message is too long.
    #[error("a message of {0} bytes is too long")]
    Long(usize),
    /// The message makes no sense.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The message does not belong here.
    #[error("a message came out of turn")]
    Turn,
    /// The materials of the world make no sense.
    #[error("the materials of the world make no sense")]
    Materials,
    /// There were too many messages.
    #[error("there were too many messages at once")]
    Flood,
}

/// The properties of a world and of a program that must be the same on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorldMark {
    /// Number of the protocol.
    pub protocol: u16,
    /// Version of the generator of land.
    pub generator: u32,
    /// Hash of the materials of every world, and their properties.
    pub materials: u64,
}

impl WorldMark {
    /// Returns the mark of a world in this program.
    pub fn of(world: &World) -> Self {
        let mut words = String::new();
        for (material, info) in MaterialTable::standard().iter() {
            words += &format!("{material:?} {info:?}\n");
        }
        let generator = world.generator();
        WorldMark {
            protocol: PROTOCOL,
            generator: generator.map_or(GENERATOR_VERSION, |it| it.version()),
            materials: hash_of(words.as_bytes()),
        }
    }
}

/// Reasons of a server for not letting a client in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Goodbye {
    /// The protocols differ.
    #[error("the server speaks protocol {server}, this program {client}: update the older one")]
    Protocol {
        /// That of the server.
        server: u16,
        /// That of the client.
        client: u16,
    },
    /// The generators of land differ.
    #[error(
        "the server makes land of version {server}, this program of version {client}: update the \
         older one"
    )]
    Generator {
        /// That of the server.
        server: u32,
        /// That of the client.
        client: u32,
    },
    /// The materials differ.
    #[error("the server has other materials than this program: update the older one")]
    Materials,
    /// There is no room.
    #[error("there is no room for another player: try again later")]
    Full,
}

/// The first message of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The properties that must be the same.
    pub mark: WorldMark,
    /// The wished name of the player.
    pub name: Name,
}

/// The first message of a server to a client that it lets in.
#[derive(Clone, Debug, PartialEq)]
pub struct Welcome {
    /// The number of the client's player.
    pub player: PlayerId,
    /// Its role.
    pub role: Role,
    /// Seed of the land; `None` for a world that is not generated.
    pub seed: Option<u64>,
    /// The materials of the world.
    pub materials: Vec<u8>,
    /// The next tick of the server.
    pub tick: u64,
    /// Shape and movement of characters.
    pub tuning: Characters,
    /// State of the client's player.
    pub state: Vec<u8>,
}

impl Welcome {
    /// Returns the materials of the world.
    pub fn materials(&self) -> Result<MaterialTable, ProtocolError> {
        let mut table = MaterialTable::standard();
        let read = read_materials(&self.materials, &mut table);
        // Strokes name materials by their numbers.
        let is_same = read.is_ok() && materials_bytes(&table) == self.materials;
        is_same.then_some(table).ok_or(ProtocolError::Materials)
    }
}

/// A message of a client.
#[derive(Clone, Debug, PartialEq)]
pub enum ToServer {
    /// The first one.
    Hello(Hello),
    /// A command, to be applied before a tick.
    Command {
        /// The tick, or the next one if that has passed.
        tick: u64,
        /// Number of the command, one more than the last.
        number: u32,
        /// The command.
        command: Command,
    },
    /// Inputs of consecutive ticks.
    Inputs {
        /// The tick of the first.
        first: Tick,
        /// The inputs.
        inputs: Inputs,
        /// The state that the client predicts after its newest tick with a snapshot.
        claim: Option<Claim>,
        /// The low bits of the tick of the newest snapshot that the client has.
        heard: Option<u16>,
    },
    /// A line for all players.
    Say(Line),
    /// A wish to be brought to another player.
    Visit(PlayerId),
}

/// A claim of a client about the state of its player. The server sends the state only if the claim
/// is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The tick.
    pub tick: u64,
    /// A hash of the state after it.
    pub hash: u32,
}

impl Claim {
    /// Returns the claim of a state after a tick.
    pub fn of(tick: u64, state: &[u8]) -> Self {
        let hash = hash_of(state);
        Claim {
            tick,
            hash: (hash ^ hash >> 32) as u32,
        }
    }
}

impl Coded for Claim {
    fn write(&self, to: &mut Vec<u8>) {
        Tick(self.tick).write(to);
        self.hash.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok(Claim {
            tick: Tick::read(from)?.0,
            hash: Coded::read(from)?,
        })
    }
}

/// A message of a server.
#[derive(Clone, Debug, PartialEq)]
pub enum ToClient {
    /// The client is let in.
    Welcome(Welcome),
    /// It is not.
    Goodbye(Goodbye),
    /// The voxels of a chunk as they are after all strokes before.
    Chunk {
        /// Its place.
        chunk: ChunkPosition,
        /// Its bytes, as in a save.
        sealed: Vec<u8>,
    },
    /// All chunks that were edited before have been sent; strokes follow as strokes.
    Synced,
    /// A stroke, in the order of all strokes.
    Stroke {
        /// The tick before which it was applied.
        tick: u64,
        /// The player that made it.
        by: PlayerId,
        /// The number of its command.
        number: u32,
        /// The stroke.
        stroke: Stroke,
    },
    /// The answer to a command that is not sent back as a stroke.
    Answer {
        /// The number of the command.
        number: u32,
        /// The reason if it was refused.
        refusal: Option<Refusal>,
    },
    /// The state after a tick.
    Snapshot(Snapshot),
    /// A part of the models and props of the world.
    Scenery {
        /// Bytes that follow those of the part before.
        part: Vec<u8>,
        /// 1 for the last part.
        is_last: u8,
    },
    /// A player is here.
    Joined {
        /// Its number.
        player: PlayerId,
        /// Its name, unlike those of all others.
        name: Name,
    },
    /// A player has gone.
    Left(PlayerId),
    /// A player said something.
    Said {
        /// The player.
        by: PlayerId,
        /// The words.
        line: Line,
    },
}

/// The state after a tick, as far as a client is to know it.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The tick.
    pub tick: u64,
    /// The least number of ticks, since the last snapshot, for which inputs lay ready.
    pub slack: i16,
    /// The exact state of the client's player; `None` if it is as claimed.
    pub state: Option<Vec<u8>>,
    /// Cell about which the places of others are written.
    pub about: Cell,
    /// Others.
    pub others: Told,
}

impl Coded for Snapshot {
    fn write(&self, to: &mut Vec<u8>) {
        Tick(self.tick).write(to);
        self.slack.write(to);
        self.state.write(to);
        self.about.write(to);
        self.others.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok(Snapshot {
            tick: Tick::read(from)?.0,
            slack: Coded::read(from)?,
            state: Coded::read(from)?,
            about: Coded::read(from)?,
            others: Coded::read(from)?,
        })
    }
}

/// Consecutive inputs, at least one: equal ones are written once, and of others the bytes that
/// differ from the input before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inputs(pub Vec<Input>);

impl Coded for Inputs {
    fn write(&self, to: &mut Vec<u8>) {
        let runs = || self.0.chunk_by(|a, b| a == b);
        to.push(runs().count() as u8);
        let mut before = [0; Input::BYTES];
        for run in runs() {
            to.push(run.len() as u8);
            let bytes = run[0].to_bytes();
            let differs = |at: &usize| bytes[*at] != before[*at];
            to.push((0..Input::BYTES).filter(differs).map(|at| 1 << at).sum());
            to.extend((0..Input::BYTES).filter(differs).map(|at| bytes[at]));
            before = bytes;
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        let mut inputs: Vec<Input> = Vec::new();
        let mut bytes = [0; Input::BYTES];
        for _ in 0..u8::read(from)? {
            let count = usize::from(u8::read(from)?);
            let differs = u8::read(from)?;
            for at in (0..Input::BYTES).filter(|at| differs >> at & 1 != 0) {
                let byte = u8::read(from)?;
                if byte == bytes[at] {
                    return Err(from.invalid("change of an input"));
                }
                bytes[at] = byte;
            }
            let goes_on = differs == 0 && !inputs.is_empty();
            if count == 0 || inputs.len() + count > MOST_INPUTS || goes_on {
                return Err(from.invalid("run of inputs"));
            }
            let input = Input::from_bytes(bytes).map_err(|_| from.invalid("input"))?;
            inputs.resize(inputs.len() + count, input);
        }
        match inputs.is_empty() {
            true => Err(from.invalid("input")),
            false => Ok(Inputs(inputs)),
        }
    }
}

coded_parts! {
    WorldMark { protocol, generator, materials }
    Hello { mark, name }
    Welcome { player, role, seed, materials, tick, tuning, state }
}
coded_variants!(Goodbye, "reason" {
    0: Protocol { server, client },
    1: Generator { server, client },
    2: Materials,
    3: Full,
});
coded_variants!(ToServer, "message of a client" {
    0: Hello(hello),
    1: Command { tick, number, command },
    2: Inputs { first, inputs, claim, heard },
    3: Say(line),
    4: Visit(player),
});
coded_variants!(ToClient, "message of a server" {
    0: Welcome(welcome),
    1: Goodbye(reason),
    2: Chunk { chunk, sealed },
    3: Synced,
    4: Stroke { tick, by, number, stroke },
    5: Answer { number, refusal },
    6: Snapshot(snapshot),
    7: Joined { player, name },
    8: Left(player),
    9: Said { by, line },
    10: Scenery { part, is_last },
});

impl ToServer {
    /// Returns the way of the message.
    pub fn channel(&self) -> Channel {
        match self {
            ToServer::Inputs { .. } => Channel::Datagram,
            _ => Channel::Ordered,
        }
    }

    /// Returns the packet of the message.
    pub fn packet(&self) -> Packet {
        packet(self.channel(), self)
    }

    /// Reads the message of a client.
    pub fn from_bytes(channel: Channel, bytes: &[u8]) -> Result<Self, ProtocolError> {
        let longest = match channel {
            Channel::Ordered => LONGEST_COMMAND,
            Channel::Datagram => LONGEST_DATAGRAM,
        };
        let message: Self = read_whole(bytes, longest)?;
        match message.channel() == channel {
            true => Ok(message),
            false => Err(ProtocolError::Turn),
        }
    }
}

impl ToClient {
    /// Returns the way of the message.
    pub fn channel(&self) -> Channel {
        match self {
            ToClient::Snapshot(_) => Channel::Datagram,
            _ => Channel::Ordered,
        }
    }

    /// Returns the packet of the message.
    pub fn packet(&self) -> Packet {
        packet(self.channel(), self)
    }

    /// Reads the message of a server.
    pub fn from_bytes(channel: Channel, bytes: &[u8]) -> Result<Self, ProtocolError> {
        let longest = match channel {
            Channel::Ordered => LONGEST_ORDERED,
            Channel::Datagram => LONGEST_DATAGRAM,
        };
        let message: Self = read_whole(bytes, longest)?;
        match message.channel() == channel {
            true => Ok(message),
            false => Err(ProtocolError::Turn),
        }
    }
}

fn packet(channel: Channel, message: &impl Coded) -> Packet {
    let mut bytes = Vec::new();
    message.write(&mut bytes);
    Packet { channel, bytes }
}

/// Reads a message that takes all bytes.
fn read_whole<T: Coded>(bytes: &[u8], longest: usize) -> Result<T, ProtocolError> {
    if bytes.len() > longest {
        return Err(ProtocolError::Long(bytes.len()));
    }
    let mut from = Reader::new(bytes);
    let message = T::read(&mut from)?;
    match from.at() == bytes.len() {
        true => Ok(message),
        false => Err(from.invalid("end").into()),
    }
}
