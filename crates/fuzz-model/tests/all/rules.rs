//! Each rule finds the fault that it is for: Reno with that fault, and without.

use crate::random_bytes;
use anabranch_cc::registry::{Entry, Kind, Observable, Param, ParamValue};
use anabranch_cc::{Ack, Algorithm, Congestion, Path, slow_start};
use anabranch_fuzz_model::{Failure, Plan, Rule, check, shrink};

const FAULTS: &[(&str, Rule)] = &[
    ("divides by an RTT that is not known", Rule::Window),
    ("halves the threshold without a floor", Rule::Threshold),
    ("paces by an RTT that is not known", Rule::PacingRate),
    ("shows what is infinite", Rule::Observable),
    ("takes from other paths", Rule::OtherRow),
    ("adds two segments per segment", Rule::Growth),
    ("grows where the application is the limit", Rule::Growth),
    ("grows on loss", Rule::Reduction),
    ("does not undo", Rule::Undo),
    ("sums over all paths that ever were", Rule::Trace),
    ("keeps a row's state for the next path", Rule::Fresh),
    ("weighs by the number of paths", Rule::Alone),
    ("counts on an RTT", Rule::Panic),
];

/// The fault's index, or -1 for none.
const PARAMS: &[Param] = &[Param::number("fault", -1.0, (-1.0, FAULTS.len() as f64), "")];

static COUPLED: Entry = entry(Kind::Coupled);
static SINGLE_PATH: Entry = entry(Kind::SinglePath);

const fn entry(kind: Kind) -> Entry {
    Entry {
        name: "faulty",
        title: "Reno with a fault",
        kind,
        source: "",
        equations: &[],
        interpretations: &[],
        params: PARAMS,
        observables: &[Observable { name: "shown", meaning: "" }],
        build: |params| {
            Box::new(Faulty { fault: params.number("fault") as isize, losses: vec![], total: 0.0 })
        },
    }
}

struct Faulty {
    fault: isize,
    losses: Vec<f64>,
    total: f64,
}

impl Faulty {
    fn is(&self, fault: isize) -> bool {
        self.fault == fault
    }
}

impl Algorithm for Faulty {
    fn path_added(&mut self, _: &mut [Path], r: usize) {
        if r == self.losses.len() {
            self.losses.push(0.0);
        } else if !self.is(10) {
            self.losses[r] = 0.0;
        }
    }

    fn acked(&mut self, paths: &mut [Path], r: usize, ack: &Ack) {
        if self.is(12) {
            paths[r].rtt().unwrap();
        }
        self.total += ack.delivered;
        let weight = match () {
            () if self.is(0) => paths[r].srtt * (1.0 / paths[r].srtt),
            () if self.is(9) => 1.0 / (1.0 + self.total),
            () if self.is(10) => 1.0 / (1.0 + self.losses[r]),
            () if self.is(11) => 1.0 / paths.iter().filter(|p| p.active).count() as f64,
            () => 1.0,
        };
        if self.is(2) {
            paths[r].pacing_rate = Some(paths[r].cwnd / paths[r].srtt);
        }
        if self.is(4) && ack.acked > 0.0 {
            paths.iter_mut().for_each(|p| p.cwnd *= 0.9);
        }
        let acked = slow_start::grow(&mut paths[r], ack.acked);
        paths[r].cwnd += weight * acked / paths[r].cwnd;
        paths[r].cwnd += if self.is(5) { 2.0 * ack.acked } else { 0.0 };
        paths[r].cwnd += if self.is(6) { ack.delivered - ack.acked } else { 0.0 };
    }

    fn congestion(&mut self, paths: &mut [Path], r: usize, _: &Congestion) {
        self.losses[r] += 1.0;
        paths[r].reduce_to(paths[r].cwnd / 2.0);
        if self.is(1) {
            paths[r].ssthresh = paths[r].cwnd / 2.0;
        }
        if self.is(7) {
            paths[r].cwnd *= 2.5;
        }
    }

    fn spurious(&mut self, _: &mut [Path], r: usize) {
        self.losses[r] -= if self.is(8) { 0.0 } else { 1.0 };
    }

    fn observe(&self, paths: &[Path], r: usize, out: &mut [f64]) {
        out[0] = if self.is(3) { 1.0 / paths[r].srtt } else { self.losses[r] };
    }
}

/// The first failure of many plans, with the fault of that index.
fn failure(fault: Option<usize>) -> Option<Failure> {
    let entry = if fault == Some(11) { &SINGLE_PATH } else { &COUPLED };
    (0..200).find_map(|seed| {
        let mut plan = Plan::for_algorithm(entry, &random_bytes(seed, 1200));
        plan.given = fault.map(|i| ("fault".to_owned(), ParamValue::Number(i as f64))).into_iter().collect();
        check(&plan).err()
    })
}

#[test]
fn a_sound_algorithm_breaks_no_rule() {
    let failure = failure(None);
    assert!(failure.is_none(), "{}", failure.unwrap());
}

#[test]
fn each_fault_breaks_its_rule() {
    for (i, (fault, rule)) in FAULTS.iter().enumerate() {
        let failure = failure(Some(i)).unwrap_or_else(|| panic!("{fault}: not found"));
        assert_eq!(failure.broken.rule, *rule, "{fault}: {failure}");
    }
}

#[test]
fn a_failure_is_shrunk_to_what_it_takes() {
    // A second path joins, and the first hears an acknowledgement that grows its window.
    let long = failure(Some(4)).unwrap();
    let short = shrink(long.clone());
    assert_eq!(short.broken.rule, Rule::OtherRow);
    assert!(short.plan.events.len() <= 3 && short.plan.events.len() < long.plan.events.len(), "{short}");
    assert!(check(&short.plan).is_err());
}
