//! The buffers that a thread writes, reused so that a tick allocates nothing.

use crate::character::{Lift, Met, State};
use crate::crowd::columns::{BLOCK, Block};
use crate::crowd::contact::CharacterContact;
use crate::events::{Event, EventKind};
use crate::mover::{Neighbour, Scratch};
use crate::position::Position;
use nalgebra::Vector3;
use std::ops::Range;
use std::sync::{Mutex, PoisonError, TryLockError};

/// A new place for a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    pub(crate) row: u32,
    pub(crate) position: Position,
    /// The row that pressed hardest.
    pub(crate) by: u32,
}

/// A row that was settled again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resettled {
    pub(crate) row: u32,
    pub(crate) state: State,
    /// True if terrain pushed it where its ride ended.
    pub(crate) pushed: bool,
}

/// A character that left the head of another in this tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeftHead {
    pub(crate) row: u32,
    /// The slot of the other.
    pub(crate) bearer: u32,
    /// True if it jumped.
    pub(crate) jumped: bool,
}

/// The push of a neighbour on a character.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Press {
    pub(crate) offset: Vector3<f32>,
    pub(crate) push: Vector3<f32>,
    pub(crate) row: usize,
    /// True if it stands on the same spot with the same axis.
    pub(crate) is_twin: bool,
}

/// The neighbours of a character that still has to move: parts of the workspace's lists.
#[derive(Clone, Debug)]
pub(crate) struct Company {
    pub(crate) place: usize,
    pub(crate) others: Range<usize>,
    pub(crate) near: Range<usize>,
    /// Distance it may come, in metres along an axis, before it can press on a character that is
    /// not near and comes no farther.
    pub(crate) room: f32,
    /// Depth of its deepest overlap with one of them, in metres.
    pub(crate) depth: f32,
}

/// One thread's buffers.
#[derive(Default)]
pub(crate) struct Workspace {
    pub(crate) scratch: Scratch,
    /// The characters that can be met in a move: of several rows, one after another, where those
    /// [wait](Self::waiting).
    pub(crate) others: Vec<Neighbour>,
    /// The characters that end a ride.
    pub(crate) in_the_way: Vec<Neighbour>,
    /// Rows near the mover: they wake when it changes.
    pub(crate) near: Vec<u32>,
    /// Rows of a block that need a full step.
    pub(crate) waiting: Vec<Company>,
    pub(crate) kinds: Vec<EventKind>,
    /// Contacts of the moves of watched characters.
    pub(crate) met: Vec<Met>,
    /// Heights of their steps and snaps.
    pub(crate) lifts: Vec<Lift>,
    /// All their contacts.
    pub(crate) contacts: Vec<CharacterContact>,
    pub(crate) events: Vec<Event>,
    /// Rows that are to be awake in the next tick: a word for each block.
    pub(crate) woken: Vec<u64>,
    /// Rows that were given an intent: a word for each block.
    pub(crate) given: Vec<u64>,
    /// True if one of them got two.
    pub(crate) given_twice: bool,
    /// Indices of the intents that differ from the last ones.
    pub(crate) changed: Vec<usize>,
    /// Rows that overlapped another by more than is tolerated when the moves began, and the depth,
    /// in metres.
    pub(crate) crammed: Vec<(u32, f32)>,
    /// Rows that overlap another.
    pub(crate) crowded: Vec<u32>,
    /// Rows that left the head of another.
    pub(crate) left_heads: Vec<LeftHead>,
    pub(crate) placed: Vec<Placed>,
    pub(crate) resettled: Vec<Resettled>,
    /// The neighbours that press on the present character.
    pub(crate) presses: Vec<Press>,
    /// The farthest that any character moved or grew in this phase, by axis, in metres.
    pub(crate) farthest: Vector3<f32>,
    pub(crate) counts: Counts,
}

/// The counts of a tick.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) stepped: u32,
    pub(crate) settled: u32,
}

/// The workspaces of all threads.
#[derive(Default)]
pub(crate) struct Workspaces {
    list: Vec<Mutex<Workspace>>,
    /// For threads that get more of a tick's work while their own is lent: where rules or terrain
    /// wait for other threads themselves.
    spare: Mutex<Vec<Workspace>>,
    population: usize,
}

impl Workspace {
    /// Makes room for the notes of `population` characters.
    fn prepare(&mut self, population: usize) {
        self.woken.resize(population.div_ceil(BLOCK), 0);
        self.given.resize(population.div_ceil(BLOCK), 0);
        self.changed.reserve(population);
        self.near.reserve(8 * NEIGHBOURS);
        self.others.reserve(8 * NEIGHBOURS);
        self.waiting.reserve(BLOCK);
        self.in_the_way.reserve(NEIGHBOURS);
        self.kinds.reserve(NEIGHBOURS);
        self.presses.reserve(NEIGHBOURS);
        let wanted = population * 2;
        self.events
            .reserve(wanted.saturating_sub(self.events.len()));
        self.crammed.reserve(population);
        self.resettled.reserve(NEIGHBOURS);
        self.left_heads.reserve(NEIGHBOURS);
        self.crowded
            .reserve(wanted.saturating_sub(self.crowded.len()));
        self.placed
            .reserve(population.saturating_sub(self.placed.len()));
    }
}

/// Buffers are not copied: between ticks they hold nothing.
impl Clone for Workspaces {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Workspaces {
    /// Prepares one for each thread of the current pool, with room for the notes of `population`
    /// characters.
    pub(crate) fn prepare(&mut self, population: usize) {
        self.prepare_for(rayon::current_num_threads().max(1), population);
    }

    /// Prepares one for each of `threads` threads.
    pub(crate) fn prepare_for(&mut self, threads: usize, population: usize) {
        if self.list.len() < threads {
            self.list.resize_with(threads, Mutex::default);
        }
        self.population = population;
        self.each()
            .for_each(|workspace| workspace.prepare(population));
    }

    /// Lends this thread's workspace.
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut Workspace) -> R) -> R {
        let thread = rayon::current_thread_index().unwrap_or(0);
        match self.list[thread % self.list.len()].try_lock() {
            Ok(mut own) => work(&mut own),
            Err(TryLockError::Poisoned(own)) => work(&mut own.into_inner()),
            Err(TryLockError::WouldBlock) => self.with_spare(work),
        }
    }

    /// Calls `work` with a spare while this thread's own is lent: the thread would wait for itself.
    #[cold]
    fn with_spare<R>(&self, work: impl FnOnce(&mut Workspace) -> R) -> R {
        let spare = || self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = spare().pop();
        let mut workspace = taken.unwrap_or_else(|| {
            let mut fresh = Workspace::default();
            fresh.prepare(self.population);
            fresh
        });
        let done = work(&mut workspace);
        spare().push(workspace);
        done
    }

    /// Returns all of them, for one thread.
    pub(crate) fn each(&mut self) -> impl Iterator<Item = &mut Workspace> {
        let spare = self.spare.get_mut().unwrap_or_else(PoisonError::into_inner);
        let own = self.list.iter_mut();
        own.map(|own| own.get_mut().unwrap_or_else(PoisonError::into_inner))
            .chain(spare)
    }
}

/// Neighbours and notes of one character that there is room for from the start.
const NEIGHBOURS: usize = 128;

/// Returns whether this many characters are worth waking other threads for.
pub(crate) fn is_worth_spreading(characters: usize) -> bool {
    characters >= LEAST_SPREAD && rayon::current_num_threads() > 1
}

/// Characters below which one thread is faster than many.
const LEAST_SPREAD: usize = 256;

/// Rows to compute among all blocks.
pub(crate) fn count(blocks: &[Block], word: impl Fn(&Block) -> u64) -> usize {
    blocks
        .iter()
        .map(|block| word(block).count_ones() as usize)
        .sum()
}

/// Wakes a row for the next tick.
#[inline]
pub(crate) fn wake(woken: &mut [u64], row: usize) {
    woken[row / BLOCK] |= 1 << (row % BLOCK);
}
