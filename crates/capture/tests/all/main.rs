//! Captures against programs and libraries of others.

mod fallback;
mod format;
mod packets;
mod read;
mod tshark;

use anabranch_capture::{BackgroundCapture, Capture, Options, ReadError, ReadOptions};
use anabranch_record::{NoSamples, Summary};
use anabranch_scenario::Scenario;
use std::io::Read;

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
    text.parse().unwrap()
}

/// A run's summary, and its capture.
fn captured(scenario: &Scenario, options: &Options) -> (Summary, Vec<u8>) {
    let mut capture = Capture::new(scenario, 1, options, Vec::new()).unwrap();
    let run = anabranch_sim::run_with(scenario, 1, &mut NoSamples, None, Some(&mut capture), &mut |_| true)
        .unwrap();
    (run.summary, capture.finish().unwrap())
}

fn options_of_reading(tcp: bool) -> ReadOptions {
    ReadOptions { name: "test".into(), interval: 100_000_000, tcp }
}

/// The record of a capture; with `tcp`, of connections without MPTCP, too.
fn read_back(file: impl Read + Send, tcp: bool) -> Result<Summary, ReadError> {
    anabranch_capture::read(file, &options_of_reading(tcp), &mut NoSamples, &mut || true)
}

#[test]
fn a_thread_of_its_own_writes_the_same() {
    let scenario = scenario(SCENARIO);
    let capture = Capture::new(&scenario, 1, &Options::default(), Vec::new()).unwrap();
    let mut apart = BackgroundCapture::new(capture).unwrap();
    anabranch_sim::run_with(&scenario, 1, &mut NoSamples, None, Some(&mut apart), &mut |_| true).unwrap();
    assert!(apart.finish().unwrap() == captured(&scenario, &Options::default()).1);
}

#[test]
fn what_is_not_ended_is_let_go() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_owned();
    let capture = Capture::new(&scenario(SCENARIO), 1, &Options::default(), file).unwrap();
    drop(BackgroundCapture::new(capture).unwrap());
    assert!(!path.exists());
}

#[test]
fn a_run_is_the_same_with_and_without_a_capture() {
    let scenario = scenario(SCENARIO);
    let alone = anabranch_sim::run(&scenario, 1, &mut NoSamples, &mut |_| true).unwrap().summary;
    let links = Options { links: vec![0, 1], ..Options::default() };
    assert_eq!(captured(&scenario, &Options::default()).0, alone);
    assert_eq!(captured(&scenario, &links).0, alone);
}
