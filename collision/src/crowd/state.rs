//! The state of a crowd, and the upkeep that every change of it needs.

use crate::character::{Build, CharacterError};
use crate::crowd::columns::{BLOCK, Columns, SettingsTable, extent};
use crate::crowd::order::Order;
use crate::crowd::sensor::{Sensed, Sensors};
use crate::crowd::ticking::Ticking;
use crate::crowd::vicinity::{Neighbourhood, grid_cell};
use crate::crowd::watch::Watch;
use crate::crowd::workspace::Workspaces;
use crate::events::Event;
use crate::handles::{CharacterId, Handles};
use crate::paged_grid::PagedGrid;
use nalgebra::Vector3;

/// Characters that move together. See the [module](crate::crowd) for how. A clone goes on with the
/// same bits, handles and sensors included: to go back to it, or to try something.
#[derive(Clone, Default)]
pub struct Crowd {
    pub(crate) columns: Columns,
    pub(crate) handles: Handles,
    pub(crate) settings: SettingsTable,
    pub(crate) grid: PagedGrid,
    pub(crate) workspaces: Workspaces,
    pub(crate) events: Vec<Event>,
    pub(crate) sensors: Sensors,
    pub(crate) order: Order,
    pub(crate) ticking: Ticking,
    pub(crate) watch: Watch,
    pub(crate) largest: Vector3<f32>,
    /// Ticks until the largest character is searched again, since one of the largest left or
    /// changed; 0 while it is known.
    pub(crate) largest_in: u8,
}

impl Crowd {
    /// Returns the row of a character.
    pub(crate) fn row(&self, id: CharacterId) -> Result<usize, CharacterError> {
        self.handles.find(id).ok_or(CharacterError::Gone)
    }

    /// Returns the characters for queries between ticks.
    pub(crate) fn neighbourhood(&self) -> Neighbourhood<'_> {
        Neighbourhood {
            grid: &self.grid,
            stood: &self.columns.stood,
            largest: self.largest,
            plan: None,
        }
    }

    /// Returns the sensors, and all that they look among.
    pub(crate) fn sensing(&mut self) -> (&mut Sensors, Sensed<'_>) {
        let among = Sensed {
            around: Neighbourhood {
                grid: &self.grid,
                stood: &self.columns.stood,
                largest: self.largest,
                plan: None,
            },
            handles: &self.handles,
            slots: &self.columns.slots,
        };
        (&mut self.sensors, among)
    }

    /// Prepares for the next tick after a row was added.
    pub(crate) fn arrived(&mut self, row: usize) {
        self.order.note_change();
        self.refresh(row);
    }

    /// Prepares for the next tick after a row was changed from outside.
    pub(crate) fn refresh(&mut self, row: usize) {
        self.columns.refresh(row);
        self.ticking.settle_all();
        let stood = &self.columns.stood[row];
        self.largest = self.largest.sup(&whole_extent(&self.columns.builds[row]));
        self.grid.place(row as u32, grid_cell(&stood.position));
        self.wake_near(row);
    }

    /// Prepares for a row to leave or to change its size: if it is one of the largest, the largest
    /// size may shrink.
    pub(crate) fn may_shrink(&mut self, row: usize) {
        let whole = whole_extent(&self.columns.builds[row]);
        let is_largest = (0..3).any(|axis| whole[axis] >= self.largest[axis]);
        if is_largest && self.largest_in == 0 {
            self.largest_in = LARGEST_IN;
        }
    }

    /// Searches for the largest size again, some ticks after one of the largest left: grid queries
    /// reach that far.
    pub(crate) fn find_largest(&mut self) {
        if self.largest_in > 0 {
            self.largest_in -= 1;
            if self.largest_in == 0 {
                let wholes = self.columns.builds.iter().map(whole_extent);
                self.largest = wholes.fold(Vector3::zeros(), |most, whole| most.sup(&whole));
            }
        }
    }

    /// Wakes the characters near one that changes.
    pub(crate) fn wake_near(&mut self, row: usize) {
        let mut near = std::mem::take(&mut self.ticking.near);
        let reach = Vector3::repeat(WAKE_REACH);
        self.neighbourhood()
            .visit(row, reach, |other, _, _| near.push(other as u32));
        for other in near.drain(..) {
            let other = other as usize;
            let block = &mut self.columns.blocks[other / BLOCK];
            block.awake |= 1 << (other % BLOCK);
        }
        self.ticking.near = near;
    }
}

/// Ticks between the departure of one of the largest and the search: in a crowd of one size, a
/// search in every tick with a departure would be wasted.
pub(crate) const LARGEST_IN: u8 = 64;

/// Returns the half extents that a character takes up, standing or crouched, in metres.
pub(super) fn whole_extent(build: &Build) -> Vector3<f32> {
    let both = [false, true].map(|crouched| extent(build.radii(crouched), build.up));
    both[0].sup(&both[1])
}

/// Distance of a change that wakes a sleeping character, in metres: farther than any of them looks.
const WAKE_REACH: f32 = 2.0;
