//! What the algorithms cost in the running kernel: `cargo bench -p anabranch-kernel -- [acks|bytes] [NAME…]`, of all
//! algorithms unless some are named.
//!
//! `acks`: time per acknowledgement, by the kernel's own statistics of BPF programs, which add two readings
//! of the clock to each call. `bytes`: processor time per byte and throughput of MPTCP over two unlimited
//! paths, beside the kernel's own CUBIC and Reno.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/support/mod.rs"]
mod support;

use anabranch_cc_kernel::registry;
use anabranch_kernel::{instances, measure};
use common::Kernel;
use libbpf_rs::query::ProgInfoIter;
use libbpf_rs::{MapCore, MapType, ObjectBuilder, Program};
use std::collections::HashMap;
use std::os::fd::AsFd;
use std::thread::{sleep, spawn};
use std::time::Duration;
use support::TOOLS;
use support::algorithm::Algorithm;
use support::iperf::{Done, Iperf, Options};
use support::lab::{Bottleneck, Lab};
use support::summary::Summary;

/// `plain.bpf.c`
static PLAIN: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/plain.bpf.o"));

fn main() {
    let Some(_kernel) = Kernel::lock_with(TOOLS) else { return };
    let chosen: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let (parts, named): (Vec<String>, Vec<String>) =
        chosen.into_iter().partition(|c| ["acks", "bytes"].contains(&c.as_str()));
    let names: Vec<_> = registry::all().iter().map(|entry| entry.kernel_name).collect();
    let names: Vec<_> =
        names.into_iter().filter(|name| named.is_empty() || named.iter().any(|n| n == name)).collect();
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|p| p == part);
    if wanted("acks") {
        acks(&names);
    }
    if wanted("bytes") {
        bytes(&names);
    }
}

fn options(seconds: u32, algorithm: &str) -> Options<'_> {
    Options { mptcp: true, port: 5201, seconds, omit: 1, congestion_control: Some(algorithm) }
}

/// How often and how long the statistics are read: for so short a time that something else had the processor in
/// few of the windows.
const WINDOWS: usize = 160;
const WINDOW: Duration = Duration::from_millis(50);

/// Calls and nanoseconds of each program that somebody loaded, by its id.
fn statistics() -> HashMap<u32, (u64, u64)> {
    ProgInfoIter::default().map(|program| (program.id, (program.run_cnt, program.run_time_ns))).collect()
}

/// The programs of an algorithm of ours, by their names and ids.
fn programs(name: &str) -> Vec<(String, u32)> {
    let ours =
        instances().unwrap().into_iter().find(|i| i.registered && i.entry.kernel_name == name).unwrap();
    ours.programs.iter().map(|p| (p.name.to_string_lossy().into_owned(), p.id)).collect()
}

/// What programs took per call of the one whose name has `per`: the median of the windows and what a tenth of them
/// is below, ns.
fn quantiles(windows: &[HashMap<u32, (u64, u64)>], programs: &[(String, u32)], per: &str) -> (f64, f64) {
    let between = |a: &HashMap<u32, (u64, u64)>, b: &HashMap<u32, (u64, u64)>, id| {
        let (a, b): ((u64, u64), (u64, u64)) = (a[&id], b[&id]);
        ((b.0 - a.0) as f64, (b.1 - a.1) as f64)
    };
    let cost = |pair: &[HashMap<_, _>]| {
        let each = programs.iter().map(|(name, id)| (name, between(&pair[0], &pair[1], *id)));
        let (mut calls, mut time) = (0.0, 0.0);
        for (name, (c, t)) in each {
            time += t;
            calls += if name.contains(per) { c } else { 0.0 };
        }
        time / calls
    };
    let mut costs: Vec<f64> = windows.windows(2).map(cost).filter(|ns| ns.is_finite()).collect();
    costs.sort_by(f64::total_cmp);
    (costs[costs.len() / 2], costs[costs.len() / 10])
}

/// Two paths with losses, so that windows are between slow start and the next loss; and the same again, at the same
/// time, under a plain BPF port of Reno.
fn acks(names: &[&'static str]) {
    let mut plain = ObjectBuilder::default().open_memory(PLAIN).unwrap().load().unwrap();
    let plain_programs: Vec<_> = plain
        .progs()
        .map(|p| (p.name().to_string_lossy().into_owned(), Program::id_from_fd(p.as_fd()).unwrap()))
        .collect();
    let mut ops = plain.maps_mut().find(|map| map.map_type() == MapType::StructOps).unwrap();
    let _link = ops.attach_struct_ops().unwrap();
    let part = |name: &str| -> Vec<_> {
        plain_programs.iter().filter(|(program, _)| program.contains(name)).cloned().collect()
    };
    println!(
        "ns per acknowledgement outside of recovery: all programs of the algorithm, median of {WINDOWS} windows of"
    );
    println!(
        "50 ms (first tenth); at the same time a plain BPF Reno, and a call of a program that does nothing\n"
    );
    println!("{:<14} {:>8} {:>14} {:>14} {:>14} {:>8}", "", "Mbit/s", "", "plain", "nothing", "ratio");
    for (name, (mbit_s, queue)) in
        [(50.0, 100), (500.0, 1000)].iter().flat_map(|l| names.iter().map(move |n| (*n, *l)))
    {
        let _algorithm = Algorithm::load(name);
        let ours = programs(name);
        let labs = [name, "ab_plain"].map(|name| {
            let lab = Lab::two_paths([Bottleneck { mbit_s, queue }; 2]);
            lab.set_congestion_control(name);
            (name, lab)
        });
        let seconds = (WINDOWS as u32 * WINDOW.as_millis() as u32) / 1000 + 3;
        let transfers = labs.each_ref().map(|(name, lab)| Iperf::start(lab, &options(seconds, name)));
        let enabled = spawn(move || measure(Duration::from_secs(u64::from(seconds) + 1)));
        sleep(Duration::from_secs(2));
        let windows: Vec<_> = (0..=WINDOWS)
            .map(|_| {
                sleep(WINDOW);
                statistics()
            })
            .collect();
        let _ = transfers.map(Iperf::done);
        enabled.join().unwrap().unwrap();
        let cells = [
            quantiles(&windows, &ours, "cong_avoid"),
            quantiles(&windows, &part("cong_avoid"), "cong_avoid"),
            quantiles(&windows, &part("pkts_acked"), "pkts_acked"),
        ];
        let ratio = cells[0].0 / cells[1].0;
        let [a, b, c] = cells.map(|(median, tenth)| format!("{median:.0} ({tenth:.0})"));
        println!("{name:<14} {:>8} {a:>14} {b:>14} {c:>14} {ratio:>8.2}", format!("2 x {mbit_s}"));
    }
    println!();
}

/// How often each is measured, one after the other.
const ROUNDS: usize = 6;

fn bytes(names: &[&'static str]) {
    let all: Vec<_> = ["cubic", "reno"].into_iter().chain(names.iter().copied()).collect();
    let _loaded: Vec<_> = names.iter().map(|name| Algorithm::load(name)).collect();
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
