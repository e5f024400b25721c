//! The characters as a structure of arrays, in blocks of 64.

use crate::character::{Build, Character, Intent, Medium, Mode, Settings, State};
use crate::mover::{Body, Feature, Ground, Radii};
use crate::position::Position;
use crate::terrain::Memory;
use nalgebra::Vector3;
use rayon::prelude::*;

/// Characters in a block: the bits of a word.
pub(crate) const BLOCK: usize = 64;

/// Part of the normal along the up axis from which on one stands above the other (45 degrees).
pub(crate) const STACKED: f32 = 0.707;

/// A character as others see it.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Stood {
    pub(crate) position: Position,
    /// Half extents of its box, in metres.
    pub(crate) extent: Vector3<f32>,
    pub(crate) up: Vector3<f32>,
    pub(crate) radii: Radii,
    /// Its layers, 0 while it passes through everything.
    pub(crate) layers: u16,
    pub(crate) meets: u16,
    /// True while terrain holds it: pushes do not move it.
    pub(crate) held: bool,
    /// True while it stands on another character's head.
    pub(crate) on_somebody: bool,
}

/// Returns whether another character's head carries this one. A character wedged beside another is
/// not carried.
fn stands_on_a_character(state: &State, up: Vector3<f32>) -> bool {
    let on = |ground: Ground| ground.feature == Feature::Body && ground.normal.dot(&up) > STACKED;
    state.ground.is_some_and(on)
}

impl Stood {
    #[inline]
    pub(crate) fn new(build: &Build, state: &State) -> Self {
        let radii = build.radii(state.crouched);
        let solid = state.mode != Mode::NoClip;
        Self {
            position: state.position,
            extent: extent(radii, build.up),
            up: build.up,
            radii,
            layers: if solid { build.layers } else { 0 },
            meets: if solid { build.meets } else { 0 },
            held: state.is_held(),
            on_somebody: stands_on_a_character(state, build.up),
        }
    }

    /// Returns the record of the same character in another state.
    #[inline]
    pub(crate) fn in_state(&self, build: &Build, state: &State) -> Self {
        let solid = state.mode != Mode::NoClip;
        let mut after = Self {
            position: state.position,
            layers: if solid { build.layers } else { 0 },
            meets: if solid { build.meets } else { 0 },
            held: state.is_held(),
            on_somebody: stands_on_a_character(state, build.up),
            ..*self
        };
        let radii = build.radii(state.crouched);
        if radii != self.radii {
            after.radii = radii;
            after.extent = extent(radii, build.up);
        }
        after
    }

    /// Returns the record of the same character at another place, not held, with the same layers
    /// and size.
    #[inline]
    pub(crate) fn elsewhere(&self, build: &Build, state: &State) -> Self {
        Self {
            position: state.position,
            held: false,
            on_somebody: stands_on_a_character(state, build.up),
            ..*self
        }
    }

    /// Returns by how much its box may have come nearer to others than before, by axis, in metres.
    #[inline]
    pub(crate) fn nearer_than(&self, before: &Self) -> Vector3<f32> {
        let moved = self.position.since(&before.position);
        let grown = self.extent - before.extent;
        let axis = |i: usize| moved[i].abs() + if grown[i] > 0.0 { grown[i] } else { 0.0 };
        Vector3::new(axis(0), axis(1), axis(2))
    }

    #[inline]
    pub(crate) fn body(&self) -> Body {
        Body {
            position: self.position,
            radii: self.radii,
            up: self.up,
        }
    }

    #[inline]
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.layers & other.meets != 0 && other.layers & self.meets != 0
    }
}

/// Returns the half extents of an ellipsoid's box.
#[inline]
pub(crate) fn extent(radii: Radii, up: Vector3<f32>) -> Vector3<f32> {
    let across = radii.across * radii.across;
    let excess = radii.along * radii.along - across;
    up.map(|part| (across + excess * (part * part)).max(0.0).sqrt())
}

/// Bits about the 64 characters of a block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Block {
    /// Must be computed in this tick.
    pub(crate) awake: u64,
    /// Fell asleep alone, after it looked farther than others wake: tests in every tick whether
    /// another character came there.
    pub(crate) watching: u64,
    /// Has a wish: without an intent it gets the resting one.
    pub(crate) driven: u64,
    /// Was given an intent that can be obeyed in this tick.
    pub(crate) given: u64,
    /// Was given one that cannot.
    pub(crate) refused: u64,
    /// Was added, teleported, restored, taken back or held up: settle it whatever its memory holds.
    pub(crate) fresh: u64,
    /// Left the ground between ticks: reported with the next one.
    pub(crate) left_ground: u64,
    /// Stood on a surface that moves in its place when it was last looked at.
    pub(crate) on_belt: u64,
    /// Was moved or changed by the terrain in this tick.
    pub(crate) shifted: u64,
    /// Was pushed, crushed or freed by the terrain in this tick.
    pub(crate) pushed: u64,
    /// Was computed in this tick.
    pub(crate) computed: u64,
    /// Came into another cell of the grid.
    pub(crate) crossed: u64,
    /// Came near another character: look again after the moves.
    pub(crate) look: u64,
    /// Only stands in the way of a predicted character: no tick moves it.
    pub(crate) kinematic: u64,
}

/// All characters. Row `i` of every column is the same character.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    pub(crate) slots: Vec<u32>,
    pub(crate) builds: Vec<Build>,
    pub(crate) settings: Vec<u16>,
    pub(crate) states: Vec<State>,
    pub(crate) memories: Vec<Memory>,
    pub(crate) wanted: Vec<Intent>,
    /// As they stand.
    pub(crate) stood: Vec<Stood>,
    /// The other side of a phase: during it the records after it, then those before it (of
    /// settling: only for shifted characters).
    pub(crate) after: Vec<Stood>,
    pub(crate) blocks: Vec<Block>,
}

impl Columns {
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Appends a character, awake and to be settled.
    pub(crate) fn push(&mut self, slot: u32, character: &Character, settings: u16) {
        let mut state = State::at(character.position);
        state.velocity = character.velocity;
        state.mode = character.mode;
        self.push_state(slot, character.build, state, settings);
    }

    /// Appends a character in any state.
    pub(crate) fn push_state(&mut self, slot: u32, build: Build, state: State, settings: u16) {
        let stood = Stood::new(&build, &state);
        self.slots.push(slot);
        self.builds.push(build);
        self.settings.push(settings);
        self.states.push(state);
        self.memories.push(Memory::default());
        self.wanted.push(Intent::rest(state.mode));
        self.stood.push(stood);
        self.after.push(stood);
        if self.blocks.len() * BLOCK < self.len() {
            self.blocks.push(Block::default());
        }
        self.refresh(self.len() - 1);
    }

    /// Removes a row; the last one takes its place.
    pub(crate) fn swap_remove(&mut self, row: usize) {
        self.slots.swap_remove(row);
        self.builds.swap_remove(row);
        self.settings.swap_remove(row);
        self.states.swap_remove(row);
        self.memories.swap_remove(row);
        self.wanted.swap_remove(row);
        self.stood.swap_remove(row);
        self.after.swap_remove(row);
        let last = self.len();
        self.note_left_ground(row, self.has_left_ground(last));
        self.forget(last);
        self.blocks.truncate(last.div_ceil(BLOCK));
        if row < last {
            self.refresh(row);
        }
    }

    /// Becomes a copy of `source` with its rows in the order of `keys`.
    pub(crate) fn take_in_order(&mut self, source: &Self, keys: &[(u64, u32)]) {
        fn pick<C: Copy>(own: &mut Vec<C>, from: &[C], keys: &[(u64, u32)]) {
            own.clear();
            own.extend(keys.iter().map(|&(_, row)| from[row as usize]));
        }
        pick(&mut self.slots, &source.slots, keys);
        pick(&mut self.builds, &source.builds, keys);
        pick(&mut self.settings, &source.settings, keys);
        pick(&mut self.states, &source.states, keys);
        pick(&mut self.memories, &source.memories, keys);
        pick(&mut self.wanted, &source.wanted, keys);
        pick(&mut self.stood, &source.stood, keys);
        pick(&mut self.after, &source.after, keys);
        self.blocks.clear();
        self.blocks.resize(source.blocks.len(), Block::default());
        for (row, &(_, from)) in keys.iter().enumerate() {
            let (to, from) = (&mut self.blocks[row / BLOCK], from as usize);
            let old = &source.blocks[from / BLOCK];
            let carry = |word: u64| (word >> (from % BLOCK) & 1) << (row % BLOCK);
            to.awake |= carry(old.awake);
            to.watching |= carry(old.watching);
            to.driven |= carry(old.driven);
            to.fresh |= carry(old.fresh);
            to.left_ground |= carry(old.left_ground);
            to.on_belt |= carry(old.on_belt);
            to.shifted |= carry(old.shifted);
        }
    }

    /// Marks a row that was changed from outside: awake, to be settled, its intent to be read anew.
    pub(crate) fn refresh(&mut self, row: usize) {
        let bit = 1 << (row % BLOCK);
        let block = &mut self.blocks[row / BLOCK];
        block.awake |= bit;
        block.driven |= bit;
        block.fresh |= bit;
        self.memories[row] = Memory::default();
        let stood = Stood::new(&self.builds[row], &self.states[row]);
        self.stood[row] = stood;
        self.after[row] = stood;
    }

    /// Puts a character that no tick moves into a row, which is an old one or the next. A new one
    /// has its row as its slot.
    pub(crate) fn put_kinematic(&mut self, row: usize, build: Build, state: State) {
        if row == self.len() {
            self.push_state(row as u32, build, state, 0);
        }
        let stood = Stood::new(&build, &state);
        self.builds[row] = build;
        self.states[row] = state;
        self.stood[row] = stood;
        self.after[row] = stood;
        let (block, bit) = (&mut self.blocks[row / BLOCK], 1 << (row % BLOCK));
        block.kinematic |= bit;
        for word in [&mut block.awake, &mut block.driven, &mut block.fresh] {
            *word &= !bit;
        }
    }

    /// Returns whether a character left the ground since the last tick.
    pub(crate) fn has_left_ground(&self, row: usize) -> bool {
        self.blocks[row / BLOCK].left_ground >> (row % BLOCK) & 1 != 0
    }

    /// Notes whether it did.
    pub(crate) fn note_left_ground(&mut self, row: usize, has: bool) {
        let (word, place) = (&mut self.blocks[row / BLOCK].left_ground, row % BLOCK);
        *word = *word & !(1 << place) | u64::from(has) << place;
    }

    /// Splits the columns for a tick: the part that all threads read, and the part that each block
    /// writes.
    pub(crate) fn split(&mut self) -> (Shared<'_>, Writable<'_>) {
        let shared = Shared {
            slots: &self.slots,
            builds: &self.builds,
            settings: &self.settings,
            stood: &self.stood,
        };
        let writable = Writable {
            states: &mut self.states,
            memories: &mut self.memories,
            wanted: &mut self.wanted,
            after: &mut self.after,
            blocks: &mut self.blocks,
        };
        (shared, writable)
    }

    /// Returns the parts that all threads read, while nothing is written.
    pub(crate) fn shared(&self) -> Shared<'_> {
        Shared {
            slots: &self.slots,
            builds: &self.builds,
            settings: &self.settings,
            stood: &self.stood,
        }
    }

    /// Wakes all characters, to be settled.
    pub(crate) fn settle_all(&mut self) {
        self.wake_all();
        for block in &mut self.blocks {
            block.fresh = block.awake;
        }
    }

    /// Wakes all characters.
    pub(crate) fn wake_all(&mut self) {
        let rows = self.len();
        for (index, block) in self.blocks.iter_mut().enumerate() {
            block.awake = u64::MAX >> (BLOCK - (rows - index * BLOCK).min(BLOCK));
        }
    }

    /// Wakes all but characters that stand on terrain without a wish: the length of a tick does not
    /// affect them.
    pub(crate) fn wake_all_but_standing(&mut self) {
        for (row, (state, wanted)) in self.states.iter().zip(&self.wanted).enumerate() {
            let on_terrain = state.ground.is_some_and(|it| it.feature != Feature::Body);
            let walks = (state.mode, wanted.mode) == (Mode::Walk, Mode::Walk);
            let still = wanted.velocity == Vector3::zeros() && wanted.jump == 0.0;
            let is_standing = state.medium == Medium::Open && wanted.crouch == state.crouched;
            if !(on_terrain && walks && still && is_standing) || state.is_held() {
                self.blocks[row / BLOCK].awake |= 1 << (row % BLOCK);
            }
        }
    }

    fn forget(&mut self, row: usize) {
        let keep = !(1 << (row % BLOCK));
        let block = &mut self.blocks[row / BLOCK];
        for word in [
            &mut block.awake,
            &mut block.watching,
            &mut block.driven,
            &mut block.given,
            &mut block.refused,
            &mut block.fresh,
            &mut block.left_ground,
            &mut block.on_belt,
            &mut block.shifted,
            &mut block.pushed,
            &mut block.computed,
            &mut block.crossed,
            &mut block.look,
            &mut block.kinematic,
        ] {
            *word &= keep;
        }
    }
}

/// The parts that all threads read during a phase.
#[derive(Clone, Copy)]
pub(crate) struct Shared<'a> {
    pub(crate) slots: &'a [u32],
    pub(crate) builds: &'a [Build],
    pub(crate) settings: &'a [u16],
    pub(crate) stood: &'a [Stood],
}

/// The parts that the blocks write during a phase.
pub(crate) struct Writable<'a> {
    states: &'a mut [State],
    memories: &'a mut [Memory],
    wanted: &'a mut [Intent],
    after: &'a mut [Stood],
    blocks: &'a mut [Block],
}

/// The written parts of one block.
pub(crate) struct Rows<'a> {
    pub(crate) states: &'a mut [State],
    pub(crate) memories: &'a mut [Memory],
    pub(crate) wanted: &'a mut [Intent],
    pub(crate) after: &'a mut [Stood],
    pub(crate) block: &'a mut Block,
}

impl Writable<'_> {
    /// Does `work` for every block with its number: on all threads when `many`, else right here.
    pub(crate) fn for_each(self, many: bool, work: impl Fn(usize, Rows<'_>) + Sync) {
        if !many {
            let rows = self
                .states
                .chunks_mut(BLOCK)
                .zip(self.memories.chunks_mut(BLOCK))
                .zip(self.wanted.chunks_mut(BLOCK))
                .zip(self.after.chunks_mut(BLOCK))
                .zip(self.blocks);
            for (index, parts) in rows.enumerate() {
                work(index, Rows::from_parts(parts));
            }
            return;
        }
        self.states
            .par_chunks_mut(BLOCK)
            .zip(self.memories.par_chunks_mut(BLOCK))
            .zip(self.wanted.par_chunks_mut(BLOCK))
            .zip(self.after.par_chunks_mut(BLOCK))
            .zip(self.blocks)
            .enumerate()
            // A job is one block: a thread that is done early finds work left by one that is not.
            .with_max_len(1)
            .for_each(|(index, parts)| work(index, Rows::from_parts(parts)));
    }
}

/// The columns of one block, zipped.
type Parts<'a> = (
    (
        ((&'a mut [State], &'a mut [Memory]), &'a mut [Intent]),
        &'a mut [Stood],
    ),
    &'a mut Block,
);

impl<'a> Rows<'a> {
    fn from_parts(parts: Parts<'a>) -> Self {
        let ((((states, memories), wanted), after), block) = parts;
        Self {
            states,
            memories,
            wanted,
            after,
            block,
        }
    }
}

/// Number of different settings kept without a search for their users.
const FEW_SETTINGS: usize = 64;

/// The different settings in use, each kept once.
#[derive(Clone, Debug, Default)]
pub(crate) struct SettingsTable {
    rows: Vec<Settings>,
}

impl SettingsTable {
    /// Returns the row of these settings, new or known; `None` when the table is full.
    pub(crate) fn intern(&mut self, settings: &Settings) -> Option<u16> {
        if let Some(row) = self.rows.iter().position(|known| known == settings) {
            return Some(row as u16);
        }
        self.add(settings)
    }

    /// Adds settings known to be new, and returns their row.
    pub(crate) fn add(&mut self, settings: &Settings) -> Option<u16> {
        let row = u16::try_from(self.rows.len()).ok()?;
        self.rows.push(*settings);
        Some(row)
    }

    /// Returns whether these are new, and enough are kept to make a search for unused ones worth
    /// while.
    pub(crate) fn is_worth_thinning(&self, settings: &Settings) -> bool {
        let many = self.rows.len() >= FEW_SETTINGS && self.rows.len().is_power_of_two();
        many && !self.rows.contains(settings)
    }

    /// Drops the settings without users.
    pub(crate) fn thin(&mut self, used: &mut [u16]) {
        let mut places: Vec<Option<u16>> = vec![None; self.rows.len()];
        for row in used.iter() {
            places[usize::from(*row)] = Some(0);
        }
        let mut kept = 0;
        for place in places.iter_mut().flatten() {
            *place = kept;
            kept = kept.saturating_add(1);
        }
        let mut place = places.iter();
        self.rows
            .retain(|_| place.next().is_some_and(Option::is_some));
        for row in used {
            *row = places[usize::from(*row)].unwrap_or_default();
        }
    }

    pub(crate) fn rows(&self) -> &[Settings] {
        &self.rows
    }
}

/// Returns the places of the bits of a word.
pub(crate) fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (word != 0).then(|| {
            let place = word.trailing_zeros() as usize;
            word &= word - 1;
            place
        })
    })
}
