//! Helpers of several targets.

use anabranch_scenario::{Overrides, Source, load};
use miette::Diagnostic;

/// The memory of a run that is built, in bytes.
const MOST: u64 = 100_000_000;

/// Reads a scenario: what is accepted can be built for a run, or is refused with a message; each problem has a text.
pub fn scenario(text: String, overrides: &Overrides) {
    match load(&Source { name: "fuzz.toml".into(), text }, overrides) {
        Ok(scenario) if anabranch_sim::memory(&scenario) <= MOST => {
            if let Err(why) = anabranch_sim::check(&scenario) {
                drop(why.to_string());
            }
        }
        Ok(_) => (),
        Err(error) => {
            for problem in error.problems() {
                drop((problem.to_string(), problem.help().map(|help| help.to_string()), problem.line()));
            }
        }
    }
}

/// The text as a string of TOML, on as many lines as it has.
pub fn as_toml(text: &str) -> String {
    let mut toml = "\"\"\"\n".to_owned();
    for c in text.chars() {
        match c {
            '\n' => toml.push(c),
            ' '..='~' if c != '"' && c != '\\' => toml.push(c),
            c => toml += &format!("\\U{:08x}", u32::from(c)),
        }
    }
    toml + "\"\"\""
}
