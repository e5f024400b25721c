//! Feeds the body `files` to libFuzzer.
#![no_main]

// The store catches panics of its database, which the hook of libFuzzer would take for crashes.
libfuzzer_sys::fuzz_target!(
    init: drop(std::panic::take_hook()),
    |data: &[u8]| fuzz_bodies::files::check(data)
);
