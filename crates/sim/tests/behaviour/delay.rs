//! Algorithms that watch the delay: what they keep queued, how they share, and where delay no longer
//! helps.

use crate::common::*;
use anabranch_record::Summary;

/// Links l0, l1, … of these rates in Mbit/s, all with the same delay in ms and queue.
fn links(rates: &[f64], delay: f64, queue: &str) -> String {
    let link = |(i, rate)| link_of(&format!("l{i}"), rate, delay, &format!("queue = \"{queue}\""));
    rates.iter().enumerate().map(link).collect()
}

/// A flow with a path over each of the links named.
fn flow_over(name: &str, cc: &str, links: &[usize]) -> String {
    flow_of(name, cc, &links.iter().map(|i| format!("l{i}")).collect::<Vec<_>>(), "")
}

/// The mean queue of each link, in packets, the one that is being sent not included.
fn queues(summary: &Summary) -> Vec<f64> {
    summary.links.iter().map(|l| l.mean_queue_bytes / 1500.0).collect()
}

/// The mean of an observable on each path of the first flow.
fn observed(summary: &Summary, name: &str) -> Vec<f64> {
    let find = |list: &[(String, Option<f64>)]| list.iter().find(|(n, _)| n == name).unwrap().1.unwrap();
    summary.flows[0].subflows.iter().map(|s| find(&s.mean_observables)).collect()
}

/// Vegas' purpose: between α = 2 and β = 4 segments in the queue, and the link full. With an ACK for every
/// segment, that is what the link sees. Delayed ACKs make segments arrive in pairs, of which the delay shows the better placed one:
/// up to two more at the link, nothing more by the delay.
#[test]
fn vegas_alone_keeps_two_to_four_segments_queued() {
    for (mbit, delay) in [(5.0, 50.0), (10.0, 20.0), (50.0, 10.0)] {
        let run = |ack| {
            let text = links(&[mbit], delay, "4 BDP") + &flow_over("one", "vegas", &[0]);
            run(90.0, 30.0, &(text + &format!("tcp.delayed_ack = {ack}\n")))
        };
        for (ack, most) in [(1, 4.0), (2, 6.0)] {
            let summary = run(ack);
            let (queue, diff) = (queues(&summary)[0], observed(&summary, "diff")[0]);
            assert!((2.0..=most).contains(&queue), "{mbit} Mbit/s, ACK per {ack}: {queue:.2} queued");
            assert!((2.0..=4.0).contains(&diff), "{mbit} Mbit/s, ACK per {ack}: {diff:.2} by the delay");
            assert!(summary.links[0].utilisation > 0.999 && summary.links[0].drops == 0);
        }
    }
}

/// wVegas alone keeps Σ `α_r` queued: 10 where no path is held at the floor of 2, Σ max(2, 10 x/Σx) in
/// general. Windows move by whole segments, hence one segment per path. An ACK for every segment.
#[test]
fn wvegas_alone_keeps_its_total_backlog() {
    let alike = [20.0; 8];
    let unlike = [10.0, 20.0, 5.0, 10.0, 20.0, 5.0, 10.0, 20.0];
    for rates in [&alike[..1], &alike[..2], &alike[..3], &alike, &unlike[..2], &unlike[..3], &unlike] {
        let n = rates.len();
        let total: f64 = rates.iter().sum();
        let target: f64 = rates.iter().map(|rate| f64::max(2.0, 10.0 * rate / total)).sum();
        let paths: Vec<usize> = (0..n).collect();
        let text = links(rates, 20.0, "4 BDP") + &flow_over("one", "wvegas", &paths);
        let summary = run(120.0, 60.0, &(text + "tcp.delayed_ack = 1\n"));
        let backlog: f64 = queues(&summary).iter().sum();
        let alpha: f64 = observed(&summary, "alpha_r").iter().sum();
        assert!((alpha / target - 1.0).abs() < 0.05, "{rates:?}: sum of alpha_r {alpha}, {target}");
        assert!((backlog - target).abs() <= n as f64, "{rates:?}: {backlog} queued, {target}");
        assert!(summary.links.iter().all(|l| l.utilisation > 0.99 && l.drops == 0), "{rates:?}");
    }
}

/// Why the smallest queueing delay is not taken over all rounds: the queue would never be filled, and after
/// each try the window is halved.
#[test]
fn wvegas_drained_always_leaves_the_link_idle() {
    for (drain, range) in [("target", 0.99..1.01), ("always", 0.0..0.5)] {
        let cc = format!("{{ name = \"wvegas\", drain = \"{drain}\" }}");
        let summary = run(90.0, 30.0, &(links(&[20.0], 20.0, "4 BDP") + &flow_over("one", &cc, &[0])));
        let used = summary.links[0].utilisation;
        assert!(range.contains(&used), "{drain}: {used}");
    }
}

/// However many subflows share a bottleneck: the backlog is the connection's, and so is the rate, as long
/// as no subflow is at its floor of 2. Within 15 %.
#[test]
fn wvegas_subflows_on_one_bottleneck_are_one_flow() {
    for subflows in [2, 4] {
        let text = links(&[20.0], 20.0, "4 BDP")
            + &flow_over("multi", "wvegas", &vec![0; subflows])
            + &flow_over("single", "wvegas", &[0]);
        let summary = run(230.0, 30.0, &text);
        let ratio = goodput(flow(&summary, "multi")) / goodput(flow(&summary, "single"));
        assert!((0.85..1.15).contains(&ratio), "{subflows} subflows: {ratio}");
    }
}

/// Low, Peterson, Wang (2002): at one queue rates are as backlogs. wVegas keeps 10 segments where Vegas
/// keeps 2 to 4, so it takes 2.5 to 5 times as much.
#[test]
fn wvegas_takes_more_than_vegas_by_its_larger_backlog() {
    let text = links(&[20.0], 20.0, "4 BDP")
        + &flow_over("wvegas", "wvegas", &[0, 0])
        + &flow_over("vegas", "{ name = \"vegas\", rtt = \"mean\" }", &[0]);
    let summary = run(230.0, 30.0, &text);
    let ratio = goodput(flow(&summary, "wvegas")) / goodput(flow(&summary, "vegas"));
    assert!((2.5..=5.0).contains(&ratio), "{ratio}");
}

/// Cao et al.: at equilibrium the price q of a connection's paths, the queueing delay, is the same, for α_r =
/// q x_r = 10 x_r/y. A link of 40 and one of 20 Mbit/s with one flow over both, and a second flow on the first
/// link: y = 10/q for each flow, so each has 30 Mbit/s and q = 4 ms on both links, 13.3 and 6.7 segments of
/// 1500 bytes. Windows move by whole segments, hence one segment per path; within 15 % for the rates.
#[test]
fn wvegas_equalises_the_prices_of_its_paths() {
    let text = links(&[40.0, 20.0], 20.0, "4 BDP")
        + &flow_over("multi", "wvegas", &[0, 1])
        + "tcp.delayed_ack = 1\n"
        + &flow_over("single", "wvegas", &[0])
        + "tcp.delayed_ack = 1\n";
    for seed in 1..=3 {
        let summary = run_seed(330.0, 130.0, &text, seed);
        let backlog = queues(&summary);
        let ratio = goodput(flow(&summary, "multi")) / goodput(flow(&summary, "single"));
        let price = observed(&summary, "queue_delay");
        assert!(price.iter().all(|q| (q / 0.004 - 1.0).abs() < 0.15), "{price:?}");
        assert!(
            (backlog[0] - 40.0 / 3.0).abs() <= 2.0 && (backlog[1] - 20.0 / 3.0).abs() <= 1.0,
            "{backlog:?}"
        );
        assert!((ratio - 1.0).abs() < 0.15, "{ratio}");
    }
}

/// Behind a buffer of b = 0.2 BDP, Reno's window goes from h = (1 + b)/2 of the BDP to 1 + b. In units of
/// the time that +1 BDP takes without a queue that is (1 − h) below the BDP, which carries (1 − h²)/2, and
/// ((1 + b)² − 1)/2 above it, with the link full: 0.871 of the link. Compound makes up what the loss took
/// before a queue forms.
#[test]
fn compound_fills_a_link_with_a_shallow_buffer() {
    let used = |cc: &str| {
        let text = links(&[100.0], 50.0, "0.2 BDP") + &flow_over("one", cc, &[0]);
        run(230.0, 100.0, &text).links[0].utilisation
    };
    let (reno, compound, wcompound) = (used("reno"), used("compound"), used("wcompound"));
    assert!((reno - 0.871).abs() < 0.02, "Reno {reno}");
    assert!(compound > 0.96 && wcompound > 0.96, "Compound {compound}, wCompound {wcompound}");
}

/// With a loss in 10^5 packets Reno has 1.31/√p = 414 of the BDP's 833 segments. Compound's response
/// function exceeds the BDP, but above γ queued segments the delay window gives way: it takes twice Reno's
/// rate or almost all of the link, with less than γ = 30 segments queued, where CUBIC fills the buffer. Without jitter of
/// the hosts: up to a packet's 120 µs on each ACK costs wCompound 3 % of the link.
#[test]
fn compound_uses_what_random_losses_leave_without_a_queue() {
    let run = |cc: &str| {
        let hosts = "variation.host_jitter = \"0 s\"\n".to_owned();
        let link =
            hosts + &links(&[100.0], 50.0, "4 BDP") + "loss = { model = \"bernoulli\", rate = 1e-5 }\n";
        let summary = run(330.0, 30.0, &(link + &flow_over("one", cc, &[0])));
        (summary.links[0].utilisation, queues(&summary)[0])
    };
    let [reno, compound, wcompound, cubic] = ["reno", "compound", "wcompound", "cubic"].map(run);
    for compound in [compound, wcompound] {
        assert!(compound.0 > 0.9 && compound.0 > 1.5 * reno.0, "{compound:?}, Reno {reno:?}");
        assert!(compound.1 < 30.0 && cubic.1 > 10.0 * compound.1, "{compound:?}, CUBIC {cubic:?}");
    }
}

/// The bound below: the loss window is Reno's and gives way to losses only. Where a buffer holds more than
/// a halving and 2 γ take, γ segments always queue, nothing is left to the delay window, and the queue is
/// Reno's, not a smaller one. Both by 1 %.
#[test]
fn compound_is_reno_behind_a_standing_queue() {
    let queue = |cc: &str| {
        let text = links(&[20.0], 20.0, "4 BDP") + &flow_over("one", cc, &[0]);
        queues(&run(230.0, 100.0, &text))[0]
    };
    let (reno, compound, wcompound) = (queue("reno"), queue("compound"), queue("wcompound"));
    assert!(
        (compound / reno - 1.0).abs() < 0.01 && (wcompound / reno - 1.0).abs() < 0.01,
        "{reno} {compound} {wcompound}"
    );
}

/// Two links alike, three Reno flows on the first. wCompound fills the second. On the first it takes no
/// more than Compound does, but for want of coupling in the loss windows it keeps about a Reno flow's
/// share, where LIA leaves.
#[test]
fn wcompound_has_most_of_its_traffic_on_the_path_without_others() {
    let shares = |cc: &str| {
        let text = links(&[50.0, 50.0], 20.0, "1 BDP")
            + &flow_over("multi", cc, &[0, 1])
            + &flow_over("reno", "reno", &[0])
            + "count = 3\n";
        let summary = run(230.0, 30.0, &text);
        let own: Vec<f64> = summary.flows[0].subflows.iter().map(|s| s.goodput_bps.unwrap()).collect();
        let reno = summary.flows[1..].iter().map(goodput).sum::<f64>() / 3.0;
        (own[1] / (own[0] + own[1]), own[0] / reno)
    };
    let [lia, compound, wcompound] = ["lia", "compound", "wcompound"].map(shares);
    assert!(wcompound.0 > 0.75, "{wcompound:?}");
    assert!(wcompound.1 < 1.05 * compound.1, "wCompound {wcompound:?}, Compound {compound:?}");
    assert!((0.75..1.1).contains(&wcompound.1) && lia.1 < 0.4, "wCompound {wcompound:?}, LIA {lia:?}");
}

/// wVegas leaves a path whose queue others fill, and so has its total on the other one.
#[test]
fn wvegas_leaves_a_path_with_loss_based_flows() {
    let text = links(&[50.0, 50.0], 20.0, "1 BDP")
        + &flow_over("multi", "wvegas", &[0, 1])
        + &flow_over("cubic", "cubic", &[0]);
    let summary = run(130.0, 30.0, &text);
    let own: Vec<f64> = summary.flows[0].subflows.iter().map(|s| s.goodput_bps.unwrap()).collect();
    assert!(own[0] < 0.05 * own[1], "{own:?}");
    assert!(summary.links[1].utilisation > 0.99 && queues(&summary)[1] < 12.0);
}
