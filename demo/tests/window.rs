//! The sandbox in a real window, on a virtual screen, played by a virtual mouse and keyboard: it
//! starts, shows a picture, obeys, saves the carved land and ends by itself.

#![allow(clippy::unwrap_used)]

mod screen;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

use screen::{PATIENCE, PAUSE, Picture, Process, Screen};

/// Seconds that messages stay on the screen, and a little more.
const MESSAGES: Duration = Duration::from_secs(8);
/// Settings for cheap pictures, whose look is not tested.
const SETTINGS: &str =
    "[graphics]\nshadows = \"off\"\nmultisampling = false\nvertical_sync = false\n";

/// The sandbox with a home of its own.
struct Sandbox {
    home: PathBuf,
    screen: Screen,
    process: Process,
}

impl Sandbox {
    /// Opens the sandbox in a new home of its own.
    fn open(name: &str) -> Self {
        let home = new_home(name);
        Sandbox::play(home, "play --seed 1 --view 48 --crowd 4 --world", &[])
    }

    /// Opens the sandbox in a new home, drawn by GL.
    fn open_on_gl() -> Self {
        let home = new_home("window_gl");
        let arguments = "play --seed 1 --view 48 --crowd 0 --world";
        Sandbox::play(home, arguments, &[("WGPU_BACKEND", "gl")])
    }

    /// Opens the sandbox again, in the world that was played before.
    fn again(home: PathBuf) -> Self {
        Sandbox::play(home, "play --view 48 --crowd 4 --world", &[])
    }

    fn play(home: PathBuf, arguments: &str, environment: &[(&str, &str)]) -> Self {
        let screen = Screen::open([640, 400]);
        let process = demo(&home)
            .args(arguments.split(' '))
            .arg(world(&home))
            .env("DISPLAY", &screen.display)
            .env_remove("WAYLAND_DISPLAY")
            .envs(environment.iter().copied())
            .stderr(fs::File::create(home.join("errors")).unwrap())
            .spawn()
            .unwrap();
        let mut sandbox = Sandbox {
            home,
            screen,
            process: Process(process),
        };
        sandbox.make_ready();
        sandbox
    }

    /// Waits for the window, makes it small and gives it the keyboard.
    fn make_ready(&mut self) {
        let search = "search --name sandbox";
        let found = self.wait("the window", |sandbox| {
            let windows = sandbox.screen.tool(search);
            windows.lines().next().map(str::to_owned)
        });
        self.screen.tool(&format!("windowsize {found} 640 400"));
        self.screen.tool(&format!("windowfocus --sync {found}"));
        self.screen.tool("mousemove 320 200");
    }

    fn errors(&self) -> String {
        fs::read_to_string(self.home.join("errors")).unwrap_or_default()
    }

    /// Calls `look` until it returns a value.
    fn wait<T>(&mut self, what: &str, mut look: impl FnMut(&mut Self) -> Option<T>) -> T {
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

    /// Takes a screenshot and reads it once it is complete. Earlier keys have taken effect by then.
    fn screenshot(&mut self) -> Picture {
        let before = pictures(&self.home.join("data")).len();
        self.screen.tool("key F2");
        self.wait("a screenshot", |sandbox| {
            let mut found = pictures(&sandbox.home.join("data"));
            found.sort();
            (found.len() > before)
                .then(|| Picture::read(found.last()?))
                .flatten()
        })
    }

    /// Returns the picture on the virtual screen.
    fn seen(&self) -> Picture {
        self.screen.seen(&self.home.join("seen.png"))
    }

    /// Returns the pixels about the crosshair after the preview of the next stroke has followed.
    fn settled(&mut self) -> Picture {
        self.screenshot();
        self.screenshot().middle()
    }

    /// Returns the pixels about the crosshair without messages, which may lie over it.
    fn at_rest(&mut self) -> Picture {
        sleep(MESSAGES);
        self.settled()
    }

    fn end(mut self) -> ExitStatus {
        self.screen.tool("key ctrl+q");
        let status = self.wait("the end", |sandbox| sandbox.process.0.try_wait().unwrap());
        assert!(!self.errors().contains("panicked"), "{}", self.errors());
        status
    }
}

fn new_home(name: &str) -> PathBuf {
    let home = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&home);
    let config = home.join("config/voxel-sandbox");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("settings.toml"), SETTINGS).unwrap();
    home
}

fn demo(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_demo"));
    command
        .env("HOME", home)
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("XDG_DATA_HOME", home.join("data"));
    command
}

fn world(home: &Path) -> PathBuf {
    home.join("played.voxels")
}

/// Number of screenshots in which an opened panel must be seen.
const LOOKS: usize = 3;

/// Returns the PNG files in a folder and below it.
fn pictures(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    entries
        .flatten()
        .flat_map(|entry| {
            let path = entry.path();
            if path.is_dir() {
                pictures(&path)
            } else if path.extension().is_some_and(|kind| kind == "png") {
                vec![path]
            } else {
                Vec::new()
            }
        })
        .collect()
}

/// Returns the number before `word` in the output of `demo world info`.
fn count(info: &str, word: &str) -> u32 {
    let words: Vec<&str> = info.split_whitespace().collect();
    let at = words.iter().position(|w| w.starts_with(word)).unwrap();
    words[at - 1].parse().unwrap()
}

#[test]
fn a_window_opens_obeys_saves_and_closes() {
    let mut sandbox = Sandbox::open("window");
    let first = sandbox.screenshot();
    assert!(first.colours() > 20, "{} colours", first.colours());

    // The first click takes the pointer. Then look down, and fly and walk a little.
    sandbox.screen.tool("click 1");
    for _ in 0..12 {
        sandbox.screen.tool("mousemove_relative -- 0 60");
    }
    sandbox.screen.tool("keydown w");
    sandbox.screenshot();
    sandbox.screen.tool("key f");
    sandbox.screenshot();
    sandbox.screen.tool("keyup w");
    let moved = sandbox.screenshot();
    assert!(moved != first, "nothing moved");

    // Carves a hole and undoes it: the land is as generated.
    sandbox.screen.tool("key p");
    let whole = sandbox.settled();
    sandbox.screen.tool("click 1");
    let carved = sandbox.settled();
    let hole = whole.difference(&carved);
    assert!(hole > 0.02, "no hole is to be seen: {hole}");
    sandbox.screen.tool("key u");
    let left = whole.difference(&sandbox.settled());
    assert!(left < hole / 2.0, "{left} is still seen of {hole}");
    let home = sandbox.home.clone();
    assert_eq!(sandbox.end().code(), Some(0));
    let info = info(&home);
    assert_eq!(count(&info, "edited"), 0, "undo left something: {info}");
    assert!(count(&info, "strokes") > 0, "no stroke was kept: {info}");

    // Carves it again in the next session, and opens and closes every panel.
    let mut sandbox = Sandbox::again(home.clone());
    sandbox.screen.tool("key p");
    sandbox.screenshot();
    for key in ["F1", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10"] {
        let without = sandbox.screenshot();
        sandbox.screen.tool(&format!("key {key}"));
        // A new panel measures itself for a frame before it is seen.
        let shares = (0..LOOKS).map(|_| without.difference(&sandbox.screenshot()));
        let opened = shares.fold(0.0, f32::max);
        assert!(opened > 0.01, "{key} changed {opened} of the picture");
        sandbox.screen.tool(&format!("key {key}"));
    }
    sandbox.screen.tool("key y");
    sandbox.screenshot();
    assert_eq!(sandbox.end().code(), Some(0));
    let info = self::info(&home);
    assert!(count(&info, "edited") > 0, "redo made no hole: {info}");
}

/// The screen shows the drawn picture, the right way up.
#[test]
fn a_window_shows_what_gl_draws() {
    let mut sandbox = Sandbox::open_on_gl();
    sandbox.screenshot();
    let drawn = sandbox.screenshot();
    assert!(drawn.colours() > 20, "{} colours", drawn.colours());
    let seen = sandbox.seen();
    assert_eq!(
        (seen.width, seen.bytes.len()),
        (drawn.width, drawn.bytes.len())
    );
    let (upright, turned) = (
        seen.mean_difference(&drawn),
        seen.upside_down().mean_difference(&drawn),
    );
    assert!(
        upright < 0.05 && turned > 2.0 * upright,
        "the screen shows another picture: {upright} upright, {turned} upside down"
    );
    assert_eq!(sandbox.end().code(), Some(0));
}

/// The device is lost in the middle of play: a new one draws the same land, and the game goes on.
#[test]
fn a_window_outlives_its_graphics_device() {
    let mut sandbox = Sandbox::open("window_device");
    sandbox.screen.tool("click 1");
    sandbox.screen.tool("key p");
    let before = sandbox.at_rest();
    for losses in 1..=2 {
        sandbox.screen.tool("key ctrl+F11");
        sandbox.wait("a new device", |sandbox| {
            let told = sandbox.errors().matches("was lost and is back").count();
            (told == losses).then_some(())
        });
        let difference = before.difference(&sandbox.at_rest());
        assert!(difference < 0.01, "{difference} of the picture is other");
    }
    sandbox.screen.tool("click 1");
    let hole = before.difference(&sandbox.settled());
    assert!(hole > 0.02, "no hole is to be seen: {hole}");
    assert_eq!(sandbox.end().code(), Some(0));
}

/// Returns the output of `demo world info` for the played world.
fn info(home: &Path) -> String {
    let output = demo(home)
        .args(["world", "info"])
        .arg(world(home))
        .output()
        .unwrap();
    let info = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{info}");
    info
}
