//! Blows in two planes: a box or a circle on the ground, an interval in height. The shape, duration
//! and strength of each.

use collision::CharacterId;
use collision::hit_box::{Attack, HitBox, Strike};
use nalgebra::Vector3;

use super::coding::Coded;
use super::walkers::FLASH_TICKS;

/// Ticks for which the shape of a blow is shown.
const SHOW_TICKS: u8 = 18;
/// The most blows at once; further ones are dropped.
const MOST: usize = 64;

/// Kinds of blows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blow {
    /// A box in front.
    Swing,
    /// A circle round the character.
    Spin,
    /// A wide, low circle.
    Slam,
    /// A small box in front, struck by walkers.
    Punch,
}

impl Blow {
    /// Returns the ticks before the next blow.
    pub(crate) fn rest_ticks(self) -> u32 {
        match self {
            Blow::Swing => 18,
            Blow::Spin => 36,
            Blow::Slam => 60,
            Blow::Punch => 50,
        }
    }

    /// Returns the ticks after the first in which the shape follows the striker, and hits further
    /// characters.
    fn active_ticks(self) -> u8 {
        match self {
            Blow::Swing => 6,
            Blow::Spin => 12,
            Blow::Slam => 0,
            Blow::Punch => 8,
        }
    }

    /// Returns the speed of the shove, outwards and upwards, metres a second.
    pub(crate) fn strength(self) -> [f32; 2] {
        match self {
            Blow::Swing => [11.0, 4.5],
            Blow::Spin => [13.0, 4.0],
            Blow::Slam => [9.0, 9.0],
            Blow::Punch => [5.0, 2.5],
        }
    }
}

/// A blow in progress.
#[derive(Clone, Debug)]
pub struct Struck {
    pub(crate) attack: Attack,
    pub(crate) striker: CharacterId,
    pub(crate) blow: Blow,
    /// Number of characters hit.
    pub hits: u32,
    active: u8,
    ticks_left: u8,
}

impl Struck {
    pub(crate) fn new(attack: Attack, striker: CharacterId, blow: Blow) -> Self {
        Struck {
            attack,
            striker,
            blow,
            hits: 0,
            active: blow.active_ticks(),
            ticks_left: SHOW_TICKS,
        }
    }

    /// Returns its shape in the world.
    pub fn strike(&self) -> &Strike {
        self.attack.strike()
    }

    /// Returns 1 at the start, falling to 0 at the end.
    pub fn freshness(&self) -> f32 {
        f32::from(self.ticks_left) / f32::from(SHOW_TICKS)
    }

    /// Counts a tick; returns whether the blow still hits.
    pub(crate) fn goes_on(&mut self) -> bool {
        let goes_on = self.active > 0;
        self.active = self.active.saturating_sub(1);
        goes_on
    }
}

/// The blows that are shown.
#[derive(Clone, Debug, Default)]
pub struct Melee {
    pub(crate) struck: Vec<Struck>,
}

impl Melee {
    /// Returns the blows that are shown.
    pub fn struck(&self) -> &[Struck] {
        &self.struck
    }

    /// Adds all that decides what blows do next.
    pub(super) fn write_state(&self, to: &mut Vec<u8>) {
        for struck in &self.struck {
            struck.striker.to_bits().write(to);
            struck.blow.write(to);
            struck.hits.write(to);
            to.extend([struck.active, struck.ticks_left]);
        }
    }

    pub(crate) fn has_room(&self) -> bool {
        self.struck.len() < MOST
    }

    pub(crate) fn tick(&mut self) {
        for struck in &mut self.struck {
            struck.ticks_left = struck.ticks_left.saturating_sub(1);
        }
        self.struck.retain(|s| s.ticks_left > 0);
    }
}

/// A player's hits and wounds, and the pause until its next blow.
#[derive(Clone, Debug, Default)]
pub struct Fighter {
    rest: u32,
    /// Number of its hits since it came.
    pub hits: u32,
    /// Number of hits that it took.
    pub taken: u32,
    hurt: u8,
}

impl Fighter {
    /// Returns 1 just after a hit, falling to 0.
    pub fn hurt(&self) -> f32 {
        f32::from(self.hurt) / f32::from(FLASH_TICKS)
    }

    /// Adds its hits, its wounds and its pause.
    pub(super) fn write_state(&self, to: &mut Vec<u8>) {
        self.rest.write(to);
        self.hits.write(to);
        self.taken.write(to);
        to.push(self.hurt);
    }

    pub(crate) fn wound(&mut self) {
        self.hurt = FLASH_TICKS;
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.rest == 0
    }

    /// Begins the pause after a blow.
    pub(crate) fn begin_rest(&mut self, blow: Blow) {
        self.rest = blow.rest_ticks();
    }

    pub(crate) fn tick(&mut self) {
        self.rest = self.rest.saturating_sub(1);
        self.hurt = self.hurt.saturating_sub(1);
    }
}

/// Returns the shape of a blow in the direction `level`. Boxes keep to the axes: they take the
/// nearest one.
pub(crate) fn shape_of(blow: Blow, level: Vector3<f32>) -> HitBox {
    let along_x = level.x.abs() > level.z.abs();
    let ahead = |reach: f32, long: f32, high: f32, wide: f32| {
        if along_x {
            HitBox::of_box([level.x.signum() * reach, 0.0, 0.0], [long, high, wide])
        } else {
            HitBox::of_box([0.0, 0.0, level.z.signum() * reach], [wide, high, long])
        }
    };
    match blow {
        Blow::Swing => ahead(1.5, 1.3, 0.9, 1.2),
        Blow::Punch => ahead(0.9, 0.7, 0.6, 0.6),
        Blow::Spin => HitBox::of_circle([0.0; 3], 2.6, 0.8),
        Blow::Slam => HitBox::of_circle([0.0, -0.4, 0.0], 5.5, 0.8),
    }
}
