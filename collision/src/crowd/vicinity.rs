//! Who was near a character when it last looked about, kept for as long as nobody else can have come as near.
//!
//! A look goes farther than is needed, and the crowd adds up how far anybody may have moved since. While that is less than what the
//! look went farther, the list is complete and the grid need not be asked. Nothing of it shows in results.

use crate::crowd::columns::{Stood, bits};
use crate::places::Surroundings;
use nalgebra::Vector3;

/// Rows in a list. More: more memory a character; fewer: dense crowds ask the grid each tick.
const LISTED: usize = 16;

/// Ticks before a character with too many neighbours for a list tries again.
const PATIENCE: u32 = 32;

/// The end of no list.
const NOT_KNOWN: Vector3<f64> = Vector3::new(f64::NAN, f64::NAN, f64::NAN);

/// What one character knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vicinity {
    /// It holds while the crowd's unrest and the reach asked for come to no more, by axis, in metres; not a number if there is no list.
    until: Vector3<f64>,
    /// The numbering of rows when it looked.
    numbering: u32,
    /// Rows listed; beyond [`LISTED`] it is how long there will be no list.
    count: u32,
    rows: [u32; LISTED],
}

impl Default for Vicinity {
    fn default() -> Self {
        Self {
            until: NOT_KNOWN,
            numbering: 0,
            count: 0,
            rows: [0; LISTED],
        }
    }
}

impl Vicinity {
    /// The rows of all that can be within `reach` now; `None` when that is not known.
    #[inline]
    pub(crate) fn within(&self, reach: Vector3<f32>, unrest: &Unrest) -> Option<&[u32]> {
        let holds = |axis: usize| unrest.sum[axis] + f64::from(reach[axis]) <= self.until[axis];
        let held = holds(0) & holds(1) & holds(2);
        let known = held & (self.numbering == unrest.numbering);
        known.then(|| &self.rows[..self.count as usize])
    }

    /// Begins a new list. Returns whether one is worth while.
    #[inline]
    pub(crate) fn begin(&mut self, reach: Vector3<f32>, unrest: &Unrest) -> bool {
        self.until = NOT_KNOWN;
        if self.count as usize > LISTED {
            self.count -= 1;
            return false;
        }
        self.until = unrest.sum + reach.cast::<f64>();
        self.numbering = unrest.numbering;
        self.count = 0;
        true
    }

    /// Lists a row; the list is given up when it is full.
    #[inline]
    pub(crate) fn note(&mut self, row: usize) {
        match self.rows.get_mut(self.count as usize) {
            Some(place) => {
                *place = row as u32;
                self.count += 1;
            }
            None => {
                self.until = NOT_KNOWN;
                self.count = LISTED as u32 + PATIENCE;
            }
        }
    }

    /// Rows have got other numbers: `numbers` holds the new one of each.
    pub(crate) fn renumber(&mut self, numbers: &[u32], unrest: &Unrest) {
        if self.numbering == unrest.numbering && !self.until.x.is_nan() {
            for row in &mut self.rows[..self.count as usize] {
                *row = numbers[*row as usize];
            }
        }
    }
}

/// Those of at most 64 rows whose box meets another. All are looked at before any is told apart: what is far in memory comes side by side.
#[inline]
pub(crate) fn nearer(
    listed: &[u32],
    stood: &[Stood],
    around: &Surroundings,
) -> impl Iterator<Item = usize> {
    let mut found = 0_u64;
    for (number, &row) in listed.iter().enumerate() {
        let other = &stood[row as usize];
        found |= u64::from(around.meets(&other.position, &other.extent)) << number;
    }
    bits(found).map(|number| listed[number] as usize)
}

/// How much nearer to each other any two characters may have come, all in all, by axis, in metres.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unrest {
    sum: Vector3<f64>,
    /// The same in the last tick.
    pace: Vector3<f32>,
    before: Vector3<f64>,
    /// Changes when there are new rows.
    numbering: u32,
}

/// Ticks that a list should last at least. Fewer: the grid is asked more often; more: lists are longer.
const LASTING: usize = 5;

/// By up to how many more they differ from row to row, so that not all end in the same tick.
const SPREAD: usize = 8;

/// How much farther than needed a look goes at least along an axis, and at most along all three together, in metres. Where that does not
/// last, nothing is listed.
const FARTHER: [f32; 2] = [0.5, 32.0];

/// Metres after which they are counted anew: small moves must not be lost in a large sum.
const MOST_UNREST: f64 = 1e6;

impl Unrest {
    /// A tick begins.
    pub(crate) fn begin_tick(&mut self) {
        self.pace = (self.sum - self.before).cast();
        if self.sum.amax() > MOST_UNREST {
            self.sum = Vector3::zeros();
            self.renumber();
        }
        self.before = self.sum;
    }

    /// How far anybody may have moved since the tick began, or grown, by axis, in metres.
    pub(crate) fn in_this_tick(&self) -> Vector3<f32> {
        ((self.sum - self.before) * 0.5).cast()
    }

    /// How much farther than needed a row looks now; `None` when it does not pay.
    pub(crate) fn farther(&self, row: usize) -> Option<Vector3<f32>> {
        let [least, most] = FARTHER;
        let lasting = (LASTING + row % SPREAD) as f32;
        let farther = self.pace.map(|pace| (pace * lasting).max(least));
        (farther.sum() <= most).then_some(farther)
    }

    /// Nobody moved farther, or grew by more, than so many metres.
    pub(crate) fn add(&mut self, moved: Vector3<f32>) {
        self.sum += moved.cast::<f64>() * 2.0;
    }

    /// There are others than before: no list holds any more.
    pub(crate) fn renumber(&mut self) {
        self.numbering = self.numbering.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_holds_until_somebody_can_have_come_nearer() {
        let mut unrest = Unrest::default();
        let mut own = Vicinity::default();
        let reach = Vector3::new(0.5, 1.0, 0.5);
        assert!(own.within(reach, &unrest).is_none());
        assert!(own.begin(reach + Vector3::repeat(1.0), &unrest));
        own.note(7);
        unrest.add(Vector3::new(0.25, 0.0, 0.0));
        assert_eq!(own.within(reach, &unrest), Some(&[7][..]));
        assert!(own.within(reach * 3.0, &unrest).is_none());
        unrest.add(Vector3::new(0.375, 0.0, 0.0));
        assert!(own.within(reach, &unrest).is_none());
    }

    #[test]
    fn list_ends_however_far_others_went_before() {
        let mut unrest = Unrest::default();
        for _ in 0..1 << 18 {
            unrest.add(Vector3::repeat(i32::MAX as f32));
        }
        unrest.begin_tick();
        let mut own = Vicinity::default();
        assert!(own.begin(Vector3::repeat(1.0), &unrest));
        for _ in 0..100 {
            unrest.begin_tick();
            unrest.add(Vector3::repeat(0.01));
        }
        assert!(own.within(Vector3::zeros(), &unrest).is_none());
    }

    #[test]
    fn full_list_is_given_up_for_a_while() {
        let unrest = Unrest::default();
        let mut own = Vicinity::default();
        assert!(own.begin(Vector3::repeat(2.0), &unrest));
        for row in 0..=LISTED {
            own.note(row);
        }
        assert!(own.within(Vector3::zeros(), &unrest).is_none());
        for _ in 0..PATIENCE {
            assert!(!own.begin(Vector3::repeat(2.0), &unrest));
            assert!(own.within(Vector3::zeros(), &unrest).is_none());
        }
        assert!(own.begin(Vector3::repeat(2.0), &unrest));
    }

    #[test]
    fn who_moves_fast_makes_everybody_look_farther_or_not_list_at_all() {
        let mut unrest = Unrest::default();
        assert_eq!(unrest.farther(0), Some(Vector3::repeat(FARTHER[0])));
        unrest.add(Vector3::new(0.0, 0.25, 0.0));
        unrest.begin_tick();
        assert_eq!(
            unrest.farther(0),
            Some(Vector3::new(FARTHER[0], 2.5, FARTHER[0]))
        );
        unrest.add(Vector3::new(2.0, 0.0, 2.0));
        unrest.begin_tick();
        assert_eq!(unrest.farther(0), None);
    }

    #[test]
    fn rows_with_other_numbers_stay_listed() {
        let mut unrest = Unrest::default();
        let mut own = Vicinity::default();
        own.renumber(&[], &unrest);
        own.begin(Vector3::repeat(1.0), &unrest);
        own.note(2);
        own.note(0);
        own.renumber(&[1, 2, 0], &unrest);
        assert_eq!(own.within(Vector3::zeros(), &unrest), Some(&[0, 1][..]));
        // What is in a list that holds no more may be no row at all.
        unrest.renumber();
        own.renumber(&[], &unrest);
    }

    #[test]
    fn lists_of_rows_beside_each_other_end_in_different_ticks() {
        let mut unrest = Unrest::default();
        let walked = Vector3::new(0.25, 0.0, 0.25);
        unrest.add(walked);
        unrest.begin_tick();
        let mut lists = [Vicinity::default(); SPREAD];
        for (row, own) in lists.iter_mut().enumerate() {
            let farther = unrest.farther(row);
            assert!(farther.is_some_and(|reach| own.begin(reach, &unrest)));
        }
        let mut held = SPREAD;
        for tick in 1..=LASTING + SPREAD {
            unrest.add(walked);
            let holds = |own: &&Vicinity| own.within(Vector3::zeros(), &unrest).is_some();
            let still = lists.iter().filter(holds).count();
            assert_eq!(held - still, usize::from(tick > LASTING), "tick {tick}");
            held = still;
        }
    }

    #[test]
    fn newcomers_end_every_list() {
        let mut unrest = Unrest::default();
        let mut own = Vicinity::default();
        own.begin(Vector3::repeat(1.0), &unrest);
        assert!(own.within(Vector3::zeros(), &unrest).is_some());
        unrest.renumber();
        assert!(own.within(Vector3::zeros(), &unrest).is_none());
    }
}
