//! Two subflows of one connection and a Reno socket in one bottleneck: coupled, the two take about what
//! one flow takes; uncoupled, about twice that.
//!
//! Chosen before anything was measured: 20 Mbit/s and a queue of 100 packets, 60 ms when full, and no
//! other delay. `bench/scenarios/kernel-duel.toml` has the same for the simulator.

mod common;
mod support;

use common::Kernel;
use support::TOOLS;
use support::algorithm::Algorithm;
use support::iperf::{Iperf, Options};
use support::lab::{Bottleneck, Lab};
use support::summary::Summary;

const BOTTLENECK: Bottleneck = Bottleneck { mbit_s: 20.0, queue: 100 };

/// One run.
struct Duel {
    mptcp: Iperf,
    tcp: Iperf,
    _lab: Lab,
}

impl Duel {
    fn start(algorithm: &str, seconds: u32, omit: u32) -> Self {
        let lab = Lab::shared(BOTTLENECK);
        lab.set_congestion_control(algorithm);
        let side = |mptcp, port, congestion_control| {
            Iperf::start(&lab, &Options { mptcp, port, seconds, omit, congestion_control })
        };
        let (mptcp, tcp) = (side(true, 5201, None), side(false, 5202, Some("reno")));
        Duel { mptcp, tcp, _lab: lab }
    }

    /// The goodputs of MPTCP and of TCP, bit/s.
    fn done(self) -> (f64, f64) {
        (self.mptcp.done().goodput, self.tcp.done().goodput)
    }
}

/// The ratio of the goodputs, MPTCP's to TCP's, in so many runs of each algorithm, printed one by one.
/// Of each algorithm four are under way at a time, each with a bottleneck of its own.
fn ratios(algorithms: &[&str], runs: usize, seconds: u32, omit: u32) -> Vec<Vec<f64>> {
    let mut ratios = vec![vec![]; algorithms.len()];
    println!("{:<10} MPTCP, Mbit/s   TCP, Mbit/s   ratio", "");
    while ratios[0].len() < runs {
        let under_way: Vec<_> = (0..4 * algorithms.len()).map(|i| i % algorithms.len()).collect();
        let duels: Vec<_> =
            under_way.into_iter().map(|a| (a, Duel::start(algorithms[a], seconds, omit))).collect();
        for (a, duel) in duels {
            let (mptcp, tcp) = duel.done();
            println!("{:<10} {:>13.2} {:>13.2} {:>7.2}", algorithms[a], mptcp / 1e6, tcp / 1e6, mptcp / tcp);
            ratios[a].push(mptcp / tcp);
        }
    }
    for (algorithm, ratios) in algorithms.iter().zip(&ratios) {
        println!("{algorithm:<10} mean of {}: {}", ratios.len(), Summary::of(ratios));
    }
    ratios
}

/// A few short runs: the order of the means.
#[test]
fn coupled_takes_less_than_uncoupled() {
    let Some(_kernel) = Kernel::lock_with(TOOLS) else { return };
    let _algorithm = Algorithm::load("ab_lia");
    let ratios = ratios(&["ab_lia", "reno"], 4, 20, 4);
    let [lia, reno] = [0, 1].map(|a| Summary::of(&ratios[a]).mean);
    assert!(lia < reno, "{lia} {reno}");
}

/// Twelve runs of a minute. `make kernel-proof`
#[test]
#[ignore = "takes five minutes"]
fn the_interval_of_lia_lies_below_that_of_uncoupled_reno() {
    let Some(_kernel) = Kernel::lock_with(TOOLS) else { return };
    let _algorithm = Algorithm::load("ab_lia");
    let ratios = ratios(&["ab_lia", "reno"], 12, 60, 10);
    let [lia, reno] = [0, 1].map(|a| Summary::of(&ratios[a]));
    assert!(lia.high() < reno.low(), "{lia}; {reno}");
}
