//! `anabranch trace`: generates synthetic traces for links from a model and a seed. The book's page on links explains the models.

use crate::output::print;
use anabranch::Error;
use anabranch::records::quoted;
use anabranch::scenarios::{TraceModel, synthetic_trace};
use clap::{Args, ValueEnum};
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
    #[arg(value_enum)]
    model: Model,
    /// The seed; each seed gives another trace.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The trace's length, up to an hour.
    #[arg(long, default_value = "60 s")]
    duration: String,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Model {
    /// A cell's downlink with outages, up to 12 Mbit/s: delivery opportunities, in mahimahi's format.
    Lte,
    /// A satellite's downlink with handovers every 15 s: rate, delay and loss.
    Starlink,
    /// A 5G cell at millimetre waves, blocked by people at times: rate.
    Mmwave,
}

pub fn trace(args: &TraceArgs) -> Result<(), Error> {
    let wrong =
        |why: String| Error::Input(miette!(help = "for example --duration '60 s'", "--duration: {why}"));
    let model = match args.model {
        Model::Lte => TraceModel::Lte,
        Model::Starlink => TraceModel::Starlink,
        Model::Mmwave => TraceModel::Mmwave,
    };
    let lines = synthetic_trace(model, args.seed, &args.duration).map_err(wrong)?;
    let model = args.model.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned());
    let command =
        format!("anabranch trace {model} --seed {} --duration {}", args.seed, quoted(&args.duration));
    print(&format!("# Synthetic: {command}\n{}", lines.join("\n")))
}
