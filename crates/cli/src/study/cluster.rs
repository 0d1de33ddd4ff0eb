//! `anabranch study FILE --dask ADDRESS`: the Python package, which has Dask's client, has the runs made and judges them.

use super::StudyRunArgs;
use crate::finish::show;
use crate::interrupt::{self, SOON};
use crate::output::{note, print};
use crate::pages::study::rows_of;
use anabranch::{Campaign, Error, check_failed, failed, told};
use anabranch_record::quoted;
use anabranch_study::{Results, StudyResult};
use miette::miette;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use std::io::{Read, Write};
use std::process::{Command, Stdio};

/// The interpreter that has the package, and what of the package it runs.
const PYTHON: &str = if cfg!(windows) { "python" } else { "python3" };
const MODULE: &str = "anabranch._cluster";

/// Longer ones are asked for, in seconds.
const LONG_S: f64 = 3600.0;

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

/// `anabranch study FILE --dask ADDRESS`.
pub fn run(args: &StudyRunArgs, dask: &str, campaign: &Campaign) -> Result<(), Error> {
    let (options, place) = (args.options(), args.place());
    campaign.check_earlier(&Results::open(&place.out, note)?, place.replace)?;
    let answer = ask(&json!({
        "dask": dask,
        "file": args.file(),
        "at": args.at,
        "size": options.size.name(),
        "seeds": options.seeds,
        "only": options.only,
        "columns": !options.without_columns,
        "out": place.out,
        "store": place.store,
        "command": format!("{} --dask {}", place.command, quoted(dask)),
        // So many seconds on that cluster are refused, unless the user has said otherwise.
        "longest_s": (!args.yes).then_some(LONG_S),
    }))?;
    match answer {
        Answer::Done { result, report } => {
            show(&result, args.json, || rows_of(&result))?;
            if !args.json {
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

/// Has the package do it: a line on its standard input, whose end ends the work.
fn ask(request: &Json) -> Result<Answer, Error> {
    interrupt::listen()?;
    let cannot = |e| Error::environment(format!("cannot run {PYTHON}"), &e);
    // In a group of its own: Ctrl-C is for this process, which passes it on.
    let mut command = Command::new(PYTHON);
    command.args(["-m", MODULE]).stdin(Stdio::piped()).stdout(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    // `CREATE_NEW_PROCESS_GROUP`.
    #[cfg(windows)]
    std::os::windows::process::CommandExt::creation_flags(&mut command, 0x200);
    let mut child = command.spawn().map_err(cannot)?;
    let (mut input, output) = (child.stdin.take(), child.stdout.take());
    // Where nobody reads it there is no answer either.
    let _ = input.as_mut().map(|input| writeln!(input, "{request}"));
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
