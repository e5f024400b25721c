//! After the moves: the contacts of the watched characters, and the heights of their steps.
//!
//! A contact is made by a move of the tick, or exists at its end. A sleeping character repeats the
//! moves of its last tick, and so the same contacts.

use crate::character::{Mode, State, named};
use crate::crowd::columns::{BLOCK, Block, Columns};
use crate::crowd::contact::{CharacterContact, ContactPhase};
use crate::crowd::context::{Call, PUSHES, Tick, rows_of};
use crate::crowd::state::Crowd;
use crate::crowd::watch::{Watch, of_character};
use crate::crowd::workspace::Workspace;
use crate::events::Other;
use crate::handles::CharacterId;
use crate::kernels::ellipsoids::separate_within;
use crate::mover::{Around, Contact, Feature, Frame, each_touching};
use crate::position::{Cell, Position};
use crate::terrain::Terrain;
use crate::tolerance::{TOUCH_REACH, WIDEST_SKIN};
use nalgebra::Vector3;

impl Crowd {
    /// Keeps the last gather of the traced character.
    pub(super) fn keep_gather(&mut self) {
        if self.watch.traced.is_some() {
            let gathers = self
                .workspaces
                .each()
                .map(|it| it.scratch.tracing.last.take());
            self.watch.gather = gathers.flatten().last().or(self.watch.gather.take());
        }
    }

    /// Finds the contacts of all watched characters.
    pub(super) fn find_contacts<T: Terrain + ?Sized>(&mut self, call: &Call<'_, T>) {
        if self.watch.ids.is_empty() {
            return;
        }
        self.watch.met.clear();
        for workspace in self.workspaces.each() {
            self.watch.met.append(&mut workspace.met);
            for lift in workspace.lifts.drain(..) {
                let slot = self.columns.slots[lift.row as usize];
                let lift = (self.handles.name(slot), lift.height);
                self.watch.lifts.push(lift);
            }
        }
        self.watch.lifts.sort_unstable_by_key(|lift| lift.0);
        self.watch.met.sort_unstable_by_key(|met| met.row);
        self.ticking.members.clear();
        self.ticking.members.extend(rows_of(&self.watch.words));
        let tick = self.context(call);
        let finder = Finder {
            tick,
            columns: &self.columns,
            watch: &self.watch,
        };
        self.for_members(PUSHES, |row, workspace| finder.row(row, workspace));
        let contacts = &mut self.watch.contacts;
        for workspace in self.workspaces.each() {
            contacts.append(&mut workspace.contacts);
        }
        contacts.sort_unstable_by(|a, b| a.order(b).then_with(|| a.harder_first(b)));
        contacts.dedup_by(|next, first| first.order(next).is_eq());
        self.watch.compare();
    }
}

/// The inputs of a search for contacts.
struct Finder<'a, T: ?Sized> {
    tick: Tick<'a, T>,
    columns: &'a Columns,
    watch: &'a Watch,
}

impl<T: Terrain + ?Sized> Finder<'_, T> {
    /// Lists all contacts of a row, some more than once.
    fn row(&self, row: usize, workspace: &mut Workspace) {
        let state = &self.columns.states[row];
        if state.mode == Mode::NoClip {
            return;
        }
        let first = workspace.contacts.len();
        self.list_met(row, workspace);
        self.list_terrain(row, state, first, workspace);
        self.list_others(row, state, first, workspace);
    }

    /// Lists the contacts of the moves.
    fn list_met(&self, row: usize, workspace: &mut Workspace) {
        let has = |word: fn(&Block) -> u64| {
            word(&self.columns.blocks[row / BLOCK]) >> (row % BLOCK) & 1 != 0
        };
        if has(|block| block.computed) {
            for met in self.watch.met_by(row) {
                let contact = self.of_terrain(row, met.base, &met.contact, met.speed);
                workspace.contacts.push(contact);
            }
            return;
        }
        let known = of_character(&self.watch.before, self.tick.name(row)).iter();
        let lasting = known.filter(|it| it.phase != ContactPhase::Ended && it.speed > 0.0);
        workspace.contacts.extend(lasting);
    }

    /// Lists the terrain that touches a row.
    fn list_terrain(&self, row: usize, state: &State, first: usize, workspace: &mut Workspace) {
        let tick = &self.tick;
        let listener = tick.listener(row);
        let around = Around {
            listener: listener.as_dyn(),
            ..Around::terrain(tick.call.terrain, &tick.settings_of(row).mover)
        };
        let (body, mut memory) = (tick.shared.stood[row].body(), self.columns.memories[row]);
        let Workspace {
            scratch, contacts, ..
        } = workspace;
        each_touching(
            &around,
            &body,
            state.ground,
            &mut memory,
            scratch,
            |contact| {
                let bears = state.ground.is_some_and(|ground| {
                    let part = (ground.feature, ground.object);
                    part == (contact.feature, contact.object)
                        && ground.normal == contact.face_normal
                });
                let speed = if bears {
                    self.weight(row, &contact.normal)
                } else {
                    0.0
                };
                let found = self.of_terrain(row, body.position.cell, &contact, speed);
                add(contacts, first, found);
            },
        );
    }

    /// Lists the characters that touch a row.
    fn list_others(&self, row: usize, state: &State, first: usize, workspace: &mut Workspace) {
        let tick = &self.tick;
        let skin = |row: usize| tick.settings_of(row).mover.skin;
        let own = tick.shared.stood[row].body();
        // A mover keeps its own skin from both bodies.
        let reach = Vector3::repeat(2.0 * WIDEST_SKIN + TOUCH_REACH);
        tick.around.visit(row, reach, |other_row, other, _| {
            let closest = 2.0 * skin(row).max(skin(other_row)) + TOUCH_REACH;
            let Some(gap) = separate_within(&own, &other.body(), closest) else {
                return;
            };
            if !tick.meet(row, other_row) {
                return;
            }
            // Two on one spot have no direction between them.
            let normal = gap.normal.try_normalize(0.5).unwrap_or(own.up);
            let bears = state.ground.is_some_and(|ground| {
                ground.feature == Feature::Body && ground.object.0 == tick.shared.slots[other_row]
            });
            let speed = if bears {
                self.weight(row, &normal)
            } else {
                0.0
            };
            let frame = Frame::of(&own, skin(row));
            let point = frame.touching_point(own.position.offset, normal);
            let found = CharacterContact {
                other: Other::Character(tick.name(other_row)),
                feature: Feature::Body,
                point: Position::from_local(own.position.cell, point),
                normal,
                speed,
                ..self.nothing(row)
            };
            add(&mut workspace.contacts, first, found);
        });
    }

    /// Returns the speed that gravity gives a row in a tick into its support, in metres a second.
    fn weight(&self, row: usize, normal: &Vector3<f32>) -> f32 {
        let tick = &self.tick;
        let pull = tick.shared.builds[row].pull(tick.settings_of(row));
        (-pull.dot(normal) * tick.call.seconds).max(0.0)
    }

    /// Converts a contact of the mover to the form for callers.
    fn of_terrain(
        &self,
        row: usize,
        base: Cell,
        contact: &Contact,
        speed: f32,
    ) -> CharacterContact {
        let tick = &self.tick;
        let generations = tick.handles.generations();
        let (point, normal) = (Position::from_local(base, contact.point), contact.normal);
        let other = named(generations, contact.feature, contact.object);
        let touched = match other {
            Other::Terrain(object) => tick.call.terrain.touched(object, &point, &normal),
            Other::Character(_) => None,
        };
        CharacterContact {
            other,
            touched: touched.unwrap_or_default(),
            feature: contact.feature,
            point,
            normal,
            speed,
            ..self.nothing(row)
        }
    }

    /// Returns an empty contact of a row.
    fn nothing(&self, row: usize) -> CharacterContact {
        let stood = &self.tick.shared.stood[row];
        CharacterContact {
            character: self.tick.name(row),
            other: Other::Character(CharacterId::NONE),
            touched: Default::default(),
            feature: Feature::Face,
            phase: ContactPhase::Began,
            point: stood.position,
            normal: stood.up,
            speed: 0.0,
            mass: self.tick.shared.builds[row].mass,
        }
    }
}

/// Adds a contact that exists at the end of the tick. The contacts of the moves with the same
/// thing, from `first` on, take its place.
fn add(contacts: &mut Vec<CharacterContact>, first: usize, found: CharacterContact) {
    for known in &mut contacts[first..] {
        if known.order(&found).is_eq() {
            *known = CharacterContact {
                speed: known.speed.max(found.speed),
                ..found
            };
        }
    }
    contacts.push(found);
}
