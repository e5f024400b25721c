//! The arithmetic between braces in a scene file: `{2 * cos(rad(angle)) + 1}`.
//!
//! Sines are computed here rather than by the platform, because ramps built with them must have the
//! same bits everywhere.

use std::collections::BTreeMap;
use std::f64::consts::PI;

/// Nested parentheses deeper than this are refused, so that no text can exhaust the stack.
const DEEPEST: usize = 32;

/// The variables of an expression by name.
pub(super) type Variables = BTreeMap<String, f64>;

/// Returns the value of an expression, or its fault.
pub(super) fn evaluate(text: &str, variables: &Variables) -> Result<f64, String> {
    let mut reader = Reader {
        rest: text,
        variables,
        depth: 0,
    };
    let value = reader.sum()?;
    reader.skip_blanks();
    match reader.rest {
        "" if value.is_finite() => Ok(value),
        "" => Err("its value is not finite".to_owned()),
        rest => Err(format!("unexpected `{rest}`")),
    }
}

struct Reader<'a> {
    rest: &'a str,
    variables: &'a Variables,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, sign: char) -> bool {
        self.skip_blanks();
        let after = self.rest.strip_prefix(sign);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let length = self
            .rest
            .find(|letter| !wanted(letter))
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(length);
        self.rest = rest;
        word
    }

    fn sum(&mut self) -> Result<f64, String> {
        let mut value = self.product()?;
        loop {
            if self.take('+') {
                value += self.product()?;
            } else if self.take('-') {
                value -= self.product()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self) -> Result<f64, String> {
        let mut value = self.factor()?;
        loop {
            if self.take('*') {
                value *= self.factor()?;
            } else if self.take('/') {
                value /= self.factor()?;
            } else if self.take('%') {
                value = value.rem_euclid(self.factor()?);
            } else {
                return Ok(value);
            }
        }
    }

    fn factor(&mut self) -> Result<f64, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("it nests deeper than {DEEPEST}"));
        }
        let value = self.factor_inside();
        self.depth -= 1;
        value
    }

    fn factor_inside(&mut self) -> Result<f64, String> {
        if self.take('-') {
            return Ok(-self.factor()?);
        }
        if self.take('(') {
            return self.close();
        }
        let word =
            self.take_while(|letter| letter.is_alphanumeric() || letter == '_' || letter == '.');
        match word.chars().next() {
            None => Err("a number, a name or `(` should come next".to_owned()),
            Some(first) if first.is_ascii_digit() || first == '.' => word
                .parse()
                .map_err(|_| format!("`{word}` is not a number")),
            Some(_) if self.take('(') => self.call(word),
            Some(_) if word == "pi" => Ok(PI),
            Some(_) => self
                .variables
                .get(word)
                .copied()
                .ok_or_else(|| format!("unknown variable `{word}`")),
        }
    }

    fn close(&mut self) -> Result<f64, String> {
        let value = self.sum()?;
        if self.take(')') {
            Ok(value)
        } else {
            Err("a `)` is missing".to_owned())
        }
    }

    fn call(&mut self, name: &str) -> Result<f64, String> {
        let first = self.sum()?;
        let second = if self.take(',') {
            Some(self.sum()?)
        } else {
            None
        };
        if !self.take(')') {
            return Err("a `)` is missing".to_owned());
        }
        match (name, second) {
            ("rad", None) => Ok(first * PI / 180.0),
            ("sin", None) => Ok(sine(first)),
            ("cos", None) => Ok(sine(first + PI / 2.0)),
            ("tan", None) => Ok(sine(first) / sine(first + PI / 2.0)),
            ("sqrt", None) => Ok(first.sqrt()),
            ("abs", None) => Ok(first.abs()),
            ("floor", None) => Ok(first.floor()),
            ("min", Some(second)) => Ok(first.min(second)),
            ("max", Some(second)) => Ok(first.max(second)),
            _ => Err(format!(
                "`{name}` is none of rad, sin, cos, tan, sqrt, abs, floor (one value), min, max \
                (two)"
            )),
        }
    }
}

/// Returns the sine of an angle in radians, with the same bits on every machine.
pub(super) fn sine(angle: f64) -> f64 {
    let turn = angle.rem_euclid(2.0 * PI);
    let folded = if turn > 1.5 * PI {
        turn - 2.0 * PI
    } else if turn > 0.5 * PI {
        PI - turn
    } else {
        turn
    };
    let (mut term, mut total) = (folded, folded);
    for step in 1..16 {
        let factor = f64::from(2 * step) * f64::from(2 * step + 1);
        term *= -folded * folded / factor;
        total += term;
    }
    total
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn evaluate_follows_the_rules_of_arithmetic() {
        let variables = Variables::from([("angle".to_owned(), 30.0)]);
        for (text, value) in [
            ("1 + 2 * 3", 7.0),
            ("-(1 - 4) / 2", 1.5),
            ("sqrt(16) - min(1, 2)", 3.0),
            ("7 % 4", 3.0),
        ] {
            assert_eq!(evaluate(text, &variables), Ok(value), "{text}");
        }
        assert!((evaluate("sin(rad(angle))", &variables).unwrap() - 0.5).abs() < 1e-15);
    }

    #[test]
    fn evaluate_refuses_invalid_text() {
        let deep = "(".repeat(100_000);
        for text in [
            "",
            "1 +",
            "2 )",
            "nobody",
            "1 / 0",
            "sin(",
            "floor(1, 2)",
            "1..2",
            &deep,
        ] {
            assert!(evaluate(text, &Variables::new()).is_err(), "{text:.20}");
        }
    }

    #[test]
    fn sine_agrees_with_the_platform() {
        for step in -1000..1000 {
            let angle = f64::from(step) * 0.013;
            assert!((sine(angle) - angle.sin()).abs() < 1e-14, "{angle}");
        }
    }
}
