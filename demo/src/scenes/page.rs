//! The report as one page that needs no other file.

use std::fmt::Write;

use super::Outcome;
use super::drawing::drawing;

const STYLE: &str = "
:root { color-scheme: light dark; --line: #8884; --good: #2c8a3f; --bad: #c8402c; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 74rem; \
       padding: 0 1rem; }
h1 { font-size: 1.5rem; } .summary { opacity: .75; }
section { border-top: 1px solid var(--line); padding: 1rem 0; }
h2 { font-size: 1.05rem; margin: 0 0 .2rem; } .pass { color: var(--good); } \
     .fail { color: var(--bad); }
p { margin: .2rem 0; } code { font-size: .85em; opacity: .75; }
.views { display: flex; gap: 1rem; flex-wrap: wrap; } figure { margin: .5rem 0; }
figcaption { font-size: .8rem; opacity: .65; } nav { line-height: 1.7; } \
nav a { margin-right: .6rem; white-space: nowrap; } svg { background: #8881; border-radius: 4px; }
";

pub(super) fn page(results: &[Outcome]) -> String {
    let failed = results
        .iter()
        .filter(|outcome| !outcome.verdict.passed())
        .count();
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Scenes</title>\
         <style>{STYLE}</style></head><body>\
         <h1>Regression scenes</h1><p class=\"summary\">{} scenes, {} passed, {failed} failed. \
         Lines are the ways of characters, thicker where they stand; grey is solid at the \
         beginning.</p>",
        results.len(),
        results.len() - failed,
    );
    index(&mut out, results);
    for outcome in failures_first(results) {
        section(&mut out, outcome);
    }
    out.push_str("</body></html>\n");
    out
}

/// Returns all outcomes, the failed ones before the others.
fn failures_first(results: &[Outcome]) -> impl Iterator<Item = &Outcome> {
    let failed = results.iter().filter(|it| !it.verdict.passed());
    failed.chain(results.iter().filter(|it| it.verdict.passed()))
}

/// Lists all scenes as links to their sections.
fn index(out: &mut String, results: &[Outcome]) {
    out.push_str("<nav>");
    for outcome in failures_first(results) {
        let name = escape(&outcome.verdict.name);
        let class = class_of(outcome);
        // Writing to a string cannot fail.
        let _ = write!(out, "<a class=\"{class}\" href=\"#{name}\">{name}</a> ");
    }
    out.push_str("</nav>");
}

fn class_of(outcome: &Outcome) -> &'static str {
    match outcome.verdict.passed() {
        true => "pass",
        false => "fail",
    }
}

fn section(out: &mut String, outcome: &Outcome) {
    let verdict = &outcome.verdict;
    let class = class_of(outcome);
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "<section id=\"{0}\"><h2>{0} <span class=\"{class}\">{class}</span></h2>\
         <p>{1}</p><p><code>{2} ticks, state {3:016x}</code></p>",
        escape(&verdict.name),
        escape(&outcome.scene.about()),
        verdict.ticks,
        verdict.hash,
    );
    if !verdict.passed() {
        let _ = write!(out, "<p class=\"fail\">{}</p>", escape(&verdict.why()));
    }
    out.push_str(&drawing(outcome));
    out.push_str("</section>\n");
}

/// Escapes text for HTML.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_come_first_and_the_ground_is_drawn() {
        let names = ["stairs_10x0.3", "turning_platform"];
        let mut results: Vec<Outcome> = Vec::new();
        for name in names {
            let scene = crate::scenes::find(name).unwrap_or_else(|error| panic!("{error}"));
            let verdict = crate::scenes::judge(scene);
            results.push(Outcome { scene, verdict });
        }
        results[1].verdict.faults.push("it fell".to_owned());
        let page = page(&results);
        let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text}"));
        assert!(place("href=\"#turning_platform\"") < place("href=\"#stairs_10x0.3\""));
        assert!(place("<section id=\"turning_platform\"") < place("<section id=\"stairs"));
        for section in page.split("<section").skip(1) {
            for view in section.split("<svg").skip(1) {
                let ground = view.split("class=\"ground\"").nth(1);
                let ground = ground
                    .and_then(|it| it.split("</g>").next())
                    .unwrap_or_default();
                assert!(ground.matches("<path").count() >= 3, "{ground}");
            }
        }
    }

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(escape("<b a=\"1\">&"), "&lt;b a=&quot;1&quot;&gt;&amp;");
    }
}
