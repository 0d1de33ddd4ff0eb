//! Loads every algorithm into the running kernel and measures, in network namespaces of its own, what
//! `make test-kernels` compares between kernels: what the verifier had to do, whether a transfer over two
//! paths arrives intact, and how two subflows share a bottleneck with a Reno socket.
//!
//! `measure [--only-load | --duels] [ALGORITHM…]` prints tab-separated lines, each with what it says first, and what
//! goes wrong on standard error. Exit status 1 if anything does. `--duels`: longer ones, of the pairs that
//! `tests/kernel/duel.rs` compares, and nothing else.

use anabranch_cc_fixed::registry;
use anabranch_mptcp_bpf::instances;
use anabranch_test_support::Kernel;
use anabranch_test_support::algorithm::Algorithm;
use anabranch_test_support::lab::{Bottleneck, Lab, SERVER, client_address};
use anabranch_test_support::summary::Summary;
use anabranch_test_support::{mptcp, ss, until};
use rustix::net::sockopt;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

/// Its queue is 24 ms when full. There is no other delay, so congestion comes several times a second.
const LINK: Bottleneck = Bottleneck { mbit_s: 20.0, queue: 40 };

/// How a duel is fought.
#[derive(Clone, Copy)]
struct Form {
    bottleneck: Bottleneck,
    /// Not counted: slow start, and until the second subflow has joined.
    warm_up: Duration,
    lasts: Duration,
}

const SHORT: Form =
    Form { bottleneck: LINK, warm_up: Duration::from_secs(2), lasts: Duration::from_secs(10) };

/// The bottleneck and the length of the short ones in `tests/kernel/duel.rs`.
const LONG: Form = Form {
    bottleneck: Bottleneck { mbit_s: 20.0, queue: 100 },
    warm_up: Duration::from_secs(4),
    lasts: Duration::from_secs(20),
};

/// Uncoupled subflows, in the kernel's own algorithm.
const UNCOUPLED: &str = "reno";
/// The algorithms to compare with them. Both have DUELS duels, the others one.
const COUPLED: &str = "ab_lia";
const DUELS: usize = 5;

/// With `--duels`: the kernel's own algorithm, on uncoupled subflows and on the socket beside them; and what couples
/// its windows.
const FAMILIES: [(&str, &[&str]); 2] =
    [("reno", &["ab_lia", "ab_olia", "ab_balia"]), ("cubic", &["ab_ccubic"])];

/// Bytes over two paths, of which each must carry a fifth.
const TRANSFER: usize = 4_000_000;

const PORT: u16 = 7000;

fn main() -> ExitCode {
    let (options, chosen): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|a| a.starts_with('-'));
    let is_chosen = |name: &&str| chosen.is_empty() || chosen.iter().any(|c| c == name);
    let names = || registry::all().iter().map(|entry| entry.kernel_name).filter(is_chosen);
    if Kernel::lock_with(&["ip", "tc", "ss"]).is_none() {
        return ExitCode::FAILURE;
    }
    println!("kernel\t{}", rustix::system::uname().release().to_string_lossy());
    let is_asked = |option: &str| options.iter().any(|o| o == option);
    if is_asked("--duels") {
        let good = FAMILIES.map(|(own, coupled)| alone(own, move || long_duels(own, coupled)));
        return if good.iter().all(|good| *good) { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let only_load = is_asked("--only-load");
    let uncoupled = if only_load { vec![] } else { duels(UNCOUPLED) };
    let mut good = true;
    for name in names() {
        let uncoupled = uncoupled.clone();
        good &= alone(name, move || {
            let _kernel = Kernel::lock().expect("it could be locked before");
            let algorithm = load(name);
            if !only_load {
                send_with(&algorithm, &uncoupled);
            }
            leaves_the_kernel(algorithm);
        });
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A failed check panics, and the next algorithm follows.
fn alone(name: &str, f: impl FnOnce() + Send + 'static) -> bool {
    let good = thread::spawn(f).join().is_ok();
    if !good {
        println!("failed\t{name}");
    }
    good
}

/// Loads it, and says how (a link registers it, or before Linux 6.4 its map) and what it took.
fn load(name: &'static str) -> Algorithm {
    let algorithm = Algorithm::load(name);
    println!("loaded\t{name}\t{}", if algorithm.instance.link.is_some() { "link" } else { "map" });
    for program in &algorithm.instance.programs {
        println!("program\t{name}\t{}\t{}", program.name.to_string_lossy(), program.verified_insns);
    }
    algorithm
}

fn leaves_the_kernel(algorithm: Algorithm) {
    let map = algorithm.instance.map_id;
    drop(algorithm);
    let is_gone = || instances().unwrap().iter().all(|i| i.map_id != map);
    until(is_gone, "it is out of the kernel");
}

/// Sends with it, and judges it by what uncoupled subflows do.
fn send_with(algorithm: &Algorithm, uncoupled: &[f64]) {
    let name = algorithm.entry.kernel_name;
    let shares = transfer(name);
    println!("transfer\t{name}\t{:.2}\t{:.2}", shares[0], shares[1]);
    let ratios = duels(name);
    until(|| algorithm.counters().sockets == 0, "its sockets are released");
    until(|| algorithm.connections().is_empty(), "its rows are free");
    if name == COUPLED {
        takes_less(name, &ratios, uncoupled);
    }
}

/// The rule of all duels: the interval of a coupled algorithm's mean lies below its uncoupled one's.
fn takes_less(name: &str, coupled: &[f64], uncoupled: &[f64]) {
    let (coupled, uncoupled) = (Summary::of(coupled), Summary::of(uncoupled));
    assert!(coupled.high() < uncoupled.low(), "{name}: {coupled}, uncoupled: {uncoupled}");
}

/// Each as often as the others, in turn.
fn long_duels(own: &str, coupled: &[&'static str]) {
    let _kernel = Kernel::lock().expect("it could be locked before");
    let _algorithms: Vec<_> = coupled.iter().map(|name| load(name)).collect();
    let names: Vec<_> = [own].into_iter().chain(coupled.iter().copied()).collect();
    let mut ratios = vec![vec![]; names.len()];
    for _ in 0..DUELS {
        for (name, ratios) in names.iter().zip(&mut ratios) {
            ratios.push(duel(name, own, LONG));
        }
    }
    for (name, coupled) in names.iter().zip(&ratios).skip(1) {
        takes_less(name, coupled, &ratios[0]);
    }
}

/// Sends data over two paths, each with a bottleneck, under the namespace's algorithm. It must arrive as it
/// was sent. The share that each path carried.
fn transfer(algorithm: &str) -> [f64; 2] {
    let lab = Lab::two_paths([LINK, LINK]);
    lab.set_congestion_control(algorithm);
    let listener = mptcp::listener(&lab.server, PORT);
    let data = mptcp::noise(TRANSFER);
    let mut sender = lab.client.run(|| mptcp::connection(PORT)).unwrap();
    let receiver = thread::spawn(move || {
        let mut received = Vec::new();
        listener.accept().unwrap().0.read_to_end(&mut received).unwrap();
        received
    });
    let (most, rest) = data.split_at(TRANSFER / 10 * 9);
    sender.write_all(most).unwrap();
    let sockets = ss::sockets(&lab.client, &format!("dport = {PORT}"));
    sender.write_all(rest).unwrap();
    drop(sender);
    assert!(receiver.join().unwrap() == data, "{algorithm}: the data did not arrive as it was sent");
    assert!(sockets.iter().all(|s| s.mptcp && s.algorithm == algorithm), "{sockets:?}");
    let acked: BTreeMap<_, _> = sockets.iter().map(|s| (s.local.clone(), s.acked as f64)).collect();
    let total: f64 = acked.values().sum();
    let shares = [1, 2].map(|path| acked.get(&client_address(path)).map_or(0.0, |acked| acked / total));
    assert!(shares.iter().all(|share| *share > 0.2), "{algorithm}: the paths carried {shares:.2?}");
    shares
}

fn duels(algorithm: &str) -> Vec<f64> {
    let count = if [UNCOUPLED, COUPLED].contains(&algorithm) { DUELS } else { 1 };
    (0..count).map(|_| duel(algorithm, UNCOUPLED, SHORT)).collect()
}

/// Two subflows of a connection and a TCP socket, under `own`, on one bottleneck: the connection's goodput over the
/// socket's, which is printed.
fn duel(algorithm: &str, own: &str, form: Form) -> f64 {
    let lab = Lab::shared(form.bottleneck);
    lab.set_congestion_control(algorithm);
    let tcp_listener = lab.server.run(|| TcpListener::bind((SERVER, PORT + 1))).unwrap();
    let listeners = [mptcp::listener(&lab.server, PORT), tcp_listener];
    let tcp_sender = lab.client.run(|| TcpStream::connect((SERVER, PORT + 1))).unwrap();
    sockopt::set_tcp_congestion(&tcp_sender, own).unwrap();
    let senders = [lab.client.run(|| mptcp::connection(PORT)).unwrap(), tcp_sender];
    let received = [AtomicU64::new(0), AtomicU64::new(0)];
    let now = || received.each_ref().map(|bytes| bytes.load(Relaxed));
    let ratio = thread::scope(|scope| {
        for ((listener, sender), received) in listeners.iter().zip(&senders).zip(&received) {
            let receiver = listener.accept().unwrap().0;
            scope.spawn(move || mptcp::flood(sender));
            scope.spawn(move || mptcp::count(receiver, received));
        }
        thread::sleep(form.warm_up);
        let before = now();
        thread::sleep(form.lasts);
        let after = now();
        for sender in &senders {
            sender.shutdown(Shutdown::Both).unwrap();
        }
        (after[0] - before[0]) as f64 / (after[1] - before[1]) as f64
    });
    println!("duel\t{algorithm}\t{ratio:.3}");
    ratio
}
