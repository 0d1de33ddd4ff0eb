//! The `anabranch` command: it parses arguments and prints; the work is done by the crates below it.

mod algorithms;
mod args;
mod backend;
mod capture;
mod check;
mod cluster;
mod compare;
mod earlier;
mod failure;
mod format;
mod guest;
mod ideal;
mod input;
mod interrupt;
mod kernel;
mod man;
mod memory;
mod output;
mod output_file;
mod paper;
mod plot;
mod progress;
mod read_capture;
mod report;
mod run;
mod size_args;
mod standard;
mod store;
mod study;
mod study_args;
mod sweep;
mod table;
mod task;
mod trace;

use args::{CcCommand, Cli, Command, Schema};
use clap::{CommandFactory, Parser};
use failure::Failure;
use std::process::ExitCode;
use study_args::StudyCommand;

fn main() -> ExitCode {
    let cli = Cli::try_parse().unwrap_or_else(|error| failure::usage(&error));
    failure::install();
    interrupt::let_large_writes_fail();
    match execute(cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn execute(command: Command) -> Result<(), Failure> {
    match command {
        Command::Run(args) => run::run(args),
        Command::Plot(args) => plot::plot(args),
        Command::Compare(args) => compare::compare(args),
        Command::Paper(args) => paper::paper(&args),
        Command::Study(args) => match args.command {
            Some(StudyCommand::Check { file }) => study::check(&file),
            Some(StudyCommand::Status(args)) => study::status(&args),
            None => study::study(&args.run),
        },
        Command::Sweep(args) => sweep::sweep(&args),
        Command::Cc(args) => match args.command {
            CcCommand::List { json } => algorithms::list(json),
            CcCommand::Show { name, json } => algorithms::show(&name, json),
            CcCommand::Report(args) => standard::report(&args),
        },
        Command::Check(args) => check::check(&args),
        Command::Task(args) => task::task(&args),
        Command::Trace(args) => trace::trace(&args),
        Command::Ideal(args) => ideal::ideal(&args),
        Command::Capture(args) => read_capture::capture(&args),
        Command::Kernel(args) => kernel::kernel(&args.command),
        Command::Schema { of: Schema::Scenario } => output::print_json(&anabranch_scenario::json_schema()),
        Command::Schema { of: Schema::Study } => output::print_json(&anabranch_study::file::json_schema()),
        Command::Schema { of: Schema::Summary } => output::print_json(&anabranch_record::json_schema()),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "anabranch", &mut script);
            output::print(&String::from_utf8_lossy(&script))
        }
        Command::Man { dir } => man::write(&dir),
    }
}
