//! Tables of the page.

use super::{names, of_name};
use crate::machine::Machine;
use crate::row::Row;
use std::fmt::Write;

/// Escapes text for HTML.
pub fn plain(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Formats a number with about three digits.
pub fn figure(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 || size == 0.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

pub fn of_machine(machine: &Machine, rows: &[Row]) -> String {
    // For comparing runs. A stopped run has a note; its hash, present in older results, only
    // depends on the speed of the machine.
    let completed = |row: &&Row| row.peer == "ours" && row.note.is_none();
    let hash = rows.iter().rev().filter(completed).find_map(|row| {
        let hash = row.hash.as_ref()?;
        Some(format!("{hash} ({})", row.name))
    });
    let lines = [
        ("Commit", machine.commit.clone()),
        ("Run", machine.date.clone()),
        (
            "Machine",
            format!(
                "{}, {} threads, {:.0} GB, {}",
                machine.processor, machine.threads, machine.memory_gigabytes, machine.system
            ),
        ),
        ("Compiler", machine.compiler.clone()),
        (
            "Load before and after",
            format!(
                "{:.1}, {:.1} (a minute's mean: before, the build counts too; after, this run is \
                 about 1.0 of it)",
                machine.load_before, machine.load_after
            ),
        ),
        (
            "State hash of ours",
            hash.unwrap_or_else(|| "none".to_owned()),
        ),
        (
            "Left out",
            if machine.left_out.is_empty() {
                "nobody".to_owned()
            } else {
                machine.left_out.join(", ")
            },
        ),
    ];
    let mut html = String::from("<table>");
    for (what, value) in lines {
        let _ = write!(
            html,
            "<tr><th>{what}</th><td style=\"text-align:left\">{}</td></tr>",
            plain(&value)
        );
    }
    html + "</table>"
}

/// Makes a table of one name's rows; empty columns are left out.
pub fn of_rows(rows: &[&Row]) -> String {
    type Column = (&'static str, fn(&Row) -> Option<String>);
    let columns: [Column; 11] = [
        ("p99", |row| (row.runs > 1).then(|| figure(row.p99))),
        ("samples", |row| {
            (row.runs > 1).then(|| row.runs.to_string())
        }),
        ("of ours", |row| {
            row.ratio.map(|ratio| format!("{}×", figure(ratio)))
        }),
        ("moved", |row| row.moved.map(|moved| format!("{moved:.3}"))),
        ("inside", |row| row.inside.map(|count| count.to_string())),
        ("stuck", |row| row.stuck.map(|count| count.to_string())),
        ("height, m", |row| {
            row.height.map(|height| format!("{height:.2}"))
        }),
        ("kB each", |row| row.kilobytes_each.map(figure)),
        ("held", |row| {
            row.passed.map(|[held, all]| format!("{held} of {all}"))
        }),
        ("state hash", |row| row.hash.clone()),
        ("", |row| row.note.as_deref().map(plain)),
    ];
    let filled: Vec<&Column> = columns
        .iter()
        .filter(|(_, cell)| rows.iter().any(|row| cell(row).is_some()))
        .collect();
    let unit = rows.first().map_or("", |row| row.unit.as_str());
    let mut html = format!("<table><tr><th>peer</th><th>median, {unit}</th>");
    for (title, _) in &filled {
        let _ = write!(html, "<th>{title}</th>");
    }
    html.push_str("</tr>");
    for row in rows {
        let class = if row.peer == "ours" {
            " class=\"ours\""
        } else {
            ""
        };
        let _ = write!(
            html,
            "<tr{class}><td>{}</td><td>{}</td>",
            plain(&row.peer),
            figure(row.median)
        );
        for (_, cell) in &filled {
            let _ = write!(html, "<td>{}</td>", cell(row).unwrap_or_default());
        }
        html.push_str("</tr>");
    }
    html + "</table>"
}

/// Makes a table of scenes by peers: the number of passed variants.
pub fn of_scenes(rows: &[Row]) -> String {
    let totals = of_name(rows, "behaviour.scenes");
    if totals.is_empty() {
        return String::new();
    }
    let mut html = String::from(
        "<h2>Behaviour</h2><p class=\"note\">The regression scenes that make sense for a capsule, \
         each through the peer's own controller; variants of a scene that held, of all. Ours is \
         held to the scene as it stands, hash and all; the others get five centimetres, ten \
         centimetres a second and ten ticks to settle. parry, Box3D and avian only slide: their \
         steps and ground are ours.</p><table><tr><th>scene</th>",
    );
    for row in &totals {
        let _ = write!(html, "<th>{}</th>", plain(&row.peer));
    }
    html.push_str("</tr>");
    for name in names(rows, &["scene."]) {
        let _ = write!(html, "<tr><td>{}</td>", name.trim_start_matches("scene."));
        for row in of_name(rows, name) {
            html.push_str(&verdict(row));
        }
        html.push_str("</tr>");
    }
    html.push_str("<tr class=\"ours\"><td>all of a scene's variants</td>");
    totals.iter().for_each(|row| html.push_str(&verdict(row)));
    html + "</tr></table>"
}

/// Makes a table of our own figures and their bars.
pub fn of_figures(rows: &[Row]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut html = String::from(
        "<h2>Our own figures</h2><p class=\"note\">What the demo's bench prints in the same run, \
         each beside what it must reach.</p>\
         <table><tr><th>figure</th><th>median</th><th></th><th>p99</th><th>must be</th></tr>",
    );
    for row in rows {
        let class = match row.passed {
            Some([0, _]) => "none",
            Some(_) => "good",
            None => "",
        };
        let _ = write!(
            html,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"{class}\">{}</td></tr>",
            plain(&row.name),
            figure(row.median),
            plain(&row.unit),
            figure(row.p99),
            plain(row.note.as_deref().unwrap_or_default()),
        );
    }
    html + "</table>"
}

fn verdict(row: &Row) -> String {
    let [held, all] = row.passed.unwrap_or_default();
    let class = match held {
        held if held == all => "good",
        0 => "none",
        _ => "some",
    };
    format!("<td class=\"{class}\">{held} of {all}</td>")
}
