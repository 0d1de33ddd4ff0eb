//! Windows under many losses stay what the path can hold.

mod common;
mod support;

use anabranch_kernel::Monitor;
use common::Kernel;
use std::thread::sleep;
use std::time::Duration;
use support::TOOLS;
use support::algorithm::Algorithm;
use support::iperf::{Iperf, Options};
use support::lab::{Bottleneck, Lab};

/// A short queue: each subflow loses a hundred times a second.
const BOTTLENECK: Bottleneck = Bottleneck { mbit_s: 100.0, queue: 8 };

/// What the path holds, segments: the queue, the ten that `tbf` lets pass at once, and 100 Mbit/s for the
/// millisecond that a late timer takes.
const HELD: f64 = 8.0 + 10.0 + 8.0;

/// Slow start doubles the window before it learns of a loss. The rest is for a machine that is busy: windows grow as
/// long as nobody runs to drop a packet.
const BOUND: f64 = 16.0 * HELD;

/// Four connections, so that one is interrupted in what it does by another.
fn stay_within_bounds(name: &str) {
    let Some(_kernel) = Kernel::lock_with(TOOLS) else { return };
    let _algorithm = Algorithm::load(name);
    let labs: Vec<_> = (0..4).map(|_| Lab::two_paths([BOTTLENECK; 2])).collect();
    let options = Options { mptcp: true, port: 5201, seconds: 6, omit: 0, congestion_control: Some(name) };
    let transfers: Vec<_> = labs
        .iter()
        .map(|lab| {
            lab.set_congestion_control(name);
            Iperf::start(lab, &options)
        })
        .collect();
    let mut monitor = Monitor::open().unwrap();
    let (mut largest, mut recoveries) = (0.0f64, 0);
    for _ in 0..100 {
        sleep(Duration::from_millis(50));
        let connections = monitor.sample().connections;
        let ours = connections.iter().filter(|c| c.entry.kernel_name == name);
        let subflows: Vec<_> = ours.flat_map(|c| &c.subflows).collect();
        recoveries = subflows.iter().map(|s| s.recoveries).sum::<u32>().max(recoveries);
        largest = subflows.iter().map(|s| s.cwnd).fold(largest, f64::max);
    }
    let goodput: f64 = transfers.into_iter().map(|transfer| transfer.done().goodput / 1e6).sum();
    println!("{name}: {goodput:.0} Mbit/s, {recoveries} recoveries, largest window {largest:.1}");
    assert!(recoveries > 500, "{recoveries} recoveries");
    assert!(largest < BOUND, "a window of {largest}");
}

#[test]
fn of_lia() {
    stay_within_bounds("ab_lia");
}

#[test]
fn of_coupled_cubic() {
    stay_within_bounds("ab_ccubic");
}

#[test]
fn of_compound() {
    stay_within_bounds("ab_compound");
}
