//! The sandbox's program: all it does is call the library's command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    demo::cli::main()
}
