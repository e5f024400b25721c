//! Counts allocations, so that "none in steady state" is a figure and not a hope.

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static COUNTED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Bytes on the heap of the whole program now.
pub fn heap_bytes() -> isize {
    let stats = COUNTED.stats();
    // What reallocations added or gave back is in both.
    stats.bytes_allocated as isize - stats.bytes_deallocated as isize
}

/// How many allocations and reallocations the whole program made while `work` ran.
pub fn allocations_of(work: impl FnOnce()) -> usize {
    let region = Region::new(COUNTED);
    work();
    let change = region.change();
    change.allocations + change.reallocations
}
