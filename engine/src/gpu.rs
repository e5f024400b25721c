//! The GPU: adapter, device and their capabilities, with or without a surface. Every failure is a
//! typed error with advice.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// Reasons for having no usable GPU.
#[derive(Debug, thiserror::Error)]
pub enum GpuError {
    /// `WGPU_BACKEND` names an unknown graphics interface.
    #[error(
        "WGPU_BACKEND names `{named}`, which is no graphics interface. Unset it, or name some of \
         vulkan, metal, dx12 and gl, with commas between them"
    )]
    UnknownBackend {
        /// The unknown name.
        named: String,
    },
    /// No driver was found.
    #[error(
        "no graphics driver was found ({reason}). Install a Vulkan driver; on Debian or Ubuntu a \
         software one is: apt install mesa-vulkan-drivers"
    )]
    NoAdapter {
        /// Error of wgpu.
        reason: String,
    },
    /// The driver refused to open a device.
    #[error("the graphics driver {adapter} refused to open a device: {reason}")]
    NoDevice {
        /// Name of the adapter.
        adapter: String,
        /// Error of wgpu.
        reason: String,
    },
    /// The adapter lacks a required feature.
    #[error(
        "the graphics driver {adapter} cannot draw this: it lacks {lacks}. Install a Vulkan \
         driver; on Debian or Ubuntu a software one is: apt install mesa-vulkan-drivers"
    )]
    Unfit {
        /// Name of the adapter.
        adapter: String,
        /// The missing feature.
        lacks: String,
    },
    /// The window cannot be drawn on.
    #[error("cannot draw in the window: {reason}")]
    NoSurface {
        /// Error of wgpu.
        reason: String,
    },
    /// The device was reset, unplugged or crashed; make a new [`Gpu`].
    #[error("the graphics device was lost: {reason}")]
    Lost {
        /// Error of wgpu.
        reason: String,
    },
    /// A picture was not ready, or could not be read back.
    #[error("the picture could not be read back: {reason}")]
    ReadBack {
        /// Error of wgpu.
        reason: String,
    },
}

/// The environment variable that restricts the choice of adapters.
const BACKEND_VARIABLE: &str = "WGPU_BACKEND";

/// The first instance without a window, which is never dropped; not an instance for GL alone.
static LOADED: OnceLock<wgpu::Instance> = OnceLock::new();

/// The environment variable that replaces the software driver by the machine's own.
const OWN_VARIABLE: &str = "TEST_ON_GPU";

/// The choice of an adapter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GpuOptions {
    /// The fastest adapter, restricted by the environment variable `WGPU_BACKEND`.
    #[default]
    Fastest,
    /// The Vulkan software driver, which draws the same pictures on every machine. If the
    /// environment variable `TEST_ON_GPU` is set, the fastest Vulkan adapter, so that the same
    /// tests run on real GPUs.
    Reference,
    /// Any GL driver, to compare its pictures with the others.
    Gl,
}

/// Optional capabilities of the adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Draw arguments may come from a buffer.
    pub indirect: bool,
    /// Passes can be timed.
    pub timestamps: bool,
    /// Largest storage binding, in bytes.
    pub storage_binding: u64,
    /// Pictures may have four samples per pixel, with their depth.
    pub multisampling: bool,
    /// A pass may read the depth that it tests against. GL cannot, nor can it read multisampled
    /// depth.
    pub depth_under_test: bool,
}

/// The kind of adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GpuKind {
    /// A graphics processor.
    Hardware,
    /// The CPU: some hundred times slower.
    Software,
}

/// An open device. When [`Gpu::is_lost`] becomes true, a new one must be made.
pub struct Gpu {
    pub(crate) adapter: wgpu::Adapter,
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    /// Optional capabilities.
    pub capabilities: Capabilities,
    instance: wgpu::Instance,
    name: String,
    faults: Arc<Faults>,
    written: AtomicU64,
}

/// Counts of live GPU objects, to detect leaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// Buffers.
    pub buffers: usize,
    /// Textures.
    pub textures: usize,
    /// Views of textures.
    pub texture_views: usize,
    /// Bind groups.
    pub bind_groups: usize,
    /// Pipelines.
    pub pipelines: usize,
}

#[derive(Default)]
struct Faults {
    lost: AtomicBool,
    messages: Mutex<Vec<String>>,
}

impl Faults {
    fn report(&self, message: String) {
        if let Ok(mut messages) = self.messages.lock()
            && messages.len() < 64
        {
            messages.push(message);
        }
    }
}

/// Format of the picture before tone mapping.
pub(crate) const PICTURE_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;
/// Storage buffers needed by one stage of a pass: the fragment stage of terrain has the most.
const STORAGE_BUFFERS: u32 = 4;
/// Format of the reversed depth.
pub(crate) const DEPTH_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

impl Gpu {
    /// Opens a device without a window.
    pub fn offscreen(options: GpuOptions) -> Result<Self, GpuError> {
        Self::open(&instance(options)?, options, None)
    }

    /// Opens a device that can draw on a surface of `instance`.
    pub(crate) fn open(
        instance: &wgpu::Instance,
        options: GpuOptions,
        surface: Option<&wgpu::Surface<'static>>,
    ) -> Result<Self, GpuError> {
        let adapter = choose_adapter(instance, options, surface)?;
        let name = describe(&adapter.get_info());
        let capabilities = capabilities_of(&adapter, &name)?;
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("engine"),
            required_features: wanted_features(&adapter),
            required_limits: wanted_limits(&adapter),
            ..Default::default()
        };
        let (device, queue) =
            pollster::block_on(adapter.request_device(&descriptor)).map_err(|error| {
                GpuError::NoDevice {
                    adapter: name.clone(),
                    reason: error.to_string(),
                }
            })?;
        let faults = watch(&device);
        Ok(Self {
            adapter,
            device,
            queue,
            capabilities,
            instance: instance.clone(),
            name,
            faults,
            written: AtomicU64::new(0),
        })
    }

    /// Returns the counts of live objects; `None` if wgpu does not count them.
    #[must_use]
    pub fn resources(&self) -> Option<Resources> {
        let report = self.instance.generate_report()?;
        let hub = report.hub_report();
        Some(Resources {
            buffers: hub.buffers.num_kept_from_user,
            textures: hub.textures.num_kept_from_user,
            texture_views: hub.texture_views.num_kept_from_user,
            bind_groups: hub.bind_groups.num_kept_from_user,
            pipelines: hub.render_pipelines.num_kept_from_user,
        })
    }

    /// Returns a description of the adapter.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether pictures are drawn by a GPU or by the CPU.
    #[must_use]
    pub fn kind(&self) -> GpuKind {
        match self.adapter.get_info().device_type {
            wgpu::DeviceType::Cpu => GpuKind::Software,
            _ => GpuKind::Hardware,
        }
    }

    /// Writes into a buffer before the commands that are submitted next.
    pub(crate) fn write_buffer(&self, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) {
        self.written
            .fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.queue.write_buffer(buffer, offset, bytes);
    }

    /// Writes into a texture before the commands that are submitted next.
    pub(crate) fn write_texture(
        &self,
        place: wgpu::TexelCopyTextureInfo<'_>,
        bytes: &[u8],
        layout: wgpu::TexelCopyBufferLayout,
        size: wgpu::Extent3d,
    ) {
        self.written
            .fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.queue.write_texture(place, bytes, layout, size);
    }

    /// Returns the bytes written so far.
    pub(crate) fn written_bytes(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Returns true if the device is lost.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.faults.lost.load(Ordering::Acquire)
    }

    /// Returns the validation errors and similar messages since the last call. A correct program
    /// has none.
    #[must_use]
    pub fn take_errors(&self) -> Vec<String> {
        self.faults
            .messages
            .lock()
            .map(|mut messages| std::mem::take(&mut *messages))
            .unwrap_or_default()
    }

    /// Adds a message for [`Self::take_errors`].
    pub(crate) fn report(&self, message: String) {
        self.faults.report(message);
    }

    /// Destroys the device like a crash of the driver, to test recovery.
    pub fn lose(&self) {
        self.device.destroy();
        self.faults.lost.store(true, Ordering::Release);
    }

    /// Waits until all submitted work is done.
    pub fn wait(&self) -> Result<(), GpuError> {
        match self.device.poll(wgpu::PollType::wait_indefinitely()) {
            Ok(_) => Ok(()),
            Err(error) => Err(GpuError::Lost {
                reason: error.to_string(),
            }),
        }
    }
}

/// Returns an instance without wgpu's validation of indirect draws, which needs compute passes; our
/// arguments are valid.
fn instance(options: GpuOptions) -> Result<wgpu::Instance, GpuError> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    adjust(&mut descriptor, options)?;
    let instance = wgpu::Instance::new(descriptor);
    // A live instance keeps the driver's libraries loaded, which halves the time to open the next
    // one. One GPU driver refused to be loaded again after about ninety times.
    if options != GpuOptions::Gl {
        LOADED.get_or_init(|| instance.clone());
    }
    Ok(instance)
}

/// Returns an instance with the display of an event loop, which GL needs.
pub(crate) fn instance_for(
    display: winit::event_loop::OwnedDisplayHandle,
) -> Result<wgpu::Instance, GpuError> {
    let mut descriptor = wgpu::InstanceDescriptor::new_with_display_handle(Box::new(display));
    adjust(&mut descriptor, GpuOptions::Fastest)?;
    Ok(wgpu::Instance::new(descriptor))
}

fn adjust(descriptor: &mut wgpu::InstanceDescriptor, options: GpuOptions) -> Result<(), GpuError> {
    descriptor.backends = match options {
        GpuOptions::Reference => wgpu::Backends::VULKAN,
        GpuOptions::Gl => wgpu::Backends::GL,
        GpuOptions::Fastest => match std::env::var_os(BACKEND_VARIABLE) {
            Some(names) => backends_named(&names.to_string_lossy())?,
            None => wgpu::Backends::all(),
        },
    };
    descriptor
        .flags
        .remove(wgpu::InstanceFlags::VALIDATION_INDIRECT_CALL);
    Ok(())
}

/// Parses a list of backends; all if it is empty.
fn backends_named(names: &str) -> Result<wgpu::Backends, GpuError> {
    if names.trim().is_empty() {
        return Ok(wgpu::Backends::all());
    }
    let mut backends = wgpu::Backends::empty();
    for name in names.split(',').filter(|name| !name.trim().is_empty()) {
        let backend = wgpu::Backends::from_comma_list(name);
        if backend.is_empty() {
            return Err(GpuError::UnknownBackend {
                named: name.trim().to_owned(),
            });
        }
        backends |= backend;
    }
    Ok(backends)
}

fn choose_adapter(
    instance: &wgpu::Instance,
    options: GpuOptions,
    surface: Option<&wgpu::Surface<'static>>,
) -> Result<wgpu::Adapter, GpuError> {
    let own = options == GpuOptions::Reference && wants_own();
    let request = wgpu::RequestAdapterOptions {
        power_preference: wgpu::PowerPreference::HighPerformance,
        force_fallback_adapter: options == GpuOptions::Reference && !own,
        compatible_surface: surface,
        ..Default::default()
    };
    let found = pollster::block_on(instance.request_adapter(&request));
    let adapter = found.map_err(|error| GpuError::NoAdapter {
        reason: match std::env::var(BACKEND_VARIABLE) {
            Ok(names) if options == GpuOptions::Fastest && !names.is_empty() => {
                format!("among those of {BACKEND_VARIABLE}={names}: {error}")
            }
            _ => error.to_string(),
        },
    })?;
    let info = adapter.get_info();
    if own && info.device_type == wgpu::DeviceType::Cpu {
        let name = info.name;
        let reason = format!("{OWN_VARIABLE} asks for a card, and there is only {name}");
        return Err(GpuError::NoAdapter { reason });
    }
    Ok(adapter)
}

/// Returns true if tests are to use the machine's GPU.
fn wants_own() -> bool {
    std::env::var_os(OWN_VARIABLE).is_some_and(|value| !value.is_empty() && value != "0")
}

fn describe(info: &wgpu::AdapterInfo) -> String {
    format!("{} ({:?}, {:?})", info.name, info.device_type, info.backend)
}

fn wanted_features(adapter: &wgpu::Adapter) -> wgpu::Features {
    adapter.features() & (wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::INDIRECT_FIRST_INSTANCE)
}

/// Requests exactly the limits that the adapter offers; sizes depend on them.
fn wanted_limits(adapter: &wgpu::Adapter) -> wgpu::Limits {
    adapter.limits()
}

fn capabilities_of(adapter: &wgpu::Adapter, name: &str) -> Result<Capabilities, GpuError> {
    let flags = adapter.get_downlevel_capabilities().flags;
    let features = adapter.features();
    let limits = adapter.limits();
    let unfit = |lacks: &str| GpuError::Unfit {
        adapter: name.to_owned(),
        lacks: lacks.to_owned(),
    };
    if !flags.contains(wgpu::DownlevelFlags::VERTEX_STORAGE) {
        return Err(unfit("storage buffers in vertex shaders"));
    }
    if let Some(version) = old_gl(&adapter.get_info()) {
        return Err(unfit(&format!(
            "OpenGL 4.3, asked for 3.3 it gave {version}"
        )));
    }
    if limits.max_storage_buffers_per_shader_stage < STORAGE_BUFFERS {
        return Err(unfit("enough storage buffers in a shader"));
    }
    let blendable = adapter.get_texture_format_features(PICTURE_FORMAT);
    if !blendable
        .allowed_usages
        .contains(wgpu::TextureUsages::RENDER_ATTACHMENT)
    {
        return Err(unfit("half-float render targets"));
    }
    let four = |format| {
        let flags = adapter.get_texture_format_features(format).flags;
        flags.sample_count_supported(4)
    };
    Ok(Capabilities {
        indirect: draws_indirectly(adapter.get_info().backend, flags, features),
        timestamps: features.contains(wgpu::Features::TIMESTAMP_QUERY),
        storage_binding: limits
            .max_storage_buffer_binding_size
            .min(limits.max_buffer_size),
        multisampling: four(PICTURE_FORMAT) && four(DEPTH_FORMAT),
        depth_under_test: flags.contains(wgpu::DownlevelFlags::READ_ONLY_DEPTH_STENCIL),
    })
}

/// Returns true if draws use an indirect buffer. On DX12 wgpu would need extra compute passes to
/// pass on first vertices and instances.
fn draws_indirectly(
    backend: wgpu::Backend,
    flags: wgpu::DownlevelFlags,
    features: wgpu::Features,
) -> bool {
    backend != wgpu::Backend::Dx12
        && flags.contains(wgpu::DownlevelFlags::INDIRECT_EXECUTION)
        && features.contains(wgpu::Features::INDIRECT_FIRST_INSTANCE)
}

/// Returns the version of desktop GL if its shaders lack storage buffers. wgpu asks for 3.3 and
/// assumes the buffers if they are an extension, but some drivers give no more than asked for.
fn old_gl(info: &wgpu::AdapterInfo) -> Option<&str> {
    let version = info.driver_info.as_str();
    (info.backend == wgpu::Backend::Gl && is_old_gl(version)).then_some(version)
}

/// Returns true if a GL version string is older than 4.3.
fn is_old_gl(version: &str) -> bool {
    let number = version.split([' ', '-']).next().unwrap_or_default();
    let mut parts = number.split('.').map(str::parse::<u32>);
    match (parts.next(), parts.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor) < (4, 3),
        // Versions of GL ES begin with words.
        _ => false,
    }
}

/// Turns wgpu errors, which would panic, into messages and a flag.
fn watch(device: &wgpu::Device) -> Arc<Faults> {
    let faults = Arc::new(Faults::default());
    let on_error = Arc::clone(&faults);
    device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
        on_error.report(error.to_string())
    }));
    let on_lost = Arc::clone(&faults);
    device.set_device_lost_callback(move |reason, message| {
        if reason != wgpu::DeviceLostReason::Destroyed {
            on_lost.report(format!("device lost: {message}"));
        }
        on_lost.lost.store(true, Ordering::Release);
    });
    faults
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Camera, Frame, GraphicsSettings, Renderer};

    /// Opens a device whose buffers are limited to `bytes`.
    fn with_short_buffers(bytes: u64) -> Gpu {
        let mut gpu = Gpu::offscreen(GpuOptions::Reference).unwrap();
        let descriptor = wgpu::DeviceDescriptor {
            required_features: wanted_features(&gpu.adapter),
            required_limits: wgpu::Limits {
                max_buffer_size: bytes,
                ..wanted_limits(&gpu.adapter)
            },
            ..Default::default()
        };
        (gpu.device, gpu.queue) =
            pollster::block_on(gpu.adapter.request_device(&descriptor)).unwrap();
        gpu.faults = watch(&gpu.device);
        gpu.capabilities.storage_binding = bytes;
        gpu
    }

    #[test]
    fn dx12_draws_directly() {
        let draws =
            |backend, features| draws_indirectly(backend, wgpu::DownlevelFlags::all(), features);
        assert!(draws(wgpu::Backend::Vulkan, wgpu::Features::all()));
        assert!(!draws(wgpu::Backend::Dx12, wgpu::Features::all()));
        assert!(!draws(wgpu::Backend::Vulkan, wgpu::Features::empty()));
    }

    #[test]
    fn desktop_gl_before_storage_buffers_is_known_by_its_version() {
        for old in ["3.3.0 NVIDIA 580.159.04", "3.3", "4.2 (Core Profile) Mesa"] {
            assert!(is_old_gl(old), "{old}");
        }
        for good in [
            "4.5 (Core Profile) Mesa 22.3.6",
            "4.6.0 NVIDIA 580.159.04",
            "4.3",
            "OpenGL ES 3.2 Mesa 22.3.6",
            "",
        ] {
            assert!(!is_old_gl(good), "{good}");
        }
    }

    #[test]
    fn a_picture_that_cannot_be_read_back_spoils_no_later_one() {
        let gpu = with_short_buffers(2 << 20);
        let mut renderer = Renderer::offscreen(&gpu);
        let camera = Camera::new(collision::Position::default(), 0.0, 0.0);
        let frame = Frame::new(camera, GraphicsSettings::default());
        renderer.capture(&gpu, &frame, [64, 40]).unwrap();
        let failed = renderer.capture(&gpu, &frame, [1, 16_384]).unwrap_err();
        assert!(matches!(failed, GpuError::ReadBack { .. }), "{failed}");
        let words = failed.to_string();
        assert!(words.contains("maximum buffer size"), "{words}");
        renderer.capture(&gpu, &frame, [64, 40]).unwrap();
    }
}
