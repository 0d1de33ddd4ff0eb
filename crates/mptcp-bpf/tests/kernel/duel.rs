//! Two subflows of one connection and a TCP socket in one bottleneck: coupled, the two take about what one
//! flow takes; uncoupled, about twice that.
//!
//! Chosen before anything was measured: 20 Mbit/s and a queue of 100 packets, 60 ms when full, and no
//! other delay. `bench/scenarios/kernel-duel.toml` has the same for the simulator.

use anabranch_cc_fixed::registry;
use anabranch_test_support::algorithm::Algorithm;
use anabranch_test_support::iperf::Duel;
use anabranch_test_support::lab::{Bottleneck, Lab};
use anabranch_test_support::summary::Summary;
use anabranch_test_support::{Kernel, TOOLS, simulated, skipped};

const BOTTLENECK: Bottleneck = Bottleneck { mbit_s: 20.0, queue: 100 };

/// A run counts if the bottleneck was one: if the two used so much of its rate. (Headers leave 0.95 of it.)
/// On a machine that is too busy to send as much, other things than congestion decide who gets what.
const USED: f64 = 0.9;

/// The same topology in the simulator, and how many runs of it are compared.
const SIMULATED: &str = include_str!("../../../../bench/scenarios/kernel-duel.toml");
const SEEDS: u64 = 20;

/// At most this number is under way at a time, each with a bottleneck of its own.
const AT_ONCE: usize = 12;

/// Whose subflows, against whose TCP socket.
type Pair = [&'static str; 2];

const LIA: Pair = ["ab_lia", "reno"];
const OLIA: Pair = ["ab_olia", "reno"];
const BALIA: Pair = ["ab_balia", "reno"];
const RENO: Pair = ["reno", "reno"];
const COUPLED_CUBIC: Pair = ["ab_ccubic", "cubic"];
const CUBIC: Pair = ["cubic", "cubic"];

/// The ratio of the goodputs, MPTCP's to TCP's, in this number of runs of each pair, printed one by one; fewer where too many do
/// not count. A run lasts this number of `seconds` after `omit` others.
fn ratios<const N: usize>(pairs: [Pair; N], runs: usize, seconds: u32, omit: u32) -> [Vec<f64>; N] {
    let mut ratios = [const { Vec::new() }; N];
    let at_once = (AT_ONCE / N).min(runs);
    println!("{:<10} {:<6} MPTCP, Mbit/s   TCP, Mbit/s   ratio", "", "");
    for _ in 0..runs.div_ceil(at_once) + 2 {
        let missing: Vec<_> = (0..N).filter(|&pair| ratios[pair].len() < runs).collect();
        let under_way = (0..at_once).flat_map(|_| &missing);
        let start = |&pair: &usize| {
            let lab = Lab::shared(BOTTLENECK);
            (pair, Duel::start(&lab, pairs[pair], seconds, omit), lab)
        };
        let duels: Vec<_> = under_way.map(start).collect();
        for (pair, duel, _lab) in duels {
            let goodputs = duel.end().inspect_err(|why| println!("does not count: {why}"));
            let Ok([mptcp, tcp]) = goodputs else { continue };
            let (ratio, counts) = (mptcp / tcp, mptcp + tcp > USED * BOTTLENECK.mbit_s);
            let [ours, theirs] = pairs[pair];
            let note = if counts { "" } else { " does not count" };
            println!("{ours:<10} {theirs:<6} {mptcp:>13.2} {tcp:>13.2} {ratio:>7.2}{note}");
            ratios[pair].extend(counts.then_some(ratio));
        }
    }
    for ([ours, theirs], ratios) in pairs.iter().zip(&ratios).filter(|(_, ratios)| ratios.len() > 1) {
        println!("{ours:<10} {theirs:<6} mean of {}: {}", ratios.len(), Summary::of(ratios));
    }
    ratios
}

/// The ratio in the simulator, with the kernel's arithmetic.
fn simulated(algorithm: &str) -> Summary {
    let runs = simulated::runs("kernel-duel.toml", SIMULATED, algorithm, SEEDS);
    let goodput = |flow: &anabranch_record::FlowSummary| flow.goodput_bps.unwrap();
    let ratios: Vec<_> = runs.iter().map(|run| goodput(&run.flows[0]) / goodput(&run.flows[1])).collect();
    let summary = Summary::of(&ratios);
    println!("{algorithm}, simulated: mean of {SEEDS}: {summary}");
    summary
}

/// Loads what of it is ours.
fn load(pairs: &[Pair]) -> Vec<Algorithm> {
    let is_ours = |name: &str| registry::find_kernel(name).is_some_and(|entry| entry.kernel_name == name);
    pairs.iter().filter(|[name, _]| is_ours(name)).map(|[name, _]| Algorithm::load(name)).collect()
}

/// Of a coupled one and an uncoupled one; `None` where the machine has no time for as many runs of the
/// uncoupled one, which is the kernel's own.
fn means(coupled: &[f64], uncoupled: &[f64], runs: usize) -> Option<[Summary; 2]> {
    if uncoupled.len() < runs {
        skipped("the machine is too busy: the kernel's own does not use the bottleneck either");
        return None;
    }
    assert!(coupled.len() >= runs, "the coupled one does not use the bottleneck");
    Some([coupled, uncoupled].map(Summary::of))
}

/// A few short runs: the order of the means.
#[test]
fn coupled_takes_less_than_uncoupled() {
    let Some(_kernel) = Kernel::lock_with(TOOLS) else { return };
    let pairs = [LIA, RENO];
    let _algorithms = load(&pairs);
    let runs = 4;
    let [lia, reno] = ratios(pairs, runs, 20, 4);
    if let Some([lia, reno]) = means(&lia, &reno, runs) {
        assert!(lia.mean < reno.mean, "{lia}; {reno}");
    }
}

/// Twelve runs of a minute each, and the rules: the interval of the coupled algorithm lies wholly below the interval of its
/// single-path algorithm on both subflows; LIA's overlaps the simulator's. `make kernel-proof`
#[test]
#[ignore = "takes eight minutes"]
fn coupled_ones_take_what_they_should() {
    let Some(_kernel) = Kernel::lock_with(TOOLS) else { return };
    let pairs = [LIA, OLIA, BALIA, RENO, COUPLED_CUBIC, CUBIC];
    let _algorithms = load(&pairs);
    let runs = 12;
    let [lia, olia, balia, reno, coupled_cubic, cubic] = ratios(pairs, runs, 60, 10);
    let expected = simulated("lia@kernel");
    let shown = |coupled: &[f64], uncoupled: &[f64]| {
        means(coupled, uncoupled, runs).expect("nothing is shown by so few runs")
    };
    let [mean, _] = shown(&lia, &reno);
    assert!(
        mean.low() < expected.high() && expected.low() < mean.high(),
        "LIA: {mean}; simulated: {expected}"
    );
    let judged = [(lia, &reno), (olia, &reno), (balia, &reno), (coupled_cubic, &cubic)];
    for (pair, (coupled, uncoupled)) in [LIA, OLIA, BALIA, COUPLED_CUBIC].iter().zip(judged) {
        let [coupled, uncoupled] = shown(&coupled, uncoupled);
        assert!(coupled.high() < uncoupled.low(), "{}: {coupled}; {uncoupled}", pair[0]);
    }
}
