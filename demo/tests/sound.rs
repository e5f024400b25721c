//! Sound without a device: each event plays its sound, a scripted minute always has the same mix,
//! and pictures without noises allocate nothing.

#![allow(clippy::unwrap_used)]

use std::sync::Mutex;

use collision::{Cell, Position};
use demo::bench::allocations::allocations_of;
use demo::settings::SoundChoice;
use demo::sound::{Ears, Sounds};
use nalgebra::Vector3;
use simulation::{
    Blow, BrushMode, BrushShape, CannonShot, Characters, Command, Heard, Joins, Matter, Noise,
    PlayerId, Simulation, Stroke, TICK, Travel, Wish,
};
use world::{CellBox, Material, World};

/// Allocations are counted for the whole program, so tests take turns.
static TURN: Mutex<()> = Mutex::new(());

/// Returns the player and some walkers on a plain of grass, with a pool of water to the west.
fn plain() -> Simulation {
    let bounds = CellBox::new(Cell::new(-64, -16, -64), Cell::new(63, 63, 63));
    let world = World::from_voxels(bounds, |cell| match (cell.x, cell.y) {
        (-30..=-20, -6..0) => Material::WATER,
        (_, ..0) => Material::GRASS,
        _ => Material::AIR,
    });
    let home = Position::new(Cell::zeros(), Vector3::new(0.5, 0.9, 0.5));
    let mut simulation = Simulation::new(world, home, &Characters::default());
    simulation.apply(PlayerId::FIRST, &Command::Travel(Travel::Walk));
    simulation.apply(PlayerId::FIRST, &Command::SetCrowd(20));
    simulation.lay_out_pickups(home);
    simulation
}

fn stroke(mode: BrushMode, material: Material, center: Cell) -> Command {
    Command::Edit(Stroke {
        center,
        shape: BrushShape::Cube,
        size: 1,
        mode,
        material,
        joins: Joins::Nothing,
    })
}

/// Returns the commands of a tick of the minute.
fn script(tick: u32) -> Option<Command> {
    let ground = Cell::new(6, -1, (tick / 600) as i32 - 40);
    let shot = CannonShot {
        direction: Vector3::new(0.4, 0.4, -1.0),
        speed: 22.0,
    };
    let command = match tick % 600 {
        30 => stroke(BrushMode::Carve, Material::AIR, ground),
        90 => stroke(BrushMode::Place, Material::GLASS, ground),
        150 => stroke(BrushMode::Place, Material::IRON, ground + Cell::y()),
        180 => Command::Undo,
        210 => Command::Redo,
        240 => Command::Redo,
        270 => Command::Fire(shot),
        420 => Command::Strike(Blow::Spin),
        480 => Command::Teleport(Position::new(Cell::new(-25, 12, 0), Vector3::repeat(0.5))),
        570 => Command::Spawn,
        _ => return None,
    };
    Some(command)
}

fn wish(tick: u32) -> Wish {
    Wish {
        yaw: tick as f32 * 0.01,
        forward: if tick % 300 < 200 { 1.0 } else { 0.0 },
        up: if tick % 240 == 100 { 1.0 } else { 0.0 },
        ..Wish::default()
    }
}

/// Plays a minute and returns its mix.
fn minute(sounds: &mut Sounds) -> Vec<f32> {
    let mut simulation = plain();
    let (mut noises, mut mix): (Vec<Heard>, _) = (Vec::new(), Vec::new());
    for tick in 0..3600 {
        if let Some(command) = script(tick) {
            simulation.apply(PlayerId::FIRST, &command);
        }
        simulation.tick(&wish(tick).alone());
        let ears = ears(&simulation);
        simulation.take_noises(&mut noises);
        for heard in noises.drain(..) {
            sounds.play(&heard, &ears);
        }
        let murmur = simulation.murmur_at(&ears.at);
        sounds.follow(&SoundChoice::default(), &ears, murmur);
        mix.extend(sounds.render(TICK));
    }
    mix
}

fn ears(simulation: &Simulation) -> Ears {
    Ears {
        at: simulation.eye(),
        right: Vector3::x(),
    }
}

/// Returns the energy of the left and the right channel.
fn energy(mix: &[f32]) -> [f32; 2] {
    [0, 1].map(|side| mix.iter().skip(side).step_by(2).map(|it| it * it).sum())
}

#[test]
fn a_scripted_minute_is_the_same_bytes_twice() {
    let _turn = TURN.lock();
    let bytes = || -> Vec<u32> {
        let mix = minute(&mut Sounds::offline());
        mix.into_iter().map(f32::to_bits).collect()
    };
    let (first, second) = (bytes(), bytes());
    assert_eq!(first.len(), 3600 * 800 * 2);
    assert!(first == second, "the mixes differ");
    let samples: Vec<f32> = first.into_iter().map(f32::from_bits).collect();
    assert!(samples.iter().all(|it| it.abs() <= 1.0));
    let loud = samples.iter().filter(|it| it.abs() > 0.05).count();
    assert!(loud > 48_000, "{loud} loud samples");
}

#[test]
fn each_event_plays_its_sound_without_a_device() {
    let _turn = TURN.lock();
    let mut sounds = Sounds::silent();
    assert!(minute(&mut sounds).is_empty());
    let exactly = [
        (Noise::Dig(Matter::Earth), 6),
        (Noise::Place(Matter::Glass), 6),
        (Noise::Place(Matter::Metal), 6),
        (Noise::Undo, 12),
        (Noise::Refusal, 6),
        (Noise::Cannon, 6),
        (Noise::Blast, 6),
        (Noise::Splash, 6),
    ];
    for (noise, count) in exactly {
        assert_eq!(sounds.played(noise), count, "{noise:?}");
    }
    let often = [
        (Noise::Step(Matter::Earth), 20),
        (Noise::Swing, 6),
        (Noise::Jump, 3),
        (Noise::Land, 3),
    ];
    for (noise, count) in often {
        assert!(sounds.played(noise) >= count, "{noise:?}");
    }
    sounds.click();
    assert_eq!(sounds.clicks(), 1);
}

#[test]
fn sounds_have_a_side_and_fade_with_distance() {
    let _turn = TURN.lock();
    let ears = Ears {
        at: Position::new(Cell::zeros(), Vector3::repeat(0.5)),
        right: Vector3::x(),
    };
    let heard_from = |away: Vector3<f32>| {
        let mut sounds = Sounds::offline();
        let heard = Heard {
            noise: Noise::Blast,
            at: ears.at.moved(away),
            loudness: 1.0,
            own: false,
        };
        sounds.play(&heard, &ears);
        energy(&sounds.render(1.0))
    };
    let [left, right] = heard_from(Vector3::new(5.0, 0.0, 0.0));
    assert!(right > left * 4.0, "{left} {right}");
    let [left, right] = heard_from(Vector3::new(-5.0, 0.0, 0.0));
    assert!(left > right * 4.0, "{left} {right}");
    let ahead = heard_from(Vector3::new(0.0, 0.0, -5.0));
    assert!((ahead[0] - ahead[1]).abs() < ahead[0] * 0.01);
    let far = heard_from(Vector3::new(0.0, 0.0, -60.0));
    assert!(far[0] < ahead[0] * 0.1 && far[0] > 0.0);
    assert_eq!(heard_from(Vector3::new(0.0, 0.0, -4.0e6)), [0.0; 2]);
}

#[test]
fn the_volume_holds_for_everything() {
    let _turn = TURN.lock();
    let ears = ears(&plain());
    let heard = Heard {
        noise: Noise::Cannon,
        at: ears.at,
        loudness: 1.0,
        own: true,
    };
    let at = |choice: &SoundChoice| {
        let mut sounds = Sounds::offline();
        sounds.follow(choice, &ears, 1.0);
        sounds.render(1.0);
        sounds.play(&heard, &ears);
        energy(&sounds.render(1.0))[0]
    };
    let choice = |volume: f32, muted: bool| SoundChoice { volume, muted };
    let (full, half) = (at(&choice(1.0, false)), at(&choice(0.5, false)));
    assert!(half < full * 0.5 && half > full * 0.1, "{half} of {full}");
    assert_eq!(at(&choice(1.0, true)), 0.0);
    assert_eq!(at(&choice(0.0, false)), 0.0);
}

#[test]
fn a_picture_without_noises_allocates_nothing() {
    let _turn = TURN.lock();
    let mut simulation = plain();
    for mut sounds in [Sounds::silent(), Sounds::offline()] {
        let mut noises = Vec::new();
        let mut picture = |lift: f32| {
            simulation.take_noises(&mut noises);
            let mut ears = ears(&simulation);
            ears.at = ears.at.moved(Vector3::y() * lift);
            for heard in noises.drain(..) {
                sounds.play(&heard, &ears);
            }
            let murmur = simulation.murmur_at(&ears.at);
            sounds.follow(&SoundChoice::default(), &ears, murmur);
        };
        picture(0.0);
        // The ears rise, so that the wind changes from picture to picture.
        let counts = (0..6).map(|step| allocations_of(|| picture(step as f32 * 30.0)));
        assert_eq!(counts.min(), Some(0));
    }
}
