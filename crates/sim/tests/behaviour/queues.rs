//! Managed queues with TCP over them: what their RFCs promise. 40 Mbit/s, a base RTT of 40 ms, a buffer of 400 ms.

use crate::common::*;
use anabranch_net::Discipline;
use anabranch_record::Summary;

fn kinds() -> impl Iterator<Item = &'static str> {
    Discipline::ALL[1..].iter().map(|kind| kind.name)
}

fn bottleneck(aqm: &str) -> String {
    link_of("path", 40, 20, &format!("queue = \"10 BDP\"\naqm = {{ kind = \"{aqm}\" }}"))
}

fn flows(cc: &str, count: u32, more: &str) -> String {
    flow_of(cc, cc, &["path"], &format!("count = {count}\n{more}"))
}

/// The mean wait at the bottleneck, in milliseconds.
fn wait_ms(summary: &Summary) -> f64 {
    link(summary, "path").mean_queue_delay_s.unwrap() * 1e3
}

/// Eight Reno flows. PIE keeps the mean wait at its target of 15 ms (a third of tolerance), CoDel below twice its
/// target of 5 ms, RED its queue between the threshold of 5 packets and twice the one of 15. Without them the buffer fills.
/// The link stays busy, but where no queue stands: eight flows in queues of their own have 17 packets in flight each
/// and 5 ms are two. A window that falls from the BDP to its half uses 3/4 of the link on average, which is the floor.
#[test]
fn the_wait_is_what_the_discipline_aims_at() {
    let run = |aqm| run(60.0, 20.0, &(bottleneck(aqm) + &flows("reno", 8, "")));
    for (aqm, least, most) in [
        ("pie", 10.0, 20.0),
        ("codel", 1.0, 10.0),
        ("fq-codel", 1.0, 10.0),
        ("red", 5.0 * 0.3, 30.0 * 0.3),
        ("drop-tail", 200.0, 400.0),
    ] {
        let summary = run(aqm);
        let path = link(&summary, "path");
        assert!((least..most).contains(&wait_ms(&summary)), "{aqm}: {} ms", wait_ms(&summary));
        let busy = if ["pie", "codel", "drop-tail"].contains(&aqm) { 0.95 } else { 0.75 };
        assert!(path.utilisation > busy, "{aqm}: {}", path.utilisation);
        assert_eq!(path.early_drops, if aqm == "drop-tail" { 0 } else { path.drops });
    }
}

/// Marks for flows that negotiated ECN, drops for the others. The link is used as without a standing queue at least: a
/// flow's window goes from half of its 33 packets to all of them in 17 rounds, after one in which a mark keeps it from
/// growing, (17 · 3/4 + 1/2)/18 on average. That is what RED has, whose queue is gone when all flows have answered it; its
/// average lags behind and may mark some of them again, which the law leaves out. So the mean of ten seeds may not be
/// below it by more than the half-width of its 95 % interval (Student's t).
#[test]
fn ecn_flows_are_marked_and_lose_nothing() {
    let floor = (17.0 * 0.75 + 0.5) / 18.0;
    for aqm in kinds() {
        let marking = bottleneck(aqm).replace(" }", ", ecn = true }");
        let text = |ecn: &str| marking.clone() + &flows("reno", 4, ecn);
        let utilisation = |seed| {
            let with = run_seed(60.0, 20.0, &text("tcp = { ecn = true }"), seed);
            let path = link(&with, "path");
            assert!(path.marks > 20 && path.drops == 0, "{aqm}: {path:?}");
            assert!(with.flows.iter().all(|f| f.retransmitted_segments == 0), "{aqm}");
            path.utilisation
        };
        let (mean, half_width) = mean_and_half_width(&(1..=10).map(utilisation).collect::<Vec<_>>());
        assert!(mean + half_width > floor, "{aqm}: {mean} ± {half_width}");
        let without = run(60.0, 20.0, &text(""));
        assert!(link(&without, "path").marks == 0 && link(&without, "path").early_drops > 20, "{aqm}");
    }
}

/// Isolation: beside another flow, of whatever algorithm and RTT, a flow gets at least what it gets alone on a CoDel link
/// of half the rate; more where the other does not use its half, as windows that were just cut do not. In one queue
/// under the same law a flow of ten times the RTT gets much less.
#[test]
fn flow_queues_isolate() {
    let rate = |s: &Summary, name| goodput(flow(s, name));
    let near = flows("reno", 1, "");
    let far = "[links.far]\nrate = \"1 Gbit/s\"\ndelay = \"180 ms\"\n[[flows]]\nname = \"reno/1\"\ncc = \"reno\"\n\
               paths = [[\"far\", \"path\"]]\n";
    for flow in [&*near, far] {
        let beside = |aqm: &str| run(160.0, 60.0, &(bottleneck(aqm) + flow + &flows("cubic", 1, "")));
        let half = bottleneck("codel").replace("40 Mbit/s", "20 Mbit/s");
        let alone = rate(&run(160.0, 60.0, &(half + flow)), "reno/1");
        let (fair, single) = (rate(&beside("fq-codel"), "reno/1"), rate(&beside("codel"), "reno/1"));
        assert!(fair > 0.97 * alone, "{fair}, alone {alone}");
        assert!(flow == near || single < 0.5 * alone, "{single}, alone {alone}");
    }
}

/// Requests for one packet beside eight bulk flows: the answer takes the base RTT of 40 ms, at most two transmissions
/// of 0.3 ms, and nothing else. Behind a drop-tail queue it waits like the rest.
#[test]
fn a_sparse_flow_waits_for_nobody() {
    let small = "application = { kind = \"request-response\", size = \"1 kB\", think = \"200 ms\" }";
    let web = |aqm: &str| {
        let summary = run(60.0, 20.0, &(bottleneck(aqm) + &flows("cubic", 8, "") + &flows("reno", 1, small)));
        flow(&summary, "reno/1").completion.clone().unwrap()
    };
    let fair = web("fq-codel");
    assert!(fair.count > 100 && fair.mean_s < 0.0412 && fair.p99_s < 0.0425, "{fair:?}");
    assert!(web("drop-tail").mean_s > 0.2);
}

/// Looking at the queues changes nothing, nor does running twice.
#[test]
fn samples_do_not_change_the_run() {
    for aqm in kinds() {
        let text = bottleneck(aqm) + &flows("cubic", 3, "tcp = { ecn = true }");
        let (sampled, samples) = record(10.0, 1.0, &text);
        assert_eq!(sampled, run(10.0, 1.0, &text), "{aqm}");
        let series = samples.link_series("path").unwrap();
        let path = link(&sampled, "path");
        assert!(*series.drops.last().unwrap() >= path.drops as f64 && path.early_drops > 0, "{aqm}");
    }
}
