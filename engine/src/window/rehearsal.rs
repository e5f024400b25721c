//! Runs an app without a window, for tests: they press keys, move the pointer, resize and request
//! pictures, which take the same paths as in a window. Only the event loop, the surface and the
//! recovery of a lost device are left out.

use std::time::Duration;

use egui::{Event, Modifiers, PointerButton, RawInput, Rect, pos2, vec2};

use std::error::Error;

use world::files::Existing;

use super::routing::{Heard, passes_panels, reaches_panels};
use super::{App, Context, Notice, Pointer};
use crate::{Canvas, Gpu, GpuError, GpuOptions, InputEvent, Renderer, Resources, Ui};

/// An app without a window.
pub struct Rehearsal<A> {
    app: A,
    context: Context,
    gpu: Gpu,
    renderer: Renderer,
    canvas: Canvas,
    events: Vec<Event>,
    modifiers: Modifiers,
    seconds: f64,
    has_focus: bool,
}

impl<A: App> Rehearsal<A> {
    /// Opens a device without a window and makes the app ready.
    pub fn open(app: A, options: GpuOptions, size: [u32; 2]) -> Result<Self, GpuError> {
        let gpu = Gpu::offscreen(options)?;
        let renderer = Renderer::offscreen(&gpu);
        let canvas = renderer.canvas(&gpu, size);
        let mut context = Context::new();
        context.size = size;
        context.gpu_name = gpu.name().to_owned();
        context.gpu_kind = gpu.kind();
        let mut rehearsal = Self {
            app,
            context,
            gpu,
            renderer,
            canvas,
            events: Vec::new(),
            modifiers: Modifiers::default(),
            seconds: 0.0,
            has_focus: true,
        };
        rehearsal.app.ready(&mut rehearsal.context);
        Ok(rehearsal)
    }

    /// Returns the app.
    pub fn app(&self) -> &A {
        &self.app
    }

    /// Returns the context that the app sees.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Returns true if the app asked to quit.
    pub fn has_quit(&self) -> bool {
        self.context.wanted.quit
    }

    /// Returns the counts of live GPU objects after all work is done.
    pub fn resources(&self) -> Result<Option<Resources>, GpuError> {
        self.gpu.wait()?;
        Ok(self.gpu.resources())
    }

    /// Changes the size of the picture; 0 is a minimised window.
    pub fn resize(&mut self, size: [u32; 2]) {
        self.context.size = size;
        if !size.contains(&0) {
            self.canvas = self.renderer.canvas(&self.gpu, size);
        }
    }

    /// Gives the keyboard focus to the window, or takes it.
    pub fn focus(&mut self, has_focus: bool) {
        self.has_focus = has_focus;
        self.modifiers = Modifiers::default();
        self.events.push(Event::WindowFocused(has_focus));
        if !has_focus {
            self.app.input(&InputEvent::FocusLost, &mut self.context);
        }
    }

    /// Moves the free pointer to a point of the picture; (0, 0) is the top left and (1, 1) the
    /// bottom right corner.
    pub fn point(&mut self, at: [f32; 2]) {
        self.context.pointer = Some(at);
        if self.context.pointer_mode() == Pointer::Free {
            self.events.push(Event::PointerMoved(self.place(at)));
        }
    }

    /// Returns the size of the picture in points of the interface.
    fn points(&self) -> [f32; 2] {
        let zoom = self.context.egui.zoom_factor();
        self.context.size.map(|side| side as f32 / zoom)
    }

    fn place(&self, at: [f32; 2]) -> egui::Pos2 {
        let [width, height] = self.points();
        pos2(at[0] * width, at[1] * height)
    }

    /// Sends an input; panels may take it.
    pub fn input(&mut self, event: &InputEvent) {
        let is_taken = match event {
            InputEvent::Pressed(name) => self.show_panels(name, Way::Down),
            InputEvent::Released(name) => {
                self.show_panels(name, Way::Up);
                false
            }
            InputEvent::Wheel(_) => {
                self.context.pointer_mode() == Pointer::Free && self.context.is_over_panels()
            }
            InputEvent::PointerMotion(_) => self.context.pointer_mode() == Pointer::Free,
            InputEvent::FocusLost | InputEvent::FileDropped(_) => false,
        };
        if !is_taken || passes_panels(event) {
            self.app.input(event, &mut self.context);
        }
    }

    /// Sends a key or button to the panels; returns true if they take it.
    fn show_panels(&mut self, name: &str, way: Way) -> bool {
        let pressed = way == Way::Down;
        match (button(name), egui::Key::from_name(plain(name))) {
            (Some(button), _) => {
                let heard = if pressed {
                    Heard::Pointer
                } else {
                    Heard::ButtonUp
                };
                if !reaches_panels(&self.context, heard) {
                    return false;
                }
                let at = self.place(self.context.pointer.unwrap_or([0.5, 0.5]));
                self.events.push(Event::PointerButton {
                    pos: at,
                    button,
                    pressed,
                    modifiers: self.modifiers,
                });
                self.context.is_over_panels()
            }
            (None, Some(key)) => {
                let heard = match key {
                    egui::Key::Tab => Heard::Tab,
                    _ => Heard::Key,
                };
                if !reaches_panels(&self.context, heard) {
                    return false;
                }
                self.type_key(key, pressed);
                self.context.egui.egui_wants_keyboard_input()
            }
            (None, None) => {
                self.hold_modifier(name, pressed);
                false
            }
        }
    }

    fn type_key(&mut self, key: egui::Key, pressed: bool) {
        self.events.push(Event::Key {
            key,
            physical_key: None,
            pressed,
            repeat: false,
            modifiers: self.modifiers,
        });
        let letter = key.symbol_or_name();
        let is_typed = pressed && letter.chars().count() == 1 && !self.modifiers.any();
        if is_typed {
            self.events.push(Event::Text(letter.to_lowercase()));
        }
    }

    fn hold_modifier(&mut self, name: &str, pressed: bool) {
        match name {
            "ControlLeft" | "ControlRight" => {
                (self.modifiers.ctrl, self.modifiers.command) = (pressed, pressed);
            }
            "ShiftLeft" | "ShiftRight" => self.modifiers.shift = pressed,
            "AltLeft" | "AltRight" => self.modifiers.alt = pressed,
            _ => return,
        }
        self.events.push(Event::ModifiersChanged(self.modifiers));
    }

    /// Lets time pass and draws a picture, unless the window has no area. Returns the errors of the
    /// device.
    pub fn picture(&mut self, elapsed: Duration) -> Result<Vec<String>, GpuError> {
        self.seconds += elapsed.as_secs_f64();
        if self.context.size.contains(&0) {
            self.app.update(elapsed, &mut self.context);
            return Ok(self.gpu.take_errors());
        }
        let input = self.egui_input();
        let egui = self.context.egui.clone();
        let (app, context) = (&mut self.app, &mut self.context);
        let mut output = egui.run_ui(input, |ui| app.ui(ui, context));
        let shapes = std::mem::take(&mut output.shapes);
        let primitives = egui.tessellate(shapes, output.pixels_per_point);
        self.app.update(elapsed, &mut self.context);
        let mut frame = self.app.frame(&self.context);
        frame.ui = Some(Ui {
            primitives: &primitives,
            textures: &output.textures_delta,
            pixels_per_point: output.pixels_per_point,
        });
        let drawn = self.renderer.draw_on(&self.gpu, &frame, &self.canvas);
        let wished = self.context.wanted.screenshot.clone();
        let notice = wished.map(|path| {
            let image = self.renderer.capture(&self.gpu, &frame, self.context.size);
            match image.map(|image| image.save(&path, Existing::Keep)) {
                Ok(Ok(())) => Notice::ScreenshotSaved(path),
                Ok(Err(error)) => Notice::ScreenshotFailed(error.to_string()),
                Err(error) => Notice::ScreenshotFailed(error.to_string()),
            }
        });
        output.textures_delta.clear();
        self.context.wanted.screenshot = None;
        self.context
            .statistics
            .clone_from(self.renderer.statistics());
        if let Some(notice) = notice {
            self.app.notice(notice, &mut self.context);
        }
        drawn?;
        self.gpu.wait()?;
        Ok(self.gpu.take_errors())
    }

    fn egui_input(&mut self) -> RawInput {
        let [width, height] = self.points();
        RawInput {
            screen_rect: Some(Rect::from_min_size(pos2(0.0, 0.0), vec2(width, height))),
            time: Some(self.seconds),
            events: std::mem::take(&mut self.events),
            focused: self.has_focus,
            ..RawInput::default()
        }
    }

    /// Ends like a closed window.
    pub fn close(mut self) -> Result<(), Box<dyn Error>> {
        self.app.quit()
    }
}

/// The direction of a key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Down,
    Up,
}

fn button(name: &str) -> Option<PointerButton> {
    match name {
        "MouseLeft" => Some(PointerButton::Primary),
        "MouseRight" => Some(PointerButton::Secondary),
        "MouseMiddle" => Some(PointerButton::Middle),
        _ => None,
    }
}

/// Returns `W` for `KeyW`.
fn plain(name: &str) -> &str {
    name.strip_prefix("Key")
        .or_else(|| name.strip_prefix("Digit"))
        .unwrap_or(name)
}
