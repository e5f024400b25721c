//! The expected state after a number of acts: a plain list of acts that is replayed at every undo.

use std::collections::BTreeMap;

use collision::{Cell, Position};
use nalgebra::Vector3;
use world::history::{EntryState, ObjectStep};
use world::{CellBox, Material, World};

use crate::acts::{
    Act, Ball, EXTENT, Situation, act, ball, drawn, drawn_cell, material, origin, pattern, way, who,
};

pub(crate) fn bounds() -> CellBox {
    CellBox::new(Cell::repeat(0), Cell::new(95, 31, 63))
}

pub(crate) fn ground(cell: Cell) -> Material {
    if cell.y < 12 {
        Material::STONE
    } else {
        Material::AIR
    }
}

fn cells() -> impl Iterator<Item = Cell> {
    (0..96 * 32 * 64).map(|at| Cell::new(at % 96, at / 96 % 32, at / (96 * 32)))
}

pub(crate) fn place_of(cell: Cell) -> usize {
    ((cell.z * 32 + cell.y) * 96 + cell.x) as usize
}

fn voxels() -> impl Iterator<Item = Vector3<u32>> {
    let size = EXTENT;
    (0..size.product())
        .map(move |at| Vector3::new(at % size.x, at / size.x % size.y, at / (size.x * size.y)))
}

fn place_in_object(voxel: Cell) -> usize {
    let size = EXTENT.map(|side| side as i32);
    ((voxel.z * size.y + voxel.y) * size.x + voxel.x) as usize
}

/// An edit that can be undone or redone: its author, whether it is in force, and its step of an
/// object.
type Past = (u32, bool, Option<ObjectStep>);

/// The observable state of a world.
#[derive(PartialEq)]
pub(crate) struct Seen {
    pub(crate) past: Vec<Past>,
    /// Objects in order of key.
    pub(crate) objects: Vec<(Position, Vec<Material>)>,
    pub(crate) terrain: Vec<Material>,
}

impl Seen {
    pub(crate) fn of(world: &World) -> Self {
        let entries = world.history().entries();
        let past = entries.map(|entry| {
            let done = entry.state == EntryState::Done;
            (entry.author.0, done, entry.object().map(|event| event.step))
        });
        let mut objects: Vec<_> = world.objects().map(|(_, object)| object).collect();
        objects.sort_unstable_by_key(|object| object.key());
        let objects = objects.into_iter().map(|object| {
            let picture = voxels().map(|at| {
                let brick = object
                    .brick_at(Cell::new((at.x / 32) as i32, 0, 0))
                    .unwrap();
                let [x, y, z] = [at.x % 32, at.y, at.z].map(|part| part as usize);
                world.brick(brick).material(x, y, z)
            });
            (*object.origin(), picture.collect())
        });
        Self {
            past: past.collect(),
            objects: objects.collect(),
            terrain: cells().map(|cell| world.material(cell).unwrap()).collect(),
        }
    }
}

/// A voxel of the terrain, or of the object that the given act added.
type Place = (Option<u64>, usize);

enum Kind {
    Writes(Vec<(Place, Material)>),
    Object(u64, ObjectStep),
}

struct Made {
    who: u32,
    done: bool,
    kind: Kind,
}

impl Made {
    /// Returns the object that this edit keeps out of the world.
    fn hides(&self) -> Option<u64> {
        match (&self.kind, self.done) {
            (Kind::Object(key, ObjectStep::Added), false)
            | (Kind::Object(key, ObjectStep::Removed), true) => Some(*key),
            _ => None,
        }
    }
}

pub(crate) struct Model {
    /// Number of acts so far.
    pub(crate) number: u64,
    made: Vec<Made>,
    /// Place and voxels of all objects, absent ones too, by the act that added them.
    objects: BTreeMap<u64, (Position, Vec<Material>)>,
    terrain: Vec<Material>,
}

impl Model {
    pub(crate) fn new() -> Self {
        Self {
            number: 0,
            made: Vec::new(),
            objects: BTreeMap::new(),
            terrain: cells().map(ground).collect(),
        }
    }

    pub(crate) fn matches(&self, seen: &Seen) -> bool {
        let past = self.made.iter().map(|made| {
            let step = match made.kind {
                Kind::Object(_, step) => Some(step),
                Kind::Writes(_) => None,
            };
            (made.who, made.done, step)
        });
        let there = self.there();
        past.eq(seen.past.iter().copied())
            && there.len() == seen.objects.len()
            && there
                .iter()
                .zip(&seen.objects)
                .all(|(key, object)| self.objects[key] == *object)
            && self.terrain == seen.terrain
    }

    fn there(&self) -> Vec<u64> {
        let hidden: Vec<u64> = self.made.iter().filter_map(Made::hides).collect();
        let all = self.objects.keys().copied();
        all.filter(|key| !hidden.contains(key)).collect()
    }

    fn last_done(&self, who: u32) -> Option<usize> {
        let mine = |made: &Made| made.who == who && made.done;
        self.made.iter().rposition(mine)
    }

    fn first_undone(&self, who: u32) -> Option<usize> {
        let from = self.last_done(who).map_or(0, |at| at + 1);
        let mine = |made: &Made| made.who == who && !made.done;
        Some(from + self.made[from..].iter().position(mine)?)
    }

    fn situation(&self) -> Situation {
        Situation {
            objects: self.there().len(),
            undo: [0, 1].map(|who| self.last_done(who).is_some()),
            redo: [0, 1].map(|who| self.first_undone(who).is_some()),
        }
    }

    /// Does the next act.
    pub(crate) fn step(&mut self) {
        let (number, who) = (self.number, who(self.number));
        let there = self.there();
        match act(number, &self.situation()) {
            Act::Ball => self.write(who, ball_cells(number)),
            Act::Add => {
                self.push(who, Kind::Object(number, ObjectStep::Added));
                let picture = voxels().map(|at| pattern(number, at)).collect();
                self.objects.insert(number, (origin(number), picture));
            }
            Act::Draw(which) => {
                let voxels = drawn(number).map(|at| (Some(there[which]), place_in_object(at)));
                let mut places = vec![(None, place_of(drawn_cell(number)))];
                places.extend(voxels);
                self.write(who, places);
            }
            Act::Move(which) => {
                let place = &mut self.objects.get_mut(&there[which]).unwrap().0;
                *place = place.moved(way(number));
            }
            Act::Remove(which) => self.push(who, Kind::Object(there[which], ObjectStep::Removed)),
            Act::Undo => {
                let at = self.last_done(who).unwrap();
                self.made[at].done = false;
                self.replay();
            }
            Act::Redo => {
                let at = self.first_undone(who).unwrap();
                self.made[at].done = true;
                self.replay();
            }
        }
        self.number += 1;
    }

    /// Undoes all edits of one author; returns their number.
    pub(crate) fn take_back(&mut self, who: u32) -> usize {
        let mine = self.made.iter_mut().filter(|made| made.who == who);
        let mut taken = 0;
        for made in mine.filter(|made| made.done) {
            made.done = false;
            taken += 1;
        }
        self.replay();
        taken
    }

    fn voxel(&mut self, (object, at): Place) -> Option<&mut Material> {
        match object {
            None => self.terrain.get_mut(at),
            // Changes in an object that is lost for good do not matter.
            Some(key) => self.objects.get_mut(&key)?.1.get_mut(at),
        }
    }

    fn write(&mut self, who: u32, places: Vec<Place>) {
        let material = material(self.number);
        let mut changed = Vec::new();
        for place in places {
            let voxel = self.voxel(place).unwrap();
            if *voxel != material {
                *voxel = material;
                changed.push((place, material));
            }
        }
        if !changed.is_empty() {
            self.push(who, Kind::Writes(changed));
        }
    }

    fn push(&mut self, who: u32, kind: Kind) {
        let (dropped, kept) = std::mem::take(&mut self.made)
            .into_iter()
            .partition::<Vec<_>, _>(|made| made.who == who && !made.done);
        self.made = kept;
        for key in dropped.iter().filter_map(Made::hides) {
            self.objects.remove(&key);
            let of_it = |made: &Made| matches!(made.kind, Kind::Object(other, _) if other == key);
            self.made.retain(|made| !of_it(made));
        }
        let done = true;
        self.made.push(Made { who, done, kind });
    }

    fn replay(&mut self) {
        self.terrain = cells().map(ground).collect();
        for (&number, (_, picture)) in &mut self.objects {
            *picture = voxels().map(|at| pattern(number, at)).collect();
        }
        let made = std::mem::take(&mut self.made);
        for Made { done, kind, .. } in &made {
            if let (true, Kind::Writes(writes)) = (*done, kind) {
                for &(place, material) in writes {
                    if let Some(voxel) = self.voxel(place) {
                        *voxel = material;
                    }
                }
            }
        }
        self.made = made;
    }
}

fn ball_cells(number: u64) -> Vec<Place> {
    let Ball { cell, radius } = ball(number);
    let low = cell.add_scalar(-radius).sup(&bounds().min);
    let high = cell.add_scalar(radius).inf(&bounds().max);
    let mut places = Vec::new();
    for z in low.z..=high.z {
        for y in low.y..=high.y {
            for x in low.x..=high.x {
                let way = Cell::new(x, y, z) - cell;
                if way.dot(&way) <= radius * radius {
                    places.push((None, place_of(Cell::new(x, y, z))));
                }
            }
        }
    }
    places
}
