//! Emulators of links beside each other, as root: `cargo bench -p anabranch-testbed --bench emulators --
//! [--rattan PROGRAM] [--rates MBIT/S,…] [--most] [ours|rattan|rattan-rt|tbf|netem …]`.
//!
//! Ours, Rattan where its program is given, and Linux' own queues where the kernel has them. All carry the same packets, of the same two
//! processes, in namespaces of their own; what comes out is held against the model of a link. `bench/emulators.sh` builds Rattan.

mod ends;
mod routers;

use anabranch_net::{LinkSpec, Loss, QueueLimit, Time};
use anabranch_scenario::Path;
use anabranch_test_support::pair::{Pair, RECEIVER};
use anabranch_testbed::Host;
use anabranch_testbed::emulator::EmulatorOptions;
use std::collections::HashMap;
use std::env::{args, current_exe};
use std::fs;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A link, in one direction. The way back has its delay.
#[derive(Clone, Copy)]
struct Link {
    /// Bits of IP packets per second; 0: without limit.
    rate_bps: f64,
    delay_ms: u64,
    /// Packets that wait.
    queue: u64,
    loss: f64,
}

/// Who is measured.
#[derive(Clone, Copy, PartialEq)]
enum Emulator {
    Ours,
    /// With real-time priority, which ours takes itself, or as it is.
    Rattan {
        realtime: bool,
    },
    Tbf,
    Netem,
}

const ALL: [(&str, Emulator); 5] = [
    ("ours", Emulator::Ours),
    ("rattan-rt", Emulator::Rattan { realtime: true }),
    ("rattan", Emulator::Rattan { realtime: false }),
    ("tbf", Emulator::Tbf),
    ("netem", Emulator::Netem),
];

/// The output of the two ends, and the fraction of a core that the emulator took.
type Measured = HashMap<String, f64>;

fn main() {
    let mut arguments: Vec<String> = args().skip(1).filter(|argument| argument != "--bench").collect();
    if arguments.first().is_some_and(|first| first == "end") {
        return ends::run(&arguments[1..]);
    }
    let mut option = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.drain(at..at + 2).nth(1)
    };
    let rattan = option("--rattan");
    let rates = option("--rates").unwrap_or("10,100,500".into());
    let rates: Vec<f64> = rates.split(',').map(|rate| rate.parse().expect("Mbit/s")).collect();
    let most =
        arguments.iter().position(|argument| argument == "--most").map(|at| arguments.remove(at)).is_some();
    let there = |emulator: Emulator| match emulator {
        Emulator::Ours => true,
        Emulator::Rattan { .. } => rattan.is_some(),
        Emulator::Tbf => routers::has("tbf", "rate 1mbit burst 2000 limit 3000"),
        Emulator::Netem => routers::has("netem", "delay 1ms"),
    };
    let chosen =
        ALL.into_iter().filter(|(name, _)| arguments.is_empty() || arguments.iter().any(|a| a == name));
    let chosen: Vec<_> = chosen.filter(|(_, emulator)| there(*emulator)).collect();
    let rattan = rattan.unwrap_or_default();

    println!(
        "| Mbit/s | | rate | late, idle: p50 | p99 | at nine tenths: p50 | p99 | lost | of a core | TCP | mean wait | sent again |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for &rate in &rates {
        for (name, emulator) in &chosen {
            row(rate, name, *emulator, &rattan);
        }
    }
    println!("\n| | lost of 1 % |\n|---|---|");
    for (name, emulator) in chosen.iter().filter(|(_, emulator)| *emulator != Emulator::Tbf) {
        let rate = rates[0].max(20.0) * 1e6;
        let link = Link { rate_bps: rate, delay_ms: 20, queue: 1000, loss: 0.01 };
        let seen = udp(link, *emulator, &rattan, 0.5, 8.0);
        println!("| {name} | {:.2} % of {} |", 100.0 * (1.0 - seen["received"] / seen["sent"]), seen["sent"]);
    }
    if most {
        println!("\n| | TCP without limit, Mbit/s | of a core |\n|---|---|---|");
        for (name, emulator) in chosen.iter().filter(|(_, emulator)| *emulator != Emulator::Tbf) {
            let seen =
                tcp(Link { rate_bps: 0.0, delay_ms: 1, queue: 100_000, loss: 0.0 }, *emulator, &rattan, 8.0);
            println!("| {name} | {:.0} | {:.0} % |", seen["goodput"] / 1e6, 100.0 * seen["cpu"]);
        }
    }
}

/// A rate, with a delay where the emulator has one, and a queue of that product or 100 packets.
fn row(mbit_s: f64, name: &str, emulator: Emulator, rattan: &str) {
    let rate_bps = mbit_s * 1e6;
    let delay_ms = if emulator == Emulator::Tbf { 0 } else { 20 };
    let queue = ((rate_bps * 0.04 / 12e3) as u64).max(100);
    let link = Link { rate_bps, delay_ms, queue, loss: 0.0 };
    let over = udp(link, emulator, rattan, 1.2, 4.0);
    let idle = udp_of(link, emulator, rattan, 300, 1, 10_000);
    let load = udp(link, emulator, rattan, 0.9, 4.0);
    let bulk = tcp(link, emulator, rattan, 8.0);
    let micros = |seen: &Measured, key: &str| format!("{:.0} µs", seen[key]);
    println!(
        "| {mbit_s} | {name} | {:+.2} % | {} | {} | {} | {} | {} | {:.0} % | {:.1} | {:.1} ms | {:.3} % |",
        100.0 * (over["rate"] / rate_bps - 1.0),
        micros(&idle, "p50"),
        micros(&idle, "p99"),
        micros(&load, "p50"),
        micros(&load, "p99"),
        load["sent"] - load["received"],
        100.0 * load["cpu"],
        bulk["goodput"] / 1e6,
        bulk["rtt"] / 1e3 - 2.0 * delay_ms as f64,
        100.0 * bulk["again"],
    );
}

/// Packets for this number of seconds at this fraction of the rate, in batches of a millisecond or more.
fn udp(link: Link, emulator: Emulator, rattan: &str, part: f64, seconds: f64) -> Measured {
    let each_s = part * link.rate_bps / (8.0 * ends::PACKET as f64);
    let batch = (each_s / 1e3).ceil();
    udp_of(
        link,
        emulator,
        rattan,
        (seconds * each_s / batch) as u64,
        batch as u64,
        (1e6 * batch / each_s) as u64,
    )
}

fn udp_of(
    link: Link,
    emulator: Emulator,
    rattan: &str,
    batches: u64,
    batch: u64,
    period_us: u64,
) -> Measured {
    let send = format!("{batches} {batch} {period_us}");
    let receive = format!("receive {} {}", link.rate_bps, link.delay_ms);
    measure(link, emulator, rattan, ["send", &send], &receive)
}

fn tcp(link: Link, emulator: Emulator, rattan: &str, seconds: f64) -> Measured {
    measure(link, emulator, rattan, ["tcp-send", &seconds.to_string()], &format!("tcp-receive {seconds}"))
}

/// The command of an end, before what else the machine does.
fn end(words: &str) -> Command {
    let mut command = Command::new("chrt");
    command.args(["-f", "1"]).arg(current_exe().unwrap()).arg("end").args(words.split_whitespace());
    command.stdout(Stdio::piped());
    command
}

/// Has the ends do it over a link of the emulator. `send`: what the sending end does, and how, between which its goal is put.
fn measure(link: Link, emulator: Emulator, rattan: &str, send: [&str; 2], receive: &str) -> Measured {
    let sending = |to: &str| end(&format!("{} {to} {}", send[0], send[1]));
    let spawn = |host: &Host, mut command: Command| host.run(move || command.spawn().unwrap()).unwrap();
    match emulator {
        Emulator::Ours => {
            let rate_bps = if link.rate_bps > 0.0 { link.rate_bps } else { 100e9 };
            let mut spec =
                LinkSpec::new(rate_bps, Time::from_millis(link.delay_ms), QueueLimit::Packets(link.queue));
            spec.loss = if link.loss > 0.0 { Loss::bernoulli(link.loss) } else { Loss::None };
            let path = Path { links: vec![0], return_links: Vec::new(), backup: false };
            let pair = Pair::new(&[spec], &[path], &EmulatorOptions::default()).expect("root and TUN");
            let receiver = spawn(&pair.receiver, end(receive));
            collect(receiver, spawn(&pair.sender, sending(RECEIVER)), std::process::id(), "emulator")
        }
        Emulator::Rattan { realtime } => {
            let host = Host::new().unwrap();
            let receiver = spawn(&host, end(receive));
            let sender = spawn(&host, rattans(link, rattan, realtime, &sending("10.2.1.1")));
            let process = sender.id();
            collect(receiver, sender, process, "")
        }
        Emulator::Tbf | Emulator::Netem => {
            let routers = routers::Routers::new(link, emulator == Emulator::Netem);
            let receiver = spawn(&routers.receiver, end(receive));
            // Its work is done in the name of whoever sends.
            collect(receiver, spawn(&routers.sender, sending(routers::RECEIVER)), 0, "")
        }
    }
}

/// Rattan with a link, whose left end runs `sender`. Its namespaces have names, in a file system that nobody else sees.
fn rattans(link: Link, rattan: &str, realtime: bool, sender: &Command) -> Command {
    let Link { rate_bps, delay_ms, queue, loss } = link;
    let mut words = vec![rattan.to_owned(), "link".into()];
    let mut add = |name: &str, value: String| words.extend([name.to_owned(), value]);
    if rate_bps > 0.0 {
        add("--uplink-bandwidth", format!("{}bps", rate_bps as u64));
        add("--uplink-queue", "droptail".into());
        add("--uplink-queue-args", format!("{{\"packet_limit\":{queue}}}"));
    }
    if loss > 0.0 {
        add("--uplink-loss", loss.to_string());
    }
    add("--uplink-delay", format!("{delay_ms}ms"));
    add("--downlink-delay", format!("{delay_ms}ms"));
    words.push("--".into());
    let sender = std::iter::once(sender.get_program()).chain(sender.get_args());
    let script = "mkdir -p /tmp/rattan && mount -t tmpfs none /run && mount -t tmpfs none /tmp/rattan && exec chrt \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", script, "sh"]);
    command.args(if realtime { ["-f", "2"] } else { ["-o", "0"] }).args(words).args(sender);
    command.env("RUST_LOG", "error").stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// Waits for both ends. The fraction of a core, for the threads called `thread` or all threads of a process, in the second in which
/// it was largest.
fn collect(receiver: Child, mut sender: Child, process: u32, thread: &str) -> Measured {
    let mut clocks = vec![(Instant::now(), 0.0)];
    while sender.try_wait().unwrap().is_none() {
        sleep(Duration::from_millis(250));
        clocks.extend(processor_s(process, thread).map(|seconds| (Instant::now(), seconds)));
    }
    let shares = clocks[1..].windows(5.min(clocks.len())).map(|window| {
        let (first, last) = (window[0], window[window.len() - 1]);
        (last.1 - first.1) / (last.0 - first.0).as_secs_f64().max(1e-3)
    });
    let mut measured = Measured::from([("cpu".to_owned(), shares.fold(0.0, f64::max))]);
    for child in [&mut sender, &mut { receiver }] {
        let mut said = String::new();
        child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        child.wait().unwrap();
        let line = said.lines().find_map(|line| line.strip_prefix(ends::RESULT));
        let line = line.unwrap_or_else(|| panic!("an end said: {said}"));
        let pairs = line.split_whitespace().filter_map(|pair| pair.split_once('='));
        measured.extend(pairs.map(|(key, value)| (key.to_owned(), value.parse().unwrap())));
    }
    measured
}

/// Seconds of a processor that threads of a process took; `None` if it is gone.
fn processor_s(process: u32, thread: &str) -> Option<f64> {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).ok()?.flatten().filter(|task| {
        let name = fs::read_to_string(task.path().join("comm")).unwrap_or_default();
        thread.is_empty() || name.trim() == thread
    });
    let nanos = tasks.filter_map(|task| {
        let times = fs::read_to_string(task.path().join("schedstat")).ok()?;
        times.split(' ').next()?.parse::<f64>().ok()
    });
    Some(nanos.sum::<f64>() / 1e9)
}
