//! The second phase: characters that moved into each other are pushed apart.
//!
//! Each round computes the pushes of all characters from their places in the round before. A
//! neighbour that is too near pushes a character away, until the gap is a skin wide: both go half
//! of the way if their masses are equal, else the lighter one goes farther, so that the common
//! centre of mass stays. A character that is merely close is not moved, and holds no other back. A
//! round sweeps each push through the terrain, and moves the characters only after all sweeps.
//! After the last round, characters that still overlap return to the start of their moves, and so
//! do those standing there meanwhile: the start was free of overlaps, so the end is. Characters
//! that overlapped at the start, pressed together by terrain or placed on one spot, may go on as
//! long as they get no deeper.
//!
//! Many characters at once push each other far past their goal, and would be taken back in every
//! tick. So after a take-back they creep on from there, in rounds of small pushes, as long as that
//! makes no overlap worse.

use crate::crowd::columns::STACKED;
use crate::crowd::context::Tick;
use crate::crowd::push_totals::Pushed;
use crate::crowd::vicinity::{WAKE_REACH, by_place};
use crate::crowd::workspace::{Placed, Press, Workspace, wake};
use crate::events::{Event, EventKind, Other};
use crate::kernels::ellipsoids::{Separation, separate_within};
use crate::mover::{Around, slide};
use crate::terrain::{Memory, Terrain};
use crate::tolerance::{
    CREEP_ASIDE, LONGEST_CREEP, LONGEST_PUSH, MANY_APART, OVERLAP_SLACK, PUSH_BELOW, SHORTEST_AXIS,
    SOLVER_SLACK,
};
use nalgebra::Vector3;
use std::cmp::Ordering;

/// The state of a round of pushes, apart from the tick's.
pub(crate) struct Pushing<'a> {
    pub(crate) memories: &'a [Memory],
    /// True if pushes are small, and a little aside.
    pub(crate) creeps: bool,
}

/// The characters on one spot with the pushed one.
#[derive(Clone, Copy, Debug, Default)]
struct Twins {
    others: u32,
    /// Number of them that come first in their order.
    rank: u32,
}

impl<T: Terrain + ?Sized> Tick<'_, T> {
    /// Lists a character and those too close to it as crowded, if there are any.
    pub(crate) fn look(&self, row: usize, workspace: &mut Workspace) {
        let reach = |other| PUSH_BELOW * self.skin(row, other);
        let mut alone = true;
        self.for_each_close(row, reach, |other, _| {
            workspace.crowded.push(other as u32);
            alone = false;
        });
        if !alone {
            workspace.crowded.push(row as u32);
        }
    }

    /// Lists a character together with those it overlaps by more than the tolerance, and deeper
    /// than either overlapped any when the moves began: they had no room.
    pub(crate) fn note_worse(&self, row: usize, depths: &[f32], workspace: &mut Workspace) {
        let mut alone = true;
        self.for_each_close(
            row,
            |other| -deepest_let_be(depths[row].max(depths[other])),
            |other, _| {
                workspace.crowded.push(other as u32);
                alone = false;
            },
        );
        if !alone {
            workspace.crowded.push(row as u32);
        }
    }

    /// Pushes one character away from its neighbours and notes its new place. One that terrain
    /// holds stays.
    pub(crate) fn push_row(&self, row: usize, pushing: &Pushing<'_>, workspace: &mut Workspace) {
        if self.shared.stood[row].held {
            return;
        }
        let mut presses = std::mem::take(&mut workspace.presses);
        presses.clear();
        let mut twins = Twins::default();
        let reach = |other| PUSH_BELOW * self.skin(row, other);
        self.for_each_close(row, reach, |other, gap| {
            workspace.crowded.push(other as u32);
            let skin = self.skin(row, other);
            let is_twin = gap.normal == Vector3::zeros() && self.has_axis_of(row, other);
            if is_twin {
                twins.others += 1;
                twins.rank += u32::from(self.precedes(other, row));
            }
            presses.push(Press {
                offset: self.shared.stood[other]
                    .position
                    .since(&self.shared.stood[row].position),
                push: self.direction(row, other, gap.normal, pushing.creeps)
                    * (self.share(row, other) * (skin - gap.distance)),
                row: other,
                is_twin,
            });
        });
        if !presses.is_empty() {
            workspace.crowded.push(row as u32);
            if twins.others > 1 {
                let way = direction_among_many(&twins, self.shared.stood[row].up);
                let alike = presses.iter_mut().filter(|press| press.is_twin);
                alike.for_each(|press| press.push = way * (press.push.norm() * MANY_APART));
            }
            presses.sort_unstable_by(|a, b| {
                by_place(&a.offset, &b.offset).then_with(|| by_place(&a.push, &b.push))
            });
            let pushes = presses.iter().map(|press| press.push);
            let sum = pushes.fold(Vector3::zeros(), |sum, push| sum + push);
            self.sweep_push(row, sum, &presses, pushing, workspace);
        }
        workspace.presses = presses;
    }

    fn sweep_push(
        &self,
        row: usize,
        sum: Vector3<f32>,
        presses: &[Press],
        pushing: &Pushing<'_>,
        workspace: &mut Workspace,
    ) {
        let length = sum.norm();
        if length == 0.0 {
            return;
        }
        let longest = if pushing.creeps {
            LONGEST_CREEP
        } else {
            LONGEST_PUSH
        };
        let push = sum * (length.min(longest) / length);
        let settings = self.settings_of(row);
        let listener = self.listener(row);
        let around = Around {
            listener: listener.as_dyn(),
            ..Around::terrain(self.call.terrain, &settings.mover)
        };
        let mut body = self.shared.stood[row].body();
        let mut memory = pushing.memories[row];
        slide(
            &around,
            &mut body,
            push,
            &mut memory,
            &mut workspace.scratch,
        );
        let reach = Vector3::repeat(WAKE_REACH);
        self.around
            .visit(row, reach, |near, _, _| wake(&mut workspace.woken, near));
        let size = |press: &Press| press.push.norm_squared();
        let hardest = presses.iter().max_by(|a, b| size(a).total_cmp(&size(b)));
        workspace.placed.push(Placed {
            row: row as u32,
            position: body.position,
            by: hardest.map_or(row, |press| press.row) as u32,
        });
    }

    /// Returns the event of all pushes of a character, if they moved it fast enough.
    pub(crate) fn tell(&self, row: usize, pushed: &Pushed) -> Option<Event> {
        let distance = pushed.way.norm();
        let far = distance > self.settings_of(row).hit_speed * self.call.seconds;
        far.then(|| Event {
            character: self.name(row),
            kind: EventKind::Pushed {
                by: Other::Character(self.name(pushed.by as usize)),
                distance,
            },
        })
    }

    /// Calls `visit` with every character closer to `row` than `closest` metres, at most a skin,
    /// and with their separation.
    fn for_each_close(
        &self,
        row: usize,
        closest: impl Fn(usize) -> f32,
        mut visit: impl FnMut(usize, Separation),
    ) {
        let own = &self.shared.stood[row];
        let body = own.body();
        let skin = self.settings_of(row).mover.skin;
        let reach = Vector3::repeat(skin);
        self.around.visit(row, reach, |other_row, other, _| {
            if !own.meets(other) {
                return;
            }
            if let Some(gap) = separate_within(&body, &other.body(), closest(other_row))
                && self.rules_let_meet(row, other_row)
            {
                visit(other_row, gap);
            }
        });
    }

    /// Returns the share of a push between two that one row moves: the mass of the other by the
    /// mass of both. Two immovable ones stay.
    fn share(&self, row: usize, other: usize) -> f32 {
        let mass = |row: usize| self.shared.builds[row].mass;
        let (own, theirs) = (mass(row), mass(other));
        if own == f32::INFINITY {
            return 0.0;
        }
        // A product of masses could overflow.
        1.0 / (1.0 + own / theirs)
    }

    fn has_axis_of(&self, row: usize, other: usize) -> bool {
        self.shared.stood[row].up == self.shared.stood[other].up
    }

    /// Returns the direction of a push. Level for characters side by side, so that a crowd does not
    /// climb itself; along the axis for one above the other; for equal centres by their shapes, and
    /// for equal shapes by the order of their handles. (More than two on one spot are spread in
    /// [all directions](direction_among_many).)
    fn direction(
        &self,
        row: usize,
        other: usize,
        normal: Vector3<f32>,
        creeps: bool,
    ) -> Vector3<f32> {
        let up = self.shared.stood[row].up;
        if normal == Vector3::zeros() {
            let axis = (up + self.shared.stood[other].up).try_normalize(SHORTEST_AXIS);
            let axis = axis.unwrap_or(up);
            let mut helper = Vector3::zeros();
            helper[axis.iamin()] = if self.precedes(row, other) { 1.0 } else { -1.0 };
            let level = helper - axis * helper.dot(&axis);
            return level / level.norm();
        }
        let rise = normal.dot(&up);
        if up != self.shared.stood[other].up || rise.abs() > STACKED {
            return normal;
        }
        let level = normal - up * rise;
        let out = level / level.norm_squared();
        if creeps {
            // In a row, or along a wall, no straight way leads out.
            out + up.cross(&out) * CREEP_ASIDE
        } else {
            out
        }
    }

    /// Orders two characters independently of the order of adding, unless they are equal.
    fn precedes(&self, row: usize, other: usize) -> bool {
        let shape = |row: usize| {
            let stood = &self.shared.stood[row];
            let [x, y, z] = stood.up.into();
            let mass = self.shared.builds[row].mass;
            [stood.radii.across, stood.radii.along, x, y, z, mass]
        };
        let by_shape = shape(row)
            .iter()
            .zip(&shape(other))
            .fold(Ordering::Equal, |found, (a, b)| found.then(a.total_cmp(b)));
        let rest = |row: usize| {
            let stood = &self.shared.stood[row];
            (stood.layers, stood.meets, self.shared.slots[row])
        };
        by_shape.then(rest(row).cmp(&rest(other))) == Ordering::Less
    }

    fn skin(&self, row: usize, other: usize) -> f32 {
        let of = |row: usize| self.settings_of(row).mover.skin;
        of(row).min(of(other))
    }
}

/// Returns the deepest overlap tolerated in a pair that began the tick with this depth, in metres.
fn deepest_let_be(depth: f32) -> f32 {
    OVERLAP_SLACK.max(depth + SOLVER_SLACK)
}

/// Returns the direction and share of the push of one of many like characters on one spot: over a
/// level square, each opposite to another, so that no two go to one place and their middle stays.
fn direction_among_many(twins: &Twins, up: Vector3<f32>) -> Vector3<f32> {
    let last = twins.others;
    let half = last.div_ceil(2);
    let (rank, sign) = match twins.rank {
        rank if rank < half => (rank, 1.0),
        rank if rank > last - half => (last - rank, -1.0),
        _ => return Vector3::zeros(),
    };
    let mut helper = Vector3::zeros();
    helper[up.iamin()] = sign;
    let ahead = helper - up * helper.dot(&up);
    let ahead = ahead / ahead.norm();
    let aside = 2.0 * (0.5 + rank as f32 * GOLDEN_SHARE).fract() - 1.0;
    ahead * (1.0 - rank as f32 / half as f32) + up.cross(&ahead) * aside
}

/// The golden section: multiples of it leave no gaps and do not come close to each other.
const GOLDEN_SHARE: f32 = 0.618_034;
