//! The scenario file: links, flows over them, and the measurements.
//!
//! [`load`] reads TOML with units and returns a checked [`Scenario`] in SI units, or a [`ScenarioError`]: a
//! [`miette::Diagnostic`] of all problems, each with its place in the file or in the override.
//!
//! ```
//! use anabranch_scenario::{Overrides, Source, load};
//!
//! let text = r#"
//!     name = "one flow"
//!     duration = "10 s"
//!     links.dsl = { rate = "100 Mbit/s", delay = "10 ms" }
//!     flows = [{ name = "bulk", cc = "reno", paths = [["dsl"]] }]
//! "#;
//! let source = Source { name: "one.toml".into(), text: text.into() };
//! let mut overrides = Overrides::default();
//! overrides.set("links.dsl.rate=50 Mbit/s");
//! let scenario = load(&source, &overrides).unwrap();
//! assert_eq!(scenario.links[0].spec.rate_bps, 50e6);
//! ```

mod canonical;
mod capacity;
mod cdf;
mod derived;
pub mod describe;
mod diagnostic;
mod distinct;
mod draw;
mod files;
mod format;
mod leaf;
mod model;
mod overrides;
mod own;
mod printable;
mod quantity;
mod random;
mod read;
mod resolve;
mod scheduler;
mod schema;
mod stack;
mod suggest;
mod synthetic;
mod trace;
mod tree;
mod warnings;

pub use diagnostic::{Problem, ScenarioError};
pub use distinct::{distinct, distinct_by};
pub use model::*;
pub use overrides::{Overrides, matching, quoted_key, split_flow_name};
pub use own::add_algorithm;
pub use printable::{is_hidden, of_same_length, printable, printable_line};
pub use quantity::is_unit;
pub use schema::json_schema;
pub use suggest::suggest;
pub use synthetic::{TraceModel, synthetic_trace};

use anabranch_net::Time;
use diagnostic::{Place, Problems};
use leaf::PositiveSpan;
use quantity::Quantity;
use read::Read;
use std::str::FromStr;
use tree::Node;

/// A scenario file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name in diagnostics.
    pub name: String,
    /// Its text.
    pub text: String,
}

impl Source {
    fn parse(&self, problems: &mut Problems) -> Option<Node> {
        tree::document(&Place::whole(&self.name, &self.text, problems)?, problems)
    }
}

/// Reads and checks a scenario with overrides.
///
/// # Errors
/// [`ScenarioError`] has all problems of the first stage that found any: syntax, then keys and
/// values, then rules between keys.
pub fn load(source: &Source, overrides: &Overrides) -> Result<Scenario, ScenarioError> {
    let mut problems = Problems::default();
    let scenario = read(source, overrides, &mut problems);
    problems.check(scenario)
}

/// The scenario of a text, without overrides.
impl FromStr for Scenario {
    type Err = ScenarioError;

    fn from_str(text: &str) -> Result<Scenario, ScenarioError> {
        load(&Source { name: "the scenario".into(), text: text.into() }, &Overrides::default())
    }
}

/// Parses a time such as `30 s`, zero or more.
pub fn time(text: &str) -> Result<Time, String> {
    let ns = plain(&quantity::TIME, text)?;
    // The sum of two larger times overflows.
    if !(0.0..=9e18).contains(&ns) {
        return Err(format!("`{text}` is out of range: from 0 to 9000000000 s"));
    }
    Ok(Time::from_nanos(ns as u64))
}

/// Parses a rate such as `5 Mbit/s`, in bit/s.
pub fn rate(text: &str) -> Result<f64, String> {
    plain(&quantity::RATE, text)
}

/// In base units.
fn plain(kind: &Quantity, text: &str) -> Result<f64, String> {
    kind.parse(text).map(|(value, _)| value).map_err(|e| format!("{}: {}", e.message, e.help))
}

fn read(source: &Source, overrides: &Overrides, problems: &mut Problems) -> Option<Scenario> {
    let mut root = source.parse(problems)?;
    if let Some(title) = title_of_study(&root) {
        let help = "run it with `anabranch study FILE`, or in Python with `anabranch.Study.from_file`";
        return problems.refuse(&title.place, "this is a study, not a scenario", "a study's key", help);
    }
    // The duration in the file, without overrides.
    let written = root.get("duration").and_then(|node| PositiveSpan::read(node, &mut Problems::default()));
    overrides.apply(&mut root, problems);
    let file = format::File::read(&root, problems)?;
    let horizon = written.map_or(Time::ZERO, |written| written.0).max(file.duration.value.0);
    let mut scenario = resolve::resolve(file, horizon, problems);
    if problems.any() {
        return None;
    }
    overrides.apply_cc(&mut scenario.flows, problems);
    scenario.seed = overrides.seed.unwrap_or(scenario.seed);
    scenario.hash = canonical::hash(&scenario);
    Some(scenario)
}

/// The title, if the file is a study: it has runs or experiments but no flows.
fn title_of_study(root: &Node) -> Option<&Node> {
    let runs = root.get("runs").or(root.get("experiments"));
    runs.filter(|_| root.get("flows").is_none()).and(root.get("title"))
}
