//! Helpers of several tests.

use anabranch_net::Time;
use anabranch_scenario::{Overrides, Scenario, ScenarioError, Source, load};
use miette::NarratableReportHandler;
use std::path::Path;

/// A time in milliseconds.
pub const MS: fn(u64) -> Time = Time::from_millis;

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

pub fn read_with(text: &str, overrides: &Overrides) -> Result<Scenario, ScenarioError> {
    load(&Source { name: "test.toml".into(), text: text.into() }, overrides)
}

/// `text`, as `small.toml`, with the files in that folder.
pub fn with_files(text: &str, folder: &Path) -> Result<Source, ScenarioError> {
    Source { name: "small.toml".into(), text: text.into() }.with_files(&Overrides::default(), folder)
}

/// Loads what must be valid.
pub fn valid(text: &str) -> Scenario {
    valid_with(text, &Overrides::default())
}

pub fn valid_with(text: &str, overrides: &Overrides) -> Scenario {
    read_with(text, overrides).unwrap_or_else(|error| panic!("{}", rendered(&error)))
}

/// The diagnostic as a terminal without colours shows it.
pub fn rendered(error: &ScenarioError) -> String {
    let mut out = String::new();
    NarratableReportHandler::new().render_report(&mut out, error).unwrap();
    out
}

/// Asserts that a text is refused with these words.
#[track_caller]
pub fn refused(text: &str, words: &str) {
    let shown = rendered(&read(text).expect_err("a mistake"));
    assert!(shown.contains(words), "no `{words}` in:\n{shown}");
}

/// Asserts that a text of that file has exactly one problem, between the marks « and », with these words in the diagnostic.
#[track_caller]
pub fn shows<T: std::fmt::Debug>(
    marked: &str,
    file: &str,
    load: impl Fn(&str) -> Result<T, ScenarioError>,
    words: &[&str],
) {
    let (before, rest) = marked.split_once('«').expect("a mark");
    let (offending, after) = rest.split_once('»').expect("its end");
    let error = load(&[before, offending, after].concat()).expect_err("a mistake");
    let shown = rendered(&error);
    let [problem] = error.problems() else { panic!("{shown}") };
    let line = 1 + before.matches('\n').count();
    assert_eq!((problem.line(), problem.text()), (line, offending), "{shown}");
    let label = if offending.contains('\n') { "label starting at line" } else { "label at line" };
    let place = [&*format!("snippet for {file}"), &*format!("{label} {line},")];
    for part in words.iter().chain(&place) {
        assert!(shown.contains(part), "no `{part}` in:\n{shown}");
    }
}
