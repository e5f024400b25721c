//! The device on Windows and macOS, by `kira`'s own backend.

use kira::backend::cpal::{CpalBackend, CpalBackendSettings};
use kira::backend::{Backend, Renderer};

use super::NoDevice;

/// The open device.
pub(in crate::sound) struct Device(CpalBackend);

impl Device {
    /// Returns the device and its frames a second.
    pub(super) fn open(block: usize) -> Result<(Self, u32), NoDevice> {
        let opened = CpalBackend::setup(CpalBackendSettings::default(), block);
        let (backend, rate) = opened.map_err(|_| NoDevice)?;
        Ok((Device(backend), rate))
    }

    /// Plays in the background.
    pub(super) fn start(&mut self, renderer: Renderer) -> Result<(), NoDevice> {
        self.0.start(renderer).map_err(|_| NoDevice)
    }
}
