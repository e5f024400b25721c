//! The public functions of a crowd.

use crate::character::{Build, Character, CharacterError, Medium, Mode, Settings, State};
use crate::character::{validate_gravity, validate_position, validate_up};
use crate::crowd::CharacterId;
use crate::crowd::columns::{Columns, SettingsTable, extent};
use crate::crowd::handles::Handles;
use crate::crowd::order::Order;
use crate::crowd::sensor::Sensors;
use crate::crowd::tick::Ticking;
use crate::crowd::vicinity::{Neighbourhood, grid_cell};
use crate::crowd::watch::Watch;
use crate::crowd::workspace::Workspaces;
use crate::events::Event;
use crate::mover::{Body, Contact, ContactListener, ContactResponse, Ground};
use crate::paged_grid::PagedGrid;
use crate::position::Position;
use crate::tolerance::MAX_SPEED;
use nalgebra::Vector3;

/// Decides which characters collide and what a contact does. Called from many threads; must give
/// the same answer to the same question, or results become random. Wake the crowd with
/// [`Crowd::wake_all`] when the answers change.
pub trait Rules: Sync {
    /// Returns whether two characters collide whose layers let them. Must be symmetric.
    fn meets(&self, a: CharacterId, b: CharacterId) -> bool {
        let _ = (a, b);
        true
    }

    /// Decides about one contact of a character before it counts. For a contact with another
    /// character `contact.object` holds the low half of [`CharacterId::to_bits`].
    fn contact(&self, character: CharacterId, contact: &Contact) -> ContactResponse {
        let _ = (character, contact);
        ContactResponse::Keep
    }
}

/// The rules of a tick, if there are any.
#[derive(Clone, Copy)]
pub(crate) struct Hooks<'a> {
    pub(crate) rules: Option<&'a dyn Rules>,
}

/// The rules as one character's mover sees them.
pub(crate) struct Listening<'a> {
    rules: Option<&'a dyn Rules>,
    name: CharacterId,
}

impl<'a> Hooks<'a> {
    #[inline]
    pub(crate) fn meets(
        &self,
        a: impl FnOnce() -> CharacterId,
        b: impl FnOnce() -> CharacterId,
    ) -> bool {
        self.rules.is_none_or(|rules| rules.meets(a(), b()))
    }

    #[inline]
    pub(crate) fn listener(&self, name: impl FnOnce() -> CharacterId) -> Listening<'a> {
        let rules = self.rules;
        let name = rules.map_or(CharacterId::NONE, |_| name());
        Listening { rules, name }
    }
}

impl Listening<'_> {
    pub(crate) fn as_dyn(&self) -> Option<&dyn ContactListener> {
        self.rules.is_some().then_some(self as &dyn ContactListener)
    }
}

impl ContactListener for Listening<'_> {
    fn contact(&self, contact: &Contact) -> ContactResponse {
        self.rules.map_or(ContactResponse::Keep, |rules| {
            rules.contact(self.name, contact)
        })
    }
}

/// Characters that move together. See the [module](crate::crowd) for how.
#[derive(Default)]
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
    /// Makes an empty crowd.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of characters.
    #[must_use]
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Returns whether the crowd is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.columns.len() == 0
    }

    /// Adds a character. For an invalid description it adds none and returns [`CharacterId::NONE`];
    /// [`Self::try_add`] returns the reason.
    pub fn add(&mut self, character: Character) -> CharacterId {
        self.try_add(character).unwrap_or(CharacterId::NONE)
    }

    /// Adds a character, or returns the fault of its description.
    pub fn try_add(&mut self, character: Character) -> Result<CharacterId, CharacterError> {
        character.validate()?;
        let row = self.columns.len() as u32;
        if row >= i32::MAX as u32 {
            return Err(CharacterError::Full);
        }
        let settings = self.intern(&character.settings)?;
        let id = self.handles.claim(row);
        self.columns.push(id.slot, &character, settings);
        self.arrived(row as usize);
        Ok(id)
    }

    /// Removes a character. Returns whether it was there.
    pub fn remove(&mut self, id: CharacterId) -> bool {
        let Some(row) = self.handles.find(id) else {
            return false;
        };
        self.wake_near(row);
        self.may_shrink(row);
        let last = self.columns.len() - 1;
        self.columns.swap_remove(row);
        self.handles.release(id.slot);
        self.sensors.forget(id);
        self.grid.remove(last as u32);
        if row < last {
            self.handles.moved(self.columns.slots[row], row as u32);
            self.grid
                .place(row as u32, grid_cell(&self.columns.stood[row].position));
        }
        true
    }

    /// Moves a character to another place, at rest. If it overlaps terrain there, the next ticks
    /// push it out.
    pub fn teleport(&mut self, id: CharacterId, to: Position) -> Result<(), CharacterError> {
        validate_position(&to)?;
        let row = self.row(id)?;
        self.wake_near(row);
        self.take_off(row);
        let state = &mut self.columns.states[row];
        state.position = to;
        state.velocity = Vector3::zeros();
        (state.drift, state.ahead) = (Vector3::zeros(), 0.0);
        // The next tick finds and reports whether it is free now.
        state.leaving = false;
        state.touching = false;
        self.refresh(row);
        Ok(())
    }

    /// Gives a character a velocity in metres a second: a jump pad, a blow. A walker takes off when
    /// it leads along the up axis; on the ground and in flight the wish is the velocity.
    ///
    /// In the air, after `t` seconds without contact, with a launch of `u` along the up axis and
    /// `d` metres a second across it in the direction `e`, gravity `g`, and the loss `a` that is
    /// [`Settings::drift_loss`], the velocity is
    ///
    /// ```text
    /// along up:  u - g t                      down to -fall_limit
    /// across:    wish + e max(d - a t, 0)     the second part is State::drift; it ends on landing
    /// ```
    ///
    /// and the way its exact integral, at any length of the ticks: along up `u t - g t^2 / 2`,
    /// across `wish t + e (d s - a s^2 / 2)` with `s = min(t, d / a)`. With
    /// [`Settings::air_control`] below its default the wish is approached at that rate instead of
    /// at once.
    pub fn launch(
        &mut self,
        id: CharacterId,
        velocity: Vector3<f32>,
    ) -> Result<(), CharacterError> {
        if !velocity.iter().all(|part| part.abs() <= MAX_SPEED) {
            return Err(CharacterError::Velocity);
        }
        let row = self.row(id)?;
        if velocity.dot(&self.columns.builds[row].up) > 0.0 {
            self.take_off(row);
        }
        let up = self.columns.builds[row].up;
        let state = &mut self.columns.states[row];
        state.velocity = velocity;
        if state.ground.is_none() {
            state.drift = velocity - up * velocity.dot(&up);
        }
        self.refresh(row);
        Ok(())
    }

    /// Turns a character's unit up axis about its centre, for planets and walls that are floors.
    pub fn set_up(&mut self, id: CharacterId, up: Vector3<f32>) -> Result<(), CharacterError> {
        validate_up(up)?;
        let row = self.row(id)?;
        if self.columns.builds[row].up != up {
            self.wake_near(row);
            self.may_shrink(row);
            self.columns.builds[row].up = up;
            self.refresh(row);
        }
        Ok(())
    }

    /// Gives a character a gravity of its own, or the usual one: for zones, wind tunnels, planets.
    /// See [`Build::gravity`]. Its up axis stays as it is.
    pub fn set_gravity(
        &mut self,
        id: CharacterId,
        gravity: Option<Vector3<f32>>,
    ) -> Result<(), CharacterError> {
        validate_gravity(gravity)?;
        let row = self.row(id)?;
        if self.columns.builds[row].gravity != gravity {
            self.columns.builds[row].gravity = gravity;
            self.refresh(row);
        }
        Ok(())
    }

    /// Gives a character another mass in kilograms, infinite for one that nothing moves.
    pub fn set_mass(&mut self, id: CharacterId, mass: f32) -> Result<(), CharacterError> {
        let row = self.row(id)?;
        let build = Build {
            mass,
            ..self.columns.builds[row]
        };
        build.validate()?;
        self.columns.builds[row] = build;
        self.refresh(row);
        Ok(())
    }

    /// Turns the up axis about the foot, so that a character keeps its place on ground that tilts.
    /// See [`Self::ground_turn`].
    pub fn tilt(&mut self, id: CharacterId, up: Vector3<f32>) -> Result<(), CharacterError> {
        let row = self.row(id)?;
        let before = self.columns.builds[row].up;
        self.set_up(id, up)?;
        let state = &mut self.columns.states[row];
        let along = self.columns.builds[row].radii(state.crouched).along;
        state.position = state.position.moved((up - before) * along);
        self.refresh(row);
        Ok(())
    }

    /// Puts a character in other layers. Two characters meet when each meets a layer of the other.
    pub fn set_layers(
        &mut self,
        id: CharacterId,
        layers: u16,
        meets: u16,
    ) -> Result<(), CharacterError> {
        let row = self.row(id)?;
        self.columns.builds[row].layers = layers;
        self.columns.builds[row].meets = meets;
        self.refresh(row);
        Ok(())
    }

    /// Gives a character the settings of another kind.
    pub fn set_settings(
        &mut self,
        id: CharacterId,
        settings: &Settings,
    ) -> Result<(), CharacterError> {
        if !settings.is_valid() {
            return Err(CharacterError::Settings);
        }
        let row = self.row(id)?;
        self.columns.settings[row] = self.intern(settings)?;
        self.refresh(row);
        Ok(())
    }

    /// Computes every character in the next tick, even if asleep or embedded. Needed only after
    /// [`Rules`] change their answers.
    pub fn wake_all(&mut self) {
        self.columns.settle_all();
        self.ticking.settle_all();
    }

    /// Returns the centre of a character.
    #[must_use]
    pub fn position(&self, id: CharacterId) -> Option<Position> {
        self.state(id).map(|state| state.position)
    }

    /// Returns the velocity of a character, in metres a second.
    #[must_use]
    pub fn velocity(&self, id: CharacterId) -> Option<Vector3<f32>> {
        self.state(id).map(|state| state.velocity)
    }

    /// Returns whether a character stands on ground; `false` for a stale handle.
    #[must_use]
    pub fn is_grounded(&self, id: CharacterId) -> bool {
        self.state(id).is_some_and(State::is_grounded)
    }

    /// Returns the ground of a character.
    #[must_use]
    pub fn ground(&self, id: CharacterId) -> Option<Ground> {
        self.state(id).and_then(|state| state.ground)
    }

    /// Returns whether a character has its crouched shape, by its wish or for lack of room.
    #[must_use]
    pub fn is_crouched(&self, id: CharacterId) -> bool {
        self.state(id).is_some_and(|state| state.crouched)
    }

    /// Returns the medium at a character's centre.
    #[must_use]
    pub fn medium(&self, id: CharacterId) -> Option<Medium> {
        self.state(id).map(|state| state.medium)
    }

    /// Returns the mode of a character.
    #[must_use]
    pub fn mode(&self, id: CharacterId) -> Option<Mode> {
        self.state(id).map(|state| state.mode)
    }

    /// Returns a character's ellipsoid at its present place.
    #[must_use]
    pub fn body(&self, id: CharacterId) -> Option<Body> {
        let row = self.handles.find(id)?;
        Some(self.columns.stood[row].body())
    }

    /// Returns the state of a character.
    #[must_use]
    pub fn state(&self, id: CharacterId) -> Option<&State> {
        let row = self.handles.find(id)?;
        Some(&self.columns.states[row])
    }

    /// Returns the properties of a character that a tick does not change: shape, axis, layers.
    #[must_use]
    pub fn build(&self, id: CharacterId) -> Option<&Build> {
        let row = self.handles.find(id)?;
        Some(&self.columns.builds[row])
    }

    /// Returns the handles of all characters, in the order of their slots.
    pub fn ids(&self) -> impl Iterator<Item = CharacterId> + '_ {
        let rows = self.handles.in_order();
        rows.map(|row| self.handles.name(self.columns.slots[row]))
    }

    /// Returns the handles and ellipsoids of all characters, in the order of memory, which is
    /// arbitrary.
    pub fn bodies(&self) -> impl Iterator<Item = (CharacterId, Body)> + '_ {
        let rows = self.columns.slots.iter().zip(&self.columns.stood);
        rows.map(|(&slot, stood)| (self.handles.name(slot), stood.body()))
    }

    /// Returns the events of the last tick, by character.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    fn take_off(&mut self, row: usize) {
        let state = &mut self.columns.states[row];
        state.ahead = 0.0;
        if state.ground.take().is_some() {
            self.columns.note_left_ground(row, true);
        }
    }

    /// Returns the row of some settings, which is kept as long as a character uses it.
    fn intern(&mut self, settings: &Settings) -> Result<u16, CharacterError> {
        if self.settings.is_worth_thinning(settings) {
            self.settings.thin(&mut self.columns.settings);
        }
        self.settings.intern(settings).ok_or(CharacterError::Full)
    }

    pub(crate) fn row(&self, id: CharacterId) -> Result<usize, CharacterError> {
        self.handles.find(id).ok_or(CharacterError::Gone)
    }

    pub(crate) fn neighbourhood(&self) -> Neighbourhood<'_> {
        Neighbourhood {
            grid: &self.grid,
            stood: &self.columns.stood,
            largest: self.largest,
            plan: None,
        }
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

    pub(crate) fn wake_near(&mut self, row: usize) {
        let mut near = std::mem::take(&mut self.ticking.near);
        let reach = Vector3::repeat(WAKE_REACH);
        self.neighbourhood()
            .visit(row, reach, |other, _, _| near.push(other as u32));
        for other in near.drain(..) {
            let other = other as usize;
            let block = &mut self.columns.blocks[other / crate::crowd::columns::BLOCK];
            block.awake |= 1 << (other % crate::crowd::columns::BLOCK);
        }
        self.ticking.near = near;
    }
}

/// Ticks between the departure of one of the largest and the search: in a crowd of one size, a
/// search in every tick with a departure would be wasted.
pub(crate) const LARGEST_IN: u8 = 64;

/// Returns the half extents that a character takes up, standing or crouched, in metres.
fn whole_extent(build: &Build) -> Vector3<f32> {
    let both = [false, true].map(|crouched| extent(build.radii(crouched), build.up));
    both[0].sup(&both[1])
}

/// Distance of a change that wakes a sleeping character, in metres: farther than any of them looks.
const WAKE_REACH: f32 = 2.0;
