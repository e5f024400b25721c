//! Which keys panels hear of.

use super::{Context, Pointer};

/// Whether a key goes to the panels before the app. Not while the pointer is captured: then nothing is typed. And Tab only while
/// something has the keyboard already: otherwise egui would take each Tab, to give the keyboard to some button.
pub(super) fn reaches_panels(context: &Context, is_tab: bool) -> bool {
    context.pointer_mode() == Pointer::Free && (!is_tab || context.egui.egui_wants_keyboard_input())
}
