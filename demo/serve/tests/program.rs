//! The program: players join it, dig, and find their holes again after it was stopped or killed.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

#[path = "program/guest.rs"]
mod guest;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

use collision::Cell;
use net::quic::{Invite, LinkError};
use serve::bots::{self, BotsArguments};
use simulation::{Role, Travel};
use world::Material;

use guest::Guest;

/// The age from which on an edit must not be lost, and as much again.
const PROMISE: Duration = Duration::from_millis(500);

/// A folder that is removed with its test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("serve-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A running server.
struct Serving {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
    invites: Vec<Invite>,
}

impl Serving {
    /// Starts a server, and reads its invites.
    fn start(world: &Path, port: u16) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_serve"))
            .arg("--world")
            .arg(world)
            .args(["--seed", "5", "--listen", &format!("127.0.0.1:{port}")])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut invites = Vec::new();
        while invites.len() < 3 {
            let line = lines.next().expect("it prints invites").unwrap();
            invites.extend(line.parse::<Invite>().ok());
        }
        Serving {
            child,
            lines,
            invites,
        }
    }

    fn invite(&self, role: Role) -> Invite {
        let mut invites = self.invites.iter();
        invites.find(|it| it.ticket.role() == role).unwrap().clone()
    }

    /// Asks it to stop, and returns how it ended and its last line.
    fn stop(mut self) -> (ExitStatus, String) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &pid]).status().unwrap();
        assert!(sent.success());
        let last = self.lines.by_ref().map_while(Result::ok).last();
        (self.child.wait().unwrap(), last.unwrap_or_default())
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Lets a guest dig beneath its feet; returns the cell.
fn dig(guest: &mut Guest) -> Cell {
    let below = guest.client().own().position().cell - Cell::new(0, 2, 0);
    assert_ne!(guest.material(below), Material::AIR);
    guest.dig(below);
    guest.play_until("the server has dug", |it| it.client().open_commands() == 0);
    below
}

#[test]
fn a_hole_and_an_invite_outlast_a_stop() {
    let folder = Folder::new("stop");
    let world = folder.0.join("a.voxels");
    let serving = Serving::start(&world, 0);
    let invite = serving.invite(Role::Build);
    let mut guest = Guest::join(&invite);
    let cell = dig(&mut guest);
    let (status, last) = serving.stop();
    assert!(status.success(), "{status}");
    assert!(last.contains("the world is saved"), "{last}");
    let told = LinkError::Ended("the server has stopped".to_owned());
    assert_eq!(guest.wait_for_end(), told);
    let serving = Serving::start(&world, invite.port);
    let mut again = Guest::join(&invite);
    assert_eq!(again.material(cell), Material::AIR);
    assert!(serving.stop().0.success());
    assert_eq!(again.wait_for_end(), told);
}

#[test]
fn a_hole_outlasts_a_kill() {
    let folder = Folder::new("kill");
    let world = folder.0.join("a.voxels");
    let serving = Serving::start(&world, 0);
    let invite = serving.invite(Role::Build);
    let mut guest = Guest::join(&invite);
    let cell = dig(&mut guest);
    guest.play_for(PROMISE);
    serving.kill();
    drop(guest);
    let serving = Serving::start(&world, invite.port);
    let again = Guest::join(&invite);
    assert_eq!(again.material(cell), Material::AIR);
    drop(again);
    assert!(serving.stop().0.success());
}

#[test]
fn a_walker_may_not_dig_and_an_owner_may_fly() {
    let folder = Folder::new("roles");
    let serving = Serving::start(&folder.0.join("a.voxels"), 0);
    let mut walker = Guest::join(&serving.invite(Role::Walk));
    let below = dig(&mut walker);
    // The server refused it.
    assert_ne!(walker.material(below), Material::AIR);
    let mut owner = Guest::join(&serving.invite(Role::Owner));
    owner.apply(&simulation::Command::Travel(Travel::Fly));
    owner.play_until("it is answered", |it| it.client().open_commands() == 0);
    drop((walker, owner));
    assert!(serving.stop().0.success());
}

#[test]
fn a_server_that_cannot_run_says_why() {
    let folder = Folder::new("fails");
    let path = folder.0.join("no-world.voxels");
    std::fs::write(&path, b"this is no world").unwrap();
    let run = |arguments: &[&str], world: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_serve"));
        let output = command.args(arguments).arg("--world").arg(world);
        let output = output.output().unwrap();
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), words)
    };
    let (code, words) = run(&[], &path);
    assert_eq!(code, Some(3), "{words}");
    assert!(words.contains("no-world.voxels"), "{words}");
    let world = folder.0.join("a.voxels");
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let taken = socket.local_addr().unwrap().to_string();
    let (code, words) = run(&["--listen", &taken], &world);
    assert_eq!(code, Some(5), "{words}");
    assert!(words.contains("cannot listen at"), "{words}");
    for bad in [
        ["--players", "0"],
        ["--listen", "nowhere"],
        ["--host", "a b"],
    ] {
        assert_eq!(run(&bad, &world).0, Some(2), "{bad:?}");
    }
}

#[test]
fn bots_join_walk_about_and_tell_what_went_over_the_network() {
    let folder = Folder::new("bots");
    let serving = Serving::start(&folder.0.join("a.voxels"), 0);
    let arguments = BotsArguments {
        join: serving.invite(Role::Walk),
        count: 3,
        seconds: 1,
    };
    let traffic = bots::measure(&arguments).unwrap();
    assert_eq!(traffic.bots, 3);
    assert!(traffic.up > 0.0 && traffic.down > 0.0, "{traffic:?}");
    assert!(traffic.seen > 1.9, "{traffic:?}");
    assert!(serving.stop().0.success());
}
