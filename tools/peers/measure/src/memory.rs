//! How much memory a peer holds: what the C library says is in use, which counts Rust and C++ alike.

/// Bytes allocated and not freed; `None` where there is no GNU C library to ask.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn in_use() -> Option<usize> {
    // SAFETY: it takes nothing and only reads the allocator's own counts.
    let info = unsafe { libc::mallinfo2() };
    Some(info.uordblks + info.hblkhd)
}

/// Bytes allocated and not freed; `None` where there is no GNU C library to ask.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn in_use() -> Option<usize> {
    None
}

/// Makes something and says how many megabytes it holds.
pub fn weigh<T>(make: impl FnOnce() -> T) -> (T, Option<f64>) {
    let before = in_use();
    let made = make();
    let grown = before.zip(in_use());
    let megabytes = grown.map(|(before, after)| (after as f64 - before as f64) / 1e6);
    (made, megabytes)
}
