//! `anabranch compare`: runs a scenario with several algorithms over several seeds.

use crate::interrupt;
use crate::output::{distinct, note, note_warnings, print, print_json};
use crate::pages::compare::{Difference, Page};
use crate::progress::Progress;
use crate::shared_args::{Jobs, ScenarioArgs, backend};
use anabranch::studies::file;
use anabranch::{Comparison, Error, Runner, Summary};
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use serde::Serialize;

pub const EXAMPLES: &str = "\
Examples:
  anabranch compare example:two-paths --cc uncoupled,lia,coupled-cubic --seeds 10
  anabranch compare example:two-paths --cc lia,uncoupled --set links.dsl.queue='2 BDP'
  anabranch compare example:two-paths --cc lia,uncoupled --seeds 20 --json > runs.json
  anabranch compare example:shared-bottleneck --cc lia,olia --backend kernel";

#[derive(Debug, Args)]
pub struct CompareArgs {
    #[command(flatten)]
    pub scenario: ScenarioArgs,
    /// The algorithms, separated by commas: names, or tables with parameters. Each replaces the algorithm of the multipath
    /// flows, or of the named flow.
    #[arg(
        long,
        value_name = "[FLOW=]CC,…",
        required = true,
        value_parser = NonEmptyStringValueParser::new()
    )]
    pub cc: Vec<String>,
    /// The number of seeds: the first seed and its successors.
    #[arg(long, default_value = "5", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub seeds: u32,
    #[command(flatten)]
    pub jobs: Jobs,
    /// The backend that runs them.
    #[arg(long, value_parser = backend(), default_value = "sim")]
    pub backend: &'static Runner,
    /// Simulate with the Linux-accurate host model, as `--set hosts=linux` does.
    #[arg(long)]
    pub linux_hosts: bool,
    /// Run even if it may need more than 4 GB of memory.
    #[arg(long)]
    pub yes: bool,
    /// Print the summaries of all runs as a JSON array.
    #[arg(long)]
    pub json: bool,
}

/// An element of the JSON array.
#[derive(Serialize)]
struct Run<'a> {
    /// The algorithm as the user wrote it.
    cc: &'a str,
    #[serde(flatten)]
    summary: &'a Summary,
    /// Over all seeds of the algorithm; empty for the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    difference_to_first: Vec<Difference>,
}

pub fn compare(args: CompareArgs) -> Result<(), Error> {
    args.jobs.apply()?;
    let runner = args.backend;
    let cc = distinct(args.cc.iter().flat_map(|cc| file::parts(cc)));
    let scenario = args.scenario.read(cc[..1].to_vec(), args.linux_hosts)?;
    let comparison = Comparison::new(&scenario, &cc, args.seeds, runner, args.yes)?;
    note_warnings(&comparison.warnings());
    runner.ready()?;
    interrupt::listen()?;
    let compared = comparison.run(&Progress::over_runs().watch())?;
    let page = Page::of(&cc, &compared, &scenario);
    if args.json {
        let all = cc.iter().zip(&compared.runs).flat_map(|(cc, runs)| runs.iter().map(move |run| (cc, run)));
        let all = all.map(|(cc, summary)| Run { cc, summary, difference_to_first: page.differences(cc) });
        print_json(&all.collect::<Vec<_>>())?;
    } else if compared.complete() > 0 {
        print(&page.text())?;
    }
    compared.check(note)
}
