//! Other radii for a character that is there: mounts, potions, armour.

use crate::character::{Build, CharacterError, State};
use crate::crowd::CharacterId;
use crate::crowd::columns::extent;
use crate::crowd::context::{Call, Tick};
use crate::crowd::rules::{Hooks, Rules};
use crate::crowd::state::Crowd;
use crate::mover::Radii;
use crate::terrain::{Memory, Terrain};

impl Crowd {
    /// Gives a character other radii, at once: half extents standing, and half extent along the up
    /// axis crouched, in metres. The foot stays in place. Smaller ones always fit; where terrain or
    /// another character is in the way of larger ones the result is [`CharacterError::NoRoom`] and
    /// nothing changes. The shape that it does not have now, standing or crouched, needs no room
    /// yet.
    ///
    /// ```
    /// use collision::{Character, CharacterError, Crowd, ObjectId, Position, Radii, Shapes};
    /// use nalgebra::Point3;
    ///
    /// let point = Point3::new;
    /// let boxes = [
    ///     [point(0.0, -1.0, 0.0), point(20.0, 0.0, 20.0)], // floor
    ///     [point(0.0, 2.0, 0.0), point(10.0, 3.0, 20.0)],
    /// ];
    /// let terrain = Shapes::from_boxes(ObjectId(1), Position::default(), &boxes);
    /// let at = |x, y| Position::from_metres(point(x, y, 10.0));
    /// let mut crowd = Crowd::new();
    /// let rider = crowd.add(Character::at(at(5.0, 0.91)));
    /// let mounted = Radii::new(0.8, 1.3);
    /// let refused = crowd.set_radii(&terrain, rider, mounted, 1.0);
    /// assert_eq!(refused, Err(CharacterError::NoRoom));
    /// crowd.teleport(rider, at(15.0, 0.91))?;
    /// crowd.set_radii(&terrain, rider, mounted, 1.0)?;
    /// assert_eq!(crowd.body(rider).map(|body| body.radii), Some(mounted));
    /// # Ok::<(), CharacterError>(())
    /// ```
    pub fn set_radii<T: Terrain + ?Sized>(
        &mut self,
        terrain: &T,
        id: CharacterId,
        standing: Radii,
        crouched: f32,
    ) -> Result<(), CharacterError> {
        let radii = (standing, crouched);
        self.set_radii_by(terrain, id, radii, Hooks { rules: None })
    }

    /// Applies [`Self::set_radii`] with rules: characters and terrain that they let it pass are not
    /// in the way.
    pub fn set_radii_with<T: Terrain + ?Sized>(
        &mut self,
        terrain: &T,
        id: CharacterId,
        standing: Radii,
        crouched: f32,
        rules: &dyn Rules,
    ) -> Result<(), CharacterError> {
        let radii = (standing, crouched);
        self.set_radii_by(terrain, id, radii, Hooks { rules: Some(rules) })
    }

    fn set_radii_by<T: Terrain + ?Sized>(
        &mut self,
        terrain: &T,
        id: CharacterId,
        (standing, crouched): (Radii, f32),
        hooks: Hooks<'_>,
    ) -> Result<(), CharacterError> {
        let row = self.row(id)?;
        let build = Build {
            across: standing.across,
            standing: standing.along,
            crouched,
            ..self.columns.builds[row]
        };
        build.validate()?;
        if build == self.columns.builds[row] {
            return Ok(());
        }
        self.workspaces.prepare(self.len());
        let state = self.reshaped(terrain, row, &build, hooks);
        let state = state.ok_or(CharacterError::NoRoom)?;
        self.wake_near(row);
        self.may_shrink(row);
        self.columns.builds[row] = build;
        self.columns.states[row] = state;
        self.refresh(row);
        Ok(())
    }

    /// Returns the state of a row with another build, if there is room for that.
    fn reshaped<T: Terrain + ?Sized>(
        &self,
        terrain: &T,
        row: usize,
        build: &Build,
        hooks: Hooks<'_>,
    ) -> Option<State> {
        let call = Call {
            terrain,
            seconds: 0.0,
            hooks,
        };
        // Any plan is of a tick that is over.
        let tick = Tick {
            around: self.neighbourhood(),
            ..self.context(&call)
        };
        let mut state = self.columns.states[row];
        let mut memory = Memory::default();
        let (old, new) = (self.columns.stood[row].radii, build.radii(state.crouched));
        // It goes up or down by no more than it grows or shrinks.
        let way = (new.across - old.across).abs() + (new.along - old.along).abs();
        let reach = extent(old, build.up).sup(&extent(new, build.up));
        self.workspaces.with(|workspace| {
            tick.gather_within(row, &state, reach.add_scalar(way), workspace);
            let taken = tick.as_stepper(row, &mut memory, workspace, |stepper| {
                stepper.take_radii(&mut state, build)
            });
            taken.then_some(state)
        })
    }
}
