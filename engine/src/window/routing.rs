//! Decides which events reach the panels.

use super::{Context, Pointer};

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
