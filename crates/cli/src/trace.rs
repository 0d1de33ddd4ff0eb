//! `anabranch trace`: synthetic traces that links can follow, by a model and a seed. The book's page on links explains the models.

mod lte;
mod mmwave;
mod starlink;

use crate::failure::Failure;
use crate::output::print;
use anabranch_net::Random;
use anabranch_record::quoted;
use clap::{Args, ValueEnum};
use miette::miette;

pub const EXAMPLES: &str = "\
Examples:
  anabranch trace lte > lte.down
  anabranch trace starlink --seed 2 --duration '10 min' > starlink.csv
and in a scenario, whose link follows it:
  [links.lte]
  trace = \"lte.down\"";

/// The longest trace, in seconds: a file that is read again.
const LONGEST_S: f64 = 3600.0;

/// Arguments of `trace`.
#[derive(Debug, Args)]
pub struct TraceArgs {
    /// The model.
    #[arg(value_enum)]
    model: Model,
    /// The seed; each gives another trace.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The trace's length, up to an hour.
    #[arg(long, default_value = "60 s")]
    duration: String,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Model {
    /// A cell's downlink with outages, up to 12 Mbit/s: opportunities, as mahimahi has them.
    Lte,
    /// A satellite's downlink with handovers every 15 s: rate, delay and loss.
    Starlink,
    /// A 5G cell at millimetre waves, which people block: rate.
    Mmwave,
}

/// `anabranch trace`.
pub fn trace(args: &TraceArgs) -> Result<(), Failure> {
    let wrong =
        |why: String| Failure::Input(miette!(help = "for example --duration '60 s'", "--duration: {why}"));
    let seconds = anabranch_scenario::time(&args.duration).map_err(wrong)?.as_secs_f64();
    if !(1.0..=LONGEST_S).contains(&seconds) {
        return Err(wrong(format!("`{}` is not from 1 s to an hour", args.duration)));
    }
    // Traces have milliseconds.
    let seconds = (seconds * 1e3).round() / 1e3;
    let mut random = Random::new(args.seed, 0);
    let lines = match args.model {
        Model::Lte => lte::lines(&mut random, seconds),
        Model::Starlink => starlink::lines(&mut random, seconds),
        Model::Mmwave => mmwave::lines(&mut random, seconds),
    };
    let model = args.model.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned());
    let command =
        format!("anabranch trace {model} --seed {} --duration {}", args.seed, quoted(&args.duration));
    print(&format!("# Synthetic: {command}\n{}", lines.join("\n")))
}

/// Normal with mean 0 and variance 1, nearly: the sum of twelve uniform numbers, which is the same on every machine.
fn normal(random: &mut Random) -> f64 {
    (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0
}

/// Uniform between the two.
fn between(random: &mut Random, from: f64, to: f64) -> f64 {
    from + (to - from) * random.uniform()
}
