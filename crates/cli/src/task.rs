//! `anabranch task`: one run, given as data.

use crate::args::TaskArgs;
use crate::failure::Failure;
use crate::output::print_text_of_json;
use crate::progress::Progress;
use crate::{backend, input, interrupt, memory};
use anabranch_net::Time;
use anabranch_record::NoSamples;
use anabranch_study::Task;
use anabranch_study::store::Record;
use miette::miette;
use std::path::Path;

/// What a task looks like.
pub const EXAMPLE: &str = r#"{"scenario": "TOML text", "set": ["links.a.rate=5 Mbit/s"], "cc": ["lia"], "seed": 3, "backend": "sim"}"#;

/// `anabranch task`.
pub fn task(args: &TaskArgs) -> Result<(), Failure> {
    let source = input::read(Path::new("-"))?;
    let task: Task = serde_json::from_str(&source.text).map_err(|why| {
        let help = format!("a task is one JSON object, such as\n{EXAMPLE}");
        Failure::Input(miette!(help = help, "{} is no task: {why}", source.name))
    })?;
    let backend = backend::all().find(task.backend())?;
    let scenario = task.scenario("the task's scenario").map_err(Failure::input)?;
    memory::check(&scenario, 1, args.yes)?;
    let version = anabranch_study::store::program()
        .map_err(|e| Failure::environment("this program cannot be read", &e))?;
    interrupt::listen()?;
    let progress = Progress::over(scenario.duration);
    let mut keep_going = |now: Time| {
        progress.reach(now);
        !interrupt::requested()
    };
    let summary = backend.run(&task, &mut NoSamples, &mut keep_going)?;
    drop(progress);
    let key = task.key(&version).map_err(Failure::input)?;
    let record = Record { key, version, summary };
    let json = serde_json::to_string(&record).map_err(|e| Failure::environment("cannot write JSON", &e))?;
    print_text_of_json(&json)
}
