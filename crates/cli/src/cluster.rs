//! `anabranch study FILE --dask ADDRESS`: the Python package takes over, which has Dask's client.

use crate::failure::Failure;
use crate::study_args::StudyRunArgs;
use anabranch_study::Size;
use miette::miette;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// The interpreter that has the package.
const PYTHON: &str = "python3";

/// Becomes `python3 -m anabranch study FILE --dask ADDRESS`.
pub fn study(args: &StudyRunArgs, address: &str) -> Result<(), Failure> {
    let tried = Command::new(PYTHON).args(["-c", "import anabranch, distributed"]).output();
    let tried = tried.map_err(|e| Failure::environment(format!("cannot run {PYTHON}"), &e))?;
    if !tried.status.success() {
        let said = String::from_utf8_lossy(&tried.stderr);
        let help = "`make wheel` builds the package, and `pip install` takes it and `distributed`; the book's page on Python has it";
        let last = said.lines().last().unwrap_or_default();
        return Err(Failure::Input(miette!(help = help, "{PYTHON} has not what a cluster needs: {last}")));
    }
    let mut command = Command::new(PYTHON);
    command.args(["-m", "anabranch", "study"]).args(&args.file).args(["--dask", address]);
    match args.size.as_size().size() {
        Size::Default => {}
        other => _ = command.arg(format!("--{}", other.name())),
    }
    if let Some(seeds) = args.size.seeds {
        command.args(["--seeds", &seeds.to_string()]);
    }
    if let Some(only) = &args.only {
        command.args(["--only", only]);
    }
    if args.no_columns {
        command.arg("--no-columns");
    }
    command.arg("--out").arg(&args.out);
    if let Some(store) = &args.store {
        command.arg("--store").arg(store);
    }
    Err(Failure::environment(format!("cannot run {PYTHON}"), &command.exec()))
}
