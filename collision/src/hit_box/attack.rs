//! An attack of several ticks: a swing, or a missile whose box moves with it. It hits each
//! character once.

use super::{Body, HitBox, Strike};
use crate::crowd::{CharacterId, Crowd};
use crate::position::Position;

/// Most places at which a missile strikes along its path of one tick; beyond that they lie farther
/// apart than its box is long.
const MOST_STRIKES: f32 = 64.0;

/// An attack with the characters it has hit so far.
///
/// ```
/// use collision::hit_box::{Attack, Body, HitBox};
/// use collision::{Character, Crowd, Position};
/// use nalgebra::Point3;
///
/// let at = |x| Position::from_metres(Point3::new(x, 1.0, 0.0));
/// let mut crowd = Crowd::new();
/// let target = crowd.add(Character::at(at(5.0)));
/// let mut arrow = Attack::new(at(0.0), HitBox::of_box([0.0; 3], [0.2; 3]), u16::MAX);
/// let mut hit = Vec::new();
/// arrow.move_to(&crowd, at(9.0), |_| Body::Round, &mut hit); // through it, between two ticks
/// assert_eq!(hit, [target]);
/// arrow.move_to(&crowd, at(5.0), |_| Body::Round, &mut hit); // and back
/// assert!(hit.is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct Attack {
    strike: Strike,
    /// Ordered by handle.
    struck: Vec<CharacterId>,
    found: Vec<CharacterId>,
}

impl Attack {
    /// Makes an attack without hits. Its shape is relative to `origin`; it hits characters in any
    /// of these layers.
    pub fn new(origin: Position, shape: HitBox, layers: u16) -> Self {
        let strike = Strike {
            origin,
            shape,
            layers,
        };
        Self {
            strike,
            struck: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Returns the attack at its present place.
    pub fn strike(&self) -> &Strike {
        &self.strike
    }

    /// Returns the characters it has hit so far, ordered by handle.
    pub fn struck(&self) -> &[CharacterId] {
        &self.struck
    }

    /// Excludes a character, such as the attacker: it counts as hit already.
    pub fn spare(&mut self, character: CharacterId) {
        if let Err(place) = self.struck.binary_search(&character) {
            self.struck.insert(place, character);
        }
    }

    /// Moves the attack with its shape, striking all along the path. `hit` is cleared, then lists
    /// the characters hit for the first time, in the order of contact. A move to the present place
    /// strikes once.
    pub fn move_to(
        &mut self,
        crowd: &Crowd,
        to: Position,
        body_of: impl Fn(CharacterId) -> Body,
        hit: &mut Vec<CharacterId>,
    ) {
        hit.clear();
        let from = self.strike.origin;
        let way = to.since(&from);
        let strikes = self.strikes_along(way.abs().into());
        for step in 1..=strikes {
            self.strike.origin = if step == strikes {
                to
            } else {
                from.moved(way * (step as f32 / strikes as f32))
            };
            crowd.strike_bodies(&self.strike, &body_of, &mut self.found);
            for &character in &self.found {
                if let Err(place) = self.struck.binary_search(&character) {
                    self.struck.insert(place, character);
                    hit.push(character);
                }
            }
        }
    }

    /// Returns the number of strikes that leave no gap along a way: so many that each moves by no
    /// more than one side of the box, all axes together. Farther apart, boxes on a diagonal way
    /// would meet at their corners alone.
    fn strikes_along(&self, way: [f32; 3]) -> u32 {
        let (min, max) = self.strike.shape.footprint.extent();
        let height = self.strike.shape.high - self.strike.shape.low;
        let sides = [max[0] - min[0], height, max[1] - min[1]];
        let mut strikes = 0.0;
        for (way, side) in way.into_iter().zip(sides) {
            if way > 0.0 {
                strikes += way / side.max(f32::MIN_POSITIVE);
            }
        }
        strikes.clamp(1.0, MOST_STRIKES).ceil() as u32
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Point3, Vector3};

    use super::*;
    use crate::character::Character;

    fn at(x: f64, y: f64, z: f64) -> Position {
        Position::from_metres(Point3::new(x, y, z))
    }

    fn box_about(half: f32) -> HitBox {
        HitBox::of_box([0.0; 3], [half; 3])
    }

    #[test]
    fn swing_hits_each_once() {
        let mut crowd = Crowd::new();
        let ids = [0.4, 0.8, 3.0].map(|x| crowd.add(Character::at(at(x, 0.0, 0.0))));
        let mut swing = Attack::new(at(0.0, 0.0, 0.0), box_about(1.0), u16::MAX);
        swing.spare(ids[0]);
        let mut hit = Vec::new();
        for (tick, x) in [0.0, 0.1, 0.2, 2.0, 2.1].into_iter().enumerate() {
            swing.move_to(&crowd, at(x, 0.0, 0.0), |_| Body::Round, &mut hit);
            let expected: &[CharacterId] = match tick {
                0 => &ids[1..2],
                3 => &ids[2..],
                _ => &[],
            };
            assert_eq!(hit, expected, "tick {tick}");
        }
        assert_eq!(swing.struck(), ids);
    }

    #[test]
    fn square_bodies_are_hit_at_their_corners_and_round_ones_are_not() {
        let mut crowd = Crowd::new();
        let body = Character::at(at(0.0, 0.0, 0.0)).with_radii(0.5, 0.9);
        let id = crowd.add(body);
        let mut hit = Vec::new();
        for (x, z) in [(0.55, 0.55), (-0.55, 0.55), (0.55, -0.55), (-0.55, -0.55)] {
            for shape in [box_about(0.1), HitBox::of_circle([0.0; 3], 0.1, 0.1)] {
                for (kind, is_hit) in [(Body::Square, true), (Body::Round, false)] {
                    let mut attack = Attack::new(at(x, 0.0, z), shape, u16::MAX);
                    attack.move_to(&crowd, at(x, 0.0, z), |_| kind, &mut hit);
                    assert_eq!(hit.contains(&id), is_hit, "{kind:?} {x} {z} {shape:?}");
                }
            }
        }
    }

    #[test]
    fn missile_meets_all_on_its_way_however_fast() {
        let mut crowd = Crowd::new();
        let ids: Vec<_> = (1..=6)
            .map(|step| {
                crowd.add(Character::at(at(f64::from(step) * 2.0, 0.0, 0.0)).with_radii(0.3, 0.9))
            })
            .collect();
        let beside = crowd.add(Character::at(at(6.0, 0.0, 3.0)).with_radii(0.3, 0.9));
        for speed in [0.1, 0.5, 3.0, 16.0] {
            let mut missile = Attack::new(at(0.0, 0.0, 0.0), box_about(0.15), u16::MAX);
            let (mut hit, mut all, mut x) = (Vec::new(), Vec::new(), 0.0);
            while x < 15.0 {
                x += speed;
                missile.move_to(&crowd, at(x, 0.0, 0.0), |_| Body::Square, &mut hit);
                all.extend_from_slice(&hit);
            }
            assert_eq!(all, ids, "speed {speed}");
            assert!(!missile.struck().contains(&beside));
            let moved = missile.strike().origin.since(&at(x, 0.0, 0.0));
            assert_eq!(moved, Vector3::zeros());
        }
    }

    #[test]
    fn missile_on_a_diagonal_way_leaves_no_gap() {
        let mut crowd = Crowd::new();
        let body = |x, z| Character::at(at(x, 0.0, z)).with_radii(0.1, 0.9);
        // Bodies on both sides of the way, that the ball's middle passes within 0.29 m; it and they
        // reach 0.38 m.
        let near: Vec<_> = (0..40)
            .map(|step| {
                let along = 1.0 + f64::from(step) * 0.37;
                let aside = if step % 2 == 0 { 0.2 } else { -0.2 };
                crowd.add(body(along + aside, along - aside))
            })
            .collect();
        let beside = crowd.add(body(6.0, 4.9));
        let ball = HitBox::of_circle([0.0; 3], 0.28, 0.28);
        for step in [0.3, 0.56, 1.1, 5.0] {
            let mut missile = Attack::new(at(0.0, 0.0, 0.0), ball, u16::MAX);
            let (mut hit, mut along) = (Vec::new(), 0.0);
            while along < 17.0 {
                along += step;
                missile.move_to(&crowd, at(along, 0.0, along), |_| Body::Round, &mut hit);
            }
            assert_eq!(missile.struck(), near, "steps of {step}");
            assert!(!missile.struck().contains(&beside));
        }
    }

    #[test]
    fn missile_without_a_size_strikes_a_bounded_number_of_times() {
        let crowd = Crowd::new();
        let mut hit = Vec::new();
        for half in [0.0, -1.0, f32::NAN] {
            let mut missile = Attack::new(at(0.0, 0.0, 0.0), box_about(half), u16::MAX);
            missile.move_to(&crowd, at(1e6, 5.0, 1e6), |_| Body::Round, &mut hit);
            assert!(hit.is_empty() && missile.struck().is_empty());
            assert!(missile.strikes_along([1e6; 3]) <= MOST_STRIKES as u32);
        }
    }
}
