//! Input by name, so that bindings are text: keys as `KeyW` or `ShiftLeft`, buttons as `MouseLeft`,
//! wheel steps as `WheelUp`.
//!
//! The bindings belong to the program.

use std::path::PathBuf;

use winit::event::{ElementState, MouseButton, MouseScrollDelta, WindowEvent};
use winit::keyboard::PhysicalKey;

/// One input of the user.
#[derive(Clone, Debug, PartialEq)]
pub enum InputEvent {
    /// A key or button was pressed; repeats are left out.
    Pressed(String),
    /// A key or button was released. Follows every press, unless [`InputEvent::FocusLost`] comes
    /// first.
    Released(String),
    /// The wheel turned by a whole step: `WheelUp`, `WheelDown`, `WheelLeft`, `WheelRight`.
    Wheel(&'static str),
    /// A captured pointer moved by this many pixels right and down.
    PointerMotion([f32; 2]),
    /// The focus was lost; all keys count as released.
    FocusLost,
    /// A file was dropped on the window.
    FileDropped(PathBuf),
}

/// Pixels of a smooth wheel or touch pad per step.
const PIXELS_PER_STEP: f32 = 50.0;

/// Converts window events into input events.
#[derive(Debug, Default)]
pub(crate) struct Translator {
    wheel: [f32; 2],
}

impl Translator {
    /// Calls `emit` for each input event in a window event.
    pub(crate) fn translate(&mut self, event: &WindowEvent, mut emit: impl FnMut(InputEvent)) {
        match event {
            // Keys already down when the window gets the focus were pressed for another window.
            WindowEvent::KeyboardInput {
                event,
                is_synthetic: true,
                ..
            } if event.state == ElementState::Pressed => {}
            WindowEvent::KeyboardInput { event, .. } if !event.repeat => {
                if let Some(name) = key_name(event.physical_key) {
                    emit(change(event.state, name));
                }
            }
            WindowEvent::MouseInput { state, button, .. } => {
                emit(change(*state, button_name(*button)))
            }
            WindowEvent::MouseWheel { delta, .. } => self.scroll(*delta, emit),
            WindowEvent::Focused(false) => emit(InputEvent::FocusLost),
            WindowEvent::DroppedFile(path) => emit(InputEvent::FileDropped(path.clone())),
            _ => {}
        }
    }

    fn scroll(&mut self, delta: MouseScrollDelta, mut emit: impl FnMut(InputEvent)) {
        let [across, up] = match delta {
            MouseScrollDelta::LineDelta(x, y) => [x, y],
            MouseScrollDelta::PixelDelta(at) => {
                [at.x as f32 / PIXELS_PER_STEP, at.y as f32 / PIXELS_PER_STEP]
            }
        };
        for (axis, amount, names) in [
            // Content moves right when the view moves left.
            (0, across, ["WheelRight", "WheelLeft"]),
            (1, up, ["WheelDown", "WheelUp"]),
        ] {
            let amount = if amount.is_finite() {
                amount.clamp(-32.0, 32.0)
            } else {
                0.0
            };
            self.wheel[axis] += amount;
            let steps = self.wheel[axis].trunc();
            self.wheel[axis] -= steps;
            for _ in 0..steps.abs() as u32 {
                emit(InputEvent::Wheel(names[usize::from(steps > 0.0)]));
            }
        }
    }
}

fn change(state: ElementState, name: String) -> InputEvent {
    match state {
        ElementState::Pressed => InputEvent::Pressed(name),
        ElementState::Released => InputEvent::Released(name),
    }
}

fn key_name(key: PhysicalKey) -> Option<String> {
    match key {
        PhysicalKey::Code(code) => Some(format!("{code:?}")),
        PhysicalKey::Unidentified(_) => None,
    }
}

fn button_name(button: MouseButton) -> String {
    match button {
        MouseButton::Left => "MouseLeft".into(),
        MouseButton::Right => "MouseRight".into(),
        MouseButton::Middle => "MouseMiddle".into(),
        MouseButton::Back => "MouseBack".into(),
        MouseButton::Forward => "MouseForward".into(),
        MouseButton::Other(number) => format!("MouseButton{number}"),
    }
}

/// Drops the duplicate of each relative motion. On X11 every motion of a confined pointer arrives
/// twice; elsewhere none does, and after two motions without a duplicate the filter lets everything
/// pass.
#[derive(Debug)]
pub(crate) struct MotionFilter {
    awaited: Option<[f64; 2]>,
    /// Number of consecutive motions without a duplicate.
    singles: u32,
}

impl MotionFilter {
    /// Motions without a duplicate after which none is expected.
    const ENOUGH_SINGLES: u32 = 2;

    pub(crate) fn new() -> Self {
        Self {
            awaited: None,
            singles: 0,
        }
    }

    /// Returns true if the motion is to be used.
    pub(crate) fn accept(&mut self, motion: [f64; 2]) -> bool {
        if self.singles >= Self::ENOUGH_SINGLES {
            return true;
        }
        if self.awaited == Some(motion) {
            self.awaited = None;
            self.singles = 0;
            return false;
        }
        if self.awaited.replace(motion).is_some() {
            self.singles += 1;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twins_are_dropped_and_equal_pairs_of_twins_kept() {
        let mut filter = MotionFilter::new();
        let used: Vec<bool> = [[1.0, 0.0]; 6]
            .iter()
            .chain(&[[2.0, 0.0]; 2])
            .map(|&motion| filter.accept(motion))
            .collect();
        assert_eq!(used, [true, false, true, false, true, false, true, false]);
    }

    #[test]
    fn slow_hand_is_not_taken_for_twins_for_long() {
        let mut filter = MotionFilter::new();
        filter.accept([1.0, 0.0]);
        filter.accept([1.0, 0.0]);
        for step in 0..20 {
            assert!(filter.accept([f64::from(step), 2.0]));
        }
        for _ in 0..4 {
            assert!(filter.accept([1.0, 0.0]));
        }
    }

    #[test]
    fn singles_all_pass_once_it_is_clear_that_they_are() {
        let mut filter = MotionFilter::new();
        for step in 0..3 {
            assert!(filter.accept([f64::from(step), 1.0]));
        }
        for _ in 0..4 {
            assert!(filter.accept([5.0, 5.0]));
        }
    }

    #[test]
    fn smooth_scrolling_adds_up_to_steps() {
        let mut steps = Vec::new();
        let mut translator = Translator::default();
        for _ in 0..5 {
            translator.scroll(MouseScrollDelta::LineDelta(0.0, 0.5), |event| {
                steps.push(event)
            });
        }
        translator.scroll(MouseScrollDelta::LineDelta(f32::NAN, -3.0), |event| {
            steps.push(event)
        });
        let ups = steps
            .iter()
            .filter(|&event| *event == InputEvent::Wheel("WheelUp"))
            .count();
        let downs = steps
            .iter()
            .filter(|&event| *event == InputEvent::Wheel("WheelDown"))
            .count();
        assert_eq!((ups, downs, steps.len()), (2, 2, 4));
    }
}
