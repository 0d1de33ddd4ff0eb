//! Problems in a scenario, each with its place and help.

use crate::printable::{of_same_length, printable};
use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};
use std::{fmt, ops::Range, sync::Arc};

/// The longest line, in bytes. Diagnostics cannot mark places in longer lines.
const MAX_LINE: usize = 10_000;
/// The most problems shown; further ones are only counted, as rendering each takes time.
const MAX_SHOWN: usize = 50;

/// A range of a source text, which is the file or an override.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    source: Arc<String>,
    /// The same text with hidden characters replaced.
    shown: Arc<NamedSource<String>>,
    range: Range<usize>,
}

impl Place {
    /// All of a new source; `None` if a line is too long.
    pub fn whole(name: &str, text: &str, problems: &mut Problems) -> Option<Place> {
        let whole = |text: String| {
            let range = 0..text.len();
            let shown = NamedSource::new(printable(name), of_same_length(&text));
            Place { source: Arc::new(text), shown: Arc::new(shown), range }
        };
        if text.lines().all(|line| line.len() <= MAX_LINE) {
            return Some(whole(text.to_owned()));
        }
        let before: Vec<&str> = text.lines().take_while(|line| line.len() <= MAX_LINE).collect();
        let start = before.iter().map(|line| line.len() + 1).sum();
        let long = text.lines().nth(before.len()).unwrap_or_default();
        let begin: String = long.chars().take(60).collect();
        let end = start + begin.len();
        let place = whole([&*before, &[&*begin]].concat().join("\n")).part(start..end);
        let message = format!("line too long: {} bytes, the limit is {MAX_LINE}", long.len());
        problems.refuse(&place, message, "too long", "split it: an array may span several lines")
    }

    /// Another range of the same source.
    pub fn part(&self, range: Range<usize>) -> Place {
        let end = range.end.min(self.source.len());
        Place { range: range.start.min(end)..end, ..self.clone() }
    }

    /// The place of a slice of its text.
    pub fn locate(&self, piece: &str) -> Place {
        let begin = piece.as_ptr() as usize - self.source.as_ptr() as usize;
        self.part(begin..begin + piece.len())
    }

    pub fn text(&self) -> &str {
        self.source.get(self.range.clone()).unwrap_or_default()
    }

    /// Whether it is the same range of the same source.
    fn is(&self, other: &Place) -> bool {
        Arc::ptr_eq(&self.source, &other.source) && self.range == other.range
    }

    /// The range in its source, in bytes.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// The line it begins on, from 1.
    fn line(&self) -> usize {
        let before = &self.source.as_bytes()[..self.range.start];
        1 + before.iter().filter(|&&byte| byte == b'\n').count()
    }
}

/// A value and where it was read.
#[derive(Clone, Debug)]
pub(crate) struct At<T> {
    pub value: T,
    pub place: Place,
}

/// One problem in a scenario, with its place and help.
#[derive(Debug)]
pub struct Problem {
    message: String,
    label: String,
    help: Option<String>,
    place: Place,
}

impl Problem {
    /// The place marked in the source.
    pub fn text(&self) -> &str {
        self.place.text()
    }

    /// The line of the source it begins on, from 1.
    pub fn line(&self) -> usize {
        self.place.line()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

impl Diagnostic for Problem {
    fn help(&self) -> Option<Box<dyn fmt::Display + '_>> {
        self.help.as_ref().map(|help| Box::new(help) as _)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = LabeledSpan::new_with_span(Some(self.label.clone()), self.place.range.clone());
        Some(Box::new(std::iter::once(label)))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&*self.place.shown)
    }
}

/// All problems found in a scenario.
///
/// As a [`Diagnostic`] it is a single problem, or a heading over several.
#[derive(Debug)]
pub struct ScenarioError(Problems);

impl ScenarioError {
    /// The problems in the order of discovery; at least 1, at most 50.
    pub fn problems(&self) -> &[Problem] {
        &self.0.shown
    }

    fn only(&self) -> Option<&Problem> {
        match self.problems() {
            [problem] => Some(problem),
            _ => None,
        }
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.only() {
            Some(problem) => problem.fmt(f),
            None => {
                let Problems { shown, more } = &self.0;
                write!(f, "{} problems in the scenario", shown.len() + more)?;
                if *more > 0 { write!(f, "; the first {} follow", shown.len()) } else { Ok(()) }
            }
        }
    }
}

impl std::error::Error for ScenarioError {}

impl Diagnostic for ScenarioError {
    fn help(&self) -> Option<Box<dyn fmt::Display + '_>> {
        self.only()?.help()
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.only()?.labels()
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.only()?.source_code()
    }

    fn related(&self) -> Option<Box<dyn Iterator<Item = &dyn Diagnostic> + '_>> {
        let each = || self.problems().iter().map(|problem| problem as &dyn Diagnostic);
        self.only().is_none().then(|| Box::new(each()) as _)
    }
}

/// Collects problems while a scenario is read.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    shown: Vec<Problem>,
    /// The number of further problems.
    more: usize,
}

impl Problems {
    /// Reports a problem. `label` appears next to the marked text.
    pub fn add(
        &mut self,
        place: &Place,
        message: impl Into<String>,
        label: impl Into<String>,
        help: impl Into<String>,
    ) {
        if self.is_full() {
            self.more += 1;
            return;
        }
        let help = Some(printable(&help.into())).filter(|help| !help.is_empty());
        let (message, label) = (printable(&message.into()), printable(&label.into()));
        // Identical links have the same problem.
        let same = |known: &Problem| known.message == message && known.place.is(place);
        if self.shown.iter().any(same) {
            return;
        }
        self.shown.push(Problem { message, label, help, place: place.clone() });
    }

    /// Adds a problem where something cannot be read.
    pub fn refuse<T>(
        &mut self,
        place: &Place,
        message: impl Into<String>,
        label: impl Into<String>,
        help: impl Into<String>,
    ) -> Option<T> {
        self.add(place, message, label, help);
        None
    }

    pub fn missing<T>(&mut self, place: &Place, key: &str, help: &str) -> Option<T> {
        self.refuse(place, format!("`{key}` is missing"), format!("needs `{key}`"), help)
    }

    /// Whether further problems are only counted, so that help for them is a waste of time.
    pub fn is_full(&self) -> bool {
        self.shown.len() >= MAX_SHOWN
    }

    /// Whether there are any.
    pub fn any(&self) -> bool {
        !self.shown.is_empty()
    }

    /// The value read, unless there are problems. A reader that returns `None` has reported one.
    pub fn check<T>(self, read: Option<T>) -> Result<T, ScenarioError> {
        match read {
            Some(value) if self.shown.is_empty() => Ok(value),
            _ => Err(ScenarioError(self)),
        }
    }
}
