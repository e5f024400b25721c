//! The tour's numbers.

use std::path::Path;

use serde_json::{Value, json};

use super::stage::{FIRST_VIEW, Outcome, Stage};
use super::stops::Stop;

/// Everything in tour.json.
pub(super) struct Report {
    adapter: String,
    first: Value,
    stops: Vec<Value>,
    frame: Vec<f32>,
    cpu: Vec<f32>,
    tick: Vec<f32>,
    began: std::time::Instant,
}

impl Report {
    pub(super) fn new(stage: &Stage) -> Self {
        Report {
            adapter: stage.studio.adapter().to_owned(),
            first: json!({
                "view_metres": FIRST_VIEW,
                "adapter_seconds": stage.first.adapter,
                "world_seconds": stage.first.world,
                "recording_seconds": stage.first.recording,
                "picture_seconds": stage.first.picture,
            }),
            stops: Vec::new(),
            frame: Vec::new(),
            cpu: Vec::new(),
            tick: Vec::new(),
            began: std::time::Instant::now(),
        }
    }

    pub(super) fn pictures(&self) -> usize {
        self.stops.len()
    }

    pub(super) fn add(&mut self, stop: &Stop, path: &Path, outcome: &Outcome, stage: &Stage) {
        self.frame.extend(&outcome.frame);
        self.cpu.extend(&outcome.cpu);
        self.tick.extend(&outcome.tick);
        let statistics = stage.studio.statistics();
        let simulation = &stage.session.simulation;
        let passes: Vec<Value> = statistics
            .passes
            .iter()
            .map(|pass| json!({ "name": pass.name, "gpu_ms": round(pass.milliseconds) }))
            .collect();
        self.stops.push(json!({
            "name": stop.name,
            "about": stop.words,
            "picture": path.file_name().map(|name| name.to_string_lossy()),
            "frames": outcome.frame.len(),
            "ticks": outcome.tick.len(),
            "frame_ms": summary(&outcome.frame),
            "cpu_ms": summary(&outcome.cpu),
            "tick_ms": summary(&outcome.tick),
            "passes": passes,
            "chunks_in_view": statistics.bricks,
            "rectangles": statistics.quads,
            "draws": statistics.draws,
            "uploaded_bytes": statistics.uploaded_bytes,
            "written_bytes": statistics.written_bytes,
            "target_bytes": statistics.target_bytes,
            "characters_drawn": statistics.characters,
            "walkers": simulation.walkers(),
            "chunks_loaded": simulation.world.loaded_chunks().count(),
            "strokes": simulation.strokes().count(),
            "score": simulation.cannon().score,
            "melee_hits": simulation.own().map(|own| own.fighter().hits),
        }));
    }

    pub(super) fn finish(&self) -> Value {
        json!({
            "adapter": self.adapter,
            "first_picture": self.first,
            "pictures": self.stops.len(),
            "frames": self.frame.len(),
            "ticks": self.tick.len(),
            "seconds": self.began.elapsed().as_secs_f64(),
            "frame_ms": summary(&self.frame),
            "cpu_ms": summary(&self.cpu),
            "tick_ms": summary(&self.tick),
            "stops": self.stops,
        })
    }
}

fn summary(samples: &[f32]) -> Value {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f32::total_cmp);
    let at = |share: f64| {
        let index = ((share * sorted.len() as f64).ceil() as usize).saturating_sub(1);
        sorted.get(index).copied().map(round)
    };
    json!({ "median": at(0.5), "p99": at(0.99), "worst": at(1.0) })
}

fn round(milliseconds: f32) -> f64 {
    (f64::from(milliseconds) * 1000.0).round() / 1000.0
}
