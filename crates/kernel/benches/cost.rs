//! What the algorithms cost in the running kernel: `cargo bench -p anabranch-kernel [acks] [bytes]`.
//!
//! `acks`: time per acknowledgement, by the kernel's own statistics of BPF programs, which add two readings
//! of the clock to each call. `bytes`: processor time per byte and throughput of MPTCP over two unlimited
//! paths, beside the kernel's own CUBIC and Reno.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/support/mod.rs"]
mod support;

use anabranch_cc_kernel::registry;
use anabranch_kernel::measure;
use common::Kernel;
use std::thread::sleep;
use std::time::Duration;
use support::TOOLS;
use support::algorithm::Algorithm;
use support::iperf::{Done, Iperf, Options};
use support::lab::{Bottleneck, Lab};
use support::summary::Summary;

fn main() {
    let Some(_kernel) = Kernel::lock_with(TOOLS) else { return };
    let chosen: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let wanted = |part: &str| chosen.is_empty() || chosen.iter().any(|c| c == part);
    if wanted("acks") {
        acks();
    }
    if wanted("bytes") {
        bytes();
    }
}

/// The kernel's names of all its algorithms.
fn names() -> Vec<&'static str> {
    registry::all().iter().map(|entry| entry.kernel_name).collect()
}

fn options(seconds: u32, algorithm: &str) -> Options<'_> {
    Options { mptcp: true, port: 5201, seconds, omit: 1, congestion_control: Some(algorithm) }
}

/// Nanoseconds of an algorithm's programs per acknowledgement, in half a second.
fn per_ack(name: &str) -> f64 {
    let costs = measure(Duration::from_millis(500)).unwrap();
    let ours = || costs.iter().filter(|cost| cost.algorithm == name);
    let acks: u64 = ours().filter(|cost| cost.program == "ab_pkts_acked").map(|cost| cost.calls).sum();
    ours().map(|cost| cost.time).sum::<u64>() as f64 / acks as f64
}

/// How long they are watched, in halves of a second.
const WINDOWS: usize = 16;

/// Two paths with losses, so that windows are between slow start and the next loss. The median of the
/// windows in time leaves out those in which something else had the processor.
fn acks() {
    println!(
        "ns per acknowledgement: all programs of the algorithm, median of {WINDOWS} windows of 0.5 s (least)\n"
    );
    println!("{:<14} {:>16} {:>16}", "", "2 x 50 Mbit/s", "2 x 500 Mbit/s");
    for name in names() {
        let _algorithm = Algorithm::load(name);
        let cells = [(50.0, 100), (500.0, 1000)].map(|(mbit_s, queue)| {
            let lab = Lab::two_paths([Bottleneck { mbit_s, queue }; 2]);
            lab.set_congestion_control(name);
            let iperf = Iperf::start(&lab, &options(WINDOWS as u32 / 2 + 3, name));
            sleep(Duration::from_secs(2));
            let mut costs: Vec<f64> =
                (0..WINDOWS).map(|_| per_ack(name)).filter(|ns| ns.is_finite()).collect();
            iperf.done();
            costs.sort_by(f64::total_cmp);
            format!("{:.0} ({:.0})", costs[costs.len() / 2], costs[0])
        });
        println!("{name:<14} {:>16} {:>16}", cells[0], cells[1]);
    }
    println!();
}

/// How often each is measured, one after the other.
const ROUNDS: usize = 6;

fn bytes() {
    let all: Vec<_> = ["cubic", "reno"].into_iter().chain(names()).collect();
    let _loaded: Vec<_> = names().into_iter().map(Algorithm::load).collect();
    let lab = Lab::direct(2);
    let mut done = vec![vec![]; all.len()];
    for _ in 0..ROUNDS {
        for (name, done) in all.iter().zip(&mut done) {
            done.push(Iperf::start(&lab, &options(3, name)).done());
        }
    }
    println!(
        "MPTCP over two unlimited paths, {ROUNDS} runs of each, in turn; beside CUBIC in the same turn\n"
    );
    println!("{:<14} {:>16} {:>16} {:>16} {:>16}", "", "Gbit/s", "of CUBIC's", "CPU ns/byte", "of CUBIC's");
    for (name, runs) in all.iter().zip(&done) {
        let column = |of: &dyn Fn(&Done, &Done) -> f64| {
            let values: Vec<_> = runs.iter().zip(&done[0]).map(|(run, cubic)| of(run, cubic)).collect();
            Summary::of(&values).to_string()
        };
        let goodput = column(&|run, _| run.goodput / 1e9);
        let of_cubic = column(&|run, cubic| run.goodput / cubic.goodput);
        let cpu = column(&|run, _| run.cpu_per_byte * 1e9);
        let cpu_of_cubic = column(&|run, cubic| run.cpu_per_byte / cubic.cpu_per_byte);
        println!("{name:<14} {goodput:>16} {of_cubic:>16} {cpu:>16} {cpu_of_cubic:>16}");
    }
}
