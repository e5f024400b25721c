//! GPU, window, keyboard and mouse; knows nothing of the purpose of the sandbox.
//!
//! A program describes one picture as a [`Frame`] and hands it to a [`Renderer`], which draws it on
//! a surface or into an [`Image`]. [`window::run`] provides a window, input and egui to a program
//! that is an [`window::App`].
//!
//! Reading order: `frame` (contents of a picture), `renderer` (its passes in order), `gpu`,
//! `window`.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod camera;
pub mod frame;
pub mod gpu;
pub mod image;
pub mod input;
pub mod mesh;
pub mod overlay;
pub mod renderer;
pub mod settings;
pub mod statistics;
pub mod window;

pub use camera::Camera;
pub use frame::{
    CharacterInstance, Color, FogView, Frame, Ghost, GhostKind, Light, ModelInstance, Sun, Ui,
};
pub use gpu::{Gpu, GpuError, GpuKind, GpuOptions, Resources};
pub use image::{Image, ImageError};
pub use input::InputEvent;
pub use mesh::Mesh;
pub use overlay::{Overlay, Visibility};
pub use renderer::{Canvas, FOG_TEXTURE, Renderer, TILE, Tiles, tiles_of};
pub use settings::{Antialiasing, GraphicsSettings, Lamps, Presentation, ShadowQuality};
pub use statistics::{PassTime, Statistics};
pub use window::{App, Context, WindowError, WindowOptions};
