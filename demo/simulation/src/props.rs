//! Props in the world: meshes that characters walk on, saved with the world.
//!
//! Each is a triangle soup beside the voxels, at rest. A prop that is moved or turned becomes
//! another soup, so that characters asleep on it wake.

use std::sync::Arc;

use collision::{
    Cell, Motion, ObjectId, PartIndex, Position, Sides, SweepHit, Terrain, Together, TriangleSoup,
    cast_ray_terrain,
};
use nalgebra::Vector3;
use world::World;

use crate::prop_model::{self, PropError, PropModel, TURNS};

use super::Simulation;

/// The most props in a world.
const MOST_PROPS: usize = 256;
/// The most models that a player can add.
const MOST_MODELS: usize = 32;
/// First object id of soups, far above those of voxels.
const FIRST_OBJECT: u32 = 1 << 30;
/// Limit of the distance from the origin, cells.
const FARTHEST: i32 = 1 << 30;
/// Name under which the world keeps the list of props, and prefix of the names of added models.
const LIST: &str = "props";
const MODEL: &str = "prop model ";

/// Returns whether an object is a prop.
pub(super) fn is_prop(object: ObjectId) -> bool {
    object != ObjectId::NONE && object.0 >= FIRST_OBJECT
}

/// Id of a prop until its world is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PropId(pub(super) u32);

/// Place of a prop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stand {
    /// Centre of its floor.
    pub position: Position,
    /// Turn counter-clockwise, in 24ths of a whole turn.
    pub turn: u8,
}

/// One prop.
#[derive(Clone, Debug)]
pub struct Prop {
    /// Id.
    pub id: PropId,
    /// Model.
    pub model: Arc<PropModel>,
    /// Place.
    pub stand: Stand,
    soup: TriangleSoup,
}

/// A hit of a ray against a prop.
#[derive(Clone, Copy, Debug)]
pub struct PropHit {
    /// The prop.
    pub prop: PropId,
    /// Point of the hit.
    pub point: Position,
    /// Distance of the hit, metres.
    pub distance: f32,
}

/// All props of a world, and their models.
#[derive(Clone, Debug)]
pub struct Props {
    list: Vec<Prop>,
    models: Vec<Arc<PropModel>>,
    next: u32,
    /// Bounds of all props; read anew whenever the list changes.
    index: PartIndex,
}

impl Default for Props {
    fn default() -> Self {
        Props {
            list: Vec::new(),
            models: prop_model::shipped(),
            next: 0,
            index: PartIndex::default(),
        }
    }
}

impl Props {
    /// Returns every prop.
    pub fn list(&self) -> &[Prop] {
        &self.list
    }

    /// Returns every model.
    pub fn models(&self) -> &[Arc<PropModel>] {
        &self.models
    }

    /// Returns a prop.
    pub fn get(&self, id: PropId) -> Option<&Prop> {
        self.list.iter().find(|prop| prop.id == id)
    }

    /// Returns the model of a name.
    fn model(&self, name: &str) -> Option<Arc<PropModel>> {
        let mut models = self.models.iter();
        models.find(|model| model.name() == name).cloned()
    }

    /// Calls `work` with the land and all props as one terrain. Does not allocate.
    pub(super) fn with_land<R>(&self, world: &World, work: impl FnOnce(&Together<'_>) -> R) -> R {
        let mut parts: [&dyn Terrain; MOST_PROPS + 1] = [world; MOST_PROPS + 1];
        for (part, prop) in parts[1..].iter_mut().zip(&self.list) {
            *part = &prop.soup;
        }
        work(&self.index.kept(&parts[..=self.list.len()]))
    }

    /// Updates the index after a change of the list.
    fn read_places(&mut self) {
        let soups = self.list.iter().map(|prop| &prop.soup as &dyn Terrain);
        // The first part stands for the land, which is not read.
        let parts: Vec<&dyn Terrain> = soups.clone().take(1).chain(soups).collect();
        self.index.over(&parts);
    }

    /// Returns the first prop on a motion.
    pub fn cast_ray(&self, way: &Motion) -> Option<PropHit> {
        let hits = self.list.iter().filter_map(|prop| {
            let hit: SweepHit = cast_ray_terrain(&prop.soup, way)?;
            Some(PropHit {
                prop: prop.id,
                point: hit.point,
                distance: way.way.norm() * hit.time,
            })
        });
        hits.min_by(|a, b| a.distance.total_cmp(&b.distance))
    }

    /// Places a prop; returns false without room, without such a model, or for an invalid place.
    pub(super) fn place(&mut self, name: &str, stand: Stand) -> bool {
        let Some(model) = self.model(name) else {
            return false;
        };
        if self.list.len() >= MOST_PROPS {
            return false;
        }
        let (id, next) = (PropId(self.next), self.next.wrapping_add(1) % FIRST_OBJECT);
        let Some(soup) = soup_of(id, &model, &stand) else {
            return false;
        };
        self.next = next;
        let stand = sound(stand);
        self.list.push(Prop {
            id,
            model,
            stand,
            soup,
        });
        self.read_places();
        true
    }

    /// Moves a prop; returns false if it is gone, or the place is invalid.
    pub(super) fn move_to(&mut self, id: PropId, stand: Stand) -> bool {
        let Some(prop) = self.list.iter_mut().find(|prop| prop.id == id) else {
            return false;
        };
        let Some(soup) = soup_of(id, &prop.model, &stand) else {
            return false;
        };
        (prop.soup, prop.stand) = (soup, sound(stand));
        self.read_places();
        true
    }

    /// Removes a prop; returns false if it was gone.
    pub(super) fn take(&mut self, id: PropId) -> bool {
        let before = self.list.len();
        self.list.retain(|prop| prop.id != id);
        self.read_places();
        self.list.len() < before
    }

    /// Adds a model of the player's own, in place of an unused one of the same name.
    fn add_model(&mut self, model: PropModel) -> Result<(), PropError> {
        if let Some(place) = self.models.iter().position(|it| it.name() == model.name()) {
            let known = &self.models[place];
            if known.text() != model.text() {
                if place < prop_model::SHIPPED_COUNT
                    || self.list.iter().any(|it| it.model == *known)
                {
                    return Err(PropError::Taken(model.name().to_owned()));
                }
                self.models[place] = Arc::new(model);
            }
            return Ok(());
        }
        if self.models.len() >= MOST_MODELS + prop_model::SHIPPED_COUNT {
            return Err(PropError::Full(MOST_MODELS));
        }
        self.models.push(Arc::new(model));
        Ok(())
    }

    /// Returns every prop as text, one a line.
    pub(super) fn list_text(&self) -> String {
        let mut list = String::new();
        for Prop { model, stand, .. } in &self.list {
            let Stand { position, turn } = stand;
            let [x, y, z] = position.cell.into();
            let [a, b, c] = position.offset.into();
            list += &format!("{x} {y} {z} {a} {b} {c} {turn} {}\n", model.name());
        }
        list
    }

    /// Replaces all props by those of a list; unchanged ones are kept. Returns the invalid lines.
    pub(super) fn restore(&mut self, list: &str) -> Vec<PropError> {
        let mut before = std::mem::take(&mut self.list);
        let mut errors = Vec::new();
        for line in list.lines() {
            let place = parse(line).and_then(|(name, stand)| {
                let same = |it: &Prop| it.model.name() == name && it.stand == stand;
                before.iter().position(same)
            });
            let placed = match place {
                Some(place) => {
                    self.list.push(before.remove(place));
                    true
                }
                None => parse(line).is_some_and(|(name, stand)| self.place(name, stand)),
            };
            if !placed {
                let line: String = line.chars().take(80).collect();
                errors.push(PropError::Saved(line));
            }
        }
        self.read_places();
        errors
    }

    /// Stores all props in the world, with the added models that they use, or that `may_return`
    /// reports.
    pub(super) fn keep_in(&self, world: &mut World, may_return: impl Fn(&World, &str) -> bool) {
        let list = self.list_text();
        // Names and lengths are within the limits: models were checked when they were read.
        if list.is_empty() {
            world.forget_bytes(LIST);
        } else {
            let _ = world.keep_bytes(LIST, list.as_bytes());
        }
        for model in &self.models[prop_model::SHIPPED_COUNT..] {
            let name = format!("{MODEL}{}", model.name());
            let is_used = self.list.iter().any(|prop| prop.model == *model);
            if is_used || may_return(world, model.name()) {
                let _ = world.keep_bytes(&name, model.text().as_bytes());
            } else {
                world.forget_bytes(&name);
            }
        }
    }

    /// Returns whether a world keeps a part of its props under a name.
    pub(super) fn is_kept_name(name: &str) -> bool {
        name == LIST || name.starts_with(MODEL)
    }

    /// Returns the names under which a world keeps its props.
    pub(super) fn kept_names(world: &World) -> impl Iterator<Item = &str> {
        world.kept_names().filter(|name| Self::is_kept_name(name))
    }

    /// Returns the props that a world keeps, and errors for those that could not be read.
    pub(super) fn kept_in(world: &World) -> (Self, Vec<PropError>) {
        let (mut props, mut errors) = (Props::default(), Vec::new());
        for kept in world.kept_names() {
            let (Some(name), Some(bytes)) = (kept.strip_prefix(MODEL), world.kept_bytes(kept))
            else {
                continue;
            };
            let text = String::from_utf8(bytes.to_vec()).map_err(|_| PropError::NoText);
            let model = text.and_then(|text| PropModel::parse(name, text));
            errors.extend(model.and_then(|model| props.add_model(model)).err());
        }
        let list = world.kept_bytes(LIST).unwrap_or_default();
        errors.extend(props.restore(&String::from_utf8_lossy(list)));
        (props, errors)
    }
}

/// Parses a line of the kept list.
fn parse(line: &str) -> Option<(&str, Stand)> {
    let mut words = line.splitn(8, ' ');
    let mut cell = || words.next()?.parse::<i32>().ok();
    let cell = Cell::new(cell()?, cell()?, cell()?);
    let mut part = || words.next()?.parse::<f32>().ok();
    let offset = Vector3::new(part()?, part()?, part()?);
    let turn = words.next()?.parse().ok()?;
    let inside = offset.iter().all(|part| (0.0..1.0).contains(part));
    let position = Position::new(cell, offset);
    Some((words.next()?, Stand { position, turn })).filter(|_| inside)
}

fn sound(stand: Stand) -> Stand {
    Stand {
        turn: stand.turn % TURNS,
        ..stand
    }
}

/// Returns the triangles of a model at its place; `None` for an invalid place.
fn soup_of(id: PropId, model: &PropModel, stand: &Stand) -> Option<TriangleSoup> {
    let Position { cell, offset } = stand.position;
    let inside = cell.iter().all(|part| part.abs() < FARTHEST);
    if !inside || !offset.iter().all(|part| part.is_finite()) {
        return None;
    }
    let object = ObjectId(FIRST_OBJECT + id.0);
    let mesh = model.turned(stand.turn);
    TriangleSoup::from_obj(object, stand.position, &mesh, Sides::Both).ok()
}

impl Simulation {
    /// Returns props and their models.
    pub fn props(&self) -> &Props {
        &self.props
    }

    /// Adds a model of the player's own.
    pub fn add_prop_model(&mut self, model: PropModel) -> Result<(), PropError> {
        self.props.add_model(model)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use world::{CellBox, Material};

    use super::*;
    use crate::rules::Characters;
    use crate::{CannonShot, Command, PastWork, PlayerId, Travel, Wish, standing_in};

    /// Level ground with its surface at 0.
    fn level() -> World {
        let bounds = CellBox::new(Cell::new(-32, -8, -32), Cell::new(31, 31, 31));
        World::from_voxels(bounds, |cell| match cell.y {
            ..0 => Material::STONE,
            _ => Material::AIR,
        })
    }

    fn stand(x: i32, z: i32, turn: u8) -> Stand {
        let position = Position::new(Cell::new(x, 0, z), Vector3::new(0.5, 0.0, 0.5));
        Stand { position, turn }
    }

    fn place(model: &str, stand: Stand) -> Command {
        let model = model.to_owned();
        Command::PlaceProp { model, stand }
    }

    /// Returns the player, on foot, in the middle of level ground.
    fn on_foot(world: World) -> Simulation {
        let tuning = Characters::default();
        let home = standing_in(Cell::zeros(), tuning.half_height);
        let mut simulation = Simulation::new(world, home, &tuning);
        simulation.apply(PlayerId::FIRST, &Command::Travel(Travel::Walk));
        simulation
    }

    fn feet(simulation: &Simulation) -> f64 {
        let half = f64::from(Characters::default().half_height);
        simulation.player_position().to_metres().y - half
    }

    /// Walks towards -z for some ticks.
    fn walk(simulation: &mut Simulation, ticks: u32) {
        let forward = Wish {
            forward: 1.0,
            ..Wish::default()
        };
        (0..ticks).for_each(|_| simulation.tick(&forward.alone()));
    }

    #[test]
    fn a_ramp_is_walked_up_and_one_that_is_taken_away_is_fallen_from() {
        let mut simulation = on_foot(level());
        // It rises towards -z: from z = -1.5 to 2 m at z = -6.5.
        simulation.apply(PlayerId::FIRST, &place("ramp", stand(0, -4, 0)));
        let mut highest = 0.0_f64;
        let mut at_top = false;
        for _ in 0..600 {
            walk(&mut simulation, 1);
            let at = simulation.player_position().to_metres();
            highest = highest.max(feet(&simulation));
            at_top = at.z < -4.9;
            if at_top {
                break;
            }
            // The slope is 0.4, under the middle of the character.
            let slope = ((-1.0 - at.z) * 0.4).max(0.0);
            assert!(feet(&simulation) > slope - 0.35, "sank at {at}");
        }
        assert!(at_top && highest > 1.2, "reached {highest} m");
        (0..30).for_each(|_| simulation.tick(&Wish::default().alone()));
        assert!(simulation.is_grounded() && feet(&simulation) > 1.2);
        let ramp = simulation.props().list()[0].id;
        simulation.apply(PlayerId::FIRST, &Command::TakeProp(ramp));
        (0..60).for_each(|_| simulation.tick(&Wish::default().alone()));
        let feet = feet(&simulation);
        assert!(feet.abs() < 0.05, "stands {feet} m high in the air");
    }

    #[test]
    fn a_statue_is_walked_around_and_not_through() {
        let mut simulation = on_foot(level());
        simulation.apply(PlayerId::FIRST, &place("statue", stand(0, -4, 3)));
        walk(&mut simulation, 240);
        let at = simulation.player_position().to_metres();
        assert!(at.z > -3.2, "walked into it to {at}");
        // With the statue moved away, the path is free.
        let statue = simulation.props().list()[0].id;
        let stand = stand(12, -4, 3);
        simulation.apply(
            PlayerId::FIRST,
            &Command::MoveProp {
                prop: statue,
                stand,
            },
        );
        walk(&mut simulation, 120);
        let at = simulation.player_position().to_metres();
        assert!(at.z < -7.0, "is held up at {at}");
    }

    #[test]
    fn props_are_saved_with_the_world_and_come_back() {
        let name = format!("demo-props-{}.voxels", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_file(&path);
        let mut simulation = on_foot(World::create(&path, 5).unwrap());
        let text = "v 0 0 0\nv 3 0 0\nv 0 4 0\nf 1 2 3\n".to_owned();
        let own = PropModel::parse("my own flag", text).unwrap();
        simulation.add_prop_model(own).unwrap();
        simulation.apply(PlayerId::FIRST, &place("my own flag", stand(3, 70, 5)));
        simulation.apply(PlayerId::FIRST, &place("rock", stand(-9, 70, 30)));
        simulation.apply(PlayerId::FIRST, &place("statue", stand(1, 1, 1)));
        let statue = simulation.props().list()[2].id;
        simulation.apply(PlayerId::FIRST, &Command::TakeProp(statue));
        simulation.world.flush().unwrap();
        drop(simulation);
        let (props, errors) = Props::kept_in(&World::open(&path).unwrap());
        assert!(errors.is_empty(), "{errors:?}");
        let list: Vec<_> = props
            .list()
            .iter()
            .map(|it| (it.model.name(), it.stand))
            .collect();
        let expected = [
            ("my own flag", stand(3, 70, 5)),
            ("rock", stand(-9, 70, 30 % TURNS)),
        ];
        assert_eq!(list, expected);
        std::fs::remove_file(&path).unwrap();
    }

    /// Checks that a ray over the land and the kept index meets the same as over the current props.
    fn check_land(props: &Props, world: &World, start: Position, way: Vector3<f32>) {
        let mut parts: Vec<&dyn Terrain> = vec![world];
        parts.extend(props.list().iter().map(|prop| &prop.soup as &dyn Terrain));
        let motion = Motion { start, way };
        let fresh = Together::new(&parts);
        let expected = cast_ray_terrain(&fresh, &motion);
        let (found, revision) = props.with_land(world, |land| {
            (cast_ray_terrain(land, &motion), land.revision())
        });
        assert_eq!(format!("{found:?}"), format!("{expected:?}"));
        assert_eq!(revision, fresh.revision());
    }

    #[test]
    fn land_holds_the_props_that_are_there_now() {
        let mut simulation = on_foot(level());
        let start = Position::new(Cell::new(-30, 1, 0), Vector3::new(0.5, 0.5, 0.5));
        let check = |simulation: &Simulation| {
            let way = Vector3::new(60.0, 0.0, 0.0);
            check_land(&simulation.props, &simulation.world, start, way);
        };
        check(&simulation);
        for x in 0..20 {
            simulation.apply(
                PlayerId::FIRST,
                &place("rock", stand(x * 2 - 20, x % 3, x as u8)),
            );
            check(&simulation);
        }
        for index in [3, 0, 7] {
            let prop = simulation.props().list()[index].id;
            let stand = stand(25 - index as i32, 0, 1);
            simulation.apply(PlayerId::FIRST, &Command::MoveProp { prop, stand });
            check(&simulation);
            let prop = simulation.props().list()[0].id;
            simulation.apply(PlayerId::FIRST, &Command::TakeProp(prop));
            check(&simulation);
        }
        for _ in 0..10 {
            simulation.apply(PlayerId::FIRST, &Command::Undo);
            check(&simulation);
        }
    }

    #[test]
    fn saved_props_that_make_no_sense_are_told_of_and_left_out() {
        let mut world = World::default();
        let lines = "1 2 3 0 0 0 4 rock\n1 2 3 0 nan 0 4 rock\n1 2 3 0 0 0 4 nothing\nx\n";
        world.keep_bytes(LIST, lines.as_bytes()).unwrap();
        world.keep_bytes("prop model bad", b"f 1 2 3").unwrap();
        world.keep_bytes("prop model worse", &[0xff, 0xfe]).unwrap();
        let (props, errors) = Props::kept_in(&world);
        assert_eq!((props.list().len(), errors.len()), (1, 5));
    }

    #[test]
    fn a_ball_stops_at_a_prop_and_carves_nothing() {
        let mut simulation = on_foot(level());
        let wish = Wish {
            pitch: 0.1,
            ..Wish::default()
        };
        simulation.apply(PlayerId::FIRST, &place("statue", stand(0, -9, 0)));
        simulation.tick(&wish.alone());
        let shot = CannonShot::charged(wish.sight(), 0.3);
        let mut path = Vec::new();
        simulation.preview_shot(&shot, &mut path);
        let end = path.last().unwrap().to_metres();
        assert!((-8.2..-7.0).contains(&end.z) && end.y > 0.5, "{end}");
        simulation.apply(PlayerId::FIRST, &Command::Fire(shot));
        (0..120).for_each(|_| simulation.tick(&Wish::default().alone()));
        assert_eq!(simulation.cannon().balls().len(), 0);
        let strokes: Vec<_> = simulation.strokes().collect();
        assert!(
            strokes.len() == 1 && strokes[0].work == PastWork::Props("statue placed"),
            "{strokes:?}"
        );
    }

    #[test]
    fn a_look_meets_the_nearest_prop_and_passes_by_others() {
        let mut simulation = on_foot(level());
        for z in [-12, -6] {
            simulation.apply(PlayerId::FIRST, &place("statue", stand(0, z, 0)));
        }
        let start = Position::new(Cell::new(0, 1, 0), Vector3::new(0.5, 0.5, 0.5));
        let cast = |way| simulation.props().cast_ray(&Motion { start, way });
        let hit = cast(Vector3::new(0.0, 0.0, -40.0)).unwrap();
        assert_eq!(hit.prop, simulation.props().list()[1].id);
        assert!((5.0..6.2).contains(&hit.distance), "{}", hit.distance);
        assert!(cast(Vector3::new(0.0, 0.0, 40.0)).is_none());
    }
}
