//! Commands that the guard lets through and refuses.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use world::{Clipboard, Material};

use super::*;
use crate::level_ground::on_level_ground;
use crate::{
    Blow, BrushMode, BrushShape, CannonShot, Characters, FogChoice, Joins, Mood, RegionWork, Stand,
    Stroke, Switch, Wish,
};

const GUEST: PlayerId = PlayerId(7);

/// Returns level ground with a guest, and its guard.
fn guarded(role: Role, limits: Limits) -> (Simulation, Guard) {
    let mut simulation = on_level_ground(0);
    let mut guard = Guard::new(limits);
    guard.join(&mut simulation, GUEST, role).unwrap();
    (simulation, guard)
}

fn dig_at(center: Cell, size: u32) -> Command {
    Command::Edit(Stroke {
        center,
        size,
        shape: BrushShape::Cube,
        mode: BrushMode::Carve,
        material: Material::AIR,
        joins: Joins::Nothing,
    })
}

/// Returns a command of each kind, with the least role that may give it.
fn commands() -> Vec<(Role, Command)> {
    let at = Position::new(Cell::new(1, 1, 1), Vector3::repeat(0.5));
    let stand = Stand {
        position: at,
        turn: 0,
    };
    let cells = CellBox::new(Cell::zeros(), Cell::repeat(2));
    let model = "rock".to_owned();
    let voxels = Clipboard::from_fn(Vector3::repeat(2), |_| Material::STONE);
    let voxels = Arc::new(voxels.unwrap());
    let shot = CannonShot::charged(Vector3::x(), 0.5);
    let build = [
        Command::Travel(Travel::Fly),
        dig_at(Cell::zeros(), 2),
        Command::Undo,
        Command::Redo,
        Command::GoOn,
        Command::Copy {
            from: cells.min,
            to: cells.max,
        },
        Command::TakeInHand(voxels.clone()),
        Command::PlacePiece {
            voxels,
            at: cells.min,
            joins: Joins::Nothing,
        },
        Command::Paste(cells.min),
        Command::PlaceModel(at),
        Command::PlaceProp { model, stand },
        Command::Work(cells, RegionWork::Hollow),
        Command::Fire(shot),
    ];
    let owner = [
        Command::GoToStroke(0),
        Command::Teleport(at),
        Command::SetCrowd(1),
        Command::SetMood(Mood::Follow),
        Command::SetPlatforms(Switch::Off),
        Command::SetFog(Switch::Off),
        Command::TuneFog(FogChoice::default()),
        Command::ScatterTargets(1),
        Command::Tune(Characters::default()),
    ];
    let walk = [
        Command::Travel(Travel::Walk),
        Command::Spawn,
        Command::Strike(Blow::Swing),
        Command::ThrowPickup,
    ];
    let of = |role| move |command| (role, command);
    let walk = walk.into_iter().map(of(Role::Walk));
    let build = build.into_iter().map(of(Role::Build));
    walk.chain(build)
        .chain(owner.into_iter().map(of(Role::Owner)))
        .collect()
}

#[test]
fn a_role_gives_its_own_commands_and_no_others() {
    for role in Role::ALL {
        let (mut simulation, mut guard) = guarded(role, Limits::default());
        for (needs, command) in commands() {
            let applied = guard.apply(&mut simulation, GUEST, &command);
            match role >= needs {
                true => assert!(applied.is_ok(), "{role:?} {command:?} {applied:?}"),
                false => assert_eq!(applied, Err(Refusal::Role { needs }), "{command:?}"),
            }
        }
        let dig = dig_at(Cell::zeros(), 1);
        let stranger = guard.apply(&mut simulation, PlayerId(3), &dig);
        assert_eq!(stranger, Err(Refusal::Stranger));
    }
}

#[test]
fn a_refused_command_changes_nothing() {
    let (mut simulation, mut guard) = guarded(Role::Look, Limits::default());
    let before = simulation.state_hash();
    for (_, command) in commands() {
        assert!(guard.apply(&mut simulation, GUEST, &command).is_err());
    }
    assert_eq!(simulation.state_hash(), before);
}

#[test]
fn a_looker_looks_about_and_stays() {
    let wish = Wish {
        yaw: 1.0,
        forward: 1.0,
        up: 1.0,
        sprint: true,
        ..Wish::default()
    };
    for (role, moves) in [(Role::Look, false), (Role::Walk, true)] {
        let (mut simulation, guard) = guarded(role, Limits::default());
        (0..60).for_each(|_| simulation.tick(&[]));
        let place = |simulation: &Simulation| {
            let guest = simulation.bodies.index(GUEST).unwrap();
            simulation.place_of(guest)
        };
        let before = place(&simulation);
        let input = guard.allow(GUEST, Input::of(&wish));
        assert!((input.wish().yaw - wish.yaw).abs() < 1e-3);
        (0..60).for_each(|_| simulation.tick(&[(GUEST, input)]));
        assert_eq!(place(&simulation) != before, moves);
    }
    let nobody = Guard::default();
    assert_eq!(nobody.allow(GUEST, Input::of(&wish)).wish().forward, 0.0);
}

#[test]
fn far_large_and_wild_commands_are_refused() {
    let limits = Limits {
        reach: 10.0,
        most_voxels: 1000,
        ..Limits::default()
    };
    let (mut simulation, mut guard) = guarded(Role::Owner, limits);
    let mut apply = |command: Command| guard.apply(&mut simulation, GUEST, &command);
    assert!(apply(dig_at(Cell::new(9, 0, 0), 5)).is_ok());
    for far in [
        dig_at(Cell::new(30, 0, 0), 5),
        dig_at(Cell::repeat(i32::MIN), 1),
        Command::Work(
            CellBox::new(Cell::new(31, 0, 0), Cell::new(32, 1, 1)),
            RegionWork::Empty,
        ),
    ] {
        assert!(matches!(apply(far), Err(Refusal::Far { .. })));
    }
    let cube = CellBox::new(Cell::zeros(), Cell::repeat(10));
    for large in [
        dig_at(Cell::zeros(), 24),
        Command::Work(cube, RegionWork::Empty),
        Command::Work(
            CellBox::new(Cell::zeros(), Cell::zeros()),
            RegionWork::Move(Cell::new(i32::MAX, 0, 0)),
        ),
    ] {
        assert!(matches!(apply(large), Err(Refusal::Large { .. })));
    }
    let beyond = Position {
        cell: Cell::zeros(),
        offset: Vector3::repeat(f32::NAN),
    };
    let turned = CellBox {
        min: Cell::repeat(1),
        max: Cell::zeros(),
    };
    for wild in [
        dig_at(Cell::zeros(), 0),
        dig_at(Cell::zeros(), u32::MAX),
        Command::PlaceModel(beyond),
        Command::Work(turned, RegionWork::Empty),
        Command::Fire(CannonShot {
            direction: Vector3::repeat(f32::NAN),
            speed: 1.0,
        }),
    ] {
        assert_eq!(apply(wild), Err(Refusal::Unsound));
    }
}

#[test]
fn commands_and_voxels_are_let_through_at_their_rates() {
    let rate = |a_second, at_once| Rate { a_second, at_once };
    let limits = Limits {
        commands: rate(20, 10),
        voxels: rate(600, 50),
        ..Limits::default()
    };
    let (mut simulation, mut guard) = guarded(Role::Build, limits);
    let mut done = 0;
    for _ in 0..600 {
        for _ in 0..3 {
            done += u32::from(guard.apply(&mut simulation, GUEST, &Command::Undo).is_ok());
        }
        guard.tick();
    }
    assert!((208..=212).contains(&done), "{done}");
    // A stroke of 125 voxels overdraws, and its debt is waited for.
    (0..600).for_each(|_| guard.tick());
    let mut mined = 0;
    let mut refused = 0;
    for tick in 0..600 {
        let center = Cell::new(tick % 100 - 50, -3, (tick / 100) * 6 - 20);
        match guard.apply(&mut simulation, GUEST, &dig_at(center, 3)) {
            Ok(report) => mined += report.voxels,
            Err(Refusal::Often { ticks }) => {
                assert!(ticks < 20);
                refused += 1;
            }
            Err(error) => panic!("{error}"),
        }
        guard.tick();
    }
    assert!(
        (5500..=6300).contains(&mined) && refused > 400,
        "{mined} {refused}"
    );
}

#[test]
fn land_that_commands_load_counts_as_much_as_voxels() {
    let mut simulation = {
        let world = world::World::generate(3);
        let spawn = Cell::from(world.spawn().unwrap().cell);
        let tuning = Characters::default();
        let home = crate::standing_in(spawn, tuning.half_height);
        Simulation::new(world, home, &tuning)
    };
    let mut guard = Guard::new(Limits::default());
    guard.join(&mut simulation, GUEST, Role::Build).unwrap();
    let here = simulation.home().cell;
    let mut copy = |corner: Cell| {
        let from = here + corner;
        let to = from + Cell::repeat(95);
        guard.apply(&mut simulation, GUEST, &Command::Copy { from, to })
    };
    let along = [-144, -48, 48];
    let corners = along.map(|y| along.map(|x| along.map(|z| Cell::new(x, y, z))));
    let corners = corners.concat().concat();
    let results: Vec<_> = corners.into_iter().map(&mut copy).collect();
    let refused = results.iter().position(Result::is_err).unwrap();
    assert!(refused >= 3, "{refused} is too few for an honest hand");
    assert!(matches!(results[refused], Err(Refusal::Often { .. })));
}
