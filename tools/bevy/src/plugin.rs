//! Lets entities of a Bevy game walk in a world of voxels.
//!
//! An entity with a [`Walker`] and a `Transform` is a character. Its [`Wish`] is carried out in
//! every fixed tick, among all others, and its `Transform` follows. Blocks are set through
//! [`Land`]; characters that stand on them notice by themselves.

use bevy_app::{App, FixedUpdate, Plugin};
use bevy_ecs::prelude::*;
use bevy_time::{Fixed, Time};
use bevy_transform::components::Transform;
use collision::{Character, CharacterId, Crowd, Intent, Position, Settings};
use nalgebra::Point3;
use world::World as Voxels;

/// Adds the land and the crowd, and their tick.
pub struct WalkersPlugin;

impl Plugin for WalkersPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Walkers>();
        app.add_systems(FixedUpdate, (settle, tick, place).chain());
        app.add_observer(leave);
    }
}

/// The land. Insert it before the first tick.
#[derive(Resource)]
pub struct Land(pub Voxels);

/// All characters.
#[derive(Resource, Default)]
pub struct Walkers {
    /// The crowd, for queries and settings.
    pub crowd: Crowd,
    intents: Vec<(CharacterId, Intent)>,
}

/// Makes an entity a character of these radii, in metres.
#[derive(Component, Clone)]
pub struct Walker {
    pub across: f32,
    pub along: f32,
    pub settings: Settings,
}

impl Default for Walker {
    fn default() -> Self {
        Self {
            across: 0.4,
            along: 0.9,
            settings: Settings::default(),
        }
    }
}

/// The wish of a character for the next ticks.
#[derive(Component, Clone, Default)]
pub struct Wish(pub Intent);

/// The character of an entity in [`Walkers::crowd`]; added in the first tick.
#[derive(Component, Clone, Copy)]
pub struct Known(pub CharacterId);

/// Adds new characters to the crowd, at the places of their transforms.
fn settle(
    mut commands: Commands,
    mut walkers: ResMut<Walkers>,
    new: Query<(Entity, &Walker, &Transform), Without<Known>>,
) {
    for (entity, walker, transform) in &new {
        let at = transform.translation.to_array().map(f64::from);
        let character = Character::at(Position::from_metres(Point3::from(at)))
            .with_radii(walker.across, walker.along)
            .with_settings(walker.settings);
        match walkers.crowd.try_add(character) {
            Ok(id) => {
                commands.entity(entity).insert((Known(id), Wish::default()));
            }
            Err(error) => eprintln!("{entity} is no character: {error}"),
        }
    }
}

/// Carries out all wishes at once.
fn tick(
    time: Res<Time<Fixed>>,
    land: Res<Land>,
    mut walkers: ResMut<Walkers>,
    wishes: Query<(&Known, &Wish)>,
) {
    let walkers = &mut *walkers;
    walkers.intents.clear();
    let intents = wishes.iter().map(|(known, wish)| (known.0, wish.0));
    walkers.intents.extend(intents);
    let report = walkers
        .crowd
        .tick(&land.0, &walkers.intents, time.delta_secs());
    if let Some(error) = report.error {
        eprintln!("the tick was refused: {error}");
    }
}

/// Moves the entities to where their characters are.
fn place(walkers: Res<Walkers>, mut entities: Query<(&Known, &mut Transform)>) {
    for (known, mut transform) in &mut entities {
        if let Some(at) = walkers.crowd.position(known.0) {
            let at: [f64; 3] = at.to_metres().into();
            transform.translation = at.map(|part| part as f32).into();
        }
    }
}

/// Removes the character of an entity that is gone.
fn leave(gone: On<Remove<Known>>, known: Query<&Known>, mut walkers: ResMut<Walkers>) {
    if let Ok(known) = known.get(gone.entity) {
        walkers.crowd.remove(known.0);
    }
}
