//! Events that panels hear of, and the first size of the window.

use winit::dpi::{LogicalSize, PhysicalSize};

use super::{Context, Pointer};
use crate::InputEvent;

/// The kinds of events that differ for panels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// The key that moves from one field to the next.
    Tab,
    /// Any other key, pressed or released.
    Key,
    /// A motion of the pointer, its wheel, or a pressed button.
    Pointer,
    /// A released button of the pointer.
    ButtonUp,
    /// Any other event.
    Rest,
}

/// Returns true if an event is offered to the panels before the app. While the pointer is captured,
/// keys and pointer events are not; but a button pressed before must be released, or panels would
/// wait for it and miss the next click. Tab is offered only if a panel has the keyboard already:
/// otherwise egui would take every Tab to focus a button.
pub(super) fn reaches_panels(context: &Context, heard: Heard) -> bool {
    let is_free = context.pointer_mode() == Pointer::Free;
    match heard {
        Heard::Tab => is_free && context.egui.egui_wants_keyboard_input(),
        Heard::Key | Heard::Pointer => is_free,
        Heard::ButtonUp | Heard::Rest => true,
    }
}

/// Tells whether the app hears of an event although panels keep it: releases, since a key must
/// never hang, and function keys and side buttons, which no field can take.
pub(super) fn passes_panels(event: &InputEvent) -> bool {
    match event {
        InputEvent::Released(_) | InputEvent::FocusLost => true,
        InputEvent::Pressed(key) => is_function_key(key) || is_side_button(key),
        _ => false,
    }
}

fn is_side_button(key: &str) -> bool {
    matches!(key, "MouseBack" | "MouseForward")
}

fn is_function_key(key: &str) -> bool {
    let number = key.strip_prefix('F').and_then(|it| it.parse::<u8>().ok());
    number.is_some_and(|number| (1..=35).contains(&number))
}

/// The size of a new window: as wanted, but no larger than the monitor, where there is one.
pub(super) fn fitting(
    wanted: [u32; 2],
    monitor: Option<(PhysicalSize<u32>, f64)>,
) -> LogicalSize<u32> {
    let [mut width, mut height] = wanted;
    if let Some((size, scale)) = monitor {
        let most = size.to_logical::<u32>(scale);
        (width, height) = (width.min(most.width), height.min(most.height));
    }
    LogicalSize::new(width.max(64), height.max(64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_keys_and_releases_pass_a_field_and_letters_do_not() {
        let pressed = |key: &str| passes_panels(&InputEvent::Pressed(key.to_owned()));
        assert!(pressed("F1") && pressed("F12") && pressed("MouseBack"));
        assert!(!pressed("MouseLeft"));
        assert!(!pressed("KeyF") && !pressed("F") && !pressed("F0") && !pressed("Tab"));
        assert!(passes_panels(&InputEvent::Released("KeyW".to_owned())));
    }

    #[test]
    fn windows_are_no_larger_than_their_monitor() {
        let size = |wanted, monitor| {
            let found = fitting(wanted, monitor);
            [found.width, found.height]
        };
        let small = Some((PhysicalSize::new(1024, 600), 1.0));
        let fine = Some((PhysicalSize::new(2560, 1440), 2.0));
        assert_eq!(size([1280, 720], None), [1280, 720]);
        assert_eq!(size([1280, 720], small), [1024, 600]);
        assert_eq!(size([1600, 900], fine), [1280, 720]);
        assert_eq!(size([800, 500], small), [800, 500]);
        assert_eq!(size([0, 0], Some((PhysicalSize::new(0, 0), 1.0))), [64, 64]);
    }
}
