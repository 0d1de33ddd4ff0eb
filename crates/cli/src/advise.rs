//! `anabranch advise`: which algorithm suits a scenario.

use crate::finish::laboratory;
use crate::interrupt;
use crate::output::{distinct, note, print, print_json};
use crate::pages::advise::page;
use crate::progress::Progress;
use crate::shared_args::{Jobs, ScenarioArgs, option};
use crate::table::WIDTH;
use anabranch::advise::RULE;
use anabranch::studies::{Kind, Results, file};
use anabranch::{Advice, AdviseOptions, Error};
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  anabranch advise example:two-paths
  anabranch advise example:two-paths --cc lia,olia --buffers '0.5 BDP,2 BDP'
  anabranch advise example:wifi-and-lte --duration '30 s' --seeds 10 --jobs 2
  anabranch advise example:wifi-and-lte --out out/advice
  anabranch advise example:shared-bottleneck --json > advice.json

For each path, a single-path flow replaces the connection: with the algorithm and parameters of the
neighbour that shares a link with the path, or CUBIC if there is none. Goals (RFC 6356):
  1, improve throughput: the connection's rate ÷ the best single-path flow's, at least 1
  2, do no harm: for each link that other flows cross, its rate there ÷ the single-path flow's
     there, at most 1; the table shows the worst link: a missed one before an undecided one, then
     the largest ratio
  3, balance congestion: that ratio on a congested link ÷ the ratio on the other paths, at most 1; a
     link is congested if the single-path flow there loses twice as much as on the best path";

/// The examples, the goals and the rule.
pub fn help() -> String {
    format!("{EXAMPLES}\n\n{}", textwrap::fill(&format!("The rule: {RULE}"), WIDTH))
}

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
    /// The folder that gets `advice/` and `report/`. It may have results of studies and other advice; advice on a scenario of the same
    /// name is replaced.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Simulate with the Linux-accurate host model, as `--set hosts=linux` does.
    #[arg(long)]
    pub linux_hosts: bool,
    #[command(flatten)]
    pub jobs: Jobs,
    /// Run even if it may need more than 4 GB of memory.
    #[arg(long)]
    pub yes: bool,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

pub fn advise(args: AdviseArgs) -> Result<(), Error> {
    args.jobs.apply()?;
    let command = command(&args);
    let AdviseArgs { flow, cc, buffers, seeds, .. } = args;
    let default = AdviseOptions::default();
    let cc = match &cc[..] {
        [] => default.cc,
        some => distinct(some.iter().flat_map(|cc| file::parts(cc))),
    };
    let buffers = distinct(buffers.iter().map(|buffer| buffer.trim().to_owned()));
    let options = AdviseOptions { flow, cc, buffers, seeds, lax: args.yes, command };
    let scenario = args.scenario.open(vec![], args.linux_hosts)?;
    interrupt::listen()?;
    let results = args.out.as_deref().map(|out| Results::open(out, note)).transpose()?;
    let advice = anabranch::advise(&scenario, &options, &Progress::over_runs().watch())?;
    let printed = if args.json { print_json(&advice) } else { print(&page(&advice, &scenario)) };
    if let Some(results) = results {
        let report = keep(&results, &advice)?;
        if !args.json {
            print(&format!("Report: {}", report.display()))?;
        }
    }
    printed
}

/// Writes the advice and the report on all results of the folder; returns the advice's page.
fn keep(results: &Results, advice: &Advice) -> Result<PathBuf, Error> {
    let safe = |c: char| if c.is_alphanumeric() || "._-".contains(c) { c } else { '-' };
    let name: String = advice.scenario.chars().map(safe).collect();
    results.keep(Kind::Advice, &format!("advice-{name}"), advice)?;
    anabranch::report(results, &advice.command, laboratory(), false)
}

fn command(args: &AdviseArgs) -> String {
    let AdviseArgs { scenario, flow, cc, buffers, seeds, .. } = args;
    let buffers = (!buffers.is_empty()).then(|| buffers.join(","));
    let options =
        [option("flow", flow), option("cc", cc), option("buffers", buffers), option("seeds", [seeds])];
    let hosts = if args.linux_hosts { " --linux-hosts" } else { "" };
    format!("anabranch advise {}{}{hosts}", scenario.command(), options.concat())
}
