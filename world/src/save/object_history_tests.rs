//! Undo and redo of added and removed objects by several authors, with reopening, against a model
//! that replays a plain list of all edits.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use collision::{Cell, Position};
use nalgebra::Vector3;
use proptest::prelude::*;

use super::header::materials_changes;
use super::*;
use crate::chunk::{Brick, Voxels};
use crate::clipboard::Clipboard;
use crate::history::{Author, ObjectStep};
use crate::material::{Material, MaterialTable};
use crate::object::{Keeping, ObjectId, ObjectKey};
use crate::space::Space;
use crate::world::World;

/// Extent of objects: two chunks in a row.
const EXTENT: Vector3<u32> = Vector3::new(34, 2, 2);

/// A voxel of an object, or of terrain.
type Place = (Option<ObjectKey>, [i32; 3]);

#[derive(Clone, Debug)]
enum Act {
    Add(u32, u16),
    Remove(u32, usize),
    /// The writes: voxels of a present object, or of the terrain.
    Write(u32, Vec<(Option<usize>, [i32; 3], u16)>),
    Undo(u32),
    Redo(u32),
    Move(usize),
    Reopen,
}

fn act() -> impl Strategy<Value = Act> {
    let who = || 0u32..2;
    let place = (
        prop::option::weighted(0.8, 0usize..2),
        [0..34i32, 0..2, 0..2],
        1u16..6,
    );
    prop_oneof![
        2 => (who(), 0u16..9).prop_map(|(who, what)| Act::Add(who, what)),
        2 => (who(), 0usize..2).prop_map(|(who, which)| Act::Remove(who, which)),
        4 => (who(), prop::collection::vec(place, 1..4))
            .prop_map(|(who, writes)| Act::Write(who, writes)),
        5 => who().prop_map(Act::Undo),
        4 => who().prop_map(Act::Redo),
        1 => (0usize..4).prop_map(Act::Move),
        1 => Just(Act::Reopen),
    ]
}

#[derive(Clone, Debug)]
enum Kind {
    Writes(Vec<(Place, Material)>),
    Object(ObjectKey, ObjectStep),
}

struct Made {
    who: u32,
    done: bool,
    kind: Kind,
}

impl Made {
    /// Returns the object that this entry keeps out of the world.
    fn hides(&self) -> Option<ObjectKey> {
        match (&self.kind, self.done) {
            (Kind::Object(key, ObjectStep::Added), false)
            | (Kind::Object(key, ObjectStep::Removed), true) => Some(*key),
            _ => None,
        }
    }
}

#[derive(Default)]
struct Model {
    made: Vec<Made>,
    /// Objects as they were added, and their present origin.
    first: BTreeMap<ObjectKey, (u16, Position)>,
}

fn pattern(what: u16, at: [i32; 3]) -> Material {
    Material((at[0] * 5 + at[1] * 3 + at[2] + i32::from(what)) as u16 % 4)
}

fn voxels_of_extent() -> impl Iterator<Item = [i32; 3]> {
    let size = EXTENT.map(|side| side as i32);
    (0..size.product()).map(move |at| [at % size.x, at / size.x % size.y, at / (size.x * size.y)])
}

type Picture = BTreeMap<Place, Material>;

impl Model {
    fn there(&self) -> Vec<ObjectKey> {
        let hidden: BTreeSet<_> = self.made.iter().filter_map(Made::hides).collect();
        let all = self.first.keys().copied();
        all.filter(|key| !hidden.contains(key)).collect()
    }

    fn replay(&self) -> Picture {
        let mut picture = Picture::new();
        for at in voxels_of_extent() {
            picture.insert((None, at), Material::STONE);
            for (&key, &(what, _)) in &self.first {
                picture.insert((Some(key), at), pattern(what, at));
            }
        }
        for made in self.made.iter().filter(|made| made.done) {
            if let Kind::Writes(writes) = &made.kind {
                picture.extend(writes.iter().copied());
            }
        }
        let there = self.there();
        picture.retain(|(object, _), _| object.is_none_or(|key| there.contains(&key)));
        picture
    }

    fn push(&mut self, who: u32, kind: Kind) {
        let (dropped, kept) = std::mem::take(&mut self.made)
            .into_iter()
            .partition::<Vec<_>, _>(|made| made.who == who && !made.done);
        self.made = kept;
        // An object that can never be restored is lost, with all entries that add or remove it.
        for key in dropped.iter().filter_map(Made::hides) {
            self.first.remove(&key);
            self.made
                .retain(|made| !matches!(made.kind, Kind::Object(other, _) if other == key));
        }
        let done = true;
        self.made.push(Made { who, done, kind });
    }

    fn last_done(&self, who: u32) -> Option<usize> {
        self.made
            .iter()
            .rposition(|made| made.who == who && made.done)
    }

    fn undo(&mut self, who: u32) -> bool {
        let found = self.last_done(who);
        found.into_iter().for_each(|at| self.made[at].done = false);
        found.is_some()
    }

    fn redo(&mut self, who: u32) -> bool {
        let from = self.last_done(who).map_or(0, |at| at + 1);
        let mut later = self.made[from..].iter_mut();
        let found = later.find(|made| made.who == who && !made.done);
        found.map(|made| made.done = true).is_some()
    }
}

fn empty_store() -> Arc<dyn Store> {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let mut changes = Header::new(None).changes().to_vec();
    changes.extend(materials_changes(&MaterialTable::standard()));
    store.commit(&changes).unwrap();
    store
}

/// Makes a world of two stone chunks.
fn two_chunks(store: &Arc<dyn Store>) -> World {
    let mut world = World::open_store(store.clone()).unwrap();
    for chunk in [Cell::zeros(), Cell::x()] {
        let stone = Brick::new(Voxels::uniform(Material::STONE), world.materials());
        world.insert_brick(chunk, stone);
        world.write(|writer| writer.set(chunk * 32 + Cell::repeat(31), Material::GOLD));
    }
    world
}

fn voxel(world: &World, object: Option<ObjectKey>, at: [i32; 3]) -> Material {
    let at = Cell::from(at);
    let Some(key) = object else {
        return world.material(at).unwrap();
    };
    let object = world.object(world.object_by_key(key).unwrap()).unwrap();
    let brick = world.brick(object.brick_at(at.map(|part| part >> 5)).unwrap());
    let [x, y, z] = [at.x, at.y, at.z].map(|part| (part & 31) as usize);
    brick.material(x, y, z)
}

fn picture(world: &World) -> Picture {
    let mut picture = Picture::new();
    let keys = world.objects().map(|(_, object)| Some(object.key()));
    for object in keys.chain([None]) {
        for at in voxels_of_extent() {
            picture.insert((object, at), voxel(world, object, at));
        }
    }
    picture
}

fn origin() -> Position {
    Position::new(Cell::new(-9, 40, 1 << 30), Vector3::new(0.25, 0.5, 0.75))
}

fn step(store: &Arc<dyn Store>, world: &mut World, model: &mut Model, act: &Act) -> bool {
    let there = model.there();
    let pick = |which: usize| there.get(which % there.len().max(1)).copied();
    let id = |space: &Space, key| space.object_by_key(key).unwrap();
    match act {
        Act::Add(who, what) => {
            let at = |at: Vector3<u32>| pattern(*what, at.map(|part| part as i32).into());
            let copy = Clipboard::from_fn(EXTENT, at).unwrap();
            let added = world
                .paste_object(Author(*who), &copy, origin(), 0.5)
                .unwrap();
            let key = world.object(added.id).unwrap().key();
            model.push(*who, Kind::Object(key, ObjectStep::Added));
            model.first.insert(key, (*what, origin()));
        }
        Act::Remove(who, which) => {
            if let Some(key) = pick(*which) {
                let id = id(world, key);
                assert_eq!(world.remove_object_as(Author(*who), id).gone, Some(id));
                model.push(*who, Kind::Object(key, ObjectStep::Removed));
            }
        }
        Act::Write(who, writes) => {
            let before = picture(world);
            world.transact(Author(*who), |writer| {
                for &(which, at, what) in writes {
                    match which.map(pick) {
                        Some(Some(key)) => {
                            let id = id(writer.space(), key);
                            writer.set_in_object(id, Cell::from(at), Material(what));
                        }
                        _ => writer.set(Cell::from(at), Material(what)),
                    }
                }
            });
            let after = picture(world).into_iter();
            let changed: Vec<_> = after.filter(|(place, new)| before[place] != *new).collect();
            if !changed.is_empty() {
                model.push(*who, Kind::Writes(changed));
            }
        }
        Act::Undo(who) => return world.undo(Author(*who)).is_some() == model.undo(*who),
        Act::Redo(who) => return world.redo(Author(*who)).is_some() == model.redo(*who),
        Act::Move(which) => {
            if let Some(key) = pick(*which) {
                let way = Vector3::new(1.5, 0.0, -70.0);
                world.move_object(id(world, key), way);
                let place = &mut model.first.get_mut(&key).unwrap().1;
                *place = place.moved(way);
            }
        }
        Act::Reopen => {
            *world = World::default();
            *world = World::open_store(store.clone()).unwrap();
        }
    }
    true
}

fn check(world: &World, model: &Model) {
    assert_eq!(picture(world), model.replay());
    for (_, object) in world.objects() {
        assert_eq!(*object.origin(), model.first[&object.key()].1);
        assert_eq!((object.extent(), object.voxel_size()), (EXTENT, 0.5));
    }
    assert_eq!(world.save_status().damaged, []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn undo_takes_objects_out_and_back_as_if_it_had_never_been(
        acts in prop::collection::vec(act(), 1..32),
    ) {
        let store = empty_store();
        let (mut world, mut model) = (two_chunks(&store), Model::default());
        for act in &acts {
            prop_assert!(step(&store, &mut world, &mut model, act), "{:?}", act);
            check(&world, &model);
        }
        step(&store, &mut world, &mut model, &Act::Reopen);
        check(&world, &model);
        // The store keeps only objects in the world or its history.
        let kept = store.count(Table::Objects).unwrap();
        prop_assert_eq!(kept, Some(model.first.len() as u64));
    }
}

const A: Author = Author(1);
const B: Author = Author(2);

fn add(world: &mut World, who: Author) -> ObjectId {
    let added = world.add_object_as(who, origin(), 0.5, EXTENT, |_| Material::BRICK);
    added.unwrap().id
}

fn paint(world: &mut World, who: Author, id: ObjectId) {
    world.transact(who, |writer| {
        writer.set_in_object(id, Cell::zeros(), Material::LAMP);
    });
}

#[test]
fn undoing_an_addition_takes_what_others_did_to_it_and_redo_brings_it_back() {
    let mut world = World::default();
    let id = add(&mut world, A);
    let key = world.object(id).unwrap().key();
    paint(&mut world, B, id);
    let undone = world.undo(A).unwrap();
    assert_eq!((undone.gone, undone.objects.len()), (Some(id), 0));
    assert_eq!(world.objects().count(), 0);
    let redone = world.redo(A).unwrap();
    assert_eq!(redone.objects, [world.object_by_key(key).unwrap()]);
    assert_eq!(voxel(&world, Some(key), [0; 3]), Material::LAMP);
    // Edits undone while the object is away are undone when it returns.
    world.undo(A).unwrap();
    let unseen = world.undo(B).unwrap();
    assert_eq!((unseen.voxels, unseen.missed), (0, 0));
    world.redo(A).unwrap();
    assert_eq!(voxel(&world, Some(key), [0; 3]), Material::BRICK);
    world.redo(B).unwrap();
    assert_eq!(voxel(&world, Some(key), [0; 3]), Material::LAMP);
}

#[test]
fn what_two_have_removed_comes_back_when_both_have_it_back() {
    let mut world = World::default();
    let id = add(&mut world, A);
    let key = world.object(id).unwrap().key();
    world.remove_object_as(A, id);
    world.undo(A).unwrap();
    world.remove_object_as(B, world.object_by_key(key).unwrap());
    world.redo(A).unwrap();
    assert_eq!(world.undo(B).unwrap().objects, []);
    assert_eq!(world.object_by_key(key), None);
    assert_eq!(world.undo(A).unwrap().objects.len(), 1);
    assert!(world.object_by_key(key).is_some());
}

#[test]
fn what_is_gone_for_good_is_forgotten_and_not_kept() {
    let store = empty_store();
    let mut world = two_chunks(&store);
    // By removing it without the history.
    let id = add(&mut world, A);
    assert!(world.remove_object(id));
    assert!(world.undo(A).is_none());
    // By an edit after its addition was undone.
    let id = add(&mut world, A);
    let key = world.object(id).unwrap().key();
    world.remove_object_as(B, id);
    world.undo(A).unwrap();
    world.transact(A, |writer| writer.set(Cell::zeros(), Material::GOLD));
    assert!(world.undo(B).is_none() && world.object_by_key(key).is_none());
    // By a budget too small for it.
    let id = add(&mut world, A);
    world.set_history_budget(100);
    assert_eq!(world.remove_object_as(A, id).sequence, None);
    assert!(world.undo(A).is_none());
    assert!(world.history().bytes() <= 100);
    drop(world);
    for table in [Table::Objects, Table::ObjectChunks, Table::History] {
        assert_eq!(store.count(table), Ok(Some(0)), "{table:?}");
    }
}

#[test]
fn what_lies_on_the_shelf_counts_for_the_budget() {
    let mut world = World::default();
    let noise = |at: Vector3<u32>| Material((at.x * 31 + at.y * 17 + at.z * 7) as u16 % 37);
    let added = world.add_object_as(A, origin(), 0.5, Vector3::repeat(32), noise);
    let id = added.unwrap().id;
    let before = world.history().bytes();
    world.remove_object_as(A, id);
    assert!(world.history().bytes() > before + 10_000);
    let most = world.history().bytes();
    world.undo(A).unwrap();
    assert!(world.history().bytes() < before + 1_000);
    world.redo(A).unwrap();
    assert_eq!(world.history().bytes(), most);
    world.set_history_budget(most - 1);
    assert!(world.history().bytes() < most);
}

#[test]
fn passing_objects_come_back_but_are_not_saved() {
    let store = empty_store();
    let mut world = two_chunks(&store);
    let id = world
        .add_passing_object(origin(), 0.5, EXTENT, |_| Material::BRICK)
        .unwrap();
    world.remove_object_as(A, id);
    world.flush().unwrap();
    for table in [Table::Objects, Table::ObjectChunks, Table::History] {
        assert_eq!(store.count(table), Ok(Some(0)), "{table:?}");
    }
    let back = world.undo(A).unwrap().objects[0];
    assert_eq!(world.object(back).unwrap().keeping(), Keeping::Passing);
    // When the object is kept again, its history is saved too, and its removal can be redone.
    let key = world.object(back).unwrap().key();
    world.set_keeping(back, Keeping::Kept);
    drop(world);
    let mut world = World::open_store(store.clone()).unwrap();
    world.redo(A).unwrap();
    assert_eq!(world.object_by_key(key), None);
    drop(world);
    let mut world = World::open_store(store).unwrap();
    assert_eq!(world.objects().count(), 0);
    assert_eq!(world.undo(A).unwrap().objects.len(), 1);
    assert_eq!(voxel(&world, Some(key), [33, 1, 1]), Material::BRICK);
}

#[test]
fn a_copy_of_the_world_has_what_was_removed_too() {
    let file = super::tests::Scratch::new("shelf");
    let mut world = World::default();
    let id = add(&mut world, A);
    let key = world.object(id).unwrap().key();
    paint(&mut world, B, id);
    world.remove_object_as(A, id);
    world.save_as(&file.0).unwrap();
    drop(world);
    assert_eq!(inspect(&file.0).unwrap().objects, 0);
    let mut world = World::open(&file.0).unwrap();
    world.undo(A).unwrap();
    assert_eq!(voxel(&world, Some(key), [0; 3]), Material::LAMP);
    world.undo(B).unwrap();
    assert_eq!(voxel(&world, Some(key), [0; 3]), Material::BRICK);
}

#[test]
fn where_the_past_of_an_object_is_damaged_it_stays_as_it_is() {
    for step in [ObjectStep::Added, ObjectStep::Removed] {
        let store = empty_store();
        let mut world = two_chunks(&store);
        let id = add(&mut world, A);
        if step == ObjectStep::Removed {
            world.remove_object_as(A, id);
        }
        let last = world.history().entries().next_back().unwrap().sequence;
        drop(world);
        let (table, key, value) = (Table::History, last.to_be_bytes().to_vec(), Some(vec![1]));
        let change = StoreChange { table, key, value };
        store.commit(&[change]).unwrap();
        let mut world = World::open_store(store).unwrap();
        let there = usize::from(step == ObjectStep::Added);
        assert_eq!(world.objects().count(), there);
        assert_eq!(world.save_status().damaged[0].part, Part::Edit(last));
        assert!(world.undo(A).is_none());
        assert_eq!(world.objects().count(), there);
    }
}
