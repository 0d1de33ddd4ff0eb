//! `anabranch task`: executes one run that is given as data.

use crate::interrupt;
use crate::output::print_json_line;
use crate::progress::Progress;
use crate::shared_args::TrafficName;
use anabranch::linux::KERNEL;
#[cfg(feature = "linux")]
use anabranch::linux::SampleWriter;
use anabranch::records::KeepGoing;
use anabranch::studies::{Backend, Task, store::Record};
use anabranch::{Error, NoSamples, RESULTS_VERSION, Summary, backends, read};
use clap::Args;
use miette::miette;
use std::path::{Path, PathBuf};
#[cfg(feature = "linux")]
use std::{fs::File, io::BufWriter};

pub const EXAMPLES: &str = "\
Examples:
  anabranch task < task.json
where task.json is, on one line or several (`seed` and `scenario` are required):
  {\"scenario\": \"TOML text\", \"set\": [\"links.a.rate=5 Mbit/s\"], \"cc\": [\"lia\"], \"seed\": 3, \"backend\": \"sim\"}";

#[derive(Debug, Args)]
pub struct TaskArgs {
    /// Run even if it may need more than 4 GB of memory.
    #[arg(long)]
    pub yes: bool,
    /// The file for samples over time, which the host of a guest reads.
    #[arg(long, hide = true)]
    pub samples: Option<PathBuf>,
    /// Add the packets at the senders' hosts to the samples.
    #[arg(long, hide = true, requires = "samples")]
    pub packets: bool,
    /// This machine is a guest, whose clock counts instructions.
    #[cfg(feature = "linux")]
    #[arg(long, hide = true)]
    pub virtual_time: bool,
    /// The traffic generator, in a guest.
    #[arg(long, hide = true, value_enum, default_value_t = TrafficName::Own)]
    pub traffic: TrafficName,
}

pub const EXAMPLE: &str = r#"{"scenario": "TOML text", "set": ["links.a.rate=5 Mbit/s"], "cc": ["lia"], "seed": 3, "backend": "sim"}"#;

pub fn task(args: &TaskArgs) -> Result<(), Error> {
    let source = read(Path::new("-"))?;
    let task: Task = serde_json::from_str(&source.text).map_err(|why| {
        let help = format!("a task is one JSON object, such as\n{EXAMPLE}");
        Error::input(miette!(help = help, "{} is not a task: {why}", source.name))
    })?;
    let backend = match (args.traffic, KERNEL.with_iperf3) {
        (TrafficName::Iperf3, Some(kernel)) if task.backend() == kernel.name() => kernel,
        _ => backends().find(task.backend())?,
    };
    let scenario = task.scenario("the task's scenario").map_err(Error::input)?;
    if !args.yes {
        anabranch::check_memory([&*scenario], 0, 1)?;
    }
    #[cfg(feature = "linux")]
    if args.virtual_time {
        anabranch::linux::declare_virtual_time()
            .map_err(|why| Error::environment("cannot start a thread", &why))?;
    }
    let version = RESULTS_VERSION.to_owned();
    interrupt::listen()?;
    let summary = {
        let progress = Progress::over(scenario.duration);
        let watch = progress.watch();
        match &args.samples {
            None => backend.run(&task, &mut NoSamples, &mut watch.keep_going())?,
            Some(file) => with_samples((file, args.packets), &task, backend, &mut watch.keep_going())?,
        }
    };
    let key = task.key(&version).map_err(Error::input)?;
    print_json_line(&Record { key, version, summary })
}

/// Runs it for who has started the command in a guest.
#[cfg(feature = "linux")]
fn with_samples(
    (file, packets): (&Path, bool),
    task: &Task,
    backend: &dyn Backend,
    keep_going: KeepGoing<'_>,
) -> Result<Summary, Error> {
    let failed = |why| Error::environment("cannot write the samples", &why);
    let mut samples = SampleWriter::new(BufWriter::new(File::create(file).map_err(failed)?), packets);
    let summary = backend.run(task, &mut samples, keep_going)?;
    samples.finish().map_err(failed)?;
    Ok(summary)
}

/// No guest runs this build.
#[cfg(not(feature = "linux"))]
fn with_samples(_: (&Path, bool), _: &Task, _: &dyn Backend, _: KeepGoing<'_>) -> Result<Summary, Error> {
    Err(anabranch::linux::unsupported())
}
