//! The end of the line: the machine's device, or a buffer that tests read.

use std::sync::{Mutex, PoisonError};

use kira::backend::{Backend, Renderer};

#[cfg(target_os = "linux")]
mod linux;
#[cfg(any(windows, target_os = "macos"))]
mod native;
#[cfg(not(any(target_os = "linux", windows, target_os = "macos")))]
mod nowhere;

#[cfg(target_os = "linux")]
use linux::Device;
#[cfg(any(windows, target_os = "macos"))]
use native::Device;
#[cfg(not(any(target_os = "linux", windows, target_os = "macos")))]
use nowhere::Device;

/// Frames a second of the buffer.
pub(super) const BUFFER_RATE: u32 = 48_000;

/// The kinds of ends.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Target {
    /// The device of the machine.
    #[default]
    Device,
    /// A buffer.
    Buffer,
}

/// There is no device.
#[derive(Debug)]
pub(super) struct NoDevice;

/// An open end.
pub(super) enum Outlet {
    Device(Device),
    Buffer(Option<Mutex<Box<Renderer>>>),
}

impl Backend for Outlet {
    type Settings = Target;
    type Error = NoDevice;

    fn setup(target: Target, block: usize) -> Result<(Self, u32), NoDevice> {
        match target {
            Target::Buffer => Ok((Outlet::Buffer(None), BUFFER_RATE)),
            Target::Device => {
                let (device, rate) = Device::open(block)?;
                Ok((Outlet::Device(device), rate))
            }
        }
    }

    fn start(&mut self, renderer: Renderer) -> Result<(), NoDevice> {
        match self {
            Outlet::Device(device) => device.start(renderer),
            Outlet::Buffer(place) => {
                *place = Some(Mutex::new(Box::new(renderer)));
                Ok(())
            }
        }
    }
}

impl Outlet {
    /// Fills a buffer with the next frames, left and right by turns; a device has its own way.
    pub(super) fn render(&mut self, out: &mut [f32]) {
        if let Outlet::Buffer(Some(renderer)) = self {
            let renderer = renderer.get_mut().unwrap_or_else(PoisonError::into_inner);
            renderer.on_start_processing();
            renderer.process(out, 2);
        }
    }
}
