//! `anabranch advise`: which algorithm suits a scenario.

use crate::interrupt;
use crate::jobs::Jobs;
use crate::output::{print, print_json};
use crate::pages::advise::page;
use crate::progress::Progress;
use crate::scenario_args::ScenarioArgs;
use crate::table::WIDTH;
use anabranch::advise::{ALGORITHMS, RULE};
use anabranch::{AdviseOptions, Error};
use anabranch_study::file;
use clap::Args;
use clap::builder::NonEmptyStringValueParser;

const EXAMPLES: &str = "\
Examples:
  anabranch advise scenarios/two-paths-and-a-neighbour.toml
  anabranch advise scenarios/two-paths-and-a-neighbour.toml --cc lia,olia --buffers '0.5 BDP,2 BDP'
  anabranch advise scenarios/wifi-and-lte.toml --duration '30 s' --seeds 10 --jobs 2
  anabranch advise scenarios/shared-bottleneck.toml --json > advice.json

For each path, a single-path flow replaces the connection: with the algorithm and parameters of the
neighbour that shares a link with the path, or CUBIC if there is none. Goals (RFC 6356):
  1, improve throughput: the connection's rate ÷ the best single-path flow's, at least 1
  2, do no harm: its rate on a link ÷ the single-path flow's there, at most 1, on the link with
     the largest mean
  3, balance congestion: that ratio on a congested link ÷ the ratio on the other paths, at most 1; a
     link is congested if the single-path flow there loses twice as much as on the best path";

/// The examples, the goals and the rule.
pub fn help() -> String {
    format!("{EXAMPLES}\n\n{}", textwrap::fill(&format!("The rule: {RULE}"), WIDTH))
}

/// Arguments of `advise`.
#[derive(Debug, Args)]
pub struct AdviseArgs {
    #[command(flatten)]
    pub scenario: ScenarioArgs,
    /// The connection, if several flows have several paths.
    #[arg(long, value_name = "NAME")]
    pub flow: Option<String>,
    /// The algorithms to choose from, separated by commas: names, or tables with parameters. By default uncoupled, lia, olia,
    /// balia, coupled-cubic and linked-cubic.
    #[arg(long, value_name = "CC,…", value_parser = NonEmptyStringValueParser::new())]
    pub cc: Vec<String>,
    /// Buffers of every link, separated by commas, instead of the scenario's own.
    #[arg(long, value_name = "QUEUE,…", value_delimiter = ',', value_parser = NonEmptyStringValueParser::new())]
    pub buffers: Vec<String>,
    /// The number of seeds: the first seed and its successors.
    #[arg(long, default_value = "5", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub seeds: u32,
    #[command(flatten)]
    pub jobs: Jobs,
    /// Run even if it may need more than 4 GB of memory.
    #[arg(long)]
    pub yes: bool,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// `anabranch advise`.
pub fn advise(args: AdviseArgs) -> Result<(), Error> {
    let AdviseArgs { flow, cc, buffers, seeds, .. } = args;
    let cc: Vec<String> = match &cc[..] {
        [] => ALGORITHMS.map(str::to_owned).to_vec(),
        some => some.iter().flat_map(|cc| file::parts(cc)).collect(),
    };
    let buffers = buffers.into_iter().map(|buffer| buffer.trim().to_owned()).collect();
    let options = AdviseOptions { flow, cc, buffers, seeds, jobs: args.jobs.jobs, lax: args.yes };
    let scenario = args.scenario.open(vec![], false)?;
    interrupt::listen()?;
    let progress = Progress::over_runs();
    let advice = anabranch::advise(&scenario, &options, &progress.watch());
    drop(progress);
    let advice = advice?;
    if args.json { print_json(&advice) } else { print(&page(&advice)) }
}
