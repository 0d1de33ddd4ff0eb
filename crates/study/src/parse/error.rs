//! Mistakes in study files, with their positions.

use anabranch_scenario::{of_same_length, printable, suggest};
use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};
use std::fmt;
use std::ops::Range;

/// How many characters after the start of a mistake a diagnostic shows of its line.
const LONGEST_REST: usize = 200;

/// A mistake whose file is not yet known.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub message: String,
    pub help: Option<String>,
    pub at: Option<Range<usize>>,
}

impl Problem {
    pub fn at(at: Range<usize>, message: impl Into<String>) -> Self {
        Problem { message: message.into(), help: None, at: Some(at) }
    }

    /// A mistake whose position the caller adds.
    pub fn new(message: impl Into<String>) -> Self {
        Problem { message: message.into(), help: None, at: None }
    }

    pub fn help(self, help: impl Into<String>) -> Self {
        Problem { help: Some(help.into()), ..self }
    }

    /// Helps with a wrong name by the known ones.
    pub fn suggest<'a>(self, wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        self.help(suggest(wrong, known))
    }

    /// The mistake, unless this holds.
    pub fn unless(self, holds: bool) -> Result<(), Self> {
        if holds { Ok(()) } else { Err(self) }
    }

    pub fn of_toml(error: toml::de::Error) -> Self {
        let unknown = error.message().starts_with("unknown field");
        Problem {
            message: error.message().to_owned(),
            help: (!unknown)
                .then(|| "see `anabranch schema study` or the book's page on studies for the keys".into()),
            at: error.span(),
        }
    }

    pub fn within(self, name: &str, text: &str) -> FileError {
        let help = self.help.as_deref().map(printable);
        let text = excerpt(text, self.at.as_ref());
        let at = self.at.map(|at| at.start..at.end.min(text.len()));
        let problem = Problem { message: printable(&self.message), help, at };
        let source = NamedSource::new(printable(name), of_same_length(text));
        FileError(Box::new(LocatedProblem { problem, source }))
    }
}

/// The text, up to 200 characters after the start of a mistake if its line is longer: a diagnostic shows whole lines.
fn excerpt<'a>(text: &'a str, mistake: Option<&Range<usize>>) -> &'a str {
    let start = mistake.map_or(0, |at| at.start);
    let rest = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    rest.char_indices().nth(LONGEST_REST).map_or(text, |(end, _)| &text[..start + end])
}

/// Adds a position unless there is a closer one.
pub(crate) trait OrAt {
    fn or_at(self, at: Range<usize>) -> Self;
}

impl OrAt for Problem {
    fn or_at(self, at: Range<usize>) -> Self {
        Problem { at: self.at.or(Some(at)), ..self }
    }
}

impl<T> OrAt for Result<T, Problem> {
    fn or_at(self, at: Range<usize>) -> Self {
        self.map_err(|problem| problem.or_at(at))
    }
}

/// A mistake in a study file.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.problem.message)]
pub struct FileError(Box<LocatedProblem>);

#[derive(Debug)]
struct LocatedProblem {
    problem: Problem,
    source: NamedSource<String>,
}

impl FileError {
    /// The line, from 1; `None` if the position is unknown.
    pub fn line(&self) -> Option<usize> {
        let text = self.0.source.inner().as_bytes();
        let at = self.0.problem.at.as_ref()?.start.min(text.len());
        Some(1 + text[..at].iter().filter(|byte| **byte == b'\n').count())
    }
}

impl Diagnostic for FileError {
    fn help(&self) -> Option<Box<dyn fmt::Display + '_>> {
        self.0.problem.help.as_ref().map(|help| Box::new(help) as _)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let at = self.0.problem.at.clone()?;
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(Some("here".into()), at))))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.0.source)
    }
}
