//! `anabranch ideal`: fair shares and equilibria of a scenario.

use crate::output::{print, print_json};
use crate::pages::ideal::page;
use crate::shared_args::ScenarioArgs;
use anabranch::Error;
use clap::Args;
use clap::builder::NonEmptyStringValueParser;

pub const EXAMPLES: &str = "\
Examples:
  anabranch ideal example:two-paths
  anabranch ideal example:two-paths --cc neighbour=cubic
  anabranch ideal example:two-paths --set links.dsl.rate='50 Mbit/s'
  anabranch ideal example:two-paths --queue 1
  anabranch ideal example:two-paths --json > ideal.json";

#[derive(Debug, Args)]
pub struct IdealArgs {
    #[command(flatten)]
    pub scenario: ScenarioArgs,
    /// Algorithm of the multipath flows, or of the named flow: a name, or a table with parameters.
    #[arg(long, value_name = "[FLOW=]CC", value_parser = NonEmptyStringValueParser::new())]
    pub cc: Vec<String>,
    /// Mean occupied fraction of a full link's buffer, from 0 to 1.
    #[arg(long, value_name = "FRACTION", default_value_t = anabranch::QUEUE, value_parser = parse_fraction)]
    pub queue: f64,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

fn parse_fraction(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(fraction) if (0.0..=1.0).contains(&fraction) => Ok(fraction),
        _ => Err(format!("`{text}` is not a number from 0 to 1")),
    }
}

pub fn ideal(args: IdealArgs) -> Result<(), Error> {
    let ideals = args.scenario.open(args.cc, false)?.ideal(args.queue);
    if args.json { print_json(&ideals) } else { print(&page(&ideals)) }
}
