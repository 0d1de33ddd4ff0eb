//! Slow start: HyStart++ leaves it before the queue overflows, pacing keeps the queue short.

use crate::common::*;
use anabranch_record::Summary;

/// The first seconds of one flow on a path with a BDP of 333 packets.
fn start(duration: f64, cc: &str, queue: &str) -> Summary {
    let link = link_of("path", 50, 40, &format!("queue = \"{queue}\""));
    run(duration, 0.0, &(EXACT.to_owned() + &link + &flow_of("one", cc, &["path"], "")))
}

/// A slow start that ends by loss has twice the window that fits and loses what is too much. HyStart++
/// sees the queue of a round in the first ACKs of the next, one doubling after the pipe is full, and then
/// grows by a quarter per round (RFC 9406 §4.2). So it needs a queue that holds that doubling: one of 1
/// BDP has overflowed by then.
#[test]
fn hystart_leaves_before_the_queue_overflows() {
    let cubic = |hystart| start(4.0, &format!("{{ name = \"cubic\", hystart = {hystart} }}"), "4 BDP");
    let (without, with) = (cubic(false), cubic(true));
    let drops = |summary: &Summary| link(summary, "path").drops;
    assert!(drops(&without) > 1000, "{}", drops(&without));
    assert!(drops(&with) < drops(&without) / 4, "{}", drops(&with));
    assert!(with.flows[0].goodput_bps.unwrap() > 0.95 * without.flows[0].goodput_bps.unwrap());
}

/// A window that is sent as ACKs arrive doubles by sending two segments for each one that left the
/// bottleneck: half of what is sent in a round waits. Paced at two windows per round trip it does not
/// while the window is below half of the BDP, in the first four rounds of five.
#[test]
fn pacing_keeps_the_queue_of_slow_start_short() {
    let run = |pacing| start(0.56, &format!("{{ name = \"reno\", pacing = {pacing} }}"), "1 BDP");
    let (bursts, paced) = (run(false), run(true));
    let queue = |summary: &Summary| link(summary, "path").mean_queue_bytes;
    assert!(queue(&paced) < 0.4 * queue(&bursts), "{} {}", queue(&paced), queue(&bursts));
    assert!(paced.flows[0].delivered_bytes as f64 > 0.5 * bursts.flows[0].delivered_bytes as f64);
}

/// From 10 to 64 segments in slow start takes three round trips of 80 ms, and with the handshake 0.4 s at most. From there the
/// window grows by a segment per round trip: by 7 to 9 in the first second, by 12 or 13 more in the next.
#[test]
fn an_initial_threshold_ends_slow_start_without_a_loss() {
    let run = |tcp: &str| {
        let text = link_of("path", 50, 40, "queue = \"1 BDP\"") + &flow_of("one", "lia", &["path"], tcp);
        run(2.0, 1.0, &text).flows[0].subflows[0].clone()
    };
    let bounded = run("tcp = { initial_ssthresh = 64 }\n");
    let mean = bounded.mean_cwnd_segments.unwrap();
    assert!((64.0 + 7.0 + 3.0..64.0 + 9.0 + 10.0).contains(&mean), "{mean}");
    assert_eq!((bounded.lost_segments, bounded.recoveries), (0, 0));
    let unbounded = run("");
    assert!(
        unbounded.recoveries + unbounded.lost_segments > 0 || unbounded.mean_cwnd_segments.unwrap() > 200.0
    );
}

/// RFC 5681 §3.1: "If the SYN or SYN/ACK is lost, the initial window used by a sender after a correctly transmitted SYN MUST be one
/// segment". One that arrives after the next has been sent was not lost: on a path of 1.2 s the second SYN was in vain.
#[test]
fn a_lost_syn_leaves_a_window_of_one_segment() {
    let first_flight = |delay_ms: u32, changes: &str, answered: f64, rtt: f64| {
        let link = link_of("a", 100, delay_ms, changes);
        let text =
            EXACT.to_owned() + "record.interval = \"1 ms\"\n" + &link + &flow_of("one", "reno", &["a"], "");
        let (_, samples) = record(5.0, 0.0, &text);
        let series = samples.series("one", 0).unwrap();
        let last = |at: f64| series.time_s.iter().rposition(|t| *t <= at);
        let sent = |at| last(at).map_or(0.0, |i| series.sent_bytes[i] / 1448.0);
        assert_eq!(sent(answered - 0.002), 0.0);
        sent(answered + 0.9 * rtt)
    };
    let down = "changes = [{ at = \"0 s\", up = false }, { at = \"500 ms\", up = true }]";
    assert_eq!(first_flight(50, "", 0.1, 0.1), 10.0);
    assert_eq!(first_flight(50, down, 1.1, 0.1), 1.0);
    assert_eq!(first_flight(600, "", 1.2, 1.2), 10.0);
}
