//! The scenario of a command, and its changes.

use crate::output::note;
use anabranch::records::quoted;
use anabranch::{Changes, Error, Scenario};
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use std::path::PathBuf;

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

fn parse_seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a seed is a whole number from 0 to {}", u64::MAX))
}

impl ScenarioArgs {
    /// The file and the changes, as on a command line.
    pub fn command(&self) -> String {
        let set = self.set.iter().map(|set| ("--set", set.clone()));
        let seed = self.seed.iter().map(|seed| ("--seed", seed.to_string()));
        let duration = self.duration.iter().map(|duration| ("--duration", duration.clone()));
        let options =
            set.chain(seed).chain(duration).map(|(option, value)| format!(" {option} {}", quoted(&value)));
        format!("{}{}", quoted(&self.file.display().to_string()), options.collect::<String>())
    }

    /// Reads the scenario with the changes and these algorithms, and warns of what is probably not meant.
    pub fn open(self, cc: Vec<String>, linux_hosts: bool) -> Result<Scenario, Error> {
        let scenario = self.read(cc, linux_hosts)?;
        scenario.warnings().iter().for_each(|warning| note(warning));
        Ok(scenario)
    }

    /// Reads it without the warnings.
    pub fn read(self, cc: Vec<String>, linux_hosts: bool) -> Result<Scenario, Error> {
        let ScenarioArgs { file, set, seed, duration } = self;
        Scenario::open_with(file, Changes { set, cc, seed, duration }.linux_hosts(linux_hosts))
    }
}
