//! Recordings: the start of a session, and all that came in from its players. Played again, they
//! end in the same state, on any machine and any number of threads.
//!
//! Land that streams in while a session goes on is not recorded: everything within reach has to be
//! loaded at the start.

use crate::rules::Characters;

use super::coding::{Coded, ReadError, Reader};
use super::input::Input;
use super::player::PlayerId;
use super::state_hash::hash_of;
use super::{Command, Simulation};

/// First bytes of a recording.
const MAGIC: &[u8; 8] = b"voxplay\n";
/// Number of the format.
const VERSION: u16 = 1;
/// The longest recording, bytes.
const LONGEST: usize = 1 << 28;
/// The largest view at the start, metres: more land would take too much memory.
const LARGEST_VIEW: u32 = 256;
/// Bytes of the hash of a recording at its end.
const CHECK: usize = 8;

/// Numbers of the steps.
const TICK: u8 = 0;
const COMMAND: u8 = 1;
const JOIN: u8 = 2;
const LEAVE: u8 = 3;
const END: u8 = 4;

/// Reasons why there is no recording, or why it cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordingError {
    /// Nothing is being recorded.
    #[error("nothing is recorded")]
    Nothing,
    /// It is too long.
    #[error("it has more than {LONGEST} bytes: record a shorter session")]
    TooLong,
    /// The bytes are no recording.
    #[error("it is no recording")]
    Foreign,
    /// The version is unknown.
    #[error("its version is {0}, and only {VERSION} is known: play it with the program it is from")]
    Version(u16),
    /// The bytes are not those that were written.
    #[error("it is damaged or incomplete")]
    Damaged,
    /// Some bytes have no meaning.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The session to be played in is at another start.
    #[error("it begins with another world, or with other rules")]
    OtherStart,
    /// The session ended in another state.
    #[error("it does not end as it did when it was recorded")]
    OtherEnd,
}

/// The start of a recorded session.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// Seed of the world.
    pub seed: u64,
    /// Radius of the loaded land, metres.
    pub view_metres: u32,
    /// Shape and movement of characters.
    pub tuning: Characters,
}

impl Coded for Start {
    fn write(&self, to: &mut Vec<u8>) {
        self.seed.write(to);
        self.view_metres.write(to);
        self.tuning.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        let start = Start {
            seed: Coded::read(from)?,
            view_metres: Coded::read(from)?,
            tuning: Coded::read(from)?,
        };
        let is_sound = start.view_metres <= LARGEST_VIEW
            && start.tuning == start.tuning.clone().within_limits();
        is_sound.then_some(start).ok_or(from.invalid("start"))
    }
}

/// A recorded session.
#[derive(Clone, Debug)]
pub struct Recording {
    bytes: Vec<u8>,
    start: Start,
    /// Hash of the state at the start.
    begins: u64,
    /// Place of the first step.
    first: usize,
}

impl Recording {
    /// Reads a recording; its steps are read when it is played.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, RecordingError> {
        if bytes.len() > LONGEST {
            return Err(RecordingError::TooLong);
        }
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return Err(RecordingError::Foreign);
        };
        let version = u16::read(&mut Reader::new(rest))?;
        if version != VERSION {
            return Err(RecordingError::Version(version));
        }
        let (held, check) = bytes.split_at(bytes.len().saturating_sub(CHECK));
        if check != hash_of(held).to_le_bytes() {
            return Err(RecordingError::Damaged);
        }
        let mut from = Reader::new(held);
        from.take(MAGIC.len() + size_of::<u16>())?;
        let (start, begins) = (Start::read(&mut from)?, u64::read(&mut from)?);
        let first = from.at();
        Ok(Recording {
            bytes,
            start,
            begins,
            first,
        })
    }

    /// Returns its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the start of the session.
    pub fn start(&self) -> &Start {
        &self.start
    }

    /// Plays it in a session at its start, and calls `ticked` after every tick. After an error the
    /// session is left where it is.
    pub fn play(
        &self,
        simulation: &mut Simulation,
        mut ticked: impl FnMut(&Simulation),
    ) -> Result<(), RecordingError> {
        if simulation.state_hash() != self.begins {
            return Err(RecordingError::OtherStart);
        }
        let mut from = Reader::new(&self.bytes[..self.bytes.len() - CHECK]);
        from.take(self.first)?;
        let mut inputs = Vec::new();
        loop {
            match u8::read(&mut from)? {
                TICK => {
                    read_inputs(&mut from, &mut inputs)?;
                    simulation.tick(&inputs);
                    ticked(simulation);
                }
                COMMAND => {
                    let by = PlayerId::read(&mut from)?;
                    simulation.apply(by, &Command::read(&mut from)?);
                }
                JOIN => {
                    // Refused now, if it was refused when it was recorded.
                    let _ = simulation.join(PlayerId::read(&mut from)?);
                }
                LEAVE => {
                    simulation.leave(PlayerId::read(&mut from)?);
                }
                END => break,
                _ => return Err(from.invalid("step").into()),
            }
        }
        let ends = u64::read(&mut from)?;
        let is_whole = from.at() + CHECK == self.bytes.len();
        match is_whole && simulation.state_hash() == ends {
            true => Ok(()),
            false => Err(RecordingError::OtherEnd),
        }
    }
}

fn read_inputs(
    from: &mut Reader<'_>,
    inputs: &mut Vec<(PlayerId, Input)>,
) -> Result<(), ReadError> {
    inputs.clear();
    for _ in 0..u32::read(from)? {
        inputs.push((PlayerId::read(from)?, Input::read(from)?));
    }
    Ok(())
}

/// The bytes of a recording in progress.
#[derive(Clone, Debug)]
pub(super) struct Log(Vec<u8>);

impl Log {
    fn new(start: &Start, begins: u64) -> Self {
        let mut bytes = MAGIC.to_vec();
        VERSION.write(&mut bytes);
        start.write(&mut bytes);
        begins.write(&mut bytes);
        Log(bytes)
    }

    pub(super) fn command(&mut self, by: PlayerId, command: &Command) {
        self.0.push(COMMAND);
        by.write(&mut self.0);
        command.write(&mut self.0);
    }

    pub(super) fn join(&mut self, id: PlayerId) {
        self.0.push(JOIN);
        id.write(&mut self.0);
    }

    pub(super) fn leave(&mut self, id: PlayerId) {
        self.0.push(LEAVE);
        id.write(&mut self.0);
    }

    pub(super) fn tick(&mut self, inputs: &[(PlayerId, Input)]) {
        self.0.push(TICK);
        (inputs.len() as u32).write(&mut self.0);
        for (id, input) in inputs {
            id.write(&mut self.0);
            input.write(&mut self.0);
        }
    }
}

impl Simulation {
    /// Records all that comes in from now on; `start` says how to come to this state again.
    pub fn begin_recording(&mut self, start: &Start) {
        self.log = Some(Log::new(start, self.state_hash()));
    }

    /// Ends the recording.
    pub fn end_recording(&mut self) -> Result<Recording, RecordingError> {
        let Log(mut bytes) = self.log.take().ok_or(RecordingError::Nothing)?;
        bytes.push(END);
        self.state_hash().write(&mut bytes);
        hash_of(&bytes).write(&mut bytes);
        Recording::from_bytes(bytes)
    }

    /// Adds something to the recording, if there is one and it is not too long.
    pub(super) fn note(&mut self, step: impl FnOnce(&mut Log)) {
        if let Some(log) = self.log.as_mut().filter(|log| log.0.len() <= LONGEST) {
            step(log);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::level_ground::on_level_ground;
    use crate::{Travel, Wish};

    fn start() -> Start {
        Start {
            seed: 0,
            view_metres: 0,
            tuning: Characters::default(),
        }
    }

    /// Returns a short recording on level ground.
    fn recording() -> Recording {
        let mut simulation = on_level_ground(3);
        simulation.begin_recording(&start());
        let ahead = Wish {
            forward: 1.0,
            ..Wish::default()
        };
        simulation.join(PlayerId(7)).unwrap();
        simulation.apply(PlayerId(7), &Command::Travel(Travel::Walk));
        simulation.tick(&ahead.alone());
        simulation.tick(&[(PlayerId(7), Input::of(&ahead))]);
        simulation.tick(&[]);
        simulation.end_recording().unwrap()
    }

    /// Returns bytes with the hash of a recording at their end.
    fn checked(mut held: Vec<u8>) -> Vec<u8> {
        hash_of(&held).write(&mut held);
        held
    }

    fn held(recording: &Recording) -> &[u8] {
        &recording.bytes()[..recording.bytes().len() - CHECK]
    }

    fn play(bytes: Vec<u8>) -> Result<(), RecordingError> {
        Recording::from_bytes(bytes)?.play(&mut on_level_ground(3), |_| ())
    }

    #[test]
    fn a_recording_plays_again_from_its_start_alone() {
        let recording = recording();
        assert_eq!(recording.start(), &start());
        assert_eq!(play(recording.bytes().to_vec()), Ok(()));
        let mut other = on_level_ground(4);
        let played = recording.play(&mut other, |_| ());
        assert_eq!(played, Err(RecordingError::OtherStart));
        let ended = other.end_recording().err();
        assert_eq!(ended, Some(RecordingError::Nothing));
    }

    #[test]
    fn every_damaged_byte_and_every_early_end_is_refused() {
        let bytes = recording().bytes().to_vec();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            let expected = match at {
                0..8 => RecordingError::Foreign,
                8..10 => RecordingError::Version(u16::from_le_bytes([damaged[8], damaged[9]])),
                _ => RecordingError::Damaged,
            };
            assert_eq!(play(damaged), Err(expected), "{at}");
            assert!(play(bytes[..at].to_vec()).is_err(), "{at}");
        }
    }

    #[test]
    fn forged_recordings_end_in_another_state_or_make_no_sense() {
        let recording = recording();
        let held = held(&recording);
        let mut refused = 0;
        // The seed and the rules before the first hash are read, but level ground has its own.
        let first = recording.first - size_of::<u64>();
        for at in 10..held.len() {
            for change in [0x01, 0x10, 0x80, 0xff] {
                let mut forged = held.to_vec();
                forged[at] ^= change;
                let is_refused = play(checked(forged)).is_err();
                refused += usize::from(is_refused && at >= first);
            }
            assert!(play(checked(held[..at].to_vec())).is_err(), "{at}");
        }
        assert_eq!(refused, (held.len() - first) * 4);
        let longer = checked([held, &[0]].concat());
        assert_eq!(play(longer), Err(RecordingError::OtherEnd));
    }

    #[test]
    fn a_view_without_bounds_and_wild_rules_are_refused() {
        let wild = |change: fn(&mut Start)| {
            let mut simulation = on_level_ground(0);
            let mut start = start();
            change(&mut start);
            simulation.begin_recording(&start);
            simulation.end_recording().unwrap_err()
        };
        for error in [
            wild(|start| start.view_metres = LARGEST_VIEW + 1),
            wild(|start| start.tuning.radius = f32::NAN),
            wild(|start| start.tuning.fly_speed = 1.0e9),
        ] {
            assert!(matches!(error, RecordingError::Read(_)), "{error}");
        }
    }
}
