//! Frame and tick times of the last few seconds, for the graph.

use std::collections::VecDeque;

/// Number of pictures that are kept.
const KEPT: usize = 240;

/// One series of numbers, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    values: VecDeque<f32>,
}

impl Row {
    pub(crate) fn push(&mut self, value: f32) {
        if self.values.len() == KEPT {
            self.values.pop_front();
        }
        self.values.push_back(value);
    }

    pub(crate) fn copy_to(&self, out: &mut Vec<f32>) {
        out.clear();
        out.extend(&self.values);
    }

    pub(crate) fn average(&self) -> f32 {
        self.values.iter().sum::<f32>() / self.values.len().max(1) as f32
    }
}

/// Frame, CPU and tick times in milliseconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    pub(crate) frame: Row,
    pub(crate) cpu: Row,
    pub(crate) tick: Row,
}
