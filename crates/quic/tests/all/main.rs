//! Whole runs.

mod applications;
mod paths;

use anabranch_net::Time;
use anabranch_quic::{Observers, QuicError, check, run};
use anabranch_record::{MemorySink, NoSamples, Summary};
use anabranch_scenario::{Overrides, Scenario, Source, load};
use anabranch_sim::{End, Run};
use std::thread;

/// One flow over one link.
const ONE: &str = r#"
    name = "one"
    duration = "20 s"
    warmup = "5 s"
    links.a = { rate = "10 Mbit/s", delay = "20 ms", queue = "1 BDP" }
    flows = [{ name = "bulk", cc = "reno", paths = [["a"]] }]
"#;

/// Two paths that lose packets at random, one of them through a queue that drops at departure.
const TWO: &str = r#"
    name = "two"
    duration = "10 s"
    warmup = "2 s"
    links.a = { rate = "10 Mbit/s", delay = "20 ms", queue = "1 BDP", loss = { model = "bernoulli", rate = 1e-3 } }
    links.b = { rate = "5 Mbit/s", delay = "20 ms", queue = "2 BDP", aqm = "codel" }
    flows = [{ name = "both", cc = "lia", paths = [["a"], ["b"]] }]
"#;

/// Two paths through one bottleneck, beside a flow with one.
const SHARED: &str = r#"
    name = "shared"
    duration = "60 s"
    warmup = "10 s"
    links.shared = { rate = "10 Mbit/s", delay = "20 ms", queue = "1 BDP" }
    links.access = { rate = "100 Mbit/s", delay = "1 ms", count = 3 }
    flows = [
        { name = "multipath", cc = "lia", paths = [["access/1", "shared"], ["access/2", "shared"]] },
        { name = "single", cc = "reno", paths = [["access/3", "shared"]] },
    ]
"#;

fn scenario(text: &str, set: &[&str]) -> Scenario {
    let mut overrides = Overrides::default();
    set.iter().for_each(|assignment| _ = overrides.set(assignment));
    load(&Source { name: "test.toml".into(), text: text.into() }, &overrides).unwrap()
}

fn summary(text: &str, set: &[&str], seed: u64) -> Summary {
    run(&scenario(text, set), seed, &mut NoSamples, Observers::default(), &mut |_| true).unwrap().summary
}

fn sampled(text: &str, set: &[&str], seed: u64) -> (Summary, MemorySink) {
    let mut samples = MemorySink::new();
    let run = run(&scenario(text, set), seed, &mut samples, Observers::default(), &mut |_| true);
    (run.unwrap().summary, samples)
}

fn goodput(summary: &Summary, flow: usize) -> f64 {
    summary.flows[flow].goodput_bps.unwrap()
}

/// The payload that a link of that rate carries.
fn payload(rate: f64) -> f64 {
    rate * f64::from(1500 - 28 - 33) / 1500.0
}

/// Of the 1500 bytes of a full packet, 28 are IPv4 and UDP, and 33 or 34 are QUIC's: 1 + 8 of the short header, 1 or 2 of the packet
/// number, 16 of the AEAD tag (RFC 9001 §5.3), and 1 + 1 + 4 of a STREAM frame without length, from 16 kB of offset on. Reno with a
/// queue of one BDP keeps the link busy.
#[test]
fn one_flow_gets_the_rate_without_headers() {
    let summary = summary(ONE, &[], 1);
    let ratio = goodput(&summary, 0) / payload(10e6);
    assert!((0.985..=1.002).contains(&ratio), "{ratio}");
    let path = &summary.flows[0].subflows[0];
    let by_path = path.goodput_bps.unwrap() / goodput(&summary, 0);
    assert!((0.99..=1.01).contains(&by_path), "{by_path}");
    // 40 ms of propagation, and up to as much of queue; a packet takes 1.2 ms.
    assert!((0.040..0.085).contains(&path.mean_rtt_s.unwrap()), "{path:?}");
    assert!(path.recoveries > 0 && path.lost_segments > 0 && path.timeouts == 0, "{path:?}");
    assert!(path.retransmitted_segments >= path.lost_segments, "{path:?}");
}

#[test]
fn a_transfer_ends_with_its_last_byte() {
    let summary =
        summary(ONE, &["warmup=0 s", "flows.bulk.application={ kind = \"bulk\", size = \"3 MB\" }"], 1);
    assert_eq!(summary.flows[0].delivered_bytes, 3_000_000);
    // At most the link's rate, at least half of it, with the handshake and slow start.
    assert!((5e6..9.6e6).contains(&goodput(&summary, 0)), "{}", goodput(&summary, 0));
    has_means(&summary, 1);
}

/// It is measured from 5 s to 8 s, with what waited behind a hole at 5 s; the link, from 5 s to 20 s, is idle after that.
#[test]
fn a_flow_that_stops_is_measured_until_then() {
    let summary = summary(ONE, &["flows.bulk.stop=8 s"], 1);
    let ratio = goodput(&summary, 0) / payload(10e6);
    assert!((0.97..=1.03).contains(&ratio), "{ratio}");
    let used = summary.links[0].utilisation / (3.0 / 15.0);
    assert!((0.99..=1.03).contains(&used), "{used}");
}

/// 20 ms forth and 30 ms back, and at most 40 ms of queue. Two packets have one acknowledgement, which is small.
#[test]
fn acknowledgements_take_the_return_links() {
    let text = ONE
        .replace(
            "flows =",
            "links.back = { rate = \"1 Mbit/s\", delay = \"30 ms\", queue = \"1 BDP\" }\nflows =",
        )
        .replace("paths = [[\"a\"]]", "paths = [[\"a\"]], return = [[\"back\"]]");
    let summary = summary(&text, &[], 1);
    let rtt = summary.flows[0].subflows[0].mean_rtt_s.unwrap();
    assert!((0.050..0.095).contains(&rtt), "{rtt}");
    let used = summary.links[1].utilisation;
    assert!((0.1..0.4).contains(&used), "{used}");
}

/// The receiver's packets are as large as the sender's, so that its first window must hold one.
#[test]
fn the_largest_packets_are_carried() {
    let set = ["flows.bulk.tcp.mss=65000", "links.a.rate=100 Mbit/s", "links.a.queue=4 BDP"];
    assert!(goodput(&summary(ONE, &set, 1), 0) > 90e6);
}

/// 40 ms of propagation on every path, and windows of at least a segment.
fn has_means(summary: &Summary, paths: usize) {
    assert_eq!(summary.flows[0].subflows.len(), paths);
    for path in &summary.flows[0].subflows {
        assert!(path.mean_rtt_s > Some(0.040) && path.mean_cwnd_segments > Some(1.0), "{path:?}");
    }
}

/// Its paths begin after its measurement, the second one some round trips later.
#[test]
fn a_flow_that_starts_late_has_means_of_both_paths() {
    has_means(&summary(TWO, &["flows.both.start=4 s"], 1), 2);
}

/// 1 MB takes 1 s, the warm-up 5 s.
#[test]
fn a_transfer_that_ends_before_its_measurement_delivers_nothing_in_it() {
    let summary = summary(ONE, &["flows.bulk.application={ kind = \"bulk\", size = \"1 MB\" }"], 1);
    let flow = &summary.flows[0];
    assert_eq!((flow.delivered_bytes, flow.goodput_bps), (0, None), "{flow:?}");
    assert_eq!(flow.subflows[0].goodput_bps, None, "{flow:?}");
}

/// The stack tries such a path again until it works; the other one carries the data meanwhile.
#[test]
fn a_path_that_is_down_when_it_is_opened_works_later() {
    let up = "links.b.changes=[{ at = \"0 s\", up = false }, { at = \"3 s\", up = true }]";
    let summary = summary(TWO, &[up, "duration=30 s", "warmup=15 s"], 1);
    for path in &summary.flows[0].subflows {
        assert!(path.goodput_bps > Some(1e6), "{path:?}");
    }
}

/// Queues that never fill. The receiver would drop packets that are on the slow path when the fast one brings new keys.
#[test]
fn new_keys_cost_no_packet_of_the_slow_path() {
    const UNEQUAL: &str = r#"
        name = "unequal"
        duration = "2 s"
        links.slow = { rate = "100 Mbit/s", delay = "50 ms", queue = "10000 packets" }
        links.fast = { rate = "10 Mbit/s", delay = "5 ms", queue = "10000 packets" }
        flows = [{ name = "both", cc = "lia", paths = [["slow"], ["fast"]] }]
    "#;
    for seed in 1..=5 {
        for path in &summary(UNEQUAL, &[], seed).flows[0].subflows {
            assert!(path.goodput_bps > Some(1e6), "seed {seed}: {path:?}");
            assert_eq!(path.retransmitted_segments, 0, "seed {seed}: {path:?}");
        }
    }
}

/// The receive window of 1800 packets limits this flow. Reno would add a segment to its window each round trip of 0.1 s.
#[test]
fn a_window_does_not_grow_while_flow_control_limits_the_flow() {
    let set = [
        "links.a.rate=1 Gbit/s",
        "links.a.delay=50 ms",
        "flows.bulk.tcp.initial_ssthresh=2500",
        "flows.bulk.tcp.initial_window=1000",
    ];
    let path = &summary(ONE, &set, 1).flows[0].subflows[0];
    let cwnd = path.mean_cwnd_segments.unwrap();
    assert!(path.goodput_bps > Some(180e6) && (2500.0..2505.0).contains(&cwnd), "{path:?}");
}

/// One BBR flow that fills its link measures the link's rate: each full packet is 1500 bytes there. An acknowledgement covers two
/// packets and leaves up to a packet's time later. So the samples' interval, an RTT of 83 or 167 packets, is up to two packets' times
/// too short at either end, and the largest sample of two cycles at most 5 % above the rate. The mean is within 2 %.
#[test]
fn the_measured_delivery_rate_is_the_links() {
    for (rate, delay) in [(50.0, 10.0), (20.0, 50.0)] {
        let set = [
            format!("links.a.rate={rate} Mbit/s"),
            format!("links.a.delay={delay} ms"),
            "flows.bulk.cc=bbr".into(),
            "links.a.queue=2 BDP".into(),
        ];
        let (summary, samples) = sampled(ONE, &set.each_ref().map(String::as_str), 1);
        let series = samples.series("bulk", 0).unwrap();
        let measured: Vec<f64> = series
            .time_s
            .iter()
            .zip(series.observable("bw").unwrap())
            .filter_map(|(t, bw)| (*t > 5.0).then_some(bw * 1500.0 * 8.0 / (rate * 1e6)))
            .collect();
        assert!(measured.len() > 100);
        assert!(measured.iter().all(|bw| (0.95..=1.05).contains(bw)), "{rate} Mbit/s: {measured:?}");
        let mean = measured.iter().sum::<f64>() / measured.len() as f64;
        assert!((0.98..=1.02).contains(&mean), "{rate} Mbit/s: {mean}");
        // It paces by this rate, so the link is full and its queue short.
        let used = goodput(&summary, 0) / payload(rate * 1e6);
        assert!((0.95..=1.0).contains(&used), "{rate} Mbit/s: {used}");
        let bdp = rate * 1e6 / 8.0 * 2e-3 * delay;
        let queue = summary.links[0].mean_queue_bytes / bdp;
        assert!(queue < 0.5 && summary.links[0].drops == 0, "{rate} Mbit/s: {queue} BDP");
    }
}

#[test]
fn both_paths_are_used() {
    let summary = summary(TWO, &["links.a.loss.rate=0", "duration=30 s"], 1);
    let rates = [10e6, 5e6].map(payload);
    for (path, rate) in summary.flows[0].subflows.iter().zip(rates) {
        let used = path.goodput_bps.unwrap() / rate;
        assert!((0.7..=1.002).contains(&used), "{used}: {path:?}");
    }
}

/// Seeds the record, the samples included, on this thread and on another.
#[test]
fn a_seed_gives_the_same_record() {
    let record = |seed| {
        let (summary, samples) = sampled(TWO, &[], seed);
        (summary.to_json(), format!("{:?} {:?}", samples.flows, samples.links))
    };
    let first = record(7);
    assert!(first.1.len() > 1000);
    assert_eq!(first, record(7));
    assert_eq!(first, thread::spawn(move || record(7)).join().unwrap());
    assert_ne!(first, record(8));
}

/// The stack's NewReno on each path takes two shares beside one, as ours does. It keeps the window at least at two packets.
#[test]
fn the_stacks_controllers_are_measured() {
    for cc in ["noq:newreno", "noq:cubic"] {
        let set = [format!("flows.multipath.cc={cc}"), format!("flows.single.cc={cc}")];
        let (summary, samples) = sampled(SHARED, &set.each_ref().map(String::as_str), 1);
        let ratio = goodput(&summary, 0) / goodput(&summary, 1);
        assert!((1.3..=3.0).contains(&ratio), "{cc}: {ratio}");
        for path in summary.flows.iter().flat_map(|flow| &flow.subflows) {
            assert!(path.recoveries > 0 && path.lost_segments > 0, "{cc}: {path:?}");
            // The window, of packets with headers, carries the goodput in each round trip.
            let window = path.mean_cwnd_segments.unwrap() * 1448.0 * 8.0 / path.mean_rtt_s.unwrap();
            let used = path.goodput_bps.unwrap() / window;
            assert!((0.8..1.1).contains(&used), "{cc}: {used} {path:?}");
        }
        let second = samples.series("multipath", 1).unwrap();
        assert!(second.cwnd_segments.len() > 100 && second.cwnd_segments.iter().all(|cwnd| *cwnd >= 2.0));
        assert!(second.srtt_s.iter().any(|rtt| *rtt > 0.042), "{:?}", second.srtt_s);
    }
}

/// RFC 6356's goal 2: on a shared bottleneck the multipath flow takes as much as the flow with one path. Without coupling it has
/// two flows' share of three. So it is beside the simulator's TCP.
#[test]
fn lia_shares_a_bottleneck_and_uncoupled_takes_two_shares() {
    for transport in ["backend", "tcp"] {
        let mean = |cc: &str| {
            let ratio = |seed| {
                let set = [format!("flows.multipath.cc={cc}"), format!("flows.single.transport={transport}")];
                let summary = summary(SHARED, &set.each_ref().map(String::as_str), seed);
                let all = goodput(&summary, 0) + goodput(&summary, 1);
                assert!(all > 0.9 * 9.6e6, "{cc}, {transport}, seed {seed}: {all}");
                goodput(&summary, 0) / goodput(&summary, 1)
            };
            (1..=3).map(ratio).sum::<f64>() / 3.0
        };
        let (lia, uncoupled) = (mean("lia"), mean("uncoupled"));
        assert!((0.8..=1.25).contains(&lia), "LIA, {transport}: {lia}");
        assert!((1.5..=2.6).contains(&uncoupled), "uncoupled, {transport}: {uncoupled}");
    }
}

/// Without flows of QUIC, the run is the simulator's, byte for byte.
#[test]
fn flows_of_tcp_are_the_simulators() {
    let scenario =
        scenario(SHARED, &["flows.multipath.transport=tcp", "flows.single.transport=tcp", "duration=20 s"]);
    let hosting = run(&scenario, 3, &mut NoSamples, Observers::default(), &mut |_| true).unwrap();
    let plain = anabranch_sim::run(&scenario, 3, &mut NoSamples, &mut |_| true).unwrap();
    assert_eq!(hosting.summary.to_json(), plain.summary.to_json());
}

#[test]
fn marks_reduce_the_window_without_losses() {
    let set =
        ["flows.bulk.tcp.ecn=true", "links.a.aqm={ kind = \"codel\", ecn = true }", "links.a.queue=10 BDP"];
    let summary = summary(ONE, &set, 1);
    let path = &summary.flows[0].subflows[0];
    assert!(summary.links[0].marks > 0 && path.recoveries > 0, "{path:?}");
    assert_eq!(path.retransmitted_segments, 0, "{path:?}");
}

#[test]
fn what_quic_has_not_is_refused_by_key() {
    for (set, key) in [
        ("flows.bulk.tcp.min_rto=1 s", "flows.bulk.tcp.min_rto"),
        ("flows.bulk.tcp.mss=1000", "flows.bulk.tcp.mss"),
        ("flows.bulk.tcp.receive_buffer=1 MB", "flows.bulk.tcp.receive_buffer"),
        ("flows.bulk.tcp.delayed_ack=1", "flows.bulk.tcp.delayed_ack"),
        ("flows.bulk.tcp.delayed_ack_timeout=10 ms", "flows.bulk.tcp.delayed_ack_timeout"),
        ("flows.bulk.tcp.tso=true", "flows.bulk.tcp.tso"),
        ("flows.bulk.tcp.sack_compression=true", "flows.bulk.tcp.sack_compression"),
        ("flows.bulk.tcp.long_dss=true", "flows.bulk.tcp.long_dss"),
        ("flows.bulk.tcp.linux_recovery=true", "flows.bulk.tcp.linux_recovery"),
        ("flows.bulk.tcp.slow_start_after_idle=false", "flows.bulk.tcp.slow_start_after_idle"),
        (
            "flows.bulk.paths=[[\"a\"], [\"a\"], [\"a\"], [\"a\"], [\"a\"], [\"a\"], [\"a\"], [\"a\"], [\"a\"]]",
            "flows.bulk.paths",
        ),
        (
            "flows=[{ name = \"bulk\", cc = \"reno\", paths = [[\"a\"], [\"a\"]], events = [{ at = \"2 s\", path = 1, action = \"remove\" }, { at = \"2 s\", path = 2, action = \"remove\" }] }]",
            "flows.bulk.events",
        ),
        ("flows.bulk.penalise=false", "flows.bulk.penalise"),
        ("flows.bulk.scheduler=roundrobin", "flows.bulk.scheduler"),
        ("flows.bulk.cc=noq:bbr3", "flows.bulk.cc"),
        ("flows=[{ name = \"bulk\", cc = \"independent\", paths = [[\"a\"], [\"a\"]] }]", "flows.bulk.cc"),
        ("flows=[{ name = \"bulk\", cc = \"c-mpbbr\", paths = [[\"a\"], [\"a\"]] }]", "flows.bulk.cc"),
        ("flows.bulk.cc={ name = \"noq:cubic\", pacing = true }", "flows.bulk.cc"),
        (
            "flows=[{ name = \"bulk\", cc = \"noq:cubic\", paths = [[\"a\"]], tcp = { initial_ssthresh = 9 } }]",
            "flows.bulk.tcp.initial_ssthresh",
        ),
        ("hosts=linux", "flows.bulk.scheduler"),
        (
            "flows.bulk.application={ kind = \"arrivals\", size = \"10 kB\", load = 0.1 }",
            "flows.bulk.application.connections",
        ),
    ] {
        let checked = check(&scenario(ONE, &[set]));
        let Err(QuicError::Refused { key: refused, why }) = checked else { panic!("{set}: {checked:?}") };
        assert_eq!(refused, key);
        assert!(["remove", "use ", "must be", "limit"].iter().any(|remedy| why.contains(remedy)), "{why}");
    }
    check(&scenario(ONE, &[])).unwrap();
}

/// Interrupted in its warm-up, a run has measured nothing.
#[test]
fn an_interrupted_run_has_a_partial_summary() {
    let interrupted = |set: &[&str], end: f64| {
        let mut go_on = |now: Time| now.as_secs_f64() < end;
        let stopped = run(&scenario(ONE, set), 1, &mut NoSamples, Observers::default(), &mut go_on);
        let Ok(Run { summary: partial, end: End::Cancelled(at) }) = stopped else { panic!("{stopped:?}") };
        assert_eq!(partial.partial_until_s, Some(at.as_secs_f64()));
        partial
    };
    assert!(goodput(&interrupted(&[], 8.0), 0) > 8e6);
    let partial = interrupted(&["warmup=15 s"], 5.0);
    let (flow, link) = (&partial.flows[0], &partial.links[0]);
    assert_eq!((flow.delivered_bytes, flow.goodput_bps), (0, None), "{flow:?}");
    assert_eq!((link.drops, link.mean_queue_delay_s), (0, None), "{link:?}");
}

/// Issue 799 of noq: the stack sends the acknowledgements of all paths on the first one. The two flows differ only in the order of their
/// paths. Where the far path is the first, the round-trip time of the near one has half of the far one's, and a window that losses limit
/// carries less.
#[test]
fn acknowledgements_ride_the_first_path() {
    let text = include_str!("../../../../scenarios/path-order.toml");
    let summary = summary(text, &["duration=20 s", "warmup=5 s"], 1);
    let [rtt, goodput] = [
        |flow: usize, path: usize, summary: &Summary| summary.flows[flow].subflows[path].mean_rtt_s,
        |flow: usize, path: usize, summary: &Summary| summary.flows[flow].subflows[path].goodput_bps,
    ]
    .map(|of| of(1, 1, &summary).unwrap() / of(0, 0, &summary).unwrap());
    assert!(
        (3.0..6.0).contains(&rtt) && (0.1..0.5).contains(&goodput),
        "RTT × {rtt}, goodput × {goodput}: if both are near 1, the stack sends acknowledgements on their own path now. \
         Then drop `contrib/noq/acks.patch`, this test and what the book says on issue 799."
    );
}
