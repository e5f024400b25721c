//! Feeds the body `sweeps` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz_bodies::sweeps::check(data));
