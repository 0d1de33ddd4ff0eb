//! Hosts: what holds in them, and that nothing is left of them.

use crate::traffic::{scenario, start};
use anabranch_net::Time;
use anabranch_test_support::host::{kernel, run, until};
use anabranch_testbed::Host;
use anabranch_testbed::netlink::Routes;
use rustix::fd::{AsFd, AsRawFd};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::MetadataExt;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Set in the process that is to be killed.
const VICTIM: &str = "ANABRANCH_TEST_VICTIM";
const READY: &str = "a connection is there";

#[test]
fn a_host_is_apart_from_the_machine() {
    let Some(()) = kernel(&[]) else { return };
    let own = || fs::metadata("/proc/thread-self/ns/net").unwrap().ino();
    let ecn = || fs::read_to_string("/proc/sys/net/ipv4/tcp_ecn").unwrap();
    let (before, ecn_before) = (own(), ecn());
    let host = Host::new().unwrap();
    assert_ne!(host.run(own).unwrap(), before);
    assert_eq!(own(), before, "the calling thread stays where it is");
    host.set("ipv4/tcp_ecn", "0").unwrap();
    assert_eq!(host.run(ecn).unwrap().trim(), "0");
    host.set("ipv4/tcp_ecn", "1").unwrap();
    assert_eq!(host.run(ecn).unwrap().trim(), "1");
    assert_eq!(ecn(), ecn_before);
    let over_lo = || {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        TcpStream::connect(listener.local_addr()?)
    };
    assert!(host.run(over_lo).unwrap().is_ok(), "`lo` is up");
    let addresses = host.run(|| fs::read_to_string("/proc/thread-self/net/if_inet6").unwrap_or_default());
    assert_eq!(addresses.unwrap(), "", "no IPv6");
}

#[test]
fn errors_name_the_request_and_the_kernels_reason() {
    let Some(()) = kernel(&[]) else { return };
    let host = Host::new().unwrap();
    let missing = host.run(|| Routes::open()?.device("path1")).unwrap().unwrap_err().to_string();
    assert!(missing.contains("path1") && missing.contains("No such device"), "{missing}");
    let twice = host.run(|| {
        let routes = Routes::open()?;
        let lo = routes.device("lo")?;
        routes.add_address(lo, [10, 0, 0, 1].into())?;
        routes.add_address(lo, [10, 0, 0, 1].into())
    });
    let twice = twice.unwrap().unwrap_err().to_string();
    assert!(twice.contains("10.0.0.1") && twice.contains("exists"), "{twice}");
    let unknown = host.set("ipv4/no_such_thing", "1").unwrap_err().to_string();
    assert!(unknown.contains("ipv4/no_such_thing"), "{unknown}");
}

/// A virtual cable goes with the namespace of either end.
#[test]
fn a_dropped_host_is_gone() {
    let Some(()) = kernel(&["ip"]) else { return };
    let (stays, goes) = (Host::new().unwrap(), Host::new().unwrap());
    cable(&goes, &format!("/proc/{}/fd/{}", std::process::id(), stays.as_fd().as_raw_fd()));
    assert!(has_cable(&stays));
    drop(goes);
    until("the dropped host has taken its cable with it", || !has_cable(&stays));
}

/// Of a process that is killed in the midst of a transfer nothing stays, sockets and hosts included.
#[test]
fn a_killed_process_leaves_no_host() {
    let Some(()) = kernel(&["ip"]) else { return };
    let stays = Host::new().unwrap();
    let test = std::env::current_exe().unwrap();
    let mut victim = Command::new(test);
    victim.args(["--exact", "host::victim", "--nocapture"]).env(VICTIM, "1");
    victim.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut victim = stays.run(|| victim.spawn().unwrap()).unwrap();
    let said = BufReader::new(victim.stdout.take().unwrap()).lines();
    let ready = said.map_while(Result::ok).any(|line| line.contains(READY));
    let names = fs::read_dir("/run/netns").map_or(0, Iterator::count);
    let had = has_cable(&stays);
    kill_process(Pid::from_child(&victim), Signal::KILL).unwrap();
    victim.wait().unwrap();
    assert!(ready && had);
    assert_eq!(fs::read_dir("/run/netns").map_or(0, Iterator::count), names);
    until("the killed process' hosts have taken their cable with them", || !has_cable(&stays));
}

/// The processes killed above: both ends of a multipath transfer, with a cable from the sender to the namespace in which the
/// process began.
#[test]
fn victim() {
    if std::env::var(VICTIM).is_err() {
        return;
    }
    let running = start(&scenario(2, ""), Time::NEVER);
    let outside = format!("/proc/{}/ns/net", std::process::id());
    cable(&running.hosts.sender, &outside);
    until("data flows on both paths", || {
        running.connection.sender().unwrap().is_some_and(|now| {
            now.subflows.len() == 2 && now.subflows.iter().all(|subflow| subflow.info.bytes_acked > 100_000)
        })
    });
    println!("{READY}");
    std::io::stdout().flush().unwrap();
    sleep(Duration::from_secs(60));
}

/// Joins a host to the namespace of that file by a virtual cable, whose end there is `here`.
fn cable(host: &Host, namespace: &str) {
    run(host, &format!("ip link add there type veth peer name here netns {namespace}"));
}

fn has_cable(host: &Host) -> bool {
    host.run(|| Routes::open()?.device("here")).unwrap().is_ok()
}
