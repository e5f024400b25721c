//! The held keys, the actions since the last frame, and the motion of the mouse.

use std::collections::{BTreeMap, BTreeSet};

use super::{Action, Bindings, Trigger};

/// The keyboard, mouse and gamepad in this frame.
#[derive(Clone, Debug, Default)]
pub struct InputState {
    /// Held keys, with the action that each began.
    down: BTreeMap<String, Option<Action>>,
    actions: BTreeSet<Action>,
    pressed: Vec<Action>,
    released: Vec<Action>,
    /// Mouse motion since the last frame, pixels: right and down.
    pub pointer_motion: [f32; 2],
    /// Left stick of the gamepad: right and forward, within -1 and 1.
    pub stick_move: [f32; 2],
    /// Right stick of the gamepad: right and up, within -1 and 1.
    pub stick_look: [f32; 2],
}

impl InputState {
    /// Presses a key or button. A repeat of a held key changes nothing.
    pub fn press(&mut self, key: &str, bindings: &Bindings) {
        if self.down.contains_key(key) {
            return;
        }
        let action = self.asked_by(key, bindings);
        self.down.insert(key.to_owned(), action);
        if let Some(action) = action {
            self.actions.insert(action);
            self.pressed.push(action);
        }
    }

    /// Releases a key or button: its action ends, unless another key holds it, even if the binding
    /// has changed since.
    pub fn release(&mut self, key: &str) {
        let Some(Some(action)) = self.down.remove(key) else {
            return;
        };
        let still = self.down.values().any(|held| *held == Some(action));
        if !still && self.actions.remove(&action) {
            self.released.push(action);
        }
    }

    /// Presses and releases a key at once: a step of the wheel.
    pub fn click(&mut self, key: &str, bindings: &Bindings) {
        self.press(key, bindings);
        self.release(key);
    }

    /// Returns a key with the held modifiers, as a new trigger.
    pub fn trigger_of(&self, key: &str) -> Option<Trigger> {
        let held = |names: [&str; 2]| names.iter().any(|n| self.down.contains_key(*n));
        let mut trigger = Trigger::parse(key)?;
        trigger.ctrl = held(["ControlLeft", "ControlRight"]);
        trigger.shift = held(["ShiftLeft", "ShiftRight"]);
        trigger.alt = held(["AltLeft", "AltRight"]);
        Some(trigger)
    }

    /// Holds a key without an action.
    pub fn hold(&mut self, key: &str) {
        self.down.entry(key.to_owned()).or_default();
    }

    /// Returns the action whose trigger on `key` has all its modifiers held, and the most of them.
    pub fn asked_by(&self, key: &str, bindings: &Bindings) -> Option<Action> {
        let held = |names: [&str; 2]| names.iter().any(|n| self.down.contains_key(*n));
        let ctrl = held(["ControlLeft", "ControlRight"]);
        let shift = held(["ShiftLeft", "ShiftRight"]);
        let alt = held(["AltLeft", "AltRight"]);
        bindings
            .iter()
            .flat_map(|(action, triggers)| triggers.iter().map(move |t| (action, t)))
            .filter(|(_, t)| t.key == key)
            .filter(|(_, t)| (!t.ctrl || ctrl) && (!t.shift || shift) && (!t.alt || alt))
            .max_by_key(|(_, t)| t.modifiers())
            .map(|(action, _)| action)
    }

    /// Returns whether the action's key is held now.
    pub fn holds(&self, action: Action) -> bool {
        self.actions.contains(&action)
    }

    /// Returns 1 when held, 0 when not.
    pub fn amount(&self, action: Action) -> f32 {
        if self.holds(action) { 1.0 } else { 0.0 }
    }

    /// Returns the actions begun since the last frame, in order.
    pub fn pressed(&self) -> &[Action] {
        &self.pressed
    }

    /// Returns the actions ended since the last frame, in order.
    pub fn released(&self) -> &[Action] {
        &self.released
    }

    /// Forgets the actions since the last frame, which another part handles.
    pub fn forget_pressed(&mut self) {
        self.pressed.clear();
    }

    /// Forgets the actions and motions of the frame; held keys stay held.
    pub fn end_frame(&mut self) {
        self.pressed.clear();
        self.released.clear();
        self.pointer_motion = [0.0; 2];
    }

    /// Releases everything, as when the window loses the keyboard.
    pub fn let_go(&mut self) {
        self.down.clear();
        self.released.extend(std::mem::take(&mut self.actions));
        self.stick_move = [0.0; 2];
        self.stick_look = [0.0; 2];
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_trigger_with_more_modifiers_wins() {
        let bindings = Bindings::default();
        let mut input = InputState::default();
        input.press("ControlLeft", &bindings);
        input.press("KeyZ", &bindings);
        assert_eq!(input.pressed().last(), Some(&Action::Undo));
        input.release("KeyZ");
        input.press("ShiftLeft", &bindings);
        input.press("KeyZ", &bindings);
        assert_eq!(input.pressed().last(), Some(&Action::Redo));
    }

    #[test]
    fn a_new_trigger_has_the_modifiers_that_are_held() {
        let mut input = InputState::default();
        input.hold("ControlRight");
        let trigger = input.trigger_of("KeyK").map(|trigger| trigger.to_string());
        assert_eq!(trigger.as_deref(), Some("Ctrl+KeyK"));
        input.release("ControlRight");
        let trigger = input.trigger_of("KeyK").map(|trigger| trigger.to_string());
        assert_eq!(trigger.as_deref(), Some("KeyK"));
    }

    #[test]
    fn holding_two_keys_of_one_action_ends_with_the_last() {
        let bindings = Bindings::default();
        let mut input = InputState::default();
        input.press("KeyW", &bindings);
        input.press("ArrowUp", &bindings);
        input.release("KeyW");
        assert!(input.holds(Action::Forward));
        input.release("ArrowUp");
        assert!(!input.holds(Action::Forward));
    }

    #[test]
    fn a_key_that_is_bound_anew_while_it_is_held_ends_what_it_began() {
        let mut bindings = Bindings::default();
        let mut input = InputState::default();
        input.press("PadSouth", &bindings);
        assert!(input.holds(Action::Up));
        let trigger = Trigger::parse("PadSouth").unwrap();
        bindings.rebind(Action::Teleport, trigger);
        input.release("PadSouth");
        assert!(!input.holds(Action::Up));
        assert_eq!(input.released(), [Action::Up]);
    }

    #[test]
    fn losing_the_keyboard_releases_everything() {
        let bindings = Bindings::default();
        let mut input = InputState::default();
        input.press("KeyW", &bindings);
        input.let_go();
        assert!(!input.holds(Action::Forward));
        input.press("KeyW", &bindings);
        assert!(input.holds(Action::Forward));
    }
}
