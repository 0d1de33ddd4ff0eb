//! Windows under many losses stay what the path can hold.

use anabranch_mptcp_bpf::Monitor;
use anabranch_test_support::algorithm::Algorithm;
use anabranch_test_support::iperf::{Iperf, Options};
use anabranch_test_support::lab::{Bottleneck, Lab};
use anabranch_test_support::{Kernel, TOOLS, until};

/// A short queue: each subflow loses a hundred times a second.
const BOTTLENECK: Bottleneck = Bottleneck { mbit_s: 100.0, queue: 8 };

/// The path's capacity, segments: the queue, the ten that `tbf` lets pass at once, and 100 Mbit/s for the millisecond that a late
/// timer takes.
const HELD: f64 = 8.0 + 10.0 + 8.0;

/// Slow start doubles the window before it learns of a loss. The rest is for a machine that is busy: windows grow as
/// long as nobody runs to drop a packet.
const BOUND: f64 = 16.0 * HELD;

/// About five seconds of the four connections.
const RECOVERIES: u32 = 1000;

#[test]
fn stay_within_bounds() {
    let Some(_kernel) = Kernel::lock_with(TOOLS) else { return };
    ["ab_lia", "ab_ccubic", "ab_compound"].into_iter().for_each(stays_within_bounds);
}

/// Four connections, so that one is interrupted in what it does by another.
fn stays_within_bounds(name: &str) {
    let _algorithm = Algorithm::load(name);
    let labs: Vec<_> = (0..4).map(|_| Lab::two_paths([BOTTLENECK; 2])).collect();
    let _transfers: Vec<_> = labs
        .iter()
        .map(|lab| {
            lab.set_congestion_control(name);
            Iperf::start(lab, &Options::endless(5201))
        })
        .collect();
    let mut monitor = Monitor::open().unwrap();
    let (mut largest, mut recoveries) = (0.0f64, 0);
    until(
        || {
            let connections = monitor.sample().connections;
            let ours = connections.iter().filter(|c| c.entry.kernel_name == name);
            let subflows: Vec<_> = ours.flat_map(|c| &c.subflows).collect();
            recoveries = subflows.iter().map(|s| s.recoveries).sum::<u32>();
            largest = subflows.iter().map(|s| s.cwnd).fold(largest, f64::max);
            recoveries > RECOVERIES
        },
        "the subflows have lost",
    );
    println!("{name}: {recoveries} recoveries, largest window {largest:.1}");
    assert!(largest < BOUND, "{name}: a window of {largest}");
}
