//! The planes of a move's contacts, and the way nearest to a wish that leads into none of them: the
//! exact projection onto their cone.

use crate::mover::Frame;
use crate::mover::falling::Fall;
use crate::tolerance::{
    MAX_PLANES, PARALLEL, PARTING, ROUNDED, SAME_PLANE, SOLVER_SLACK, TURN_OUT,
};
use nalgebra::Vector3;

/// Planes met by a move, as unit normals in world space.
#[derive(Clone, Copy, Debug)]
pub struct PlaneSet {
    normals: [Vector3<f32>; MAX_PLANES],
    count: usize,
    /// A bit for each plane of a face too steep to stand on. Its normal may be upright at the
    /// contact.
    steep: u32,
    /// True if the up axis is tilted: then ways along planes of the grid are rounded like all
    /// others.
    tilted: bool,
}

impl Default for PlaneSet {
    #[inline]
    fn default() -> Self {
        Self {
            normals: [Vector3::zeros(); MAX_PLANES],
            count: 0,
            steep: 0,
            tilted: false,
        }
    }
}

impl PlaneSet {
    /// Makes an empty set for the moves of a frame.
    #[inline]
    pub(crate) fn of(frame: &Frame) -> Self {
        Self {
            tilted: frame.up_axis.is_none(),
            ..Self::default()
        }
    }

    /// Returns the normals, in the order of the contacts.
    #[inline]
    #[must_use]
    pub fn normals(&self) -> &[Vector3<f32>] {
        &self.normals[..self.count]
    }

    /// Adds a unit normal, or replaces a nearly equal one; `false` when the set is full.
    #[inline]
    pub fn add(&mut self, normal: Vector3<f32>) -> bool {
        self.put(normal, false)
    }

    /// Adds a unit normal like [`Self::add`]; `steep` marks a face too steep to stand on, whose
    /// normal may be upright at the contact.
    #[inline]
    pub(crate) fn put(&mut self, normal: Vector3<f32>, steep: bool) -> bool {
        let number = self.position(normal).unwrap_or(self.count);
        if number == MAX_PLANES {
            return false;
        }
        self.normals[number] = normal;
        self.count = self.count.max(number + 1);
        self.steep = self.steep & !(1 << number) | u32::from(steep) << number;
        true
    }

    /// Returns an empty set for the same frame.
    pub(crate) fn emptied(&self) -> Self {
        Self {
            tilted: self.tilted,
            ..Self::default()
        }
    }

    /// Adds a unit normal beside nearly equal ones; `false` when the set is full.
    pub(crate) fn push(&mut self, normal: Vector3<f32>) -> bool {
        let slot = self.normals.get_mut(self.count);
        let added = slot.map(|slot| *slot = normal).is_some();
        self.count += usize::from(added);
        added
    }

    /// Returns whether a body could stand on one of the planes.
    pub(crate) fn bear(&self, up: Vector3<f32>, least_rise: f32) -> bool {
        self.too_steep(up, least_rise).count() < self.count
    }

    /// Returns the planes too steep to stand on, with their rises.
    pub(crate) fn too_steep(
        &self,
        up: Vector3<f32>,
        least_rise: f32,
    ) -> impl Iterator<Item = (Vector3<f32>, f32)> {
        let planes = self.normals().iter().enumerate();
        let planes = planes.map(move |(number, normal)| (number, *normal, normal.dot(&up)));
        planes
            .filter(move |&(number, _, rise)| rise < least_rise || self.steep >> number & 1 != 0)
            .map(|(_, normal, rise)| (normal, rise))
    }

    /// Returns whether the set holds this normal, but for rounding.
    #[inline]
    #[must_use]
    pub fn contains(&self, normal: Vector3<f32>) -> bool {
        let same = |old: &Vector3<f32>| (old - normal).norm_squared() < ROUNDED * ROUNDED;
        self.normals().iter().any(same)
    }

    #[inline]
    fn position(&self, normal: Vector3<f32>) -> Option<usize> {
        let near = |old: &Vector3<f32>| (old - normal).norm_squared() < SAME_PLANE * SAME_PLANE;
        self.normals().iter().position(near)
    }

    /// Returns the vector nearest to `wish` that leads into no plane; zero when there is none.
    #[inline]
    #[must_use]
    pub fn project(&self, wish: Vector3<f32>) -> Vector3<f32> {
        if self.count == 0 {
            return wish;
        }
        let slack = SOLVER_SLACK * wish.norm();
        if self.allows(wish, slack) {
            return self.cleaned(wish);
        }
        match self
            .along_one(wish, slack)
            .or_else(|| self.along_two(wish, slack))
        {
            Some(way) => self.cleaned(way),
            None => Vector3::zeros(),
        }
    }

    /// Returns what the planes leave of the motion or velocity of a body in the air. Planes too
    /// steep to stand on act as upright walls on its level part, which neither lifts the body nor
    /// throws it back: a body that presses against the edge of a ledge is held off and falls on.
    #[inline]
    #[must_use]
    pub fn project_falling(
        &self,
        wish: Vector3<f32>,
        up: Vector3<f32>,
        least_rise: f32,
    ) -> Vector3<f32> {
        let kept = Vector3::zeros();
        let fall = Fall {
            up,
            least_rise,
            kept,
        };
        fall.past(self, wish)
    }

    #[inline]
    fn allows(&self, way: Vector3<f32>, slack: f32) -> bool {
        self.normals().iter().all(|n| n.dot(&way) >= -slack)
    }

    #[inline]
    fn along_one(&self, wish: Vector3<f32>, slack: f32) -> Option<Vector3<f32>> {
        self.normals().iter().find_map(|n| {
            let into = n.dot(&wish);
            let way = wish - n * into;
            (into < 0.0 && self.allows(way, slack)).then_some(way)
        })
    }

    /// Returns the longest way along the common line of two planes that both push against the wish.
    fn along_two(&self, wish: Vector3<f32>, slack: f32) -> Option<Vector3<f32>> {
        let mut best: Option<Vector3<f32>> = None;
        for (number, a) in self.normals().iter().enumerate() {
            for b in &self.normals()[number + 1..] {
                let Some(way) = crease(*a, *b, wish) else {
                    continue;
                };
                let longer = best.is_none_or(|old| way.norm_squared() > old.norm_squared());
                if longer && self.allows(way, slack) {
                    best = Some(way);
                }
            }
        }
        best
    }

    /// Removes rounding from a solved way: no motion at all into an axis plane, a little out of any
    /// other.
    #[inline]
    fn cleaned(&self, way: Vector3<f32>) -> Vector3<f32> {
        let out = TURN_OUT * way.norm();
        let turned = self.turned_out(way, out);
        if self.count < 2 || self.is_clear(turned, out) {
            return turned;
        }
        // Turning out of one plane leads into another that leans against it: leave both at once.
        let near = |n: &&Vector3<f32>| n.dot(&way) < out;
        let mut pairs = self.normals().iter().filter(near);
        let (Some(a), Some(b)) = (pairs.next(), pairs.next()) else {
            return turned;
        };
        let lift = self.lift_out(way, *a, *b, out);
        let parted = way + lift;
        let slight = lift.norm_squared() < (PARTING * PARTING) * way.norm_squared();
        if slight && self.is_clear(parted, out) {
            parted
        } else if self.lean(way) <= self.lean(turned) {
            // Two walls face each other, and the way out of one leads into the other.
            way
        } else {
            turned
        }
    }

    /// Returns how far a way leads into the plane that it leads into most.
    fn lean(&self, way: Vector3<f32>) -> f32 {
        let into = self.normals().iter().map(|n| -n.dot(&way));
        into.fold(0.0, f32::max)
    }

    /// Returns whether a way stays out of all planes after further rounding.
    #[inline]
    fn is_clear(&self, way: Vector3<f32>, out: f32) -> bool {
        let least = |n: &Vector3<f32>| if self.is_exact(n) { 0.0 } else { 0.5 * out };
        self.normals().iter().all(|n| n.dot(&way) >= least(n))
    }

    /// Turns a way out of one plane after the other, and out of those of the axes last.
    #[inline]
    fn turned_out(&self, way: Vector3<f32>, out: f32) -> Vector3<f32> {
        let mut way = way;
        for n in self.normals() {
            let into = n.dot(&way);
            if self.is_exact(n) {
                if into < 0.0 {
                    way -= n * into;
                }
            } else if into < out {
                way += n * (out - into);
            }
        }
        for n in self.normals() {
            let into = n.dot(&way);
            if self.is_exact(n) && into < 0.0 {
                way -= n * into;
            }
        }
        way
    }

    /// Returns the shortest motion that takes a way out of two planes at once: onto an exact one,
    /// off any other by `out`.
    fn lift_out(
        &self,
        way: Vector3<f32>,
        a: Vector3<f32>,
        b: Vector3<f32>,
        out: f32,
    ) -> Vector3<f32> {
        let wanted = |n: &Vector3<f32>| if self.is_exact(n) { 0.0 } else { out } - n.dot(&way);
        let (by_a, by_b, along) = (wanted(&a), wanted(&b), a.dot(&b));
        let square = a.cross(&b).norm_squared();
        (a * (by_a - along * by_b) + b * (by_b - along * by_a)) / square
    }

    /// Returns whether ways along a plane are exact: its unit normal and the squashing lie along
    /// the grid.
    #[inline]
    fn is_exact(&self, n: &Vector3<f32>) -> bool {
        !self.tilted && n.iter().filter(|&&part| part == 0.0).count() == 2
    }
}

/// Returns the part of `wish` along the common line of two planes, if both push against it.
fn crease(a: Vector3<f32>, b: Vector3<f32>, wish: Vector3<f32>) -> Option<Vector3<f32>> {
    let line = a.cross(&b);
    let square = line.norm_squared();
    if square < PARALLEL * PARALLEL {
        return None;
    }
    let mut way = line * (line.dot(&wish) / square);
    let rest = wish - way;
    let (along, by_a, by_b) = (a.dot(&b), rest.dot(&a), rest.dot(&b));
    let pushes = by_a - along * by_b <= 0.0 && by_b - along * by_a <= 0.0;
    way -= a * a.dot(&way);
    way -= b * b.dot(&way);
    pushes.then_some(way)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(normals: &[[f32; 3]]) -> PlaneSet {
        let mut planes = PlaneSet::default();
        for n in normals {
            assert!(planes.add(Vector3::from(*n).normalize()));
        }
        planes
    }

    #[test]
    fn free_wish_is_kept_to_the_bit() {
        let wish = Vector3::new(0.3, 0.1, -0.7);
        assert_eq!(set(&[[0.0, 1.0, 0.0]]).project(wish), wish);
        assert_eq!(PlaneSet::default().project(wish), wish);
    }

    #[test]
    fn one_axis_plane_takes_exactly_its_component() {
        let way = set(&[[0.0, 1.0, 0.0]]).project(Vector3::new(0.3, -0.1, -0.7));
        assert_eq!(way, Vector3::new(0.3, 0.0, -0.7));
    }

    #[test]
    fn two_planes_leave_their_crease() {
        let way = set(&[[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]).project(Vector3::new(0.3, -0.1, 0.7));
        assert_eq!(way, Vector3::new(0.0, 0.0, 0.7));
    }

    #[test]
    fn acute_corner_stops() {
        let planes = set(&[[-1.0, 0.0, 0.3], [-1.0, 0.0, -0.3], [0.0, 1.0, 0.0]]);
        let way = planes.project(Vector3::new(1.0, -1.0, 0.0));
        assert_eq!(way, Vector3::zeros());
    }

    #[test]
    fn no_way_along_two_planes_leans_into_one() {
        let mut state = 7_u32;
        let mut next = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 8_388_608.0 - 1.0
        };
        let mut solved = 0;
        for round in 0..100_000 {
            let a = Vector3::new(next(), next(), next()).normalize();
            let aside = Vector3::new(next(), next(), next()) * next().abs();
            let b = if round % 4 == 0 {
                Vector3::y()
            } else {
                (aside - a).normalize()
            };
            let wish = Vector3::new(next(), next(), next());
            let planes = set(&[a.into(), b.into()]);
            let way = planes.project(wish);
            if way.norm() < 0.05 * wish.norm() || a.dot(&b) < -0.99 {
                continue;
            }
            solved += 1;
            for n in planes.normals() {
                let into = n.cast::<f64>().dot(&way.cast()) / f64::from(way.norm());
                let least = if planes.is_exact(n) { 0.0 } else { 1e-6 };
                assert!(
                    into >= least,
                    "{into:e} out of {n:?} of {planes:?}, {wish:?}"
                );
            }
        }
        assert!(solved > 10_000, "{solved}");
    }

    #[test]
    fn agrees_with_brute_force_and_never_turns_back() {
        let mut state = 1_u32;
        let mut next = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 8_388_608.0 - 1.0
        };
        for _ in 0..4_000 {
            let mut planes = PlaneSet::default();
            for _ in 0..4 {
                planes.add(Vector3::new(next(), next(), next()).normalize());
            }
            let wish = Vector3::new(next(), next(), next());
            let way = planes.project(wish);
            assert!(way.dot(&wish) >= -1e-4, "turned back: {way:?} {wish:?}");
            for n in planes.normals() {
                assert!(n.dot(&way) >= -3e-5, "leads in");
            }
            if let Some(theirs) = nearest_by_search(planes.normals(), wish) {
                let ours = (way - wish).norm();
                assert!(ours <= theirs + 2e-3, "{ours} against {theirs}");
            }
        }
    }

    /// Computes the distance to the cone by alternating projections with Dykstra's correction;
    /// `None` when they do not settle.
    fn nearest_by_search(normals: &[Vector3<f32>], wish: Vector3<f32>) -> Option<f32> {
        let mut way = wish.cast::<f64>();
        let mut corrections = vec![Vector3::<f64>::zeros(); normals.len()];
        for _ in 0..1_000 {
            for (n, correction) in normals.iter().zip(&mut corrections) {
                let n = n.cast::<f64>();
                let from = way + *correction;
                way = from - n * n.dot(&from).min(0.0);
                *correction = from - way;
            }
        }
        let settled = normals.iter().all(|n| n.cast::<f64>().dot(&way) > -1e-7);
        settled.then(|| (way - wish.cast::<f64>()).norm() as f32)
    }
}
