//! Measures the GPU time of each pass. Results come some pictures later; nothing waits for them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Instant;

use crate::{Gpu, PassTime};

/// Largest number of passes in a picture.
const PASSES: u32 = 16;
/// Pictures that can be measured at once.
const SLOTS: usize = 4;

const FREE: u8 = 0;
const RECORDED: u8 = 1;
const MAPPING: u8 = 2;
const READY: u8 = 3;
const FAILED: u8 = 4;

struct Slot {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readable: wgpu::Buffer,
    state: Arc<AtomicU8>,
    names: Vec<&'static str>,
}

/// Timestamps of passes, if the adapter has them.
pub(crate) struct Timing {
    slots: Vec<Slot>,
    current: Option<usize>,
    nanoseconds: f32,
}

impl Timing {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let slots = if gpu.capabilities.timestamps {
            SLOTS
        } else {
            0
        };
        Self {
            slots: (0..slots).map(|_| new_slot(gpu)).collect(),
            current: None,
            nanoseconds: gpu.queue.get_timestamp_period(),
        }
    }

    /// Begins a picture: reads finished results into `times`, and picks a free slot.
    pub(crate) fn begin(&mut self, gpu: &Gpu, times: &mut Vec<PassTime>) {
        if self.slots.is_empty() {
            return;
        }
        let _ = gpu.device.poll(wgpu::PollType::Poll);
        for slot in &mut self.slots {
            slot.collect(self.nanoseconds, times);
        }
        self.current = self
            .slots
            .iter()
            .position(|slot| slot.state.load(Ordering::Acquire) == FREE);
        if let Some(slot) = self.current {
            self.slots[slot].names.clear();
        }
    }

    /// Returns the timestamp writes of a pass.
    pub(crate) fn pass(
        &mut self,
        name: &'static str,
    ) -> Option<wgpu::RenderPassTimestampWrites<'_>> {
        let slot = &mut self.slots[self.current?];
        let number = slot.names.len() as u32;
        if number >= PASSES {
            return None;
        }
        slot.names.push(name);
        Some(wgpu::RenderPassTimestampWrites {
            query_set: &slot.queries,
            beginning_of_pass_write_index: Some(number * 2),
            end_of_pass_write_index: Some(number * 2 + 1),
        })
    }

    /// Ends recording.
    pub(crate) fn resolve(&mut self, encoder: &mut wgpu::CommandEncoder) {
        let Some(slot) = self.current.map(|slot| &self.slots[slot]) else {
            return;
        };
        let count = slot.names.len() as u32 * 2;
        if count > 0 {
            encoder.resolve_query_set(&slot.queries, 0..count, &slot.resolved, 0);
            encoder.copy_buffer_to_buffer(
                &slot.resolved,
                0,
                &slot.readable,
                0,
                u64::from(count) * 8,
            );
            slot.state.store(RECORDED, Ordering::Release);
        }
    }

    /// Requests the results, after submission.
    pub(crate) fn submitted(&mut self) {
        let Some(slot) = self.current.take().map(|slot| &self.slots[slot]) else {
            return;
        };
        if slot.state.load(Ordering::Acquire) != RECORDED {
            return;
        }
        slot.state.store(MAPPING, Ordering::Release);
        let state = Arc::clone(&slot.state);
        slot.readable
            .map_async(wgpu::MapMode::Read, .., move |result| {
                state.store(
                    if result.is_ok() { READY } else { FAILED },
                    Ordering::Release,
                );
            });
    }
}

impl Slot {
    fn collect(&mut self, nanoseconds: f32, times: &mut Vec<PassTime>) {
        match self.state.load(Ordering::Acquire) {
            READY => {
                if let Ok(mapped) = self.readable.get_mapped_range(..) {
                    times.clear();
                    for (pass, &name) in self.names.iter().enumerate() {
                        let stamp = |at: usize| {
                            let bytes = mapped
                                .get(at * 8..at * 8 + 8)
                                .and_then(|bytes| bytes.try_into().ok());
                            u64::from_le_bytes(bytes.unwrap_or_default())
                        };
                        let ticks = stamp(pass * 2 + 1).saturating_sub(stamp(pass * 2));
                        add(times, name, ticks as f32 * nanoseconds * 1e-6);
                    }
                }
                self.readable.unmap();
                self.state.store(FREE, Ordering::Release);
            }
            FAILED => self.state.store(FREE, Ordering::Release),
            _ => {}
        }
    }
}

/// A stopwatch for the CPU time of passes, with a reused list.
pub(crate) struct Laps {
    pub(crate) times: Vec<PassTime>,
    since: Instant,
}

impl Laps {
    pub(crate) fn begin(mut times: Vec<PassTime>) -> Self {
        times.clear();
        Self {
            times,
            since: Instant::now(),
        }
    }

    /// Adds the time since the last lap to a pass.
    pub(crate) fn lap(&mut self, name: &'static str) {
        let now = Instant::now();
        let milliseconds = now.duration_since(self.since).as_secs_f32() * 1e3;
        self.times.push(PassTime { name, milliseconds });
        self.since = now;
    }
}

/// Adds up passes of the same name.
fn add(times: &mut Vec<PassTime>, name: &'static str, milliseconds: f32) {
    match times.iter_mut().find(|time| time.name == name) {
        Some(time) => time.milliseconds += milliseconds,
        None => times.push(PassTime { name, milliseconds }),
    }
}

fn new_slot(gpu: &Gpu) -> Slot {
    let bytes = u64::from(PASSES) * 16;
    let buffer = |label, usage| {
        gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size: bytes,
            usage,
            mapped_at_creation: false,
        })
    };
    Slot {
        queries: gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: Some("pass times"),
            ty: wgpu::QueryType::Timestamp,
            count: PASSES * 2,
        }),
        resolved: buffer(
            "pass times",
            wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
        ),
        readable: buffer(
            "pass times to read",
            wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        ),
        state: Arc::new(AtomicU8::new(FREE)),
        names: Vec::with_capacity(PASSES as usize),
    }
}
