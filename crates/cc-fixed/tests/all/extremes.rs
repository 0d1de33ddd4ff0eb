//! Every algorithm of the kernel under any report of a kernel. The C code is built so that undefined
//! behaviour ends the process in this profile (`build.rs`).

use anabranch_cc::registry::ParamValue;
use anabranch_cc::{Ack, Congestion, Group, Signal};
use anabranch_cc_fixed::registry;
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Event {
    Join { srtt: f64, window: f64 },
    Leave,
    Ack { ack: Ack, later: f64, ends_round: bool },
    Congestion(Signal),
    Spurious,
}

/// Nothing, one of something, as much as a field of the kernel's holds, or anything between by magnitude.
fn amount(unit: f64) -> impl Strategy<Value = f64> {
    let largest = f64::from(u32::MAX);
    prop_oneof![Just(0.0), Just(1.0), Just(largest), (0.0..32.0).prop_map(f64::exp2)]
        .prop_map(move |a| a * unit)
}

fn event() -> impl Strategy<Value = Event> {
    let us = 1e-6;
    prop_oneof![
        1 => (amount(us), amount(1.0)).prop_map(|(srtt, window)| Event::Join { srtt, window }),
        1 => Just(Event::Leave),
        8 => (
            (amount(1.0), amount(1.0), prop::option::of(amount(us)), amount(us), amount(us)),
            any::<(bool, bool, bool)>(),
        )
            .prop_map(|((acked, delivered, rtt, srtt, later), (ends_round, cwnd_limited, in_flight))| {
                let in_flight = f64::from(u8::from(in_flight));
                let ack = Ack { acked, delivered, rtt, srtt, in_flight, cwnd_limited, ..Ack::default() };
                Event::Ack { ack, later, ends_round }
            }),
        3 => prop_oneof![Just(Signal::Loss), Just(Signal::Ecn), Just(Signal::Timeout)].prop_map(Event::Congestion),
        1 => Just(Event::Spurious),
    ]
}

/// A connection and what its acknowledgements count on.
struct Run {
    group: Group,
    now: f64,
    round: u64,
}

impl Run {
    fn play(&mut self, path: usize, event: &Event) {
        let rows: Vec<_> = (0..self.group.paths().len()).filter(|&r| self.group.path(r).active).collect();
        if rows.is_empty() && !matches!(event, Event::Join { .. }) {
            return;
        }
        let r = rows.get(path % rows.len().max(1)).copied().unwrap_or(0);
        match *event {
            Event::Join { srtt, window } if rows.len() < 9 => {
                self.group.add_path(srtt, window);
            }
            Event::Join { .. } => {}
            Event::Leave => self.group.remove_path(r),
            Event::Ack { ack, later, ends_round } => {
                self.now += later;
                self.round += u64::from(ends_round);
                self.group.on_ack(r, &Ack { now: self.now, round: self.round, ..ack });
            }
            Event::Congestion(signal) => self.group.on_congestion(r, &Congestion { now: self.now, signal }),
            Event::Spurious => self.group.on_spurious(r),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn windows_stay_within_their_bounds(events in prop::collection::vec((0..9usize, event()), 1..150)) {
        let modes = [true, false].map(|together| [("together".to_owned(), ParamValue::Flag(together))]);
        for (kernel, given) in registry::all().iter().flat_map(|kernel| modes.iter().map(move |mode| (kernel, mode))) {
            let mut run = Run { group: kernel.entry.group(given).unwrap(), now: 0.0, round: 0 };
            let mut observables = vec![0.0; kernel.entry.observables.len()];
            for (path, event) in &events {
                run.play(*path, event);
                for (r, row) in run.group.paths().iter().enumerate().filter(|(_, row)| row.active) {
                    let bounds = 1.0..=f64::from(1 << 20);
                    prop_assert!(bounds.contains(&row.cwnd), "{}: window {}", kernel.kernel_name, row.cwnd);
                    prop_assert!(row.ssthresh >= 2.0, "{}: threshold {}", kernel.kernel_name, row.ssthresh);
                    run.group.observe(r, &mut observables);
                }
            }
        }
    }
}
