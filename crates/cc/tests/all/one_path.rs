//! Algorithms that couple Reno's windows are Reno on one path.

use crate::group;
use anabranch_cc_model::{RENO_FAMILY, Random, ack, assert_close, lose, on_path};
use multipath_cc::{Ack, Congestion, Signal};

/// Slow start, every signal, undo, round-trip times that change, also before there is one.
#[test]
fn with_everything_that_may_happen() {
    for name in RENO_FAMILY {
        let start = |name| on_path(group(name), 0.0, 10.0);
        let (mut ours, mut reno) = (start(name), start("reno"));
        let mut random = Random(7);
        for i in 0..20_000 {
            let (now, rtt) = (f64::from(i), 0.01 + 0.1 * random.uniform());
            let rtt = if i < 20 { 0.0 } else { rtt };
            let event = (random.uniform() * 400.0) as u32;
            for group in [&mut ours, &mut reno] {
                let signal = [Signal::Loss, Signal::Ecn, Signal::Timeout].into_iter().nth(event as usize);
                match signal {
                    Some(signal) => group.on_congestion(0, &Congestion { now, signal }),
                    None if event == 3 => group.on_spurious(0),
                    None => {
                        let acked = f64::from(event % 4);
                        let sample = (rtt > 0.0).then_some(rtt);
                        group.on_ack(0, &Ack { acked, rtt: sample, ..ack(now, rtt) });
                    }
                }
            }
            assert_close(ours.path(0).cwnd, reno.path(0).cwnd, 1e-9);
            assert_close(ours.path(0).ssthresh.min(1e12), reno.path(0).ssthresh.min(1e12), 1e-9);
        }
    }
}

/// One of two that has gone, or has not measured anything, leaves one.
#[test]
fn beside_one_that_does_not_count() {
    for name in RENO_FAMILY {
        let pair = |remove: bool| {
            let mut group = on_path(group(name), 0.1, 60.0);
            let other = group.add_path(if remove { 0.01 } else { 0.0 }, 500.0);
            if remove {
                group.remove_path(other);
            }
            group
        };
        for mut group in [pair(true), pair(false)] {
            lose(&mut group, 0);
            assert_eq!(group.path(0).cwnd, 30.0, "{name}");
            group.on_ack(0, &ack(1.0, 0.1));
            assert_close(group.path(0).cwnd, 30.0 + 1.0 / 30.0, 1e-12);
            // The other one, where there is one, is Reno as well.
            let halved = if group.path(1).active { 250.0 } else { 500.0 };
            lose(&mut group, 1);
            assert_eq!(group.path(1).cwnd, halved, "{name}");
            assert_close(group.path(0).cwnd, 30.0 + 1.0 / 30.0, 1e-12);
        }
    }
}
