//! The planes a move has met, and the one nearest way that leads into none of them: the exact projection onto their cone.

use crate::tolerance::{MAX_PLANES, PARALLEL, SAME_PLANE, SOLVER_SLACK, TURN_OUT};
use nalgebra::Vector3;

/// Planes met by a move, as unit normals in world space.
#[derive(Clone, Copy, Debug)]
pub struct PlaneSet {
    normals: [Vector3<f32>; MAX_PLANES],
    count: usize,
}

impl Default for PlaneSet {
    fn default() -> Self {
        Self {
            normals: [Vector3::zeros(); MAX_PLANES],
            count: 0,
        }
    }
}

impl PlaneSet {
    /// The normals, in the order they were met.
    #[must_use]
    pub fn normals(&self) -> &[Vector3<f32>] {
        &self.normals[..self.count]
    }

    /// Adds a unit normal, replacing one that is nearly the same; `false` when it could not be added because the set is full.
    pub fn add(&mut self, normal: Vector3<f32>) -> bool {
        if let Some(same) = self.position(normal) {
            self.normals[same] = normal;
            return true;
        }
        if self.count == MAX_PLANES {
            return false;
        }
        self.normals[self.count] = normal;
        self.count += 1;
        true
    }

    /// Whether the very same normal is in the set.
    #[must_use]
    pub fn contains(&self, normal: Vector3<f32>) -> bool {
        self.normals().contains(&normal)
    }

    fn position(&self, normal: Vector3<f32>) -> Option<usize> {
        let near = |old: &Vector3<f32>| (old - normal).norm_squared() < SAME_PLANE * SAME_PLANE;
        self.normals().iter().position(near)
    }

    /// The vector nearest to `wish` that leads into none of the planes; zero when there is none.
    #[inline]
    #[must_use]
    pub fn project(&self, wish: Vector3<f32>) -> Vector3<f32> {
        if self.count == 0 {
            return wish;
        }
        self.project_on_some(wish)
    }

    fn project_on_some(&self, wish: Vector3<f32>) -> Vector3<f32> {
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

    fn allows(&self, way: Vector3<f32>, slack: f32) -> bool {
        self.normals().iter().all(|n| n.dot(&way) >= -slack)
    }

    fn along_one(&self, wish: Vector3<f32>, slack: f32) -> Option<Vector3<f32>> {
        self.normals().iter().find_map(|n| {
            let into = n.dot(&wish);
            let way = wish - n * into;
            (into < 0.0 && self.allows(way, slack)).then_some(way)
        })
    }

    /// The longest way along the common line of two planes that both push against the wish.
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

    /// Takes the rounding out of a solved way: exactly no motion into an axis plane, a hair out of any other.
    fn cleaned(&self, way: Vector3<f32>) -> Vector3<f32> {
        let mut way = way;
        let out = TURN_OUT * way.norm();
        for n in self.normals() {
            let into = n.dot(&way);
            if is_axis(n) {
                if into < 0.0 {
                    way -= n * into;
                }
            } else if into < out {
                way += n * (out - into);
            }
        }
        for n in self.normals() {
            let into = n.dot(&way);
            if is_axis(n) && into < 0.0 {
                way -= n * into;
            }
        }
        way
    }
}

/// Whether a unit normal lies along a world axis exactly.
fn is_axis(n: &Vector3<f32>) -> bool {
    n.iter().filter(|&&part| part == 0.0).count() == 2
}

/// The part of `wish` along the common line of two planes, if both push against it.
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

    /// Distance to the cone by alternating projections with Dykstra's correction; `None` when that has not settled.
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
