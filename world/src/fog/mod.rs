//! Fog of war on the height field of the voxels: what each team sees now, has seen, and never saw.
//!
//! Every unit sees the tiles within its radius that are not higher than its eyes and not behind one
//! that is. In a world the voxels at the height of its eyes say which those are: a roof above them
//! is not in the way. Whether a tile stands behind another follows from their places alone, so it
//! is worked out once for each radius: a *shadow* of tiles for every obstacle tile. Looking is then
//! a few words of bit operations: cut the obstacles out of a bitmap of all tiles above the eyes,
//! and join the shadows of those that no nearer ones cover.
//!
//! A unit's picture is kept, and each team counts by how many units a tile is seen. A unit that moves, or
//! under whose circle the terrain changes, takes its old picture back and adds the new one; the others cost
//! nothing. An update allocates nothing.
//!
//! Left out: drawing (the engine blurs and blends the alpha array), and what a unit is.
//!
//! Reading order: [`HeightField`], [`LineTest`] in `sight`, `planes` (tiles above a level), `team` (counts and
//! alpha), [`Fog`].

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

/// Largest sight radius, in tiles. A row of the circle, shifted to a whole count word, must fit 64 bits.
pub const MOST_RADIUS: u32 = 30;

/// How a fog behaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FogSettings {
    /// How an obstacle on the way is found.
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

/// What a team knows of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sight {
    /// A unit sees it.
    Now,
    /// A unit has seen it.
    Before,
    /// No unit ever saw it, or it is off the map.
    Never,
}

/// What an update had to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FogReport {
    /// Units that looked again.
    pub looked: usize,
    /// Tiles, of all teams, whose alpha changed.
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
    /// How many units each team has.
    strengths: Vec<u32>,
    /// Of each team.
    revisions: Vec<u64>,
    units: Units,
}

/// Held within what can be told from seen and never seen; the least of it where it is no number.
fn remembered_within(alpha: f32) -> f32 {
    if alpha.is_nan() {
        0.5
    } else {
        alpha.clamp(0.5, 0.8)
    }
}

/// Most units of a team: they are counted in sixteen bits a tile.
pub const MOST_UNITS: u32 = u16::MAX as u32;

impl Fog {
    /// A fog without units: no tile was ever seen.
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

    /// Tiles along x and z.
    pub fn size(&self) -> [usize; 2] {
        self.heights.size()
    }

    /// The heights that sight is judged by.
    pub fn heights(&self) -> &HeightField {
        &self.heights
    }

    /// The heights, to edit them; the next update looks again wherever they changed.
    pub fn heights_mut(&mut self) -> &mut HeightField {
        &mut self.heights
    }

    /// Adds a unit; it looks with the next update. Its radius is cut to [`MOST_RADIUS`]; `None` when there is no such team,
    /// or it has [`MOST_UNITS`] already.
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

    /// Sends a unit to another tile, its eyes to another height; off the map it sees nothing. False when it was removed
    /// before.
    pub fn move_unit(&mut self, id: UnitId, tile: [i32; 2], eye: i32) -> bool {
        self.units.move_to(id, tile, eye)
    }

    /// Removes a unit; what it saw is remembered. False when it was removed before.
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

    /// The unit as it was last placed.
    pub fn unit(&self, id: UnitId) -> Option<Unit> {
        self.units.get(id)
    }

    /// Lets every unit look that has reason to, over the height field alone, and brings the alpha
    /// arrays up to date.
    pub fn update(&mut self) -> FogReport {
        self.begin(None);
        if self.heights.has_edits() {
            self.planes.follow(&self.heights);
            let (rows, edited) = (self.rows(), self.heights.edited());
            self.units.mark_edited(rows, edited, |_| false);
        }
        self.look_around(None)
    }

    /// As [`Fog::update`] in a world, whose edits are followed: each unit sees as far as the voxels
    /// at the height of its eyes let it. Under a roof it sees the room, and through a door what is
    /// beyond.
    pub fn update_in(&mut self, world: &World) -> FogReport {
        self.begin(Some(world));
        self.heights.follow(world);
        if !self.heights.stale().is_empty() {
            let (rows, planes) = (self.rows(), &mut self.planes);
            planes.follow_world(&self.heights, world);
            let is_blind = |unit: &Unit| !planes.holds(unit.eye);
            self.units.mark_edited(rows, planes.edited(), is_blind);
        }
        self.look_around(Some(world))
    }

    fn rows(&self) -> Rows {
        Rows::over(self.heights.size())
    }

    /// Has all units look again where sight was judged in another way before.
    fn begin(&mut self, world: Option<&World>) {
        if self.planes.begin(world) {
            self.units.mark_all();
        }
    }

    fn look_around(&mut self, world: Option<&World>) -> FogReport {
        let mut report = FogReport::default();
        self.heights.clear_edits();
        for entry in self.units.waiting() {
            let team = &mut self.teams[entry.unit.team];
            if let Some(table) = &self.tables[entry.unit.radius as usize] {
                look(entry, table, &self.heights, world, &mut self.planes, team);
                report.looked += 1;
            }
        }
        for (team, revision) in self.teams.iter_mut().zip(&mut self.revisions) {
            let changed = team.settle();
            *revision += u64::from(changed > 0);
            report.changed += changed;
        }
        report
    }

    /// Changes when the alpha of a team does, and at no other time.
    ///
    /// # Panics
    /// When there is no such team.
    pub fn revision(&self, team: usize) -> u64 {
        self.revisions[team]
    }

    /// Alpha of the fog for a team, row by row: 0 where seen now, [`FogSettings::remembered`] where seen before, 1 elsewhere.
    ///
    /// # Panics
    /// When there is no such team.
    pub fn alpha(&self, team: usize) -> &[f32] {
        self.teams[team].alpha()
    }

    /// Has a team know tiles from before: those of `seen`, row by row, as if a unit had seen them
    /// once. Tiles that are seen now stay so; what lies beyond the map is left out.
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

    /// What a team knows of a tile.
    pub fn sight(&self, team: usize, tile: [i32; 2]) -> Sight {
        self.teams
            .get(team)
            .map_or(Sight::Never, |team| team.sight(tile))
    }
}

/// Takes back what a unit saw and adds what it sees now.
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
