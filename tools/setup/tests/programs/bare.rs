//! A program that uses the pieces of `world` that need none of its features: merging, the tree,
//! edits, rays, characters, streamed land of its own, and sight.

use std::sync::Arc;

use collision::{Character, Crowd, Intent, Position};
use nalgebra::Vector3;
use world::fog::{Fog, FogSettings, HeightField, Sight, Unit};
use world::land::{ChunkColumn, ChunkSource, SurfaceRows};
use world::merge::{Around, MergeScratch, merge_render};
use world::{
    Author, Brick, Brush, Material, MaterialTable, Mode, Ray, RenderSurface, StreamSettings,
    Viewer, Voxels, World,
};

type Cell = Vector3<i32>;

/// Endless ground of stone, eight metres high.
struct Plain;

impl ChunkSource for Plain {
    fn chunk_column(&self, _x: i32, _z: i32) -> Box<dyn ChunkColumn + '_> {
        Box::new(Plain)
    }
}

impl ChunkColumn for Plain {
    fn surface_rows(&self) -> SurfaceRows {
        SurfaceRows {
            lowest: 0,
            highest: 0,
        }
    }

    fn voxels(&mut self, row: i32) -> Voxels {
        Voxels::from_fn(|_, y, _| match row * 32 + y as i32 {
            ..8 => Material::STONE,
            _ => Material::AIR,
        })
    }
}

fn main() {
    merge();
    let mut world = World::from_source(MaterialTable::standard(), Arc::new(Plain));
    let here = stream(&mut world, 0);
    edit(&mut world, here);
    walk(&world, here);
    stream(&mut world, 4000);
    assert_eq!(world.material(here), None, "it is unloaded");
    stream(&mut world, 0);
    assert_eq!(world.material(here), Some(Material::AIR), "the edit is back");
    see();
    println!("the pieces hold");
}

fn merge() {
    let materials = MaterialTable::standard();
    let brick = Brick::new(Plain.voxels(0), &materials);
    let (mut surface, mut scratch) = (RenderSurface::default(), MergeScratch::default());
    let air = Brick::default();
    let around = Around::new(&brick, [&air; 6]);
    merge_render(&around, &mut surface, &mut scratch);
    assert_eq!(surface.opaque.quads().len(), 6, "a box has six sides");
}

/// Streams the land about a place, and returns its uppermost voxel.
fn stream(world: &mut World, x: i32) -> Cell {
    let top = Cell::new(x, 7, 0);
    let viewer = Viewer {
        position: Position::new(top, Vector3::repeat(0.5)),
        look: Vector3::zeros(),
        reach: 64.0,
    };
    let report = world.stream_wholly(&[viewer], &StreamSettings::default());
    assert_eq!(report.waiting, 0);
    assert!(world.material(top).is_some());
    top
}

fn edit(world: &mut World, top: Cell) {
    let center = Position::new(top, Vector3::repeat(0.5));
    let report = world.edit(&Brush::sphere(center, 3.0), Mode::Carve, Material::AIR);
    assert!(report.voxels > 0 && report.refused.is_none());
    world.undo(Author::default());
    assert_eq!(world.material(top), Some(Material::STONE));
    world.redo(Author::default());
    let (origin, direction) = (center, Vector3::new(0.0, -1.0, 0.0));
    let hit = world.cast_ray(&Ray { origin, direction }, 50.0);
    assert!(hit.is_some_and(|hit| hit.voxel.y < top.y - 1));
}

fn walk(world: &World, top: Cell) {
    let mut crowd = Crowd::new();
    let start = Position::new(top + Cell::new(8, 2, 0), Vector3::repeat(0.5));
    let walker = crowd.add(Character::at(start).with_radii(0.4, 0.9));
    for _ in 0..120 {
        let west = Intent::walk(Vector3::new(-3.0, 0.0, 0.0));
        crowd.tick(world, &[(walker, west)], 1.0 / 60.0);
    }
    let place = crowd.position(walker).expect("it was added").to_metres();
    assert!(place.y < 8.0, "it walked into the hole: {place}");
}

fn see() {
    let mut heights = HeightField::flat([40, 40], 0);
    heights.set([22, 20], 9);
    let mut fog = Fog::new(heights, 1, FogSettings::default());
    let scout = Unit {
        team: 0,
        tile: [20, 20],
        radius: 8,
        eye: 2,
    };
    fog.add_unit(scout).expect("there is a team 0");
    fog.update();
    let seen = [[18, 20], [25, 20]].map(|tile| fog.sight(0, tile));
    assert_eq!(seen, [Sight::Now, Sight::Never], "one is behind the tower");
}
