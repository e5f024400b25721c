//! In debug builds: when a shader file changes, its pipelines are made anew while the program runs. A file with a mistake changes nothing
//! and is reported once.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use shaders::Pass;

use super::Sized;
use super::pipelines::Pipelines;
use crate::Gpu;

/// Pause between looks at the files.
const INTERVAL: Duration = Duration::from_millis(400);

/// Watches the shader files where they lie on the machine that built this; elsewhere, and in release builds, it does nothing.
pub(crate) struct Reload {
    folder: Option<PathBuf>,
    seen: Option<SystemTime>,
    looked: Instant,
    /// Whether what is in the files is not what was built in.
    differs: bool,
}

impl Reload {
    pub(crate) fn new() -> Self {
        let folder = shaders::source_folder();
        let watch = cfg!(debug_assertions) && folder.join("passes").is_dir();
        Self {
            folder: watch.then(|| folder.to_owned()),
            seen: watch.then(|| newest(folder)).flatten(),
            looked: Instant::now(),
            differs: false,
        }
    }

    /// Pipelines were made of what was built in: changed files are to be read again.
    pub(super) fn forget(&mut self) {
        if self.differs {
            self.seen = None;
        }
    }

    /// The pipelines of changed files, now and then.
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
        self.differs = true;
        rebuild(gpu, output, sized, folder)
            .map_err(|message| gpu.report(format!("the shaders were not reloaded: {message}")))
            .ok()
    }
}

fn rebuild(
    gpu: &Gpu,
    output: wgpu::TextureFormat,
    sized: &Sized,
    folder: &Path,
) -> Result<Pipelines, String> {
    let mut texts = Vec::with_capacity(Pass::ALL.len());
    for pass in Pass::ALL {
        texts.push((pass, pass.read(folder).map_err(|error| error.to_string())?));
    }
    let text_of = |pass: Pass| {
        let known = texts.iter().find(|(known, _)| *known == pass);
        known.map(|(_, text)| text.clone()).unwrap_or_default()
    };
    let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::Validation);
    let pipelines = Pipelines::new(
        gpu,
        &sized.layouts,
        sized.targets.key.samples,
        output,
        &text_of,
    );
    match pollster::block_on(scope.pop()) {
        None => Ok(pipelines),
        Some(error) => Err(error.to_string()),
    }
}

/// When a shader file was last changed.
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
