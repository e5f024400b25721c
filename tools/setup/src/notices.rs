//! `cargo notices`: prints the licences of all packages that the sandbox is built from.
//!
//! `cargo tree` names the packages, and cargo's folder of sources holds the texts. Packages with
//! identical texts share one.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const RULE: &str = "--------------------------------------------------------------------------";

/// One package of another author.
#[derive(Debug, PartialEq)]
struct Package {
    name: String,
    version: String,
    licence: String,
}

/// Prints the packages with their licences, then the texts.
pub(crate) fn notices() -> Result<ExitCode, String> {
    let mut by_text: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut parts = Vec::new();
    for package in packages()? {
        let name = format!("{} {}", package.name, package.version);
        parts.push(format!("{name}: {}", package.licence));
        for text in texts_in(&source_of(&package)?)? {
            by_text.entry(text).or_default().push(name.clone());
        }
    }
    let own = include_str!("../../../LICENSE-APACHE").trim_end();
    parts.push(format!(
        "\nPackages without a text below are used under this licence if they allow it:\n\n{own}"
    ));
    for (text, mut names) in by_text {
        names.dedup();
        parts.push(format!("{RULE}\n{}\n\n{}", names.join(", "), text.trim()));
    }
    let all = parts.join("\n") + "\n";
    let printed = std::io::stdout().write_all(all.as_bytes());
    printed.map_err(|error| format!("notices: {error}"))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the packages of the sandbox on this system, without those of this repository.
fn packages() -> Result<Vec<Package>, String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--package", "demo", "--edges", "normal", "--locked"])
        .args(["--prefix", "none", "--no-dedupe", "--format", "{p}|{l}"])
        .output()
        .map_err(|error| format!("notices: could not start cargo: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines.dedup();
    Ok(lines.into_iter().filter_map(parse).collect())
}

/// Reads `name v1.2.3|licence`; `None` for a package with a path, which is ours.
fn parse(line: &str) -> Option<Package> {
    let (package, licence) = line.split_once('|')?;
    let mut words = package.split(' ');
    let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
    let is_ours = words.any(|word| word.starts_with('(') && word.contains(['/', '\\']));
    (!is_ours).then(|| Package {
        name: name.to_owned(),
        version: version.to_owned(),
        licence: licence.to_owned(),
    })
}

/// Returns the folder into which cargo unpacked a package.
fn source_of(package: &Package) -> Result<PathBuf, String> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let user = ["HOME", "USERPROFILE"]
        .into_iter()
        .find_map(std::env::var_os);
    let home = home
        .or_else(|| user.map(|user| Path::new(&user).join(".cargo")))
        .ok_or("notices: neither CARGO_HOME nor HOME is set")?;
    let name = format!("{}-{}", package.name, package.version);
    entries(&home.join("registry/src"))?
        .into_iter()
        .map(|registry| registry.join(&name))
        .find(|folder| folder.is_dir())
        .ok_or_else(|| format!("notices: {name} is not unpacked: run cargo fetch --locked"))
}

/// Returns the licence texts in a folder and the folders in it.
fn texts_in(folder: &Path) -> Result<Vec<String>, String> {
    let mut texts = Vec::new();
    for path in entries(folder)? {
        if path.is_dir() {
            texts.extend(texts_in(&path)?);
        } else if is_licence(&path) {
            let bytes = std::fs::read(&path).map_err(|error| told(&path, &error))?;
            texts.push(String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    Ok(texts)
}

/// Returns the contents of a folder in the order of their names.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let listed = std::fs::read_dir(folder).map_err(|error| told(folder, &error))?;
    let mut paths: Vec<PathBuf> = listed.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

fn told(path: &Path, error: &std::io::Error) -> String {
    format!("notices: {}: {error}", path.display())
}

/// Returns true for a text about licences by its name. Fonts bring theirs in text files of any
/// name.
fn is_licence(path: &Path) -> bool {
    let lower = |part: Option<&std::ffi::OsStr>| {
        part.map_or(String::new(), |part| part.to_string_lossy().to_lowercase())
    };
    let (name, kind) = (lower(path.file_name()), lower(path.extension()));
    let begins = ["copying", "copyright", "licen", "notice", "unlicense"];
    let is_named = begins.iter().any(|word| name.starts_with(word)) && kind != "rs";
    let is_of_font = lower(path.parent().and_then(Path::file_name)) == "fonts" && kind == "txt";
    is_named || is_of_font
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_reads_packages_of_others_only() {
        let package = parse("noise v0.9.0 (proc-macro)|MIT/Apache-2.0").expect("it is complete");
        assert_eq!((&*package.name, &*package.version), ("noise", "0.9.0"));
        assert_eq!(package.licence, "MIT/Apache-2.0");
        assert_eq!(parse("world v0.1.0 (/home/voxels/world)|MIT"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn licences_are_known_by_name() {
        for name in [
            "a/LICENSE-MIT",
            "a/COPYING.LIB",
            "a/NOTICE",
            "fonts/OFL.txt",
        ] {
            assert!(is_licence(Path::new(name)), "{name}");
        }
        for name in [
            "a/license.rs",
            "a/README.md",
            "fonts/Hack.ttf",
            "src/OFL.txt",
        ] {
            assert!(!is_licence(Path::new(name)), "{name}");
        }
    }
}
