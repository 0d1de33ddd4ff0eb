//! A result is a function of scenario and seed.

use crate::common::*;
use anabranch_record::{CompletionSample, Layout, LinkSample, Sink, SubflowSample};
use std::fmt::Write;

/// Everything at once: several algorithms, random losses, reordering, applications, changes.
const BUSY: &str = r#"
    [links.a]
    rate = "20 Mbit/s"
    delay = "10 ms"
    loss = { model = "gilbert-elliott", good_to_bad = 1e-3, bad_to_good = 0.3 }
    ecn_threshold = "20 packets"
    [links.b]
    rate = "10 Mbit/s"
    delay = "30 ms"
    jitter = { up_to = "3 ms", reorder_rate = 0.01, reorder_delay = "8 ms" }
    changes = [{ at = "2 s", up = false }, { at = "2500 ms", up = true, rate = "15 Mbit/s" }]
    [[flows]]
    name = "two"
    cc = "coupled-cubic"
    scheduler = "blest"
    paths = [["a"], ["b"]]
    events = [{ at = "3 s", path = 1, action = "remove" }, { at = "4 s", path = 1, action = "add" }]
    tcp = { receive_buffer = "300 kB" }
    [[flows]]
    name = "web"
    cc = "cubic"
    count = 3
    paths = [["a"]]
    application = { kind = "request-response", size = { distribution = "pareto", mean = "50 kB", shape = 1.5 }, think = { distribution = "exponential", mean = "50 ms" } }
    tcp = { ecn = true }
    [[flows]]
    name = "reno"
    cc = { name = "reno", pacing = true }
    paths = [["b"]]
    application = { kind = "on-off", on = { distribution = "exponential", mean = "1 s" }, off = "300 ms" }
"#;

/// Nothing random in the network: variation alone makes seeds differ.
const LOSSLESS: &str = r#"
    links.a = { rate = "20 Mbit/s", delay = "10 ms" }
    flows = [{ name = "reno", cc = "reno", count = 2, paths = [["a"]] }]
"#;

/// Writes every sample down, floats by their bits.
#[derive(Default)]
struct Transcript(String);

impl Sink for Transcript {
    fn begin(&mut self, layout: &Layout) {
        writeln!(self.0, "{layout:?}").unwrap();
    }

    fn subflow(&mut self, s: &SubflowSample<'_>) {
        let observables: Vec<u64> = s.observables.iter().map(|x| x.to_bits()).collect();
        let floats = [s.time_s, s.cwnd_segments, s.ssthresh_segments, s.srtt_s].map(f64::to_bits);
        writeln!(self.0, "{floats:?} {observables:?} {s:?}").unwrap();
    }

    fn link(&mut self, s: &LinkSample) {
        writeln!(self.0, "{} {s:?}", s.time_s.to_bits()).unwrap();
    }

    fn completion(&mut self, s: &CompletionSample) {
        writeln!(self.0, "{} {s:?}", s.completion_s.to_bits()).unwrap();
    }
}

/// All that a run leaves, as text.
fn everything(text: &str, seed: u64) -> String {
    let mut transcript = Transcript::default();
    let summary = into_sink(&scenario(6.0, 1.0, text), seed, &mut transcript).unwrap();
    summary.to_json() + &transcript.0
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    for text in [BUSY, LOSSLESS] {
        let first = everything(text, 7);
        assert!(first.len() > 10_000);
        assert!(first == everything(text, 7), "two runs differ");
    }
}

#[test]
fn threads_do_not_matter() {
    let alone: Vec<String> = (1..=4).map(|seed| everything(BUSY, seed)).collect();
    let together: Vec<String> = std::thread::scope(|scope| {
        let half = |seeds: [u64; 2]| scope.spawn(move || seeds.map(|seed| everything(BUSY, seed)));
        let threads = [half([1, 2]), half([3, 4])];
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(alone == together, "runs on two threads differ from those on one");
}

/// Taking samples does not change what is sampled.
#[test]
fn samples_do_not_disturb_the_run() {
    let transcript = everything(BUSY, 3);
    assert!(transcript.starts_with(&run_seed(6.0, 1.0, BUSY, 3).to_json()));
}

#[test]
fn seeds_differ() {
    for text in [BUSY, LOSSLESS] {
        let name = if text == BUSY { "two" } else { "reno/1" };
        let of_seed = |seed| goodput(flow(&run_seed(6.0, 1.0, text, seed), name)).to_bits();
        let mut goodputs: Vec<u64> = (1..=6).map(of_seed).collect();
        goodputs.sort_unstable();
        goodputs.dedup();
        assert!(goodputs.len() >= 5, "{} different goodputs of six seeds", goodputs.len());
    }
}

/// Without the variation nothing is left that a seed could change.
#[test]
fn no_variation_no_difference() {
    let text = format!("{EXACT}{LOSSLESS}");
    let without_seed = |seed| run_seed(6.0, 1.0, &text, seed).to_json().replace(&format!("\"{seed}\""), "");
    assert_eq!(without_seed(1), without_seed(2));
}
