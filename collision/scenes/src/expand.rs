//! Turns the text of a scene into plain statements: removes comments, carries out `let`, `vary` and
//! `repeat`, and replaces braces by numbers.

use super::error::{Fault, SceneError};
use super::expression::{Variables, evaluate};

/// Most statements of one variant after its repeats are written out.
const MOST_STATEMENTS: usize = 200_000;
/// Most statements and lines of blocks of all variants together.
const MOST_LINES: usize = 1_000_000;
/// Most bytes of the text of all variants together.
const MOST_BYTES: usize = 64 << 20;
/// Most lines of the file read for all variants together, where repeated reading counts; each 64
/// bytes of a line count as one more.
const MOST_STEPS: usize = 20_000_000;
/// Most variants of one scene.
const MOST_VARIANTS: usize = 512;
/// Most nested repeats.
const DEEPEST: usize = 8;

/// One statement, with everything computed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Statement {
    /// The line of the statement in the file.
    pub(super) line: usize,
    /// Its text, without comments and braces.
    pub(super) text: String,
    /// The raw lines of a `layer` or `obj` block.
    pub(super) block: Vec<String>,
}

/// One choice of the varied values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Variant {
    /// The varied values, such as `angle=30`; empty where nothing is varied.
    pub(super) label: String,
    /// The statements of the variant.
    pub(super) statements: Vec<Statement>,
}

/// Writes out every variant of a text.
pub(super) fn expand(file: &str, text: &str) -> Result<Vec<Variant>, SceneError> {
    let lines: Vec<Line<'_>> = text
        .lines()
        .enumerate()
        .map(|(index, text)| Line {
            number: index + 1,
            text,
        })
        .collect();
    let mut choices = vec![(String::new(), Variables::new())];
    for line in &lines {
        if let Some(rest) = clean(line.text).strip_prefix("vary ") {
            choices = multiply(&choices, rest).map_err(|fault| fault.at(file, line.number))?;
        }
    }
    let mut variants = Vec::new();
    let mut left = Left {
        lines: MOST_LINES,
        bytes: MOST_BYTES,
        steps: MOST_STEPS,
    };
    for (label, variables) in choices {
        let mut expander = Expander {
            file,
            variables,
            statements: Vec::new(),
            left,
            depth: 0,
        };
        expander.expand_all(&lines)?;
        left = expander.left;
        variants.push(Variant {
            label,
            statements: expander.statements,
        });
    }
    Ok(variants)
}

#[derive(Clone, Copy)]
struct Line<'a> {
    number: usize,
    text: &'a str,
}

/// The remaining numbers of lines, bytes of text and lines read.
#[derive(Clone, Copy)]
struct Left {
    lines: usize,
    bytes: usize,
    steps: usize,
}

fn spend(left: &mut usize, cost: usize, what: &'static str, limit: usize) -> Result<(), Fault> {
    *left = left
        .checked_sub(cost)
        .ok_or(Fault::TooMany { what, limit })?;
    Ok(())
}

/// Returns the cost of reading lines once.
fn steps(lines: &[Line<'_>]) -> usize {
    lines.iter().map(|line| 1 + line.text.len() / 64).sum()
}

struct Expander<'a> {
    file: &'a str,
    variables: Variables,
    statements: Vec<Statement>,
    left: Left,
    depth: usize,
}

fn clean(text: &str) -> &str {
    text.split('#').next().unwrap_or("").trim()
}

fn first_word(text: &str) -> &str {
    clean(text).split_whitespace().next().unwrap_or("")
}

fn multiply(
    choices: &[(String, Variables)],
    rest: &str,
) -> Result<Vec<(String, Variables)>, Fault> {
    let mut words = rest.split_whitespace();
    let missing = |missing| Fault::Missing {
        statement: "vary".to_owned(),
        missing,
    };
    let name = words.next().ok_or_else(|| missing("a name"))?;
    let values: Vec<&str> = words.collect();
    if values.is_empty() {
        return Err(missing("values"));
    }
    if values.len() * choices.len() > MOST_VARIANTS {
        return Err(Fault::TooMany {
            what: "variants",
            limit: MOST_VARIANTS,
        });
    }
    let mut multiplied = Vec::new();
    for (label, variables) in choices {
        for word in &values {
            let value = word.parse().ok().filter(|value: &f64| value.is_finite());
            let value = value.ok_or_else(|| Fault::Number {
                word: (*word).to_owned(),
                wanted: "a finite number",
            })?;
            let mut variables = variables.clone();
            variables.insert(name.to_owned(), value);
            multiplied.push((
                format!("{label} {name}={word}").trim_start().to_owned(),
                variables,
            ));
        }
    }
    Ok(multiplied)
}

impl Expander<'_> {
    fn expand_all(&mut self, lines: &[Line<'_>]) -> Result<(), SceneError> {
        let mut index = 0;
        while index < lines.len() {
            index = self.expand_one(lines, index)?;
        }
        Ok(())
    }

    /// Carries out the statement at an index and returns the index after it.
    fn expand_one(&mut self, lines: &[Line<'_>], index: usize) -> Result<usize, SceneError> {
        let line = lines[index];
        self.step(&lines[index..=index])?;
        match first_word(line.text) {
            "" | "vary" => Ok(index + 1),
            "end" => Err(Fault::StrayEnd.at(self.file, line.number)),
            "let" => self.assign(line).map(|()| index + 1),
            "repeat" => self.repeat(lines, index),
            "layer" => self.raw_block(lines, index, "layer"),
            "obj" => self.raw_block(lines, index, "obj"),
            _ => {
                let text = self.substitute(line)?;
                self.push(Statement {
                    line: line.number,
                    text,
                    block: Vec::new(),
                })?;
                Ok(index + 1)
            }
        }
    }

    /// Counts lines that are read.
    fn step(&mut self, lines: &[Line<'_>]) -> Result<(), SceneError> {
        let what = "lines to go through";
        let spent = spend(&mut self.left.steps, steps(lines), what, MOST_STEPS);
        let number = lines.first().map_or(0, |line| line.number);
        spent.map_err(|fault| fault.at(self.file, number))
    }

    fn push(&mut self, statement: Statement) -> Result<(), SceneError> {
        self.take_room(&statement)
            .map_err(|fault| fault.at(self.file, statement.line))?;
        self.statements.push(statement);
        Ok(())
    }

    fn take_room(&mut self, statement: &Statement) -> Result<(), Fault> {
        if self.statements.len() >= MOST_STATEMENTS {
            let (what, limit) = ("statements", MOST_STATEMENTS);
            return Err(Fault::TooMany { what, limit });
        }
        let (block, left) = (&statement.block, &mut self.left);
        let what = "lines in all variants";
        spend(&mut left.lines, 1 + block.len(), what, MOST_LINES)?;
        let bytes = statement.text.len() + block.iter().map(String::len).sum::<usize>();
        spend(&mut left.bytes, bytes, "bytes in all variants", MOST_BYTES)
    }

    fn assign(&mut self, line: Line<'_>) -> Result<(), SceneError> {
        let rest = clean(line.text).strip_prefix("let").unwrap_or("").trim();
        let (name, text) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let value = self.value(
            line,
            text.trim().trim_start_matches('{').trim_end_matches('}'),
        )?;
        self.variables.insert(name.to_owned(), value);
        Ok(())
    }

    fn value(&self, line: Line<'_>, text: &str) -> Result<f64, SceneError> {
        let fault = |why| {
            Fault::Expression {
                text: text.to_owned(),
                why,
            }
            .at(self.file, line.number)
        };
        evaluate(text, &self.variables).map_err(fault)
    }

    fn substitute(&self, line: Line<'_>) -> Result<String, SceneError> {
        let mut text = String::new();
        let mut rest = clean(line.text);
        while let Some((before, after)) = rest.split_once('{') {
            let Some((inside, tail)) = after.split_once('}') else {
                let fault = Fault::Expression {
                    text: after.to_owned(),
                    why: "a `}` is missing".to_owned(),
                };
                return Err(fault.at(self.file, line.number));
            };
            text.push_str(before);
            text.push_str(&self.value(line, inside)?.to_string());
            rest = tail;
        }
        text.push_str(rest);
        Ok(text)
    }

    fn raw_block(
        &mut self,
        lines: &[Line<'_>],
        index: usize,
        kind: &'static str,
    ) -> Result<usize, SceneError> {
        let line = lines[index];
        let inside = lines[index + 1..]
            .iter()
            .position(|line| line.text.trim() == "end");
        let length = inside.ok_or_else(|| Fault::NoEnd(kind).at(self.file, line.number))?;
        self.step(&lines[index + 1..][..length])?;
        let block = lines[index + 1..][..length]
            .iter()
            .map(|line| line.text.trim().to_owned())
            .collect();
        let text = self.substitute(line)?;
        self.push(Statement {
            line: line.number,
            text,
            block,
        })?;
        Ok(index + length + 2)
    }

    fn repeat(&mut self, lines: &[Line<'_>], index: usize) -> Result<usize, SceneError> {
        let line = lines[index];
        let end = matching_end(lines, index)
            .ok_or_else(|| Fault::NoEnd("repeat").at(self.file, line.number))?;
        self.step(&lines[index..end])?;
        let text = self.substitute(line)?;
        let words: Vec<&str> = text.split_whitespace().collect();
        let range = match words[..] {
            [_, _, from, to] => from.parse().ok().zip(to.parse().ok()),
            _ => None,
        };
        let Some((from, to)): Option<(i32, i32)> = range else {
            let fault = Fault::Missing {
                statement: "repeat".to_owned(),
                missing: "a name and two whole numbers, as in `repeat i 0 10`",
            };
            return Err(fault.at(self.file, line.number));
        };
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Fault::TooMany {
                what: "repeats within repeats",
                limit: DEEPEST,
            }
            .at(self.file, line.number));
        }
        for value in from..to {
            self.variables.insert(words[1].to_owned(), f64::from(value));
            let before = self.statements.len();
            self.expand_all(&lines[index + 1..end])?;
            if self.statements.len() == before {
                break;
            }
        }
        self.depth -= 1;
        Ok(end + 1)
    }
}

fn matching_end(lines: &[Line<'_>], start: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, line) in lines.iter().enumerate().skip(start) {
        match first_word(line.text) {
            "repeat" | "layer" | "obj" => depth += 1,
            "end" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(index);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn texts(text: &str) -> Vec<Vec<String>> {
        let variants = expand("test", text).unwrap();
        variants
            .into_iter()
            .map(|variant| {
                variant
                    .statements
                    .into_iter()
                    .map(|statement| statement.text)
                    .collect()
            })
            .collect()
    }

    #[test]
    fn expand_writes_out_repeats_and_variants() {
        let text = "vary a 1 2\nlet b {a * 2}\nrepeat i 0 2\n box {i} {b} # a comment\nend\n";
        assert_eq!(
            texts(text),
            [["box 0 2", "box 1 2"], ["box 0 4", "box 1 4"]]
        );
    }

    #[test]
    fn expand_keeps_blocks_raw() {
        let variants = expand("test", "layer 0 1 0\n##.\n #\nend").unwrap();
        assert_eq!(variants[0].statements[0].block, ["##.", "#"]);
    }

    #[test]
    fn expand_names_the_line_of_a_fault() {
        let line = |text| expand("test", text).unwrap_err().line;
        assert_eq!(line("\nend"), 2);
        assert_eq!(line("\n\nrepeat i 0 2\nx"), 3);
        assert_eq!(line("a {1 +}"), 1);
        assert_eq!(line("a {1"), 1);
        assert_eq!(line("repeat i 0 2000000000\nx\nend"), 2);
        assert_eq!(line("vary a"), 1);
        assert_eq!(line("obj\nv 0 0 0"), 1);
    }

    #[test]
    fn expand_counts_all_variants_and_blocks_together() {
        let values: String = (0..512).map(|value| format!(" {value}")).collect();
        let many = format!("vary a{values}\nrepeat i 0 199000\nx\nend\n");
        let rows = "##\n".repeat(1000);
        let blocks = format!("repeat i 0 2000\nlayer 0 0 0\n{rows}end\nend\n");
        for text in [many, blocks] {
            let fault = expand("test", &text).unwrap_err().fault;
            assert!(matches!(
                fault,
                Fault::TooMany {
                    limit: MOST_LINES,
                    ..
                }
            ));
        }
    }

    #[test]
    fn expand_bounds_the_text_that_repeats_write_out() {
        let long = "x".repeat(100_000);
        let text = format!("repeat i 0 100000\n{long}\nend\n");
        let fault = expand("test", &text).unwrap_err().to_string();
        assert!(fault.contains("bytes"), "{fault}");
    }

    #[test]
    fn expand_bounds_repeats_of_lines_that_write_nothing() {
        let nothing = "\n".repeat(20_000);
        let inner = format!("repeat j 0 1\n{nothing}end\n");
        for body in [nothing, inner, format!("# {}\n", "x".repeat(100_000))] {
            let text = format!("repeat i 0 199000\nx\n{body}end\n");
            let fault = expand("test", &text).unwrap_err().to_string();
            assert!(fault.contains("go through"), "{fault}");
        }
    }
}
