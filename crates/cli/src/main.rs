//! The `anabranch` command: parses arguments and prints results. The crate `anabranch` does the work.
//!
//! Each command has a file with its arguments, its examples and its function. `pages` prints results as text.

mod advise;
mod capture;
mod cc;
mod check;
mod compare;
mod examples;
mod failure;
mod finish;
mod ideal;
mod interrupt;
#[cfg(feature = "linux")]
mod kernel;
mod man;
mod output;
mod pages;
mod paper;
mod plot;
mod progress;
mod run;
mod shared_args;
mod study;
mod sweep;
mod table;
mod task;
mod trace;

use anabranch::Error;
use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;
use std::process::ExitCode;

const SCHEMA_EXAMPLES: &str = "\
Examples:
  anabranch schema > scenario.schema.json
  anabranch schema study > study.schema.json
  anabranch schema summary
As the first line of a scenario, for editors that support Taplo's directive:
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
  anabranch run example:two-paths
  anabranch run example:two-paths --plot
  anabranch compare example:two-paths --cc uncoupled,lia,coupled-cubic --seeds 10
  anabranch sweep example:two-paths --vary 'links.*.queue=0.5..4 BDP/4log' --cc lia,olia
  anabranch paper all --quick
  anabranch cc show coupled-cubic
  anabranch kernel doctor

Exit status: 0 done; 1 the result itself failed; 2 bad input or environment; 130 interrupted.";

/// Congestion control for multipath transports: simulate it, compare it, reproduce its papers.
#[derive(Debug, Parser)]
#[command(name = "anabranch", version, after_help = EXAMPLES, max_term_width = 100)]
pub struct Cli {
    /// The command to execute.
    #[command(subcommand)]
    pub command: Command,
}

/// The command to execute.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate a scenario and summarise the run.
    #[command(after_help = run::EXAMPLES)]
    #[command(mut_arg("seed", |arg| arg.help("The seed, instead of the scenario's").long_help(None)))]
    Run(run::RunArgs),
    /// Draw a run or a figure of a study: windows, throughput, queues and more, as SVG, PDF, PNG or a web page.
    #[command(after_help = plot::EXAMPLES)]
    Plot(plot::PlotArgs),
    /// Simulate a scenario with several algorithms and seeds, and print means and 95 % intervals.
    #[command(after_help = compare::EXAMPLES)]
    Compare(compare::CompareArgs),
    /// Recommend an algorithm for the connection with several paths: compares each with single-path flows in its place.
    #[command(after_help = advise::help())]
    Advise(advise::AdviseArgs),
    /// Run the experiments of papers, compare them with the published values, and write the report. `all` also runs the
    /// standard cases of the algorithms.
    #[command(after_help = paper::help())]
    Paper(paper::PaperArgs),
    /// Run your own study, a TOML file that varies scenarios, judges claims and draws figures.
    #[command(after_help = study::args::EXAMPLES)]
    Study(study::args::StudyArgs),
    /// Vary keys and algorithms of a scenario, and write a table of all runs and figures over the varied keys.
    #[command(after_help = sweep::EXAMPLES)]
    #[command(mut_arg("replace", |arg| arg.help(sweep::REPLACE)))]
    Sweep(sweep::SweepArgs),
    /// List the congestion control algorithms, explain one, or run their standard cases.
    #[command(after_help = cc::EXAMPLES)]
    #[command(subcommand)]
    Cc(cc::CcCommand),
    /// Check a scenario without running it, and describe it.
    #[command(after_help = check::EXAMPLES)]
    #[command(mut_arg("seed", |arg| arg.help("The seed, instead of the scenario's").long_help(None)))]
    Check(check::CheckArgs),
    /// List the scenarios and studies that ship with the command.
    #[command(after_help = examples::EXAMPLES_EXAMPLES)]
    Examples(examples::ExamplesArgs),
    /// Write a commented scenario to start from, or a copy of an example.
    #[command(after_help = examples::NEW_EXAMPLES)]
    New(examples::NewArgs),
    /// Run one task, a JSON object on standard input, and print its outcome as one line of JSON. Other programs and machines
    /// can use this to execute runs.
    #[command(after_help = task::EXAMPLES)]
    Task(task::TaskArgs),
    /// Compute the theory of a scenario: max–min and pooled shares, and the equilibria of LIA, OLIA, BALIA and Linked CUBIC.
    #[command(after_help = ideal::EXAMPLES)]
    #[command(mut_arg("seed", |arg| arg.help("The seed, instead of the scenario's").long_help(None)))]
    Ideal(ideal::IdealArgs),
    /// Print a synthetic trace for a link, from a model and a seed.
    #[command(after_help = trace::EXAMPLES)]
    Trace(trace::TraceArgs),
    /// Read a capture of MPTCP connections of any hosts: throughput, round-trip times, retransmissions, ACK patterns.
    #[command(after_help = capture::EXAMPLES)]
    Capture(capture::CaptureArgs),
    #[cfg(feature = "linux")]
    /// Load coupled congestion control into the running Linux kernel, for its MPTCP.
    #[command(after_help = kernel::args::EXAMPLES)]
    #[command(subcommand)]
    Kernel(kernel::args::KernelCommand),
    /// Put coupled congestion control into the running Linux kernel: in builds with the feature `linux`.
    #[cfg(not(feature = "linux"))]
    #[command(after_help = "Examples:\n  anabranch kernel doctor")]
    Kernel {
        /// Anything.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
        words: Vec<String>,
    },
    /// Print the JSON Schema of scenario or study files, for editors, or of a run's summary.
    #[command(after_help = SCHEMA_EXAMPLES)]
    Schema {
        /// The kind of file.
        #[arg(value_enum, default_value_t = Schema::Scenario)]
        of: Schema,
    },
    /// Print completions for a shell.
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Write the manual pages, one per command.
    #[command(after_help = MAN_EXAMPLES)]
    Man {
        /// The directory to write into.
        dir: PathBuf,
    },
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

fn main() -> ExitCode {
    let cli = Cli::try_parse().unwrap_or_else(|error| failure::usage(error));
    failure::install();
    interrupt::let_large_writes_fail();
    #[cfg(feature = "linux")]
    if !matches!(cli.command, Command::Task(_)) {
        anabranch::linux::report_repeated_runs(|note| {
            progress::clear_line();
            output::note(note);
        });
    }
    match execute(cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(error),
    }
}

fn execute(command: Command) -> Result<(), Error> {
    match command {
        Command::Run(args) => run::run(args),
        Command::Plot(args) => plot::plot(&args),
        Command::Compare(args) => compare::compare(args),
        Command::Advise(args) => advise::advise(args),
        Command::Paper(args) => paper::paper(&args),
        Command::Study(args) => study::study(&args),
        Command::Sweep(args) => sweep::sweep(&args),
        Command::Cc(command) => cc::cc(&command),
        Command::Check(args) => check::check(args),
        Command::Examples(args) => examples::examples(&args),
        Command::New(args) => examples::new(&args),
        Command::Task(args) => task::task(&args),
        Command::Trace(args) => trace::trace(&args),
        Command::Ideal(args) => ideal::ideal(args),
        Command::Capture(args) => capture::capture(args),
        #[cfg(feature = "linux")]
        Command::Kernel(command) => kernel::kernel(&command),
        #[cfg(not(feature = "linux"))]
        Command::Kernel { .. } => Err(anabranch::linux::unsupported()),
        Command::Schema { of: Schema::Scenario } => output::print_json(&anabranch::scenarios::json_schema()),
        Command::Schema { of: Schema::Study } => output::print_json(&anabranch::studies::file::json_schema()),
        Command::Schema { of: Schema::Summary } => output::print_json(&anabranch::records::json_schema()),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "anabranch", &mut script);
            output::print(&String::from_utf8_lossy(&script))
        }
        Command::Man { dir } => man::write(Cli::command(), &dir),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch::links::{Discipline, Loss};

    #[test]
    fn consistent() {
        Cli::command().debug_assert();
    }

    fn with_subcommands(command: &clap::Command) -> Vec<&clap::Command> {
        let below = command.get_subcommands().flat_map(with_subcommands);
        std::iter::once(command).chain(below).collect()
    }

    /// Every example of the help texts is a command line that is accepted, and its papers have its experiment.
    #[test]
    fn examples_parse() {
        let root = Cli::command();
        for command in with_subcommands(&root) {
            let name = command.get_name();
            let help =
                command.get_after_help().unwrap_or_else(|| panic!("{name} has no examples")).to_string();
            let broken = help.lines().find(|line| line.chars().count() > 100 && !line.starts_with("  {"));
            assert_eq!(
                broken, None,
                "{name}: a line that breaks where the terminal's width is not the author's"
            );
            let examples: Vec<_> = help.lines().filter(|l| l.starts_with("  anabranch ")).collect();
            assert!(!examples.is_empty(), "{name}");
            for example in examples {
                assert!(example.chars().count() <= 100, "a line that breaks cannot be pasted: {example}");
                let command = example.split(['>', '<', '&']).next().unwrap().trim();
                let cli = Cli::try_parse_from(shlex::split(command).unwrap())
                    .unwrap_or_else(|e| panic!("{example}: {e}"));
                if let Command::Paper(args) = cli.command {
                    assert_papers(&args, example);
                }
            }
        }
    }

    #[test]
    fn the_pages_name_what_the_lists_have() {
        let (commands, queues, scenario) = (
            include_str!("../../../docs/src/commands.md"),
            include_str!("../../../docs/src/queues.md"),
            include_str!("../../../docs/src/scenario.md"),
        );
        for command in Cli::command().get_subcommands() {
            let row = format!("\n| `{}", command.get_name());
            assert!(commands.contains(&format!("{row} ")) || commands.contains(&format!("{row}`")), "{row}");
        }
        let backends = anabranch::RUNNERS.iter().map(|(runner, _)| format!("`{}`", runner.name()));
        let losses = Loss::ALL[1..].iter().map(|model| format!("loss = {{ model = \"{}\"", model.name));
        let disciplines = Discipline::ALL[1..].iter().map(|kind| format!("\n| `{}` |", kind.name));
        let in_pages = backends.map(|name| (commands, name)).chain(losses.map(|name| (scenario, name)));
        for (page, name) in in_pages.chain(disciplines.map(|name| (queues, name))) {
            assert!(page.contains(&name), "{name}");
        }
    }

    fn assert_papers(args: &paper::PaperArgs, example: &str) {
        let known =
            |p: &String| ["all", "list"].contains(&p.as_str()) || anabranch::papers::find(p).is_some();
        assert!(args.papers.iter().all(known), "{example}");
        if let Some(id) = &args.only {
            let paper = anabranch::papers::find(id).unwrap_or_else(|| panic!("{example}: no {id}"));
            assert!(args.papers.iter().any(|p| *p == paper.name || *p == paper.id), "{example}");
        }
    }
}
