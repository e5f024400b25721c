//! The command line with bad arguments and bad files: a clear error and the right exit code, never
//! a panic.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::process::Command;

use world::{MaterialTable, read_vox, write_vox};

mod program;

use program::{
    command, demo, empty_folder, ends, folder, model, refuses, save_with_model, succeeds, text,
};

#[test]
fn every_command_has_help() {
    for command in [
        "play", "serve", "bots", "shot", "tour", "scenes", "bench", "world",
    ] {
        let output = demo(&[command, "--help"]);
        assert!(output.status.success(), "{command}");
        assert!(
            String::from_utf8_lossy(&output.stdout).contains("Usage"),
            "{command}"
        );
    }
}

#[test]
fn wrong_arguments_are_refused_with_what_was_wanted() {
    refuses(&["fly-me"], 2, "unrecognized subcommand");
    refuses(&["shot"], 2, "--out");
    refuses(
        &["shot", "--out", "a.png", "--size", "0x0"],
        2,
        "wanted widthxheight",
    );
    refuses(
        &["shot", "--out", "a.png", "--size", "99999999999x1"],
        2,
        "wanted widthxheight",
    );
    refuses(
        &["shot", "--out", "a.png", "--eye", "nan,0,0"],
        2,
        "wanted x,y,z",
    );
    refuses(
        &["shot", "--out", "a.png", "--look", "0,200"],
        2,
        "wanted yaw,pitch",
    );
    refuses(&["shot", "--out", "a.png", "--seed=-1"], 2, "seed");
    refuses(&["shot", "--out", "a.png", "--crowd", "10001"], 2, "10000");
    refuses(
        &["shot", "--out", "a.png", "--overlay", "everything"],
        2,
        "possible values",
    );
    refuses(&["shot", "--out", "a.png", "--hour", "25"], 2, "hour");
    for (name, value) in [("hour", "nan"), ("view", "nan"), ("hour", "inf")] {
        let flag = format!("--{name}");
        refuses(&["shot", "--out", "a.png", &flag, value], 2, name);
    }
    refuses(&["shot", "--out", "a.png", "--look", "nan,0"], 2, "yaw");
    refuses(&["tour", "--out", "t", "--frames", "0"], 2, "frames");
    refuses(&["play", "--view", "5"], 2, "view");
    refuses(&["play", "--view", "nan"], 2, "view");
    refuses(&["bench", "--only", "nothing.like.it"], 2, "no figure");
    refuses(&["world", "info"], 2, "path");
    refuses(&["play", "--join", "nonsense"], 2, "paste the whole line");
    refuses(&["play", "--join", "voxels:[::1]:4433/abc"], 2, "not whole");
    refuses(
        &["play", "--join", INVITE, "--seed", "3"],
        2,
        "cannot be used",
    );
    refuses(&["bots", "--join", INVITE, "--count", "0"], 2, "1..=1000");
    refuses(&["serve", "--listen", "nowhere"], 2, "listen");
}

/// An invite to a port of this machine where nothing listens.
const INVITE: &str = "voxels:127.0.0.1:9/6zO4eZE5oGxq8QfTMn2bmXE0aB1_FzFcgM1gF63iB5Q.\
                      AQAAAAAAAAAAJ6qQteXXDRBNbu9sOr2e0kifUDBvoJ76MYOLaDp6Wds";

#[test]
fn a_server_that_does_not_answer_is_named() {
    refuses(
        &["bots", "--join", INVITE, "--count", "1"],
        5,
        "127.0.0.1:9",
    );
}

#[test]
fn places_that_cannot_be_written_are_named() {
    let file = folder("blocked").join("file");
    fs::write(&file, "not a folder").unwrap();
    let inside = file.join("picture.png");
    let inside = inside.to_str().unwrap();
    refuses(&["shot", "--out", inside, "--size", "16x16"], 3, "file");
    refuses(&["tour", "--out", inside, "--frames", "1"], 3, "file");
    refuses(&["scenes", "--report", inside], 3, "file");
}

#[test]
fn saves_that_are_missing_or_garbage_are_refused_and_kept() {
    let garbage = folder("garbage").join("world.voxels");
    fs::write(&garbage, b"this is no world at all").unwrap();
    let path = garbage.to_str().unwrap();
    let missing = folder("garbage").join("missing.voxels");
    let missing_path = missing.to_str().unwrap();
    for action in ["info", "verify", "export"] {
        refuses(&["world", action, path], 3, "world.voxels");
        refuses(&["world", action, missing_path], 3, "missing.voxels");
    }
    let out = folder("garbage").join("saved.voxels");
    let out_path = out.to_str().unwrap();
    refuses(&["world", "salvage", path], 2, "--out");
    for (from, words) in [(path, "world.voxels"), (missing_path, "missing.voxels")] {
        refuses(&["world", "salvage", from, "--out", out_path], 3, words);
    }
    assert!(!out.exists());
    assert_eq!(fs::read(&garbage).unwrap(), b"this is no world at all");
    assert!(!missing.exists(), "looking must not create");
}

#[test]
fn models_go_into_a_save_and_come_out_again() {
    let folder = empty_folder("models");
    let (save, from) = (folder.join("new.voxels"), folder.join("ring.vox"));
    fs::write(
        &from,
        write_vox(&model(), &MaterialTable::standard()).unwrap(),
    )
    .unwrap();
    let (path, model_path) = (save.to_str().unwrap(), from.to_str().unwrap());
    let output = demo(&[
        "world", "import", path, "--from", model_path, "--at", "3,200,-9",
    ]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert!(said.contains("19 voxels changed"), "{said}");

    let out = folder.join("out.vox");
    let corners = ["--min", "7,202,-5", "--max", "3,200,-9"];
    let mut arguments = vec!["world", "export", path, "--out", out.to_str().unwrap()];
    arguments.extend(corners);
    assert!(demo(&arguments).status.success());
    let mut table = MaterialTable::standard();
    let read = read_vox(&fs::read(&out).unwrap(), &mut table).unwrap();
    assert_eq!(read[0].voxels, model(), "what went in came out");

    let whole = demo(&["world", "export", path]);
    assert!(whole.status.success(), "{whole:?}");
    assert!(save.with_extension("vox").exists(), "named after the save");
}

#[test]
fn a_model_goes_into_a_save_that_was_hardly_begun() {
    let folder = folder("begun");
    let (save, from) = (folder.join("begun.voxels"), folder.join("ring.vox"));
    let ring = write_vox(&model(), &MaterialTable::standard()).unwrap();
    fs::write(&from, ring).unwrap();
    fs::write(&save, b"").unwrap();
    let [path, from] = [&save, &from].map(|path| path.to_str().unwrap());
    let place = ["world", "import", path, "--from", from, "--at", "3,200,-9"];
    let output = demo(&place);
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn a_save_is_not_exported_over_itself() {
    let folder = folder("export");
    let (save, from) = (folder.join("castle.vox"), folder.join("ring.vox"));
    let _ = fs::remove_file(&save);
    let ring = write_vox(&model(), &MaterialTable::standard()).unwrap();
    fs::write(&from, ring).unwrap();
    let [path, from] = [&save, &from].map(|path| path.to_str().unwrap());
    let place = ["world", "import", path, "--from", from, "--at", "3,200,-9"];
    assert!(demo(&place).status.success());
    let bytes = fs::read(&save).unwrap();
    let other = folder.join("..").join("export").join("castle.vox");
    let other = other.to_str().unwrap();
    refuses(&["world", "export", path, "--out", path], 2, "save itself");
    refuses(&["world", "export", path, "--out", other], 2, "save itself");
    // Without a name it would be the save's own.
    refuses(&["world", "export", path], 2, "--out");
    assert_eq!(fs::read(&save).unwrap(), bytes);
}

#[test]
fn figures_are_measured_by_any_name_they_are_printed_under() {
    let output = demo(&["bench", "--only", "world.memory.chunk"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(said.lines().count(), 1, "{said}");
    refuses(&["bench", "--only", "world.memories"], 2, "no figure");
    let only = ["bench", "--only", "frame.first.land"];
    let blind = Command::new(env!("CARGO_BIN_EXE_demo"))
        .args(only)
        .envs([("VK_DRIVER_FILES", "/nowhere"), ("WGPU_BACKEND", "vulkan")])
        .output()
        .unwrap();
    ends(&only, &blind, 4, "frame");
}

#[test]
fn a_save_that_does_not_open_is_salvaged_into_a_new_one() {
    let folder = folder("salvage");
    let (save, from) = (folder.join("old.voxels"), folder.join("ring.vox"));
    let out = folder.join("new.voxels");
    for old in [&save, &out] {
        let _ = fs::remove_file(old);
    }
    let ring = write_vox(&model(), &MaterialTable::standard()).unwrap();
    fs::write(&from, ring).unwrap();
    let [path, from, new] = [&save, &from, &out].map(|path| path.to_str().unwrap());
    let place = ["world", "import", path, "--from", from, "--at", "3,200,-9"];
    assert!(demo(&place).status.success());
    let mut bytes = fs::read(&save).unwrap();
    bytes[..4096].fill(0);
    fs::write(&save, &bytes).unwrap();
    for action in ["info", "verify"] {
        refuses(&["world", action, path], 3, "world salvage");
    }
    let output = demo(&["world", "salvage", path, "--out", new]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    // All of the model lies in one chunk.
    let chunks = "chunks      1 saved, 0 older ones, 0 lost";
    assert!(said.contains(chunks), "{said}");
    assert!(said.contains("history     1 saved"), "{said}");
    assert!(fs::read(&save).unwrap() == bytes, "written to");
    let verified = demo(&["world", "verify", new]);
    assert!(verified.status.success(), "{verified:?}");
    refuses(&["world", "salvage", path, "--out", new], 3, "already");
}

#[test]
fn hostile_models_are_refused_and_make_no_save() {
    let folder = folder("hostile");
    let save = folder.join("never.voxels");
    let path = save.to_str().unwrap();
    let good = write_vox(&model(), &MaterialTable::standard()).unwrap();
    let mut huge = good.clone();
    // The first model claims to be four thousand million voxels wide.
    huge[32..36].copy_from_slice(&u32::MAX.to_le_bytes());
    let bad: [(&str, &[u8], &str); 5] = [
        ("empty.vox", b"", "not a .vox file"),
        (
            "text.vox",
            b"this is a letter to my aunt",
            "not a .vox file",
        ),
        ("cut.vox", &good[..good.len() / 2], "not a .vox file"),
        ("huge.vox", &huge, "not a .vox file"),
        ("head.vox", &good[..8], "not a .vox file"),
    ];
    for (name, bytes, words) in bad {
        let from = folder.join(name);
        fs::write(&from, bytes).unwrap();
        let from = from.to_str().unwrap();
        refuses(&["world", "import", path, "--from", from], 3, words);
        assert!(!save.exists(), "{name} left a save behind");
    }
    let missing = folder.join("missing.vox");
    let missing = missing.to_str().unwrap();
    refuses(
        &["world", "import", path, "--from", missing],
        3,
        "missing.vox",
    );
    refuses(
        &["world", "import", path, "--from", "/dev/zero"],
        3,
        "not a file",
    );
    assert!(!save.exists());
}

#[test]
fn scenes_are_listed_and_unknown_ones_refused() {
    let output = demo(&["scenes", "--list"]);
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).lines().count() > 10);
    refuses(&["scenes", "no_such_scene"], 2, "no_such_scene");
    refuses(&["play", "--scene", "no_such_scene"], 2, "no_such_scene");
}

#[test]
fn graphics_interfaces_that_do_not_exist_are_named() {
    let out = folder("interfaces").join("never.png");
    let shot = ["shot", "--view", "32", "--out", out.to_str().unwrap()];
    for (backend, words) in [
        ("glyde", "names `glyde`"),
        ("vulkan, glyde", "names `glyde`"),
        ("noop", "wgpu_backend=noop"),
    ] {
        let output = command(&shot).env("WGPU_BACKEND", backend).output();
        ends(&shot, &output.unwrap(), 4, words);
    }
    assert!(!out.exists());
}

#[test]
fn playing_without_a_display_says_so() {
    refuses(&["play"], 4, "display");
    let output = demo(&["play"]);
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(!words.contains(".rs:") && !words.contains(".."), "{words}");
}

#[test]
fn a_world_named_without_a_folder_is_the_same_for_all_commands() {
    let worlds = folder("home").join("data/voxel-sandbox");
    fs::create_dir_all(&worlds).unwrap();
    save_with_model(&worlds, "named.voxels");
    let picture = empty_folder("named").join("named.vox");
    for name in ["named", "named.voxels"] {
        for action in ["info", "verify"] {
            let said = succeeds(&["world", action, name]);
            let path = worlds.join("named.voxels");
            assert!(said.contains(text(&path)), "{said}");
        }
        let out = ["--out", text(&picture), "--force"];
        succeeds(&[&["world", "export", name], &out[..]].concat());
    }
    refuses(&["world", "info", "unnamed"], 3, "unnamed.voxels");
}

#[test]
fn a_folder_is_asked_for_where_there_is_none_for_worlds() {
    let arguments = ["world", "info", "unnamed"];
    let mut command = command(&arguments);
    for name in ["HOME", "XDG_DATA_HOME", "USERPROFILE"] {
        command.env_remove(name);
    }
    ends(&arguments, &command.output().unwrap(), 2, "home is not set");
}

#[test]
fn playing_without_a_display_leaves_no_world_behind() {
    let data = empty_folder("no-display");
    let mut command = command(&["play"]);
    let output = command.env("XDG_DATA_HOME", &data).output().unwrap();
    ends(&["play"], &output, 4, "display");
    assert_eq!(fs::read_dir(&data).unwrap().count(), 0);
}

#[test]
fn a_save_that_is_only_read_may_be_read_only_and_stays_as_it_is() {
    let folder = empty_folder("read-only");
    let save = save_with_model(&folder, "castle.voxels");
    let mut permissions = save.metadata().unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&save, permissions).unwrap();
    let bytes = fs::read(&save).unwrap();
    let (model, picture) = (folder.join("castle.vox"), folder.join("castle.png"));
    succeeds(&["world", "export", text(&save), "--out", text(&model)]);
    let shot = ["shot", "--size", "16x16", "--view", "32", "--crowd", "3"];
    let where_from = ["--world", text(&save), "--out", text(&picture)];
    succeeds(&[&shot[..], &where_from].concat());
    assert!(model.exists() && picture.exists());
    assert!(fs::read(&save).unwrap() == bytes);
}

#[test]
fn what_is_refused_is_named_once_with_what_to_do() {
    for (arguments, words) in [
        (&["world", "info", "."][..], "/demo is not a file: choose"),
        (
            &["world", "export", "a", "--out", "."],
            "error: . is not a file",
        ),
        (&["scenes", ";"], "`;`"),
    ] {
        let output = demo(arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains(words), "{arguments:?} said: {errors}");
    }
    let folder = empty_folder("words");
    let (blank, out) = (folder.join("blank"), folder.join("out.voxels"));
    fs::write(&blank, [0; 5000]).unwrap();
    let salvage = ["world", "salvage", text(&blank), "--out", text(&out)];
    refuses(&salvage, 3, "restore a copy");
    let errors = String::from_utf8_lossy(&demo(&salvage).stderr).into_owned();
    assert!(!errors.contains("world salvage"), "{errors}");
}

#[cfg(target_os = "linux")]
#[test]
fn commands_work_with_as_many_threads_as_there_are() {
    use std::os::unix::process::CommandExt;
    // A limit of processes does not hold for the superuser, and other users may not enter our
    // folders.
    let copy = std::env::temp_dir().join(format!("demo-threads-{}", std::process::id()));
    fs::copy(env!("CARGO_BIN_EXE_demo"), &copy).unwrap();
    let mut limited = Command::new("prlimit");
    let scenes = ["scenes", "face_head_on", "wall_slide"];
    limited.arg("--nproc=1").arg(&copy).args(scenes);
    let id = Command::new("id").arg("-u").output().unwrap();
    if id.stdout == b"0\n" {
        limited.uid(65534);
    }
    let limited = limited.output().unwrap();
    let _ = fs::remove_file(&copy);
    ends(&["scenes"], &limited, 0, "");
    let mut many = command(&["scenes", "face_head_on"]);
    let many = many.env("RAYON_NUM_THREADS", "100000").output().unwrap();
    ends(&["scenes"], &many, 0, "");
}

/// Returns the objects that a command prints, one a line.
fn objects(arguments: &[&str]) -> Vec<serde_json::Value> {
    let output = demo(arguments);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn saves_and_pictures_are_described_as_json() {
    let folder = empty_folder("json");
    let save = save_with_model(&folder, "a.voxels");
    for action in ["info", "verify"] {
        let found = objects(&["world", action, text(&save), "--json"]);
        assert_eq!(found[0]["chunks"], 1);
        assert_eq!(found[0]["sound"], true);
        assert_eq!(found[0]["strokes"], 1);
    }
    let picture = folder.join("a.png");
    let shot = "--size 32x18 --view 32 --hour 0.5 --json";
    let shot: Vec<&str> = ["shot", "--out", text(&picture)]
        .into_iter()
        .chain(shot.split(' '))
        .collect();
    let drawn = objects(&shot);
    assert_eq!(drawn[0]["size"], serde_json::json!([32, 18]));
    assert!(drawn[0]["chunks"].as_u64().is_some_and(|chunks| chunks > 0));
    assert!(picture.exists());
}

#[test]
fn list_names_every_save_of_the_folder_whatever_its_state() {
    let home = empty_folder("list");
    let list = |more: &[&str]| {
        let arguments = [&["world", "list"], more].concat();
        let output = command(&arguments).env("XDG_DATA_HOME", &home).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(list(&[]), "");
    let worlds = home.join("voxel-sandbox");
    fs::create_dir_all(&worlds).unwrap();
    drop(world::World::create(worlds.join("b.voxels"), 7).unwrap());
    fs::write(worlds.join("a.voxels"), "no world").unwrap();
    fs::write(worlds.join("notes.txt"), "no save").unwrap();
    let json = list(&["--json"]);
    let found = json.lines().map(|line| serde_json::from_str(line).unwrap());
    let found: Vec<serde_json::Value> = found.collect();
    assert_eq!(found.len(), 2);
    assert!(found[0]["error"].as_str().unwrap().contains("a.voxels"));
    assert_eq!(found[1]["seed"], 7);
    let words = list(&[]);
    assert!(words.contains("b.voxels: 0 edited chunks"), "{words}");
}
