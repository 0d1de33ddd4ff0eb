//! What holds for every algorithm, whatever a transport may legally report.

use anabranch_cc::registry::{ALL, Entry};
use anabranch_cc::{Ack, Congestion, Group, MAX_CWND, MIN_CWND, MIN_SSTHRESH, Signal};
use proptest::prelude::*;

/// Something that happens on one of eight paths, after `gap` seconds.
#[derive(Clone, Debug)]
struct Event {
    path: usize,
    gap: f64,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    Add { srtt: f64, cwnd: f64 },
    Remove,
    Ack { acked: f64, rtt: f64, sampled: bool, cwnd_limited: bool },
    Congestion(Signal),
    Spurious,
}

/// Numbers over many orders of magnitude.
fn magnitude(low: f64, high: f64) -> impl Strategy<Value = f64> {
    (low.ln()..high.ln()).prop_map(f64::exp)
}

fn what() -> impl Strategy<Value = What> {
    let signal = prop_oneof![Just(Signal::Loss), Just(Signal::Ecn), Just(Signal::Timeout)];
    prop_oneof![
        2 => (prop_oneof![Just(0.0), magnitude(1e-6, 100.0)], magnitude(1.0, 1e6))
            .prop_map(|(srtt, cwnd)| What::Add { srtt, cwnd }),
        1 => Just(What::Remove),
        24 => (prop_oneof![Just(0.0), magnitude(0.5, 1e5)], magnitude(1e-6, 100.0), any::<bool>(), any::<bool>())
            .prop_map(|(acked, rtt, sampled, cwnd_limited)| What::Ack { acked, rtt, sampled, cwnd_limited }),
        4 => signal.prop_map(What::Congestion),
        2 => Just(What::Spurious),
    ]
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = (0..8usize, prop_oneof![Just(0.0), magnitude(1e-9, 1e3)], what());
    prop::collection::vec(event.prop_map(|(path, gap, what)| Event { path, gap, what }), 1..200)
}

/// The group, the clock, and each path's round.
struct Run {
    group: Group,
    now: f64,
    rounds: [u64; 8],
}

impl Run {
    fn new(entry: &Entry) -> Self {
        let mut group = entry.group(&[]).unwrap();
        group.add_path(0.0, 10.0);
        Run { group, now: 0.0, rounds: [0; 8] }
    }

    /// Applies an event to the path it names, or to the first where there is no such path.
    fn apply(&mut self, event: &Event) -> usize {
        self.now += event.gap;
        let now = self.now;
        let group = &mut self.group;
        let r = if event.path < group.paths().len() { event.path } else { 0 };
        match event.what {
            What::Add { srtt, cwnd } if group.paths().iter().filter(|p| p.active).count() < 8 => {
                let r = group.add_path(srtt, cwnd);
                self.rounds[r] = 0;
            }
            What::Add { .. } => {}
            What::Remove => group.remove_path(r),
            What::Ack { acked, rtt, sampled, cwnd_limited } => {
                self.rounds[r] += u64::from(acked > 10.0);
                let known = group.path(r).srtt;
                let (rtt, srtt) =
                    if sampled { (Some(rtt), (7.0 * known + rtt) / 8.0) } else { (None, known) };
                let (delivered, in_flight, round) = (acked, 1.0, self.rounds[r]);
                let ack = Ack {
                    now,
                    acked,
                    delivered,
                    rtt,
                    srtt,
                    in_flight,
                    round,
                    cwnd_limited,
                    ..Ack::default()
                };
                group.on_ack(r, &ack);
            }
            What::Congestion(signal) => group.on_congestion(r, &Congestion { now, signal }),
            What::Spurious => group.on_spurious(r),
        }
        r
    }

    fn check(&self, name: &str) -> Result<(), TestCaseError> {
        for path in self.group.paths() {
            prop_assert!((MIN_CWND..=MAX_CWND).contains(&path.cwnd), "{name}: {path:?}");
            prop_assert!(path.ssthresh >= MIN_SSTHRESH, "{name}: {path:?}");
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Windows are numbers within their bounds, thresholds at least two segments.
    #[test]
    fn windows_stay_within_bounds(events in events()) {
        for entry in ALL {
            let mut run = Run::new(entry);
            let mut observed = vec![0.0; entry.observables.len()];
            for event in &events {
                let r = run.apply(event);
                run.check(entry.name)?;
                run.group.observe(r, &mut observed);
            }
        }
    }

    /// An event touches its own path's row only.
    #[test]
    fn other_rows_are_not_touched(events in events()) {
        for entry in ALL {
            let mut run = Run::new(entry);
            for event in &events {
                let before = run.group.paths().to_vec();
                let r = run.apply(event);
                if matches!(event.what, What::Add { .. }) { continue }
                for (i, path) in before.iter().enumerate().filter(|(i, _)| *i != r) {
                    prop_assert_eq!(path, run.group.path(i), "{}", entry.name);
                }
            }
        }
    }

    /// A spurious event that is undone at once leaves window, threshold and observables as they were.
    #[test]
    fn undo_restores(events in events(), path in 0..8usize, timeout in any::<bool>()) {
        for entry in ALL {
            let mut run = Run::new(entry);
            events.iter().for_each(|event| { run.apply(event); });
            let observe = |group: &Group, r| {
                let mut out = vec![0.0; entry.observables.len()];
                group.observe(r, &mut out);
                out.into_iter().map(f64::to_bits).collect::<Vec<_>>()
            };
            let r = path % run.group.paths().len();
            // In slow start Coupled CUBIC's inner window follows the path's and has no memory.
            let compared = !run.group.path(r).in_slow_start();
            let (row, inner) = (*run.group.path(r), observe(&run.group, r));
            // A loss raises a window of one segment to the two that RFC 5681 allows at least.
            if row.cwnd < MIN_SSTHRESH { continue }
            let signal = if timeout { Signal::Timeout } else { Signal::Loss };
            run.group.on_congestion(r, &Congestion { now: run.now, signal });
            run.group.on_spurious(r);
            prop_assert_eq!(&row, run.group.path(r), "{}", entry.name);
            prop_assert!(!compared || inner == observe(&run.group, r), "{}", entry.name);
        }
    }

    /// The window never grows by more than what was acknowledged, and not at all where the sender was
    /// not limited by it.
    #[test]
    fn growth_is_bounded(events in events()) {
        for entry in ALL {
            let mut run = Run::new(entry);
            for event in &events {
                let What::Ack { acked, cwnd_limited, .. } = event.what else { run.apply(event); continue };
                let before = run.group.paths().to_vec();
                let r = run.apply(event);
                let growth = run.group.path(r).cwnd - before[r].cwnd;
                let most = if cwnd_limited { acked * (1.0 + 1e-9) } else { 0.0 };
                prop_assert!(growth <= most + 1e-9 * before[r].cwnd, "{}: {growth} for {acked}", entry.name);
            }
        }
    }
}
