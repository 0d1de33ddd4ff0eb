//! `anabranch trace`: generates synthetic traces for links from a model and a seed. The book's page on links explains the models.

use crate::output::print;
use crate::shared_args::parse_seed;
use anabranch::Error;
use anabranch::records::quoted;
use anabranch::scenarios::{TraceModel, synthetic_trace};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use miette::miette;

pub const EXAMPLES: &str = "\
Examples:
  anabranch trace lte > lte.down
  anabranch trace starlink --seed 2 --duration '10 min' > starlink.csv
In a scenario with a link that follows it:
  [links.lte]
  trace = \"lte.down\"";

#[derive(Debug, Args)]
pub struct TraceArgs {
    /// The model.
    #[arg(value_parser = model())]
    model: (&'static str, TraceModel),
    /// The seed; each seed gives another trace.
    #[arg(long, default_value_t = 1, allow_negative_numbers = true, value_parser = parse_seed)]
    seed: u64,
    /// The trace's length, from 1 s to an hour.
    #[arg(long, default_value = "60 s")]
    duration: String,
}

fn model() -> impl TypedValueParser<Value = (&'static str, TraceModel)> {
    let about = |model| match model {
        TraceModel::Lte => {
            "A cell's downlink with outages, up to 12 Mbit/s: delivery opportunities, in mahimahi's format"
        }
        TraceModel::Starlink => "A satellite's downlink with handovers every 15 s: rate, delay and loss",
        TraceModel::Mmwave => "A 5G cell at millimetre waves, blocked by people at times: rate",
    };
    let known = TraceModel::ALL.map(|(name, model)| PossibleValue::new(name).help(about(model)));
    PossibleValuesParser::new(known)
        .try_map(|given| TraceModel::ALL.into_iter().find(|(name, _)| *name == given).ok_or("unknown model"))
}

pub fn trace(args: &TraceArgs) -> Result<(), Error> {
    let wrong =
        |why: String| Error::Input(miette!(help = "for example --duration '60 s'", "--duration: {why}"));
    let (name, model) = args.model;
    let lines = synthetic_trace(model, args.seed, &args.duration).map_err(wrong)?;
    let command =
        format!("anabranch trace {name} --seed {} --duration {}", args.seed, quoted(&args.duration));
    print(&format!("# Synthetic: {command}\n{}", lines.join("\n")))
}
