//! The command line of `anabranch study`.

use crate::shared_args::{Jobs, KeptArgs, SizeArgs, VariantArgs, backend};
use anabranch::studies::file::{AxisSubset, parts};
use anabranch::{Options, Runner};
use clap::{Args, Subcommand};
use std::path::{Path, PathBuf};

pub const EXAMPLES: &str = "\
Examples:
  anabranch study check studies/examples/buffer-and-delay.toml
  anabranch study studies/examples/buffer-and-delay.toml --quick
  anabranch study studies/examples/buffer-and-delay.toml --seeds 20 --out out-20
  anabranch study studies/standard/standard-cases.toml --at cc=lia,olia --quick
  anabranch study studies/examples/buffer-and-delay.toml --quick --backend kernel
  anabranch study status studies/examples/buffer-and-delay.toml";

const CHECK_EXAMPLES: &str = "\
Examples:
  anabranch study check studies/examples/buffer-and-delay.toml";

const STATUS_EXAMPLES: &str = "\
Examples:
  anabranch study status studies/examples/buffer-and-delay.toml
  anabranch study status studies/examples/buffer-and-delay.toml --quick --out out-quick";

/// Parses `cc=lia,olia`.
fn parse_axis_subset(text: &str) -> Result<AxisSubset, String> {
    let (axis, values) = text.split_once('=').ok_or("write AXIS=VALUE,…")?;
    Ok((axis.trim().to_owned(), parts(values)))
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct StudyArgs {
    #[command(subcommand)]
    pub command: Option<StudyCommand>,
    #[command(flatten)]
    pub run: StudyRunArgs,
}

#[derive(Debug, Subcommand)]
pub enum StudyCommand {
    /// Check a study without running it, and print the number of its runs and their estimated duration.
    #[command(after_help = CHECK_EXAMPLES)]
    Check {
        /// The study file.
        file: PathBuf,
    },
    /// Show how many of a study's runs are kept, and whether it has a result.
    #[command(after_help = STATUS_EXAMPLES)]
    Status(StudyRunArgs),
}

/// Arguments that run a study.
#[derive(Debug, Args)]
#[command(mut_arg("quick", |arg| arg.help("The study's quick size: two seeds unless the study sets another number")))]
#[command(mut_arg("full", |arg| arg.help("The study's full size: ten seeds unless the study sets another number")))]
#[command(mut_arg("seeds", |arg| arg.help("The number of seeds, instead of the size's own")))]
pub struct StudyRunArgs {
    /// The study file; its scenarios are relative to it.
    #[arg(required = true)]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub size: SizeArgs,
    /// Run only this experiment, by its identifier.
    #[arg(long, value_name = "ID")]
    pub only: Option<String>,
    /// Run only these values of an axis, separated by commas.
    #[arg(long, value_name = "AXIS=VALUES", value_parser = parse_axis_subset)]
    pub at: Vec<AxisSubset>,
    #[command(flatten)]
    pub variants: VariantArgs,
    /// Also run everything on another backend, and show its values beside the simulator's. `kernel` needs root and runs in
    /// real time.
    #[arg(long, value_parser = backend(), default_value = "sim")]
    pub backend: &'static Runner,
    /// Also simulate everything with the Linux-accurate host model, in a column beside the default. A kernel as the backend implies this.
    #[arg(long)]
    pub linux_hosts: bool,
    /// Execute the runs on a Dask cluster with this scheduler, such as `tcp://node1:8786`. `python3` needs the Python
    /// package.
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["backend", "linux_hosts"])]
    pub dask: Option<String>,
    #[command(flatten)]
    pub kept: KeptArgs,
    #[command(flatten)]
    pub jobs: Jobs,
    /// Run even if it takes more than an hour, has more than 100,000 runs or may need more than 4 GB of memory.
    #[arg(long)]
    pub yes: bool,
    /// Print the result as one JSON object.
    #[arg(long)]
    pub json: bool,
}

impl StudyRunArgs {
    /// The study file: a required argument.
    pub fn file(&self) -> &Path {
        self.file.as_deref().unwrap_or(Path::new(""))
    }

    pub fn options(&self) -> Options {
        Options {
            size: self.size.size(),
            seeds: self.size.seeds,
            only: self.only.clone(),
            without_variants: self.variants.no_variants,
            beside: self.backend.variants(self.linux_hosts),
        }
    }
}
