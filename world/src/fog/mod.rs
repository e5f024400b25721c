//! Fog of war on the height field of the voxels: the tiles that each team sees now, has seen, or
//! never saw.
//!
//! Every unit sees the tiles within its radius that are not higher than its eyes and not behind one
//! that is. In a world, the obstacles are the solid voxels at the height of its eyes: a roof above
//! them is not in the way. The tiles hidden behind another follow from their places alone, so this
//! is computed once for each radius: a *shadow* of tiles for every obstacle tile. Looking is then a
//! few words of bit operations: cut the obstacles out of a bitmap of all tiles above the eyes, and
//! join the shadows of those that no nearer ones cover.
//!
//! The fog keeps each unit's picture, and counts for each team the units that see a tile. A unit
//! that moves, or has terrain changed within its circle, subtracts its old picture and adds the new
//! one; other units cost nothing. An update does not allocate.
//!
//! Out of scope: drawing (the engine blurs and blends the alpha array), and the meaning of a unit.
//!
//! Reading order: [`HeightField`], [`LineTest`] in `sight`, `planes` (tiles above a level), `team`
//! (counts and alpha), [`Fog`].

mod heights;
mod planes;
mod rows;
mod sight;
mod team;
mod units;

#[cfg(test)]
mod tests;

pub use heights::{HeightField, TileSide};
use planes::Planes;
use rows::Rows;
pub use sight::LineTest;
use sight::SightTable;
use team::Team;
use units::Units;
pub use units::{Unit, UnitId};

use crate::world::World;

/// Largest sight radius, in tiles. A row of the circle, shifted to a whole count word, must fit 64
/// bits.
pub const MOST_RADIUS: u32 = 30;

/// Settings of a fog.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FogSettings {
    /// The test for obstacles between a unit and a tile.
    pub line_test: LineTest,
    /// Alpha of tiles seen before, held within `0.5..=0.8`.
    pub remembered: f32,
}

impl Default for FogSettings {
    fn default() -> Self {
        Self {
            line_test: LineTest::Stepping,
            remembered: 0.65,
        }
    }
}

/// A team's knowledge of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sight {
    /// A unit sees it.
    Now,
    /// A unit has seen it.
    Before,
    /// No unit ever saw it, or it is off the map.
    Never,
}

/// A part of an update, for profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FogStage {
    /// Reading the edits of the terrain into the heights and the obstacles of each level.
    Obstacles,
    /// Finding the tiles that each unit sees, and counting them for its team.
    Tiles,
    /// Setting the alpha of the tiles whose counts changed.
    Colours,
}

/// The work of an update.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FogReport {
    /// Number of units that looked again.
    pub looked: usize,
    /// Number of tiles, of all teams, with changed alpha.
    pub changed: usize,
}

/// Fog over one map, for any number of teams.
///
/// ```
/// use world::fog::{Fog, FogSettings, HeightField, Sight, Unit};
///
/// let mut heights = HeightField::flat([40, 40], 0);
/// heights.set([22, 20], 9); // a tower
/// let mut fog = Fog::new(heights, 1, FogSettings::default());
/// let scout = Unit { team: 0, tile: [20, 20], radius: 8, eye: 2 };
/// let scout = fog.add_unit(scout).expect("there is a team 0");
/// fog.update();
/// assert_eq!(fog.sight(0, [18, 20]), Sight::Now);
/// assert_eq!(fog.sight(0, [25, 20]), Sight::Never); // behind the tower
/// fog.move_unit(scout, [30, 20], 2);
/// fog.update();
/// assert_eq!(fog.sight(0, [18, 20]), Sight::Before);
/// assert_eq!(fog.alpha(0)[20 * 40 + 25], 0.0);
/// ```
pub struct Fog {
    settings: FogSettings,
    heights: HeightField,
    planes: Planes,
    /// By radius; made when the first unit of a radius is added.
    tables: Vec<Option<SightTable>>,
    teams: Vec<Team>,
    /// The number of units of each team.
    strengths: Vec<u32>,
    /// One for each team.
    revisions: Vec<u64>,
    units: Units,
}

/// Clamps an alpha to a range apart from seen and never seen; NaN gives the least of it.
fn remembered_within(alpha: f32) -> f32 {
    if alpha.is_nan() {
        0.5
    } else {
        alpha.clamp(0.5, 0.8)
    }
}

/// Most units of a team: the count of a tile has sixteen bits.
pub const MOST_UNITS: u32 = u16::MAX as u32;

impl Fog {
    /// Makes a fog without units; every tile is unseen.
    pub fn new(heights: HeightField, teams: usize, settings: FogSettings) -> Self {
        let settings = FogSettings {
            remembered: remembered_within(settings.remembered),
            ..settings
        };
        let rows = Rows::over(heights.size());
        Self {
            settings,
            planes: Planes::new(rows),
            tables: (0..=MOST_RADIUS).map(|_| None).collect(),
            teams: (0..teams)
                .map(|_| Team::new(rows, settings.remembered))
                .collect(),
            strengths: vec![0; teams],
            revisions: vec![0; teams],
            units: Units::default(),
            heights,
        }
    }

    /// Returns the number of tiles along x and z.
    pub fn size(&self) -> [usize; 2] {
        self.heights.size()
    }

    /// Returns the height field.
    pub fn heights(&self) -> &HeightField {
        &self.heights
    }

    /// Returns the height field for edits; the next update looks again at all changes.
    pub fn heights_mut(&mut self) -> &mut HeightField {
        &mut self.heights
    }

    /// Adds a unit; it looks with the next update. Its radius is cut to [`MOST_RADIUS`]. `None` for
    /// a team that does not exist or has [`MOST_UNITS`] already.
    pub fn add_unit(&mut self, unit: Unit) -> Option<UnitId> {
        let strength = self.strengths.get_mut(unit.team)?;
        if *strength == MOST_UNITS {
            return None;
        }
        *strength += 1;
        let unit = Unit {
            radius: unit.radius.min(MOST_RADIUS),
            ..unit
        };
        let line_test = self.settings.line_test;
        self.tables[unit.radius as usize]
            .get_or_insert_with(|| SightTable::new(unit.radius as i32, line_test));
        Some(self.units.add(unit))
    }

    /// Moves a unit to another tile, and its eyes to another height; off the map it sees nothing.
    /// `false` if it was removed before.
    pub fn move_unit(&mut self, id: UnitId, tile: [i32; 2], eye: i32) -> bool {
        self.units.move_to(id, tile, eye)
    }

    /// Removes a unit; its team remembers what it saw. `false` if it was removed before.
    pub fn remove_unit(&mut self, id: UnitId) -> bool {
        let Some(entry) = self.units.remove(id) else {
            return false;
        };
        self.strengths[entry.unit.team] -= 1;
        if let Some(seen) = entry.seen {
            self.teams[entry.unit.team].forget(&seen, &entry.picture);
        }
        true
    }

    /// Returns the unit as last placed.
    pub fn unit(&self, id: UnitId) -> Option<Unit> {
        self.units.get(id)
    }

    /// Lets every unit look that must, over the height field alone, and updates the alpha arrays.
    pub fn update(&mut self) -> FogReport {
        self.begin(None);
        if self.heights.has_edits() {
            self.planes.follow(&self.heights);
            let (rows, edited) = (self.rows(), self.heights.edited());
            self.units.mark_edited(rows, edited, |_| false);
        }
        self.look_around(None, &mut |_| ())
    }

    /// Updates like [`Fog::update`], but follows the edits of a world: the voxels at the height of
    /// a unit's eyes limit its sight. Under a roof a unit sees the room, and through a door the
    /// tiles beyond.
    pub fn update_in(&mut self, world: &World) -> FogReport {
        self.update_in_stages(world, |_| ())
    }

    /// Updates like [`Fog::update_in`], and calls `ended` at the end of each stage, in the order of
    /// [`FogStage`].
    pub fn update_in_stages(
        &mut self,
        world: &World,
        mut ended: impl FnMut(FogStage),
    ) -> FogReport {
        self.begin(Some(world));
        self.heights.follow(world);
        if !self.heights.stale().is_empty() {
            let (rows, planes) = (self.rows(), &mut self.planes);
            planes.follow_world(&self.heights, world);
            let is_blind = |unit: &Unit| !planes.holds(unit.eye);
            self.units.mark_edited(rows, planes.edited(), is_blind);
        }
        self.look_around(Some(world), &mut ended)
    }

    fn rows(&self) -> Rows {
        Rows::over(self.heights.size())
    }

    /// Makes all units look again if the obstacles came from another source before.
    fn begin(&mut self, world: Option<&World>) {
        if self.planes.begin(world) {
            self.units.mark_all();
        }
    }

    fn look_around(
        &mut self,
        world: Option<&World>,
        ended: &mut impl FnMut(FogStage),
    ) -> FogReport {
        let mut report = FogReport::default();
        self.heights.clear_edits();
        ended(FogStage::Obstacles);
        for entry in self.units.waiting() {
            let team = &mut self.teams[entry.unit.team];
            if let Some(table) = &self.tables[entry.unit.radius as usize] {
                look(entry, table, &self.heights, world, &mut self.planes, team);
                report.looked += 1;
            }
        }
        ended(FogStage::Tiles);
        for (team, revision) in self.teams.iter_mut().zip(&mut self.revisions) {
            let changed = team.settle();
            *revision += u64::from(changed > 0);
            report.changed += changed;
        }
        ended(FogStage::Colours);
        report
    }

    /// Returns a number that changes exactly when the alpha of a team does.
    ///
    /// # Panics
    /// When there is no such team.
    pub fn revision(&self, team: usize) -> u64 {
        self.revisions[team]
    }

    /// Returns the alpha of the fog for a team, row by row: 0 for tiles seen now,
    /// [`FogSettings::remembered`] for tiles seen before, 1 elsewhere.
    ///
    /// # Panics
    /// When there is no such team.
    pub fn alpha(&self, team: usize) -> &[f32] {
        self.teams[team].alpha()
    }

    /// Marks tiles as seen by a team before. Tiles that are seen now stay so; tiles off the map are
    /// ignored.
    ///
    /// # Panics
    /// When there is no such team.
    pub fn recall(&mut self, team: usize, seen: impl IntoIterator<Item = [i32; 2]>) {
        let team_map = &mut self.teams[team];
        let mut changed = false;
        for tile in seen {
            changed |= team_map.recall(tile);
        }
        self.revisions[team] += u64::from(changed);
    }

    /// Returns a team's knowledge of a tile.
    pub fn sight(&self, team: usize, tile: [i32; 2]) -> Sight {
        self.teams
            .get(team)
            .map_or(Sight::Never, |team| team.sight(tile))
    }
}

/// Subtracts a unit's old picture and adds the new one.
fn look(
    entry: &mut units::Entry,
    table: &SightTable,
    heights: &HeightField,
    world: Option<&World>,
    planes: &mut Planes,
    team: &mut Team,
) {
    if let Some(seen) = entry.seen.take() {
        team.forget(&seen, &entry.picture);
    }
    if heights.get(entry.unit.tile).is_none() {
        return;
    }
    let above = planes.above(entry.unit.eye, heights, world);
    table.look(entry.unit.tile, &above, &mut entry.picture);
    let seen = units::Seen {
        tile: entry.unit.tile,
        radius: entry.unit.radius as i32,
    };
    team.learn(&seen, &entry.picture);
    entry.seen = Some(seen);
}
