//! Attacks against a crowd: hit boxes tested against the characters near them, looked up in the
//! paged grid.

use nalgebra::Vector3;

use super::{HitBox, overlap_hit_boxes};
use crate::crowd::{CharacterId, Crowd};
use crate::position::Position;

/// One strike of an attack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strike {
    /// The point that the shape is relative to, usually the attacker.
    pub origin: Position,
    /// The shape, in metres from `origin`.
    pub shape: HitBox,
    /// Only characters in one of these layers are hit.
    pub layers: u16,
}

/// The form of a character's own hit box on the ground. It is as wide and as high as the ellipsoid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Body {
    /// A circle.
    #[default]
    Round,
    /// A box, its sides along x and z.
    Square,
}

impl Body {
    /// Returns the hit box of a body with these half-lengths about a point.
    pub fn hit_box(self, center: [f32; 3], half: [f32; 3]) -> HitBox {
        match self {
            Self::Round => HitBox::of_circle(center, half[0].max(half[2]), half[1]),
            Self::Square => HitBox::of_box(center, half),
        }
    }
}

/// One character hit by one of many attacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StrikeHit {
    /// Index of the attack.
    pub strike: usize,
    /// The character that was hit.
    pub character: CharacterId,
}

impl Crowd {
    /// Lists the characters that an attack hits in `found`, which is cleared first, ordered by
    /// handle.
    ///
    /// A character's own hit box is round, as wide and as high as its ellipsoid. The attacker is
    /// hit too where the shape covers it.
    ///
    /// ```
    /// use collision::hit_box::{HitBox, Strike};
    /// use collision::{Character, Crowd, Position};
    /// use nalgebra::Point3;
    ///
    /// let mut crowd = Crowd::new();
    /// let near = crowd.add(Character::at(Position::from_metres(Point3::new(1.2, 0.9, 0.0))));
    /// let far = crowd.add(Character::at(Position::from_metres(Point3::new(4.0, 0.9, 0.0))));
    /// let swing = Strike {
    ///     origin: Position::from_metres(Point3::new(0.0, 0.9, 0.0)),
    ///     shape: HitBox::of_box([1.0, 0.2, 0.0], [0.7, 0.4, 0.6]),
    ///     layers: u16::MAX,
    /// };
    /// let mut hit = Vec::new();
    /// crowd.strike(&swing, &mut hit);
    /// assert_eq!(hit, [near]);
    /// # let _ = far;
    /// ```
    pub fn strike(&self, strike: &Strike, found: &mut Vec<CharacterId>) {
        found.clear();
        self.visit_struck(strike, |_| Body::Round, |character| found.push(character));
        found.sort_unstable();
    }

    /// Strikes like [`Crowd::strike`], with the form of each character's own hit box from
    /// `body_of`.
    pub fn strike_bodies(
        &self,
        strike: &Strike,
        body_of: impl Fn(CharacterId) -> Body,
        found: &mut Vec<CharacterId>,
    ) {
        found.clear();
        self.visit_struck(strike, body_of, |character| found.push(character));
        found.sort_unstable();
    }

    /// Strikes like [`Crowd::strike`], with many attacks at once, ordered by attack and then by
    /// handle.
    pub fn strike_all(&self, strikes: &[Strike], hits: &mut Vec<StrikeHit>) {
        hits.clear();
        for (strike, attack) in strikes.iter().enumerate() {
            let first = hits.len();
            self.visit_struck(
                attack,
                |_| Body::Round,
                |character| hits.push(StrikeHit { strike, character }),
            );
            hits[first..].sort_unstable();
        }
    }

    #[inline]
    fn visit_struck(
        &self,
        strike: &Strike,
        body_of: impl Fn(CharacterId) -> Body,
        mut visit: impl FnMut(CharacterId),
    ) {
        let (min, max) = strike.shape.footprint.extent();
        let (low, high) = (strike.shape.low, strike.shape.high);
        // Halves first: the sum of the ends of a shape over all of space overflows.
        let from = Vector3::new(min[0], low, min[1]) * 0.5;
        let to = Vector3::new(max[0], high, max[1]) * 0.5;
        let (middle, extent) = (from + to, to - from);
        let finite = (middle + extent).iter().all(|part| part.is_finite());
        if !finite {
            return;
        }
        // The middle only decides which cells are searched: that of a very high shape is accurate
        // to metres.
        let center = strike.origin.moved(middle);
        self.neighbourhood()
            .visit_box(&center, extent, |row, other, _| {
                let offset = other.position.since(&strike.origin);
                let character = self.name_of(row);
                let own = body_of(character).hit_box(offset.into(), other.extent.into());
                if other.layers & strike.layers != 0 && overlap_hit_boxes(&strike.shape, &own) {
                    visit(character);
                }
            });
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Point3;

    use super::super::Footprint;
    use super::*;
    use crate::character::Character;

    fn dice(state: &mut u32) -> f32 {
        *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (*state >> 8) as f32 / (1 << 24) as f32
    }

    /// Returns the hits of a comparison with every character, in `f64` metres.
    fn brute(crowd: &Crowd, strike: &Strike) -> Vec<CharacterId> {
        let origin = strike.origin.to_metres();
        let hits = |position: Position, across: f64, along: f64| {
            let at = position.to_metres() - origin;
            let gap = |low: f32, high: f32, at: f64| {
                (f64::from(low) - at).max(at - f64::from(high)).max(0.0)
            };
            let flat = match strike.shape.footprint {
                Footprint::Circle { center, radius } => {
                    let off = (at.x - f64::from(center[0])).hypot(at.z - f64::from(center[1]));
                    (off - f64::from(radius)).max(0.0)
                }
                Footprint::Box { min, max } => {
                    gap(min[0], max[0], at.x).hypot(gap(min[1], max[1], at.z))
                }
            };
            flat <= across && gap(strike.shape.low, strike.shape.high, at.y) <= along
        };
        let bodies = crowd.bodies();
        bodies
            .filter(|(_, body)| {
                hits(
                    body.position,
                    f64::from(body.radii.across),
                    f64::from(body.radii.along),
                )
            })
            .map(|(id, _)| id)
            .collect()
    }

    #[test]
    fn strikes_equal_brute_force() {
        let (mut crowd, mut seed) = (Crowd::new(), 5);
        let mut place = |size: f32| {
            let metre = |share: f32| f64::from(share * size) + 1e6;
            Position::from_metres(Point3::new(
                metre(dice(&mut seed)),
                metre(dice(&mut seed) * 0.2),
                metre(dice(&mut seed)),
            ))
        };
        for _ in 0..600 {
            crowd.add(Character::at(place(30.0)).with_radii(0.4, 0.9));
        }
        let strikes: Vec<Strike> = (0..200)
            .map(|index| {
                let shape = if index % 2 == 0 {
                    HitBox::of_box([1.0, 0.3, -0.5], [1.4, 0.6, 0.8])
                } else {
                    HitBox::of_circle([0.0, 0.1, 0.2], 2.5, 0.7)
                };
                Strike {
                    origin: place(30.0),
                    shape,
                    layers: u16::MAX,
                }
            })
            .collect();
        let (mut all, mut found, mut total) = (Vec::new(), Vec::new(), 0);
        crowd.strike_all(&strikes, &mut all);
        for (index, strike) in strikes.iter().enumerate() {
            let mut expected = brute(&crowd, strike);
            expected.sort_unstable();
            crowd.strike(strike, &mut found);
            assert_eq!(found, expected, "strike {index}");
            let batch: Vec<_> = all
                .iter()
                .filter(|hit| hit.strike == index)
                .map(|hit| hit.character)
                .collect();
            assert_eq!(batch, expected, "strike {index} of the batch");
            total += expected.len();
        }
        assert!(total > 200, "only {total} hits");
    }

    #[test]
    fn strike_of_any_height_hits() {
        let mut crowd = Crowd::new();
        let origin = Position::default();
        let id = crowd.add(crate::Character::at(origin));
        let footprint = crate::hit_box::Footprint::Circle {
            center: [0.0; 2],
            radius: 1.0,
        };
        let shape = HitBox {
            footprint,
            low: f32::MIN,
            high: f32::MAX,
        };
        let mut found = Vec::new();
        let strike = Strike {
            origin,
            shape,
            layers: u16::MAX,
        };
        crowd.strike(&strike, &mut found);
        assert_eq!(found, [id]);
    }

    #[test]
    fn shapes_that_are_not_finite_hit_no_character() {
        let mut crowd = Crowd::new();
        let origin = Position::from_metres(Point3::new(0.0, 0.0, 0.0));
        crowd.add(Character::at(origin));
        let mut found = Vec::new();
        for bad in [f32::NAN, f32::INFINITY] {
            let shape = HitBox::of_circle([0.0; 3], bad, 1.0);
            crowd.strike(
                &Strike {
                    origin,
                    shape,
                    layers: u16::MAX,
                },
                &mut found,
            );
            assert!(found.is_empty());
        }
    }

    #[test]
    fn strike_up_to_the_sky_hits_no_character_below() {
        let mut crowd = Crowd::new();
        let at = |y| Character::at(Position::from_metres(Point3::new(0.0, y, 0.0)));
        let _below = crowd.add(at(-100.0));
        let above = crowd.add(at(100.0));
        let footprint = Footprint::Circle {
            center: [0.0; 2],
            radius: 1.0,
        };
        for (low, high) in [(0.0, f32::MAX), (1.0, 1e10)] {
            let shape = HitBox {
                footprint,
                low,
                high,
            };
            let strike = Strike {
                origin: Position::default(),
                shape,
                layers: u16::MAX,
            };
            let mut found = Vec::new();
            crowd.strike(&strike, &mut found);
            assert_eq!(found, [above], "{low} to {high}");
        }
    }
}
