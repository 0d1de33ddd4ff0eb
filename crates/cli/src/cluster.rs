//! `anabranch study FILE --dask ADDRESS`: the Python package, which has Dask's client, has the runs made and judges them.

use crate::finish::show;
use crate::interrupt::{self, SOON};
use crate::output::{note, print};
use crate::pages::study::rows_of;
use anabranch::{Campaign, Error, Options, Place, check_failed, failed, told};
use anabranch_record::quoted;
use anabranch_study::file::Part;
use anabranch_study::{Results, StudyResult};
use miette::miette;
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// The interpreter that has the package, and what of the package it runs.
const PYTHON: &str = "python3";
const MODULE: &str = "anabranch._handed";

/// Longer ones are asked for, in seconds.
const LONG_S: f64 = 3600.0;

/// What the package is to do, a line on its standard input. The end of that input ends the work.
#[derive(Serialize)]
struct Request<'a> {
    dask: &'a str,
    file: &'a Path,
    at: &'a [Part],
    size: &'a str,
    seeds: Option<u32>,
    only: Option<&'a str>,
    columns: bool,
    out: &'a Path,
    store: &'a Path,
    /// What repeats it.
    command: &'a str,
    /// So many seconds on that cluster are refused; none where the user has said `--yes`.
    longest_s: Option<f64>,
}

/// What it gives on its standard output.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
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

/// A study for a cluster.
pub struct OnCluster<'a> {
    /// Where its scheduler is.
    pub dask: &'a str,
    pub file: &'a Path,
    pub at: &'a [Part],
    pub options: &'a Options,
    pub place: &'a Place,
    pub yes: bool,
    pub json: bool,
}

/// `anabranch study FILE --dask ADDRESS`.
pub fn run(campaign: &Campaign, study: &OnCluster<'_>) -> Result<(), Error> {
    let OnCluster { dask, file, at, options, place, .. } = *study;
    campaign.check_earlier(&Results::open(&place.out, note)?, place.replace)?;
    let answer = ask(&Request {
        dask,
        file,
        at,
        size: options.size.name(),
        seeds: options.seeds,
        only: options.only.as_deref(),
        columns: !options.without_columns,
        out: &place.out,
        store: place.store.as_deref().unwrap_or(&place.out),
        command: &format!("{} --dask {}", place.command, quoted(dask)),
        longest_s: (!study.yes).then_some(LONG_S),
    })?;
    match answer {
        Answer::Done { result, report } => {
            show(&result, study.json, || rows_of(&result))?;
            if !study.json {
                print(&format!("Report: {report}"))?;
            }
            check_failed(&failed(&result))
        }
        Answer::Refused { why, help } => Err(told(why, help.as_deref())),
        Answer::Failed(why) => Err(Error::Result(miette!("{why}"))),
        Answer::Interrupted => Err(Error::Interrupted(miette!(
            "interrupted: the report is as it was; the same command goes on from here"
        ))),
    }
}

/// Has the package do it.
fn ask(request: &Request<'_>) -> Result<Answer, Error> {
    interrupt::listen()?;
    let cannot = |e| Error::environment(format!("cannot run {PYTHON}"), &e);
    // In a group of its own: Ctrl-C is for this process, which passes it on.
    let mut child = Command::new(PYTHON)
        .args(["-m", MODULE])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .process_group(0)
        .spawn()
        .map_err(cannot)?;
    let (mut input, output) = (child.stdin.take(), child.stdout.take());
    let line = serde_json::to_string(request).map_err(|e| Error::environment("cannot ask for it", &e))?;
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
        std::thread::sleep(SOON);
    }
    let text = reader.join().ok().and_then(Result::ok).unwrap_or_default();
    child.wait().map_err(cannot)?;
    serde_json::from_str(&text).map_err(|_| {
        let help = "`make wheel` builds the package, and `pip install` takes it and `distributed`; the book's page on Python has it";
        Error::Input(miette!(help = help, "`{PYTHON} -m {MODULE}` gave no result: it needs the package of this version"))
    })
}
