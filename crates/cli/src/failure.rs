//! Error reports and exit statuses.

use crate::Cli;
use crate::interrupt::INTERRUPTED;
use anabranch::Error;
use anabranch::scenarios::{is_hidden, is_unit, printable};
use clap::CommandFactory;
use clap::error::{ContextKind, ErrorKind};
use miette::{MietteDiagnostic, MietteHandlerOpts};
use std::io::{self, Write};
use std::process::ExitCode;

/// Installs the error reporter. It does not break names such as `coupled-cubic` and paths, so that users can copy them.
pub fn install() {
    let whole_words = MietteHandlerOpts::new()
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .break_words(false);
    let handler = move |_: &_| -> Box<dyn miette::ReportHandler> { Box::new(whole_words.clone().build()) };
    // Fails only if a handler is installed already, which then serves.
    let _ = miette::set_hook(Box::new(handler));
}

/// Reports an invalid command line, or prints the requested help, and exits.
pub fn usage(mut error: clap::Error) -> ! {
    let args: Vec<String> = std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let tip = tip(&error, &args);
    if !tip.is_empty() {
        // Clap's own tip, to pass the argument as a value.
        error.remove(ContextKind::Suggested);
    }
    if !error.use_stderr() || tip.is_empty() && !args.iter().any(|arg| arg.contains(is_hidden)) {
        error.exit();
    }
    // If stderr is closed, the message cannot be shown.
    let _ = writeln!(io::stderr(), "{}", printable(&(error.render().to_string() + &tip)));
    std::process::exit(error.exit_code());
}

/// What to write instead of an argument that clap does not know; empty if unsure.
fn tip(error: &clap::Error, args: &[String]) -> String {
    let unknown = error.get(ContextKind::InvalidArg).map(ToString::to_string);
    let Some(unknown) = unknown.filter(|_| error.kind() == ErrorKind::UnknownArgument) else {
        return String::new();
    };
    let command = args.get(1).map_or("", String::as_str);
    let tip = |text: String| format!("\n  tip: {text}");
    // The file of `--plot` is optional, so it needs an equals sign.
    if args.windows(2).any(|pair| pair[0] == "--plot" && pair[1] == unknown && !unknown.starts_with('-')) {
        return tip(format!("write --plot={unknown}"));
    }
    if command == "run" && is_of_plot(&unknown) {
        let command = format!("anabranch plot DIR {unknown} …");
        return tip(format!("an option of `plot`: anabranch run FILE --out DIR, then {command}"));
    }
    if unknown == "--seeds" && command == "run" {
        return tip("several seeds: anabranch compare FILE --cc CC --seeds N".to_owned());
    }
    // What is split comes before the argument that is too many, or is that one.
    let last = args.iter().position(|arg| *arg == unknown).unwrap_or(args.len() - 1);
    for i in 2..=last {
        let (before, word) = (&args[i - 1], &args[i]);
        let option = match before.split_once('=') {
            Some((option, _)) if option.starts_with("--") => Some(String::new()),
            _ => Some(format!("{} ", args[i - 2])).filter(|option| option.starts_with("--")),
        };
        let Some(option) = option else { continue };
        if before.ends_with(',') && !word.starts_with('-') {
            return tip(format!("no space after the comma: {option}{before}{word}"));
        }
        if before.ends_with(|c: char| c.is_ascii_digit()) && is_unit(word) {
            return tip(format!("put the value in quotes: {option}'{before} {word}'"));
        }
    }
    String::new()
}

fn is_of_plot(option: &str) -> bool {
    let root = Cli::command();
    let mut options = root.find_subcommand("plot").into_iter().flat_map(clap::Command::get_arguments);
    options.any(|arg| arg.get_long().is_some_and(|long| option.strip_prefix("--") == Some(long)))
}

/// Reports an error on stderr and returns the exit status: 1 for a failed result, 2 for bad input or a bad environment, 130
/// for an interruption.
pub fn report(error: Error) -> ExitCode {
    let (report, status) = match error {
        Error::Result(report) => (report, 1),
        Error::Input(report) => (report, 2),
        Error::Interrupted(report) => (report, INTERRUPTED),
    };
    // Diagnostics of scenarios are already printable. Other messages may contain raw names.
    let report = if report.source_code().is_some() || report.related().is_some() {
        report
    } else {
        let mut shown = MietteDiagnostic::new(printable(&report.to_string()));
        shown.help = report.help().map(|help| printable(&help.to_string()));
        shown.into()
    };
    // If stderr is closed, the message cannot be shown.
    let _ = writeln!(io::stderr(), "{report:?}");
    ExitCode::from(status)
}
