//! The surface of a window, with the device and renderer that draw on it.

use std::sync::Arc;

use winit::window::Window;

use crate::gpu;
use crate::renderer::{Reload, Target};
use crate::{Frame, Gpu, GpuError, GpuOptions, Presentation, Renderer};

/// The progress of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// It is on its way to the display.
    Yes,
    /// The window is hidden, busy or just changed; try again later.
    NotNow,
    /// The surface is lost: make a new screen.
    SurfaceLost,
}

/// The parts that are replaced after a loss.
pub(super) struct Screen {
    pub(super) gpu: Gpu,
    pub(super) renderer: Renderer,
    surface: wgpu::Surface<'static>,
    configuration: wgpu::SurfaceConfiguration,
    window: Arc<Window>,
}

impl Screen {
    pub(super) fn open(
        window: Arc<Window>,
        display: winit::event_loop::OwnedDisplayHandle,
        reload: Reload,
    ) -> Result<Self, GpuError> {
        let no_surface = |reason: String| GpuError::NoSurface { reason };
        let instance = gpu::instance_for(display)?;
        let surface = instance
            .create_surface(Arc::clone(&window))
            .map_err(|error| no_surface(error.to_string()))?;
        let gpu = Gpu::open(&instance, GpuOptions::Fastest, Some(&surface))?;
        let size = window.inner_size();
        let mut configuration = surface
            .get_default_config(&gpu.adapter, size.width.max(1), size.height.max(1))
            .ok_or_else(|| no_surface("the driver cannot show pictures in it".into()))?;
        configuration.format = plain_format(
            &surface.get_capabilities(&gpu.adapter).formats,
            configuration.format,
        );
        configuration.present_mode = wgpu::PresentMode::AutoVsync;
        surface.configure(&gpu.device, &configuration);
        let renderer = Renderer::new(&gpu, configuration.format, reload);
        Ok(Self {
            gpu,
            renderer,
            surface,
            configuration,
            window,
        })
    }

    /// Drops everything but the shaders in use.
    pub(super) fn into_reload(self) -> Reload {
        self.renderer.into_reload()
    }

    /// Draws and shows a picture of the window's size.
    pub(super) fn show(&mut self, frame: &Frame<'_>) -> Result<Shown, GpuError> {
        self.configure(frame.settings.presentation);
        let texture = match self.surface.get_current_texture() {
            wgpu::CurrentSurfaceTexture::Success(texture)
            | wgpu::CurrentSurfaceTexture::Suboptimal(texture) => texture,
            wgpu::CurrentSurfaceTexture::Outdated => {
                self.surface
                    .configure(&self.gpu.device, &self.configuration);
                return Ok(Shown::NotNow);
            }
            wgpu::CurrentSurfaceTexture::Lost => return Ok(Shown::SurfaceLost),
            wgpu::CurrentSurfaceTexture::Timeout
            | wgpu::CurrentSurfaceTexture::Occluded
            | wgpu::CurrentSurfaceTexture::Validation => return Ok(Shown::NotNow),
        };
        let view = texture
            .texture
            .create_view(&wgpu::TextureViewDescriptor::default());
        let size = [self.configuration.width, self.configuration.height];
        self.renderer
            .draw(&self.gpu, frame, &Target { view: &view, size })?;
        self.window.pre_present_notify();
        self.gpu.queue.present(texture);
        Ok(Shown::Yes)
    }

    fn configure(&mut self, presentation: Presentation) {
        let most = self.gpu.device.limits().max_texture_dimension_2d;
        let size = self.window.inner_size();
        let present_mode = match presentation {
            Presentation::Synchronised => wgpu::PresentMode::AutoVsync,
            Presentation::Immediate => wgpu::PresentMode::AutoNoVsync,
        };
        let (width, height) = (size.width.clamp(1, most), size.height.clamp(1, most));
        let now = &mut self.configuration;
        if (now.width, now.height, now.present_mode) != (width, height, present_mode) {
            (now.width, now.height, now.present_mode) = (width, height, present_mode);
            self.surface.configure(&self.gpu.device, now);
        }
    }
}

/// Prefers a format without sRGB conversion, because egui and tone mapping write sRGB values
/// themselves.
fn plain_format(
    formats: &[wgpu::TextureFormat],
    instead: wgpu::TextureFormat,
) -> wgpu::TextureFormat {
    let plain = |format: &&wgpu::TextureFormat| {
        matches!(
            format,
            wgpu::TextureFormat::Bgra8Unorm | wgpu::TextureFormat::Rgba8Unorm
        )
    };
    formats.iter().find(plain).copied().unwrap_or(instead)
}
