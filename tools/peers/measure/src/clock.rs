//! The time that this thread itself ran, so that what else a machine does lengthens no figure. It still makes caches colder.

use std::time::Duration;

/// A moment of this thread's own time.
#[derive(Clone, Copy)]
pub struct Moment(Duration);

impl Moment {
    pub fn now() -> Self {
        Self(thread_time())
    }

    pub fn elapsed(&self) -> Duration {
        thread_time().saturating_sub(self.0)
    }
}

#[cfg(unix)]
fn thread_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: it writes to `time` only, which is alive and of the right type.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Elsewhere the time of day has to do.
#[cfg(not(unix))]
fn thread_time() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}
