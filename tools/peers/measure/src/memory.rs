//! Memory of a peer: the bytes in use by the C library's count, which covers Rust and C++.

/// Returns the bytes allocated and not freed; `None` without a GNU C library.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn in_use() -> Option<usize> {
    // SAFETY: it takes nothing and only reads the allocator's own counts.
    let info = unsafe { libc::mallinfo2() };
    Some(info.uordblks + info.hblkhd)
}

/// Returns the bytes allocated and not freed; `None` without a GNU C library.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn in_use() -> Option<usize> {
    None
}

/// Makes a value and returns its memory in megabytes.
pub fn weigh<T>(make: impl FnOnce() -> T) -> (T, Option<f64>) {
    let before = in_use();
    let made = make();
    let grown = before.zip(in_use());
    let megabytes = grown.map(|(before, after)| (after as f64 - before as f64) / 1e6);
    (made, megabytes)
}
