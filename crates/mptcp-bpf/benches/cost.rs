//! The cost of the algorithms in the running kernel: `cargo bench -p anabranch-mptcp-bpf -- [acks|bytes|turns] [--rounds N]
//! [NAME…]`, of all algorithms unless some are named.
//!
//! `acks`: time per acknowledgement, by the kernel's own statistics of BPF programs, which read the clock twice more to each call.
//! `bytes`: processor time per byte and throughput of MPTCP over two unlimited
//! paths on one processor, N times of each, beside the kernel's own CUBIC before and after it. `turns`: throughput
//! again, on all processors, of one connection that changes its congestion control.

#[path = "cost/turns.rs"]
mod turns;

use anabranch_cc_fixed::registry;
use anabranch_mptcp_bpf::measure;
use anabranch_test_support::TOOLS;
use anabranch_test_support::algorithm::Algorithm;
use anabranch_test_support::iperf::{Done, Iperf, Options};
use anabranch_test_support::lab::{Bottleneck, Lab, lacks_delays};
use anabranch_test_support::summary::Median;
use anabranch_test_support::{Kernel, skipped};
use libbpf_rs::query::ProgInfoIter;
use libbpf_rs::{MapCore, MapType, ObjectBuilder, Program};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::collections::HashMap;
use std::os::fd::AsFd;
use std::process::ExitCode;
use std::thread::{scope, sleep, spawn};
use std::time::Duration;

/// `plain.bpf.c`
static PLAIN: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/plain.bpf.o"));

fn main() -> ExitCode {
    // Cargo's own is not for us.
    let mut chosen: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let Some(rounds) = rounds(&mut chosen) else {
        eprintln!("--rounds wants a number, {} at least", Median::LEAST);
        return ExitCode::FAILURE;
    };
    let (parts, named): (Vec<String>, Vec<String>) =
        chosen.into_iter().partition(|c| ["acks", "bytes", "turns"].contains(&c.as_str()));
    let names: Vec<_> = registry::all().iter().map(|entry| entry.kernel_name).collect();
    if let Some(unknown) = named.iter().find(|name| !names.contains(&name.as_str())) {
        eprintln!("{unknown}: neither acks, bytes or turns nor one of {}", names.join(", "));
        return ExitCode::FAILURE;
    }
    let Some(_kernel) = Kernel::lock_with(TOOLS) else { return ExitCode::SUCCESS };
    let names: Vec<_> =
        names.into_iter().filter(|name| named.is_empty() || named.iter().any(|n| n == name)).collect();
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|p| p == part);
    if wanted("acks") {
        acks(&names);
    }
    if wanted("bytes") {
        // On a thread of its own, which keeps to one processor.
        scope(|scope| _ = scope.spawn(|| bytes(&names, rounds)));
    }
    if wanted("turns") {
        turns(&names);
    }
    ExitCode::SUCCESS
}

/// How many the command line says, of which it is taken, if it is a number that does.
fn rounds(args: &mut Vec<String>) -> Option<usize> {
    let Some(at) = args.iter().position(|arg| arg == "--rounds") else { return Some(ROUNDS) };
    let said = args.drain(at..args.len().min(at + 2)).nth(1)?;
    said.parse().ok().filter(|&rounds| rounds >= Median::LEAST)
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

/// The time of programs per call of the one with `per` in its name: the median of the windows and their 10th percentile, ns.
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

/// Two paths with this rate in Mbit/s, this queue in packets and this delay.
const CASES: [(f64, u32, Duration); 3] = [
    (50.0, 100, Duration::ZERO),
    // A round is tens of acknowledgements, as on most paths, and not one to three.
    (50.0, 100, Duration::from_millis(20)),
    (500.0, 1000, Duration::ZERO),
];

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
    println!(
        "{:<14} {:>8} {:>9} {:>14} {:>14} {:>14} {:>8}",
        "", "Mbit/s", "delay, ms", "", "plain", "nothing", "ratio"
    );
    let without_delay = lacks_delays().inspect(|why| skipped(why)).is_some();
    let cases = CASES.into_iter().filter(|(_, _, delay)| delay.is_zero() || !without_delay);
    for ((mbit_s, queue, delay), name) in cases.flat_map(|case| names.iter().map(move |name| (case, *name))) {
        let algorithm = Algorithm::load(name);
        let ours = algorithm.instance.programs.iter();
        let ours: Vec<_> = ours.map(|p| (p.name.to_string_lossy().into_owned(), p.id)).collect();
        let labs = [name, "ab_plain"].map(|name| {
            let mut lab = Lab::two_paths([Bottleneck { mbit_s, queue }; 2]);
            if !delay.is_zero() {
                lab = lab.delayed(delay);
            }
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
        let (rate, delay) = (format!("2 x {mbit_s}"), delay.as_millis());
        println!("{name:<14} {rate:>8} {delay:>9} {a:>14} {b:>14} {c:>14} {ratio:>8.2}");
    }
    println!();
}

/// How often each algorithm is measured unless the command line says.
const ROUNDS: usize = Median::LEAST;

/// A run of an algorithm, and those of CUBIC before and after it.
struct Beside {
    own: Done,
    cubic: [Done; 2],
}

impl Beside {
    /// A value, and its ratio to CUBIC's.
    fn compare(&self, of: impl Fn(&Done) -> f64) -> (f64, f64) {
        let own = of(&self.own);
        (own, 2.0 * own / self.cubic.iter().map(of).sum::<f64>())
    }
}

/// All on one processor, which is the only bottleneck then: no run depends on who was woken where.
fn bytes(names: &[&'static str], rounds: usize) {
    let allowed = sched_getaffinity(None).unwrap();
    let mut one = CpuSet::new();
    one.set((0..CpuSet::MAX_CPU).find(|&cpu| allowed.is_set(cpu)).unwrap());
    sched_setaffinity(None, &one).unwrap();
    let all: Vec<_> = ["reno"].into_iter().chain(names.iter().copied()).collect();
    let _loaded: Vec<_> = names.iter().map(|name| Algorithm::load(name)).collect();
    let lab = Lab::direct(2);
    // No connection begins with what another learnt.
    lab.client.set("ipv4/tcp_no_metrics_save", "1");
    let run = |name| Iperf::start(&lab, &options(3, name)).done();
    let mut done: Vec<Vec<Beside>> = all.iter().map(|_| vec![]).collect();
    let mut before = run("cubic");
    for _ in 0..rounds {
        for (name, done) in all.iter().zip(&mut done) {
            let (own, after) = (run(name), run("cubic"));
            done.push(Beside { own, cubic: [before, after] });
            before = after;
        }
    }
    println!("MPTCP over two unlimited paths, both ends on one processor, {rounds} runs of each, in turn;");
    println!("beside the mean of CUBIC's runs before and after it: medians with 95 % intervals\n");
    println!("{:<14} {:>20} {:>20} {:>20} {:>20}", "", "Gbit/s", "of CUBIC's", "CPU ns/byte", "of CUBIC's");
    for (name, runs) in all.iter().zip(&done) {
        let columns = |of: fn(&Done) -> f64| {
            let (own, of_cubic): (Vec<_>, Vec<_>) = runs.iter().map(|run| run.compare(of)).unzip();
            [own, of_cubic].map(|values| Median::of(&values).to_string())
        };
        let [goodput, goodput_of_cubic] = columns(|run| run.goodput / 1e9);
        let [cpu, cpu_of_cubic] = columns(|run| run.cpu_per_byte * 1e9);
        println!("{name:<14} {goodput:>20} {goodput_of_cubic:>20} {cpu:>20} {cpu_of_cubic:>20}");
    }
}

/// How many turns of each algorithm are measured.
const TURNS: usize = 400;

/// Not under those that keep windows small on paths as short as these: what follows them would pay for it.
fn turns(names: &[&'static str]) {
    println!(
        "one MPTCP connection over two unlimited paths, {TURNS} turns of 50 ms, each after and before one of CUBIC:"
    );
    println!("medians with 95 % intervals\n");
    println!("{:<14} {:>20} {:>20}", "", "Gbit/s", "of CUBIC's");
    for name in ["reno"].into_iter().chain(names.iter().copied().filter(|name| !name.contains("vegas"))) {
        let _algorithm = (name != "reno").then(|| Algorithm::load(name));
        let lab = Lab::direct(2);
        let turns::Turns { goodput, of_cubic } = turns::turns(&lab, name, TURNS);
        println!("{name:<14} {:>20} {:>20}", goodput.to_string(), of_cubic.to_string());
    }
    println!();
}
