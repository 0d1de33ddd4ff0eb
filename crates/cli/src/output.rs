//! Standard output, and notes beside it.

use crate::failure::Failure;
use crate::table::WIDTH;
use serde::Serialize;
use std::io::{self, ErrorKind, Write};

/// Prints `text`, ended by one newline.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{}", text.trim_end_matches('\n')).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == ErrorKind::BrokenPipe => Err(Failure::PipeClosed),
        Err(e) => Err(Failure::environment("cannot write to standard output", &e)),
    }
}

/// Prints `value` as indented JSON.
pub fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    match serde_json::to_string_pretty(value) {
        Ok(text) => print(&text),
        Err(e) => Err(Failure::environment("cannot write JSON", &e)),
    }
}

/// Notes on stderr what the user should know though the command goes on.
pub fn note(text: &str) {
    // Where stderr is gone there is nobody to tell.
    let _ = writeln!(io::stderr(), "{}", textwrap::fill(&format!("Note: {text}"), WIDTH));
}

/// "1 row", "2 rows".
pub fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
