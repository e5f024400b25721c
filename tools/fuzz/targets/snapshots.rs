//! Feeds the body `snapshots` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz_bodies::snapshots::check(data));
