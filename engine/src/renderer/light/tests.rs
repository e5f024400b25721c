//! Light that followed edits, lamps and the eye equals the light of a new window.

#![allow(clippy::unwrap_used)]

use collision::{Cell, Position};
use nalgebra::Vector3;
use world::{CellBox, Material, World};

use super::*;
use crate::{Gpu, GpuOptions};

/// A light map and the contents of its buffer.
struct Kept {
    bricks: Bricks,
    light: LightMap,
    words: Vec<u32>,
}

impl Kept {
    fn new(gpu: &Gpu) -> Self {
        Self {
            bricks: Bricks::new(gpu),
            light: LightMap::new(gpu),
            words: vec![0; BRICKS * SIDE * SIDE * SIDE],
        }
    }

    /// Follows one picture; returns the number of computed pieces.
    fn follow(&mut self, gpu: &Gpu, world: &World, lights: &[Light], eye: Cell) -> usize {
        let uploaded = self.bricks.follow(gpu, Some(world), 0);
        let most = self
            .light
            .follow(world, &self.bricks, &uploaded, lights, eye);
        let (light, words) = (&mut self.light, &mut self.words);
        light.relight(world, eye, most, |number, slices, solved| {
            let start = number * SIDE * SIDE * SIDE;
            let part = slices.words();
            words[start + part.start..start + part.end].copy_from_slice(&solved[part]);
        });
        light.pieces() as usize
    }

    fn settle(&mut self, gpu: &Gpu, world: &World, lights: &[Light], eye: Cell) {
        for _ in 0..200 {
            if self.follow(gpu, world, lights, eye) == 0 {
                return;
            }
        }
        panic!("light does not settle");
    }

    fn word(&self, cell: Cell) -> u32 {
        let base = self.light.base.unwrap();
        let at = cell.map(|c| c >> 5) - base;
        let within = cell.map(|c| (c & 31) as usize);
        let voxel = (within.z * SIDE + within.y) * SIDE + within.x;
        self.words[slot(at, self.light.base) * SIDE * SIDE * SIDE + voxel]
    }
}

fn hills() -> World {
    let bounds = CellBox::new(Cell::new(-64, -32, -64), Cell::new(63, 63, 63));
    World::from_voxels(bounds, |cell| {
        let top = 4 + (cell.x * 7 + cell.z * 3).rem_euclid(29) / 9 + (cell.x & cell.z & 8);
        let cave = (cell.y - 2).abs() < 3 && (cell.x + cell.z).rem_euclid(23) < 9;
        let shines = cell.y == 0 && cell.x.rem_euclid(37) == 3 && cell.z.rem_euclid(31) == 5;
        match (cell.y < top, shines) {
            (true, true) => Material::LAMP,
            (true, false) if !cave => Material::STONE,
            _ => Material::AIR,
        }
    })
}

fn mix(number: &mut u32) -> i32 {
    *number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    (*number >> 8) as i32 & 0xffff
}

#[test]
fn light_that_followed_changes_is_the_light_of_a_new_window() {
    let gpu = Gpu::offscreen(GpuOptions::Reference).unwrap();
    let mut world = hills();
    let mut kept = Kept::new(&gpu);
    let mut number = 5;
    for step in 0..14 {
        let eye = Cell::new(step * 6 - 30, 12, 20 - step * 5);
        for _ in 0..3 {
            let low = Cell::new(mix(&mut number) % 90 - 45, 0, mix(&mut number) % 90 - 45);
            let low = low + Cell::new(0, mix(&mut number) % 24 - 4, 0);
            let size = Cell::new(1, 1, 1) + Cell::repeat(mix(&mut number) % 9);
            let materials = [
                Material::AIR,
                Material::AIR,
                Material::BRICK,
                Material::LAMP,
            ];
            let material = materials[mix(&mut number) as usize % 4];
            world.write(|writer| {
                for cell in cells(low, size) {
                    writer.set(cell, material);
                }
            });
        }
        let lights = [Light {
            position: Position::new(Cell::new(step, 9, 3), Vector3::repeat(0.3)),
            color: [1.0, 0.5, 0.2],
            reach: 9.0,
        }];
        let lights = &lights[..usize::from(step % 3 == 1)];
        kept.settle(&gpu, &world, lights, eye);
        let mut fresh = Kept::new(&gpu);
        fresh.settle(&gpu, &world, lights, eye);
        let mut alike = 0;
        for number in 0..BRICKS {
            // The window that followed the eye may be elsewhere than a new one.
            if kept.light.places[number].chunk == fresh.light.places[number].chunk {
                let words = number * SIDE * SIDE * SIDE..(number + 1) * SIDE * SIDE * SIDE;
                let pairs = kept.words[words.clone()].iter().zip(&fresh.words[words]);
                let other = pairs.enumerate().find(|(_, (a, b))| a != b);
                assert_eq!(other, None, "step {step}, brick {number}");
                alike += 1;
            }
        }
        assert!(alike > BRICKS / 2, "only {alike} bricks were compared");
    }
}

fn cells(low: Cell, size: Cell) -> impl Iterator<Item = Cell> {
    let [wide, high, deep] = size.into();
    (0..wide).flat_map(move |x| {
        (0..high).flat_map(move |y| (0..deep).map(move |z| low + Cell::new(x, y, z)))
    })
}

#[test]
fn a_picture_without_changes_works_out_nothing() {
    let gpu = Gpu::offscreen(GpuOptions::Reference).unwrap();
    let mut world = hills();
    let mut kept = Kept::new(&gpu);
    let eye = Cell::new(0, 20, 0);
    kept.follow(&gpu, &world, &[], eye);
    assert_eq!(kept.follow(&gpu, &world, &[], eye), 0);
    // Light from the middle of a chunk reaches no other.
    world.write(|writer| writer.set(Cell::new(16, 16, 16), Material::STONE));
    let pieces = kept.follow(&gpu, &world, &[], eye);
    assert!((1..=2).contains(&pieces), "{pieces} pieces");
    assert_eq!(kept.follow(&gpu, &world, &[], eye), 0);
}

#[test]
fn a_roof_keeps_the_sky_out_and_a_lamp_lights_what_it_reaches() {
    let gpu = Gpu::offscreen(GpuOptions::Reference).unwrap();
    let bounds = CellBox::new(Cell::zeros(), Cell::new(63, 95, 63));
    let mut world = World::from_voxels(bounds, |cell| match cell.y {
        // The roof is above two chunks of air.
        4 | 90 => Material::STONE,
        _ => Material::AIR,
    });
    let mut kept = Kept::new(&gpu);
    let eye = Cell::new(30, 60, 30);
    let place = Cell::new(30, 6, 30);
    kept.settle(&gpu, &world, &[], eye);
    assert_eq!(kept.word(place), 1 << 24, "air without light");
    assert_eq!(kept.word(Cell::new(30, 4, 30)), 0, "solid");
    assert_eq!(
        kept.word(Cell::new(30, 92, 30)) >> 24,
        255,
        "above the roof"
    );
    world.write(|writer| writer.set(Cell::new(40, 5, 30), Material::LAMP));
    kept.settle(&gpu, &world, &[], eye);
    assert!(kept.word(place) & 255 > 10, "the lamp is ten metres off");
    assert_eq!(
        kept.word(Cell::new(20, 6, 30)) & 255,
        0,
        "twenty metres off"
    );
    world.write(|writer| writer.set(Cell::new(31, 90, 30), Material::AIR));
    kept.settle(&gpu, &world, &[], eye);
    assert_eq!(kept.word(Cell::new(31, 6, 30)) >> 24, 255, "under the hole");
    let beside = kept.word(place) >> 24;
    assert!((200..255).contains(&beside), "beside it: {beside}");
}
