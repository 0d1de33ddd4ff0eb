//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::num::NonZeroUsize;
use std::path::PathBuf;

const RUN_EXAMPLES: &str = "\
Examples:
  anabranch run scenarios/two-paths-and-a-neighbour.toml
  anabranch run scenarios/two-paths-and-a-neighbour.toml --cc lia --seed 7 --duration '30 s'
  anabranch run scenarios/two-paths-and-a-neighbour.toml --cc bonded=lia --cc neighbour=cubic
  anabranch run scenarios/two-paths-and-a-neighbour.toml --set links.dsl.rate='50 Mbit/s'
  anabranch run scenarios/two-paths-and-a-neighbour.toml --set flows.bonded.start='5 s'
  anabranch run scenarios/two-paths-and-a-neighbour.toml --out out/run --format csv
  anabranch run - --json < scenario.toml";

const COMPARE_EXAMPLES: &str = "\
Examples:
  anabranch compare scenarios/two-paths-and-a-neighbour.toml --cc uncoupled,lia,coupled-cubic --seeds 10
  anabranch compare scenarios/two-paths-and-a-neighbour.toml --cc lia,cubic --set links.dsl.queue='2 BDP'
  anabranch compare scenarios/two-paths-and-a-neighbour.toml --cc lia,cubic --seeds 20 --json > runs.json";

const PAPER_EXAMPLES: &str = "\
Examples:
  anabranch paper all --quick
  anabranch paper coupled-cubic
  anabranch paper A,B --full --seeds 20 --out out-full
  anabranch paper coupled-cubic --only A-T3";

const CC_EXAMPLES: &str = "\
Examples:
  anabranch cc list
  anabranch cc show coupled-cubic
  anabranch cc show lia --json";

const CHECK_EXAMPLES: &str = "\
Examples:
  anabranch check scenarios/two-paths-and-a-neighbour.toml
  anabranch check scenarios/two-paths-and-a-neighbour.toml --set links.dsl.queue='2 BDP'
  anabranch check - < scenario.toml";

const SCHEMA_EXAMPLES: &str = "\
Examples:
  anabranch schema > scenario.schema.json
and as the first line of a scenario, for editors that know Taplo's directive:
  #:schema scenario.schema.json";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  anabranch completions bash > ~/.local/share/bash-completion/completions/anabranch
  anabranch completions zsh > ~/.zfunc/_anabranch
  anabranch completions fish > ~/.config/fish/completions/anabranch.fish";

const EXAMPLES: &str = "\
Examples:
  anabranch run scenarios/two-paths-and-a-neighbour.toml
  anabranch compare scenarios/two-paths-and-a-neighbour.toml --cc uncoupled,lia,coupled-cubic --seeds 10
  anabranch paper all --quick
  anabranch cc show coupled-cubic

Exit status: 0 done; 1 the result itself failed; 2 bad input or environment; 130 interrupted.";

/// Congestion control for multipath transports: simulate it, compare it, reproduce its papers.
#[derive(Debug, Parser)]
#[command(name = "anabranch", version, after_help = EXAMPLES, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate a scenario and summarise what happened.
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunArgs),
    /// Simulate a scenario with several algorithms over several seeds: means and 95 % intervals.
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(CompareArgs),
    /// Run papers' experiments, judge them against what was published, write the report.
    #[command(after_help = PAPER_EXAMPLES)]
    Paper(PaperArgs),
    /// List the congestion-control algorithms, or explain one.
    #[command(after_help = CC_EXAMPLES)]
    Cc(CcArgs),
    /// Check a scenario without running it, and describe it.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArgs),
    /// Print the JSON Schema of scenario files, for editors.
    #[command(after_help = SCHEMA_EXAMPLES)]
    Schema,
    /// Print a shell's completions.
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// Which shell.
        shell: Shell,
    },
}

/// A scenario, and what is changed in it.
#[derive(Debug, Args)]
pub struct ScenarioArgs {
    /// The scenario file; `-` reads standard input.
    pub file: PathBuf,
    /// Replace a value of the scenario: a key with dots and its value, as in the file.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// The (first) seed, instead of the scenario's.
    #[arg(long, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Length of the run, warm-up included, such as '60 s', instead of the scenario's.
    #[arg(long)]
    pub duration: Option<String>,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub scenario: ScenarioArgs,
    /// Algorithm of the multipath flows, or of the flow that is named.
    #[arg(long, value_name = "[FLOW=]CC")]
    pub cc: Vec<String>,
    /// Write the summary, the samples and the effective scenario into this directory.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Format of the samples.
    #[arg(long, value_enum, default_value_t = Format::Parquet, requires = "out")]
    pub format: Format,
    /// Print the summary as one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Format of samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Apache Parquet.
    Parquet,
    /// Comma-separated values.
    Csv,
}

/// Arguments of `compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    #[command(flatten)]
    pub scenario: ScenarioArgs,
    /// The algorithms, separated by commas; each replaces that of the multipath flows, or of the flow that is
    /// named.
    #[arg(long, value_name = "[FLOW=]CC,…", value_delimiter = ',', required = true)]
    pub cc: Vec<String>,
    /// How many seeds: the first and those after it.
    #[arg(long, default_value = "5")]
    pub seeds: NonZeroUsize,
    /// Runs at a time; all cores if not given.
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// Print the summaries of all runs as a JSON array.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `paper`.
#[derive(Debug, Args)]
pub struct PaperArgs {
    /// Papers by name or letter, separated by commas, or `all`.
    #[arg(value_name = "PAPER,…", value_delimiter = ',', required = true)]
    pub papers: Vec<String>,
    /// Briefly, in about a minute.
    #[arg(long, conflicts_with = "full")]
    pub quick: bool,
    /// The papers' own durations, at least ten seeds.
    #[arg(long)]
    pub full: bool,
    /// How many seeds, instead of the size's own number.
    #[arg(long)]
    pub seeds: Option<std::num::NonZeroU32>,
    /// Only this experiment, table or figure, such as A-T3.
    #[arg(long, value_name = "ID")]
    pub only: Option<String>,
    /// Where `papers/` and `report/` are written.
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub out: PathBuf,
}

/// Arguments of `cc`.
#[derive(Debug, Args)]
pub struct CcArgs {
    #[command(subcommand)]
    pub command: CcCommand,
}

/// What to tell of the algorithms.
#[derive(Debug, Subcommand)]
pub enum CcCommand {
    /// List them.
    List {
        /// Print a JSON array.
        #[arg(long)]
        json: bool,
    },
    /// Explain one: equations, source, how we read it, parameters, observables.
    Show {
        /// Its name.
        name: String,
        /// Print a JSON object.
        #[arg(long)]
        json: bool,
    },
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub scenario: ScenarioArgs,
    /// Algorithm of the multipath flows, or of the flow that is named.
    #[arg(long, value_name = "[FLOW=]CC")]
    pub cc: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn consistent() {
        Cli::command().debug_assert();
    }

    /// Every example of the help texts is a command line that is accepted.
    #[test]
    fn examples_parse() {
        let root = Cli::command();
        let helps = root.get_subcommands().chain([&root]).map(|c| (c.get_name(), c.get_after_help()));
        for (name, help) in helps {
            let help = help.unwrap_or_else(|| panic!("{name} has no examples")).to_string();
            let examples: Vec<_> = help.lines().filter(|l| l.starts_with("  anabranch ")).collect();
            assert!(!examples.is_empty(), "{name}");
            for example in examples {
                let command = example.split(['>', '<']).next().unwrap().trim();
                // Quotes enclose the ends of words only: every second piece is quoted.
                let mut words = vec![String::new()];
                for (i, piece) in command.split('\'').enumerate() {
                    for (j, word) in
                        if i % 2 == 1 { vec![piece] } else { piece.split(' ').collect() }.iter().enumerate()
                    {
                        if j > 0 {
                            words.push(String::new());
                        }
                        *words.last_mut().unwrap() += word;
                    }
                }
                words.retain(|w| !w.is_empty());
                if let Err(e) = Cli::try_parse_from(&words) {
                    panic!("{example}: {e}");
                }
            }
        }
    }
}
