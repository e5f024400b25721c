//! Files that commands write and read: files of the user are not replaced unasked, and commands do
//! not wait for pipes.

#![allow(clippy::unwrap_used)]
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

mod program;

use program::{command, demo, empty_folder, ends, refuses, save_with_model, succeeds, text};

/// Makes a pipe in the file system.
fn fifo(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

/// Waits for a program that must end by itself.
fn end_soon(mut child: Child, what: &str) -> std::process::Output {
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("{what} does not end");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().unwrap()
}

fn started(arguments: &[&str]) -> Child {
    let mut command = command(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<String> = entries.map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

#[test]
fn an_export_keeps_the_file_that_is_there_until_it_is_forced() {
    let folder = empty_folder("keep");
    let save = save_with_model(&folder, "castle.voxels");
    let drawing = folder.join("castle.vox");
    fs::write(&drawing, "a week of work").unwrap();
    refuses(&["world", "export", text(&save)], 2, "--force");
    assert_eq!(fs::read(&drawing).unwrap(), b"a week of work");
    succeeds(&["world", "export", text(&save), "--force"]);
    assert!(fs::read(&drawing).unwrap().starts_with(b"VOX "));
    let all = ["castle.vox", "castle.voxels", "ring.vox"];
    assert_eq!(names_in(&folder), all, "nothing else is left");
}

#[test]
fn an_export_leaves_a_file_beside_its_own_alone() {
    let folder = empty_folder("beside");
    let save = save_with_model(&folder, "castle.voxels");
    let other = folder.join("k.new");
    fs::write(&other, "another file").unwrap();
    let out = folder.join("k");
    succeeds(&["world", "export", text(&save), "--out", text(&out)]);
    assert_eq!(fs::read(&other).unwrap(), b"another file");
}

#[test]
fn an_export_goes_into_a_device_or_pipe_and_leaves_it_one() {
    let folder = empty_folder("pipe");
    let save = save_with_model(&folder, "castle.voxels");
    let pipe = folder.join("pipe");
    fifo(&pipe);
    let child = started(&["world", "export", text(&save), "--out", text(&pipe)]);
    let read = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read(pipe).unwrap()
    });
    let output = end_soon(child, "export");
    assert!(output.status.success(), "{output:?}");
    assert!(pipe.symlink_metadata().unwrap().file_type().is_fifo());
    assert!(read.join().unwrap().starts_with(b"VOX "));
    let null = folder.join("null");
    symlink("/dev/null", &null).unwrap();
    succeeds(&["world", "export", text(&save), "--out", text(&null)]);
    assert!(null.symlink_metadata().unwrap().file_type().is_symlink());
}

#[test]
fn an_export_follows_links_and_keeps_permissions() {
    let folder = empty_folder("links");
    let save = save_with_model(&folder, "castle.voxels");
    let (link, target) = (folder.join("link.vox"), folder.join("target.vox"));
    fs::write(&target, "old").unwrap();
    fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).unwrap();
    symlink("target.vox", &link).unwrap();
    let export = [
        "world",
        "export",
        text(&save),
        "--out",
        text(&link),
        "--force",
    ];
    succeeds(&export);
    assert!(link.symlink_metadata().unwrap().file_type().is_symlink());
    assert!(fs::read(&target).unwrap().starts_with(b"VOX "));
    let mode = target.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    fs::remove_file(&target).unwrap();
    succeeds(&export);
    assert!(fs::read(&target).unwrap().starts_with(b"VOX "), "made anew");
}

#[test]
fn pictures_and_reports_keep_files_that_are_there() {
    let folder = empty_folder("pictures");
    let picture = folder.join("holiday.png");
    fs::write(&picture, "a holiday").unwrap();
    let shot = [
        "shot",
        "--size",
        "16x16",
        "--view",
        "32",
        "--out",
        text(&picture),
    ];
    refuses(&shot, 2, "--force");
    assert_eq!(fs::read(&picture).unwrap(), b"a holiday");
    let page = folder.join("index.html");
    fs::write(&page, "my page").unwrap();
    let report = ["scenes", "face_head_on", "--report", text(&folder)];
    refuses(&report, 2, "--force");
    assert_eq!(fs::read(&page).unwrap(), b"my page");
    let numbers = folder.join("tour.json");
    fs::write(&numbers, "my journey").unwrap();
    refuses(
        &["tour", "--out", text(&folder), "--frames", "1"],
        2,
        "--force",
    );
    assert_eq!(fs::read(&numbers).unwrap(), b"my journey");
}

#[test]
fn pipes_are_not_waited_for_as_files_to_read() {
    let folder = empty_folder("waits");
    let save = save_with_model(&folder, "castle.voxels");
    let pipe = folder.join("pipe");
    fifo(&pipe);
    let (pipe, new) = (text(&pipe), folder.join("new.voxels"));
    for arguments in [
        &["world", "info", pipe][..],
        &["world", "verify", pipe],
        &["world", "export", pipe],
        &["world", "salvage", pipe, "--out", text(&new)],
        &[
            "world",
            "import",
            pipe,
            "--from",
            text(&folder.join("ring.vox")),
        ],
        &["world", "import", text(&save), "--from", pipe],
        &[
            "shot",
            "--world",
            pipe,
            "--out",
            text(&folder.join("a.png")),
        ],
    ] {
        let output = end_soon(started(arguments), "a command that reads a pipe");
        ends(arguments, &output, 3, "not a file");
    }
    assert!(!new.exists());
}

#[test]
fn settings_that_are_a_pipe_or_huge_do_no_harm() {
    for kind in ["pipe", "huge"] {
        let home = empty_folder(&format!("settings-{kind}"));
        let settings = home.join("voxel-sandbox");
        fs::create_dir_all(&settings).unwrap();
        let settings = settings.join("settings.toml");
        match kind {
            "pipe" => fifo(&settings),
            _ => fs::File::create(&settings)
                .unwrap()
                .set_len(2 << 30)
                .unwrap(),
        }
        let mut command = command(&["play"]);
        command.env("XDG_CONFIG_HOME", &home);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = end_soon(command.spawn().unwrap(), "play");
        ends(&["play"], &output, 4, "settings last for this run only");
    }
}

#[test]
fn output_that_is_not_read_is_no_panic() {
    let mut list = command(&["scenes", "--list"]);
    let mut child = list
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = end_soon(child, "scenes --list");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.is_empty() && output.status.code() != Some(101),
        "{output:?}"
    );
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = command(&["scenes", "--list"])
        .stdout(full)
        .output()
        .unwrap();
    ends(&["scenes", "--list"], &output, 3, "no space left");
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = command(&["world", "info", "/nowhere"])
        .stderr(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn control_characters_of_names_are_not_sent_to_the_terminal() {
    let output = demo(&["world", "info", "/nowhere/\u{1b}[31mred"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.contains("red") && !errors.contains('\u{1b}'),
        "{errors}"
    );
}

/// Runs the program where no file can grow beyond a size.
#[cfg(target_os = "linux")]
fn without_room(arguments: &[&str], bytes: u64) -> std::process::Output {
    let whole = command(arguments);
    let home = whole
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)));
    // Writes beyond the limit fail instead of ending the process.
    Command::new("sh")
        .args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\"", "prlimit"])
        .arg(format!("--fsize={bytes}:"))
        .arg(whole.get_program())
        .args(arguments)
        .envs(home)
        .output()
        .unwrap()
}

/// Writes a model that needs megabytes in a save, however it is compressed.
#[cfg(target_os = "linux")]
fn noise(path: &Path) {
    let table = world::MaterialTable::standard();
    let solid: Vec<world::Material> = table.iter().map(|(material, _)| material).collect();
    let mut bits = 1_u64;
    let noise = world::Clipboard::from_fn(nalgebra::Vector3::new(128, 64, 128), |_| {
        bits = bits.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        solid[1 + (bits >> 33) as usize % (solid.len() - 1)]
    });
    fs::write(path, world::write_vox(&noise.unwrap(), &table).unwrap()).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn an_import_that_does_not_fit_on_the_disk_is_told_and_changes_nothing() {
    let folder = empty_folder("full");
    let save = save_with_model(&folder, "castle.voxels");
    let (model, new) = (folder.join("noise.vox"), folder.join("new.voxels"));
    noise(&model);
    let room = save.metadata().unwrap().len();
    let before = succeeds(&["world", "info", text(&save), "--json"]);
    let import = |save| {
        [
            "world",
            "import",
            save,
            "--from",
            text(&model),
            "--at",
            "0,200,0",
        ]
    };
    let output = without_room(&import(text(&save)), room);
    ends(&import(text(&save)), &output, 3, "nothing was imported");
    ends(&import(text(&save)), &output, 3, "disk is full");
    let after = succeeds(&["world", "info", text(&save), "--json"]);
    assert_eq!(after, before);
    let output = without_room(&import(text(&new)), 4096);
    ends(&import(text(&new)), &output, 3, "disk is full");
    assert!(!new.exists(), "a save that does not fit is left");
}

#[cfg(target_os = "linux")]
#[test]
fn a_picture_that_does_not_fit_on_the_disk_leaves_nothing_behind() {
    let folder = empty_folder("cut");
    let picture = folder.join("a.png");
    let shot = [
        "shot",
        "--size",
        "128x128",
        "--view",
        "32",
        "--out",
        text(&picture),
    ];
    // The driver keeps compiled shaders in files.
    let output = without_room(&shot, 4096);
    ends(&shot, &output, 3, "a.png");
    assert_eq!(names_in(&folder), Vec::<String>::new());
    fs::write(&picture, "a holiday").unwrap();
    let forced = [&shot[..], &["--force"]].concat();
    ends(&forced, &without_room(&forced, 4096), 3, "a.png");
    assert_eq!(fs::read(&picture).unwrap(), b"a holiday");
}

#[test]
fn an_interrupted_tour_leaves_no_numbers_of_an_earlier_one() {
    let folder = empty_folder("interrupted");
    fs::write(folder.join("tour.json"), "{}").unwrap();
    let tour = ["tour", "--size", "16x16", "--out", text(&folder)];
    let tour = [&tour[..], &["--frames", "1", "--force"]].concat();
    let mut child = started(&tour);
    // It tells of its picture, and is not heard.
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    ends(&tour, &output, 141, "");
    let names = names_in(&folder);
    assert_eq!(names.len(), 1, "{names:?}");
    assert!(names[0].starts_with("01-"), "{names:?}");
}
