//! A path goes dark, and returns (RFC 6298).

use anabranch_mptcp_bpf::{Monitor, Subflow};
use anabranch_test_support::algorithm::Algorithm;
use anabranch_test_support::iperf::{Iperf, Options};
use anabranch_test_support::lab::{Bottleneck, Lab, SERVER};
use anabranch_test_support::watched::subflow;
use anabranch_test_support::{Kernel, TOOLS, ss, until};

/// 30 ms when the queue is full.
const BOTTLENECK: Bottleneck = Bottleneck { mbit_s: 20.0, queue: 50 };

/// Large enough that a timeout shows.
const LARGE: f64 = 10.0;

/// An algorithm with state of its own that a timeout changes, and that wants each round-trip time: the timeout is reported, the
/// window is one segment, and grows again. The samples are those of the kernel.
#[test]
fn a_dark_path_times_out_and_returns() {
    let Some(_kernel) = Kernel::lock_with(TOOLS) else { return };
    let _algorithm = Algorithm::load("ab_compound");
    let lab = Lab::two_paths([BOTTLENECK; 2]);
    lab.set_congestion_control("ab_compound");
    let _transfer = Iperf::start(&lab, &Options::endless(5201));
    let mut monitor = Monitor::open().unwrap();

    let is_large = |s: Subflow| s.cwnd > LARGE && s.recoveries > 0;
    until(|| subflow(&mut monitor, 1).is_some_and(is_large), "the window is large");
    let before = subflow(&mut monitor, 1).unwrap();
    let of_kernel = ss::subflow(&lab, 1, 5201).unwrap().min_rtt.unwrap();
    let of_row = before.min_rtt_s.unwrap();
    assert!((0.5..2.0).contains(&(of_row / of_kernel)), "row {of_row} s, kernel {of_kernel} s");

    lab.routers[0].command(&format!("ip route replace blackhole {SERVER}"));
    until(|| subflow(&mut monitor, 1).is_some_and(|s| s.timeouts > 0 && s.cwnd <= 1.0), "there is a timeout");
    let dark = subflow(&mut monitor, 1).unwrap();
    assert_eq!(dark.owner, before.owner);

    lab.routers[0].command(&format!("ip route replace {SERVER} via 10.78.1.254"));
    let returned = |s: Subflow| s.owner == dark.owner && s.cwnd > LARGE && s.acked_bytes > dark.acked_bytes;
    until(|| subflow(&mut monitor, 1).is_some_and(returned), "the window grows again");
}
