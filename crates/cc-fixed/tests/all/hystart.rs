//! HyStart++ in both arithmetics: first slow starts under round-trip times that rise and fall.

use crate::step_by_step;
use anabranch_cc::Ack;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::Cell;

/// Rounds of this number of acknowledgements, with this queue in microseconds.
fn rounds() -> impl Strategy<Value = Vec<(u32, u64)>> {
    let queue = prop_oneof![0..40_000u64, 4_000..4_400u64, 16_000..16_400u64];
    prop::collection::vec((1..14u32, queue), 1..30)
}

/// The windows are the same, to the quarter of a segment by which conservative slow start grows, until the
/// path leaves slow start; and many do.
#[test]
fn windows_are_the_same_until_slow_start_ends() {
    ["cubic", "coupled-cubic", "linked-cubic"].into_iter().for_each(the_same);
}

fn the_same(name: &str) {
    let config = ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() };
    let (ended, cautious) = (Cell::new(0), Cell::new(0));
    let result = TestRunner::new(config).run(&(1_000..200_000u64, rounds()), |(base, rounds)| {
        let (mut reference, mut kernel) = (step_by_step(name), step_by_step(&format!("{name}@kernel")));
        let r = reference.add_path(0.0, 10.0);
        kernel.add_path(0.0, 10.0);
        let mut now = 0.0;
        for (round, (acks, queue)) in rounds.iter().enumerate() {
            for i in 0..*acks {
                // Samples leave 1 when divided by 3: see `lockstep.rs`.
                let rtt = ((base + queue) / 3 * 3 + 1) as f64 / 1e6;
                now += 1e-3;
                let acked = f64::from(i % 10 + 1);
                let round = round as u64;
                let ack = Ack { delivered: 0.0, in_flight: 0.0, round, ..Ack::of(now, acked, rtt) };
                reference.on_ack(r, &ack);
                kernel.on_ack(r, &ack);
                prop_assert_eq!(reference.path(r).ssthresh, kernel.path(r).ssthresh);
                if !reference.path(r).in_slow_start() {
                    ended.set(ended.get() + 1);
                    return Ok(());
                }
                prop_assert_eq!(reference.path(r).cwnd, kernel.path(r).cwnd);
            }
        }
        cautious.set(cautious.get() + u32::from(reference.path(r).cwnd.fract() > 0.0));
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{name}: {failure}"));
    assert!(ended.get() > 30 && cautious.get() > 20, "{name}: {ended:?} ended, {cautious:?} were cautious");
}
