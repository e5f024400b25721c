//! Sessions of several players, without a window: recorded, played again to the same state on any
//! number of threads, and the rules among players.

#![allow(clippy::unwrap_used)]

use collision::{Cell, Position};
use demo::session::Session;
use nalgebra::Vector3;
use simulation::{
    Blow, BrushMode, BrushShape, CannonShot, Characters, Command, Input, JoinError, Joins, Mood,
    PlayerId, Random, Recording, RecordingError, RegionWork, Simulation, Start, Stroke, Travel,
    Wish,
};
use world::{CellBox, Material, World};

/// Ticks of the recorded session, and ticks between two looks at its hash.
const TICKS: u64 = 2000;
const LOOK: u64 = 100;
/// The players that join the first one.
const OTHERS: [PlayerId; 3] = [PlayerId(9), PlayerId(3), PlayerId(400)];

fn start() -> Start {
    Start {
        seed: 7,
        view_metres: 64,
        tuning: Characters::default(),
    }
}

fn place(simulation: &Simulation, id: PlayerId) -> Position {
    let player = simulation.players().iter().find(|it| it.id() == id);
    let place = player.and_then(|it| simulation.crowd().position(it.character()));
    place.unwrap()
}

fn ids(simulation: &Simulation) -> Vec<PlayerId> {
    simulation.players().iter().map(|it| it.id()).collect()
}

/// Returns the input of a player that goes towards the next one now and then, and anywhere else.
fn random_input(simulation: &Simulation, id: PlayerId, random: &mut Random) -> Input {
    let ids = ids(simulation);
    let next = ids[random.below(ids.len() as u64) as usize];
    let way = place(simulation, next).since(&place(simulation, id));
    let yaw = match random.once_in(3) {
        true => random.between(0.0, 7.0),
        false => way.x.atan2(-way.z),
    };
    Input::of(&Wish {
        yaw,
        pitch: random.between(-1.5, 1.5),
        forward: random.between(0.0, 1.5),
        right: random.between(-0.5, 0.5),
        up: random.between(-1.0, 1.2),
        sprint: random.once_in(2),
    })
}

fn random_stroke(at: Cell, random: &mut Random) -> Stroke {
    let mut away = || random.below(7) as i32 - 3;
    let center = at + Cell::new(away(), away(), away());
    let modes = [
        BrushMode::Carve,
        BrushMode::Carve,
        BrushMode::Place,
        BrushMode::Smooth,
        BrushMode::Paint,
    ];
    let shapes = [BrushShape::Sphere, BrushShape::Cube, BrushShape::Voxel];
    Stroke {
        center,
        size: 1 + random.below(3) as u32,
        shape: shapes[random.below(3) as usize],
        mode: modes[random.below(5) as usize],
        material: Material(1 + random.below(6) as u16),
        joins: match random.once_in(2) {
            true => Joins::Before,
            false => Joins::Nothing,
        },
    }
}

fn random_command(simulation: &Simulation, id: PlayerId, random: &mut Random) -> Command {
    let at = place(simulation, id);
    let beside = at.cell + Cell::new(2, 0, 1);
    match random.below(16) {
        0..8 => Command::Edit(random_stroke(at.cell, random)),
        8 => Command::Undo,
        9 => Command::Redo,
        10 => Command::Copy {
            from: at.cell,
            to: at.cell - Cell::new(3, 2, 3),
        },
        11 => Command::Paste(beside),
        12 => Command::Fire(CannonShot {
            direction: Vector3::from_fn(|_, _| random.between(-1.0, 1.0)),
            speed: random.between(5.0, 30.0),
        }),
        13 => Command::Strike([Blow::Swing, Blow::Spin, Blow::Slam][random.below(3) as usize]),
        14 => {
            let cells = CellBox::new(beside, beside + Cell::new(2, 1, 2));
            Command::Work(cells, RegionWork::Fill(Material::BRICK))
        }
        _ => match random.below(4) {
            0 => Command::ThrowPickup,
            1 => Command::ScatterTargets(9),
            2 => Command::GoToStroke(random.below(30) as usize),
            _ => Command::Spawn,
        },
    }
}

/// Returns a character that is deeper in the ground than its centre.
fn buried(simulation: &Simulation) -> Option<(PlayerId, Position)> {
    let table = simulation.world.materials();
    let places = ids(simulation)
        .into_iter()
        .map(|id| (id, place(simulation, id)));
    let mut places = places.filter(|(_, at)| {
        let material = simulation.world.material(at.cell);
        material.is_some_and(|material| table.is_solid(material))
    });
    places.next()
}

/// Returns the least distance between two players.
fn nearest(simulation: &Simulation) -> f32 {
    let places: Vec<_> = ids(simulation)
        .into_iter()
        .map(|id| place(simulation, id))
        .collect();
    let mut least = f32::MAX;
    for (index, a) in places.iter().enumerate() {
        for b in &places[index + 1..] {
            least = least.min(a.since(b).norm());
        }
    }
    least
}

/// Plays a session at random, and returns its recording and its hashes.
fn played(seed: u64) -> (Recording, Vec<u64>) {
    let mut simulation = Session::recorded(&start()).simulation;
    let mut random = Random::new(seed);
    let (mut hashes, mut least) = (Vec::new(), f32::MAX);
    for id in OTHERS {
        simulation.join(id).unwrap();
    }
    for id in ids(&simulation) {
        simulation.apply(id, &Command::Travel(Travel::Walk));
    }
    simulation.apply(OTHERS[0], &Command::SetCrowd(12));
    simulation.apply(OTHERS[1], &Command::SetMood(Mood::Rush));
    while simulation.ticks() < TICKS {
        let tick = simulation.ticks();
        let mut inputs = Vec::new();
        for id in ids(&simulation) {
            if random.once_in(10) {
                inputs.push((id, random_input(&simulation, id, &mut random)));
            }
            if random.once_in(12) {
                let command = random_command(&simulation, id, &mut random);
                simulation.apply(id, &command);
            }
        }
        match tick {
            900 => assert!(simulation.leave(OTHERS[2])),
            1100 => simulation.join(OTHERS[2]).unwrap(),
            _ => {}
        }
        simulation.tick(&inputs);
        assert_eq!(buried(&simulation), None, "seed {seed}, tick {tick}");
        least = least.min(nearest(&simulation));
        if simulation.ticks().is_multiple_of(LOOK) {
            hashes.push(simulation.state_hash());
        }
    }
    assert!(least < 0.9, "players never touched: {least} m");
    let authors = simulation.world.history().entries().map(|it| it.author.0);
    let authors: std::collections::BTreeSet<_> = authors.collect();
    assert_eq!(authors.into_iter().collect::<Vec<_>>(), [0, 3, 9, 400]);
    (simulation.end_recording().unwrap(), hashes)
}

#[test]
fn a_session_of_four_plays_again_to_the_same_state_on_any_number_of_threads() {
    let (recording, hashes) = played(11);
    assert_eq!(hashes.len() as u64, TICKS / LOOK);
    println!("{} bytes", recording.bytes().len());
    let recording = Recording::from_bytes(recording.bytes().to_vec()).unwrap();
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let mut again = Vec::new();
        let played = pool.build().unwrap().install(|| {
            Session::replayed(&recording, |simulation| {
                if simulation.ticks().is_multiple_of(LOOK) {
                    again.push(simulation.state_hash());
                }
            })
        });
        assert_eq!(played.err(), None, "{threads} threads");
        assert_eq!(again, hashes, "{threads} threads");
    }
    let mut elsewhere = Session::recorded(&Start { seed: 8, ..start() });
    let played = recording.play(&mut elsewhere.simulation, |_| ());
    assert_eq!(played, Err(RecordingError::OtherStart));
}

/// Level ground of stone, with players on foot.
fn on_level_ground(others: &[PlayerId]) -> Simulation {
    let bounds = CellBox::new(Cell::new(-48, -16, -48), Cell::new(47, 63, 47));
    let world = World::from_voxels(bounds, |cell| match cell.y {
        ..0 => Material::STONE,
        _ => Material::AIR,
    });
    let home = Position::new(Cell::zeros(), Vector3::new(0.5, 0.92, 0.5));
    let mut simulation = Simulation::new(world, home, &Characters::default());
    for &id in others {
        simulation.join(id).unwrap();
    }
    for id in ids(&simulation) {
        simulation.apply(id, &Command::Travel(Travel::Walk));
    }
    (0..60).for_each(|_| simulation.tick(&[]));
    simulation
}

fn stroke(mode: BrushMode, center: Cell, size: u32) -> Command {
    Command::Edit(Stroke {
        center,
        size,
        shape: BrushShape::Sphere,
        mode,
        material: Material::GOLD,
        joins: Joins::Nothing,
    })
}

/// Checks that all players stand free of the ground and of each other.
fn check_free(simulation: &Simulation, what: &str) {
    assert_eq!(buried(simulation), None, "{what}");
    let drawn: Vec<_> = simulation
        .players()
        .iter()
        .map(|player| simulation.drawn(player, 1.0))
        .collect();
    for (index, a) in drawn.iter().enumerate() {
        for b in &drawn[index + 1..] {
            let way = a.position.since(&b.position);
            let apart = way.component_div(&(a.radii + b.radii)).norm();
            assert!(apart > 0.95, "{what}: two overlap, {apart}");
        }
    }
}

/// The hash must be the same in debug and release, and on every platform.
#[test]
fn a_scripted_session_of_four_ends_in_its_pinned_state() {
    let mut simulation = on_level_ground(&OTHERS);
    let mut random = Random::new(23);
    simulation.apply(OTHERS[0], &Command::SetCrowd(30));
    simulation.apply(OTHERS[1], &Command::SetMood(Mood::Rush));
    for _ in 0..600 {
        let mut inputs = Vec::new();
        for id in ids(&simulation) {
            if random.once_in(10) {
                let wish = Wish {
                    yaw: random.between(0.0, 7.0),
                    pitch: random.between(-1.5, 1.5),
                    forward: random.between(0.0, 1.5),
                    up: random.between(-1.0, 1.2),
                    ..Wish::default()
                };
                inputs.push((id, Input::of(&wish)));
            }
            if random.once_in(12) {
                let command = random_command(&simulation, id, &mut random);
                simulation.apply(id, &command);
            }
        }
        simulation.tick(&inputs);
    }
    assert_eq!(
        format!("{:016x}", simulation.state_hash()),
        "87d7c7cd666ceb75"
    );
}

#[test]
fn players_in_the_way_of_brushes_are_all_lifted_on_top() {
    for size in [2, 6, 12] {
        let mut simulation = on_level_ground(&OTHERS);
        let spot = place(&simulation, PlayerId::FIRST);
        for id in ids(&simulation) {
            simulation.apply(id, &Command::Teleport(spot));
        }
        (0..60).for_each(|_| simulation.tick(&[]));
        check_free(&simulation, "before");
        for id in ids(&simulation) {
            // Each builds where another one is.
            let center = place(&simulation, OTHERS[id.0 as usize % 3]).cell;
            simulation.apply(id, &stroke(BrushMode::Place, center, size));
            simulation.tick(&[]);
            assert_eq!(buried(&simulation), None, "{size}");
        }
        (0..180).for_each(|_| simulation.tick(&[]));
        check_free(&simulation, &format!("size {size}"));
    }
}

#[test]
fn players_in_a_hole_are_lifted_when_its_digger_undoes_it() {
    let [digger, other, _] = OTHERS;
    let mut simulation = on_level_ground(&OTHERS);
    let pit = Cell::new(20, -4, 20);
    simulation.apply(digger, &stroke(BrushMode::Carve, pit, 4));
    let middle = Position::new(pit, Vector3::repeat(0.5));
    simulation.apply(other, &Command::Teleport(middle));
    (0..60).for_each(|_| simulation.tick(&[]));
    assert!(place(&simulation, other).cell.y < 0, "it is in the hole");
    simulation.apply(digger, &Command::Undo);
    simulation.tick(&[]);
    assert_eq!(simulation.world.material(pit), Some(Material::STONE));
    check_free(&simulation, "after the undo");
    assert!(place(&simulation, other).cell.y >= 0);
}

#[test]
fn every_player_undoes_its_own_edits() {
    let [one, two, _] = OTHERS;
    let mut simulation = on_level_ground(&OTHERS);
    let [a, b] = [Cell::new(9, 5, 9), Cell::new(-9, 5, 9)];
    simulation.apply(one, &stroke(BrushMode::Place, a, 1));
    simulation.apply(two, &stroke(BrushMode::Place, b, 1));
    let gold = |simulation: &Simulation| {
        [a, b].map(|cell| simulation.world.material(cell) == Some(Material::GOLD))
    };
    assert_eq!(simulation.strokes().count(), 0);
    simulation.apply(PlayerId::FIRST, &Command::Undo);
    assert_eq!(gold(&simulation), [true, true]);
    simulation.apply(one, &Command::Undo);
    assert_eq!(gold(&simulation), [false, true]);
    simulation.apply(two, &Command::Undo);
    simulation.apply(one, &Command::Redo);
    assert_eq!(gold(&simulation), [true, false]);
}

#[test]
fn players_keep_their_numbers_while_others_come_and_go() {
    let mut simulation = on_level_ground(&OTHERS);
    let [nine, three, last] = OTHERS;
    assert_eq!(ids(&simulation), [PlayerId::FIRST, three, nine, last]);
    check_free(&simulation, "after joining");
    assert_eq!(simulation.join(nine), Err(JoinError::Taken(nine)));
    let before = place(&simulation, last);
    assert!(simulation.leave(three) && !simulation.leave(three));
    assert_eq!(place(&simulation, last), before);
    let ahead = Wish {
        forward: 1.0,
        ..Wish::default()
    };
    // The input of a player that left goes nowhere, and so do its commands.
    let gone = simulation.apply(three, &stroke(BrushMode::Place, Cell::new(5, 9, 5), 2));
    assert_eq!(gone.voxels, 0);
    for _ in 0..60 {
        simulation.tick(&[(three, Input::of(&ahead)), (last, Input::of(&ahead))]);
    }
    let walked = place(&simulation, last).since(&before);
    assert!(walked.z < -3.0, "{walked}");
    // The last input goes on.
    (0..60).for_each(|_| simulation.tick(&[]));
    let walked = place(&simulation, last).since(&before);
    assert!(walked.z < -8.0, "{walked}");
    assert!(simulation.leave(PlayerId::FIRST));
    assert!(simulation.own().is_none() && simulation.drawn_player(1.0).is_none());
    simulation.tick(&[]);
    simulation.join(three).unwrap();
    assert_eq!(ids(&simulation), [three, nine, last]);
}

#[test]
fn a_player_is_stopped_by_another_and_throws_it_by_a_blow() {
    let [one, two, _] = OTHERS;
    let mut simulation = on_level_ground(&[one, two]);
    let middle = Position::new(Cell::new(20, 0, 0), Vector3::new(0.5, 0.5, 0.5));
    let ahead = middle.moved(Vector3::new(0.0, 0.0, -2.0));
    simulation.apply(one, &Command::Teleport(middle));
    simulation.apply(two, &Command::Teleport(ahead));
    (0..30).for_each(|_| simulation.tick(&[]));
    let before = [one, two].map(|id| place(&simulation, id));
    let walk = Input::of(&Wish {
        forward: 1.0,
        ..Wish::default()
    });
    (0..90).for_each(|_| simulation.tick(&[(one, walk)]));
    let moved = place(&simulation, one).since(&before[0]);
    assert!(moved.z < -0.8, "it walked up to the other: {moved}");
    assert_eq!(place(&simulation, two), before[1]);
    check_free(&simulation, "side by side");
    simulation.apply(one, &Command::Teleport(middle));
    simulation.apply(two, &Command::Teleport(ahead));
    (0..30).for_each(|_| simulation.tick(&[(one, Input::default())]));
    let before = place(&simulation, two);
    simulation.apply(one, &Command::Strike(Blow::Swing));
    (0..60).for_each(|_| simulation.tick(&[]));
    let thrown = place(&simulation, two).since(&before);
    assert!(thrown.z < -1.0, "thrown by {thrown}");
    let fighters = |id: PlayerId| {
        let players = simulation.players().iter();
        let player = players.clone().find(|it| it.id() == id).unwrap();
        [player.fighter().hits, player.fighter().taken]
    };
    assert_eq!([fighters(one), fighters(two)], [[1, 0], [0, 1]]);
}
