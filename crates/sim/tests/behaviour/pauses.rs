//! The effect of a pause on a window, and a delay that grows to a timeout.

use crate::common::*;
use anabranch_record::MemorySink;

/// Answers of 1 MB after pauses of 3 s on a path of 100 Mbit/s and 100 ms, each segment acknowledged.
fn answers(tcp: &str) -> MemorySink {
    let text = format!(
        "{EXACT}[links.path]\nrate = \"100 Mbit/s\"\ndelay = \"50 ms\"\nqueue = \"10 BDP\"\n\
         [[flows]]\nname = \"one\"\ncc = \"reno\"\npaths = [[\"path\"]]\ntcp = {{ delayed_ack = 1, {tcp} }}\n\
         application = {{ kind = \"request-response\", size = \"1 MB\", think = \"3 s\", count = 4 }}\n"
    );
    record(20.0, 0.0, &text).1
}

/// RFC 5681 §4.1: each answer begins with the initial window. Of 691 segments 10 (2⁶ − 1) = 630 go out in six rounds,
/// each of which begins when the first segment of the last one is acknowledged; the other 61 follow. Behind the request
/// that makes one round trip, six times a round trip and the transmission of one segment, and the transmission of the
/// rest.
#[test]
fn an_answer_after_a_pause_begins_with_the_initial_window() {
    let (rtt, segment) = (0.1, 1500.0 * 8.0 / 100e6);
    let last = (1_000_000.0 - 690.0 * 1448.0 + 52.0) * 8.0 / 100e6;
    let expected = rtt + 6.0 * (rtt + segment) + 60.0 * segment + last;
    let samples = answers("slow_start_after_idle = true");
    assert_eq!(samples.completions.len(), 4);
    for answer in &samples.completions {
        assert!((answer.completion_s - expected).abs() < 1e-5, "{}, by hand {expected}", answer.completion_s);
    }
    // Where the key switches it off all of a later answer goes out at once.
    let at_once = rtt + 690.0 * segment + last;
    for answer in &answers("slow_start_after_idle = false").completions[1..] {
        assert!((answer.completion_s - at_once).abs() < 1e-5, "{}, by hand {at_once}", answer.completion_s);
    }
}

/// Answers of 200 kB, 139 segments, after 3 s: let out at once they lose what a queue of 50 packets does not hold. Slow
/// start sends two segments for each that has left, so that half of its last round of 69 waits, which fits.
#[test]
fn an_answer_after_a_pause_does_not_overflow_the_queue() {
    let lost = |restart: bool| {
        let text = format!(
            "[links.path]\nrate = \"50 Mbit/s\"\ndelay = \"10 ms\"\nqueue = \"50 packets\"\n\
             [[flows]]\nname = \"one\"\ncc = \"reno\"\npaths = [[\"path\"]]\n\
             tcp = {{ slow_start_after_idle = {restart} }}\n\
             application = {{ kind = \"request-response\", size = \"200 kB\", think = \"3 s\" }}\n"
        );
        let summary = run(200.0, 20.0, &text);
        subflow(&summary).loss_rate.unwrap()
    };
    let (with, without) = (lost(true), lost(false));
    assert_eq!(with, 0.0);
    assert!(without > 0.001, "{without}");
}

/// One segment each 1.32 s while the delay goes from 10 to 400 ms each way. Each resend is measured by its timestamp (RFC 7323), so
/// that the timeout soon exceeds the round trip: Linux retransmits five segments, and then stops. The
/// round trip is 800 ms and a delayed acknowledgement's 40 ms.
#[test]
fn a_timeout_learns_a_longer_round_trip() {
    let link = "rate = \"10 Mbit/s\"\ndelay = \"10 ms\"\nqueue = \"100 packets\"\n\
        changes = [{ at = \"20 s\", delay = \"400 ms\" }]\n";
    let text = format!(
        "{EXACT}[links.path]\n{link}[links.back]\n{link}\
         [[flows]]\nname = \"one\"\ncc = \"reno\"\npaths = [[\"path\"]]\nreturn = [[\"back\"]]\n\
         application = {{ kind = \"on-off\", on = \"1000 s\", off = \"0 s\", rate = \"8775.75 bit/s\" }}\n"
    );
    let whole = run(500.0, 0.0, &text);
    let (resent, timeouts) = (subflow(&whole).retransmitted_segments, subflow(&whole).timeouts);
    let late = run(500.0, 60.0, &text);
    let rtt = subflow(&late).mean_rtt_s.unwrap();
    assert!((1..=10).contains(&resent), "{resent} resent, {timeouts} timeouts");
    assert_eq!((subflow(&late).retransmitted_segments, subflow(&late).timeouts), (0, 0));
    assert!((rtt - 0.841).abs() < 0.002, "{rtt}");
}

/// 1,500 users who all ask at once fill a queue of 3.6 s, which is beyond any timeout from the handshake. They ask for
/// half of what the link carries, so that it drains, and an answer of two segments then takes little more than a round
/// trip of 20 ms. Timeouts that never learn keep it full of copies for ever.
#[test]
fn a_crowd_does_not_collapse_a_half_loaded_link() {
    let text = "[links.path]\nrate = \"10 Mbit/s\"\ndelay = \"10 ms\"\nqueue = \"10000 packets\"\n\
        [[flows]]\nname = \"user\"\ncount = 1500\ncc = \"reno\"\npaths = [[\"path\"]]\n\
        application = { kind = \"request-response\", size = \"2000 B\", \
        think = { distribution = \"exponential\", mean = \"5 s\" } }\n";
    let (summary, samples) = record(60.0, 30.0, &format!("variation = {{ start_offset = \"0 s\" }}\n{text}"));
    let late = samples.completions.iter().filter(|c| c.time_s > 30.0).map(|c| c.completion_s);
    let (n, sum) = late.fold((0.0, 0.0), |(n, sum), took| (n + 1.0, sum + took));
    let resent: u64 = summary.flows.iter().map(|f| f.subflows[0].retransmitted_segments).sum();
    assert!(sum / n < 0.1, "{} s per answer", sum / n);
    assert!((0.45..0.55).contains(&link(&summary, "path").utilisation));
    assert!((resent as f64) < 0.01 * 2.0 * n, "{resent} resent for {n} answers");
}

/// No persist timer is modelled (RFC 9293 §3.8.6.1), since it is not needed: the receiving application reads at once, so that the
/// window opens with the acknowledgement of a segment that its sender keeps sending until it is acknowledged. Three
/// acknowledgements of ten are lost, and the buffer holds two segments of both paths.
#[test]
fn a_lost_window_update_stops_nothing() {
    let loss = "queue = \"50 packets\"\nloss = { model = \"bernoulli\", rate = 0.3 }";
    let links =
        [("a", 5), ("b", 20), ("ar", 5), ("br", 20)].map(|(name, ms)| link_of(name, 10, ms, loss)).concat();
    for scheduler in ["minrtt", "roundrobin", "redundant", "blest"] {
        let flow = format!(
            "return = [[\"ar\"], [\"br\"]]\nscheduler = \"{scheduler}\"\ntcp = {{ receive_buffer = \"3000 B\" }}\n\
             application = {{ kind = \"bulk\", size = \"200 kB\" }}"
        );
        let text = links.clone() + &flow_of("two", "lia", &["a", "b"], &flow);
        for seed in 1..=5 {
            let summary = run_seed(2000.0, 0.0, &text, seed);
            assert_eq!(summary.flows[0].delivered_bytes, 200_000, "{scheduler}, seed {seed}");
        }
    }
}

/// With segmentation offload the first burst after a pause is of the restarted window too.
#[test]
fn a_burst_after_a_pause_is_of_the_initial_window() {
    let text = format!(
        "{EXACT}record = {{ interval = \"1 ms\" }}\n[links.path]\nrate = \"1 Gbit/s\"\ndelay = \"50 ms\"\nqueue = \"10 BDP\"\n\
         [[flows]]\nname = \"one\"\ncc = \"reno\"\npaths = [[\"path\"]]\ntcp = {{ tso = true }}\n\
         application = {{ kind = \"request-response\", size = \"1 MB\", think = \"3 s\", count = 2 }}\n"
    );
    let (_, samples) = record(10.0, 0.0, &text);
    let second = samples.completions[1].time_s - samples.completions[1].completion_s;
    let series = samples.series("one", 0).unwrap();
    let sent = |at: f64| series.sent_bytes[series.time_s.iter().rposition(|t| *t <= at).unwrap()];
    // The request arrives after 50 ms, and the first acknowledgement of the answer 100 ms later.
    let first = (sent(second + 0.14) - sent(second)) / 1448.0;
    assert_eq!(first, 10.0);
}

/// RFC 5681 §4.1, `tcp_slow_start_after_idle_check` (which `tcp_skb_entail` calls for TCP and MPTCP alike): whatever scheduler hands data
/// to a subflow, and whatever hosts send it, each subflow begins with the initial window after a pause of many timeouts, and with the
/// former window where the key switches that off. Between the request's arrival, after 10 ms, and the first acknowledgement, 20 ms later.
#[test]
fn every_scheduler_restarts_after_a_pause() {
    let first_flight = |hosts: &str, scheduler: &str, paths: usize, restart: bool| -> Vec<f64> {
        let link = "rate = \"100 Mbit/s\"\ndelay = \"10 ms\"\nqueue = \"20 BDP\"\n";
        let names = &["a", "b"][..paths];
        let links: String = names.iter().map(|name| format!("[links.{name}]\n{link}")).collect();
        let text = format!(
            "hosts = \"{hosts}\"\n{EXACT}record = {{ interval = \"1 ms\" }}\n{links}\
             [[flows]]\nname = \"one\"\ncc = \"lia\"\npaths = {:?}\nscheduler = \"{scheduler}\"\n\
             tcp = {{ slow_start_after_idle = {restart} }}\n\
             application = {{ kind = \"request-response\", size = \"3 MB\", think = \"4 s\", count = 2 }}\n",
            names.iter().map(|name| [name]).collect::<Vec<_>>()
        );
        let (_, samples) = record(12.0, 0.0, &text);
        let asked = samples.completions[1].time_s - samples.completions[1].completion_s;
        let sent = |s: usize, at: f64| {
            let series = samples.series("one", s).unwrap();
            series.sent_bytes[series.time_s.iter().rposition(|t| *t <= at).unwrap()]
        };
        (0..paths).map(|s| sent(s, asked + 0.028) - sent(s, asked)).collect()
    };
    let mss = |hosts: &str, paths: usize| match (paths, hosts) {
        (1, _) => 1448.0,
        (_, "linux") => 1424.0,
        _ => 1428.0,
    };
    for hosts in ["plain", "linux"] {
        for scheduler in ["minrtt", "roundrobin", "redundant", "blest", "linux"] {
            for paths in [1, 2] {
                let segments = |restart| -> Vec<f64> {
                    let bytes = first_flight(hosts, scheduler, paths, restart);
                    bytes.into_iter().map(|bytes| bytes / mss(hosts, paths)).collect()
                };
                let (with, without) = (segments(true), segments(false));
                assert!(with.iter().all(|n| *n == 10.0), "{hosts} hosts, {scheduler}: {with:?}");
                assert!(without.iter().sum::<f64>() > 100.0, "{hosts} hosts, {scheduler}: {without:?}");
            }
        }
    }
}
