//! The command lines of `anabranch study` and `anabranch sweep`.

use crate::backend::BackendName;
use crate::size_args::StudySizeArgs;
use anabranch_study::file::{AxisSubset, parts};
use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};
use std::path::PathBuf;

pub const STUDY_EXAMPLES: &str = "\
Examples:
  anabranch study check studies/examples/buffer-and-delay.toml
  anabranch study studies/examples/buffer-and-delay.toml --quick
  anabranch study studies/examples/buffer-and-delay.toml --seeds 20 --out out-20
  anabranch study studies/standard/standard-cases.toml --at cc=lia,olia --quick
  anabranch study studies/examples/buffer-and-delay.toml --quick --backend kernel
  anabranch study status studies/examples/buffer-and-delay.toml";

const STUDY_CHECK_EXAMPLES: &str = "\
Examples:
  anabranch study check studies/examples/buffer-and-delay.toml";

const STUDY_STATUS_EXAMPLES: &str = "\
Examples:
  anabranch study status studies/examples/buffer-and-delay.toml
  anabranch study status studies/examples/buffer-and-delay.toml --quick --out out-quick";

pub const SWEEP_EXAMPLES: &str = "\
Examples:
  anabranch sweep scenarios/two-paths-and-a-neighbour.toml --vary 'links.*.queue=0.1..4 BDP/12log' --cc lia,olia
  anabranch sweep scenarios/two-paths-and-a-neighbour.toml --vary tcp.initial_window=4,10 --seeds 10
  anabranch sweep scenarios/two-paths-and-a-neighbour.toml --cc 'lia,{name=\"lia\", count=\"acks\"}' --out out-lia
  anabranch sweep scenarios/shared-bottleneck.toml --vary links.bottleneck.queue='0.5 BDP,1 BDP' --print-study
  anabranch sweep scenarios/shared-bottleneck.toml --vary links.bottleneck.queue='0.5 BDP,1 BDP' --seeds 3 --backend kernel";

/// `cc=lia,olia`.
fn part(text: &str) -> Result<AxisSubset, String> {
    let (axis, values) = text.split_once('=').ok_or("write AXIS=VALUE,…")?;
    Ok((axis.trim().to_owned(), parts(values)))
}

/// Arguments of `study`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct StudyArgs {
    #[command(subcommand)]
    pub command: Option<StudyCommand>,
    #[command(flatten)]
    pub run: StudyRunArgs,
}

/// What else to do with a study.
#[derive(Debug, Subcommand)]
pub enum StudyCommand {
    /// Check a study without running it: how many runs it has, and about how long they take.
    #[command(after_help = STUDY_CHECK_EXAMPLES)]
    Check {
        /// The study file.
        file: PathBuf,
    },
    /// Tell how many of a study's runs are kept, and whether it has a result.
    #[command(after_help = STUDY_STATUS_EXAMPLES)]
    Status(StudyRunArgs),
}

/// A study to be run.
#[derive(Debug, Args)]
pub struct StudyRunArgs {
    /// The study file; its scenarios are looked for beside it.
    #[arg(required = true)]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub size: StudySizeArgs,
    /// Only this experiment, by its identifier.
    #[arg(long, value_name = "ID")]
    pub only: Option<String>,
    /// Of an axis only these values, separated by commas.
    #[arg(long, value_name = "AXIS=VALUES", value_parser = part)]
    pub at: Vec<AxisSubset>,
    /// Leave out the columns that the file asks for: nothing is run again under other assumptions.
    #[arg(long)]
    pub no_columns: bool,
    /// `kernel`: run everything on the running Linux kernel too, as root and in real time, and show its values beside the
    /// simulator's.
    #[arg(long, value_enum, default_value_t = BackendName::Sim)]
    pub backend: BackendName,
    /// Simulate everything with `hosts = "linux"` too, in a column beside the default. Another backend brings it along.
    #[arg(long)]
    pub linux_hosts: bool,
    /// Have the runs made by a cluster of Dask with this scheduler, such as `tcp://node1:8786`: by the Python package, which
    /// `python3` must have.
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["backend", "linux_hosts"])]
    pub dask: Option<String>,
    /// Where `studies/` and `report/` are written.
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub out: PathBuf,
    /// Replace results there that were made with another size, other seeds, by another version or of another study file; without
    /// this, they stay.
    #[arg(long)]
    pub replace: bool,
    /// Where runs are kept, instead of `store/` in that folder: several commands may share it, also at once.
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
    /// Run it even if it takes more than an hour, has more than 100,000 runs or may need more than 4 GB of memory.
    #[arg(long)]
    pub yes: bool,
    /// Print the result as one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `sweep`.
#[derive(Debug, Args)]
pub struct SweepArgs {
    /// The scenario file.
    pub scenario: PathBuf,
    /// A key and its values: a list, or a range with its steps; `*` stands for every link or flow, and `tcp.KEY` for that of
    /// every flow.
    #[arg(long, value_name = "KEY=VALUES", value_parser = NonEmptyStringValueParser::new())]
    pub vary: Vec<String>,
    /// The algorithms of the multipath flows, separated by commas: names, or tables with parameters.
    #[arg(long, value_name = "CC,…", value_parser = NonEmptyStringValueParser::new())]
    pub cc: Vec<String>,
    /// Replace a value of the scenario in every run.
    #[arg(long, value_name = "KEY=VALUE", value_parser = NonEmptyStringValueParser::new())]
    pub set: Vec<String>,
    /// Length of every run, warm-up included, instead of the scenario's.
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    pub duration: Option<String>,
    /// How many seeds each point has.
    #[arg(long, default_value = "5", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub seeds: u32,
    /// `kernel`: run everything on the running Linux kernel too, as root and in real time, and show its values beside the
    /// simulator's.
    #[arg(long, value_enum, default_value_t = BackendName::Sim)]
    pub backend: BackendName,
    /// Simulate everything with `hosts = "linux"` too, in a column beside the default. Another backend brings it along.
    #[arg(long)]
    pub linux_hosts: bool,
    /// Where `studies/` and `report/` are written.
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub out: PathBuf,
    /// Replace another sweep of the same name, or one with other seeds or by another version; without this, it stays.
    #[arg(long)]
    pub replace: bool,
    /// Where runs are kept, instead of `store/` in that folder: several commands may share it, also at once.
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
    /// The name of its files; that of the scenario's file if not given.
    #[arg(long)]
    pub name: Option<String>,
    /// Print the study file that this is, and run nothing.
    #[arg(long)]
    pub print_study: bool,
    /// Run it even if it takes more than an hour, has more than 100,000 runs or may need more than 4 GB of memory.
    #[arg(long)]
    pub yes: bool,
    /// Print the result as one JSON object.
    #[arg(long)]
    pub json: bool,
}
