//! `anabranch check`: validates a scenario and describes it.

use crate::output::print;
use crate::pages::check::page;
use crate::shared_args::ScenarioArgs;
use anabranch::{Error, check_memory};
use clap::Args;
use clap::builder::NonEmptyStringValueParser;

pub const EXAMPLES: &str = "\
Examples:
  anabranch check example:two-paths
  anabranch check example:two-paths --set links.dsl.queue='2 BDP'
  anabranch check - < scenario.toml";

#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub scenario: ScenarioArgs,
    /// Accept a scenario that may need more than 4 GB of memory.
    #[arg(long)]
    pub yes: bool,
    /// Algorithm of the multipath flows, or of the named flow: a name, or a table with parameters.
    #[arg(long, value_name = "[FLOW=]CC", value_parser = NonEmptyStringValueParser::new())]
    pub cc: Vec<String>,
}

pub fn check(args: CheckArgs) -> Result<(), Error> {
    let scenario = args.scenario.read(args.cc, false)?;
    scenario.check()?;
    if !args.yes {
        check_memory([&*scenario], 0, 1)?;
    }
    print(&page(&scenario))
}
