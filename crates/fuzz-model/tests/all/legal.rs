//! The model reports only what is legal, and reaches what it claims to reach.

use crate::random_bytes;
use anabranch_cc::registry::{Entry, Kind, Param};
use anabranch_cc::{Ack, Algorithm, Congestion, LostSegment, Path, RateSample, Signal};
use anabranch_fuzz_model::{Plan, check};
use std::cell::RefCell;

static ENTRY: Entry = Entry {
    name: "auditor",
    title: "Listens",
    kind: Kind::Coupled,
    source: "",
    equations: &[],
    interpretations: &[],
    params: &[Param::flag("model", false, "whether it models its paths")],
    observables: &[],
    build: |params| Box::new(Auditor { model: params.flag("model"), ..Auditor::default() }),
};

/// An algorithm that panics where an event is not legal.
#[derive(Default)]
struct Auditor {
    model: bool,
    now: f64,
    rows: Vec<Row>,
}

#[derive(Clone, Default)]
struct Row {
    round: u64,
    in_flight: f64,
    largest: f64,
    srtt: f64,
    smallest: Option<f64>,
    delivered: f64,
    last_lost: u64,
    congested: bool,
    signalled: bool,
    timed_out: bool,
}

/// The extremes of what was reported.
#[derive(Default)]
struct Seen {
    paths: usize,
    window: f64,
    gap: f64,
    rtt: (f64, f64),
    unmeasured: u32,
    limited: [u32; 2],
    in_recovery: u32,
    signals: [u32; 3],
    spurious: u32,
    rates: [u32; 2],
    lost: u32,
}

thread_local! {
    static SEEN: RefCell<Seen> = RefCell::new(Seen { rtt: (f64::INFINITY, 0.0), ..Seen::default() });
}

fn see(f: impl FnOnce(&mut Seen)) {
    SEEN.with_borrow_mut(f);
}

impl Row {
    /// Rule 8.
    fn rate(&mut self, ack: &Ack, rate: &RateSample) {
        assert_eq!(rate.total_delivered, self.delivered);
        assert!((0.0..=self.delivered - ack.delivered).contains(&rate.prior_delivered));
        assert!(rate.interval == 0.0 || rate.interval >= self.smallest.unwrap_or(0.0));
        assert!((1.0..=self.largest).contains(&rate.tx_in_flight) && rate.lost >= 0.0);
        see(|s| s.rates[usize::from(rate.interval > 0.0)] += 1);
    }
}

impl Auditor {
    fn at(&mut self, now: f64) {
        assert!(now >= self.now, "time goes back");
        see(|s| s.gap = s.gap.max(now - self.now));
        self.now = now;
    }
}

impl Algorithm for Auditor {
    fn path_added(&mut self, paths: &mut [Path], r: usize) {
        let active = paths.iter().filter(|p| p.active).count();
        assert!(active <= 8);
        assert!((1.0..=1e7).contains(&paths[r].cwnd));
        see(|s| s.paths = s.paths.max(active));
        self.rows.resize(self.rows.len().max(r + 1), Row::default());
        self.rows[r] = Row { srtt: paths[r].srtt, largest: paths[r].cwnd, ..Row::default() };
    }

    fn acked(&mut self, paths: &mut [Path], r: usize, ack: &Ack) {
        self.at(ack.now);
        let row = &mut self.rows[r];
        assert!(paths[r].active);
        assert!(ack.acked == 0.0 || ack.acked == ack.delivered);
        assert!(ack.delivered >= 0.0 && ack.in_flight >= 0.0);
        row.largest = row.largest.max(paths[r].cwnd);
        assert!(ack.delivered + ack.in_flight <= row.largest, "more in flight than ever allowed");
        assert!(ack.round - row.round <= 1);
        match ack.rtt {
            Some(rtt) => {
                assert!((1e-6..=100.0).contains(&rtt) && ack.srtt > 0.0);
                let srtt = if row.srtt == 0.0 { rtt } else { row.srtt + (rtt - row.srtt) / 8.0 };
                assert!((ack.srtt - srtt).abs() < 1e-9 * srtt, "not RFC 6298");
                see(|s| s.rtt = (s.rtt.0.min(rtt), s.rtt.1.max(rtt)));
            }
            None => assert_eq!(ack.srtt, row.srtt),
        }
        row.delivered += ack.delivered;
        row.smallest = row.smallest.into_iter().chain(ack.rtt).reduce(f64::min);
        assert_eq!(ack.rate.is_some(), self.model && ack.delivered > 0.0);
        ack.rate.iter().for_each(|rate| row.rate(ack, rate));
        see(|s| {
            s.window = s.window.max(paths[r].cwnd);
            s.unmeasured += u32::from(ack.srtt == 0.0);
            s.limited[usize::from(ack.cwnd_limited)] += 1;
            s.in_recovery += u32::from(ack.delivered > 0.0 && ack.acked == 0.0);
        });
        (row.round, row.in_flight, row.srtt) = (ack.round, ack.in_flight, ack.srtt);
        (row.signalled, row.timed_out) = (false, false);
        paths[r].cwnd += ack.acked;
    }

    fn congestion(&mut self, paths: &mut [Path], r: usize, event: &Congestion) {
        self.at(event.now);
        assert!(paths[r].active);
        let row = &mut self.rows[r];
        let before = if event.signal == Signal::Timeout { &mut row.timed_out } else { &mut row.signalled };
        assert!(!std::mem::replace(before, true), "two signals of one cause");
        row.congested = true;
        see(|s| s.signals[event.signal as usize] += 1);
        paths[r].reduce_to(paths[r].cwnd / 2.0);
    }

    fn is_model_based(&self) -> bool {
        self.model
    }

    fn lost(&mut self, paths: &mut [Path], r: usize, lost: &LostSegment) {
        self.at(lost.now);
        let row = &mut self.rows[r];
        assert!(self.model && paths[r].active && row.congested);
        assert!(lost.number > row.last_lost, "lost twice");
        assert!(lost.total_delivered == row.delivered && lost.tx_in_flight >= 1.0 && lost.lost >= 1.0);
        row.last_lost = lost.number;
        see(|s| s.lost += 1);
    }

    fn spurious(&mut self, _: &mut [Path], _: usize) {
        see(|s| s.spurious += 1);
    }
}

#[test]
fn what_is_reported_is_legal_and_reaches_the_extremes() {
    for seed in 0..500 {
        let plan = Plan::for_algorithm(&ENTRY, &random_bytes(seed, 1200));
        check(&plan).unwrap_or_else(|failure| panic!("{failure}"));
    }
    see(|s| {
        assert_eq!(s.paths, 8);
        assert!(s.window > 1e8 && s.gap > 3e5, "{} {}", s.window, s.gap);
        assert!(s.rtt.0 < 2e-6 && s.rtt.1 > 90.0, "{:?}", s.rtt);
        let counts = [s.limited[0], s.limited[1], s.in_recovery, s.unmeasured, s.spurious, s.lost];
        assert!(
            counts.into_iter().chain(s.signals).chain(s.rates).all(|n| n > 100),
            "{counts:?} {:?} {:?}",
            s.signals,
            s.rates
        );
    });
}
