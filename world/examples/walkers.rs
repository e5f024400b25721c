//! Times characters walking over the proving ground, without other collisions: `cargo run --release
//! -p world --example walkers -- [N] [SPEED] [TICKS] [quarter|eighth] [small] [nosteps]`.

use collision::mover::{Body, Ground, MoverConfig, Radii, Scratch, walk};
use collision::{Around, Memory, Terrain};
use collision_scenes::{ProvingGround, WIDTH};
use nalgebra::Vector3;
use std::time::Instant;
use world::World;

struct Walker {
    body: Body,
    ground: Option<Ground>,
    memory: Memory,
    fall: f32,
    moved: f64,
    best: f64,
}

#[derive(Default)]
struct Tally {
    sweeps: u64,
    gathers: u64,
    candidates: u64,
    invalid: u64,
    limits: u64,
    grounded: u64,
    steps: u64,
    inside: u64,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<f32> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let count = numbers.first().map_or(1000, |&n| n as u32);
    let speed = numbers.get(1).copied().unwrap_or(5.0);
    let has = |name: &str| words.iter().any(|word| word == name);
    let ground = ProvingGround::new(1);
    let begun = Instant::now();
    let width = if has("small") { 64 } else { WIDTH };
    let world = if has("quarter") {
        ground.world_of_objects(4, width).unwrap_or_default()
    } else if has("eighth") {
        ground.world_of_objects(8, width).unwrap_or_default()
    } else {
        ground.world()
    };
    println!("built in {:.2} s", begun.elapsed().as_secs_f64());
    let config = MoverConfig {
        step_height: if has("nosteps") { 0.0 } else { 1.05 },
        ..MoverConfig::default()
    };
    let mut walkers: Vec<Walker> = (0..count)
        .map(|number| Walker {
            body: Body {
                position: ground.spawn_within(number, width),
                radii: Radii::new(0.4, 0.9),
                up: Vector3::y(),
            },
            ground: None,
            memory: Memory::default(),
            fall: 0.0,
            moved: 0.0,
            best: 0.0,
        })
        .collect();
    let mut tally = Tally::default();
    let mut times = Vec::new();
    let ticks = numbers.get(2).map_or(600, |&n| n as u32);
    for tick in 0..ticks {
        let begun = Instant::now();
        run(
            &world,
            &ground,
            &config,
            &mut walkers,
            speed,
            tick,
            &mut tally,
        );
        times.push(begun.elapsed().as_secs_f64() * 1e6 / f64::from(count));
    }
    times.drain(..times.len() / 10);
    times.sort_by(f64::total_cmp);
    for walker in &walkers {
        tally.inside += u64::from(world.contents(&walker.body.position, &walker.memory).solid);
    }
    let total = f64::from(count) * f64::from(ticks);
    println!(
        "{:.3} us median, {:.3} p99; sweeps {:.2} gathers {:.2} candidates {:.2}; grounded {:.3} \
         steps {:.4}; invalid {} limits {} inside {}; way {:.3}",
        times[times.len() / 2],
        times[times.len() * 99 / 100],
        tally.sweeps as f64 / total,
        tally.gathers as f64 / total,
        tally.candidates as f64 / total,
        tally.grounded as f64 / total,
        tally.steps as f64 / total,
        tally.invalid,
        tally.limits,
        tally.inside,
        walkers.iter().map(|w| w.moved).sum::<f64>() / walkers.iter().map(|w| w.best).sum::<f64>(),
    );
}

#[inline(never)]
fn run(
    world: &World,
    scene: &ProvingGround,
    config: &MoverConfig,
    walkers: &mut [Walker],
    speed: f32,
    tick: u32,
    tally: &mut Tally,
) {
    let mut scratch = Scratch::default();
    let around = Around::terrain(world, config);
    for (number, walker) in walkers.iter_mut().enumerate() {
        let wish = scene.wish(number as u32, tick / 60) * (speed / 60.0);
        walker.fall = if walker.ground.is_some() {
            0.0
        } else {
            (walker.fall - 9.81 / 3600.0).max(-0.9)
        };
        let way = wish + Vector3::y() * walker.fall;
        let report = walk(
            &around,
            &mut walker.body,
            way,
            walker.ground,
            &mut walker.memory,
            &mut scratch,
        );
        walker.ground = report.ground;
        walker.moved += f64::from(report.moved.dot(&wish) / wish.norm());
        walker.best += f64::from(wish.norm());
        tally.sweeps += u64::from(report.sweeps);
        tally.gathers += u64::from(report.gathers);
        tally.candidates += scratch.candidates.len() as u64;
        tally.grounded += u64::from(report.ground.is_some());
        tally.steps += u64::from(report.stepped > 0.0);
        match report.stopped_by {
            collision::StoppedBy::Invalid => tally.invalid += 1,
            collision::StoppedBy::SweepLimit => tally.limits += 1,
            _ => {}
        }
    }
}
