//! Draws frames. All of a frame is [`Renderer::record`], which lists its passes in order; a pass and its `.wgsl` file bear the same name.

use std::time::Instant;

use crate::{Frame, Gpu, GpuError, Image, Statistics};

/// What pictures need from one to the next: uploaded bricks, pipelines and targets.
pub struct Renderer {
    statistics: Statistics,
    ui: egui_wgpu::Renderer,
    output_format: wgpu::TextureFormat,
}

/// Where a picture goes.
pub(crate) struct Target<'a> {
    pub(crate) view: &'a wgpu::TextureView,
    pub(crate) size: [u32; 2],
}

/// Pictures in memory: egui wants to blend in sRGB itself.
pub(crate) const IMAGE_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

impl Renderer {
    /// A renderer for pictures in memory.
    #[must_use]
    pub fn offscreen(gpu: &Gpu) -> Self {
        Self::new(gpu, IMAGE_FORMAT)
    }

    pub(crate) fn new(gpu: &Gpu, output_format: wgpu::TextureFormat) -> Self {
        Self {
            statistics: Statistics::default(),
            ui: egui_wgpu::Renderer::new(
                &gpu.device,
                output_format,
                egui_wgpu::RendererOptions::default(),
            ),
            output_format,
        }
    }

    /// What the last picture cost.
    #[must_use]
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Draws a frame into memory and waits for it.
    pub fn capture(
        &mut self,
        gpu: &Gpu,
        frame: &Frame<'_>,
        size: [u32; 2],
    ) -> Result<Image, GpuError> {
        let size = size.map(|side| side.clamp(1, gpu.device.limits().max_texture_dimension_2d));
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("capture"),
            size: wgpu::Extent3d {
                width: size[0],
                height: size[1],
                depth_or_array_layers: 1,
            },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: self.output_format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        self.draw(gpu, frame, &Target { view: &view, size })?;
        read_back(gpu, &texture, size)
    }

    /// Draws a frame into a texture of this renderer and submits it without waiting: what a window does, without the window.
    pub fn draw_offscreen(
        &mut self,
        gpu: &Gpu,
        frame: &Frame<'_>,
        size: [u32; 2],
    ) -> Result<(), GpuError> {
        self.capture(gpu, frame, size).map(|_| ())
    }

    pub(crate) fn draw(
        &mut self,
        gpu: &Gpu,
        frame: &Frame<'_>,
        target: &Target<'_>,
    ) -> Result<(), GpuError> {
        if gpu.is_lost() {
            return Err(GpuError::Lost {
                reason: "before this picture".into(),
            });
        }
        let start = Instant::now();
        let mut encoder = gpu
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor {
                label: Some("frame"),
            });
        self.record(gpu, frame, target, &mut encoder);
        gpu.queue.submit([encoder.finish()]);
        self.statistics.total_milliseconds = start.elapsed().as_secs_f32() * 1e3;
        Ok(())
    }

    fn record(
        &mut self,
        gpu: &Gpu,
        frame: &Frame<'_>,
        target: &Target<'_>,
        encoder: &mut wgpu::CommandEncoder,
    ) {
        clear(encoder, target);
        if let Some(ui) = &frame.ui {
            self.record_ui(gpu, ui, target, encoder);
        }
    }

    /// Takes over changed panel textures, also for a picture that is not drawn.
    pub(crate) fn update_ui_textures(&mut self, gpu: &Gpu, textures: &egui::TexturesDelta) {
        for (id, deltas) in &textures.set {
            for delta in deltas {
                self.ui.update_texture(&gpu.device, &gpu.queue, *id, delta);
            }
        }
    }

    fn record_ui(
        &mut self,
        gpu: &Gpu,
        ui: &crate::Ui<'_>,
        target: &Target<'_>,
        encoder: &mut wgpu::CommandEncoder,
    ) {
        let screen = egui_wgpu::ScreenDescriptor {
            size_in_pixels: target.size,
            pixels_per_point: ui.pixels_per_point,
        };
        self.update_ui_textures(gpu, ui.textures);
        let extra =
            self.ui
                .update_buffers(&gpu.device, &gpu.queue, encoder, ui.primitives, &screen);
        gpu.queue.submit(extra);
        let mut pass = encoder
            .begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("ui"),
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: target.view,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Load,
                        store: wgpu::StoreOp::Store,
                    },
                })],
                ..Default::default()
            })
            .forget_lifetime();
        self.ui.render(&mut pass, ui.primitives, &screen);
        drop(pass);
        for id in &ui.textures.free {
            self.ui.free_texture(id);
        }
    }
}

fn clear(encoder: &mut wgpu::CommandEncoder, target: &Target<'_>) {
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("sky"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: target.view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color {
                    r: 0.55,
                    g: 0.72,
                    b: 0.9,
                    a: 1.0,
                }),
                store: wgpu::StoreOp::Store,
            },
        })],
        ..Default::default()
    });
}

/// Copies a texture into memory.
fn read_back(gpu: &Gpu, texture: &wgpu::Texture, size: [u32; 2]) -> Result<Image, GpuError> {
    let failed = |reason: String| GpuError::ReadBack { reason };
    let row = size[0] * 4;
    let padded = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("read back"),
        size: u64::from(padded) * u64::from(size[1]),
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = gpu
        .device
        .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_texture_to_buffer(
        texture.as_image_copy(),
        wgpu::TexelCopyBufferInfo {
            buffer: &buffer,
            layout: wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(padded),
                rows_per_image: None,
            },
        },
        texture.size(),
    );
    gpu.queue.submit([encoder.finish()]);
    let (sender, receiver) = std::sync::mpsc::channel();
    buffer.map_async(wgpu::MapMode::Read, .., move |result| {
        let _ = sender.send(result);
    });
    gpu.wait()?;
    match receiver.try_recv() {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return Err(failed(error.to_string())),
        Err(error) => return Err(failed(error.to_string())),
    }
    let mapped = buffer
        .get_mapped_range(..)
        .map_err(|error| failed(error.to_string()))?;
    let mut pixels = Vec::with_capacity(row as usize * size[1] as usize);
    for line in mapped.chunks_exact(padded as usize) {
        pixels.extend_from_slice(&line[..row as usize]);
    }
    for pixel in pixels.chunks_exact_mut(4) {
        pixel[3] = 255;
        if texture.format() == wgpu::TextureFormat::Bgra8Unorm {
            pixel.swap(0, 2);
        }
    }
    Ok(Image {
        width: size[0],
        height: size[1],
        pixels,
    })
}
