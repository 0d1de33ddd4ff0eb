//! Errors as Python exceptions, with the diagnostics that the command shows.

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{create_exception, exceptions::PyException};

create_exception!(anabranch, Error, PyException, "An error of anabranch.");
create_exception!(
    anabranch,
    InputError,
    Error,
    "An invalid scenario, study or argument. `problems` lists each mistake with its file, line and help."
);
create_exception!(anabranch, RunError, Error, "A run that failed.");
create_exception!(anabranch, VersionError, Error, "A worker has another version of results.");

/// The width of messages in characters, about as wide as a notebook's cell.
const WIDTH: usize = 100;

/// A diagnostic as `InputError`.
pub fn input(py: Python<'_>, diagnostic: &dyn Diagnostic) -> PyErr {
    // Does not break names such as `coupled-cubic`, so that users can copy them.
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor())
        .with_width(WIDTH)
        .with_word_splitter(textwrap::WordSplitter::NoHyphenation)
        .with_word_separator(textwrap::WordSeparator::AsciiSpace)
        .with_break_words(false);
    let mut text = String::new();
    if handler.render_report(&mut text, diagnostic).is_err() {
        text = diagnostic.to_string();
    }
    let error = InputError::new_err(format!("\n{}", text.trim_end()));
    match problems(py, diagnostic).and_then(|all| error.value(py).setattr("problems", all)) {
        Ok(()) => error,
        Err(other) => other,
    }
}

/// Converts an error of the library.
pub fn python_error(py: Python<'_>, error: &anabranch::Error) -> PyErr {
    match error {
        anabranch::Error::Input(report) if report.source_code().is_some() || report.related().is_some() => {
            input(py, &**report)
        }
        anabranch::Error::Input(report) => {
            let help = report.help().map(|help| format!(": {help}")).unwrap_or_default();
            refused(py, format!("{report}{help}"))
        }
        anabranch::Error::Result(report) | anabranch::Error::Interrupted(report) => {
            RunError::new_err(report.to_string())
        }
    }
}

/// A message without a place, as `InputError`.
pub fn refused(py: Python<'_>, message: impl Into<String>) -> PyErr {
    let message = message.into();
    let error = InputError::new_err(message.clone());
    let problem = || {
        let problem = PyDict::new(py);
        problem.set_item("message", message)?;
        for none in ["file", "line", "column", "help"] {
            problem.set_item(none, py.None())?;
        }
        error.value(py).setattr("problems", vec![problem])
    };
    problem().err().unwrap_or_else(|| error.clone_ref(py))
}

/// Each problem, with its place.
fn problems<'py>(py: Python<'py>, diagnostic: &dyn Diagnostic) -> PyResult<Vec<Bound<'py, PyDict>>> {
    if let Some(related) = diagnostic.related() {
        let all = related.map(|problem| problems(py, problem)).collect::<PyResult<Vec<_>>>()?;
        return Ok(all.concat());
    }
    let span = diagnostic.labels().and_then(|mut labels| labels.next());
    let place = diagnostic.source_code().zip(span);
    let place = place.and_then(|(source, span)| source.read_span(span.inner(), 0, 0).ok());
    let problem = PyDict::new(py);
    problem.set_item("message", diagnostic.to_string())?;
    problem.set_item("file", place.as_ref().and_then(|place| place.name()))?;
    problem.set_item("line", place.as_ref().map(|place| place.line() + 1))?;
    problem.set_item("column", place.as_ref().map(|place| place.column() + 1))?;
    problem.set_item("help", diagnostic.help().map(|help| help.to_string()))?;
    Ok(vec![problem])
}
