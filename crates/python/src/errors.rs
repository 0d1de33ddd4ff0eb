//! Errors as Python exceptions, with the diagnostics that the command shows.

use anabranch::studies::TaskError;
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};
use pyo3::exceptions::PyUserWarning;
use pyo3::import_exception;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ffi::CString;

import_exception!(anabranch._errors, Error);
import_exception!(anabranch._errors, InputError);
import_exception!(anabranch._errors, MissingFileError);
import_exception!(anabranch._errors, RunError);
import_exception!(anabranch._errors, VersionError);

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
    let error = InputError::new_err(format!("\n{}", in_python(text.trim_end())));
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
            refused(format!("{report}{help}"))
        }
        anabranch::Error::Result(report) | anabranch::Error::Interrupted(report) => {
            RunError::new_err(report.to_string())
        }
    }
}

/// Converts the error of a run.
pub fn run_error(error: TaskError) -> PyErr {
    match error {
        TaskError::Refused(why) => refused(why),
        failed => RunError::new_err(failed.to_string()),
    }
}

/// Raises notes as Python warnings of the caller that is `frames` up.
pub fn warn(py: Python<'_>, notes: Vec<String>, frames: i32) -> PyResult<()> {
    notes.into_iter().try_for_each(|note| {
        let note = CString::new(note.replace('\0', "")).unwrap_or_default();
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &note, frames)
    })
}

/// A message without a place, as `InputError`.
pub fn refused(message: impl AsRef<str>) -> PyErr {
    InputError::new_err(in_python(message.as_ref()))
}

/// The command's options as the arguments of the package's functions, outside of commands to run.
fn in_python(text: &str) -> String {
    const OPTIONS: [&str; 6] = ["set", "cc", "vary", "seeds", "seed", "duration"];
    let renamed = |text: &str| {
        OPTIONS.iter().fold(text.to_owned(), |text, option| text.replace(&format!("--{option}"), option))
    };
    let in_code = |code: &str| match code {
        "anabranch examples" => "anabranch.examples()".to_owned(),
        command if command.starts_with("anabranch ") => command.to_owned(),
        other => renamed(other),
    };
    let parts = text.split('`').enumerate();
    parts
        .map(|(i, part)| if i % 2 == 1 { in_code(part) } else { renamed(part) })
        .collect::<Vec<_>>()
        .join("`")
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
    problem.set_item("message", in_python(&diagnostic.to_string()))?;
    problem.set_item("file", place.as_ref().and_then(|place| place.name()).map(in_python))?;
    problem.set_item("line", place.as_ref().map(|place| place.line() + 1))?;
    problem.set_item("column", place.as_ref().map(|place| place.column() + 1))?;
    problem.set_item("help", diagnostic.help().map(|help| in_python(&help.to_string())))?;
    Ok(vec![problem])
}
