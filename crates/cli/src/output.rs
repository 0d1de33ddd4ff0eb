//! Standard output, and notes on stderr.

use crate::table::WIDTH;
use anabranch::Error;
use anabranch::scenarios::{is_hidden, printable};
use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};
use std::env;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
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
    printed(writeln!(out, "{}", printable(text.trim_end_matches('\n'))).and_then(|()| out.flush()))
}

fn printed(result: io::Result<()>) -> Result<(), Error> {
    match result {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == ErrorKind::BrokenPipe => {
            CLOSED.store(true, Ordering::Relaxed);
            Ok(())
        }
        Err(e) => Err(Error::environment("cannot write to standard output", &e)),
    }
}

/// Prints `value` as indented JSON. Control characters in its strings become escapes such as `\u202e`.
pub fn print_json(value: &impl Serialize) -> Result<(), Error> {
    print_json_as(PrettyFormatter::new(), value)
}

pub fn print_json_line(value: &impl Serialize) -> Result<(), Error> {
    print_json_as(CompactFormatter, value)
}

/// As a stream, since the text of many flows takes more memory than their simulation.
fn print_json_as(format: impl Formatter, value: &impl Serialize) -> Result<(), Error> {
    let mut out = VisibleJson(BufWriter::new(io::stdout().lock()));
    let written = value.serialize(&mut Serializer::with_formatter(&mut out, format));
    printed(written.map_err(io::Error::from).and_then(|()| writeln!(out)).and_then(|()| out.flush()))
}

/// Writes JSON with escapes instead of hidden characters. Takes whole characters, as `serde_json` writes them.
struct VisibleJson<W>(W);

impl<W: Write> Write for VisibleJson<W> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let mut rest = str::from_utf8(text).map_err(|e| io::Error::new(ErrorKind::InvalidData, e))?;
        while let Some(at) = rest.find(|c| c != '\n' && is_hidden(c)) {
            let (shown, hidden) = rest.split_at(at);
            self.0.write_all(shown.as_bytes())?;
            let mut after = hidden.chars();
            for unit in after.next().into_iter().flat_map(|c| c.encode_utf16(&mut [0; 2]).to_vec()) {
                write!(self.0, "\\u{unit:04x}")?;
            }
            rest = after.as_str();
        }
        self.0.write_all(rest.as_bytes())?;
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
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
