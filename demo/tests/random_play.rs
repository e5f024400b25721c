//! Random play of the whole sandbox, without its window: keys, mouse, wheel, panels, resizes,
//! losses of the keyboard, edits, crowds, quitting and coming back. Nothing may panic, leak, or
//! raise an error of the device.
//!
//! Twenty simulated seconds; `PLAY_SECONDS=600 cargo test --release -p demo --test random_play`
//! plays ten minutes, and `PLAY_SEEDS=1,2,3` other seeds. Most of the time goes into the software
//! driver, which draws every picture.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use demo::arguments::PlayArguments;
use demo::bench::allocations::heap_bytes;
use demo::input::{Action, Bindings};
use demo::language::Language;
use demo::play::rehearse;
use demo::settings::{Graphics, Settings, SettingsFile, Shadows};
use engine::window::{App, Rehearsal};
use engine::{InputEvent, Resources};
use simulation::Random;

/// Marks the process that plays, and holds the folder for its files.
const HOME: &str = "RANDOM_PLAY_HOME";
/// Least and most simulated milliseconds between two pictures: a quick machine and a slow one.
const PICTURE: [u64; 2] = [16, 400];
/// Pictures between two counts of the resources on the GPU.
const LOOK: u32 = 20;
/// First size of the picture: large enough to hit panels.
const SIZE: [u32; 2] = [320, 200];
/// Longest play before the sandbox is closed and opened again: settings begin anew, the world is
/// kept.
const SITTING: Duration = Duration::from_secs(15);
/// The longest wait for the background.
const PATIENCE: Duration = Duration::from_secs(20);
/// Time between two checks.
const PAUSE: Duration = Duration::from_millis(100);
/// Heap that may stay after everything is closed, for things made once and kept (threads, the
/// driver's caches, scenes), bytes.
const KEPT: isize = 4 << 20;
/// Growth allowed in buffers and textures from the first half to the second: lists grow in a few
/// steps.
const GROWN: usize = 24;

fn seconds() -> u64 {
    std::env::var("PLAY_SECONDS").map_or(20, |text| text.parse().unwrap())
}

fn seeds() -> Vec<u64> {
    let list = std::env::var("PLAY_SEEDS").unwrap_or_else(|_| "1".to_owned());
    list.split(',').map(|seed| seed.parse().unwrap()).collect()
}

/// Returns the heap bytes once background work is done: scenes are judged there.
fn heap_at_rest(most: isize) -> isize {
    let begin = Instant::now();
    while heap_bytes() > most && begin.elapsed() < PATIENCE {
        std::thread::sleep(PAUSE);
    }
    heap_bytes()
}

#[test]
fn pressing_anything_ends_well() {
    let Some(home) = std::env::var_os(HOME) else {
        return play_elsewhere();
    };
    let home = PathBuf::from(home);
    for seed in seeds() {
        // The first play makes the things that are made only once.
        Player::new(&home.join("warm-up"), seed).play(Duration::from_secs(5));
        let before = heap_bytes();
        Player::new(&home.join(format!("seed-{seed}")), seed).play(Duration::from_secs(seconds()));
        let kept = heap_at_rest(before + KEPT) - before;
        println!("seed {seed}: {kept} bytes more on the heap");
        assert!(
            kept < KEPT,
            "seed {seed}: {kept} bytes are still on the heap"
        );
    }
}

/// Plays in a process with a home of its own: panels save worlds and pictures there.
fn play_elsewhere() {
    let home = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("random-play");
    let _ = fs::remove_dir_all(&home);
    fs::create_dir_all(&home).unwrap();
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--nocapture", "--test-threads", "1"])
        .current_dir(&home)
        .env(HOME, &home)
        .env("HOME", &home)
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("XDG_DATA_HOME", home.join("data"))
        .status()
        .unwrap();
    assert!(status.success(), "it ended with {status}");
}

/// Returns settings for cheap pictures, whose look is not tested.
fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.graphics = Graphics {
        view_metres: 32.0,
        shadows: Shadows::Off,
        multisampling: false,
        ..settings.graphics
    };
    settings.characters.crowd = 10;
    settings
}

/// A player that presses anything.
struct Player {
    world: PathBuf,
    random: Random,
    bindings: Bindings,
    held: Vec<String>,
    /// Resources on the GPU at each count.
    resources: Vec<Resources>,
}

impl Player {
    fn new(folder: &Path, seed: u64) -> Self {
        fs::create_dir_all(folder).unwrap();
        Player {
            world: folder.join("world.voxels"),
            random: Random::new(seed),
            bindings: Bindings::default(),
            held: Vec::new(),
            resources: Vec::new(),
        }
    }

    fn open(&self) -> Rehearsal<impl App + use<>> {
        let arguments = PlayArguments {
            world: Some(self.world.clone()),
            ..PlayArguments::default()
        };
        rehearse(
            SettingsFile::in_memory(settings(), Language::English),
            &arguments,
            SIZE,
        )
        .unwrap()
    }

    fn play(mut self, time: Duration) {
        let mut played = Duration::ZERO;
        let mut pictures = 0;
        while played < time {
            let mut sandbox = self.open();
            let end = time.min(played + SITTING);
            while played < end && !sandbox.has_quit() {
                for _ in 0..1 + self.random.below(3) {
                    self.press(&mut sandbox);
                }
                let [least, most] = PICTURE;
                let elapsed = Duration::from_millis(least + self.random.below(most - least));
                let complaints = sandbox.picture(elapsed).unwrap();
                assert!(complaints.is_empty(), "{played:?}: {complaints:?}");
                played += elapsed;
                pictures += 1;
                if pictures % LOOK == 0 {
                    self.resources.extend(sandbox.resources().unwrap());
                }
            }
            self.held.clear();
            sandbox.close().unwrap();
        }
        self.look_for_leaks();
    }

    /// Checks that the resources on the GPU do not grow from the first half to the second.
    fn look_for_leaks(&self) {
        let (early, late) = self.resources.split_at(self.resources.len() / 2);
        let parts: [fn(&Resources) -> usize; 5] = [
            |now| now.buffers,
            |now| now.textures,
            |now| now.texture_views,
            |now| now.bind_groups,
            |now| now.pipelines,
        ];
        for part in parts {
            let most = |looks: &[Resources]| looks.iter().map(part).max();
            if let (Some(before), Some(after)) = (most(early), most(late)) {
                assert!(
                    after <= before + GROWN,
                    "{after} after {before}: {:?}",
                    self.resources.last()
                );
            }
        }
    }

    fn press(&mut self, sandbox: &mut Rehearsal<impl App>) {
        match self.random.below(100) {
            0..40 => self.use_action(sandbox),
            40..50 => self.let_go(sandbox),
            50..62 => {
                let mut way = || self.random.between(-60.0, 60.0);
                let motion = [way(), way()];
                sandbox.input(&InputEvent::PointerMotion(motion));
            }
            62..80 => self.click(sandbox),
            80..85 => {
                let wheels = ["WheelUp", "WheelDown", "WheelLeft", "WheelRight"];
                sandbox.input(&InputEvent::Wheel(wheels[self.random.below(4) as usize]));
            }
            85..90 => self.type_something(sandbox),
            90..93 => self.resize(sandbox),
            93..96 => {
                let has_focus = self.random.once_in(2);
                if !has_focus {
                    self.held.clear();
                }
                sandbox.focus(has_focus);
            }
            96 => sandbox.input(&InputEvent::FileDropped(self.some_file())),
            _ => sandbox.input(&InputEvent::FocusLost),
        }
    }

    /// Presses the keys of some action with their modifiers; some stay down.
    fn use_action(&mut self, sandbox: &mut Rehearsal<impl App>) {
        let action = Action::ALL[self.random.below(Action::ALL.len() as u64) as usize];
        // Leaving at every tenth key would cut the play short.
        let is_rare = matches!(action, Action::Quit | Action::Screenshot);
        if is_rare && !self.random.once_in(6) {
            return;
        }
        let triggers = self.bindings.triggers(action);
        let Some(trigger) = triggers.get(self.random.below(triggers.len() as u64) as usize) else {
            return;
        };
        let held = [
            (trigger.ctrl, "ControlLeft"),
            (trigger.shift, "ShiftLeft"),
            (trigger.alt, "AltLeft"),
        ];
        let held: Vec<&str> = held.iter().filter(|(on, _)| *on).map(|(_, k)| *k).collect();
        let key = trigger.key.clone();
        for name in held.iter().copied().chain([key.as_str()]) {
            sandbox.input(&InputEvent::Pressed(name.to_owned()));
        }
        if self.random.once_in(3) {
            self.held.push(key);
        } else {
            sandbox.input(&InputEvent::Released(key));
        }
        for name in held {
            sandbox.input(&InputEvent::Released(name.to_owned()));
        }
    }

    fn let_go(&mut self, sandbox: &mut Rehearsal<impl App>) {
        for key in self.held.drain(..) {
            sandbox.input(&InputEvent::Released(key));
        }
    }

    /// Clicks somewhere in the picture: on a panel, or the land.
    fn click(&mut self, sandbox: &mut Rehearsal<impl App>) {
        let at = [self.random.unit(), self.random.unit()];
        let buttons = ["MouseLeft", "MouseLeft", "MouseRight", "MouseMiddle"];
        let button = buttons[self.random.below(4) as usize].to_owned();
        if sandbox.context().pointer_mode() == engine::window::Pointer::Captured {
            // Panels can only be reached by a free pointer.
            sandbox.input(&InputEvent::Pressed("Escape".to_owned()));
            sandbox.input(&InputEvent::Released("Escape".to_owned()));
        }
        sandbox.point(at);
        sandbox.input(&InputEvent::Pressed(button.clone()));
        if self.random.once_in(4) {
            sandbox.point([self.random.unit(), self.random.unit()]);
        }
        sandbox.input(&InputEvent::Released(button));
    }

    fn type_something(&mut self, sandbox: &mut Rehearsal<impl App>) {
        for _ in 0..4 {
            let keys = [
                "KeyA",
                "Digit7",
                "Period",
                "Backspace",
                "Enter",
                "Tab",
                "F13",
            ];
            let key = keys[self.random.below(keys.len() as u64) as usize].to_owned();
            sandbox.input(&InputEvent::Pressed(key.clone()));
            sandbox.input(&InputEvent::Released(key));
        }
    }

    fn resize(&mut self, sandbox: &mut Rehearsal<impl App>) {
        let sizes = [SIZE, SIZE, [0, 0], [1, 1], [64, 500], [500, 3], [640, 0]];
        sandbox.resize(sizes[self.random.below(sizes.len() as u64) as usize]);
    }

    /// Returns a broken file, a missing file, or the world itself.
    fn some_file(&mut self) -> PathBuf {
        let folder = self.world.parent().unwrap();
        let broken = folder.join("broken.vox");
        fs::write(&broken, b"VOX no").unwrap();
        let files = [broken, folder.join("missing.voxels"), self.world.clone()];
        files[self.random.below(3) as usize].clone()
    }
}
