//! Connections with their applications, over links of 40 Mbit/s and 5 ms.

use anabranch_net::Time;
use anabranch_scenario::Scenario;
use anabranch_test_support::host::{kernel, run, until};
use anabranch_test_support::namespace::mptcp_socket;
use anabranch_test_support::witness::{held, within};
use anabranch_testbed::clock::Clock;
use anabranch_testbed::emulator::{Emulator, EmulatorOptions, Report};
use anabranch_testbed::pair::{Pair, RECEIVER};
use anabranch_testbed::tcp_info::{multipath, subflows};
use anabranch_testbed::traffic::{Connection, Plan};
use anabranch_testbed::{Host, Traffic};
use rustix::net::connect;
use std::fs;
use std::io::Write;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread::sleep;
use std::time::Duration;

/// The leftover of two ends that have closed in turn: an entry that keeps no host (/proc/net/tcp).
const TIME_WAIT: &str = "06";

/// A connection, and what it needs to live.
pub struct Running {
    pub hosts: Pair,
    pub connection: Connection,
    pub clock: Clock,
    /// Named last, so that it is there until the connection has ended.
    pub emulator: Emulator,
}

/// A scenario of one flow over this number of links, with these lines for the flow.
pub fn scenario(paths: usize, flow: &str) -> Scenario {
    let links: String =
        (0..paths).map(|k| format!("links.l{k} = {{ rate = \"40 Mbit/s\", delay = \"5 ms\" }}\n")).collect();
    let over: Vec<_> = (0..paths).map(|k| format!("[\"l{k}\"]")).collect();
    let text = format!(
        "name = \"test\"\nduration = \"60 s\"\n{links}[[flows]]\nname = \"f\"\ncc = \"reno\"\npaths = [{}]\n{flow}\n",
        over.join(", ")
    );
    text.parse().unwrap_or_else(|e| panic!("{e:?}"))
}

/// Starts the scenario's flow.
pub fn start(scenario: &Scenario, stop_at: Time) -> Running {
    start_with(Traffic::Own, "cubic", scenario, Time::ZERO, stop_at)
}

fn start_with(
    traffic: Traffic,
    congestion_control: &str,
    scenario: &Scenario,
    open_at: Time,
    stop_at: Time,
) -> Running {
    let flow = &scenario.flows[0];
    let clock = Clock::starting_in(Duration::from_millis(20));
    let (hosts, ends) = Pair::new(&flow.paths, &flow.tcp).unwrap();
    let options = EmulatorOptions::default();
    let emulator = Emulator::start(&Emulator::links(scenario), 1, ends, clock, &options).unwrap();
    let random = scenario.application_random(1, 0);
    let plan = Plan { flow, hosts: &hosts, congestion_control, random, clock, open_at, stop_at };
    let connection = Connection::start(&plan, traffic).unwrap();
    Running { hosts, connection, clock, emulator }
}

impl Running {
    /// The paths that have a subflow at the sender.
    fn paths(&self) -> Vec<usize> {
        let seen = self.connection.sender().unwrap();
        let mut paths: Vec<_> =
            seen.map_or(Vec::new(), |seen| seen.subflows.iter().map(|subflow| subflow.path).collect());
        paths.sort_unstable();
        paths
    }

    /// Waits until the receiver has everything.
    fn completes(&self) {
        until("everything has arrived", || {
            self.connection.check().unwrap();
            self.connection.finished().is_some()
        });
    }

    /// Ends it, and looks for what is left in the hosts. What the emulator reports.
    pub fn finish(self) -> Report {
        self.connection.finish().unwrap();
        for host in [&self.hosts.sender, &self.hosts.receiver] {
            until("no socket is left", || {
                let sockets = host.run(|| fs::read_to_string("/proc/thread-self/net/tcp").unwrap()).unwrap();
                sockets.lines().skip(1).all(|socket| socket.split_whitespace().nth(3) == Some(TIME_WAIT))
            });
        }
        self.emulator.stop().unwrap()
    }
}

#[test]
fn a_sized_transfer_arrives_whole() {
    let Some(()) = kernel(&[]) else { return };
    let running = start(&scenario(1, "application = { kind = \"bulk\", size = \"3 MB\" }"), Time::NEVER);
    running.completes();
    assert_eq!(running.connection.received(), 3_000_000);
    // 3 MB in segments of 1448 bytes with 52 of headers take 0.622 s at 40 Mbit/s.
    assert!(running.connection.finished().unwrap() > Time::from_millis(622));
    let sender = running.connection.sender().unwrap().unwrap();
    assert_eq!((sender.subflows.len(), sender.subflows[0].path, sender.multipath), (1, 0, None));
    let info = sender.subflows[0].info;
    assert_eq!(info.bytes_sent - info.bytes_retrans, 3_000_000);
    assert_eq!(info.snd_mss, 1448);
    running.finish();
}

#[test]
fn a_multipath_transfer_uses_its_paths_and_arrives_whole() {
    let Some(()) = kernel(&[]) else { return };
    let running = start(&scenario(2, "application = { kind = \"bulk\", size = \"6 MB\" }"), Time::NEVER);
    running.completes();
    assert_eq!(running.connection.received(), 6_000_000);
    let sender = running.connection.sender().unwrap().unwrap();
    assert!(!sender.multipath.unwrap().is_fallback);
    let sent: Vec<_> = sender.subflows.iter().map(|s| (s.path, s.info.bytes_acked)).collect();
    assert!(sent.iter().all(|&(_, bytes)| bytes > 1_500_000), "{sent:?}");
    let receiver = running.connection.receiver().unwrap().unwrap();
    assert_eq!(receiver.subflows.len(), 2);
    running.finish();
}

/// A connection to an end without MPTCP: its socket knows TCP's options alone.
#[test]
fn a_fallback_is_seen() {
    let Some(()) = kernel(&[]) else { return };
    let host = Host::new().unwrap();
    host.set("mptcp/enabled", "1").unwrap();
    let connected = || {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let SocketAddr::V4(server) = listener.local_addr().unwrap() else { unreachable!() };
        let client = mptcp_socket();
        connect(&client, &server).unwrap();
        let accepted = listener.accept().unwrap();
        (client, accepted)
    };
    let (client, _accepted) = host.run(connected).unwrap();
    assert!(multipath(&client).unwrap().is_fallback);
    assert_eq!(subflows(&client, false).unwrap().unwrap().len(), 1);
}

/// Linux offers it by estimates of what fits into a buffer, a fifth less before 6.6, and less while data waits there.
#[test]
fn the_offered_window_is_the_scenarios() {
    let Some(()) = kernel(&[]) else { return };
    for (paths, bytes) in [(1, 20_000), (1, 1_000_000), (2, 90_000)] {
        let mut scenario = scenario(paths, "");
        scenario.flows[0].tcp.receive_buffer = bytes;
        held(|| {
            let running = start(&scenario, Time::NEVER);
            let mut most = 0;
            until("it is time", || {
                let seen = running.connection.sender().unwrap();
                let windows = seen.iter().flat_map(|seen| &seen.subflows).map(|subflow| subflow.info.snd_wnd);
                most = windows.fold(most, u32::max);
                running.clock.now() > Time::from_millis(1000)
            });
            running.finish();
            let of = format!("of {bytes} with {paths} paths");
            within(&of, f64::from(most) / bytes as f64, 0.75..1.1)
        });
    }
}

#[test]
fn routes_tell_tcp_the_scenarios_parameters() {
    let Some(()) = kernel(&["ip"]) else { return };
    let mut scenario = scenario(2, "");
    let tcp = &mut scenario.flows[0].tcp;
    (tcp.initial_window, tcp.min_rto, tcp.delayed_ack) = (3, Time::from_millis(1000), 1);
    let (hosts, _ends) = Pair::new(&scenario.flows[0].paths, &scenario.flows[0].tcp).unwrap();
    let table = run(&hosts.sender, "ip route show table 2");
    assert!(table.starts_with("default dev path2"), "{table}");
    assert!(table.contains("initcwnd 3") && table.contains("rto_min lock 1s"), "{table}");
    let main = run(&hosts.sender, "ip route show");
    assert!(main.contains("default dev path1 proto static scope link metric 1"), "{main}");
    let rules = run(&hosts.sender, "ip rule show");
    assert!(rules.contains("from 10.77.2.1 lookup 2"), "{rules}");
    let back = run(&hosts.receiver, "ip route show");
    assert!(back.contains("10.77.2.1 dev path2 proto static scope link quickack 1"), "{back}");
}

/// Each answer of 5 kB takes a round trip and 1 ms; a pause of 10 ms follows.
#[test]
fn requests_are_answered_one_after_the_other() {
    let Some(()) = kernel(&[]) else { return };
    let application =
        "application = { kind = \"request-response\", size = \"5 kB\", think = \"10 ms\", count = 5 }";
    for paths in [1, 2] {
        let running = start(&scenario(paths, application), Time::NEVER);
        running.completes();
        let completed = running.connection.take_completed();
        assert_eq!(completed.iter().map(|c| c.bytes).collect::<Vec<_>>(), [5000; 5]);
        assert_eq!(running.connection.received(), 25_000);
        assert!(completed.iter().all(|c| c.took > Time::from_millis(11)), "{completed:?}");
        for pair in completed.windows(2) {
            assert!(pair[1].at.since(pair[0].at) >= Time::from_millis(10) + pair[1].took);
        }
        running.finish();
    }
}

/// 4 Mbit/s for 200 ms are 100 kB; then nothing for a minute.
#[test]
fn an_on_off_source_keeps_its_rate_and_its_pause() {
    let Some(()) = kernel(&[]) else { return };
    let application =
        "application = { kind = \"on-off\", on = \"200 ms\", off = \"60 s\", rate = \"4 Mbit/s\" }";
    held(|| {
        let running = start(&scenario(1, application), Time::NEVER);
        until("the source pauses", || running.clock.now() > Time::from_millis(600));
        running.connection.check().unwrap();
        let received = running.connection.received();
        running.finish();
        within("bytes", received as f64, 99e3..102e3)
    });
}

#[test]
fn a_stopped_source_sends_no_more() {
    let Some(()) = kernel(&[]) else { return };
    for paths in [1, 2] {
        held(|| {
            let running = start(&scenario(paths, ""), Time::from_millis(500));
            until("the flow has stopped", || running.clock.now() > Time::from_millis(700));
            let received = running.connection.received();
            until("some time has passed", || running.clock.now() > Time::from_millis(900));
            running.connection.check().unwrap();
            let last = running.connection.sender().unwrap().unwrap();
            let more = running.connection.received() - received;
            running.finish();
            within("bytes", received as f64, 500e3..8e6)?;
            within("bytes after the flow has stopped", more as f64, 0.0..1.0)?;
            let acked: u64 = last.subflows.iter().map(|s| s.info.bytes_acked).sum();
            within("bytes in the last counters, which are kept", acked as f64, 500e3..8e6)
        });
    }
}

#[test]
fn subflows_come_and_go_when_the_scenario_says_so() {
    let Some(()) = kernel(&[]) else { return };
    let events = r#"events = [
        { at = "0.5 s", path = 2, action = "add" },
        { at = "1 s", path = 1, action = "remove" },
        { at = "1.5 s", path = 1, action = "add" },
        { at = "2 s", path = 2, action = "remove" },
    ]"#;
    held(|| {
        let running = start(&scenario(2, events), Time::NEVER);
        for (at, paths) in
            [(400, vec![0]), (900, vec![0, 1]), (1400, vec![1]), (1900, vec![0, 1]), (2400, vec![0])]
        {
            until("it is time", || running.clock.now() > Time::from_millis(at));
            running.connection.check().unwrap();
            let used = running.paths();
            if used != paths {
                running.finish();
                return Err(format!("at {at} ms: the paths {used:?}, and not {paths:?}"));
            }
        }
        let before = running.connection.received();
        until("data flows", || running.connection.received() > before + 100_000);
        running.finish();
        Ok(())
    });
}

/// A backup path is silent while there is another.
#[test]
fn backup_paths_wait_for_their_time() {
    let Some(()) = kernel(&[]) else { return };
    let events = r#"events = [
        { at = "0.6 s", path = 2, action = "regular" },
        { at = "1.2 s", path = 1, action = "backup" },
    ]"#;
    let mut scenario = scenario(2, events);
    scenario.flows[0].paths[1].backup = true;
    held(|| {
        let running = start(&scenario, Time::NEVER);
        let sent_until = |ms| {
            until("it is time", || running.clock.now() > Time::from_millis(ms));
            running.connection.check().unwrap();
            let mut sent = [0.0, 0.0];
            for subflow in running.connection.sender().unwrap().unwrap().subflows {
                sent[subflow.path] = subflow.info.bytes_acked as f64;
            }
            sent
        };
        let first = sent_until(550);
        let second = sent_until(1150);
        let settled = sent_until(1500);
        let third = sent_until(1900);
        running.finish();
        within("first on path 1", first[0], 1e6..4e6)?;
        within("first on path 2, a backup", first[1], 0.0..10e3)?;
        within("then on path 1", second[0] - first[0], 1e6..4e6)?;
        within("then on path 2, regular", second[1], 1e6..4e6)?;
        let last = [0, 1].map(|path| third[path] - settled[path]);
        within("at last on path 2", last[1], 1e6..4e6)?;
        within("at last on path 1, now the backup", last[0], 0.0..last[1] / 10.0)
    });
}

#[test]
fn iperf3_can_take_the_place_of_our_own_traffic() {
    let Some(()) = kernel(&["iperf3", "mptcpize"]) else { return };
    for paths in [1, 2] {
        let (open_at, stop_at) = (Time::from_millis(100), Time::from_millis(1500));
        let endless = start_with(Traffic::Iperf3, "cubic", &scenario(paths, ""), open_at, stop_at);
        until("the flow has stopped", || endless.clock.now() > Time::from_millis(1600));
        endless.connection.check().unwrap();
        let seen = endless.connection.sender().unwrap().unwrap();
        assert_eq!((seen.subflows.len(), seen.multipath.is_some()), (paths, paths > 1));
        // Long enough for a machine whose processors are taken for tens of milliseconds.
        until("nothing comes any more", || {
            let received = endless.connection.received();
            sleep(Duration::from_millis(400));
            endless.connection.received() == received
        });
        let received = endless.connection.received();
        // In 1.4 s a link carries 7 MB.
        assert!((500_000..20_000_000 * paths as u64).contains(&received), "{received}");
        endless.finish();
    }
}

/// A stranger takes the sender's place.
#[test]
fn wrong_bytes_fail_the_run() {
    let Some(()) = kernel(&[]) else { return };
    let scenario = scenario(1, "");
    let Running { hosts, connection, .. } =
        &start_with(Traffic::Own, "reno", &scenario, Time::NEVER, Time::NEVER);
    let stranger = hosts.sender.run(|| TcpStream::connect(RECEIVER)).unwrap();
    stranger.unwrap().write_all(&[7; 100]).unwrap();
    until("the receiver has noticed", || connection.check().is_err());
    let why = connection.check().unwrap_err().to_string();
    assert!(why.contains("flow f, receiver: byte 0"), "{why}");
}

#[test]
fn an_unknown_congestion_control_is_reported() {
    let Some(()) = kernel(&[]) else { return };
    let scenario = scenario(1, "");
    let running = start_with(Traffic::Own, "no_such_one", &scenario, Time::ZERO, Time::NEVER);
    let connection = running.connection;
    until("the sender has failed", || connection.check().is_err());
    let why = connection.finish().unwrap_err().to_string();
    assert!(why.contains("no_such_one") && why.contains("No such file"), "{why}");
}
