//! The axis-aligned box of most voxel games: moves along one axis at a time, against the voxels
//! themselves.
//!
//! It cannot slide round a corner or rest on an edge; it shows the price of the minimum.

use crate::ground::Ground;
use crate::mesh::Mesh;
use crate::peer::{Body, Faller, HALF_HEIGHT, Peer, RADIUS, Start};

const GAP: f32 = 1e-3;

pub struct Boxes {
    ground: Ground,
    fallers: Vec<Faller>,
}

impl Boxes {
    pub fn new(ground: &Ground) -> Self {
        Self {
            ground: ground.clone(),
            fallers: Vec::new(),
        }
    }

    /// Moves along one axis up to the first solid voxel; returns the distance moved.
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

    fn walk(&self, center: &mut [f32; 3], motion: [f32; 3]) -> f32 {
        let x = self.shift(center, 0, motion[0]);
        let z = self.shift(center, 2, motion[2]);
        x.hypot(z)
    }

    fn move_one(&self, faller: &mut Faller, wish: [f32; 2], seconds: f32) {
        let motion = faller.fall(wish, seconds);
        let start = faller.center;
        let mut center = start;
        let way = self.walk(&mut center, motion);
        let wished = motion[0].hypot(motion[2]);
        let step = faller.step();
        if step > 0.0 && way < wished * 0.99 {
            let mut raised = start;
            let rise = self.shift(&mut raised, 1, step);
            if self.walk(&mut raised, motion) > way {
                self.shift(&mut raised, 1, -rise);
                center = raised;
            }
        }
        let came = self.shift(&mut center, 1, motion[1]);
        faller.arrive(center, came != motion[1] && motion[1] < 0.0, seconds);
    }
}

impl Peer for Boxes {
    fn name(&self) -> &'static str {
        "axis-aligned box"
    }

    fn body(&self) -> Body {
        Body::Box
    }

    fn place(&mut self, starts: &[Start]) -> bool {
        self.fallers = starts.iter().map(Faller::at).collect();
        true
    }

    fn tick(&mut self, wishes: &[[f32; 2]], seconds: f32) {
        let mut fallers = std::mem::take(&mut self.fallers);
        for (faller, &wish) in fallers.iter_mut().zip(wishes) {
            self.move_one(faller, wish, seconds);
        }
        self.fallers = fallers;
    }

    fn center(&self, index: usize) -> [f32; 3] {
        self.fallers[index].center
    }

    fn is_grounded(&self, index: usize) -> bool {
        self.fallers[index].grounded
    }

    fn jump(&mut self, index: usize, speed: f32) {
        self.fallers[index].jump(speed);
    }

    fn follow_edit(&mut self, ground: &Ground, cell: [i32; 3], _: &[(usize, Mesh)]) {
        self.ground.set(cell, ground.is_solid(cell));
    }
}
