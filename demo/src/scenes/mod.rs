//! The command `scenes`: runs the regression scenes, prints a line or a JSON object each, and draws
//! them into a page.

mod drawing;
mod ground;
mod page;
mod recording;

use std::path::{Path, PathBuf};

use collision_scenes::{Listed, Verdict, WorldGround, catalogue};
use serde_json::json;
use world::files::{self, Existing};

use crate::arguments::ScenesArguments;
use crate::error::Error;
use crate::terminal::{complain, say};

pub(crate) use recording::{Recording, Replay, Solids, has_ways};

pub(crate) fn run(arguments: &ScenesArguments) -> Result<(), Error> {
    let wanted = select(&arguments.names)?;
    if arguments.list {
        for scene in &wanted {
            say!("{:30} {}", scene.name, scene.about())?;
        }
        return Ok(());
    }
    let existing = arguments.overwriting.existing();
    let page = arguments.report.as_deref().map(page_in);
    if let Some(page) = &page {
        files::check(page, existing)?;
    }
    let mut results = Vec::new();
    for scene in wanted {
        let verdict = judge(scene);
        show(&verdict, arguments)?;
        results.push(Outcome { scene, verdict });
    }
    if let Some(page) = &page {
        write_page(page, &results, existing)?;
    }
    let passed = results.iter().filter(|outcome| outcome.verdict.passed());
    if !arguments.json {
        say!("{} of {} scenes passed", passed.count(), results.len())?;
    }
    let failed = results
        .iter()
        .filter(|outcome| !outcome.verdict.passed())
        .count();
    if failed > 0 {
        return Err(Error::Failed(format!(
            "{failed} of {} scenes failed",
            results.len()
        )));
    }
    Ok(())
}

/// A scene with its verdict.
struct Outcome {
    scene: Listed,
    verdict: Verdict,
}

/// Returns the scenes of these names, or all without names.
fn select(names: &[String]) -> Result<Vec<Listed>, Error> {
    if names.is_empty() {
        return Ok(catalogue().to_vec());
    }
    names.iter().map(|name| find(name)).collect()
}

/// Returns the scene of this name.
pub(crate) fn find(name: &str) -> Result<Listed, Error> {
    let found = catalogue().iter().find(|scene| scene.name == name);
    found.copied().ok_or_else(|| {
        Error::Usage(format!(
            "no scene is called `{name}`; `scenes --list` names them all"
        ))
    })
}

/// Runs a scene on the voxels of `world`.
pub(crate) fn judge(scene: Listed) -> Verdict {
    scene.run(Some(&WorldGround::lend))
}

fn show(verdict: &Verdict, arguments: &ScenesArguments) -> Result<(), Error> {
    let result = if verdict.passed() { "pass" } else { "fail" };
    if arguments.json {
        let line = json!({
            "name": verdict.name,
            "result": result,
            "why": verdict.why(),
            "ticks": verdict.ticks,
            "hash": format!("{:016x}", verdict.hash),
        });
        say!("{line}")
    } else {
        say!(
            "{result}  {:30} {:>9} ticks  {}",
            verdict.name,
            verdict.ticks,
            verdict.why()
        )
    }
}

/// Returns the path of the page in a report's folder.
fn page_in(folder: &Path) -> PathBuf {
    folder.join("index.html")
}

fn write_page(path: &Path, results: &[Outcome], existing: Existing) -> Result<(), Error> {
    files::write(path, page::page(results).as_bytes(), existing)?;
    complain!("{}: {} scenes", path.display(), results.len());
    Ok(())
}
