//! Two hosts with two routers between, by `ip` and `tc`: the first router's queue has the rate, the second's the delay and the losses.

use super::Link;
use anabranch_testbed::Host;
use std::os::fd::{AsFd, AsRawFd};
use std::process::{Command, Stdio};

/// The receiver's address.
pub const RECEIVER: &str = "10.3.3.2";

/// Bytes that `tc` counts of a packet beside its IP packet: Ethernet's header.
const ETHERNET: f64 = 14.0;

pub struct Routers {
    pub sender: Host,
    pub receiver: Host,
    _between: [Host; 2],
}

/// Whether the kernel has a queue of that kind.
pub fn has(kind: &str, manner: &str) -> bool {
    let Ok(host) = Host::new() else { return false };
    done(&host, "ip link add try type veth peer name other")
        && done(&host, &format!("tc qdisc add dev try root {kind} {manner}"))
}

impl Routers {
    pub fn new(link: Link, netem: bool) -> Self {
        let hosts: [Host; 4] = std::array::from_fn(|_| Host::new().unwrap());
        for i in 0..3 {
            let path = format!("/proc/{}/fd/{}", std::process::id(), hosts[i + 1].as_fd().as_raw_fd());
            run(&hosts[i], &format!("ip link add right type veth peer name left netns {path}"));
            // Nothing larger than a packet of the wire, as a queue counts what it gets.
            for (host, device, address) in [(i, "right", 1), (i + 1, "left", 2)] {
                run(&hosts[host], &format!("ip link set {device} gso_max_segs 1 txqueuelen 10000 up"));
                run(&hosts[host], &format!("ip address add 10.3.{}.{address}/24 dev {device}", i + 1));
            }
        }
        for (i, host) in hosts.iter().enumerate() {
            host.set("ipv4/ip_forward", "1").unwrap();
            // The networks further on either side.
            for net in 1..=3 {
                let (behind, before) = (net > i + 1, net < i);
                if behind {
                    run(host, &format!("ip route add 10.3.{net}.0/24 via 10.3.{}.2", i + 1));
                } else if before {
                    run(host, &format!("ip route add 10.3.{net}.0/24 via 10.3.{i}.1"));
                }
            }
        }
        let [sender, first, second, receiver] = hosts;
        let rate = (link.rate_bps * (1500.0 + ETHERNET) / 1500.0) as u64;
        if link.rate_bps > 0.0 {
            let bytes = link.queue * 1514;
            let queue = match netem {
                true => format!("netem rate {}bit -14 limit {}", link.rate_bps as u64, link.queue),
                // The amount that the rate sends in a millisecond: with less, late timers cost rate.
                false => format!("tbf rate {rate}bit burst {} limit {bytes}", (rate / 8000).max(1600)),
            };
            run(&first, &format!("tc qdisc add dev right root {queue}"));
        }
        if netem {
            let Link { delay_ms, loss, .. } = link;
            let percent = 100.0 * loss;
            run(
                &second,
                &format!("tc qdisc add dev right root netem delay {delay_ms}ms loss {percent}% limit 100000"),
            );
            run(&second, &format!("tc qdisc add dev left root netem delay {delay_ms}ms limit 100000"));
        }
        Routers { sender, receiver, _between: [first, second] }
    }
}

fn run(host: &Host, command: &str) {
    assert!(done(host, command), "{command}");
}

fn done(host: &Host, command: &str) -> bool {
    let mut words = command.split_whitespace();
    let mut program = Command::new(words.next().unwrap());
    program.args(words).stdout(Stdio::null()).stderr(Stdio::null());
    host.run(move || program.status().is_ok_and(|status| status.success())).unwrap()
}
