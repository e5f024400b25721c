//! A virtual screen with a virtual mouse and keyboard, the sandbox on it, and the pictures there.

#![allow(dead_code)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The longest wait for anything; a software driver on a busy machine is slow.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// Time between two checks.
pub(crate) const PAUSE: Duration = Duration::from_millis(100);
const MISSING: &str = "is missing: `cargo verify` says how to install it";

/// A process that ends with the test.
pub(crate) struct Process(pub(crate) Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A virtual screen of its own.
pub(crate) struct Screen {
    pub(crate) display: String,
    _server: Process,
}

impl Screen {
    /// Opens a screen of some width and height.
    pub(crate) fn open(size: [u32; 2]) -> Self {
        let [width, height] = size;
        // Without `-noreset` it restarts after its last client leaves, and refuses clients
        // meanwhile.
        let mut server = Command::new("Xvfb")
            .args("-displayfd 1 -noreset -nolisten tcp -screen 0".split(' '))
            .arg(format!("{width}x{height}x24"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("Xvfb {MISSING} ({error})"));
        let mut number = String::new();
        let stdout = server.stdout.take().unwrap();
        let server = Process(server);
        BufReader::new(stdout).read_line(&mut number).unwrap();
        assert!(!number.trim().is_empty(), "Xvfb found no free display");
        Screen {
            display: format!(":{}", number.trim()),
            _server: server,
        }
    }

    /// Returns the output of `xdotool`; empty when it found nothing.
    pub(crate) fn tool(&self, words: &str) -> String {
        let output = Command::new("xdotool")
            .args(words.split(' '))
            .env("DISPLAY", &self.display)
            .output()
            .unwrap_or_else(|error| panic!("xdotool {MISSING} ({error})"));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Returns the picture on the screen, written to a file on the way.
    pub(crate) fn seen(&self, file: &Path) -> Picture {
        let status = Command::new("import")
            .args(["-window", "root"])
            .arg(format!("PNG32:{}", file.display()))
            .env("DISPLAY", &self.display)
            .status()
            .unwrap_or_else(|error| panic!("import {MISSING} ({error})"));
        assert!(status.success(), "{status}");
        Picture::read(file).unwrap()
    }
}

/// Returns the program with a home of its own.
pub(crate) fn demo(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_demo"));
    command
        .env("HOME", home)
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("XDG_DATA_HOME", home.join("data"))
        .env("LC_ALL", "C")
        .env_remove("WAYLAND_DISPLAY");
    command
}

/// The sandbox on its screen, with a home of its own.
pub(crate) struct Sandbox {
    pub(crate) home: PathBuf,
    pub(crate) screen: Screen,
    pub(crate) process: Process,
}

impl Sandbox {
    pub(crate) fn errors(&self) -> String {
        fs::read_to_string(self.home.join("errors")).unwrap_or_default()
    }

    /// Returns the picture on the screen.
    pub(crate) fn seen(&self) -> Picture {
        self.screen.seen(&self.home.join("seen.png"))
    }

    /// Calls `look` until it returns a value.
    pub(crate) fn wait<T>(
        &mut self,
        what: &str,
        mut look: impl FnMut(&mut Self) -> Option<T>,
    ) -> T {
        let begin = Instant::now();
        loop {
            if let Some(answer) = look(self) {
                return answer;
            }
            let ended = self.process.0.try_wait().unwrap();
            let errors = self.errors();
            assert!(ended.is_none(), "{what}: it ended, {ended:?}: {errors}");
            assert!(begin.elapsed() < PATIENCE, "{what}: not in time: {errors}");
            sleep(PAUSE);
        }
    }

    pub(crate) fn wait_for_end(&mut self) -> ExitStatus {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.process.0.try_wait().unwrap() {
                return status;
            }
            assert!(begin.elapsed() < PATIENCE, "no end: {}", self.errors());
            sleep(PAUSE);
        }
    }
}

/// The pixels of a screenshot.
#[derive(PartialEq)]
pub(crate) struct Picture {
    pub(crate) width: usize,
    pub(crate) bytes: Vec<u8>,
}

impl Picture {
    /// Reads a picture; `None` while it is not complete.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let file = BufReader::new(fs::File::open(path).ok()?);
        let mut reader = png::Decoder::new(file).read_info().ok()?;
        let mut bytes = vec![0; reader.output_buffer_size()?];
        let frame = reader.next_frame(&mut bytes).ok()?;
        Some(Picture {
            width: frame.width as usize,
            bytes,
        })
    }

    /// Returns the share of the pixels that differ.
    pub(crate) fn difference(&self, other: &Self) -> f32 {
        let pixels = self.bytes.chunks(4).zip(other.bytes.chunks(4));
        let differing = pixels.filter(|(a, b)| a != b).count();
        differing as f32 / (self.bytes.len() / 4) as f32
    }

    /// Returns the mean difference of all bytes, 0 to 1.
    pub(crate) fn mean_difference(&self, other: &Self) -> f32 {
        let bytes = self.bytes.iter().zip(&other.bytes);
        let sum: u64 = bytes.map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
        sum as f32 / (255.0 * self.bytes.len() as f32)
    }

    /// Returns its rows from the last to the first.
    pub(crate) fn upside_down(&self) -> Self {
        let rows = self.bytes.chunks(self.width * 4).rev();
        Picture {
            width: self.width,
            bytes: rows.flatten().copied().collect(),
        }
    }

    /// Returns the pixels about the crosshair, clear of panels and messages.
    pub(crate) fn middle(&self) -> Self {
        let height = self.bytes.len() / 4 / self.width;
        let across = self.width * 3 / 8..self.width * 5 / 8;
        let rows = (height * 15 / 32..height * 5 / 8).flat_map(|y| {
            let row = y * self.width;
            &self.bytes[(row + across.start) * 4..(row + across.end) * 4]
        });
        Picture {
            width: across.len(),
            bytes: rows.copied().collect(),
        }
    }

    /// Returns the share of dark pixels in a rectangle: panels are dark, land by day is not.
    pub(crate) fn darkness(&self, low: [usize; 2], high: [usize; 2]) -> f32 {
        let rows = (low[1]..high[1]).flat_map(|y| {
            let row = y * self.width;
            self.bytes[(row + low[0]) * 4..(row + high[0]) * 4].chunks(4)
        });
        let is_dark = |pixel: &&[u8]| pixel[..3].iter().all(|&part| part < 72);
        let (dark, all) = (rows.clone().filter(is_dark).count(), rows.count());
        dark as f32 / all.max(1) as f32
    }

    /// Returns the pixels of a square about a place.
    pub(crate) fn about(&self, at: [usize; 2], half: usize) -> Self {
        let rows = (at[1] - half..at[1] + half).flat_map(|y| {
            let row = y * self.width;
            &self.bytes[(row + at[0] - half) * 4..(row + at[0] + half) * 4]
        });
        Picture {
            width: 2 * half,
            bytes: rows.copied().collect(),
        }
    }

    pub(crate) fn colours(&self) -> usize {
        let colours: std::collections::HashSet<&[u8]> = self.bytes.chunks(4).collect();
        colours.len()
    }
}
