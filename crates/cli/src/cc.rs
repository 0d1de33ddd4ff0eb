//! `anabranch cc`: the algorithms in the registry, and their behaviour in the standard cases.

use crate::finish::run;
use crate::output::{distinct, print, print_json};
use crate::pages::algorithm;
use crate::shared_args::{Jobs, SizeArgs};
use anabranch::algorithms::registry::{ALL, Entry};
use anabranch::scenarios::describe::describe;
use anabranch::studies::Kind;
use anabranch::{Campaign, Error, Options, Place, SIM};
use clap::{Args, Subcommand};
use std::path::PathBuf;

pub const EXAMPLES: &str = "\
Examples:
  anabranch cc list
  anabranch cc show coupled-cubic
  anabranch cc show lia --json
  anabranch cc report lia";

const LIST_EXAMPLES: &str = "\
Examples:
  anabranch cc list
  anabranch cc list --json";

const SHOW_EXAMPLES: &str = "\
Examples:
  anabranch cc show coupled-cubic
  anabranch cc show lia --json";

const REPORT_EXAMPLES: &str = "\
Examples:
  anabranch cc report
  anabranch cc report lia olia --quick
  anabranch cc report coupled-cubic --seeds 20 --out out-20";

#[derive(Debug, Subcommand)]
pub enum CcCommand {
    /// List the algorithms.
    #[command(after_help = LIST_EXAMPLES)]
    List {
        /// Print a JSON array.
        #[arg(long)]
        json: bool,
    },
    /// Explain an algorithm: equations, source, interpretation, parameters, observables.
    #[command(after_help = SHOW_EXAMPLES)]
    Show {
        /// The algorithm's name.
        name: String,
        /// Print a JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Run algorithms through the standard cases and write their pages of the report.
    #[command(after_help = REPORT_EXAMPLES)]
    #[command(mut_arg("quick", |arg| arg.help("Two seeds; cases without changes last 24 s instead of 60 s")))]
    #[command(mut_arg("full", |arg| arg.help("Ten seeds instead of five")))]
    #[command(mut_arg("seeds", |arg| arg.help("The number of seeds, instead of the size's own")))]
    Report(CcReportArgs),
}

#[derive(Debug, Args)]
pub struct CcReportArgs {
    /// The algorithms; by default all.
    pub names: Vec<String>,
    #[command(flatten)]
    pub size: SizeArgs,
    #[command(flatten)]
    pub jobs: Jobs,
    /// The folder that gets `algorithms/` and `report/`.
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub out: PathBuf,
    /// Replace earlier results of another size, more seeds or another version.
    #[arg(long)]
    pub replace: bool,
    /// Print the results as a JSON array.
    #[arg(long)]
    pub json: bool,
}

pub fn cc(command: &CcCommand) -> Result<(), Error> {
    match command {
        CcCommand::List { json: true } => print_json(&ALL.iter().map(|e| describe(e)).collect::<Vec<_>>()),
        CcCommand::List { json: false } => print(&algorithm::list()),
        CcCommand::Show { name, json } => match (anabranch::algorithm(name)?, json) {
            (entry, true) => print_json(&describe(entry)),
            (entry, false) => print(&algorithm::page(entry)),
        },
        CcCommand::Report(args) => report(args),
    }
}

fn report(args: &CcReportArgs) -> Result<(), Error> {
    args.jobs.apply()?;
    let all = args.names.is_empty() || args.names.iter().any(|name| name == "all");
    let named = distinct(args.names.iter().filter(|name| *name != "all").cloned());
    let named: Vec<&'static Entry> =
        named.iter().map(|name| anabranch::algorithm(name)).collect::<Result<_, _>>()?;
    let chosen = if all { ALL.to_vec() } else { named };
    let names = if all { String::new() } else { format!(" {}", args.names.join(" ")) };
    let place = Place {
        out: args.out.clone(),
        command: format!("anabranch cc report{names}{}", args.size.command()),
        replace: args.replace,
        ..Place::default()
    };
    let options = Options { size: args.size.size(), seeds: args.size.seeds, ..Options::default() };
    let campaign = Campaign::new(Kind::Algorithm, &[], options, &SIM)?.with_algorithms(&chosen)?;
    run(campaign, place, args.json, |_, _| String::new())
}
