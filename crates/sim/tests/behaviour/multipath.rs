//! MPTCP: aggregation, failover, backup, schedulers, the shared receive window.

use crate::common::*;
use anabranch_record::Summary;

/// Payload of MPTCP in a packet's 1500 bytes.
const PAYLOAD: f64 = 1428.0 / 1500.0;

/// Two disjoint paths, `a` with 20 Mbit/s and 10 ms one way, `b` with 10 Mbit/s and 25 ms, and one flow.
fn two_paths(a: &str, b: &str, cc: &str, flow: &str) -> String {
    link_of("a", 20, 10, a) + &link_of("b", 10, 25, b) + &flow_of("two", cc, &["a", "b"], flow)
}

fn rates(summary: &Summary) -> (f64, f64, f64) {
    let one = &summary.flows[0];
    (one.goodput_bps.unwrap(), one.subflows[0].goodput_bps.unwrap(), one.subflows[1].goodput_bps.unwrap())
}

/// Over 200 s: what waits behind a hole at the start of measuring, up to 0.4 MB, counts as delivered after it.
#[test]
fn two_clean_paths_add_up() {
    for cc in ["lia", "uncoupled", "reno", "coupled-cubic"] {
        for scheduler in ["minrtt", "roundrobin", "blest", "linux"] {
            let text = two_paths("", "", cc, &format!("scheduler = \"{scheduler}\""));
            let summary = run(230.0, 30.0, &text);
            let (total, a, b) = rates(&summary);
            assert!(
                total > 0.95 * 30e6 * PAYLOAD && total <= 30e6 * PAYLOAD * 1.001,
                "{cc}, {scheduler}: {total}"
            );
            assert!((a + b - total).abs() < 0.001 * total, "{cc}, {scheduler}: {a} + {b} is not {total}");
        }
    }
}

/// The path's 3.3 MB of the last second and all that was in flight on it go out on the other.
#[test]
fn a_path_that_dies_is_replaced() {
    for (dead, rest) in [("a", 10e6), ("b", 20e6)] {
        for scheduler in ["minrtt", "roundrobin", "blest", "linux"] {
            let down = "changes = [{ at = \"5 s\", up = false }]";
            let (a, b) = if dead == "a" { (down, "") } else { ("", down) };
            let text = two_paths(a, b, "lia", &format!("scheduler = \"{scheduler}\""));
            let summary = run(30.0, 10.0, &text);
            let (total, on_a, on_b) = rates(&summary);
            assert!(total > 0.97 * rest * PAYLOAD, "{dead} dies, {scheduler}: {total}");
            assert_eq!(if dead == "a" { on_a } else { on_b }, 0.0);
            // A number of bytes arrives whole, with the dead path's data retransmitted on the other.
            let sized = text + "application = { kind = \"bulk\", size = \"30 MB\" }\n";
            let summary = run(60.0, 0.0, &sized);
            assert_eq!(summary.flows[0].delivered_bytes, 30_000_000, "{dead} dies, {scheduler}");
            // Each segment that is sent on a subflow for the first time has new data, or was reinjected.
            let flow = &summary.flows[0];
            let sent: u64 = flow.subflows.iter().map(|s| s.sent_segments - s.retransmitted_segments).sum();
            assert!(flow.reinjected_segments > 0, "{dead} dies, {scheduler}");
            let expected = 30_000_000u64.div_ceil(1428) + flow.reinjected_segments;
            assert_eq!(sent, expected, "{dead} dies, {scheduler}");
        }
    }
}

#[test]
fn a_path_that_comes_back_is_used_again() {
    let a = "changes = [{ at = \"5 s\", up = false }, { at = \"10 s\", up = true }]";
    let summary = run(60.0, 30.0, &two_paths(a, "", "lia", ""));
    let (total, ..) = rates(&summary);
    assert!(total > 0.95 * 30e6 * PAYLOAD, "{total}");
}

#[test]
fn a_backup_waits_until_it_is_needed() {
    for scheduler in ["minrtt", "roundrobin", "redundant", "blest", "linux"] {
        let text = two_paths("", "", "lia", &format!("scheduler = \"{scheduler}\"\nbackup = [2]"));
        let backup = &run(10.0, 5.0, &text).flows[0].subflows[1];
        assert_eq!(backup.sent_segments, 0, "{scheduler}: the backup was used");
    }
}

#[test]
fn a_backup_steps_in_and_out() {
    for scheduler in ["minrtt", "roundrobin", "blest"] {
        let flow = format!("scheduler = \"{scheduler}\"\nbackup = [2]");
        let run = |duration, warmup, a: &str| run(duration, warmup, &two_paths(a, "", "lia", &flow));
        let (total, on_a, on_b) = rates(&run(30.0, 5.0, ""));
        assert_eq!(on_b, 0.0, "the backup carried data");
        assert!(on_a > 0.98 * 20e6 * PAYLOAD && total == on_a, "{total} {on_a}");

        let (total, _, on_b) = rates(&run(30.0, 10.0, "changes = [{ at = \"5 s\", up = false }]"));
        assert!(total > 0.95 * 10e6 * PAYLOAD && on_b == total, "{total}, {on_b} on the backup");

        let down_and_up = "changes = [{ at = \"5 s\", up = false }, { at = \"8 s\", up = true }]";
        let (_, on_a, on_b) = rates(&run(30.0, 20.0, down_and_up));
        assert!(
            on_a > 0.95 * 20e6 * PAYLOAD && on_b < 0.01 * on_a,
            "back on the regular path: {on_a}, {on_b}"
        );
    }
}

#[test]
fn subflows_come_and_go() {
    let flow = "events = [{ at = \"10 s\", path = 2, action = \"add\" }, { at = \"20 s\", path = 1, action = \"remove\" }, { at = \"30 s\", path = 1, action = \"add\" }]";
    let text = two_paths("", "", "lia", flow);
    let (_, samples) = record(44.0, 0.0, &text);
    let delivered = |at: f64| -> f64 {
        (0..2)
            .filter_map(|s| {
                let series = samples.series("two", s).unwrap();
                let i = series.time_s.iter().rposition(|t| *t <= at)?;
                Some(series.delivered_bytes[i])
            })
            .sum()
    };
    for (from, to, expected) in
        [(2.0, 10.0, 20e6), (14.0, 20.0, 30e6), (21.0, 30.0, 10e6), (34.0, 43.9, 30e6)]
    {
        let rate = (delivered(to) - delivered(from)) * 8.0 / (to - from);
        assert!((rate / (expected * PAYLOAD) - 1.0).abs() < 0.02, "{from} to {to} s: {rate}");
    }
    let sized = text + "application = { kind = \"bulk\", size = \"90 MB\" }\n";
    assert_eq!(run(60.0, 0.0, &sized).flows[0].delivered_bytes, 90_000_000);
}

/// A transfer over two paths whose subflows have `events`; the bytes that arrive within a minute.
fn transfer(scheduler: &str, bytes: u64, a: &str, b: &str, events: &str) -> u64 {
    let text = format!(
        "{EXACT}[links.a]\nrate = \"500 kbit/s\"\ndelay = \"50 ms\"\nqueue = \"5 packets\"\n{a}\n\
         [links.b]\nrate = \"8 Mbit/s\"\ndelay = \"2 ms\"\nqueue = \"50 packets\"\n{b}\n\
         [[flows]]\nname = \"two\"\ncc = \"reno\"\nscheduler = \"{scheduler}\"\npaths = [[\"a\"], [\"b\"]]\nevents = [{events}]\n\
         application = {{ kind = \"bulk\", size = \"{bytes} B\" }}\n"
    );
    run(60.0, 0.0, &text).flows[0].delivered_bytes
}

/// The second path loses what it has in flight and times out while the first has no room: the chunks
/// queued for reinjection on the first must not stand in the way of those of the first, which is removed.
#[test]
fn reinjection_is_not_held_up_by_the_other_paths_chunks() {
    let b = "changes = [{ at = \"258 ms\", up = false }, { at = \"358 ms\", up = true }]";
    for at in [480, 510, 540, 570, 600, 630] {
        let events = format!("{{ at = \"{at} ms\", path = 1, action = \"remove\" }}");
        assert_eq!(transfer("minrtt", 60_000, "", b, &events), 60_000, "removed at {at} ms");
    }
}

/// All subflows leave while data is under way, and one comes back after all was sent.
#[test]
fn a_subflow_can_be_added_while_anything_is_unacknowledged() {
    for scheduler in ["minrtt", "redundant", "linux"] {
        for (remove, bytes) in [(130, 1000), (180, 40_000), (240, 10_000), (310, 20_000), (480, 20_000)] {
            for gap in [1, 2, 10] {
                let events = format!(
                    "{{ at = \"{remove} ms\", path = 1, action = \"remove\" }}, \
                     {{ at = \"{} ms\", path = 2, action = \"remove\" }}, \
                     {{ at = \"900 ms\", path = 1, action = \"add\" }}",
                    remove + gap
                );
                assert_eq!(transfer(scheduler, bytes, "", "", &events), bytes, "{scheduler}, {events}");
            }
        }
    }
}

/// The first path's SYN is lost and the path removed before the next try.
#[test]
fn another_path_opens_the_connection_if_the_first_is_removed() {
    let a = "changes = [{ at = \"0 s\", up = false }]";
    let events = "{ at = \"500 ms\", path = 1, action = \"remove\" }";
    assert_eq!(transfer("minrtt", 20_000, a, "", events), 20_000);
}

/// Everything on both: the rate equals the best path's, and a loss of it stalls nothing.
#[test]
fn redundancy_gives_the_best_path_and_no_stall() {
    let (total, ..) = rates(&run(60.0, 20.0, &two_paths("", "", "reno", "scheduler = \"redundant\"")));
    assert!((0.95..1.01).contains(&(total / (20e6 * PAYLOAD))), "{total}");

    // A path that dies: responses continue without a timeout's pause. Each has 3 segments.
    let flow = "scheduler = \"SCHEDULER\"\ntcp = { min_rto = \"1 s\" }\n\
        application = { kind = \"request-response\", size = \"4 kB\", think = \"20 ms\" }\n";
    let slowest = |scheduler: &str| {
        let dies = "changes = [{ at = \"5010 ms\", loss = { model = \"bernoulli\", rate = 1 } }]";
        let text = two_paths(dies, "", "reno", &flow.replace("SCHEDULER", scheduler));
        let (_, samples) = record(10.0, 2.0, &text);
        assert!(samples.completions.last().unwrap().time_s > 9.0, "{scheduler}");
        samples.completions.iter().filter(|c| c.time_s > 2.0).map(|c| c.completion_s).fold(0.0, f64::max)
    };
    let (redundant, minrtt) = (slowest("redundant"), slowest("minrtt"));
    assert!(redundant < 0.15, "{redundant}");
    assert!(minrtt > 0.4, "{minrtt}");
}

/// 50 Mbit/s and 10 ms of round trip beside 2 Mbit/s and 300 ms.
fn unequal(scheduler: &str, buffer: &str, more: &str) -> Summary {
    let more = format!("scheduler = \"{scheduler}\"\ntcp = {{ receive_buffer = \"{buffer}\" }}\n{more}");
    let links = link_of("fast", 50, 5, "") + &link_of("slow", 2, 150, "queue = \"100 packets\"");
    run(60.0, 10.0, &(links + &flow_of("two", "cubic", &["fast", "slow"], &more)))
}

/// With less buffer than the slow path's delay times the rate, what is sent there blocks the fast path.
#[test]
fn blest_does_not_let_the_slow_path_block() {
    for buffer in ["150 kB", "300 kB", "600 kB"] {
        let goodput = |scheduler| unequal(scheduler, buffer, "").flows[0].goodput_bps.unwrap();
        let (blest, minrtt) = (goodput("blest"), goodput("minrtt"));
        assert!(blest >= 0.99 * minrtt, "{buffer}: {blest} {minrtt}");
    }
}

/// A slow subflow's full queue holds a small receive buffer up; with its window halved once per round trip the
/// buffer serves the fast one (Raiciu et al., NSDI 2012, §4.2).
#[test]
fn a_slow_path_that_holds_the_window_up_is_penalised() {
    for (scheduler, least) in [("minrtt", 2.0), ("roundrobin", 1.0)] {
        let ((with, _, slow), (without, ..)) = (
            rates(&unequal(scheduler, "300 kB", "")),
            rates(&unequal(scheduler, "300 kB", "penalise = false")),
        );
        assert!(with > least * without && slow > 0.0, "{scheduler}: {with} {without}; slow {slow}");
    }
}

/// The goodput over both paths ÷ the goodput of a Reno flow over `fast` alone with the same receive buffer, ten seeds, and the
/// least that the promise of the penalty (NSDI 2012, §4.2) allows: the DSS option takes 20 of the 1448 bytes of a packet's payload,
/// and at either end of the 50 s that count a segment is on this side or on that.
fn over_the_best_path(network: &str, cc: &str, scheduler: &str, buffer: &str) -> (f64, f64, f64) {
    let tcp = format!("tcp = {{ receive_buffer = \"{buffer}\" }}\n");
    let goodput = |flow: &str, seed| {
        run_seed(60.0, 10.0, &(network.to_owned() + flow), seed).flows[0].goodput_bps.unwrap()
    };
    let both = flow_of("one", cc, &["fast", "slow"], &format!("{tcp}scheduler = \"{scheduler}\""));
    let one = flow_of("one", "reno", &["fast"], &tcp);
    let alone: Vec<f64> = (1..=10).map(|seed| goodput(&one, seed)).collect();
    let ratios: Vec<f64> = (1..=10).zip(&alone).map(|(seed, alone)| goodput(&both, seed) / alone).collect();
    let (mean, half) = mean_and_half_width(&ratios);
    let segments = 2.0 * 1448.0 * 8.0 / 50.0;
    let least = 1428.0 / 1448.0 - segments / mean_and_half_width(&alone).0;
    (mean, half, least)
}

/// The promise in a network like the paper's: Wi-Fi (8 Mbit/s, 20 ms, 80 ms of queue) and 3G (2 Mbit/s, 150 ms, 2 s of queue). The
/// initial slow start over 3G is the hard phase: its queue alone holds 333 packets.
#[test]
fn with_a_penalty_mptcp_is_not_below_wifi() {
    let network = "[links.fast]\nrate = \"8 Mbit/s\"\ndelay = \"10 ms\"\nqueue = \"80 kB\"\n\
                   [links.slow]\nrate = \"2 Mbit/s\"\ndelay = \"75 ms\"\nqueue = \"500 kB\"\n";
    for buffer in ["50 kB", "100 kB", "200 kB", "300 kB", "500 kB"] {
        for cc in ["lia", "olia", "balia"] {
            let (mean, half, least) = over_the_best_path(network, cc, "minrtt", buffer);
            assert!(mean > least, "{cc}, {buffer}: {mean} ± {half}, {least}");
        }
    }
}

/// The promise where the slow path's bandwidth-delay product is 250 kB, and while a segment crosses it the fast path sends 500 kB. The
/// penalty does not keep it with 100 and 200 kB, and so the book says; BLEST, which leaves the slow path alone there, does to a thousandth.
#[test]
fn beside_a_slow_path_of_a_large_bdp_blest_keeps_the_promise_and_the_penalty_does_not() {
    let network = "[links.fast]\nrate = \"20 Mbit/s\"\ndelay = \"10 ms\"\nqueue = \"1 BDP\"\n\
                   [links.slow]\nrate = \"10 Mbit/s\"\ndelay = \"100 ms\"\nqueue = \"1 BDP\"\n";
    for (buffer, penalty_is_enough) in
        [("50 kB", true), ("100 kB", false), ("200 kB", false), ("300 kB", true)]
    {
        let (mean, half, least) = over_the_best_path(network, "lia", "minrtt", buffer);
        assert_eq!(mean > least, penalty_is_enough, "minrtt, {buffer}: {mean} ± {half}, {least}");
        let (mean, half, least) = over_the_best_path(network, "lia", "blest", buffer);
        assert!(mean > 0.999 * least, "blest, {buffer}: {mean} ± {half}, {least}");
    }
}

/// While a segment crosses the slow path the fast one sends 50 Mbit/s × 0.3 s = 1.9 MB, up to λ = 1.3 times that by the
/// estimate: 4 MB hold it, 1 MB do not.
#[test]
fn blest_uses_the_slow_path_where_the_buffer_allows_it() {
    let slow = |buffer: &str| rates(&unequal("blest", buffer, "")).2;
    let (small, large) = (slow("1 MB"), slow("4 MB"));
    assert!(small < 0.1 * 2e6 * PAYLOAD, "{small}");
    assert!(large > 0.5 * 2e6 * PAYLOAD, "{large}");
}

/// A window of 64 KiB per round trip, in whole segments; one of 1 GiB does not limit.
#[test]
fn the_receive_buffer_limits_to_a_buffer_per_round_trip() {
    for (buffer, rtt) in [(65_536.0, 0.05), (131_072.0, 0.1), (1e6, 0.2)] {
        let tcp = format!("tcp = {{ receive_buffer = \"{buffer} B\" }}");
        let text = link_of("path", 1000, rtt * 500.0, "") + &flow_of("one", "cubic", &["path"], &tcp);
        let summary = run(60.0, 20.0, &text);
        let expected = (buffer / 1448.0f64).floor() * 1448.0 * 8.0 / rtt;
        let goodput = summary.flows[0].goodput_bps.unwrap();
        assert!((0.95..1.001).contains(&(goodput / expected)), "{buffer} B, {rtt} s: {goodput}");
        assert_eq!(summary.links[0].drops, 0);
    }
}

/// When the window is full, the chunk that holds it up goes out on the fast path as well (NSDI 2012, §4.2):
/// otherwise each window would wait for the slow path, 150 kB for each of its round trips.
#[test]
fn a_full_window_makes_the_fast_path_repeat_what_is_missing() {
    let text = link_of("fast", 50, 5, "")
        + &link_of("slow", 2, 400, "")
        + &flow_of("two", "lia", &["fast", "slow"], "tcp = { receive_buffer = \"150 kB\" }");
    let summary = run(60.0, 10.0, &text);
    let two = &summary.flows[0];
    let waiting = 150e3 * 8.0 / 0.8;
    assert!(two.reinjected_segments > 0);
    assert!(two.goodput_bps.unwrap() > 1.5 * waiting, "{}", two.goodput_bps.unwrap());
}
