//! Helpers of several tests.
#![allow(dead_code)]

use anabranch_scenario::{Overrides, Scenario, ScenarioError, Source, load};
use miette::NarratableReportHandler;

/// The scenario of the format's introduction, as a file of its own without the drawing.
pub const EXAMPLE: &str = r#"name = "two paths and a neighbour"
duration = "60 s"
warmup = "10 s"
seed = 1

[links.fibre]
rate = "500 Mbit/s"
delay = "50 ms"
queue = "1 BDP"
loss = { model = "bernoulli", rate = 1e-6 }

[links.dsl]
rate = "100 Mbit/s"
delay = "10 ms"
queue = "100 packets"

[[flows]]
name = "bonded"
cc = "coupled-cubic"
scheduler = "minrtt"
paths = [["fibre"], ["dsl"]]

[[flows]]
name = "neighbour"
cc = "reno"
count = 2
start = "1 s"
paths = [["dsl"]]
"#;

/// A short valid file: tests replace some of it.
pub const SMALL: &str = r#"name = "small"
duration = "10 s"

[links.a]
rate = "10 Mbit/s"
delay = "10 ms"

[links.b]
rate = "20 Mbit/s"
delay = "20 ms"

[[flows]]
name = "f"
cc = "reno"
paths = [["a"], ["b"]]
"#;

/// The small file with a replacement.
#[track_caller]
pub fn small(from: &str, to: &str) -> String {
    assert!(SMALL.contains(from));
    SMALL.replacen(from, to, 1)
}

/// Loads `text` as `test.toml`.
pub fn read(text: &str) -> Result<Scenario, ScenarioError> {
    read_with(text, &Overrides::default())
}

/// Loads `text` with overrides.
pub fn read_with(text: &str, overrides: &Overrides) -> Result<Scenario, ScenarioError> {
    load(&Source { name: "test.toml".into(), text: text.into() }, overrides)
}

/// Loads what must be valid.
pub fn valid(text: &str) -> Scenario {
    read(text).unwrap_or_else(|error| panic!("{}", rendered(&error)))
}

/// The diagnostic as a terminal without colours shows it.
pub fn rendered(error: &ScenarioError) -> String {
    let mut out = String::new();
    NarratableReportHandler::new().render_report(&mut out, error).unwrap();
    out
}
