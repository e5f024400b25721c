//! Sparks: small balls and chips that show a hit or a cut, fly about and fade. They collide with
//! nothing.

use collision::Position;
use nalgebra::Vector3;

use crate::random::Random;

use super::TICK;

/// Seed of their random numbers.
const SEED: u64 = 2;
/// The most sparks at once; the oldest go first.
const MOST: usize = 600;
/// Fall of sparks, metres a second squared.
pub(crate) const FALL: f32 = 12.0;

/// The shapes of sparks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SparkShape {
    /// A ball.
    Ball,
    /// A piece with flat sides.
    Chip,
}

/// One spark.
#[derive(Clone, Copy, Debug)]
pub struct Spark {
    /// Position now.
    pub position: Position,
    /// Position one tick ago.
    pub before: Position,
    /// Radius now, metres.
    pub radius: f32,
    /// sRGB colour.
    pub color: [u8; 3],
    /// Shape.
    pub shape: SparkShape,
    velocity: Vector3<f32>,
    fall: f32,
    ticks_left: u16,
}

/// Every spark.
#[derive(Clone, Debug)]
pub struct Sparks {
    list: Vec<Spark>,
    /// A sequence of their own: sparks are only drawn, and must not change what others do.
    random: Random,
}

impl Default for Sparks {
    fn default() -> Self {
        Sparks {
            list: Vec::new(),
            random: Random::new(SEED),
        }
    }
}

/// The looks of a burst of sparks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Burst {
    pub(crate) at: Position,
    pub(crate) count: u32,
    /// Speed, metres a second.
    pub(crate) speed: f32,
    /// Radius of the largest, metres.
    pub(crate) size: f32,
    /// Downward acceleration, metres a second squared.
    pub(crate) fall: f32,
    pub(crate) color: [u8; 3],
    pub(crate) shape: SparkShape,
}

/// Chips of a cut, and their share of the brightness of the material, darkest and brightest.
const CHIPS: u32 = 9;
const SHADES: [f32; 2] = [0.7, 1.1];
/// Share of the way from the colour of the ground to grey that its dust goes.
const DUSTY: f32 = 0.45;

impl Burst {
    /// Returns the dust of the ground: slow, pale and rising a little.
    pub(crate) fn dust(at: Position, ground: [u8; 3], count: u32) -> Self {
        let pale = |part: u8| (f32::from(part) * (1.0 - DUSTY) + 196.0 * DUSTY) as u8;
        Burst {
            at,
            count,
            speed: 1.5,
            size: 0.15,
            fall: -0.4,
            color: ground.map(pale),
            shape: SparkShape::Ball,
        }
    }

    /// Returns the smoke of a cannon: slow, large and rising.
    pub(crate) fn smoke(at: Position) -> Self {
        Burst {
            at,
            count: 18,
            speed: 1.3,
            size: 0.34,
            fall: -1.2,
            color: [176, 174, 170],
            shape: SparkShape::Ball,
        }
    }
}

impl Sparks {
    /// Returns the sparks that still glow.
    pub fn list(&self) -> &[Spark] {
        &self.list
    }

    pub(crate) fn burst(&mut self, burst: &Burst) {
        let random = &mut self.random;
        for _ in 0..burst.count {
            let direction = Vector3::new(
                random.between(-1.0, 1.0),
                random.between(-0.2, 1.0),
                random.between(-1.0, 1.0),
            );
            let ticks = 20 + random.below(40) as u16;
            self.list.push(Spark {
                position: burst.at,
                before: burst.at,
                radius: burst.size * random.between(0.3, 1.0),
                color: burst.color,
                shape: burst.shape,
                fall: burst.fall,
                velocity: direction * burst.speed * random.between(0.3, 1.0),
                ticks_left: ticks,
            });
        }
        let surplus = self.list.len().saturating_sub(MOST);
        self.list.drain(..surplus);
    }

    /// Scatters chips of a material about a place, each of a shade of its own.
    pub(crate) fn chip(&mut self, at: Position, color: [u8; 3]) {
        for _ in 0..CHIPS {
            let shade = self.random.between(SHADES[0], SHADES[1]);
            let aside = [0, 1, 2].map(|_| self.random.between(-0.35, 0.35));
            let chip = Burst {
                at: at.moved(aside.into()),
                count: 1,
                speed: 3.6,
                size: 0.11,
                fall: FALL,
                color: color.map(|part| (f32::from(part) * shade).min(255.0) as u8),
                shape: SparkShape::Chip,
            };
            self.burst(&chip);
        }
    }

    pub(crate) fn tick(&mut self) {
        for spark in &mut self.list {
            spark.velocity.y -= spark.fall * TICK;
            spark.before = spark.position;
            spark.position = spark.position.moved(spark.velocity * TICK);
            spark.ticks_left -= 1;
            if spark.ticks_left < 12 {
                spark.radius *= 0.85;
            }
        }
        self.list.retain(|spark| spark.ticks_left > 0);
    }
}

#[cfg(test)]
mod tests {
    use collision::Cell;
    use world::Material;

    use crate::level_ground::on_level_ground;
    use crate::{BrushMode, BrushShape, Command, Joins, PlayerId, Stroke, Wish};

    #[test]
    fn sparks_change_nothing_that_walkers_do() {
        let play = |digs: bool| {
            let mut simulation = on_level_ground(30);
            if digs {
                simulation.apply(
                    PlayerId::FIRST,
                    &Command::Edit(Stroke {
                        center: Cell::new(60, -1, 60),
                        shape: BrushShape::Voxel,
                        size: 1,
                        mode: BrushMode::Carve,
                        material: Material::AIR,
                        joins: Joins::Nothing,
                    }),
                );
            }
            assert_eq!(simulation.sparks().list().is_empty(), !digs);
            (0..400).for_each(|_| simulation.tick(&Wish::default().alone()));
            simulation.crowd().state_hash()
        };
        assert_eq!(play(true), play(false));
    }
}
