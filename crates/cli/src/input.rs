//! The scenario that a command works on.

use crate::args::ScenarioArgs;
use crate::backend::BackendName;
use crate::failure::Failure;
use anabranch_record::quoted;
use anabranch_scenario::{Overrides, Scenario, Source};
use anabranch_study::Task;
use miette::miette;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::string::FromUtf8Error;

/// The longest scenario, in bytes: more than that of ten thousand flows, and devices without end are no scenarios.
const LONGEST: u64 = 64_000_000;

/// All of it, or a byte too much.
fn read_all(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(LONGEST + 1).read_to_end(&mut bytes).map(|_| bytes)
}

/// Reads a scenario file, or standard input for `-`.
pub fn read(file: &Path) -> Result<Source, Failure> {
    let (name, bytes) = if file == Path::new("-") {
        ("standard input".to_owned(), read_all(io::stdin()))
    } else {
        (file.display().to_string(), File::open(file).and_then(read_all))
    };
    let bytes = bytes.map_err(|e| Failure::environment(format!("cannot read {name}"), &e))?;
    if bytes.len() as u64 > LONGEST {
        return Err(Failure::Input(miette!("{name} has more than {} MB: no scenario", LONGEST / 1_000_000)));
    }
    let text = String::from_utf8(bytes).map_err(|e| not_utf8(&name, &e))?;
    Ok(Source { name, text })
}

fn not_utf8(name: &str, error: &FromUtf8Error) -> Failure {
    let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
    let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
    Failure::Input(miette!(help = "save the file as UTF-8", "cannot read {name}: line {line} is not UTF-8"))
}

/// The same, with the files that it and the changes name.
pub fn scenario(args: &ScenarioArgs) -> Result<Source, Failure> {
    with_files(read(&args.file)?, &args.file, &overrides(args, &[]))
}

/// The same, and every file that was read for it.
pub fn scenario_and_files(args: &ScenarioArgs) -> Result<(Source, Vec<PathBuf>), Failure> {
    let (source, overrides) = (read(&args.file)?, overrides(args, &[]));
    let mut files = source.files(&overrides, args.file.parent().unwrap_or(Path::new("")));
    files.push(args.file.clone());
    Ok((with_files(source, &args.file, &overrides)?, files))
}

/// A scenario that was read from `file`, with the files that it and the changes name.
pub fn with_files(source: Source, file: &Path, overrides: &Overrides) -> Result<Source, Failure> {
    source.with_files(overrides, file.parent().unwrap_or(Path::new(""))).map_err(Failure::input)
}

/// Checks a scenario with the changes of the command line, `cc` those of algorithms.
pub fn load(source: &Source, args: &ScenarioArgs, cc: &[String]) -> Result<Scenario, Failure> {
    anabranch_scenario::load(source, &overrides(args, cc)).map_err(Failure::input)
}

fn overrides(args: &ScenarioArgs, cc: &[String]) -> Overrides {
    let mut overrides = Overrides::default();
    overrides.seed = args.seed;
    overrides.duration.clone_from(&args.duration);
    for assignment in &args.set {
        overrides.set(assignment);
    }
    for algorithm in cc {
        overrides.cc(algorithm);
    }
    overrides
}

/// The same, as a task of a backend.
pub fn task(source: &Source, args: &ScenarioArgs, cc: &[String], seed: u64, backend: BackendName) -> Task {
    let duration = args.duration.iter().map(|duration| format!("duration={duration}"));
    let set = args.set.iter().cloned().chain(duration);
    let task = set.fold(Task::new(source.text.as_str()).on(backend.name()), Task::set);
    cc.iter().fold(task, Task::cc).seed(seed)
}

/// The command that makes the same run from a copy of the file called `file`.
pub fn command(args: &ScenarioArgs, cc: &[String], file: &str, seed: u64) -> String {
    let mut command = format!("anabranch run {file} --seed {seed}");
    let duration = args.duration.as_slice().iter().map(|d| ("--duration", d));
    let set = args.set.iter().map(|s| ("--set", s));
    for (option, value) in cc.iter().map(|c| ("--cc", c)).chain(duration).chain(set) {
        command += &format!(" {option} {}", quoted(value));
    }
    command
}
