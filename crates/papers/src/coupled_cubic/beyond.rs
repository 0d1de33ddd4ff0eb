//! Beyond the paper: other neighbours, a shared large bottleneck, other buffers and loss rates.

use crate::paper::Definition;
use crate::{scenarios, scenarios::ScenarioFile};
use anabranch_study::draw::{axis, bars, series};
use anabranch_study::{Figure, Outcome, Rule, Setup, Size};
use anabranch_study::{Plan, Quantity, SetupId, measure};

/// Algorithm, and its name for readers.
type Algorithm = (&'static str, &'static str);

const LIA: Algorithm = ("lia", "LIA");
const ALPHA_1: Algorithm = ("coupled-cubic-a1", "Coupled CUBIC (α₁)");
const ALPHA_2: Algorithm = ("coupled-cubic", "Coupled CUBIC (α₂)");
const LINKED: Algorithm = ("linked-cubic", "Linked CUBIC (ours)");
const CUBIC: Algorithm = ("cubic", "uncoupled CUBIC");

/// A scenario of ours: 160 s after 40 s of warm-up in the default size.
fn setup(title: String, file: &'static ScenarioFile, cc: Algorithm, size: Size) -> Setup {
    Setup::new(title, file).cc(cc.0).lasting(size.own(200.0), size.own(40.0))
}

/// No more seeds where nothing is judged: these runs take long.
const NOT_JUDGED: u32 = 3;

fn goodput(run: SetupId, flow: &'static str) -> Quantity {
    measure(run, move |run| run.goodput(flow))
}

fn subflow(run: SetupId, r: usize) -> Quantity {
    measure(run, move |run| run.subflow_goodput("mptcp", r))
}

const OURS: &str = "Linked CUBIC is ours (see the study E), with at most three seeds.";
const FEW: &str = "No row is judged; at most three seeds.";
const STUDY: &str = "Linked CUBIC is ours: see the study E.";
const LENGTH: &str =
    "Goodput over 160 s after 40 s of warm-up (quick: a tenth of both, full: four times both).";

pub(super) const CUBIC_NEIGHBOUR: Definition = Definition {
    ids: &["A-X1"],
    title: "Beyond the paper: CUBIC as the single-path flow on path 2",
    notes: &[
        LENGTH,
        "The abstract claims fairness \"with competing single-path CUBIC or Reno TCP flows\", but the \
         experiments have Reno only. Fair is read as: the subflow takes no more than the single-path flow.",
        "Where the ratio is far below 1 subflow 2 is nearly silent (A-T4): that it takes no more does then not show that it \
         shares fairly.",
        OURS,
    ],
    plan: cubic_neighbour,
};

fn cubic_neighbour(size: Size) -> Plan {
    let mut plan = Plan::new();
    plan.beyond();
    for cc in [LIA, ALPHA_1, ALPHA_2, LINKED] {
        let setup = setup(format!("{}, single-path CUBIC on path 2", cc.1), &scenarios::TESTBED, cc, size)
            .set("flows.single.cc", "cubic");
        let run = plan.simulate(if cc == LINKED { setup.at_most(NOT_JUDGED) } else { setup });
        let id = |row: &str| format!("A-X1.{}.{row}", cc.0);
        plan.row(id("subflow1"), format!("{}: subflow 1", cc.1), "Mbit/s", subflow(run, 0));
        plan.row(id("subflow2"), format!("{}: subflow 2", cc.1), "Mbit/s", subflow(run, 1));
        plan.row(id("single"), format!("{}: single-path CUBIC", cc.1), "Mbit/s", goodput(run, "single"));
        let ratio = |run: &Outcome| Some(run.subflow_goodput("mptcp", 1)? / run.goodput("single")?);
        let row = plan.row(
            id("ratio"),
            format!("{}: subflow 2 ÷ single-path CUBIC", cc.1),
            "",
            measure(run, ratio),
        );
        if cc != LINKED {
            row.claim("takes no more than a competing single-path CUBIC flow", Rule::AtMost(1.0));
        }
    }
    plan
}

pub(super) const SHARED: Definition = Definition {
    ids: &["A-X2"],
    title: "Beyond the paper: two large-BDP subflows and a CUBIC flow on one bottleneck",
    notes: &[
        LENGTH,
        "The second design goal (RFC 6356: do no harm) on a large-BDP path, which the paper claims for its \
         algorithm and does not test: both subflows together should take no more than the single-path CUBIC \
         flow.",
        "Expected before the run: scaling CUBIC's window by m scales its mean only by about m^¼, because \
         its epochs get longer, so √α₁ is not enough and the connection takes more than one flow.",
        STUDY,
        "The variants α₁ and α₂ differ only where a path is small.",
    ],
    plan: shared,
};

fn shared(size: Size) -> Plan {
    let mut plan = Plan::new();
    plan.beyond();
    for cc in [LIA, ALPHA_1, ALPHA_2, LINKED, CUBIC] {
        let title = format!("{} and single-path CUBIC on one large-BDP bottleneck", cc.1);
        let run = plan.simulate(setup(title, &scenarios::SHARED_BOTTLENECK, cc, size));
        let id = |row: &str| format!("A-X2.{}.{row}", cc.0);
        plan.row(id("mptcp"), format!("{}: both subflows", cc.1), "Mbit/s", goodput(run, "mptcp"));
        plan.row(id("single"), format!("{}: single-path CUBIC", cc.1), "Mbit/s", goodput(run, "single"));
        let ratio = measure(run, |run| Some(run.goodput("mptcp")? / run.goodput("single")?));
        let row = plan.row(id("ratio"), format!("{}: both subflows ÷ single-path CUBIC", cc.1), "", ratio);
        if cc == ALPHA_1 || cc == ALPHA_2 {
            row.claim("no more of a shared resource than a single-path flow", Rule::AtMost(1.0)).because(
                "Two windows alike are each CUBIC's times √α₁ = 0.71 (Eq. 11), which is not half of its mean. Where the interval \
                 holds 1 these runs do not settle whether there is an excess; the last rows have two uncoupled CUBIC flows.",
            );
        }
    }
    plan
}

pub(super) const BUFFERS: Definition = Definition {
    ids: &["A-X3"],
    title: "Beyond the paper: buffers of 10 %, 50 %, 100 % and 400 % of the BDP",
    notes: &[LENGTH, FEW, STUDY],
    plan: |size| {
        let buffer = |percent: u32| (format!("{percent}%"), f64::from(percent) / 100.0);
        let change = |setup: Setup, bdp: &f64| {
            let queue = format!("{bdp} BDP");
            setup.set("links.path1.queue", queue.clone()).set("links.path2.queue", queue).at_most(NOT_JUDGED)
        };
        sweep(
            "A-X3",
            "buffer",
            [10, 50, 100, 400].map(buffer).to_vec(),
            &[LIA, ALPHA_2, LINKED],
            change,
            size,
        )
    },
};

pub(super) const LOSSES: Definition = Definition {
    ids: &["A-X4"],
    title: "Beyond the paper: loss rates from 0 to 1e-4",
    notes: &[LENGTH, FEW, STUDY],
    plan: |size| {
        let rate = |p: f64| (if p == 0.0 { "0".into() } else { format!("{p:e}") }, p);
        let change = |setup: Setup, p: &f64| match (*p, setup.at_most(NOT_JUDGED)) {
            (0.0, setup) => {
                let none = "{ model = \"none\" }";
                setup.set("links.path1.loss", none).set("links.path2.loss", none)
            }
            (p, setup) => setup.bernoulli("path1", p).bernoulli("path2", p),
        };
        sweep(
            "A-X4",
            "loss rate",
            [0.0, 1e-7, 1e-6, 1e-5, 1e-4].map(rate).to_vec(),
            &[LIA, ALPHA_2, LINKED],
            change,
            size,
        )
    },
};

pub(super) const PHASE: Definition = Definition {
    ids: &["A-X5"],
    title: "Beyond the paper: what LIA's small subflow gets at a full queue, by host jitter and delayed ACKs",
    notes: &[
        LENGTH,
        "Path 2's queue overflows once in each of the Reno flow's sawteeth. Whether packets of a small subflow find \
         room then depends on their phase (Floyd and Jacobson, 1992), and so on how regularly hosts answer. The \
         testbed's rows have a jitter of up to one packet time (0.12 ms) and delayed ACKs; real hosts, and \
         Dummynet's clock ticks of one or several milliseconds, are less regular.",
    ],
    plan: |size| {
        let hosts = |(jitter, delayed): (&str, u32)| {
            let acks = if delayed == 1 { "no delayed ACKs" } else { "delayed ACKs" };
            (format!("{jitter}, {acks}"), (jitter.to_owned(), delayed))
        };
        let values = [("120 us", 2), ("1 ms", 2), ("4 ms", 2), ("120 us", 1), ("1 ms", 1), ("4 ms", 1)];
        let change = |setup: Setup, (jitter, delayed): &(String, u32)| {
            setup
                .set("variation.host_jitter", jitter)
                .set("flows.mptcp.tcp.delayed_ack", delayed.to_string())
                .set("flows.single.tcp.delayed_ack", delayed.to_string())
        };
        sweep("A-X5", "host jitter", values.map(hosts).to_vec(), &[LIA], change, size)
    },
};

/// What a row of a sweep measures.
const PARTS: [(&str, &str); 3] =
    [("subflow1", "subflow 1"), ("subflow2", "subflow 2"), ("single", "single-path Reno")];

fn part(run: SetupId, i: usize) -> Quantity {
    if i < 2 { subflow(run, i) } else { goodput(run, "single") }
}

/// The testbed with these algorithms over several values of one property: rows, and a plot for each part.
fn sweep<T>(
    id: &'static str,
    property: &'static str,
    values: Vec<(String, T)>,
    algorithms: &[Algorithm],
    change: impl Fn(Setup, &T) -> Setup,
    size: Size,
) -> Plan {
    let mut plan = Plan::new();
    plan.beyond();
    let mut all: Vec<(Algorithm, Vec<(String, SetupId)>)> = Vec::new();
    for &cc in algorithms {
        let mut runs = Vec::new();
        for (label, value) in &values {
            let title = format!("{}, {property} {label}", cc.1);
            let run = plan.simulate(change(setup(title.clone(), &scenarios::TESTBED, cc, size), value));
            for (i, (row, name)) in PARTS.into_iter().enumerate() {
                let row = format!(
                    "{id}.{}.{}.{row}",
                    cc.0,
                    label.replace(", ", ".").replace('%', "percent").replace(' ', "-")
                );
                plan.row(row, format!("{title}: {name}"), "Mbit/s", part(run, i));
            }
            runs.push((label.clone(), run));
        }
        all.push((cc, runs));
    }
    plan.figure(move |runs| {
        let panel = |(i, (_, name)): (usize, (&str, &str))| {
            let ours = all.iter().map(|(cc, points)| {
                series(
                    cc.1,
                    points.iter().filter_map(|(label, run)| runs.bar(label, &part(*run, i))).collect(),
                )
            });
            bars(name, axis("goodput (Mbit/s)"), ours.collect())
        };
        Figure {
            id: id.into(),
            title: format!("Goodput by {property}"),
            panels: PARTS.into_iter().enumerate().map(panel).collect(),
        }
    });
    plan
}
