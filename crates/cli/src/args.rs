//! The command line.

use crate::backend::{BackendName, TrafficName};
use crate::capture::CaptureArgs;
use crate::format::Format;
use crate::kernel::args::{self as kernel_args, KernelArgs};
use crate::read_capture::{self, ReadArgs};
use crate::size_args::SizeArgs;
use crate::study_args::{self, StudyArgs, SweepArgs};
use crate::table::WIDTH;
use crate::trace::TraceArgs;
use anabranch_study::variant::LINUX_HOSTS_SET;
use clap::builder::NonEmptyStringValueParser;
use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;

const RUN_EXAMPLES: &str = "\
Examples:
  anabranch run scenarios/two-paths-and-a-neighbour.toml
  anabranch run scenarios/two-paths-and-a-neighbour.toml --cc lia --seed 7 --duration '30 s'
  anabranch run scenarios/two-paths-and-a-neighbour.toml --cc bonded=lia --cc neighbour=cubic
  anabranch run scenarios/two-paths-and-a-neighbour.toml --cc '{name=\"lia\", count=\"acks\"}'
  anabranch run scenarios/two-paths-and-a-neighbour.toml --set links.dsl.rate='50 Mbit/s'
  anabranch run scenarios/two-paths-and-a-neighbour.toml --set flows.bonded.start='5 s'
  anabranch run scenarios/two-paths-and-a-neighbour.toml --out out/run --format csv
  anabranch run scenarios/two-paths-and-a-neighbour.toml --duration '12 s' --pcap run.pcapng
  anabranch run scenarios/two-paths-and-a-neighbour.toml --plot
  anabranch run scenarios/two-paths-and-a-neighbour.toml --plot=windows.svg
  anabranch run - --json < scenario.toml
  anabranch run scenarios/two-paths-and-a-neighbour.toml --backend kernel
  anabranch run scenarios/two-paths-and-a-neighbour.toml --linux-hosts";

const PLOT_EXAMPLES: &str = "\
Examples:
  anabranch plot out/run
  anabranch plot out/run --figure windows,rtt --out windows.png --size single
  anabranch plot out/run --figure alpha --out alpha.svg
  anabranch plot out/run --figure windows,throughput,queue,rtt --columns 2 --size 7x4in --out run.svg
  anabranch plot out/run --out run.html
  anabranch plot out/run --figure list
  anabranch plot out/papers/coupled-cubic.json --figure A-F5 --out a-f5.svg --size double --columns 2";

const COMPARE_EXAMPLES: &str = "\
Examples:
  anabranch compare scenarios/two-paths-and-a-neighbour.toml --cc uncoupled,lia,coupled-cubic --seeds 10
  anabranch compare scenarios/two-paths-and-a-neighbour.toml --cc lia,cubic --set links.dsl.queue='2 BDP'
  anabranch compare scenarios/two-paths-and-a-neighbour.toml --cc lia,cubic --seeds 20 --json > runs.json
  anabranch compare scenarios/shared-bottleneck.toml --cc lia,olia --backend kernel";

const PAPER_EXAMPLES: &str = "\
Examples:
  anabranch paper list
  anabranch paper all --quick
  anabranch paper coupled-cubic
  anabranch paper A,B --full --seeds 20 --out out-full
  anabranch paper coupled-cubic --only A-T4
  anabranch paper coupling-cubic --only E-1000
  anabranch paper B --quick --backend kernel";

/// The papers by letter, name and title, and the examples.
fn paper_help() -> String {
    let options = textwrap::Options::new(WIDTH).initial_indent("  ").subsequent_indent("      ");
    let entry = |p: anabranch_study::file::Heading| {
        textwrap::fill(&format!("{}, {}: {}", p.id, p.name, p.title), &options) + "\n"
    };
    let papers: String = anabranch_papers::headings().map(entry).collect();
    format!("Papers:\n{papers}\n{PAPER_EXAMPLES}")
}

const CC_EXAMPLES: &str = "\
Examples:
  anabranch cc list
  anabranch cc show coupled-cubic
  anabranch cc show lia --json
  anabranch cc report lia";

const CC_LIST_EXAMPLES: &str = "\
Examples:
  anabranch cc list
  anabranch cc list --json";

const CC_SHOW_EXAMPLES: &str = "\
Examples:
  anabranch cc show coupled-cubic
  anabranch cc show lia --json";

const CC_REPORT_EXAMPLES: &str = "\
Examples:
  anabranch cc report
  anabranch cc report lia olia --quick
  anabranch cc report coupled-cubic --seeds 20 --out out-20";

const CHECK_EXAMPLES: &str = "\
Examples:
  anabranch check scenarios/two-paths-and-a-neighbour.toml
  anabranch check scenarios/two-paths-and-a-neighbour.toml --set links.dsl.queue='2 BDP'
  anabranch check - < scenario.toml";

const TASK_EXAMPLES: &str = "\
Examples:
  anabranch task < task.json
where task.json is, on one line or several (a seed and a scenario must be there):
  {\"scenario\": \"TOML text\", \"set\": [\"links.a.rate=5 Mbit/s\"], \"cc\": [\"lia\"], \"seed\": 3, \"backend\": \"sim\"}";

const IDEAL_EXAMPLES: &str = "\
Examples:
  anabranch ideal scenarios/two-paths-and-a-neighbour.toml
  anabranch ideal scenarios/two-paths-and-a-neighbour.toml --cc neighbour=cubic
  anabranch ideal scenarios/two-paths-and-a-neighbour.toml --set links.dsl.rate='50 Mbit/s'
  anabranch ideal scenarios/two-paths-and-a-neighbour.toml --queue 1
  anabranch ideal scenarios/two-paths-and-a-neighbour.toml --json > ideal.json";

const SCHEMA_EXAMPLES: &str = "\
Examples:
  anabranch schema > scenario.schema.json
  anabranch schema study > study.schema.json
  anabranch schema summary
and as the first line of a scenario, for editors that know Taplo's directive:
  #:schema scenario.schema.json";

const MAN_EXAMPLES: &str = "\
Examples:
  anabranch man ~/.local/share/man/man1
  anabranch man man1 && man man1/anabranch-kernel.1";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  anabranch completions bash > ~/.local/share/bash-completion/completions/anabranch
  anabranch completions zsh > ~/.zfunc/_anabranch
  anabranch completions fish > ~/.config/fish/completions/anabranch.fish";

const EXAMPLES: &str = "\
Examples:
  anabranch run scenarios/two-paths-and-a-neighbour.toml
  anabranch run scenarios/two-paths-and-a-neighbour.toml --plot
  anabranch compare scenarios/two-paths-and-a-neighbour.toml --cc uncoupled,lia,coupled-cubic --seeds 10
  anabranch sweep scenarios/two-paths-and-a-neighbour.toml --vary 'links.*.queue=0.5..4 BDP/4log' --cc lia,olia
  anabranch paper all --quick
  anabranch cc show coupled-cubic
  anabranch kernel doctor

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
    /// Draw a run's record or a study's figure: windows, throughput, queues and more, as SVG, PNG or an interactive page.
    #[command(after_help = PLOT_EXAMPLES)]
    Plot(PlotArgs),
    /// Simulate a scenario with several algorithms over several seeds: means and 95 % intervals.
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(CompareArgs),
    /// Run papers' experiments, judge them against what was published, write the report. `all` runs the algorithms'
    /// standard cases too.
    #[command(after_help = paper_help())]
    Paper(PaperArgs),
    /// Run a study of your own, a TOML file that varies scenarios, judges claims and draws figures.
    #[command(after_help = study_args::STUDY_EXAMPLES)]
    Study(StudyArgs),
    /// Vary keys of a scenario, and algorithms: one table of all runs, and figures over what varies.
    #[command(after_help = study_args::SWEEP_EXAMPLES)]
    Sweep(SweepArgs),
    /// List the congestion-control algorithms, explain one, or report how they behave.
    #[command(after_help = CC_EXAMPLES)]
    Cc(CcArgs),
    /// Check a scenario without running it, and describe it.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArgs),
    /// Run one task, a JSON object on standard input, and print its outcome as one line of JSON. So that other programs and other
    /// machines can make runs.
    #[command(after_help = TASK_EXAMPLES)]
    Task(TaskArgs),
    /// Tell what theory gives for a scenario: max–min and pooled shares, where LIA, OLIA, BALIA and Linked CUBIC settle.
    #[command(after_help = IDEAL_EXAMPLES)]
    Ideal(IdealArgs),
    /// Print a synthetic trace for a link to follow, by a model and a seed.
    #[command(after_help = crate::trace::EXAMPLES)]
    Trace(TraceArgs),
    /// Read a capture of MPTCP connections, of whatever hosts: throughput, round-trip times, what was sent again, how ACKs come.
    #[command(after_help = read_capture::EXAMPLES)]
    Capture(ReadArgs),
    /// Put coupled congestion control into the running Linux kernel, for its MPTCP.
    #[command(after_help = kernel_args::EXAMPLES)]
    Kernel(KernelArgs),
    /// Print the JSON Schema of scenario or study files, for editors, or of a run's summary.
    #[command(after_help = SCHEMA_EXAMPLES)]
    Schema {
        /// Of which files.
        #[arg(value_enum, default_value_t = Schema::Scenario)]
        of: Schema,
    },
    /// Print a shell's completions.
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// Which shell.
        shell: Shell,
    },
    /// Write the manual pages, one per command.
    #[command(after_help = MAN_EXAMPLES)]
    Man {
        /// Where to.
        dir: PathBuf,
    },
}

/// A scenario, and what is changed in it.
#[derive(Debug, Args)]
pub struct ScenarioArgs {
    /// The scenario file; `-` reads standard input.
    pub file: PathBuf,
    /// Replace a value of the scenario: a key with dots and its value, as in the file.
    #[arg(long, value_name = "KEY=VALUE", value_parser = NonEmptyStringValueParser::new())]
    pub set: Vec<String>,
    /// The (first) seed, instead of the scenario's.
    #[arg(long, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Length of the run, warm-up included, such as '60 s', instead of the scenario's.
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    pub duration: Option<String>,
}

impl ScenarioArgs {
    /// Sets Linux hosts where they are asked for, after all that `--set` gives.
    pub fn linux_hosts(&mut self, asked: bool) {
        self.set.extend(asked.then(|| LINUX_HOSTS_SET.to_owned()));
    }
}

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("outputs").args(["out", "plot", "pcap"]).multiple(true)))]
pub struct RunArgs {
    #[command(flatten)]
    pub scenario: ScenarioArgs,
    /// Algorithm of the multipath flows, or of the flow that is named: a name, or a table with parameters.
    #[arg(long, value_name = "[FLOW=]CC", value_parser = NonEmptyStringValueParser::new())]
    pub cc: Vec<String>,
    /// Write into this directory the summary, the samples, and the scenario's text with the command that repeats
    /// the run.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Replace what `--out` has of a run of another scenario, seed or version, and files of another kind that `--plot` and `--pcap`
    /// name; without this, these stay.
    #[arg(long, requires = "outputs")]
    pub replace: bool,
    /// Format of the samples.
    #[arg(long, value_enum, default_value_t = Format::Parquet, requires = "out")]
    pub format: Format,
    /// Draw windows, throughput and queues over time into this file, an interactive page if none is given, and open it where there
    /// is a display. The name's ending is the format: .html, .svg or .png.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "plot.html")]
    pub plot: Option<PathBuf>,
    /// What runs it: the simulator, or the running Linux kernel, as root.
    #[arg(long, value_enum, default_value_t = BackendName::Sim)]
    pub backend: BackendName,
    /// Simulate it with `hosts = "linux"`, as `--set hosts=linux` does.
    #[arg(long)]
    pub linux_hosts: bool,
    /// Who sends and receives on the kernel, also on a guest's.
    #[arg(long, value_enum, default_value_t = TrafficName::Own)]
    pub traffic: TrafficName,
    #[command(flatten)]
    pub capture: CaptureArgs,
    /// Run it even if it may need more than 4 GB of memory.
    #[arg(long)]
    pub yes: bool,
    /// Print the summary as one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `plot`.
#[derive(Clone, Debug, Args)]
pub struct PlotArgs {
    /// A folder that `run --out` wrote, or the result of a study: a file in `studies` or `papers` of its folder of results.
    #[arg(value_name = "RUN|STUDY")]
    pub what: PathBuf,
    /// Which figures, separated by commas; `list` lists them. Of a run windows, throughput and queue if not given; further ones are
    /// rtt, sequence, shares, completions, slowdown, and the algorithm's inner values by name, such as alpha.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = NonEmptyStringValueParser::new())]
    pub figure: Vec<String>,
    /// The file; its name's ending is the format: .svg, .png or .html.
    #[arg(long, value_name = "FILE", default_value = "plot.svg")]
    pub out: PathBuf,
    /// Replace the file even if it is none of our pictures.
    #[arg(long)]
    pub replace: bool,
    /// screen; single (3.4 in, a column of a paper) or double (7 in), both with text of 8 points; or a width or WIDTHxHEIGHT, such
    /// as 5x3in, 120mm or 800px. A page follows its window instead.
    #[arg(long, default_value = "screen")]
    pub size: anabranch_plot::Size,
    /// How many panels stand beside each other; 1 if not given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=12))]
    pub columns: Option<u8>,
}

impl PlotArgs {
    /// Is the list of figures asked for?
    pub fn lists(&self) -> bool {
        self.figure == ["list"]
    }
}

/// Arguments of `compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    #[command(flatten)]
    pub scenario: ScenarioArgs,
    /// The algorithms, separated by commas: names, or tables with parameters. Each replaces that of the multipath flows, or of
    /// the flow that is named.
    #[arg(
        long,
        value_name = "[FLOW=]CC,…",
        required = true,
        value_parser = NonEmptyStringValueParser::new()
    )]
    pub cc: Vec<String>,
    /// How many seeds: the first and those after it.
    #[arg(long, default_value = "5", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub seeds: u32,
    /// Runs at a time; all cores if not given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,
    /// What runs them: the simulator, or the running Linux kernel, as root.
    #[arg(long, value_enum, default_value_t = BackendName::Sim)]
    pub backend: BackendName,
    /// Simulate them with `hosts = "linux"`, as `--set hosts=linux` does.
    #[arg(long)]
    pub linux_hosts: bool,
    /// Run it even if it may need more than 4 GB of memory.
    #[arg(long)]
    pub yes: bool,
    /// Print the summaries of all runs as a JSON array.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `paper`.
#[derive(Debug, Args)]
pub struct PaperArgs {
    /// Papers by name or letter, separated by commas; `all`; or `list`, which lists them and their experiments.
    #[arg(value_name = "PAPER,…", value_delimiter = ',', required = true)]
    pub papers: Vec<String>,
    #[command(flatten)]
    pub size: SizeArgs,
    /// Only this experiment, table or figure, such as A-T4.
    #[arg(long, value_name = "ID")]
    pub only: Option<String>,
    /// Do not run again under other assumptions (the retired kernel's arithmetic, links with a clock and so on): half the time.
    #[arg(long)]
    pub no_columns: bool,
    /// `kernel`: run the papers' own experiments on the running Linux kernel too, as root and in real time, and show its values
    /// beside the simulator's.
    #[arg(long, value_enum, default_value_t = BackendName::Sim)]
    pub backend: BackendName,
    /// Simulate everything with `hosts = "linux"` too, in a column beside the default. Another backend brings it along.
    #[arg(long)]
    pub linux_hosts: bool,
    /// Run it even if it takes more than an hour.
    #[arg(long)]
    pub yes: bool,
    /// Where `papers/`, `algorithms/` and `report/` are written.
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub out: PathBuf,
    /// Replace results there that were made with another size, other seeds, by another version or of another study file; without
    /// this, they stay.
    #[arg(long)]
    pub replace: bool,
    /// Leave the runs in `store/` of that folder when all is done: the next command uses those that it has in common with
    /// this one.
    #[arg(long)]
    pub keep_runs: bool,
}

/// Kinds of files that have a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Schema {
    /// A scenario.
    Scenario,
    /// A study.
    Study,
    /// The summary of a run: what `run --json` prints.
    Summary,
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
    #[command(after_help = CC_LIST_EXAMPLES)]
    List {
        /// Print a JSON array.
        #[arg(long)]
        json: bool,
    },
    /// Explain one: equations, source, how we read it, parameters, observables.
    #[command(after_help = CC_SHOW_EXAMPLES)]
    Show {
        /// Its name.
        name: String,
        /// Print a JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Run algorithms through the standard cases and write their pages of the report.
    #[command(after_help = CC_REPORT_EXAMPLES)]
    #[command(mut_arg("quick", |arg| arg.help("Two seeds; cases without changes last 24 s instead of 60 s")))]
    #[command(mut_arg("full", |arg| arg.help("Ten seeds instead of five")))]
    #[command(mut_arg("seeds", |arg| arg.help("How many seeds, instead of the size's own number")))]
    Report(CcReportArgs),
}

/// Arguments of `cc report`.
#[derive(Debug, Args)]
pub struct CcReportArgs {
    /// The algorithms; all if none is given.
    pub names: Vec<String>,
    #[command(flatten)]
    pub size: SizeArgs,
    /// Where `algorithms/` and `report/` are written.
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub out: PathBuf,
    /// Replace results there that were made with another size, other seeds or by another version; without this, they stay.
    #[arg(long)]
    pub replace: bool,
    /// Print the results as a JSON array.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub scenario: ScenarioArgs,
    /// Accept it even if a run may need more than 4 GB of memory.
    #[arg(long)]
    pub yes: bool,
    /// Algorithm of the multipath flows, or of the flow that is named: a name, or a table with parameters.
    #[arg(long, value_name = "[FLOW=]CC", value_parser = NonEmptyStringValueParser::new())]
    pub cc: Vec<String>,
}

/// Arguments of `task`.
#[derive(Debug, Args)]
pub struct TaskArgs {
    /// Run it even if it may need more than 4 GB of memory.
    #[arg(long)]
    pub yes: bool,
    /// Where its samples over time are written for who has started it in a guest.
    #[arg(long, hide = true)]
    pub samples: Option<PathBuf>,
    /// Who sends and receives, there.
    #[arg(long, hide = true, value_enum, default_value_t = TrafficName::Own)]
    pub traffic: TrafficName,
}

/// Arguments of `ideal`.
#[derive(Debug, Args)]
pub struct IdealArgs {
    #[command(flatten)]
    pub scenario: ScenarioArgs,
    /// Algorithm of the multipath flows, or of the flow that is named: a name, or a table with parameters.
    #[arg(long, value_name = "[FLOW=]CC", value_parser = NonEmptyStringValueParser::new())]
    pub cc: Vec<String>,
    /// The part of a full link's buffer that is taken up on average, from 0 to 1.
    #[arg(long, value_name = "PART", default_value_t = anabranch_ideal::QUEUE, value_parser = part)]
    pub queue: f64,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// A number from 0 to 1.
fn part(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(part) if (0.0..=1.0).contains(&part) => Ok(part),
        _ => Err("it must be a number from 0 to 1".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn consistent() {
        Cli::command().debug_assert();
    }

    /// The command and those below it.
    fn with_subcommands(command: &clap::Command) -> Vec<&clap::Command> {
        let below = command.get_subcommands().flat_map(with_subcommands);
        std::iter::once(command).chain(below).collect()
    }

    /// The words of a command line whose quotes enclose the ends of words only: every second piece is quoted.
    fn words(command: &str) -> Vec<String> {
        let mut words = vec![String::new()];
        for (i, piece) in command.split('\'').enumerate() {
            let parts = if i % 2 == 1 { vec![piece] } else { piece.split(' ').collect() };
            for (j, part) in parts.iter().enumerate() {
                if j > 0 {
                    words.push(String::new());
                }
                *words.last_mut().unwrap() += part;
            }
        }
        words.retain(|w| !w.is_empty());
        words
    }

    /// Every example of the help texts is a command line that is accepted, and its papers have its experiment.
    #[test]
    fn examples_parse() {
        let root = Cli::command();
        for command in with_subcommands(&root) {
            let name = command.get_name();
            let help =
                command.get_after_help().unwrap_or_else(|| panic!("{name} has no examples")).to_string();
            let examples: Vec<_> = help.lines().filter(|l| l.starts_with("  anabranch ")).collect();
            assert!(!examples.is_empty(), "{name}");
            for example in examples {
                let command = example.split(['>', '<', '&']).next().unwrap().trim();
                let cli = Cli::try_parse_from(words(command)).unwrap_or_else(|e| panic!("{example}: {e}"));
                if let Command::Paper(args) = cli.command {
                    assert_papers(&args, example);
                }
            }
        }
    }

    fn assert_papers(args: &PaperArgs, example: &str) {
        let known = |p: &String| ["all", "list"].contains(&p.as_str()) || anabranch_papers::find(p).is_some();
        assert!(args.papers.iter().all(known), "{example}");
        if let Some(id) = &args.only {
            let paper = anabranch_papers::find(id).unwrap_or_else(|| panic!("{example}: no {id}"));
            assert!(args.papers.iter().any(|p| *p == paper.name || *p == paper.id), "{example}");
        }
    }
}
