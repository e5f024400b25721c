//! Our crowd on our world, with and without meeting each other.

use crate::ground::Ground;
use crate::indexes::{Corners, chunk_boxes, mover_boxes, time_queries};
use crate::meshing::time_all;
use crate::report::Row;
use crate::walk::{Body, GRAVITY, HALF_HEIGHT, Plan, RADIUS, TICK, Walkers};
use collision::{Character, CharacterId, Crowd, Intent, MoverConfig, Position, Settings};
use nalgebra::{Point3, Vector3};
use world::merge::{MergeScratch, merge_render};
use world::{CellBox, KdTree, Material, RenderSurface, World};

/// Air above the ground, in metres, closed in by the walls around it.
const HEADROOM: i32 = 128;

/// The world of a ground whose voxels are a metre, with walls at the sides and a floor below.
pub fn world(ground: &Ground) -> World {
    let [width, height, depth] = ground.size.map(|length| length as i32);
    let bounds = CellBox::new(
        Vector3::new(-1, -1, -1),
        Vector3::new(width, height + HEADROOM - 1, depth),
    );
    World::from_voxels(bounds, |cell| {
        if ground.is_solid([cell.x, cell.y, cell.z]) {
            Material::STONE
        } else {
            Material::AIR
        }
    })
}

/// Whether characters stop at each other.
#[derive(Clone, Copy, PartialEq)]
pub enum Meeting {
    Nobody,
    EachOther,
}

pub struct Ours<'a> {
    world: &'a World,
    crowd: Crowd,
    ids: Vec<CharacterId>,
    intents: Vec<(CharacterId, Intent)>,
}

impl<'a> Ours<'a> {
    pub fn new(world: &'a World, plan: &Plan<'_>, meeting: Meeting) -> Self {
        let mut crowd = Crowd::new();
        let mover = MoverConfig {
            step_height: plan.step,
            ..MoverConfig::default()
        };
        let settings = Settings {
            gravity: GRAVITY,
            mover,
            ..Settings::default()
        };
        let layers = if meeting == Meeting::EachOther { 1 } else { 0 };
        let ids = plan
            .starts
            .iter()
            .map(|start| {
                let at = Position::from_metres(Point3::from(start.map(f64::from)));
                let character = Character::at(at)
                    .with_radii(RADIUS, HALF_HEIGHT)
                    .with_layers(layers, layers)
                    .with_settings(settings);
                crowd.add(character)
            })
            .collect();
        Self {
            world,
            crowd,
            ids,
            intents: Vec::new(),
        }
    }
}

impl Walkers for Ours<'_> {
    fn body(&self) -> Body {
        Body::Ellipsoid
    }

    fn tick(&mut self, wishes: &[[f32; 2]]) {
        self.intents.clear();
        let walk = |wish: &[f32; 2]| Intent::walk(Vector3::new(wish[0], 0.0, wish[1]));
        self.intents
            .extend(self.ids.iter().copied().zip(wishes.iter().map(walk)));
        self.crowd.tick(self.world, &self.intents, TICK);
    }

    fn center(&self, index: usize) -> [f32; 3] {
        let place = self
            .crowd
            .position(self.ids[index])
            .map(|place| place.to_metres());
        place.map_or([f32::NAN; 3], |point| {
            point.coords.map(|value| value as f32).into()
        })
    }
}

/// Our merge of the same chunks, and how many quads it makes.
pub fn merging(world: &World, chunks: &[[i32; 3]]) -> (Row, usize) {
    let mut scratch = MergeScratch::default();
    let mut surface = RenderSurface::default();
    let mut around: Vec<_> = chunks
        .iter()
        .filter_map(|&chunk| world.brick_at(Vector3::from(chunk)))
        .map(|brick| world.around(brick))
        .collect();
    let (mut times, quads) = time_all(&mut around, |around| {
        merge_render(around, &mut surface, &mut scratch);
        surface.opaque.quads().len()
    });
    (
        Row::timed("world.merge.render", "ours", "us", &mut times),
        quads,
    )
}

/// Our index on the movers' queries.
pub fn index() -> Row {
    let cells = |corners: &Corners| {
        let cell = |point: [f32; 3]| Vector3::from(point).map(|value: f32| value.floor() as i32);
        CellBox::new(
            cell(corners[0]),
            cell(corners[1].map(|value| value - 0.001)),
        )
    };
    let mut tree = KdTree::new();
    for (item, corners) in chunk_boxes().iter().enumerate() {
        tree.insert(item as u32, cells(corners));
    }
    time_queries("world.index.sweep", "ours", &mover_boxes(4096), |query| {
        let mut found = 0;
        tree.visit_box(&cells(query), |_| found += 1);
        found
    })
}
