//! Installs the requirements of the C++ peers.
//!
//! On Debian and related systems they come through apt, with sudo if not root. Elsewhere, and if
//! apt fails, a peer is left out with a message naming the missing requirement.

use std::path::Path;
use std::process::{Command, Stdio};

/// A peer with requirements beyond cargo, and the feature of `measure` that enables it.
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    pub(crate) feature: &'static str,
    needs: &'static [&'static Need],
}

/// One requirement.
struct Need {
    what: &'static str,
    /// The Debian packages that provide it.
    packages: &'static [&'static str],
    is_met: fn() -> bool,
}

const COMPILER: Need = Need {
    what: "a C++ compiler",
    packages: &["g++"],
    is_met: || has_program("c++"),
};

const CLANG: Need = Need {
    what: "clang, which it is built with",
    packages: &["clang", "g++"],
    is_met: || has_program("clang++") && has_program("c++"),
};

const CMAKE: Need = Need {
    what: "CMake and make",
    packages: &["cmake", "make"],
    is_met: || has_program("cmake") && has_program("make"),
};

const LIBCLANG: Need = Need {
    what: "libclang, which its bindings are made with",
    packages: &["libclang-dev", "clang"],
    is_met: has_libclang,
};

const PEERS: &[Peer] = &[
    Peer {
        name: "PhysX",
        feature: "physx",
        needs: &[&CLANG],
    },
    Peer {
        name: "Box3D",
        feature: "box3d",
        needs: &[&COMPILER, &CMAKE, &LIBCLANG],
    },
    Peer {
        name: "Jolt",
        feature: "jolt",
        needs: &[&COMPILER, &CMAKE],
    },
    Peer {
        name: "avian",
        feature: "avian",
        needs: &[],
    },
];

/// Installs missing requirements where possible, and returns the peers that can be built.
pub(crate) fn prepare() -> Vec<&'static Peer> {
    let mut packages: Vec<&str> = PEERS
        .iter()
        .flat_map(|peer| peer.needs)
        .filter(|need| !(need.is_met)())
        .flat_map(|need| need.packages.iter().copied())
        .collect();
    packages.sort_unstable();
    packages.dedup();
    if !packages.is_empty() {
        eprintln!("peers: this machine lacks {}", packages.join(", "));
        if has_program("apt-get") {
            install(&packages);
        }
    }
    PEERS.iter().filter(|peer| is_ready(peer)).collect()
}

/// Prints the missing requirement of a peer, if any.
fn is_ready(peer: &Peer) -> bool {
    let lacking = peer.needs.iter().find(|need| !(need.is_met)());
    if let Some(need) = lacking {
        eprintln!("peers: {} is left out, it needs {}", peer.name, need.what);
    }
    lacking.is_none()
}

fn install(packages: &[&str]) {
    eprintln!("peers: installing {}", packages.join(" "));
    let install = [&["install", "-y", "--no-install-recommends"], packages].concat();
    // An old package list names versions that no longer exist, so a failed install is retried after
    // an update.
    let done = apt(&install) || (apt(&["update"]) && apt(&install));
    if !done {
        eprintln!("peers: apt could not install them");
    }
}

fn apt(arguments: &[&str]) -> bool {
    let mut command = if is_root() {
        Command::new("apt-get")
    } else {
        let mut sudo = Command::new("sudo");
        sudo.args(["--preserve-env=DEBIAN_FRONTEND", "apt-get"]);
        sudo
    };
    let status = command
        .arg("-qq")
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdout(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

fn is_root() -> bool {
    Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

fn has_program(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

/// Searches the folders of Debian and other systems, unless a variable names the folder.
fn has_libclang() -> bool {
    if std::env::var_os("LIBCLANG_PATH").is_some() {
        return true;
    }
    let holds = |folder: &Path| {
        let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let is_one = |name: &str| {
            name.starts_with("libclang.so") || name.starts_with("libclang-") && name.contains(".so")
        };
        names
            .map(|entry| entry.file_name())
            .any(|name| is_one(&name.to_string_lossy()))
    };
    let machine = format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
    let mut folders = vec![machine, "/usr/lib".to_owned(), "/usr/lib64".to_owned()];
    folders.extend((10..30).map(|version| format!("/usr/lib/llvm-{version}/lib")));
    folders.iter().any(|folder| holds(Path::new(folder)))
}
