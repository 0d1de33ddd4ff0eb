//! Acknowledgements that are taken together (`c/together.h`): when a row learns of them, and what that does to its
//! window, beside a connection that learns of each at once.

use crate::{group, step_by_step};
use anabranch_cc::{Ack, Congestion, Group, Signal};
use anabranch_cc_fixed::registry;
use anabranch_cc_model::{Tested, on_path};
use proptest::prelude::*;
use proptest::test_runner::{TestRng, TestRunner};
use std::cell::Cell;

/// One segment, `us` microseconds after the second in which the path of [`halved`] lost one.
fn segment(us: u32) -> Ack {
    Ack::of(1.0 + f64::from(us) / 1e6, 1.0, 0.1)
}

/// A path in congestion avoidance: it had 40 segments, and lost one.
fn after_loss(name: &str) -> Tested {
    let mut group = on_path(group(name), 0.1, 39.0);
    group.on_ack(0, &segment(0));
    assert_eq!(group.path(0).cwnd, 40.0, "slow start learns at once");
    group.on_congestion(0, &Congestion { now: 1.0, signal: Signal::Loss });
    group
}

/// One that has 20 segments then.
fn halved(name: &str) -> Tested {
    let group = after_loss(name);
    assert_eq!(group.path(0).cwnd, 20.0);
    group
}

/// The windows after each of `count` segments, `every` microseconds apart.
fn windows(group: &mut Group, count: u32, every: u32) -> Vec<f64> {
    let mut window = |i| {
        group.on_ack(0, &segment(i * every));
        group.path(0).cwnd
    };
    (1..=count).map(&mut window).collect()
}

/// RFC 5681: a segment adds 1/w, so half a window adds 1/2.
#[test]
fn half_a_window_is_one_step() {
    let mut reno = halved("reno@kernel");
    let windows = windows(&mut reno, 20, 100);
    assert_eq!(windows[..9], [20.0; 9]);
    assert!((windows[9] - 20.5).abs() < 1e-9, "{windows:?}");
    assert_eq!(windows[9], windows[18]);
    assert!(windows[19] > windows[9]);
}

/// A monitor sees Reno's numbers of the last 10 ms.
#[test]
fn without_samples_nothing_waits_for_more_than_ten_milliseconds() {
    let windows = windows(&mut halved("reno@kernel"), 4, 4000);
    assert_eq!(windows[..2], [20.0; 2]);
    assert!((windows[2] - 20.15).abs() < 1e-9, "{windows:?}");
    assert_eq!(windows[2], windows[3]);
}

/// Compound reads samples: half a window may take as long as it takes.
#[test]
fn with_samples_no_time_ends_the_wait() {
    let windows = windows(&mut halved("compound@kernel"), 10, 4000);
    assert_eq!(windows[..9], [20.0; 9]);
    assert!(windows[9] > 20.4, "{windows:?}");
}

/// The fourth segment ends a round without a queue. Each adds 1/w, and the delay window grows by w^(3/4)/8 - 1 per window.
#[test]
fn with_samples_nothing_waits_across_the_end_of_a_round() {
    let mut compound = halved("compound@kernel");
    assert_eq!(windows(&mut compound, 3, 100), [20.0; 3]);
    compound.on_ack(0, &Ack { round: 1, ..segment(400) });
    let grown = 20.0 + 4.0 / 20.0 + 4.0 * (20f64.powf(0.75) / 8.0 - 1.0) / 20.0;
    assert!((compound.path(0).cwnd - grown).abs() < 1e-6, "{} {grown}", compound.path(0).cwnd);
}

/// CUBIC, whose window of 40 segments became 28, with the first acknowledgement of its congestion avoidance. The window then equals
/// a Reno flow's in the same place, which a segment lets grow by 9/17 of 1/w (RFC 9438, section 4.3).
fn in_congestion_avoidance() -> (Tested, f64) {
    let mut cubic = after_loss("cubic@kernel");
    assert!((cubic.path(0).cwnd - 28.0).abs() < 1e-9);
    cubic.on_ack(0, &Ack { in_flight: 0.0, ..segment(0) });
    let window = 28.0 + 9.0 / 17.0 / 28.0;
    assert!((cubic.path(0).cwnd - window).abs() < 1e-6, "{} {window}", cubic.path(0).cwnd);
    (cubic, window)
}

/// A segment that the window did not limit waits. CUBIC does not count the 9 ms until then (section 4.2): after 1 ms its function
/// is 28.01 segments, and the window still equals a Reno flow's. After 10 ms it would be 28.12.
#[test]
fn a_pause_is_reported_before_later_events() {
    let (mut cubic, window) = in_congestion_avoidance();
    cubic.on_ack(0, &Ack { cwnd_limited: false, ..segment(9000) });
    assert!((cubic.path(0).cwnd - window).abs() < 1e-6);
    cubic.on_ack(0, &Ack { in_flight: 0.0, ..segment(10_000) });
    let grown = window + 9.0 / 17.0 / window;
    assert!((cubic.path(0).cwnd - grown).abs() < 1e-6, "{} {grown}", cubic.path(0).cwnd);
}

/// A segment that the window limited waits. One that it did not comes 9 ms after the start: the row learns of the first at once,
/// and the 9 ms were not a pause. The window approaches CUBIC's function a round-trip time later (section 4.4), by the fraction
/// of it that one segment is.
#[test]
fn growth_is_reported_before_a_pause() {
    let (mut cubic, window) = in_congestion_avoidance();
    cubic.on_ack(0, &segment(5000));
    assert!((cubic.path(0).cwnd - window).abs() < 1e-6);
    cubic.on_ack(0, &Ack { cwnd_limited: false, ..segment(9000) });
    let k = ((40.0 - 28.0) / 0.4f64).cbrt();
    let target = 40.0 - 0.4 * (k - 0.109).powi(3);
    let grown = window + (target - window) / window;
    assert!((cubic.path(0).cwnd - grown).abs() < 1e-6, "{} {grown}", cubic.path(0).cwnd);
}

#[test]
fn the_last_segment_in_flight_does_not_wait() {
    let mut reno = halved("reno@kernel");
    windows(&mut reno, 3, 100);
    reno.on_ack(0, &Ack { in_flight: 0.0, ..segment(400) });
    assert!((reno.path(0).cwnd - 20.2).abs() < 1e-9, "{}", reno.path(0).cwnd);
}

/// A loss takes half of 20, and its undo gives back 20: the five segments before it add nothing.
#[test]
fn a_loss_ends_the_wait() {
    let mut reno = halved("reno@kernel");
    windows(&mut reno, 5, 100);
    reno.on_congestion(0, &Congestion { now: 1.001, signal: Signal::Loss });
    assert_eq!(reno.path(0).cwnd, 10.0);
    reno.on_spurious(0);
    assert_eq!(reno.path(0).cwnd, 20.0);
    reno.on_ack(0, &Ack { in_flight: 0.0, ..segment(1100) });
    assert!((reno.path(0).cwnd - 20.05).abs() < 1e-9, "{}", reno.path(0).cwnd);
}

/// Vegas acts once in a round: all segments until then are one step.
#[test]
fn a_round_is_one_step_to_vegas() {
    let mut vegas = halved("vegas@kernel");
    // The recovery's round ends, and then one that is judged.
    for round in 1..=2 {
        vegas.on_ack(0, &Ack { round, ..segment(0) });
    }
    let before = vegas.path(0).cwnd;
    for us in 0..100 {
        vegas.on_ack(0, &Ack { round: 2, ..segment(us) });
        assert_eq!(vegas.path(0).cwnd, before);
    }
    vegas.on_ack(0, &Ack { round: 3, ..segment(100) });
    assert_eq!(vegas.path(0).cwnd, before + 1.0);
}

/// A path with its round-trip time without a queue, seconds, its first window, and after how many rounds
/// each it loses.
#[derive(Clone, Debug)]
struct Line {
    base: f64,
    window: f64,
    period: usize,
}

fn line() -> impl Strategy<Value = Line> {
    let base = (0.005..0.1f64).prop_map(|base| (base * 1e6).round() / 1e6);
    (base, 16.0..400.0f64, 8..20usize).prop_map(|(base, window, period)| Line { base, window, period })
}

const ROUNDS: usize = 50;

/// This number of segments of path `r` is acknowledged, one by one. The last one ends the round. After a recovery the first one
/// ends a round, too: the recovery's.
fn round(group: &mut Group, r: usize, rtt: f64, start: f64, segments: u32, recovered: bool) {
    for step in 1..=segments {
        let ends = step == segments || recovered && step == 1;
        let ack = Ack {
            round: group.path(r).round + u64::from(ends),
            ..Ack::of(start + rtt * f64::from(step) / f64::from(segments), 1.0, rtt)
        };
        group.on_ack(r, &ack);
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
        "coupled-cubic@kernel" | "coupled-cubic-a1@kernel" => {
            grown[0].min(grown[1]) < grown[0].max(grown[1]) / 2.0
        }
        _ => false,
    }
}

/// The largest difference of the windows in congestion avoidance, beyond the allowed one, as a fraction of the window, and the
/// number of rounds until they differ.
fn difference(name: &str, lines: &[Line], queue: f64) -> (f64, usize) {
    let mut groups = [step_by_step(name), group(name)];
    for group in &mut groups {
        for (r, line) in lines.iter().enumerate() {
            group.add_path(line.base, 2.0 * line.window);
            round(group, r, line.base, 0.0, 2, false);
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
        for group in &mut groups {
            round(group, r, rtt, clocks[r], segments, rounds[r].is_multiple_of(line.period));
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
