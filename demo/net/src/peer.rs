//! One client as its server knows it: its inputs and commands for ticks to come, and what it is to
//! be sent.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use simulation::{Command, Input, PlayerId, Role};
use world::ChunkPosition;

use crate::known::Known;
use crate::message::{Claim, Inputs, Packet, ProtocolError, ToClient};
use crate::words::Name;

/// The farthest tick to come for which something is kept.
pub(crate) const MOST_AHEAD: u64 = 120;
/// The most commands that wait for their tick.
const MOST_COMMANDS: usize = 512;
/// Messages and bytes of a client in a tick, and the most that it may save up.
const MESSAGES: [u32; 2] = [8, 480];
const BYTES: [u32; 2] = [8 << 10, 1 << 18];
/// Ticks that a line of talk takes, and the most that are saved up.
const TALK: [u32; 2] = [60, 300];

/// The number of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PeerId(pub(crate) u32);

/// A command that waits for its tick.
#[derive(Clone, Debug)]
pub(crate) struct Due {
    tick: u64,
    pub(crate) number: u32,
    pub(crate) command: Command,
}

/// One client.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) id: PeerId,
    pub(crate) role: Role,
    pub(crate) player: Option<PlayerId>,
    pub(crate) name: Option<Name>,
    /// Parts of the scenery that were sent.
    pub(crate) scenery_parts: usize,
    /// Chunks to send; strokes come as strokes while there are none.
    pub(crate) waiting: BTreeSet<[i32; 3]>,
    pub(crate) is_synced: bool,
    pub(crate) out: Vec<Packet>,
    inputs: BTreeMap<u64, Input>,
    /// The newest claim about each tick to come.
    claims: BTreeMap<u64, Claim>,
    /// The tick behind the newest input.
    ready: u64,
    slack: i16,
    /// The others as the client knows them.
    pub(crate) known: Known,
    commands: VecDeque<Due>,
    /// Number of the last command.
    number: u32,
    messages: u32,
    bytes: u32,
    /// Ticks that lines of talk may still take.
    talk: u32,
}

impl Peer {
    pub(crate) fn new(id: PeerId, role: Role) -> Self {
        Peer {
            id,
            role,
            player: None,
            name: None,
            scenery_parts: 0,
            waiting: BTreeSet::new(),
            is_synced: false,
            out: Vec::new(),
            inputs: BTreeMap::new(),
            claims: BTreeMap::new(),
            ready: 0,
            slack: i16::MAX,
            known: Known::default(),
            commands: VecDeque::new(),
            number: 0,
            talk: TALK[1],
            messages: MESSAGES[1],
            bytes: BYTES[1],
        }
    }

    pub(crate) fn send(&mut self, message: &ToClient) {
        self.out.push(message.packet());
    }

    /// Adds chunks to those to be sent.
    pub(crate) fn owe(&mut self, chunks: &[ChunkPosition]) {
        self.waiting
            .extend(chunks.iter().map(|&chunk| <[i32; 3]>::from(chunk)));
        self.is_synced &= self.waiting.is_empty();
    }

    /// Counts a message that came in.
    pub(crate) fn count(&mut self, bytes: usize) -> Result<(), ProtocolError> {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let messages = self.messages.checked_sub(1);
        let (Some(messages), Some(bytes)) = (messages, self.bytes.checked_sub(bytes)) else {
            return Err(ProtocolError::Flood);
        };
        (self.messages, self.bytes) = (messages, bytes);
        Ok(())
    }

    /// Counts a line of talk; returns whether it is let through.
    pub(crate) fn may_talk(&mut self) -> bool {
        let left = self.talk.checked_sub(TALK[0]);
        self.talk = left.unwrap_or(self.talk);
        left.is_some()
    }

    /// Keeps the inputs of ticks from `now` on, and a claim about one of them.
    pub(crate) fn hear(&mut self, now: u64, first: u64, inputs: &Inputs, claim: Option<Claim>) {
        let is_to_come = |tick: u64| (now..now + MOST_AHEAD).contains(&tick);
        if let Some(claim) = claim.filter(|claim| is_to_come(claim.tick)) {
            self.claims.insert(claim.tick, claim);
        }
        let ticks = first..=u64::MAX;
        for (tick, &input) in ticks.zip(&inputs.0) {
            if is_to_come(tick) {
                // The first input of a tick stands.
                self.inputs.entry(tick).or_insert(input);
                self.ready = self.ready.max(tick + 1);
            }
        }
    }

    /// Keeps a command until its tick.
    pub(crate) fn order(
        &mut self,
        now: u64,
        tick: u64,
        number: u32,
        command: Command,
    ) -> Result<(), ProtocolError> {
        if number != self.number.wrapping_add(1) {
            return Err(ProtocolError::Turn);
        }
        if self.commands.len() == MOST_COMMANDS {
            return Err(ProtocolError::Flood);
        }
        self.number = number;
        self.commands.push_back(Due {
            tick: tick.min(now + MOST_AHEAD),
            number,
            command,
        });
        Ok(())
    }

    /// Returns the next command whose tick has come.
    pub(crate) fn due(&mut self, now: u64) -> Option<Due> {
        self.commands.pop_front_if(|due| due.tick <= now)
    }

    /// Returns the input of a tick, if it came in time.
    pub(crate) fn input(&mut self, now: u64) -> Option<Input> {
        let ahead = self.ready as i64 - now as i64 - 1;
        let ahead = ahead.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
        self.slack = self.slack.min(ahead);
        let later = self.inputs.split_off(&(now + 1));
        let input = self.inputs.remove(&now);
        self.inputs = later;
        input
    }

    /// Returns whether the client claimed this state after a tick.
    pub(crate) fn has_claimed(&mut self, now: u64, state: &[u8]) -> bool {
        let later = self.claims.split_off(&(now + 1));
        let claim = self.claims.remove(&now);
        self.claims = later;
        claim == Some(Claim::of(now, state))
    }

    /// Returns the least number of ticks for which inputs lay ready since the last call.
    pub(crate) fn take_slack(&mut self) -> i16 {
        std::mem::replace(&mut self.slack, i16::MAX)
    }

    /// Lets what may come in grow by a tick.
    pub(crate) fn tick(&mut self) {
        self.talk = TALK[1].min(self.talk + 1);
        self.messages = MESSAGES[1].min(self.messages + MESSAGES[0]);
        self.bytes = BYTES[1].min(self.bytes + BYTES[0]);
    }
}
