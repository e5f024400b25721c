//! A gamepad's buttons as key names and its sticks as amounts. A system without gamepads, or
//! without a way to find them, is fine.

use gilrs::{Axis, Button, EventType, Gilrs};

use crate::input::{Bindings, InputState};

/// Stick positions closer to the middle than this count as the middle.
const DEAD_ZONE: f32 = 0.15;

/// The system's gamepads, if it has any.
pub(crate) struct Gamepad {
    gilrs: Option<Gilrs>,
}

impl Gamepad {
    /// Opens the gamepads; without any, or without a way to find them, `poll` returns nothing.
    pub(crate) fn open() -> Self {
        let gilrs = match Gilrs::new() {
            Ok(gilrs) | Err(gilrs::Error::NotImplemented(gilrs)) => Some(gilrs),
            Err(_) => None,
        };
        Gamepad { gilrs }
    }

    /// Passes the events since the last call to the input state. Returns the last button that was
    /// pressed.
    pub(crate) fn poll(
        &mut self,
        input: &mut InputState,
        bindings: &Bindings,
    ) -> Option<&'static str> {
        let mut last = None;
        let gilrs = self.gilrs.as_mut()?;
        while let Some(event) = gilrs.next_event() {
            match event.event {
                EventType::ButtonPressed(button, _) => {
                    if let Some(name) = name(button) {
                        input.press(name, bindings);
                        last = Some(name);
                    }
                }
                EventType::ButtonReleased(button, _) => {
                    if let Some(name) = name(button) {
                        input.release(name);
                    }
                }
                EventType::AxisChanged(axis, amount, _) => turn(input, axis, amount),
                EventType::Disconnected => input.let_go(),
                _ => {}
            }
        }
        last
    }
}

fn turn(input: &mut InputState, axis: Axis, amount: f32) {
    let slot = match axis {
        Axis::LeftStickX => &mut input.stick_move[0],
        Axis::LeftStickY => &mut input.stick_move[1],
        Axis::RightStickX => &mut input.stick_look[0],
        Axis::RightStickY => &mut input.stick_look[1],
        _ => return,
    };
    let live = ((amount.abs() - DEAD_ZONE) / (1.0 - DEAD_ZONE)).clamp(0.0, 1.0);
    *slot = live.copysign(amount);
}

fn name(button: Button) -> Option<&'static str> {
    Some(match button {
        Button::South => "PadSouth",
        Button::East => "PadEast",
        Button::North => "PadNorth",
        Button::West => "PadWest",
        Button::LeftTrigger => "PadLeftShoulder",
        Button::RightTrigger => "PadRightShoulder",
        Button::LeftTrigger2 => "PadLeftTrigger",
        Button::RightTrigger2 => "PadRightTrigger",
        Button::Select => "PadSelect",
        Button::Start => "PadStart",
        Button::LeftThumb => "PadLeftThumb",
        Button::RightThumb => "PadRightThumb",
        Button::DPadUp => "PadDPadUp",
        Button::DPadDown => "PadDPadDown",
        Button::DPadLeft => "PadDPadLeft",
        Button::DPadRight => "PadDPadRight",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Action;

    #[test]
    fn sticks_have_a_dead_middle_and_reach_their_full_amount() {
        let mut input = InputState::default();
        for (tilt, wanted) in [
            (0.0, 0.0),
            (0.14, 0.0),
            (-0.1, 0.0),
            (1.0, 1.0),
            (-1.0, -1.0),
            (0.575, 0.5),
        ] {
            turn(&mut input, Axis::LeftStickX, tilt);
            turn(&mut input, Axis::RightStickY, tilt);
            assert!((input.stick_move[0] - wanted).abs() < 1e-5, "{tilt}");
            assert!((input.stick_look[1] - wanted).abs() < 1e-5, "{tilt}");
        }
        assert_eq!((input.stick_move[1], input.stick_look[0]), (0.0, 0.0));
    }

    #[test]
    fn buttons_play() {
        let bindings = Bindings::default();
        let mut input = InputState::default();
        for (button, action) in [
            (Button::South, Action::Up),
            (Button::RightTrigger2, Action::Use),
            (Button::LeftTrigger2, Action::UseOther),
            (Button::LeftTrigger, Action::NextSlot),
            (Button::West, Action::PickMaterial),
            (Button::RightThumb, Action::Undo),
            (Button::Start, Action::Help),
        ] {
            let key = name(button).unwrap_or_default();
            input.press(key, &bindings);
            assert!(input.holds(action), "{button:?}");
            input.release(key);
            assert!(!input.holds(action), "{button:?}");
        }
    }
}
