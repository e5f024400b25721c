//! The first phase: every character moves among the others at their starting places.

use crate::character::{
    Glider, Happenings, Intent, Medium, Mode, Settings, State, Stepper, Watching,
};
use crate::crowd::columns::{BLOCK, Rows, Stood, bits};
use crate::crowd::context::Tick;
use crate::crowd::vicinity::{by_place, grid_cell};
use crate::crowd::workspace::{Company, LeftHead, Workspace, wake};
use crate::events::{Event, EventKind};
use crate::kernels::ellipsoids::separate_within;
use crate::mover::{Around, Neighbour};
use crate::terrain::Terrain;
use crate::tolerance::{DRIFT, OVERLAP_SLACK, REACH_MARGIN};
use nalgebra::Vector3;

impl<T: Terrain + ?Sized> Tick<'_, T> {
    /// Moves the characters of a block that are awake or whose wish has ended.
    pub(crate) fn advance_block(&self, index: usize, mut rows: Rows<'_>) {
        rows.block.crossed = 0;
        rows.block.look = 0;
        rows.block.computed = 0;
        let given = std::mem::take(&mut rows.block.given);
        if rows.block.awake | rows.block.driven | rows.block.watching == 0 {
            return;
        }
        self.workspaces.with(|workspace| {
            // First all glides, then all other steps: the code of each half stays in the
            // processor's cache.
            workspace.others.clear();
            workspace.near.clear();
            workspace.waiting.clear();
            self.let_rest(given, index, &mut rows, workspace);
            for place in bits(rows.block.watching & !rows.block.awake) {
                self.watch(place, index * BLOCK + place, &mut rows, workspace);
            }
            rows.block.watching &= !rows.block.awake;
            rows.block.computed = rows.block.awake;
            for place in bits(rows.block.awake) {
                self.glide(place, index * BLOCK + place, &mut rows, workspace);
            }
            for waiting in 0..workspace.waiting.len() {
                let company = workspace.waiting[waiting].clone();
                let row = index * BLOCK + company.place;
                self.step(&company, row, &mut rows, workspace);
            }
        });
        rows.block.shifted = 0;
    }

    /// Gives the resting intent to characters that had a wish and got no valid intent now.
    fn let_rest(&self, given: u64, index: usize, rows: &mut Rows<'_>, workspace: &mut Workspace) {
        for place in bits(rows.block.driven & !given) {
            let rest = Intent::rest(rows.states[place].mode);
            if rows.wanted[place] != rest {
                rows.wanted[place] = rest;
                rows.block.awake |= 1 << place;
            }
        }
        rows.block.driven &= given;
        for place in bits(std::mem::take(&mut rows.block.refused)) {
            let character = self.name(index * BLOCK + place);
            let kind = EventKind::IntentRefused;
            workspace.events.push(Event { character, kind });
        }
    }

    /// Wakes a watching character if another one may be where it looked.
    #[inline(never)]
    fn watch(&self, place: usize, row: usize, rows: &mut Rows<'_>, workspace: &mut Workspace) {
        let settings = self.settings_of(row);
        let reach = self.reach(row, &rows.states[place], &rows.wanted[place], settings);
        let company = self.gather_company(place, row, reach, workspace);
        rows.block.awake |= u64::from(!company.near.is_empty()) << place;
        workspace.others.truncate(company.others.start);
        workspace.near.truncate(company.near.start);
    }

    /// Takes one character through its tick if nothing is in its way; else it waits.
    fn glide(&self, place: usize, row: usize, rows: &mut Rows<'_>, workspace: &mut Workspace) {
        let settings = self.settings_of(row);
        let (intent, state) = (&rows.wanted[place], &mut rows.states[place]);
        let reach = self.reach(row, state, intent, settings);
        let company = self.gather_company(place, row, reach, workspace);
        // A character that touched something is likely to do so again.
        if state.touching {
            workspace.waiting.push(company);
            return;
        }
        let listener = self.listener(row);
        let around = Around {
            terrain: self.call.terrain,
            others: &workspace.others[company.others.clone()],
            config: &settings.mover,
            listener: listener.as_dyn(),
        };
        let glider = Glider {
            around,
            seconds: self.call.seconds,
            build: &self.shared.builds[row],
            settings,
        };
        if let Some(glided) = glider.glide(state, intent, &mut rows.memories[place]) {
            glided.put_into(state);
            let after = self.shared.stood[row].elsewhere(&self.shared.builds[row], state);
            self.conclude(&company, row, after, rows, workspace);
            workspace.others.truncate(company.others.start);
            workspace.near.truncate(company.near.start);
        } else {
            workspace.waiting.push(company);
        }
    }

    /// Takes one character through its tick.
    fn step(&self, company: &Company, row: usize, rows: &mut Rows<'_>, workspace: &mut Workspace) {
        let place = company.place;
        let settings = self.settings_of(row);
        let intent = rows.wanted[place];
        let state = &mut rows.states[place];
        let before = *state;
        let listener = self.listener(row);
        workspace.kinds.clear();
        let Workspace {
            others,
            scratch,
            kinds,
            met,
            lifts,
            ..
        } = &mut *workspace;
        let watching = self.is_watched(row).then_some(Watching {
            row: row as u32,
            met,
            lifts,
        });
        scratch.tracing.is_on = self.traced == Some(row);
        let mut stepper = Stepper {
            around: Around {
                terrain: self.call.terrain,
                others: &others[company.others.clone()],
                config: &settings.mover,
                listener: listener.as_dyn(),
            },
            seconds: self.call.seconds,
            build: &self.shared.builds[row],
            settings,
            memory: &mut rows.memories[place],
            scratch,
            happenings: Happenings::new(kinds, self.handles.generations()).watching(watching),
        };
        let unsettled = stepper.step(state, &intent);
        rows.block.fresh |= u64::from(unsettled) << place;
        workspace.scratch.tracing.is_on = false;
        for kind in workspace.kinds.drain(..) {
            let character = self.name(row);
            workspace.events.push(Event { character, kind });
        }
        let (state, stood) = (&rows.states[place], &self.shared.stood[row]);
        if stood.on_somebody
            && let Some(head) = left_head(row, &before, state, &intent)
        {
            workspace.left_heads.push(head);
        }
        if state.same_bits(&before) && rows.block.shifted >> place & 1 == 0 && company.depth == 0.0
        {
            workspace.counts.stepped += 1;
            let near = &workspace.near[company.near.clone()];
            let queried = &workspace.scratch.queried;
            let may_sleep = near.is_empty() || !queried.is_far();
            rows.after[place] = *stood;
            if may_sleep && self.is_woken_by(near, row, state, &intent) {
                rows.block.awake &= !(1 << place);
                rows.block.watching |= u64::from(queried.is_far()) << place;
                let (memory, queried) = (&mut rows.memories[place], *queried);
                queried.remember(self.call.terrain, memory, &mut workspace.scratch.candidates);
            }
        } else {
            let after = stood.in_state(&self.shared.builds[row], state);
            self.conclude(company, row, after, rows, workspace);
        }
    }

    /// Stores the place of a character after its tick, and wakes the characters near it.
    #[inline(always)]
    fn conclude(
        &self,
        company: &Company,
        row: usize,
        after: Stood,
        rows: &mut Rows<'_>,
        workspace: &mut Workspace,
    ) {
        let place = company.place;
        workspace.counts.stepped += 1;
        if company.depth > OVERLAP_SLACK {
            workspace.crammed.push((row as u32, company.depth));
        }
        let before = &self.shared.stood[row];
        let nearer = after.nearer_than(before);
        rows.after[place] = after;
        workspace.farthest = workspace.farthest.sup(&nearer);
        if grid_cell(&after.position) != grid_cell(&before.position) {
            rows.block.crossed |= 1 << place;
        }
        let mut looks = (nearer.amax() >= company.room) | (company.depth > 0.0);
        if !company.near.is_empty() {
            let changed = after.layers != before.layers || after.meets != before.meets;
            let closest = 2.0 * nearer.amax() + self.settings_of(row).mover.skin + REACH_MARGIN;
            for &near in &workspace.near[company.near.clone()] {
                wake(&mut workspace.woken, near as usize);
                looks |= changed || may_meet(before, &self.shared.stood[near as usize], closest);
            }
        }
        rows.block.look |= u64::from(looks) << place;
    }

    /// Returns whether every character that this one looked at would wake it by moving: each wakes
    /// those near itself, and one that stands up or steps looks farther than the others wake.
    fn is_woken_by(&self, near: &[u32], row: usize, state: &State, intent: &Intent) -> bool {
        if near.is_empty() {
            return true;
        }
        let settings = self.settings_of(row);
        let reach = self.reach(row, state, intent, settings);
        let own = &self.shared.stood[row];
        near.iter().all(|&other_row| {
            let other = &self.shared.stood[other_row as usize];
            let offset = other.position.since(&own.position);
            let extent = own.extent + other.extent;
            let theirs = self.settings_of(other_row as usize);
            let least = 2.0 * theirs.mover.skin + REACH_MARGIN + DRIFT;
            !within(&offset, &(extent + reach)) || within(&offset, &extent.add_scalar(least))
        })
    }

    /// Returns how far beyond its box a character may come in this tick, in metres.
    fn reach(
        &self,
        row: usize,
        state: &State,
        intent: &Intent,
        settings: &Settings,
    ) -> Vector3<f32> {
        let build = &self.shared.builds[row];
        let (speed, wish) = (state.velocity, intent.velocity + state.drift);
        let fastest = speed.norm_squared().max(wish.norm_squared()).sqrt();
        let gravity = build.gravity.map_or(settings.gravity, |own| own.norm());
        let pull = gravity * self.call.seconds + settings.sink;
        let way = (fastest + intent.jump + pull) * self.call.seconds;
        let mover = &settings.mover;
        let mut side = way + 2.0 * mover.skin + REACH_MARGIN;
        // A standing character takes no step.
        let stands = fastest == 0.0 && (state.ground.is_some() || intent.mode != Mode::Walk);
        if !stands {
            side += mover.step_advance;
        }
        if !stands && state.touching {
            // A step from there may be led aside. (At the first contact that is so rare that it is
            // left to the pushes.)
            side += mover.aside(build.radii(state.crouched).across);
        }
        let mut rise = 0.0_f32;
        if let Some(ground) = state.ground {
            rise = mover.step_height.max(mover.snap);
            if ground.is_rim() {
                // A step from there is measured from the top.
                rise += mover.rim(build.radii(state.crouched).along + mover.skin);
            }
        } else if mover.air_step > 0.0 {
            rise = mover.air_step.max(mover.snap);
        }
        if intent.crouch != state.crouched {
            // The centre rises by as much as the body grows to each side.
            rise += 2.0 * (build.standing - build.crouched).abs();
        }
        build.up.map(|part| side + part.abs() * rise)
    }

    /// Lists the characters that can be met, in an order that depends on their places only, and
    /// those near enough to wake.
    #[inline(always)]
    fn gather_company(
        &self,
        place: usize,
        row: usize,
        reach: Vector3<f32>,
        workspace: &mut Workspace,
    ) -> Company {
        let Workspace { others, near, .. } = workspace;
        let (first_other, first_near) = (others.len(), near.len());
        let own = &self.shared.stood[row];
        let wide = reach.add_scalar(DRIFT);
        let mut depth = 0.0_f32;
        self.around.visit_rows(row, wide, |other_row| {
            let other = &self.shared.stood[other_row];
            let offset = other.position.since(&own.position);
            let extent = own.extent + other.extent;
            if !within(&offset, &(extent + wide)) {
                return;
            }
            near.push(other_row as u32);
            if within(&offset, &(extent + reach)) && self.meet(row, other_row) {
                depth = depth.max(overlap(own, other, offset));
                others.push(Neighbour {
                    body: other.body(),
                    id: self.shared.slots[other_row],
                });
            }
        });
        let near = first_near..near.len();
        let others = &mut others[first_other..];
        if others.len() > 1 {
            let center = own.position;
            let place = |other: &Neighbour| other.body.position.since(&center);
            others.sort_unstable_by(|a, b| by_place(&place(a), &place(b)));
        }
        Company {
            place,
            others: first_other..first_other + others.len(),
            near,
            room: 0.5 * (wide.min() - self.settings_of(row).mover.skin - REACH_MARGIN),
            depth,
        }
    }
}

/// Returns the head of another that a walker left in its tick, if any.
fn left_head(row: usize, before: &State, after: &State, intent: &Intent) -> Option<LeftHead> {
    let walks = after.mode == Mode::Walk && after.medium == Medium::Open && !after.is_held();
    let ground = before.ground.filter(|_| walks && after.ground.is_none())?;
    Some(LeftHead {
        row: row as u32,
        bearer: ground.object.0,
        jumped: intent.jump > 0.0,
    })
}

/// Returns whether an offset is inside a box with these half extents.
#[inline]
fn within(offset: &Vector3<f32>, extent: &Vector3<f32>) -> bool {
    let inside = |axis: usize| offset[axis].abs() <= extent[axis];
    inside(0) & inside(1) & inside(2)
}

/// Returns whether the boxes of two characters that collide were at most `closest` metres apart.
/// Two characters come close only if one of them comes nearer by half of their gap, and that one
/// tests the pair.
#[inline]
fn may_meet(one: &Stood, other: &Stood, closest: f32) -> bool {
    let offset = other.position.since(&one.position);
    let apart = (offset.abs() - one.extent - other.extent).max();
    one.meets(other) && apart <= closest
}

/// Returns the overlap of two characters, in metres; not above zero for a pair that is apart.
#[inline]
fn overlap(a: &Stood, b: &Stood, offset: Vector3<f32>) -> f32 {
    let alike = a.up == b.up && a.radii == b.radii;
    if alike && !reaches_center(a, offset * 0.5) {
        return 0.0;
    }
    separate_within(&a.body(), &b.body(), 0.0).map_or(0.0, |gap| -gap.distance)
}

/// Returns whether an ellipsoid at an offset reaches the center that the offset starts from:
/// halfway between two overlapping characters of one shape it does.
#[inline]
fn reaches_center(body: &Stood, offset: Vector3<f32>) -> bool {
    let (across, along) = (body.radii.across, body.radii.along);
    let rise = offset.dot(&body.up);
    let side = offset.norm_squared() - rise * rise;
    side * (along * along) + rise * rise * (across * across) < (across * along) * (across * along)
}
