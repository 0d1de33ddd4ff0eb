//! Loss recovery: RACK, TLP and PRR in place of timeouts, undo of what was spurious, ECN.

use crate::common::*;

/// One flow on a path of 20 Mbit/s, 40 ms there and back, with `link` and `flow` keys added.
fn one(link: &str, cc: &str, flow: &str) -> String {
    link_of("path", 20, 20, link) + &flow_of("one", cc, &["path"], flow)
}

/// With a window of some ten segments nearly each loss is repaired by SACK, lost resends included: those
/// are one in a hundred, and it takes more than one in a row for a timeout.
#[test]
fn random_losses_hardly_ever_cost_a_timeout() {
    for cc in ["reno", "cubic"] {
        let text = one("loss = { model = \"bernoulli\", rate = 0.01 }", cc, "");
        let summary = run(300.0, 10.0, &text);
        let one = subflow(&summary);
        assert!(one.recoveries > 400, "{cc}: {} recoveries", one.recoveries);
        assert!(one.timeouts * 50 < one.recoveries, "{cc}: {} timeouts", one.timeouts);
        // Only lost segments are retransmitted, apart from a few probes.
        let extra = one.retransmitted_segments as f64 / one.lost_segments as f64;
        assert!((0.99..1.03).contains(&extra), "{cc}: {extra} resends per loss");
        assert!((one.loss_rate.unwrap() / 0.01 - 1.0).abs() < 0.1, "{cc}: {one:?}");
    }
}

/// Bursts of losses: half a window at once.
#[test]
fn a_burst_of_losses_is_one_recovery() {
    let burst = "changes = [{ at = \"10 s\", loss = { model = \"bernoulli\", rate = 0.5 } }, { at = \"10020 ms\", loss = { model = \"none\" } }]";
    let link = format!("queue = \"4 BDP\"\n{burst}");
    let summary = run(12.0, 9.9, &one(&link, "reno", "tcp = { receive_buffer = \"150 kB\" }"));
    let one = subflow(&summary);
    assert!(one.lost_segments > 10 && one.timeouts == 0, "{one:?}");
    assert!(one.recoveries <= 2, "{one:?}");
    assert_eq!(one.retransmitted_segments, one.lost_segments);
}

/// A response of five segments whose last one is lost: without later segments only a probe reveals the loss after 2 SRTT (RFC 8985
/// §7), long before the timeout of at least 1 s.
///
/// Every seventh packet is lost: SYN, ACK, and five segments.
#[test]
fn a_lost_tail_is_repaired_by_a_probe() {
    let loss = "loss = { model = \"every-nth\", n = 7 }";
    let flow = "tcp = { min_rto = \"1 s\" }\n\
        application = { kind = \"request-response\", size = \"7000 B\", count = 1 }";
    let text = EXACT.to_owned() + &one(loss, "reno", flow);
    let (summary, samples) = record(5.0, 0.0, &text);
    let took = samples.completions[0].completion_s;
    let one = subflow(&summary);
    assert_eq!((one.lost_segments, one.retransmitted_segments, one.timeouts), (1, 1, 0));
    // The first four arrive after a round trip and their transmission, their ACKs a way back later; then
    // two SRTT of silence and one way to the receiver.
    assert!((0.04 + 0.02 + 0.08 + 0.02..0.25).contains(&took), "{took}");
}

/// Packets that are held back for a quarter of a round trip look lost. The resend is reported as a
/// duplicate, or an ACK echoes the original's timestamp: the reduction is taken back, and RACK waits
/// longer from then on.
#[test]
fn reordering_is_recognised_and_undone() {
    for cc in ["reno", "cubic"] {
        let goodput = |jitter: &str| {
            let summary = run(60.0, 0.0, &one(jitter, cc, ""));
            (summary.flows[0].goodput_bps.unwrap(), subflow(&summary).spurious)
        };
        let (clean, none) = goodput("");
        assert_eq!(none, 0);
        let (reordered, spurious) = goodput("jitter = { reorder_rate = 0.01, reorder_delay = \"15 ms\" }");
        assert!(spurious > 0, "{cc}");
        assert!(reordered > 0.9 * clean, "{cc}: {reordered} of {clean}");
        let (slightly, _) = goodput("jitter = { reorder_rate = 0.01, reorder_delay = \"3 ms\" }");
        assert!(slightly > 0.97 * clean, "{cc}: {slightly} of {clean}");
    }
}

/// The delay rises to a second for 50 ms.
const SPIKE: &str =
    "changes = [{ at = \"10 s\", delay = \"1 s\" }, { at = \"10050 ms\", delay = \"20 ms\" }]";

/// A second's pause without loss: the timer expires, and the ACK of an original shows that it need not
/// have (RFC 3522, RFC 4015). The window returns.
#[test]
fn a_delay_spike_is_a_spurious_timeout() {
    for cc in ["reno", "cubic"] {
        let text = one(SPIKE, cc, "tcp = { receive_buffer = \"120 kB\" }");
        let (_, samples) = record(15.0, 0.0, &text);
        let summary = run(15.0, 9.0, &text);
        let one = subflow(&summary);
        let window = |at: f64| {
            let series = samples.series("one", 0).unwrap();
            series.cwnd_segments[series.time_s.iter().rposition(|t| *t <= at).unwrap()]
        };
        assert!(one.timeouts > 0 && one.spurious > 0, "{cc}: {one:?}");
        // Two timeouts resend a segment each and so does a probe; the undo keeps the rest from being resent.
        assert!(one.retransmitted_segments <= 5, "{cc}: {} resent", one.retransmitted_segments);
        assert!(one.spurious <= 2, "{cc}: {} undone", one.spurious);
        assert_eq!(one.lost_segments, 0);
        assert!(window(11.9) >= 0.99 * window(9.9), "{} {}", window(9.9), window(11.9));
    }
}

/// Limited by a receive window of 82 segments a window of 164 is not used, and does not grow (RFC 7661),
/// also not after a timeout that was undone.
#[test]
fn an_undone_timeout_does_not_open_an_unused_window() {
    let (_, samples) = record(15.0, 0.0, &one(SPIKE, "reno", "tcp = { receive_buffer = \"120 kB\" }"));
    let most = samples.series("one", 0).unwrap().cwnd_segments.iter().fold(0.0f64, |most, w| most.max(*w));
    assert!(most < 170.0, "{most}");
}

/// Drops of what was sent before the warm-up's end are not losses of what was sent after it: a loss rate
/// is at most 1.
#[test]
fn the_loss_rate_is_a_share() {
    let text = r#"
        links.a = { rate = "10 Mbit/s", delay = "500 ms" }
        links.b = { rate = "10 Mbit/s", delay = "1 ms", changes = [{ at = "4 s", up = false }] }
        flows = [{ name = "one", cc = "reno", paths = [["a", "b"]] }]
    "#;
    let rate = subflow(&run(5.5, 4.0, text)).loss_rate.unwrap();
    assert!((0.5..=1.0).contains(&rate), "{rate}");
}

/// Timeouts at 0.24, 0.7, 1.7, 3.5 s or so after the last ACK: after 3 s down the next try is at most
/// twice as far away.
#[test]
fn a_link_that_was_down_is_found_again() {
    let down = "changes = [{ at = \"10 s\", up = false }, { at = \"13 s\", up = true }]";
    let (summary, samples) = record(20.0, 0.0, &one(down, "cubic", ""));
    let series = samples.series("one", 0).unwrap();
    let before = series.delivered_bytes[series.time_s.iter().rposition(|t| *t <= 12.9).unwrap()];
    let again = series.time_s[series.delivered_bytes.iter().position(|b| *b > before).unwrap()];
    assert!((13.0..16.5).contains(&again), "{again}");
    assert!((3..=6).contains(&subflow(&summary).timeouts), "{:?}", subflow(&summary));
    // Once it is found the rate returns.
    let late = run(30.0, 20.0, &one(down, "cubic", "")).flows[0].goodput_bps.unwrap();
    assert!(late > 0.95 * 20e6 * 1448.0 / 1500.0, "{late}");
}

/// Each ACK of d segments; growth counts segments, so the rate does not depend on d. A lone segment waits
/// for the timer.
#[test]
fn delayed_acks_do_not_change_the_rate() {
    for every in [1, 2, 4, 8] {
        let text = one("queue = \"1.5 BDP\"", "reno", &format!("tcp = {{ delayed_ack = {every} }}"));
        let goodput = run(60.0, 20.0, &text).flows[0].goodput_bps.unwrap();
        assert!(goodput > 0.99 * 20e6 * 1448.0 / 1500.0, "{every}: {goodput}");
    }
    let exact = EXACT.to_owned() + "record = { interval = \"1 ms\" }\n";
    for (every, timeout, waits) in [(1, 40, 0.0), (2, 40, 0.04), (2, 25, 0.025), (4, 40, 0.04)] {
        let flow = format!(
            "tcp = {{ delayed_ack = {every}, delayed_ack_timeout = \"{timeout} ms\" }}\n\
             application = {{ kind = \"request-response\", size = \"1 kB\", think = \"300 ms\", count = 2 }}"
        );
        let (_, samples) = record(1.0, 0.0, &(exact.clone() + &one("", "reno", &flow)));
        let series = samples.series("one", 0).unwrap();
        let acked = series.time_s[series.delivered_bytes.iter().position(|b| *b > 0.0).unwrap()];
        let completed = samples.completions[0].time_s;
        let expected = completed + waits + 0.02;
        assert!((0.0..0.0011).contains(&(acked - expected)), "{every}: {acked}, by hand {expected}");
    }
}

/// A threshold below the queue's end: marks take the place of drops, and the queue stays near the
/// threshold. The BDP is 66 packets and the threshold 40, so a mark finds the window at 106 at least, and
/// one reduction for each of the queue's excursions (RFC 3168 §6.1.2) leaves 53 for Reno, 74 for CUBIC.
#[test]
fn marks_take_the_place_of_drops() {
    for (cc, kept) in [("reno", 0.5), ("cubic", 0.7)] {
        let marking = "queue = \"4 BDP\"\necn_threshold = \"40 packets\"";
        let (summary, samples) = record(60.0, 10.0, &one(marking, cc, "tcp = { ecn = true }"));
        let path = link(&summary, "path");
        let goodput = summary.flows[0].goodput_bps.unwrap() / (20e6 * 1448.0 / 1500.0);
        let series = samples.series("one", 0).unwrap();
        let windows = series.time_s.iter().zip(&series.cwnd_segments).filter(|(t, _)| **t > 10.0);
        let least = windows.map(|(_, w)| *w).fold(f64::INFINITY, f64::min);
        assert_eq!((path.drops, subflow(&summary).retransmitted_segments), (0, 0));
        assert!(path.mean_queue_bytes < 45.0 * 1500.0, "{cc}: {}", path.mean_queue_bytes);
        assert!(least > kept * 106.0 - 2.0 && least < kept * 106.0 + 10.0, "{cc}: {least}");
        // Reno is below the BDP for a quarter of its sawtooth, by a tenth on average.
        assert!(goodput > 0.95, "{cc}: {goodput}");
        // Without ECN the same threshold does nothing.
        let without = run(60.0, 10.0, &one(marking, cc, ""));
        assert!(link(&without, "path").drops > 0);
    }
}
