//! One flow fills a link; equal flows share it equally; unequal ones in the known direction.

use crate::common::*;

fn bottleneck(rate_mbit: f64, delay_ms: f64, queue: &str) -> String {
    link_of("path", rate_mbit, delay_ms, &format!("queue = \"{queue}\""))
}

fn flows(name: &str, cc: &str, count: u32) -> String {
    flow_of(name, cc, &["path"], &format!("count = {count}"))
}

/// With a buffer of at least one BDP, halving the window never empties the queue. Payload is 1448 of
/// each 1500 bytes. Where the BDP is only 17 packets, the whole packets of the window and ACKs for two of
/// them cost a little more than it, hence 1.2 BDP there.
#[test]
fn one_flow_fills_a_link_with_a_bdp_of_buffer() {
    let algorithms = ["reno", "cubic", "lia", "coupled-cubic", "coupled-cubic-a1", "uncoupled"];
    for (rate, delay, queue) in
        [(10.0, 10.0, "1.2 BDP"), (10.0, 50.0, "1 BDP"), (50.0, 20.0, "1 BDP"), (20.0, 50.0, "2 BDP")]
    {
        for cc in algorithms {
            let text = bottleneck(rate, delay, queue) + &flows("one", cc, 1);
            let summary = run(90.0, 30.0, &text);
            let payload_rate = rate * 1e6 * 1448.0 / 1500.0;
            let share = summary.flows[0].goodput_bps.unwrap() / payload_rate;
            assert!((0.99..1.0005).contains(&share), "{cc}, {rate} Mbit/s: {share}");
        }
    }
}

#[test]
fn equal_flows_share_equally() {
    let loss = (10.0, "1 BDP", 430.0, &[2, 5, 10][..]);
    let delay = (20.0, "4 BDP", 230.0, &[2, 5][..]);
    for (cc, (delay_ms, queue, seconds, counts)) in
        [("reno", loss), ("cubic", loss), ("vegas", delay), ("wvegas", delay)]
    {
        for &n in counts {
            let text = bottleneck(20.0, delay_ms, queue) + &flows("equal", cc, n);
            let summary = run(seconds, 30.0, &text);
            let jain = summary.jain.unwrap();
            let total: f64 = summary.flows.iter().map(|f| f.goodput_bps.unwrap()).sum();
            assert!(jain >= 0.95, "{n} {cc}: Jain {jain}");
            assert!(total > 0.98 * 20e6 * 1448.0 / 1500.0, "{n} {cc}: {total}");
            assert_eq!(summary.flows.len(), n as usize);
        }
    }
}

/// Reno's rate goes with 1/RTT at the same loss rate, and losses at a drop-tail queue add to it (Lakshman
/// and Madhow 1997: between 1/RTT and 1/RTT²).
#[test]
fn reno_favours_the_short_way() {
    let text = r#"
        links.path = { rate = "20 Mbit/s", delay = "5 ms", queue = "60 packets" }
        links.near = { rate = "1 Gbit/s", delay = "5 ms" }
        links.far = { rate = "1 Gbit/s", delay = "45 ms" }
        flows = [
            { name = "near", cc = "reno", paths = [["near", "path"]] },
            { name = "far", cc = "reno", paths = [["far", "path"]] },
        ]
    "#;
    let summary = run(430.0, 30.0, text);
    let (near, far) = (&summary.flows[0], &summary.flows[1]);
    let rtts = far.subflows[0].mean_rtt_s.unwrap() / near.subflows[0].mean_rtt_s.unwrap();
    let ratio = near.goodput_bps.unwrap() / far.goodput_bps.unwrap();
    assert!(ratio > rtts && ratio < 1.1 * rtts * rtts, "RTT ratio {rtts:.2}, rate ratio {ratio:.2}");
}

/// With a BDP of some ten packets CUBIC is in its Reno-friendly region: it takes about a Reno flow's share.
#[test]
fn cubic_is_friendly_to_reno_where_the_bdp_is_small() {
    let ratio = |duration: f64, link: String| {
        let summary = run(duration, 30.0, &(link + &flows("reno", "reno", 1) + &flows("cubic", "cubic", 1)));
        flow(&summary, "cubic/1").goodput_bps.unwrap() / flow(&summary, "reno/1").goodput_bps.unwrap()
    };
    let small = ratio(630.0, bottleneck(10.0, 5.0, "1 BDP"));
    assert!((0.6..1.6).contains(&small), "{small}");
    // With a BDP of 1000 packets it is not: that is what it is for.
    let large = ratio(330.0, bottleneck(100.0, 60.0, "0.5 BDP"));
    assert!(large > 2.0, "{large}");
}
