//! The delay of a lab's paths is what it says, and no limit to what they carry.

use anabranch_test_support::iperf::{Iperf, Options};
use anabranch_test_support::lab::{Bottleneck, Lab, lacks_delays};
use anabranch_test_support::witness::{held, within};
use anabranch_test_support::{Kernel, TOOLS, skipped, ss, until};
use std::time::Duration;

const DELAY: Duration = Duration::from_millis(20);

const BOTTLENECK: Bottleneck = Bottleneck { mbit_s: 50.0, queue: 100 };

/// How long a packet waits in a full queue, and behind the ten that `tbf` lets pass at once, seconds.
const QUEUE: f64 = 110.0 * 1514.0 * 8.0 / 50e6;

/// How much later timers and threads may be on a busy machine, seconds.
const SLACK: f64 = 0.05;

/// Goodput of both paths, bits per second: 1428 bytes of data in a frame of 1514, where MPTCP says which.
const RATE: f64 = 2.0 * 50e6 * 1428.0 / 1514.0;

#[test]
fn is_that_of_the_paths() {
    let Some(_kernel) = Kernel::lock_with(TOOLS) else { return };
    if let Some(why) = lacks_delays() {
        return skipped(&why);
    }
    held(attempt);
}

fn attempt() -> Result<(), String> {
    let lab = Lab::two_paths([BOTTLENECK; 2]).delayed(DELAY);
    lab.set_congestion_control("reno");
    let (seconds, omit) = (5, 1);
    let options = Options { mptcp: true, port: 5201, seconds, omit, congestion_control: None };
    let transfer = Iperf::start(&lab, &options);
    let subflow = |path| ss::subflow(&lab, path, 5201);
    for path in [1, 2] {
        let busy = || subflow(path).is_some_and(|s| s.acked > 5_000_000);
        until(busy, "the path carries data");
        let subflow = subflow(path).unwrap();
        let (rtt, min_rtt) = (subflow.rtt.unwrap(), subflow.min_rtt.unwrap());
        println!("path {path}: {:.1} ms, at least {:.1}", rtt * 1e3, min_rtt * 1e3);
        let delay = DELAY.as_secs_f64();
        within("the least RTT", min_rtt, delay..delay + SLACK)?;
        within("the RTT", rtt, delay..delay + QUEUE + SLACK)?;
    }
    let goodput = transfer.done().goodput;
    println!("{:.1} Mbit/s", goodput / 1e6);
    within("bits per second", goodput, 0.7 * RATE..1.05 * RATE)
}
