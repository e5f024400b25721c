//! Blows in two planes: a box or a circle on the ground, an interval in height. What each shape is, and how hard it hits.

use collision::Position;
use collision::hit_box::{HitBox, Strike};
use nalgebra::Vector3;

/// Ticks for which a blow's shape shows.
const SHOW_TICKS: u8 = 18;

/// The blows there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blow {
    /// A box in front.
    Swing,
    /// A circle round the body.
    Spin,
    /// A wide, low circle.
    Slam,
}

impl Blow {
    /// Ticks before the next blow.
    pub(crate) fn rest_ticks(self) -> u32 {
        match self {
            Blow::Swing => 18,
            Blow::Spin => 36,
            Blow::Slam => 60,
        }
    }

    /// Shove outwards and upwards, metres a second.
    pub(crate) fn strength(self) -> [f32; 2] {
        match self {
            Blow::Swing => [11.0, 4.5],
            Blow::Spin => [13.0, 4.0],
            Blow::Slam => [9.0, 9.0],
        }
    }
}

/// A blow that was struck.
#[derive(Clone, Copy, Debug)]
pub struct Struck {
    /// Where it reached.
    pub strike: Strike,
    /// How many it hit.
    pub hits: u32,
    ticks_left: u8,
}

impl Struck {
    /// 1 when fresh, 0 when gone.
    pub fn freshness(&self) -> f32 {
        f32::from(self.ticks_left) / f32::from(SHOW_TICKS)
    }
}

/// Blows that still show, and the pause until the next.
#[derive(Clone, Debug, Default)]
pub struct Melee {
    struck: Vec<Struck>,
    rest: u32,
    /// Characters hit since the start.
    pub hits: u32,
}

impl Melee {
    /// Blows that still show.
    pub fn struck(&self) -> &[Struck] {
        &self.struck
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.rest == 0
    }

    pub(crate) fn strike(&mut self, blow: Blow, strike: Strike, hits: u32) {
        self.rest = blow.rest_ticks();
        self.hits += hits;
        self.struck.push(Struck {
            strike,
            hits,
            ticks_left: SHOW_TICKS,
        });
    }

    pub(crate) fn tick(&mut self) {
        self.rest = self.rest.saturating_sub(1);
        for struck in &mut self.struck {
            struck.ticks_left = struck.ticks_left.saturating_sub(1);
        }
        self.struck.retain(|s| s.ticks_left > 0);
    }
}

/// Where a blow from a body at `origin` that looks along `level` reaches. Boxes keep to the axes: a swing takes the side
/// nearest to the look.
pub(crate) fn strike_of(blow: Blow, origin: Position, level: Vector3<f32>) -> Strike {
    let shape = match blow {
        Blow::Swing if level.x.abs() > level.z.abs() => {
            HitBox::of_box([level.x.signum() * 1.5, 0.0, 0.0], [1.3, 0.9, 1.2])
        }
        Blow::Swing => HitBox::of_box([0.0, 0.0, level.z.signum() * 1.5], [1.2, 0.9, 1.3]),
        Blow::Spin => HitBox::of_circle([0.0; 3], 2.6, 0.8),
        Blow::Slam => HitBox::of_circle([0.0, -0.4, 0.0], 5.5, 0.8),
    };
    Strike {
        origin,
        shape,
        layers: u16::MAX,
    }
}
