//! In debug builds: replaces pipelines while the program runs when a shader file changes. A file
//! with an error changes nothing and is reported once. The last valid text is kept: pipelines for
//! another size or device use it too.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use shaders::Pass;

use super::Sized;
use super::pipelines::{Layouts, Pipelines};
use crate::Gpu;

/// Interval between looks at the files.
const INTERVAL: Duration = Duration::from_millis(400);

/// Watches the shader files on the machine that built this program; elsewhere, and in release
/// builds, it does nothing.
pub(crate) struct Reload {
    folder: Option<PathBuf>,
    seen: Option<SystemTime>,
    looked: Instant,
    /// The last valid text; `None` means the built-in one.
    texts: Option<Texts>,
}

/// The whole text of every pass.
type Texts = Vec<(Pass, String)>;

impl Reload {
    pub(crate) fn new() -> Self {
        let folder = shaders::source_folder();
        let watch = cfg!(debug_assertions) && folder.join("passes").is_dir();
        Self {
            folder: watch.then(|| folder.to_owned()),
            seen: watch.then(|| newest(folder)).flatten(),
            looked: Instant::now(),
            texts: None,
        }
    }

    /// Makes the pipelines of the last valid text, or of the built-in one.
    pub(super) fn pipelines(
        &self,
        gpu: &Gpu,
        output: wgpu::TextureFormat,
        layouts: &Layouts,
        samples: u32,
    ) -> Pipelines {
        let read = self.texts.as_ref().and_then(|texts| {
            build(gpu, output, layouts, samples, texts)
                .map_err(|message| report(gpu, &message))
                .ok()
        });
        read.unwrap_or_else(|| Pipelines::new(gpu, layouts, samples, output, &|pass| pass.text()))
    }

    /// Looks for changed files now and then, and makes their pipelines.
    pub(super) fn poll(
        &mut self,
        gpu: &Gpu,
        output: wgpu::TextureFormat,
        sized: &Sized,
    ) -> Option<Pipelines> {
        let folder = self.folder.as_ref()?;
        if self.looked.elapsed() < INTERVAL {
            return None;
        }
        self.looked = Instant::now();
        let newest = newest(folder);
        if newest <= self.seen {
            return None;
        }
        self.seen = newest;
        let samples = sized.targets.key.samples;
        let rebuilt = read(folder).and_then(|texts| {
            let pipelines = build(gpu, output, &sized.layouts, samples, &texts)?;
            self.texts = Some(texts);
            Ok(pipelines)
        });
        rebuilt.map_err(|message| report(gpu, &message)).ok()
    }
}

fn report(gpu: &Gpu, message: &str) {
    gpu.report(format!("the shaders were not reloaded: {message}"));
}

fn read(folder: &Path) -> Result<Texts, String> {
    let text = |pass: Pass| match pass.read(folder) {
        Ok(text) => Ok((pass, text)),
        Err(error) => Err(error.to_string()),
    };
    Pass::ALL.into_iter().map(text).collect()
}

fn build(
    gpu: &Gpu,
    output: wgpu::TextureFormat,
    layouts: &Layouts,
    samples: u32,
    texts: &[(Pass, String)],
) -> Result<Pipelines, String> {
    let text_of = |pass: Pass| {
        let known = texts.iter().find(|(known, _)| *known == pass);
        known.map(|(_, text)| text.clone()).unwrap_or_default()
    };
    let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::Validation);
    let pipelines = Pipelines::new(gpu, layouts, samples, output, &text_of);
    match pollster::block_on(scope.pop()) {
        None => Ok(pipelines),
        Some(error) => Err(error.to_string()),
    }
}

/// Returns the time of the last change of a shader file.
fn newest(folder: &Path) -> Option<SystemTime> {
    let files = ["passes", "parts"]
        .into_iter()
        .filter_map(|part| std::fs::read_dir(folder.join(part)).ok());
    files
        .flatten()
        .flatten()
        .filter_map(|file| file.metadata().and_then(|data| data.modified()).ok())
        .max()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Antialiasing, Camera, Frame, GpuOptions, GraphicsSettings, Renderer};

    /// A copy of the shader files, deleted at the end of its test.
    struct Files(PathBuf);

    impl Files {
        fn new(name: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
            for part in ["passes", "parts"] {
                std::fs::create_dir_all(folder.join(part)).unwrap();
                for file in std::fs::read_dir(shaders::source_folder().join(part)).unwrap() {
                    let file = file.unwrap();
                    let to = folder.join(part).join(file.file_name());
                    std::fs::copy(file.path(), to).unwrap();
                }
            }
            Files(folder)
        }

        /// Makes all later pictures blue.
        fn paint(&self) {
            let path = self.0.join("passes/tone.wgsl");
            let text = std::fs::read_to_string(&path).unwrap();
            let end =
                "return vec4<f32>(to_srgb(finished(in)) + grain(in.position.xy) / 255.0, 1.0);";
            assert!(text.contains(end));
            let blue = "return vec4<f32>(0.0, 0.0, 1.0 + 0.0 * finished(in).x, 1.0);";
            std::fs::write(&path, text.replace(end, blue)).unwrap();
        }
    }

    impl Drop for Files {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn frame(antialiasing: Antialiasing) -> Frame<'static> {
        let camera = Camera::new(collision::Position::default(), 0.0, 0.0);
        let settings = GraphicsSettings {
            antialiasing,
            ..GraphicsSettings::default()
        };
        Frame::new(camera, settings)
    }

    fn is_blue(renderer: &mut Renderer, gpu: &Gpu, antialiasing: Antialiasing) -> bool {
        let image = renderer.capture(gpu, &frame(antialiasing), [8, 8]).unwrap();
        image.pixel(4, 4) == [0, 0, 255, 255]
    }

    /// Returns a renderer that has read the blue shader from files that no longer exist.
    fn painted(gpu: &Gpu, name: &str) -> Renderer {
        let files = Files::new(name);
        let mut renderer = Renderer::offscreen(gpu);
        assert!(!is_blue(&mut renderer, gpu, Antialiasing::Off));
        files.paint();
        renderer.reload.folder = Some(files.0.clone());
        renderer.reload.seen = None;
        renderer.reload.looked -= INTERVAL;
        assert!(is_blue(&mut renderer, gpu, Antialiasing::Off));
        renderer
    }

    #[test]
    fn files_that_were_read_stay_with_another_number_of_samples() {
        let gpu = Gpu::offscreen(GpuOptions::Reference).unwrap();
        let mut renderer = painted(&gpu, "shaders-samples");
        assert!(is_blue(&mut renderer, &gpu, Antialiasing::Msaa4));
        assert!(is_blue(&mut renderer, &gpu, Antialiasing::Off));
    }

    #[test]
    fn files_that_were_read_stay_on_a_new_device() {
        let gpu = Gpu::offscreen(GpuOptions::Reference).unwrap();
        let renderer = painted(&gpu, "shaders-device");
        gpu.lose();
        let output = renderer.output;
        let gpu = Gpu::offscreen(GpuOptions::Reference).unwrap();
        let mut renderer = Renderer::new(&gpu, output, renderer.into_reload());
        assert!(is_blue(&mut renderer, &gpu, Antialiasing::Off));
        assert!(is_blue(&mut renderer, &gpu, Antialiasing::Msaa4));
    }
}
