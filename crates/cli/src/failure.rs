//! Why the command did not succeed, and its exit status.

use anabranch_record::output::OutputError;
use anabranch_scenario::{is_hidden, printable};
use anabranch_study::TaskError;
use miette::{Diagnostic, MietteDiagnostic, MietteHandlerOpts, Report, miette};
use std::io::{self, Write};
use std::process::ExitCode;

/// The exit status of what was interrupted, as shells have it for Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// Why the command did not succeed.
#[derive(Debug)]
pub enum Failure {
    /// The result itself failed: a run that broke, a row of a paper without a value. Status 1.
    Result(Report),
    /// Bad input, or an environment in which the command cannot work. Status 2.
    Input(Report),
    /// Ctrl-C or the like; how far it got. Status 130, as shells have it.
    Interrupted(Report),
    /// Nobody reads the output any more: no failure of ours. Status 0.
    PipeClosed,
}

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

impl From<OutputError> for Failure {
    fn from(error: OutputError) -> Self {
        let told = MietteDiagnostic::new(error.to_string());
        Failure::Input(match error.help() {
            Some(help) => told.with_help(help).into(),
            None => told.into(),
        })
    }
}

impl From<TaskError> for Failure {
    fn from(error: TaskError) -> Self {
        match error {
            TaskError::Interrupted { .. } => Failure::Interrupted(miette!("{error}; nothing of it is kept")),
            TaskError::Refused(_) => Failure::Input(miette!("{error}")),
            TaskError::Failed(_) => Failure::Result(miette!("the run failed: {error}")),
        }
    }
}

impl Failure {
    /// Bad input or environment.
    pub fn input(error: impl Diagnostic + Send + Sync + 'static) -> Self {
        Failure::Input(Report::new(error))
    }

    /// Something that could not be done to a file or the like.
    pub fn environment(doing: impl Into<String>, error: &(dyn std::error::Error + 'static)) -> Self {
        let mut message = format!("{}: {error}", doing.into());
        let mut source = error.source();
        while let Some(error) = source {
            message += &format!(": {error}");
            source = error.source();
        }
        Failure::Input(Report::msg(message))
    }

    /// Reports on stderr; the exit status.
    pub fn report(self) -> ExitCode {
        let (report, status) = match self {
            Failure::Result(report) => (report, 1),
            Failure::Input(report) => (report, 2),
            Failure::Interrupted(report) => (report, INTERRUPTED),
            Failure::PipeClosed => return ExitCode::SUCCESS,
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
}
