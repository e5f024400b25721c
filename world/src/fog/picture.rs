//! The fog as it is shown: blurred in several passes that stop at cliffs, and blended from state to state.
//!
//! This is the reference in plain code; a renderer may do the same on the GPU from the alpha array.

use super::heights::HeightField;

/// How the picture of a fog is softened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlurSettings {
    /// Passes, each along x and then along z.
    pub passes: u32,
    /// Greatest height difference between neighbours, in cells, over which fog spreads.
    pub cliff: i32,
    /// Share of the difference to the newest state made up in a second, at first; 4 takes a quarter second.
    pub speed: f32,
}

impl Default for BlurSettings {
    fn default() -> Self {
        Self {
            passes: 2,
            cliff: 2,
            speed: 4.0,
        }
    }
}

/// Weights of the tile itself and its neighbours one, two and three tiles off: a Gaussian.
const WEIGHTS: [f32; 4] = [20.0, 15.0, 6.0, 1.0];

/// A softened copy of one team's alpha, one value a tile.
///
/// ```
/// use world::fog::{BlurSettings, FogPicture, HeightField};
///
/// let heights = HeightField::flat([16, 16], 0);
/// let mut picture = FogPicture::new([16, 16], BlurSettings::default());
/// picture.take(&[0.0; 256], &heights); // after an update of the fog
/// picture.advance(0.1); // every frame
/// assert!(picture.shown()[0] > 0.0 && picture.shown()[0] < 1.0);
/// picture.advance(1.0);
/// assert_eq!(picture.shown()[0], 0.0);
/// ```
pub struct FogPicture {
    settings: BlurSettings,
    width: usize,
    from: Vec<f32>,
    to: Vec<f32>,
    shown: Vec<f32>,
    scratch: Vec<f32>,
    /// Share of the way from `from` to `to`.
    progress: f32,
}

impl FogPicture {
    /// A picture of fog nobody has seen through, for a map of this size.
    pub fn new([width, height]: [usize; 2], settings: BlurSettings) -> Self {
        let whole = || vec![1.0; width * height];
        Self {
            settings,
            width,
            from: whole(),
            to: whole(),
            shown: whole(),
            scratch: whole(),
            progress: 1.0,
        }
    }

    /// Takes a new state of the fog; what is shown blends toward it.
    ///
    /// Arrays of another size than the picture's are ignored.
    pub fn take(&mut self, alpha: &[f32], heights: &HeightField) {
        if alpha.len() != self.to.len() || heights.as_slice().len() != self.to.len() {
            return;
        }
        self.from.copy_from_slice(&self.shown);
        self.to.copy_from_slice(alpha);
        self.progress = 0.0;
        for _ in 0..self.settings.passes {
            self.blur_along(1, heights.as_slice());
            self.blur_along(self.width, heights.as_slice());
        }
    }

    /// Moves what is shown on toward the newest state.
    pub fn advance(&mut self, seconds: f32) {
        let step = (seconds * self.settings.speed).max(0.0);
        if self.progress >= 1.0 {
            return;
        }
        self.progress = (self.progress + step).min(1.0);
        let share = self.progress;
        for ((shown, from), to) in self.shown.iter_mut().zip(&self.from).zip(&self.to) {
            *shown = from * (1.0 - share) + to * share;
        }
    }

    /// The picture, row by row.
    pub fn shown(&self) -> &[f32] {
        &self.shown
    }

    /// One pass along neighbours `stride` apart; a cliff ends the reach of a tile on that side.
    fn blur_along(&mut self, stride: usize, heights: &[i32]) {
        let len = self.to.len();
        for index in 0..len {
            let mut sum = WEIGHTS[0] * self.to[index];
            let mut weight = WEIGHTS[0];
            for forward in [true, false] {
                let mut at = index;
                for share in &WEIGHTS[1..] {
                    let Some(next) = self.neighbour(at, stride, forward) else {
                        break;
                    };
                    if heights[at].abs_diff(heights[next]) > self.settings.cliff.max(0) as u32 {
                        break;
                    }
                    sum += share * self.to[next];
                    weight += share;
                    at = next;
                }
            }
            self.scratch[index] = sum / weight;
        }
        std::mem::swap(&mut self.to, &mut self.scratch);
    }

    fn neighbour(&self, at: usize, stride: usize, forward: bool) -> Option<usize> {
        let x = at % self.width;
        let on_row = stride != 1 || if forward { x + 1 < self.width } else { x > 0 };
        let next = if forward {
            Some(at + stride)
        } else {
            at.checked_sub(stride)
        };
        next.filter(|&next| on_row && next < self.to.len())
    }
}
