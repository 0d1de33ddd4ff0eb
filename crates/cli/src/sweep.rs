//! `anabranch sweep`: varies keys and algorithms of a scenario, as a generated study.

use crate::finish::run;
use crate::output::{note_warnings, print};
use crate::pages::sweep::page;
use crate::shared_args::{Jobs, KeptArgs, backend, option};
use anabranch::records::quoted;
use anabranch::studies::{Kind, file::parts};
use anabranch::{Campaign, Changes, Error, Options, Runner, Scenario, examples, study_of_sweep};
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use miette::miette;
use std::path::{Path, PathBuf, absolute};

pub const EXAMPLES: &str = "\
Examples:
  anabranch sweep example:two-paths --vary 'links.*.queue=0.1..4 BDP/12log' --cc lia,olia
  anabranch sweep example:two-paths --vary tcp.initial_window=4,10 --seeds 10
  anabranch sweep example:two-paths --cc 'lia,{name=\"lia\", count=\"acks\"}' --out out-lia
  anabranch sweep my.toml --vary links.wifi.queue='0.5 BDP,1 BDP' --print-study
  anabranch sweep example:shared-bottleneck --cc lia,olia --seeds 3 --backend kernel";

pub const REPLACE: &str = "\
Replace another sweep of the same name, or one of more seeds or another version";

#[derive(Debug, Args)]
pub struct SweepArgs {
    /// The scenario file.
    pub scenario: PathBuf,
    /// A key and its values: a list, or a range with its steps. `*` stands for every link or flow, and `tcp.KEY` for the key
    /// of every flow.
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
    /// The number of seeds per point.
    #[arg(long, default_value = "5", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub seeds: u32,
    /// Also run everything on another backend, and show its values beside the simulator's. `kernel` needs root and runs in
    /// real time.
    #[arg(long, value_parser = backend(), default_value = "sim")]
    pub backend: &'static Runner,
    /// Also simulate everything with the Linux-accurate host model, in a column beside the default. A kernel as the backend implies this.
    #[arg(long)]
    pub linux_hosts: bool,
    #[command(flatten)]
    pub kept: KeptArgs,
    #[command(flatten)]
    pub jobs: Jobs,
    /// The name of the sweep's files; by default the scenario file's name.
    #[arg(long)]
    pub name: Option<String>,
    /// Print the equivalent study file without running it.
    #[arg(long)]
    pub print_study: bool,
    /// Run even if it takes more than an hour, has more than 100,000 runs or may need more than 4 GB of memory.
    #[arg(long)]
    pub yes: bool,
    /// Print the result as one JSON object.
    #[arg(long)]
    pub json: bool,
}

pub fn sweep(args: &SweepArgs) -> Result<(), Error> {
    args.jobs.apply()?;
    if args.scenario == Path::new("-") {
        return Err(Error::input(miette!(
            "`-` is not possible here: a sweep reads its scenario again for every run; give a file"
        )));
    }
    let (set, duration) = (args.set.clone(), args.duration.clone());
    let scenario = Scenario::open_with(&args.scenario, Changes { set, duration, ..Changes::default() })?;
    let example = examples::named(&args.scenario)?;
    let named = scenario_path(args, example.is_some())?;
    let cc: Vec<String> = args.cc.iter().flat_map(|cc| parts(cc)).collect();
    // A sweep with more seeds is the same study.
    let seeds = args.print_study.then_some(args.seeds);
    let text = scenario.sweep(&named.display().to_string(), &args.vary, &cc, seeds)?;
    if args.print_study {
        return print(&text);
    }
    let stem = args.scenario.file_stem().map_or("sweep".into(), |stem| stem.to_string_lossy().into_owned());
    let stem = example.map_or(stem, |example| example.name.to_owned());
    let name = args.name.clone().unwrap_or(stem);
    let study = study_of_sweep(&name, &args.scenario, &text)?;
    let runner = args.backend;
    runner.ready()?;
    let beside = runner.variants(args.linux_hosts);
    let options = Options { seeds: Some(args.seeds), beside, ..Options::default() };
    let campaign = Campaign::new(Kind::Study, &[study], options, runner)?;
    note_warnings(&campaign.warnings());
    campaign.check(Some(rayon::current_num_threads()), args.yes)?;
    run(campaign, args.kept.place(&name, command(args)), args.json, |result, taken| {
        page(result, taken, &scenario)
    })
}

/// The scenario's path in the study. A study file names its scenario relative to itself. A printed one may be stored anywhere, so
/// the path is absolute.
fn scenario_path(args: &SweepArgs, is_example: bool) -> Result<PathBuf, Error> {
    match args.print_study {
        true if is_example => Err(Error::input(miette!(
            help = "write it into a file with `anabranch new`, and name that file",
            "a study file cannot name an example"
        ))),
        true => {
            absolute(&args.scenario).map_err(|e| Error::environment("cannot find the current folder", &e))
        }
        false => Ok(args.scenario.clone()),
    }
}

fn command(args: &SweepArgs) -> String {
    let scenario = quoted(&args.scenario.display().to_string());
    let varied = [option("vary", &args.vary), option("cc", &args.cc), option("set", &args.set)].concat();
    let (duration, name) = (option("duration", &args.duration), option("name", &args.name));
    let (seeds, backend) = (args.seeds, args.backend.options(args.linux_hosts));
    format!("anabranch sweep {scenario}{varied}{duration}{name} --seeds {seeds}{backend}")
}
