//! The triggers of each action; all can be changed and are kept in the settings.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::Action;

/// The longest trigger name accepted from a file.
const MAX_NAME: usize = 48;

/// A key, button or wheel step by name, with the modifiers that must be held: `Ctrl+KeyZ`,
/// `MouseLeft`, `PadSouth`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Trigger {
    /// True if Ctrl must be held.
    pub ctrl: bool,
    /// True if Shift must be held.
    pub shift: bool,
    /// True if Alt must be held.
    pub alt: bool,
    /// The key, button or wheel step.
    pub key: String,
}

impl Trigger {
    /// Parses `Ctrl+Shift+Alt+Name`; `None` without a name, or one that is not letters and digits.
    pub fn parse(text: &str) -> Option<Self> {
        let mut trigger = Trigger {
            ctrl: false,
            shift: false,
            alt: false,
            key: String::new(),
        };
        let mut parts = text.split('+').peekable();
        while let Some(part) = parts.next() {
            match part {
                "Ctrl" if parts.peek().is_some() => trigger.ctrl = true,
                "Shift" if parts.peek().is_some() => trigger.shift = true,
                "Alt" if parts.peek().is_some() => trigger.alt = true,
                name if parts.peek().is_none() => trigger.key = name.to_owned(),
                _ => return None,
            }
        }
        let named = !trigger.key.is_empty()
            && trigger.key.len() <= MAX_NAME
            && trigger.key.chars().all(|c| c.is_ascii_alphanumeric());
        named.then_some(trigger)
    }

    /// Returns whether it is a button of a gamepad.
    pub fn is_of_gamepad(&self) -> bool {
        self.key.starts_with("Pad")
    }

    /// Returns whether the key writes a character.
    pub fn writes(&self) -> bool {
        let signs = [
            "Backquote",
            "Backslash",
            "BracketLeft",
            "BracketRight",
            "Comma",
            "Equal",
            "Minus",
            "Period",
            "Quote",
            "Semicolon",
            "Slash",
            "Space",
        ];
        let starts = ["Key", "Digit", "Numpad"];
        signs.contains(&self.key.as_str()) || starts.iter().any(|it| self.key.starts_with(it))
    }

    /// Returns whether it is a modifier key.
    pub fn is_modifier(&self) -> bool {
        ["Control", "Shift", "Alt"]
            .iter()
            .any(|name| self.key.starts_with(name))
    }

    /// Returns the number of its modifiers: of two triggers on one key, the one with more wins.
    pub fn modifiers(&self) -> u32 {
        u32::from(self.ctrl) + u32::from(self.shift) + u32::from(self.alt)
    }
}

impl fmt::Display for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (held, name) in [
            (self.ctrl, "Ctrl+"),
            (self.shift, "Shift+"),
            (self.alt, "Alt+"),
        ] {
            if held {
                f.write_str(name)?;
            }
        }
        f.write_str(&self.key)
    }
}

impl From<Trigger> for String {
    fn from(trigger: Trigger) -> String {
        trigger.to_string()
    }
}

impl TryFrom<String> for Trigger {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Trigger::parse(&text).ok_or_else(|| format!("`{text}` is not a key such as Ctrl+KeyZ"))
    }
}

/// The triggers of each action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bindings {
    by_action: BTreeMap<Action, Vec<Trigger>>,
}

impl Default for Bindings {
    fn default() -> Self {
        let by_action = Action::ALL
            .iter()
            .map(|&action| (action, standard(action)))
            .collect();
        Bindings { by_action }
    }
}

fn standard(action: Action) -> Vec<Trigger> {
    action
        .standard_triggers()
        .split(' ')
        .filter_map(Trigger::parse)
        .collect()
}

impl Bindings {
    /// Gives their default triggers to actions that the file does not name.
    pub fn fill_missing(&mut self) {
        for &action in Action::ALL {
            self.by_action
                .entry(action)
                .or_insert_with(|| standard(action));
        }
        self.free_ctrl();
    }

    /// Moves crouching off Ctrl in older settings, in which Q quits while crouching, unless the
    /// player chose the keys involved.
    fn free_ctrl(&mut self) {
        let are = |action: Action, keys: &str| {
            let names = self.triggers(action).iter().map(Trigger::to_string);
            names.collect::<Vec<_>>().join(" ") == keys
        };
        if are(Action::Down, "ControlLeft PadEast") && are(Action::ToolMelee, "KeyC") {
            self.reset(Action::Down);
            self.reset(Action::ToolMelee);
        }
    }

    /// Returns the triggers of `action`.
    pub fn triggers(&self, action: Action) -> &[Trigger] {
        self.by_action.get(&action).map_or(&[], Vec::as_slice)
    }

    /// Returns the first trigger of `action` in words; empty without one.
    pub fn label(&self, action: Action) -> String {
        self.triggers(action)
            .first()
            .map(Trigger::to_string)
            .unwrap_or_default()
    }

    /// Makes `trigger` the only one of `action` on its device: a new key leaves the gamepad's
    /// button as it is, and the other way round. Returns the actions that lost it.
    pub fn rebind(&mut self, action: Action, trigger: Trigger) -> Vec<Action> {
        let others = self.take(std::slice::from_ref(&trigger), action);
        let own = self.by_action.entry(action).or_default();
        own.retain(|t| t.is_of_gamepad() != trigger.is_of_gamepad());
        own.push(trigger);
        own.sort_by_key(Trigger::is_of_gamepad);
        others
    }

    /// Gives `action` its default triggers. Returns the other actions that lost them.
    pub fn reset(&mut self, action: Action) -> Vec<Action> {
        let own = standard(action);
        let others = self.take(&own, action);
        self.by_action.insert(action, own);
        others
    }

    /// Takes triggers from the actions that have them, and returns those other than `action`.
    fn take(&mut self, taken: &[Trigger], action: Action) -> Vec<Action> {
        let mut others = Vec::new();
        for (&other, triggers) in &mut self.by_action {
            let before = triggers.len();
            triggers.retain(|t| !taken.contains(t));
            if triggers.len() < before && other != action {
                others.push(other);
            }
        }
        others
    }

    /// Returns every action with its triggers.
    pub fn iter(&self) -> impl Iterator<Item = (Action, &[Trigger])> {
        self.by_action
            .iter()
            .map(|(&action, triggers)| (action, triggers.as_slice()))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn triggers_read_what_they_write() {
        for text in [
            "KeyW",
            "Ctrl+KeyZ",
            "Ctrl+Shift+KeyZ",
            "Alt+Digit1",
            "MouseLeft",
        ] {
            assert_eq!(Trigger::parse(text).unwrap().to_string(), text);
        }
        for wrong in ["", "+", "Ctrl+", "KeyA+Ctrl", "a b", "Ctrl+KeyA+KeyB"] {
            assert_eq!(Trigger::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn every_standard_trigger_parses_and_none_is_shared() {
        let mut seen = std::collections::HashMap::new();
        for &action in Action::ALL {
            let count = action.standard_triggers().split(' ').count();
            assert_eq!(standard(action).len(), count, "{action:?}");
            for trigger in standard(action) {
                let before = seen.insert(trigger.clone(), action);
                assert_eq!(before, None, "{trigger} asks for {action:?} too");
            }
        }
    }

    #[test]
    fn a_new_key_leaves_the_gamepad_as_it_is() {
        let mut bindings = Bindings::default();
        let keys = |bindings: &Bindings| {
            let triggers = bindings.triggers(Action::Use).iter();
            triggers.map(Trigger::to_string).collect::<Vec<_>>()
        };
        bindings.rebind(Action::Use, Trigger::parse("Ctrl+KeyI").unwrap());
        assert_eq!(keys(&bindings), ["Ctrl+KeyI", "PadRightTrigger"]);
        bindings.rebind(Action::Use, Trigger::parse("PadWest").unwrap());
        assert_eq!(keys(&bindings), ["Ctrl+KeyI", "PadWest"]);
    }

    #[test]
    fn rebinding_takes_the_key_from_its_owner() {
        let mut bindings = Bindings::default();
        bindings.rebind(Action::Teleport, Trigger::parse("KeyW").unwrap());
        assert_eq!(bindings.label(Action::Teleport), "KeyW");
        assert!(
            bindings
                .triggers(Action::Forward)
                .iter()
                .all(|t| t.key != "KeyW")
        );
        let others = bindings.reset(Action::Forward);
        assert_eq!(others, [Action::Teleport], "it is told");
        assert!(bindings.triggers(Action::Teleport).is_empty());
        assert_eq!(bindings.reset(Action::Forward), []);
        let trigger = Trigger::parse("KeyV").unwrap();
        let others = bindings.rebind(Action::Teleport, trigger);
        assert_eq!(others, [Action::SwitchView]);
    }

    #[test]
    fn no_modifier_of_another_key_is_an_action_of_its_own() {
        let bindings = Bindings::default();
        let all = || bindings.iter().flat_map(|(_, triggers)| triggers);
        let is_used = |held: fn(&Trigger) -> bool| all().any(held);
        for (key, used) in [
            ("Control", is_used(|it| it.ctrl)),
            ("Alt", is_used(|it| it.alt)),
        ] {
            assert!(used && !all().any(|it| it.key.starts_with(key)), "{key}");
        }
    }

    #[test]
    fn crouching_in_older_settings_leaves_ctrl_alone() {
        let mut old = Bindings::default();
        let triggers = |text: &str| text.split(' ').filter_map(Trigger::parse).collect();
        old.by_action
            .insert(Action::Down, triggers("ControlLeft PadEast"));
        old.by_action.insert(Action::ToolMelee, triggers("KeyC"));
        let mut chosen = old.clone();
        old.fill_missing();
        assert_eq!(old, Bindings::default());
        // Settings in which one of the two was moved stay as they are.
        chosen.rebind(Action::ToolMelee, Trigger::parse("Insert").unwrap());
        let before = chosen.clone();
        chosen.fill_missing();
        assert_eq!(chosen, before);
    }
}
