//! The options that several commands share.

use crate::output::note;
use anabranch::linux::GUEST_6_12;
use anabranch::records::quoted;
use anabranch::studies::variant::LINUX_HOSTS_SET;
use anabranch::{Changes, Error, Place, RUNNERS, Runner, SampleFormat, Scenario, Size, Time, input_error};
use clap::builder::{NonEmptyStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// An option of a command line with each of its values, after a space.
pub fn option(name: &str, values: impl IntoIterator<Item = impl Display>) -> String {
    values.into_iter().map(|value| format!(" --{name} {}", quoted(&value.to_string()))).collect()
}

/// A scenario file and changes to it.
#[derive(Debug, Args)]
pub struct ScenarioArgs {
    /// The scenario file, or `example:NAME`; `-` reads standard input.
    pub file: PathBuf,
    /// Replace a value of the scenario: a dotted key and its value, as in the file.
    #[arg(long, value_name = "KEY=VALUE", value_parser = NonEmptyStringValueParser::new())]
    pub set: Vec<String>,
    /// The seed, or the first of several, instead of the scenario's.
    #[arg(long, allow_negative_numbers = true, value_parser = parse_seed)]
    pub seed: Option<u64>,
    /// Length of the run, warm-up included, such as '60 s', instead of the scenario's.
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    pub duration: Option<String>,
}

/// A seed on a command line.
pub fn parse_seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a seed is a whole number from 0 to {}", u64::MAX))
}

impl ScenarioArgs {
    /// The file and the changes, as on a command line.
    pub fn command(&self) -> String {
        let ScenarioArgs { file, set, seed, duration } = self;
        let changes = [option("set", set), option("seed", seed), option("duration", duration)];
        quoted(&file.display().to_string()) + &changes.concat()
    }

    /// Reads the scenario with the changes and these algorithms, and warns of what is probably not meant.
    pub fn open(self, cc: Vec<String>, linux_hosts: bool) -> Result<Scenario, Error> {
        let scenario = self.read(cc, linux_hosts)?;
        scenario.warnings().iter().for_each(|warning| note(warning));
        Ok(scenario)
    }

    /// Reads it without the warnings.
    pub fn read(self, cc: Vec<String>, linux_hosts: bool) -> Result<Scenario, Error> {
        let ScenarioArgs { file, mut set, seed, duration } = self;
        let options = [
            ("--linux-hosts", "hosts", linux_hosts),
            ("--seed", "seed", seed.is_some()),
            ("--duration", "duration", duration.is_some()),
        ];
        for (option, key, _) in options.into_iter().filter(|(_, _, given)| *given) {
            if let Some(other) = set.iter().find(|set| key_of(set) == key) {
                let message = format!("`--set {other}` and `{option}` set the same");
                return Err(input_error(message, Some("leave one of the two out")));
            }
        }
        set.extend(linux_hosts.then(|| LINUX_HOSTS_SET.to_owned()));
        Scenario::open_with(file, Changes { set, cc, seed, duration })
    }
}

/// The key of an assignment, without quotes.
fn key_of(assignment: &str) -> &str {
    let key = assignment.split_once('=').map_or(assignment, |(key, _)| key);
    key.trim().trim_matches(['"', '\''])
}

/// The size and the number of seeds of papers and studies.
#[derive(Debug, Args)]
pub struct SizeArgs {
    /// Run in about a minute: two seeds, in coupling-cubic one. Durations of more than a minute, and those that the paper
    /// leaves open, shrink to a tenth.
    #[arg(long, conflicts_with = "full")]
    pub quick: bool,
    /// Run for many hours: ten seeds, in coupling-cubic three. Durations that the paper leaves open are four times as long;
    /// coupling-cubic runs every network at the usual durations.
    #[arg(long)]
    pub full: bool,
    /// The number of seeds of a long run, instead of the size's own (by default five, in coupling-cubic one). Short runs have
    /// a multiple.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub seeds: Option<u32>,
}

impl SizeArgs {
    pub fn size(&self) -> Size {
        match (self.quick, self.full) {
            (true, _) => Size::Quick,
            (_, true) => Size::Full,
            _ => Size::Default,
        }
    }

    /// The options on a command line, each after a space.
    pub fn command(&self) -> String {
        let size = match self.size() {
            Size::Default => String::new(),
            size => format!(" --{}", size.name()),
        };
        size + &option("seeds", self.seeds)
    }
}

/// `--no-variants` of papers and studies.
#[derive(Debug, Args)]
pub struct VariantArgs {
    /// Do not run the sensitivity variants, such as the arithmetic of out-of-tree MPTCP (v0.9x). Halves the time of a paper.
    #[arg(long)]
    pub no_variants: bool,
}

impl VariantArgs {
    /// The option on a command line, after a space.
    pub fn command(&self) -> &'static str {
        if self.no_variants { " --no-variants" } else { "" }
    }
}

/// The folders of results and of runs, of studies and sweeps.
#[derive(Debug, Args)]
pub struct KeptArgs {
    /// The folder that gets `studies/` and `report/`; by default `out/` and the study's name.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Replace earlier results of another size, more seeds, another version or another study file.
    #[arg(long)]
    pub replace: bool,
    /// The folder that keeps runs, instead of `store/` in the folder of results. Several commands may share it, even at once.
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
}

impl KeptArgs {
    /// The folder of results of the study with that name, which is not one of the papers' results.
    pub fn out(&self, name: &str) -> PathBuf {
        let taken = ["advice", "algorithms", "book", "papers", "report", "store", "studies"].contains(&name);
        let name = if taken { format!("{name}-study") } else { name.to_owned() };
        self.out.clone().unwrap_or_else(|| Path::new("out").join(name))
    }

    /// The place of a campaign of the study with that name, which `command` repeats.
    pub fn place(&self, name: &str, command: String) -> Place {
        let (out, replace) = (self.out(name), self.replace);
        let store = Some(self.store.clone().unwrap_or_else(|| out.join("store")));
        Place { out, command, store, replace, ..Place::default() }
    }
}

/// The option `--jobs`.
#[derive(Debug, Args)]
pub struct Jobs {
    /// The number of runs at once; by default the number of cores. Results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,
}

impl Jobs {
    /// Sets the number of threads of this process, before anything uses them.
    pub fn apply(&self) -> Result<(), Error> {
        let Some(jobs) = self.jobs else { return Ok(()) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs as usize).build_global();
        pool.map_err(|e| Error::environment("cannot start threads", &e))
    }
}

/// A time between samples, of at least that many milliseconds.
pub fn interval<const LEAST_MS: u64>(text: &str) -> Result<Time, String> {
    match anabranch::scenarios::time(text)? {
        short if short < Time::from_millis(LEAST_MS) => {
            Err(format!("`{text}` is less than the minimum of {LEAST_MS} ms"))
        }
        interval => Ok(interval),
    }
}

pub fn sample_format() -> impl TypedValueParser<Value = SampleFormat> {
    let csv = PossibleValue::new("csv").help("Comma-separated values");
    let known = PossibleValuesParser::new([PossibleValue::new("parquet").help("Apache Parquet"), csv]);
    known.map(|name| if name == "csv" { SampleFormat::Csv } else { SampleFormat::Parquet })
}

/// The traffic generator on a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TrafficName {
    /// Threads of the command, which check every byte.
    Own,
    /// iperf3, for bulk flows without an end.
    Iperf3,
}

pub fn backend() -> impl TypedValueParser<Value = &'static Runner> {
    let alias = |name| (name == GUEST_6_12.name()).then_some("guest");
    let value = |(runner, about): &(&'static Runner, &'static str)| {
        let name = runner.name();
        PossibleValue::new(name).help(*about).aliases(alias(name))
    };
    let values = RUNNERS.iter().map(value).collect::<Vec<_>>();
    PossibleValuesParser::new(values).map(|given| {
        let named = RUNNERS.iter().find(|(runner, _)| runner.name() == given);
        named.map_or(&GUEST_6_12, |(runner, _)| runner)
    })
}
