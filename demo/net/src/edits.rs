//! The commands of a client that the server has not answered, and their effect on the land.
//!
//! A stroke shows at once. Until its answer, the land of the client is that of the server with the
//! open strokes on top: when something else comes first, they are taken back, and repeated on it.

use std::collections::VecDeque;

use simulation::{BrushMode, Command, PlayerId, Stroke, apply_stroke, load_for_stroke};
use world::{Author, Brick, ChunkPosition, Voxels, World};

use crate::message::ProtocolError;

/// A command without an answer.
#[derive(Clone, Debug)]
struct Open {
    number: u32,
    /// The stroke, if its effect is shown already.
    stroke: Option<Stroke>,
    /// Its number in the history of the client's world, while it changes anything.
    sequence: Option<u64>,
}

/// The open commands of a client.
#[derive(Clone, Debug)]
pub(crate) struct Edits {
    own: Author,
    open: VecDeque<Open>,
}

impl Edits {
    pub(crate) fn of(player: PlayerId) -> Self {
        Edits {
            own: player.author(),
            open: VecDeque::new(),
        }
    }

    /// Returns the number of open commands.
    pub(crate) fn open(&self) -> usize {
        self.open.len()
    }

    /// Adds a command, and shows its effect. A flood shows when the server answers, since it may
    /// reach land that the client does not have. Returns the number of voxels that it changes.
    pub(crate) fn add(&mut self, world: &mut World, number: u32, command: &Command) -> u64 {
        let stroke = match command {
            Command::Edit(stroke) if stroke.mode != BrushMode::Flood => Some(*stroke),
            _ => None,
        };
        let report = stroke.map(|stroke| {
            load_for_stroke(world, &stroke);
            apply_stroke(world, self.own, &stroke)
        });
        self.open.push_back(Open {
            number,
            stroke,
            sequence: report.as_ref().and_then(|report| report.sequence),
        });
        report.map_or(0, |report| report.voxels)
    }

    /// Applies a stroke of the server's order.
    pub(crate) fn stroke(
        &mut self,
        world: &mut World,
        by: PlayerId,
        number: u32,
        stroke: &Stroke,
    ) -> Result<(), ProtocolError> {
        let is_own = by.author() == self.own;
        if is_own {
            let first = self.close(number)?;
            if first.stroke.is_some() {
                return Ok(());
            }
        }
        load_for_stroke(world, stroke);
        self.beneath(world, |world| {
            apply_stroke(world, by.author(), stroke);
        });
        Ok(())
    }

    /// Takes the answer to a command.
    pub(crate) fn answer(
        &mut self,
        world: &mut World,
        number: u32,
        is_refused: bool,
    ) -> Result<(), ProtocolError> {
        if !is_refused {
            return self.close(number).map(|_| ());
        }
        self.take_back(world);
        let closed = self.close(number);
        self.repeat(world);
        closed.map(|_| ())
    }

    /// Replaces a chunk by that of the server.
    pub(crate) fn chunk(&mut self, world: &mut World, chunk: ChunkPosition, voxels: Voxels) {
        self.beneath(world, |world| {
            let brick = Brick::new(voxels, world.materials());
            world.insert_brick(chunk, brick);
        });
    }

    /// Removes the first command, which has to be this one.
    fn close(&mut self, number: u32) -> Result<Open, ProtocolError> {
        let first = self.open.front().map(|open| open.number);
        match first == Some(number) {
            true => self.open.pop_front().ok_or(ProtocolError::Turn),
            false => Err(ProtocolError::Turn),
        }
    }

    /// Does something to the land of the server, beneath the open strokes.
    fn beneath(&mut self, world: &mut World, work: impl FnOnce(&mut World)) {
        self.take_back(world);
        work(world);
        self.repeat(world);
    }

    fn take_back(&mut self, world: &mut World) {
        for open in self.open.iter_mut().rev() {
            if open.sequence.take().is_some() {
                world.undo(self.own);
            }
        }
    }

    fn repeat(&mut self, world: &mut World) {
        for open in &mut self.open {
            let stroke = open.stroke.as_ref();
            open.sequence = stroke.and_then(|it| apply_stroke(world, self.own, it).sequence);
        }
    }
}
