//! Results on disk and as a page: JSON lines to keep, and one HTML file with tables and plots.
//!
//! The first kept line is the machine, every other one a row. Reading order: [`table`], [`plot`].

mod plot;
mod table;

use crate::figures;
use crate::machine::Machine;
use crate::row::Row;
use launcher::Arguments;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::fs;
use std::path::Path;

#[derive(Serialize, Deserialize)]
struct First {
    machine: Machine,
}

/// Writes the files that the arguments ask for; a failure of one does not prevent the other.
pub fn keep(machine: &Machine, rows: &[Row], arguments: &Arguments) -> Result<(), String> {
    let kept = arguments.keep.as_ref().map_or(Ok(()), |file| {
        write(file, &lines(machine, rows)?)?;
        eprintln!("peers: kept in {}", file.display());
        Ok(())
    });
    let told = report(machine, rows, arguments);
    kept.and(told)
}

/// Makes the page from kept results.
pub fn from_file(file: &Path, arguments: &Arguments) -> Result<(), String> {
    let say = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let text = fs::read_to_string(file).map_err(|error| say(&error))?;
    let mut lines = text.lines();
    let first = lines.next().ok_or_else(|| say(&"it is empty"))?;
    let First { machine } = serde_json::from_str(first).map_err(|error| say(&error))?;
    let rows: Result<Vec<Row>, _> = lines.map(serde_json::from_str).collect();
    let rows = rows.map_err(|error| say(&error))?;
    report(&machine, &rows, arguments)
}

fn lines(machine: &Machine, rows: &[Row]) -> Result<String, String> {
    let first = First {
        machine: machine.clone(),
    };
    let mut text = serde_json::to_string(&first).map_err(|error| error.to_string())?;
    for row in rows {
        let line = serde_json::to_string(row).map_err(|error| error.to_string())?;
        text = text + "\n" + &line;
    }
    Ok(text + "\n")
}

fn report(machine: &Machine, rows: &[Row], arguments: &Arguments) -> Result<(), String> {
    if let Some(file) = arguments.page() {
        write(&file, &page(machine, rows))?;
        eprintln!("peers: the page is {}", file.display());
    }
    Ok(())
}

/// Writes a file. Its folder exists: it was made before measuring.
fn write(file: &Path, text: &str) -> Result<(), String> {
    fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}

const STYLE: &str = "body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;\
max-width:76rem;padding:0 1rem;color:#1c2330}\
h1{font-size:1.6rem}h2{margin-top:2.4rem;border-bottom:1px solid #d5dae3}h3{margin:1.4rem 0 .4rem}\
table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.6rem 0}\
td,th{padding:.15rem .7rem;text-align:right;border-bottom:1px solid #eceff4}\
td:first-child,th:first-child{text-align:left}\
tr.ours{background:#e8f3ec;font-weight:600}td.good{background:#dff1e4}td.some{background:#fdf3d8}\
td.none{background:#fbe3e1}\
.plots{display:flex;flex-wrap:wrap;gap:1rem}svg{background:#fafbfc;border:1px solid #e3e7ee}\
p.note{color:#566;max-width:60rem}";

fn page(machine: &Machine, rows: &[Row]) -> String {
    let (own, rows): (Vec<Row>, Vec<Row>) = rows
        .iter()
        .cloned()
        .partition(|row| row.peer == figures::PEER);
    let rows = rows.as_slice();
    let mut html = String::new();
    html.push_str(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Ours and peers</title>",
    );
    let _ = write!(
        html,
        "<style>{STYLE}</style><h1>Ours and peers, side by side</h1>"
    );
    html.push_str(&table::of_machine(machine, rows));
    characters(&mut html, rows);
    section(
        &mut html,
        rows,
        "One edited voxel",
        "Until the collision world is true again for those who walk, for triangle peers from a \
         mesh that is ready (NOTES.md tells how each builds its own from it); held: how many of \
         those dropped onto new voxels came to rest on them.",
        &["edit."],
    );
    section(
        &mut html,
        rows,
        "Chunks to quads",
        "All surface chunks of the proving ground, masks ready for those who take masks.",
        &["world.merge."],
    );
    section(
        &mut html,
        rows,
        "Indexes",
        "10,000 boxes. What queries find, after a tick's moves too, is compared with ours; rows of \
         moves alone are only timed. Moves of one box, and small boxes that wander, with the \
         upkeep each library asks for.",
        &["world.index.", "hash."],
    );
    section(
        &mut html,
        rows,
        "On disk",
        "256 edited chunks until they are safe, and milliseconds of edits lost by a kill; held: \
         kills after which every edit that was there was whole.",
        &["store."],
    );
    html.push_str(&table::of_scenes(rows));
    html.push_str(&table::of_figures(&own));
    html.push_str("</html>\n");
    html
}

/// Returns the names of rows with one of these beginnings, in order of occurrence.
fn names<'a>(rows: &'a [Row], beginnings: &[&str]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for row in rows {
        let begins = beginnings.iter().any(|one| row.name.starts_with(one));
        if begins && !names.contains(&row.name.as_str()) {
            names.push(&row.name);
        }
    }
    names
}

fn of_name<'a>(rows: &'a [Row], name: &str) -> Vec<&'a Row> {
    rows.iter().filter(|row| row.name == name).collect()
}

fn section(html: &mut String, rows: &[Row], title: &str, note: &str, beginnings: &[&str]) {
    let names = names(rows, beginnings);
    if names.is_empty() {
        return;
    }
    let _ = write!(
        html,
        "<h2>{title}</h2><p class=\"note\">{note}</p><div class=\"plots\">"
    );
    for name in &names {
        html.push_str(&plot::bars(name, &of_name(rows, name)));
    }
    html.push_str("</div>");
    for name in &names {
        let _ = write!(
            html,
            "<h3>{name}</h3>{}",
            table::of_rows(&of_name(rows, name))
        );
    }
}

fn characters(html: &mut String, rows: &[Row]) {
    let names = names(rows, &["crowd."]);
    if names.is_empty() {
        return;
    }
    html.push_str(
        "<h2>Characters</h2><p class=\"note\">Microseconds a character and tick on one thread, \
         against how many there are; both axes are logarithmic. Moved: share of the wished way. \
         Inside: deeper than 5 cm in the ground at the end. Stuck: moved less than 10 cm in the \
         last second. Characters do not meet each other, except in the rows that say so.</p>\
         <div class=\"plots\">",
    );
    let mut scenes: Vec<&str> = Vec::new();
    for name in &names {
        let scene = name.rsplit_once('.').map_or(*name, |(scene, _)| scene);
        if !scenes.contains(&scene) {
            scenes.push(scene);
        }
    }
    for scene in &scenes {
        html.push_str(&plot::lines(scene, rows));
    }
    html.push_str("</div>");
    for name in &names {
        let _ = write!(
            html,
            "<h3>{name}</h3>{}",
            table::of_rows(&of_name(rows, name))
        );
    }
}
