//! Strokes of several players: shown at once, in the order of the server, and taken back when they
//! are refused; and the land of a client that comes late.

#![allow(clippy::unwrap_used)]

mod table;

use std::sync::Arc;

use collision::Cell;
use simulation::{
    BrushMode, BrushShape, Command, Input, Joins, Limits, Random, Role, Stroke, Wish,
};
use table::link::Impairment;
use table::{Table, plain};
use world::save::{MemoryStore, Store};
use world::{CellBox, Material, World};

fn stroke(center: Cell, size: u32, mode: BrushMode) -> Stroke {
    Stroke {
        center,
        size,
        shape: BrushShape::Sphere,
        mode,
        material: Material::GOLD,
        joins: Joins::Nothing,
    }
}

fn any_stroke(random: &mut Random) -> Stroke {
    let mut part = |low: f32, high: f32| random.between(low, high) as i32;
    let center = Cell::new(part(-14.0, 14.0), part(-6.0, 6.0), part(-14.0, 14.0));
    let mode = BrushMode::ALL[random.below(6) as usize];
    Stroke {
        shape: BrushShape::ALL[random.below(4) as usize],
        material: [Material::GOLD, Material::STONE, Material::ICE][random.below(3) as usize],
        ..stroke(center, 1 + random.below(5) as u32, mode)
    }
}

#[test]
fn strokes_of_several_players_come_to_the_same_land() {
    let mut table = Table::new(plain(), Limits::default());
    let count = 3;
    for _ in 0..count {
        table.join(Role::Build, plain(), Impairment::BAD);
    }
    table.run(180);
    let mut random = Random::new(5);
    for round in 0..6 {
        for _ in 0..300 {
            for guest in &mut table.guests {
                if random.once_in(12) {
                    let command = match random.below(8) {
                        0 => Command::Undo,
                        1 => Command::Redo,
                        _ => Command::Edit(any_stroke(&mut random)),
                    };
                    guest.apply(&command);
                }
            }
            table.tick();
        }
        // Ordered messages may be late by several round trips.
        table.run(240);
        for guest in 0..count {
            table.assert_same_land(guest);
        }
        println!("round {round}: {:?}", table.guests[0].client().figures());
    }
    for guest in &mut table.guests {
        let figures = guest.client().figures();
        assert!(figures.in_time > figures.late, "{figures:?}");
    }
}

#[test]
fn an_own_stroke_shows_at_once_and_is_applied_at_its_tick() {
    let mut table = Table::new(plain(), Limits::default());
    let calm = Impairment {
        delay: [120.0, 180.0],
        ..Impairment::NONE
    };
    let [one, other] = [0; 2].map(|_| table.join(Role::Build, plain(), calm));
    // Until the leads have settled.
    table.run(900);
    let at = Cell::new(20, 3, 20);
    let gold = |table: &mut Table, guest: usize| {
        let world = &table.guests[guest].simulation.world;
        world.material(at) == Some(Material::GOLD)
    };
    table.guests[one].apply(&Command::Edit(stroke(at, 1, BrushMode::Place)));
    assert!(gold(&mut table, one) && !gold(&mut table, other));
    let mut waited = 0;
    while !gold(&mut table, other) {
        table.tick();
        waited += 1;
        assert!(waited < 40);
    }
    // Two ways of at most 180 ms, which end with a tick, and at most five ticks of waiting.
    assert!(waited <= 11 + 11 + 1 + 5, "{waited}");
    table.run(60);
    let figures = table.guests[one].client().figures();
    assert_eq!((figures.in_time, figures.late), (1, 0));
}

#[test]
fn refused_strokes_are_taken_back_beneath_later_ones() {
    let mut table = Table::new(plain(), Limits::default());
    let guest = table.join(Role::Build, plain(), Impairment::BAD);
    table.run(180);
    let near = Cell::new(9, 3, 9);
    // No brush is as large as the second one.
    for (center, size) in [(near, 3), (near, 25), (near + Cell::x(), 2)] {
        let command = Command::Edit(stroke(center, size, BrushMode::Place));
        table.guests[guest].apply(&command);
    }
    let is_gold = |table: &mut Table, cell: Cell| {
        table.guests[guest].simulation.world.material(cell) == Some(Material::GOLD)
    };
    let inside_the_large = near + Cell::new(0, 15, 0);
    assert!(is_gold(&mut table, near) && is_gold(&mut table, inside_the_large));
    table.run(300);
    assert!(is_gold(&mut table, near) && !is_gold(&mut table, inside_the_large));
    table.assert_same_land(guest);
    let walker = table.join(Role::Walk, plain(), Impairment::BAD);
    table.run(180);
    let command = Command::Edit(stroke(near, 2, BrushMode::Carve));
    table.guests[walker].apply(&command);
    table.guests[walker].apply(&Command::SetCrowd(9));
    table.run(240);
    table.assert_same_land(walker);
}

fn generated() -> World {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let mut world = World::create_in(store, 5).unwrap();
    let spawn = Cell::from(world.spawn().unwrap().cell);
    let reach = Cell::new(40, 32, 40);
    let about = CellBox::new(spawn - reach, spawn + reach);
    world.load(&about).unwrap();
    world
}

#[test]
fn a_late_client_gets_the_land_as_it_is_while_others_build() {
    let mut table = Table::new(generated(), Limits::default());
    let builder = table.join(Role::Build, generated(), Impairment::BAD);
    table.run(180);
    let spawn = table.server.simulation().world.spawn();
    let spawn = Cell::from(spawn.unwrap().cell);
    let mut random = Random::new(8);
    let mut build = |table: &mut Table, ticks: u32| {
        for _ in 0..ticks {
            if random.once_in(4) {
                let mut stroke = any_stroke(&mut random);
                let away = [0; 3].map(|_| random.between(-30.0, 30.0) as i32);
                stroke.center = spawn + Cell::new(away[0], away[1] / 3, away[2]);
                stroke.size += 2;
                let command = Command::Edit(stroke);
                table.guests[builder].apply(&command);
            }
            table.tick();
        }
    };
    build(&mut table, 300);
    let late = table.join(Role::Walk, generated(), Impairment::BAD);
    table.guests[late].input = Input::of(&Wish::default());
    build(&mut table, 300);
    table.run(240);
    assert!(table.guests[late].client().is_synced());
    for guest in [builder, late] {
        table.assert_same_land(guest);
    }
}
