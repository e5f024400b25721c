//! CPU time of the measuring thread, so that other programs do not lengthen figures (though they
//! cool caches).

use std::time::Duration;

/// A moment of the thread's CPU time.
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
    // SAFETY: it writes only to `time`, which is alive and of the right type.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// On other systems wall time is used.
#[cfg(not(unix))]
fn thread_time() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}
