//! Before the moves: what the terrain did to those about whom it moved or changed.

use crate::character::{Happenings, Settings, Stepper};
use crate::crowd::columns::{BLOCK, Rows, Shared, Stood};
use crate::crowd::face::Hooks;
use crate::crowd::meet::grid_cell;
use crate::crowd::workspace::{Workspace, Workspaces};
use crate::events::Event;
use crate::mover::Around;
use crate::recovery::Rescue;
use crate::terrain::Terrain;

/// What settling needs.
pub(crate) struct Settle<'a, T: ?Sized> {
    pub(crate) terrain: &'a T,
    pub(crate) seconds: f32,
    pub(crate) shared: Shared<'a>,
    pub(crate) settings: &'a [Settings],
    pub(crate) generations: &'a [u32],
    pub(crate) hooks: Hooks<'a>,
    pub(crate) workspaces: &'a Workspaces,
}

impl<T: Terrain + ?Sized> Settle<'_, T> {
    /// Settles those of a block whose memory is no longer true.
    pub(crate) fn block(&self, index: usize, mut rows: Rows<'_>) {
        rows.block.crossed = 0;
        let fresh = std::mem::take(&mut rows.block.fresh);
        self.workspaces.with(|workspace| {
            for place in 0..rows.states.len() {
                let bit = 1 << place;
                if fresh & bit != 0 || !self.terrain.unchanged(&rows.memories[place]) {
                    rows.block.awake |= bit;
                    self.row(index * BLOCK + place, place, &mut rows, workspace);
                }
            }
        });
    }

    fn row(&self, row: usize, place: usize, rows: &mut Rows<'_>, workspace: &mut Workspace) {
        let settings = &self.settings[usize::from(self.shared.settings[row])];
        let slot = self.shared.slots[row];
        let name = crate::crowd::CharacterId {
            slot,
            generation: self.generations[slot as usize],
        };
        let build = &self.shared.builds[row];
        let listener = self.hooks.listener(name);
        let state = &mut rows.states[place];
        let before = *state;
        workspace.kinds.clear();
        let mut stepper = Stepper {
            around: Around {
                terrain: self.terrain,
                others: &[],
                config: &settings.mover,
                listener: listener.as_dyn(),
            },
            seconds: self.seconds,
            build,
            settings,
            memory: &mut rows.memories[place],
            scratch: &mut workspace.scratch,
            happenings: Happenings::new(&mut workspace.kinds, self.generations),
        };
        let rescue = stepper.settle(state);
        rows.block.fresh |= u64::from(rescue == Rescue::OnTheWay) << place;
        workspace.counts.settled += 1;
        for kind in workspace.kinds.drain(..) {
            workspace.events.push(Event {
                character: name,
                kind,
            });
        }
        if !state.same_bits(&before) {
            let bit = 1 << place;
            rows.block.shifted |= bit;
            rows.after[place] = Stood::new(build, state);
            if grid_cell(&state.position) != grid_cell(&before.position) {
                rows.block.crossed |= bit;
            }
        }
    }
}
