//! How the command reports that it did not succeed, and its exit status.

use anabranch::Error;
use anabranch_scenario::{is_hidden, printable};
use miette::{MietteDiagnostic, MietteHandlerOpts};
use std::io::{self, Write};
use std::process::ExitCode;

/// The exit status of what was interrupted, as shells have it for Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// Diagnostics keep names such as `coupled-cubic` and paths on one line, to be copied.
pub fn install() {
    let whole_words = MietteHandlerOpts::new()
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .break_words(false);
    let handler = move |_: &_| -> Box<dyn miette::ReportHandler> { Box::new(whole_words.clone().build()) };
    // Fails only where a handler is installed already: then that one serves.
    let _ = miette::set_hook(Box::new(handler));
}

/// Reports a command line that is none, or the help that it asks for, and ends.
pub fn usage(error: &clap::Error) -> ! {
    if !error.use_stderr() || !std::env::args().any(|arg| arg.contains(is_hidden)) {
        error.exit();
    }
    // Where stderr is gone there is nobody to tell.
    let _ = writeln!(io::stderr(), "{}", printable(&error.render().to_string()));
    std::process::exit(error.exit_code());
}

/// Reports on stderr; the exit status: 1 where the result itself failed, 2 for bad input or environment, 130 as shells have it.
pub fn report(error: Error) -> ExitCode {
    let (report, status) = match error {
        Error::Result(report) => (report, 1),
        Error::Input(report) => (report, 2),
        Error::Interrupted(report) => (report, INTERRUPTED),
    };
    // A scenario's own diagnostics are fit to be shown; other messages may have names of files, or of what is in them.
    let report = if report.source_code().is_some() || report.related().is_some() {
        report
    } else {
        let mut shown = MietteDiagnostic::new(printable(&report.to_string()));
        shown.help = report.help().map(|help| printable(&help.to_string()));
        shown.into()
    };
    // Where stderr is gone there is nobody to tell.
    let _ = writeln!(io::stderr(), "{report:?}");
    ExitCode::from(status)
}
