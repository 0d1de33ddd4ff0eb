//! Captures against programs and libraries of others.

mod format;
mod read;
mod tshark;

use anabranch_capture::{Capture, Options};
use anabranch_record::{NoSamples, Summary};
use anabranch_scenario::{Overrides, Scenario, Source};

/// Two lossy paths; the second becomes backup, leaves and joins again; the transfer ends. Numbers of segments and bytes do not
/// depend on when measuring begins.
const SCENARIO: &str = r#"
name = "events"
duration = "12 s"
warmup = "0 s"
links.a = { rate = "10 Mbit/s", delay = "10 ms", loss = { model = "bernoulli", rate = 2e-3 } }
links.b = { rate = "5 Mbit/s", delay = "20 ms" }

[[flows]]
name = "mp"
cc = "lia"
paths = [["a"], ["b"]]
application = { kind = "bulk", size = "6 MB" }
events = [
  { at = "1 s", path = 2, action = "backup" },
  { at = "1.5 s", path = 2, action = "regular" },
  { at = "2 s", path = 2, action = "remove" },
  { at = "3 s", path = 2, action = "add" },
]

[[flows]]
name = "single"
cc = "cubic"
paths = [["b"]]
application = { kind = "bulk", size = "1 MB" }
"#;

fn scenario(text: &str) -> Scenario {
    let source = Source { name: "test".into(), text: text.into() };
    anabranch_scenario::load(&source, &Overrides::default()).unwrap()
}

/// A run's summary, and its capture.
fn captured(scenario: &Scenario, options: &Options) -> (Summary, Vec<u8>) {
    let mut capture = Capture::new(scenario, 1, options, Vec::new()).unwrap();
    let summary =
        anabranch_sim::run_captured(scenario, 1, &mut NoSamples, &mut capture, &mut |_| true).unwrap();
    (summary, capture.finish().unwrap())
}

#[test]
fn a_run_is_the_same_with_and_without_a_capture() {
    let scenario = scenario(SCENARIO);
    let alone = anabranch_sim::run(&scenario, 1, &mut NoSamples, &mut |_| true).unwrap();
    let links = Options { links: vec![0, 1], ..Options::default() };
    assert_eq!(captured(&scenario, &Options::default()).0, alone);
    assert_eq!(captured(&scenario, &links).0, alone);
}
