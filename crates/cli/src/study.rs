//! `anabranch study`: runs a study file, judges it and writes the report.

mod cluster;

use crate::finish;
use crate::output::{note, note_warnings, print};
use crate::pages::study::verdicts_and_rows;
use crate::shared_args::{Jobs, KeptArgs, SizeArgs, VariantArgs, backend, option};
use anabranch::records::quoted;
use anabranch::studies::file::{AxisSubset, parts};
use anabranch::studies::{Kind, RunCache, Study};
use anabranch::{Campaign, Error, Options, Place, Runner, Size, counted, describe_extent, open_study, store};
use clap::{Args, Subcommand};
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    /// Also run everything on a Linux kernel, and show its values beside the simulator's. `kernel` needs root and runs in
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
    fn file(&self) -> &Path {
        self.file.as_deref().unwrap_or(Path::new(""))
    }

    fn open(&self) -> Result<Arc<Study>, Error> {
        self.variants.check();
        open(self.file(), &self.at)
    }

    fn options(&self) -> Options {
        Options {
            size: self.size.size(),
            seeds: self.size.seeds,
            only: self.only.clone(),
            without_variants: self.variants.left_out(),
            beside: self.backend.variants(self.linux_hosts),
        }
    }

    fn campaign(&self, study: &Arc<Study>) -> Result<Campaign, Error> {
        Campaign::new(Kind::Study, std::slice::from_ref(study), self.options(), self.backend)
    }

    fn place(&self, study: &Study) -> Place {
        self.kept.place(&study.name, command(self))
    }
}

pub fn study(args: &StudyArgs) -> Result<(), Error> {
    match &args.command {
        Some(StudyCommand::Check { file }) => check(file),
        Some(StudyCommand::Status(args)) => status(args),
        None => run(&args.run),
    }
}

/// Reads a study file, and prints its notices.
fn open(path: &Path, at: &[AxisSubset]) -> Result<Arc<Study>, Error> {
    let study = open_study(path, at)?;
    study.notices.iter().for_each(|notice| note(notice));
    Ok(study)
}

fn run(args: &StudyRunArgs) -> Result<(), Error> {
    args.jobs.apply()?;
    let study = args.open()?;
    args.backend.ready()?;
    let campaign = args.campaign(&study)?;
    note_warnings(&campaign.warnings());
    if let Some(dask) = &args.dask {
        // Each worker has its own memory, and the duration depends on the number of workers.
        campaign.check(None, args.yes)?;
        return cluster::run(args, dask, &campaign, args.place(&study));
    }
    campaign.check(Some(rayon::current_num_threads()), args.yes)?;
    finish::run(campaign, args.place(&study), args.json, |result, _| verdicts_and_rows(result))
}

/// `anabranch study check FILE`.
fn check(path: &Path) -> Result<(), Error> {
    let study = open(path, &[])?;
    let mut lines = vec![format!("{}: {}", study.name, study.title)];
    let mut warnings = vec![];
    for size in Size::ALL {
        let options = Options { size, ..Options::default() };
        let campaign = Campaign::new(Kind::Study, std::slice::from_ref(&study), options, &anabranch::SIM)?;
        warnings.extend(campaign.warnings());
        lines.extend(
            campaign.simulations().map(|all| format!("  {:<8} {}", size.name(), describe_extent(all))),
        );
    }
    warnings.sort();
    warnings.dedup();
    note_warnings(&warnings);
    let rows: usize = study.experiments.iter().map(|d| d.plan(Default::default()).row_ids().count()).sum();
    lines.push(format!("  {} in {}", counted(rows, "row"), counted(study.experiments.len(), "experiment")));
    print(&lines.join("\n"))
}

/// `anabranch study status FILE`.
fn status(args: &StudyRunArgs) -> Result<(), Error> {
    args.jobs.apply()?;
    let study = args.open()?;
    let campaign = args.campaign(&study)?;
    let mut lines = vec![];
    for simulations in campaign.simulations() {
        lines.push(format!("{}: {}", study.name, describe_extent(simulations)));
        if let Some(folder) = args.place(&study).store.filter(|folder| folder.is_dir()) {
            let kept = store::open(&folder, note).map_or(0, |kept| simulations.found(&kept as &dyn RunCache));
            let all = simulations.keepable();
            let resume = "`anabranch study` runs only the missing ones";
            lines.push(format!("  {kept} of the {all} runs without samples over time are kept; {resume}"));
        }
    }
    let done = args.kept.out(&study.name).join("studies").join(format!("{}.json", study.name));
    let found = anabranch::status(&study, &args.options(), &done)?;
    lines.push(format!("  {}: {found}", done.display()));
    print(&lines.join("\n"))
}

fn command(args: &StudyRunArgs) -> String {
    let name = quoted(&args.file().display().to_string());
    let StudyRunArgs { size, variants, .. } = args;
    let only = option("only", &args.only);
    let at = option("at", args.at.iter().map(|(axis, values)| format!("{axis}={}", values.join(","))));
    let backend = args.backend.options(args.linux_hosts);
    format!("anabranch study {name}{size}{only}{at}{variants}{backend}")
}
