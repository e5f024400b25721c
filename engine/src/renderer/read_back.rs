//! Copies textures into memory.

use crate::{Gpu, GpuError, Image};

/// Makes a texture that a picture can be drawn into and read from.
pub(crate) fn readable_texture(
    gpu: &Gpu,
    size: [u32; 2],
    format: wgpu::TextureFormat,
) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("capture"),
        size: wgpu::Extent3d {
            width: size[0],
            height: size[1],
            depth_or_array_layers: 1,
        },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    })
}

/// Copies a texture of four bytes per pixel into memory, waiting for it.
pub(crate) fn read_back(gpu: &Gpu, texture: &wgpu::Texture) -> Result<Image, GpuError> {
    let failed = |reason: String| GpuError::ReadBack { reason };
    let [width, height] = [texture.width(), texture.height()];
    let row = width * 4;
    let padded = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("read back"),
        size: u64::from(padded) * u64::from(height),
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = gpu
        .device
        .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let layout = wgpu::TexelCopyBufferLayout {
        offset: 0,
        bytes_per_row: Some(padded),
        rows_per_image: None,
    };
    encoder.copy_texture_to_buffer(
        texture.as_image_copy(),
        wgpu::TexelCopyBufferInfo {
            buffer: &buffer,
            layout,
        },
        texture.size(),
    );
    gpu.queue.submit([encoder.finish()]);
    let (sender, receiver) = std::sync::mpsc::channel();
    buffer.map_async(wgpu::MapMode::Read, .., move |result| {
        // The receiver waits below, and is gone only if waiting failed.
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
    let mut pixels = Vec::with_capacity(row as usize * height as usize);
    for line in mapped.chunks_exact(padded as usize) {
        pixels.extend_from_slice(&line[..row as usize]);
    }
    normalise(&mut pixels, texture.format());
    Ok(Image {
        width,
        height,
        pixels,
    })
}

/// Sets alpha to opaque and orders the channels red, green, blue.
fn normalise(pixels: &mut [u8], format: wgpu::TextureFormat) {
    let swapped = matches!(
        format,
        wgpu::TextureFormat::Bgra8Unorm | wgpu::TextureFormat::Bgra8UnormSrgb
    );
    for pixel in pixels.chunks_exact_mut(4) {
        pixel[3] = 255;
        if swapped {
            pixel.swap(0, 2);
        }
    }
}
