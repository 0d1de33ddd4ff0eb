//! In congestion avoidance the kernel's glue takes half a window together, as if one acknowledgement had
//! come for it, and a round under rules that act once in it. What that does to the windows: the same rounds to two
//! connections, to one segment by segment.

use anabranch_cc::{Ack, Congestion, Group, Signal};
use anabranch_cc_fixed::registry;
use proptest::prelude::*;
use proptest::test_runner::{TestRng, TestRunner};
use std::cell::Cell;

/// A path with its round-trip time without a queue, seconds, its first window, and after how many rounds
/// each it loses.
#[derive(Clone, Debug)]
struct Line {
    base: f64,
    window: f64,
    period: usize,
}

fn line() -> impl Strategy<Value = Line> {
    (0.005..0.1f64, 16.0..400.0f64, 8..20usize).prop_map(|(base, window, period)| Line {
        base: (base * 1e6).round() / 1e6,
        window,
        period,
    })
}

const ROUNDS: usize = 50;

/// A window of path `r` is acknowledged in steps, after each of which so many segments are. The last one ends the
/// round.
fn round(group: &mut Group, r: usize, rtt: f64, start: f64, steps: &[u32]) {
    let segments = steps[steps.len() - 1];
    let mut before = 0;
    for &step in steps {
        let acked = f64::from(step - before);
        let ack = Ack {
            now: start + rtt * f64::from(step) / f64::from(segments),
            acked,
            delivered: acked,
            rtt: Some(rtt),
            srtt: rtt,
            round: group.path(r).round + u64::from(step == segments),
            in_flight: 1.0,
            cwnd_limited: true,
            ..Ack::default()
        };
        group.on_ack(r, &ack);
        before = step;
    }
}

/// The glue's steps in a round (`AB_ONCE_PER_ROUND`, `AB_STEPS`). With the end of recovery a round ends, too: where
/// a round is one step, the first acknowledgement after a loss is one of its own.
fn steps(name: &str, segments: u32, after_loss: bool) -> Vec<u32> {
    match (name.contains("vegas"), after_loss) {
        (true, true) => vec![1, segments],
        (true, false) => vec![segments],
        _ => (1..=2).map(|step| segments * step / 2).collect(),
    }
}

/// How far apart windows may be beyond 2 %, segments: OLIA compares whole ones, and Compound begins or ends a
/// round's increase, w^(3/4)/8, half a round sooner.
fn allowed(name: &str, window: f64) -> f64 {
    if name.contains("compound") { 1.0 + window.powf(0.75) / 8.0 } else { 1.0 }
}

/// Whether the two have come to different conclusions, which they may near a threshold: Compound and wCompound judge
/// the window by its queue, and only one is reduced; Coupled CUBIC takes a path for large, and one grows by less
/// than half as much as the other.
fn parted(name: &str, grown: [f64; 2]) -> bool {
    match name {
        "compound@kernel" | "wcompound@kernel" => (grown[0] < 0.0) != (grown[1] < 0.0),
        "coupled-cubic@kernel" => grown[0].min(grown[1]) < grown[0].max(grown[1]) / 2.0,
        _ => false,
    }
}

/// How far apart the windows are at most in congestion avoidance, beyond what is allowed, as a part of the window,
/// and in how many rounds, until they have parted.
fn difference(name: &str, lines: &[Line], queue: f64) -> (f64, usize) {
    let mut groups = [(); 2].map(|()| registry::find(name).unwrap().group(&[]).unwrap());
    for group in &mut groups {
        for (r, line) in lines.iter().enumerate() {
            group.add_path(line.base, 2.0 * line.window);
            round(group, r, line.base, 0.0, &[1, 2]);
            group.on_congestion(r, &Congestion { now: line.base, signal: Signal::Loss });
        }
    }
    let mut most = 0.0f64;
    let mut clocks: Vec<f64> = lines.iter().map(|line| line.base).collect();
    let mut rounds = vec![0; lines.len()];
    while rounds.iter().any(|n| *n < ROUNDS) {
        // The path that is behind.
        let r = (0..lines.len()).min_by(|a, b| clocks[*a].total_cmp(&clocks[*b])).unwrap();
        let line = &lines[r];
        // The queue fills towards the loss.
        let part = (rounds[r] % line.period) as f64 / line.period as f64;
        let rtt = (line.base * (1.0 + queue * part) * 1e6).round() / 1e6;
        let before = [0, 1].map(|g| groups[g].path(r).cwnd);
        let segments = before[0] as u32;
        let each: Vec<_> = (1..=segments).collect();
        let few = steps(name, segments, rounds[r].is_multiple_of(line.period));
        for (group, steps) in groups.iter_mut().zip([&each, &few]) {
            round(group, r, rtt, clocks[r], steps);
        }
        let [one, few] = [0, 1].map(|g| groups[g].path(r).cwnd);
        if parted(name, [one - before[0], few - before[1]]) {
            break;
        }
        most = most.max(((few - one).abs() - allowed(name, one)) / one);
        for group in &mut groups {
            if rounds[r] % line.period == line.period - 1 {
                group.on_congestion(r, &Congestion { now: clocks[r] + rtt, signal: Signal::Loss });
            }
        }
        clocks[r] += rtt;
        rounds[r] += 1;
    }
    (most, rounds.iter().sum())
}

/// An increase follows from windows that have grown by a segment or so since: within 2 %. (CUBIC at its fastest, by half
/// a window per round-trip time, grows by 1.125^4 instead of e^(1/2): such long rounds are not among these.)
#[test]
fn a_few_steps_per_round() {
    for kernel in registry::all() {
        let (most, rounds) = (Cell::new(0.0f64), Cell::new(0));
        let config = ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() };
        let rng = TestRng::deterministic_rng(config.rng_algorithm);
        let result =
            TestRunner::new_with_rng(config, rng).run(&(line(), line(), 0.0..1.0f64), |(a, b, queue)| {
                let (difference, compared) = difference(kernel.entry.name, &[a, b], queue);
                most.set(most.get().max(difference));
                rounds.set(rounds.get() + compared);
                prop_assert!(difference < 0.02, "{difference} after {compared} rounds");
                Ok(())
            });
        result.unwrap_or_else(|failure| panic!("{}: {failure}", kernel.entry.name));
        println!("{}: {:.4} in {} rounds", kernel.entry.name, most.get(), rounds.get());
        assert!(rounds.get() > 1000, "{}: {} rounds", kernel.entry.name, rounds.get());
    }
}
