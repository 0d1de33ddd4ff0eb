//! Small networks whose ideals can be written down.

mod common;

use common::*;

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

/// A connection over two links of `second` and `first` Mbit/s with a flow of one path on each, all 40 ms.
fn two_links(first: f64, second: f64, single: &str) -> anabranch_ideal::Ideals {
    ideals(
        &(link("l1", first, 20.0)
            + &link("l2", second, 20.0)
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

/// Unequal links, by hand: with r = W₁/W₂ the ratio of the loads is 1/2.
#[test]
fn unequal_links_by_hand() {
    let ideals = two_links(20.0, 40.0, "reno");
    // Equal times but for a packet's transmission, 0.6 against 0.3 ms of 40.
    let within = 1e-2;
    let check = |id: &str, first_part: &dyn Fn(f64) -> f64| {
        // In units of W₂: the multipath windows add up to 1, `first_part(r)` of it on link 1.
        let loads = |r: f64| (r + first_part(r)) / (1.0 + 1.0 - first_part(r));
        let r = root(|r| loads(r) - 0.5, 1e-3, 1.0);
        let second = 40.0 / (2.0 - first_part(r)); // W₂'s rate
        close(rate(&ideals, id, "s2"), second, within);
        close(rate(&ideals, id, "s1"), r * second, within);
        close(rate(&ideals, id, "m"), second, within);
        close(subflow_rate(&ideals, id, "m", 0), first_part(r) * second, 3.0 * within);
    };
    check("lia", &|r| r * r / (1.0 + r * r)); // w ∝ 1/p ∝ W²
    check("balia", &|r| {
        let u = 1.0 / (r * r);
        let alpha = if u < 1.2 { 5.0 * u - 4.0 } else { ((9.0 + 60.0 * u).sqrt() - 5.0) / 2.0 };
        1.0 / (1.0 + alpha)
    });
    // Max–min and pooling: (20 + 40)/3 = 20 each, so that link 1 is its own flow's.
    for id in ["max-min", "pooled"] {
        for name in ["m", "s1", "s2"] {
            close(rate(&ideals, id, name), 20.0, 1e-4);
        }
    }
}

/// OLIA pools: 24 and 36 Mbit/s make 20 for each of three connections, 4 of the connection's on the first link. With LIA
/// it is more there.
#[test]
fn olia_pools_where_lia_does_not() {
    let ideals = two_links(24.0, 36.0, "reno");
    for name in ["m", "s1", "s2"] {
        close(rate(&ideals, "olia", name), 20.0, 1e-2);
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

/// Two subflows on one link beside a flow of one path: one flow's part together.
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
