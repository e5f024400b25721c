//! The event loop: passes events on, draws pictures, recovers from losses.

use std::error::Error;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::time::{Duration, Instant};

use winit::application::ApplicationHandler;
use winit::event::{DeviceEvent, DeviceId, ElementState, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::keyboard::{KeyCode, PhysicalKey};
use winit::platform::run_on_demand::EventLoopExtRunOnDemand;
use winit::window::{CursorGrabMode, Fullscreen, Window, WindowId};
use world::files::Existing;

use super::panics;
use super::routing::{Heard, fitting, passes_panels, reaches_panels};
use super::screen::{Screen, Shown};
use super::signals::Signals;
use super::textures::{Changes, TextureMemory};
use super::{App, Context, Notice, WindowError, WindowOptions};
use crate::input::{MotionFilter, Translator};
use crate::renderer::Reload;
use crate::{GpuError, InputEvent, Ui};

/// Time between updates of a hidden window.
const HIDDEN_INTERVAL: Duration = Duration::from_millis(16);
/// Largest number of consecutive losses without a picture between them.
const MOST_LOSSES: u32 = 3;

pub(super) fn run<A: App>(
    options: WindowOptions,
    begin: impl FnOnce() -> Result<A, Box<dyn Error>>,
) -> Result<(), WindowError> {
    let mut event_loop = EventLoop::new().map_err(|error| WindowError::NoDisplay {
        reason: without_place(&error.to_string()).to_owned(),
    })?;
    let mut shell = Shell {
        options,
        app: begin().map_err(WindowError::App)?,
        context: Context::new(),
        open: None,
        translator: Translator::default(),
        motions: MotionFilter::new(),
        applied: Applied::default(),
        last_update: Instant::now(),
        hidden: false,
        losses: 0,
        failure: None,
        saved: false,
        signals: Signals::take(),
    };
    let ended = panics::of_window(|| event_loop.run_app_on_demand(&mut shell));
    shell.quit();
    let ended = ended.unwrap_or_else(|reason| {
        // The window library would panic again when it closes what is gone.
        std::mem::forget((event_loop, shell.open.take()));
        shell.failure.get_or_insert(WindowError::Gone { reason });
        Ok(())
    });
    match (shell.failure, ended) {
        (Some(error), _) => Err(error),
        (None, Err(error)) => Err(WindowError::NoDisplay {
            reason: without_place(&error.to_string()).to_owned(),
        }),
        (None, Ok(())) => Ok(()),
    }
}

/// Returns a message of the system without the source location that the window library puts before
/// it, and without its full stop.
fn without_place(words: &str) -> &str {
    let after = words.rsplit_once(".rs:").map_or(words, |(_, after)| after);
    let reason = after.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':' || c == ' ');
    reason.trim_end_matches('.')
}

/// The window and the parts that draw in it.
struct Open {
    window: Arc<Window>,
    screen: Screen,
    egui: egui_winit::State,
    textures: TextureMemory,
}

/// The app's requests that have been applied to the window.
#[derive(Default)]
struct Applied {
    captured: bool,
    fullscreen: bool,
}

struct Shell<A> {
    options: WindowOptions,
    app: A,
    context: Context,
    open: Option<Open>,
    translator: Translator,
    motions: MotionFilter,
    applied: Applied,
    last_update: Instant,
    hidden: bool,
    losses: u32,
    failure: Option<WindowError>,
    saved: bool,
    signals: Signals,
}

impl<A: App> ApplicationHandler for Shell<A> {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.open.is_some() {
            return;
        }
        match self.open_window(event_loop) {
            Ok(()) => self.app.ready(&mut self.context),
            Err(error) => self.fail(event_loop, error),
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(open) = &mut self.open else { return };
        let reaches = reaches_panels(&self.context, heard(&event));
        let mut consumed = reaches && open.egui.on_window_event(&open.window, &event).consumed;
        if let WindowEvent::MouseInput { .. } | WindowEvent::MouseWheel { .. } = &event {
            consumed = reaches && self.context.is_over_panels();
        }
        match &event {
            WindowEvent::CloseRequested => self.context.quit(),
            WindowEvent::Destroyed => {
                let reason = "another program closed it".to_owned();
                return self.fail(event_loop, WindowError::Gone { reason });
            }
            WindowEvent::Resized(size) => self.context.size = [size.width, size.height],
            WindowEvent::Occluded(hidden) => self.hidden = *hidden,
            WindowEvent::Focused(true) => self.applied.captured = false,
            WindowEvent::Focused(false) => self.free_pointer(),
            WindowEvent::CursorMoved { position, .. } => self.move_pointer(*position),
            WindowEvent::CursorLeft { .. } => self.context.pointer = None,
            WindowEvent::RedrawRequested => return self.picture(event_loop),
            _ => {}
        }
        self.hand_on(&event, consumed);
        self.end_if_asked(event_loop);
    }

    fn device_event(&mut self, _: &ActiveEventLoop, _: DeviceId, event: DeviceEvent) {
        let DeviceEvent::MouseMotion { delta: (x, y) } = event else {
            return;
        };
        let usable = x.is_finite() && y.is_finite();
        if self.applied.captured && usable && self.motions.accept([x, y]) {
            self.app.input(
                &InputEvent::PointerMotion([x as f32, y as f32]),
                &mut self.context,
            );
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        if self.is_hidden() {
            self.update();
            if let Some(open) = self.open.take().map(ManuallyDrop::new) {
                self.fulfil_wishes(&open);
                self.open = Some(ManuallyDrop::into_inner(open));
            }
            event_loop.set_control_flow(ControlFlow::WaitUntil(Instant::now() + HIDDEN_INTERVAL));
        } else if let Some(open) = &self.open {
            event_loop.set_control_flow(ControlFlow::Poll);
            open.window.request_redraw();
        }
        self.end_if_asked(event_loop);
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        self.quit();
    }
}

impl<A: App> Shell<A> {
    fn open_window(&mut self, event_loop: &ActiveEventLoop) -> Result<(), WindowError> {
        let monitor = event_loop.primary_monitor();
        let monitor = monitor.or_else(|| event_loop.available_monitors().next());
        let monitor = monitor.map(|it| (it.size(), it.scale_factor()));
        let attributes = Window::default_attributes()
            .with_title(self.options.title.clone())
            .with_inner_size(fitting(self.options.size, monitor));
        let window =
            event_loop
                .create_window(attributes)
                .map_err(|error| WindowError::NoWindow {
                    reason: error.to_string(),
                })?;
        let window = Arc::new(window);
        let display = event_loop.owned_display_handle();
        let screen = Screen::open(Arc::clone(&window), display, Reload::new())?;
        let egui = egui_winit::State::new(
            self.context.egui.clone(),
            egui::ViewportId::ROOT,
            &window,
            Some(window.scale_factor() as f32),
            None,
            Some(screen.gpu.device.limits().max_texture_dimension_2d as usize),
        );
        let size = window.inner_size();
        self.context.size = [size.width, size.height];
        self.context.gpu_name = screen.gpu.name().to_owned();
        self.context.gpu_kind = screen.gpu.kind();
        self.open = Some(Open {
            window,
            screen,
            egui,
            textures: TextureMemory::default(),
        });
        self.last_update = Instant::now();
        Ok(())
    }

    fn is_hidden(&self) -> bool {
        self.hidden || self.context.size.contains(&0)
    }

    /// Hands on what panels did not keep, and what passes them.
    fn hand_on(&mut self, event: &WindowEvent, consumed: bool) {
        let (app, context) = (&mut self.app, &mut self.context);
        self.translator.translate(event, |event| {
            if !consumed || passes_panels(&event) {
                app.input(&event, context);
            }
        });
    }

    fn move_pointer(&mut self, position: winit::dpi::PhysicalPosition<f64>) {
        let [width, height] = self.context.size.map(|side| side.max(1) as f32);
        self.context.pointer = Some([position.x as f32 / width, position.y as f32 / height]);
    }

    fn update(&mut self) {
        let now = Instant::now();
        let elapsed = now.duration_since(self.last_update);
        self.last_update = now;
        self.app.update(elapsed, &mut self.context);
    }

    fn picture(&mut self, event_loop: &ActiveEventLoop) {
        if self.is_hidden() {
            return;
        }
        let Some(open) = self.open.take() else {
            return;
        };
        // After a panic of the window library it stays: closing what is gone would panic again.
        let mut open = ManuallyDrop::new(open);
        let result = self.draw(&mut open);
        self.open = Some(ManuallyDrop::into_inner(open));
        self.after_picture(event_loop, result);
        self.end_if_asked(event_loop);
    }

    fn draw(&mut self, open: &mut Open) -> Result<Shown, GpuError> {
        let input = open.egui.take_egui_input(&open.window);
        let egui = self.context.egui.clone();
        let (app, context) = (&mut self.app, &mut self.context);
        let mut output = egui.run_ui(input, |ui| app.ui(ui, context));
        let textures = Changes(std::mem::take(&mut output.textures_delta));
        open.egui
            .handle_platform_output(&open.window, std::mem::take(&mut output.platform_output));
        open.textures.apply(&textures.0);
        let primitives =
            egui.tessellate(std::mem::take(&mut output.shapes), output.pixels_per_point);
        self.update();
        self.fulfil_wishes(open);
        let ui = Ui {
            primitives: &primitives,
            textures: &textures.0,
            pixels_per_point: output.pixels_per_point,
        };
        let mut frame = self.app.frame(&self.context);
        frame.ui = Some(ui);
        let result = open.screen.show(&frame);
        if !matches!(result, Ok(Shown::Yes)) {
            open.screen
                .renderer
                .update_ui_textures(&open.screen.gpu, ui.textures);
        }
        let screenshot = match &self.context.wanted.screenshot {
            Some(path) => Some(take_screenshot(open, &frame, self.context.size, path)),
            None => None,
        };
        // Does nothing if the picture was drawn.
        open.screen.renderer.free_ui_textures(ui.textures);
        self.context
            .statistics
            .clone_from(open.screen.renderer.statistics());
        if let Some(notice) = screenshot {
            self.context.wanted.screenshot = None;
            self.app.notice(notice, &mut self.context);
        }
        result
    }

    fn after_picture(&mut self, event_loop: &ActiveEventLoop, result: Result<Shown, GpuError>) {
        let errors = self
            .open
            .as_ref()
            .map(|open| open.screen.gpu.take_errors())
            .unwrap_or_default();
        for error in errors {
            self.app
                .notice(Notice::DrawingError(error), &mut self.context);
        }
        let lost = self
            .open
            .as_ref()
            .is_some_and(|open| open.screen.gpu.is_lost());
        match result {
            _ if lost => self.recover(event_loop),
            Ok(Shown::Yes) => self.losses = 0,
            Ok(Shown::NotNow) => {}
            Ok(Shown::SurfaceLost) | Err(GpuError::Lost { .. }) => self.recover(event_loop),
            Err(error) => self.fail(event_loop, error.into()),
        }
    }

    /// Opens a new device, surface and renderer for the same window; chunks and textures are
    /// uploaded again, shaders are kept.
    fn recover(&mut self, event_loop: &ActiveEventLoop) {
        self.losses += 1;
        let Some(open) = self.open.take() else { return };
        let Open {
            window,
            screen,
            egui,
            textures,
        } = open;
        // The old screen is dropped before the new one is made.
        let reload = screen.into_reload();
        let display = event_loop.owned_display_handle();
        let opened = Screen::open(Arc::clone(&window), display, reload);
        match opened {
            Ok(mut screen) if self.losses <= MOST_LOSSES => {
                let mut everything = textures.everything();
                screen.renderer.update_ui_textures(&screen.gpu, &everything);
                everything.clear();
                self.context.gpu_name = screen.gpu.name().to_owned();
                self.context.gpu_kind = screen.gpu.kind();
                self.open = Some(Open {
                    window,
                    screen,
                    egui,
                    textures,
                });
                self.app.notice(Notice::DeviceRecovered, &mut self.context);
            }
            Ok(_) => {
                let reason = "it was lost again and again".into();
                self.fail(event_loop, GpuError::Lost { reason }.into());
            }
            Err(error) => self.fail(event_loop, error.into()),
        }
    }

    fn fulfil_wishes(&mut self, open: &Open) {
        if std::mem::take(&mut self.context.wanted.lose_device) {
            open.screen.gpu.lose();
        }
        let window = &*open.window;
        if let Some(title) = self.context.wanted.title.take() {
            window.set_title(&title);
        }
        let fullscreen = self.context.wanted.fullscreen;
        if fullscreen != self.applied.fullscreen {
            window.set_fullscreen(fullscreen.then_some(Fullscreen::Borderless(None)));
            self.applied.fullscreen = fullscreen;
        }
        let captured = self.context.wanted.captured;
        if captured != self.applied.captured {
            set_capture(window, captured);
            self.applied.captured = captured;
            self.motions = MotionFilter::new();
        }
    }

    /// Frees the pointer while the window has no focus; the request stays and is applied when focus
    /// returns.
    fn free_pointer(&mut self) {
        if let Some(open) = &self.open {
            set_capture(&open.window, false);
        }
        self.applied.captured = self.context.wanted.captured;
    }

    fn fail(&mut self, event_loop: &ActiveEventLoop, error: WindowError) {
        self.failure.get_or_insert(error);
        event_loop.exit();
    }

    fn end_if_asked(&mut self, event_loop: &ActiveEventLoop) {
        if self.context.wanted.quit || self.signals.ask_to_end() {
            event_loop.exit();
        }
    }

    fn quit(&mut self) {
        if !std::mem::replace(&mut self.saved, true)
            && let Err(error) = self.app.quit()
        {
            self.failure = Some(WindowError::App(error));
        }
    }
}

fn heard(event: &WindowEvent) -> Heard {
    match event {
        WindowEvent::KeyboardInput { event, .. } => match event.physical_key {
            PhysicalKey::Code(KeyCode::Tab) => Heard::Tab,
            _ => Heard::Key,
        },
        WindowEvent::MouseInput {
            state: ElementState::Released,
            ..
        } => Heard::ButtonUp,
        WindowEvent::CursorMoved { .. }
        | WindowEvent::MouseInput { .. }
        | WindowEvent::MouseWheel { .. } => Heard::Pointer,
        _ => Heard::Rest,
    }
}

/// Locks the pointer, or confines it where the system cannot lock. A refusal leaves it free, which
/// is no error.
fn set_capture(window: &Window, captured: bool) {
    let result = if captured {
        window
            .set_cursor_grab(CursorGrabMode::Locked)
            .or_else(|_| window.set_cursor_grab(CursorGrabMode::Confined))
    } else {
        window.set_cursor_grab(CursorGrabMode::None)
    };
    window.set_cursor_visible(!(captured && result.is_ok()));
}

fn take_screenshot(
    open: &mut Open,
    frame: &crate::Frame<'_>,
    size: [u32; 2],
    path: &std::path::Path,
) -> Notice {
    let written = open
        .screen
        .renderer
        .capture(&open.screen.gpu, frame, size)
        .map_err(|error| error.to_string())
        .and_then(|image| {
            image
                .save(path, Existing::Keep)
                .map_err(|error| error.to_string())
        });
    match written {
        Ok(()) => Notice::ScreenshotSaved(path.to_owned()),
        Err(error) => Notice::ScreenshotFailed(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_source_line_is_shown_to_players() {
        let words = "os error at /some/where/winit-0.30.13/src/linux/mod.rs:757: \
                     neither WAYLAND_DISPLAY nor DISPLAY is set.";
        assert_eq!(
            without_place(words),
            "neither WAYLAND_DISPLAY nor DISPLAY is set"
        );
        assert_eq!(without_place("no display"), "no display");
    }
}
