//! Feeds the body `packets` to libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz_bodies::packets::check(data));
