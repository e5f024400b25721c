//! Output to the terminal. A full or closed stream is an error, and control characters in names are
//! escaped.

use std::fmt::{self, Arguments, Display, Write as _};
use std::io::{self, ErrorKind, Write as _};

use crate::error::Error;

/// Prints a line, formatted as by `println!`.
macro_rules! say {
    ($($words:tt)*) => { $crate::terminal::print(format_args!($($words)*)) };
}

/// Prints a line to the stream for errors, formatted as by `eprintln!`. A failure is ignored.
macro_rules! complain {
    ($($words:tt)*) => { $crate::terminal::print_error(format_args!($($words)*)) };
}

pub(crate) use {complain, say};

pub(crate) fn print(words: Arguments<'_>) -> Result<(), Error> {
    let written = writeln!(io::stdout(), "{}", Plain(words));
    written.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Error::Unread,
        _ => Error::Output(error),
    })
}

pub(crate) fn print_error(words: Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{}", Plain(words));
}

/// Text whose control characters are escaped, except line breaks.
struct Plain<W>(W);

impl<W: Display> Display for Plain<W> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Escaping(formatter), "{}", self.0)
    }
}

struct Escaping<'a, 'b>(&'a mut fmt::Formatter<'b>);

impl fmt::Write for Escaping<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|letter| {
            if letter.is_control() && letter != '\n' {
                write!(self.0, "{}", letter.escape_default())
            } else {
                self.0.write_char(letter)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_written_out() {
        let words = Plain("ä\u{1b}[31m\u{9b}2J\r\nb").to_string();
        assert_eq!(words, "ä\\u{1b}[31m\\u{9b}2J\\r\nb");
    }
}
