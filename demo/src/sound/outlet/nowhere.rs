//! No device: systems on which the sandbox is silent.

use kira::backend::Renderer;

use super::NoDevice;

/// A device that never is.
pub(in crate::sound) enum Device {}

impl Device {
    /// Returns that there is none.
    pub(super) fn open(_block: usize) -> Result<(Self, u32), NoDevice> {
        Err(NoDevice)
    }

    /// Plays nothing.
    pub(super) fn start(&mut self, _renderer: Renderer) -> Result<(), NoDevice> {
        match *self {}
    }
}
