//! Installs the system libraries that the demo needs to draw.
//!
//! Only Linux lacks any: a Vulkan loader with a driver, and for a window the libraries that are
//! opened at run time. On Debian and related systems they come through apt; elsewhere the user is
//! told their names.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// One requirement.
struct Need {
    what: &'static str,
    /// The Debian packages that provide it.
    packages: &'static [&'static str],
    is_met: fn() -> bool,
}

const DRAWING: Need = Need {
    what: "a Vulkan driver and its loader",
    packages: &["mesa-vulkan-drivers", "libvulkan1"],
    is_met: || has_library("libvulkan.so.1") && has_vulkan_driver(""),
};

const SOFTWARE: Need = Need {
    what: "a Vulkan driver that draws without a graphics card, for the tests",
    packages: &["mesa-vulkan-drivers"],
    is_met: || has_vulkan_driver("lvp_icd"),
};

const WINDOW: Need = Need {
    what: "the libraries a window is opened with",
    packages: &[
        "libx11-6",
        "libx11-xcb1",
        "libxcursor1",
        "libxi6",
        "libxkbcommon-x11-0",
        "libxrandr2",
    ],
    is_met: || {
        [
            "libX11.so.6",
            "libX11-xcb.so.1",
            "libXcursor.so.1",
            "libXi.so.6",
            "libxkbcommon-x11.so.0",
            "libXrandr.so.2",
        ]
        .into_iter()
        .all(has_library)
    },
};

const GAMEPAD: Need = Need {
    what: "the device library that finds gamepads",
    packages: &["libudev1"],
    is_met: || has_library("libudev.so.1"),
};

const GL: Need = Need {
    what: "a GL driver, for the tests of adapters without Vulkan",
    packages: &["libegl1", "libegl-mesa0", "libgl1-mesa-dri"],
    is_met: || {
        ["libEGL.so.1", "libEGL_mesa.so.0"]
            .into_iter()
            .all(has_library)
            && has_software_gl()
    },
};

const SCREEN: Need = Need {
    what: "a screen in memory, and keys and mouse for it, for the tests of the window",
    packages: &["xvfb", "xdotool", "imagemagick"],
    is_met: || ["Xvfb", "xdotool", "import"].into_iter().all(has_program),
};

const COMPILER: Need = Need {
    what: "a C linker for Rust",
    packages: &["gcc", "libc6-dev"],
    is_met: || has_program("cc"),
};

/// Installs the requirements for drawing and, if there is a display, for a window.
pub(crate) fn prepare_to_play() -> Result<(), String> {
    install(&[COMPILER, GAMEPAD, DRAWING, WINDOW])
}

/// Installs the additional requirements of the tests.
pub(crate) fn prepare_to_verify() -> Result<(), String> {
    install(&[COMPILER, GAMEPAD, DRAWING, SOFTWARE, WINDOW, GL, SCREEN])
}

/// Returns true if a window can be opened.
pub(crate) fn has_display() -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    ["DISPLAY", "WAYLAND_DISPLAY"]
        .into_iter()
        .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

fn install(needs: &[Need]) -> Result<(), String> {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    let lacking: Vec<&Need> = needs.iter().filter(|need| !(need.is_met)()).collect();
    if lacking.is_empty() {
        return Ok(());
    }
    for need in &lacking {
        println!("setup: this machine lacks {}", need.what);
    }
    let packages: Vec<&str> = lacking
        .iter()
        .flat_map(|need| need.packages.iter().copied())
        .collect();
    if !has_program("apt-get") {
        return Err(format!(
            "setup: there is no apt here to install it with. Install what Debian calls\n    \
             {}\nwith your system's package manager, then run this again.",
            packages.join(" ")
        ));
    }
    install_with_apt(&packages)?;
    match lacking.iter().find(|need| !(need.is_met)()) {
        None => Ok(()),
        Some(need) => Err(format!(
            "setup: apt ended well, yet the machine still lacks {}",
            need.what
        )),
    }
}

fn install_with_apt(packages: &[&str]) -> Result<(), String> {
    println!("setup: installing {}", packages.join(" "));
    // An old package list names versions that no longer exist, so a failed install is retried after
    // an update.
    if apt(&[&["install", "-y", "--no-install-recommends"], packages].concat())? {
        return Ok(());
    }
    println!("setup: the package list may be old or empty; updating it");
    if apt(&["update"])?
        && apt(&[&["install", "-y", "--no-install-recommends"], packages].concat())?
    {
        return Ok(());
    }
    Err(format!(
        "setup: apt could not install them. Run this by hand and look at what it says:\n    \
         {}apt-get update && {}apt-get install {}",
        sudo_prefix(),
        sudo_prefix(),
        packages.join(" ")
    ))
}

fn apt(arguments: &[&str]) -> Result<bool, String> {
    let mut command = if is_root() {
        Command::new("apt-get")
    } else {
        Command::new("sudo")
    };
    if !is_root() {
        if !has_program("sudo") {
            return Err(format!(
                "setup: installing needs root and there is no sudo. As root, run\n    apt-get {}",
                arguments.join(" ")
            ));
        }
        command.args(["--preserve-env=DEBIAN_FRONTEND", "apt-get"]);
    }
    let status = command
        .arg("-qq")
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdout(Stdio::null())
        .status()
        .map_err(|error| format!("setup: could not start apt-get: {error}"))?;
    Ok(status.success())
}

fn sudo_prefix() -> &'static str {
    if is_root() { "" } else { "sudo " }
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

fn has_library(name: &str) -> bool {
    library_folders()
        .iter()
        .any(|folder| folder.join(name).exists())
}

fn library_folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = ["/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib"]
        .map(PathBuf::from)
        .to_vec();
    let machine = format!("{}-linux-gnu", std::env::consts::ARCH);
    folders.push(Path::new("/usr/lib").join(&machine));
    folders.push(Path::new("/lib").join(machine));
    if let Some(extra) = std::env::var_os("LD_LIBRARY_PATH") {
        folders.extend(std::env::split_paths(&extra));
    }
    folders
}

/// Returns true if Mesa's software GL is there: a file of its own, or since version 24 a part of
/// one library.
fn has_software_gl() -> bool {
    has_library("dri/swrast_dri.so")
        || library_folders()
            .iter()
            .filter_map(|folder| std::fs::read_dir(folder).ok())
            .flatten()
            .flatten()
            .any(|file| file.file_name().to_string_lossy().starts_with("libgallium"))
}

/// Returns true if the loader will find a driver whose manifest's name has this beginning.
fn has_vulkan_driver(beginning: &str) -> bool {
    let is_one = |file: &Path| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(beginning) && file.is_file()
    };
    // If files are named, the loader searches nowhere else.
    let named = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"];
    if let Some(list) = named.into_iter().find_map(std::env::var_os) {
        return std::env::split_paths(&list).any(|file| is_one(&file));
    }
    [
        "/usr/share/vulkan/icd.d",
        "/etc/vulkan/icd.d",
        "/usr/local/share/vulkan/icd.d",
    ]
    .into_iter()
    .filter_map(|folder| std::fs::read_dir(folder).ok())
    .flat_map(|entries| entries.flatten())
    .any(|entry| is_one(&entry.path()))
}
