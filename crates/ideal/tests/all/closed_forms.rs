//! Small networks whose ideals can be written down.

use crate::common::*;

/// The segments of 1500 bytes that a rate and a time hold.
fn segments(mbps: f64, seconds: f64) -> f64 {
    mbps * 1e6 * seconds / 12_000.0
}

/// n Reno flows on one link: an n-th each, and w = √(3/2p) whatever the queue.
#[test]
fn alike_flows_share_a_link() {
    for (n, queue) in [(1, 0.0), (2, 0.5), (7, 1.0)] {
        let text = link("l", 60.0, 25.0) + &flow("f", "reno", "[[\"l\"]]") + &format!("count = {n}\n");
        let ideals = ideals_with(&text, queue);
        assert_eq!(ideals.own.as_deref(), Some("own"));
        for id in ["max-min", "pooled", "own"] {
            for i in 1..=n {
                close(rate(&ideals, id, &format!("f/{i}")), 60.0 / f64::from(n), 1e-4);
            }
            close(allocation(&ideals, id).jain.unwrap(), 1.0, 1e-9);
        }
        // 50 ms, a packet's 0.2 ms, and the queue: 1 BDP is 50 ms.
        let rtt = 0.05 + 12e3 / 60e6 + queue * 0.05;
        let subflow = &flow_of(&ideals, "own", "f/1").subflows[0];
        close(subflow.rtt_s.unwrap(), rtt, 1e-9);
        let w = segments(60.0, rtt) / f64::from(n);
        close(subflow.cwnd_segments.unwrap(), w, 1e-6);
        close(subflow.loss_rate.unwrap(), 1.5 / (w * w), 1e-5);
        close(allocation(&ideals, "own").links[0].loss_rate.unwrap(), 1.5 / (w * w), 1e-5);
    }
}

/// Where random loss keeps a link from filling, windows are the response functions: Reno's goes with 1/√p and not with
/// the round-trip time, CUBIC's with (T/p)^¾, and nothing waits.
#[test]
fn random_loss_alone() {
    for (p, delay_ms) in [(1e-4_f64, 10.0_f64), (4e-4, 100.0), (1e-5, 100.0)] {
        let text = format!(
            "links.l = {{ rate = \"10 Gbit/s\", delay = \"{delay_ms} ms\", loss = {{ model = \"bernoulli\", rate = {p} }} }}\n"
        ) + &flow("reno", "reno", "[[\"l\"]]")
            + &flow("cubic", "cubic", "[[\"l\"]]");
        let ideals = ideals_with(&text, 1.0);
        let rtt = delay_ms / 500.0 + 1.2e-6;
        let of = |name| flow_of(&ideals, "own", name).subflows[0].clone();
        close(of("reno").cwnd_segments.unwrap(), (1.5 / p).sqrt(), 1e-6);
        let cubic = (1.0538 * (rtt / p).powf(0.75)).max((1.5 / p).sqrt());
        close(of("cubic").cwnd_segments.unwrap(), cubic, 1e-4);
        close(of("cubic").rtt_s.unwrap(), rtt, 1e-9);
        assert_eq!(allocation(&ideals, "own").links[0].loss_rate, Some(0.0));
        close(rate(&ideals, "own", "reno"), (1.5 / p).sqrt() * 0.012 / rtt, 1e-6);
    }
}

/// Two Reno flows on one link have equal windows, and rates as 1/T.
#[test]
fn rates_go_with_the_inverse_of_the_round_trip() {
    let text = link("l", 40.0, 10.0)
        + &link("far", 1e6, 30.0)
        + &flow("near", "reno", "[[\"l\"]]")
        + &flow("distant", "reno", "[[\"far\", \"l\"]]");
    let ideals = ideals(&text);
    close(rate(&ideals, "own", "near"), 32.0, 1e-2); // 20 and 80 ms: 4 : 1
    close(rate(&ideals, "own", "distant"), 8.0, 1e-2);
    close(rate(&ideals, "max-min", "distant"), 20.0, 1e-5);
}

/// A Reno flow over n links with one on each beside it, at equal round-trip times: its loss rate is n-fold, its window
/// 1/√n of theirs.
#[test]
fn losses_of_links_in_a_row_add_up() {
    let text = link("a", 100.0, 10.0)
        + &link("b", 100.0, 10.0)
        + &link("c", 100.0, 10.0)
        + &link("far", 1e6, 20.0)
        + &flow("long", "reno", "[[\"a\", \"b\", \"c\"]]")
        + &["a", "b", "c"].map(|l| flow(l, "reno", &format!("[[\"far\", \"{l}\"]]"))).concat();
    let ideals = ideals(&text);
    let short = 100.0 * 3.0_f64.sqrt() / (1.0 + 3.0_f64.sqrt());
    close(rate(&ideals, "own", "a"), short, 5e-3);
    close(rate(&ideals, "own", "long"), 100.0 - short, 5e-3);
    // Max–min: halves. Proportional fairness: Kelly's line, 1/4 of each link.
    close(rate(&ideals, "max-min", "long"), 50.0, 1e-5);
    close(rate(&ideals, "pooled", "long"), 25.0, 1e-4);
}

/// Reno and CUBIC on one link, beyond CUBIC's Reno-friendly region: one loss rate gives both windows.
#[test]
fn cubic_beside_reno() {
    let text =
        link("l", 500.0, 50.0) + &flow("reno", "reno", "[[\"l\"]]") + &flow("cubic", "cubic", "[[\"l\"]]");
    let ideals = ideals(&text);
    let rtt = 0.1 + 12e3 / 500e6;
    let all = segments(500.0, rtt);
    let windows = |ln_p: f64| {
        let p = ln_p.exp();
        ((1.5 / p).sqrt(), 1.0538 * (rtt / p).powf(0.75))
    };
    let (reno, cubic) = windows(root(|z| all - windows(z).0 - windows(z).1, -30.0, 0.0));
    assert!(cubic > 2.0 * reno);
    let own = |name| flow_of(&ideals, "own", name).subflows[0].cwnd_segments.unwrap();
    close(own("reno"), reno, 1e-3);
    close(own("cubic"), cubic, 1e-3);
}

/// Parameters count: CUBIC's window goes with C^¼, and with ((3 + β)/(4 (1 − β)))^¼. A connection of two subflows with
/// Linked CUBIC is such a flow.
#[test]
fn own_parameters() {
    let alone = |cc: &str, paths: &str| {
        let text = "links.l = { rate = \"10 Gbit/s\", delay = \"50 ms\", loss = { model = \"bernoulli\", rate = 1e-5 } }\n"
            .to_owned()
            + &flow("f", "reno", paths).replace("\"reno\"", cc);
        let ideals = ideals(&text);
        let subflows = &flow_of(&ideals, "own", "f").subflows;
        subflows.iter().map(|subflow| subflow.cwnd_segments.unwrap()).sum::<f64>()
    };
    let usual = 1.0538 * 1e4_f64.powf(0.75);
    let (one, two) = ("[[\"l\"]]", "[[\"l\"], [\"l\"]]");
    close(alone("\"cubic\"", one), usual, 1e-4);
    close(alone("{ name = \"cubic\", c = 6.4 }", one), 2.0 * usual, 1e-4);
    close(alone("{ name = \"linked-cubic\", c = 6.4 }", two), 2.0 * usual, 1e-4);
    // (3.8/0.8)/(3.7/1.2) = 57/37.
    close(alone("{ name = \"linked-cubic\", beta = 0.8 }", two), usual * (57.0_f64 / 37.0).powf(0.25), 1e-4);
    // The kernel's programs have RFC 9438's constants.
    for cc in ["cubic", "coupled-cubic", "linked-cubic"] {
        close(alone(&format!("\"{cc}@kernel\""), one), usual, 1e-4);
    }
    // Each path its own CUBIC flow, which is what it runs where nothing else is said.
    close(alone("\"uncoupled\"", two), 2.0 * usual, 1e-4);
}

/// A connection over two links of `first` and `second` Mbit/s with a flow of one path on each. A packet's transmission included,
/// both paths take 40 ms.
fn two_links(first: f64, second: f64, single: &str) -> anabranch_ideal::Ideals {
    ideals(
        &(link("l1", first, 20.0 - 6.0 / first)
            + &link("l2", second, 20.0 - 6.0 / second)
            + &flow("m", "lia", "[[\"l1\"], [\"l2\"]]")
            + &flow("s1", single, "[[\"l1\"]]")
            + &flow("s2", single, "[[\"l2\"]]")),
    )
}

/// Equal links: three connections have two thirds of a link each, by every measure; half of a single flow's window on
/// each path.
#[test]
fn three_connections_pool_two_links() {
    let ideals = two_links(30.0, 30.0, "reno");
    assert_eq!(ideals.own.as_deref(), Some("lia"));
    for id in ["max-min", "pooled", "lia", "olia", "balia"] {
        for name in ["m", "s1", "s2"] {
            close(rate(&ideals, id, name), 20.0, 1e-4);
        }
    }
    for id in ["lia", "olia", "balia"] {
        close(subflow_rate(&ideals, id, "m", 1), 10.0, 1e-3);
    }
    // Linked CUBIC does the same beside CUBIC.
    let ideals = two_links(30.0, 30.0, "cubic");
    close(rate(&ideals, "linked-cubic", "m"), 20.0, 1e-4);
    // In CUBIC's Reno region the others do, too.
    close(rate(&ideals, "balia", "m"), 20.0, 1e-2);
}

fn shares(ideals: &anabranch_ideal::Ideals, id: &str, expected: [f64; 4]) {
    let (m1, m2) = (subflow_rate(ideals, id, "m", 0), subflow_rate(ideals, id, "m", 1));
    let ours = [m1, m2, rate(ideals, id, "s1"), rate(ideals, id, "s2")];
    ours.iter().zip(expected).for_each(|(ours, expected)| close(*ours, expected, 1e-4));
}

/// Unequal links, by hand. One round-trip time: a path's window determines its rate. Let p₁ = 4 p₂, so that a Reno flow's
/// window on the first link is half of that on the second.
///
/// LIA: RFC 6356's increase is the same on both paths and the decrease p w/2 too, so that w₁ : w₂ = p₂ : p₁ = 1 : 4,
/// and α is such that w₁ + w₂ is a Reno flow's on the second path. In its fifths m has 1 + 4, s1 2.5 and s2 5: links of 3.5
/// and 9, here times four.
#[test]
fn lia_on_unequal_links_by_hand() {
    let ideals = two_links(14.0, 36.0, "reno");
    shares(&ideals, "lia", [4.0, 16.0, 10.0, 20.0]);
    // Max–min and pooling: the flow on the first link has it for itself, the others have halves of the second.
    for id in ["max-min", "pooled"] {
        for (name, fair) in [("s1", 14.0), ("m", 18.0), ("s2", 18.0)] {
            close(rate(&ideals, id, name), fair, 1e-4);
        }
    }
}

/// BALIA, with its published increase x/(T y²) · (1 + α)/2 · (4 + α)/5, which a Reno flow's balance x y²-fold turns into
/// (1 + α)/2 · (4 + α)/5 ÷ decrease = p T² y²/1.5 = (y/X)². On the best path α = 1: y is a Reno flow's rate there.
///
/// With x₂ = 3.5 x₁: α = 3.5, 2.25 · 1.5 = 3.375 for an increase, and the decrease is at its limit of 1.5: (y/X)² = 2.25.
/// With x₁ = 2: m has 2 + 7 = 9, s2 9, s1 9/1.5 = 6: links of 8 and 16.
///
/// With x₂ = 1.5 x₁, below the limit: α = 1.5, 1.25 · 1.1 ÷ 1.25: (y/X)² = 1.1. With x₁ = 4: m has 4 + 6, s2 10, s1 10/√1.1.
#[test]
fn balia_on_unequal_links_by_hand() {
    shares(&two_links(8.0, 16.0, "reno"), "balia", [2.0, 7.0, 6.0, 9.0]);
    let alone = 10.0 / 1.1_f64.sqrt();
    shares(&two_links(4.0 + alone, 16.0, "reno"), "balia", [4.0, 6.0, alone, 10.0]);
}

/// OLIA pools: 24 and 36 Mbit/s make 20 for each of three connections, 4 of the connection's on the first link. With LIA
/// it is more there.
#[test]
fn olia_pools_where_lia_does_not() {
    let ideals = two_links(24.0, 36.0, "reno");
    for name in ["m", "s1", "s2"] {
        close(rate(&ideals, "olia", name), 20.0, 5e-3);
    }
    assert!((subflow_rate(&ideals, "olia", "m", 0) - 4.0).abs() < 0.2);
    assert!(subflow_rate(&ideals, "lia", "m", 0) > 6.0);
}

/// Alone on two links every algorithm fills both, at loss rates that make it do so.
#[test]
fn alone_it_fills_both_links() {
    let text = link("l1", 10.0, 5.0) + &link("l2", 90.0, 50.0) + &flow("m", "balia", "[[\"l1\"], [\"l2\"]]");
    let ideals = ideals_with(&text, 0.5);
    assert_eq!(ideals.allocations.len(), 6);
    for allocation in &ideals.allocations {
        close(rate(&ideals, &allocation.id, "m"), 100.0, 1e-5);
        allocation.links.iter().for_each(|link| close(link.utilisation, 1.0, 1e-5));
    }
}

/// Two subflows on one link beside a flow of one path: one flow's share together.
#[test]
fn two_subflows_on_one_link_are_one_flow() {
    for (single, ids) in [("reno", &["lia", "olia", "balia"][..]), ("cubic", &["linked-cubic"])] {
        let text = link("l", 400.0, 50.0)
            + &flow("m", "lia", "[[\"l\"], [\"l\"]]")
            + &flow("s", single, "[[\"l\"]]");
        let ideals = ideals_with(&text, 0.5);
        for id in ids.iter().chain(&["max-min", "pooled"]) {
            close(rate(&ideals, id, "m"), 200.0, 1e-4);
            close(rate(&ideals, id, "s"), 200.0, 1e-4);
        }
    }
}
