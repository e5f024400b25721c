//! Shows prediction on a client: one character predicted at 60 Hz while the server's answers are
//! nine ticks old. Each answer puts it right, and the ten inputs since are played again. Prints the
//! corrections, which come from other walkers in its way, and the time that a prediction takes.
//!
//! `cargo run --release -p world --example prediction`

use collision::{
    Cell, Character, CharacterId, Crowd, Intent, OtherCharacter, Position, PredictError, Predicted,
    Settings, predict,
};
use nalgebra::{Point3, Vector3};
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use world::{CellBox, Material, World};

const TICK: f32 = 1.0 / 60.0;
/// Ten seconds, played as fast as they can be.
const TICKS: u32 = 600;
/// Age of the server's answers when they arrive, in ticks.
const LATE: usize = 9;
const WALKERS: u32 = 100;
/// Distance of the others that the server sends, in metres.
const NEAR: f32 = 5.0;

/// Terraces of one metre, 32 m across. Server and client have the same.
fn ground() -> World {
    let bounds = CellBox::new(Cell::zeros(), Cell::new(31, 31, 31));
    World::from_voxels(bounds, |cell| {
        let rim = [cell.x, cell.z].iter().any(|&part| part == 0 || part == 31);
        let height = 4 + (cell.x / 9 + cell.z / 7) % 3 + if rim { 6 } else { 0 };
        match cell.y < height {
            true => Material::STONE,
            false => Material::AIR,
        }
    })
}

fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.mover.step_height = 1.05;
    settings
}

/// Returns the wish of a walker: another way every second, with a jump.
fn wish(number: u32, tick: u32) -> Intent {
    let turn = (number * 7 + tick / 60 * 5) % 16;
    let angle = turn as f32 * std::f32::consts::TAU / 16.0;
    let way = Vector3::new(angle.cos(), 0.0, angle.sin()) * 5.0;
    let jump = if tick % 60 == number % 60 { 5.0 } else { 0.0 };
    Intent::walk(way).jumping(jump)
}

struct Server {
    crowd: Crowd,
    ids: Vec<CharacterId>,
    tick: u32,
}

/// The message of the server to a client after a tick.
struct Answer {
    bytes: Vec<u8>,
    others: Vec<OtherCharacter>,
}

impl Server {
    fn new() -> Self {
        let mut crowd = Crowd::new();
        let place = |number: u32| {
            let [x, z] = [number % 10, number / 10].map(|part| 3.5 + 2.7 * f64::from(part));
            Position::from_metres(Point3::new(x, 9.0, z))
        };
        let walker = |number| crowd.add(Character::at(place(number)).with_settings(settings()));
        let ids = (0..WALKERS).map(walker).collect();
        let tick = 0;
        Self { crowd, ids, tick }
    }

    /// Advances all; the player is the first.
    fn tick(&mut self, world: &World, input: Intent) {
        let numbered = (0..).zip(&self.ids);
        let mut intents: Vec<_> = numbered
            .map(|(number, &id)| (id, wish(number, self.tick)))
            .collect();
        intents[0].1 = input;
        self.crowd.tick(world, &intents, TICK);
        self.tick += 1;
    }

    fn answer(&self) -> Option<Answer> {
        let player = self.ids[0];
        let bytes = self.crowd.save_character(player)?;
        let mut others = Vec::new();
        self.crowd.others_near(player, NEAR, &mut others);
        Some(Answer { bytes, others })
    }
}

struct Client {
    predicted: Predicted,
    /// The inputs without an answer, and the character that each of them led to.
    pending: VecDeque<(Intent, Vec<u8>)>,
    others: Vec<OtherCharacter>,
    predictions: u32,
    time: Duration,
}

impl Client {
    /// Predicts the player by one more input, and remembers where that led.
    fn press(&mut self, world: &World, input: Intent) -> Result<(), PredictError> {
        let begun = Instant::now();
        predict(&mut self.predicted, world, &self.others, &[input], TICK)?;
        self.time += begun.elapsed();
        self.predictions += 1;
        self.pending.push_back((input, self.predicted.save()));
        Ok(())
    }

    /// Puts the player right, and plays the inputs again that the server has not seen. Returns how
    /// far that moved it, in metres, where the prediction was wrong.
    fn receive(&mut self, world: &World, answer: Answer) -> Result<Option<f32>, PredictError> {
        let before = self.predicted.position();
        let answered = self.pending.pop_front();
        let wrong = answered.is_none_or(|(_, bytes)| bytes != answer.bytes);
        self.predicted.put_right(&answer.bytes)?;
        self.others = answer.others;
        for _ in 0..self.pending.len() {
            if let Some((input, _)) = self.pending.pop_front() {
                self.press(world, input)?;
            }
        }
        let moved = self.predicted.position().since(&before).norm();
        Ok(wrong.then_some(moved))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (world, mut server) = (ground(), Server::new());
    let Answer { bytes, others } = server.answer().ok_or("the player is gone")?;
    let mut client = Client {
        predicted: Predicted::from_bytes(&bytes, &settings())?,
        pending: VecDeque::new(),
        others,
        predictions: 0,
        time: Duration::ZERO,
    };
    let mut corrections = 0;
    for tick in 0..TICKS {
        client.press(&world, wish(0, tick))?;
        let Some(&(oldest, _)) = client.pending.front().filter(|_| tick as usize > LATE) else {
            continue;
        };
        server.tick(&world, oldest);
        let answer = server.answer().ok_or("the player is gone")?;
        if let Some(metres) = client.receive(&world, answer)? {
            println!("tick {tick}: put right, {metres:.3} m");
            corrections += 1;
        }
    }
    let each = client.time / client.predictions;
    println!("{TICKS} ticks, {corrections} corrections");
    println!("{} predictions, {each:?} each", client.predictions);
    Ok(())
}
