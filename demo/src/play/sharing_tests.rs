//! Two windows on one world: one opens it to others, the other joins, and each sees the other.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use collision::Cell;
use engine::window::Rehearsal;
use engine::{GpuOptions, InputEvent};
use world::{CellBox, Material, World};

use super::app::Play;
use super::memory::tests::Sandbox;
use crate::arguments::PlayArguments;
use crate::language::Language;
use crate::settings::{Settings, SettingsFile};
use crate::sound::Sounds;

/// Time after which a test gives up.
const PATIENCE: Duration = Duration::from_secs(120);
/// Size of pictures, and a place in them without panels.
const SIZE: [u32; 2] = [640, 400];
const LAND: [f32; 2] = [0.6, 0.55];
/// Time of a picture.
const PICTURE: Duration = Duration::from_millis(16);

fn play(name: &str, arguments: &PlayArguments) -> Play {
    let mut settings = Settings::default();
    settings.characters.crowd = 5;
    settings.graphics.view_metres = 48.0;
    settings.shared.name = name.to_owned();
    let settings = SettingsFile::in_memory(settings, Language::English);
    Play::open(settings, arguments, Sounds::silent()).unwrap()
}

fn window(play: Play) -> Sandbox {
    Rehearsal::open(play, GpuOptions::Reference, SIZE).unwrap()
}

/// Shows pictures of all windows until something has come.
fn until(windows: &mut [&mut Sandbox], wanted: &str, is_there: impl Fn(&[&mut Sandbox]) -> bool) {
    let deadline = Instant::now() + PATIENCE;
    let mut last = Instant::now();
    while !is_there(windows) {
        assert!(Instant::now() < deadline, "it never came that {wanted}");
        std::thread::sleep(PICTURE.saturating_sub(last.elapsed()));
        let elapsed = last.elapsed();
        last = Instant::now();
        for window in windows.iter_mut() {
            window.picture(elapsed).unwrap();
        }
    }
}

fn key(window: &mut Sandbox, key: &str) {
    window.input(&InputEvent::Pressed(key.to_owned()));
    window.picture(PICTURE).unwrap();
    window.input(&InputEvent::Released(key.to_owned()));
}

fn is_told(window: &Sandbox, words: &str) -> bool {
    window.app().ui.toasts.words().any(|told| told == words)
}

fn others(window: &Sandbox) -> usize {
    window.app().session.simulation.drawn_others(1.0).count()
}

fn material(window: &Sandbox, cell: Cell) -> Option<Material> {
    window.app().session.simulation.world.material(cell)
}

fn new_world(name: &str) -> PathBuf {
    let name = format!("demo-sharing-{}-{name}.voxels", std::process::id());
    let path = std::env::temp_dir().join(name);
    let _ = std::fs::remove_file(&path);
    path
}

fn in_world(path: &Path) -> PlayArguments {
    PlayArguments {
        world: Some(path.to_path_buf()),
        ..PlayArguments::default()
    }
}

#[test]
fn two_windows_share_a_world() {
    let path = new_world("two");
    let mut first = play("Ann", &in_world(&path));
    first.host();
    let mut host = window(first);
    until(&mut [&mut host], "the world is open to others", |it| {
        it[0].app().session.hosting.is_some()
    });
    let hosting = host.app().session.hosting.as_ref();
    let invite = hosting.unwrap().own_invite().clone();
    let arguments = PlayArguments {
        join: Some(invite),
        ..PlayArguments::default()
    };
    let mut guest = window(play("Ben", &arguments));
    until(&mut [&mut host, &mut guest], "each sees the other", |it| {
        it.iter().all(|window| others(window) == 1)
    });
    let heard = |window: &Sandbox| window.app().visit.lines.clone();
    assert_eq!(heard(&host), ["Ben is here"]);
    let names = guest.app().session.guest.as_ref().unwrap().players();
    let names: Vec<String> = names.map(|(_, name)| name.to_string()).collect();
    assert_eq!(names, ["Ann", "Ben"]);
    assert_eq!(host.app().session.simulation.walkers(), 0);
    // Ben looks down and digs.
    guest.point(LAND);
    key(&mut guest, "MouseLeft");
    guest.input(&InputEvent::PointerMotion([0.0, 500.0]));
    until(
        &mut [&mut host, &mut guest],
        "Ben looks at the land",
        |it| it[1].app().aim.pick.is_some(),
    );
    let cell = guest.app().aim.pick.as_ref().unwrap().voxel;
    assert_ne!(material(&host, cell), Some(Material::AIR));
    key(&mut guest, "MouseLeft");
    until(&mut [&mut host, &mut guest], "Ann sees the hole", |it| {
        it.iter()
            .all(|it| material(it, cell) == Some(Material::AIR))
    });
    // Platforms are not shared.
    key(&mut guest, "KeyO");
    assert!(is_told(
        &guest,
        "This is possible in a world of your own only"
    ));
    guest.close().unwrap();
    until(&mut [&mut host], "Ann misses Ben", |it| {
        heard(it[0]) == ["Ben is here", "Ben has gone"]
    });
    assert_eq!(others(&host), 0);
    host.close().unwrap();
    let mut world = World::open(&path).unwrap();
    world.load(&CellBox::new(cell, cell)).unwrap();
    assert_eq!(world.material(cell), Some(Material::AIR));
    drop(world);
    std::fs::remove_file(path).unwrap();
}
