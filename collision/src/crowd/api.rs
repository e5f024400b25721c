//! The public functions of a crowd.

use crate::around::GatherTrace;
use crate::character::{Build, Character, CharacterError, Medium, Mode, Settings, State};
use crate::character::{carry, validate_gravity, validate_position, validate_up};
use crate::crowd::contact::CharacterContact;
use crate::crowd::predicted::OtherCharacter;
use crate::crowd::sensor::Sensor;
use crate::crowd::state::Crowd;
use crate::crowd::vicinity::grid_cell;
use crate::crowd::watch::of_character;
use crate::events::Event;
use crate::handles::{CharacterId, SensorId};
use crate::mover::{Body, Feature, Ground};
use crate::position::Position;
use crate::terrain::{ObjectId, Terrain};
use crate::tolerance::{LARGEST_SENSOR, MAX_SPEED};
use nalgebra::Vector3;

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
    /// [`Rules`](crate::crowd::Rules) change their answers.
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

    /// Lists the other characters whose boxes come within `metres` of a character's own, at most
    /// [`LARGEST_SENSOR`]: for a client that [predicts](crate::predict) it. Clears the list, which
    /// stays empty for a stale handle. The order is arbitrary.
    ///
    /// ```
    /// use collision::{Character, Crowd, Position};
    /// use nalgebra::Point3;
    ///
    /// let mut crowd = Crowd::new();
    /// let at = |x| Character::at(Position::from_metres(Point3::new(x, 0.0, 0.0)));
    /// let [one, two, _] = [0.0, 2.0, 20.0].map(|x| crowd.add(at(x)));
    /// let mut others = Vec::new();
    /// crowd.others_near(one, 5.0, &mut others);
    /// assert!(others.len() == 1 && others[0].id == two);
    /// ```
    pub fn others_near(&self, id: CharacterId, metres: f32, others: &mut Vec<OtherCharacter>) {
        others.clear();
        let Some(row) = self.handles.find(id) else {
            return;
        };
        let metres = if metres > 0.0 { metres } else { 0.0 };
        let reach = Vector3::repeat(metres.min(LARGEST_SENSOR));
        self.neighbourhood().visit(row, reach, |other, stood, _| {
            others.push(OtherCharacter {
                id: self.handles.name(self.columns.slots[other]),
                body: stood.body(),
                layers: stood.layers,
                meets: stood.meets,
            });
        });
    }

    /// Returns the events of the last tick, by character.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Returns the velocity of a character's ground, in metres a second: of the terrain in the last
    /// tick, at the character's foot. Zero in the air and on ground at rest. On another character's
    /// head it is the velocity of that one's ground, because own steps carry no rider.
    ///
    /// ```
    /// use collision::{Character, Crowd, ObjectId, Position, Shapes};
    /// use nalgebra::{Point3, Vector3};
    ///
    /// let plate = [[Point3::new(0.0, -1.0, 0.0), Point3::new(9.0, 0.0, 9.0)]];
    /// let mut raft = Shapes::from_boxes(ObjectId(1), Position::default(), &plate);
    /// let mut crowd = Crowd::new();
    /// let id = crowd.add(Character::at(Position::from_metres(Point3::new(4.0, 0.91, 4.0))));
    /// for _ in 0..30 {
    ///     raft.advance(Vector3::new(0.05, 0.0, 0.0));
    ///     crowd.tick(&raft, &[], 1.0 / 60.0);
    /// }
    /// let velocity = crowd.ground_velocity(&raft, id).unwrap_or_default();
    /// assert!((velocity - Vector3::new(3.0, 0.0, 0.0)).norm() < 1e-3);
    /// ```
    #[must_use]
    pub fn ground_velocity<T: Terrain + ?Sized>(
        &self,
        terrain: &T,
        id: CharacterId,
    ) -> Option<Vector3<f32>> {
        self.of_ground(id, |build, state, _, seconds| {
            carry(terrain, build, state, seconds).unwrap_or_default() / seconds
        })
    }

    /// Returns the angular velocity of the ground of a character, as an axis whose length is in
    /// radians a second: to turn a view with it, or the character's up axis. Zero as
    /// [`Self::ground_velocity`] is.
    #[must_use]
    pub fn ground_turn<T: Terrain + ?Sized>(
        &self,
        terrain: &T,
        id: CharacterId,
    ) -> Option<Vector3<f32>> {
        self.of_ground(id, |build, state, object, seconds| {
            let along = build.radii(state.crouched).along;
            terrain.turn(object, &state.position.moved(-build.up * along)) / seconds
        })
    }

    /// Watches a character from the next tick on: [`Self::contacts`] then returns its contacts, and
    /// [`Self::lift_of`] the height of its steps. Watching does not affect the character, is not
    /// saved, and lasts until [`Self::unwatch`] or until the character is removed.
    pub fn watch(&mut self, id: CharacterId) -> Result<(), CharacterError> {
        self.row(id)?;
        if let Err(place) = self.watch.ids.binary_search(&id) {
            self.watch.ids.insert(place, id);
        }
        Ok(())
    }

    /// Ends the watch of a character. Returns whether it was watched.
    pub fn unwatch(&mut self, id: CharacterId) -> bool {
        let place = self.watch.ids.binary_search(&id);
        place.map(|place| self.watch.ids.remove(place)).is_ok()
    }

    /// Returns the contacts of the [watched](Self::watch) characters in the last tick, by
    /// character. After [`Self::restore`] all contacts count as new.
    #[must_use]
    pub fn contacts(&self) -> &[CharacterContact] {
        &self.watch.contacts
    }

    /// Returns the contacts of one of them.
    #[must_use]
    pub fn contacts_of(&self, id: CharacterId) -> &[CharacterContact] {
        of_character(&self.watch.contacts, id)
    }

    /// Returns the height of a step or a snap of a [watched](Self::watch) character in the last
    /// tick: metres along its up axis, negative downwards, beyond the slope under its feet. A
    /// camera that follows the character can compensate for it and fade that out. Rides, falls,
    /// jumps and pushes do not count; 0 for characters that are not watched.
    #[must_use]
    pub fn lift_of(&self, id: CharacterId) -> f32 {
        let lifts = &self.watch.lifts;
        let found = lifts.binary_search_by_key(&id, |lift| lift.0);
        found.map_or(0.0, |place| lifts[place].1)
    }

    /// Traces the gathers of one character from the next tick on, or of none: [`Self::last_gather`]
    /// then returns the last. A trace costs memory and time, affects no character and is not saved.
    pub fn trace_gathers(&mut self, id: Option<CharacterId>) {
        if self.watch.traced != id {
            self.watch.traced = id;
            self.watch.gather = None;
        }
    }

    /// Returns the features that the [traced](Self::trace_gathers) character gathered last, as its
    /// tick used them. Ticks on known level ground gather nothing.
    #[must_use]
    pub fn last_gather(&self) -> Option<&GatherTrace> {
        self.watch.gather.as_deref()
    }

    /// Adds a sensor. Characters inside enter it in the next tick.
    pub fn add_sensor(&mut self, sensor: Sensor) -> Result<SensorId, CharacterError> {
        sensor.validate()?;
        Ok(self.sensors.add(sensor))
    }

    /// Removes a sensor, without events of its members. Returns whether it existed.
    pub fn remove_sensor(&mut self, id: SensorId) -> bool {
        self.sensors.remove(id)
    }

    /// Returns the members of a sensor, ordered by handle.
    #[must_use]
    pub fn in_sensor(&self, id: SensorId) -> &[CharacterId] {
        self.sensors.members(id)
    }

    /// Returns a rate of the terrain below a character, or below the characters on whose heads it
    /// stands. Zero in the air and before the first tick.
    fn of_ground(
        &self,
        id: CharacterId,
        ask: impl FnOnce(&Build, &State, ObjectId, f32) -> Vector3<f32>,
    ) -> Option<Vector3<f32>> {
        let row = self.lowest_of_tower(self.handles.find(id)?);
        let (build, state) = (&self.columns.builds[row], &self.columns.states[row]);
        let seconds = self.ticking.seconds;
        let ground = state.ground.filter(|_| seconds > 0.0);
        let rate = ground.map(|ground| ask(build, state, ground.object, seconds));
        Some(rate.unwrap_or_default())
    }

    /// Returns the lowest character of a tower in which each stands on the next one's head.
    fn lowest_of_tower(&self, mut row: usize) -> usize {
        // A tower is no higher than there are characters.
        for _ in 0..self.len() {
            let ground = self.columns.states[row].ground;
            let bearer = ground.filter(|ground| ground.feature == Feature::Body);
            match bearer.and_then(|ground| self.handles.at(ground.object.0)) {
                Some(bearer) => row = bearer,
                None => break,
            }
        }
        row
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
}
