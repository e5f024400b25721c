//! The sandbox in a real window, on a virtual screen, played by a virtual mouse and keyboard: it
//! starts, shows a picture, obeys, saves the carved land and ends by itself.

#![allow(clippy::unwrap_used)]

mod screen;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::thread::sleep;
use std::time::Duration;

use screen::{Picture, Process, Sandbox, Screen, demo};

/// Seconds that messages stay on the screen, and a little more.
const MESSAGES: Duration = Duration::from_secs(8);
/// Settings for cheap pictures, whose look is not tested.
const SETTINGS: &str = "[graphics]
shadows = \"off\"
multisampling = false
vertical_sync = false
day_passes = false
";

impl Sandbox {
    /// Opens the sandbox in a new home of its own.
    fn open(name: &str) -> Self {
        let home = new_home(name);
        let played = world(&home);
        Sandbox::open_world(home, &played)
    }

    fn open_world(home: PathBuf, world: &Path) -> Self {
        let arguments = "play --seed 1 --view 48 --crowd 4 --world";
        Sandbox::play(home, arguments, world, &[])
    }

    /// Opens the sandbox in a new home, drawn by GL.
    fn open_on_gl() -> Self {
        let home = new_home("window_gl");
        let arguments = "play --seed 1 --view 48 --crowd 0 --world";
        let played = world(&home);
        Sandbox::play(home, arguments, &played, &[("WGPU_BACKEND", "gl")])
    }

    /// Opens the sandbox again, in the world that was played before.
    fn again(home: PathBuf) -> Self {
        let played = world(&home);
        Sandbox::play(home, "play --view 48 --crowd 4 --world", &played, &[])
    }

    fn play(home: PathBuf, arguments: &str, world: &Path, environment: &[(&str, &str)]) -> Self {
        let screen = Screen::open([640, 400]);
        let process = demo(&home)
            .args(arguments.split(' '))
            .arg(world)
            .env("DISPLAY", &screen.display)
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
        let status = self.wait_for_end();
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

/// Checks that a world was saved in order, and not left as by a kill.
fn assert_closed(home: &Path, world: &Path) {
    let info = info_of(home, world);
    assert!(!info.contains("was killed"), "{info}");
}

#[test]
fn signals_to_end_close_the_window_in_order() {
    // A name without a folder means the same world for `play` and `world info`.
    let worlds = [("window_term", "-TERM"), ("window_int", "-INT")];
    for (name, signal) in worlds {
        let world = Path::new("named");
        let mut sandbox = Sandbox::open_world(new_home(name), world);
        sandbox.screen.tool("click 1");
        sandbox.screenshot();
        let home = sandbox.home.clone();
        let id = sandbox.process.0.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status().unwrap();
        assert!(sent.success());
        let status = sandbox.wait_for_end();
        assert_eq!(status.code(), Some(0), "{}", sandbox.errors());
        assert_closed(&home, world);
    }
}

/// Opens a window and lets another program act on it. Returns the status of the end and the errors.
fn act_from_outside(name: &str, tool: &str) -> (PathBuf, ExitStatus, String) {
    let mut sandbox = Sandbox::open(name);
    sandbox.screen.tool("click 1");
    sandbox.screenshot();
    let window = sandbox.screen.tool("search --name sandbox");
    sandbox.screen.tool(&format!("{tool} {window}"));
    let status = sandbox.wait_for_end();
    let errors = sandbox.errors();
    assert!(!errors.contains("panicked"), "{tool}: {errors}");
    (sandbox.home.clone(), status, errors)
}

#[test]
fn a_window_that_is_destroyed_from_outside_is_told_and_the_world_is_saved() {
    let (home, status, errors) = act_from_outside("window_destroyed", "windowclose");
    assert_eq!(status.code(), Some(4), "{errors}");
    assert!(errors.contains("the window is gone"), "{errors}");
    assert_closed(&home, &world(&home));
}

/// The library of the display ends the program at once, unless the window library is told first.
#[test]
fn a_connection_that_is_cut_is_told_and_costs_no_world() {
    let (home, status, errors) = act_from_outside("window_killed", "windowkill");
    let told: &[&str] = match status.code() {
        Some(1) => &["broken", "fatal IO error"],
        _ => &["the window is gone"],
    };
    let is_told = told.iter().any(|words| errors.contains(words));
    assert!(is_told, "{status}: {errors}");
    assert!(matches!(status.code(), Some(1 | 4)), "{status}: {errors}");
    assert!(info(&home).contains("seed"), "the world does not open");
}

/// Returns the output of `demo world info` for the played world.
fn info(home: &Path) -> String {
    info_of(home, &world(home))
}

fn info_of(home: &Path, world: &Path) -> String {
    let output = demo(home)
        .args(["world", "info"])
        .arg(world)
        .output()
        .unwrap();
    let info = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{info}");
    info
}
