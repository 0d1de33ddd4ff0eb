//! Standard output, and notes on stderr.

use crate::table::WIDTH;
use anabranch::Error;
use anabranch::scenarios::{is_hidden, printable};
use serde::Serialize;
use std::env;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

static CLOSED: AtomicBool = AtomicBool::new(false);

/// Whether the reader of standard output has closed it. The command completes its other work anyway.
#[cfg(feature = "linux")]
pub fn is_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

/// Prints `text`, ended by one newline.
pub fn print(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    // Our own output contains no control characters.
    match writeln!(out, "{}", printable(text.trim_end_matches('\n'))).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == ErrorKind::BrokenPipe => {
            CLOSED.store(true, Ordering::Relaxed);
            Ok(())
        }
        Err(e) => Err(Error::environment("cannot write to standard output", &e)),
    }
}

/// Prints JSON. Control characters in its strings become escapes such as `\u202e`.
pub fn print_text_of_json(json: &str) -> Result<(), Error> {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            c if c != '\n' && is_hidden(c) => {
                c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| text += &format!("\\u{unit:04x}"));
            }
            c => text.push(c),
        }
    }
    print(&text)
}

/// Prints `value` as indented JSON.
pub fn print_json(value: &impl Serialize) -> Result<(), Error> {
    match serde_json::to_string_pretty(value) {
        Ok(text) => print_text_of_json(&text),
        Err(e) => Err(Error::environment("cannot write JSON", &e)),
    }
}

/// Prints a note for the user on stderr.
pub fn note(text: &str) {
    // If stderr is closed, the note cannot be shown.
    let _ = writeln!(io::stderr(), "{}", textwrap::fill(&printable(&format!("Note: {text}")), WIDTH));
}

/// The most warnings of a command with several scenarios.
const MOST_WARNINGS: usize = 4;

/// Notes on what is probably not meant in the scenarios of a command.
pub fn note_warnings(all: &[String]) {
    all.iter().take(MOST_WARNINGS).for_each(|warning| note(warning));
    if let Some(more @ 1..) = all.len().checked_sub(MOST_WARNINGS) {
        note(&format!("and {} of this kind", anabranch::counted(more, "further warning")));
    }
}

/// The names without repetitions, with a note on each.
pub fn distinct(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for name in names {
        match all.contains(&name) {
            true => note(&format!("{name} is given twice: it is shown once")),
            false => all.push(name),
        }
    }
    all
}

/// Lists the written files; empty without files.
pub fn list_files<'a>(files: impl IntoIterator<Item = &'a PathBuf>) -> String {
    let lines: String = files.into_iter().map(|file| format!("  {}\n", file.display())).collect();
    if lines.is_empty() { lines } else { format!("Wrote\n{lines}") }
}

/// Opens a picture in the desktop's viewer, if stdout is a terminal and a display exists.
pub fn open(picture: &Path) {
    let display =
        ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| env::var_os(name).is_some_and(|v| !v.is_empty()));
    if display && io::stdout().is_terminal() {
        // Without such a program, the printed path is enough.
        let _ = process::Command::new("xdg-open")
            .arg(picture)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
    }
}
