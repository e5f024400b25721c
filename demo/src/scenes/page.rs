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
figcaption { font-size: .8rem; opacity: .65; } svg { background: #8881; border-radius: 4px; }
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
         Lines are the ways of characters, thicker where they stand; grey is solid.</p>",
        results.len(),
        results.len() - failed,
    );
    for outcome in results {
        section(&mut out, outcome);
    }
    out.push_str("</body></html>\n");
    out
}

fn section(out: &mut String, outcome: &Outcome) {
    let verdict = &outcome.verdict;
    let (class, word) = if verdict.passed() {
        ("pass", "pass")
    } else {
        ("fail", "fail")
    };
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "<section id=\"{0}\"><h2>{0} <span class=\"{class}\">{word}</span></h2>\
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
    fn text_cannot_become_markup() {
        assert_eq!(escape("<b a=\"1\">&"), "&lt;b a=&quot;1&quot;&gt;&amp;");
    }
}
