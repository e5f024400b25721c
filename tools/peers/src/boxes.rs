//! The axis-aligned box that most voxel games move: one axis at a time against the voxels themselves.
//!
//! It cannot slide round a corner or rest on an edge; it is here as the price of doing the least.

use crate::ground::Ground;
use crate::walk::{Body, GRAVITY, HALF_HEIGHT, Plan, RADIUS, TICK, Walkers};

const GAP: f32 = 1e-3;

pub struct Boxes<'a> {
    ground: &'a Ground,
    step: f32,
    centers: Vec<[f32; 3]>,
    falling: Vec<f32>,
    grounded: Vec<bool>,
}

impl<'a> Boxes<'a> {
    pub fn new(plan: &Plan<'a>) -> Self {
        let count = plan.starts.len();
        Self {
            ground: plan.ground,
            step: plan.step,
            centers: plan.starts.clone(),
            falling: vec![0.0; count],
            grounded: vec![false; count],
        }
    }

    /// Moves along one axis up to the first solid voxel; returns how far it came.
    fn shift(&self, center: &mut [f32; 3], axis: usize, by: f32) -> f32 {
        let reach = [RADIUS, HALF_HEIGHT, RADIUS];
        let voxel = self.ground.voxel;
        let cell = |value: f32| (value / voxel).floor() as i32;
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let span = |a: usize| cell(center[a] - reach[a])..=cell(center[a] + reach[a]);
        let sign = by.signum();
        let front = center[axis] + sign * reach[axis];
        let (first, last) = (cell(front), cell(front + by + sign * GAP));
        let mut allowed = by;
        let mut layer = first;
        while layer != last {
            layer += sign as i32;
            let blocked = span(u).any(|i| {
                span(v).any(|j| {
                    let mut at = [0; 3];
                    at[axis] = layer;
                    at[u] = i;
                    at[v] = j;
                    self.ground.is_solid(at)
                })
            });
            if blocked {
                let face = if sign > 0.0 {
                    layer as f32
                } else {
                    (layer + 1) as f32
                } * voxel;
                allowed = face - front - sign * GAP;
                if allowed * sign < 0.0 {
                    allowed = 0.0;
                }
                break;
            }
        }
        center[axis] += allowed;
        allowed
    }

    fn walk(&self, center: &mut [f32; 3], wish: [f32; 2]) -> f32 {
        let x = self.shift(center, 0, wish[0] * TICK);
        let z = self.shift(center, 2, wish[1] * TICK);
        x.hypot(z)
    }
}

impl Walkers for Boxes<'_> {
    fn body(&self) -> Body {
        Body::Box
    }

    fn tick(&mut self, wishes: &[[f32; 2]]) {
        for (index, &wish) in wishes.iter().enumerate() {
            let start = self.centers[index];
            let mut center = start;
            let way = self.walk(&mut center, wish);
            let wished = wish[0].hypot(wish[1]) * TICK;
            if self.step > 0.0 && self.grounded[index] && way < wished * 0.99 {
                let mut raised = start;
                let rise = self.shift(&mut raised, 1, self.step);
                if self.walk(&mut raised, wish) > way {
                    self.shift(&mut raised, 1, -rise);
                    center = raised;
                }
            }
            let fall = self.falling[index] - GRAVITY * TICK;
            let down = fall * TICK;
            let came = self.shift(&mut center, 1, down);
            self.grounded[index] = came != down;
            self.falling[index] = if self.grounded[index] { 0.0 } else { fall };
            self.centers[index] = center;
        }
    }

    fn center(&self, index: usize) -> [f32; 3] {
        self.centers[index]
    }
}
