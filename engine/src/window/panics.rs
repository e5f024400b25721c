//! Panics of the window library, which it raises where the window or the display server is gone:
//! the program must still be able to save.

use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};

/// Part of the path of the library's sources.
const LIBRARY: &str = "/winit-";

/// Runs `act`. Returns the message of a panic of the window library, which is not printed; other
/// panics pass.
pub(super) fn of_window<T>(act: impl FnOnce() -> T) -> Result<T, String> {
    let met = Arc::new(Mutex::new(None));
    let (noted, before) = (Arc::clone(&met), std::panic::take_hook());
    std::panic::set_hook(Box::new(move |info| {
        if is_of_library(info) {
            let words = info.payload_as_str().unwrap_or("it does not answer");
            let words = words.lines().next().unwrap_or(words).to_owned();
            *noted.lock().unwrap_or_else(PoisonError::into_inner) = Some(words);
        } else {
            before(info);
        }
    }));
    let ended = catch_unwind(AssertUnwindSafe(act));
    // The hook of before stays inside of this one, which lets all others pass.
    let met = met.lock().unwrap_or_else(PoisonError::into_inner).take();
    match (ended, met) {
        (Ok(value), _) => Ok(value),
        (Err(_), Some(words)) => Err(words),
        (Err(panic), None) => resume_unwind(panic),
    }
}

fn is_of_library(info: &PanicHookInfo<'_>) -> bool {
    let place = info.location().map(|place| place.file().replace('\\', "/"));
    place.is_some_and(|file| file.contains(LIBRARY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_panics_pass() {
        assert_eq!(of_window(|| 3), Ok(3));
        let passed = catch_unwind(|| of_window(|| panic!("of the app")));
        assert!(passed.is_err());
    }
}
