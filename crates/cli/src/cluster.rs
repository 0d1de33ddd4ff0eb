//! `anabranch study FILE --dask ADDRESS`: the Python package, which has Dask's client, has the runs made and judges them.

use crate::failure::Failure;
use crate::interrupt;
use anabranch_study::StudyResult;
use anabranch_study::file::AxisSubset;
use miette::miette;
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The interpreter that has the package, and what of the package it runs.
const PYTHON: &str = "python3";
const MODULE: &str = "anabranch._handed";

/// How often it is looked whether the user has interrupted.
const LOOK: Duration = Duration::from_millis(50);

/// What the package is to do, a line on its standard input. The end of that input ends the work.
#[derive(Serialize)]
pub struct Request<'a> {
    pub dask: &'a str,
    pub file: &'a Path,
    pub at: &'a [AxisSubset],
    pub size: &'a str,
    pub seeds: Option<u32>,
    pub only: Option<&'a str>,
    pub columns: bool,
    pub out: &'a Path,
    pub store: &'a Path,
    /// What repeats it.
    pub command: &'a str,
    /// So many seconds on that cluster are refused; none where the user has said `--yes`.
    pub longest_s: Option<f64>,
}

/// What it gives on its standard output.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// All runs are made, and result and report written.
    Done {
        result: Box<StudyResult>,
        report: String,
    },
    /// Bad input, or an environment in which it cannot work.
    Refused {
        why: String,
        help: Option<String>,
    },
    /// Runs that failed.
    Failed(String),
    Interrupted,
}

/// Has the package do it.
///
/// # Errors
/// Where it gives no answer.
pub fn ask(request: &Request<'_>) -> Result<Answer, Failure> {
    interrupt::listen()?;
    let cannot = |e| Failure::environment(format!("cannot run {PYTHON}"), &e);
    // In a group of its own: Ctrl-C is for this process, which passes it on.
    let mut child = Command::new(PYTHON)
        .args(["-m", MODULE])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .process_group(0)
        .spawn()
        .map_err(cannot)?;
    let (mut input, output) = (child.stdin.take(), child.stdout.take());
    let line = serde_json::to_string(request).map_err(|e| Failure::environment("cannot ask for it", &e))?;
    // Where nobody reads it there is no answer either.
    let _ = input.as_mut().map(|input| writeln!(input, "{line}"));
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        output.map(|mut output| output.read_to_string(&mut text)).transpose().map(|_| text)
    });
    while !reader.is_finished() {
        if interrupt::requested() {
            drop(input.take());
        }
        std::thread::sleep(LOOK);
    }
    let text = reader.join().ok().and_then(Result::ok).unwrap_or_default();
    child.wait().map_err(cannot)?;
    serde_json::from_str(&text).map_err(|_| {
        let help = "`make wheel` builds the package, and `pip install` takes it and `distributed`; the book's page on Python has it";
        Failure::Input(miette!(help = help, "`{PYTHON} -m {MODULE}` gave no result: it needs the package of this version"))
    })
}
