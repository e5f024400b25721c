//! The simulation without a window: simulated minutes of random play with edits, crowds and every
//! tool.

#![allow(clippy::unwrap_used)]

use collision::Cell;
use demo::session::Session;
use nalgebra::Vector3;
use simulation::{
    Blow, BrushMode, BrushShape, CannonShot, Characters, Command, Joins, Mood, PlayerId, Random,
    RegionWork, Simulation, Start, Stroke, Switch, Travel, Wish,
};
use world::{CellBox, Keeping, Material, ObjectId};

/// Radius of the loaded land, metres: enough to walk about in for a few minutes.
const VIEW: f32 = 96.0;
/// Simulated minutes of random play.
const MINUTES: u64 = 10;

fn session() -> Session {
    Session::generated(7, VIEW, &Characters::default())
}

fn random_stroke(simulation: &Simulation, random: &mut Random) -> Stroke {
    let mut away = || random.below(17) as i32 - 8;
    let offset = Cell::new(away(), away(), away());
    let shapes = [
        BrushShape::Sphere,
        BrushShape::Cube,
        BrushShape::Cylinder,
        BrushShape::Voxel,
    ];
    let modes = [
        BrushMode::Carve,
        BrushMode::Place,
        BrushMode::Paint,
        BrushMode::Smooth,
        BrushMode::Replace,
        BrushMode::Flood,
    ];
    Stroke {
        center: simulation.player_position().cell + offset,
        size: 1 + random.below(5) as u32,
        shape: shapes[random.below(4) as usize],
        mode: modes[random.below(6) as usize],
        material: Material(random.below(22) as u16),
        joins: if random.once_in(3) {
            Joins::Before
        } else {
            Joins::Nothing
        },
    }
}

fn random_work(simulation: &Simulation, random: &mut Random) -> Command {
    let mut part = |count: u64| random.below(count) as i32;
    let low = simulation.player_position().cell - Cell::new(part(20), part(9), part(20));
    let cells = CellBox::new(low, low + Cell::new(part(12), part(7), part(12)));
    let [a, b] = [0; 2].map(|_| Material(part(22) as u16));
    let step = Cell::new(part(3) - 1, part(3) - 1, part(3) - 1);
    let works = [
        RegionWork::Fill(a),
        RegionWork::Empty,
        RegionWork::Replace(a, b),
        RegionWork::Hollow,
        RegionWork::Walls(a),
        RegionWork::Move(step),
        RegionWork::Stack(step),
    ];
    Command::Work(cells, works[part(7) as usize])
}

fn random_command(simulation: &Simulation, random: &mut Random) -> Command {
    let at = simulation.player_position();
    match random.below(28) {
        0..=7 => Command::Edit(random_stroke(simulation, random)),
        8 | 9 => Command::Undo,
        10 => Command::Redo,
        11 => Command::GoToStroke(random.below(40) as usize),
        12 => Command::Copy {
            from: at.cell,
            to: at.cell + Cell::new(5, -4, random.below(300) as i32),
        },
        13 => Command::Paste(at.cell + Cell::new(3, 0, 3)),
        14 => Command::Travel(if random.once_in(3) {
            Travel::Fly
        } else {
            Travel::Walk
        }),
        15 => {
            if random.once_in(4) {
                Command::Spawn
            } else {
                Command::Teleport(at)
            }
        }
        16 => Command::SetCrowd(random.below(120) as u32),
        17 => Command::SetMood([Mood::Wander, Mood::Follow, Mood::Rush][random.below(3) as usize]),
        18 => Command::SetPlatforms(if random.once_in(2) {
            Switch::On
        } else {
            Switch::Off
        }),
        19 => Command::SetFog(if random.once_in(2) {
            Switch::On
        } else {
            Switch::Off
        }),
        20 => Command::ScatterTargets(random.below(30) as u32),
        21 => {
            let wild = [f32::NAN, f32::INFINITY, 0.0, 30.0];
            let direction = Vector3::from_fn(|_, _| random.between(-1.0, 1.0));
            let speed = wild[random.below(4) as usize];
            Command::Fire(CannonShot { direction, speed })
        }
        22 => Command::Strike([Blow::Swing, Blow::Spin, Blow::Slam][random.below(3) as usize]),
        23 => Command::PlaceModel(at.moved(Vector3::new(4.0, 0.0, 2.0))),
        24 => Command::TakeModel(ObjectId(random.below(6) as u32)),
        25 => Command::EditModel(
            ObjectId(random.below(6) as u32),
            Stroke {
                center: Cell::new(1, 2, 3) * random.below(3) as i32,
                ..random_stroke(simulation, random)
            },
        ),
        26 => random_work(simulation, random),
        _ => Command::Tune(Characters {
            radius: random.between(0.3, 0.6),
            half_height: random.between(0.6, 1.2),
            step_height: random.between(0.0, 1.2),
            air_step: random.between(0.0, 1.2),
            ..Characters::default()
        }),
    }
}

fn random_wish(random: &mut Random) -> Wish {
    Wish {
        yaw: random.between(-10.0, 10.0),
        pitch: random.between(-2.0, 2.0),
        forward: random.between(-1.5, 1.5),
        right: random.between(-1.5, 1.5),
        up: random.between(-1.5, 1.5),
        sprint: random.once_in(2),
    }
}

/// Returns the seeds to play: one, or those in `PLAY_SEEDS`, separated by commas.
fn seeds() -> Vec<u64> {
    match std::env::var("PLAY_SEEDS") {
        Ok(list) => list.split(',').map(|seed| seed.parse().unwrap()).collect(),
        Err(_) => vec![20],
    }
}

#[test]
fn minutes_of_random_play_leave_a_sound_world() {
    seeds().into_iter().for_each(play_at_random);
}

fn play_at_random(seed: u64) {
    let mut simulation = session().simulation;
    let mut random = Random::new(seed);
    let mut wish = Wish::default();
    for tick in 0..MINUTES * 60 * 60 {
        if tick % 20 == 0 {
            wish = random_wish(&mut random);
        }
        if tick % 7 == 0 {
            let command = random_command(&simulation, &mut random);
            simulation.apply(PlayerId::FIRST, &command);
        }
        simulation.tick(&wish.alone());
        let at = simulation.player_position().to_metres();
        assert!(
            at.iter().all(|c| c.is_finite() && c.abs() < 1.0e5),
            "seed {seed}, tick {tick}: the player is at {at}"
        );
    }
}

#[test]
fn the_same_play_gives_the_same_world() {
    let start = Start {
        seed: 7,
        view_metres: VIEW as u32,
        tuning: Characters::default(),
    };
    let mut simulation = Session::recorded(&start).simulation;
    let mut random = Random::new(5);
    for tick in 0..600 {
        if tick % 9 == 0 {
            let command = random_command(&simulation, &mut random);
            simulation.apply(PlayerId::FIRST, &command);
        }
        let wish = random_wish(&mut random);
        simulation.tick(&wish.alone());
    }
    let recording = simulation.end_recording().unwrap();
    let again = Session::replayed(&recording, |_| ()).unwrap().simulation;
    assert_eq!(again.state_hash(), simulation.state_hash());
}

#[test]
fn undo_and_redo_go_through_all_strokes() {
    let mut simulation = session().simulation;
    let at = simulation.player_position().cell - Cell::new(0, 3, 0);
    let before = simulation.world.material(at);
    assert_ne!(before, Some(Material::AIR));
    simulation.apply(
        PlayerId::FIRST,
        &Command::Edit(Stroke {
            center: at,
            size: 4,
            shape: BrushShape::Sphere,
            mode: BrushMode::Carve,
            material: Material::AIR,
            joins: Joins::Nothing,
        }),
    );
    assert_eq!(simulation.world.material(at), Some(Material::AIR));
    simulation.apply(PlayerId::FIRST, &Command::Undo);
    assert_eq!(simulation.world.material(at), before);
    simulation.apply(PlayerId::FIRST, &Command::Redo);
    assert_eq!(simulation.world.material(at), Some(Material::AIR));
}

#[test]
fn models_are_placed_and_taken_away_and_both_are_undone() {
    let mut simulation = session().simulation;
    simulation.apply(PlayerId::FIRST, &Command::SetPlatforms(Switch::On));
    let at = simulation.player_position();
    let models = |simulation: &Simulation| {
        let objects = simulation.world.objects();
        let kept = objects.filter(|(_, object)| object.keeping() == Keeping::Kept);
        kept.map(|(id, _)| id).collect::<Vec<_>>()
    };
    let ground = at.cell - Cell::new(0, 3, 0);
    simulation.apply(PlayerId::FIRST, &Command::PlaceModel(at));
    assert_eq!(models(&simulation), [], "nothing was copied");
    simulation.apply(
        PlayerId::FIRST,
        &Command::Copy {
            from: ground,
            to: ground - Cell::new(7, 3, 5),
        },
    );
    simulation.apply(
        PlayerId::FIRST,
        &Command::PlaceModel(at.moved(Vector3::y() * 20.0)),
    );
    let [model] = models(&simulation)[..] else {
        panic!("there is no model");
    };
    let object = simulation.world.object(model).unwrap();
    assert_eq!(
        (object.extent(), object.voxel_size()),
        (Vector3::new(8, 4, 6), 0.25)
    );
    simulation.apply(PlayerId::FIRST, &Command::TakeModel(model));
    assert_eq!(models(&simulation), []);
    assert_eq!(
        (simulation.strokes().count(), simulation.strokes_done()),
        (2, 2)
    );
    for (command, count) in [
        (Command::Undo, 1),
        (Command::Undo, 0),
        (Command::Redo, 1),
        (Command::Redo, 0),
        (Command::GoToStroke(1), 1),
    ] {
        simulation.apply(PlayerId::FIRST, &command);
        assert_eq!(models(&simulation).len(), count, "{command:?}");
    }
    // Platforms are not models.
    let (platform, _) = simulation.world.objects().next().unwrap();
    simulation.apply(PlayerId::FIRST, &Command::TakeModel(platform));
    assert!(simulation.world.object(platform).is_some());
    // A brush edits a model, and removes it with its last voxel.
    let model = models(&simulation)[0];
    let solid = |simulation: &Simulation, model| {
        let object = simulation.world.object(model).unwrap();
        let rows = simulation.world.brick(object.bricks()[0]).occupancy();
        rows.iter().map(|row| row.count_ones()).sum::<u32>()
    };
    let whole = solid(&simulation, model);
    let mut stroke = Stroke {
        center: Cell::new(7, 3, 5),
        shape: BrushShape::Voxel,
        size: 1,
        mode: BrushMode::Carve,
        material: Material::GOLD,
        joins: Joins::Nothing,
    };
    simulation.apply(PlayerId::FIRST, &Command::EditModel(platform, stroke));
    simulation.apply(PlayerId::FIRST, &Command::EditModel(model, stroke));
    assert_eq!(solid(&simulation, model), whole - 1);
    (stroke.shape, stroke.size) = (BrushShape::Cube, 64);
    simulation.apply(PlayerId::FIRST, &Command::EditModel(model, stroke));
    assert_eq!(models(&simulation), []);
    simulation.apply(PlayerId::FIRST, &Command::Undo);
    assert_eq!(solid(&simulation, models(&simulation)[0]), whole - 1);
    simulation.apply(PlayerId::FIRST, &Command::Undo);
    assert_eq!(solid(&simulation, models(&simulation)[0]), whole);
}

#[test]
fn a_drag_that_begins_with_nothing_takes_no_older_stroke_back() {
    let mut simulation = session().simulation;
    let at = simulation.player_position().cell;
    let mut carve = |center: Cell, joins: Joins| {
        simulation.apply(
            PlayerId::FIRST,
            &Command::Edit(Stroke {
                center,
                size: 2,
                shape: BrushShape::Sphere,
                mode: BrushMode::Carve,
                material: Material::AIR,
                joins,
            }),
        );
    };
    let (first, sky) = (at - Cell::new(0, 3, 0), at + Cell::new(0, 20, 0));
    let second = first - Cell::new(6, 2, 0);
    carve(first, Joins::Nothing);
    carve(sky, Joins::Nothing);
    carve(second, Joins::Before);
    carve(second - Cell::new(0, 2, 0), Joins::Before);
    simulation.apply(PlayerId::FIRST, &Command::Undo);
    assert_ne!(simulation.world.material(second), Some(Material::AIR));
    assert_eq!(simulation.world.material(first), Some(Material::AIR));
}

#[test]
fn a_large_drag_is_undone_a_few_edits_a_picture_and_wholly_before_the_next_edit() {
    let mut session = session();
    let simulation = &mut session.simulation;
    let at = simulation.player_position().cell + Cell::new(0, 40, 0);
    let centers: Vec<_> = (0..6).map(|step| at + Cell::new(step * 40, 0, 0)).collect();
    let cube = |center: Cell, joins: Joins| {
        Command::Edit(Stroke {
            center,
            size: 20,
            shape: BrushShape::Cube,
            mode: BrushMode::Place,
            material: Material::BRICK,
            joins,
        })
    };
    let standing = |simulation: &Simulation| {
        let is_brick = |cell: &&Cell| simulation.world.material(**cell) == Some(Material::BRICK);
        centers.iter().filter(is_brick).count()
    };
    for (step, &center) in centers.iter().enumerate() {
        let joins = if step == 0 {
            Joins::Nothing
        } else {
            Joins::Before
        };
        simulation.apply(PlayerId::FIRST, &cube(center, joins));
    }
    assert_eq!(standing(simulation), 6);
    simulation.apply(PlayerId::FIRST, &Command::Undo);
    assert_eq!(standing(simulation), 4, "so much is done at once");
    simulation.apply(PlayerId::FIRST, &Command::GoOn);
    assert_eq!(standing(simulation), 2);
    // The next step does not wait for the rest of this one.
    simulation.apply(PlayerId::FIRST, &Command::Redo);
    assert_eq!(standing(simulation), 2);
    while !simulation.is_stroke_complete() {
        simulation.apply(PlayerId::FIRST, &Command::GoOn);
    }
    assert_eq!(standing(simulation), 6);
    simulation.apply(PlayerId::FIRST, &Command::Undo);
    simulation.apply(
        PlayerId::FIRST,
        &cube(at + Cell::new(0, 60, 0), Joins::Nothing),
    );
    assert_eq!((standing(simulation), simulation.strokes_done()), (0, 1));
    simulation.apply(PlayerId::FIRST, &Command::GoToStroke(0));
    assert_eq!(simulation.strokes_done(), 0);
    // A world that is closed does not keep half of a stroke either.
    simulation.apply(PlayerId::FIRST, &cube(at, Joins::Nothing));
    simulation.apply(
        PlayerId::FIRST,
        &cube(at + Cell::new(40, 0, 0), Joins::Before),
    );
    simulation.apply(
        PlayerId::FIRST,
        &cube(at + Cell::new(80, 0, 0), Joins::Before),
    );
    simulation.apply(PlayerId::FIRST, &Command::Undo);
    assert!(!simulation.is_stroke_complete());
    session.close().unwrap();
    assert_eq!(standing(&session.simulation), 0);
}

#[test]
fn walking_keeps_to_the_ground_and_jumps_as_high_as_tuned() {
    let mut simulation = session().simulation;
    simulation.apply(PlayerId::FIRST, &Command::Travel(Travel::Walk));
    for _ in 0..60 {
        simulation.tick(&Wish::default().alone());
    }
    assert!(simulation.is_grounded());
    let floor = simulation.player_position().to_metres().y;
    let mut top = floor;
    for tick in 0..90 {
        simulation.tick(
            &Wish {
                up: if tick < 5 { 1.0 } else { 0.0 },
                ..Wish::default()
            }
            .alone(),
        );
        top = top.max(simulation.player_position().to_metres().y);
    }
    let wanted = f64::from(Characters::default().jump_height);
    assert!(
        (top - floor - wanted).abs() < 0.2,
        "jumped {} m",
        top - floor
    );
    assert!(simulation.is_grounded());
}

#[test]
fn slam_throws_characters_near_it() {
    let mut simulation = session().simulation;
    simulation.apply(PlayerId::FIRST, &Command::Travel(Travel::Walk));
    simulation.apply(PlayerId::FIRST, &Command::SetCrowd(60));
    simulation.apply(PlayerId::FIRST, &Command::SetMood(Mood::Rush));
    for _ in 0..400 {
        simulation.tick(&Wish::default().alone());
    }
    simulation.apply(PlayerId::FIRST, &Command::Strike(Blow::Slam));
    assert!(simulation.players()[0].fighter().hits > 0);
    assert!(
        simulation
            .drawn_walkers(1.0)
            .any(|walker| walker.flash > 0.0)
    );
}

#[test]
fn balls_break_targets_and_carve_craters() {
    let mut simulation = session().simulation;
    let down = Wish {
        pitch: -1.5,
        ..Wish::default()
    };
    simulation.tick(&down.alone());
    let shot = CannonShot::charged(down.sight(), 1.0);
    simulation.apply(PlayerId::FIRST, &Command::Fire(shot));
    for _ in 0..200 {
        simulation.tick(&down.alone());
    }
    assert_eq!(simulation.cannon().balls().len(), 0);
    assert!(
        simulation.strokes().count() > 0,
        "a landing leaves a crater"
    );
}

#[test]
fn walkers_without_room_come_later() {
    let mut simulation = session().simulation;
    let wanted = 10_000;
    simulation.apply(PlayerId::FIRST, &Command::SetCrowd(wanted));
    let first = simulation.walkers();
    assert!(first < wanted, "there was room for all: nothing is tested");
    for _ in 0..181 {
        simulation.tick(&Wish::default().alone());
    }
    let later = simulation.walkers();
    assert!(
        first + 100 < later && later <= wanted,
        "{first}, then {later}"
    );
}

#[test]
fn crowds_come_and_go_within_their_limit() {
    let mut simulation = session().simulation;
    for count in [300, 5, 0, 50] {
        simulation.apply(PlayerId::FIRST, &Command::SetCrowd(count));
        assert!(simulation.walkers() <= count);
        simulation.tick(&Wish::default().alone());
    }
    assert!(simulation.walkers() > 0);
}
