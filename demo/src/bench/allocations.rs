//! Counts allocations, so that figures can show that there are none in steady state.

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static COUNTED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Returns the heap bytes of the whole program.
pub fn heap_bytes() -> isize {
    let stats = COUNTED.stats();
    // Reallocations are counted in both.
    stats.bytes_allocated as isize - stats.bytes_deallocated as isize
}

/// Counts allocations and reallocations of the whole program while `work` runs.
pub fn allocations_of(work: impl FnOnce()) -> usize {
    let region = Region::new(COUNTED);
    work();
    let change = region.change();
    change.allocations + change.reallocations
}
