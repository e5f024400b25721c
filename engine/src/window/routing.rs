//! What panels hear of.

use super::{Context, Pointer};

/// Kinds of events, as far as it matters to panels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// The key that goes from one field to the next.
    Tab,
    /// Another key, up or down.
    Key,
    /// The pointer moves, its wheel turns or a button goes down.
    Pointer,
    /// A button of the pointer goes up.
    ButtonUp,
    /// Everything else.
    Rest,
}

/// Whether something goes to the panels before the app. While the pointer is captured nothing is typed or pointed at; but a button that
/// went down before must go up, or panels would wait for it and let the next click pass. Tab only while something has the keyboard
/// already: otherwise egui would take each Tab, to give the keyboard to some button.
pub(super) fn reaches_panels(context: &Context, heard: Heard) -> bool {
    let is_free = context.pointer_mode() == Pointer::Free;
    match heard {
        Heard::Tab => is_free && context.egui.egui_wants_keyboard_input(),
        Heard::Key | Heard::Pointer => is_free,
        Heard::ButtonUp | Heard::Rest => true,
    }
}
