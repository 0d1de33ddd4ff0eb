//! `anabranch study FILE --dask ADDRESS`: the Python package, with Dask's client, executes the runs and judges them.

use super::args::StudyRunArgs;
use crate::finish::show;
use crate::interrupt::{self, SOON};
use crate::output::{note, print};
use crate::pages::study::verdicts_and_rows;
use anabranch::records::quoted;
use anabranch::studies::Results;
use anabranch::{Campaign, Error, Place, StudyResult, check_failed, failed, input_error};
use miette::miette;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use std::io::{Read, Write};
use std::process::{Command, Stdio};

/// The interpreter with the package, and the module to run.
const PYTHON: &str = if cfg!(windows) { "python" } else { "python3" };
const MODULE: &str = "anabranch._cluster";

/// A longer study, in seconds, needs `--yes`.
const LONG_S: f64 = 3600.0;

/// The module's answer on its standard output.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    /// All runs are complete, and the result and the report are written.
    Done {
        result: Box<StudyResult>,
        report: String,
    },
    /// Bad input, or an unsuitable environment.
    Refused {
        why: String,
        help: Option<String>,
    },
    Failed(String),
    Interrupted,
}

/// `anabranch study FILE --dask ADDRESS`.
pub fn run(args: &StudyRunArgs, dask: &str, campaign: &Campaign, place: Place) -> Result<(), Error> {
    let options = args.options();
    campaign.check_earlier(&Results::open(&place.out, note)?, place.replace)?;
    let answer = send_request(&json!({
        "dask": dask,
        "file": args.file(),
        "at": args.at,
        "size": options.size.name(),
        "seeds": options.seeds,
        "only": options.only,
        "variants": !options.without_variants,
        "out": place.out,
        "store": place.store,
        "command": format!("{} --dask {}", place.command, quoted(dask)),
        // The module refuses studies that take longer on the cluster.
        "longest_s": (!args.yes).then_some(LONG_S),
    }))?;
    match answer {
        Answer::Done { result, report } => {
            show(&result, args.json, || verdicts_and_rows(&result))?;
            if !args.json {
                print(&format!("Report: {report}"))?;
            }
            check_failed(&failed(&result))
        }
        Answer::Refused { why, help } => Err(input_error(why, help.as_deref())),
        Answer::Failed(why) => Err(Error::Result(miette!("{why}"))),
        Answer::Interrupted => Err(Error::Interrupted(miette!(
            "interrupted: the report is unchanged; run the same command again to resume"
        ))),
    }
}

/// Sends the request to the module as a line on its standard input, and closes that to cancel.
fn send_request(request: &Json) -> Result<Answer, Error> {
    interrupt::listen()?;
    let cannot = |e| Error::environment(format!("cannot run {PYTHON}"), &e);
    // In its own process group: Ctrl-C reaches this process, which forwards it.
    let mut command = Command::new(PYTHON);
    command.args(["-m", MODULE]).stdin(Stdio::piped()).stdout(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    // `CREATE_NEW_PROCESS_GROUP`.
    #[cfg(windows)]
    std::os::windows::process::CommandExt::creation_flags(&mut command, 0x200);
    let mut child = command.spawn().map_err(cannot)?;
    let (mut input, output) = (child.stdin.take(), child.stdout.take());
    // If the module does not read, it does not answer either.
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
        let help = "build the package with `make wheel`, then `pip install` it and `distributed`; see the book's page on Python";
        Error::Input(miette!(help = help, "`{PYTHON} -m {MODULE}` returned no result: it needs the package of this version"))
    })
}
