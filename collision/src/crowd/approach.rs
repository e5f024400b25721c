//! After the moves of the first phase: who may have come so near to somebody that it has to look.
//!
//! Two can only have come close if one of them has come nearer to the other, along the line between them, by half of what lay between.

use crate::crowd::columns::Stood;
use crate::mover::Frame;
use crate::tolerance::REACH_MARGIN;
use nalgebra::Vector3;

/// The way of one character in the first phase.
pub(crate) struct Approach<'a> {
    from: &'a Stood,
    /// How much nearer its box may have come to others, by axis, in metres.
    nearer: Vector3<f32>,
    /// Where it is a ball.
    frame: Frame,
    /// How far its centre moved there.
    moved: Vector3<f32>,
    /// Metres at which it is not close to another.
    margin: f32,
    /// Whether it is of another shape or in other layers than before.
    changed: bool,
}

impl<'a> Approach<'a> {
    #[inline]
    pub(crate) fn new(from: &'a Stood, to: &Stood, nearer: Vector3<f32>, skin: f32) -> Self {
        let layers = to.layers != from.layers || to.meets != from.meets;
        let frame = Frame::of(&from.body(), 0.0);
        Self {
            from,
            nearer,
            moved: frame.squashed(to.position.since(&from.position)),
            frame,
            margin: skin + REACH_MARGIN,
            changed: to.radii != from.radii || layers,
        }
    }

    /// Whether it comes so much nearer to another that they can be close, should that one come as much nearer. If they are, it is so for one of
    /// them at least.
    #[inline]
    pub(crate) fn leads_to(&self, other: &Stood) -> bool {
        let from = self.from;
        if self.changed || !from.meets(other) {
            return self.changed;
        }
        let offset = other.position.since(&from.position);
        if other.radii != from.radii || other.up != from.up {
            let apart = (offset.abs() - from.extent - other.extent).max();
            return 2.0 * self.nearer.amax() >= apart - self.margin;
        }
        // Where both are balls they are no farther apart than in the world, or than the ball is stretched. What is asked is whether
        // `2 moved . offset >= distance (distance - close)`: roots take long.
        let offset = self.frame.squashed(offset);
        let close = 2.0 * self.frame.radius + self.margin * self.frame.squash.max(1.0);
        let square = offset.norm_squared();
        let lacking = (square - 2.0 * self.moved.dot(&offset)).max(0.0);
        lacking * lacking <= close * close * square
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::character::{Character, State};
    use crate::crowd::separation::separate_within;
    use crate::mover::trial::Dice;
    use crate::position::{Cell, Position};
    use crate::tolerance::PUSH_BELOW;

    #[test]
    fn of_two_who_come_close_one_looks() {
        let mut dice = Dice(3);
        let skin = 0.01;
        let (mut close, mut looking, mut pairs) = (0, 0, 0);
        for round in 0..200_000 {
            let mut pair = [0, 1].map(|_| {
                let away = dice.vector().component_mul(&Vector3::new(0.8, 1.4, 0.8));
                Character::at(Position::new(Cell::zeros(), away))
            });
            let ups = [Vector3::y(), Vector3::z(), dice.vector().normalize()];
            let up = ups[dice.bits() as usize % 3];
            pair[0].build.up = up;
            pair[1].build.up = if round % 4 == 0 { -up } else { up };
            if round % 8 == 1 {
                pair[1].build.standing *= 0.5;
            }
            let flat = [0.9, 0.3][dice.bits() as usize % 2];
            for one in &mut pair {
                one.build.standing *= flat;
            }
            let states = pair.map(|one| State::at(one.position));
            let before = [0, 1].map(|i| Stood::new(&pair[i].build, &states[i]));
            if separate_within(&before[0].body(), &before[1].body(), skin).is_some() {
                continue;
            }
            let after = [0, 1].map(|i| {
                let mut state = states[i];
                state.position = state.position.moved(dice.vector() * (0.2 * dice.share()));
                before[i].in_state(&pair[i].build, &state)
            });
            let looks = |i: usize| {
                let nearer = after[i].nearer_than(&before[i]);
                Approach::new(&before[i], &after[i], nearer, skin).leads_to(&before[1 - i])
            };
            let looks = looks(0) | looks(1);
            let meet = separate_within(&after[0].body(), &after[1].body(), PUSH_BELOW * skin);
            assert!(looks || meet.is_none(), "{before:?} {after:?} {meet:?}");
            close += u32::from(meet.is_some());
            looking += u32::from(looks);
            pairs += 1;
        }
        assert!(close > 1_000, "{close}");
        assert!(looking < pairs / 2, "{looking} of {pairs}");
    }
}
