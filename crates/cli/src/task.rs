//! `anabranch task`: one run, given as data.

use crate::args::TaskArgs;
use crate::backend::Kernel;
use crate::failure::Failure;
use crate::output::print_text_of_json;
use crate::progress::Progress;
use crate::{backend, input, interrupt, memory};
use anabranch_net::Time;
use anabranch_papers::RESULTS_VERSION;
use anabranch_record::NoSamples;
use anabranch_study::store::Record;
use anabranch_study::{Backend, Task};
use anabranch_testbed::SampleWriter;
use miette::miette;
use std::fs::File;
use std::io::BufWriter;
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
    let kernel = Kernel(args.traffic.into());
    let backend: &dyn Backend = if task.backend() == kernel.name() { &kernel } else { backend };
    let scenario = task.scenario("the task's scenario").map_err(Failure::input)?;
    memory::check(&scenario, 0, 1, args.yes)?;
    let version = RESULTS_VERSION.to_owned();
    interrupt::listen()?;
    let progress = Progress::over(scenario.duration);
    let mut keep_going = |now: Time| {
        progress.reach(now);
        !interrupt::requested()
    };
    let failed = |why| Failure::environment("cannot write the samples", &why);
    let summary = match &args.samples {
        None => backend.run(&task, &mut NoSamples, &mut keep_going)?,
        Some(file) => {
            let mut samples = SampleWriter::new(BufWriter::new(File::create(file).map_err(failed)?));
            let summary = backend.run(&task, &mut samples, &mut keep_going)?;
            samples.finish().map_err(failed)?;
            summary
        }
    };
    drop(progress);
    let key = task.key(&version).map_err(Failure::input)?;
    let record = Record { key, version, summary };
    let json = serde_json::to_string(&record).map_err(|e| Failure::environment("cannot write JSON", &e))?;
    print_text_of_json(&json)
}
