//! A-T4 to A-T6, A-F5 to A-F7b: the testbed of Tab. 3.

use super::equations::{RENO, RTT_S, alpha, virtual_reno};
use crate::paper::Definition;
use crate::scenarios;
use anabranch_study::column::{BOTH, TICK, TSO};
use anabranch_study::draw::{axis, bar, bars, cwnd, lines, published, series, time_axis, trace};
use anabranch_study::{Figure, Rule, Setup, Size};
use anabranch_study::{Plan, Quantity, SetupId, compare, measure};

/// The paper's duration, in seconds.
const DURATION_S: f64 = 1000.0;

/// Path 2's RTT with an empty queue, half a one and a full one, in seconds.
const RTTS_2_S: [f64; 3] = [0.02, 0.03, 0.04];

/// Slow start and the recovery after it are over by then, in seconds.
pub(super) const SLOW_START_S: f64 = 10.0;

/// The testbed with the MPTCP connection running `cc`.
fn testbed(title: &str, cc: &str, size: Size) -> Setup {
    Setup::new(title, &scenarios::TESTBED).cc(cc).lasting(size.published(DURATION_S), 0.0).sampled()
}

/// The same with an algorithm's parameters: `{ name = "lia", … }`.
pub(super) fn testbed_with(title: &str, cc: &str, size: Size) -> Setup {
    Setup::new(title, &scenarios::TESTBED)
        .set("flows.mptcp.cc", cc)
        .lasting(size.published(DURATION_S), 0.0)
        .sampled()
}

pub(super) fn lia(size: Size) -> Setup {
    testbed("LIA on the testbed", "lia", size)
}

fn alpha_1(size: Size) -> Setup {
    testbed("Coupled CUBIC (α₁) on the testbed", "coupled-cubic-a1", size)
}

pub(super) fn alpha_2(size: Size) -> Setup {
    testbed("Coupled CUBIC (α₂) on the testbed", "coupled-cubic", size)
}

/// Ours. It is not the paper's and not judged: shorter, and of two seeds.
fn linked(size: Size) -> Setup {
    Setup::new("Linked CUBIC (ours) on the testbed", &scenarios::TESTBED)
        .cc("linked-cubic")
        .lasting(size.own(200.0), size.own(40.0))
        .at_most(2)
}

pub(super) fn alone(size: Size) -> Setup {
    Setup::new("CUBIC alone on path 1", &scenarios::TESTBED_ALONE)
        .lasting(size.published(DURATION_S), 0.0)
        .sampled()
}

/// What bears on LIA's rows.
const LIA_SUBFLOW_1: &str = "A-X6 has other receivers, A-X7 another start; the columns beside have the arithmetic of the paper's \
                             kernel, links with a clock and hosts that send in bursts. LIA's fixed point is √(1.5α/p) where one \
                             path has nearly all of the window, and row A-T4.alpha has our α.";
/// What bears on its first loss.
const AFTER_SLOW_START: &str =
    "A-X7 has the same run with an initial threshold, as if slow start had ended at once.";
/// What bears on subflow 2.
const SUBFLOW_2: &str = "Subflow 2 shares a drop-tail queue with the Reno flow, and row A-T4.loss-ratio has how much more often it \
                         loses with LIA. With LIA A-X5 has other jitter, and A-X6 other receivers; the columns beside have links with a \
                         clock and hosts that send in bursts.";
/// Why path 1 carries more than printed.
const FULL_LINK: &str = "Coupled CUBIC's mean window on path 1 as printed (A-T5) is above the BDP of 4167 segments, which fills the path; \
                         the printed throughputs do not.";

/// Mean window of an MPTCP subflow.
pub(super) fn window(run: SetupId, r: usize) -> Quantity {
    measure(run, move |run| run.cwnd("mptcp", r))
}

const SEGMENTS: &str = "congestion window (segments)";

pub(super) const LIA: Definition = Definition {
    ids: &["A-T4", "A-F5"],
    title: "LIA on the testbed: congestion windows",
    notes: &[
        "The testbed of Tab. 3 (A-T3): path 1 of 500 Mbit/s and 100 ms, path 2 of 100 Mbit/s and 20 ms, \
         each with a buffer of one BDP and a loss rate of 1e-6; one single-path Reno flow on path 2. 1000 \
         s, means over all of it, as in the paper. \"After slow start\" means after the first 10 s.",
    ],
    plan: lia_plan,
};

fn lia_plan(size: Size) -> Plan {
    let mut plan = Plan::new();
    plan.columns(&[&TICK, &TSO, &BOTH]);
    let run = plan.simulate(lia(size));
    plan.row("A-T4.subflow1", "mean window of subflow 1", "segments", window(run, 0))
        .published(849.0)
        .because(LIA_SUBFLOW_1);
    plan.row("A-T4.subflow2", "mean window of subflow 2", "segments", window(run, 1))
        .published(62.0)
        .because(SUBFLOW_2);
    let late_s = size.published(DURATION_S) * 0.24;
    plan.row(
        "A-T4.subflow1-late",
        format!("mean window of subflow 1 after {late_s} s"),
        "segments",
        measure(run, move |run| run.cwnd_from("mptcp", 0, late_s)),
    );
    plan.row("A-T4.alpha", "mean α", "", measure(run, |run| run.observable("mptcp", 0, "alpha")));
    for rtt_2 in RTTS_2_S {
        let alpha = alpha([(849.0, RTT_S), (62.0, rtt_2)]);
        let id = |row: &str| format!("A-T4.published.{row}.{}ms", rtt_2 * 1e3);
        let what = format!("Eq. 1 on the published means, RTT 2 = {} ms", rtt_2 * 1e3);
        plan.formula(id("alpha"), what.clone(), "", alpha);
        plan.formula(
            id("window"),
            format!("√(1.5α/p) with that α: {what}"),
            "segments",
            (1.5 * alpha / 1e-6).sqrt(),
        );
    }
    plan.row(
        "A-T4.loss-ratio",
        "loss rate of subflow 2 ÷ that of the single-path flow",
        "",
        measure(run, |run| Some(run.loss_rate("mptcp", 1)? / run.loss_rate("single", 0)?)),
    );
    plan.row(
        "A-F5.first-loss-time",
        "first loss on subflow 1 after slow start",
        "s",
        measure(run, |run| Some(run.loss_after("mptcp", 0, SLOW_START_S)?.0)),
    )
    .published(240.0)
    .because(AFTER_SLOW_START);
    plan.row(
        "A-F5.first-loss-window",
        "window of subflow 1 at that loss",
        "segments",
        measure(run, |run| Some(run.loss_after("mptcp", 0, SLOW_START_S)?.1)),
    )
    .published(1290.0)
    .because(AFTER_SLOW_START);
    plan.row("A-F5.utilisation", "utilisation of path 1", "", measure(run, |run| run.utilisation("path1")))
        .claim("less than 15 % of the link's resource (and 95 of 500 Mbit/s elsewhere)", Rule::AtMost(0.15))
        .because(LIA_SUBFLOW_1);
    plan.figure(move |runs| {
        let run = runs.first(run);
        let panel = |title: &str, r| {
            lines(title, time_axis(DURATION_S), axis(SEGMENTS), vec![cwnd("LIA", run, "mptcp", r)])
        };
        Figure {
            id: "A-F5".into(),
            title: "Congestion window change in the LIA (seed 1)".into(),
            panels: vec![
                panel("(a) congestion window of subflow 1", 0),
                panel("(b) congestion window of subflow 2", 1),
            ],
        }
    });
    plan
}

pub(super) const COUPLED: Definition = Definition {
    ids: &["A-T5", "A-F6"],
    title: "Coupled CUBIC on the testbed: windows, uncoupled, coupled and virtual",
    notes: &[
        "Subflow 1's curves are the algorithm's inner values: (a) the uncoupled CUBIC window C, (b) the \
         window √α₁·C, (c) the virtual Reno window V, (d) V·√α₁. (e) is subflow 2's window.",
        "Row A-F6.subflow2-like-lia says little where subflow 2 has only a few segments with both (A-T4.subflow2, A-T5.e).",
        LINKED,
    ],
    plan: coupled_plan,
};

fn coupled_plan(size: Size) -> Plan {
    let mut plan = Plan::new();
    plan.columns(&[&TICK, &TSO, &BOTH]);
    let run = plan.simulate(alpha_2(size));
    let with_lia = plan.simulate(lia(size));
    let inner = |name: &'static str| measure(run, move |run| run.observable("mptcp", 0, name));
    plan.row("A-T5.a", "(a) mean uncoupled CUBIC window of subflow 1", "segments", inner("w_cubic"))
        .published(5950.0);
    plan.row("A-T5.b", "(b) mean window of subflow 1", "segments", window(run, 0))
        .published(4730.0)
        .because(B_OF_A);
    plan.row("A-T5.c", "(c) mean virtual Reno window of subflow 1", "segments", inner("virtual_reno"))
        .published(1493.0)
        .because("Rows A-T5.eq10 have what Eq. 10 makes of the paper's own (a) at 100 ms. Ours has the RTT with its queue (row \
                  A-T5.rtt), and V goes with T^(−1/2).");
    plan.row("A-T5.d", "(d) mean of virtual Reno window × √α₁", "segments", inner("virtual_lia"))
        .published(1182.0)
        .because("(d) is √α₁ times (c): rows A-T5.c and A-T5.alpha1 have ours.");
    plan.row("A-T5.e", "(e) mean window of subflow 2", "segments", window(run, 1))
        .published(68.0)
        .because(SUBFLOW_2);
    plan.row(
        "A-T5.b-a",
        "coupled ÷ uncoupled window of subflow 1, (b)/(a)",
        "",
        measure(run, |run| Some(run.cwnd("mptcp", 0)? / run.observable("mptcp", 0, "w_cubic")?)),
    )
    .derived(4730.0 / 5950.0, "4730 ÷ 5950")
    .because(B_OF_A);
    plan.row("A-T5.alpha1", "mean α₁", "", inner("alpha1"));
    plan.row("A-T5.rtt", "mean RTT of subflow 1", "ms", measure(run, |run| Some(run.rtt("mptcp", 0)? * 1e3)));
    published_means(&mut plan);

    let ours = plan.simulate(linked(size));
    for r in 0..2 {
        let what = format!("Linked CUBIC (ours): mean window of subflow {}", r + 1);
        plan.row(format!("A-T5.linked-cubic.{}", r + 1), what, "segments", window(ours, r));
    }

    // The start differs, the paper says: compare what comes after it.
    let start_s = size.published(DURATION_S) / 10.0;
    plan.row(
        "A-F6.subflow2-like-lia",
        format!("window of subflow 2 ÷ that with LIA, means after {start_s} s"),
        "",
        compare(run, with_lia, move |coupled, lia| {
            Some(coupled.cwnd_from("mptcp", 1, start_s)? / lia.cwnd_from("mptcp", 1, start_s)?)
        }),
    )
    .claim("subflow 2 is like LIA's except in the first 100 s", Rule::Near(1.0));
    plan.figure(move |runs| {
        let run = runs.first(run);
        let panel = |title: &str, series| lines(title, time_axis(DURATION_S), axis(SEGMENTS), vec![series]);
        let inner = |name: &'static str| trace("Coupled CUBIC", run, "mptcp", 0, move |s| s.observable(name));
        Figure {
            id: "A-F6".into(),
            title: "Congestion window change in the Coupled CUBIC (seed 1)".into(),
            panels: vec![
                panel("(a) congestion window of TCP CUBIC (subflow 1)", inner("w_cubic")),
                panel(
                    "(b) congestion window of Coupled CUBIC (subflow 1)",
                    cwnd("Coupled CUBIC", run, "mptcp", 0),
                ),
                panel("(c) virtual Reno congestion window of subflow 1", inner("virtual_reno")),
                panel("(d) virtual Reno window × √α₁", inner("virtual_lia")),
                panel("(e) congestion window of LIA (subflow 2)", cwnd("Coupled CUBIC", run, "mptcp", 1)),
            ],
        }
    });
    plan
}

/// Why (b) and (a) differ by another factor.
const B_OF_A: &str = "(b) is √α₁ times (a), and row A-T5.alpha1 has our α₁. The paper's 0.79 would be √0.63, but is what Eq. 1 gives for α₁ \
                      itself on its own means with an RTT 2 of 20 or 30 ms (rows A-T5.eq1).";

/// What the equations make of Tab. 5's means.
fn published_means(plan: &mut Plan) {
    for (beta, how) in [(0.3, "CUBIC's decrease"), (0.7, "as printed")] {
        for (constant, name) in RENO {
            let id = format!("A-T5.eq10.{beta}.{name}").replace('√', "sqrt").replace('^', "");
            let what =
                format!("Eq. 10 for 5950 segments at 100 ms, β = {beta} ({how}), Reno's constant {name}");
            let value = virtual_reno(5950.0, beta, constant);
            plan.formula(id, what, "segments", value).beside(1493.0, "Tab. 5, (c)");
        }
    }
    for rtt_2 in RTTS_2_S {
        let what = format!("α₁ by Eq. 1 for Tab. 5's (c) and (e), RTT 2 = {} ms", rtt_2 * 1e3);
        let alpha = alpha([(1493.0, RTT_S), (68.0, rtt_2)]);
        plan.formula(format!("A-T5.eq1.{}ms", rtt_2 * 1e3), what, "", alpha)
            .beside((4730.0f64 / 5950.0).powi(2), "(4730 ÷ 5950)², by Eq. 11");
    }
}

/// A bar of Fig. 7: subflow 1, subflow 2 and the total, in Mbit/s, as printed in the text and Tab. 6.
struct Bar {
    id: &'static str,
    name: &'static str,
    published: [Option<f64>; 3],
}

const BARS: [Bar; 4] = [
    Bar { id: "cubic", name: "CUBIC", published: [None, None, Some(403.0)] },
    Bar { id: "lia", name: "LIA", published: [Some(95.0), Some(20.0), Some(115.0)] },
    Bar { id: "a1", name: "CCUBIC(α₁)", published: [Some(397.0), Some(25.0), Some(420.0)] },
    Bar { id: "a2", name: "CCUBIC(α₂)", published: [Some(402.0), Some(21.0), Some(423.0)] },
];

/// The parts of a bar.
pub(super) const PARTS: [&str; 3] = ["subflow 1", "subflow 2", "total"];

pub(super) const THROUGHPUT: Definition = Definition {
    ids: &["A-T6", "A-F7"],
    title: "Mean throughput on the testbed",
    notes: &[
        "Mbit/s of captured packets at IP level, headers and retransmissions included, since the paper \
         measures with Wireshark; payload is 95 % of it.",
        "A mean window of 4730 segments exceeds the path's BDP of 4167: it fills the link, which carries 476 Mbit/s of \
         payload and 500 at IP level. The paper prints 402.",
        LINKED,
    ],
    plan: throughput_plan,
};

const LINKED: &str = "Linked CUBIC is ours (see the study E), beside the paper's and not judged: 160 s after 40 s of warm-up, two seeds.";

/// Throughput of part `i` of [`PARTS`].
pub(super) fn throughput(run: SetupId, i: usize) -> Quantity {
    measure(run, move |run| if i < 2 { run.captured("mptcp", i) } else { run.captured_total("mptcp") })
}

fn throughput_plan(size: Size) -> Plan {
    let mut plan = Plan::new();
    plan.columns(&[&TICK, &TSO, &BOTH]);
    let alone = plan.simulate(alone(size));
    let coupled = [lia(size), alpha_1(size), alpha_2(size)].map(|setup| plan.simulate(setup));
    let [lia, alpha_1, alpha_2] = coupled;

    plan.row(
        "A-T6.cubic.total",
        "CUBIC alone: total",
        "Mbit/s",
        measure(alone, |run| run.captured_total("tcp")),
    )
    .published(403.0);
    for (bar, run) in BARS[1..].iter().zip(coupled) {
        for (i, part) in PARTS.into_iter().enumerate() {
            let id = format!("A-T6.{}.{}", bar.id, part.replace(' ', ""));
            let row = plan.row(id, format!("{}: {part}", bar.name), "Mbit/s", throughput(run, i));
            if let Some(value) = bar.published[i] {
                let row = row.published(value);
                match (bar.id, i) {
                    (_, 1) => row.because(SUBFLOW_2),
                    ("lia", _) => row.because(LIA_SUBFLOW_1),
                    ("a2", _) => row.because(FULL_LINK),
                    // The paper prints no window with α₁ to judge its throughput by.
                    _ => row,
                };
            }
        }
    }
    let linked = plan.simulate(linked(size));
    for (i, part) in PARTS.into_iter().enumerate() {
        let id = format!("A-T6.linked-cubic.{}", part.replace(' ', ""));
        plan.row(id, format!("Linked CUBIC (ours): {part}"), "Mbit/s", throughput(linked, i));
    }
    plan.row(
        "A-T6.a1.subflow2-other",
        "CCUBIC(α₁): subflow 2, as the text has it later",
        "Mbit/s",
        throughput(alpha_1, 1),
    )
    .published(17.0)
    .because(SUBFLOW_2);
    plan.row("A-T6.a1.total-text", "CCUBIC(α₁): total, as the text has it", "Mbit/s", throughput(alpha_1, 2))
        .published(422.0);
    plan.ordering(
        "A-T6.total-order",
        "total: LIA < CUBIC alone < Coupled CUBIC (α₂)",
        "Mbit/s",
        vec![
            ("LIA", throughput(lia, 2)),
            ("CUBIC", measure(alone, |run| run.captured_total("tcp"))),
            ("CCUBIC(α₂)", throughput(alpha_2, 2)),
        ],
    )
    .because(
        "CUBIC alone and Coupled CUBIC send over the same path 1; what subflow 2 adds is row A-T6.a2.subflow2.",
    );
    plan.row(
        "A-T6.four-times",
        "subflow 1: Coupled CUBIC (α₂) ÷ LIA",
        "",
        compare(alpha_2, lia, |ours, lia| Some(ours.captured("mptcp", 0)? / lia.captured("mptcp", 0)?)),
    )
    .claim("about four times the resources of LIA", Rule::Near(4.0))
    .because("Rows A-T6.lia.subflow1 and A-T6.a2.subflow1 have both.");
    plan.row(
        "A-T6.eighty-percent",
        "utilisation of path 1, Coupled CUBIC (α₂)",
        "",
        measure(alpha_2, |run| run.utilisation("path1")),
    )
    .claim("over 80 % of the path's bandwidth", Rule::AtLeast(0.8));
    plan.ordering(
        "A-T6.subflow2-order",
        "subflow 2: slower with α₁ than with α₂",
        "Mbit/s",
        vec![("CCUBIC(α₁)", throughput(alpha_1, 1)), ("CCUBIC(α₂)", throughput(alpha_2, 1))],
    );

    plan.figure(move |runs| {
        let paper = PARTS.into_iter().enumerate().map(|(i, part)| {
            let bars = BARS.iter().filter_map(|b| Some(bar(b.name, b.published[i]?)));
            published(format!("{part}, published"), bars.collect())
        });
        let ours = PARTS.into_iter().enumerate().map(|(i, part)| {
            let single = (i == 2).then(|| measure(alone, |run| run.captured_total("tcp")));
            let first = single.and_then(|q| runs.bar(BARS[0].name, &q));
            let others =
                BARS[1..].iter().zip(coupled).filter_map(|(b, run)| runs.bar(b.name, &throughput(run, i)));
            let linked = runs.bar("Linked CUBIC (ours)", &throughput(linked, i));
            series(format!("{part}, ours"), first.into_iter().chain(others).chain(linked).collect())
        });
        Figure {
            id: "A-F7".into(),
            title: "Average throughput comparison between LIA and Coupled CUBIC".into(),
            panels: vec![bars("", axis("throughput (Mbit/s)"), paper.chain(ours).collect())],
        }
    });
    plan
}

pub(super) const NEIGHBOUR: Definition = Definition {
    ids: &["A-F7b"],
    title: "The single-path Reno flow on path 2 keeps its share",
    notes: &[
        "Goodput of the single-path flow beside each algorithm; the paper gives no number.",
        "Where subflow 2 is nearly silent (A-T6) there is little that an algorithm could leave the single-path flow more or less \
         of.",
        LINKED,
    ],
    plan: neighbour_plan,
};

fn neighbour_plan(size: Size) -> Plan {
    let mut plan = Plan::new();
    plan.columns(&[&TICK, &TSO, &BOTH]);
    let lia = plan.simulate(lia(size));
    let share = |run| measure(run, |run| run.goodput("single"));
    plan.row("A-F7b.lia", "single-path Reno beside LIA", "Mbit/s", share(lia));
    let linked = plan.simulate(linked(size));
    plan.row("A-F7b.linked-cubic", "single-path Reno beside Linked CUBIC (ours)", "Mbit/s", share(linked));
    for (id, name, setup) in
        [("a1", "Coupled CUBIC (α₁)", alpha_1(size)), ("a2", "Coupled CUBIC (α₂)", alpha_2(size))]
    {
        let run = plan.simulate(setup);
        plan.row(format!("A-F7b.{id}"), format!("single-path Reno beside {name}"), "Mbit/s", share(run));
        plan.row(
            format!("A-F7b.{id}-lia"),
            format!("single-path Reno's goodput beside {name} ÷ beside LIA"),
            "",
            compare(run, lia, |ours, lia| Some(ours.goodput("single")? / lia.goodput("single")?)),
        )
        .claim("Coupled CUBIC leaves the single-path flow what LIA leaves it", Rule::Near(1.0));
    }
    plan
}
